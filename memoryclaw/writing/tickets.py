"""Writers of a vault that wait in other processes: each leaves its changes as a ticket, which whoever has the lock makes with its own.

A ticket is a file that its process holds a lock on for as long as it waits: one of a process that was killed counts for nothing. Its
name says how far it is, and a rename is all that changes that, so a ticket is taken or withdrawn, and never both. What is taken may be
left unmade, and then its own process makes it. Nothing rests on a ticket: who waits looks for the lock as well.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Generic, TypeVar

from memoryclaw.unix import is_locked
from memoryclaw.vault.layout import STATE_DIR
from memoryclaw.vault.state_folder import make_private_folder

FOLDER = f"{STATE_DIR}/queue"
_NEW, _WAITING, _TAKEN, _ANSWERED = ".new", ".waiting", ".taken", ".answered"
_MOST = 64  # tickets that are taken at once
_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


class Ticket:
    """The place in the queue of one change; OSError or VaultError where none can be left."""

    def __init__(self, root: str, request: Any) -> None:
        folder = os.path.join(root, FOLDER)
        make_private_folder(folder)
        # The clock is that of the whole machine, so names stand in the order of those who came.
        self._path = f"{folder}/{time.monotonic_ns():020d}-{os.getpid()}-{threading.get_ident()}"
        self._handle = os.open(self._path + _NEW, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            is_locked(self._handle)
            _write(self._handle, request)
            os.rename(self._path + _NEW, self._path + _WAITING)
        except BaseException:
            self.close()
            raise

    def is_answered(self) -> bool:
        """True when who took it is done with it."""
        return os.path.exists(self._path + _ANSWERED)

    def answer(self) -> Any:
        """What came of it; None where nobody can tell."""
        lines = _read(self._handle)
        return lines[1] if len(lines) == 2 else None

    def withdraw(self) -> bool:
        """Takes it back; False when another has taken it."""
        with suppress(OSError):
            os.unlink(self._path + _WAITING)
            return True
        return False

    def close(self) -> None:
        """Leaves the queue."""
        for state in (_NEW, _WAITING, _TAKEN, _ANSWERED):
            with suppress(OSError):
                os.unlink(self._path + state)
        os.close(self._handle)


class TakenTicket:
    """Another's ticket that we make, and must answer before we let the lock go."""

    def __init__(self, path: str, handle: int, request: Any) -> None:
        self.request = request
        self._path, self._handle = path, handle

    def answer(self, outcome: Any) -> None:
        """Says what came of it."""
        with suppress(OSError):  # its process is gone
            _write(self._handle, outcome)
            os.rename(self._path + _TAKEN, self._path + _ANSWERED)
        os.close(self._handle)


def take(root: str) -> Iterator[TakenTicket]:
    """Takes the tickets that wait, in the order in which they came, and sweeps those of processes that are gone."""
    folder = os.path.join(root, FOLDER)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names[:_MOST]:
        path, handle = f"{folder}/{name.rpartition('.')[0]}", -1
        try:
            handle = os.open(f"{folder}/{name}", _FLAGS)
            if is_locked(handle, shared=True):  # no process holds it
                os.unlink(f"{folder}/{name}")
            elif name.endswith(_WAITING) and (lines := _read(handle)):
                os.rename(path + _WAITING, path + _TAKEN)
                ticket, handle = TakenTicket(path, handle, lines[0]), -1
                yield ticket
        except OSError:
            continue  # withdrawn meanwhile
        finally:
            if handle >= 0:
                os.close(handle)


def _write(handle: int, value: Any) -> None:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"
    os.lseek(handle, 0, os.SEEK_END)
    while data:
        data = data[os.write(handle, data) :]


def _read(handle: int) -> list[Any]:
    """The whole lines: what is asked, and what came of it."""
    data = os.pread(handle, os.fstat(handle).st_size, 0)
    try:
        return [json.loads(line.decode("utf-8", "surrogateescape")) for line in data.split(b"\n")[:-1]]
    except ValueError:
        return []


# Work that several threads ask for at the same moment, done once for all of them.

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

    def ask(self, ticket: T, wait: float) -> bool:
        """Returns when the work is done for this one; False when nobody began it within `wait` seconds."""
        with self._turn:
            self._waiting.append(ticket)
            if not self._turn.wait_for(lambda: not (self._at_work and ticket in self._waiting), wait):
                self._waiting.remove(ticket)
                return False
            self._turn.wait_for(lambda: ticket not in self._taken)
            if ticket not in self._waiting:
                return True
            self._at_work = True
        try:
            self._work(self._take)
        finally:
            with self._turn:
                if ticket in self._waiting:
                    self._waiting.remove(ticket)
                self._taken, self._at_work = [], False
                self._turn.notify_all()
        return True

    def _take(self) -> list[T]:
        with self._turn:
            self._taken, self._waiting = self._waiting, []
            return [*self._taken]
