"""The HTTP server of one node of a fleet: the token says which vault and for whom, and the vault is answered here or where it is at home."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from datetime import UTC, datetime
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
from memoryclaw.app.fleet import FleetNode
from memoryclaw.errors import MemoryClawError, MovedError
from memoryclaw.fleet.store import Admission
from memoryclaw.interfaces.http.assembly import Report, most_bytes, unknown, verb_routes
from memoryclaw.interfaces.http.guard import CALLER, Bucket, Guard, replayed, whole
from memoryclaw.interfaces.http.messages import (
    READ,
    Refusal,
    RefusedError,
    RequestModel,
    VerbRoute,
    answer,
    encoded,
    refusal_of,
    refused,
)
from memoryclaw.interfaces.http.openapi import document
from memoryclaw.interfaces.http.routes import ROWS
from memoryclaw.interfaces.http.server import HttpServer, address, hosts

T = TypeVar("T")
Tell = Callable[[Mapping[str, Any]], None]
OPEN = ("/healthz", "/readyz", "/openapi.json", "/metrics")
# What the index alone answers, so that any node can; the rest needs the files or their history.
ANYWHERE = frozenset({
    ("POST", "/v1/recall"), ("GET", "/v1/search"), ("GET", "/v1/notes"), ("GET", "/v1/facts"), ("GET", "/v1/entities"),
    ("GET", "/v1/entities/{name}"), ("GET", "/v1/timeline"), ("GET", "/v1/todos"), ("GET", "/v1/links/{id}"),
    ("GET", "/v1/graph"), ("GET", "/v1/graph/path"), ("GET", "/v1/graph/neighbours"), ("GET", "/v1/graph/orphans"),
    ("GET", "/v1/graph/dangling"),
})  # fmt: skip
# These add to a vault, so they are held against its quota.
_ADDING = frozenset({("POST", "/v1/remember"), ("PUT", "/v1/notes/{id}"), ("POST", "/v1/capture")})
_OF_ONE = 4  # requests of one vault that are at work at a time, so that it leaves room for the others
_WRITERS = 16  # writes at a time; most of their time they wait for the push
_WAITING = 256  # requests that wait
_GRACE = 30  # seconds that requests in flight are given when a node ends
_RATE = 2000  # requests a second that one node takes
_PROXIED = 60.0  # seconds that another node may take to answer
_HOP = frozenset({b"connection", b"keep-alive", b"transfer-encoding", b"te", b"trailer", b"upgrade", b"host"})
_ADMITTED: ContextVar[Admission] = ContextVar("_ADMITTED")
_ASKED: ContextVar[str] = ContextVar("_ASKED")  # path and query of the request


class NodeSettings(NamedTuple):
    """What the server of a node is made from.

    Args:
        node: the vaults.
        tell: is given each request that was answered, as the log keeps it.
        report: keeps the details of a bug, and says where.
        proxy: passes on what another node must answer, instead of saying where to ask.
        open_metrics: `/metrics` answers other machines, too.
        names: more names by which it may be asked, such as that of a load balancer.
        readers: requests that read at a time.
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
        at = ("method", "route")
        self._requests = Total(
            "memoryclaw_requests", "Requests answered.", (*at, "status"), registry=self.registry
        )
        self._seconds = Histogram("memoryclaw_request_seconds", "Time to answer.", at, registry=self.registry)
        self._gauges = {
            name: Gauge(f"memoryclaw_{name}", about, registry=self.registry)
            for name, about in (
                ("vaults_home", "Vaults at home on this node."),
                ("vaults_behind", "Vaults at home whose last writes other nodes do not see yet."),
                ("behind_seconds", "Age of the oldest such write."),
                ("lease_seconds", "Seconds until the lease of this node ends."),
                ("lease_changes", "Vaults that came to this node or left it since it began."),
                ("connections_in_use", "Connections to PostgreSQL that are lent out."),
                ("connections_waited_for", "Requests that wait for a connection."),
                ("jobs_waiting", "Jobs in the queue of all nodes."),
                ("jobs_age_seconds", "Age of the oldest of them."),
            )
        }

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self, node: FleetNode) -> bytes:
        """All of it as OpenMetrics."""
        for name, value in node.measures().items():
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
        self._rate = Bucket(_RATE)
        self._threads = ThreadPoolExecutor(settings.readers, "admit")

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
            route = route_of(scope["method"], scope["path"])
            self._measures.count(scope["method"] if route else "other", route or "other", status, seconds)
            admission = scope.get("memoryclaw.admission")
            self._settings.tell(
                {
                    "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                    "node": self._settings.node.name,
                    "method": scope["method"] if route else "other",
                    "route": route or "other",
                    "status": status,
                    "ms": round(seconds * 1e3, 1),
                    **({"vault": admission.vault, "audience": admission.audience} if admission else {}),
                }
            )

    async def _let_in(self, scope: Scope) -> None:
        sent = [value for key, value in scope["headers"] if key == b"authorization"]
        scheme, _, token = sent[0].partition(b" ") if len(sent) == 1 else (b"", b"", b"")
        admission = None
        if scheme.lower() == b"bearer":
            if wait := self._rate.wait():
                raise _too_many(f"too many requests; wait {wait} s", wait)
            loop, text = asyncio.get_running_loop(), token.decode("ascii", "replace")
            try:
                admission = await loop.run_in_executor(self._threads, self._settings.node.fleet.admit, text)
            except MemoryClawError as error:
                raise RefusedError(refusal_of(error) or Refusal(503, "unreachable", str(error))) from None
        if admission is None:
            sentence = "send `Authorization: Bearer TOKEN` with a token that `memoryclaw tokens make` gave for a vault"
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


