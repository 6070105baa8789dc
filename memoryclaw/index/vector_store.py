"""The vectors of a vault for one model: which passage is in which row, and which unit has which passage. Derived; it may vanish.

A row is on the disk before its slot is known, so whatever kills a writer, no slot ever has another's vector.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

from memoryclaw.errors import LockedError, VectorsError
from memoryclaw.late import NamedTuple
from memoryclaw.models.embedders import Floats, numpy
from memoryclaw.vault.files import writer_lock
from memoryclaw.vault.state_folder import make_private_folder, touch

FOLDER = "vectors"
_SCHEMA = """
create table if not exists meta(key text primary key, value) without rowid;
create table if not exists slot(slot integer primary key, digest blob unique, sum integer);
create table if not exists unit(rowid integer primary key, digest blob not null);
create index if not exists unit_digest on unit(digest);
"""
_MISSING = """select min(rowid) from unit where not exists(select 1 from slot where slot.digest = unit.digest)
    group by digest order by 1"""
_COUNT = "select count(*) from unit where not exists(select 1 from slot where slot.digest = unit.digest)"
_ORPHANS = """select slot from slot where digest is not null
    and not exists(select 1 from unit where unit.digest = slot.digest)"""
_HELD = "select slot, sum from slot where digest is not null"
_NO_MEAN = "delete from meta where key = 'mean'"
_BUSY = 5.0  # seconds that one process waits for another's transaction


class IndexMark(NamedTuple):
    """Which state of the index the units here are of: rows get new numbers only, so these three tell any two apart."""

    born: str
    next: int
    units: int


class VectorStore:
    """Vectors of one model.

    Args:
        model: as the settings call it; each has a folder of its own.
    """

    def __init__(self, state: Path, model: str) -> None:
        slug = re.sub(r"[^a-z0-9.]+", "-", model.lower()).strip("-.")
        name_digest = hashlib.blake2b(model.encode("utf-8", "replace"), digest_size=4).hexdigest()
        self._all = state / FOLDER
        self.folder = self._all / f"{slug[:60]}-{name_digest}"
        self._path = self.folder / "slots.sqlite"
        self._doubt = self.folder / "doubt"  # there since somebody met a row that was not what was written
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._matrix: Matrix | None = None

    def exists(self) -> bool:
        """True when there are vectors, or once were some."""
        return self._path.exists()

    @contextlib.contextmanager
    def filling(self) -> Iterator[None]:
        """Keeps others from filling and dropping meanwhile."""
        make_private_folder(self._all)
        try:
            with writer_lock(os.fspath(self._all), wait=0):
                yield
        except LockedError:
            raise LockedError("the vectors are being filled by another process") from None

    def recipe(self) -> str:
        """Who made the vectors; empty when nobody has."""
        return str(self._meta("recipe") or "")

    def mark(self) -> IndexMark:
        """The state of the index as of the last `settle`."""
        return IndexMark(*json.loads(self._meta("mark") or '["", 0, 0]'))

    def units(self) -> dict[int, bytes]:
        """The passage of each unit, as of then."""
        return dict(self._rows("select rowid, digest from unit"))

    def embedded(self) -> set[bytes]:
        """The passages that have a vector."""
        return {digest for (digest,) in self._rows("select digest from slot where digest is not null")}

    def missing(self) -> list[int]:
        """For each passage without a vector the first unit that has it, in order."""
        return [rowid for (rowid,) in self._rows(_MISSING)]

    def lacking(self) -> int:
        """How many units have no vector."""
        return int(self._meta("lacking") or 0)

    def settle(self, mark: IndexMark, gone: Sequence[int], new: Mapping[int, bytes]) -> None:
        """Takes over which units there are; those of another index (`mark.born`) are forgotten."""
        with self._writing() as connection:
            if self.mark().born != mark.born:
                connection.execute("delete from unit")
            connection.executemany("delete from unit where rowid = ?", [(rowid,) for rowid in gone])
            connection.executemany("insert or replace into unit values(?,?)", new.items())
            _keep(connection, "mark", json.dumps(mark))

    def begin(self, recipe: str) -> None:
        """Makes the store one of this recipe; vectors of another are thrown away."""
        if self.recipe() != recipe:
            self.discard()
            with self._writing() as connection:
                _keep(connection, "recipe", recipe)

    def fits(self, rows: Floats) -> bool:
        """True when rows are as long as those that are there, or none are."""
        dimension = self._meta("dimension")
        return dimension is None or int(dimension) == int(rows.shape[1])

    def add(self, digests: Sequence[bytes], rows: Floats) -> None:
        """Keeps the vectors of passages; call it within `filling`.

        Raises:
            VectorsError: the rows have another length than those that are there.
        """
        matrix = self._matrix_of(int(rows.shape[1]))
        free = [slot for (slot,) in self._rows("select slot from slot where digest is null and sum = 0")]
        slots = [*free, *range(self._count(), self._count() + len(digests))][: len(digests)]
        bytes_of = {slot: row.tobytes() for slot, row in zip(slots, rows, strict=True)}
        matrix.write(bytes_of)
        with self._writing() as connection:
            slot_rows = [
                (slot, digest, crc32(bytes_of[slot])) for slot, digest in zip(slots, digests, strict=True)
            ]
            connection.executemany("insert or replace into slot values(?,?,?)", slot_rows)
            connection.execute(_NO_MEAN)

    def width(self) -> int:
        """The bytes of one vector; 0 when there are none."""
        return int(self._meta("dimension") or 0) * _FLOAT

    def rows(self, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors of passages that have one, as they were written."""
        sql = "select digest, slot, sum from slot where digest = ?"
        slot_rows = [row for digest in digests for row in self._rows(sql, digest)]
        if not slot_rows:
            return {}
        matrix = self._matrix_of(int(self._meta("dimension")))
        with self._doubting():
            rows = matrix.bytes_of({slot: crc for _, slot, crc in slot_rows})
        return {digest: rows[slot] for digest, slot, _ in slot_rows}

    def drop(self) -> int:
        """Wipes out the vectors of passages that no unit has any more; call it within `filling`."""
        orphans = self._rows(_ORPHANS)
        if orphans:
            with self._writing() as connection:
                connection.executemany("update slot set digest = null, sum = null where slot = ?", orphans)
                connection.execute(_NO_MEAN)
        # Also what a killed process has dropped and not wiped out.
        unwiped = [slot for (slot,) in self._rows("select slot from slot where sum is null")]
        if unwiped and (width := self.width()):
            self._matrix_of(width // _FLOAT).write(dict.fromkeys(unwiped, bytes(width)))
            with self._writing() as connection:
                connection.execute("update slot set sum = 0 where sum is null and digest is null")
        return len(orphans)

    def average(self) -> None:
        """Makes the mean of all vectors, so that no question waits for it."""
        if dimension := self._meta("dimension"):
            self._mean(self._matrix_of(int(dimension)))

    def look(self, query: Floats, wanted: int, within: Sequence[int] | None = None) -> dict[int, float]:
        """The units nearest to a vector, with all that tie with the last, and their cosines.

        Args:
            query: of length 1.
            wanted: how many units at least, if there are so many.
            within: limits them to some.

        Raises:
            VectorsError: the vector is of another length, or what is there is not what was written.
        """
        count, ask = self._count(), wanted
        if not count:
            return {}
        if within is not None:
            return _best(self.cosines(query, within), wanted)
        matrix = self._matrix_of(len(query))
        mean = self._mean(matrix)
        while True:
            slots = matrix.nearest(query, mean, count, ask)
            sql = """select unit.rowid, slot, sum from slot join unit using(digest)
                where slot in (select value from json_each(?))"""
            cosines = self._cosines(query, self._rows(sql, json.dumps(slots)))
            if len(cosines) >= wanted or ask >= count:
                return _best(cosines, wanted)
            ask *= 4  # some of the nearest are of no unit any more

    def cosines(self, query: Floats, rowids: Sequence[int]) -> dict[int, float]:
        """The cosine of each of these units that has a vector, both vectors taken from the mean of all."""
        sql = """select unit.rowid, slot, sum from unit join slot using(digest)
            where unit.rowid in (select value from json_each(?))"""
        return self._cosines(query, self._rows(sql, json.dumps(list(rowids))))

    def doubtful(self) -> bool:
        """True when somebody found damage since the last look at every vector."""
        return self._doubt.exists()

    def sound(self) -> bool:
        """True when every vector is what was written."""
        try:
            if self._rows("pragma quick_check(1)") != [("ok",)]:
                return False
            sums = dict(self._rows(_HELD))
            is_sound = not sums or self._matrix_of(self.width() // _FLOAT).sound(sums)
        except VectorsError:
            return False
        if is_sound:
            self._doubt.unlink(missing_ok=True)
        return is_sound

    def discard(self) -> None:
        """Throws the vectors away; call it within `filling`."""
        self.close()
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.folder)

    def discard_others(self) -> None:
        """Throws the vectors of other models away; call it within `filling`."""
        for entry in os.scandir(self._all):
            if entry.name != self.folder.name and entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)

    def close(self) -> None:
        """Closes the connection; the object can be used again."""
        if self._connection is not None:
            self._connection.close()
        self._connection, self._matrix = None, None

    @contextlib.contextmanager
    def _doubting(self) -> Iterator[None]:
        """Notes damage that is met, so that the next fill looks at every vector."""
        try:
            yield
        except VectorsError:
            self._doubted()
            raise

    def _doubted(self) -> None:
        with contextlib.suppress(OSError):
            touch(self._doubt)

    def _cosines(self, query: Floats, rows: Sequence[tuple[Any, ...]]) -> dict[int, float]:
        if not rows:
            return {}
        matrix = self._matrix_of(len(query))
        mean = self._mean(matrix)
        with self._doubting():
            cosines = matrix.cosines(query, mean, {slot: crc for _, slot, crc in rows})
        return {rowid: cosines[slot] for rowid, slot, _ in rows}

    def _mean(self, matrix: Matrix) -> Floats:
        """The mean of all vectors, which is made anew when one has come or gone."""
        mean_bytes = self._meta("mean")
        if mean_bytes is None:
            with self._doubting(), self._writing() as connection:
                mean_bytes = matrix.mean(dict(self._rows(_HELD))).tobytes()
                _keep(connection, "mean", mean_bytes)
        return numpy().frombuffer(mean_bytes)

    def _matrix_of(self, dimension: int) -> Matrix:
        stored = self._meta("dimension")
        if stored is None:
            with self._writing() as connection:
                _keep(connection, "dimension", dimension)
        elif int(stored) != dimension:
            raise VectorsError(
                f"the model now makes vectors of {dimension} numbers, not {stored}; `memoryclaw sync --vectors` makes all of them again"
            )
        if self._matrix is None:
            self._matrix = Matrix(self.folder / "rows.f32", dimension)
        return self._matrix

    def _count(self) -> int:
        rows = self._rows("select max(slot) + 1 from slot")
        return int(rows[0][0] or 0) if rows else 0

    def _meta(self, key: str) -> Any:
        rows = self._rows("select value from meta where key = ?", key)
        return rows[0][0] if rows else None

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._telling():
            return self._open().execute(sql, values).fetchall() if self.exists() else []

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._telling():
            connection = self._open()
            connection.execute("begin immediate")
            try:
                yield connection
                _keep(connection, "lacking", connection.execute(_COUNT).fetchone()[0])
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise VectorsError(f"the vectors in {self.folder} cannot be used now ({error})") from error
        except sqlite3.DatabaseError as error:
            self._doubted()
            raise VectorsError(damaged(self._path)) from error
        except OSError as error:
            raise VectorsError(f"{self.folder} cannot be used ({error.strerror})") from error

    def _open(self) -> sqlite3.Connection:
        """The connection to the file that is there now, made when there is none."""
        inode = self._path.stat().st_ino if self._path.exists() else 0
        if self._connection is not None and inode == self._inode:
            return self._connection
        self.close()
        make_private_folder(self.folder)
        touch(self._path)
        connection = sqlite3.connect(self._path, timeout=_BUSY, isolation_level=None, check_same_thread=False)
        connection.execute("pragma journal_mode=wal")
        connection.execute("pragma synchronous=full")
        connection.execute("pragma secure_delete=on")
        connection.executescript(_SCHEMA)
        self._connection, self._inode = connection, self._path.stat().st_ino
        return connection


