"""Upkeep: the part of the nightly run that looks at what is there already. No model takes part, and nothing is deleted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from memoryclaw.config import Config
from memoryclaw.consolidation.apply import apply
from memoryclaw.consolidation.changes import ChangeSet, PlannedChange
from memoryclaw.consolidation.consolidate import Consolidated, Rehearse, hold_back, one_at_a_time
from memoryclaw.consolidation.proposals import fingerprint_of
from memoryclaw.errors import LockedError
from memoryclaw.lifecycle.expiry import expiries, superseding, unused_episodes
from memoryclaw.lifecycle.habits import habits
from memoryclaw.lifecycle.keeping import UPKEEP, Keeper, UpkeepContext, is_open
from memoryclaw.lifecycle.merges import merges
from memoryclaw.lifecycle.misses import missed_words
from memoryclaw.lifecycle.pages import refresh
from memoryclaw.lifecycle.practice import gotchas
from memoryclaw.lifecycle.revisions import revisions
from memoryclaw.vault.layout import run_id
from memoryclaw.vault.state_folder import mark, read_mark

UPKEPT = "upkept"  # in the state folder: the day on which the nightly run last did its upkeep
KEEPERS: tuple[Keeper, ...] = (
    expiries,
    superseding,
    gotchas,
    habits,
    missed_words,
    revisions,
    merges,
    unused_episodes,
)


def plan(context: UpkeepContext, keepers: Sequence[Keeper] | None = None) -> ChangeSet:
    """What upkeep would do and propose now: nothing that is done, that waits, or that a person has said no to or taken back."""
    changes: dict[str, PlannedChange] = {}
    for keeper in KEEPERS if keepers is None else keepers:
        for change in keeper(context):
            if is_open(context, change):
                changes.setdefault(fingerprint_of(change), change)
    digest = hashlib.sha256("\n".join(changes).encode()).hexdigest()
    run = run_id(UPKEEP, context.writing.now, digest[:6])
    return ChangeSet(run if changes else "", changes=tuple(changes.values()))


def upkeep(
    context: UpkeepContext,
    *,
    mode: str,
    loss_budget: float,
    keepers: Sequence[Keeper] | None = None,
    rehearse: Rehearse | None = None,
) -> Consolidated:
    """Makes the changes that time asks for, one commit each, and proposes what a person should decide.

    Args:
        mode: direct; in any other, all of it is proposed.
        keepers: who is asked; all of them if none are named.
        rehearse: says why files with some texts should wait; then all of it is proposed.

    Raises:
        BudgetError: a file would lose too much; nothing was written.
        HistoryError: git can take no commit now; nothing was written.
        LockedError: a consolidation is at work.
    """
    mode = "direct" if mode == "direct" else "propose"
    with one_at_a_time(context.writing.root):
        changes = hold_back(plan(context, keepers), mode, context.writing, rehearse)
        if not changes.changes:
            return Consolidated(changes, mode=mode)
        mode = "propose" if changes.held else mode
        applied = apply(context.writing, changes, mode=mode, loss_budget=loss_budget)
        return Consolidated(changes, applied, mode=mode)


def nightly(
    looking: Callable[..., UpkeepContext],
    state: str,
    config: Config,
    today: str,
    *,
    mode: str,
    due: bool,
    dry_run: bool,
    rehearse: Rehearse | None,
) -> Consolidated | None:
    """What upkeep did or proposed, or would do, and then stale pages; with `due` once a day, as a mark in the state folder tells.

    `looking` gives what keepers look at; with `planning`, of an index that is in line with the files.
    """
    if due and read_mark(state, UPKEPT) == today:
        return None
    context, mode = looking(planning=True), mode or config.mode
    if dry_run:
        changes = plan(context)
        return Consolidated(changes, mode=mode) if changes.changes else None
    try:
        run = upkeep(context, mode=mode, loss_budget=config.loss_budget, rehearse=rehearse)
    except LockedError:
        if not due:
            raise
        return None
    mark(state, UPKEPT, today)
    refresh(looking())
    return run if run.changes.changes else None
