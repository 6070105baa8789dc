from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.consolidation import mining
from memoryclaw.consolidation.mining import GAP, LEVEL, STEPS, frequent, tightest


def test_a_sequence_is_found_in_its_order_only():
    patterns = frequent([list("ABC"), list("ABC"), list("CBA")], 2)
    assert [pattern.items for pattern in patterns] == [tuple("ABC")]
    assert patterns[0].support == 2


def test_noise_between_the_steps_is_tolerated_up_to_the_bound():
    assert [p.items for p in frequent([list("AxyB"), list("AvwB")], 2)] == [tuple("AB")]
    assert frequent([list("AxyzB"), list("AvwuB")], 2) == []


def test_support_counts_sequences_and_not_repetitions():
    assert frequent([list("ABABAB"), list("AxB")], 3) == []


def test_a_shorter_pattern_stays_only_where_more_sequences_hold_it():
    patterns = frequent([list("ABC"), list("ABC"), list("AB")], 2)
    assert [(p.items, p.support) for p in patterns] == [(tuple("AB"), 3), (tuple("ABC"), 2)]


def test_the_length_is_bounded():
    patterns = frequent([list("ABCDEFGHIJ")] * 2, 2, longest=4)
    assert {len(pattern.items) for pattern in patterns} == {4}
    assert ("A", "B", "C", "D") in [pattern.items for pattern in patterns]


def test_only_patterns_of_the_chosen_sequences_are_kept():
    sequences = [list("AB"), list("AB"), list("CD"), list("CD")]
    assert [p.items for p in frequent(sequences, 2, among=[2])] == [("C", "D")]
    assert frequent(sequences, 2, among=[]) == []


def test_huge_sessions_end_within_the_bounds():
    state, sequences = 1, []
    for _ in range(7):
        sequence = []
        for _ in range(5_000):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            sequence.append(f"t{state >> 16 & 3}")
        sequences.append(sequence)
    search = mining._Search(sequences, 7, None)
    patterns = search.run(8)
    assert len(patterns) <= 8 * LEVEL
    assert search._steps <= STEPS + 7 * 5_000 * (GAP + 1)


def holds(sequence, items):
    """By trying every way."""
    return any(
        all(sequence[at] == item for at, item in zip(way, items, strict=True))
        and all(b - a <= GAP + 1 for a, b in pairwise(way))
        for way in combinations(range(len(sequence)), len(items))
    )


@given(st.lists(st.lists(st.sampled_from("ABC"), max_size=7), max_size=5), st.integers(1, 3))
def test_every_pattern_is_supported_and_closed_and_nothing_is_missed(sequences, support):
    patterns = frequent(sequences, support, longest=7)
    for pattern in patterns:
        assert pattern.support == sum(holds(sequence, pattern.items) for sequence in sequences) >= support
    wanted = {
        tuple(sequence[at] for at in way)
        for sequence in sequences
        for length in (2, 3)
        for way in combinations(range(len(sequence)), length)
    }
    for items in wanted:
        count = sum(holds(sequence, items) for sequence in sequences)
        if count >= support:
            assert any(p.support >= count and is_part(items, p.items) for p in patterns)


def is_part(items, whole):
    rest = iter(whole)
    return all(item in rest for item in items)


def test_the_tightest_place_is_found():
    assert tightest("AxxBAB", "AB") == (4, 5)
    assert tightest("AxxxB", "AB") == ()
    assert [p.span for p in frequent(["AxxBAB", "AyB"], 2) if p.items == ("A", "B")] == [5]
