"""Work that several threads ask for at the same moment, done once for all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Take = Callable[[], list[T]]


class SingleFlight(Generic[T]):
    """One kind of work: who asks while it is being done waits, and is then served with all others who wait.

    Args:
        work: does it for those that `take` hands out; whoever asks later is not among them. What it raises after `take` it must
            have told each of them itself; what it raises before concerns the caller alone.
    """

    def __init__(self, work: Callable[[Take[T]], None]) -> None:
        self._work = work
        self._turn = threading.Condition()
        self._waiting: list[T] = []
        self._taken: list[T] = []
        self._at_work = False

    def ask(self, one: T, wait: float) -> bool:
        """Returns when the work is done for this one; False when nobody began it within `wait` seconds."""
        with self._turn:
            self._waiting.append(one)
            if not self._turn.wait_for(lambda: not (self._at_work and one in self._waiting), wait):
                self._waiting.remove(one)
                return False
            self._turn.wait_for(lambda: one not in self._taken)
            if one not in self._waiting:
                return True
            self._at_work = True
        try:
            self._work(self._take)
        finally:
            with self._turn:
                if one in self._waiting:
                    self._waiting.remove(one)
                self._taken, self._at_work = [], False
                self._turn.notify_all()
        return True

    def _take(self) -> list[T]:
        with self._turn:
            self._taken, self._waiting = self._waiting, []
            return [*self._taken]
