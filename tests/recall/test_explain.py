"""The replay of a score over one unit."""

from __future__ import annotations

from memoryclaw.index.stemming import language
from memoryclaw.ports import Clause
from memoryclaw.recall.explain import Reasons, Statistics, read_columns, reasons
from memoryclaw.recall.question import Leaf

ENGLISH = language("en")
STATISTICS = Statistics(100, 10.0, lambda _: 2.0)


def leaf(word: str, via: str = "literal", op: str = "token", columns: tuple[str, ...] = ()) -> Leaf:
    return Leaf(Clause(op, " ".join(ENGLISH.tokens(word)), columns), word, via)


def read(*leaves: Leaf, clause: Clause | None = None, **columns: str) -> Reasons:
    return reasons(leaves, read_columns(columns, ENGLISH), STATISTICS, clause)


def told(found: Reasons) -> list[tuple[str, str, str]]:
    return [(m.word, m.field, m.via) for m in found.matched]


def test_a_word_is_literal_where_it_stands_as_asked_and_a_stem_elsewhere() -> None:
    found = read(leaf("deadlines"), title="Deadline", body="Two deadlines.")
    assert told(found) == [("deadlines", "title", "stem"), ("deadlines", "body", "literal")]
    assert found.surfaces == {"deadline", "deadlines"}


def test_accents_do_not_make_a_word_another_one() -> None:
    assert told(read(leaf("soren"), body="Søren rows.")) == [("soren", "body", "literal")]


def test_titles_and_tags_count_more_than_the_body() -> None:
    in_title, in_body = read(leaf("oak"), title="oak", body="x y"), read(leaf("oak"), title="x", body="oak y")
    assert in_title.gains["oak"] > in_body.gains["oak"] > 0


def test_neighbouring_turns_explain_but_are_not_highlighted() -> None:
    found = read(leaf("wall"), body="Dune sand, matt.", prev="Which wall?")
    assert told(found) == [("wall", "prev", "neighbour")]
    assert found.surfaces == set()


def test_a_phrase_is_found_as_one_and_highlighted_whole() -> None:
    found = read(leaf("oat milk", "phrase", "phrase"), body="Milk, oats. With oat milk.")
    assert told(found) == [("oat milk", "body", "phrase")]
    assert found.surfaces == {"oat milk"}


def test_a_column_limits_where_a_word_counts() -> None:
    assert told(read(leaf("larch", columns=("title",)), title="Oak", body="larch")) == []


def test_pairs_of_characters_add_up_under_the_word_that_was_asked() -> None:
    leaves = [Leaf(Clause("token", pair), "木栓", "bigram") for pair in ENGLISH.tokens("木栓")]
    found = read(*leaves, body="栗の木栓です")
    assert told(found) == [("木栓", "body", "bigram")]
    assert found.surfaces == {"木栓"}


def test_a_part_of_an_alternative_that_does_not_hold_in_full_adds_nothing() -> None:
    a, b, c = (Clause("token", word) for word in ("oak", "larch", "elm"))
    both_or_elm = Clause("any", parts=(Clause("all", parts=(a, b)), c))
    leaves = [leaf("oak"), leaf("larch"), leaf("elm")]
    assert set(read(*leaves, clause=both_or_elm, body="oak and elm").gains) == {"elm"}
    assert set(read(*leaves, clause=both_or_elm, body="oak larch elm").gains) == {"oak", "larch", "elm"}


def test_what_is_barred_keeps_its_part_from_adding_anything() -> None:
    a, b, c = (Clause("token", word) for word in ("oak", "larch", "elm"))
    clause = Clause("any", parts=(Clause("all", parts=(a, Clause("not", parts=(b,)))), c))
    assert set(read(leaf("oak"), leaf("elm"), clause=clause, body="oak larch elm").gains) == {"elm"}
    assert set(read(leaf("oak"), leaf("elm"), clause=clause, body="oak elm").gains) == {"oak", "elm"}
