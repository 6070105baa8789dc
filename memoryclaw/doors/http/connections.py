"""One connection of a client. The rule: a connection on which nothing moves is closed, so that silent ones cannot fill the house."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class Connection(H11Protocol):
    """HTTP/1.1 as the server speaks it, with an end to its patience: by itself it waits for ever for the head of a request."""

    HEAD = 10.0  # seconds in which the head of the first request must have come; of a later one, `timeout_keep_alive`
    LOOK = 5.0  # seconds between two looks; an answer of which nobody took a byte between two is given up

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        super().connection_made(transport)
        self._until = self.loop.time() + self.HEAD
        self._unread, self._is_over = 0, False
        self._next = self.loop.call_later(self.LOOK, self._look)

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
        self._until = self.loop.time() + self.timeout_keep_alive
        super().on_response_complete()
        if self._is_over and self.cycle.response_complete:
            self.transport.close()

    def _look(self) -> None:
        unread, self._unread = self._unread, self.transport.get_write_buffer_size()
        cycle: Any = self.cycle
        is_idle = cycle is None or cycle.response_complete
        if is_idle and not self._unread and self.loop.time() >= self._until:
            self.transport.close()
        elif unread and self._unread >= unread:
            self.transport.abort()
        else:
            self._next = self.loop.call_later(self.LOOK, self._look)
