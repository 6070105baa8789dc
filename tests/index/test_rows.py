"""What the index keeps of a turn: the expression of time it holds, and whether it asks."""

from __future__ import annotations

import pytest

from memoryclaw.index.index import asks
from memoryclaw.text.dates import time_expression


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
    assert time_expression(text).text == told


@pytest.mark.parametrize(
    ("text", "told", "first", "last"),
    [
        ("I swam last Wednesday, at last.", "last Wednesday", "2021-05-19", "2021-05-19"),
        ("The day before yesterday I swam.", "The day before yesterday", "2021-05-20", "2021-05-20"),
        ("It rained last weekend.", "last weekend", "2021-05-15", "2021-05-16"),
        ("A week ago it rained", "A week ago", "2021-05-10", "2021-05-16"),
        ("I just heard: it was yesterday!", "yesterday", "2021-05-21", "2021-05-21"),
        ("Last month it rained, and today too", "today", "2021-05-22", "2021-05-22"),
        ("It rained last month", "last month", "", ""),
        ("Since last Friday it rains", "Since", "", ""),
        ("I just swam", "just", "", ""),
        ("We swim", "", "", ""),
    ],
)
def test_what_is_told_means_days_by_the_day_on_which_it_is_said(
    text: str, told: str, first: str, last: str
) -> None:
    assert time_expression(text, "2021-05-22T09:00:00Z") == (told, first, last)


def test_without_a_day_on_which_it_is_said_no_days_are_meant() -> None:
    assert time_expression("I swam last Wednesday.") == ("last Wednesday", "", "")


def test_an_expression_is_read_whole_wherever_it_stands_in_a_long_text() -> None:
    text = "It went on and on. " * 400 + "Three days ago it ended. " + "So it did. " * 400
    assert time_expression(text, "2021-05-22") == ("Three days ago", "2021-05-19", "2021-05-19")


@pytest.mark.parametrize(
    ("text", "is_asking"),
    [
        ("Where to?", True),
        ('She said: "where to?" \n', True),
        ("何色にする？", True),
        ("Where to? Home.", False),
        ("", False),
        ("Look! [image: a wall]", False),
    ],
)
def test_a_turn_asks_when_it_ends_in_a_question(text: str, *, is_asking: bool) -> None:
    assert asks(text) is is_asking
