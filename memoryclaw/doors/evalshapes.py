"""What `eval` answers, as plain JSON values; docs/json.md describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryclaw.jobs.evaluate import Evaluated, Judged

Shape = dict[str, Any]


def evaluated(done: Evaluated) -> Shape:
    """The figures over all questions, then each question."""
    return {
        "path": done.path,
        "recall": _by_number(done.recall),
        "mrr": done.mrr,
        "ndcg@10": done.ndcg,
        "in_context": _by_number(done.held),
        "kept_out": {"ids": done.kept_out[1], "kept": done.kept_out[0]},
        "questions": [_question(one) for one in done.questions],
    }


def _question(one: Judged) -> Shape:
    return {
        "question": one.question,
        "line": one.line,
        "expected": [{"id": e.id, "rank": e.rank, "reason": e.reason} for e in one.expected],
        "recall": _by_number(one.recall),
        "in_context": _by_number(one.held),
        "confidence": one.confidence,
        "misses": list(one.misses),
    }


def _by_number(values: Mapping[int, float]) -> dict[str, float]:
    return {str(number): round(value, 4) for number, value in values.items()}
