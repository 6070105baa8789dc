"""Words that are spelled alike."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whoosh.support.levenshtein import damerau_levenshtein

from memoryclaw.recall.question import nearest_words

VOCABULARY = [
    *[
        ("john", 9), ("joan", 4), ("adoption", 3), ("agency", 2), ("deadline", 7), ("project", 8),
        ("projects", 8),
    ],
    *[("cat", 1), ("car", 5), ("muller", 1), ("at", 3), ("東京", 1), ("contact", 6)],
]  # fmt: skip


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("jonh", "john"), ("ohn", "john"), ("hjohn", "john"), ("adoptoin", "adoption"), ("agancy", "agency"),
        ("deadlnie", "deadline"), ("proejct", "project"), ("kontact", "contact"), ("Müler", "muller"),
    ],
)  # fmt: skip
def test_a_slip_finds_the_word_that_was_meant(slip: str, meant: str) -> None:
    assert nearest_words(slip, VOCABULARY, 3)[0].word == meant


def test_nearer_words_come_first_then_frequent_ones_then_by_alphabet() -> None:
    assert [tuple(hit) for hit in nearest_words("project", VOCABULARY, 5)] == [
        ("project", 0, 8),
        ("projects", 1, 8),
    ]
    assert [hit.word for hit in nearest_words("cas", [("cat", 1), ("car", 5), ("cab", 5)], 5)] == [
        "cab",
        "car",
        "cat",
    ]


@pytest.mark.parametrize("word", ["", "ct", "zzzzzzz", "x" * 5000, "👍", "\x00"])
def test_what_resembles_nothing_finds_nothing(word: str) -> None:
    assert nearest_words(word, VOCABULARY, 5) == []


def test_the_limit_is_kept_and_the_order_of_the_vocabulary_does_not_matter() -> None:
    shuffled = random.Random(7).sample(VOCABULARY, len(VOCABULARY))
    assert nearest_words("jonn", shuffled, 1) == nearest_words("jonn", VOCABULARY, 5)[:1]


@given(
    st.text("abcd", min_size=3, max_size=9), st.lists(st.text("abcd", min_size=1, max_size=10), unique=True)
)
def test_distances_are_true_and_within_the_bound(word: str, others: list[str]) -> None:
    bound = 1 if len(word) < 6 else 2
    for hit in nearest_words(word, [(other, 1) for other in others], 99):
        assert hit.distance == damerau_levenshtein(word, hit.word) <= bound
