"""Worker threads, each with an open vault of its own: a verb that writes or takes long never holds up one that reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import TypeVar

from memoryclaw.app import App
from memoryclaw.app.verbs import LOG, LONG, READ, WRITE
from memoryclaw.interfaces.http.readers import Readers, ReadRequest
from memoryclaw.interfaces.http.routes import VerbRoute, encoded
from memoryclaw.interfaces.requests import Refusal, RefusedError, RequestModel, VaultPool

T = TypeVar("T")
_THREADS = {READ: 2, WRITE: 8, LOG: 1, LONG: 1}
_WAITING = 64  # requests of one pool that may wait
_MOUNTED = 2  # vaults for mounted applications


class WorkerPool:
    """A few threads that take turns in a few open vaults. `waiting`: how many more may wait."""

    def __init__(self, open_app: Callable[[], App], threads: int, waiting: int = _WAITING) -> None:
        self._stock = VaultPool(open_app, threads)
        self._pool = ThreadPoolExecutor(threads)
        self._most, self._crowd, self._pending = threads + waiting, 2 * threads, 0

    @property
    def is_crowded(self) -> bool:
        """True while many wait."""
        return self._pending >= self._crowd

    async def run(self, work: Callable[[App], T], apart: Callable[[], T | None] = lambda: None) -> T:
        """Does one piece of work in a thread of this pool."""
        if self._pending >= self._most:
            sentence = "too many requests are waiting; try again"
            raise RefusedError(Refusal(503, "busy", sentence, {"Retry-After": "1"}))
        self._pending += 1
        future: Future[T] = self._pool.submit(self._done_by, work, apart)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: loop.is_closed() or loop.call_soon_threadsafe(self._done))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Closes the vaults; work that waits is not begun any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._stock.close()

    def _done_by(self, work: Callable[[App], T], apart: Callable[[], T | None]) -> T:
        if (answer := apart()) is not None:
            return answer
        with self._stock.lend() as app:
            return work(app)

    def _done(self) -> None:
        self._pending -= 1


class WorkerPools:
    """All worker pools of one daemon; `mounted` lends vaults to mounted applications."""

    def __init__(self, open_app: Callable[[], App], readers: Readers | None = None) -> None:
        self._readers = readers
        self._pools = {name: WorkerPool(open_app, threads) for name, threads in _THREADS.items()}
        self.mounted = VaultPool(open_app, _MOUNTED)

    async def run(self, pool: str, work: Callable[[App], T]) -> T:
        """Does one piece of work in a pool."""
        return await self._pools[pool].run(work)

    async def answer(self, row: VerbRoute, name: str, asked: RequestModel, audience: str) -> bytes:
        """Answers one request in JSON, in the pool of its row, as its audience sees the vault."""
        pool, readers, asked_at = self._pools[row.pool], self._readers, monotonic()

        def work(app: App) -> bytes:
            app = app.seen_by(audience)
            if row.pool == READ:  # those who waited together share one look asked_at the files
                app.asked_at(asked_at)
            return encoded(row.verb(app, name, asked))

        if readers is None or row.pool != READ:
            return await pool.run(work)
        if pool.is_crowded:
            readers.want()
        request = ReadRequest(row.name, name, dict(asked), asked_at, audience)
        return await pool.run(work, lambda: readers.answer(request))

    def close(self) -> None:
        """Closes every vault."""
        if self._readers is not None:
            self._readers.close()
        for pool in self._pools.values():
            pool.close()
        self.mounted.close()
