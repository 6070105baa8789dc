"""What goes on by itself in a node: threads that look again and again, and one piece of work at a time for each vault."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from memoryclaw.errors import MemoryClawError

AT_ONCE = 4  # vaults that something is done with at the same time
_AGAIN = 5.0  # seconds until what failed is tried again


class Background:
    """The threads of a node.

    Args:
        tell: told of failures, each once while it stays the same.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.over = threading.Event()  # nothing new is begun
        self.ended = threading.Event()
        self._threads: list[threading.Thread] = []
        self._pool: ThreadPoolExecutor | None = None
        self._at_work: set[str] = set()
        self._not_before: dict[str, float] = {}  # when what failed is tried again
        self._failures: dict[str, str] = {}  # that were told

    def start(self, about: str, looks: Iterable[tuple[Callable[[], None], float]]) -> None:
        """Begins to call each of these functions again and again, with so many seconds between."""

        def again_and_again(look: Callable[[], None], pause: float) -> None:
            while not self.ended.wait(pause):
                self.attempt(about, look, key=look.__name__)

        self._pool = ThreadPoolExecutor(AT_ONCE, "fleet")
        for look in looks:
            thread = threading.Thread(target=again_and_again, args=look, name="fleet", daemon=True)
            self._threads.append(thread)
            thread.start()

    def soon(self, vault: str, work: Callable[[str], object]) -> None:
        """Does something with a vault in a thread of the pool, unless something is done with it; what fails is tried again later."""

        def attempt() -> None:
            try:
                if not self.attempt(vault, lambda: work(vault)):
                    self._not_before[vault] = time.monotonic() + _AGAIN
            finally:
                self._at_work.discard(vault)

        is_early = self._not_before.get(vault, 0.0) > time.monotonic()
        if self._pool is None or self.over.is_set() or is_early or vault in self._at_work:
            return
        self._at_work.add(vault)
        self._pool.submit(attempt)

    def attempt(self, about: str, work: Callable[[], object], *, key: str = "") -> bool:
        """Does something, and tells of its failure, once while it stays the same; False where it failed."""
        key = f"{about} {key}"
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a node whose thread ended at a bug would never say again that it is there
            is_ours = isinstance(error, MemoryClawError | OSError)
            sentence = str(error) if is_ours else f"a bug ({type(error).__name__}); it is tried again"
            if self._failures.get(key) != sentence:
                self._failures[key] = sentence
                self.tell(f"{about}: {sentence}")
            return False
        self._failures.pop(key, None)
        return True

    def begin_no_more(self) -> None:
        """Begins nothing new, and waits for what was begun."""
        self.over.set()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def end(self) -> None:
        """Ends the threads that look again and again."""
        self.ended.set()
        for thread in self._threads:
            thread.join()
