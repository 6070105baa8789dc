"""One child process at a time, heard to its end. The rule: it never outlives the one who started it on purpose."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from typing import NamedTuple

_PATIENCE = 5.0  # seconds that a child is given to end by itself


class Ended(NamedTuple):
    """How a child ended, and what it said."""

    code: int
    out: str
    err: str


class Child:
    """A command that is run now and then, and may be ended from another thread.

    Args:
        command: the program and its arguments; no shell.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._running: subprocess.Popen[str] | None = None
        self._guard = threading.Lock()
        self._over = False

    def run(self) -> Ended | None:
        """Runs the command to its end; None when `end` was called."""
        with self._guard:
            if self._is_over():
                return None
            pipe = subprocess.PIPE
            child = self._running = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=pipe,
                stderr=pipe,
                encoding="utf-8",
                errors="replace",
            )
        out, err = child.communicate()
        return None if self._is_over() else Ended(child.returncode, out, err)

    def end(self) -> None:
        """Ends the child that runs, if there is one, and lets no other begin."""
        with self._guard:
            self._over = True
            child = self._running
        if child is None or child.poll() is not None:
            return
        child.terminate()
        try:
            child.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()

    def _is_over(self) -> bool:
        return self._over
