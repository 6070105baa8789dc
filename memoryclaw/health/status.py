"""How a vault stands: files, index, git, watcher. Looks only: it never syncs, so `behind` is what a sync would find."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from memoryclaw.config import Config
from memoryclaw.consolidation.changes import SPEAKERS
from memoryclaw.consolidation.consolidate import ConsolidationContext, unread_logs
from memoryclaw.errors import (
    HistoryError,
    IndexBusyError,
    IndexDamagedError,
    MemoryClawError,
    VaultError,
    VectorsError,
)
from memoryclaw.history.git import UNSIGNED, damage, other_locks, wants_signatures
from memoryclaw.history.repository import History, Logged
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import Index
from memoryclaw.index.sync import Sync
from memoryclaw.late import NamedTuple
from memoryclaw.model import Problem
from memoryclaw.recall.strength import Strengths
from memoryclaw.review.queue import ReviewItem
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.vault.folder import Scan
from memoryclaw.vault.layout import place_of
from memoryclaw.vault.ledger import Ledger
from memoryclaw.vault.properties import source_of_day

if TYPE_CHECKING:  # most vaults have no vectors
    from memoryclaw.index.vectors import Vectors, VectorStatus


class GitReport(NamedTuple):
    """The state of the vault's repository, in one sentence, and the last machine commit in it."""

    state: str
    sentence: str
    last: Logged | None = None


class IndexReport(NamedTuple):
    """What the index is and holds."""

    engine: str
    language: str
    path: str
    bytes: int
    notes: int
    units: int


# How a vault grows, how it is used, and what waits in it for how long. Looks only.

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


def stats(catalog: Catalog, waiting: Waits, review: Waits, ledger: Ledger, today: date) -> Stats:
    """The figures of a vault, from its index and its ledger."""
    months: dict[str, Counter[str]] = defaultdict(Counter)
    for name, sql in _GROWTH.items():
        for month, count in catalog.rows(sql):
            months[str(month)][name] += int(count)
    ids_shown, ratings = Counter[str](), list[int]()
    recalls = ledger.events_of("shown")
    for event in recalls:
        months[parse_timestamp(str(event.get("ts", "")))[:7]]["recalls"] += 1
        ids = event.get("ids")
        ids_shown.update(map(str, ids if isinstance(ids, list) else ()))
    for event in ledger.events_of("rated"):
        if isinstance(rating := event.get("rating"), int):
            ratings.append(rating)
            months[parse_timestamp(str(event.get("ts", "")))[:7]]["ratings"] += 1
    rows = [Month(month, **months[month]) for month in sorted(filter(None, months), reverse=True)]
    kinds = {str(kind): int(count) for kind, count in catalog.rows(_KINDS)}
    facts, turns = (int(catalog.rows(sql)[0][0]) for sql in (_FACTS, _TURNS))
    mean = round(sum(ratings) / len(ratings), 2) if ratings else 0.0
    record = ledger.record()
    strengths = Strengths(record, today, catalog.merged_ids())
    used = catalog.rows(_USED, [json.dumps(sorted(strengths.ids))])
    values = [(str(id_), round(strengths.of(str(id_), str(kind)).value, 2)) for id_, kind in used]
    hot = [(id_, value) for id_, value in values if value > 1]
    hottest = tuple(sorted(hot, key=lambda hot_note: (-hot_note[1], hot_note[0]))[:5])
    often = tuple(sorted(ids_shown.items(), key=lambda hot_note: (-hot_note[1], hot_note[0]))[:5])
    return Stats(
        kinds, facts, turns, tuple(rows[:MONTHS]), len(recalls), len(ratings), mean, often,
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


def _waits(count: int, times: Iterable[str], now: datetime) -> Waits:
    since = min(filter(None, map(parse_timestamp, times)), default="")
    if not since:
        return Waits(count)
    begun = datetime.fromisoformat(since)
    begun = begun if begun.tzinfo else begun.replace(tzinfo=UTC)
    return Waits(count, since, max(int((now - begun).total_seconds() // 3600), 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How a vault stands now."""

    vault: str
    notes: dict[str, int]  # kind → files on disk
    days: dict[str, int] = field(default_factory=dict)  # of plain notes: where it stands → notes
    behind: int
    problems: tuple[Problem, ...]
    degraded: str
    ignored: tuple[str, ...]
    git: GitReport
    waiting: Waits = NONE_WAITS  # turns that no consolidation has read
    daemon: int | None  # process id of a live watcher
    index: IndexReport
    vectors: VectorStatus | None = None  # where the settings want some
    notices: tuple[str, ...] = ()


def status(
    sync: Sync,
    index: Index,
    catalog: Catalog,
    config: Config,
    *,
    daemon: int | None,
    waiting: Waits,
    announced: Sequence[str],
    vectors: Vectors | None,
) -> Status:
    """How the vault stands, found without changing anything; `daemon` is the process id of a live watcher."""
    scan, degraded, days, problems = Scan({}, [], [], {}), "", Counter[str](), list[Problem]()
    behind, notes, units = 0, 0, 0
    try:
        problems = catalog.problems()
        days = Counter(source_of_day(*row) for row in catalog.dated_notes())
        notes, (units, _) = catalog.files(), index.size()
        changed, scan = sync.behind()
        behind = sync.lag(changed, scan)
    except (IndexBusyError, IndexDamagedError, VaultError, VectorsError) as error:
        degraded = str(error)
    kinds = Counter(place.kind for path in scan.files if (place := place_of(path)))
    notices = [*config.notices, *announced]
    if waiting.hours > LATE:
        notices.append(
            f"{waiting.number:,} turns wait to be consolidated, the oldest since {waiting.since[:10]}; "
            "run `memoryclaw consolidate`, or `memoryclaw consolidate schedule install` for every night"
        )
    vector_status = None
    if vectors:
        try:
            vector_status = vectors.standing()
        except VectorsError as error:
            from memoryclaw.index.vectors import VectorStatus  # noqa: PLC0415 - most vaults have no vectors

            vector_status = VectorStatus(config.vector_model, index.size()[0], index.size()[0])
            notices.append(str(error))
    size = index.database.bytes()
    return Status(
        vault=str(config.root), notes=dict(sorted(kinds.items())), behind=behind,
        problems=tuple(sorted({*problems, *scan.problems})), degraded=degraded,
        ignored=tuple(sorted(scan.ignored)), git=git_report(History(str(config.root))), daemon=daemon,
        index=IndexReport(config.engine, config.language, index.database.place, size, notes, units),
        notices=tuple(notices), days=dict(sorted(days.items())), waiting=waiting, vectors=vector_status,
    )  # fmt: skip


def git_report(history: History) -> GitReport:
    """The state of the vault's own repository and its newest machine commit."""
    state = history.state()
    locks = other_locks(history.root, state) if state.writable else []
    sentence = f"{state.sentence}, but {locks[0]}" if locks else state.sentence
    if state.writable and wants_signatures(state.git_dir):
        sentence += f"; {UNSIGNED}"
    if state.name in ("none", "bare", "unborn", "damaged"):
        return GitReport(state.name, sentence)
    try:
        limits = ("--max-count=1", "--grep=^Run: ", "HEAD", *history.limits)
        commit = history.git.asks("rev-list", *limits)[1].decode().strip()
        last = history.read(commit) if commit else None
    except HistoryError as error:
        return GitReport("damaged", damage(f"{error}; `memoryclaw check` says more"))
    return GitReport(state.name, sentence, last)
