"""Ollama, through its official client, which is imported only once the server accepts connections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoryclaw import late
from memoryclaw.models.embedders import Floats, normalise
from memoryclaw.models.llm import MOST_TOKENS, Endpoint, ModelError, Prompt, Schema

if TYPE_CHECKING:
    from ollama import Client

_CONTEXT = 8192  # tokens; what a server gives by default would silently cut the prompt
_MISSING = 404


class Ollama:
    """One model of an Ollama server."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model
        self.name = f"ollama/{model}"
        self.is_local = endpoint.is_local()

    def reach(self) -> None:
        """Raises ModelError when nobody listens, or on another machine."""
        self._endpoint.reach()

    def ask(self, prompt: Prompt, schema: Schema) -> str:
        """The model's answer; the server enforces the schema, and the same prompt gets the same answer."""
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        options = {"temperature": 0, "seed": 0, "num_predict": MOST_TOKENS, "num_ctx": _CONTEXT}

        def chat(client: Client) -> str:
            answer = client.chat(self._model, messages, format=dict(schema), options=options)
            return answer.message.content or ""

        return str(_ask(self._endpoint, chat, self._model, "an answer"))


# Embedding models. The digest of the weights is part of the recipe.

WHO = "Ollama"

# The prefixes of questions and passages that models were trained with; Ollama does not add them.
_PREFIXES: Mapping[str, tuple[str, str]] = {
    "nomic-embed-text": ("search_query: ", "search_document: "),
    "mxbai-embed-large": ("Represent this sentence for searching relevant passages: ", ""),
    "snowflake-arctic-embed": ("Represent this sentence for searching relevant passages: ", ""),
    "snowflake-arctic-embed2": ("query: ", ""),
}


class OllamaEmbedder:
    """One embedding model of an Ollama server.

    Args:
        endpoint: where it listens, and how long a batch of passages may take.
        hurry: time limit of a question's vector, in seconds.
    """

    batch = 16  # of 4,096 numbers each they stay below the size of an answer

    def __init__(self, endpoint: Endpoint, model: str, hurry: float) -> None:
        self._endpoint = endpoint
        self._hurried = endpoint._replace(timeout=min(hurry, endpoint.timeout))
        self.name = full_name(model)
        self.is_local = endpoint.is_local()
        self._before = _PREFIXES.get(_base(self.name), ("", ""))

    def recipe(self) -> str:
        """The model and the digest of its weights, as the server lists them."""
        self._hurried.reach()
        listed = _ask(self._hurried, lambda client: client.list(), self.name, "vectors")
        tagged = self.name if ":" in self.name else f"{self.name}:latest"
        for entry in listed.models:
            if entry.model in (tagged, self.name):
                return f"ollama/{tagged} {entry.digest or ''}".strip()
        names = (entry.model for entry in listed.models if entry.model)
        raise _unknown(self.name, [name for name in names if _base(name) == _base(self.name)])

    def query(self, text: str) -> Floats:
        """The vector of a question."""
        return self._embed(self._hurried, [self._before[0] + text])[0]

    def passages(self, texts: list[str]) -> Floats:
        """A row for each text."""
        return self._embed(self._endpoint, [self._before[1] + text for text in texts])

    def _embed(self, endpoint: Endpoint, texts: list[str]) -> Floats:
        endpoint.reach()
        answer = _ask(endpoint, lambda client: client.embed(self.name, texts), self.name, "vectors")
        return normalise(answer.embeddings, len(texts), WHO)


def _ask(endpoint: Endpoint, question: Callable[[Client], Any], model: str, wanted: str) -> Any:
    from memoryclaw.models import http_limits  # noqa: PLC0415 - loads the HTTP client

    try:
        with late.ollama.Client(endpoint.url, **http_limits.settings(endpoint)) as client:
            return question(client)
    except late.ollama.ResponseError as error:
        if error.status_code == _MISSING:
            raise _unknown(model) from None
        raise ModelError(f"{WHO} failed with status {error.status_code}") from None
    except (ValueError, TypeError, RecursionError):
        raise ModelError(f"{WHO} answered with something other than {wanted}") from None


def full_name(model: str) -> str:
    """The name of an embedding model in Ollama's library: `nomic-embed` is short for `nomic-embed-text`."""
    base = _base(model)
    longer = [prefix for prefix in _PREFIXES if prefix.startswith(f"{base}-")]
    if base in _PREFIXES or len(longer) != 1 or "-" not in base:
        return model
    space, _, base_name = model.rpartition("/")
    return f"{space}/{longer[0]}{base_name[len(base) :]}".removeprefix("/")


def _base(model: str) -> str:
    """The name of a model without its namespace and its tag."""
    return model.rpartition("/")[2].partition(":")[0]


def _unknown(model: str, others: Sequence[str] = ()) -> ModelError:
    has = f" but {' and '.join(others)}" if others else ""
    return ModelError(f"{WHO} has no model {model}{has}; `ollama pull {model}` fetches it", lasting=True)
