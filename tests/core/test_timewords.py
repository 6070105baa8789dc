"""Questions for a time, and the turns that tell one."""

from __future__ import annotations

import pytest

from memoryclaw.core.timewords import asks_when, time_told


@pytest.mark.parametrize(
    "question", ["When did Nora move?", " how long was the trip", "Which year was it?", "What day is it"]
)
def test_a_question_for_a_time_is_known_by_how_it_begins(question: str) -> None:
    assert asks_when(question)


@pytest.mark.parametrize("question", ["Whenever it rains", "What did she say when?", "How many days", ""])
def test_other_questions_are_not(question: str) -> None:
    assert asks_when(question) == (question == "How many days")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("We moved last week.", "last week"),
        ("It was two weeks ago, in the rain", "two weeks ago"),
        ("I saw her Next Friday", "Next Friday"),
        ("It opened in March", "in March"),
        ("Back in 2023", "2023"),
        ("yesterday, or in 2023", "yesterday"),
        ("May I? They march on.", ""),
        ("", ""),
    ],
)
def test_an_expression_of_time_is_told_as_written(text: str, told: str) -> None:
    assert time_told(text) == told
