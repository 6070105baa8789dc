"""The ASGI application: addresses from the route table, each failure as a sentence, the guard in front of all of it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from memoryclaw import __version__
from memoryclaw.app.verbs import BODY, LOG
from memoryclaw.daemon.daemon import Daemon
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.http.guard import CALLER, Bucket, Guard, below
from memoryclaw.interfaces.http.messages import QUERIED, VerbRoute, answer, refused
from memoryclaw.interfaces.http.openapi import document
from memoryclaw.interfaces.http.routes import OPEN, ROWS
from memoryclaw.interfaces.http.workers import WorkerPools
from memoryclaw.interfaces.requests import (
    MountedApp,
    Refusal,
    Report,
    RequestModel,
    bug,
    from_json,
    from_query,
    refusal_of,
)
from memoryclaw.model import OWNER
from memoryclaw.vault.audience import audience_name
from memoryclaw.writing.secret_gate import without_secrets

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
    by_path: dict[str, list[VerbRoute]] = {}
    # The most particular address first: `…/{id}/approve` before `…/{id}`.
    for row in sorted(ROWS, key=lambda row: -len(_NAMED.sub("", row.path))):
        by_path.setdefault(_NAMED.sub(r"{\1:path}", row.path), []).append(row)
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


async def _openapi(_request: Request) -> Response:
    return answer(await to_thread.run_sync(document))  # it imports what the types of the answers stand in
