"""In a large vault not all that hold a word are scored; what may be lost is bounded, and the bound is true."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.index.database import Database
from memoryclaw.index.fts5 import FTS5_SCHEMA, Fts5
from memoryclaw.index.whoosh_engine import WhooshIndex
from memoryclaw.ports import Clause, IndexRow
from memoryclaw.recall import text_lane
from memoryclaw.recall.text_lane import Lane

UNITS, POOL, VOCABULARY = 3000, 20, 400
WEIGHTS = [1 / rank for rank in range(1, VOCABULARY + 1)]


@pytest.fixture(scope="module")
def rows() -> list[IndexRow]:
    """3,000 units of words as frequent as in a language: a few stand in most units, most in a few."""
    chance = random.Random(3)
    words = [f"w{number}" for number in range(VOCABULARY)]
    return [
        IndexRow(
            number, ("", "", "", " ".join(chance.choices(words, WEIGHTS, k=chance.randrange(5, 40))), "", "")
        )
        for number in range(1, UNITS + 1)
    ]


@pytest.fixture(scope="module")
def engine(rows: list[IndexRow], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fts5]:
    database = Database(tmp_path_factory.mktemp("pruning"), "test", FTS5_SCHEMA)
    fts5 = Fts5(database.connection)
    with database.writing():
        fts5.add(rows)
    yield fts5
    database.close()


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three thousand units are many here."""
    monkeypatch.setattr(text_lane, "BESIDE", 20)
    monkeypatch.setattr(text_lane, "MANY", UNITS)


def tokens(numbers: list[int]) -> list[Clause]:
    return [Clause("token", f"w{number}") for number in numbers]


questions = st.lists(
    st.one_of(st.integers(8, 60), st.integers(60, VOCABULARY - 1)), min_size=1, max_size=9, unique=True
).map(tokens)


@settings(
    deadline=None,
    max_examples=60,
)
@given(questions)
def test_what_is_lost_scores_no_more_than_is_said(engine: Fts5, parts: list[Clause]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lane, "BESIDE", 20)
        kept = text_lane.pruned(parts, engine, engine.count, POOL)
    every = {hit.rowid: hit.score for hit in engine.find(Clause("any", parts=tuple(parts)), UNITS)}
    if kept is None:
        return
    assert len(kept.scores) >= POOL
    assert all(score == pytest.approx(every[rowid], abs=1e-9) for rowid, score in kept.scores.items())
    least = min(kept.scores.values()) + 1e-9
    missed = [score for rowid, score in every.items() if rowid not in kept.scores and score > least]
    assert all(score <= kept.lost for score in missed)
    assert not missed or kept.lost > least


def test_units_with_a_rare_word_are_all_scored(engine: Fts5) -> None:
    parts = tokens([9, 12, 300])
    kept = text_lane.pruned(parts, engine, engine.count, POOL)
    rare = {hit.rowid: hit.score for hit in engine.find(parts[2], UNITS)}
    every = engine.find(Clause("any", parts=tuple(parts)), POOL)
    assert kept is not None
    assert [hit for hit in every if hit.rowid in rare and hit.rowid not in kept.scores] == []
    assert kept.scores.keys() & rare.keys()


def test_common_words_that_stand_together_find_without_a_rare_one(engine: Fts5) -> None:
    parts = tokens([8, 9, 10, 11])
    kept = text_lane.pruned(parts, engine, engine.count, POOL)
    first = [hit.rowid for hit in engine.find(Clause("any", parts=tuple(parts)), 10)][:10]
    assert kept is not None
    assert len(kept.scores.keys() & set(first)) >= 9


def test_few_units_are_all_scored(engine: Fts5) -> None:
    assert text_lane.pruned(tokens([380, 390]), engine, engine.count, POOL) is None
    ours = Lane(engine, engine.count).best(Clause("any", parts=tuple(tokens([380, 390]))), POOL)
    assert ours == text_lane.best(Clause("any", parts=tuple(tokens([380, 390]))), engine, POOL)


def test_below_the_limit_nothing_is_lost(engine: Fts5, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lane, "MANY", UNITS + 1)
    clause = Clause("any", parts=tuple(tokens([8, 9, 10, 300])))
    assert Lane(engine, engine.count).best(clause, POOL) == text_lane.best(clause, engine, POOL)


def test_both_engines_keep_the_same(engine: Fts5, rows: list[IndexRow], tmp_path: Path) -> None:
    database = Database(tmp_path, "test")
    whoosh = WhooshIndex(tmp_path / "whoosh", database.connection)
    with database.writing():
        whoosh.add(rows)
        whoosh.settle(keep=True)
    for numbers in ([8, 9, 10, 11], [9, 12, 300], [8, 30, 31, 90, 200]):
        ours, other = (text_lane.pruned(tokens(numbers), one, one.count, POOL) for one in (engine, whoosh))
        assert ours is not None
        assert other is not None
        assert other.scores.keys() == ours.scores.keys()
        assert other.scores == pytest.approx(ours.scores, abs=1e-9)
    database.close()


class Odd:
    """As `filters.Fields`: every unit with an odd number."""

    def __init__(self) -> None:
        self.rowids = list(range(1, UNITS + 1, 2))

    def among(self, rowids: Iterable[int]) -> set[int]:
        return {rowid for rowid in rowids if rowid % 2}


def test_fields_narrow_what_is_kept(engine: Fts5) -> None:
    clause = Clause("any", parts=tuple(tokens([8, 9, 10, 300])))
    found = Lane(engine, engine.count).best(clause, POOL, Odd())
    every = [hit.rowid for hit in engine.find(clause, UNITS) if hit.rowid % 2]
    assert len(found) >= POOL
    assert all(rowid % 2 for rowid in found)
    assert len(found.keys() & set(every[:10])) >= 9
