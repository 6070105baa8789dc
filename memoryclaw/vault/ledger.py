"""The ledger: how memories were used, one JSON event a line. It is only appended to, and a failure never stops a command."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from memoryclaw import late
from memoryclaw.errors import ClockError, VaultError
from memoryclaw.text.encoding import json_object, texts_in
from memoryclaw.vault import files
from memoryclaw.vault.layout import STATE_DIR, slug, timestamp, utc, writable_moment
from memoryclaw.vault.ledger_usage import LedgerEvents, LedgerUsage, read_events

FOLDER = "ledger"
_SESSIONS = 256  # of which it is remembered what they were shown
_LARGEST = 256 << 20  # bytes of a file that are looked through
_OWN_MONTH = late.pattern(r"\d{4}-\d\d\.jsonl")
# What stays of an old event of what was shown.
_FIGURES = frozenset({"ts", "event", "receipt", "session", "mode", "ids"})
_DEVICE = late.pattern(r"[a-z0-9][a-z0-9_-]{0,63}")
_Events = tuple[dict[str, Any], ...]
Digests = dict[str, frozenset[str]]


class Ledger:
    """Appends the events of one device to the ledger of one vault."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._sessions: dict[tuple[str, str], _Read[_Events]] = {}
        self._shown: dict[tuple[str, str], tuple[list[dict[str, Any]], Digests]] = {}
        self._read: dict[str, _Read[LedgerEvents]] = {}
        self._record = LedgerUsage()

    @property
    def device(self) -> str:
        """This device's name: from `.memoryclaw/device`, else the host name."""
        try:
            with open(os.path.join(self._root, STATE_DIR, "device"), encoding="utf-8") as file:
                name = file.readline().strip()
        except (OSError, UnicodeDecodeError):
            name = ""
        if _DEVICE.fullmatch(name):
            return name
        return slug(os.uname().nodename)

    def _paths(self) -> list[str]:
        """The files of all devices."""
        return files.list_files(self._root, FOLDER, ".jsonl")

    def record(self) -> LedgerUsage:
        """What all devices' files tell: what was cited and rated, and on which days; only what they have gained is read again."""
        earlier = self._read
        gained = {
            path: self._read_on(path, earlier.get(path, _NOTHING_READ)) for path in sorted(self._paths())
        }
        self._read = {path: file for path, file in gained.items() if file is not None}
        if [id(file.content) for file in earlier.values()] != [
            id(file.content) for file in self._read.values()
        ]:
            self._record = LedgerUsage(file.content for file in self._read.values())
        return self._record

    def _read_on(self, path: str, known: _Read[LedgerEvents]) -> _Read[LedgerEvents] | None:
        """What a file tells, read on from where it was read to; None where it cannot be read."""
        if (grown := self._grown(path, known)) is None:
            return None
        data, end, file = grown
        events, before = read_events(data), known.content
        if end > len(data):
            new = events.events or not events.days <= before.days
            events = LedgerEvents(before.days | events.days, before.events + events.events) if new else before
        return _Read(events, end, file)

    def _grown(self, path: str, known: _Read[Any]) -> tuple[bytes, int, tuple[int, int]] | None:
        """The whole lines that a file has gained, where they end, and which file it is; None where it cannot be read."""
        try:
            start, data, file = files.read_growth(self._root, path, known.end, known.file, _LARGEST)
        except (OSError, VaultError):
            return None
        end = data.rfind(b"\n") + 1  # the last line may be on its way
        return data[:end], start + end, file

    def events_shown_in(self, session: str) -> list[dict[str, Any]]:
        """What this device's last two months say was shown in a session, the oldest first."""
        paths = files.list_files(self._root, f"{FOLDER}/{self.device}")
        return [event for path in sorted(paths)[-2:] for event in self._events_shown_to(path, session)]

    def digests_shown_in(self, session: str, which: str) -> Digests | None:
        """The digests of what a session was shown, by id; None where it was shown nothing. Only new events are gone through.

        Args:
            which: `all` of it; what `tools` showed, for a host that keeps nothing of what was recalled; or `none`, from now on, for
                a host that has cut the conversation.
        """
        events = self.events_shown_in(session)
        known, shown = self._shown.get((session, which), ([], {}))
        if events[: len(known)] != known:
            known, shown = [], {}
        # Anew, for another recall may be reading what there was.
        shown = {**shown} if len(events) > len(known) else shown
        for event in events[len(known) :] if which != "none" else ():
            if event.get("seen") == "none":
                shown.clear()
            digests = event.get("digests")
            if isinstance(digests, dict) and (which == "all" or event.get("mode") != "recall"):
                for id_, digest in digests.items():
                    shown[id_] = shown.get(id_, frozenset()) | {str(digest).partition("/")[0]}
        if len(self._shown) > _SESSIONS:
            self._shown.clear()
        self._shown[session, which] = events, shown
        return shown if events else None

    def _events_shown_to(self, path: str, session: str) -> tuple[dict[str, Any], ...]:
        """What a file says was shown in a session; only what it has gained since the last time is read."""
        earlier = self._sessions.get((path, session), _Read[_Events](()))
        if (grown := self._grown(path, earlier)) is None:
            return ()
        data, end, file = grown
        shown = _events(data, "shown", "session", session)
        # Not what was left out: nobody asks for that, it is most of an event, and a daemon remembers many.
        new = tuple({key: value for key, value in event.items() if key != "left_out"} for event in shown)
        events = (*earlier.content, *new) if end > len(data) else new
        if len(self._sessions) > _SESSIONS:
            self._sessions.clear()
        self._sessions[path, session] = _Read(events, end, file)
        return events

    def last_receipt(self, id_: str, *, session: str = "", receipt: str = "") -> str:
        """The receipt of the last event of two months that showed a memory, or a part of it; empty without one.

        Args:
            session: in which it was shown; if it was not, in which does not matter.
            receipt: only this one counts, however old it is.
        """
        paths = self._paths()
        months = tuple(sorted({path.rpartition("/")[2] for path in paths})[-2:])
        best = ("", False, "")
        for path in paths:
            if not path.endswith(_month_of(receipt) if receipt else months):
                continue
            for event in self._showing(path, id_):
                named = event.get("receipt")
                if isinstance(named, str) and receipt in ("", named):
                    in_session = bool(session) and event.get("session") == session
                    best = max(
                        best, (named, in_session, str(event.get("ts", ""))), key=lambda shown: shown[1:]
                    )
        return best[0]

    def _showing(self, path: str, id_: str) -> Iterator[dict[str, Any]]:
        """The events of a file that showed a memory, or a part of it."""
        key = json.dumps(id_, ensure_ascii=False)[:-1].encode("utf-8", "backslashreplace")
        with suppress(OSError, VaultError):
            for event in _parsed(files.read_file(self._root, path, limit=_LARGEST).data, key):
                ids = texts_in(event.get("ids")) if event.get("event") == "shown" else ()
                if any(shown == id_ or shown.startswith(f"{id_}#") for shown in ids):
                    yield event

    def uses(self, note: str) -> list[dict[str, Any]]:
        """The events in which a note, or a part of it, was shown, of all devices, the oldest first; those of the last year."""
        paths = sorted(files.list_files(self._root, FOLDER), key=lambda path: path.rpartition("/")[2])
        months = tuple(sorted({path.rpartition("/")[2] for path in paths})[-12:])
        events = [event for path in paths if path.endswith(months) for event in self._showing(path, note)]
        return sorted(events, key=lambda event: str(event.get("ts", "")))

    def receipt(self, name: str) -> dict[str, Any] | None:
        """The event that a receipt names, of whatever device."""
        paths = files.list_files(self._root, FOLDER, _month_of(name))
        events = (event for path in sorted(paths) for event in self._events(path, "shown", "receipt", name))
        return next(events, None)

    def last_recall(self) -> str:
        """The receipt of the newest recall, on whatever device; empty without one."""
        recalls = self.events_of("shown", "mode", "recall")
        return str(recalls[-1].get("receipt") or "") if recalls else ""

    def events_of(self, event: str, key: str = "event", value: str = "") -> list[dict[str, Any]]:
        """The events of one type, of all devices, oldest first; those with this value, if one is named."""
        events = [row for path in self._paths() for row in self._events(path, event, key, value or event)]
        return sorted(events, key=lambda recorded: str(recorded.get("ts", "")))

    def _events(self, path: str, type_: str, key: str, value: str) -> Iterator[dict[str, Any]]:
        """The events of a file with this value."""
        with suppress(OSError, VaultError):
            data = files.read_file(self._root, path, limit=_LARGEST).data
            yield from _events(data, type_, key, value)

    def counts_by_mode(self, id_: str) -> dict[str, int]:
        """How often a memory, or a part of it, was shown in each mode (recall, search, get), by what all devices say."""
        shown = (event for path in self._paths() for event in self._showing(path, id_))
        return dict(Counter(str(event.get("mode") or "recall") for event in shown))

    def fetched_ids(self) -> set[str]:
        """The ids of everything that somebody asked to see whole, as all devices say."""
        events = (event for path in self._paths() for event in self._events(path, "shown", "mode", "get"))
        return {id_ for event in events for id_ in texts_in(event.get("ids"))}

    def roll_up(self, now: datetime) -> list[str]:
        """Takes out of this device's old months what only a receipt needs; returns the files that are shorter now.

        The last two months stay whole, and so do the last two files: `show` reads their receipts back, and what a session has seen is
        told by them. Of what was shown before, its time, receipt, session, mode and ids stay, so that no figure changes; all
        other events keep every byte.

        Raises:
            VaultError: a file was changed meanwhile, or cannot be read; the others are as they were.
        """
        folder = f"{FOLDER}/{self.device}/"
        paths = files.list_files(self._root, FOLDER)
        months = sorted(path for path in paths if _OWN_MONTH.fullmatch(path.removeprefix(folder)))
        first_kept = f"{folder}{utc(now).replace(day=1) - timedelta(days=1):%Y-%m}.jsonl"
        shortened = []
        for path in months[:1]:  # what a killed roll-up left, which git would see where it tracks the ledger
            files.sweep(self._root, path)
        for path in (path for path in months[:-2] if path < first_kept):
            read = files.read_file(self._root, path, limit=_LARGEST)
            data = b"".join(_roll_up(line) for line in read.data.splitlines(keepends=True))
            if data != read.data:
                files.write_file(self._root, path, data, read.digest)
                shortened.append(path)
        return shortened

    def append(self, event: str, values: Mapping[str, Any], now: datetime, *, durable: bool = False) -> str:
        """Appends one event; returns an empty string, or why it could not be written.

        Args:
            event: its type: shown, cited, rated, renamed …
        """
        line = json.dumps({"ts": timestamp(now), "event": event, **values}, ensure_ascii=False) + "\n"
        try:
            path = f"{FOLDER}/{self.device}/{writable_moment(now):%Y-%m}.jsonl"
            with files.open_for_append(self._root, path) as handle:
                # One write: O_APPEND then keeps the lines of several processes whole.
                os.write(handle, line.encode("utf-8", "backslashreplace"))
                if durable:
                    os.fsync(handle)
        except (OSError, VaultError, ClockError) as error:
            reason = getattr(error, "strerror", None) or error
            return f"this use could not be written to the ledger ({reason}); nothing else is affected"
        return ""


