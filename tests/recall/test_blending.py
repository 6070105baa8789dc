"""How far vectors lift units."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.index.bm25 import exact
from memoryclaw.recall import vector_lane

cosines = st.floats(-1, 1).map(lambda value: round(value, 6))
WEAK = 0.3
scores = st.floats(0.5, 40).map(exact)


def test_weighted_counts_from_the_mean_to_the_nearest() -> None:
    assert vector_lane.weighted(0.8, 0.2, 0.8, 10.0) == exact(vector_lane.WEIGHT * 10)
    assert vector_lane.weighted(0.5, 0.2, 0.8, 10.0) == exact(vector_lane.WEIGHT * 5)


def test_what_points_away_gets_nothing() -> None:
    assert vector_lane.weighted(0.2, 0.2, 0.8, 10.0) == 0
    assert vector_lane.weighted(-0.2, 0.1, 0.8, 10.0) == 0
    assert vector_lane.weighted(0.3, 0.3, 0.3, 10.0) == 0
    assert vector_lane.alone([0.5, -0.5], 4.0) == [2.0, 0.0]


def test_a_question_is_put_as_the_one_it_is_about_would_put_it() -> None:
    asked = vector_lane.in_own_words
    assert asked("What is Nora's dog called?", ["Nora"]) == "What is my dog called?"
    assert asked("Where did Nora Lind and NORA go?", ["Nora", "Nora Lind"]) == "Where did I and I go?"
    assert asked("Who is Norah?", ["Nora"]) == "Who is Norah?"
    assert asked("Where is (a+b)?", ["(a+b"]) == "Where is (a+b)?"
    assert asked("Where is the oak?", []) == "Where is the oak?"


def test_one_strong_hit_stays_first_and_vectors_come_before_the_weak() -> None:
    found = vector_lane.behind([0.9, 0.7, 0.8], [10.0, 1.0], WEAK)
    assert 10.0 > found[0] > found[2] > found[1] >= 10.0 * WEAK


def test_where_strong_hits_leave_no_room_below_the_next_gap_is_taken() -> None:
    dense = [10.0, 5.0, *(3.0 + n / 1024 for n in range(5))]
    found = vector_lane.behind([0.9, 0.8], dense, WEAK)
    assert all(3.004 < score < 5.0 for score in found)


@given(st.lists(cosines, min_size=1, max_size=vector_lane.HITS), st.lists(scores, min_size=1, max_size=60))
def test_vectors_come_after_the_best_hit_and_are_never_weak(near: list[float], words: list[float]) -> None:
    found = vector_lane.behind(near, words, WEAK)
    best = max(words)
    assert all(value * 1024 == int(value * 1024) for value in found)
    assert all(WEAK * best <= value <= best for value in found)


@given(st.lists(cosines, min_size=2, max_size=vector_lane.HITS, unique=True), scores, st.floats(1.2, 40))
def test_the_nearer_the_higher(near: list[float], words: float, times: float) -> None:
    found = vector_lane.behind(near, [exact(words + 1), exact((words + 1) / times)], WEAK)
    order = sorted(range(len(near)), key=lambda i: -near[i])
    values = [found[i] for i in order]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)
