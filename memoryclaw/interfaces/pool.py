"""Open vaults for the requests of programs: to open one takes longer than most requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, LifoQueue

from memoryclaw.app import App
from memoryclaw.config import SettingsStamp, stamp
from memoryclaw.errors import IndexBusyError

_PATIENCE = 10.0  # seconds that a borrower waits for a vault


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
        """An open vault, for the caller alone until the end of the block."""
        try:
            app = self._free.get(timeout=_PATIENCE)
        except Empty:
            raise IndexBusyError("too many requests are at work; try again") from None
        try:
            app = self._current(app)
            yield app
        finally:
            self._free.put(app)

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
        settings = None if app is None else _stamp(app)  # before the settings are read
        if app is not None and self._stamps[id(app)] == settings:
            return app
        fresh = self._open()  # before the old one is let go: settings that are wrong leave it in its place
        if app is not None:
            self._stamps.pop(id(app), None)
            app.close()
        self._stamps[id(fresh)] = settings or _stamp(fresh)
        return fresh


def _stamp(app: App) -> SettingsStamp:
    return stamp(app.root, app.config.vault_id)
