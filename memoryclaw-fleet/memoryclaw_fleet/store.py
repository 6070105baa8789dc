"""What nodes know of one another, on PostgreSQL: which vaults there are, which node is the home of each, who may ask, and how much.

A node renews one row, its own; a vault belongs to the node its row names, as long as that node's row has not run out. Each change of home
raises the fence of the vault, so that a node that slept through one is told apart. All times are PostgreSQL's.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

import psycopg
from psycopg import errors as pg

from memoryclaw.errors import ConflictError, InputError, MovedError, NotFoundError
from memoryclaw_fleet.postgres import OWN, PARTITIONS, Postgres

LEASE = 15.0  # seconds for which a node that says nothing keeps its vaults
_TENANT = "memoryclaw.tenant"  # the setting that row-level security of tokens reads: the name of a vault …
_TOKEN = "memoryclaw.token"  # noqa: S105 - … or the digest of the one token that was sent
_OF_TENANT = f"vault = current_setting('{_TENANT}', true) or digest = current_setting('{_TOKEN}', true)"
STEPS = (
    f"""
create table memoryclaw.node(name text primary key, address text not null, holder text not null, until timestamptz not null);
create table memoryclaw.fleet_vault(name text primary key, remote text not null default '', node text not null default '',
    fence bigint not null default 0, most_notes int, most_bytes bigint, most_requests int, head text not null default '',
    synced timestamptz, due timestamptz);
create index fleet_vault_node on memoryclaw.fleet_vault(node);
create index fleet_vault_due on memoryclaw.fleet_vault(due);
create table memoryclaw.token(id text primary key, digest text not null unique, vault text not null
    references memoryclaw.fleet_vault(name) on delete cascade, audience text not null, note text not null default '',
    made timestamptz not null default now(), until timestamptz);
create index token_vault on memoryclaw.token(vault);
alter table memoryclaw.token enable row level security;
alter table memoryclaw.token force row level security;
create policy own on memoryclaw.token using ({_OF_TENANT}) with check (vault = current_setting('{_TENANT}', true));
create unlogged table memoryclaw.request(vault text not null, minute timestamptz not null, count int not null,
    primary key(vault, minute));
create function memoryclaw.admit(sent text) returns table(vault text, audience text, count int, most int, node text, address text,
    is_up boolean, fence bigint) language plpgsql as $$
declare known record;
begin
    perform set_config('{_TOKEN}', sent, true);
    select t.vault, t.audience into known from memoryclaw.token t
        where t.digest = sent and (t.until is null or t.until > now());
    perform set_config('{_TOKEN}', '', true);
    if known is null then return; end if;
    insert into memoryclaw.request as r values(known.vault, date_trunc('minute', now()), 1)
        on conflict on constraint request_pkey do update set count = r.count + 1 returning r.count into count;
    return query select v.name, known.audience::text, admit.count, v.most_requests, v.node, coalesce(n.address, ''),
        coalesce(n.until > now(), false), v.fence
        from memoryclaw.fleet_vault v left join memoryclaw.node n on n.name = v.node where v.name = known.vault;
end $$;
create table memoryclaw.published(path text collate "C" not null, data bytea not null, vault int not null, primary key(vault, path))
    partition by hash (vault);
do $$ begin for n in 0..{PARTITIONS - 1} loop
    execute format('create table memoryclaw.published_%s partition of memoryclaw.published for values with (modulus {PARTITIONS}, remainder %s)', n, n);
end loop; end $$;
alter table memoryclaw.published enable row level security;
alter table memoryclaw.published force row level security;
create policy own on memoryclaw.published using ({OWN}) with check ({OWN});
""",
    """
alter table memoryclaw.fleet_vault add column wanted text not null default '';
create index fleet_vault_wanted on memoryclaw.fleet_vault(wanted) where wanted != '';
""",
    f"""
do $$ begin for n in 0..{PARTITIONS - 1} loop
    execute format('alter table memoryclaw.published_%s enable row level security, force row level security', n);
end loop; end $$;
""",
    f"""
create table memoryclaw.permission(number bigint generated always as identity primary key, vault text not null
    references memoryclaw.fleet_vault(name) on delete cascade, line text not null);
