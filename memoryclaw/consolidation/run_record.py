"""`runs/<run>.json`: what one consolidation read, decided and why. The rule: the same change set gives the same record.

It names no commits: a run that was killed and is run again leaves the tree that an undisturbed run would have left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memoryclaw.consolidation.changes import (
    Action,
    AddPending,
    ChangeSet,
    ClaimDecision,
    MoveFile,
    PlannedChange,
    ToolSequence,
)
from memoryclaw.consolidation.pending import PENDING_FILE
from memoryclaw.vault.logs import LogRange, parse_ranges

FOLDER = "runs"
_SURROGATE = re.compile("[\ud800-\udfff]")


class RunRecord(NamedTuple):
    """A run record, read back: the log ranges it makes done, what its sessions called, and where its episodes come from."""

    run: str
    at: str
    ranges: list[LogRange]
    acted: list[ToolSequence]
    episodes: dict[str, str]  # id → range


def record_path(run: str) -> str:
    """The vault path of a run's record."""
    return f"{FOLDER}/{run}.json"


def render_record(changes: ChangeSet, proposed: Sequence[str], at: str, mode: str) -> str:
    """The record of a run as JSON that a person can read.

    Args:
        changes: what was planned.
        proposed: the files under `review/` in which some of it waits.
        at: the moment of the run.
        mode: direct, branch or propose.
    """
    episodes = {change.id: change.source for change in changes.changes if change.kind == "episode"}
    record = {
        "run": changes.run,
        "at": at,
        "mode": mode,
        "turns": changes.turns,
        "ranges": changes.ranges,
        "episodes": episodes,
        "changes": [_change(change) for change in changes.changes],
        "proposed": proposed,
        "skipped": [skipped._asdict() for skipped in changes.skipped],
        "decided": [_decided(decided) for decided in changes.decided],
        "acted": [acted._asdict() for acted in changes.acted],
        "minds": changes.minds,
        "degraded": changes.degraded,
        "dropped": changes.dropped,
        "notices": changes.notices,
    }
    text = json.dumps(record, ensure_ascii=False, indent=2)
    return _SURROGATE.sub(lambda hit: f"\\u{ord(hit[0]):04x}", text) + "\n"


def read_record(text: str) -> RunRecord:
    """The record in a text; whatever is no record, or a part of one that is none, reads as empty."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    value = value if isinstance(value, dict) else {}
    ranges = [range_ for cited in _strings(value.get("ranges")) for range_ in parse_ranges(cited)]
    episodes = value.get("episodes")
    known = _texts(episodes) if isinstance(episodes, dict) else {}
    return RunRecord(_text(value.get("run")), _text(value.get("at")), ranges, _acted(value), known)


def paths_of(action: Action) -> tuple[str, ...]:
    """The files that an action touches."""
    if isinstance(action, AddPending):
        return (PENDING_FILE,)
    return (action.path, action.to) if isinstance(action, MoveFile) else (action.path,)


def _change(change: PlannedChange) -> dict[str, object]:
    files = dict.fromkeys(path for action in change.actions for path in paths_of(action))
    told = {"kind": change.kind, "title": change.title, "id": change.id, "files": list(files)}
    rest = {"source": change.source, "confidence": change.confidence, "waits": change.reason}
    return {**told, **{key: value for key, value in rest.items() if value}}


def _decided(decided: ClaimDecision) -> dict[str, object]:
    claim = decided.claim
    told = {"entity": claim.entity, "field": claim.field, "value": claim.value}
    rest = {
        "known": decided.known,
        "fact": decided.fact,
        "line": claim.line,
        "role": claim.role,
        "by": claim.by,
    }
    why = {"action": decided.action, "reason": decided.reason}
    return {**told, **why, **{key: value for key, value in rest.items() if value}}


def _acted(value: Mapping[str, Any]) -> list[ToolSequence]:
    found = value.get("acted")
    items = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    return [
        ToolSequence(_text(item.get("session")), _text(item.get("range")), tuple(_strings(item.get("tools"))))
        for item in items
    ]


def _strings(value: object) -> Iterable[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _texts(value: Mapping[Any, Any]) -> dict[str, str]:
    return {key: text for key, text in value.items() if isinstance(text, str)}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
