"""The SQLite file under .memoryclaw/: opened, versioned, guarded and healed. Derived data only; it may vanish at any moment."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from memoryclaw.core.errors import IndexBusyError, IndexDamagedError, VaultError

SCHEMA = """
create table meta(key text primary key, value) without rowid;
create table files(path text primary key, size integer, mtime integer, ctime integer, inode integer, digest blob,
    id text, kind text, state text, title text, at text, until text, tags text, trust text, pinned integer, stem text)
    without rowid;
create index files_id on files(id);
create index files_stem on files(stem);
create index files_at on files(at);
create table units(rowid integer primary key, path text, seq integer, id text, kind text, line integer, end_line integer,
    title text, tags text, properties text, text blob, at text, until text, entity text, entity_key text, field text,
    value text, trust text, pinned integer, state text);
create index units_path on units(path, seq);
create index units_id on units(id);
create index units_at on units(at) where at != '';
create table facts(path text, seq integer, id text, entity text, entity_key text, field text, value text, since text,
    until text, source text, line integer, current integer, primary key(path, seq)) without rowid;
create index facts_entity on facts(entity_key);
create table tags(tag text, path text, primary key(tag, path)) without rowid;
create index tags_path on tags(path);
create table names(key text, kind text, path text, name text, primary key(key, kind, path)) without rowid;
create index names_path on names(path);
create table links(path text, seq integer, target text, target_key text, anchor text, label text, line integer, embed integer,
    primary key(path, seq)) without rowid;
create index links_target on links(target_key);
create table problems(path text, seq integer, line integer, message text, hint text, origin text,
    primary key(path, origin, seq)) without rowid;
create table aliases(key text, expansion text, primary key(key, expansion)) without rowid;
create table words(word text primary key, token text, n integer) without rowid;
create table tokens(token text primary key, n integer) without rowid;
"""
APPLICATION_ID = 0x4D434C57  # "MCLW"
BUSY_MS = 200


class Database:
    """One connection to the index file, reopened when the file under it was replaced or rewritten.

    Args:
        folder: the state folder, made when missing.
        recipe: whatever the content depends on besides the files; another recipe means another index.
        extra: SQL that the text engine adds to the schema.
    """

    def __init__(self, folder: Path, recipe: str, extra: str = "") -> None:
        self.path = folder / "index.sqlite"
        self._folder = folder
        self._recipe = recipe
        self._schema = SCHEMA + extra
        self._connection: sqlite3.Connection | None = None
        self._seen: tuple[int, int] | None = None
        self.rebuilt = False

    def connection(self) -> sqlite3.Connection:
        """The open connection; a missing, foreign or outdated file is replaced by an empty index first."""
        if self._connection is not None and self._on_disk() == self._seen:
            return self._connection
        self.close()
        try:
            self._connection = self._open()
        except sqlite3.DatabaseError as error:
            if _is_busy(error):
                raise IndexBusyError("the index is being written by another process; try again") from error
            self._connection = self._replace()
        self._seen = self._on_disk()
        return self._connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One write transaction; committed at the end of the block, rolled back when it raises."""
        with self.guarded() as connection:
            connection.execute("begin immediate")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:
                    connection.rollback()
                raise
            connection.commit()

    @contextlib.contextmanager
    def guarded(self) -> Iterator[sqlite3.Connection]:
        """The connection, with SQLite's errors told apart: busy, damaged, or the disk's fault."""
        try:
            yield self.connection()
        except sqlite3.DatabaseError as error:
            raise _told(error, self.path) from error

    def discard(self) -> None:
        """Throws the index away; the next use builds it again from the files."""
        self.close()
        self._connection = self._replace(even_if_sound=True)
        self._seen = self._on_disk()

    def close(self) -> None:
        """Closes the connection; the object can be used again."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def _open(self) -> sqlite3.Connection:
        connection = _connect(self.path, self._folder)
        try:
            if connection.execute("pragma application_id").fetchone()[0] != APPLICATION_ID:
                raise sqlite3.DatabaseError("not an index of ours")
            row = connection.execute("select value from meta where key = 'recipe'").fetchone()
            if row is None or row[0] != self._recipe:
                raise sqlite3.DatabaseError("made by another recipe")
        except BaseException:
            connection.close()
            raise
        return connection

    def _replace(self, *, even_if_sound: bool = False) -> sqlite3.Connection:
        with _only_one(self._folder):
            if not even_if_sound:
                with contextlib.suppress(sqlite3.DatabaseError):
                    return self._open()  # another process healed it while we waited
            for suffix in ("-wal", "-shm", ""):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{self.path}{suffix}")
            self._create()
            self.rebuilt = True
            return self._open()

    def _create(self) -> None:
        # Built under another name and moved, so that nobody ever opens an index without its tables.
        fresh = self._folder / f"index.{os.getpid()}.new"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
        connection = sqlite3.connect(fresh)
        connection.executescript(
            f"pragma page_size=4096; pragma application_id={APPLICATION_ID}; pragma journal_mode=off; begin; {self._schema} commit;"
        )
        connection.execute("insert into meta values('recipe', ?), ('next', 1)", (self._recipe,))
        connection.commit()
        connection.execute("pragma journal_mode=wal")
        connection.close()
        os.chmod(fresh, 0o600)
        os.replace(fresh, self.path)

    def _on_disk(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


def _connect(path: Path, folder: Path) -> sqlite3.Connection:
    if not path.exists():
        _make(folder)
        raise sqlite3.DatabaseError("there is no index yet")
    connection = sqlite3.connect(
        path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    connection.execute("pragma synchronous=normal")
    connection.execute("pragma temp_store=memory")
    return connection


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise VaultError(f"the index folder {folder} cannot be made ({error.strerror})") from error


@contextlib.contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    _make(folder)
    fd = os.open(folder / "heal.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _is_busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _told(error: sqlite3.DatabaseError, path: Path) -> Exception:
    text = str(error)
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError):
        return error
    if _is_busy(error):
        return IndexBusyError("the index is being written by another process; try again")
    if "full" in text or "readonly" in text or "unable to open" in text or "disk I/O" in text:
        return VaultError(f"the index {path} cannot be written ({text}); make room or give yourself the right to write there")
    return IndexDamagedError(f"the index {path} is damaged ({text}); it is being built again")
