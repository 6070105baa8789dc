"""A plan on disk reads back as the plan; anything else is no plan."""

from __future__ import annotations

import pytest

from memoryclaw.consolidation.actions import (
    AddPending,
    AddSource,
    ConfirmFact,
    MoveFile,
    NewFile,
    NoteBelow,
    SetFact,
)
from memoryclaw.consolidation.changes import (
    ChangeSet,
    Claim,
    ClaimDecision,
    PlannedChange,
    Skipped,
    ToolSequence,
    read_plan,
    write_plan,
)

ACTIONS = (
    NewFile("episodes/a.md", "# Ünïcode\n\ud800"),
    SetFact("semantic/p.md", "X", "deadline", "2026-01-01", many=True),
    ConfirmFact("semantic/p.md", "semantic/p#X.a", "v", "ep#^l1"),
    AddPending("X", "f", "v", "low", "ep", "why"),
    AddSource("episodes/a.md", ("logs/a#1-2@0123456789abcdef",)),
    MoveFile("episodes/b.md", "archive/episodes/b.md"),
    NoteBelow("episodes/a.md", "l3", "superseded"),
)
CLAIM = Claim("X", "f", "v", 3, "X f is v", "user", "2026-01-01", durable=False)
WHOLE = ChangeSet(
    "consolidate-1", ("r",), (PlannedChange("episode", "t", ACTIONS, ("e",)),), (Skipped("r", 2, "why"),),
    (ClaimDecision(CLAIM, "drop", "not durable"),), (ToolSequence("s", "r", ("a", "b")),), ("patterns",), turns=7,
)  # fmt: skip


def test_a_plan_is_read_back_whole() -> None:
    assert read_plan(write_plan(WHOLE)) == WHOLE


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"": "Path"}', '{"": "Skipped", "range": 1}', "[" * 99999])
def test_what_is_no_plan_is_none(text: str) -> None:
    assert read_plan(text) is None


def test_half_a_plan_is_none() -> None:
    text = write_plan(WHOLE)
    assert all(read_plan(text[:end]) is None for end in range(0, len(text), 37))
