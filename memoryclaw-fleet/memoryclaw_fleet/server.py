"""The HTTP server of one node of a fleet: the token says which vault and for whom, and the vault is answered here or where it is at home."""

from __future__ import annotations

import asyncio
import math
import os
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import httpx
from prometheus_client import CollectorRegistry, Gauge, Histogram
from prometheus_client import Counter as Total
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoryclaw import __version__
from memoryclaw.app.verbs import LONG, READ
from memoryclaw.errors import (
    IndexBusyError,
    IndexUnreachableError,
    LockedError,
    MemoryClawError,
    MovedError,
    VaultError,
)
from memoryclaw.interfaces.http.guard import AT_WORK, CALLER, LOOPBACK, Bucket, Guard, replayed, whole
from memoryclaw.interfaces.http.routes import ROWS, VerbRoute, answer, encoded, refused
from memoryclaw.interfaces.http.server import (
    SWITCH,
    HttpServer,
    address,
    document,
    hosts,
    most_bytes,
    unknown,
    verb_routes,
)
from memoryclaw.interfaces.requests import Refusal, RefusedError, Report, RequestModel, refusal_of
from memoryclaw.models.llm import is_loopback
from memoryclaw_fleet.node import FleetNode
from memoryclaw_fleet.store import Admission

T = TypeVar("T")
Tell = Callable[[Mapping[str, Any]], None]
OPEN = ("/healthz", "/readyz", "/openapi.json", "/metrics")
# Of one vault, reads and writes each, so that it leaves room for the others:
_OF_ONE = 4  # at work at a time
_WAITING = 32  # that wait
_WRITERS = 64  # writes at a time, of all vaults; most of their time they wait for the push
_LONG_ONES = 16  # consolidations and the like at a time, of all vaults; quick writes do not wait for them
_RATE = 2000  # requests a second that one node takes
_PATIENCE = 10.0  # seconds that a request waits to be let in
_GLANCE = 3.0  # seconds that PostgreSQL is given to say that it is there
_PROXIED = httpx.Timeout(
    60.0, connect=3.0
)  # that another node may take; the reader of a long answer waits longer
_PROXIED_LONG = httpx.Timeout(900.0, connect=3.0)
# From SIGTERM on: requests in flight are given 12 seconds and the 5 of `HttpServer`, what was not sent yet 8, and the process 30 in all.
_DRAIN, _LEAVE, _LAST = 12.0, 8.0, 29.0
_DROPPED = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"transfer-encoding",
        b"te",
        b"trailer",
        b"upgrade",
        b"host",
        b"content-length",
    }
    | {b"accept-encoding", b"content-encoding"}  # what httpx has decoded
)
_ADMITTED: ContextVar[Admission] = ContextVar("_ADMITTED")
_ASKED: ContextVar[str] = ContextVar("_ASKED")  # path and query of the request


class NodeSettings(NamedTuple):
    """What the server of a node is made from.

    Args:
        tell: is given each request that was answered, as the log keeps it.
        proxy: passes on what another node must answer, instead of saying where to ask.
        names: more names by which it may be asked, such as that of a load balancer.
    """

    node: FleetNode
    tell: Tell
    report: Report
    proxy: bool = False
    open_metrics: bool = False
    names: tuple[str, ...] = ()
    readers: int = 8