def _keep(connection: sqlite3.Connection, key: str, value: object) -> None:
    connection.execute("insert or replace into meta values(?,?)", (key, value))


def _best(cosines: Mapping[int, float], wanted: int) -> dict[int, float]:
    if len(cosines) <= wanted:
        return dict(cosines)
    least = sorted(cosines.values(), reverse=True)[wanted - 1]
    return {rowid: cosine for rowid, cosine in cosines.items() if cosine >= least}


# Rows of numbers in one file, asked by looking at all of them. A cosine depends on its two vectors and on the mean of all,
# not on the place of a row.
#
# What all texts of a vault have in common tells none from another, and a question shares more of it with some texts than
# with others. So cosines are taken from the mean: of `vector - mean`.

_FLOAT = 4  # bytes
_CHUNK = 1 << 10  # rows looked at in one go: they stay in the cache of a processor for the second product
_DOUBT = 1e-4  # by which a quick product of two vectors may be off
_DIGITS = 6  # of a cosine
PRIOR = 30  # rows of nothing that count in the mean: that of a few texts would be their own words
_LEAST = 1e-3  # the square of a length: what is nearer to the mean than this has nothing of its own
_EXACT = float(
    1 << 24
)  # parts of 1 that rows are counted in for their sum, so that no order rounds it otherwise


