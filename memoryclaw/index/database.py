"""The SQLite file under .memoryclaw/: opened, versioned, guarded and healed. Derived data only; it may vanish at any moment."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from memoryclaw import late
from memoryclaw.errors import IndexBusyError, IndexDamagedError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.ports import IndexConnection
from memoryclaw.unix import is_locked
from memoryclaw.vault.state_folder import INDEX_FILE, make_private_folder, must_be_real, touch

T = TypeVar("T")
LIFECYCLE = ("memory_type", "scope", "expires", "verify_by", "verified")  # columns of files, units and facts
ACCENTED = "word glob '*[^ -~\u4e00-\u9fff]*'"  # of words: it may be folded to another one
SCHEMA = """
create table meta(key text primary key, value) without rowid;
create table files(fid integer primary key, path text unique, stamp blob, digest blob, id text, kind text, state text,
    title text, at text, until text, tags text, trust text, pinned integer, stem text, language text, partial integer, {lifecycle});
create table hidden(path text primary key, stamp blob, digest blob) without rowid;
create view looked_at as select path, stamp, digest from files union all select path, stamp, digest from hidden;
create table unit(rowid integer primary key, fid integer, seq integer, id text, kind text, line integer,
    end_line integer, text blob, at text, until text, days text, entity text, entity_key text, field text, value text, trust text, pinned integer, state text,
    role text, asks integer, opens integer, {lifecycle});
create table tokens(rowid integer primary key, fid integer, kind text, columns text);
create table lengths(kind text, field text, units integer, tokens integer, primary key(kind, field)) without rowid;
create table fact(fid integer, seq integer, id text, entity text, entity_key text, field text, value text, since text,
    until text, source text, line integer, current integer, type text, said text, trust text, audience text,
    {lifecycle}, primary key(fid, seq)) without rowid;
create table tag(tag text, fid integer, primary key(tag, fid)) without rowid;
create table called(nid integer primary key, key text, kind text, name text, unique(key, kind, name));
create table naming(nid integer, fid integer, primary key(nid, fid)) without rowid;
create view name as select key, kind, fid, name from called join naming using (nid);
create trigger name_given instead of insert on name begin
    insert or ignore into called(key, kind, name) values(new.key, new.kind, new.name);
    insert or ignore into naming select nid, new.fid from called where key = new.key and kind = new.kind and name = new.name;
end;
create trigger name_taken instead of delete on name begin
    delete from naming where fid = old.fid;
    delete from called where key = old.key and kind = old.kind and name = old.name
        and not exists(select 1 from naming where naming.nid = called.nid);
end;
create table link(fid integer, seq integer, target text, target_key text, anchor text, label text, line integer,
    embed integer, primary key(fid, seq)) without rowid;
create table cited(fid integer, path text, first integer, last integer, key text,
    primary key(fid, path, first, last, key)) without rowid;
create table problems(path text, origin text, seq integer, line integer, message text, hint text,
    primary key(path, origin, seq)) without rowid;
