"""Worker threads, each with an open vault of its own: a verb that writes or takes long never holds up one that reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from queue import Empty, LifoQueue
from typing import Protocol, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from memoryclaw.app import App
from memoryclaw.app.daemon import SettingsStamp, stamp
from memoryclaw.errors import IndexBusyError
from memoryclaw.interfaces.http.messages import LOG, LONG, READ, WRITE, Refusal, RefusedError

T = TypeVar("T")
_THREADS = {READ: 2, WRITE: 1, LOG: 1, LONG: 1}
_WAITING = 64  # requests of one pool that may wait
_MOUNTED = 2  # vaults for mounted applications
_PATIENCE = 10.0  # seconds that a borrower waits for a vault


class WorkerPool:
    """A few threads that take turns in a few open vaults.

    Args:
        open_app: opens the vault once more.
        threads: how many requests are answered at a time.
        waiting: how many more may wait.
    """

    def __init__(self, open_app: Callable[[], App], threads: int, waiting: int = _WAITING) -> None:
        self._stock = VaultPool(open_app, threads)
        self._pool = ThreadPoolExecutor(threads)
        self._most, self._held = threads + waiting, 0

    async def run(self, work: Callable[[App], T]) -> T:
        """Does one piece of work in a thread of this pool.

        Raises:
            RefusedError: too much is waiting already.
        """
        if self._held >= self._most:
            raise RefusedError(
                Refusal(503, "busy", "too many requests are waiting; try again", {"Retry-After": "1"})
            )
        self._held += 1
        future: Future[T] = self._pool.submit(self._with_app, work)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: loop.is_closed() or loop.call_soon_threadsafe(self._done))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Closes the vaults; work that waits is not begun any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._stock.close()

    def _with_app(self, work: Callable[[App], T]) -> T:
        with self._stock.lend() as app:
            return work(app)

    def _done(self) -> None:
        self._held -= 1


class VaultPool:
    """Open vaults that are lent out, one at a time to each; opened on first use, and anew when the settings change."""

    def __init__(self, open_app: Callable[[], App], count: int) -> None:
        self._open = open_app
        self._free: LifoQueue[App | None] = LifoQueue()
        self._stamps: dict[int, SettingsStamp] = {}
        for _ in range(count):
            self._free.put(None)

    @contextmanager
    def lend(self) -> Iterator[App]:
        """An open vault, for the caller alone until the end of the block.

        Raises:
            IndexBusyError: all are lent out, for long.
        """
        try:
            held = self._free.get(timeout=_PATIENCE)
        except Empty:
            raise IndexBusyError("too many requests are at work; try again") from None
        try:
            held = self._current(held)
            yield held
        finally:
            self._free.put(held)

    def close(self) -> None:
        """Closes those that nobody has borrowed."""
        while True:
            try:
                app = self._free.get_nowait()
            except Empty:
                return
            if app is not None:
                app.close()

    def _current(self, app: App | None) -> App:
        seen = None if app is None else stamp(app.root)  # before the settings are read
        if app is not None and self._stamps[id(app)] == seen:
            return app
        fresh = self._open()  # before the old one is let go: settings that are wrong leave it in its place
        if app is not None:
            self._stamps.pop(id(app), None)
            app.close()
        self._stamps[id(fresh)] = seen or stamp(fresh.root)
        return fresh


class WorkerPools:
    """All worker pools of one daemon; `mounted` lends vaults to mounted applications."""

    def __init__(self, open_app: Callable[[], App]) -> None:
        self._pools = {name: WorkerPool(open_app, threads) for name, threads in _THREADS.items()}
        self.mounted = VaultPool(open_app, _MOUNTED)

    async def run(self, pool: str, work: Callable[[App], T]) -> T:
        """Does one piece of work in a pool."""
        return await self._pools[pool].run(work)

    def close(self) -> None:
        """Closes every vault."""
        for pool in self._pools.values():
            pool.close()
        self.mounted.close()


# Mounted applications (MCP) answer behind the same guard; they borrow open vaults.

Apps = Callable[[], AbstractContextManager[App]]


class MountedApp(Protocol):
    """One application; it is given requests as they came."""

    def lifespan(self) -> AbstractAsyncContextManager[object]:
        """What it needs around it while the server runs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""


class Dispatcher:
    """Sends a request to the application mounted at its address or above it, else to our own."""

    def __init__(self, app: ASGIApp, mounted: Mapping[str, MountedApp]) -> None:
        self._app, self._mounted = app, mounted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        for path, mounted in self._mounted.items() if scope["type"] == "http" else ():
            if scope["path"] == path or scope["path"].startswith(f"{path}/"):
                await mounted(scope, receive, send)
                return
        await self._app(scope, receive, send)
