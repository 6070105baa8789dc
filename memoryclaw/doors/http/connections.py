"""One connection of a client. The rule: a connection on which nothing moves is closed, so that silent ones cannot fill the house.

Nobody is turned away at the door: where there are too many, the one that has been waited for the longest gives way to the new one.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class Connection(H11Protocol):
    """HTTP/1.1 as the server speaks it, with an end to its patience: by itself it waits for ever for the head of a request."""

    HEAD = 10.0  # seconds in which the head of the first request must have come; of a later one, `timeout_keep_alive`
    MOST = 256  # at once
    LOOK = 5.0  # seconds between two looks; an answer of which nobody took a byte between two is given up

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._until = self._since + self.HEAD
        self._unread, self._is_over = 0, False
        self._next = self.loop.call_later(self.LOOK, self._look)
        if len(self.connections) > self.MOST:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._next.cancel()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """The client says no more; what it has asked for whole is still answered."""
        cycle: Any = self.cycle
        self._is_over = cycle is not None and not (cycle.response_complete or cycle.more_body)
        return self._is_over

    def on_response_complete(self) -> None:
        """An answer is written; the next request may come."""
        self._since = self.loop.time()
        self._until = self._since + self.timeout_keep_alive
        super().on_response_complete()
        if self._is_over and self.cycle.response_complete:
            self.transport.close()

    def _make_room(self) -> None:
        held: list[Any] = [one for one in self.connections if not one.transport.is_closing()]
        waited_for = [one for one in held if one is not self and one._is_waited_for()]  # noqa: SLF001 - of its own kind
        if len(held) > self.MOST and waited_for:
            min(waited_for, key=lambda one: one._since).transport.abort()  # noqa: SLF001

    def _is_idle(self) -> bool:
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete

    def _is_waited_for(self) -> bool:
        """True while it is the client's turn: the head or the body of a request is to come."""
        return not self.transport.get_write_buffer_size() and (self._is_idle() or self.cycle.more_body)

    def _look(self) -> None:
        unread, self._unread = self._unread, self.transport.get_write_buffer_size()
        if self._is_idle() and not self._unread and self.loop.time() >= self._until:
            self.transport.close()
        elif unread and self._unread >= unread:
            self.transport.abort()
        else:
            self._next = self.loop.call_later(self.LOOK, self._look)
