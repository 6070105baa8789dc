"""Nightly work: each vault of a fleet is consolidated once a night, as a job in a queue on the PostgreSQL server that all nodes share.

procrastinate keeps the queue, in a schema of its own, and runs the jobs. A vault has at most one job that waits and one that runs. A
worker holds no vault: it asks the node that is home, so a worker may be killed at any time. A job may run twice, when that happens
before it could say that it was done: the second run finds the lines of the log cited by the first, and changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib import resources
from typing import Any, NamedTuple

import httpx
import procrastinate
import psycopg
from procrastinate.schema import SchemaManager
from psycopg import Connection
from psycopg import errors as pg

from memoryclaw.errors import ConfigError, MemoryClawError, NotFoundError
from memoryclaw.text.prompts import one_line
from memoryclaw_fleet.postgres import Postgres
from memoryclaw_fleet.store import DROPPED, Fleet

SCHEMA = "memoryclaw_jobs"
MOST_TRIES = 6
FIRST_WAIT = 30.0  # seconds before the second try, twice as long before each further one
BEAT, SILENT = (
    5.0,
    30.0,
)  # seconds between two signs of life of a worker, and without one until its jobs are given back
TICK = 5.0  # seconds between two looks at what is due, and at jobs that nobody runs any more
_PATIENCE = 600.0  # seconds that one consolidation may take; what goes on at home is found by the next try
_AGAIN = 5.0  # seconds before a server that went away is tried again
_BATCH = 1000  # vaults of one transaction
_LONGEST = 300  # characters of a sentence that is kept
_SLOTS = 0x4D434C53  # "MCLS": the advisory locks that are slots for vaults whose models are asked
_LOOK = 0.2  # seconds between two looks for a free slot
_NOT_OURS = f"the schema `{SCHEMA}` in this database was not made by MemoryClaw; it is left alone. Use another database"
# The vault that waited longest is first, and one that never ran is before all: however often one asks, the others come in between.
_PRIORITY = "coalesce(-extract(epoch from {} - timestamptz '2020-01-01Z')::int, 0)"
STEPS = (
    """
create table memoryclaw.night(vault text primary key references memoryclaw.fleet_vault(name) on delete cascade,
    began timestamptz not null, ended timestamptz, error text not null default '');
