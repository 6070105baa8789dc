"""The standard streams. A reader that goes away cancels no work."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any


class _Lasting(io.FileIO):
    """Standard output or error that goes on when nobody takes it any more: the rest is dropped, and why is kept."""

    failure: OSError | None = None

    def write(self, data: Any, /) -> int | None:  # type: ignore[override] # as the system may answer
        """Writes, or drops."""
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def prepare() -> None:
    """Makes the streams of this process last; one that was closed before it began leads nowhere."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115 - it is the process's own
            setattr(sys, name, stream)
        own = -1
        with suppress(AttributeError, OSError, ValueError):
            own = int(stream.fileno())
        if number and own == number and not isinstance(_raw(stream), _Lasting):
            buffer = io.BufferedWriter(_Lasting(number, "w", closefd=False))
            lines = number == 2 or stream.line_buffering
            setattr(
                sys, name, io.TextIOWrapper(buffer, stream.encoding, "backslashreplace", line_buffering=lines)
            )


def is_heard() -> bool:
    """False once somebody who read standard output has had enough."""
    return getattr(_raw(sys.stdout), "failure", None) is None


def trouble() -> str:
    """Why standard output could not be written, other than that its reader went away; empty when it could."""
    failure = getattr(_raw(sys.stdout), "failure", None)
    return "" if failure is None or failure.errno == errno.EPIPE else str(failure.strerror)


def _raw(stream: Any) -> Any:
    return getattr(getattr(stream, "buffer", None), "raw", None)
