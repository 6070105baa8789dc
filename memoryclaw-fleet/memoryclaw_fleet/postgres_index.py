"""The index on a PostgreSQL server: the same tables, asked with the same SQL, for many vaults at once.

Each table has the number of the vault in every key and is partitioned by it. Every statement names the vault, so that it touches one
partition, and row-level security sees to it that one which forgets to sees nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import sys
from array import array
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import psycopg

from memoryclaw.errors import IndexDamagedError, VaultError
from memoryclaw.index.bm25 import K1, WEIGHTS, B, counts_of, gain, idf, sound, tally
from memoryclaw.index.database import ACCENTED, LIFECYCLE, LONGEST
from memoryclaw.index.database import short_key as _cut
from memoryclaw.model import COLUMNS, COUNTED
from memoryclaw.ports import Hit, IndexClause, IndexRow
from memoryclaw_fleet.postgres import OWN, PARTITIONS, SCHEMA, VAULT, Postgres

_LIFECYCLE = ", ".join(f"{name} text" for name in LIFECYCLE)
# As in index/database.py; `!` stands before what is too long for an index now and then, and is cut there.
_TABLES = {
    "meta": ("key text, value text", "key"),
    "files": (
        f"""fid int, !path text, stamp bytea, digest bytea, !id text, kind text, state text, title text, at text, until text,
        tags text, trust text, pinned int, !stem text, language text, partial int, {_LIFECYCLE}""",
        "fid",
    ),
    "hidden": ("!path text, stamp bytea, digest bytea", "path"),
    "unit": (
        f"""rowid int, fid int, seq int, !id text, kind text, line int, end_line int, text bytea, at text, until text, days text,
        entity text, !entity_key text, field text, value text, trust text, pinned int, state text, role text, asks int, opens int,
        {_LIFECYCLE}""",
        "rowid",
    ),
    "tokens": ("rowid int, fid int, kind text, columns text", "rowid"),
    "lengths": ("kind text, field text, units int, tokens int", "kind, field"),
    "fact": (
        f"""fid int, seq int, !id text, entity text, !entity_key text, field text, value text, since text, until text, source text,
        line int, current int, type text, said text, trust text, audience text, {_LIFECYCLE}""",
        "fid, seq",
    ),
    "tag": ("!tag text, fid int", "tag, fid"),
    "name": ("!key text, kind text, fid int, !name text", ""),
    "link": (
        "fid int, seq int, target text, !target_key text, anchor text, label text, line int, embed int",
        "fid, seq",
    ),
    "cited": ("fid int, !path text, first int, last int, !key text", ""),
    "problems": ("!path text, origin text, seq int, line int, message text, hint text", "path, origin, seq"),
    "aliases": ("!key text, !expansion text", ""),
    "words": ("!word text, spelled int, held int, code text", "word"),
    "posting": ("token text, chunk int, units bytea, places bytea", "token, chunk"),
    "vector": ("digest bytea, recipe text, floats bytea", "digest"),
}
_OF_PASSAGES = ("vector",)  # what a new index of the same files can go on using
_INDEXES = (
    "files(path)", "files(id)", "files(stem)", "files(at)", "files(language)", "files(fid) where partial > 0",
    "unit(fid, seq)", "unit(id)", "unit(at) where at != ''", "unit(memory_type) where memory_type != ''",
    "unit(scope) where scope != ''", "unit(expires) where expires != ''", "unit(days) where days != ''",
    "unit(field) where kind = 'todo'", "unit(at) where field = 'from now on'",
    "unit(at desc, id) where kind = 'fact' and state = 'current'", "tokens(fid)", "fact(entity_key)", "tag(fid)", "name(key)", "name(fid)",
    "link(target_key)", "cited(path)", "cited(fid)", "aliases(key)", "words(word) where word ~ '[^ -~]'",
)  # fmt: skip
_VIEWS = {
    "looked_at": "select path, stamp, digest from files union all select path, stamp, digest from hidden",
    "units": "select unit.*, files.path from unit join files using (fid)",
    "facts": "select fact.*, files.path, files.state from fact join files using (fid)",
    "tags": "select tag.*, files.path from tag join files using (fid)",
    "names": "select name.*, files.path from name join files using (fid)",
    "links": "select link.*, files.path from link join files using (fid)",
}
_CHUNK = 12  # bits of a rowid within one row of postings
_COLUMNS = {name: number for number, name in enumerate(COLUMNS)}
T = TypeVar("T")
_WEIGHTS = np.array([WEIGHTS[name] for name in COLUMNS])
_FLUSH = 1 << 20  # occurrences that are gathered before they are written


class _Column(NamedTuple):
    name: str
    type: str
    is_cut: bool


def _columns_of(table: str) -> list[_Column]:
    definitions = (definition.split() for definition in _TABLES[table][0].split(","))
    return [_Column(name.lstrip("!"), kind, name.startswith("!")) for name, kind in definitions]


def _steps() -> list[str]:
    """The tables, as migrations."""
    sql = [
        f"""create table {SCHEMA}.vault(number int generated always as identity primary key, name text not null,
            audience text not null default '', recipe text not null default '', unique(name, audience))"""
    ]
    for table, (_, key) in _TABLES.items():
        columns = ", ".join(
            f'"{column.name}" {column.type}' + (' collate "C"' if column.type == "text" else "")
            for column in _columns_of(table)
        )
        primary = f", primary key(vault, {key})" if key else ""
        sql.append(
            f"create table {SCHEMA}.{table}({columns}, vault int not null{primary}) partition by hash (vault)"
        )
        sql += [
            f"create table {SCHEMA}.{table}_{n} partition of {SCHEMA}.{table} for values with (modulus {PARTITIONS}, remainder {n})"
            for n in range(PARTITIONS)
        ]
        sql += [
            f"alter table {SCHEMA}.{table} enable row level security",
            f"alter table {SCHEMA}.{table} force row level security",
            f"create policy own on {SCHEMA}.{table} using ({OWN}) with check ({OWN})",
        ]
    sql += [f"create index on {SCHEMA}.{column.replace('(', '(vault, ', 1)}" for column in _INDEXES]
    # The policy of a table does not hold for who names one of its partitions; without a policy of its own, that shows nothing.
    shut = [
        f"alter table {SCHEMA}.{table}_{n} enable row level security, force row level security"
        for table in _TABLES
        for n in range(PARTITIONS)
    ]
    coded = [
        f"alter table {SCHEMA}.tokens {', '.join(f'drop column if exists {name}' for name in COUNTED)}",
        f'alter table {SCHEMA}.words add column if not exists code text collate "C"',
    ]
    apart = ", ".join(f"drop column if exists {name}" for name in ("title", "tags", "properties", "also"))
    return [";\n".join(sql), ";\n".join(shut), ";\n".join(coded), f"alter table {SCHEMA}.unit {apart}"]


STEPS = _steps()

# The SQL of the house is written for SQLite, in the part of the language that both understand; what is left is changed here.

_LISTED = r"in \(select value from json_each\((\?\d*)\)\)"
_CHANGES = (
    (rf"not {_LISTED}", r"<> all(\1[])"),
    (_LISTED, r"= any(\1[])"),
    (r"\bcross join\b", "join"),  # which only keeps SQLite from turning it around
    # As columns of their own, not as parts of a value: only those may be looked for in an index where there is row-level security.
    (
        r"\(select json_extract\(value, '\$\.(\w+)'\) as \1, json_extract\(value, '\$\.(\w+)'\) as \2 from json_each\(\?\)\) as (\w+)",
        r"jsonb_to_recordset(?{}) as \3(\1 text, \2 text)",
    ),
    (r"from json_each\(\?\)", "from jsonb_array_elements(?{}) as value"),
    (r"json_extract\(value, '\$\[(\d)\]'\)", r"(value->>\1)"),
    (r"\bmax\(([^(),]+), ([^()]+)\)", r"greatest(\1, \2)"),
    (r"\(instr\((\w+), \?\) = 0\)", r"(strpos(\1, ?) = 0)::int"),
    (r"\binstr\(", "strpos("),
    (r"\bchar\(", "chr("),
    (r"\blike\b", "ilike"),  # where SQLite minds no case
    (re.escape(ACCENTED), "word ~ '[^ -~]'"),
    (r"glob '\^l\[0-9\]\*'", r"~ '^\\^l[0-9]'"),
    (r"glob '([\w/]+)\*'", r"^@ '\1'"),
    (r"glob '\^l' \|\| (\S+) \|\| '-\*'", r"^@ ('^l' || \1 || '-')"),
    (r"x''", "''::bytea"),
    (r"\bon conflict\(", "on conflict(vault, "),
)
_PLACE = re.compile(r"\?(\d*)(\[\]|\{\})?")
_NAMED = re.compile(r"\b(?:from|join)\s+(\w+)")


class _Translated(NamedTuple):
    """A statement for PostgreSQL.

    Attributes:
        sql: with `%s` for each value; the first `own` of them are the number of the vault.
        own: how often the number of the vault stands at the beginning.
        picked: which of the given values stands at each other place, and whether it is a list.
        after: whether the number of the vault stands at the end, too.
    """

    sql: str
    own: int
    picked: tuple[tuple[int, str], ...]
    after: bool = False


@lru_cache(maxsize=1024)
def translate(sql: str) -> _Translated:
    """A statement of the house as PostgreSQL takes it, limited to one vault."""
    text = sql.replace("%", "%%")
    for pattern, replacement in _CHANGES:
        text = re.sub(pattern, replacement, text)
    text, numbers, after = _limit(text.strip())
    picked: list[tuple[int, str]] = []

    def place(match: re.Match[str]) -> str:
        picked.append((int(match[1]) - 1 if match[1] else len(picked), match[2] or ""))
        return "%s::jsonb" if match[2] == "{}" else "%s"

    return _Translated(_PLACE.sub(place, text), numbers, tuple(picked), after)


def _limit(sql: str) -> tuple[str, int, bool]:
    """The statement with the number of the vault in it: how often at the beginning, and whether at the end."""
    verb = sql.split(None, 1)[0].lower()
    if verb == "insert":
        table = sql.split(None, 3)[2].partition("(")[0]
        sql = sql.replace(f"into {table}", f"into {SCHEMA}.{table} as {table}", 1)
        head, values, row = sql.partition(" values(")
        if head.endswith(")"):  # it names its columns
            head = f"{head[:-1]}, vault)"
        row_values, conflict, conflict_rest = row.partition("on conflict")
        return f"{head}{values}{row_values.rstrip()[:-1]}, %s) {conflict}{conflict_rest}", 0, True
    if verb in ("delete", "update"):
        table = sql.split()[2 if verb == "delete" else 1]
        sql = sql.replace(f" {table}", f" {SCHEMA}.{table}", 1)
        head, where, condition = sql.partition(" where ")
        return f"{head} where {f'({condition}) and ' if where else ''}vault = %s", 0, True
    views, numbers = [], 0
    named = _needed(sql)
    for name in (*_TABLES, *_VIEWS):
        if name in named and name in _TABLES:
            columns = ", ".join(f'"{column.name}"' for column in _columns_of(name))
            views.append(
                f"{name} as not materialized (select {columns} from {SCHEMA}.{name} where vault = %s)"
            )
            numbers += 1
        elif name in named:
            views.append(f"{name} as not materialized ({_VIEWS[name]})")
    if not views:
        return sql, 0, False
    first = re.match(r"with (recursive )?", sql)
    if first is None:
        return f"with {', '.join(views)} {sql}", numbers, False
    return f"with {first[1] or ''}{', '.join(views)}, {sql[first.end() :]}", numbers, False


def _needed(sql: str) -> set[str]:
    """The tables that a query needs, and the views it names with those they need."""
    named = {name for name in _NAMED.findall(sql) if name in _TABLES or name in _VIEWS}
    for view in named & _VIEWS.keys():
        named |= _needed(_VIEWS[view])
    return named


class FetchedRows(list[tuple[Any, ...]]):
    """What a statement found, all of it."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows."""
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, or None when there is none."""
        return self.pop(0) if self else None


class PostgresConnection:
    """What the index asks, in its own SQL: in the transaction that is open, or each statement in one of its own."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    @property
    def in_transaction(self) -> bool:
        """True within `reading` or `writing`."""
        return self._database.raw is not None

    def execute(self, sql: str, values: Sequence[object] = ()) -> FetchedRows:
        """Runs one statement."""
        cache, key = self._database.answers, (sql, *values)
        if cache is not None and key in cache:
            cache.move_to_end(key)
            return FetchedRows(cache[key])
        translation = translate(sql)
        number = self._database.number()
        bound: list[Any] = [number] * translation.own
        is_insert = sql.startswith("insert")
        for place, kind in translation.picked:
            value = values[place]
            if kind == "[]" and isinstance(value, str):
                value = json.loads(value)
            bound.append(_bind(value, cut=not is_insert and kind != "{}"))
        if translation.after:
            bound.append(number)
        with self._database.session() as raw:
            cursor = raw.execute(translation.sql, bound)
            rows = cursor.fetchall() if cursor.description else []
        if cache is not None:
            cache[key] = rows
            if len(cache) > _REMEMBERED:
                cache.popitem(last=False)
        return FetchedRows(rows)

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Runs one statement for many rows; inserts go in one piece."""
        inserted = re.match(r"insert into (\w+) values\([?,]*\)(.*)", sql.replace("\n", " "))
        if inserted:
            self._insert(inserted[1], inserted[2], rows)
            return
        translation = translate(sql)
        number = self._database.number()
        bound = [
            [number] * translation.own
            + [_bind(row[place], cut=True) for place, _ in translation.picked]
            + [number] * translation.after
            for row in rows
        ]
        if bound:
            with self._database.session() as raw, raw.cursor() as cursor:
                cursor.executemany(translation.sql, bound)

    def _insert(self, table: str, conflict: str, rows: Iterable[Sequence[object]]) -> None:
        sql, cut = _insertion(table, conflict.strip())
        fitting: Iterable[Sequence[object]] = [
            [_cut(value) if place in cut else value for place, value in enumerate(row)]
            if any(len(str(row[place])) > LONGEST for place in cut)
            else row
            for row in rows
        ]
        if conflict.strip().endswith("do nothing"):
            fitting = dict.fromkeys(map(tuple, fitting))
        json_rows = json.dumps(list(fitting), ensure_ascii=False, default=bytes.hex)
        if json_rows == "[]":
            return
        if "\\u0000" in json_rows:
            json_rows = _NUL.sub(r"\1�", json_rows)
        with self._database.session() as raw:
            raw.execute(sql, (self._database.number(), json_rows))


_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")  # in JSON: not one of which a text tells


@lru_cache(maxsize=64)
def _insertion(table: str, conflict: str) -> tuple[str, tuple[int, ...]]:
    """How many rows of a table are put in at once, and which of their values are cut."""
    columns = _columns_of(table)
    values = ", ".join(_FROM_JSON[column.type].format(place) for place, column in enumerate(columns))
    names = ", ".join(f'"{column.name}"' for column in columns)
    conflict = conflict.replace("on conflict(", "on conflict(vault, ")
    sql = f"""insert into {SCHEMA}.{table} as {table}({names}, vault) select {values}, %s from jsonb_array_elements(%s::jsonb) r {conflict}"""
    return sql, tuple(place for place, column in enumerate(columns) if column.is_cut)


# JSON is the fastest way in: PostgreSQL refuses COPY where there is row-level security, and arrays cost three times as much here.
_FROM_JSON = {"text": "r->>{}", "int": "(r->>{})::int", "bytea": "decode(r->>{}, 'hex')"}


def _bind(value: object, *, cut: bool) -> Any:
    if isinstance(value, str):
        value = value.replace("\0", "�") if "\0" in value else value
        return _cut(value) if cut else value
    if isinstance(value, list):
        return [_bind(element, cut=cut) for element in value]
    return value


class PostgresDatabase:
    """The tables of one vault as one audience sees it; the counterpart of `index.database.Database`.

    Args:
        audience: whose view; empty for that of everything.
        recipe: whatever the content depends on besides the files; another recipe means another index.
        keeps: False for who only reads what another process keeps: nothing is made or thrown away, then.
        may: asked with the open transaction before anything is written; it raises where that may not be.
    """

    def __init__(
        self,
        server: Postgres,
        name: str,
        audience: str,
        recipe: str,
        *,
        keeps: bool = True,
        may: Callable[[psycopg.Connection[tuple[Any, ...]]], None] | None = None,
    ) -> None:
        self.server = server
        self.raw: psycopg.Connection[tuple[Any, ...]] | None = None  # of the open transaction
        self.rebuilt = False
        self._name, self._audience, self._recipe = name, audience, recipe
        self._keeps, self._may = keeps, may
        self._number: int | None = None
        self._connection = PostgresConnection(self)
        # What was read of one edition of the index, in transactions that only read.
        self._edition: object = None
        self._constants: dict[str, Any] = {}
        self._answers: OrderedDict[tuple[object, ...], list[tuple[Any, ...]]] = OrderedDict()
        self._reads = False

    @property
    def place(self) -> str:
        """Where the index is, in words."""
        return f"{self.server}, vault {self._name}"

    def number(self) -> int:
        """The number of the vault; it gets one, and empty tables, where it has none or its rows were made by another recipe."""
        if self._number is None:
            self.server.migrate("index", STEPS)
            self._number = self._register()
        return self._number

    def connection(self) -> PostgresConnection:
        """What is asked in the open transaction, or else each statement in one of its own."""
        return self._connection

    def is_current(self) -> bool:
        """True once the vault is known: nobody replaces its tables, they only change."""
        return self._number is not None

    def exists(self) -> bool:
        """True when there is an index of this vault."""
        if self._number is not None:
            return True
        with self.telling():
            self.server.migrate("index", STEPS)
            return self._known() is not None

    def bytes(self) -> int:
        """How much room its texts and postings take, about."""
        if not self.exists():
            return 0
        sql = f"""select coalesce((select sum(pg_column_size(u.*)) from {SCHEMA}.unit u where vault = %s), 0)
            + coalesce((select sum(pg_column_size(p.*)) from {SCHEMA}.posting p where vault = %s), 0)"""
        number = self.number()
        with self.session() as raw:
            row = raw.execute(sql, (number, number)).fetchone()
        return int(row[0]) if row else 0

    def trouble(self) -> str:
        """What is wrong with the store itself; PostgreSQL looks after that."""
        return ""

    @contextlib.contextmanager
    def session(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """The open transaction, or a short one."""
        if self.raw is not None:
            yield self.raw
            return
        with self.server.transaction(self.number(), read_only=not self._keeps) as raw:
            yield raw

    def has_waited(self) -> bool:
        """Never: the server has writers wait for one another."""
        return False

    @contextlib.contextmanager
    def writing(self) -> Iterator[PostgresConnection]:
        """One write transaction, for which other writers of this vault wait."""
        with self.telling(), self.server.transaction(self.number()) as raw:
            self._lock(raw, self.number())
            if self._recipe_of(raw) != self._recipe:
                self._wipe(raw)
            self.raw = raw
            try:
                yield self._connection
            finally:
                self.raw = None

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """One state of the index for all that is asked in the block; nests."""
        if self.raw is not None:
            yield
            return
        number = self.number()
        sql = f"select value from {SCHEMA}.meta where vault = {number} and key in ('born', 'changes') order by key"
        with self.telling(), self.server.state(number, sql) as (raw, edition):
            if edition != self._edition:
                self._edition, self._constants = edition, {}
                self._answers.clear()
            self.raw, self._reads = raw, True
            try:
                yield
            finally:
                self.raw, self._reads = None, False

    @property
    def answers(self) -> OrderedDict[tuple[object, ...], list[tuple[Any, ...]]] | None:
        """What was asked last of this state of the index, and is asked again within one recall; None while it may change."""
        return self._answers if self._reads else None

    @contextlib.contextmanager
    def guarded(self) -> Iterator[PostgresConnection]:
        """The connection, with the errors of the server told apart."""
        with self.telling():
            yield self._connection

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Turns errors into ours: nobody there, busy, or rows that are not what was written."""
        try:
            with self.server.telling():
                yield
        except sqlite3.DatabaseError as error:  # as the catalogue says that a row is malformed, on any engine
            raise IndexDamagedError(
                f"the index at {self.place} is damaged ({error}); it is being built again"
            ) from error

    def constant(self, name: str, read: Callable[[], T]) -> T:
        """What changes only with the index, read once for each state of it."""
        if not self._reads:
            return read()
        if name not in self._constants:
            self._constants[name] = read()
        return cast("T", self._constants[name])

    def discard(self) -> None:
        """Throws the rows of this vault away; the next use builds them again from the files."""
        if not self._keeps:
            raise self._not_yet()
        with self.telling(), self.server.transaction(self.number(), wait_ms=5000) as raw:
            self._lock(raw, self.number())
            self._wipe(raw)

    def close(self) -> None:
        """Nothing to close: the connections are the server's."""

    def _known(self) -> tuple[int, str] | None:
        sql = f"select number, recipe from {SCHEMA}.vault where name = %s and audience = %s"
        with self.server.connection() as raw:
            row = raw.execute(sql, (self._name, self._audience)).fetchone()
        return (int(row[0]), str(row[1])) if row else None

    def _register(self) -> int:
        registration = self._known()
        if not self._keeps and (registration is None or registration[1] != self._recipe):
            raise self._not_yet()
        if registration is None:
            with self.server.transaction() as raw:
                self._first(raw)
            registration = self._known()
        if registration is None:
            raise IndexDamagedError(
                f"the vault {self._name!r} was dropped from {self.server} meanwhile; try again"
            )
        number, recipe = registration
        if recipe != self._recipe:
            with self.server.transaction(number, wait_ms=5000) as raw:
                self._lock(raw, number)
                if self._recipe_of(raw, number) != self._recipe:  # else another process was first
                    self._wipe(raw, number)
        return number

    def _lock(self, raw: psycopg.Connection[tuple[Any, ...]], number: int) -> None:
        """Keeps other writers of this vault out until the end of the transaction, and asks whether it may be written."""
        raw.execute("select pg_advisory_xact_lock(%s, %s)", (_WRITING, number))
        if self._may is not None:
            self._may(raw)

    def _not_yet(self) -> VaultError:
        whom = f" for the audience {self._audience}" if self._audience else ""
        return VaultError(
            f"the vault {self._name!r} was not indexed{whom} by its home yet, or not by this version; ask there, or again later"
        )

    def _recipe_of(self, raw: psycopg.Connection[tuple[Any, ...]], number: int | None = None) -> str:
        sql = f"select recipe from {SCHEMA}.vault where number = %s"
        row = raw.execute(sql, (self._number if number is None else number,)).fetchone()
        if row is None:
            self._number = None
            raise IndexDamagedError(
                f"the vault {self._name!r} was dropped from {self.server} meanwhile; try again"
            )
        return str(row[0])

    def _first(self, raw: psycopg.Connection[tuple[Any, ...]]) -> None:
        """Gives the vault its number, if no other process does."""
        sql = f"insert into {SCHEMA}.vault(name, audience, recipe) values(%s, %s, %s) on conflict do nothing returning number"
        row = raw.execute(sql, (self._name, self._audience, self._recipe)).fetchone()
        if row is not None:
            raw.execute("select set_config(%s, %s, true)", (VAULT, str(row[0])))
            self._begin(raw, int(row[0]))

    def _wipe(self, raw: psycopg.Connection[tuple[Any, ...]], number: int | None = None) -> None:
        vault = self._number if number is None else number
        for table in [name for name in _TABLES if name not in _OF_PASSAGES]:
            raw.execute(f"delete from {SCHEMA}.{table} where vault = %s", (vault,))
        raw.execute(f"update {SCHEMA}.vault set recipe = %s where number = %s", (self._recipe, vault))
        self._begin(raw, vault)

    def _begin(self, raw: psycopg.Connection[tuple[Any, ...]], number: int | None) -> None:
        # Row numbers begin anew, so whoever remembers some must know which build they are of.
        sql = f"""insert into {SCHEMA}.meta(key, value, vault)
            values('next', '1', %s), ('changes', '0', %s), ('born', %s, %s)"""
        raw.execute(sql, (number, number, os.urandom(8).hex(), number))
        self.rebuilt = True