create table aliases(key text, expansion text, primary key(key, expansion)) without rowid;
create table words(word text primary key, spelled integer, held integer, code text) without rowid;
create view units as select unit.*, files.path from unit join files using (fid);
create view facts as select fact.*, files.path, files.state from fact join files using (fid);
create view tags as select tag.*, files.path from tag join files using (fid);
create view names as select name.*, files.path from name join files using (fid);
create view links as select link.*, files.path from link join files using (fid);
""".replace("{lifecycle}", ", ".join(f"{name} text" for name in LIFECYCLE))
# Made behind the first rows: to sort these at once takes less time and room than to keep them sorted.
INDEXES = f"""
create index files_partial on files(fid) where partial > 0;
create index files_id on files(id);
create index files_stem on files(stem);
create index files_at on files(at);
create index files_language on files(language);
create index unit_fid on unit(fid, seq);
create index unit_id on unit(id);
create index unit_at on unit(at) where at != '';
create index unit_expires on unit(expires) where expires != '';
create index unit_days on unit(days) where days != '';
create index unit_todo on unit(field) where kind = 'todo';
create index unit_wish on unit(at) where field = 'from now on';
create index unit_newest on unit(at desc, id) where kind = 'fact' and state = 'current';
create index fact_entity on fact(entity_key);
create index called_name on called(name, kind);
create index called_merged on called(key) where kind = 'merged';
create index naming_fid on naming(fid);
create index link_target on link(target_key);
create index cited_path on cited(path);
create index words_accented on words(word) where {ACCENTED};
"""
APPLICATION_ID = 0x4D434C57  # "MCLW"
BUSY_MS = 200
ROWS_OF = "rows of "  # begins the name of a constant that holds rows by their number
_LONG = 4096  # pages of the log
_DISK = ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR_SHM")


class Database:
    """One connection to the index file, reopened when the file under it was replaced or rewritten.

    Args:
        folder: the state folder, made when missing; the folder around it must be there.
        recipe: whatever the content depends on besides the files; another recipe means another index.
    """

    def __init__(self, folder: Path, recipe: str, extra: str = "") -> None:
        self.path = folder / INDEX_FILE
        self._folder = folder
        self._recipe = recipe
        self._schema = SCHEMA + extra
        self._connection: sqlite3.Connection | None = None
        self._seen: FileStamps | None = None
        self._is_alone = False
        self._is_frozen = False
        self._is_unsure = False  # what we changed may not be on the disk yet
        self._state = 0  # of the index, as its connection counts the changes of others
        self._constants: dict[str, object] = {}  # of that state
        self._is_looked_at = False  # in one transaction it stays what it was
        self.rebuilt = False

    def connection(self) -> sqlite3.Connection:
        """The open connection; a missing, damaged, foreign or outdated file is replaced by an empty index first."""
        open_connection = self._connection
        if open_connection is not None and (open_connection.in_transaction or self.is_current()):
            return open_connection
        self.close()
        self._connection = connection = self._opened()
        self._seen = footprint(self.path)
        return connection

    @property
    def place(self) -> str:
        """The path of the file."""
        return str(self.path)

    def exists(self) -> bool:
        """True when there is a file."""
        return self.path.exists()

    def bytes(self) -> int:
        """The size of the file."""
        return self.path.stat().st_size if self.path.exists() else 0

    def trouble(self) -> str:
        """What SQLite finds wrong with the file."""
        with self.guarded() as connection:
            verdict = connection.execute("pragma quick_check(1)").fetchone()[0]
        return "" if verdict == "ok" else f"SQLite finds the index damaged ({verdict})"

    def is_current(self) -> bool:
        """True while the open connection is to the file on disk, and nobody else has changed that file."""
        earlier, current = self._seen, footprint(self.path)
        if current == earlier:
            return self._connection is not None
        if earlier is None or self._connection is None or _inodes(current) != _inodes(earlier):
            return False
        if is_sealed(self.path):
            self._seen = current
            return True
        return not self._is_alone and is_taken(self._folder)

    def has_waited(self) -> bool:
        """True when another process was writing; it is done by now, or takes long."""
        is_busy = not self._is_alone and is_taken(self._folder)
        if is_busy:
            with contextlib.suppress(IndexBusyError), alone(self._folder):
                pass
        return is_busy

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One write transaction; committed at the end of the block, rolled back when it raises."""
        if self._is_frozen:
            self.close()  # there may be room again
        with self.guarded(), self._alone():
            connection = self.connection()
            self._forget()
            unseal(self.path)
            connection.execute("begin immediate")
            try:
                yield connection
                made = connection.execute("select 1 from sqlite_master where name = 'unit_id'").fetchone()
                if made is None and connection.execute("select 1 from unit limit 1").fetchone():
                    for sql in INDEXES.split(";"):
                        connection.execute(sql)
            except BaseException:
                if connection.in_transaction:
                    connection.rollback()
                self._seal(connection)
                raise
            connection.commit()
            if self._seen and _inodes(footprint(self.path)) != _inodes(self._seen):
                raise sqlite3.DatabaseError("the file was replaced while it was written")
            self._seal(connection)
            self._seen = footprint(self.path)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """One state of the index for all that is asked in the block, looked at once for damage; nests."""
        with self.guarded() as connection:
            if connection.in_transaction:
                yield
                return
            connection.execute("begin")
            try:
                yield
            finally:
                self._is_looked_at = False
                if connection.in_transaction:
                    connection.rollback()

    def guarded(self) -> _Guarded:
        """The connection, with SQLite's errors told apart."""
        return _Guarded(self)

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Turns SQLite's errors into ours: busy, damaged, or the disk's fault."""
        try:
            yield
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.DatabaseError as error:
            raise _translation(error, self.path) from error

    def copy_to(self, folder: Path) -> None:
        """Writes a copy of all that the index holds now into another folder."""
        place = folder / self.path.name
        with self.guarded() as connection, contextlib.closing(sqlite3.connect(place)) as copy:
            connection.backup(copy)
        seal(place)
        make_sure(place)

    def constant(self, name: str, read: Callable[[], T]) -> T:
        """What changes only with the index, read once for each state of it; nobody may change it."""
        if (
            self._is_looked_at
            and name in self._constants
            and self._connection
            and self._connection.in_transaction
        ):
            return cast("T", self._constants[name])
        with self.guarded() as connection:
            if self._is_alone:  # it may be about to change, and to be rolled back
                return read()
            if not self._is_looked_at:
                state = connection.execute("pragma data_version").fetchone()[0]
                if state != self._state:
                    self._forget()
                    self._state = state
                self._is_looked_at = connection.in_transaction
            if name not in self._constants:
                self._constants[name] = read()
            return cast("T", self._constants[name])

    def _forget(self) -> None:
        """Forgets what a change may have changed: not rows, whose numbers are never given again."""
        self._constants = {name: value for name, value in self._constants.items() if name.startswith(ROWS_OF)}

    def discard(self) -> None:
        """Throws the index away; the next use builds it again from the files."""
        self.close()
        with self.telling():
            self._connection = self._replace(even_if_sound=True)
        self._seen = footprint(self.path)

    def close(self) -> None:
        """Closes the connection; the object can be used again."""
        if self._connection is not None:
            if self._is_unsure and not self._connection.in_transaction:
                with contextlib.suppress(IndexBusyError, VaultError, OSError), self._alone():
                    make_sure(self.path)
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._is_unsure = False
        self._connection, self._is_frozen, self._constants = None, False, {}
        self._is_looked_at = False

    def _opened(self) -> sqlite3.Connection:
        must_be_real(self._folder)  # it was when the vault was opened; a daemon lives longer
        try:
            return self._open()
        except sqlite3.DatabaseError as error:
            failure = _translation(error, self.path)
            if isinstance(failure, VaultError) and is_sealed(self.path, whole=True):
                self._is_frozen = True
                # It needs no room and no right to write, and is true to the file as long as that is sealed.
                place = f"{self.path.as_uri()}?mode=ro&immutable=1"
                return self._check(
                    sqlite3.connect(place, uri=True, isolation_level=None, check_same_thread=False)
                )
            if not isinstance(failure, IndexDamagedError):
                raise failure from error
        return self._replace()

    def _open(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise sqlite3.DatabaseError("there is no index yet")
        sealed = is_sealed(self.path)
        if sealed is False:
            raise sqlite3.DatabaseError("somebody else has changed the file")
        if (
            sealed is None
            and not self._is_alone
            and not is_taken(self._folder)
            and is_sealed(self.path) is None
        ):
            raise sqlite3.DatabaseError("a writer was killed; it takes the lock to look closer")
        connection = self._check(_connect(self.path))
        if sealed is None and self._is_alone:
            _check_structure(connection)
            self._seal(connection)
        return connection

    def _check(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            if connection.execute("pragma application_id").fetchone()[0] != APPLICATION_ID:
                raise sqlite3.DatabaseError("not an index of ours")
            if meta_of(connection, "recipe") != self._recipe:
                raise sqlite3.DatabaseError("made by another recipe")
        except BaseException:
            connection.close()
            raise
        return connection

    def _replace(self, *, even_if_sound: bool = False) -> sqlite3.Connection:
        with self._alone():
            if not even_if_sound:
                with contextlib.suppress(sqlite3.DatabaseError):
                    return self._open()  # sound after all, or healed by another process while we waited
            try:
                for suffix in ("-wal", "-shm", ""):
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(f"{self.path}{suffix}")
                self._create()
            except OSError as error:
                raise VaultError(_unwritable(self.path, str(error.strerror))) from error
            self.rebuilt = True
            return self._open()

    def _create(self) -> None:
        # Built under another name and moved, so that nobody ever opens an index without its tables.
        must_be_real(self._folder)
        for stale in self._folder.glob(
            "index.*.new*"
        ):  # of builds that were killed: only one goes on at a time
            stale.unlink(missing_ok=True)
        fresh = self._folder / f"index.{os.getpid()}.new"
        touch(fresh)
        connection = sqlite3.connect(fresh)
        connection.executescript(
            f"pragma page_size=4096; pragma application_id={APPLICATION_ID}; pragma journal_mode=off; begin; {self._schema} commit;"
        )
        # Row numbers begin anew in a new file, so whoever remembers some must know which file they are of.
        identity = (self._recipe, os.urandom(8).hex())
        connection.execute(
            "insert into meta values('recipe', ?), ('next', 1), ('changes', 0), ('born', ?)", identity
        )
        connection.commit()
        connection.execute("pragma journal_mode=wal")
        connection.close()
        os.replace(fresh, self.path)
        seal(self.path)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        if self._is_alone:
            yield
            return
        try:
            make_private_folder(self._folder)
        except FileNotFoundError as error:
            sentence = f"there is no vault at {self._folder.parent}, so there is no place for its index"
            raise VaultError(sentence) from error
        except OSError as error:
            raise VaultError(f"the index folder {self._folder} cannot be made ({error.strerror})") from error
        with alone(self._folder):
            self._is_alone = True
            try:
                yield
            finally:
                self._is_alone = False

    def _seal(self, connection: sqlite3.Connection) -> None:
        # Without room for a checkpoint the file stays unsealed: sound, but looked at closer.
        with contextlib.suppress(sqlite3.OperationalError):
            busy, logged, moved = connection.execute("pragma wal_checkpoint(passive)").fetchone()
            if logged > _LONG:  # readers kept it from beginning anew; now they are waited for
                busy, logged, moved = connection.execute("pragma wal_checkpoint(restart)").fetchone()
            self._is_unsure = True
            seal(self.path, whole=not busy and logged == moved)


class _Guarded:
    """A block over the connection of a database. Every statement stands in one, and a generator would cost more than most of them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> sqlite3.Connection:
        try:
            return self._database.connection()
        except sqlite3.DatabaseError as error:
            self.__exit__(None, error, None)
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.ProgrammingError):
            raise _translation(error, self._database.path) from error


