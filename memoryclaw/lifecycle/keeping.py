"""What a keeper is: it looks at the files, the ledger and the clock, and says what should become of which memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.index.catalog import Catalog
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.ledger import Ledger
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import Decisions

UPKEEP = "upkeep"  # the verb of its runs


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepContext:
    """What a keeper looks at; it writes nothing itself."""

    writing: WriteContext
    vault: Vault
    catalog: Catalog
    ledger: Ledger
    decisions: Decisions


# A change with a reason waits for a yes or a no, one without is made. The order decides which of two that touch the same file comes first.
Keeper = Callable[[UpkeepContext], Iterable[PlannedChange]]
