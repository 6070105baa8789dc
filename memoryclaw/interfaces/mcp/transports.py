"""The transports: standard input and output, which carry nothing but the protocol, and streamable HTTP."""

from __future__ import annotations

import gc
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from memoryclaw.app import App
from memoryclaw.interfaces.requests import Apps, MountedApp, Report, VaultPool
from memoryclaw.writing.secret_gate import secret_gate

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

# Nothing here imports the SDK before a client is there: a daemon that none asks need not wait for it.


def run(open_app: Callable[[], App], report: Report) -> None:
    """Answers until the client closes its end; a call that is under way is finished first."""
    from mcp.server.stdio import stdio_server

    from memoryclaw.interfaces.mcp.server import AT_ONCE, server

    pool = VaultPool(open_app, AT_ONCE)

    async def serve() -> None:
        answering = server(lambda _="": pool.lend(), report)
        async with stdio_server() as (incoming, outgoing):
            await answering.run(incoming, outgoing, answering.create_initialization_options())

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    logging.getLogger().handlers[0].setFormatter(_Harmless(logging.BASIC_FORMAT))
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that waits for input cannot be told to stop
    gc.freeze()
    gc.enable()
    with closing(pool):
        anyio.run(serve)


class _Harmless(logging.Formatter):
    """The SDK's own remarks; they may hold what a client sent."""

    def format(self, record: logging.LogRecord) -> str:
        """The remark without secrets."""
        return secret_gate().sentence(super().format(record))


# Streamable HTTP, mounted in another server


class Mounted(MountedApp):
    """An ASGI application. No session outlives its request, so nothing is kept of a client that went away."""

    def __init__(self, apps: Apps, report: Report) -> None:
        self._apps, self._report = apps, report
        self._lock = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Must be entered before the first request comes."""
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request. There is nothing to listen to and nothing to end, so POST is the only method."""
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        await (self._manager or await self._started()).handle_request(scope, receive, send)

    async def _started(self) -> StreamableHTTPSessionManager:
        def made() -> StreamableHTTPSessionManager:
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

            from memoryclaw.interfaces.mcp.server import server

            answering = server(self._apps, self._report)
            return StreamableHTTPSessionManager(answering, json_response=True, stateless=True)

        async with self._lock:
            if self._manager is None:
                if self._tasks is None:
                    raise RuntimeError("a request came before the lifespan was entered")
                manager = await to_thread.run_sync(made)
                await self._tasks.start(_keep, manager)
                self._manager = manager
        return self._manager


async def _keep(manager: StreamableHTTPSessionManager, *, task_status: TaskStatus[None]) -> None:
    async with manager.run():
        task_status.started()
        await anyio.sleep_forever()
