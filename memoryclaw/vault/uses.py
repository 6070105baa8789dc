"""What the ledger tells of how memories were used: which were cited by a reply and rated by somebody, and on which days. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from memoryclaw.text.dates import parse_timestamp

TELLING = ("cited", "rated", "renamed")  # the events that say more than that something was shown
_HEAD = re.compile(rb'\{"ts": "(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\dZ", "event": "([a-z_]+)"')


class Cited(NamedTuple):
    """What one reply of an assistant cited.

    Attributes:
        ts: when (ISO, UTC).
        session: in which the reply was given.
        ids: of what it used, each once.
        receipts: for each of these, what had shown it; empty where that is not known.
        words: those of the ids that its words gave away, and not the id itself.
    """

    ts: str
    session: str
    ids: tuple[str, ...]
    receipts: tuple[str, ...]
    words: frozenset[str] = frozenset()

    @property
    def day(self) -> str:
        """The day (ISO, UTC)."""
        return self.ts[:10]


class Rated(NamedTuple):
    """What somebody thought of a memory, from 1 to 5, and which showing of it that is about (empty: none is known)."""

    ts: str
    session: str
    id: str
    rating: int
    receipt: str = ""


class Record(NamedTuple):
    """What all files of a ledger tell.

    Attributes:
        days: those with any event (ISO), the oldest first: on all others the vault was idle.
        cited: by replies, the oldest first.
        rated: by people and agents, the oldest first.
    """

    days: tuple[str, ...] = ()
    cited: tuple[Cited, ...] = ()
    rated: tuple[Rated, ...] = ()


class Told(NamedTuple):
    """What one part of a file tells: its days, and the events of `TELLING`."""

    days: frozenset[str]
    events: tuple[Mapping[str, Any], ...]


def told_by(data: bytes) -> Told:
    """What whole lines of a ledger tell; a line that is no event is passed over, and one of what was shown is not parsed."""
    days, events = set[bytes](), list[Mapping[str, Any]]()
    odd = set[str]()
    for line in data.split(b"\n"):
        head = _HEAD.match(line)
        if head is not None:
            days.add(head[1])
            if head[2].decode() not in TELLING:
                continue
        event = event_of(line) if line else {}
        at = parse_timestamp(str(event.get("ts", ""))) if event else ""
        if not at:
            continue
        if head is None:  # not as we write it: by hand, or by another program
            odd.add(at[:10])
        if event.get("event") in TELLING:
            events.append({**event, "ts": at})
    return Told(frozenset(day.decode() for day in days) | odd, tuple(events))


def event_of(line: bytes) -> dict[str, Any]:
    """One line as an event; empty where it is none."""
    with suppress(ValueError, RecursionError):
        event = json.loads(line)
        if isinstance(event, dict):
            return event
    return {}


def record_of(parts: Iterable[Told]) -> Record:
    """What these parts of a ledger tell together, in whatever order they come and whichever device wrote them."""
    days, events = set[str](), list[Mapping[str, Any]]()
    for part in parts:
        days |= part.days
        events += part.events
    events.sort(key=lambda event: (str(event["ts"]), json.dumps(event, sort_keys=True, default=str)))
    moved = [
        (str(one["ts"]), _note(one.get("from")), _note(one.get("to")))
        for one in events
        if one.get("event") == "renamed"
    ]
    moved = [(ts, old, new) for ts, old, new in moved if old and new and old != new]
    known: dict[tuple[str, str], str] = {}

    def now_called(id_: str, since: str) -> str:
        """What a memory that had this id at a time is called by now."""
        if not moved:
            return id_
        found = known.get((id_, since))
        if found is None:
            note, mark, part = id_.partition("#")
            for ts, old, new in moved:
                if ts >= since and note == old:
                    note = new
            found = known[id_, since] = f"{note}{mark}{part}"
        return found

    return Record(
        tuple(sorted(days)),
        tuple(filter(None, (_cited(event, now_called) for event in events if event["event"] == "cited"))),
        tuple(filter(None, (_rated(event, now_called) for event in events if event["event"] == "rated"))),
    )


def _cited(event: Mapping[str, Any], now_called: Callable[[str, str], str]) -> Cited | None:
    ts, ids, other = str(event["ts"]), _texts(event.get("ids")), event.get("receipts")
    first = event.get("receipt")
    first = first if isinstance(first, str) else ""
    by = other if isinstance(other, dict) else {}
    receipts = {id_: str(by.get(id_, first)) for id_ in ids}
    words = frozenset(now_called(id_, ts) for id_ in _texts(event.get("words")))
    named = {now_called(id_, ts): receipt for id_, receipt in receipts.items()}
    session = str(event.get("session") or "")
    return Cited(ts, session, tuple(named), tuple(named.values()), words) if named else None


def _rated(event: Mapping[str, Any], now_called: Callable[[str, str], str]) -> Rated | None:
    ts, ids, rating = str(event["ts"]), _texts(event.get("ids")), event.get("rating")
    if type(rating) is not int or not 1 <= rating <= 5 or not ids:
        return None
    receipt = event.get("receipt")
    session = str(event.get("session") or "")
    return Rated(ts, session, now_called(ids[0], ts), rating, receipt if isinstance(receipt, str) else "")


def _note(path: object) -> str:
    """The id that the path of a note gives it."""
    return path.removesuffix(".md") if isinstance(path, str) else ""


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