class Measures:
    """What a node counts; no label names a vault, a note or a question."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route")
        self._requests = Total(
            "memoryclaw_requests", "Requests answered.", (*labels, "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "memoryclaw_request_seconds", "Time to answer.", labels, registry=self.registry
        )
        self._changes = Total(
            "memoryclaw_lease_changes", "Vaults that came to this node or left it.", registry=self.registry
        )
        self._counted = 0
        self._gauges = {
            name: Gauge(f"memoryclaw_{name}", about, registry=self.registry)
            for name, about in (
                ("vaults_home", "Vaults at home on this node."),
                ("vaults_behind", "Vaults at home whose last writes other nodes do not see yet."),
                ("behind_seconds", "Age of the oldest such write."),
                ("lease_seconds", "Seconds until the lease of this node ends."),
                ("connections_in_use", "Connections to PostgreSQL that are lent out."),
                ("connections_waited_for", "Requests that wait for a connection."),
                ("jobs_waiting", "Jobs in the queue of all nodes; NaN while PostgreSQL does not say."),
                ("jobs_age_seconds", "Age of the oldest of them."),
            )
        }

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    async def text(self, node: FleetNode) -> bytes:
        """All of it as OpenMetrics; what this process knows is there while PostgreSQL is not."""
        gauges = node.measures()
        self._changes.inc(node.homes.changes - self._counted)
        self._counted = node.homes.changes
        try:
            jobs: tuple[float, float] = await asyncio.wait_for(asyncio.to_thread(node.fleet.queue), _GLANCE)
        except (MemoryClawError, TimeoutError):
            jobs = math.nan, math.nan
        for name, value in {**gauges, "jobs_waiting": jobs[0], "jobs_age_seconds": jobs[1]}.items():
            self._gauges[name].set(value)
        return bytes(generate_latest(self.registry))  # type: ignore[no-untyped-call]


class Gate(Guard):
    """Lets in who sends a token of the fleet, and logs and counts every request."""

    def __init__(
        self, app: ASGIApp, settings: NodeSettings, measures: Measures, own_hosts: Iterable[str]
    ) -> None:
        super().__init__(
            app, tokens={}, hosts=own_hosts, open_paths=OPEN, bucket=Bucket(_RATE), most=most_bytes
        )
        self._settings, self._measures = settings, measures
        self._threads = ThreadPoolExecutor(settings.readers, "admit")

    @property
    def is_idle(self) -> bool:
        """True while no request is at work."""
        return not self._at_work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request, logs and counts it."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await super().__call__(scope, receive, seen)
        finally:
            seconds = time.perf_counter() - began
            address = route_of(scope["method"], scope["path"])
            method, route = (scope["method"], address) if address else ("other", "other")
            self._measures.count(method, route, status, seconds)
            admission = scope.get("memoryclaw.admission")
            self._settings.tell(
                {
                    "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                    "node": self._settings.node.name,
                    "method": method,
                    "route": route,
                    "status": status,
                    "ms": round(seconds * 1e3, 1),
                    **({"vault": admission.vault, "audience": admission.audience} if admission else {}),
                }
            )

    async def _let_in(self, scope: Scope) -> None:
        node = self._settings.node
        if node.is_draining:
            sentence = f"the node {node.name} is ending, and others take its vaults over; ask again"
            raise RefusedError(Refusal(503, "moved", sentence, {"Retry-After": "1", "Connection": "close"}))
        sent = [value for key, value in scope["headers"] if key == b"authorization"]
        scheme, _, token = sent[0].partition(b" ") if len(sent) == 1 else (b"", b"", b"")
        admission = None
        if scheme.lower() == b"bearer":
            if wait := self._bucket.wait():
                raise _too_many(f"too many requests; wait {wait} s", wait)
            admission = await self._admission(token.decode("ascii", "replace"))
        if admission is None:
            sentence = "send `Authorization: Bearer TOKEN` with a token that `memoryclaw fleet tokens make` gave for a vault"
            raise RefusedError(Refusal(401, "unauthorized", sentence, {"WWW-Authenticate": "Bearer"}))
        scope["memoryclaw.admission"] = admission
        if admission.is_over:
            raise _too_many(
                f"the vault {admission.vault!r} may be asked {admission.most} times a minute; wait for the next one",
                60,
            )
        _ADMITTED.set(admission)
        query = scope["query_string"].decode("ascii", "replace")
        _ASKED.set(scope["raw_path"].decode("ascii", "replace") + (f"?{query}" if query else ""))
        CALLER.set(admission.audience)

    async def _admission(self, token: str) -> Admission | None:
        loop, admit = asyncio.get_running_loop(), self._settings.node.fleet.admit
        try:
            # However long the server takes: who asks is told, and a thread that waits for it is one of a few.
            return await asyncio.wait_for(loop.run_in_executor(self._threads, admit, token), _PATIENCE)
        except (MemoryClawError, TimeoutError) as error:
            raise RefusedError(_unavailable(error)) from None


class Answers:
    """Answers each request where its vault can be."""

    def __init__(self, settings: NodeSettings) -> None:
        self._node = settings.node
        self._readers = ThreadPoolExecutor(settings.readers, "read")
        self._writers = ThreadPoolExecutor(_WRITERS, "write")
        self._long = ThreadPoolExecutor(_LONG_ONES, "long")
        self._turns: dict[tuple[str, bool], asyncio.Semaphore] = {}
        self._waiting: Counter[tuple[str, bool]] = Counter()

    async def __call__(self, row: VerbRoute, name: str, asked: RequestModel, audience: str) -> bytes:
        """The JSON of one answer.

        Raises:
            RefusedError: another node must be asked, or it must be asked again later.
        """
        vault = _ADMITTED.get().vault
        # What was believed then is in the history of the files.
        is_anywhere = row.route.anywhere and not getattr(asked, "believed_at", "")
        try:
            if self._node.homes.is_home(vault):
                try:
                    return await self._in_turn(
                        vault, row, lambda: self._at_home(vault, row, name, asked, audience)
                    )
                except MovedError:  # just now
                    pass
            if is_anywhere:
                try:
                    return await self._in_turn(
                        vault, row, lambda: self._elsewhere(vault, row, name, asked, audience)
                    )
                except VaultError:  # not indexed yet, or not for this audience: the home does so
                    pass
        except asyncio.CancelledError:  # this node ends, and can wait no longer
            sentence = f"the node {self._node.name} ended before this was done; ask again"
            code = "moved" if row.pool == READ else "not_acknowledged"
            raise RefusedError(Refusal(503, code, sentence, {"Retry-After": "1"})) from None
        except MemoryClawError as error:
            if (why := _unavailable(error)).status != HTTPStatus.SERVICE_UNAVAILABLE:
                raise
            raise RefusedError(why) from None
        raise RefusedError(self.homeward())

    def homeward(self) -> Refusal:
        """Where this request must go."""
        admission = _ADMITTED.get()
        vault = admission.vault
        if not admission.is_up or admission.node in ("", self._node.name):
            why = (
                f"home node {admission.node} of the vault {vault!r} cannot be reached"
                if admission.node not in ("", self._node.name)
                else f"the vault {vault!r} is being brought here"
            )
            return Refusal(503, "moved", f"{why}; try again in a moment", {"Retry-After": "2"})
        where = admission.address.rstrip("/") + _ASKED.get()
        return Refusal(
            307, "moved", f"the vault {vault!r} is at home on {admission.node}", {"Location": where}
        )

    def _at_home(self, vault: str, row: VerbRoute, name: str, asked: RequestModel, audience: str) -> bytes:
        if row.route.adds is not None:
            self._node.homes.check_room(vault, notes=row.route.adds, size=len(asked.model_dump_json()))
        with self._node.homes.opened(vault, audience) as app:
            answer_bytes = encoded(row.verb(app, name, asked))
        if row.pool != READ and row.method != "GET":
            self._node.homes.acknowledge(vault)
        return answer_bytes

    def _elsewhere(self, vault: str, row: VerbRoute, name: str, asked: RequestModel, audience: str) -> bytes:
        with self._node.shadows.opened(vault, audience) as app:
            return encoded(row.verb(app, name, asked))

    async def _in_turn(self, vault: str, row: VerbRoute, work: Callable[[], T]) -> T:
        """Does it in a thread, no more than a few of one vault at a time."""
        reads = row.pool == READ
        key = (vault, reads)
        if self._waiting[key] >= _OF_ONE + _WAITING:
            raise RefusedError(_busy(vault))
        turn = self._turns.setdefault(key, asyncio.Semaphore(_OF_ONE))
        self._waiting[key] += 1
        try:
            async with turn:
                threads = self._readers if reads else self._long if row.pool == LONG else self._writers
                return await asyncio.get_running_loop().run_in_executor(threads, work)
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]
                self._turns.pop(key, None)


class Proxy:
    """Passes on what another node must answer, instead of saying where to ask."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        limits = httpx.Limits(max_connections=AT_WORK)
        self._client = httpx.AsyncClient(
            timeout=_PROXIED, limits=limits, follow_redirects=False, trust_env=False
        )
        self._passing: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = await whole(receive, most_bytes(scope["method"], scope["path"]))
        where = ""

        async def relay(message: Message) -> None:
            nonlocal where
            if (
                message["type"] == "http.response.start"
                and message["status"] == HTTPStatus.TEMPORARY_REDIRECT
            ):
                where = dict(message["headers"])[b"location"].decode("ascii")
            if not where:
                await send(message)

        await self._app(scope, replayed(body, receive), relay)
        if where:
            response = await self._passed_on(scope, where, body)
            await response(scope, replayed(b"", receive), send)

    async def _passed_on(self, scope: Scope, where: str, body: bytes) -> Response:
        vault = scope["memoryclaw.admission"].vault
        if self._passing[vault] >= _OF_ONE + _WAITING:
            return refused(_busy(vault))
        self._passing[vault] += 1
        try:
            return await self._answer(scope, where, body)
        finally:
            self._passing[vault] -= 1
            if not self._passing[vault]:
                del self._passing[vault]

    async def _answer(self, scope: Scope, where: str, body: bytes) -> Response:
        headers = [(key, value) for key, value in scope["headers"] if key not in _DROPPED]
        timeout = _PROXIED_LONG if route_of(scope["method"], scope["path"]) in _LONG else _PROXIED
        try:
            response = await self._client.request(
                scope["method"], where, headers=headers, content=body, timeout=timeout
            )
        except httpx.HTTPError as error:
            admission = scope["memoryclaw.admission"]
            sentence = f"home node {admission.node} of the vault {admission.vault!r} did not answer ({type(error).__name__}); try again"
            return refused(Refusal(503, "moved", sentence, {"Retry-After": "2"}))
        headers_back = {key: value for key, value in response.headers.items() if key.encode() not in _DROPPED}
        return Response(response.content, response.status_code, headers_back)


