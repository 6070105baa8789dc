"""What is typed without marks parts into clauses, and each clause into subject, verb and rest."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.grammar import (
    KINDS,
    Clause,
    asks,
    clauses,
    codes,
    grammar,
    is_question,
    spelled_out,
    tokens_of,
    trimmed,
)

NAMES = frozenset({"ana", "tom"})


def read(text: str, code: str = "en") -> list[Clause]:
    return clauses(text, grammar(code), NAMES.__contains__)


@pytest.mark.parametrize(
    ("text", "subject", "kind"),
    [
        ("the ladder's in the shed", ("the", "ladder"), "be"),
        ("Ana's not well", ("ana",), "be"),
        ("my vet's a Mr Bell", ("my", "vet"), "be"),
        ("the team's meeting on Mondays is at 10", ("the", "team's", "meeting", "on", "mondays"), "be"),
        ("McDonald's on Mill Road", (), ""),
        ("the gate's had it", ("the", "gate"), "have"),
        ("Ana's taken over the choir", ("ana",), "state"),
        ("Ana's brother is in Rome", ("ana's", "brother"), "be"),
        ("we meet at Ana's on Friday", ("we",), "other"),
        ("it's Ana's from Tuesday on", ("it's",), "be"),
    ],
)
def test_a_verb_that_is_contracted_with_a_noun_is_read_in_full(
    text: str, subject: tuple[str, ...], kind: str
) -> None:
    (clause,) = read(text)
    plain = spelled_out(clause, grammar("en"), NAMES.__contains__)
    assert plain.subject == subject
    assert plain.kind == kind


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Ana cant eat gluten so if i ask for recipes keep that in mind",
            ["Ana cant eat gluten", "if i ask for recipes", "keep that in mind"],
        ),
        ("i own a kayak its under the stairs", ["i own a kayak", "its under the stairs"]),
        ("the shed is dry and i painted it", ["the shed is dry", "i painted it"]),
        ("i like tea but hate coffee", ["i like tea", "hate coffee"]),
        ("Ana is in Rome - Tom isn't", ["Ana is in Rome", "Tom isn't"]),
        ("milk, eggs (large ones); bread", ["milk", "eggs", "large ones", "bread"]),
        ("because it rained we stayed in", ["because it rained", "we stayed in"]),
        ("1,000 for the kayak, 12.5 for a rope", ["1,000 for the kayak", "12.5 for a rope"]),
        ("a well-known shop", ["a well-known shop"]),
        ("don't tell me its great", ["don't tell me its great"]),
        ("she said he is late", ["she said he is late"]),
        ("i row in boots, never in a hurry was i", ["i row in boots", "never in a hurry was i"]),
        ("when we got there", ["when we got there"]),
        ("ok so i live in leeds lol", ["i live in leeds"]),
        ("?!", []),
        ("", []),
        (
            "my address is 4 Elm Street, Ely and my phone is new",
            ["my address is 4 Elm Street, Ely", "my phone is new"],
        ),
        ("i moved to Leith, Ana and my mum live in Ely", ["i moved to Leith", "Ana and my mum live in Ely"]),
    ],
)
def test_a_sentence_parts_at_marks_and_where_a_new_subject_begins(text: str, parts: list[str]) -> None:
    assert [clause.text for clause in read(text)] == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ich wohne in köln und arbeite im zoo", ["ich wohne in köln", "arbeite im zoo"]),
        ("der schuppen ist trocken, ich habe ihn gestrichen", ["der schuppen ist trocken", "ich habe ihn gestrichen"]),
    ],
)  # fmt: skip
def test_german_parts_the_same_way(text: str, parts: list[str]) -> None:
    assert [clause.text for clause in read(text, "de")] == parts


@pytest.mark.parametrize(
    ("code", "text", "subject", "verb", "kind", "rest"),
    [
        ("en", "we have decided to take the train", "we", "have decided", "decide", "to take the train"),
        ("en", "i really prefer the red one", "i really", "prefer", "prefer", "the red one"),
        ("en", "im allergic to nuts", "im", "im", "be", "allergic to nuts"),
        ("en", "need to buy milk", "", "need to", "duty", "buy milk"),
        ("en", "Ana told me about it", "ana", "told me", "report", "about it"),
        ("en", "the shed is dry", "the shed", "is", "be", "dry"),
        ("en", "we quarrelled over it", "we", "quarrelled", "other", "over it"),
        ("en", "the tin of varnish", "", "", "", ""),
        ("de", "ich mag keinen kaffee", "ich", "mag", "prefer", "keinen kaffee"),
        ("de", "wir haben uns für den zug entschieden", "wir", "haben", "decide", "uns für den zug entschieden"),
        ("de", "der schuppen ist trocken", "der schuppen", "ist", "be", "trocken"),
    ],
)  # fmt: skip
def test_a_clause_has_a_subject_a_verb_of_a_kind_and_a_rest(
    code: str, text: str, subject: str, verb: str, kind: str, rest: str
) -> None:
    (clause,) = read(text, code)
    assert (" ".join(clause.subject), " ".join(clause.verb), clause.kind, clause.rest) == (
        subject, verb, kind, rest,
    )  # fmt: skip


def test_a_value_keeps_the_sign_before_it() -> None:
    assert read("my new number is +49 170 1234567")[0].rest == "+49 170 1234567"
    assert read("the kayak is $900")[0].rest == "$900"
    assert [clause.rest for clause in read("the kayak is 900 € and the trailer is 50 €")] == ["900 €", "50 €"]


def test_a_clause_that_hangs_on_another_says_so() -> None:
    because, main = read("because it rained we stayed in")
    assert (because.under, because.joined) == (True, True)
    assert (main.under, main.joined) == (False, False)
    _, relative, _ = read("the vet, who is ninety, retires")
    assert (relative.under, relative.joined) == (False, True)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("ok so yeah the shed is dry lol", "the shed is dry"),
        ("  😂 the shed is dry 😂😂 ", "the shed is dry"),
        ("**the shed is dry!**", "the shed is dry"),
        ("no, i like it", "i like it"),
        ("no sugar", "no sugar"),
        ("no one comes before 11", "no one comes before 11"),
    ],
)
def test_fillers_laughs_and_marks_go_from_the_ends_and_a_denial_stays(text: str, left: str) -> None:
    assert trimmed(text, grammar("en")) == left


PIECES = st.sampled_from(
    ["i ", "we ", "its ", "and ", "but ", "no ", "my rent ", "is ", "said ", "that ", "ana's ", "900", ", ", "…", "-", " - ", "(", ")", "!", "ich ", "habe ", "weil ", "entschieden", "\n", "'", "ok ", "lol", "😂", "12.5 "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=120), st.sampled_from(codes()))
def test_the_clauses_of_any_text_stand_in_it_in_order_and_hold_its_words_once(text: str, code: str) -> None:
    clauses = read(text, code)
    assert [clause.start for clause in clauses] == sorted(clause.start for clause in clauses)
    assert all(clause.end <= other.start for clause, other in pairwise(clauses))
    for clause in clauses:
        assert tokens_of(text[clause.start : clause.end]) == clause.typed
        assert clause.tokens == tokens_of(clause.text)
        assert clause.kind in ("", *KINDS)
        assert set(clause.subject) | set(clause.verb) <= set(clause.tokens)
        assert set(tokens_of(clause.rest)) <= set(clause.tokens)
    assert clauses == read(text, code)


ASKED = {
    "en": [
        "is the bakery open on sundays", "is Ana at home", "isn't the shop shut by now", "are they still in Leeds", "does your mum still bake",
        "should i call the plumber", "can they deliver before noon", "will the boiler last another winter", "have you seen the ladder",
        "when are we in Leeds", "why is the fence green", "whats the code for the shed", "where's my other glove", "who painted the fence",
        "who runs the choir", "whose bike is in the hall", "how heavy is the piano", "how many chairs fit", "what size are the shelves",
        "which paint did we take", "by when must the form be in", "with whom does Ana sing", "sorry, who has the drill", "ok so where is the key", "what days are we closed", "when exactly are we back",
    ],
    "de": [
        "ist die Heizung schon an", "hat Ana den Schlüssel", "kommst du am Freitag", "kann man das Tor streichen", "soll ich den Arzt anrufen",
        "wann kommt der Klempner", "wie heißt die Nachbarin", "was kostet die Reparatur", "wo wohnt er jetzt", "wer hat die Leiter",
        "welche Farbe hat das Tor", "wie hoch ist die Miete", "bis wann muss das Formular da sein", "mit wem fährt Ana nach Ulm", "womit klebt man das",
        "wie rechne ich das um", "wann ziehen wir um", "in welcher Halle trainiert sie", "für wie viel verkauft er das Rad",
    ],
}  # fmt: skip
TOLD = {
    "en": [
        "when we are in Leeds we stay at the Crown", "what i need is a longer hose", "what matters to me is a quiet room", "what a mess this kitchen is",
        "was a lovely evening with Ana", "was the best pie in years", "is the best bakery in town", "did the shopping and the bins", "did that yesterday",
        "have a look at the shed", "do the dishes", "may 12 is the party", "i know what the code is", "how to prune roses is in the green book",
        "whatever the code is it works", "where the path ends there is a gate", "can opener is in the left drawer", "who", "",
    ],
    "de": [
        "wann wir fahren weiß ich noch nicht", "was ich brauche ist ein längerer Schlauch", "wo die Schlüssel liegen weiß nur Ana",
        "wie gesagt die Miete ist 900", "wie immer trinke ich Tee", "war ein schöner Abend", "hab die Rechnung bezahlt",
        "muss die Miete noch überweisen", "kann es nicht finden", "was ein Tag", "wie gerne ich segle weiß sie",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, every in ASKED.items() for text in every])
def test_word_order_tells_a_question_without_its_mark(code: str, text: str) -> None:
    assert asks(tokens_of(text), grammar(code), lambda word: word == "ana")


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, every in TOLD.items() for text in every])
def test_what_only_begins_like_a_question_asks_nothing(code: str, text: str) -> None:
    assert not asks(tokens_of(text), grammar(code), lambda word: word == "ana")


@pytest.mark.parametrize(
    "text",
    [
        "je paye combien de loyer", "tu habites où", "ma soeur travaille dans quelle ville", "c'est quand la réunion", "mi hermana dónde vive",
        "la mia riunione è quando", "o meu irmão mora onde",
    ],
)  # fmt: skip
def test_a_word_that_asks_may_stand_behind_the_verb(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "je pars quand il pleut", "la ville où je vis est belle", "je sais où il habite", "elle m'a dit où", "je fais n'importe quoi",
        "mon frère qui vit à Lyon vient demain", "no sé dónde vive", "il posto dove vivo è bello", "isso foi quando eu era criança",
    ],
)  # fmt: skip
def test_a_word_that_asks_elsewhere_may_join_clauses(text: str) -> None:
    assert not is_question(text)


def test_a_relative_clause_asks_nothing() -> None:
    assert not asks(["which", "is", "great"], grammar("en"), first=False)
    assert asks(["which", "is", "great"], grammar("en"))
