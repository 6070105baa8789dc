"""Which units are looked up: the best by words, of a large vault those of its rarer words, and what fields let through."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from memoryclaw.index.database import Database
from memoryclaw.index.index import FTS5_SCHEMA, Fts5
from memoryclaw.index.whoosh_engine import WhooshIndex
from memoryclaw.ports import IndexClause, IndexRow
from memoryclaw.recall.evidence import LOOKED_UP, POOL, Lane

UNITS, VOCABULARY = 3000, 400
WEIGHTS = [1 / rank for rank in range(1, VOCABULARY + 1)]


@pytest.fixture(scope="module")
def rows() -> list[IndexRow]:
    """Units of words as frequent as in a language: a few stand in most units, most in a few."""
    chance = random.Random(3)
    words = [f"w{number}" for number in range(VOCABULARY)]
    return [
        IndexRow(number, ("", "", "", " ".join(chance.choices(words, WEIGHTS, k=chance.randrange(5, 40)))))
        for number in range(1, UNITS + 1)
    ]


@pytest.fixture(scope="module")
def engine(rows: list[IndexRow], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fts5]:
    database = Database(tmp_path_factory.mktemp("lane"), "test", FTS5_SCHEMA)
    fts5 = Fts5(database.connection)
    with database.writing():
        fts5.add(rows)
    yield fts5
    database.close()


FEW = 200  # three thousand units are many here


def any_of(*numbers: int) -> IndexClause:
    return IndexClause("any", parts=tuple(IndexClause("token", f"w{number}") for number in numbers))


def test_below_the_limit_every_unit_with_a_word_is_scored(engine: Fts5) -> None:
    clause = any_of(8, 9, 10, 300)
    assert Lane(engine, engine.count, LOOKED_UP).best(clause, 20) == dict(engine.find(clause, 20))


def test_above_it_only_units_with_rarer_words_are(engine: Fts5) -> None:
    best = Lane(engine, engine.count, FEW).best(any_of(0, 1, 200, 300), UNITS)
    assert best == dict(engine.find(any_of(200, 300), UNITS))


def test_two_words_are_looked_up_however_many_units_hold_them(engine: Fts5) -> None:
    assert Lane(engine, engine.count, FEW).best(any_of(0, 1, 2), 20) == dict(engine.find(any_of(2, 1), 20))
    # A word that stands nowhere is none of the two.
    assert Lane(engine, engine.count, FEW).best(any_of(0, 1, 2, 999), 20) == dict(
        engine.find(any_of(2, 1), 20)
    )


def test_what_must_stand_is_looked_up_whole(engine: Fts5) -> None:
    clause = IndexClause("all", parts=(any_of(0), any_of(300)))
    assert Lane(engine, engine.count, FEW).best(clause, 20) == dict(engine.find(clause, 20))


def test_both_engines_look_up_the_same(engine: Fts5, rows: list[IndexRow], tmp_path: Path) -> None:
    database = Database(tmp_path, "test")
    whoosh = WhooshIndex(tmp_path / "whoosh", database.connection)
    with database.writing():
        whoosh.add(rows)
        whoosh.settle(keep=True)
    for clause in (any_of(8, 9, 10, 11), any_of(9, 12, 300), any_of(8, 30, 31, 90, 200)):
        ours, other = (Lane(index, index.count, FEW).best(clause, 20) for index in (engine, whoosh))
        assert other.keys() == ours.keys()
        assert other == pytest.approx(ours, abs=1e-9)
    database.close()


class Some:
    """As `text_lane.Fields`: the units whose number a divisor divides."""

    def __init__(self, divisor: int) -> None:
        self.rowids = list(range(divisor, UNITS + 1, divisor))
        self._divisor = divisor

    def among(self, rowids: Iterable[int]) -> set[int]:
        return {rowid for rowid in rowids if not rowid % self._divisor}


@pytest.mark.parametrize("divisor", [2, 7, 500])
def test_fields_narrow_what_is_looked_up_and_lose_none_of_the_best(engine: Fts5, divisor: int) -> None:
    clause = any_of(8, 9, 10, 300)
    narrowed = Lane(engine, engine.count, LOOKED_UP).best(clause, 20, Some(divisor))
    every = [hit for hit in engine.find(clause, UNITS) if not hit.rowid % divisor]
    best = {hit.rowid: hit.score for hit in every if len(every) <= 20 or hit.score >= every[19].score}
    assert narrowed == best


def test_all_that_tie_with_the_last_of_a_pool_are_in_it(tmp_path: Path) -> None:
    database = Database(tmp_path, "test", FTS5_SCHEMA)
    fts5 = Fts5(database.connection)
    with database.writing():
        fts5.add(IndexRow(number, ("", "", "", "same words")) for number in range(1, 2 * POOL))
    assert len(Lane(fts5, fts5.count, LOOKED_UP).best(IndexClause("token", "same"), POOL)) == 2 * POOL - 1
    database.close()
