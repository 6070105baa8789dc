"""Questions that a name answers."""

from __future__ import annotations

import pytest

from memoryclaw.index.rows import asks_name, holds_name


@pytest.mark.parametrize(
    "question", ["Who came along?", "Where did they eat?", "What city is it in?", "What is the boat called?"]
)
def test_a_question_may_want_a_name(question: str) -> None:
    assert asks_name(question)


@pytest.mark.parametrize("question", ["When was it?", "Did anyone who rows come?", "What does it cost?"])
def test_other_questions_want_none(question: str) -> None:
    assert not asks_name(question)


def test_a_name_is_a_capital_inside_a_sentence_that_is_not_spoken_to() -> None:
    assert holds_name("we stayed in Aarhus")
    assert not holds_name("We stayed. Then home, Nora, and I slept")
