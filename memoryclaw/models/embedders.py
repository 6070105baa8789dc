"""The interface of embedders, which turn texts into vectors. An invalid vector is an error, never a hit."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from memoryclaw.errors import VectorsError
from memoryclaw.models.llm import Breaker, ModelError

Floats = Any  # a numpy array of float32: numpy is an extra, and loaded only where vectors are asked for
EXTRA = "pip install 'memoryclaw[vectors]'"
REMEMBERED = 256  # questions
T = TypeVar("T")


class Embedder(Protocol):
    """A model that makes vectors; only those of one recipe can be compared."""

    @property
    def name(self) -> str:
        """As the settings call it."""

    @property
    def is_local(self) -> bool:
        """True when nothing that it reads leaves this machine."""

    @property
    def batch(self) -> int:
        """How many texts are given to it at once."""

    def recipe(self) -> str:
        """Identifies the model to the byte; ModelError when it is missing."""

    def query(self, text: str) -> Floats:
        """The unit vector of a question; ModelError without an answer."""

    def passages(self, texts: list[str]) -> Floats:
        """A unit vector for each text; ModelError without an answer."""


def numpy() -> Any:
    """The numpy module. Raises VectorsError: it is not installed."""
    return extra("numpy", "vectors")


def extra(module: str, what: str) -> Any:
    """Imports a module of the extra `vectors`; `VectorsError` names what needs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise VectorsError(f"{what} need {error.name or module}: {EXTRA}") from None


def normalise(rows: Any, count: int, who: str) -> Floats:
    """Scales rows to length 1; ModelError unless they are valid vectors, one for each text."""
    np = numpy()
    try:
        vectors = np.asarray(rows, dtype=np.float32)
    except (ValueError, TypeError, OverflowError):
        raise ModelError(f"{who} answered with something other than vectors") from None
    if vectors.ndim != 2 or vectors.shape[0] != count or not vectors.shape[1]:
        raise ModelError(f"{who} answered with something other than one vector a text")
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ModelError(f"{who} answered with a vector that points nowhere")
    return (vectors / lengths).astype(np.float32)


class Guarded:
    """An embedder behind a circuit breaker, which remembers the last questions.

    One that keeps failing costs the next questions nothing, and neither does a question that was just asked. What is
    remembered ends with the process: no file tells what was asked.

    Args:
        breaker: counts its failures; none is permanent, since a server may start at any time.
    """

    def __init__(self, embedder: Embedder, breaker: Breaker) -> None:
        self._embedder = embedder
        self._breaker = breaker
        self.name = embedder.name
        self.batch = embedder.batch
        self.is_local = embedder.is_local
        self._recipe = ""
        self._known = lru_cache(REMEMBERED)(self._query)

    def recipe(self) -> str:
        """As the embedder says; with another one the questions are forgotten."""
        recipe = self._ask(self._embedder.recipe)
        if recipe != self._recipe:
            self._known.cache_clear()
        self._recipe = recipe
        return recipe

    def query(self, text: str) -> Floats:
        """As the embedder says, and as it last said to the same question."""
        return self._known(text)

    def passages(self, texts: list[str]) -> Floats:
        """As the embedder says."""
        return self._ask(lambda: self._embedder.passages(texts))

    def _query(self, text: str) -> Floats:
        vector = self._ask(lambda: self._embedder.query(text))
        vector.setflags(write=False)  # it is shared
        return vector

    def _ask(self, question: Callable[[], T]) -> T:
        if trouble := self._breaker.open_for():
            raise ModelError(trouble)
        try:
            answer = question()
        except ModelError as error:
            self._breaker.failed(str(error))
            raise
        self._breaker.worked()
        return answer
