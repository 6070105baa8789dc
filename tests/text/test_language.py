"""Words, folds, stems and stop words; the same for what is written and for what is asked."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.config import LANGUAGES
from memoryclaw.index.stemming import language
from memoryclaw.text.language import WORD, Language, fold, folded_words, pairs, words_of

ENGLISH = language("en")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Nora's flat, v2.1 (new)", ["nora's", "flat", "v2", "1", "new"]),
        ("soren.kjeldsen@havorn.example.org", ["soren", "kjeldsen", "havorn", "example", "org"]),
        ("'Rock 'n' roll' isn't 80''s d'un'e'", ["rock", "n", "roll", "isn't", "80", "s", "d'un'e"]),
        ("C++ and node.js", ["c", "and", "node", "js"]),
        ("2025-04-17 #health/allergy", ["2025", "04", "17", "health", "allergy"]),
        ("snake_case camelCase", ["snake", "case", "camelcase"]),
        ("O’Neil ’quoted’", ["o’neil", "quoted"]),
        ("हिन्दी مَرحبا", ["हिन्दी", "مَرحبا"]),
        ("Zu\u0308rich", ["zürich"]),
        ("🎉 … — !", []),
    ],
)
def test_what_the_words_of_a_text_are(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("Müller", "muller"), ("Søren", "soren"), ("Łukasz", "lukasz"), ("Straße", "strasse"),
        ("Æbleskiver", "aebleskiver"), ("œuvre", "oeuvre"), ("Þór", "thor"), ("İstanbul", "istanbul"),
        ("Yıldız", "yildiz"), ("ＡＢＣ", "abc"), ("naïve", "naive"),
    ],
)  # fmt: skip
def test_folding_takes_case_and_diacritics_away(word: str, folded: str) -> None:
    assert fold(word) == folded


@settings(deadline=None)
@given(st.text(max_size=20))
def test_folding_twice_is_folding_once_and_composition_does_not_matter(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    ("code", "word", "other"),
    [
        ("en", "deadlines", "deadline"), ("en", "went", "go"), ("en", "Nora’s", "nora"),
        ("en", "children", "child"), ("de", "Häuser", "Haus"), ("de", "Wohnungen", "Wohnung"),
        ("fr", "l’hôpital", "hôpitaux"), ("fr", "réservées", "réservée"), ("es", "canciones", "canción"),
        ("sv", "båtarna", "båtar"), ("ru", "книги", "книга"), ("it", "dell'acqua", "acqua"),
        ("none", "Häuser", "hauser"), ("tr", "İSTANBUL", "istanbul"),
    ],
)  # fmt: skip
def test_forms_of_a_word_share_a_stem(code: str, word: str, other: str) -> None:
    assert language(code).tokens(word) == language(code).tokens(other)


@pytest.mark.parametrize("word", ["007", "1.10", "v2", "2025", "b12"])
def test_numbers_and_codes_are_never_stemmed(word: str) -> None:
    assert ENGLISH.tokens(word) == word.split(".")


def test_scripts_without_spaces_are_pairs_of_characters() -> None:
    assert pairs("木栓が") == ["木栓", "栓が"]
    assert pairs("木") == ["木"]
    assert ENGLISH.tokens("木栓が36本") == ["木栓", "栓が", "36", "本"]
    assert ENGLISH.token("café茶室").split() == ["cafe", "茶室"]


@pytest.mark.parametrize(
    ("code", "stop", "content"),
    [
        ("en", ["what", "the", "doesn't", "Who", "when's", "happened"], ["deadline", "nora", "last"]),
        ("de", ["wie", "war", "über"], ["übergabe"]),
        ("fr", ["était", "dans", "j'ai", "qu'est"], ["hôpital", "d'or"]),
        ("es", ["también", "qué"], ["canción"]),
        ("tr", ["için"], ["çay"]),
        ("none", [], ["the", "what"]),
    ],
)
def test_stop_words_carry_a_question_but_not_its_subject(
    code: str, stop: list[str], content: list[str]
) -> None:
    analysis = language(code)
    assert [word for word in stop if not analysis.is_stop(word.lower())] == []
    assert [word for word in content if analysis.is_stop(word.lower())] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_of_the_settings_has_an_analysis(code: str) -> None:
    assert language(code).tokens("Hello 2025 Ωμέγα") != []


def test_words_that_never_come_again_do_not_fill_the_memory(monkeypatch):
    """Ids and marks are words too, and a daemon runs for months."""
    monkeypatch.setattr("memoryclaw.text.language._KEPT", 100)
    spoken = Language("en", str.lower, frozenset())
    tokens = {spoken.token(f"n{i}") for i in range(1000)}
    assert tokens == {f"n{i}" for i in range(1000)}
    assert len(spoken.known) <= 100


@settings(deadline=None)
@given(st.text())
def test_the_words_of_a_text_are_folded_as_each_is_alone(text: str) -> None:
    assert folded_words(text) == [fold(word) for word in WORD.findall(text)]
