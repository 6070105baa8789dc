"""Words of everyday English that may stand for one another."""

from __future__ import annotations

import pytest

from memoryclaw.index.stemming import language
from memoryclaw.recall.question import kin_of

ENGLISH = language("en")


def akin(word: str) -> list[str]:
    return kin_of(word, ENGLISH)


@pytest.mark.parametrize(("asked", "said"), [("pets", "dog"), ("countries", "japan"), ("career", "nurse")])
def test_a_kind_stands_for_what_is_of_it_but_not_the_other_way(asked: str, said: str) -> None:
    assert ENGLISH.token(said) in akin(asked)
    assert ENGLISH.token(asked) not in akin(said)


@pytest.mark.parametrize(
    ("code", "asked", "said"),
    [("de", "Haustiere", "Beagle"), ("fr", "instruments", "violoncelle"), ("nl", "huisdieren", "konijn")],
)
def test_kinds_are_known_in_every_language_that_is_read(code: str, asked: str, said: str) -> None:
    spoken = language(code)
    assert spoken.token(said) in kin_of(asked, spoken)


@pytest.mark.parametrize(
    ("first", "other"), [("children", "daughters"), ("doctor", "clinic"), ("film", "movies")]
)
def test_words_of_one_group_stand_for_each_other_in_all_their_forms(first: str, other: str) -> None:
    assert ENGLISH.token(other) in akin(first)
    assert ENGLISH.token(first) in akin(other)


def test_no_word_stands_for_itself_or_twice() -> None:
    for word in ("pet", "kid", "trip", "hobby"):
        words = akin(word)
        assert ENGLISH.token(word) not in words
        assert len(words) == len(set(words))


def test_unknown_words_and_other_languages_have_none() -> None:
    assert akin("zyzzyva") == []
    assert kin_of("wedding", language("sv")) == []


@pytest.mark.parametrize(("asked", "said"), [("fällig", "Frist"), ("kündigen", "entlassen")])
def test_an_accent_in_the_first_letters_hides_no_word(asked: str, said: str) -> None:
    german = language("de")
    assert german.token(said) in kin_of(asked, german)
