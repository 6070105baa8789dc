"""Whoosh's own files: how units are stored in them, and one snapshot of them to read. The one module that opens them."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import struct
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from whoosh.columns import NumericColumn
from whoosh.fields import COLUMN, FieldType, Schema
from whoosh.filedb.filestore import FileStorage
from whoosh.formats import Positions
from whoosh.index import FileIndex, LockError
from whoosh.index import IndexError as WhooshError
from whoosh.reading import CorruptIndexError, TermNotFound

from memoryclaw.adapters.statefolder import touch
from memoryclaw.core.errors import IndexBusyError
from memoryclaw.core.model import COLUMNS
from memoryclaw.core.ports import Clause, Row
from memoryclaw.core.scoring import WEIGHTS

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
            numbers = self.numbers[name] = known.get(name) or _numbers(reader)
            self.rowids.extend(numbers.rowids)
            self.lengths.extend(numbers.lengths)

    def documents(self, rowids: set[int]) -> dict[int, int]:
        """The living documents of these units, each with its number of tokens."""
        found = [document for document, rowid in enumerate(self.rowids) if rowid in rowids] if rowids else []
        return {
            document: self.lengths[document] for document in found if not self._reader.is_deleted(document)
        }

    def close(self) -> None:
        """Lets go of the files."""
        self._reader.close()

    def _counts(self, leaf: Clause) -> dict[int, float]:
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


def put(writer: Any, row: Row) -> int:
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
        for token, found in places.items():
            yield _key(token), len(found), len(found), self.format.encode(found)


def _split(text: str) -> list[str]:
    return [token for token in text.split(" ") if token]


def _key(token: str) -> bytes:
    return token.encode()[:_LONGEST]


def _storage(folder: Path) -> Any:
    # Without mmap: a file cut short under a map would kill the process.
    return FileStorage(str(folder), supports_mmap=False)


def _numbers(reader: Any) -> Numbers:
    rowids, lengths = (array("q", reader.column_reader(column).load()) for column in ("rowid", "length"))
    return Numbers(rowids, lengths)


def _occurrences(segment: _Segment, column: str, tokens: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    if len(tokens) == 1:
        return (
            (document, int(matcher.weight())) for document, matcher in _postings(segment, column, tokens[0])
        )
    starts = _starts(segment, column, tokens)
    return ((document, len(places)) for document, places in starts.items() if places)


def _starts(segment: _Segment, column: str, tokens: Sequence[bytes]) -> dict[int, set[int]]:
    starts: dict[int, set[int]] = {}
    for offset, token in enumerate(tokens):
        found = {
            document: {place - offset for place in matcher.value_as("positions")}
            for document, matcher in _postings(segment, column, token)
            if not offset or document in starts
        }
        starts = (
            {document: starts[document] & places for document, places in found.items()} if offset else found
        )
    return starts


def _postings(segment: _Segment, column: str, token: bytes) -> Iterator[tuple[int, Any]]:
    try:
        matcher = segment.reader.postings(column, token)
    except TermNotFound:
        return
    while matcher.is_active():
        yield segment.start + matcher.id(), matcher
        matcher.next()
