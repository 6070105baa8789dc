"""The figures of one searcher, gathered question by question: recall of turns and of their sessions, evidence in budgets, milliseconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conversations import scored

from memoryclaw.recall.evaluation import mean, ndcg, recall_at, share

BUDGETS = (200, 400, 600, 800)


class Tally:
    """Figures as they come in, one question at a time."""

    def __init__(self) -> None:
        self.turn: dict[str, list[float]] = {}
        self.session: dict[str, list[float]] = {}
        self.calm: dict[str, list[float]] = {}
        self.budget: dict[str, list[float]] = {}
        self.ms: list[float] = []
        self.questions = 0

    def take(
        self, question: Mapping[str, Any], search: Callable[[str], list[str]], session_of: Mapping[str, Any]
    ) -> None:
        """Ranks turns for one question, and sessions by their best turn."""
        started = time.perf_counter()
        ranked = search(question["question"])
        self.ms.append((time.perf_counter() - started) * 1e3)
        self.questions += 1
        if question["evidence"]:
            sessions = list(dict.fromkeys(session_of[turn] for turn in ranked))
            self.take_sessions(question, sessions)
            if scored([question]):
                add(self.turn, ranked, question["evidence"], (5, 10, 20))
                self.turn.setdefault("ndcg@10", []).append(ndcg(ranked, question["evidence"]))

    def take_sessions(self, question: Mapping[str, Any], sessions: Sequence[object]) -> None:
        """Sessions in rank order for one question."""
        add(self.session, sessions, question["sessions"], (5, 10))
        if scored([question]):
            add(self.calm, sessions, question["sessions"], (5, 10))

    def pack(self, question: Mapping[str, Any], recall: Callable[[str, int], list[str]]) -> None:
        """How much of the evidence fits into each budget."""
        for budget in BUDGETS if scored([question]) else ():
            value = share(recall(question["question"], budget), question["evidence"])
            self.budget.setdefault(str(budget), []).append(value)

    def figures(self) -> dict[str, Any]:
        """Means over the questions that count for each figure."""
        return {
            "turn": means(self.turn),
            "session": means(self.session),
            "session_nonadversarial": means(self.calm),
            "budget": means(self.budget),
            "ms": milliseconds(self.ms),
            "questions": self.questions,
        }


def add(
    values: dict[str, list[float]], ranked: Sequence[Any], wanted: Sequence[Any], depths: Sequence[int]
) -> None:
    """One question's recall at each depth."""
    for k in depths:
        values.setdefault(f"recall@{k}", []).append(recall_at(ranked, wanted, k))


def means(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The mean of each list."""
    return {name: round(mean(found), 4) for name, found in values.items()}


def milliseconds(taken: Sequence[float]) -> dict[str, float]:
    """The middle and the slow end of how long questions took."""
    ordered = sorted(taken) or [0.0]
    return {
        "p50": round(statistics.median(ordered), 2),
        "p95": round(ordered[int(len(ordered) * 0.95)], 2),
    }
