"""The second text index: Whoosh keeps the postings, core/clauses and core/scoring decide, so that it answers as FTS5 does.

SQLite holds the seal of the Whoosh files as of its own last commit; files that do not fit it are never read.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memoryclaw.adapters.seals import Seal, is_whole, sealed
from memoryclaw.adapters.whoosh_files import LOCK, UNREADABLE, Snapshot, committed, create, put
from memoryclaw.core.clauses import counted, sound, tally
from memoryclaw.core.errors import IndexDamagedError, VaultError
from memoryclaw.core.ports import Clause, Hit, Row
from memoryclaw.core.scoring import gain, idf

_KEY = "whoosh"  # of the record in the table `meta`


class _Record(NamedTuple):
    """What SQLite knows of the Whoosh files; without a record the index is empty, whatever lies there."""

    units: int
    tokens: int
    seal: Seal


class WhooshIndex:
    """The Whoosh engine.

    Args:
        folder: where Whoosh keeps its files; it belongs to this class alone.
        connect: returns the open connection of the catalogue; its transactions decide what is kept.
    """

    def __init__(self, folder: Path, connect: Callable[[], sqlite3.Connection]) -> None:
        self._folder = folder
        self._connect = connect
        self._added: dict[int, Row] = {}
        self._removed: set[int] = set()
        self._open: tuple[_Record, Snapshot] | None = None

    def add(self, rows: Iterable[Row]) -> None:
        """Adds units, once `settle` keeps them."""
        self._added.update((row.rowid, row) for row in rows)

    def remove(self, rows: Iterable[Row]) -> None:
        """Removes units, once `settle` keeps that."""
        for row in rows:
            if self._added.pop(row.rowid, None) is None:
                self._removed.add(row.rowid)

    def find(self, clause: Clause, limit: int, within: Sequence[int] | None = None) -> list[Hit]:
        """The best units by BM25, with all that tie with the last of them."""
        wanted, current = sound(clause), self._current()
        if wanted is None or current is None or limit < 1:
            return []
        with self._reading():
            hits = _hits(wanted, *current, within)
        hits.sort(key=lambda hit: (-hit.score, hit.rowid))
        return [hit for hit in hits if hit.score >= hits[limit - 1].score] if len(hits) > limit else hits

    def count(self, clause: Clause) -> int:
        """How many units match."""
        wanted, current = sound(clause), self._current()
        if wanted is None or current is None:
            return 0
        with self._reading():
            return len(tally(wanted, current[1].counts).units)

    def size(self) -> tuple[int, int]:
        """Units and tokens as of the last commit."""
        current = self._current()
        return (current[0].units, current[0].tokens) if current else (0, 0)

    def clear(self) -> None:
        """Forgets everything; the files go when the next units come."""
        self._added, self._removed = {}, set()
        self._connect().execute("delete from meta where key = ?", (_KEY,))

    def settle(self, *, keep: bool) -> None:
        """Writes or drops what was added and removed; called inside the SQLite transaction that it belongs to.

        Raises:
            IndexDamagedError: the Whoosh files are not those of the catalogue.
            VaultError: the disk does not take it.
        """
        added, removed = self._added, self._removed
        self._added, self._removed = {}, set()
        if not keep or not (added or removed):
            return
        try:
            self._write(added, removed)
        except OSError as error:
            text = f"the index {self._folder} cannot be written ({error.strerror}); make room or give yourself the right to write there"
            raise VaultError(text) from error

    def _write(self, added: Mapping[int, Row], removed: set[int]) -> None:
        record, snapshot = self._current() or (_Record(0, 0, []), None)
        gone = snapshot.documents(removed) if snapshot else {}
        with committed(snapshot.index if snapshot else create(self._folder)) as writer:
            for document in gone:
                writer.delete_document(document)
            sizes = [put(writer, row) for row in added.values()]
            # Once most of what lies there is dead, it pays to write the living anew.
            writer.optimize = 2 * writer.deleted_count() > record.units
        units, tokens = record.units + len(sizes) - len(gone), record.tokens + sum(sizes) - sum(gone.values())
        values = (_KEY, json.dumps(_Record(units, tokens, sealed(self._folder, but=LOCK))))
        self._connect().execute("insert or replace into meta values(?, ?)", values)

    def _current(self) -> tuple[_Record, Snapshot] | None:
        try:
            return self._opened()
        except IndexDamagedError:
            if self._connect().in_transaction:
                raise
        # Another process may be between its commit to Whoosh and that to SQLite: whoever gets the lock is not.
        self._connect().execute("begin immediate")
        try:
            return self._opened()
        finally:
            self._connect().execute("rollback")

    def _opened(self) -> tuple[_Record, Snapshot] | None:
        record, last = self._record(), self._open
        if last and last[0] != record:
            last[1].close()
            self._open = None
        if record is None:
            return None
        self._demand(record)
        if self._open is None:
            with self._reading():
                snapshot = Snapshot(self._folder, last[1].numbers if last else {})
            self._demand(record)
            self._open = record, snapshot
        return self._open

    def _record(self) -> _Record | None:
        row = self._connect().execute("select value from meta where key = ?", (_KEY,)).fetchone()
        return _Record(*json.loads(row[0])) if row else None

    def _demand(self, record: _Record) -> None:
        # Whoosh reads the newest table of contents, so there must be no other than the sealed one.
        with self._reading():
            tables = [name for name in os.listdir(self._folder) if name.endswith(".toc")]
        names = {line[0] for line in record.seal}
        if not names.issuperset(tables) or not is_whole(self._folder, record.seal):
            self._open = None
            raise self._damaged("its files are not those of the catalogue")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except UNREADABLE as error:
            self._open = None
            raise self._damaged(str(error)) from error

    def _damaged(self, why: str) -> IndexDamagedError:
        return IndexDamagedError(f"the index {self._folder} is damaged ({why}); it is being built again")


def _hits(clause: Clause, record: _Record, snapshot: Snapshot, within: Sequence[int] | None) -> list[Hit]:
    found, rowids = tally(clause, snapshot.counts), snapshot.rowids
    documents = found.units
    if within is not None:
        allowed = set(within)
        documents = {document for document in documents if rowids[document] in allowed}
    scores = dict.fromkeys(documents, 0.0)
    average = record.tokens / max(record.units, 1)
    for counts, holding in counted(found, scores.keys()):
        rarity = idf(record.units, len(counts))
        for document in holding:
            scores[document] += gain(rarity, counts[document], snapshot.lengths[document], average)
    return [Hit(rowids[document], score) for document, score in scores.items()]