def asgi(settings: NodeSettings, own_hosts: Iterable[str]) -> Gate:
    """The whole application of one node."""
    node, measures = settings.node, Measures()

    async def ready(_request: Request) -> Response:
        try:
            checks = await asyncio.wait_for(asyncio.to_thread(node.ready), _GLANCE)
        except TimeoutError:
            checks = {"postgresql": f"it has not answered for {_GLANCE:g} seconds"}
        waits = {name: why for name, why in checks.items() if why}
        return answer({"ready": not waits, "waits_for": waits}, 503 if waits else 200)

    async def metrics(request: Request) -> Response:
        # A proxy on this machine comes from here, too, but asks by the name that its own client gave, or says for whom.
        host_asked, peer = (
            request.headers["host"].rpartition(":")[0],
            request.client.host if request.client else "",
        )
        is_own = host_asked in LOOPBACK and is_loopback(peer) and "x-forwarded-for" not in request.headers
        if not (settings.open_metrics or is_own):
            sentence = "metrics are for this machine alone; `serve --open-metrics` changes that"
            return refused(Refusal(403, "forbidden", sentence))
        headers = {"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"}
        return Response(await measures.text(node), headers=headers)

    routes: list[BaseRoute] = [
        Route("/healthz", _healthz),
        Route("/readyz", ready),
        Route("/metrics", metrics),
        Route("/openapi.json", _openapi),
        *verb_routes(Answers(settings), settings.report),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: unknown})
    app.router.redirect_slashes = False
    return Gate(Proxy(app) if settings.proxy else app, settings, measures, own_hosts)


