"""The background work of a daemon: the watch, the schedule, and the files that tell clients where it is."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memoryclaw import config as settings
from memoryclaw.daemon.client import DaemonFiles
from memoryclaw.daemon.scheduling import DaemonSchedule
from memoryclaw.errors import LockedError, MemoryClawError
from memoryclaw.late import NamedTuple
from memoryclaw.vault.layout import timestamp
from memoryclaw.vault.state_folder import begun_state_folder, watcher

if TYPE_CHECKING:
    from memoryclaw.index.watching import Watching, WatchReport

_LOOK = 0.5  # seconds between looks at the files that clients need
_PAUSE = 0.002
OWN = 0.25  # seconds for our own watch to take a cookie: a look at all files beside it would only hold it up
_PATIENCE = 6.0  # seconds that each thread is given to end
_TOLD = {"problem", "overflow", "polling"}

_KEPT = 500  # events


class Event(NamedTuple):
    """One thing that a watch reported, with its number."""

    number: int
    at: str  # ISO, UTC
    kind: str
    text: str
    files: int
    paths: tuple[str, ...]  # of the files, the first of them


class Happened(NamedTuple):
    """What came after an event. `missed` is True when some of it is not kept any more, or another daemon counts."""

    last: int
    events: tuple[Event, ...]
    missed: bool


class Events:
    """The last 500 reports of a watch, numbered from 1; safe in every thread."""

    def __init__(self, clock: Callable[[], datetime], most: int = _KEPT) -> None:
        self._clock = clock
        self._kept: deque[Event] = deque(maxlen=most)
        self._last = 0
        self._lock = threading.Lock()

    def add(self, report: WatchReport) -> None:
        """Keeps one report."""
        with self._lock:
            self._last += 1
            about = report.kind, report.text, report.files, report.paths
            self._kept.append(Event(self._last, timestamp(self._clock()), *about))

    def after(self, number: int) -> Happened:
        """What came after the event with this number; 0 for everything that is kept."""
        with self._lock:
            events = tuple(event for event in self._kept if event.number > number)
            first = self._kept[0].number if self._kept else self._last + 1
            return Happened(self._last, events, number > self._last or number + 1 < first)


class WatchedVault(Protocol):
    """An open vault, as far as it is watched."""

    config: settings.Config

    def watching(self, tell: Callable[[WatchReport], None]) -> Watching:
        """A watch over it, to be `run`."""

    def close(self) -> None:
        """Closes it."""


class Daemon:
    """The one daemon of a vault, without its HTTP server. Raises LockedError: another process watches this vault.

    Args:
        tell: is given what the log should say, one sentence each.
        after: hours for which its schedule leaves new lines to an agent.
    """

    def __init__(
        self,
        root: Path,
        open_vault: Callable[[], WatchedVault],
        tell: Callable[[str], None],
        clock: Callable[[], datetime],
        *,
        after: int = 0,
    ) -> None:
        self.root, self._open_vault = root, open_vault
        self.reason = "the vault is being read for the first time"  # why not every answer is at hand yet
        self.looked = threading.Event()  # at the whole vault, for better or worse
        self.failure: Exception | None = None
        self.config = settings.load(root)
        self.events = Events(clock)
        self._tell = tell
        self._end: Callable[[], None] = lambda: None
        self._state = Path(begun_state_folder(root))
        if pid := watcher(self._state)[0]:
            sentence = f"this vault is being served or watched already, by process {pid}"
            raise LockedError(f"{sentence}; one is enough")
        self.files = DaemonFiles(self._state)
        self._stopping = threading.Event()
        self._watching: Watching | None = None
        self._vault_id = self.config.vault_id
        self._settings = settings.stamp(root, self._vault_id)  # those that the watch goes by
        self.schedule = DaemonSchedule(
            os.fspath(root), self.config.interval * 60, tell, clock=clock, after=after
        )
        work = {"watch": self._watch, "schedule": self.schedule.run, "files": self._keep}
        self._threads = [threading.Thread(target=work[name], name=name, daemon=True) for name in work]

    def start(self, address: dict[str, Any], end: Callable[[], None]) -> bool:
        """Begins to watch, and tells clients where to ask; `end` is called when it cannot go on, and `failure` says why.

        False when another daemon was faster: then nobody is told anything.
        """
        self._end = end
        watch, *others = self._threads
        watch.start()
        last = time.monotonic() + _PATIENCE
        while watcher(self._state)[0] != os.getpid() and self.failure is None and time.monotonic() < last:
            time.sleep(_PAUSE)
        if self.failure is not None:
            return False
        self.files.announce(address)
        for thread in others:
            thread.start()
        return True

    def stop(self) -> None:
        """Ends everything that was started; the address is taken away first, so that nobody new comes."""
        self._stopping.set()
        self.files.withdraw()
        self.schedule.stop()
        if self._watching is not None:
            self._watching.stop()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(_PATIENCE)

    def _watch(self) -> None:
        """Watches, and begins anew when the settings change: they choose the index that is kept."""
        before = ""
        while not self._stopping.is_set():
            try:
                # Before they are read: what is saved meanwhile is news.
                self._settings = settings.stamp(self.root, self._vault_id)
                app = self._open_vault()
                if app.config.vault_id != self._vault_id:
                    self._vault_id = app.config.vault_id
                    self._settings = settings.stamp(self.root, self._vault_id)
                try:
                    self._watching = app.watching(self._heard)
                    if not self._stopping.is_set():
                        self._watching.run()
                finally:
                    app.close()
                before = ""
            except LockedError as error:
                self._give_up(error)
            except MemoryClawError as error:
                # Settings half written, a disk that is not mounted: it may come right.
                self.looked.set()
                if str(error) != before:
                    self._tell(str(error))
                before = str(error)
                self.reason = "the vault cannot be read now; the log of the daemon says why"
                self._stopping.wait(_LOOK)
            except Exception as error:  # noqa: BLE001 - without a watch it is no daemon: `failure` tells of the bug
                self._give_up(error)

    def _heard(self, report: WatchReport) -> None:
        self.events.add(report)
        if report.kind == "started":
            self.reason = ""
            self.looked.set()
        elif report.kind in _TOLD:
            self._tell(report.text)

    def _give_up(self, error: Exception) -> None:
        self.failure = error
        self._stopping.set()
        self._end()

    def _keep(self) -> None:
        """Writes the files of clients again if `.memoryclaw/` was deleted, and sees to new settings."""
        before = ""
        while not self._stopping.wait(_LOOK):
            trouble = ""
            try:
                self.files.keep()
            except (MemoryClawError, OSError) as error:
                trouble = str(error)
                if trouble != before:
                    self._tell(trouble)
            before = trouble
            if self._watching is not None and settings.stamp(self.root, self._vault_id) != self._settings:
                self._watching.stop()