class Matrix:
    """A file of rows."""

    def __init__(self, path: Path, dimension: int) -> None:
        self.path = path
        self.dimension = dimension
        self._width = dimension * _FLOAT
        self._mapped: Any = None

    def write(self, rows: Mapping[int, bytes]) -> None:
        """Writes rows at their slots; on the disk when it returns."""
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            for slot, row in sorted(rows.items()):
                os.pwrite(fd, row, slot * self._width)
            os.fsync(fd)
        finally:
            os.close(fd)

    def mean(self, sums: Mapping[int, int]) -> Floats:
        """The mean of some rows, given as for `cosines`, and `PRIOR` rows of nothing."""
        np, total, slots = numpy(), 0, iter(sums.items())
        while chunk := dict(islice(slots, _CHUNK)):
            rows = self._checked(chunk)
            total = total + np.rint(rows * np.float32(_EXACT)).astype(np.int64).sum(axis=0)
        return (total + np.zeros(self.dimension)) / (_EXACT * (len(sums) + PRIOR))

    def nearest(self, query: Floats, mean: Floats, count: int, wanted: int) -> list[int]:
        """The slots whose rows are nearest to a vector, in no order.

        Args:
            query: of length 1.
            wanted: slots at least.
        """
        if count <= wanted:
            return list(range(count))
        np, rows, centred = numpy(), self._rows(count), _from(query, mean)
        single = np.float32
        quick, shared = np.empty(count, single), np.empty(count, single)
        for start in range(0, count, _CHUNK):
            chunk, span = rows[start : start + _CHUNK], slice(start, start + _CHUNK)
            np.dot(chunk, centred.astype(single), out=quick[span])
            np.dot(chunk, mean.astype(single), out=shared[span])
        quick -= single(mean @ centred)
        quick /= np.sqrt(np.maximum(single(1 + mean @ mean) - 2 * shared, _LEAST))
        least = np.partition(quick, count - wanted)[count - wanted] - _DOUBT
        return [int(slot) for slot in np.flatnonzero(quick >= least)]

    def cosines(self, query: Floats, mean: Floats, sums: Mapping[int, int]) -> dict[int, float]:
        """The exact cosine of each slot to a vector, both taken from the mean.

        Args:
            query: of length 1.
            sums: the checksum that each slot's row must have.

        Raises:
            VectorsError: a row is not what was written.
        """
        np = numpy()
        # A product by BLAS would round by the place of a row; this sum does not.
        products = _from(self._checked(sums), mean) * _from(query, mean)
        return dict(zip(sums, np.round(products.sum(axis=1), _DIGITS).tolist(), strict=True))

    def sound(self, sums: Mapping[int, int]) -> bool:
        """True when every row has its checksum."""
        rows = self._rows(max(sums) + 1)
        return all(crc32(rows[slot].tobytes()) == crc for slot, crc in sums.items())

    def bytes_of(self, sums: Mapping[int, int]) -> dict[int, bytes]:
        """Some rows as they were written; VectorsError when one is not."""
        return dict(zip(sums, (row.tobytes() for row in self._checked(sums)), strict=True))

    def _checked(self, sums: Mapping[int, int]) -> Any:
        """A copy of these rows, which nobody changes between the look at it and its use."""
        rows = self._rows(max(sums) + 1)[list(sums)]
        if [crc32(row.tobytes()) for row in rows] != list(sums.values()):
            raise VectorsError(damaged(self.path))
        return rows

    def _rows(self, count: int) -> Any:
        """The file as a matrix of `count` rows or more; mapped anew when it has grown."""
        np = numpy()
        if self._mapped is None or len(self._mapped) < count:
            try:
                stored = self.path.stat().st_size // self._width
            except FileNotFoundError:
                stored = 0
            if stored < max(count, 1):
                raise VectorsError(damaged(self.path))
            self._mapped = np.memmap(self.path, np.float32, "r", shape=(stored, self.dimension))
        return self._mapped[:count]


def _from(rows: Floats, mean: Floats) -> Any:
    """One row or more, taken from the mean, at length 1."""
    np = numpy()
    apart = rows.astype(np.float64) - mean
    return apart / np.sqrt(np.maximum((apart * apart).sum(axis=-1, keepdims=True), _LEAST))


def damaged(path: Path) -> str:
    """What is said of vectors that are not what was written."""
    return f"the vectors in {path.parent} are damaged; `memoryclaw sync --vectors` makes them again"
