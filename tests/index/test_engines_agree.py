"""FTS5 is the product, Whoosh the oracle: on any corpus and any question both give the same units, order and scores."""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from engine_contract import OpenEngine, all_of, any_of, phrase, row, token, without
from hypothesis import given, settings
from hypothesis import strategies as st
from test_fts5 import open_fts5
from test_whoosh_engine import open_whoosh

from memoryclaw.index.bm25 import sound
from memoryclaw.model import COLUMNS
from memoryclaw.ports import Hit, IndexClause, IndexRow

WORDS = ["a", "b", "c", "d", "e", "会議", "議の", "2025", "o'neil", 'x"y', "हिन्दी"]
EPSILON = 1e-9  # a compiler may fuse a multiplication and an addition, and round the last bit otherwise

words = st.sampled_from(WORDS)
texts = st.lists(words, max_size=12).map(" ".join)
some_columns = st.lists(st.sampled_from(COLUMNS), max_size=3, unique=True)
leaves = st.one_of(
    st.builds(lambda text, columns: token(text, *columns), st.one_of(words, st.just("absent")), some_columns),
    st.builds(
        lambda leaves, columns: phrase(" ".join(leaves), *columns),
        st.lists(words, min_size=1, max_size=4),
        some_columns,
    ),
)


def groups(parts: st.SearchStrategy[IndexClause]) -> st.SearchStrategy[IndexClause]:
    several = st.lists(parts, max_size=4)
    return st.one_of(
        several.map(lambda leaves: any_of(*leaves)),
        several.map(lambda leaves: all_of(*leaves)),
        st.tuples(several, several).map(lambda both: all_of(*both[0], *map(without, both[1]))),
        parts.map(without),
    )


clauses = st.recursive(leaves, groups, max_leaves=12)
columns_of_units = st.lists(st.tuples(texts, texts, texts, texts), max_size=25)


def both(folder: Path) -> tuple[OpenEngine, OpenEngine]:
    return open_fts5(folder / "fts5"), open_whoosh(folder / "whoosh")


def agree(ours: Sequence[Hit], oracle: Sequence[Hit]) -> None:
    """The same units with the same scores, in the same order but where scores differ by less than a rounding."""
    expected = {hit.rowid: hit.score for hit in oracle}
    assert {hit.rowid for hit in ours} == expected.keys()
    assert [hit for hit in ours if abs(hit.score - expected[hit.rowid]) >= EPSILON] == []
    for hit, other in zip(ours, oracle, strict=True):
        assert hit.rowid == other.rowid or abs(expected[hit.rowid] - other.score) < EPSILON


def is_miscounted(clause: IndexClause, *above: str) -> bool:
    """True where FTS5 may count a token twice, or not at all.

    It leaves one below a negation where it last looked, and looks no further once that negation can exclude nothing more, because it
    stands below another one or is one of several ways to match. And when parts of an AND below anything else do not meet, it forgets
    the alternatives within that are ahead already.
    """
    if clause.op == "not" and {"not", "any"} & {*above}:
        return True
    within = above[above.index("any") :] if "any" in above else ()
    if clause.op == "any" and "all" in within:
        return True
    return any(is_miscounted(part, *above, clause.op) for part in clause.parts)


def agree_on(
    opened: OpenEngine, oracle: OpenEngine, clause: IndexClause, limit: int, within: list[int] | None = None
) -> None:
    ours, expected = (side.engine.find(clause, 10_000, within) for side in (opened, oracle))
    cleaned = sound(clause)
    if cleaned and is_miscounted(cleaned):
        assert {hit.rowid for hit in ours} == {hit.rowid for hit in expected}
    else:
        agree(ours, expected)
        agree(opened.engine.find(clause, limit, within), oracle.engine.find(clause, limit, within))
    assert opened.engine.count(clause) == oracle.engine.count(clause)


@settings(max_examples=10)
@given(st.data())
def test_any_corpus_and_any_question(data: st.DataObject) -> None:
    any_corpus(data)


@pytest.mark.laws
@settings(max_examples=80)
@given(st.data())
def test_many_corpora_and_any_question(data: st.DataObject) -> None:
    any_corpus(data)


def any_corpus(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        opened, oracle = both(Path(folder))
        rows: dict[int, IndexRow] = {}
        first = 1
        for _ in range(data.draw(st.integers(1, 3))):
            added = [IndexRow(first + n, columns) for n, columns in enumerate(data.draw(columns_of_units))]
            gone = (
                [rows.pop(n) for n in data.draw(st.lists(st.sampled_from(sorted(rows)), unique=True))]
                if rows
                else []
            )
            first += len(added)
            rows.update((new.rowid, new) for new in added)
            for engine in (opened, oracle):
                with engine.writing() as writing:
                    writing.remove(gone)
                    writing.add(added)
        assert opened.engine.size() == oracle.engine.size()
        for clause in data.draw(st.lists(clauses, min_size=1, max_size=8)):
            within = data.draw(st.none() | st.lists(st.integers(1, max(first, 2))))
            agree_on(opened, oracle, clause, data.draw(st.integers(1, 10)), within)


@pytest.mark.parametrize("by", [4, pytest.param(1, marks=pytest.mark.laws)])
def test_a_larger_corpus_with_rare_and_common_words(tmp_path: Path, by: int) -> None:
    """Hundreds or thousands of units, merged from many commits, with deletions among them."""
    dice = random.Random(20250408)
    vocabulary = [f"w{int(dice.paretovariate(0.8)) % 3000}" for _ in range(20_000)]
    opened, oracle = both(tmp_path)
    rows = [
        row(
            n,
            " ".join(dice.choices(vocabulary, k=dice.randint(0, 90))),
            title=" ".join(dice.choices(vocabulary, k=3)),
            properties=" ".join(dice.choices(vocabulary, k=30)),
        )
        for n in range(1, 2000 // by + 1)
    ]
    cuts = [
        0,
        1500 // by,
        1600 // by,
        1601 // by + 1,
        1602 // by + 2,
        1640 // by,
        1700 // by,
        1990 // by,
        2000 // by,
    ]
    for start, end in itertools.pairwise(cuts):
        for engine in (opened, oracle):
            with engine.writing() as writing:
                writing.remove(rows[start - 40 : start - 20 : 2] if start in (1500 // by, 1700 // by) else [])
                writing.add(rows[start:end])
    for _ in range(25 // by):
        asked = dice.choices(vocabulary, k=dice.randint(1, 8))
        agree_on(opened, oracle, any_of(*map(token, asked)), 50)
        agree_on(
            opened, oracle, all_of(token(asked[0]), any_of(*map(token, asked[1:])), without(token("w7"))), 5
        )
        agree_on(
            opened, oracle, any_of(all_of(*map(token, asked[:2])), phrase(" ".join(asked[:2]), "body")), 20
        )
