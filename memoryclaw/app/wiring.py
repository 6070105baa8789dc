"""Wires the parts of one open vault: the only place that builds adapters."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memoryclaw import config as settings
from memoryclaw.adapters.catalog import Catalog
from memoryclaw.adapters.cookies import WAIT
from memoryclaw.adapters.index import Index, open_index
from memoryclaw.adapters.statefolder import must_hold_no_link
from memoryclaw.adapters.stemming import language
from memoryclaw.adapters.vault import Vault
from memoryclaw.core.errors import InputError
from memoryclaw.core.ports import Progress
from memoryclaw.jobs import freshness
from memoryclaw.jobs.answers import Answer, Recalled
from memoryclaw.jobs.freshness import Freshness
from memoryclaw.jobs.search import Searcher
from memoryclaw.jobs.sync import Sync

if TYPE_CHECKING:  # the rest is imported by the verb that needs it: a search must start fast
    from memoryclaw.adapters.ledger import Ledger
    from memoryclaw.jobs.capture import Recorder
    from memoryclaw.jobs.pen import Pen
    from memoryclaw.jobs.vectorlane import VectorLane
    from memoryclaw.jobs.vectors import Vectors

Clock = Callable[[], datetime]
T = TypeVar("T")
A = TypeVar("A", bound=Answer)


def system_clock() -> datetime:
    """The time in UTC; `$MEMORYCLAW_NOW` sets it, so that answers can be repeated."""
    fixed = os.environ.get("MEMORYCLAW_NOW")
    if not fixed:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(fixed)
    except ValueError:
        raise InputError(
            f"MEMORYCLAW_NOW is {fixed!r}; give an ISO time such as 2026-03-01T12:00:00Z"
        ) from None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


class Wiring:
    """One vault's files, settings, index, ledger and clock, each opened on first use."""

    def __init__(
        self,
        root: Path,
        *,
        clock: Clock = system_clock,
        progress: Progress | None = None,
        patience: float = WAIT,
    ) -> None:
        self.root = root
        self.clock = clock
        self.vault = Vault(root)
        self.vault.must_exist()
        must_hold_no_link(settings.state_folder(root))
        self.config = settings.load(root)
        self._progress = progress
        self._patience = patience
        self.freshness = Freshness()  # of the last look around

    @cached_property
    def _state(self) -> Path:
        return settings.state_folder(self.root)

    @cached_property
    def index(self) -> Index:
        """The index, opened or made on first use."""
        return self._index_in(self._state)

    @cached_property
    def catalog(self) -> Catalog:
        """The index's tables, for reading."""
        return Catalog(self.index.database)

    @cached_property
    def ledger(self) -> Ledger:
        """The usage record."""
        from memoryclaw.adapters.ledger import Ledger  # noqa: PLC0415

        return Ledger(os.fspath(self.root))

    @cached_property
    def _recorder(self) -> Recorder:
        from memoryclaw.adapters.logs import Logs  # noqa: PLC0415
        from memoryclaw.adapters.secretkey import secret_key  # noqa: PLC0415
        from memoryclaw.core.redaction import Redactor  # noqa: PLC0415
        from memoryclaw.jobs.capture import Recorder  # noqa: PLC0415

        kept = secret_key(os.fspath(settings.key_folder(os.environ)))
        return Recorder(Logs(os.fspath(self.root)), Redactor(kept.key), self.clock, notice=kept.notice)

    def _fresh(self) -> Freshness:
        return freshness.fresh(self._sync(), self.index, self._state, wait=self._patience)

    def _answered(self, verb: Callable[[], A]) -> A:
        started = time.perf_counter()
        fresh, synced, answer = freshness.healed(
            self.index, lambda: (self._fresh(), time.perf_counter(), verb())
        )
        timings = {"fresh": _ms(synced - started), "answer": _ms(time.perf_counter() - synced)}
        degraded = "; ".join(filter(None, (fresh.degraded, answer.degraded)))
        return replace(answer, degraded=degraded, behind=fresh.behind, timings_ms=timings)

    def _looked(self, verb: Callable[[], T]) -> T:
        self.freshness, found = freshness.healed(self.index, lambda: (self._fresh(), verb()))
        return found

    def _written(self, verb: Callable[[Pen], T]) -> T:
        self._fresh()
        return verb(self._pen())

    def _pen(self) -> Pen:
        from memoryclaw.adapters.templates import Templates  # noqa: PLC0415
        from memoryclaw.jobs.pen import Pen  # noqa: PLC0415

        return Pen(
            root=os.fspath(self.root),
            lookup=self.catalog,
            templates=Templates(),
            now=self.clock(),
            new_id=new_id,
        )

    def _receipted(self, answer: Recalled, session: str) -> Recalled:
        receipt = f"r-{self.clock():%Y%m%dt%H%M%S}-{new_id()}"
        values = {
            "receipt": receipt,
            "session": session,
            "mode": "recall",
            "ids": [m.unit.id for m in answer.matches],
        }
        trouble = self.ledger.append("shown", values, self.clock()) if answer.matches else ""
        notices = (*answer.notices, trouble) if trouble else answer.notices
        return replace(answer, receipt=receipt, notices=notices)

    def _renamed(self, old: str, new: str) -> None:
        self.ledger.append("renamed", {"from": old, "to": new}, self.clock())

    def _index_in(self, folder: Path) -> Index:
        return open_index(folder, engine=self.config.engine, language=language(self.config.language))

    def _sync(self) -> Sync:
        return Sync(self.vault, self.index, renamed=self._renamed, progress=self._progress)

    def _rebuilt(self, folder: Path) -> Index:
        index = self._index_in(folder)
        Sync(self.vault, index, progress=self._progress).run()
        return index

    def _searcher(self, today: date | None = None) -> Searcher:
        return Searcher(self.index, self.catalog, today or self.clock().astimezone(UTC).date(), self._lane())

    @property
    def _has_vectors(self) -> bool:
        return bool(self.config.fallback == "vector")

    @cached_property
    def _vectors(self) -> Vectors:
        from memoryclaw.adapters.vectorstore import VectorStore  # noqa: PLC0415
        from memoryclaw.jobs.embedding import embedder_of  # noqa: PLC0415
        from memoryclaw.jobs.vectors import Vectors  # noqa: PLC0415

        store = VectorStore(self._state, self.config.vector_model)
        return Vectors(store, embedder_of(self.config), self.catalog)

    def _lane(self) -> VectorLane | None:
        if not self._has_vectors:
            return None
        from memoryclaw.jobs.vectorlane import Manner, VectorLane  # noqa: PLC0415

        config = self.config
        manner = Manner(config.min_primary_results, config.min_coverage, config.blend_strategy)
        return VectorLane(self._vectors, self.catalog, manner)


def new_id() -> str:
    """Six random hex digits."""
    import secrets  # noqa: PLC0415 - a search needs none, and it costs a third of Click

    return secrets.token_hex(3)


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 2)
