"""Names of entities inside questions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.language import candidates, keys_of, select, words_of


def named(question: str, *names: str) -> list[str]:
    known = {key: name for name in names for key in keys_of(name)}
    return [known[hit.key] for hit in select(candidates(words_of(question)), known.keys())]


@pytest.mark.parametrize("written", ["projectX", "Project X", "project-x", "PROJECT_X"])
@pytest.mark.parametrize(
    "asked", ["projectX deadline", "when is Project X's deadline?", "project x", "PROJECTX"]
)
def test_every_way_of_writing_a_name_is_the_same_entity(written: str, asked: str) -> None:
    assert named(asked, written) == [written]


def test_the_longest_known_name_wins_and_names_come_in_the_order_of_the_question() -> None:
    names = ("Sarah", "John", "John Smith", "Smith Industries", "New York")
    assert named("sarah met John Smith in new york", *names) == ["Sarah", "John Smith", "New York"]
    assert named("did John leave Smith Industries?", *names) == ["John", "Smith Industries"]


def test_a_name_is_found_with_the_words_it_was_made_of() -> None:
    hits = select(candidates(["what", "is", "john", "smith's", "number"]), {"john smith"})
    assert [(hit.first, hit.after) for hit in hits] == [(2, 4)]


def test_names_are_found_inside_scripts_without_spaces() -> None:
    assert named("田中さんと鈴木さんの会議", "田中", "鈴木") == ["田中", "鈴木"]
    assert named("김철수는 어디에 있나", "김철수") == ["김철수"]


def test_a_name_is_never_found_inside_a_word_of_a_spaced_script() -> None:
    assert named("the annual johnny award", "Ann", "John") == []


@given(st.lists(st.text(min_size=1, max_size=12), max_size=32))
def test_any_words_give_bounded_candidates_that_do_not_overlap_once_chosen(words: list[str]) -> None:
    names = candidates(words)
    assert len(names) <= 1000
    chosen = select(names, {hit.key for hit in names})
    assert all(a.span[1] <= b.span[0] for a, b in pairwise(chosen))
