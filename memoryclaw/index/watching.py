"""Keeps the index in line with a vault while it runs: events make it fast, scans make it right.

A reader's cookie is taken only when everything saved before it is in the index; in any doubt it is left to expire.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType

from memoryclaw.errors import IndexBusyError, MemoryClawError, VaultError
from memoryclaw.index.index import Index
from memoryclaw.index.sync import Sync, Synced, healed
from memoryclaw.late import NamedTuple
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.state_folder import LIVE, POLLING, WatchLock, cookies, drop, take
from memoryclaw.vault.watcher import COOKIE, IN_FOLDER, LOST, MOVED, SAVED, STATE, TOUCHED, Hint, Watcher

RECONCILE = 300.0  # seconds between looks at the whole vault, whatever the events say
_PULSE = 1.0  # seconds between looks at the observer's own health
_QUIET = 0.002  # seconds without a hint that end a burst
_LONGEST = 0.05  # seconds that a burst is gathered for at most
_AGAIN = 0.25  # seconds between second looks, at all files that were read the moment they changed
_BUSY, _TROUBLED = 0.1, 5.0  # seconds until the next try, after another writer and after a failure
_STOP = Hint("stop", "")

_log = logging.getLogger(__name__)


class WatchReport(NamedTuple):
    """What a watch has to say: `started`, `synced`, `vectors`, `overflow`, `polling`, `problem` or `stopped`."""

    kind: str
    text: str
    files: int = 0
    ms: float = 0.0
    paths: tuple[str, ...] = ()  # of the files, the first of them


class Watching:
    """One watch over one vault.

    Args:
        sync: brings the index in line; `vault` and `index` are those it works on.
        reconcile: seconds between looks at the whole vault.
    """

    def __init__(
        self,
        sync: Sync,
        vault: Vault,
        index: Index,
        state: Path,
        *,
        tell: Callable[[WatchReport], None],
        reconcile: float = RECONCILE,
        poll: float = 2.0,
    ) -> None:
        self.failures = 0
        self._sync, self._index, self._state, self._tell = sync, index, state, tell
        self._root = vault.root
        self._reconcile = reconcile
        self._hints: SimpleQueue[Hint] = SimpleQueue()
        self._watcher = Watcher(vault.root, self._hints, poll=poll)
        self._heartbeat = Heartbeat(state, vault.root)
        self._pending = PendingHints()
        self._behind = (
            ""  # why the index may not be in line; nobody is told that it is until a scan went well
        )
        self._next_scan = 0.0
        self._stopping = False

    def run(self) -> None:
        """Watches until `stop` is called.

        Raises:
            LockedError: the vault is being watched by another process.
        """
        self._lock = WatchLock(self._state)
        try:
            self._everywhere()  # before the start, so that a first build is not drowned in its own events
            self._start()
            while not self._stopping:
                self._turn()
        finally:
            self._watcher.stop()
            self._lock.close()
            self._say("stopped", "watching ended")

    def stop(self) -> None:
        """Ends the watch soon; safe in a signal handler and from other threads."""
        self._stopping = True
        self._hints.put(_STOP)

    def _turn(self) -> None:
        quiet = self._gather()
        if self._pending.lost:
            self._say("overflow", f"events were lost: {self._pending.lost[0]}")
            self._start()
        elif self._pending.moved and not self._watcher.polling:
            # A folder that is made and renamed at once gets no watch of watchdog's.
            self._behind = "a folder was moved"
            self._start(again=True)
        elif self._pending.disturbed or time.monotonic() >= self._next_scan:
            self._look_after_itself()
        elif not (self._behind or self._watcher.is_alive()):
            self._start()
        elif quiet and self._heartbeat.is_late():
            self._deaf()
        else:
            due = self._pending.take(time.monotonic())
            if due.paths or due.folders:
                self._guarded(lambda: self._sync.paths(due.paths, due.folders))
                if due.folders:
                    self._watcher.check()
                    self._say_how()
            if due.cookies and not self._behind:
                if self._index.database.is_current():
                    take(self._state, list(due.cookies))
                else:
                    self._everywhere()

    def _gather(self) -> bool:
        """Takes hints until there is something to do; True when none is left."""
        end = 0.0
        while not self._stopping:
            moment = time.monotonic()
            if end and moment >= end:
                return False
            times = (moment + _PULSE, self._next_scan, self._pending.next_at(), self._heartbeat.deadline)
            soonest = min(planned for planned in times if planned is not None) - moment
            wait = (0 if self._pending.is_urgent() else _QUIET) if end else soonest
            try:
                hint = self._hints.get(timeout=max(wait, 0))
            except Empty:
                return True
            moment = time.monotonic()
            end = end or moment + _LONGEST
            if hint.kind != COOKIE or not self._heartbeat.hears(hint.path):
                self._pending.note(hint, moment)
        return True

    def _everywhere(self) -> None:
        """Looks at the whole vault; whoever asked before it began may trust the index after it."""
        waiting = [name for name in cookies(self._state) if name != self._heartbeat.name]
        self._pending.forget()
        self._behind = "not looked yet"
        if self._guarded(self._sync.run):
            self._behind = ""
            self._next_scan = time.monotonic() + self._reconcile
            take(self._state, waiting)

    def _guarded(self, work: Callable[[], Synced]) -> bool:
        """Does one piece of syncing; whatever goes wrong is said and tried again, and never ends the watch."""
        start = time.perf_counter()
        try:
            synced = healed(self._index, work)
        except IndexBusyError as error:
            self._put_off(str(error), _BUSY)
        except MemoryClawError as error:
            self._failed(str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the next file still wants to be indexed
            _log.exception("a sync failed while watching %s", self._root)
            self._failed(f"a sync failed ({type(error).__name__}: {error}); it will be tried again")
        else:
            self._pending.look_again(synced.racy, (time.monotonic() // _AGAIN + 2) * _AGAIN)
            files = synced.added + synced.changed + synced.removed
            if files:
                self._say(
                    "synced",
                    f"{synced.added} added, {synced.changed} changed, {synced.removed} removed",
                    files,
                    (time.perf_counter() - start) * 1000,
                    synced.paths,
                )
            return True
        return False

    def _failed(self, why: str) -> None:
        self.failures += 1
        if why != self._behind:
            self._say("problem", why)
        self._put_off(why, min(_TROUBLED, self._reconcile))

    def _put_off(self, why: str, seconds: float) -> None:
        self._behind = why
        self._next_scan = time.monotonic() + seconds

    def _start(self, *, again: bool = False) -> None:
        """Starts the watcher, or starts it anew, and then looks at everything: nothing can fall between the two."""
        self._watcher.stop()
        try:
            self._watcher.start()
        except OSError as error:
            self._failed(f"{self._root} cannot be watched ({error.strerror or error})")
            return
        if self._watcher.polling:
            self._say("polling", f"{self._watcher.polling}; the vault is looked at again and again instead")
        self._everywhere()
        self._heartbeat.begin(self._watcher.polling)
        self._say_how()
        if not again:
            self._say("started", f"watching {self._root}")

    def _look_after_itself(self) -> None:
        """The periodic look at everything, the watch itself included."""
        if self._lock.is_lost():
            self._lock.close()
            try:
                self._lock = WatchLock(self._state)
            except VaultError as error:
                self._failed(str(error))
                return
        if not self._watcher.is_alive() or self._heartbeat.root_changed():
            self._start()
        elif self._heartbeat.is_late():
            self._deaf()
        else:
            self._everywhere()
            self._watcher.check()
            self._heartbeat.beat(self._watcher.polling)
            self._say_how()

    def _deaf(self) -> None:
        """No event of our own came: the observer died inside, or there are no events here."""
        if self._heartbeat.missed > 1:
            self._watcher.poll_because("the file system sends no events")
        self._start()

    def _say_how(self) -> None:
        self._lock.say(LIVE if self._heartbeat.is_heard(self._watcher.polling) else POLLING)

    def _say(
        self, kind: str, text: str, files: int = 0, ms: float = 0.0, paths: tuple[str, ...] = ()
    ) -> None:
        self._tell(WatchReport(kind, text, files, ms, paths))


def watch_until_stopped(watching: Watching) -> int:
    """Runs a watch that ends cleanly on Ctrl-C and on SIGTERM, and returns which of them it was. Call it in the main thread."""
    signals: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        signals.append(number)
        watching.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        watching.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return signals[0] if signals else 0


# How a watch knows that it still hears: it drops a cookie of its own and waits for the event. Also notes whose root it
# watches.

PATIENCE = 2.0  # seconds after which an event that has not come will not come


class Heartbeat:
    """The pulse of one watch.

    Args:
        state: the state folder; a watcher hears its cookies only when it lies in the vault.
    """

    def __init__(self, state: Path, root: Path) -> None:
        self.deadline: float | None = None
        self.missed = 0
        self._state = state
        self._root = root
        self._inside = state.parent == root
        self.name = ""
        self._watched = _identity(root)

    def begin(self, polling: str) -> None:
        """Begins with a new observer, of whatever folder is there now."""
        self._watched = _identity(self._root)
        self._drop()
        self.beat(polling)

    def beat(self, polling: str) -> None:
        """Drops a cookie, unless one is still waited for or nobody would hear it."""
        if polling or not self._inside or self.deadline is not None:
            return
        self.name = f"self-{os.getpid()}-{time.monotonic_ns()}"
        try:
            drop(self._state, self.name)
        except OSError:
            return  # no room, or the folder is gone: the next look at everything sees to that
        self.deadline = time.monotonic() + PATIENCE

    def hears(self, cookie: str) -> bool:
        """True when a cookie that came by is the one that is waited for."""
        if cookie != self.name:
            return False
        self.missed = 0
        self._drop()
        return True

    def is_late(self) -> bool:
        """True once when the event has not come in time."""
        if self.deadline is None or time.monotonic() < self.deadline:
            return False
        self.missed += 1
        self._drop()
        return True

    def is_heard(self, polling: str) -> bool:
        """True when readers may rely on their cookies being seen."""
        return self._inside and not polling

    def root_changed(self) -> bool:
        """True when another folder is at the vault's path than the one that is watched."""
        return _identity(self._root) != self._watched

    def _drop(self) -> None:
        if self.name:
            take(self._state, [self.name])
        self.name, self.deadline = "", None


