"""What a keeper is: it looks at the files, the ledger and the clock, and says what should become of which memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from memoryclaw.consolidation.actions import Action
from memoryclaw.consolidation.changes import PlannedChange, fingerprint_of, outcome_of, proposal
from memoryclaw.index.catalog import Catalog
from memoryclaw.model import Fact
from memoryclaw.text.encoding import decode, lines_of, readable
from memoryclaw.text.memory_lines import sources_in
from memoryclaw.vault import files
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


def resting(context: UpkeepContext, action: Action) -> Action | None:
    """The action with what its file says now as its basis; None where the index knows another text of it: another night asks again."""
    path = action.paths[0]
    data = files.data_at(context.writing.root, path)
    rows = context.catalog.rows("select digest from files where path = ?", (path,))
    if data is None or rows != [(hashlib.sha256(data).digest(),)]:
        return None
    basis = action.rests_on(decode(data).text, context.writing.schema().collections)
    return replace(action, basis=basis)


# A change with a reason waits for a yes or a no, one without is made. The order decides which of two that touch the same file comes first.
Keeper = Callable[[UpkeepContext], Iterable[PlannedChange]]


def is_open(context: UpkeepContext, change: PlannedChange) -> bool:
    """True for a change that is not done, does not wait, and was not refused or taken back."""
    known_by, writing = fingerprint_of(change), context.writing
    if context.decisions.is_rejected(known_by) or context.decisions.is_undone(known_by):
        return False
    if files.exists(writing.root, proposal(change, "")[0]):
        return False
    outcome = outcome_of([change], writing.schema().collections, lambda path: writing.text(path) or None)
    return any(before != after for before, after in outcome.values())


# Where facts were said: the lines of episodes that their own lines name. The index knows the episodes alone.


class FactPlaces:
    """The places of facts; each file is read once."""

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._files: dict[str, list[str]] = {}

    def of(self, path: str, fact: Fact) -> list[str]:
        """The sources of a fact as its line has them, with their blocks: `episode#^l3`."""
        if path not in self._files:
            self._files[path] = lines_of(readable(self._context.text(path)))
        lines = self._files[path]
        return list(sources_in(lines[fact.line - 1])) if 0 < fact.line <= len(lines) else []
