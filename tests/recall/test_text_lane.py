"""What the text lane leaves out ranks below all that it returns."""

from __future__ import annotations

import random

import pytest

from memoryclaw.index.database import Database
from memoryclaw.index.fts5 import FTS5_SCHEMA, Fts5
from memoryclaw.ports import Clause, IndexRow
from memoryclaw.recall import text_lane

UNITS = 3000


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """3,000 units: `rare` stands in about 100, `odd` in about 10, `common` in every third."""
    chance = random.Random(1)
    database = Database(tmp_path_factory.mktemp("lane"), "test", FTS5_SCHEMA)
    fts5 = Fts5(database.connection)
    with database.writing():
        fts5.add(IndexRow(number, ("", "", "", _text(chance), "", "")) for number in range(1, UNITS + 1))
    yield fts5
    database.close()


def _text(chance: random.Random) -> str:
    words = [f"w{chance.randrange(500)}" for _ in range(chance.randrange(5, 60))]
    words += ["common"] * (chance.randrange(1, 6) if chance.random() < 0.33 else 0)
    words += ["rare"] * (chance.random() < 0.03) + ["odd"] * (chance.random() < 0.003)
    return " ".join(words)


def any_of(*words: str) -> Clause:
    return Clause("any", parts=tuple(Clause("token", word) for word in words))


@pytest.mark.parametrize(
    "words",
    [("rare", "common"), ("common", "rare", "w1"), ("odd", "common"), ("w1", "w2"), ("common", "nothing")],
)
def test_a_rare_word_saves_scoring_and_changes_no_place(engine, words):
    every = engine.find(any_of(*words), UNITS)
    found = text_lane.best_by_rare_words(any_of(*words), engine, engine.count, text_lane.ENOUGH)
    assert len(found) >= min(text_lane.ENOUGH, len(every))
    first = every[: len(found)]
    assert {hit.rowid for hit in first} == set(found)
    assert all(found[hit.rowid] == pytest.approx(hit.score, abs=1e-9) for hit in first)


def test_units_with_common_words_alone_are_not_even_looked_at(engine):
    found = text_lane.best_by_rare_words(any_of("rare", "common"), engine, engine.count, text_lane.ENOUGH)
    rare = {hit.rowid for hit in engine.find(any_of("rare"), UNITS)}
    assert text_lane.ENOUGH <= len(found) < len(rare)
    assert set(found) <= rare


def test_all_that_tie_with_the_last_of_a_pool_are_in_it(tmp_path):
    database = Database(tmp_path, "test", FTS5_SCHEMA)
    fts5 = Fts5(database.connection)
    with database.writing():
        fts5.add(
            IndexRow(number, ("", "", "", "same words", "", "")) for number in range(1, 2 * text_lane.POOL)
        )
    assert len(text_lane.best(Clause("token", "same"), fts5, text_lane.POOL)) == 2 * text_lane.POOL - 1
    database.close()
