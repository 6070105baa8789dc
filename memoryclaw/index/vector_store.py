"""The vectors of a vault for one model: which passage has which vector, and which unit has which passage. Derived; it may vanish."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from memoryclaw.errors import LockedError, VectorsError
from memoryclaw.models.embedders import Floats, numpy
from memoryclaw.vault.files import writer_lock
from memoryclaw.vault.state_folder import make_private_folder, touch

FOLDER = "vectors"
_SCHEMA = """
create table if not exists meta(key text primary key, value) without rowid;
create table if not exists passage(place integer primary key, digest blob unique not null, floats blob not null, sum integer not null);
create table if not exists unit(rowid integer primary key, digest blob not null);
create index if not exists unit_digest on unit(digest);
"""
_MISSING = """select min(rowid) from unit where digest not in (select digest from passage)
    group by digest order by 1"""
_COUNT = "select count(*) from unit where digest not in (select digest from passage)"
_ORPHANS = "select place from passage where digest not in (select digest from unit)"
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
        self._path = self.folder / "vectors.sqlite"
        self._doubt = self.folder / "doubt"  # there since somebody met a vector that was not what was written
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._matrix: tuple[list[Any], list[int], Any] | None = None  # of which version, places and rows

    def exists(self) -> bool:
        """True when there are vectors, or once were some."""
        return self._path.exists()

    @contextlib.contextmanager
    def filling(self) -> Iterator[None]:
        """Keeps others from filling and dropping meanwhile.

        Raises:
            LockedError: another process is at it.
        """
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

    def held(self) -> set[bytes]:
        """The passages that have a vector."""
        return {digest for (digest,) in self._rows("select digest from passage")}

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
        self._must_fit(int(rows.shape[1]))
        vectors = [
            (digest, floats := row.tobytes(), crc32(floats))
            for digest, row in zip(digests, rows, strict=True)
        ]
        with self._writing() as connection:
            connection.executemany(
                "insert or replace into passage(digest, floats, sum) values(?,?,?)", vectors
            )
            connection.execute(_NO_MEAN)

    def width(self) -> int:
        """The bytes of one vector; 0 when there are none."""
        return int(self._meta("dimension") or 0) * _FLOAT

    def rows(self, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors of passages that have one, as they were written."""
        sql = "select digest, floats, sum from passage where digest = ?"
        found = [row for digest in digests for row in self._rows(sql, digest)]
        self._checked([row[1:] for row in found])
        return {digest: floats for digest, floats, _ in found}

    def followed(self) -> str | None:
        """Which edition of the vectors on a server these are; None where they follow none."""
        edition = self._meta("followed")
        return None if edition is None else str(edition)

    def follow(self, edition: str) -> None:
        """Notes which edition of the vectors on a server these are."""
        with self._writing() as connection:
            _keep(connection, "followed", edition)

    def drop(self) -> int:
        """Wipes out the vectors of passages that no unit has any more; call it within `filling`."""
        orphans = self._rows(_ORPHANS)
        if orphans:
            with self._writing() as connection:
                connection.executemany("delete from passage where place = ?", orphans)
                connection.execute(_NO_MEAN)
        return len(orphans)

    def average(self) -> None:
        """Makes the mean of all vectors, so that no question waits for it."""
        if self.width():
            self._mean()

    def look(self, query: Floats, wanted: int, within: Sequence[int] | None = None) -> dict[int, float]:
        """The units nearest to a vector, with all that tie with the last, and their cosines.

        Args:
            query: of length 1.
            wanted: how many units at least, if there are so many.
            within: limits them to some.

        Raises:
            VectorsError: the vector is of another length, or what is there is not what was written.
        """
        if within is not None:
            return _best(self.cosines(query, within), wanted)
        places, rows = self._loaded()
        if not places:
            return {}
        self._must_fit(len(query))
        mean, ask = self._mean(), wanted
        while True:
            near = [places[number] for number in _nearest(rows, query, mean, ask)]
            cosines = self._cosines(query, "place", near)
            if len(cosines) >= wanted or ask >= len(places):
                return _best(cosines, wanted)
            ask *= 4  # some of the nearest are of no unit any more

    def cosines(self, query: Floats, rowids: Sequence[int]) -> dict[int, float]:
        """The cosine of each of these units that has a vector, both vectors taken from the mean of all."""
        return self._cosines(query, "unit.rowid", rowids)

    def doubtful(self) -> bool:
        """True when somebody found damage since the last look at every vector."""
        return self._doubt.exists()

    def sound(self) -> bool:
        """True when every vector is what was written."""
        try:
            if self._rows("pragma quick_check(1)") != [("ok",)]:
                return False
            for vectors in self._vectors():
                self._checked(vectors)
        except VectorsError:
            return False
        self._doubt.unlink(missing_ok=True)
        return True

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

    def _cosines(self, query: Floats, column: str, numbers: Sequence[int]) -> dict[int, float]:
        """The exact cosine of each unit with one of these numbers to a vector of length 1, both taken from the mean of all."""
        sql = f"""select floats, sum, unit.rowid from unit join passage using(digest)
            where {column} in (select value from json_each(?))"""
        rows = self._rows(sql, json.dumps(list(numbers)))
        if not rows:
            return {}
        self._must_fit(len(query))
        # A product by BLAS would round by the place of a row; this sum does not.
        mean = self._mean()
        cosines = (_from(self._checked(rows), mean) * _from(query, mean)).sum(axis=1)
        return dict(zip((row[2] for row in rows), numpy().round(cosines, _DIGITS).tolist(), strict=True))

    def _checked(self, vectors: Sequence[tuple[Any, ...]]) -> Any:
        """Vectors, each with its checksum, as rows; VectorsError, and a mark for the next fill, where one is not what was written."""
        if any(crc32(floats) != crc for floats, crc, *_ in vectors):
            raise self._damage()
        return numpy().frombuffer(b"".join(row[0] for row in vectors), "f4").reshape(len(vectors), -1)

    def _damage(self) -> VectorsError:
        """What is said of vectors that are not what was written; the next fill looks at every one."""
        with contextlib.suppress(OSError):
            touch(self._doubt)
        return VectorsError(
            f"the vectors in {self.folder} are damaged; `memoryclaw sync --vectors` makes them again"
        )

    def _vectors(self) -> Iterator[list[tuple[Any, ...]]]:
        """All vectors with their checksums, some at a time."""
        sql, place = "select floats, sum, place from passage where place > ? order by place limit ?", 0
        while vectors := self._rows(sql, place, _CHUNK):
            yield vectors
            place = vectors[-1][2]

    def _mean(self) -> Floats:
        """The mean of all vectors and `PRIOR` of nothing, which is made anew when one has come or gone."""
        np, mean = numpy(), self._meta("mean")
        if mean is None:
            with self._writing() as connection:
                total, count = np.zeros(self.width() // _FLOAT, np.int64), PRIOR
                for vectors in self._vectors():
                    rows = self._checked(vectors)
                    total += np.rint(rows * np.float32(_EXACT)).astype(np.int64).sum(axis=0)
                    count += len(rows)
                mean = (total / (_EXACT * count)).tobytes()
                _keep(connection, "mean", mean)
        return np.frombuffer(mean)

    def _loaded(self) -> tuple[list[int], Any]:
        """The places of all vectors, and these as rows in memory; read again where anybody has written since."""
        version = self._rows("pragma data_version")
        if self._matrix is None or self._matrix[0] != version:
            vectors = self._rows("select floats, place from passage order by place")
            data = b"".join([floats for floats, _ in vectors])
            if len(data) != len(vectors) * self.width():
                raise self._damage()
            rows = numpy().frombuffer(data, "f4").reshape(len(vectors), -1) if vectors else None
            self._matrix = version, [place for _, place in vectors], rows
        return self._matrix[1:]

    def _must_fit(self, dimension: int) -> None:
        stored = self._meta("dimension")
        if stored is None:
            with self._writing() as connection:
                _keep(connection, "dimension", dimension)
        elif int(stored) != dimension:
            raise VectorsError(
                f"the model now makes vectors of {dimension} numbers, not {stored}; `memoryclaw sync --vectors` makes all of them again"
            )

    def _meta(self, key: str) -> Any:
        rows = self._rows("select value from meta where key = ?", key)
        return rows[0][0] if rows else None

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._telling():
            return self._open().execute(sql, values).fetchall() if self.exists() else []

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._telling():
            connection, self._matrix = self._open(), None
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
            raise self._damage() from error
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
        connection.execute("pragma page_size=16384")  # all vectors are read at once, in half the time
        connection.execute("pragma synchronous=full")
        connection.execute("pragma secure_delete=on")
        connection.executescript(_SCHEMA)
        self._connection, self._inode = connection, self._path.stat().st_ino
        return connection


def _keep(connection: sqlite3.Connection, key: str, value: object) -> None:
    connection.execute("insert or replace into meta values(?,?)", (key, value))


def _best(found: Mapping[int, float], wanted: int) -> dict[int, float]:
    if len(found) <= wanted:
        return dict(found)
    least = sorted(found.values(), reverse=True)[wanted - 1]
    return {rowid: cosine for rowid, cosine in found.items() if cosine >= least}


# Vectors are asked by looking at all of them. A cosine depends on its two vectors and on the mean of all, not on the place of a row.
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


def _nearest(rows: Any, query: Floats, mean: Floats, wanted: int) -> list[int]:
    """The numbers of at least as many rows as are wanted, those nearest to a vector of length 1, in no order."""
    count = len(rows)
    if count <= wanted:
        return list(range(count))
    np, centred = numpy(), _from(query, mean)
    single = np.float32
    quick, shared = np.empty(count, single), np.empty(count, single)
    for start in range(0, count, _CHUNK):
        chunk, span = rows[start : start + _CHUNK], slice(start, start + _CHUNK)
        np.dot(chunk, centred.astype(single), out=quick[span])
        np.dot(chunk, mean.astype(single), out=shared[span])
    quick -= single(mean @ centred)
    quick /= np.sqrt(np.maximum(single(1 + mean @ mean) - 2 * shared, _LEAST))
    least = np.partition(quick, count - wanted)[count - wanted] - _DOUBT
    return [int(number) for number in np.flatnonzero(quick >= least)]


def _from(rows: Floats, mean: Floats) -> Any:
    """One row or more, taken from the mean, at length 1."""
    np = numpy()
    apart = rows.astype(np.float64) - mean
    return apart / np.sqrt(np.maximum((apart * apart).sum(axis=-1, keepdims=True), _LEAST))
