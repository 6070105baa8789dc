"""How a watch knows that it still hears: it drops a cookie of its own and waits for the event. Also notes whose root it watches."""

from __future__ import annotations

import os
import time
from pathlib import Path

from memoryclaw.adapters.cookies import drop, take

PATIENCE = 2.0  # seconds after which an event that has not come will not come


class Heartbeat:
    """The pulse of one watch.

    Args:
        state: the state folder; a watcher hears its cookies only when it lies in the vault.
        root: the vault's folder.
    """

    def __init__(self, state: Path, root: Path) -> None:
        self.deadline: float | None = None
        self.missed = 0
        self._state = state
        self._root = root
        self._inside = state.parent == root
        self.name = ""
        self._watched = _identity(root)

    def begin(self, polling: str) -> None:
        """Begins with a new observer, of whatever folder is there now."""
        self._watched = _identity(self._root)
        self._drop()
        self.beat(polling)

    def beat(self, polling: str) -> None:
        """Drops a cookie, unless one is still waited for or nobody would hear it."""
        if polling or not self._inside or self.deadline is not None:
            return
        self.name = f"self-{os.getpid()}-{time.monotonic_ns()}"
        try:
            drop(self._state, self.name)
        except OSError:
            return  # no room, or the folder is gone: the next look at everything sees to that
        self.deadline = time.monotonic() + PATIENCE

    def hears(self, cookie: str) -> bool:
        """True when a cookie that came by is the one that is waited for."""
        if cookie != self.name:
            return False
        self.missed = 0
        self._drop()
        return True

    def is_late(self) -> bool:
        """True once when the event has not come in time."""
        if self.deadline is None or time.monotonic() < self.deadline:
            return False
        self.missed += 1
        self._drop()
        return True

    def is_heard(self, polling: str) -> bool:
        """True when readers may rely on their cookies being seen."""
        return self._inside and not polling

    def root_changed(self) -> bool:
        """True when another folder is at the vault's path than the one that is watched."""
        return _identity(self._root) != self._watched

    def _drop(self) -> None:
        if self.name:
            take(self._state, [self.name])
        self.name, self.deadline = "", None


def _identity(root: Path) -> tuple[int, int]:
    try:
        found = os.stat(root)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino
