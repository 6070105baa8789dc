"""How a vault grows, how it is used, and what waits in it for how long. Looks only."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from memoryclaw.consolidation.changes import SPEAKERS
from memoryclaw.consolidation.consolidate import ConsolidationContext, unread_logs
from memoryclaw.errors import MemoryClawError
from memoryclaw.index.catalog import Catalog
from memoryclaw.recall.strength import Strengths
from memoryclaw.review.queue import ReviewItem
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import json_object
from memoryclaw.vault import files
from memoryclaw.vault.ledger import FOLDER
from memoryclaw.vault.ledger_usage import LedgerUsage

LATE = 48  # hours that turns may wait before somebody is told
MONTHS = 12  # that are shown
_RUN_TIME = re.compile(r"-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)-")


class Waits(NamedTuple):
    """How much of one kind waits, since when (ISO, UTC; empty when it cannot be told), and for how many hours."""

    number: int = 0
    since: str = ""
    hours: int = 0


NONE_WAITS = Waits()


class Month(NamedTuple):
    """What came into a vault in one month, and how often it was asked and rated."""

    month: str  # 2026-04
    episodes: int = 0
    facts: int = 0
    turns: int = 0
    recalls: int = 0
    ratings: int = 0


class Stats(NamedTuple):
    """The figures of a vault."""

    notes: dict[str, int]  # kind → notes
    facts: int  # that hold now, statements included
    turns: int
    months: tuple[Month, ...]  # the last ones, newest first, each in which something happened
    recalls: int
    ratings: int
    rating: float  # the mean of all ratings; 0 without one
    shown: tuple[tuple[str, int], ...]  # the ids that recalls brought up most often
    cited: int  # uses that an assistant's reply gave away
    hottest: tuple[tuple[str, float], ...]  # the ids that use has made strongest, each with its strength
    waiting: Waits  # turns that no consolidation has read
    review: Waits  # things that wait for a person


def waiting_turns(begin: Callable[[], ConsolidationContext]) -> Waits:
    """How many turns of people and assistants no consolidation has read; none where that cannot be told."""
    try:
        context = begin()
        logs = unread_logs(context)
    except MemoryClawError:
        return Waits()  # git, a file or the clock is in no state to be asked; the rest of the status says so
    turns = [turn for log in logs for turn in log.turns if turn.role in SPEAKERS]
    return _waits(len(turns), [turn.ts for turn in turns], context.writing.now)


def waiting_items(items: Sequence[ReviewItem], now: datetime) -> Waits:
    """How many things wait for a person."""
    times = []
    for item in items:
        hit = _RUN_TIME.search(item.run)
        started = "{}-{}-{}T{}:{}:{}Z".format(*hit.groups()) if hit else ""
        times.append(started or (item.fact.since if item.fact else ""))
    return _waits(len(items), times, now)


def stats(  # noqa: PLR0917
    root: str, catalog: Catalog, waiting: Waits, review: Waits, record: LedgerUsage, today: date
) -> Stats:
    """The figures of a vault, from its index and its ledger."""
    months: dict[str, Counter[str]] = defaultdict(Counter)
    for name, sql in _GROWTH.items():
        for month, count in catalog.rows(sql):
            months[str(month)][name] += int(count)
    ids_shown, ratings = Counter[str](), list[int]()
    recalls = 0
    for event in _events(root):
        month = parse_timestamp(str(event.get("ts", "")))[:7]
        if event.get("event") == "shown":
            recalls += 1
            months[month]["recalls"] += 1
            ids = event.get("ids")
            ids_shown.update(map(str, ids if isinstance(ids, list) else ()))
        elif event.get("event") == "rated" and isinstance(rating := event.get("rating"), int):
            ratings.append(rating)
            months[month]["ratings"] += 1
    rows = [Month(month, **months[month]) for month in sorted(filter(None, months), reverse=True)]
    kinds = {str(kind): int(count) for kind, count in catalog.rows(_KINDS)}
    facts, turns = (int(catalog.rows(sql)[0][0]) for sql in (_FACTS, _TURNS))
    mean = round(sum(ratings) / len(ratings), 2) if ratings else 0.0
    strengths = Strengths(record, today, catalog.merged_ids())
    used = catalog.rows(_USED, [json.dumps(sorted(strengths.ids))])
    values = [(str(id_), round(strengths.of(str(id_), str(kind)).value, 2)) for id_, kind in used]
    hot = [(id_, value) for id_, value in values if value > 1]
    hottest = tuple(sorted(hot, key=lambda hot_note: (-hot_note[1], hot_note[0]))[:5])
    often = tuple(sorted(ids_shown.items(), key=lambda hot_note: (-hot_note[1], hot_note[0]))[:5])
    return Stats(
        kinds, facts, turns, tuple(rows[:MONTHS]), recalls, len(ratings), mean, often,
        sum(bool(use.cited) for uses in record.uses.values() for use in uses), hottest, waiting, review,
    )  # fmt: skip


_KINDS = "select kind, count(*) from files where kind != 'settings' group by kind order by kind"
_USED = "select id, min(kind) from units where state = 'current' and id in (select value from json_each(?)) group by id"
_FACTS = "select count(*) from fact where current = 1"
_TURNS = "select count(*) from unit where kind = 'turn'"
_GROWTH = {
    "episodes": "select substr(at, 1, 7), count(*) from files where kind = 'episode' and at != '' group by 1",
    "facts": "select substr(coalesce(nullif(since, ''), said), 1, 7), count(*) from fact where coalesce(nullif(since, ''), said) != '' group by 1",
    "turns": "select substr(at, 1, 7), count(*) from unit where kind = 'turn' and at != '' group by 1",
}


def _events(root: str) -> Iterator[dict[str, Any]]:
    """The events of the ledger; a line that is none is passed over."""
    for path in files.list_files(root, FOLDER):
        data = files.data_at(root, path) if path.endswith(".jsonl") else None
        for line in (data or b"").splitlines():
            if event := json_object(line):
                yield event


def _waits(count: int, times: Iterable[str], now: datetime) -> Waits:
    since = min(filter(None, map(parse_timestamp, times)), default="")
    if not since:
        return Waits(count)
    begun = datetime.fromisoformat(since)
    begun = begun if begun.tzinfo else begun.replace(tzinfo=UTC)
    return Waits(count, since, max(int((now - begun).total_seconds() // 3600), 0))
