"""The front desk: opens a vault, wires the parts, one method per verb. The only place that builds adapters."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path

from memoryclaw import config as settings
from memoryclaw.adapters.catalog import Catalog
from memoryclaw.adapters.index import Index, open_index
from memoryclaw.adapters.ledger import Ledger
from memoryclaw.adapters.stemming import language
from memoryclaw.adapters.vault import Vault
from memoryclaw.core.errors import InputError, NotFoundError
from memoryclaw.core.model import Fact, Match
from memoryclaw.core.places import STATE_DIR
from memoryclaw.jobs import browsing, freshness
from memoryclaw.jobs.answers import Answer, Recalled
from memoryclaw.jobs.freshness import Freshness
from memoryclaw.jobs.recall import recall
from memoryclaw.jobs.search import Searcher, search
from memoryclaw.jobs.sync import Progress, Sync, Synced

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """The time in UTC; `$MEMORYCLAW_NOW` sets it, so that answers can be repeated."""
    fixed = os.environ.get("MEMORYCLAW_NOW")
    if not fixed:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(fixed.replace("Z", "+00:00"))
    except ValueError:
        raise InputError(f"MEMORYCLAW_NOW is {fixed!r}; give an ISO time such as 2026-03-01T12:00:00Z") from None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def open_vault(path: str | os.PathLike[str] | None = None, *, clock: Clock = system_clock) -> App:
    """Opens the vault at `path`, or the one that the command line would choose in this folder.

    Raises:
        VaultError: there is no folder there.
        ConfigError: its memoryclaw.yaml cannot be used.
    """
    root = settings.find_root(os.fspath(path) if path is not None else None, dict(os.environ), Path.cwd())
    return App(root, clock=clock)


class App:
    """One open vault.

    Args:
        root: the vault's folder.
        clock: tells the time; everything that depends on it asks here.
    """

    def __init__(self, root: Path, *, clock: Clock = system_clock) -> None:
        self.root = root
        self.clock = clock
        self.vault = Vault(root)
        self.vault.must_exist()
        self.config = settings.load(root)

    @cached_property
    def index(self) -> Index:
        """The index, opened or made on first use."""
        return open_index(settings.state_folder(self.root), engine=self.config.engine, language=language(self.config.language))

    @cached_property
    def catalog(self) -> Catalog:
        """The index's tables, for reading."""
        return Catalog(self.index.database)

    @cached_property
    def ledger(self) -> Ledger:
        """The usage record."""
        return Ledger(self.root, clock=self.clock)

    @property
    def today(self) -> date:
        """The clock's UTC day; ranking knows no finer time."""
        return self.clock().astimezone(UTC).date()

    def search(self, query: str, *, kind: str = "", limit: int = 10) -> Answer:
        """Ranked matches for a question or a query, explained; leaves no trace."""
        return self._fresh(lambda: search(self._searcher(), _with_kind(query, kind), limit=limit))

    def recall(self, query: str, *, goal: str = "", session: str = "", budget: int | None = None) -> Recalled:
        """What a host should paste into a prompt for this question, within the budget; noted in the ledger."""
        tokens = self.config.budget if budget is None else budget
        if tokens < settings.LEAST_BUDGET:
            raise InputError(f"a budget of {tokens} tokens holds nothing; give at least {settings.LEAST_BUDGET}")
        answer = self._fresh(
            lambda: recall(
                self._searcher(), query, goal=goal, session=session, budget=tokens, max_results=self.config.max_results
            )
        )
        return answer.with_receipt(self.ledger.shown([m.unit.id for m in answer.matches], session=session))

    def show(self, id_: str) -> browsing.Shown:
        """The lines of a note, section, fact or turn as they stand in their file."""
        return self._fresh_read(lambda: browsing.show(id_, self.catalog, self.vault))

    def browse(self, *, kind: str = "", state: str = "current", limit: int = 50) -> list[browsing.Listed]:
        """Notes, pinned ones first, then the newest."""
        return self._fresh_read(lambda: browsing.browse(self.catalog, kind=kind, state=state, limit=limit))

    def facts(self, entity: str = "", *, as_of: date | None = None, history: bool = False) -> list[tuple[str, Fact]]:
        """Facts with the path of their file; those that hold now, held on a day, or all."""
        return self._fresh_read(lambda: browsing.facts(self.catalog, entity=entity, as_of=as_of, history=history))

    def links(self, id_: str) -> tuple[list[browsing.LinkEnd], list[browsing.LinkEnd]]:
        """The links that a note holds, and those of other notes that lead to it."""
        return self._fresh_read(lambda: (browsing.links_out(id_, self.catalog), browsing.links_back(id_, self.catalog)))

    def sync(self, progress: Progress | None = None) -> Synced:
        """Brings the index in line with the files now."""
        return freshness.healed(self.index, lambda: self._sync(progress).run())

    def reindex(self, progress: Progress | None = None) -> Synced:
        """Throws the index away and builds it again from the files."""
        self.vault.scan()
        self.index.discard()
        return self.sync(progress)

    def close(self) -> None:
        """Closes the index."""
        self.index.database.close()

    def _sync(self, progress: Progress | None = None) -> Sync:
        return Sync(self.vault, self.index, renamed=self.ledger.renamed, progress=progress)

    def _searcher(self) -> Searcher:
        return Searcher(self.index, self.catalog, self.today)
