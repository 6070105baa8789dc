from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from engine_contract import EngineContract, OpenEngine, Opener, any_of, row, token, without

from memoryclaw.errors import IndexDamagedError
from memoryclaw.index.database import Database
from memoryclaw.index.index import FTS5_SCHEMA, Fts5, expression


def open_fts5(folder: Path) -> OpenEngine:
    database = Database(folder, "test", FTS5_SCHEMA)
    return OpenEngine(database, Fts5(database.connection))


class TestFts5(EngineContract):
    @pytest.fixture
    def opener(self) -> Opener:
        return open_fts5


def test_a_question_that_cannot_match_has_no_expression() -> None:
    assert expression(any_of()) == expression(without(token("a"))) == ""


def test_quotes_are_doubled() -> None:
    assert expression(token('a"b', "title")) == '{title} : "a""b"'


def test_size_holds_at_numbers_of_more_than_one_byte(tmp_path: Path) -> None:
    opened = open_fts5(tmp_path / "index")
    opened.put(*(row(n, "a " * 1000, title="b") for n in range(1, 301)))
    assert opened.engine.size() == (300, 300_300)


def test_a_token_takes_least_room_in_the_body_where_most_of_them_stand(tmp_path: Path) -> None:
    words = [" ".join(f"w{n % 7}x{at}" for at in range(40)) for n in range(100)]
    sizes = {}
    for column in ("body", "title"):
        opened = open_fts5(tmp_path / column)
        opened.put(
            *(row(n, text) if column == "body" else row(n, "", title=text) for n, text in enumerate(words, 1))
        )
        blocks = opened.database.connection().execute("select sum(length(block)) from text_data")
        sizes[column] = blocks.fetchone()[0]
    assert sizes["title"] - sizes["body"] >= 2 * 40 * len(words)  # a mark and a number for each


def test_thousands_of_rowids_to_stay_within_cost_one_pass(tmp_path: Path) -> None:
    """Asked for once per rowid, FTS5 took 0.8 ms each; the plan must scan the matches once."""
    opened = open_fts5(tmp_path / "index")
    opened.put(*(row(n, "a") for n in range(1, 11)))
    seen: list[str] = []
    connection = opened.database.connection()
    connection.set_trace_callback(seen.append)
    opened.engine.find(token("a"), 5, [1, 2, 3])
    connection.set_trace_callback(None)
    plan = connection.execute(f"explain query plan {next(s for s in seen if 'match' in s)}").fetchall()
    assert [step[3] for step in plan if "SCAN text" in step[3]] == [
        "SCAN text VIRTUAL TABLE INDEX 0:M4><"  # from the first rowid to the last
    ]


def test_an_index_at_odds_with_itself_is_noticed(tmp_path: Path) -> None:
    """Units removed more often than they were added leave a negative length behind, and scores that are no numbers."""
    opened = open_fts5(tmp_path / "index")
    opened.put(row(1, "a a a"), *(row(n, "a") for n in range(2, 10)))
    with contextlib.suppress(IndexDamagedError):
        for _ in range(12):
            opened.take(row(1, "a a a"))
    with pytest.raises(IndexDamagedError):
        opened.engine.find(token("a"), 10)
