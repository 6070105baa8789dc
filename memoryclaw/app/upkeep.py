"""Upkeep of the nightly run: what time asks of the memories that are there, and the pages that are stale."""

from __future__ import annotations

import os
from contextlib import suppress

from memoryclaw import config as settings
from memoryclaw.app.context import VaultContext
from memoryclaw.app.views import refresh
from memoryclaw.consolidation.consolidate import Consolidated, Rehearse
from memoryclaw.errors import LockedError
from memoryclaw.lifecycle import upkeep as lifecycle


def upkeep(
    context: VaultContext, mode: str, *, due: bool, dry_run: bool, rehearse: Rehearse
) -> Consolidated | None:
    """What upkeep did or proposed, or would do; a run that looks whether it is due does it once a day."""
    today, mode = context.today.isoformat(), mode or context.config.mode
    if due and _last_day(context) == today:
        return None
    looking = context.looking(planning=True)
    if dry_run:
        changes = lifecycle.plan(looking)
        return Consolidated(changes, mode=mode) if changes.changes else None
    try:
        run = lifecycle.upkeep(looking, mode=mode, loss_budget=context.config.loss_budget, rehearse=rehearse)
    except LockedError:
        if not due:
            raise
        return None
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    # Without a temporary file, which a kill would leave; one that it left empty says nothing: another run of this day does it again.
    with suppress(OSError), open(os.open(context.state / settings.UPKEPT, flags, 0o600), "w") as file:
        file.write(f"{today}\n")
    refresh(context.looking())
    return run if run.changes.changes else None


def _last_day(context: VaultContext) -> str:
    try:
        return (context.state / settings.UPKEPT).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
