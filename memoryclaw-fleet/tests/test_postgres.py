"""The server: migrations happen once, a stranger's schema is left alone, and what goes wrong is one sentence."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from postgres import Server

from memoryclaw.errors import ConfigError, IndexBusyError, IndexUnreachableError
from memoryclaw_fleet.postgres import OWN, Postgres

STEPS = (
    "create table memoryclaw.thing(vault int not null, said text)",
    "alter table memoryclaw.thing add more int",
)
GUARDED = f"""
alter table memoryclaw.thing enable row level security;
alter table memoryclaw.thing force row level security;
create policy own on memoryclaw.thing using ({OWN}) with check ({OWN});
"""


def test_steps_run_once_and_in_order_whoever_comes_at_the_same_time(database_url: str) -> None:
    def migrated(_: int) -> None:
        server = Postgres(database_url)
        server.migrate("thing", STEPS)
        server.close()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(migrated, range(6)))
    server = Postgres(database_url)
    server.migrate("thing", [*STEPS, "insert into memoryclaw.thing values(1, 'new', 2)"])
    server.migrate("thing", [*STEPS, "insert into memoryclaw.thing values(1, 'new', 2)"])
    with server.transaction() as connection:
        assert connection.execute("select said, more from memoryclaw.thing").fetchall() == [("new", 2)]
    server.close()


def test_a_step_that_fails_leaves_the_schema_as_it_was(database_url: str) -> None:
    server = Postgres(database_url)
    with pytest.raises(psycopg.errors.SyntaxError):
        server.migrate("thing", [*STEPS, "create tabel memoryclaw.other()"])
    with server.connection() as connection:
        assert connection.execute("select to_regnamespace('memoryclaw')").fetchone() == (None,)
    server.migrate("thing", STEPS)
    server.close()


def test_a_strangers_schema_is_refused_and_kept(postgres_server: Server, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as stranger:
        stranger.execute("create schema memoryclaw; create table memoryclaw.precious as select 42 as answer")
        server = Postgres(database_url)
        with pytest.raises(ConfigError, match="was not made by MemoryClaw; it is left alone"):
            server.migrate("thing", STEPS)
        server.close()
        assert stranger.execute("select answer from memoryclaw.precious").fetchall() == [(42,)]


def test_a_newer_schema_is_refused(database_url: str) -> None:
    server = Postgres(database_url)
    server.migrate("thing", STEPS)
    with pytest.raises(ConfigError, match="newer MemoryClaw"):
        server.migrate("thing", STEPS[:1])
    server.close()


def test_a_transaction_sees_only_the_rows_of_its_vault_even_when_the_query_names_none(
    database_url: str,
) -> None:
    server = Postgres(database_url)
    server.migrate("thing", [*STEPS, GUARDED])
    for vault in (1, 2):
        with server.transaction(vault) as connection:
            connection.execute(
                "insert into memoryclaw.thing values(%s, 'secret of ' || %s)", (vault, str(vault))
            )
    with server.transaction(1, read_only=True) as connection:
        assert connection.execute("select said from memoryclaw.thing").fetchall() == [("secret of 1",)]
    with server.transaction() as connection:
        assert connection.execute("select said from memoryclaw.thing").fetchall() == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege), server.transaction(1) as connection:
        connection.execute("insert into memoryclaw.thing values(2, 'smuggled')")
    server.close()


def test_the_password_is_never_told(postgres_server: Server) -> None:
    server = Postgres(f"postgresql://claw:hunter2@/nothing?host={postgres_server.folder}")
    assert "hunter2" not in str(server)
    with pytest.raises(IndexUnreachableError) as refused, server.connection():
        pass
    assert "hunter2" not in str(refused.value)
    assert "nothing" in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://claw:hun@ter2@db/x",
        "postgresql://claw:hun/ter2@db/x",
        "postgresql://claw:hun?ter2@db/x",
        "postgresql://claw:hun%ter2@db/x",
        "postgresql://claw:hun@ter2/more@db:5432/x",
        "host=db password=hun ter2",
    ],
)
def test_no_part_of_a_password_is_told_when_the_address_cannot_be_read(url: str) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read") as refused:
        Postgres(url)
    assert "hun" not in str(refused.value)
    assert "ter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("postgresql://claw:hun%40ter%2F2@db/x", "db"),
        ("postgresql://db/x", "db"),
        ("postgresql:///x?host=/run/pg", "/run/pg"),
        ("postgres://claw@[::1]:5433/x?sslmode=require", "::1"),
        ("postgresql://claw@a,b/x", "a,b"),
    ],
)
def test_addresses_as_libpq_takes_them_are_taken(url: str, host: str) -> None:
    assert str(Postgres(url)).startswith(host)


def test_a_server_that_vanishes_counts_as_gone_soon_unless_the_address_says_otherwise(
    database_url: str,
) -> None:
    for more, wanted in (("", "15000"), ("tcp_user_timeout=7000", "7000")):
        server = Postgres(
            f"{database_url}{'&' if '?' in database_url else '?'}{more}" if more else database_url
        )
        with server.connection() as connection:
            assert connection.info.get_parameters()["tcp_user_timeout"] == wanted
        server.close()


def test_no_server_is_one_sentence() -> None:
    server = Postgres("postgresql://claw@127.0.0.1:1/nothing")
    with pytest.raises(IndexUnreachableError, match="cannot be reached"), server.connection():
        pass


def test_an_url_that_is_none_is_one_sentence() -> None:
    with pytest.raises(ConfigError, match="write it like postgresql://"):
        Postgres("postgresql://[")


def test_who_finds_all_connections_lent_out_is_told_so(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryclaw_fleet.postgres._PATIENCE", 0.2)
    server = Postgres(database_url, most=1)
    with (
        server.connection(),
        pytest.raises(IndexBusyError, match="are in use; try again"),
        server.connection(),
    ):
        pass
    with server.connection() as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    server.close()


def test_after_a_crash_of_the_server_the_next_transaction_finds_it_again(
    postgres_server: Server, database_url: str
) -> None:
    server = Postgres(database_url)
    server.migrate("thing", STEPS)
    postgres_server.execute(
        "postgres", "checkpoint"
    )  # without fsync a crash may take what came after the last
    postgres_server.stop("immediate")
    try:
        with pytest.raises(IndexUnreachableError), server.transaction() as connection:
            connection.execute("select 1")
    finally:
        postgres_server.start()
    for _ in range(2):
        with server.transaction() as connection:
            assert connection.execute("select count(*) from memoryclaw.thing").fetchone() == (0,)
    server.close()


def test_a_role_without_grants_and_a_database_of_another_encoding_are_told(postgres_server: Server) -> None:
    name = postgres_server.database()
    owner = Postgres(postgres_server.url(name, "claw"))
    owner.migrate("thing", [*STEPS, GUARDED])
    owner.close()
    postgres_server.execute(
        "postgres", "do $$ begin create role bare login; exception when duplicate_object then null; end $$"
    )
    bare = Postgres(postgres_server.url(name, "bare"))
    with pytest.raises(
        IndexUnreachableError,
        match=r"refuses this role .permission denied.*grants of memoryclaw-fleet/docs/fleet.md",
    ):
        bare.migrate("thing", [*STEPS, GUARDED])
    bare.close()
    other = f"{name}_latin"
    postgres_server.execute(
        "postgres",
        f"create database {other} template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' owner claw",
    )
    latin = Postgres(postgres_server.url(other, "claw"))
    with pytest.raises(ConfigError, match="is not in UTF-8; make one with encoding 'UTF8'"):
        latin.migrate("thing", STEPS)
    latin.close()


def test_a_transaction_that_cannot_begin_gives_its_connection_back(migrated_url: str) -> None:
    server = Postgres(migrated_url, most=2)
    for wrong in ("select from nowhere", "select 1/0", "select pg_cancel_backend(pg_backend_pid())") * 2:
        with pytest.raises((psycopg.Error, IndexUnreachableError)), server.state(1, wrong):
            pass
    with server.transaction() as writing, server.connection() as other:
        assert writing.execute("select 1").fetchone() == other.execute("select 1").fetchone() == (1,)
    server.close()


def test_a_writer_that_slept_in_its_transaction_is_told_so(migrated_url: str) -> None:
    server = Postgres(migrated_url)

    def sleep() -> None:
        with server.transaction() as connection:
            connection.execute("set local idle_in_transaction_session_timeout = 100")
            time.sleep(0.5)
            connection.execute("select 1")

    with pytest.raises(IndexUnreachableError, match="idle-in-transaction"):
        sleep()
    server.close()
