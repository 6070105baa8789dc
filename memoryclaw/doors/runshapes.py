"""Consolidation's answers as plain JSON values, the same at every door; docs/json.md describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryclaw.core.consolidation.changes import Action, Decided, PlannedChange
    from memoryclaw.jobs.consolidation.consolidate import Consolidated

Shape = dict[str, Any]


def consolidated(done: Consolidated) -> Shape:
    """What a run planned and did; `applied` is null when nothing was written."""
    changes, applied = done.changes, done.applied
    return {
        "run": changes.run,
        "mode": done.mode,
        "waits": done.waits,
        "turns": changes.turns,
        "ranges": list(changes.ranges),
        "changes": [change(planned) for planned in changes.changes],
        "skipped": [skipped._asdict() for skipped in changes.skipped],
        "decided": [_decided(decided) for decided in changes.decided],
        "dropped": list(changes.dropped),
        "minds": list(changes.minds),
        "degraded": changes.degraded,
        "applied": None
        if applied is None
        else {
            "commits": [commit._asdict() for commit in applied.commits],
            "proposed": list(applied.proposed),
            "record": applied.record,
            "notices": list(applied.notices),
        },
    }


def change(planned: PlannedChange) -> Shape:
    """One change of a change set; each becomes one commit."""
    return {
        "kind": planned.kind,
        "id": planned.id,
        "title": planned.title,
        "actions": [_action(action) for action in planned.actions],
        "evidence": list(planned.evidence),
        "source": planned.source,
        "confidence": planned.confidence,
        "reason": planned.reason,
    }


def _action(action: Action) -> Shape:
    values = {k: list(v) if isinstance(v, tuple) else v for k, v in action._asdict().items()}
    return {"action": type(action).__name__, **values}


def _decided(decided: Decided) -> Shape:
    claim = decided.claim
    return {
        "entity": claim.entity,
        "field": claim.field,
        "value": claim.value,
        "quote": claim.quote,
        "line": claim.line,
        "role": claim.role,
        "by": claim.by,
        "action": decided.action,
        "reason": decided.reason,
        "known": decided.known,
    }