class NodeServer(HttpServer):
    """The server of one node: told to end, it goes on until what it has begun is answered, and lets in nothing new."""

    def __init__(self, app: Gate, node: FleetNode, begun: Callable[[], None]) -> None:
        super().__init__(app, begun)
        self._app, self._node, self._until = app, node, 0.0

    def _tell(self, number: int) -> None:
        self._drain()
        super()._tell(number)

    def _drain(self) -> None:
        if self._node.is_draining:
            return
        self._until = time.monotonic() + _DRAIN
        # What counts is in the remotes; the rest is as after a crash.
        last = threading.Timer(_LAST, os._exit, (1,))
        last.daemon = True
        last.start()
        self._node.drain()

    async def on_tick(self, counter: int) -> bool:
        """Whether it is over."""
        if self._node.is_replaced:
            self._drain()
            self.end()
        over = await super().on_tick(counter)
        return over and (self.force_exit or self._app.is_idle or time.monotonic() > self._until)


def serve(
    settings: NodeSettings, listener: socket.socket, host: str, *, ready: Callable[[dict[str, Any]], None]
) -> int:
    """Answers until a signal ends it, then drains, and returns that signal.

    Args:
        ready: is told the address, once there is somebody to answer.

    Raises:
        LockedError: another process uses the folder, or has the name of the node.
    """
    sys.setswitchinterval(SWITCH)
    place = address(listener)
    node = settings.node
    own_hosts = [*hosts((host, place["host"], *settings.names), place["port"]), *settings.names]
    own_hosts.append(urlsplit(node.address).netloc.lower())
    node.start()
    try:
        app = asgi(settings, own_hosts)
        server = NodeServer(app, node, lambda: ready({**place, "node": node.name, "address": node.address}))
        asyncio.run(server.serve(sockets=[listener]))
    finally:
        node.stop(_LEAVE)
    if node.is_replaced and not server.ended_by:
        raise LockedError(
            f"another process has become the node {node.name}; give each node a name of its own with --node"
        )
    return server.ended_by


