"""Work in a process of its own that is waited for only so long. The rule: who waits gets an answer in time, and the work goes on to its end."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable

_CHUNK = 1 << 16


def within(seconds: float, work: Callable[[], str]) -> str | None:
    """What the work gives, or None when it fails or takes longer; then it goes on alone, and what it gives is dropped.

    Args:
        seconds: how long to wait.
        work: what to do; it opens for itself whatever it needs.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _work(writer, work)
    os.close(writer)
    try:
        return _heard(reader, time.monotonic() + seconds)
    finally:
        os.close(reader)


def _heard(reader: int, end: float) -> str | None:
    found = b""
    while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(reader, _CHUNK)
        if not part:
            return found[1:].decode("utf-8", "replace") if found else None
        found += part
    return None


def _work(writer: int, work: Callable[[], str]) -> None:
    """Never returns. Who started us may be waited for by somebody who reads its output: that must not stay open here."""
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
