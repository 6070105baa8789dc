"""Decisions on their way into `review/decisions.jsonl`: appended in the commit of what they decide, never changed again."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.core.consolidation.decisions import DECISIONS_FILE, Decision
from memoryclaw.core.edits import line_end
from memoryclaw.jobs.writer import Edit, text_change


def recorded(decisions: Sequence[Decision]) -> Edit:
    """The edit that appends these decisions."""
    lines = "".join(decision.line() for decision in decisions)

    def append(text: str) -> str:
        open_ended = bool(text) and not text.endswith(("\n", "\r"))
        return text + (line_end(text) if open_ended else "") + lines

    return Edit(DECISIONS_FILE, text_change(append))
