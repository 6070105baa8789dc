"""Wires the parts of one open vault: the only place that builds adapters."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from memoryclaw import config as settings
from memoryclaw.errors import InputError, LockedError, VectorsError
from memoryclaw.index import sync
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import Index, open_index
from memoryclaw.index.stemming import language
from memoryclaw.index.sync import Freshness, Sync
from memoryclaw.ports import Progress
from memoryclaw.recall.answers import Answer, Recalled
from memoryclaw.recall.search import Searcher
from memoryclaw.vault.cookies import WAIT
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.state_folder import must_hold_no_link

if TYPE_CHECKING:
    from memoryclaw.app.doctor import Check
    from memoryclaw.capture.capture import Recorder
    from memoryclaw.index.vectors import Filled, Vectors, VectorStatus
    from memoryclaw.recall.vector_lane import VectorLane
    from memoryclaw.text.redaction import Gate
    from memoryclaw.vault.ledger import Ledger
    from memoryclaw.writing.context import WriteContext

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
        from memoryclaw.vault.ledger import Ledger  # noqa: PLC0415

        return Ledger(os.fspath(self.root))

    @cached_property
    def _recorder(self) -> Recorder:
        from memoryclaw.capture.capture import Recorder  # noqa: PLC0415
        from memoryclaw.capture.log_files import Logs  # noqa: PLC0415
        from memoryclaw.text.redaction import Redactor  # noqa: PLC0415
        from memoryclaw.writing.secret_gate import secret_key  # noqa: PLC0415

        kept = secret_key(os.fspath(settings.key_folder(os.environ)))
        return Recorder(Logs(os.fspath(self.root)), Redactor(kept.key), self.clock, notice=kept.notice)

    def _fresh(self) -> Freshness:
        return sync.fresh(self._sync(), self.index, self._state, wait=self._patience)

    def _answered(self, verb: Callable[[], A]) -> A:
        started = time.perf_counter()
        fresh, synced, answer = sync.healed(self.index, lambda: (self._fresh(), time.perf_counter(), verb()))
        timings = {"fresh": _ms(synced - started), "answer": _ms(time.perf_counter() - synced)}
        degraded = "; ".join(filter(None, (fresh.degraded, answer.degraded)))
        return replace(answer, degraded=degraded, behind=fresh.behind, timings_ms=timings)

    def _looked(self, verb: Callable[[], T]) -> T:
        self.freshness, found = sync.healed(self.index, lambda: (self._fresh(), verb()))
        return found

    def _written(self, verb: Callable[..., T], *said: Any, as_is: bool = False, standing: str = "") -> T:
        """Carries out a verb with a context.

        Args:
            verb: takes the context, then each of `said` without its secrets.
            said: everything that somebody said and that will be written; it has no other way to the verb.
            as_is: a person at the command line means what they typed.
            standing: text of the vault that was given out to be changed; what it holds may stay.
        """
        from memoryclaw.writing.secret_gate import secret_gate  # noqa: PLC0415

        gate = secret_gate(as_is=as_is)
        clean = [gate.value(one, standing=standing) for one in said]
        self._fresh()
        return _noticed(verb(self._write_context(gate), *clean), gate.notice)

    def _write_context(self, gate: Gate) -> WriteContext:
        from memoryclaw.writing.context import (  # noqa: PLC0415
            Templates,
            WriteContext,
        )

        return WriteContext(
            root=os.fspath(self.root),
            lookup=self.catalog,
            templates=Templates(gate.message),
            now=self.clock(),
            new_id=new_id,
            gate=gate,
        )

    def _receipted(self, answer: Recalled, session: str) -> Recalled:
        receipt = f"r-{self.clock():%Y%m%dt%H%M%S}-{new_id()}"
        values = {
            "receipt": receipt,
            "session": self._named(session),
            "mode": "recall",
            "ids": [m.unit.id for m in answer.matches],
        }
        trouble = self.ledger.append("shown", values, self.clock()) if answer.matches else ""
        notices = (*answer.notices, trouble) if trouble else answer.notices
        return replace(answer, receipt=receipt, notices=notices)

    def _named(self, session: str) -> str:
        """A session as it may be written; hosts choose the name."""
        from memoryclaw.writing.secret_gate import secret_gate  # noqa: PLC0415 - a recall without one has nothing to hide

        return secret_gate().text(session) if session else ""

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
        today = today or self.clock().astimezone(UTC).date()
        return Searcher(self.index, self.catalog, today, self._lane(), self._approved)

    def _approved(self) -> frozenset[str]:
        from memoryclaw.skills.listing import approved_files  # noqa: PLC0415

        return approved_files(os.fspath(self.root))

    @property
    def _has_vectors(self) -> bool:
        return bool(self.config.fallback == "vector")

    @cached_property
    def _vectors(self) -> Vectors:
        from memoryclaw.index.vector_store import VectorStore  # noqa: PLC0415
        from memoryclaw.index.vectors import (  # noqa: PLC0415
            Vectors,
            embedder_of,
        )

        store = VectorStore(self._state, self.config.vector_model)
        return Vectors(store, embedder_of(self.config), self.catalog)

    def _lane(self) -> VectorLane | None:
        if not self._has_vectors:
            return None
        from memoryclaw.recall.vector_lane import FallbackPolicy, VectorLane  # noqa: PLC0415

        config = self.config
        manner = FallbackPolicy(config.min_primary_results, config.min_coverage, config.blend_strategy)
        return VectorLane(self._vectors, self.catalog, manner)


def _noticed(done: T, notice: str) -> T:
    """What a verb did, and what the gate says of it; a verb whose answer has no place for it took nothing in."""
    if notice and isinstance(done, tuple) and hasattr(done, "notice"):
        told = "; ".join(filter(None, (done.notice, notice)))
        return cast("T", done._replace(notice=told))  # type: ignore[attr-defined]
    return done


def new_id() -> str:
    """Six random hex digits."""
    import secrets  # noqa: PLC0415 - a search needs none, and it costs a third of Click

    return secrets.token_hex(3)


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 2)


# ── The verb of doors that label what they hand on.


class Trusting(Wiring):
    """How far things of the vault are to be trusted."""

    def trust_of(self, paths: Iterable[str]) -> dict[str, str]:
        """The trust of each of these files that is known; asked after a verb that read them, so it looks at no disk."""
        from memoryclaw.recall.browsing import trust_of  # noqa: PLC0415

        return trust_of(self.catalog, paths)


# ── The verbs around vectors, which exist only where the settings ask for them (`retrieval.fallback:
# vector`).


class Vectoring(Wiring):
    """Vectors for what words do not find."""

    def fill_vectors(
        self,
        *,
        progress: Progress | None = None,
        stopping: Callable[[], bool] = lambda: False,
        thorough: bool = True,
    ) -> Filled:
        """Makes the vectors that are missing, a batch at a time; what is made stays.

        Args:
            progress: told (done, total) after each batch.
            stopping: asked before each batch; True ends the work there.
            thorough: looks first whether what is there is whole; else only when damage was met.
        """
        if not self._has_vectors:
            raise InputError(
                "no vectors are wanted here; write `fallback: vector` below `retrieval:` in memoryclaw.yaml"
            )

        def work() -> Filled:
            # An index that is not what the files are would have vectors dropped that are still wanted.
            if behind := self._fresh().degraded:
                raise VectorsError(f"no vectors can be made now: {behind}")
            return self._vectors.fill(progress, stopping, thorough=thorough)

        return sync.healed(self.index, work)

    def _vectors_follow(self) -> None:
        """Wipes out the vectors of what is gone; a fill that is under way does it itself."""
        if self._has_vectors:
            with suppress(LockedError, VectorsError):
                self._vectors.forget_gone()

    def _vectors_stand(self) -> tuple[VectorStatus | None, str]:
        """How they stand, and what is wrong with them."""
        if not self._has_vectors:
            return None, ""
        try:
            return self._vectors.standing(), ""
        except VectorsError as error:
            from memoryclaw.index.vectors import VectorStatus  # noqa: PLC0415

            units = self.index.size()[0]
            return VectorStatus(self.config.vector_model, units, units), str(error)

    def _vectors_checked(self) -> list[Check]:
        if not self._has_vectors:
            return []
        from memoryclaw.app.doctor import check  # noqa: PLC0415

        return [check(self._vectors)]
