"""What the goal of a session adds to a question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memoryclaw.index.stemming import language
from memoryclaw.recall.question import GOAL_WORDS, Leaf, goal_leaves
from memoryclaw.recall.rank import GOAL, lift

ENGLISH = language("en")


def leaves(goal: str, asked: frozenset[str] = frozenset(), lacks: frozenset[str] = frozenset()) -> list[Leaf]:
    """What a goal looks up in a vault that lacks some tokens."""
    catalog: Any = SimpleNamespace(count_of=lambda tokens: {token: token not in lacks for token in tokens})
    return [*goal_leaves(goal, asked, catalog, ENGLISH)]


def words_of_goal(goal: str) -> list[str]:
    return [leaf.word for leaf in leaves(goal)]


def test_a_goal_counts_by_its_first_words_that_say_something() -> None:
    assert words_of_goal("Send the email to John about the email") == ["send", "email", "john"]
    assert words_of_goal(" ".join(f"word{n}" for n in range(40))) == [f"word{n}" for n in range(GOAL_WORDS)]
    assert words_of_goal(" the and ") == []


def test_the_query_language_of_a_goal_is_plain_words() -> None:
    assert words_of_goal('kind:fact -oak NOT "larch" since:2025') == [
        "kind", "fact", "oak", "larch", "since", "2025",
    ]  # fmt: skip


def test_what_the_question_asks_and_what_nothing_holds_adds_nothing() -> None:
    shown = leaves("oak milk 茶室庭 zeppelin", frozenset({"milk"}), frozenset({"zeppelin"}))
    assert [(leaf.clause.text, leaf.word, leaf.via) for leaf in shown] == [
        ("oak", "oak", "literal"),
        ("茶室", "茶室庭", "bigram"),
        ("室庭", "茶室庭", "bigram"),
    ]


def test_a_goal_never_outweighs_the_question() -> None:
    assert lift(9.0, 9.0, 2.0) == pytest.approx(GOAL * 2.0)
    assert lift(3.0, 9.0, 2.0) < lift(9.0, 9.0, 2.0)
    assert lift(9.0, 9.0, 0.0) == pytest.approx(GOAL * 9.0)
    assert lift(0.0, 0.0, 2.0) == 0.0
