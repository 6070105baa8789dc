"""A change set as JSON and back, so that a run that was killed is taken up where it stood."""

from __future__ import annotations

import json
from typing import Any

from memoryclaw.core.consolidation import changes as nouns
from memoryclaw.core.consolidation.changes import ChangeSet

_NOUNS = {
    kind.__name__: kind
    for kind in (
        ChangeSet, nouns.PlannedChange, nouns.Skipped, nouns.Decided, nouns.Claim, nouns.Acted, nouns.NewFile, nouns.Replace,
        nouns.SetFact, nouns.ConfirmFact, nouns.AddPending, nouns.AddSource, nouns.MoveFile,
    )
}  # fmt: skip


def write_plan(changes: ChangeSet) -> str:
    """The change set as one line of JSON."""
    return json.dumps(_plain(changes), ensure_ascii=True)


def read_plan(text: str) -> ChangeSet | None:
    """The change set that a text holds, or None where it holds no whole one."""
    try:
        value = _noun(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return value if isinstance(value, ChangeSet) else None


def _plain(value: Any) -> Any:
    fields = getattr(value, "_fields", None)
    if fields:
        return {"": type(value).__name__, **{k: _plain(v) for k, v in zip(fields, value, strict=True)}}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _noun(value: Any) -> Any:
    if isinstance(value, dict):
        kind = _NOUNS[value.pop("")]
        return kind(**{key: _noun(inner) for key, inner in value.items()})
    return tuple(_noun(item) for item in value) if isinstance(value, list) else value