_LONG = frozenset(row.path for row in ROWS if row.pool == LONG)
_ROUTES = sorted(
    ((row.method, *re.split(r"\{\w+\}", f"{row.path}")[:2], row.path) for row in ROWS if "{" in row.path),
    key=lambda row: -len(row[1] + row[2]),
)
_PLAIN = {(row.method, row.path) for row in ROWS}


def route_of(method: str, path: str) -> str:
    """The address of a request without what its path names; empty when there is none."""
    verb_method = "GET" if method == "HEAD" else method
    if path in OPEN or (verb_method, path) in _PLAIN:
        return path
    for route_method, head, tail, route in _ROUTES:
        if (
            route_method == verb_method
            and len(path) > len(head) + len(tail)
            and path.startswith(head)
            and path.endswith(tail)
        ):
            return route
    return ""


def _too_many(sentence: str, seconds: int) -> RefusedError:
    return RefusedError(Refusal(429, "too_many", sentence, {"Retry-After": str(seconds)}))


def _busy(vault: str) -> Refusal:
    sentence = f"too many requests for the vault {vault!r} are waiting; try again"
    return Refusal(503, "busy", sentence, {"Retry-After": "1"})


def _unavailable(error: Exception) -> Refusal:
    """How a failure is told: what cannot be done now says when to ask again, and nothing of where PostgreSQL is."""
    if isinstance(error, IndexUnreachableError | TimeoutError):
        why = Refusal(503, "unreachable", "PostgreSQL cannot be reached now; ask again")
    elif isinstance(error, IndexBusyError):
        why = Refusal(503, "busy", "all connections to PostgreSQL are in use, or the index is; ask again")
    else:
        why = refusal_of(error) or Refusal(503, "vault", str(error))
    return why._replace(headers={"Retry-After": "1", **why.headers})


async def _healthz(_request: Request) -> Response:
    return answer({"ok": True, "version": __version__})


async def _openapi(_request: Request) -> Response:
    return answer(document())
