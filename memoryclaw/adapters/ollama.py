"""Ollama, through its official client. The rule: the client is loaded only once somebody listens at the address."""

from __future__ import annotations

from memoryclaw.adapters.llm import MOST_TOKENS, Endpoint, MindError, Prompt, Schema

_CONTEXT = 8192  # tokens; what a server gives by default would silently cut the prompt
_MISSING = 404


class Ollama:
    """One model of an Ollama server.

    Args:
        endpoint: where it listens.
        model: its name there.
    """

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model
        self.name = f"ollama/{model}"

    def reach(self) -> None:
        """MindError when nobody listens, or on another machine."""
        self._endpoint.reach()

    def ask(self, prompt: Prompt, schema: Schema) -> str:
        """The model's answer, held to the schema by the server, the same for the same prompt."""
        from ollama import Client, ResponseError  # noqa: PLC0415 - half a second, and most runs have no Ollama

        from memoryclaw.adapters import bounded  # noqa: PLC0415 - loads the HTTP client

        told = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        options = {"temperature": 0, "seed": 0, "num_predict": MOST_TOKENS, "num_ctx": _CONTEXT}
        try:
            with Client(self._endpoint.url, **bounded.settings(self._endpoint)) as client:
                answer = client.chat(self._model, told, format=dict(schema), options=options)
        except ResponseError as error:
            raise self._refused(error.status_code) from None
        except (ValueError, TypeError, RecursionError):
            raise MindError("Ollama answered with something else than an answer") from None
        return answer.message.content or ""

    def _refused(self, status: int) -> MindError:
        if status == _MISSING:
            return MindError(
                f"Ollama has no model {self._model}; `ollama pull {self._model}` fetches it", lasting=True
            )
        return MindError(f"Ollama failed with status {status}")
