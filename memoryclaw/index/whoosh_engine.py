"""The second text index: Whoosh keeps the postings, index/bm25 decides, so that it answers as FTS5 does.

SQLite holds the seal of the Whoosh files as of its own last commit; files that do not fit it are never read.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import sqlite3
import struct
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from whoosh.columns import NumericColumn
from whoosh.fields import COLUMN, FieldType, Schema
from whoosh.filedb.filestore import FileStorage
from whoosh.formats import Positions
from whoosh.index import FileIndex, LockError
from whoosh.index import IndexError as WhooshError
from whoosh.reading import CorruptIndexError, TermNotFound

from memoryclaw.errors import IndexBusyError, IndexDamagedError, VaultError
from memoryclaw.index.bm25 import WEIGHTS, counts_of, gain, idf, sound, tally
from memoryclaw.late import NamedTuple
from memoryclaw.model import COLUMNS
from memoryclaw.ports import Hit, IndexClause, IndexRow
from memoryclaw.vault.state_folder import touch

# Whoosh's own files: how units are stored in them, and one snapshot of them to read. The one module that opens them.

LOCK = "MAIN_WRITELOCK"
UNREADABLE = (OSError, EOFError, struct.error, zlib.error, pickle.PickleError, CorruptIndexError, WhooshError)
_MEMORY_MB = 256  # of postings before Whoosh sorts them on disk; 10,000 notes need about 80
_LONGEST = 32768  # bytes of a token that count, as in FTS5
_KEPT = 64  # tokens and phrases whose postings are remembered while nothing changes


class _Segment(NamedTuple):
    reader: Any
    start: int  # the number of its first document among those of all segments


class Numbers(NamedTuple):
    """What is kept of each document besides its tokens: the rowid of the unit, and how many tokens it has."""

    rowids: array[int]
    lengths: array[int]


class Snapshot:
    """The index as of one commit, open for reading; documents are numbered over all segments.

    Args:
        folder: where the files are; they are trusted, for Whoosh unpickles them.
        known: the numbers of segments that an earlier snapshot has read already.
    """

    def __init__(self, folder: Path, known: Mapping[str, Numbers]) -> None:
        self.index = FileIndex(_storage(folder))
        self.numbers: dict[str, Numbers] = {}
        self.rowids, self.lengths = array("q"), array("q")
        self.counts = lru_cache(_KEPT)(self._counts)
        self._reader = self.index.reader()
        self._segments = [_Segment(*leaf) for leaf in self._reader.leaf_readers() if leaf[0].doc_count_all()]
        for reader, _ in self._segments:
            name = reader.segment().segment_id()
            columns = (array("q", reader.column_reader(column).load()) for column in ("rowid", "length"))
            numbers = self.numbers[name] = known.get(name) or Numbers(*columns)
            self.rowids.extend(numbers.rowids)
            self.lengths.extend(numbers.lengths)

    def documents(self, rowids: set[int]) -> dict[int, int]:
        """The living documents of these units, each with its number of tokens."""
        documents = (
            [document for document, rowid in enumerate(self.rowids) if rowid in rowids] if rowids else []
        )
        return {
            document: self.lengths[document]
            for document in documents
            if not self._reader.is_deleted(document)
        }

    def close(self) -> None:
        """Lets go of the files."""
        self._reader.close()

    def _counts(self, leaf: IndexClause) -> dict[int, float]:
        tokens = [_key(token) for token in _split(leaf.text)]
        counts: dict[int, float] = defaultdict(float)
        for column in COLUMNS:
            if leaf.columns and column not in leaf.columns:
                continue
            for segment in self._segments:
                for document, times in _occurrences(segment, column, tokens):
                    for _ in range(times):  # as FTS5 adds them up; a product would round differently
                        counts[document] += WEIGHTS[column]
        return dict(counts)


def create(folder: Path) -> Any:
    """A new, empty Whoosh index, in place of whatever was there."""
    if folder.is_symlink() or folder.is_file():
        os.unlink(folder)  # what a link leads to is not ours
    elif folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(mode=0o700)
    touch(folder / LOCK)
    columns = {column: _Tokens() for column in COLUMNS}
    schema = Schema(rowid=COLUMN(NumericColumn("q")), length=COLUMN(NumericColumn("q")), **columns)
    return FileIndex.create(_storage(folder), schema)


@contextlib.contextmanager
def committed(index: Any) -> Iterator[Any]:
    """A Whoosh writer, committed at the end of the block, cancelled when it raises."""
    try:
        writer = index.writer(limitmb=_MEMORY_MB)
    except LockError as error:
        raise IndexBusyError("the index is being written by another process; try again") from error
    try:
        yield writer
        writer.commit()
    finally:
        if not writer.is_closed:
            writer.cancel()


def put(writer: Any, row: IndexRow) -> int:
    """Adds one unit and returns how many tokens it has."""
    columns = {name: _split(text) for name, text in zip(COLUMNS, row.columns, strict=True)}
    length = sum(map(len, columns.values()))
    writer.add_document(
        rowid=row.rowid, length=length, **{name: tokens for name, tokens in columns.items() if tokens}
    )
    return length


class _Tokens(FieldType):  # type: ignore[misc]
    """A column of tokens that are analysed already; twice as fast as Whoosh's own token pipeline."""

    def __init__(self) -> None:
        super().__init__(Positions(), analyzer=None)

    def index(self, value: list[str], **_: Any) -> Iterator[tuple[bytes, int, int, bytes]]:
        """Yields (token, count, weight, positions) for each distinct token."""
        places: dict[str, list[int]] = defaultdict(list)
        for place, token in enumerate(value):
            places[token].append(place)
        for token, token_places in places.items():
            yield _key(token), len(token_places), len(token_places), self.format.encode(token_places)


