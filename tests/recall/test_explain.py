"""Where the words of a question stand in a unit."""

from __future__ import annotations

from memoryclaw.index.bm25 import code_of, coded
from memoryclaw.index.stemming import language
from memoryclaw.ports import IndexClause
from memoryclaw.recall.question import Leaf
from memoryclaw.recall.search import Reasons, read_columns, reasons

ENGLISH = language("en")


def leaf(word: str, via: str = "literal", op: str = "token", columns: tuple[str, ...] = ()) -> Leaf:
    return Leaf(IndexClause(op, " ".join(ENGLISH.tokens(word)), columns), word, via)


def read(*leaves: Leaf, **columns: str) -> Reasons:
    tokens = dict.fromkeys(token for text in columns.values() for token in ENGLISH.tokens(text))
    codes = {token: code_of(number, token) for number, token in enumerate(tokens)}
    stored = {name: coded(" ".join(ENGLISH.tokens(text)), codes) for name, text in columns.items()}
    tokens_of = {code: token for token, code in codes.items()}
    return reasons(leaves, read_columns(columns, stored, tokens_of, ENGLISH))


def rows_of(reasons: Reasons) -> list[tuple[str, str, str]]:
    return [(m.word, m.field, m.via) for m in reasons.matched]


def test_a_word_is_literal_where_it_stands_as_asked_and_a_stem_elsewhere() -> None:
    reasons = read(leaf("deadlines"), title="Deadline", body="Two deadlines.")
    assert rows_of(reasons) == [("deadlines", "title", "stem"), ("deadlines", "body", "literal")]
    assert reasons.surfaces == {"deadline", "deadlines"}


def test_accents_do_not_make_a_word_another_one() -> None:
    assert rows_of(read(leaf("soren"), body="Søren rows.")) == [("soren", "body", "literal")]


def test_a_phrase_is_found_as_one_and_highlighted_whole() -> None:
    reasons = read(leaf("oat milk", "phrase", "phrase"), body="Milk, oats. With oat milk.")
    assert rows_of(reasons) == [("oat milk", "body", "phrase")]
    assert reasons.surfaces == {"oat milk"}


def test_a_column_limits_where_a_word_counts() -> None:
    assert rows_of(read(leaf("larch", columns=("title",)), title="Oak", body="larch")) == []


def test_pairs_of_characters_add_up_under_the_word_that_was_asked() -> None:
    leaves = [Leaf(IndexClause("token", pair), "木栓", "bigram") for pair in ENGLISH.tokens("木栓")]
    reasons = read(*leaves, body="栗の木栓です")
    assert rows_of(reasons) == [("木栓", "body", "bigram")]
    assert reasons.surfaces == {"木栓"}