class Answers:
    """Answers each request where its vault can be."""

    def __init__(self, settings: NodeSettings) -> None:
        self._node, self._proxies = settings.node, settings.proxy
        self._readers = ThreadPoolExecutor(settings.readers, "read")
        self._writers = ThreadPoolExecutor(_WRITERS, "write")
        self._of_one: dict[str, asyncio.Semaphore] = {}
        self._waiting: Counter[str] = Counter()

    async def __call__(self, row: VerbRoute, name: str, asked: RequestModel, audience: str) -> bytes:
        """The JSON of one answer.

        Raises:
            RefusedError: another node must be asked, or too much is waiting.
        """
        vault = _ADMITTED.get().vault
        if self._node.is_home(vault):
            try:
                return await self._in_turn(
                    vault, row, lambda: self._at_home(vault, row, name, asked, audience)
                )
            except MovedError:  # just now
                pass
        if (row.method, row.path) in ANYWHERE:
            return await self._in_turn(vault, row, lambda: self._elsewhere(vault, row, name, asked, audience))
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
        if (row.method, row.path) in _ADDING:
            self._node.check_room(vault, len(asked.model_dump_json()))
        with self._node.opened(vault, audience) as app:
            said = encoded(row.verb(app, name, asked))
        if row.pool != READ and row.method != "GET":
            self._node.acknowledge(vault)
        return said

    def _elsewhere(self, vault: str, row: VerbRoute, name: str, asked: RequestModel, audience: str) -> bytes:
        with self._node.shadowed(vault, audience) as app:
            return encoded(row.verb(app, name, asked))

    async def _in_turn(self, vault: str, row: VerbRoute, work: Callable[[], T]) -> T:
        """Does it in a thread, no more than a few of one vault at a time."""
        if self._waiting.total() >= _WAITING:
            raise RefusedError(
                Refusal(503, "busy", "too many requests are waiting; try again", {"Retry-After": "1"})
            )
        turn = self._of_one.setdefault(vault, asyncio.Semaphore(_OF_ONE))
        self._waiting[vault] += 1
        try:
            async with turn:
                threads = self._readers if row.pool == READ else self._writers
                return await asyncio.get_running_loop().run_in_executor(threads, work)
        finally:
            self._waiting[vault] -= 1
            if not self._waiting[vault]:
                del self._waiting[vault]
                self._of_one.pop(vault, None)


