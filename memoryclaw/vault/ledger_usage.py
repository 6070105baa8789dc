"""What the ledger tells of how memories were used: which were cited by a reply and rated by somebody, and on which days. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import json_object, text_in, texts_in

TELLING = (b"cited", b"rated", b"renamed")  # the events that say more than that something was shown
RECEIPT = late.pattern(r"r-\d{8}t\d{6}-[0-9a-f]+", re.ASCII)
_HEAD = late.pattern(rb'\{"ts": "((\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\dZ)", "event": "([a-z_]+)"')


class Cited(NamedTuple):
    """What one reply of an assistant cited: the day (ISO, UTC), and the ids of what it used, each once."""

    day: str
    ids: tuple[str, ...]


class Use(NamedTuple):
    """One use of a memory: it was shown, and then cited, rated, or both.

    Attributes:
        ts: when it was shown, or where that is not known, cited or rated.
        receipt: what had shown it, if that is known.
        session: in which.
        cited: `id` or `words`, by which a reply gave the use away; empty if none did.
        rating: the last one that it was given; 0 without one.
    """

    ts: str
    receipt: str = ""
    session: str = ""
    cited: str = ""
    rating: int = 0


class LedgerEvents(NamedTuple):
    """What one part of a file tells: its days, and the events of `TELLING`, each with its time and its line."""

    days: frozenset[str] = frozenset()
    events: tuple[tuple[str, bytes, Mapping[str, Any]], ...] = ()


class LedgerUsage:
    """What all files of a ledger tell, in whatever order they come and whichever device wrote them."""

    def __init__(self, parts: Iterable[LedgerEvents] = ()) -> None:
        parts = list(parts)
        self.days: tuple[str, ...] = tuple(sorted(frozenset[str]().union(*(piece.days for piece in parts))))
        self._events = sorted(
            (event for piece in parts for event in piece.events), key=lambda recorded: recorded[:2]
        )
        moved = [(ts, _note(event.get("from")), _note(event.get("to"))) for ts, event in self._of("renamed")]
        self._moved = [(ts, old, new) for ts, old, new in moved if old and new and old != new]

    @cached_property
    def citations(self) -> tuple[Cited, ...]:
        """What replies cited, the oldest first, under the ids that these memories have now."""
        citations = []
        for ts, event in self._of("cited"):
            if named := dict.fromkeys(self._current_id(id_, ts) for id_ in texts_in(event.get("ids"))):
                citations.append(Cited(ts[:10], tuple(named)))
        return tuple(citations)

    @cached_property
    def _by_id(self) -> Mapping[str, list[tuple[str, Mapping[str, Any], str]]]:
        """The events that cite or rate each memory, the oldest first, each with its time and the id that the memory had then."""
        by_id: dict[str, list[tuple[str, Mapping[str, Any], str]]] = {}
        for ts, _, event in self._events:
            ids = () if event["event"] == "renamed" else texts_in(event.get("ids"))
            for id_ in ids if event["event"] == "cited" or _rating(event) else ():
                by_id.setdefault(self._current_id(id_, ts), []).append((ts, event, id_))
        return by_id

    @property
    def used_ids(self) -> Collection[str]:
        """The ids of all that was ever cited or rated."""
        return self._by_id.keys()

    def uses_of(self, id_: str) -> tuple[Use, ...]:
        """The uses of a memory that were cited or rated, the oldest first. A receipt and an id are one use, whatever is told of it."""
        uses: dict[tuple[str, ...], Use] = {}
        for number, (ts, event, then) in enumerate(self._by_id.get(id_, ())):
            receipt, session, rating = _receipt(event, then), text_in(event.get("session")), _rating(event)
            key = receipt, "" if receipt else str(number)
            earlier = uses.setdefault(key, Use(_show_time(receipt, ts), receipt, session))
            by = "words" if then in texts_in(event.get("words")) else "id"
            uses[key] = (
                earlier._replace(rating=rating)
                if event["event"] == "rated"
                else earlier._replace(cited=min(earlier.cited or by, by))
            )
        return tuple(sorted(uses.values()))

    @property
    def uses(self) -> Mapping[str, tuple[Use, ...]]:
        """The uses of each memory that was cited or rated."""
        return {id_: self.uses_of(id_) for id_ in self._by_id}

    def _of(self, event: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
        return ((ts, values) for ts, _, values in self._events if values["event"] == event)

    def _current_id(self, id_: str, since: str) -> str:
        """What a memory that had this id at a time is called by now."""
        if not self._moved:
            return id_
        note, mark, fragment = id_.partition("#")
        for ts, old, new in self._moved:
            if ts >= since and note == old:
                note = new
        return f"{note}{mark}{fragment}"


def read_events(data: bytes) -> LedgerEvents:
    """What whole lines of a ledger tell; a line that is no event is passed over, and one of what was shown is not parsed."""
    days, odd, telling = set[bytes](), list[bytes](), list[bytes]()
    for line in data.split(b"\n"):
        if head := _HEAD.match(line):
            days.add(head[2])
            if head[3] in TELLING:
                telling.append(line)
        elif line:  # not as we write it: by hand, or by another program
            odd.append(line)
    events, of_odd = list[tuple[str, bytes, Mapping[str, Any]]](), set[str]()
    for line, event in _read([*telling, *odd]):
        if head := _HEAD.match(line):
            events.append((head[1].decode(), line, event))
        elif ts := parse_timestamp(str(event.get("ts", ""))):
            of_odd.add(ts[:10])
            events.append((ts, line, event))
    names, all_days = {name.decode() for name in TELLING}, of_odd.union(day.decode() for day in days)
    return LedgerEvents(frozenset(all_days), tuple(row for row in events if row[2].get("event") in names))


def _read(lines: Sequence[bytes]) -> list[tuple[bytes, Mapping[str, Any]]]:
    """The events among these lines, all parsed at once unless one of them is broken."""
    with suppress(ValueError, RecursionError):
        events = json.loads(b"[" + b",".join(lines) + b"]")
        if len(events) == len(lines):
            return [
                (line, event) for line, event in zip(lines, events, strict=True) if isinstance(event, dict)
            ]
    return [(line, event) for line in lines if (event := json_object(line))]


def _rating(event: Mapping[str, Any]) -> int:
    """The rating that an event gives; 0 where it gives none."""
    rating = event.get("rating") if event["event"] == "rated" else 0
    return rating if type(rating) is int and 1 <= rating <= 5 else 0


def _receipt(event: Mapping[str, Any], id_: str) -> str:
    """The receipt of what had shown a memory, as an event tells."""
    others = event.get("receipts")
    return text_in(
        others.get(id_, "") if isinstance(others, dict) and id_ in others else event.get("receipt")
    )


def _show_time(receipt: str, time_told: str) -> str:
    """When a receipt was given out, which its name says; else when somebody told of the use."""
    if not RECEIPT.fullmatch(receipt):
        return time_told
    day, time = receipt[2:10], receipt[11:17]
    moment = f"{day[:4]}-{day[4:6]}-{day[6:]}T{time[:2]}:{time[2:4]}:{time[4:]}Z"
    return min(moment, time_told)


def _note(path: object) -> str:
    """The id that the path of a note gives it."""
    return path.removesuffix(".md") if isinstance(path, str) else ""