def _roll_up(line: bytes) -> bytes:
    """The line of what was shown with no more than the figures need; any other line as it is."""
    event = json_object(line) if b'"shown"' in line else {}
    if event.get("event") != "shown" or event.keys() <= _FIGURES:
        return line
    figures = {key: value for key, value in event.items() if key in _FIGURES}
    return (json.dumps(figures, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _month_of(receipt: str) -> str:
    """How the path of the file ends that holds a receipt."""
    return f"/{receipt[2:6]}-{receipt[6:8]}.jsonl"


T = TypeVar("T")


class _Read(NamedTuple, Generic[T]):
    """What one file tells as far as it was read, and which file that was."""

    content: T
    end: int = 0
    file: tuple[int, int] = (0, 0)


_NOTHING_READ = _Read(LedgerEvents())


def _parsed(data: bytes, needle: bytes) -> Iterator[dict[str, Any]]:
    """The events of the lines with these bytes; a line that is no event, as one that a crash cut off, is passed over."""
    for line in data.splitlines() if needle in data else ():
        if needle in line and (event := json_object(line)):
            yield event


def _events(data: bytes, type_: str, key: str, value: str) -> Iterator[dict[str, Any]]:
    """The events with this value."""
    needle = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return (e for e in _parsed(data, needle) if e.get("event") == type_ and e.get(key) == value)
