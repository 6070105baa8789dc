"""The hints that a watcher has not acted on yet. Pure: it is told the time. A file that may still be written waits a little."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from memoryclaw.adapters.watcher import COOKIE, IN_FOLDER, LOST, SAVED, STATE, TOUCHED, Hint

SETTLING = 0.015  # seconds that a file is given to be closed, before it is read as it is


class Work(NamedTuple):
    """What is to be looked at now."""

    paths: frozenset[str]
    folders: frozenset[str]
    cookies: tuple[str, ...]


@dataclass(slots=True)
class Pending:
    """Hints by what they ask for."""

    lost: list[str] = field(default_factory=list)  # why the whole vault must be looked at
    disturbed: bool = False  # something of ours was taken away
    _due: dict[str, float] = field(default_factory=dict)
    _folders: set[str] = field(default_factory=set)
    _cookies: list[str] = field(default_factory=list)

    def note(self, hint: Hint, now: float) -> None:
        """Takes one hint in."""
        if hint.kind == SAVED:
            self._due[hint.path] = now
        elif hint.kind == TOUCHED:
            self._due.setdefault(hint.path, now + SETTLING)
        elif hint.kind == IN_FOLDER:
            self._folders.add(hint.path)
        elif hint.kind == COOKIE:
            self._cookies.append(hint.path)
        elif hint.kind == LOST:
            self.lost.append(hint.path)
        self.disturbed |= hint.kind == STATE

    def look_again(self, paths: Iterable[str], at: float) -> None:
        """Asks for these files once more, later."""
        for path in paths:
            self._due.setdefault(path, at)

    def is_urgent(self) -> bool:
        """True when somebody waits, so that no more hints should be gathered first."""
        return bool(self._cookies)

    def next_at(self) -> float | None:
        """When there is something to do: a time, or None for never."""
        if self.lost or self.disturbed or self._folders or self._cookies:
            return 0.0
        return min(self._due.values(), default=None)

    def take(self, now: float) -> Work:
        """What is due, or everything when a cookie came after it."""
        everything = bool(self._cookies)
        paths = frozenset(path for path, at in self._due.items() if everything or at <= now)
        for path in paths:
            del self._due[path]
        work = Work(paths, frozenset(self._folders), tuple(self._cookies))
        self._folders.clear()
        self._cookies.clear()
        return work

    def forget(self) -> None:
        """Drops everything: the whole vault is about to be looked at."""
        self.lost.clear()
        self.disturbed = False
        self._due.clear()
        self._folders.clear()
        self._cookies.clear()
