"""The HTTP server of one daemon; a request that was let in is answered before the server stops."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from memoryclaw import __version__
from memoryclaw.app import App, open_vault
from memoryclaw.app.verbs import BODY, LOG
from memoryclaw.daemon.daemon import OWN, Daemon
from memoryclaw.errors import InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.http.guard import CALLER, LOOPBACK, Bucket, Guard, below
from memoryclaw.interfaces.http.readers import Readers
from memoryclaw.interfaces.http.routes import CODES, OPEN, QUERIED, ROWS, SUBJECTS, VerbRoute, answer, refused
from memoryclaw.interfaces.http.workers import WorkerPools
from memoryclaw.interfaces.requests import (
    Apps,
    MountedApp,
    NoArguments,
    Refusal,
    Report,
    RequestModel,
    bug,
    from_json,
    from_query,
    refusal_of,
)
from memoryclaw.interfaces.schemas import REF, Schemas
from memoryclaw.model import OWNER, grouped
from memoryclaw.models.llm import is_loopback
from memoryclaw.vault.audience import audience_name
from memoryclaw.vault.layout import timestamp
from memoryclaw.writing.secret_gate import without_secrets

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
        self.ended_by = 0  # the signal that ended it
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
        self.force_exit = bool(self.ended_by)
        self.ended_by = self.ended_by or number
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


# The ASGI application: addresses from the route table, each failure as a sentence, the guard in front of all of it.

Answering = Callable[[VerbRoute, str, RequestModel, str], Awaitable[bytes]]
_NAMED = re.compile(r"\{(\w+)\}")
_LOOKS, _PAUSE = 200, 0.01  # seconds that a request waits for the first look at the vault, two in all


def asgi(
    daemon: Daemon,
    pools: WorkerPools,
    report: Report,
    *,
    hosts: Sequence[str],
    rate: float,
    mounted: Mapping[str, MountedApp] = {},
    apart: Mapping[str, Sequence[str]] = {},
) -> ASGIApp:
    """The whole application.

    Args:
        hosts: what `Host` may be, with the port.
        mounted: other applications (MCP, the page), by the address that they answer at and below.
        apart: of those that check their visitors themselves, what `Host` may be, with the port.
    """

    async def answered(row: VerbRoute, name: str, asked: RequestModel, audience: str) -> bytes:
        if row.pool != LOG:  # after a moment for the first look at the vault: half an index helps nobody
            for _ in range(_LOOKS):  # not in a thread: there are few of them, and many requests may wait
                if daemon.looked.is_set():
                    break
                await asyncio.sleep(_PAUSE)
        return await pools.answer(row, name, asked, audience)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for guest in mounted.values():
                await stack.enter_async_context(guest.lifespan())
            yield

    routes: list[BaseRoute] = [
        Route("/healthz", _healthz),
        Route("/readyz", partial(_ready, daemon)),
        Route("/openapi.json", _openapi),
        Route("/v1/events", partial(_events, daemon)),
        *verb_routes(answered, report),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: unknown})
    app.router.redirect_slashes = False

    async def dispatched(scope: Scope, receive: Receive, send: Send) -> None:
        guests = mounted.items() if scope["type"] == "http" else ()
        answering: ASGIApp = next((guest for path, guest in guests if below(scope["path"], path)), app)
        await answering(scope, receive, send)

    # The digests of all tokens with their audiences: the daemon's own, and those of the user's settings.
    own, given = daemon.files.tokens.items(), daemon.config.tokens.items()
    tokens = {str(digest).lower(): audience_name(str(audience)) for digest, audience in given}
    tokens |= {hashlib.sha256(token.encode()).hexdigest(): audience for audience, token in own}
    bucket = Bucket(rate)
    return Guard(
        dispatched, tokens=tokens, hosts=hosts, open_paths=OPEN, bucket=bucket, most=most_bytes, apart=apart
    )


def verb_routes(answer: Answering, report: Report) -> list[BaseRoute]:
    """The addresses of all verbs. `answer`: gives the JSON of an answer: to a row, what its path names, its keys and an audience."""
    # The most particular address first: `…/{id}/approve` before `…/{id}`.
    rows = sorted(ROWS, key=lambda row: -len(_NAMED.sub("", row.path)))
    by_path = grouped((_NAMED.sub(r"{\1:path}", row.path), row) for row in rows)
    verbs = {path: _Methods(answer, report, rows) for path, rows in by_path.items()}
    return [Route(path, of_path, methods=of_path.methods) for path, of_path in verbs.items()]


class _Methods:
    """The verbs of one address."""

    def __init__(self, answering: Answering, report: Report, rows: Iterable[VerbRoute]) -> None:
        self._answering, self._report = answering, report
        self._rows = {row.method: row for row in rows}
        if "GET" in self._rows:
            self._rows["HEAD"] = self._rows["GET"]
        self.methods = list(self._rows)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; whatever goes wrong is an answer too."""
        request = Request(scope, receive)
        inputs: list[object] = [*request.path_params.values(), dict(request.query_params)]
        try:
            body = await request.body()
            inputs.append(body)
            response = await self._answered(request, body)
        except Exception as error:  # noqa: BLE001 - the gate: what nobody foresaw is kept and told in one sentence
            refusal = refusal_of(error)
            if refusal is None:
                refusal = Refusal(500, "bug", bug(error, self._report(error), " of that machine"))
            response = refused(refusal._replace(message=without_secrets(refusal.message, *inputs)))
        await response(scope, receive, send)

    async def _answered(self, request: Request, body: bytes) -> Response:
        row = self._rows[request.method]
        if row.method in QUERIED:
            keys = from_query(row.asks, request.query_params.multi_items())
        else:
            keys = from_json(row.asks, body or b"{}")
        name = "".join(request.path_params.values())
        return answer(await self._answering(row, name, keys, CALLER.get()))


