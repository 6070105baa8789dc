"""Child processes: one that never outlives its parent, one that goes on alone, and a daemon that is started."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from memoryclaw.daemon.client import ask_daemon
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.vault.state_folder import begun_state_folder

_PATIENCE = 5.0  # seconds that a child is given to end by itself


class Ended(NamedTuple):
    """How a child ended, and what it said."""

    code: int
    out: str
    err: str


class Child:
    """A command that is run now and then, and may be ended from another thread. `command`: the program and its arguments; no shell."""

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


# Work in a separate process with a limit on the wait: the caller is answered in time, and the work goes on to its end.

_CHUNK = 1 << 16


def within(seconds: float, work: Callable[[], str]) -> str | None:
    """What the work gives, or None when it fails or takes longer; then it goes on alone, and what it gives is dropped.

    Args:
        work: what to do; it opens for itself whatever it needs.
    """
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        # Never returns. Who started us may be waited for by somebody who reads its output: that must not stay open here.
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            answer = b"+" + work().encode("utf-8", "replace")  # so that an empty answer is one
            with open(writer, "wb") as pipe:
                pipe.write(answer)
        finally:
            os._exit(0)
    os.close(writer)
    try:
        end = time.monotonic() + seconds
        output = b""
        while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0]:
            chunk = os.read(reader, _CHUNK)
            if not chunk:
                return output[1:].decode("utf-8", "replace") if output else None
            output += chunk
        return None
    finally:
        os.close(reader)


# A daemon of a vault that goes on when the command that started it ends.

_BEGINNING, _PAUSE = 60.0, 0.05  # seconds for a daemon to begin, and between two looks whether it has


def first_answer(root: str, *request: Any, audience: str) -> dict[str, Any]:
    """The answer of a daemon that is started for it; what it has to say is kept in the state folder."""
    place = os.path.join(begun_state_folder(root), "serve.log")
    log = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    # Its port may be taken by the daemon of another vault; any free one will do, as the address is told.
    command = [sys.executable, "-P", "-m", "memoryclaw", "serve", "--vault", root, "--any-port"]
    try:
        started = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    finally:
        os.close(log)
    last = time.monotonic() + _BEGINNING
    while time.monotonic() < last:
        if (answer := ask_daemon(root, *request, audience=audience)) is not None:
            return answer
        if started.poll() is not None:
            break
        time.sleep(_PAUSE)
    raise InputError("the daemon could not be started; `memoryclaw serve` says why")