_REMEMBERED = 32  # answers of about two recalls
_WRITING = 0x4D434C57  # the class of the advisory locks of writers


def drop(server: Postgres, name: str) -> None:
    """Takes a vault off the server, with the views of all audiences."""
    server.migrate("index", STEPS)
    with server.connection() as raw:
        numbers = raw.execute(f"select number from {SCHEMA}.vault where name = %s", (name,)).fetchall()
    for (number,) in numbers:
        with server.transaction(number, wait_ms=5000) as raw:
            for table in _TABLES:
                raw.execute(f"delete from {SCHEMA}.{table} where vault = %s", (number,))
            raw.execute(f"delete from {SCHEMA}.vault where number = %s", (number,))


class PostgresVectors:
    """The vectors of a vault's passages, where every node finds them. They are kept as bytes; each node looks through a copy of its own."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def edition(self) -> str:
        """Another one whenever a vector came or went; empty where that is not known."""
        sql = f"select value from {SCHEMA}.meta where vault = %s and key = 'vectors'"
        rows = self._ask(sql)
        return str(rows[0][0]) if rows else ""

    def widths(self, recipe: str) -> dict[bytes, int]:
        """The passages that have a vector of this recipe, and how many bytes it has."""
        sql = f"select digest, octet_length(floats) from {SCHEMA}.vector where vault = %s and recipe = %s"
        return dict(self._ask(sql, recipe))

    def get(self, recipe: str, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors of this recipe that there are of some passages."""
        sql = f"select digest, floats from {SCHEMA}.vector where vault = %s and recipe = %s and digest = any(%s)"
        return dict(self._ask(sql, recipe, list(digests)))

    def put(self, recipe: str, rows: Mapping[bytes, bytes]) -> None:
        """Keeps the vectors of some passages, in place of those that they had."""
        sql = f"""insert into {SCHEMA}.vector(digest, recipe, floats, vault) values(%s, %s, %s, %s)
            on conflict(vault, digest) do update set recipe = excluded.recipe, floats = excluded.floats"""
        with self._changing() as (raw, number), raw.cursor() as cursor:
            cursor.executemany(sql, [(digest, recipe, row, number) for digest, row in rows.items()])

    def drop(self, digests: Sequence[bytes]) -> None:
        """Removes the vectors of some passages."""
        with self._changing() as (raw, number):
            raw.execute(
                f"delete from {SCHEMA}.vector where vault = %s and digest = any(%s)", (number, list(digests))
            )

    def passages(self) -> set[bytes]:
        """The passages that have a vector of any recipe."""
        return {digest for (digest,) in self._ask(f"select digest from {SCHEMA}.vector where vault = %s")}

    def _ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._database.session() as raw:
            return raw.execute(sql, (self._database.number(), *values)).fetchall()

    @contextlib.contextmanager
    def _changing(self) -> Iterator[tuple[psycopg.Connection[tuple[Any, ...]], int]]:
        edition = f"""insert into {SCHEMA}.meta(key, value, vault) values('vectors', %s, %s)
            on conflict(vault, key) do update set value = excluded.value"""
        with self._database.writing(), self._database.session() as raw:
            number = self._database.number()
            yield raw, number
            raw.execute(edition, (os.urandom(8).hex(), number))


