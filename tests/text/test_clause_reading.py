"""What is typed without marks parts into clauses, and each clause into subject, verb and rest."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.clauses import KINDS, Clause, clauses, trimmed
from memoryclaw.text.grammar import codes, grammar, tokens_of

NAMES = frozenset({"ana", "tom"})


def read(text: str, code: str = "en") -> list[Clause]:
    return clauses(text, grammar(code), NAMES.__contains__)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
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
        ("when we got there", ["when we got there"]),
        ("ok so i live in leeds lol", ["i live in leeds"]),
        ("?!", []),
        ("", []),
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
    found = read(text, code)
    assert [clause.start for clause in found] == sorted(clause.start for clause in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    for clause in found:
        assert tokens_of(text[clause.start : clause.end]) == list(clause.typed)
        assert list(clause.tokens) == tokens_of(clause.text)
        assert clause.kind in ("", *KINDS)
        assert set(clause.subject) | set(clause.verb) <= set(clause.tokens)
        assert set(tokens_of(clause.rest)) <= set(clause.tokens)
    assert found == read(text, code)
