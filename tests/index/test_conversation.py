"""What turns lend each other, and when a turn asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.index.rows import AFTER, BEFORE, LONG_BEFORE, Place, around, asks

DAY = "logs/2026-03-10/s.jsonl"
scores = st.dictionaries(
    st.tuples(st.sampled_from([DAY, "logs/2026-03-11/s.jsonl"]), st.integers(0, 12)),
    st.integers(0, 30_000).map(lambda n: n / 1024),
)


def test_the_turns_after_one_that_fits_gain_and_so_does_the_one_before() -> None:
    found = around({(DAY, seq): 10.0 if seq == 4 else 0.0 for seq in range(9)})
    assert {seq: round(loan.value, 2) for (_, seq), loan in found.items()} == {3: 1.0, 5: 2.0, 6: 1.0}
    assert {loan.by for loan in found.values()} == {(DAY, 4)}


def test_nothing_is_lent_from_one_log_to_another() -> None:
    assert around({(DAY, 0): 10.0, ("logs/2026-03-11/s.jsonl", 1): 10.0}) == {}


def test_the_turn_that_lends_most_is_named() -> None:
    assert around({(DAY, 0): 8.0, (DAY, 1): 2.0, (DAY, 2): 1.0})[DAY, 2].by == (DAY, 0)


@given(scores)
def test_a_loan_is_exact_and_never_more_than_its_shares_of_the_best(words: dict[Place, float]) -> None:
    most = max(words.values(), default=0.0) * (BEFORE + LONG_BEFORE + AFTER)
    for place, loan in around(words).items():
        assert place in words
        assert loan.by in words
        assert 0 < loan.value <= most + 1 / 1024
        assert loan.value * 1024 == int(loan.value * 1024)


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