create index permission_vault on memoryclaw.permission(vault, number);
alter table memoryclaw.permission enable row level security;
alter table memoryclaw.permission force row level security;
create policy own on memoryclaw.permission using (vault = current_setting('{_TENANT}', true));
""",
)
_VAULT = "name, remote, node, fence, most_notes, most_bytes, most_requests, head, synced, wanted"
DROPPED = "-"  # the home of a vault that is being dropped, where it stays


class Node(NamedTuple):
    """A process that serves vaults."""

    name: str
    address: str  # where the others reach it, such as http://10.0.0.7:7411
    until: datetime
    is_up: bool


class FleetVault(NamedTuple):
    """A vault as all nodes know it."""

    name: str
    remote: str  # its git remote
    node: str  # its home; empty before the first
    fence: int
    most_notes: int | None
    most_bytes: int | None
    most_requests: int | None  # a minute
    head: str  # the commit up to which its index was brought
    synced: datetime | None
    wanted: str = ""  # the node that it is to move to


class HomeState(NamedTuple):
    """How the home of a vault is, and up to where its index was brought."""

    node: str
    is_up: bool
    until: datetime | None  # when its lease ends or ended; None for a node that is gone
    head: str
    synced: datetime | None
    number: int | None  # of its index; None before there is one

    @property
    def silence(self) -> str:
        """That the home has said nothing, and since when."""
        since = f" since {self.until:%Y-%m-%d %H:%M:%S}Z" if self.until else ""
        return f"{self.node} has said nothing{since}"


class Token(NamedTuple):
    """What is known of a token; the token itself is shown once, when it is made."""

    id: str
    vault: str
    audience: str
    note: str
    made: datetime
    until: datetime | None


class Admission(NamedTuple):
    """Whom a token lets in, and where the vault is at home."""

    vault: str
    audience: str
    requests: int  # this minute, this one included
    most: int | None
    node: str
    address: str
    is_up: bool
    fence: int

    @property
    def is_over(self) -> bool:
        """True when there were more requests this minute than there may be."""
        return self.most is not None and self.requests > self.most


class Fleet:
    """The tables that all nodes share."""

    def __init__(self, server: Postgres) -> None:
        self.server = server

    def migrate(self) -> None:
        """Brings the tables to their newest version."""
        self.server.migrate("fleet", STEPS)

    # ── Nodes

    def beat(
        self, node: str, holder: str, address: str, seconds: float = LEASE, *, previous: str = ""
    ) -> bool:
        """Says that a node is there for so many seconds more.

        Args:
            holder: tells this process from an earlier one of the same name.
            previous: the process that had the name before, where it is known to have ended.

        Returns:
            False while another process has the name.
        """
        sql = """insert into memoryclaw.node as n values(%s, %s, %s, now() + %s * interval '1 second')
            on conflict (name) do update set address = excluded.address, holder = excluded.holder, until = excluded.until
            where n.holder in (excluded.holder, %s) or n.until <= now() returning 1"""
        return bool(self._write(sql, node, address, holder, seconds, previous))

    def nodes(self) -> list[Node]:
        """All nodes by name."""
        sql = "select name, address, until, until > now() from memoryclaw.node order by name"
        return [Node(*row) for row in self._read(sql)]

    def nodes_up(self) -> set[str]:
        """The names of those that say that they are there."""
        return {node.name for node in self.nodes() if node.is_up}

    def rest(self, node: str, holder: str) -> None:
        """Says that a node is going: others take its vaults at once."""
        sql = "update memoryclaw.node set until = now() where name = %s and holder = %s and until > now()"
        self._write(sql, node, holder)

    # ── Vaults

    def add(self, name: str, remote: str = "", *, node: str = "", wanted: str = "") -> FleetVault:
        """Makes a vault known.

        Raises:
            ConflictError: there is one of this name.
        """
        sql = f"""insert into memoryclaw.fleet_vault(name, remote, node, fence, wanted) values(%s, %s, %s, 1, %s)
            returning {_VAULT}"""
        try:
            return FleetVault(*_known(self._write(sql, name, remote, node, wanted), name))
        except pg.UniqueViolation:
            raise ConflictError(
                f"there is a vault {name!r} already; `memoryclaw fleet list` shows it"
            ) from None

    def drop(self, name: str) -> None:
        """Forgets a vault with its tokens; its files, its remote and its index are left."""
        self._write("delete from memoryclaw.fleet_vault where name = %s", name)

    def vault(self, name: str) -> FleetVault:
        """One vault.

        Raises:
            NotFoundError: there is none of this name.
        """
        rows = self._read(f"select {_VAULT} from memoryclaw.fleet_vault where name = %s", name)
        return FleetVault(*_known(rows, name))

    def vaults(self, node: str | None = None) -> list[FleetVault]:
        """All vaults by name, or those of one node."""
        where, values = ("where node = %s", [node]) if node is not None else ("", [])
        sql = f"select {_VAULT} from memoryclaw.fleet_vault {where} order by name"
        return [FleetVault(*row) for row in self._read(sql, *values)]

    def home_of(self, name: str) -> HomeState:
        """How the home of a vault is.

        Raises:
            NotFoundError: there is no such vault.
        """
        sql = """select v.node, coalesce(n.until > now(), false), n.until, v.head, v.synced, i.number
            from memoryclaw.fleet_vault v left join memoryclaw.node n on n.name = v.node
            left join memoryclaw.vault i on i.name = v.name and i.audience = '' where v.name = %s"""
        return HomeState(*_known(self._read(sql, name), name))

    def orphans(self) -> list[FleetVault]:
        """The vaults whose node is gone or has said nothing for too long."""
        sql = f"""select {_VAULT} from memoryclaw.fleet_vault v where v.node != '{DROPPED}' and not exists(
            select 1 from memoryclaw.node n where n.name = v.node and n.until > now()) order by name"""
        return [FleetVault(*row) for row in self._read(sql)]

    def moving(self, node: str) -> list[FleetVault]:
        """The vaults that are to leave a node, or to come to it."""
        sql = f"""select {_VAULT} from memoryclaw.fleet_vault
            where wanted != '' and (node = %s or wanted = %s) order by name"""
        return [FleetVault(*row) for row in self._read(sql, node, node)]

    def want(self, name: str, node: str) -> None:
        """Says which node is to be the home of a vault; its present home gives it away, then."""
        sql = "update memoryclaw.fleet_vault set wanted = %s where name = %s returning 1"
        _known(self._write(sql, node, name), name)

    def arrived(self, name: str, fence: int) -> None:
        """Says that a vault is where it was to be."""
        sql = "update memoryclaw.fleet_vault set wanted = '' where name = %s and fence = %s and wanted != ''"
        self._write(sql, name, fence)

    def limit(self, name: str, *, notes: int | None, size: int | None, requests: int | None) -> None:
        """Sets the quotas of a vault: notes, bytes, and requests a minute; None for no limit."""
        sql = "update memoryclaw.fleet_vault set most_notes = %s, most_bytes = %s, most_requests = %s where name = %s returning 1"
        _known(self._write(sql, notes, size, requests, name), name)

    def mark(self, name: str, fence: int, head: str) -> None:
        """Notes up to which commit the index of a vault was brought, if its home has not changed."""
        sql = "update memoryclaw.fleet_vault set head = %s, synced = now() where name = %s and fence = %s"
        self._write(sql, head, name, fence)

    # ── Homes

    def claim(self, name: str, node: str) -> int | None:
        """Makes a node the home of a vault that has none, whose node is gone, or that is its own already.

        Returns:
            The fence, or None while another node holds the vault.
        """
        # Both rows are locked: of two nodes one is first, and the present home either renews its row first or finds its vault gone.
        look = "select node from memoryclaw.fleet_vault where name = %s for update"
        lock = "select until > now() from memoryclaw.node where name = %s for update"
        take = """update memoryclaw.fleet_vault set fence = fence + (node != %s)::int, node = %s where name = %s returning fence"""
        with self.server.transaction(wait_ms=5000) as connection:
            home = _known(connection.execute(look, (name,)).fetchall(), name)
            if home[0] != node and connection.execute(lock, home).fetchone() == (True,):
                return None
            return int(_known(connection.execute(take, (node, node, name)).fetchall(), name)[0])

    def hand_over(self, name: str, fence: int, node: str) -> int:
        """Gives a vault from its present home to another node.

        Returns:
            The new fence.

        Raises:
            ConflictError: its home changed meanwhile.
        """
        sql = "update memoryclaw.fleet_vault set node = %s, fence = fence + 1 where name = %s and fence = %s returning fence"
        rows = self._write(sql, node, name, fence)
        if not rows:
            raise ConflictError(
                f"the home of {name!r} changed meanwhile; look again with `memoryclaw fleet list`"
            )
        return int(rows[0][0])

    def holds(self, name: str, node: str, holder: str, fence: int) -> bool:
        """True while this process is the home of a vault: what it has written until now counts."""
        sql = """select 1 from memoryclaw.fleet_vault v join memoryclaw.node n on n.name = v.node
            where v.name = %s and v.node = %s and v.fence = %s and n.holder = %s and n.until > now()"""
        return bool(self._read(sql, name, node, fence, holder))

    def must_be_home(self, connection: Any, name: str, node: str, holder: str, fence: int) -> None:
        """Refuses what a transaction is about to write for a process that is no longer the home of a vault.

        Raises:
            MovedError: it is not.
        """
        sql = """select 1 from memoryclaw.fleet_vault v join memoryclaw.node n on n.name = v.node
            where v.name = %s and v.node = %s and v.fence = %s and n.holder = %s"""
        if connection.execute(sql, (name, node, fence, holder)).fetchone() is None:
            raise MovedError(f"the vault {name!r} was taken from {node}; ask its new home")

    # ── Tokens

    def make_token(
        self, vault: str, audience: str, *, note: str = "", days: int | None = None
    ) -> tuple[str, Token]:
        """A new token for one vault and one audience: the token, which is kept nowhere, and what is known of it.

        Raises:
            NotFoundError: there is no such vault.
        """
        token = f"mclaw_{secrets.token_urlsafe(32)}"
        sql = """insert into memoryclaw.token(id, digest, vault, audience, note, until)
            values(%s, %s, %s, %s, %s, now() + %s * interval '1 day') returning id, vault, audience, note, made, until"""
        values = (secrets.token_hex(4), digest_of(token), vault, audience, note, days)
        try:
            with self._of(vault) as connection:
                connection.execute(
                    "delete from memoryclaw.token where vault = %s and until < now()", (vault,)
                )
                row = _known(connection.execute(sql, values).fetchall(), vault)
        except pg.ForeignKeyViolation:
            raise _unknown_vault(vault) from None
        return token, Token(*row)

    def tokens(self, vault: str) -> list[Token]:
        """The tokens of a vault, oldest first."""
        sql = "select id, vault, audience, note, made, until from memoryclaw.token where vault = %s order by made, id"
        with self._of(vault) as connection:
            return [Token(*row) for row in connection.execute(sql, (vault,)).fetchall()]

    def audiences(self, vault: str) -> list[str]:
        """For whom there are tokens of a vault, and for whom it was indexed."""
        sql = """select audience from memoryclaw.token where vault = %s
            union select audience from memoryclaw.vault where name = %s and audience != '' order by audience"""
        with self._of(vault) as connection:
            return [audience for (audience,) in connection.execute(sql, (vault, vault)).fetchall()]

    def revoke(self, vault: str, id_: str) -> None:
        """Ends a token at once.

        Raises:
            NotFoundError: the vault has none of this id.
        """
        sql = "delete from memoryclaw.token where vault = %s and id = %s returning 1"
        with self._of(vault) as connection:
            if connection.execute(sql, (vault, id_)).fetchone() is None:
                raise NotFoundError(
                    f"the vault {vault!r} has no token {id_!r}; `memoryclaw fleet tokens list` shows them"
                )

    def admit(self, token: str) -> Admission | None:
        """Whom a token lets in, counted as one request; None for one that is unknown, revoked or over. One round trip."""
        rows = self._read("select * from memoryclaw.admit(%s)", digest_of(token))
        return Admission(*rows[0]) if rows else None

    def sweep(self) -> None:
        """Forgets how many requests there were in minutes that are over."""
        self._write("delete from memoryclaw.request where minute < now() - interval '2 minutes'")

    def queue(self) -> tuple[int, float]:
        """How many jobs wait, and for how many seconds the oldest of them; nothing where there were never any."""
        sql = """select count(*), coalesce(extract(epoch from now() - min(coalesce(scheduled_at, now()))), 0)
            from memoryclaw_jobs.procrastinate_jobs where status = 'todo' and coalesce(scheduled_at, now()) <= now()"""
        if self._read("select to_regclass('memoryclaw_jobs.procrastinate_jobs')") == [(None,)]:
            return 0, 0.0
        ((waiting, seconds),) = self._read(sql)
        return int(waiting), float(seconds)

    # ── Permissions

    def permissions(self, vault: str) -> str:
        """What was permitted in a vault, a line each, in the order in which it was."""
        sql = "select line from memoryclaw.permission where vault = %s order by number"
        with self._of(vault, read_only=True) as connection:
            return "".join(line for (line,) in connection.execute(sql, (vault,)).fetchall())

    def permit(self, vault: str, line: str) -> None:
        """Adds a line to what was permitted in a vault."""
        with self._of(vault) as connection:
            connection.execute("insert into memoryclaw.permission(vault, line) values(%s, %s)", (vault, line))

    # ── What other nodes need of a vault besides its index

    def publish(
        self,
        number: int,
        files: Mapping[str, bytes],
        *,
        kept: Iterable[str] = (),
        may: Callable[[Any], None] = lambda _: None,
    ) -> None:
        """Puts the few small files that a recall reads beside the index where other nodes find them, in place of those there.

        Args:
            kept: the paths of more files, which are there as they are.
            may: asked with the open transaction before anything is written; it raises where that may not be.
        """
        put = """insert into memoryclaw.published(vault, path, data) values(%s, %s, %s)
            on conflict (vault, path) do update set data = excluded.data where published.data != excluded.data"""
        with self.server.transaction(number) as connection:
            may(connection)
            connection.execute(
                "delete from memoryclaw.published where vault = %s and path != all(%s)",
                (number, [*files, *kept]),
            )
            for path, data in sorted(files.items()):
                connection.execute(put, (number, path, data))

    def published(self, number: int) -> dict[str, bytes]:
        """These files."""
        sql = "select path, data from memoryclaw.published where vault = %s"
        with self.server.transaction(number, read_only=True) as connection:
            return {path: bytes(data) for path, data in connection.execute(sql, (number,)).fetchall()}

    def rights(self) -> str:
        """What is wrong with the role that we connect as: a sentence when row-level security does not hold for it."""
        sql = "select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user"
        ((name, is_super, passes),) = self._read(sql)
        if not (is_super or passes):
            return ""
        which = "a superuser" if is_super else "BYPASSRLS"
        return f"the role {name} is {which}, so row-level security does not hold for it; connect as one that is not"

    def _read(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self.server.connection() as connection:
            return connection.execute(sql, values).fetchall()

    def _write(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that it returns, where it returns any."""
        with self.server.transaction() as connection:
            cursor = connection.execute(sql, values)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def _of(self, vault: str, *, read_only: bool = False) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """A transaction that sees the tokens and permissions of one vault."""
        with self.server.transaction(read_only=read_only) as connection:
            connection.execute("select set_config(%s, %s, true)", (_TENANT, vault))
            yield connection


def digest_of(token: str) -> str:
    """How a token is kept: its SHA-256 in hex."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def checked_name(name: str) -> str:
    """The name of a vault or a node, which is also that of a folder.

    Raises:
        InputError: it cannot be one.
    """
    allowed = "abcdefghijklmnopqrstuvwxyz0123456789"
    if not (0 < len(name) <= 63 and name[0] in allowed and set(name) <= {*allowed, "-", "_", "."}):
        raise InputError(
            f"{name!r} cannot be the name of a vault or a node; use up to 63 of a-z, 0-9, - _ . and begin with a letter or digit"
        )
    return name


def _known(rows: list[tuple[Any, ...]], name: str) -> tuple[Any, ...]:
    """The one row of a vault."""
    if not rows:
        raise _unknown_vault(name)
    return rows[0]


def _unknown_vault(name: str) -> NotFoundError:
    return NotFoundError(f"there is no vault {name!r}; `memoryclaw fleet list` shows all")
