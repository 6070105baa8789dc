"""What an embedder is to us: somebody who turns texts into vectors. The rule: a vector that cannot be true is an error, never a hit."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from memoryclaw.errors import VectorsError
from memoryclaw.models.llm import Breaker, ModelError

Floats = Any  # a numpy array of float32: numpy is an extra, and loaded only where vectors are asked for
EXTRA = "pip install 'memoryclaw[vectors]'"
T = TypeVar("T")


class Embedder(Protocol):
    """A model that makes vectors; those of one recipe may be compared, and no others."""

    @property
    def name(self) -> str:
        """As the settings call it."""
        ...

    @property
    def batch(self) -> int:
        """How many texts are given to it at once."""
        ...

    def recipe(self) -> str:
        """Which model this is, to the byte; MindError when it is not there."""
        ...

    def query(self, text: str) -> Floats:
        """The vector of a question, of length 1; MindError when none came."""
        ...

    def passages(self, texts: list[str]) -> Floats:
        """A row of length 1 for each text; MindError when none came."""
        ...


def numpy() -> Any:
    """The numpy module.

    Raises:
        VectorsError: it is not installed.
    """
    return extra("numpy", "vectors")


def extra(module: str, what: str) -> Any:
    """A module of the extra `vectors`, for what it is wanted."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise VectorsError(f"{what} need {error.name or module}: {EXTRA}") from None


def normalised(rows: Any, count: int, who: str) -> Floats:
    """Rows of length 1, as many as texts were given; MindError when these are none."""
    np = numpy()
    try:
        found = np.asarray(rows, dtype=np.float32)
    except (ValueError, TypeError, OverflowError):
        raise ModelError(f"{who} answered with something else than vectors") from None
    if found.ndim != 2 or found.shape[0] != count or not found.shape[1]:
        raise ModelError(f"{who} answered with something else than one vector a text")
    lengths = np.sqrt((found.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ModelError(f"{who} answered with a vector that points nowhere")
    return (found / lengths).astype(np.float32)


class Guarded:
    """An embedder behind a circuit breaker: who keeps failing costs the next questions nothing.

    Args:
        embedder: who is asked.
        breaker: counts its failures; none of them is for good, since a server may be started any time.
    """

    def __init__(self, embedder: Embedder, breaker: Breaker) -> None:
        self._embedder = embedder
        self._breaker = breaker
        self.name = embedder.name
        self.batch = embedder.batch

    def recipe(self) -> str:
        """As the embedder says."""
        return self._asked(self._embedder.recipe)

    def query(self, text: str) -> Floats:
        """As the embedder says."""
        return self._asked(lambda: self._embedder.query(text))

    def passages(self, texts: list[str]) -> Floats:
        """As the embedder says."""
        return self._asked(lambda: self._embedder.passages(texts))

    def _asked(self, question: Callable[[], T]) -> T:
        if why := self._breaker.open_for():
            raise ModelError(why)
        try:
            answer = question()
        except ModelError as error:
            self._breaker.failed(str(error))
            raise
        self._breaker.worked()
        return answer
