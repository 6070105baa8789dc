"""How scores are printed: rounded, and still adding up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.interfaces.cli.printing import width
from memoryclaw.interfaces.cli.tables import aligned
from memoryclaw.model import Term
from memoryclaw.recall.search import rounded

# Scores are made of whole 1024ths, so their sums are exact.
VALUES = st.lists(st.integers(-20_000, 60_000).map(lambda n: n / 1024), min_size=1, max_size=12)


@given(VALUES)
def test_rounded_terms_add_up_to_the_rounded_score(values: list[float]) -> None:
    terms = [Term(f"t{i}", value) for i, value in enumerate(values)]
    shown = rounded(terms, sum(values))
    assert [name for name, _ in shown] == [term.name for term in terms]
    assert sum(value for _, value in shown) == round(sum(values) * 1000)


@given(VALUES)
def test_no_term_is_off_by_a_thousandth_or_more(values: list[float]) -> None:
    terms = [Term(f"t{i}", value) for i, value in enumerate(values)]
    assert all(
        abs(shown - value * 1000) <= 1
        for (_, shown), value in zip(rounded(terms, sum(values)), values, strict=True)
    )


@given(st.lists(st.tuples(st.text("ab健木é\u0301", max_size=9), st.just("x")), min_size=1, max_size=5))
def test_columns_begin_at_the_same_place(rows: list[tuple[str, str]]) -> None:
    assert len({width(line[: line.rindex("x")]) for line in aligned(rows)}) == 1
