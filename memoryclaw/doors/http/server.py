"""The server of one daemon. The rule: a request that was let in is answered before the end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from memoryclaw.doors.http.connections import Connection

_GRACE = 5  # seconds that requests in flight are given at the end
_KEPT = 30  # seconds that a silent connection stays open


class Server(uvicorn.Server):
    """The server of one daemon, in the main thread."""

    def __init__(self, app: ASGIApp, begun: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                ws="none",
                lifespan="on",
                log_config=None,
                log_level="critical",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=_KEPT,
                timeout_graceful_shutdown=_GRACE,
            )
        )
        self.told = 0  # the signal that ended it
        self._begun = begun

    def end(self) -> None:
        """Ends the server soon; safe from other threads."""
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM end it; a second one does not wait for anybody."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._tell, number)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to answer, and says so."""
        await super().startup(sockets)
        self._begun()

    def _tell(self, number: int) -> None:
        self.force_exit = bool(self.told)
        self.told = self.told or number
        self.should_exit = True