def _inodes(seen: FileStamps) -> tuple[int, int, int]:
    return seen.main.inode, seen.wal.inode, seen.shm


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    if boot():  # nothing is waited for until the index is closed: what a machine that stopped before has lost shows in the seal
        connection.execute("pragma synchronous=off")
    connection.execute("pragma temp_store=memory")
    return connection


def _check_structure(connection: sqlite3.Connection) -> None:
    verdict = connection.execute("pragma quick_check(1)").fetchone()[0]
    if verdict != "ok":
        connection.close()
        raise sqlite3.DatabaseError(verdict)


def _translation(error: sqlite3.DatabaseError, path: Path) -> Exception:
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return IndexBusyError("the index is being written by another process; try again")
    if name.startswith(_DISK) and name != "SQLITE_READONLY_DBMOVED":
        return VaultError(_unwritable(path, str(error)))
    return IndexDamagedError(f"the index {path} is damaged ({error}); it is being built again")


def _unwritable(path: Path, why: str) -> str:
    return f"the index {path} cannot be written ({why}); free some space or check the permissions there"


# The lock and the seal of the index file; the seal holds what the disk said of the file after our last write.

WAIT = 0.2  # seconds; a question never waits longer for another process
_PAUSE = 0.002


class _Stat(NamedTuple):
    inode: int
    size: int
    mtime: int
    ctime: int


