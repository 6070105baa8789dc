"""The body of a request, read to its end before anybody sees it, and never more of it than its address takes."""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive

from memoryclaw.doors.http.refusals import Refusal, RefusedError

_SECONDS = 30.0  # in which a body must have come
_DRAINED = 32 << 20  # bytes of a body that is too large are still read, so that the client hears why


async def whole(receive: Receive, most: int) -> bytes:
    """The body.

    Raises:
        RefusedError: it is longer than `most`, or does not come.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            return await _read(receive, most)
    except TimeoutError:
        raise RefusedError(
            Refusal(408, "timeout", f"the body did not come within {_SECONDS:.0f} seconds")
        ) from None


async def _read(receive: Receive, most: int) -> bytes:
    parts: list[bytes] = []
    size, more = 0, True
    while more and size <= _DRAINED:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        part = message.get("body", b"")
        size += len(part)
        more = message.get("more_body", False)
        if size <= most:
            parts.append(part)
    if size > most:
        raise RefusedError(
            Refusal(413, "too_large", f"this address takes {most:,} bytes at most; send less at a time")
        )
    return b"".join(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """What an application hears: the body that was read, then whatever comes after it."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again
