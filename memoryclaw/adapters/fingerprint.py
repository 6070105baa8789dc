"""One digest over all that an index knows. The rule: two indexes of the same files have the same one, however each came about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import groupby

from memoryclaw.adapters.fts5 import Fts5
from memoryclaw.adapters.index import Index
from memoryclaw.core.ports import Clause

# Everything but what the disk says of a file and the numbers that rows happened to get.
_TABLES = (
    "select path, digest, id, kind, state, title, at, until, tags, trust, pinned, stem from files order by path",
    """select path, seq, id, kind, line, end_line, title, tags, properties, text, at, until, entity, entity_key, field,
        value, trust, pinned, state, asks, told, means_from, means_to, names from units order by path, seq""",
    """select path, seq, id, entity, entity_key, field, value, since, until, source, line, current from facts
        order by path, seq""",
    "select path, tag from tags order by path, tag",
    "select path, kind, key, name from names order by path, kind, key",
    "select path, seq, target, target_key, anchor, label, line, embed from links order by path, seq",
    "select path, origin, seq, line, message, hint from problems order by path, origin, seq",
    "select key, expansion from aliases order by key, expansion",
    "select word, spelled, held from words order by word",
)
_PLACES = "select rowid, path, seq from units"

Place = tuple[str, int]


def fingerprint(index: Index) -> str:
    """The digest of an index's tables and of its text lane, down to the place of every token."""
    digest = hashlib.sha256()
    for row in _rows(index):
        digest.update(repr(row).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _rows(index: Index) -> Iterator[object]:
    with index.database.guarded() as connection:
        for sql in _TABLES:
            yield from connection.execute(sql)
        places = {rowid: (path, seq) for rowid, path, seq in connection.execute(_PLACES)}
        yield index.size()
        yield from _instances(index, places) if isinstance(index.engine, Fts5) else _postings(index, places)


def _instances(index: Index, places: dict[int, Place]) -> Iterator[object]:
    connection = index.database.connection()
    connection.execute(
        "create virtual table if not exists temp.instances using fts5vocab(main, text, instance)"
    )
    rows = connection.execute("select term, doc, col, offset from temp.instances")
    for term, found in groupby(rows, key=lambda row: row[0]):
        yield term, sorted((places.get(doc, ("", doc)), column, offset) for _, doc, column, offset in found)


def _postings(index: Index, places: dict[int, Place]) -> Iterator[object]:
    for (token,) in (
        index.database.connection().execute("select word from words where held order by word").fetchall()
    ):
        hits = index.engine.find(Clause("token", token), len(places) + 1)
        yield token, sorted((places.get(hit.rowid, ("", hit.rowid)), round(hit.score, 9)) for hit in hits)