def _split(text: str) -> list[str]:
    return [token for token in text.split(" ") if token]


def _key(token: str) -> bytes:
    return token.encode()[:_LONGEST]


def _storage(folder: Path) -> Any:
    # Without mmap: a file cut short under a map would kill the process.
    return FileStorage(str(folder), supports_mmap=False)


def _occurrences(segment: _Segment, column: str, tokens: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    if len(tokens) == 1:
        return (
            (document, int(matcher.weight())) for document, matcher in _postings(segment, column, tokens[0])
        )
    starts: dict[int, set[int]] = {}
    for offset, token in enumerate(tokens):
        positions = {
            document: {place - offset for place in matcher.value_as("positions")}
            for document, matcher in _postings(segment, column, token)
            if not offset or document in starts
        }
        starts = (
            {document: starts[document] & places for document, places in positions.items()}
            if offset
            else positions
        )
    return ((document, len(places)) for document, places in starts.items() if places)


def _postings(segment: _Segment, column: str, token: bytes) -> Iterator[tuple[int, Any]]:
    try:
        matcher = segment.reader.postings(column, token)
    except TermNotFound:
        return
    while matcher.is_active():
        yield segment.start + matcher.id(), matcher
        matcher.next()


# A seal over files that another library wrote: what the disk says of each, so that any change to them is noticed
# unread.

Seal = Sequence[Sequence[str | int]]  # name, size, mtime_ns, ctime_ns, inode


def sealed(folder: Path, *, but: str) -> Seal:
    """The seal over the regular files of a folder as they are now, made readable by their owner alone.

    Args:
        but: the name of a file that is not part of it.
    """
    with os.scandir(folder) as entries:
        names = sorted(e.name for e in entries if e.name != but and e.is_file(follow_symlinks=False))
    for name in names:
        os.chmod(folder / name, 0o600)
    return [_line(folder, name) for name in names]


def is_whole(folder: Path, seal: Seal) -> bool:
    """True when every file under the seal is what it was."""
    try:
        return all(_line(folder, str(line[0])) == list(line) for line in seal)
    except OSError:
        return False


def _line(folder: Path, name: str) -> list[str | int]:
    status = os.lstat(folder / name)
    return [name, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


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
        self._added: dict[int, IndexRow] = {}
        self._removed: set[int] = set()
        self._open: tuple[_Record, Snapshot] | None = None

    def add(self, rows: Iterable[IndexRow]) -> None:
        """Adds units, once `settle` keeps them."""
        self._added.update((row.rowid, row) for row in rows)

    def remove(self, rows: Iterable[IndexRow]) -> None:
        """Removes units, once `settle` keeps that."""
        for row in rows:
            if self._added.pop(row.rowid, None) is None:
                self._removed.add(row.rowid)

    def find(self, clause: IndexClause, limit: int, within: Sequence[int] | None = None) -> list[Hit]:
        """The best units by BM25, with all that tie with the last of them."""
        cleaned, current = sound(clause), self._current()
        if cleaned is None or current is None or limit < 1:
            return []
        with self._reading():
            hits = _hits(cleaned, *current, within)
        hits.sort(key=lambda hit: (-hit.score, hit.rowid))
        return [hit for hit in hits if hit.score >= hits[limit - 1].score] if len(hits) > limit else hits

    def count(self, clause: IndexClause) -> int:
        """How many units match."""
        cleaned, current = sound(clause), self._current()
        if cleaned is None or current is None:
            return 0
        with self._reading():
            return len(tally(cleaned, current[1].counts).units)

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
            record, snapshot = self._current() or (_Record(0, 0, []), None)
            gone = snapshot.documents(removed) if snapshot else {}
            with committed(snapshot.index if snapshot else create(self._folder)) as writer:
                for document in gone:
                    writer.delete_document(document)
                sizes = [put(writer, row) for row in added.values()]
                # Once most of what lies there is dead, it pays to write the living anew.
                writer.optimize = 2 * writer.deleted_count() > record.units
            seal = sealed(self._folder, but=LOCK)
        except OSError as error:
            text = f"the index {self._folder} cannot be written ({error.strerror}); free some space or check the permissions there"
            raise VaultError(text) from error
        units, tokens = record.units + len(sizes) - len(gone), record.tokens + sum(sizes) - sum(gone.values())
        values = (_KEY, json.dumps(_Record(units, tokens, seal)))
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
        row = self._connect().execute("select value from meta where key = ?", (_KEY,)).fetchone()
        record, last = (_Record(*json.loads(row[0])) if row else None), self._open
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


def _hits(
    clause: IndexClause, record: _Record, snapshot: Snapshot, within: Sequence[int] | None
) -> list[Hit]:
    tallied, rowids = tally(clause, snapshot.counts), snapshot.rowids
    documents = tallied.units
    if within is not None:
        allowed = set(within)
        documents = {document for document in documents if rowids[document] in allowed}
    scores = dict.fromkeys(documents, 0.0)
    average = record.tokens / max(record.units, 1)
    for counts, holding in counts_of(tallied, scores.keys()):
        rarity = idf(record.units, len(counts))
        for document in holding:
            scores[document] += gain(rarity, counts[document], snapshot.lengths[document], average)
    return [Hit(rowids[document], score) for document, score in scores.items()]
