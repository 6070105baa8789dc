"""What the goal of a session adds to a question."""

from __future__ import annotations

from typing import Any

import pytest

from memoryclaw.index.stemming import language
from memoryclaw.recall.question import GOAL_WORDS, Leaf, goal_leaves
from memoryclaw.recall.rank import GOAL, lift

ENGLISH = language("en")


def looked_up(goal: str, asked: frozenset[str] = frozenset(), lacking: str = "") -> list[Leaf]:
    catalog: Any = type("Vault", (), {"count_of": lambda _, tokens: dict.fromkeys({*tokens} - {lacking}, 1)})
    return [*goal_leaves(goal, asked, catalog(), ENGLISH)]


def test_a_goal_counts_by_its_first_words_that_say_something() -> None:
    words = [leaf.word for leaf in looked_up("Send the email to John about the email")]
    assert words == ["send", "email", "john"]
    words = [leaf.word for leaf in looked_up(" ".join(f"word{n}" for n in range(40)))]
    assert words == [f"word{n}" for n in range(GOAL_WORDS)]
    assert looked_up(" the and ") == []


def test_the_query_language_of_a_goal_is_plain_words() -> None:
    words = [leaf.word for leaf in looked_up('kind:fact -oak NOT "larch" since:2025')]
    assert words == ["kind", "fact", "oak", "larch", "since", "2025"]


def test_what_the_question_asks_and_what_nothing_holds_adds_nothing() -> None:
    leaves = looked_up("oak milk 茶室會 zeppelin", frozenset({"milk"}), lacking="zeppelin")
    assert [(leaf.clause.text, leaf.word, leaf.via) for leaf in leaves] == [
        ("oak", "oak", "literal"),
        ("茶室", "茶室會", "bigram"),
        ("室會", "茶室會", "bigram"),
    ]


def test_a_goal_never_outweighs_the_question() -> None:
    assert lift(9.0, 9.0, 2.0) == pytest.approx(GOAL * 2.0)
    assert lift(3.0, 9.0, 2.0) < lift(9.0, 9.0, 2.0)
    assert lift(9.0, 9.0, 0.0) == pytest.approx(GOAL * 9.0)
    assert lift(0.0, 0.0, 2.0) == 0.0
