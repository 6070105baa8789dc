"""Puts file events of a vault into a queue, as hints, through watchdog. Callbacks only enqueue; a hint may be wrong or missing."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from watchdog import events as said
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, EventDispatcher
from watchdog.observers.polling import PollingObserverVFS
from watchdog.utils import BaseThread

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.vault.folder import IGNORE_FILE, is_hidden
from memoryclaw.vault.layout import NO_NOTES, STATE_DIR, Places, places
from memoryclaw.vault.listener import sends_no_events
from memoryclaw.vault.state_folder import FOLDER, LOCK_FILE

SAVED, TOUCHED, IN_FOLDER, COOKIE, STATE, LOST = "saved", "touched", "folder", "cookie", "state", "lost"
MOVED = "moved"
_EVENTS: list[type[said.FileSystemEvent]] = [
    said.FileCreatedEvent, said.FileModifiedEvent, said.FileAttribEvent, said.FileClosedEvent,
    said.FileDeletedEvent, said.FileMovedEvent, said.DirCreatedEvent, said.DirDeletedEvent, said.DirMovedEvent,
    said.DirAttribEvent,
]  # fmt: skip
_WHOLE = (said.EVENT_TYPE_CLOSED, said.EVENT_TYPE_MOVED, said.EVENT_TYPE_DELETED)
_COOKIES = f"{STATE_DIR}/{FOLDER}/"
_STATE_FILES = (STATE_DIR, _COOKIES[:-1], f"{STATE_DIR}/index.sqlite", f"{STATE_DIR}/{LOCK_FILE}")
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.ENOSYS)

# What watchdog says is heard by `_WatchdogLogHandler`; nobody's terminal needs its farewells and its warnings about its own books.
logging.getLogger("watchdog").addHandler(logging.NullHandler())
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")
warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)  # said of whoever asked: `_hear_less`


class Hint(NamedTuple):
    """Something may have changed.

    kind: `saved` (a file is whole now), `touched` (a file that may still be written), `folder` (anything below it),
    `moved` (a folder that had another name: what happens in it may come with the old one, or not at all), `cookie` (of a reader), `state` (the index or the lock was taken away), `lost` (events are missing: look everywhere).
    """

    kind: str
    path: str


class Watcher:
    """The observer of a vault's folder. It can be started again after `stop`."""

    def __init__(self, root: Path, hints: SimpleQueue[Hint], *, poll: float = 2.0) -> None:
        self.polling = ""  # why there are no events
        self._root = root
        self._hints = hints
        self._poll = poll
        self._observer: BaseObserver | None = None
        self._threads: list[BaseThread] = []
        self._ears = _WatchdogLogHandler(hints)

    def start(self) -> None:
        """Starts watching; every change after its return is seen. Falls back to polling, and returns why."""
        # Events of a link to the vault would be events of the link.
        root = os.path.realpath(self._root)
        self.polling = self.polling or sends_no_events(root) or self._listen(root)
        if self.polling:
            self._begin(lambda: PollingObserverVFS(os.lstat, _visible, polling_interval=self._poll), root)

    def poll_because(self, reason: str) -> None:
        """Switches from events to polling."""
        self.stop()
        self.polling = reason
        self.start()

    def check(self) -> None:
        """Starts polling if a new folder got no watch."""
        shortage = "" if self.polling else _shortage(os.path.realpath(self._root))
        if shortage:
            self.poll_because(shortage)

    def is_alive(self) -> bool:
        """True while every thread of the observer runs, whether or not the system sends events."""
        return bool(self._threads) and all(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        """Stops watching."""
        observer, threads = self._observer, self._threads
        self._observer, self._threads = None, []
        try:
            self._end(observer, threads)
        finally:  # while its threads end, they may log that they do
            logging.getLogger("watchdog").removeHandler(self._ears)

    @staticmethod
    def _end(observer: BaseObserver | None, threads: Sequence[BaseThread]) -> None:
        if observer is None:
            return
        try:
            observer.stop()
        except KeyError:  # it lost track of a folder and fails on it, so each of its threads is stopped
            for thread in threads:
                if thread is not observer and thread not in observer.emitters:
                    thread.stop()
            observer.event_queue.put(EventDispatcher.stop_event)
        else:
            if observer.is_alive():
                observer.join()

    def _listen(self, root: str) -> str:
        """Starts listening to events; returns why that failed."""
        try:
            self._begin(Observer, root)
            reason = _shortage(root)
        except OSError as error:
            reason = _why(error)
            if error.errno not in _EXHAUSTED:
                self.stop()
                raise
        if reason:
            self.stop()
        return reason

    def _begin(self, make: Callable[[], BaseObserver], root: str) -> None:
        logging.getLogger("watchdog").addHandler(self._ears)
        others = set(threading.enumerate())
        observer = self._observer = make()
        layout = places(os.fspath(self._root))
        _hear_less(observer, root, layout)
        # One recursive watch: its events come in the order in which things happened.
        observer.schedule(_Handler(root, self._hints, layout), root, recursive=True, event_filter=_EVENTS)
        observer.start()
        self._threads = [t for t in threading.enumerate() if isinstance(t, BaseThread) and t not in others]


def _hear_less(observer: BaseObserver, root: str, known: Places) -> None:
    """Asks the kernel for no event that would only be dropped: git alone makes fifty with a commit.

    Each folder keeps its watch, so watchdog's books stay as they are, and a folder that gets another name is told of by the one
    around it. Where watchdog adds its watches in another way, everything is heard and dropped.
    """
    listener: Any = getattr(observer, "_inotify_fd", None)
    if not hasattr(listener, "add_callback"):
        return
    bits = late.inotify.InotifyConstants  # there on Linux alone
    gone = bits.IN_DELETE_SELF | bits.IN_DONT_FOLLOW
    listed = gone | bits.IN_CREATE | bits.IN_DELETE | bits.IN_MOVE
    start, add = len(os.fsencode(root).rstrip(b"/")) + 1, listener.add_callback

    def heard(path: bytes, mask: int, *others: Any) -> int:
        where = os.fsdecode(path[start:])
        below = known.name_of(where)
        if known.holds(where):
            pass
        elif below == _COOKIES[:-1]:  # one comes and goes with each question
            mask &= gone | bits.IN_CREATE
        elif below == STATE_DIR or below.partition("/")[0] in NO_NOTES:
            mask &= listed
        elif is_hidden(below):
            mask &= gone
        return int(add(path, mask, *others))

    listener.add_callback = heard


class _Handler(said.FileSystemEventHandler):
    """Turns events into hints, and drops events that concern no note."""

    def __init__(self, root: str, hints: SimpleQueue[Hint], known: Places) -> None:
        self._root = root
        self._start = len(root.rstrip("/")) + 1
        self._places = known
        self._hints = hints

    def dispatch(self, event: said.FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path:
                where = os.fsdecode(path)[self._start :]
                if event.is_directory and where and self._places.holds(where):
                    self._hints.put(Hint(LOST, "a folder that the settings name was made, moved or deleted"))
                else:
                    self._tell(self._places.name_of(where), event)

    def _tell(self, path: str, event: said.FileSystemEvent) -> None:
        if not path:
            self._hints.put(Hint(LOST, "the vault's folder itself was moved or deleted"))
        elif path == IGNORE_FILE:
            self._hints.put(Hint(LOST, f"{path} was changed"))
        elif path.startswith(_COOKIES):
            if event.event_type == said.EVENT_TYPE_CREATED:
                self._hints.put(Hint(COOKIE, path.removeprefix(_COOKIES)))
        elif is_hidden(path):
            if path in _STATE_FILES and event.event_type in (said.EVENT_TYPE_DELETED, said.EVENT_TYPE_MOVED):
                self._hints.put(Hint(STATE, path))
        elif event.is_directory:
            self._hints.put(Hint(MOVED if event.event_type == said.EVENT_TYPE_MOVED else IN_FOLDER, path))
        else:
            self._hints.put(Hint(SAVED if event.event_type in _WHOLE else TOUCHED, path))


class _WatchdogLogHandler(logging.Handler):
    """Catches what watchdog only logs: that the kernel's queue overflowed, that a watch could not be renewed."""

    def __init__(self, hints: SimpleQueue[Hint]) -> None:
        super().__init__(logging.WARNING)
        self._hints = hints

    def emit(self, record: logging.LogRecord) -> None:
        self._hints.put(Hint(LOST, record.getMessage()))


def _visible(folder: str | None) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder or ".") as entries:
        yield from (entry for entry in entries if not entry.name.startswith("."))


def _shortage(root: str) -> str:
    """Why the system gives no further watch; watchdog does not say when a subfolder gets none."""
    probe = None
    try:
        probe = Observer()
        probe.schedule(said.FileSystemEventHandler(), root)
        probe.start()
    except OSError as error:
        return _why(error) if error.errno == errno.ENOSPC else ""
    finally:
        if probe is not None:
            probe.stop()
            with contextlib.suppress(RuntimeError):
                probe.join()
    return ""


def _why(error: OSError) -> str:
    return f"the system gives no more file events ({error.strerror or error})"
