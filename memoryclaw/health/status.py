"""How a vault stands: files, index, git, watcher. Looks only: it never syncs, so `behind` is what a sync would find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memoryclaw.config import Config
from memoryclaw.errors import HistoryError, IndexBusyError, IndexDamagedError, VaultError, VectorsError
from memoryclaw.health.stats import LATE, NONE_WAITS, Waits
from memoryclaw.history.git import UNSIGNED, damage, other_locks, wants_signatures
from memoryclaw.history.repository import History, Logged
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import Index
from memoryclaw.index.sync import Sync
from memoryclaw.model import Problem
from memoryclaw.vault.days import source_of_day
from memoryclaw.vault.folder import Scan
from memoryclaw.vault.layout import place_of

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
