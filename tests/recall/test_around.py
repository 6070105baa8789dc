"""What turns lend each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.recall.rank import AFTER, BEFORE, LONG_BEFORE, Turn, around

DAY = "logs/2026-03-10/s.jsonl"
scores = st.dictionaries(
    st.tuples(st.sampled_from([DAY, "logs/2026-03-11/s.jsonl"]), st.integers(0, 12)),
    st.integers(0, 30_000).map(lambda n: n / 1024),
)


def test_the_turns_after_one_that_fits_gain_and_so_does_the_one_before() -> None:
    found = around({(DAY, seq): 10.0 if seq == 4 else 0.0 for seq in range(9)})
    assert {seq: round(loan[0], 2) for (_, seq), loan in found.items()} == {3: 1.0, 5: 2.0, 6: 1.0}
    assert {loan[1] for loan in found.values()} == {(DAY, 4)}


def test_nothing_is_lent_from_one_log_to_another() -> None:
    assert around({(DAY, 0): 10.0, ("logs/2026-03-11/s.jsonl", 1): 10.0}) == {}


def test_the_turn_that_lends_most_is_named() -> None:
    assert around({(DAY, 0): 8.0, (DAY, 1): 2.0, (DAY, 2): 1.0})[DAY, 2][1] == (DAY, 0)


@given(scores)
def test_a_loan_is_exact_and_never_more_than_its_shares_of_the_best(words: dict[Turn, float]) -> None:
    most = max(words.values(), default=0.0) * (BEFORE + LONG_BEFORE + AFTER)
    for place, loan in around(words).items():
        assert place in words
        assert loan[1] in words
        assert 0 < loan[0] <= most + 1 / 1024
        assert loan[0] * 1024 == int(loan[0] * 1024)
