"""The HTTP server of one daemon; a request that was let in is answered before the server stops."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from memoryclaw import __version__
from memoryclaw.app import App, open_vault
from memoryclaw.daemon.daemon import OWN, Daemon
from memoryclaw.errors import InputError
from memoryclaw.interfaces.http.assembly import asgi
from memoryclaw.interfaces.http.guard import CALLER, LOOPBACK
from memoryclaw.interfaces.http.readers import Readers
from memoryclaw.interfaces.http.workers import WorkerPools
from memoryclaw.interfaces.requests import Apps, MountedApp, Report
from memoryclaw.models.llm import is_loopback
from memoryclaw.vault.layout import timestamp

_GRACE = 5  # seconds that requests in flight are given at the end
_KEPT = 30  # seconds that a silent connection stays open


class HttpServer(uvicorn.Server):
    """The server of one daemon, in the main thread."""

    def __init__(self, app: ASGIApp, begun: Callable[[], None]) -> None:
        config = uvicorn.Config(
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
        super().__init__(config)
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


# Where the daemon listens, and by which names: on this machine only, unless a person allows more.

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what means every address, and ours among them


def listening(host: str, port: int, *, allow_remote: bool) -> socket.socket:
    """A socket that listens."""
    if not (is_loopback(host) or allow_remote):
        way = "give --allow-remote if that is what you want"
        raise InputError(f"{host} can be reached from other machines; {way}")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        sentence = f"{host}:{port} is not free to listen on ({getattr(error, 'strerror', None) or error})"
        raise InputError(f"{sentence}; choose another with --port, 0 for any that is free") from None
    # Connections take it over. Without it the second part of each answer waits 40 ms for the client to confirm the first.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def hosts(names: Iterable[str], port: int) -> list[str]:
    """What a request may name as its host: this machine's own names, and those that were chosen."""
    return [f"{name.lower()}:{port}" for name in dict.fromkeys((*LOOPBACK, *map(_written, names)))]


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def address(listener: socket.socket) -> dict[str, Any]:
    """What clients on this machine are told of a daemon."""
    host, port = listener.getsockname()[:2]
    host = _EVERYWHERE.get(host, host)
    return {
        "pid": os.getpid(),
        "host": host,
        "port": port,
        "url": f"http://{_written(host)}:{port}",
        "started": timestamp(datetime.now(UTC)),
        "clock": os.environ.get("MEMORYCLAW_NOW", ""),
        "version": __version__,
    }


# One connection of a client. A connection on which nothing moves is closed, so that silent clients cannot use up the
# connections. uvicorn has no limit on the time of a first head or of an answer that nobody reads, and its
# limit_concurrency refuses new clients where ours closes the idle ones.


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
            peers: list[Any] = [peer for peer in self.connections if not peer.transport.is_closing()]
            waited_for = [peer for peer in peers if peer is not self and peer._is_waited_for()]  # noqa: SLF001 - of its own kind
            if len(peers) > self.MOST and waited_for:
                min(waited_for, key=lambda connection: connection._since).transport.abort()  # noqa: SLF001

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


@contextlib.contextmanager
def _lent(pools: WorkerPools, audience: str = "") -> Iterator[App]:
    """An open vault for a mounted application, as an audience or else the caller of this request sees it."""
    with pools.mounted.lend() as app:
        yield app.seen_by(audience or CALLER.get())


# The server, the workers behind it and the daemon beside it start and stop together.

# Seconds that a busy thread keeps the interpreter when others wait. A look at 10,000 files gives it up 20,000 times: with the 5 ms of
# Python's own, one busy thread beside it makes that minutes.
SWITCH = 0.0005


def serve(
    daemon: Daemon,
    listener: socket.socket,
    host: str,
    *,
    ready: Callable[[dict[str, Any]], None],
    report: Report,
    mounted: Callable[[Apps], Mapping[str, MountedApp]] = lambda _: {},
) -> int:
    """Answers until a signal ends it, and returns that signal; 0 when the daemon could not go on.

    Args:
        daemon: runs beside the answers, from the first to the last.
        ready: is told the address, once there is somebody to answer.
        mounted: other applications by path, given what lends them open vaults.
    """
    sys.setswitchinterval(SWITCH)
    place = address(listener)
    # Readers would each load the model of the vectors once more, and the model lets other threads run.
    readers = None if daemon.config.fallback == "vector" else Readers(daemon.root)
    pools = WorkerPools(partial(open_vault, daemon.root, patience=OWN), readers)
    guests = mounted(partial(_lent, pools))
    names, rate = hosts((host, place["host"]), place["port"]), daemon.config.rate
    own_names = {path: guest.own_names for path, guest in guests.items() if guest.own_names}
    apart = {path: hosts(own, place["port"]) for path, own in own_names.items()}

    def begun() -> None:
        if daemon.start(place, server.end):
            ready(place)

    app = asgi(daemon, pools, report, hosts=names, rate=rate, mounted=guests, apart=apart)
    server = HttpServer(app, begun)
    try:
        asyncio.run(server.serve(sockets=[listener]))
    finally:
        daemon.stop()
        pools.close()
    return server.told
