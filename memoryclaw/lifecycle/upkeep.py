"""Upkeep: the part of the nightly run that looks at what is there already. No model takes part, and nothing is deleted."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memoryclaw.consolidation.apply import apply
from memoryclaw.consolidation.changes import ChangeSet, PlannedChange, outcome_of
from memoryclaw.consolidation.consolidate import Consolidated, one_at_a_time
from memoryclaw.consolidation.proposals import fingerprint_of, proposal
from memoryclaw.lifecycle.habits import habits
from memoryclaw.lifecycle.keeping import UPKEEP, Keeper, UpkeepContext
from memoryclaw.lifecycle.practice import gotchas
from memoryclaw.lifecycle.revisions import revisions
from memoryclaw.vault import files
from memoryclaw.vault.layout import run_id

KEEPERS: tuple[Keeper, ...] = (gotchas, habits, revisions)


def planned(context: UpkeepContext, keepers: Sequence[Keeper] | None = None) -> ChangeSet:
    """What upkeep would do and propose now: nothing that is done, that waits, or that a person has said no to or taken back."""
    found: dict[str, PlannedChange] = {}
    for keeper in KEEPERS if keepers is None else keepers:
        for change in keeper(context):
            if _is_open(context, change):
                found.setdefault(fingerprint_of(change), change)
    digest = hashlib.sha256("\n".join(found).encode()).hexdigest()
    run = run_id(UPKEEP, context.writing.now, digest[:6])
    return ChangeSet(run if found else "", changes=tuple(found.values()))


def _is_open(context: UpkeepContext, change: PlannedChange) -> bool:
    known_by, writing = fingerprint_of(change), context.writing
    if context.decisions.is_rejected(known_by) or context.decisions.is_undone(known_by):
        return False
    if files.exists(writing.root, proposal(change, "")[0]):
        return False
    outcome = outcome_of([change], writing.schema().collections, lambda path: writing.text(path) or None)
    return any(before != after for before, after in outcome.values())


def upkeep(
    context: UpkeepContext, *, mode: str, loss_budget: float, keepers: Sequence[Keeper] | None = None
) -> Consolidated:
    """Makes the changes that time asks for, one commit each, and proposes what a person should decide.

    Args:
        context: the vault and the moment.
        mode: direct; in any other, all of it is proposed.
        loss_budget: the share of a file's lines that it may lose at most.
        keepers: who is asked; all of them if none are named.

    Raises:
        BudgetError: a file would lose too much; nothing was written.
        HistoryError: git can take no commit now; nothing was written.
        LockedError: a consolidation is at work.
    """
    mode = "direct" if mode == "direct" else "propose"
    with one_at_a_time(context.writing.root):
        changes = planned(context, keepers)
        if not changes.changes:
            return Consolidated(changes, mode=mode)
        applied = apply(context.writing, changes, mode=mode, loss_budget=loss_budget)
        return Consolidated(changes, applied, mode=mode)
