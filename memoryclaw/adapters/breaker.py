"""A circuit breaker for one model in one run. The rule: who keeps failing is left alone for a while, so that one broken model costs a run little."""

from __future__ import annotations

from collections.abc import Callable

MOST = 2  # failures in a row
PAUSE = 30.0  # seconds


class Breaker:
    """Counts failures in a row: after two it opens for 30 seconds, then one try decides whether it opens again.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures = 0
        self._until = 0.0
        self._why = ""

    def open_for(self) -> str:
        """Why the model must not be asked now; empty when it may be."""
        return self._why if self._failures >= MOST and self._clock() < self._until else ""

    def failed(self, why: str, *, lasting: bool = False) -> None:
        """Counts a failure; a lasting one opens the breaker for good."""
        self._failures = MOST if lasting else self._failures + 1
        self._until = float("inf") if lasting else self._clock() + PAUSE
        self._why = why

    def worked(self) -> None:
        """Closes the breaker."""
        self._failures = 0
