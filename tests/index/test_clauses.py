from __future__ import annotations

import pytest
from engine_contract import all_of, any_of, without

from memoryclaw.errors import InputError
from memoryclaw.index.bm25 import counts_of, sound, tally
from memoryclaw.ports import IndexClause

A, B, C = (IndexClause("token", text) for text in "abc")
COUNTS = {"a": {1: 1.0, 2: 2.0}, "b": {2: 1.0, 3: 1.0}, "c": {1: 5.0, 3: 1.0}}


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (A, A),
        (IndexClause("phrase", " "), None),
        (any_of(), None),
        (any_of(any_of(A)), A),
        (any_of(A, any_of(B, C)), any_of(A, B, C)),
        (all_of(all_of(A, without(B)), C), all_of(A, without(B), C)),
        (all_of(A, any_of(B, C)), all_of(any_of(B, C), A)),
        (all_of(A, any_of()), None),
        (all_of(A, without(any_of())), A),
        (without(A), None),
        (without(without(A)), A),
        (all_of(A, without(without(without(B)))), all_of(A, without(B))),
        (any_of(A, without(B)), A),
    ],
)
def test_a_sound_clause_asks_the_same_with_nothing_to_spare(
    clause: IndexClause, expected: IndexClause | None
) -> None:
    assert sound(clause) == expected


def test_a_sound_clause_is_its_own_sound_clause() -> None:
    clause = sound(all_of(A, any_of(B, all_of(C, without(A))), without(any_of(B, C))))
    assert clause is not None
    assert sound(clause) == clause


def test_what_no_parser_could_hold_is_refused() -> None:
    clause = A
    for _ in range(40):
        clause = all_of(B, without(clause))
    with pytest.raises(InputError, match="nested"):
        sound(clause)


@pytest.mark.parametrize(
    ("clause", "units", "scores"),
    [
        (A, {1, 2}, {1: 1.0, 2: 2.0}),
        (any_of(A, B), {1, 2, 3}, {1: 1.0, 2: 3.0, 3: 1.0}),
        (all_of(A, without(B)), {1}, {1: 1.0}),
        (any_of(all_of(A, B), C), {1, 2, 3}, {1: 5.0, 2: 3.0, 3: 1.0}),
    ],
)
def test_each_unit_is_counted_for_the_parts_that_hold(
    clause: IndexClause, units: set[int], scores: dict[int, float]
) -> None:
    tallied = tally(clause, lambda leaf: COUNTS[leaf.text])
    assert set(tallied.units) == units
    sums = dict.fromkeys(units, 0.0)
    for counts, holding in counts_of(tallied, units):
        for unit in holding:
            sums[unit] += counts[unit]
    assert sums == scores
