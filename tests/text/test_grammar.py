"""The words of each language, as they are looked up: tokens, phrases, and which language a turn is in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoryclaw
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import (
    TOGETHER,
    UNREAD,
    Grammar,
    WordList,
    codes,
    grammar,
    language_of,
    spans_of,
    spoken_in,
    tokens_of,
)


def test_tokens_are_small_and_keep_contractions_and_joined_words_whole() -> None:
    text = "Don't put Ana’s E-Mail in l4/l5, AT&T knows 3.5 Ümläute."
    assert tokens_of(text) == (
        "don't", "put", "ana's", "e-mail", "in", "l4/l5", "at&t", "knows", "3", "5", "ümläute",
    )  # fmt: skip


@given(st.text(max_size=80))
def test_tokens_and_their_places_are_of_one_number(text: str) -> None:
    places = spans_of(text)
    assert [tokens_of(text[first:last]) for first, last in places] == [(token,) for token in tokens_of(text)]


def test_a_list_finds_its_longest_phrase_where_it_stands() -> None:
    verbs = WordList(["need", "need to", "go", "  ", ""])
    tokens = tokens_of("i need to go")
    assert [verbs.at(tokens, place) for place in range(-1, 6)] == [1, 0, 2, 0, 1, 0, 0]
    assert verbs.find(tokens) == 1
    assert [*verbs.places(tokens)] == [(1, 2), (3, 1)]
    assert [*verbs.places(["to", "to"])] == []  # the longest word of a phrase, without the phrase
    assert verbs.within(tokens)
    assert not verbs.within(["needed"])
    assert "need" in verbs
    assert "need to" not in verbs  # only tokens are members
    assert sorted(verbs.entries()) == ["go", "need", "need to"]


@pytest.mark.parametrize("code", codes())
def test_every_entry_of_a_list_is_among_the_tokens_that_hold_it(code: str) -> None:
    for name in ("changes", "gone", "no_longer", "replacing", "source_prepositions"):
        listed = getattr(grammar(code), name)
        for entry in listed.entries():
            assert (2, len(entry.split())) <= max(listed.places(["zzz", "zzz", *entry.split(), "zzz"]))


def test_a_list_that_a_language_lacks_is_empty() -> None:
    missing = grammar("en").no_such_list
    assert (missing.entries(), missing.within(["the"]), missing.find(["the"])) == ([], False, -1)


def test_an_entry_with_a_mark_stands_for_its_forms() -> None:
    words = grammar("en")
    assert all(form in words.roles for form in ("dog", "dogs", "auntie", "aunties", "bunny", "bunnies"))
    assert all(
        form in words.state_verbs for form in ("live", "lives", "lived", "living", "studies", "studied")
    )
    assert all(form in words.negations for form in ("don't", "dont"))
    assert all("+" not in entry and "~" not in entry for entry in words.state_verbs.entries())


@pytest.mark.parametrize("code", codes())
def test_the_single_words_of_a_language_are_those_of_its_lists(code: str) -> None:
    """They are read from the file alone, as most of its lists are never asked for where another language is spoken."""
    words, apart = grammar(code), {"noun_capitals", "clitics", "plain_letters", "losses", "holdings"}
    names = [
        name
        for name in lists.names(f"talk_{code}")
        if not name.startswith(("verb_", "facet_")) and name not in apart
    ]
    listed = {entry for name in names for entry in getattr(words, name).entries() if " " not in entry}
    others = {word for other in codes() for word in lists.written(f"talk_{other}")}
    assert words.known(frozenset(listed | others)) == listed
    alone = Grammar(code)  # each question has it read the words that begin alike
    assert all(alone.known(frozenset([word])) == listed & {word} for word in sorted(listed | others)[::7])


def test_seven_languages_are_read() -> None:
    assert codes() == ("de", "en", "es", "fr", "it", "nl", "pt")


def test_a_word_that_lost_its_vowel_is_a_word_of_its_own() -> None:
    assert tokens_of("j'habite à l’Île, d'ora qu'il") == (
        "j'",
        "habite",
        "à",
        "l'",
        "île",
        "d'",
        "ora",
        "qu'",
        "il",
    )
    assert tokens_of("don't, o'clock, all's well, rock'n'roll") == (
        "don't",
        "o'clock",
        "all's",
        "well",
        "rock'n'roll",
    )


def test_accents_may_be_left_out_unless_that_is_another_word() -> None:
    words = grammar("es")
    assert all(form in words.address_orders for form in ("llámame", "llamame"))
    assert "está" in words.be_verbs
    assert "esta" not in words.be_verbs  # `this`
    assert "musste" in grammar("de").modal_verbs
    assert "mochte" not in grammar("de").modal_verbs  # as Germans do not type `möchte`


def test_pronouns_are_written_behind_a_verb() -> None:
    assert all(form in grammar("it").tasks for form in ("ricorda", "ricordami", "ricordaci"))
    assert all(form in grammar("fr").tasks for form in ("résume", "résume-moi", "resume-moi"))


@pytest.mark.parametrize("code", codes())
def test_every_language_has_what_a_clause_is_made_of(code: str) -> None:
    words = grammar(code)
    for name in (
        "first_person", "possessives_own", "nominatives", "pronouns", "determiners", "coordinators", "subordinators", "be_verbs", "have_verbs",
        "state_verbs", "preference_verbs", "decision_verbs", "duty_verbs", "reporting_verbs", "roles", "orders", "order_topics", "tasks",
        "remember_phrases", "corrections", "negations", "hedges", "suppositions", "months", "weekdays", "fillers", "small", "changes",
    ):  # fmt: skip
        assert getattr(words, name).entries(), name


@pytest.mark.parametrize("code", codes())
def test_every_verb_with_a_field_names_one(code: str) -> None:
    rows = grammar(code).verb_fields
    assert rows
    assert all(tokens and field for tokens, field in rows)
    assert [len(tokens) for tokens, _ in rows] == sorted((len(tokens) for tokens, _ in rows), reverse=True)


@pytest.mark.parametrize(
    ("text", "default", "code"),
    [
        ("ich bin mit der Bahn da", "en", "de"),
        ("i am on the train with her", "de", "en"),
        ("il fait beau et je suis dans la maison", "en", "fr"),
        ("ok", "de", "de"),
        ("", "de", "de"),
        ("Ana, Rom, 900", "en", "en"),
        ("die was in", "en", "en"),  # words of both
        ("me he mudado a Málaga", "en", "es"),
        ("the second ay me encanta", "en", "en"),
        ("Jan van der Berg lives in Delft", "en", "en"),
        ("mi perro se llama Bruno", "en", "es"),  # `mi` and `se` are Italian as well
        ("il mio cane si chiama Bruno", "en", "it"),
        ("mijn bank is Rabobank", "en", "nl"),
        ("no como cerdo", "en", "es"),
        ("llámame Ana", "en", "es"),
        ("jag bor i Malmö", "en", UNREAD),
        ("min hund hedder Bamse", "en", UNREAD),
        ("mieszkam w Gdańsku", "en", UNREAD),
        ("můj pes se jmenuje Rek", "en", UNREAD),
        ("Ankara'da yaşıyorum", "en", UNREAD),
        ("asun Tampereella", "en", UNREAD),
        ("lucrez la Dacia", "en", UNREAD),
        ("I drive a jag", "en", "en"),
        ("the smörgåsbord at Łukasz's was great", "en", "en"),
    ],
)
def test_a_turn_is_in_the_default_language_unless_its_small_words_say_otherwise(
    text: str, default: str, code: str
) -> None:
    assert spoken_in(text, default) == code


def test_the_default_wins_where_no_word_tells() -> None:
    assert language_of(["zzz"], "de") == "de"
    assert language_of([], "en", least=0) in {"en", *codes()}


def test_every_list_that_the_readers_name_is_one_of_a_language() -> None:
    """A list that a language lacks is empty, so a name that is spelled wrong would be read as one."""
    package = Path(memoryclaw.__file__).parent
    sources = [
        path.read_text(encoding="utf-8")
        for folder in ("text", "consolidation")
        for path in (package / folder).glob("*.py")
    ]
    readers = [source for source in sources if re.search(r"text\.grammar import .*[gG]rammar", source)]
    named = {name for source in readers for name in re.findall(r"\bwords\.([a-z]\w+)", source)}
    assert len(named) > 60
    known = {name for code in codes() for name in lists.names(f"talk_{code}")}
    parts = {part for together in TOGETHER.values() for part in together}
    assert parts - known - TOGETHER.keys() - set(vars(Grammar)) == set()
    assert TOGETHER.keys() & known == set(), "a list of the files has this name"
    assert named - known - TOGETHER.keys() - set(vars(Grammar)) - {"code", *dir(dict), *dir(str)} == set()


@pytest.mark.parametrize(
    "text",
    [
        "Maria D'Angelo's flat",
        "I don’t like L’Oréal",
        "QU'IL soit",
        "J’habite à Lyon",
        "I moved to İstanbul",
        "l'",
        "rock'n'roll at 5 o'clock",
        "“Ana's” — at 5 o’clock… l' or 's_x, --no- and/or",
        "fine, jusqu'",
    ],
)
def test_each_word_has_its_place_in_the_text_as_it_was_typed(text: str) -> None:
    words = [text[start:end] for start, end in spans_of(text)]
    assert [word.lower().replace("’", "'") for word in words if "İ" not in word] == [
        token for token in tokens_of(text) if "İ" not in token
    ]
    assert len(words) == len(tokens_of(text))
