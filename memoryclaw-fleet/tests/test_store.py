"""What nodes share: one home for each vault, fences that only rise, tokens that nobody can read back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from postgres import Server

from memoryclaw.errors import ConflictError, InputError, NotFoundError
from memoryclaw_fleet.commands import list_vaults
from memoryclaw_fleet.postgres import Postgres
from memoryclaw_fleet.store import Fleet, checked_name


@pytest.fixture
def fleet(database_url: str) -> Iterator[Fleet]:
    server = Postgres(database_url, most=10)
    made = Fleet(server)
    made.migrate()
    yield made
    server.close()


def test_a_vault_without_a_home_is_claimed_by_one_of_many_nodes(fleet: Fleet) -> None:
    for n in range(8):
        fleet.beat(f"node-{n}", f"p{n}", "http://x", 60)
    fleet.add("ann")
    with ThreadPoolExecutor(8) as threads:
        fences = list(threads.map(lambda n: fleet.claim("ann", f"node-{n}"), range(8)))
    assert sorted(fence is not None for fence in fences) == [False] * 7 + [True]
    winner = next(n for n, fence in enumerate(fences) if fence is not None)
    assert fleet.vault("ann")[2:4] == (f"node-{winner}", 2)


def test_a_node_that_is_silent_loses_its_vaults_and_is_told_so_when_it_wakes(fleet: Fleet) -> None:
    fleet.beat("old", "p1", "http://old", 0.2)
    fleet.beat("new", "p2", "http://new", 60)
    fleet.add("ann")
    first = fleet.claim("ann", "old")
    assert first is not None
    assert fleet.holds("ann", "old", "p1", first)
    assert fleet.claim("ann", "new") is None
    time.sleep(0.3)
    assert [vault.name for vault in fleet.orphans()] == ["ann"]
    second = fleet.claim("ann", "new")
    assert second == first + 1
    fleet.beat("old", "p1", "http://old", 60)
    assert not fleet.holds("ann", "old", "p1", first)
    assert not fleet.holds("ann", "new", "p2", first)
    assert fleet.holds("ann", "new", "p2", second)


def test_a_second_process_of_one_name_is_not_the_first(fleet: Fleet) -> None:
    assert fleet.beat("one", "p1", "http://x", 60)
    assert not fleet.beat("one", "p2", "http://x", 60)
    assert not fleet.beat("one", "p2", "http://x", 60, previous="p0")
    assert fleet.beat("one", "p2", "http://x", 60, previous="p1")
    assert not fleet.beat("one", "p1", "http://x", 60)


def test_a_name_is_free_when_the_lease_of_its_process_is_over(fleet: Fleet) -> None:
    assert fleet.beat("one", "p1", "http://x", 0.1)
    time.sleep(0.2)
    assert fleet.beat("one", "p2", "http://y", 60)
    assert not fleet.beat("one", "p1", "http://x", 60)


def test_a_vault_is_handed_over_once(fleet: Fleet) -> None:
    fleet.add("ann", node="a")
    fence = fleet.vault("ann").fence
    assert fleet.hand_over("ann", fence, "b") == fence + 1
    with pytest.raises(ConflictError, match="changed meanwhile"):
        fleet.hand_over("ann", fence, "c")
    assert fleet.vault("ann").node == "b"


def test_a_token_lets_in_until_it_is_revoked_or_over_and_is_kept_as_a_digest(
    fleet: Fleet, database_url: str
) -> None:
    fleet.add("ann")
    fleet.add("bob")
    token, kept = fleet.make_token("ann", "agent", note="laptop")
    over, _ = fleet.make_token("ann", "agent", days=0)
    admitted = fleet.admit(token)
    assert admitted is not None
    assert admitted[:4] == ("ann", "agent", 1, None)
    assert fleet.admit(over) is None
    assert fleet.admit("mclaw_guess") is None
    with psycopg.connect(database_url) as superuser:
        superuser.execute("select set_config('memoryclaw.tenant', 'ann', false)")
        rows = superuser.execute("select * from memoryclaw.token").fetchall()
        assert len(rows) == 2
        assert token not in repr(rows)
    with pytest.raises(NotFoundError, match="has no token"):
        fleet.revoke("bob", kept.id)
    fleet.revoke("ann", kept.id)
    assert fleet.admit(token) is None


def test_tokens_of_other_vaults_are_not_seen_even_by_a_query_that_asks_for_all(fleet: Fleet) -> None:
    for name in ("ann", "bob"):
        fleet.add(name)
        fleet.make_token(name, "owner")
    with fleet.server.transaction() as connection:
        assert connection.execute("select vault from memoryclaw.token").fetchall() == []
        connection.execute("select set_config('memoryclaw.tenant', 'ann', true)")
        assert connection.execute("select vault from memoryclaw.token").fetchall() == [("ann",)]


def test_permissions_are_a_vaults_own_in_their_order_and_go_with_it(fleet: Fleet) -> None:
    for name in ("ann", "bob"):
        fleet.add(name)
        for line in ("one", "two"):
            fleet.permit(name, f"{line} of {name}\n")
    assert fleet.permissions("ann") == "one of ann\ntwo of ann\n"
    with fleet.server.transaction() as connection:
        assert connection.execute("select line from memoryclaw.permission").fetchall() == []
    fleet.drop("ann")
    fleet.add("ann")
    assert (fleet.permissions("ann"), fleet.permissions("bob")) == ("", "one of bob\ntwo of bob\n")


def test_requests_of_a_minute_are_counted_over_all_nodes(fleet: Fleet) -> None:
    fleet.add("ann")
    fleet.limit("ann", notes=None, size=None, requests=3)
    token, _ = fleet.make_token("ann", "agent")
    for _ in range(2):  # where a minute ends between two of them, the next one is whole
        counts = [admitted for _ in range(4) if (admitted := fleet.admit(token)) is not None]
        if counts[0].requests + 3 == counts[-1].requests:
            break
    assert [count.is_over for count in counts] == [count.requests > 3 for count in counts]
    assert counts[-1].is_over


def test_what_is_published_is_a_vaults_own(fleet: Fleet) -> None:
    fleet.publish(1, {"memoryclaw.yaml": b"one", "ledger/a/2026-01.jsonl": b"{}"})
    fleet.publish(2, {"memoryclaw.yaml": b"two"})
    fleet.publish(1, {"memoryclaw.yaml": b"new"})
    assert fleet.published(1) == {"memoryclaw.yaml": b"new"}
    assert fleet.published(2) == {"memoryclaw.yaml": b"two"}
    with fleet.server.transaction(2) as connection:
        assert connection.execute("select data from memoryclaw.published").fetchall() == [(b"two",)]


def test_two_vaults_of_one_name_are_refused(fleet: Fleet) -> None:
    fleet.add("ann")
    with pytest.raises(ConflictError, match="already"):
        fleet.add("ann")
    with pytest.raises(NotFoundError, match="fleet list"):
        fleet.vault("bob")
    with pytest.raises(NotFoundError):
        fleet.make_token("bob", "agent")


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "-x", "a" * 64, "a\n", "ä"])
def test_a_name_that_could_not_be_a_folder_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name"):
        checked_name(name)


def test_times_are_in_utc_whatever_the_time_zone_of_the_server(
    migrated_url: str, postgres_server: Server
) -> None:
    database = migrated_url.partition("@/")[2].partition("?")[0]
    postgres_server.execute(database, f"alter database {database} set timezone = 'Asia/Tokyo'")
    fleet = Fleet(Postgres(migrated_url))
    fleet.add("ann", node="one")
    fleet.mark("ann", 1, "abc")
    (listed,) = list_vaults(fleet)
    assert abs(datetime.fromisoformat(listed.synced) - datetime.now(UTC)) < timedelta(hours=1)
    fleet.server.close()
