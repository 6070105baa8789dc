"""The arithmetic of scores."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.index.bm25 import exact, gain, idf, rarity
from memoryclaw.recall.rank import coverage, share_out

amounts = st.floats(0, 500, allow_nan=False)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=4), amounts, max_size=12), amounts)
def test_shared_out_terms_add_up_to_the_last_bit(parts: dict[str, float], total: float) -> None:
    terms = share_out(parts, exact(total))
    assert sum(term.value for term in terms) == exact(total)
    assert all(term.value for term in terms)


@settings(deadline=None)
@given(st.lists(amounts, max_size=40))
def test_sums_of_exact_values_do_not_depend_on_their_order(values: list[float]) -> None:
    rounded = [exact(value) for value in values]
    assert sum(rounded) == sum(reversed(rounded)) == math.fsum(rounded)


def test_a_rarer_word_tells_more_and_a_common_one_never_less_than_nothing() -> None:
    assert idf(100, 1) > idf(100, 10) > idf(100, 49) > idf(100, 90) == 1e-6


@settings(deadline=None)
@given(st.integers(1, 2000), st.data())
def test_every_word_tells_something_and_a_rarer_one_more(units: int, data: st.DataObject) -> None:
    matching = data.draw(st.integers(1, units))
    assert rarity(units, matching) > 0
    assert rarity(units, matching - 1) > rarity(units, matching)


def test_more_occurrences_help_less_and_less_and_long_texts_count_against_a_unit() -> None:
    once, twice, thrice = (gain(2.0, n, 100, 100) for n in (1, 2, 3))
    assert thrice - twice < twice - once
    assert gain(2.0, 1, 300, 100) < once < gain(2.0, 1, 20, 100)


@pytest.mark.parametrize(
    ("words", "share"), [(set(), 0.0), ({"oak"}, 0.75), ({"oak", "the"}, 1.0), ({"elm"}, 0.0)]
)
def test_coverage_is_the_share_of_weight_that_was_found(words: set[str], share: float) -> None:
    assert coverage({"oak": 3.0, "the": 1.0}, words) == share


def test_nothing_asked_is_nothing_covered() -> None:
    assert coverage({}, {"oak"}) == 0.0
