"""What the goal of a session adds to a question."""

from __future__ import annotations

import pytest

from memoryclaw.index.stemming import language
from memoryclaw.recall.question import GOAL_WORDS, goal_leaves, goal_words
from memoryclaw.recall.rank import GOAL, lift

ENGLISH = language("en")


def test_a_goal_counts_by_its_first_words_that_say_something() -> None:
    assert goal_words("Send the email to John about the email", ENGLISH) == ["send", "email", "john"]
    assert goal_words(" ".join(f"word{n}" for n in range(40)), ENGLISH) == [
        f"word{n}" for n in range(GOAL_WORDS)
    ]
    assert goal_words(" the and ", ENGLISH) == []


def test_the_query_language_of_a_goal_is_plain_words() -> None:
    assert goal_words('kind:fact -oak NOT "larch" since:2025', ENGLISH) == [
        "kind", "fact", "oak", "larch", "since", "2025",
    ]  # fmt: skip


def test_what_the_question_asks_and_what_nothing_holds_adds_nothing() -> None:
    tokens = {
        "oak": ["oak"],
        "milk": ["milk"],
        "茶室": ["茶", "室"],
        "zeppelin": ["zeppelin"],
    }
    counts = {
        "oak": 3,
        "milk": 4,
        "茶": 1,
        "室": 1,
    }
    leaves = goal_leaves(tokens, counts, frozenset({"milk"}))
    assert [(leaf.clause.text, leaf.word, leaf.via) for leaf in leaves] == [
        ("oak", "oak", "literal"),
        ("茶", "茶室", "bigram"),
        ("室", "茶室", "bigram"),
    ]


def test_a_goal_never_outweighs_the_question() -> None:
    assert lift(9.0, 9.0, 2.0) == pytest.approx(GOAL * 2.0)
    assert lift(3.0, 9.0, 2.0) < lift(9.0, 9.0, 2.0)
    assert lift(9.0, 9.0, 0.0) == pytest.approx(GOAL * 9.0)
    assert lift(0.0, 0.0, 2.0) == 0.0