_MOST = {(row.method, row.path): row.route.most for row in ROWS}


def most_bytes(method: str, path: str) -> int:
    """How many bytes an address takes."""
    return _MOST.get((method, path), BODY)


def unknown(request: Request, error: Exception) -> Response:
    """An address that is not there, or that knows another method."""
    headers = dict(getattr(error, "headers", None) or {})
    if "Allow" not in headers:
        return refused(Refusal(404, "not_found", "there is no such address; GET /openapi.json lists them"))
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=headers)
    return refused(Refusal(405, "method_not_allowed", f"this address knows {headers['Allow']} only", headers))


async def _healthz(_request: Request) -> Response:
    return answer({"ok": True, "pid": os.getpid(), "version": __version__})


async def _ready(daemon: Daemon, _request: Request) -> Response:
    reason = daemon.reason
    return answer({"ready": not reason, "reason": reason}, 503 if reason else 200)


async def _events(daemon: Daemon, request: Request) -> Response:
    """What the watch reported since; for the owner alone, as it names files."""
    if CALLER.get() != OWNER:
        return refused(Refusal(403, "forbidden", "only the owner may do this"))
    after = request.query_params.get("after", "0")
    if set(request.query_params) - {"after"} or not re.fullmatch(r"[0-9]{1,15}", after):
        return refused(Refusal(400, "input", "give `after`, the number of the last event that you know"))
    return answer(shapes.plain(daemon.events.after(int(after))))


# The served description of every address, made from the route table, so that it cannot say anything else.

_JSON = "application/json"
_ERROR = {"$ref": f"{REF}Error"}


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    schemas = Schemas()
    for subject, rows in SUBJECTS.items():
        for row in rows:
            paths.setdefault(row.path, {})[row.method.lower()] = _operation(subject, row, schemas)
    for path, (about, shape) in _OPEN.items():
        name, responses = path.strip("/").replace(".json", ""), {"200": _answer(about, shape)}
        operation = {"operationId": name, "summary": about, "security": [], "responses": responses}
        paths[path] = {"get": operation}
    # A shape whose keys stand among those of others is named by none.
    named = json.dumps([paths, schemas.components])
    components = {name: schema for name, schema in schemas.components.items() if f'{REF}{name}"' in named}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "MemoryClaw",
            "version": __version__,
            "description": "The memory of one vault. Every answer is what the command line prints with --json; docs/reference/json.md describes them.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _ERROR_SCHEMA, **components},
        },
    }


def _operation(subject: str, row: VerbRoute, schemas: Schemas) -> dict[str, Any]:
    named = re.findall(r"\{(\w+)\}", row.path)
    codes = " ".join(f"{code}: {about}." for code, about in CODES.items())
    answered = _answer(f"As `memoryclaw {row.like} --json`.", schemas.any_of(row.shapes))
    operation: dict[str, Any] = {
        "operationId": row.name,
        "tags": [subject],
        "summary": row.about,
        "parameters": [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in named],
        "responses": {"200": answered, "default": _answer(codes, _ERROR)},
    }
    schema = row.asks.model_json_schema()
    needed = schema.get("required", [])
    if row.method in QUERIED:
        for name, about in schema.get("properties", {}).items():
            key = {"name": name, "in": "query", "required": name in needed, "schema": about}
            operation["parameters"].append(key)
    elif row.asks is not NoArguments:
        operation["requestBody"] = {"required": bool(needed), "content": {_JSON: {"schema": schema}}}
    return operation


def _answer(about: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": about, "content": {_JSON: {"schema": schema}}}


_TEXT = {"type": "string"}
_FAILURE = {"code": _TEXT, "message": _TEXT}
_ERROR_SCHEMA = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "object", "required": [*_FAILURE], "properties": _FAILURE}},
}
_OPEN: dict[str, tuple[str, dict[str, Any]]] = {
    "/healthz": ("That the daemon runs.", {"type": "object"}),
    "/readyz": (
        "Whether the vault has been read; 503 until then.",
        {"type": "object", "properties": {"ready": {"type": "boolean"}, "reason": _TEXT}},
    ),
    "/openapi.json": ("This document.", {"type": "object"}),
}


async def _openapi(_request: Request) -> Response:
    return answer(await to_thread.run_sync(document))  # it imports what the types of the answers stand in


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
    return server.ended_by
