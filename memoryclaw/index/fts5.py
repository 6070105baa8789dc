"""The default text index: SQLite FTS5 over tokens that we analysed ourselves. Contentless, so it holds no text twice."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from memoryclaw.errors import IndexDamagedError
from memoryclaw.index.bm25 import WEIGHTS, sound
from memoryclaw.model import COLUMNS
from memoryclaw.ports import Hit, IndexClause, IndexRow


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# The tokens are already folded and stemmed, so the tokenizer only has to keep them whole: `unicode61` would cut at an
# apostrophe and at the vowel signs of Devanagari.
_TOKENIZER = "ascii tokenchars " + _quote("""!"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~""")
# What a transaction gathers before it writes a segment: fewer segments, a smaller index.
_HASH_BYTES = 8 << 20
# Most tokens stand in the body: FTS5 writes the number of a column beside every place but those in the first.
_ORDER = sorted(COLUMNS, key=lambda column: column != "body")
FTS5_SCHEMA = f"""
create virtual table text using fts5({", ".join(_ORDER)}, content='', tokenize={_quote(_TOKENIZER)});
create virtual table occurrences using fts5vocab(text, instance);
insert into text(text, rank) values('hashsize', {_HASH_BYTES});
insert into text(text, rank) values('rank', 'bm25({", ".join(str(WEIGHTS[c]) for c in _ORDER)})');
"""
_TIES = 100  # more than wanted that are asked for: ties with the last are common, and asking twice is scoring twice
_NAMES = ", ".join(COLUMNS)
_MARKS = ", ".join("?" for _ in COLUMNS)
_FIND = "select rowid, -rank from text where text match ? order by rank, rowid limit ?"
# Without the plus, SQLite would ask FTS5 anew for every single rowid. FTS5 itself reads from the first to the last of them: a
# sync takes files in by their paths, so that what was said around a day stands together.
_FIND_WITHIN = """select rowid, -rank from text where text match ? and rowid >= ? and rowid <= ?
    and +rowid in (select value from json_each(?)) order by rank, rowid limit ?"""


class Fts5:
    """The FTS5 engine, on the connection that `connect` gives."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect

    def add(self, rows: Iterable[IndexRow]) -> None:
        """Adds units to the index."""
        self._connect().executemany(
            f"insert into text(rowid, {_NAMES}) values(?, {_MARKS})",
            ((row.rowid, *row.columns) for row in rows),
        )

    def remove(self, rows: Iterable[IndexRow]) -> None:
        """Removes units; a contentless index needs the very tokens they were added with."""
        self._connect().executemany(
            f"insert into text(text, rowid, {_NAMES}) values('delete', ?, {_MARKS})",
            ((row.rowid, *row.columns) for row in rows),
        )

    def find(self, clause: IndexClause, limit: int, within: Sequence[int] | None = None) -> list[Hit]:
        """The best units by BM25, with all that tie with the last of them."""
        match, most = expression(clause), limit + _TIES
        if not match or limit < 1 or (within is not None and not within):
            return []
        sql, values = _FIND, list[object]([match])
        if within is not None:
            sql, values = _FIND_WITHIN, [match, min(within), max(within), str([*within])]
        while True:
            rows = self._connect().execute(sql, (*values, most)).fetchall()
            if rows and rows[0][1] is None:
                raise IndexDamagedError(
                    "the text index holds a unit without its length; it is being built again"
                )
            last = rows[limit - 1][1] if len(rows) > limit else -math.inf
            if len(rows) < most or rows[-1][1] < last:
                return [Hit(*row) for row in rows if row[1] >= last]
            most *= 4

    def instances(self) -> Iterator[tuple[str, list[tuple[int, str, int]]]]:
        """Every token with each of its places (rowid, column, place), in the order of the tokens."""
        rows = self._connect().execute("select term, doc, col, offset from occurrences")
        for term, places in groupby(rows, key=itemgetter(0)):
            yield term, [(doc, column, offset) for _, doc, column, offset in places]

    def count(self, clause: IndexClause) -> int:
        """How many units match."""
        match = expression(clause)
        sql = "select count(*) from text where text match ?"
        return int(self._connect().execute(sql, (match,)).fetchone()[0]) if match else 0

    def size(self) -> tuple[int, int]:
        """Units and tokens as of the last commit, from the averages record that FTS5 keeps for BM25 itself."""
        row = self._connect().execute("select block from text_data where id = 1").fetchone()
        numbers, value = list[int](), 0
        for byte in row[0] if row and row[0] else b"\0":
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                numbers.append(value)
                value = 0
        return numbers[0], sum(numbers[1:])

    def clear(self) -> None:
        """Forgets everything."""
        self._connect().execute("insert into text(text) values('delete-all')")

    def settle(self, *, keep: bool) -> None:
        """Nothing to do: the tables around it commit or roll back, and FTS5 with them."""


def expression(clause: IndexClause) -> str:
    """A clause as an FTS5 match expression, empty when nothing can match; every token is quoted, so no text can be syntax."""
    cleaned = sound(clause)
    return _expression(cleaned) if cleaned is not None else ""


def _expression(clause: IndexClause) -> str:
    if clause.op in ("token", "phrase"):
        quoted = '"' + clause.text.replace('"', '""') + '"'
        return f"{{{' '.join(clause.columns)}}} : {quoted}" if clause.columns else quoted
    required = [_group(inner) for inner in clause.parts if inner.op != "not"]
    barred = [_group(inner.parts[0]) for inner in clause.parts if inner.op == "not"]
    text = (" OR " if clause.op == "any" else " AND ").join(required)
    # Beside the last part alone, which comes to the same: FTS5 forgets words that it has seen already of an alternative within an AND
    # that stands below anything else.
    return f"{text} NOT {_bracket(' OR '.join(barred), len(barred))}" if barred else text


def _group(clause: IndexClause) -> str:
    return _bracket(_expression(clause), len(clause.parts))


def _bracket(text: str, parts: int) -> str:
    # Every bracket that is not needed would count against the depth of SQLite's parser.
    return f"({text})" if parts > 1 else text