_NOTHING = _Stat(0, 0, 0, 0)


class FileStamps(NamedTuple):
    """What the disk says of the index file and of the two that SQLite keeps beside it."""

    main: _Stat
    wal: _Stat
    shm: int  # inode; readers write into this one


def footprint(path: Path) -> FileStamps:
    """The footprint now; zeros for what is not there."""
    return FileStamps(_look(f"{path}"), _look_at_log(path), _look(f"{path}-shm").inode)


def seal(path: Path, *, whole: bool = True) -> None:
    """Notes that the file is sound as it is, with its log. Call it with the lock held.

    Args:
        whole: nothing is left in the log. What is left there a reader keeps back, and whoever closes the index last moves it into the
            file; how the file is then, only a closer look tells.
    """
    _rewrite(path, " ".join(map(str, (*_look(f"{path}"), *_look_at_log(path), int(whole), boot()))))


def unseal(path: Path) -> None:
    """Notes that the file is about to change."""
    was_sure = _seal_of(path)[-1:] == [0]
    _rewrite(
        path, str(boot()), sure=was_sure and boot() > 0
    )  # else that would outlast the machine, not the change


def make_sure(path: Path) -> None:
    """Waits until a file without a log is on the disk, and notes that it outlasts the machine. Call it with the lock held."""
    if is_sealed(path, whole=True):
        fd = _opened(path, os.O_RDWR)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
        _rewrite(path, " ".join(map(str, (*_seal_of(path)[:-1], 0))))


@cache
def boot() -> int:
    """A number of the time since the machine was started; 0 where it does not tell, and each change waits for the disk."""
    with contextlib.suppress(OSError, ValueError):
        name = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8")
        return int(name[:8], 16) + 1
    return 0