# The text engine: for each token and each 4,096 units, what holds it and where. As packed numbers it takes a fifth of the rows that one row for
# each occurrence would, and loads as fast.

_TRIPLE = 3  # of `units`: rowid and column, occurrences there, length of the unit over all columns


class _Gathered(NamedTuple):
    units: list[int]
    places: list[int]


class _Postings(NamedTuple):
    """Where one token stands: a row for each unit and column that holds it."""

    rowids: Any  # numpy, as all of them
    columns: Any
    counts: Any
    lengths: Any


class PostgresText:
    """The text engine.

    Args:
        database: the tables beside it, whose transactions it takes part in.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._gathered: dict[tuple[str, int], _Gathered] = {}
        self._length = 0
        self._change = [0, 0]  # of units and tokens

    def add(self, rows: Iterable[IndexRow]) -> None:
        """Adds units; they are written with the next look-up, or with `settle`."""
        for row in rows:
            places, length = _place(row)
            chunk = row.rowid >> _CHUNK
            for (token, column), occurrences in places.items():
                key = token, chunk
                postings = self._gathered.get(key)
                if postings is None:
                    postings = self._gathered[key] = _Gathered([], [])
                postings.units.extend((row.rowid << 2 | column, len(occurrences), length))
                postings.places.extend(occurrences)
            self._length += length
            self._count(1, length)
            if self._length > _FLUSH:
                self._flush()

    def remove(self, rows: Iterable[IndexRow]) -> None:
        """Removes units."""
        self._flush()
        gone: dict[int, set[int]] = defaultdict(set)
        tokens: dict[int, set[str]] = defaultdict(set)
        for row in rows:
            places, length = _place(row)
            gone[row.rowid >> _CHUNK].add(row.rowid)
            tokens[row.rowid >> _CHUNK].update(str(_cut(token)) for token, _ in places)
            self._count(-1, -length)
        number = self._database.number()
        for chunk, rowids in gone.items():
            sql = f"select token, units, places from {SCHEMA}.posting where vault = %s and token = any(%s) and chunk = %s"
            put = f"update {SCHEMA}.posting set units = %s, places = %s where vault = %s and token = %s and chunk = %s"
            with self._database.session() as raw, raw.cursor() as cursor:
                changed, empty = [], []
                for token, units, places in raw.execute(
                    sql, (number, sorted(tokens[chunk]), chunk)
                ).fetchall():
                    remaining = _without(units, places, rowids)
                    if remaining[0]:
                        changed.append((*remaining, number, token, chunk))
                    else:
                        empty.append(token)
                cursor.executemany(put, changed)
                cursor.execute(
                    f"delete from {SCHEMA}.posting where vault = %s and token = any(%s) and chunk = %s",
                    (number, empty, chunk),
                )

    def find(self, clause: IndexClause, limit: int, within: Sequence[int] | None = None) -> list[Hit]:
        """The best units by BM25, with all that tie with the last of them."""
        cleaned = sound(clause)
        if cleaned is None or limit < 1:
            return []
        alternatives = cleaned.parts if cleaned.op == "any" else (cleaned,)
        if all(inner.op == "token" for inner in alternatives):
            rowids, scores = self._any(list(alternatives), within)
        else:
            rowids, scores = self._nested(cleaned, within)
        if len(rowids) > limit:
            last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            rowids, scores = rowids[scores >= last], scores[scores >= last]
        order = np.lexsort((rowids, -scores))
        return [Hit(*scored) for scored in zip(rowids[order].tolist(), scores[order].tolist(), strict=True)]

    def instances(self) -> Iterator[tuple[str, list[tuple[int, str, int]]]]:
        """Every token with each of its places (rowid, column, place), in the order of the tokens."""
        self._flush()
        number = self._database.number()
        with self._database.session() as raw:
            sql = f"select distinct token from {SCHEMA}.posting where vault = %s order by token"
            tokens = [token for (token,) in raw.execute(sql, (number,)).fetchall()]
        for start in range(0, len(tokens), 500):
            places_by_token: dict[str, list[tuple[int, str, int]]] = {
                token: [] for token in tokens[start : start + 500]
            }
            for token, units, places in self._rows(places_by_token, places=True):
                all_places, offset = np.frombuffer(places, "<u4").tolist(), 0
                for key, count, _ in np.frombuffer(units, "<u4").reshape(-1, _TRIPLE).tolist():
                    places_by_token[token] += [
                        (key >> 2, COLUMNS[key & 3], place) for place in all_places[offset : offset + count]
                    ]
                    offset += count
            yield from ((token, sorted(places)) for token, places in places_by_token.items())

    def count(self, clause: IndexClause) -> int:
        """How many units match."""
        cleaned = sound(clause)
        if cleaned is None:
            return 0
        return len(tally(cleaned, self._counter(cleaned)).units)

    def size(self) -> tuple[int, int]:
        """Units and tokens."""
        return self._database.constant("size", self._size)

    def _size(self) -> tuple[int, int]:
        self._flush()
        sql = (
            f"select key, value from {SCHEMA}.meta where vault = %s and key in ('text units', 'text tokens')"
        )
        with self._database.session() as raw:
            totals = dict(raw.execute(sql, (self._database.number(),)).fetchall())
        return int(totals.get("text units", 0)), int(totals.get("text tokens", 0))

    def clear(self) -> None:
        """Forgets everything."""
        self._forget()
        number = self._database.number()
        with self._database.session() as raw:
            raw.execute(f"delete from {SCHEMA}.posting where vault = %s", (number,))
            raw.execute(f"delete from {SCHEMA}.meta where vault = %s and key like 'text %%'", (number,))

    def settle(self, *, keep: bool) -> None:
        """Writes what was gathered; the transaction around it commits or rolls back."""
        if keep:
            self._flush()
        else:
            self._forget()

    # ── Looking up

    def _rows(self, tokens: Iterable[str], *, places: bool = False) -> FetchedRows:
        self._flush()
        cut = {_cut(token): token for token in tokens}
        number = self._database.number()
        columns = "token, units, places" if places else "token, units"
        sql = f"select {columns} from {SCHEMA}.posting where vault = %s and token = any(%s) order by token, chunk"
        with self._database.session() as raw:
            rows = raw.execute(sql, (number, list(cut))).fetchall()
        return FetchedRows((cut[row[0]], *row[1:]) for row in rows)

    def _postings(self, tokens: Iterable[str]) -> dict[str, _Postings]:
        gathered: dict[str, list[Any]] = defaultdict(list)
        for token, units in self._rows(tokens):
            gathered[token].append(np.frombuffer(units, "<u4").reshape(-1, _TRIPLE))
        postings = {}
        for token, pieces in gathered.items():
            rows = np.concatenate(pieces) if len(pieces) > 1 else pieces[0]
            postings[token] = _Postings(rows[:, 0] >> 2, rows[:, 0] & 3, rows[:, 1], rows[:, 2])
        return postings

    def _any(self, tokens: Sequence[IndexClause], within: Sequence[int] | None) -> tuple[Any, Any]:
        """The units that hold any of these tokens, and their scores: the same sums as `gain` makes, for all units at once."""
        units, total = self.size()
        average = total / max(units, 1)
        postings = self._postings({leaf.text for leaf in tokens})
        counts = [_weigh(postings.get(leaf.text), leaf.columns) for leaf in tokens]
        every = np.unique(np.concatenate([leaf[0] for leaf in counts])) if counts else np.empty(0, np.uint32)
        scores = np.zeros(len(every))
        for rowids, weighed, lengths in counts:
            if len(rowids):
                rarity = idf(units, len(rowids))
                gained = rarity * (weighed * (K1 + 1) / (weighed + K1 * (1 - B + B * lengths / average)))
                scores[np.searchsorted(every, rowids)] += gained
        if within is not None:
            allowed = np.isin(every, np.fromiter(within, np.int64, len(within)))
            every, scores = every[allowed], scores[allowed]
        return every, scores

    def _nested(self, clause: IndexClause, within: Sequence[int] | None) -> tuple[Any, Any]:
        """The same for any question."""
        lengths: dict[int, int] = {}
        tallied = tally(clause, self._counter(clause, lengths))
        allowed = tallied.units if within is None else tallied.units & set(within)
        scores = dict.fromkeys(sorted(allowed), 0.0)
        units, total = self.size()
        average = total / max(units, 1)
        for counts, holding in counts_of(tallied, scores.keys()):
            rarity = idf(units, len(counts))
            for rowid in holding:
                scores[rowid] += gain(rarity, counts[rowid], lengths[rowid], average)
        return np.fromiter(scores, np.int64, len(scores)), np.fromiter(scores.values(), float, len(scores))

    def _counter(
        self, clause: IndexClause, lengths: dict[int, int] | None = None
    ) -> Callable[[IndexClause], Mapping[int, float]]:
        """Counts the tokens and phrases of a question, all of which are looked up at once."""
        leaves = list(_leaves(clause))
        postings = self._postings(
            {token for leaf in leaves for token in _split(leaf.text) if len(_split(leaf.text)) == 1}
        )
        phrases = [leaf for leaf in leaves if len(_split(leaf.text)) > 1]
        places = self._places({token for leaf in phrases for token in _split(leaf.text)}) if phrases else {}

        def look_up(leaf: IndexClause) -> Mapping[int, float]:
            tokens = _split(leaf.text)
            if len(tokens) == 1:
                rowids, weighed, long = _weigh(postings.get(tokens[0]), leaf.columns)
                if lengths is not None:
                    lengths.update(zip(rowids.tolist(), long.tolist(), strict=True))
                return dict(zip(rowids.tolist(), weighed.tolist(), strict=True))
            return _together(tokens, leaf.columns, places, lengths)

        return look_up

    def _places(self, tokens: Iterable[str]) -> dict[str, dict[tuple[int, int], tuple[set[int], int]]]:
        """Where each token stands: by unit and column, the places and the length of the unit."""
        places_by_token: dict[str, dict[tuple[int, int], tuple[set[int], int]]] = defaultdict(dict)
        for token, units, places in self._rows(tokens, places=True):
            all_places, start = np.frombuffer(places, "<u4").tolist(), 0
            for key, count, length in np.frombuffer(units, "<u4").reshape(-1, _TRIPLE).tolist():
                places_by_token[token][key >> 2, key & 3] = set(all_places[start : start + count]), length
                start += count
        return places_by_token

    # ── Writing

    def _count(self, units: int, tokens: int) -> None:
        self._change[0] += units
        self._change[1] += tokens

    def _flush(self) -> None:
        """Writes what was gathered."""
        if not self._gathered and not any(self._change):
            return
        gathered, change = self._gathered, self._change
        self._forget()
        rows = [
            (_cut(token), chunk, _pack(postings.units), _pack(postings.places))
            for (token, chunk), postings in sorted(gathered.items())
        ]
        conflict = "on conflict(token, chunk) do update set units = posting.units || excluded.units, places = posting.places || excluded.places"
        self._database.connection().executemany(f"insert into posting values(?,?,?,?) {conflict}", rows)
        grown = f"""insert into {SCHEMA}.meta as meta(key, value, vault) values(%s, %s, %s) on conflict(vault, key)
            do update set value = (meta.value::bigint + excluded.value::bigint)::text"""
        with self._database.session() as raw:
            for key, growth in zip(("text units", "text tokens"), change, strict=True):
                raw.execute(grown, (key, str(growth), self._database.number()))

    def _forget(self) -> None:
        self._gathered, self._length, self._change = {}, 0, [0, 0]


def _split(text: str) -> list[str]:
    return [token for token in text.split(" ") if token]


def _place(row: IndexRow) -> tuple[dict[tuple[str, int], list[int]], int]:
    """Where each token of a unit stands, by token and column, and how many tokens there are."""
    places: dict[tuple[str, int], list[int]] = {}
    length = 0
    for column, text in enumerate(row.columns):
        for place, token in enumerate(_split(text)):
            places.setdefault((token, column), []).append(place)
            length += 1
    return places, length


def _pack(numbers: list[int]) -> bytes:
    packed = array("I", numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _without(units: bytes, places: bytes, gone: set[int]) -> tuple[bytes, bytes]:
    """The postings of a token without those of some units."""
    rows = np.frombuffer(units, "<u4").reshape(-1, _TRIPLE)
    remains = ~np.isin(rows[:, 0] >> 2, list(gone))
    return rows[remains].tobytes(), np.frombuffer(places, "<u4")[np.repeat(remains, rows[:, 1])].tobytes()


def _weigh(postings: _Postings | None, columns: Sequence[str]) -> tuple[Any, Any, Any]:
    """The units that hold a token in some columns, its weighed occurrences there, and their lengths, in the order of the units."""
    if postings is None:
        return np.empty(0, np.uint32), np.empty(0), np.empty(0)
    if columns:
        in_columns = np.isin(postings.columns, [_COLUMNS[name] for name in columns])
        postings = _Postings(*(column[in_columns] for column in postings))
    weighed = postings.counts * _WEIGHTS[postings.columns]
    rowids, first, which = np.unique(postings.rowids, return_index=True, return_inverse=True)
    return (
        rowids,
        np.bincount(which.ravel(), weights=weighed, minlength=len(rowids)),
        postings.lengths[first].astype(float),
    )


def _together(
    tokens: Sequence[str],
    columns: Sequence[str],
    places: Mapping[str, Mapping[tuple[int, int], tuple[set[int], int]]],
    lengths: dict[int, int] | None,
) -> dict[int, float]:
    """How often these tokens stand side by side in each unit, weighed by column."""
    counts: dict[int, float] = defaultdict(float)
    numbers = {_COLUMNS[name] for name in columns}
    for (rowid, column), (starts, length) in sorted(places.get(tokens[0], {}).items(), key=itemgetter(0)):
        if numbers and column not in numbers:
            continue
        remaining = starts
        for offset, token in enumerate(tokens[1:], 1):
            positions = places.get(token, {}).get((rowid, column))
            remaining = {start for start in remaining if positions and start + offset in positions[0]}
        for _ in remaining:  # as FTS5 adds them up
            counts[rowid] += float(_WEIGHTS[column])
        if remaining and lengths is not None:
            lengths[rowid] = length
    return dict(counts)


def _leaves(clause: IndexClause) -> Iterator[IndexClause]:
    if clause.op in ("token", "phrase"):
        yield clause
    for inner in clause.parts:
        yield from _leaves(inner)
