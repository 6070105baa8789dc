"""How far vectors lift units."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.index.bm25 import exact
from memoryclaw.recall import vector_lane

cosines = st.dictionaries(
    st.integers(1, 99), st.floats(-1, 1).map(lambda value: round(value, 6)), max_size=20
)
scores = st.floats(0.5, 40).map(exact)


def test_the_nearest_gets_a_share_of_the_best_sum_of_words_and_others_less() -> None:
    nearness = vector_lane.nearness({1: 0.8, 2: 0.4, 3: 0.0, 4: -0.2}, 10.0)
    most = vector_lane.WEIGHT * 10
    assert nearness == {1: exact(most), 2: exact(most / 2), 3: 0.0, 4: 0.0}


def test_where_nothing_is_near_nothing_is_lifted() -> None:
    assert vector_lane.nearness({1: -0.1, 2: 0.0}, 10.0) == {1: 0.0, 2: 0.0}
    assert vector_lane.nearness({}, 10.0) == {}


@given(cosines, scores)
def test_the_nearer_the_higher_and_never_above_the_share(near: dict[int, float], best: float) -> None:
    nearness = vector_lane.nearness(near, best)
    assert nearness.keys() == near.keys()
    order = sorted(near, key=lambda unit: -near[unit])
    values = [nearness[unit] for unit in order]
    assert values == sorted(values, reverse=True)
    assert all(0 <= value <= exact(vector_lane.WEIGHT * best) for value in values)
    assert all(value * 1024 == int(value * 1024) for value in values)
    assert all(nearness[unit] == 0 for unit, cosine in near.items() if cosine <= 0)


def test_a_question_is_put_as_the_one_it_is_about_would_put_it() -> None:
    asked = vector_lane.in_own_words
    assert asked("What is Nora's dog called?", ["Nora"]) == "What is my dog called?"
    assert asked("Where did Nora Lind and NORA go?", ["Nora", "Nora Lind"]) == "Where did I and I go?"
    assert asked("Who is Norah?", ["Nora"]) == "Who is Norah?"
    assert asked("Where is (a+b)?", ["(a+b"]) == "Where is (a+b)?"
    assert asked("Where is the oak?", []) == "Where is the oak?"