class Proxy:
    """Passes on what another node must answer.

    Args:
        app: answers the rest.
        answers: says where a request must go.
        node: this one.
    """

    def __init__(self, app: ASGIApp, answers: Answers, node: FleetNode) -> None:
        self._app, self._answers, self._node = app, answers, node
        self._client = httpx.AsyncClient(timeout=_PROXIED, follow_redirects=False, trust_env=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        admission = scope.get("memoryclaw.admission")
        if (
            admission is None
            or self._node.is_home(admission.vault)
            or (scope["method"], route_of(scope["method"], scope["path"])) in ANYWHERE
        ):
            await self._app(scope, receive, send)
            return
        where = self._answers.homeward()
        if where.status != 307:
            await refused(where)(scope, receive, send)
            return
        body = await whole(receive, most_bytes(scope["method"], scope["path"]))
        headers = [(key, value) for key, value in scope["headers"] if key not in _HOP]
        try:
            said = await self._client.request(
                scope["method"], where.headers["Location"], headers=headers, content=body
            )
        except httpx.HTTPError as error:
            sentence = f"home node {admission.node} of the vault {admission.vault!r} did not answer ({type(error).__name__}); try again"
            await refused(Refusal(503, "moved", sentence, {"Retry-After": "2"}))(
                scope, replayed(body, receive), send
            )
            return
        kept = {
            key: value
            for key, value in said.headers.items()
            if key.encode() not in _HOP and key != "content-length"
        }
        await Response(said.content, said.status_code, kept)(scope, receive, send)


def asgi(settings: NodeSettings, own_hosts: Iterable[str]) -> ASGIApp:
    """The whole application of one node."""
    node, measures = settings.node, Measures()
    answers = Answers(settings)

    async def ready(_request: Request) -> Response:
        found = await asyncio.to_thread(node.ready)
        return answer(
            {
                "ready": not any(found.values()),
                "waits_for": {name: why for name, why in found.items() if why},
            },
            503 if any(found.values()) else 200,
        )

    async def metrics(request: Request) -> Response:
        peer = request.client.host if request.client else ""
        if not settings.open_metrics and not _is_own(peer):
            return refused(
                Refusal(
                    403,
                    "forbidden",
                    "metrics are for this machine alone; `serve --open-metrics` changes that",
                )
            )
        text = await asyncio.to_thread(measures.text, node)
        return Response(
            text, media_type=None, headers={"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"}
        )

    routes: list[BaseRoute] = [
        Route("/healthz", _healthz),
        Route("/readyz", ready),
        Route("/metrics", metrics),
        Route("/openapi.json", _openapi),
        *verb_routes(answers, settings.report),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: unknown})
    app.router.redirect_slashes = False
    inner: ASGIApp = Proxy(app, answers, node) if settings.proxy else app
    return Gate(inner, settings, measures, own_hosts)


def serve(
    settings: NodeSettings, listener: socket.socket, host: str, *, ready: Callable[[dict[str, Any]], None]
) -> int:
    """Answers until a signal ends it, then drains, and returns that signal."""
    sys.setswitchinterval(0.0005)
    told = address(listener)
    asked = urlsplit(settings.node.address)
    own = [*hosts((host, told["host"], *settings.names), told["port"]), *settings.names]
    if asked.netloc:
        own.append(asked.netloc.lower())
    node = settings.node
    node.start()
    try:
        server = HttpServer(
            asgi(settings, own),
            lambda: ready({**told, "node": node.name, "address": node.address}),
            grace=_GRACE,
            ending=node.drain,
        )
        asyncio.run(server.serve(sockets=[listener]))
    finally:
        node.stop()
    return server.told


_ROUTES = sorted(
    ((row.method, *re.split(r"\{\w+\}", f"{row.path}")[:2], row.path) for row in ROWS if "{" in row.path),
    key=lambda row: -len(row[1] + row[2]),
)
_PLAIN = {(row.method, row.path) for row in ROWS}


def route_of(method: str, path: str) -> str:
    """The address of a request without what its path names; empty when there is none."""
    wanted = "GET" if method == "HEAD" else method
    if path in OPEN or (wanted, path) in _PLAIN:
        return path
    for one, head, tail, route in _ROUTES:
        if (
            one == wanted
            and len(path) > len(head) + len(tail)
            and path.startswith(head)
            and path.endswith(tail)
        ):
            return route
    return ""


def _too_many(sentence: str, seconds: int) -> RefusedError:
    return RefusedError(Refusal(429, "too_many", sentence, {"Retry-After": str(seconds)}))


def _is_own(peer: str) -> bool:
    return peer in ("127.0.0.1", "::1", "") or peer.startswith("127.")


async def _healthz(_request: Request) -> Response:
    return answer({"ok": True, "version": __version__})


async def _openapi(_request: Request) -> Response:
    return answer(document())