def _identity(root: Path) -> tuple[int, int]:
    try:
        status = os.stat(root)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


# The hints that a watcher has not acted on yet. Pure: it is told the time. A file that may still be written waits a
# little.

SETTLING = 0.015  # seconds that a file is given to be closed, before it is read as it is


class Work(NamedTuple):
    """What is to be looked at now."""

    paths: frozenset[str]
    folders: frozenset[str]
    cookies: tuple[str, ...]


@dataclass(slots=True)
class PendingHints:
    """Hints by what they ask for."""

    lost: list[str] = field(default_factory=list)  # why the whole vault must be looked at
    disturbed: bool = False  # something of ours was taken away
    moved: bool = False  # a folder has another name
    _due: dict[str, float] = field(default_factory=dict)
    _again: dict[str, float] = field(default_factory=dict)
    _folders: set[str] = field(default_factory=set)
    _cookies: list[str] = field(default_factory=list)

    def note(self, hint: Hint, now: float) -> None:
        """Takes one hint in."""
        if hint.kind == SAVED:
            self._due[hint.path] = now
        elif hint.kind == TOUCHED:
            self._due.setdefault(hint.path, now + SETTLING)
        elif hint.kind in (IN_FOLDER, MOVED):
            self._folders.add(hint.path)
            self.moved |= hint.kind == MOVED
        elif hint.kind == COOKIE:
            self._cookies.append(hint.path)
        elif hint.kind == LOST:
            self.lost.append(hint.path)
        self.disturbed |= hint.kind == STATE

    def look_again(self, paths: Iterable[str], at: float) -> None:
        """Asks for these files once more, later: no cookie hurries that, as they were read after the last that was said of them."""
        for path in paths:
            self._again.setdefault(path, at)

    def is_urgent(self) -> bool:
        """True when somebody waits, so that no more hints should be gathered first."""
        return bool(self._cookies)

    def next_at(self) -> float | None:
        """When there is something to do: a time, or None for never."""
        if self.lost or self.disturbed or self.moved or self._folders or self._cookies:
            return 0.0
        return min((*self._due.values(), *self._again.values()), default=None)

    def take(self, now: float) -> Work:
        """What is due, or everything that was said when a cookie came after it."""
        everything = bool(self._cookies)
        due_paths = {path for path, moment in self._due.items() if everything or moment <= now}
        paths = frozenset(due_paths.union(path for path, moment in self._again.items() if moment <= now))
        for path in paths:
            self._due.pop(path, None)
            self._again.pop(path, None)
        work = Work(paths, frozenset(self._folders), tuple(self._cookies))
        self._folders.clear()
        self._cookies.clear()
        self.moved = False
        return work

    def forget(self) -> None:
        """Drops everything: the whole vault is about to be looked at."""
        self.lost.clear()
        self.disturbed = self.moved = False
        self._due.clear()
        self._again.clear()
        self._folders.clear()
        self._cookies.clear()
