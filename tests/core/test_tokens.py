"""The estimate of what a text costs in a prompt."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.core.tokens import estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fives", 2),
        ("木栓", 2),
        ("Übergabe", 3),
        ("🎉", 1),
        ("Straße 木", 4),
        ("한국", 2),
    ],
)
def test_what_texts_cost(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@settings(deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_a_longer_text_never_costs_less_and_joining_costs_no_more_than_the_parts(
    one: str, other: str
) -> None:
    assert max(estimate(one), estimate(other)) <= estimate(one + other) <= estimate(one) + estimate(other)