def is_sealed(path: Path, *, whole: bool = False) -> bool | None:
    """True while the file is as we left it (if asked, `whole`), False when somebody else changed it, None when there is no seal to tell."""
    for _ in range(2):
        *stamps, since = _seal_of(path) or [0]
        if since not in (0, boot()):
            return False  # the machine stopped before all of it was on the disk
        if not stamps:
            return None
        was_whole = stamps[8:] != [0]
        main, wal = _look(f"{path}"), _look_at_log(path)
        # The last to close the index takes the log away: all of it is in the file.
        if stamps[:8] == [*main, *wal] or (was_whole and wal.size == 0 and stamps[:4] == [*main]):
            return was_whole or not whole
    # Read twice, because a writer may have broken its own seal between our two looks.
    return False if was_whole else None


@contextlib.contextmanager
def alone(folder: Path, wait: float = WAIT) -> Iterator[None]:
    """Holds the index's lock, which every process takes to write, to seal and to replace; freed when its holder dies."""
    fd = _opened(folder / "index.lock", os.O_RDWR)
    try:
        end = time.monotonic() + wait
        while not is_locked(fd):
            if time.monotonic() >= end:
                raise IndexBusyError("the index is being written by another process; try again")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(fd)


def is_taken(folder: Path) -> bool:
    """True while another process (or another connection of this one) holds the lock."""
    try:
        with alone(folder, 0):
            return False
    except IndexBusyError:
        return True


def _look(path: str) -> _Stat:
    try:
        status = os.stat(path)
    except OSError:
        return _NOTHING
    return _Stat(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _look_at_log(path: Path) -> _Stat:
    # Whoever opens the log as root sets its owner once more, and so its change time.
    return _look(f"{path}-wal")._replace(ctime=0)


def _seal_of(path: Path) -> list[int]:
    try:
        fd = os.open(path.with_suffix(".seal"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return [int(number) for number in os.read(fd, 200).split()]
    except ValueError:
        return [-1]  # not written by us
    finally:
        os.close(fd)


def _rewrite(path: Path, text: str, *, sure: bool = False) -> None:
    fd = _opened(path.with_suffix(".seal"), os.O_WRONLY)
    try:
        # One write of constant length over what was there: a reader sees the old line or the new one.
        os.pwrite(fd, text.ljust(160).encode("ascii"), 0)
        if sure:
            os.fsync(fd)
    except OSError as error:
        raise _refusal(path.with_suffix(".seal"), error) from error
    finally:
        os.close(fd)


def _opened(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _refusal(path, error) from error


def _refusal(path: Path, error: OSError) -> VaultError:
    reason = f"{path} cannot be written ({error.strerror})"
    return VaultError(f"{reason}; free some space or check the permissions there")


# Texts as they are stored.

SAMPLE = 8192  # bytes
_WINDOW = -14  # zlib, 16 KiB, no header: room for the sample and for most notes
_APART = "\0"


def sample_of(connection: IndexConnection) -> bytes:
    """Some of the vault's own text, with which the texts of its units are stored; nothing in a small vault."""
    return (meta_of(connection, "sample") or "").encode()


def meta_of(connection: IndexConnection, key: str) -> str | None:
    """What the index says of itself under a key, None where it says nothing."""
    row = connection.execute("select value from meta where key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def packer(sample: bytes) -> Callable[[Sequence[str]], bytes]:
    """What stores the texts of a unit as one: compressed, with some of the vault's own text at hand, so that its words need not stand there again.

    Args:
        sample: that text; what was stored without it is read with it just as well.
    """
    # Copied for each unit: making one ready costs more than compressing a note.
    ready = zlib.compressobj(3, zlib.DEFLATED, _WINDOW, 5, zlib.Z_DEFAULT_STRATEGY, sample)

    def pack(texts: Sequence[str]) -> bytes:
        packed = _APART.join(texts)
        if packed.count(_APART) >= len(texts):
            *heads, last = texts
            packed = _APART.join([*(head.replace(_APART, "\ufffd") for head in heads), last])
        squeeze = ready.copy()
        return squeeze.compress(packed.encode("utf-8", "surrogatepass")) + squeeze.flush()

    return pack


def unpack(stored: bytes, sample: bytes) -> list[str]:
    """The texts that a packer stored: title, tags, properties, search words, and last the text itself."""
    try:
        data = zlib.decompressobj(_WINDOW, sample).decompress(stored)
        title, tags, properties, also, text = data.decode("utf-8", "surrogatepass").split(_APART, 4)
    except (TypeError, ValueError, zlib.error) as error:
        raise sqlite3.DatabaseError("a stored text is malformed") from error
    return [title, tags, properties, also, text]


LONGEST = 600  # characters of a key, as a server's B-tree takes no more


def short_key(value: object) -> object:
    """A key that is not too long for a server; what is cut away is told apart by a digest."""
    if not isinstance(value, str) or len(value) <= LONGEST:
        return value
    digest = late.hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{value[: LONGEST - 40]}…{digest}"
