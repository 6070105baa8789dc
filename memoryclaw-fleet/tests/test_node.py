"""A node: what counts, who may write, taking over, moving, and reading what others have; real nodes, git and PostgreSQL."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Own, put
from gitvault import git
from nodeprocess import NodeProcess
from postgres import Server
from servers.scripted import ModelServer

from memoryclaw.app import App
from memoryclaw.errors import (
    ConflictError,
    InputError,
    LockedError,
    MovedError,
    NotAcknowledgedError,
    NotFoundError,
    VaultError,
)
from memoryclaw_fleet.commands import add, check, drop, list_vaults, move
from memoryclaw_fleet.node import FleetNode
from memoryclaw_fleet.postgres import Postgres, server_of
from memoryclaw_fleet.postgres_index import PostgresDatabase
from memoryclaw_fleet.store import Fleet, HomeState


@pytest.fixture
def fleet(migrated_url: str) -> Iterator[Fleet]:
    server = server_of(migrated_url, most=16)
    yield Fleet(server)
    server.close()


class Cluster:
    """Some nodes that share a database, and bare repositories as remotes."""

    def __init__(self, folder: Path, fleet: Fleet) -> None:
        self.folder, self.fleet = folder, fleet
        folder.mkdir(exist_ok=True)
        self.remarks: list[str] = []
        self.nodes: list[FleetNode] = []
        self.processes: list[NodeProcess] = []

    def node(self, name: str, *, adopt: bool = False, lease: float = 60) -> FleetNode:
        node = FleetNode(
            self.folder / name,
            name,
            f"http://{name}",
            self.fleet,
            tell=self.remarks.append,
            lease=lease,
            adopt=adopt,
        )
        node.start()
        self.nodes.append(node)
        return node

    def remote(self, name: str) -> str:
        hub = self.folder / f"{name}.git"
        hub.mkdir()
        git(hub, "init", "-q", "--bare", "-b", "main", "--template=")
        return str(hub)

    def process(self, name: str, *, lease: float = 1.5, adopt: bool = False) -> NodeProcess:
        made = NodeProcess(self.folder / name, name, self.fleet.server.url, lease, adopt=adopt)
        self.processes.append(made)
        return made

    def vault(self, node: FleetNode, name: str = "ann") -> str:
        self.fleet.add(name, self.remote(name))
        assert node.homes.adopt(name)
        return name


@pytest.fixture
def cluster(tmp_path: Path, fleet: Fleet) -> Iterator[Cluster]:
    made = Cluster(tmp_path, fleet)
    yield made
    for process in made.processes:
        process.end()
    for node in made.nodes:
        node.stop()


def write(node: FleetNode, text: str, vault: str = "ann") -> None:
    with node.homes.opened(vault, "owner") as app:
        app.remember(text)
    node.homes.acknowledge(vault)


def knows(node: FleetNode, words: str, vault: str = "ann") -> list[str]:
    with node.homes.opened(vault, "owner") as app:
        return [match.snippet for match in app.search(words).matches]


def soon(true: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def test_a_write_is_in_the_remote_when_it_is_acknowledged(cluster: Cluster) -> None:
    node = cluster.node("one")
    cluster.vault(node)
    write(node, "Anna lives in Bern")
    hub = cluster.folder / "ann.git"
    assert "Bern" in git(hub, "show", "main:semantic/people.md")
    assert knows(node, "Bern")
    assert cluster.fleet.vault("ann").head == git(hub, "rev-parse", "main").strip()


def test_writes_of_many_share_a_push_and_each_is_in_the_remote(cluster: Cluster) -> None:
    node = cluster.node("one")
    cluster.vault(node)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: write(node, f"The number {n} is the code of door{n}"), range(8)))
    hub = cluster.folder / "ann.git"
    text = git(hub, "grep", "-h", "code of door", "main")
    assert all(text.count(f"door{n}") >= 1 for n in range(8))


def test_a_capture_is_in_the_remote_too(cluster: Cluster) -> None:
    node = cluster.node("one")
    cluster.vault(node)
    with node.homes.opened("ann", "agent") as app:
        app.capture([{"role": "user", "content": "My plumber is Karl Moser"}], session="s1")
    node.homes.acknowledge("ann")
    assert "Karl Moser" in git(cluster.folder / "ann.git", "grep", "Karl Moser", "main", "--", "logs")


def test_what_a_person_pushed_to_the_remote_is_merged_with_the_next_write(cluster: Cluster) -> None:
    node = cluster.node("one")
    cluster.vault(node)
    write(node, "Anna lives in Bern")
    laptop = cluster.folder / "laptop"
    git(cluster.folder, "clone", "-q", "--template=", str(cluster.folder / "ann.git"), "laptop")
    (laptop / "plan.md").write_text("# Plan\n\nPaint the door green.\n")
    git(laptop, "add", "plan.md")
    git(laptop, "commit", "-qm", "by hand")
    git(laptop, "push", "-q")
    write(node, "Berta lives in Basel")
    assert knows(node, "door green")
    assert knows(node, "Basel")
    assert "Basel" in git(cluster.folder / "ann.git", "show", "main:semantic/people.md")


def test_a_remote_that_is_gone_is_no_acknowledgement_and_the_write_is_sent_later(cluster: Cluster) -> None:
    node = cluster.node("one")
    cluster.vault(node)
    hub = cluster.folder / "ann.git"
    hub.rename(cluster.folder / "away.git")
    with pytest.raises(NotAcknowledgedError, match="on the disk of one and does not count yet"):
        write(node, "Anna lives in Bern")
    with pytest.raises(NotAcknowledgedError, match=r"\(its remote does not take it\)"):  # and not where it is
        node.homes.acknowledge("ann")
    assert any("ann.git" in remark for remark in cluster.remarks)
    (cluster.folder / "away.git").rename(hub)
    node.homes.acknowledge("ann")
    assert "Bern" in git(hub, "show", "main:semantic/people.md")


def test_a_word_too_long_for_a_key_is_no_difference(cluster: Cluster) -> None:
    node = cluster.node("one")
    cluster.vault(node)
    write(node, f"The key of the boat is {'k3y' * 400}")
    assert not [difference for difference in check(cluster.fleet, "ann") if difference.is_wrong]


def test_a_vault_whose_remote_is_not_there_is_dropped_while_its_node_is_up(cluster: Cluster) -> None:
    cluster.node("one", adopt=True, lease=3)
    with pytest.raises(ConflictError, match="fleet check con"):
        add(cluster.fleet, "con", str(cluster.folder / "typo.git"), seconds=3)
    assert cluster.fleet.vault("con").node == "one"
    drop(cluster.fleet, "con", seconds=30)
    assert not cluster.fleet.vaults()


def test_a_stopped_node_is_taken_over_and_what_it_did_not_send_is_on_a_branch(cluster: Cluster) -> None:
    old = cluster.process("old")
    cluster.fleet.add("ann", cluster.remote("ann"))
    assert old.ask("adopt", "ann") == "ok"
    assert old.ask("write", "ann", "Anna lives in Bern") == "ok"
    assert old.ask("remember", "ann", "Berta lives in Basel") == "ok"
    old.signal(signal.SIGSTOP)
    new = cluster.node("new", adopt=True, lease=3)
    soon(lambda: new.homes.is_home("ann"))
    write(new, "Carla lives in Chur")
    old.signal(signal.SIGCONT)
    assert "another node" in old.ask("acknowledge", "ann")
    assert old.ask("write", "ann", "Dora lives in Davos").startswith("MovedError")
    soon(lambda: any("memoryclaw/unsent-" in remark for remark in old.ask("remarks")))
    root = cluster.folder / "old" / "ann"
    branch = git(root, "branch", "--list", "memoryclaw/unsent-*", "--format=%(refname:short)").strip()
    assert "Basel" in git(root, "show", f"{branch}:semantic/people.md")
    assert "Basel" not in git(cluster.folder / "ann.git", "log", "-p", "main")
    assert git(root, "rev-parse", "main") == git(cluster.folder / "ann.git", "rev-parse", "main")
    assert "Chur" in (root / "semantic/people.md").read_text()
    assert [bool(knows(new, city)) for city in ("Bern", "Chur", "Basel")] == [True, True, False]
    with App(root) as app:
        assert not app.review.list()  # the branch is no proposal


def test_a_killed_node_loses_no_acknowledged_write_and_keeps_none_twice(cluster: Cluster) -> None:
    cluster.fleet.add("ann", cluster.remote("ann"))
    old = cluster.process("old")
    assert old.ask("adopt", "ann") == "ok"
    kept: list[str] = []

    def busy() -> None:
        n = 0
        while True:
            n += 1
            if old.ask("write", "ann", f"Nora{n}x lives in Bern") != "ok":
                return
            kept.append(f"Nora{n}x")

    thread = threading.Thread(target=busy)
    thread.start()
    soon(lambda: len(kept) > 3)
    old.signal(signal.SIGKILL)
    thread.join()
    new = cluster.node("new", adopt=True, lease=3)
    soon(lambda: new.homes.is_home("ann"))
    write(new, "Carla lives in Chur")
    text = git(cluster.folder / "ann.git", "grep", "-h", "Nora", "main", "--", "semantic", "episodes")
    assert [word for word in kept if text.count(word) != 1] == []
    assert all(knows(new, word) for word in kept)


def test_a_node_that_was_killed_and_starts_again_sends_what_it_had_written(cluster: Cluster) -> None:
    cluster.fleet.add("ann", cluster.remote("ann"))
    old = cluster.process("old", lease=60)
    assert old.ask("adopt", "ann") == "ok"
    assert old.ask("remember", "ann", "Berta lives in Basel") == "ok"
    old.end()
    again = cluster.node("old", lease=3)  # the lease of the one before still runs
    soon(lambda: again.homes.is_home("ann"))
    assert knows(again, "Basel")
    assert "Basel" in git(cluster.folder / "ann.git", "show", "main:semantic/people.md")
    with pytest.raises(LockedError, match="another node works in"):
        FleetNode(cluster.folder / "old", "x", "http://x", cluster.fleet, tell=print).start()


def test_two_nodes_race_for_an_orphan_and_one_has_it(cluster: Cluster) -> None:
    nodes = [cluster.node(name) for name in ("one", "two", "three")]
    cluster.fleet.add("ann", cluster.remote("ann"))
    with ThreadPoolExecutor(3) as threads:
        got = list(threads.map(lambda node: node.homes.adopt("ann"), nodes))
    assert sorted(got) == [False, False, True]
    assert [node.homes.is_home("ann") for node in nodes] == got
    write(nodes[got.index(True)], "Anna lives in Bern")


def test_a_vault_moves_while_it_is_written_and_nothing_is_lost_or_twice(cluster: Cluster) -> None:
    first, second = cluster.node("one", lease=6), cluster.node("two", lease=6)
    cluster.vault(first)
    kept: list[str] = []
    over = threading.Event()

    def busy() -> None:
        n = 0
        while not over.is_set():
            n += 1
            text = f"Nora{n}x lives in Bern"
            for node in (first, second):
                with suppress(MovedError, NotAcknowledgedError):
                    write(node, text)
                    kept.append(f"Nora{n}x")
                    break

    thread = threading.Thread(target=busy)
    thread.start()
    soon(lambda: len(kept) > 3)
    moved = move(cluster.fleet, "ann", "two", seconds=30)
    before = len(kept)
    soon(lambda: len(kept) > before + 3)
    over.set()
    thread.join()
    assert (moved.node, second.homes.is_home("ann"), first.homes.is_home("ann")) == ("two", True, False)
    text = git(cluster.folder / "ann.git", "grep", "-h", "Nora", "main", "--", "semantic", "episodes")
    assert [word for word in kept if text.count(word) != 1] == []
    assert check(cluster.fleet, "ann") == []
    move(cluster.fleet, "ann", "one", seconds=30)  # and back, into the clone that is there
    write(first, "Zoe lives in Zug")
    assert check(cluster.fleet, folder=cluster.folder / "one") == []


def test_a_vault_is_added_from_anywhere_and_a_node_takes_it(cluster: Cluster) -> None:
    cluster.node("one", adopt=True, lease=3)
    two = cluster.node("two", adopt=True, lease=3)
    listed = add(cluster.fleet, "ann", cluster.remote("ann"), node="two", seconds=30)
    assert (listed.node, listed.is_up, listed.notice) == ("two", True, "")
    write(two, "Anna lives in Bern")
    assert add(cluster.fleet, "eve", seconds=30).notice == "no remote: a lost node loses it"
    with pytest.raises(ConflictError, match="no remote, so it cannot move"):
        move(cluster.fleet, "eve", "one" if cluster.fleet.vault("eve").node == "two" else "two")
    with pytest.raises(NotFoundError, match="no node 'three'; there are one, two"):
        move(cluster.fleet, "ann", "three")


def test_a_vault_without_a_remote_waits_for_the_node_that_has_its_files(cluster: Cluster) -> None:
    old = cluster.process("old")
    cluster.fleet.add("ann")
    assert old.ask("adopt", "ann") == "ok"
    assert old.ask("write", "ann", "Anna lives in Bern") == "ok"
    old.end()
    new = cluster.node("new", adopt=True, lease=1.5)
    soon(lambda: any("its files are on the node old alone" in remark for remark in cluster.remarks))
    assert not new.homes.is_home("ann")
    again = cluster.node("old", lease=3)
    soon(lambda: again.homes.is_home("ann"))
    assert knows(again, "Bern")


def test_check_finds_a_changed_file_a_lost_row_and_a_remote_that_is_behind(cluster: Cluster) -> None:
    node = cluster.node("one")
    cluster.vault(node)
    write(node, "Anna lives in Bern")
    folder = cluster.folder / "one"
    assert check(cluster.fleet, folder=folder) == []
    assert check(cluster.fleet, "ann") == []  # against the remote

    people = folder / "ann" / "semantic" / "people.md"
    before = people.read_bytes()
    people.write_bytes(before + b"\n# Zoe\n- city: Zug\n")
    differences = [
        difference.what for difference in check(cluster.fleet, folder=folder) if difference.is_wrong
    ]
    assert differences == ["its index differs from its files at home: semantic/people.md"]
    people.write_bytes(before)
    assert check(cluster.fleet, folder=folder) == []

    number = cluster.fleet.home_of("ann").number
    with cluster.fleet.server.transaction(number) as connection:
        connection.execute("delete from memoryclaw.fact where vault = %s", (number,))
    differences = [difference.what for difference in check(cluster.fleet, folder=folder)]
    assert differences == ["its index differs from its files at home: rows of it are lost or changed"]
    with node.homes.opened("ann", "owner") as app:
        app.reindex()
    node.homes.acknowledge("ann")
    assert check(cluster.fleet, folder=folder) == []

    hub = cluster.folder / "ann.git"
    git(hub, "update-ref", "refs/heads/main", "main~1")
    differences = [difference.what for difference in check(cluster.fleet, folder=folder)]
    assert [sentence.partition(" at ")[0] for sentence in differences] == ["its remote is", "its files are"]
    assert check(cluster.fleet, "ann")[1].what.startswith("its index differs from its remote: ")


def test_check_tells_a_lease_that_ran_out_and_a_role_that_sees_everything(
    cluster: Cluster, postgres_server: Server
) -> None:
    node = cluster.process("one", lease=1)
    cluster.fleet.add("ann", cluster.remote("ann"))
    assert node.ask("adopt", "ann") == "ok"
    node.end()
    soon(lambda: not cluster.fleet.home_of("ann").is_up)
    (only,) = check(cluster.fleet, "ann")
    assert only.is_wrong
    assert only.what.startswith("its home one has said nothing since ")
    root = Fleet(server_of(cluster.fleet.server.url.replace("claw@", "postgres@")))
    assert "row-level security does not hold" in check(root, "ann")[0].what
    root.server.close()


def test_a_dropped_vault_leaves_its_files_and_its_remote(cluster: Cluster) -> None:
    node = cluster.node("one", lease=3)
    cluster.vault(node)
    write(node, "Anna lives in Bern")
    token, _ = cluster.fleet.make_token("ann", "owner")
    number = cluster.fleet.home_of("ann").number
    drop(cluster.fleet, "ann")
    assert list_vaults(cluster.fleet) == []
    assert cluster.fleet.admit(token) is None
    with cluster.fleet.server.transaction(number) as connection:
        for table in ("unit", "posting", "published"):
            assert connection.execute(f"select count(*) from memoryclaw.{table}").fetchone() == (0,)
    assert not node.homes.is_home("ann")
    assert "Bern" in (cluster.folder / "one/ann/semantic/people.md").read_text()
    add(cluster.fleet, "ann", str(cluster.folder / "ann.git"), node="one", seconds=30)
    assert knows(node, "Bern")


def test_everything_comes_back_from_the_remotes_alone(
    cluster: Cluster, postgres_server: Server, template: str
) -> None:
    process = cluster.process("one", lease=60)
    cluster.fleet.add("ann", cluster.remote("ann"))
    assert process.ask("adopt", "ann") == "ok"
    assert process.ask("write", "ann", "Anna lives in Bern") == "ok"
    process.end()
    fresh = Fleet(server_of(postgres_server.url(postgres_server.database(template), "claw"), most=8))
    other = Cluster(cluster.folder / "elsewhere", fresh)
    node = other.node("new", adopt=True, lease=3)
    add(fresh, "ann", str(cluster.folder / "ann.git"), seconds=30)
    soon(lambda: node.homes.is_home("ann"))  # a short lease may lapse for a moment on a busy machine
    assert knows(node, "Bern")
    assert check(fresh) == []
    node.stop()
    fresh.server.close()


def test_directory_and_tokens_come_back_from_a_dump_and_the_rest_from_the_remotes(
    cluster: Cluster, postgres_server: Server, template: str
) -> None:
    process = cluster.process("one", lease=60)
    cluster.fleet.add("ann", cluster.remote("ann"))
    assert process.ask("adopt", "ann") == "ok"
    assert process.ask("write", "ann", "Anna lives in Bern") == "ok"
    token, _ = cluster.fleet.make_token("ann", "agent")
    process.end()
    cluster.fleet.permit("ann", "one\n")
    old, new = (
        cluster.fleet.server.url.partition("@/")[2].partition("?")[0],
        postgres_server.database(template),
    )
    dump = postgres_server.folder / f"{new}.sql"
    tables = ("-t", "memoryclaw.fleet_vault", "-t", "memoryclaw.token", "-t", "memoryclaw.permission")
    host = ("-h", str(postgres_server.folder), "-U", "postgres")
    postgres_server.run("pg_dump", *host, "--data-only", *tables, "-f", dump, old)
    postgres_server.run("psql", *host, "-q", "-v", "ON_ERROR_STOP=1", "-f", dump, new)
    fresh = Fleet(server_of(postgres_server.url(new, "claw"), most=8))
    other = Cluster(cluster.folder / "elsewhere", fresh)
    node = other.node("new", adopt=True, lease=3)
    soon(lambda: node.homes.is_home("ann"))
    assert knows(node, "Bern")
    admitted = fresh.admit(token)
    assert admitted is not None
    fresh.permit("ann", "two\n")
    assert fresh.permissions("ann") == "one\ntwo\n"
    assert (admitted.vault, admitted.audience, admitted.node) == ("ann", "agent", "new")
    assert check(fresh) == []
    node.stop()
    fresh.server.close()


def test_a_quota_of_notes_and_of_bytes_is_told_before_a_write(cluster: Cluster) -> None:
    node = cluster.node("one", lease=1.5)
    cluster.vault(node)
    write(node, "Anna lives in Bern")
    node.homes.check_room("ann", 10**6)
    cluster.fleet.limit("ann", notes=1, size=None, requests=None)
    soon(lambda: refused(node) != "")
    assert refused(node) == (
        "the vault 'ann' may hold 1 notes and holds 1; forget some, or `memoryclaw fleet limit ann --notes N` allows more"
    )
    cluster.fleet.limit("ann", notes=None, size=5000, requests=None)
    soon(lambda: refused(node) == "" and "may hold 5000 bytes" in refused(node, 5000))


def refused(node: FleetNode, size: int = 0) -> str:
    try:
        node.homes.check_room("ann", size)
    except InputError as error:
        return str(error)
    return ""


def test_another_node_reads_a_vault_and_says_when_its_home_is_gone(cluster: Cluster) -> None:
    old = cluster.process("old", lease=2)
    cluster.fleet.add("ann", cluster.remote("ann"))
    cluster.fleet.make_token("ann", "family")
    assert old.ask("adopt", "ann") == "ok"
    assert old.ask("write", "ann", "Anna lives in Bern") == "ok"
    new = cluster.node("new")
    with new.shadows.opened("ann", "owner") as app:
        answer = app.recall("where does Anna live")
    assert "Bern" in answer.context
    assert answer.degraded == ""
    assert old.ask("write", "ann", "Berta lives in Basel") == "ok"
    with new.shadows.opened("ann", "owner") as app:
        assert "Basel" in app.recall("where does Berta live").context
        assert app.facts()
    for audience in ("agent", "family"):
        with new.shadows.opened("ann", audience) as app:
            app.search("Basel")
    with (
        new.shadows.opened("ann", "public") as app,
        pytest.raises(VaultError, match="not indexed for the audience public"),
    ):
        app.search("Basel")
    old.end()
    soon(lambda: not cluster.fleet.home_of("ann").is_up)
    with new.shadows.opened("ann", "owner") as app:
        answer = app.recall("where does Berta live")
    assert "Basel" in answer.context
    assert answer.degraded.startswith("home node old has said nothing since ")
    with pytest.raises(NotFoundError), new.shadows.opened("bob", "owner"):
        pass


def test_a_shadow_answers_as_the_home_does(cluster: Cluster) -> None:
    first, second = cluster.node("one"), cluster.node("two")
    cluster.vault(first)
    write(first, "Anna lives in Bern")
    root = cluster.folder / "one" / "ann"
    (root / "semantic" / "_schema.yaml").write_text("fields:\n  city:\n    cardinality: one\n")
    write(first, "Anna moved to Basel")
    with first.homes.opened("ann", "owner") as app:
        match = app.recall("where does Anna live").matches[0]
        app.feedback(match.unit.id, 5)
    first.homes.acknowledge("ann")
    with first.homes.opened("ann", "owner") as home, second.shadows.opened("ann", "owner") as shadow:
        for question in ("where does Anna live", "Basel", "Anna"):
            here, there = home.recall(question, noted=False), shadow.recall(question, noted=False)
            assert replace(there, timings_ms={}) == replace(here, timings_ms={})


def test_what_was_written_before_a_vault_was_lost_does_not_count_when_it_comes_back(cluster: Cluster) -> None:
    old = cluster.process("old")
    cluster.fleet.add("ann", cluster.remote("ann"))
    assert old.ask("adopt", "ann") == "ok"
    assert old.ask("remember", "ann", "Berta lives in Basel") == "ok"
    old.signal(signal.SIGSTOP)
    new = cluster.node("new", adopt=True, lease=3)
    soon(lambda: new.homes.is_home("ann"))
    old.signal(signal.SIGCONT)
    soon(lambda: any("memoryclaw/unsent-" in remark for remark in old.ask("remarks")))
    move(cluster.fleet, "ann", "old", seconds=30)
    assert "does not count" in old.ask("acknowledge", "ann")
    assert old.ask("write", "ann", "Carla lives in Chur") == "ok"
    assert "Basel" not in git(cluster.folder / "ann.git", "log", "-p", "main")


def test_a_node_that_lost_a_vault_writes_nothing_into_its_index(cluster: Cluster) -> None:
    first, second = cluster.node("one"), cluster.node("two")
    cluster.vault(first)
    write(first, "Anna lives in Bern")
    with first.homes.opened("ann", "owner") as app:
        fence = cluster.fleet.vault("ann").fence
        cluster.fleet.hand_over("ann", fence, "two")  # as when a lease ran out in the middle of a verb
        assert second.homes.adopt("ann")
        people = cluster.folder / "one/ann/semantic/people.md"
        people.write_text(people.read_text().replace("Bern", "Paris"))
        with pytest.raises(MovedError, match="was taken from one"):
            app.search("Paris")
    with pytest.raises(NotAcknowledgedError):
        first.homes.acknowledge("ann")
    assert check(cluster.fleet, folder=cluster.folder / "two") == []
    assert not knows(second, "Paris")
    with pytest.raises(MovedError):
        knows(first, "Paris")


def test_a_node_that_stops_sends_everything_and_gives_its_vaults_away_at_once(cluster: Cluster) -> None:
    node = cluster.node("one")  # with a lease of a minute
    cluster.vault(node)
    with node.homes.opened("ann", "owner") as app:
        app.remember("Anna lives in Bern")
    node.stop()
    node.homes.acknowledge("ann")
    assert "Bern" in git(cluster.folder / "ann.git", "show", "main:semantic/people.md")
    two = cluster.node("two")
    assert two.homes.adopt("ann")
    assert knows(two, "Bern")


def test_what_was_approved_stays_so_on_the_node_that_takes_over_and_a_push_approves_nothing(
    cluster: Cluster,
) -> None:
    node = cluster.node("one")
    cluster.vault(node)
    with node.homes.opened("ann", "owner") as app:
        for name in ("mail", "mow"):
            app.skills.new(name, "Sends an email to one person.")
        app.skills.approve("mail")
    node.homes.acknowledge("ann")
    git(cluster.folder, "clone", "-q", "--template=", str(cluster.folder / "ann.git"), "person")
    with App(cluster.folder / "person") as app:
        assert {skill.name: skill.state for skill in app.skills.list()}["mail"] == "not approved"
        app.skills.approve("mow")
    git(cluster.folder / "person", "push", "-q", "origin", "main")
    write(node, "Anna lives in Bern")
    node.stop()
    two = cluster.node("two")
    assert two.homes.adopt("ann")
    with two.homes.opened("ann", "owner") as app:
        assert '"skills/mow/SKILL.md"' in (app.root / "review/decisions.jsonl").read_text()
        assert {skill.name: skill.state for skill in app.skills.list()} == {
            "mail": "approved", "mow": "not approved",
        }  # fmt: skip
        assert [skill.name for skill in app.skills.hosted().skills] == ["mail"]
        app.adopt(app.adoptable())
        assert {skill.state for skill in app.skills.list()} == {"approved"}
    two.homes.acknowledge("ann")


def test_uses_of_memories_are_sent_though_nobody_waits_for_them(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryclaw_fleet.node._LATER", 0.1)
    node = cluster.node("one", lease=1.5)
    cluster.vault(node)
    write(node, "Anna lives in Bern")
    with node.homes.opened("ann", "owner") as app:
        app.recall("where does Anna live")
    hub = cluster.folder / "ann.git"
    soon(lambda: "shown" in git(hub, "grep", "-h", "shown", "main", "--", "ledger", check=False))


def test_a_plain_repository_of_notes_becomes_a_vault_and_its_branch_stays(cluster: Cluster) -> None:
    hub, work = cluster.remote("ann"), cluster.folder / "work"
    git(cluster.folder, "clone", "-q", "--template=", hub, "work")
    git(work, "switch", "-qc", "trunk")
    (work / "plan.md").write_bytes(b"# Plan\r\n\r\nPaint the door green.\r\n")
    git(work, "add", "plan.md")
    git(work, "commit", "-qm", "by hand")
    git(work, "push", "-q", "origin", "trunk")
    cluster.fleet.add("ann", hub)
    node = cluster.node("one")
    assert node.homes.adopt("ann")
    write(node, "Anna lives in Bern")
    assert knows(node, "door green")
    assert (cluster.folder / "one/ann/plan.md").read_bytes() == (work / "plan.md").read_bytes()
    assert git(hub, "branch", "--format=%(refname:short)").split() == ["trunk"]
    assert "Bern" in git(hub, "show", "trunk:semantic/people.md")
    assert check(cluster.fleet, "ann") == []


def test_a_node_says_again_that_it_is_there_whatever_went_wrong_before(
    cluster: Cluster, postgres_server: Server
) -> None:
    node = cluster.node("one", lease=1.5)
    cluster.vault(node)
    database = cluster.fleet.server.url.partition("@/")[2].partition("?")[0]
    rename = "alter table memoryclaw.node rename column {} to {}"
    postgres_server.execute(database, rename.format("address", "elsewhere"))
    soon(lambda: not node.homes.is_home("ann"))
    postgres_server.execute(database, rename.format("elsewhere", "address"))
    soon(lambda: node.homes.is_home("ann"))
    assert any("a bug (UndefinedColumn)" in sentence for sentence in cluster.remarks)
    write(node, "Anna lives in Bern")


def test_a_node_forgets_how_many_requests_there_were_in_minutes_that_are_over(cluster: Cluster) -> None:
    cluster.fleet.migrate()
    counted = "select count(*) from memoryclaw.request"
    with cluster.fleet.server.transaction() as connection:
        connection.execute("insert into memoryclaw.request values('ann', now() - interval '1 hour', 7)")
    cluster.node("one", lease=1.5)

    def count() -> int:
        with cluster.fleet.server.connection() as connection:
            return int((connection.execute(counted).fetchone() or [1])[0])

    soon(lambda: count() == 0)


class Sleepy(Fleet):
    """Sleeps in the middle of a write of the thread `sleeper`, until it is woken."""

    def __init__(self, server: Postgres) -> None:
        super().__init__(server)
        self.sleeps, self.woken = threading.Event(), threading.Event()

    def home_of(self, name: str) -> HomeState:
        home = super().home_of(name)
        if threading.current_thread().name == "sleeper":
            self.sleeps.set()
            assert self.woken.wait(60)
        return home


def test_an_owner_that_wakes_in_the_middle_of_a_write_publishes_nothing(cluster: Cluster) -> None:
    fleet = cluster.fleet
    cluster.fleet = sleepy = Sleepy(fleet.server)
    node = cluster.node("one", lease=1.5)
    cluster.fleet = fleet
    cluster.vault(node)
    old, new = (cluster.folder / name / "ann" / "memoryclaw.yaml" for name in ("one", "two"))
    old.write_text(old.read_text() + "# what was here before\n")

    def sleep() -> None:
        with suppress(NotAcknowledgedError):
            write(node, "Anna lives in Bern")

    sleeper = threading.Thread(target=sleep, name="sleeper")
    sleeper.start()
    assert sleepy.sleeps.wait(60)
    node.background.ended.set()  # it says no more that it is there
    two = cluster.node("two")
    soon(lambda: two.homes.adopt("ann"))
    new.write_text(new.read_text() + "# what its new home says\n")
    write(two, "Bob lives in Rome")
    number = fleet.home_of("ann").number
    assert number is not None
    sleepy.woken.set()
    sleeper.join()
    assert b"# what its new home says" in fleet.published(number)["memoryclaw.yaml"]


def test_every_view_that_there_is_knows_a_write_that_was_acknowledged(cluster: Cluster) -> None:
    first, second = cluster.node("one"), cluster.node("two")
    cluster.vault(first)
    note = cluster.folder / "one/ann/plan.md"
    note.write_text("---\naudience: team\n---\n# Plan\n\nPaint the door green.\n")
    write(first, "Anna lives in Bern")
    _, kept = cluster.fleet.make_token("ann", "team")  # for the first time
    with first.homes.opened("ann", "team") as app:
        assert app.search("door").matches
    cluster.fleet.revoke("ann", kept.id)
    note.write_text("---\naudience: owner\n---\n# Plan\n\nPaint the door green.\n")
    write(first, "Bob lives in Rome")
    with second.shadows.opened("ann", "team") as app:
        assert not app.search("door").matches


def test_a_vault_that_was_dropped_and_added_again_is_read_anew(cluster: Cluster) -> None:
    first, second = cluster.node("one"), cluster.node("two")
    cluster.vault(first)
    write(first, "Anna lives in Bern")

    def hits() -> int:
        with second.shadows.opened("ann", "owner") as app:
            return len(app.search("Bern").matches)

    assert hits() == 1
    drop(cluster.fleet, "ann")
    cluster.fleet.add("ann", str(cluster.folder / "ann.git"))
    assert first.homes.adopt("ann")
    assert hits() == 1


def test_a_vault_without_a_remote_whose_files_are_gone_is_not_begun_anew(cluster: Cluster) -> None:
    node = cluster.node("one")
    cluster.fleet.add("ann")
    assert node.homes.adopt("ann")
    write(node, "Anna lives in Bern")
    node.stop()
    cluster.nodes.remove(node)
    files = cluster.folder / "one" / "ann"
    files.rename(cluster.folder / "not mounted")
    again = cluster.node("one")
    with pytest.raises(VaultError, match=f"has no remote, and its files are not in {files}"):
        again.homes.adopt("ann")
    (cluster.folder / "not mounted").rename(files)
    assert again.homes.adopt("ann")
    assert knows(again, "Bern")


def test_who_is_not_the_home_throws_no_index_away(cluster: Cluster) -> None:
    node = cluster.node("one")
    cluster.vault(node)
    write(node, "Anna lives in Bern")

    def may(_: object) -> None:
        raise MovedError("another node has it")

    for recipe in ("of an older version", ""):
        other = PostgresDatabase(cluster.fleet.server, "ann", "", recipe, may=may)
        with pytest.raises(MovedError):
            other.number()
    two = cluster.node("two")
    with two.shadows.opened("ann", "owner") as app:
        assert app.search("Bern").matches


def test_a_tenants_settings_lead_the_operators_key_and_text_nowhere(
    cluster: Cluster, own: Own, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = "0123456789abcdef" * 2  # the id of a vault of the operator's own
    monkeypatch.setenv("OPENAI_API_KEY", "kestrel-key-of-the-operator")
    with ModelServer() as theirs, ModelServer() as operators:
        settings = own(f"llm:\n  chain: [openai]\n  openaiUrl: {operators.url}/v1\n  allowRemote: true\n")
        put(
            settings.parent / "vaults" / another,
            {"config.yaml": f"llm:\n  chain: [openai]\n  openaiUrl: {theirs.url}/v1\n"},
        )
        node = cluster.node("one")
        root = node.folder / cluster.vault(node)
        asks = (
            f"vault:\n  id: {another}\nllm:\n  chain: [openai, ollama]\n  url: {theirs.url}\n  openaiUrl: {theirs.url}/v1\n"
            f"retrieval:\n  fallback: vector\n  blendStrategy: weighted\n"
        )
        talk = '{"ts":"2026-04-19T09:00:00Z","session":"s","turn":1,"role":"user","content":"Boathouse colour is red."}\n'
        put(root, {"memoryclaw.yaml": asks, "logs/2026-04-19/s.jsonl": talk})
        with node.homes.opened("ann", "owner") as app:
            app.consolidate()
            app.search("where is the lantern")
        assert operators.asked
        assert (theirs.connections, theirs.asked) == (0, [])
