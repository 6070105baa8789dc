"""Stems, and the language that a text is stemmed in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whoosh.lang import stemmer_for_language
from whoosh.lang.snowball.english import EnglishStemmer

from memoryclaw.index.stemming import language, language_of
from memoryclaw.text.language import words_of

_STEM = stemmer_for_language("en")
_ENGLISH = language("en")
_PARTS = (
    *"aeiouybcdglmnrst",
    *("nc", "at", "iz", "ed", "ing", "ly", "er", "ion", "ation", "ous", "ent", "ment", "ance", "ful"),
)
_PARTS += ("ness", "al", "ism", "iti", "li", "ogi", "ator")
words = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=7).map("".join)


@given(words)
def test_every_word_has_the_stem_that_the_stemmer_gives(word):
    expected = _STEM(word)
    if _ENGLISH._irregular.get(word) is None:
        assert _ENGLISH.token(word) == (expected or word)


def test_words_with_a_stem_of_their_own_keep_it():
    special = EnglishStemmer._EnglishStemmer__special_words
    assert {word: _ENGLISH.token(word) for word in special} == special


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("We had to move the meeting because the hall was not free.", "en"),
        ("Wir mussten die Sitzung verlegen, weil der Saal nicht frei war.", "de"),
        ("Nous avons dû reporter la réunion, car la salle n'était pas libre.", "fr"),
        ("Tuvimos que aplazar la reunión porque la sala no estaba libre.", "es"),
        ("Ja, die.", "en"),  # too little to tell
        ("", "en"),
    ],
)
def test_stop_words_tell_the_language_of_a_text(text, code):
    assert language_of([text], _ENGLISH).code == code


def test_a_list_or_code_that_holds_a_few_words_of_a_language_by_chance_is_not_in_it():
    addresses = [
        f"Person{n} Name{n}: person{n}@example.com" for n in range(50)
    ]  # `com` is a word in Portuguese
    code = [f"def si{n}(x{n}): return ma_{n}, la{n}, il, di, con" for n in range(50)]
    for text in (addresses, code):
        assert language_of(text, _ENGLISH).code == "en"
        assert language_of(text, language("de")).code == "de"


def test_the_beginning_of_a_long_text_tells_its_language_where_all_its_words_are_known():
    text = "Wir mussten die Sitzung verlegen, weil der Saal nicht frei war. " * 70
    text += "We had to move the meeting because the hall was not free. " * 70
    assert language_of([text], _ENGLISH, [words_of(text)]).code == "de"


def test_a_vault_without_stems_has_one_language():
    assert language_of(["Wir mussten die Sitzung verlegen."], language("none")).code == "none"
