"""Processes that read beside the daemon while many ask at once: Python runs one thread of a process at a time.

There are none while few ask, and none outlives the daemon: a reader ends when its line to the daemon does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Pipe
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from memoryclaw.interfaces.requests import Refusal, RefusedError
from memoryclaw.late import NamedTuple

IDLE = 60.0  # seconds for which readers are kept after many asked at once
_COUNT = 2
_LOOK = 1.0  # seconds between looks at them
_PATIENCE = 5.0  # seconds that the daemon waits for their end


class ReadRequest(NamedTuple):
    """A request as it is passed on: the verb, what its path names, its keys, when it came, and for whom."""

    verb: str
    name: str
    asked: Mapping[str, Any]
    at: float
    audience: str


class ReaderGoneError(Exception):
    """A reader ended before it had answered."""


class Readers:
    """The readers of one daemon."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.abspath(root)
        self._free: SimpleQueue[ReaderProcess] = SimpleQueue()
        self._guard = threading.Lock()
        self._over = threading.Event()
        self._until = 0.0
        self._keeper: threading.Thread | None = None

    def want(self) -> None:
        """Says that many ask at once; the readers are there a moment later."""
        with self._guard:
            self._until = monotonic() + IDLE
            if self._keeper is None and not self._over.is_set():
                self._keeper = threading.Thread(target=self._keep, name="readers", daemon=True)
                self._keeper.start()

    def answer(self, request: ReadRequest) -> bytes | None:
        """The answer of a reader in JSON, or None when there is no reader."""
        try:
            reader = self._free.get_nowait()
            answer = reader.answer(request)
        except (Empty, ReaderGoneError):
            return None
        self._free.put(reader)
        if isinstance(answer, Refusal):
            raise RefusedError(answer)
        if isinstance(answer, str):
            raise RuntimeError(f"in a reader: {answer}")  # noqa: TRY004 - what it says is a traceback
        return answer

    def close(self) -> None:
        """Ends all readers."""
        with self._guard:
            self._over.set()
            keeper = self._keeper
        if keeper is not None:
            keeper.join(_PATIENCE)

    def _keep(self) -> None:
        readers: list[ReaderProcess] = []
        with suppress(OSError):  # no room for a process: the daemon reads alone
            for _ in range(_COUNT):
                readers.append(ReaderProcess(self._root))
                if readers[-1].begins():
                    self._free.put(readers[-1])
        while (seconds := self._until - monotonic()) > 0 and any(reader.lives() for reader in readers):
            if self._over.wait(min(seconds, _LOOK)):
                break
        with suppress(Empty):
            while True:
                self._free.get_nowait()
        for reader in readers:
            reader.end()
        with self._guard:
            self._keeper = None


class ReaderProcess:
    """One process, and the line to it."""

    def __init__(self, root: str) -> None:
        self._line, theirs = Pipe()
        command = [sys.executable, "-P", "-m", f"{__package__}.reader", root, str(theirs.fileno())]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        theirs.close()

    def begins(self) -> bool:
        """True when it is ready."""
        try:
            return bool(self._line.recv())
        except (EOFError, OSError):
            return False

    def answer(self, request: ReadRequest) -> bytes | Refusal | str:
        """What it says: an answer, a refusal, or the traceback of a bug; ReaderGoneError when it ended."""
        try:
            self._line.send(request)
            answer: bytes | Refusal | str = self._line.recv()
        except (EOFError, OSError):
            raise ReaderGoneError from None
        return answer

    def lives(self) -> bool:
        """True until it has ended."""
        return self._process.poll() is None

    def end(self) -> None:
        """Ends it at once: it writes nothing that could be torn."""
        self._process.kill()
        self._process.wait()
