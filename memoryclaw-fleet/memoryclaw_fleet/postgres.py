"""One PostgreSQL server: its connections, the transactions of one vault, and the migrations of our schema. The only module that connects."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg import errors as pg
from psycopg.abc import Buffer
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.datetime import TimestamptzLoader
from psycopg.types.string import StrDumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from memoryclaw.errors import ConfigError, IndexBusyError, IndexUnreachableError

_Connection = psycopg.Connection[tuple[Any, ...]]
_Pool = ConnectionPool[_Connection]
SCHEMA = "memoryclaw"
VAULT = "memoryclaw.vault"  # the setting that row-level security reads: the number of the vault of this transaction
PARTITIONS = 8  # of each table that holds what is a vault's
# Whose rows a transaction sees and writes; without a vault, none.
OWN = f"vault = nullif(current_setting('{VAULT}', true), '')::int"
_NO_OWNER = "the schema `memoryclaw` in this database was not made by MemoryClaw; it is left alone. Use another database"
_NO_SESSION = (
    "PostgreSQL at {} is reached through a pooler such as PgBouncer, and a worker needs a connection of its own; "
    "give it the address of the server itself (fleet.jobsUrl)"
)
_LOCK = 0x4D434C57  # "MCLW"
_PREPARED = 400  # statements that a connection remembers
# A table holds many vaults, so reading all of it never pays, and planning or compiling a statement takes longer than running it.
_PLANS = (
    "enable_seqscan = off",
    "max_parallel_workers_per_gather = 0",
    "jit = off",
    "plan_cache_mode = force_generic_plan",
)
_BUSY_MS = 200  # that a writer waits for another writer of the same vault
_ASLEEP_MS = 10_000  # that a writer may do nothing within a transaction
_PATIENCE = 10.0  # seconds for a connection of the pool, and for a new one
# After so long a server that vanished without a word counts as gone; the kernel alone would wait for many minutes.
_GONE = {
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,  # milliseconds
}

# An address with an @ that does not end a name or password in which all else is escaped.
_AMBIGUOUS = re.compile(r"\w+://(?!(?:[^/?@%]|%[0-9a-fA-F]{2})*@[^@]*$).*@", re.DOTALL)


class _InUtc(TimestamptzLoader):
    """Reads a time as one in UTC, whatever the time zone of the server."""

    def load(self, data: Buffer) -> datetime:
        return super().load(data).astimezone(UTC)


class Postgres:
    """One server by its URL.

    Args:
        url: as libpq takes it. The password comes from the environment (`PGPASSWORD`), `~/.pgpass` or `passfile=`.
        prepared: False behind a pooler that gives each transaction another connection, such as PgBouncer.
        most: connections at once; who finds none waits for one.
    """

    def __init__(self, url: str, *, prepared: bool = True, most: int = 4) -> None:
        if _AMBIGUOUS.match(url):  # part of a password would be taken, and told, as the name of a host
            raise ConfigError(
                "the address of the PostgreSQL server cannot be read: it has @, / or ? within a name or password, or a % without two digits; "
                "write them as %40, %2F, %3F and %25"
            )
        try:
            self._asked = conninfo_to_dict(url)
        except psycopg.ProgrammingError as error:
            reason = (
                "" if "@" in url or "password" in url else f" ({str(error).strip()})"
            )  # it may quote a part
            raise ConfigError(
                f"the address of the PostgreSQL server cannot be read{reason}; write it like postgresql://user@host/database"
            ) from None
        self._url = url
        self._prepared = prepared
        self._most = most
        self._pool: _Pool | None = None
        self._guard = threading.RLock()
        self._known: dict[str, int] = {}  # the version of each part of the schema, once it was looked at

    @property
    def url(self) -> str:
        """As it was given; it may hold a password, so it is never printed."""
        return self._url

    @property
    def how(self) -> tuple[bool, int]:
        """Whether statements are prepared, and how many connections there may be."""
        return self._prepared, self._most

    def __str__(self) -> str:
        """Where it is, without what is secret."""
        host, port = self._asked.get("host", "localhost"), self._asked.get("port")
        return f"{host}{f':{port}' if port else ''}/{self._asked.get('dbname', '')}"

    @contextlib.contextmanager
    def connection(self) -> Iterator[_Connection]:
        """A connection that commits each statement, lent until the end of the block.

        Raises:
            IndexUnreachableError: there is no server, or it lets nobody in.
            IndexBusyError: all connections are lent out, for long.
        """
        with self.telling(), self._open().connection(_PATIENCE) as connection:
            yield connection

    @contextlib.contextmanager
    def transaction(
        self, vault: int | None = None, *, read_only: bool = False, wait_ms: int = _BUSY_MS
    ) -> Iterator[_Connection]:
        """One transaction, committed at the end of the block, rolled back when it raises.

        Args:
            vault: whose rows it sees and writes; without one, none.
            wait_ms: how long it waits for the locks of others.
        """
        kind = "isolation level repeatable read read only" if read_only else "read write"
        chosen = []
        if not read_only:
            chosen.append(f"lock_timeout = {wait_ms}")
            # A process that was stopped in mid-transaction must not keep others out for as long as it sleeps.
            chosen.append(f"idle_in_transaction_session_timeout = {_ASLEEP_MS}")
        with self._begin(kind, vault, chosen) as (connection, _):
            yield connection

    @contextlib.contextmanager
    def state(self, vault: int, asked: str) -> Iterator[tuple[_Connection, list[tuple[Any, ...]]]]:
        """One state of a vault for all that is read in the block, and the answer to a first query, asked in the same round trip."""
        with self._begin("isolation level repeatable read read only", vault, asked=asked) as begun:
            yield begun

    @contextlib.contextmanager
    def _begin(
        self, kind: str, vault: int | None, chosen: Sequence[str] = (), asked: str = ""
    ) -> Iterator[tuple[_Connection, list[tuple[Any, ...]]]]:
        # A session that is ours alone has been told already. `set` is not planned, as a `select` would be.
        settings = [*chosen, *(() if self._prepared else _PLANS)]
        if vault is not None:
            settings.append(f"{VAULT} = '{vault}'")
        opening = "; ".join(
            [f"begin {kind}", *(f"set local {setting}" for setting in settings), *filter(None, [asked])]
        )
        with self.telling():
            pool, connection, cursor = self._opening(opening)
            try:
                rows = []
                if asked:
                    while cursor.nextset():
                        pass
                    rows = cursor.fetchall()
                yield connection, rows
                _run(connection, "commit")
            except BaseException:
                with contextlib.suppress(psycopg.Error):
                    _run(connection, "rollback")
                raise
            finally:
                pool.putconn(connection)

    @contextlib.contextmanager
    def session(self, schema: str) -> Iterator[_Connection]:
        """A connection of its own until the end of the block: what it locks and sets stays with it, and ends with the process.

        Args:
            schema: where names without one are looked up.

        Raises:
            ConfigError: a pooler that gives each transaction another connection is in between.
        """
        with self.telling():
            try:
                connection = psycopg.connect(**self.direct(schema), autocommit=True)
            except psycopg.OperationalError as error:
                if "startup parameter" in str(error):
                    raise ConfigError(_NO_SESSION.format(self)) from None
                raise
            try:
                row = connection.execute("show search_path").fetchone()
                if row is None or row[0] != schema:
                    raise ConfigError(_NO_SESSION.format(self))
                yield connection
            finally:
                connection.close()

    def direct(self, schema: str) -> dict[str, Any]:
        """How to connect without the pool, for libpq; `schema` is where names without one are looked up.

        A pooler in transaction mode refuses this, and must: what belongs to a session would reach others. The server notices within a
        minute that the machine of a session is gone.
        """
        keepalives = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
        options = f"{self._asked.get('options') or ''} -c search_path={schema} {keepalives}".strip()
        return {**self._asked, "options": options, "connect_timeout": int(_PATIENCE)}

    def migrate(self, part: str, steps: Sequence[str], *, whole: str = "") -> None:
        """Brings one part of our schema to its newest version, each step in order; whoever comes at the same time waits.

        Args:
            steps: what makes each version of the one before.
            whole: makes the newest at once where there is none yet.

        Raises:
            ConfigError: the schema is somebody else's, or of a newer MemoryClaw.
        """
        if self._known.get(part) == len(steps):
            return
        with self.connection() as connection:
            if self._version(connection, part) == len(steps):
                self._known[part] = len(steps)
                return
        with self.transaction(wait_ms=60_000) as connection:
            if connection.info.parameter_status("server_encoding") != "UTF8":
                raise ConfigError(f"the database {self} is not in UTF-8; make one with encoding 'UTF8'")
            _run(connection, f"select pg_advisory_xact_lock({_LOCK})")
            version = self._version(connection, part)
            if version > len(steps):
                raise ConfigError(
                    f"the schema `{SCHEMA}` at {self} was made by a newer MemoryClaw ({part} {version}); update this one"
                )
            try:
                if not _exists(connection, "pg_namespace where nspname = %s", SCHEMA):
                    _run(connection, f"create schema {SCHEMA}")
                if not _exists(
                    connection, "pg_tables where schemaname = %s and tablename = 'migrations'", SCHEMA
                ):
                    _run(
                        connection,
                        f"create table {SCHEMA}.migrations(part text primary key, version int not null)",
                    )
                for step in steps[version:] if version or not whole else [whole]:
                    _run(connection, step)
            except pg.InsufficientPrivilege as error:
                raise ConfigError(
                    f"the schema `{SCHEMA}` at {self} must be made or brought up to date by its owner ({_server_message(error)}); "
                    "run `memoryclaw fleet migrate` with the owner's URL"
                ) from None
            sql = f"""insert into {SCHEMA}.migrations values(%s, %s)
                on conflict (part) do update set version = excluded.version"""
            connection.execute(sql, (part, len(steps)))
        self._known[part] = len(steps)

    def lent(self) -> tuple[int, int]:
        """How many connections are lent out, and how many requests wait for one."""
        if self._pool is None:
            return 0, 0
        stats = self._pool.get_stats()
        return stats.get("pool_size", 0) - stats.get("pool_available", 0), stats.get("requests_waiting", 0)

    def close(self) -> None:
        """Closes all connections; the object can be used again."""
        if self._pool is not None:
            self._pool.close()
        self._pool = None
        self._known.clear()

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Turns the errors of the server into ours: nobody there, or busy. Others are bugs."""
        try:
            yield
        except (pg.LockNotAvailable, pg.DeadlockDetected, pg.SerializationFailure):
            raise IndexBusyError("the index is being written by another process; try again") from None
        except (PoolTimeout, TooManyRequests, pg.TooManyConnections):
            raise IndexBusyError(f"all connections to PostgreSQL at {self} are in use; try again") from None
        except (pg.ReadOnlySqlTransaction, pg.FeatureNotSupported) as error:
            if isinstance(error, pg.FeatureNotSupported) and "recovery" not in str(error):
                raise
            raise IndexUnreachableError(f"PostgreSQL at {self} is a replica, which takes no writes") from None
        except pg.InsufficientPrivilege as error:
            if "row-level security" in str(error):
                raise  # a row of another vault: a bug
            raise IndexUnreachableError(
                f"PostgreSQL at {self} refuses this role ({_server_message(error)}); give it the grants of memoryclaw-fleet/docs/fleet.md"
            ) from None
        except PoolClosed:
            raise IndexBusyError("the connections to PostgreSQL are being closed; try again") from None
        except (
            psycopg.OperationalError,
            psycopg.InterfaceError,
            pg.IdleInTransactionSessionTimeout,
        ) as error:
            raise IndexUnreachableError(
                f"PostgreSQL at {self} cannot be reached ({_server_message(error)})"
            ) from None

    def _version(self, connection: _Connection, part: str) -> int:
        """Which version of a part there is; 0 for none yet."""
        if not _exists(connection, "pg_namespace where nspname = %s", SCHEMA):
            return 0
        if not _exists(connection, "pg_tables where schemaname = %s and tablename = 'migrations'", SCHEMA):
            if _exists(
                connection,
                "pg_class c join pg_namespace n on n.oid = relnamespace where nspname = %s",
                SCHEMA,
            ):
                raise ConfigError(_NO_OWNER)
            return 0
        row = connection.execute(
            f"select version from {SCHEMA}.migrations where part = %s", (part,)
        ).fetchone()
        return int(row[0]) if row else 0

    def _open(self) -> _Pool:
        with self._guard:
            if self._pool is None:
                options: dict[str, Any] = {
                    "autocommit": True,
                    "connect_timeout": int(_PATIENCE),
                    "prepare_threshold": 1 if self._prepared else None,
                    **{name: value for name, value in _GONE.items() if name not in self._asked},
                }
                # Once by itself: a pool would go on trying where the name or the password is wrong.
                psycopg.connect(self._url, **options).close()
                self._pool = ConnectionPool(
                    self._url,
                    kwargs=options,
                    configure=self._configure,
                    min_size=1,
                    max_size=self._most,
                    open=True,
                    timeout=_PATIENCE,
                )
            return self._pool

    def _opening(
        self, opening: str, *, again: bool = True
    ) -> tuple[_Pool, _Connection, psycopg.Cursor[tuple[Any, ...]]]:
        """A connection with a begun transaction. Where the server went away meanwhile, all connections are made anew."""
        pool = self._open()
        connection = pool.getconn(_PATIENCE)
        try:
            return pool, connection, _run(connection, opening)  # in one round trip
        except BaseException as error:
            pool.putconn(connection)
            if not (again and isinstance(error, psycopg.OperationalError)):
                raise
        with self._guard:
            if self._pool is pool:
                self.close()
        return self._opening(opening, again=False)

    def _configure(self, connection: _Connection) -> None:
        connection.adapters.register_dumper(str, StrDumper)  # as text, whose type nobody has to guess
        connection.adapters.register_loader("timestamptz", _InUtc)
        connection.prepared_max = _PREPARED
        if self._prepared:
            _run(connection, "; ".join(f"set {setting}" for setting in _PLANS))


def _run(connection: _Connection, sql: str) -> psycopg.Cursor[tuple[Any, ...]]:
    return connection.execute(sql)


def _exists(connection: _Connection, what: str, value: str) -> bool:
    sql = f"select 1 from {what} limit 1"
    return connection.execute(sql, (value,)).fetchone() is not None


def _server_message(error: Exception) -> str:
    """The first line of what the server said."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].removeprefix("connection failed: ")


_SERVERS: dict[tuple[str, bool], Postgres] = {}
_SERVERS_GUARD = threading.Lock()


def server_of(url: str, *, prepared: bool = True, most: int = 4) -> Postgres:
    """The server of this URL, one for the whole process: all vaults share its connections."""
    with _SERVERS_GUARD:
        return _SERVERS.setdefault((url, prepared), Postgres(url, prepared=prepared, most=most))