""",
)
_NIGHT = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")


class Night(NamedTuple):
    """The time of a day in which vaults are consolidated, in minutes of UTC."""

    start: int
    length: int

    def after(self, vault: str, now: datetime) -> datetime:
        """The next time of a vault: the same time of each day, told by its name, so that not all begin at once."""
        offset = int.from_bytes(sha256(vault.encode()).digest()[:8]) % (self.length * 60)
        midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        first = midnight + timedelta(days=-1, minutes=self.start, seconds=offset)
        return next(time for day in range(4) if (time := first + timedelta(days=day)) > now)


def night(text: str) -> Night:
    """The night that the settings name.

    Raises:
        ConfigError: it is none.
    """
    hit = _NIGHT.fullmatch(text.strip())
    start, end = (int(hit[1]) * 60 + int(hit[2]), int(hit[3]) * 60 + int(hit[4])) if hit else (0, 0)
    if start == end or end > 24 * 60:
        raise ConfigError(f"fleet.night is {text!r}; write it like 01:00-05:00, in UTC")
    return Night(start, (end - start) % (24 * 60) or 24 * 60)


class QueuedJob(NamedTuple):
    """A job of the queue."""

    id: int
    vault: str
    state: str  # waiting | running | dead
    tries: int
    next: datetime | None  # when a waiting one is tried again; None for now
    error: str  # of the last try, in one sentence


class JobError(MemoryClawError):
    """A consolidation that did not come to its end."""


class Jobs:
    """The queue.

    Args:
        server: the server that all nodes share, reached without a pooler in between.
    """

    def __init__(self, server: Postgres, *, night: Night = Night(60, 240)) -> None:  # noqa: B008 - a constant
        self.server = server
        self._night = night

    def migrate(self) -> None:
        """Brings the tables to their newest version, those of procrastinate too.

        Raises:
            ConfigError: there is a schema of this name that somebody else made.
        """
        Fleet(self.server).migrate()
        folder = resources.files("procrastinate") / "sql" / "migrations"
        named = sorted(
            (each for each in folder.iterdir() if each.name.endswith(".sql")), key=lambda f: f.name
        )
        search_path = f"set local search_path = {SCHEMA};\n"
        steps = [search_path + each.read_text(encoding="utf-8") for each in named]
        schema = f"create schema {SCHEMA};\n{search_path}{SchemaManager.get_schema()}"
        try:
            self.server.migrate("procrastinate", steps, whole=schema)
        except pg.DuplicateSchema:
            raise ConfigError(_NOT_OURS) from None
        self.server.migrate("jobs", STEPS)

    def ask(self, vaults: Sequence[str]) -> list[str]:
        """Has vaults consolidated as soon as it is their turn; returns those that did not wait for it already."""
        with self._transaction() as connection:
            return self._asked(connection, vaults)

    def tick(self, now: datetime | None = None) -> int:
        """Asks for what is due, and gives back what no worker runs any more; returns for how many vaults it asked.

        However many nights a vault has missed, it is asked for once.

        Args:
            now: the time; PostgreSQL's own when there is none.
        """
        requested = 0
        due = """select name, due, coalesce(%s, now()) from memoryclaw.fleet_vault
            where (due is null or due <= coalesce(%s, now())) and node != %s order by due limit %s for update skip locked"""
        put = """update memoryclaw.fleet_vault v set due = n.due
            from unnest(%s::text[], %s::timestamptz[]) n(name, due) where v.name = n.name"""
        while True:
            with self._transaction() as connection:
                rows = connection.execute(due, (now, now, DROPPED, _BATCH)).fetchall()
                requested += len(
                    self._asked(connection, [name for name, time_, _ in rows if time_ is not None])
                )
                times = [self._night.after(name, moment) for name, _, moment in rows]
                connection.execute(put, ([name for name, *_ in rows], times))
            if len(rows) < _BATCH:
                break
        self._give_back()
        return requested

    def lives(self, worker: int) -> None:
        """Says that a worker is there: nobody takes what it has begun."""
        sql = "update procrastinate_workers set last_heartbeat = now() where id = %s"
        with self._transaction() as connection:
            connection.execute(sql, (worker,))

    def queued(self) -> list[QueuedJob]:
        """What waits, what runs and what is dead, in this order."""
        sql = """select j.id, j.lock, case j.status when 'todo' then 'waiting' when 'doing' then 'running' else 'dead' end,
            j.attempts, j.scheduled_at, coalesce(n.error, '') from procrastinate_jobs j left join memoryclaw.night n on n.vault = j.lock
            where j.status in ('todo', 'doing', 'failed') order by j.status, j.priority desc, j.id"""
        with self._transaction() as connection:
            return [QueuedJob(*row) for row in connection.execute(sql).fetchall()]

    def retry(self, id_: int) -> str:
        """Has a dead job tried again, and returns its vault.

        Raises:
            NotFoundError: there is no dead job with this number.
        """
        with self._transaction() as connection:
            row = connection.execute(
                "delete from procrastinate_jobs where id = %s and status = 'failed' returning lock", (id_,)
            ).fetchone()
            if row is None:
                raise NotFoundError(f"there is no dead job {id_}; `memoryclaw fleet jobs` lists them")
            self._asked(connection, [row[0]])
            return str(row[0])

    def began(self, vault: str) -> None:
        """Notes that a run of a vault begins; an older job of it that is dead is forgotten."""
        sql = """insert into memoryclaw.night(vault, began) select name, now() from memoryclaw.fleet_vault where name = %s
            on conflict (vault) do update set began = excluded.began"""
        with self._transaction() as connection:
            connection.execute(sql, (vault,))
            connection.execute(
                "delete from procrastinate_jobs where lock = %s and status = 'failed'", (vault,)
            )

    def ended(self, vault: str, error: str = "", *, tries: int = 0) -> None:
        """Notes how it ended. What failed waits for another try, or is dead after so many.

        The job that ran is done either way, and the other try is a job of its own: a request that came meanwhile takes its place.

        Args:
            error: why it failed, in one sentence; empty when it did not.
        """
        wait = FIRST_WAIT * 2**tries if tries + 1 < MOST_TRIES else None
        retry = f"""insert into procrastinate_jobs(queue_name, task_name, priority, lock, queueing_lock, args, attempts, status, scheduled_at)
            select 'vaults', 'consolidate', {_PRIORITY.format("began")}, name, name, jsonb_build_object('vault', name), %s,
                case when %s::float8 is null then 'failed' else 'todo' end::procrastinate_job_status, now() + %s::float8 * interval '1 second'
            from memoryclaw.fleet_vault left join memoryclaw.night on vault = name where name = %s
            on conflict (queueing_lock) where status = 'todo' do nothing"""
        note = """update memoryclaw.night set error = %s, ended = case when %s = '' then now() else ended end where vault = %s"""
        with self._transaction() as connection:
            connection.execute(note, (error, error, vault))
            if error:
                connection.execute(retry, (tries + 1, wait, wait, vault))

    @contextmanager
    def slot(self, most: int) -> Iterator[None]:
        """One of so many slots of the whole fleet, for the block; a process that is killed frees its own."""
        if not most:
            yield
            return
        with self.server.session(SCHEMA) as session:
            while True:
                sql = "select pg_try_advisory_lock(%s, %s)"
                if any(session.execute(sql, (_SLOTS, n)).fetchone() == (True,) for n in range(most)):
                    break
                time.sleep(_LOOK)
            yield  # the locks end with the session

    def _asked(self, connection: Connection[Any], vaults: Sequence[str]) -> list[str]:
        sql = f"""insert into procrastinate_jobs(queue_name, task_name, priority, lock, queueing_lock, args)
            select 'vaults', 'consolidate', {_PRIORITY.format("n.began")}, v.name, v.name, jsonb_build_object('vault', v.name)
            from memoryclaw.fleet_vault v left join memoryclaw.night n on n.vault = v.name
            where v.name = any(%s) and v.node != %s order by n.began nulls first, v.name
            on conflict (queueing_lock) where status = 'todo' do update set scheduled_at = null
            where procrastinate_jobs.scheduled_at is not null returning lock"""
        return [row[0] for row in connection.execute(sql, (list(vaults), DROPPED)).fetchall()]

    def _give_back(self) -> None:
        """Lets jobs wait again whose worker has ended; where another job of the vault waits, that one does it."""
        silent = """status = 'doing' and not exists(select 1 from procrastinate_workers w where w.id = j.worker_id
            and w.last_heartbeat > now() - %s * interval '1 second')"""
        waits = (
            "exists(select 1 from procrastinate_jobs o where o.queueing_lock = j.lock and o.status = 'todo')"
        )
        # Somebody may ask for one of these vaults at the same moment; the next look sees that.
        with suppress(pg.UniqueViolation), self._transaction() as connection:
            connection.execute(f"delete from procrastinate_jobs j where {silent} and {waits}", (SILENT,))
            connection.execute(
                f"""update procrastinate_jobs j set worker_id = null, attempts = attempts + 1, scheduled_at = null,
                status = case when attempts + 1 < %s then 'todo' else 'failed' end::procrastinate_job_status
                where {silent} and not {waits}""",
                (MOST_TRIES, SILENT),
            )
            gone = "delete from procrastinate_jobs j where status in ('todo', 'failed') and not exists(select 1 from memoryclaw.fleet_vault v where v.name = j.lock)"
            connection.execute(gone)

    @contextmanager
    def _transaction(self) -> Iterator[Connection[Any]]:
        with self.server.transaction(wait_ms=5000) as connection:
            connection.execute(f"set local search_path = {SCHEMA}")
            yield connection


class Worker:
    """One process that works through the queue.

    Args:
        llm_calls: vaults of the whole fleet whose models are asked at a time; 0 for no limit.
        tell: is given one sentence for what went wrong.
    """

    def __init__(
        self,
        jobs: Jobs,
        fleet: Fleet,
        *,
        concurrency: int = 4,
        llm_calls: int = 0,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._jobs, self._fleet, self._tell = jobs, fleet, tell
        self._concurrency, self._llm_calls = concurrency, llm_calls
        self._threads = ThreadPoolExecutor(concurrency, "vault")
        self._failed = 0
        self._id: int | None = None  # in the queue, once it has had a job
        # It tells of each failed try with a traceback; what is worth a line is told in one sentence.
        for name in ("procrastinate", "psycopg.pool"):
            logging.getLogger(name).setLevel(logging.CRITICAL)

    def run(self, *, once: bool = False) -> int:
        """Works until a signal ends it, or until nothing waits; what runs is finished first. Returns how many tries failed.

        Raises:
            ConfigError: a pooler is in between.
            IndexUnreachableError: there is no server.
        """
        with self._jobs.server.session(SCHEMA):  # says in a sentence what is in the way
            pass
        self._jobs.tick()
        while True:
            try:
                asyncio.run(self._run(once=once))
            except procrastinate.exceptions.ConnectorException:
                self._tell("the server went away; trying again")
                time.sleep(_AGAIN)
            else:
                return self._failed

    async def _run(self, *, once: bool) -> None:
        connector = procrastinate.PsycopgConnector(
            kwargs=self._jobs.server.direct(SCHEMA), min_size=1, max_size=self._concurrency + 2
        )
        app = procrastinate.App(connector=connector)

        @app.task(name="consolidate", pass_context=True)
        async def consolidate(context: procrastinate.JobContext, vault: str) -> None:
            tries, self._id = context.job.attempts, context.job.worker_id
            await asyncio.get_running_loop().run_in_executor(self._threads, self.consolidate, vault, tries)

        async with app.open_async():
            ticking = asyncio.create_task(self._tick())
            try:
                await app.run_worker_async(
                    concurrency=self._concurrency,
                    wait=not once,
                    fetch_job_polling_interval=TICK,
                    update_heartbeat_interval=BEAT,
                    stalled_worker_timeout=SILENT,
                    delete_jobs="successful",
                )
            finally:
                ticking.cancel()
                with suppress(asyncio.CancelledError):
                    await ticking

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            with suppress(MemoryClawError, psycopg.Error):  # the next look sees what this one did not
                # Procrastinate says so no more from the moment that a worker is to end.
                if self._id is not None:
                    await asyncio.to_thread(self._jobs.lives, self._id)
                await asyncio.to_thread(self._jobs.tick)

    def consolidate(self, vault: str, tries: int = 0) -> None:
        """Has the home of a vault consolidate it; what does not come to its end is tried again, later."""
        try:
            self._jobs.began(vault)
            with self._jobs.slot(self._llm_calls):
                self._asked(vault)
            self._jobs.ended(vault)
        except (MemoryClawError, httpx.HTTPError, psycopg.Error) as error:
            reason = one_line(str(error) or type(error).__name__)[:_LONGEST]
            self._failed += 1
            self._jobs.ended(vault, reason, tries=tries)
            self._tell(f"{vault}: {reason}")

    def _asked(self, vault: str) -> None:
        node = self._fleet.vault(vault).node
        home = next((node_ for node_ in self._fleet.nodes() if node_.name == node and node_.is_up), None)
        if home is None:
            raise JobError(f"its home {node or 'is not known'} cannot be reached")
        token, token_record = self._fleet.make_token(vault, "owner", note="nightly work", days=1)
        try:
            response = httpx.post(
                f"{home.address.rstrip('/')}/v1/consolidate",
                json={"due": True},
                headers={"Authorization": f"Bearer {token}"},
                timeout=httpx.Timeout(_PATIENCE, connect=10.0),
                trust_env=False,
            )
        finally:
            with suppress(MemoryClawError):  # a vault that was dropped meanwhile has none any more
                self._fleet.revoke(vault, token_record.id)
        if response.status_code != 200:
            with suppress(ValueError, KeyError, TypeError):
                raise JobError(f"node {node} says: {response.json()['error']['message']}")
            raise JobError(f"node {node} answered {response.status_code}")
