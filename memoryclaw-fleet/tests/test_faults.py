"""The campaign: clients write all the time while nodes, workers, the server and the lines between them fail.

Whatever happens, a write that was acknowledged is in the remote of its vault once, and no vault holds a word of another.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from conftest import COMMAND, Claw
from postgres import Server
from towns import Node, Town, town

from memoryclaw_fleet.jobs import Jobs
from memoryclaw_fleet.postgres import Postgres
from memoryclaw_fleet.postgres_index import STEPS
from memoryclaw_fleet.store import Fleet

__all__ = ["town"]
VAULTS = ("ann", "bob", "cy")
DURABLE = ("max_connections=100", "shared_buffers=64MB", "wal_level=replica", "max_wal_senders=4")
TRIALS = int(os.environ.get("TRIALS", "30"))  # of each kind of fault


class Storm:
    """Clients that write into all vaults through any node, each text once, and remember what was acknowledged."""

    def __init__(self, town: Town, tokens: dict[str, str], clients: int = 3) -> None:
        self._town, self._tokens = town, tokens
        self.acknowledged: dict[str, list[str]] = defaultdict(list)
        self.refused: dict[int, int] = defaultdict(int)
        self._over = threading.Event()
        self._numbers = itertools.count(1)
        self._threads = [threading.Thread(target=self._write, args=(n,), daemon=True) for n in range(clients)]
        for thread in self._threads:
            thread.start()

    def _write(self, client: int) -> None:
        dice = random.Random(client)
        while not self._over.is_set():
            vault, node = dice.choice(VAULTS), dice.choice(self._town.nodes)
            text = f"mark{client}x{next(self._numbers)}x of {vault}"
            status = 0
            with suppress(httpx.HTTPError):
                said = node.ask(
                    "POST", "/v1/remember", self._tokens[vault], json={"text": text}, follow_redirects=False
                )
                status = said.status_code
                if status == 307:
                    said = httpx.post(
                        said.headers["Location"],
                        json={"text": text},
                        headers={"Authorization": f"Bearer {self._tokens[vault]}"},
                        timeout=60,
                        trust_env=False,
                    )
                    status = said.status_code
            if status == 200:
                self.acknowledged[vault].append(text)
            else:
                self.refused[status] += 1
                time.sleep(0.05)

    def total(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    def wait_for_more(self, patience: float = 60) -> None:
        """Until a write was acknowledged after now: the fleet has recovered."""
        before, until = self.total(), time.monotonic() + patience
        while self.total() == before:
            assert time.monotonic() < until, (
                dict(self.refused),
                [node.log.read_text()[-2000:] for node in self._town.nodes],
            )
            time.sleep(0.02)

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(90)

    def verify(self) -> None:
        """Each acknowledged text is in the remote of its vault, once; nothing of another vault is."""
        self.end()
        assert self.total()
        for vault in VAULTS:
            remote = self._town.folder / f"{vault}.git"
            counted = self._counted(remote)
            lost = [text for text in self.acknowledged[vault] if not counted[text]]
            twice = [text for text in self.acknowledged[vault] if counted[text] > 1]
            strange = [text for text in counted if not text.endswith(f" of {vault}")]
            assert (lost, twice, strange) == ([], [], []), vault

    def _counted(self, remote: Path) -> Counter[str]:
        """How often each text stands in the newest commit of a vault."""
        command = [
            "git",
            "grep",
            "-hoE",
            "mark[0-9]+x[0-9]+x of [a-z]+",
            "main",
            "--",
            "semantic",
            "episodes",
        ]
        ran = subprocess.run(command, cwd=remote, capture_output=True, text=True, check=False)
        return Counter(ran.stdout.splitlines())


class Line:
    """A line to the server that can be slow or torn; nodes reach it on loopback."""

    def __init__(self, server: Server) -> None:
        self._path = str(server.folder / ".s.PGSQL.5432")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.delay = 0.0
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.socket(socket.AF_UNIX)
                try:
                    far.connect(self._path)
                except OSError:
                    near.close()
                    continue
                self._open += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self.delay:
                    time.sleep(self.delay)
                other.sendall(data)
        for end in (source, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def tear(self) -> None:
        """Ends all that is open, in the middle of whatever it is."""
        torn, self._open = self._open, []
        for end in torn:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        self._listener.close()
        self.tear()


@pytest.fixture
def durable() -> Iterator[Server]:
    """A server that keeps what it committed through a crash."""
    with tempfile.TemporaryDirectory(
        prefix="pg-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    ) as folder:
        server = Server(Path(folder), DURABLE)
        server.init()
        server.start()
        server.execute("postgres", "create role claw login createdb")
        yield server
        with suppress(AssertionError):
            server.stop()


def prepared(url: str) -> None:
    server = Postgres(url)
    server.migrate("index", STEPS)
    Jobs(server).migrate()
    server.close()


def storm_on(town: Town, *names: str, more: tuple[str, ...] = (), clients: int = 3) -> Storm:
    for name in names:
        town.node(name, "--lease", "2", *more)
    return Storm(town, {vault: town.vault(vault) for vault in VAULTS}, clients)


def started_again(town: Town, node: Node, *more: str) -> None:
    """The same folder and name, as a new process."""
    at = town.nodes.index(node)
    town.node(node.name, "--lease", "2", *more)
    town.nodes[at] = town.nodes.pop()


def test_nodes_are_killed_in_mid_write(town: Town) -> None:
    storm = storm_on(town, "one", "two")
    dice = random.Random(1)
    for trial in range(TRIALS):
        storm.wait_for_more()
        time.sleep(dice.random() * 0.4)
        victim = dice.choice(town.nodes)
        victim.end(signal.SIGKILL)
        if trial % 2:  # the other one takes over meanwhile
            time.sleep(2.5)
            storm.wait_for_more()
        started_again(town, victim)
    storm.wait_for_more()
    storm.verify()


def test_leases_run_out_during_writes_and_sleepers_wake(town: Town) -> None:
    storm = storm_on(town, "one", "two")
    dice = random.Random(2)
    for _ in range(TRIALS):
        storm.wait_for_more()
        time.sleep(dice.random() * 0.3)
        sleeper = dice.choice(town.nodes)
        sleeper.process.send_signal(signal.SIGSTOP)
        time.sleep(2.2 + dice.random())
        sleeper.process.send_signal(signal.SIGCONT)
    storm.wait_for_more()
    storm.verify()


def test_the_server_crashes_in_mid_write(durable: Server, tmp_path: Path) -> None:
    town = Town(tmp_path, durable.url(durable.database(), "claw"))
    prepared(town.url)
    try:
        storm = storm_on(town, "one", "two")
        dice = random.Random(3)
        for _ in range(TRIALS):
            storm.wait_for_more()
            time.sleep(dice.random() * 0.3)
            durable.stop("immediate")
            time.sleep(dice.random() * 0.5)
            durable.start()
        storm.wait_for_more()
        storm.verify()
    finally:
        for node in town.nodes:
            node.end()


@pytest.mark.parametrize("kind", ["torn", "slow"])
def test_the_line_to_the_server_is_bad(
    kind: str, postgres_server: Server, migrated_url: str, tmp_path: Path
) -> None:
    line = Line(postgres_server)
    database = migrated_url.partition("@/")[2].partition("?")[0]
    town = Town(tmp_path, f"postgresql://claw@127.0.0.1:{line.port}/{database}")
    try:
        storm = storm_on(town, "one", "two")
        dice = random.Random(4)
        for _ in range(TRIALS):
            storm.wait_for_more()
            if kind == "torn":
                time.sleep(dice.random() * 0.3)
                line.tear()
            else:
                line.delay = 0.05 + dice.random() * 0.2
                time.sleep(0.7)
                line.delay = 0.0
        storm.wait_for_more()
        storm.verify()
    finally:
        for node in town.nodes:
            node.end()
        line.close()


def test_all_connections_are_in_use(town: Town) -> None:
    storm = storm_on(town, "one", "two", more=("--connections", "2"), clients=16)
    for _ in range(TRIALS):
        storm.wait_for_more()
        time.sleep(0.2)
    storm.end()
    assert set(storm.refused) <= {503}, dict(storm.refused)
    storm.verify()


def test_workers_are_killed_in_mid_job(town: Town) -> None:
    node = town.node("one", "--lease", "2")
    tokens = {vault: town.vault(vault) for vault in VAULTS}
    jobs, dice, asked = Jobs(Postgres(town.url)), random.Random(6), itertools.count(1)
    jobs.migrate()
    acknowledged: dict[str, list[str]] = defaultdict(list)
    for _ in range(TRIALS):
        for vault, token in tokens.items():
            n = next(asked)
            turn = {
                "session": f"s{n}",
                "turn": 1,
                "ts": f"2026-04-{n % 18 + 1:02}T10:00:00Z",
                "role": "user",
                "content": f"The budget of Project Mark{n} of {vault} is {n} euros.",
            }
            if node.ask("POST", "/v1/capture", token, json={"turns": [turn]}).status_code == 200:
                acknowledged[vault].append(f"Mark{n} of {vault}")
        jobs.ask(VAULTS)
        command = [COMMAND, "work", "--index", town.url]
        worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(dice.random() * 1.5)
        worker.kill()
        worker.wait()
    given_back(jobs)
    town.run("work", "--once")
    for vault in VAULTS:
        remote = town.folder / f"{vault}.git"
        listed = subprocess.run(
            ["git", "grep", "-hE", "Mark[0-9]+ of", "main", "--", "episodes", "logs"],
            cwd=remote,
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        assert [memory for memory in acknowledged[vault] if memory not in listed] == []
        cited = subprocess.run(
            ["git", "grep", "-hE", "^source: ", "main", "--", "episodes"],
            cwd=remote,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
        ranges = [source for source in cited if "#" in source]
        assert len(ranges) == len(set(ranges))
        assert not any(f"of {other}" in listed for other in VAULTS if other != vault)


def given_back(jobs: Jobs) -> None:
    """Time passes until the workers that were killed are known to be gone."""
    with jobs._transaction() as connection:
        connection.execute("update procrastinate_workers set last_heartbeat = now() - interval '1 hour'")
    jobs.tick()


def test_a_replica_is_promoted(durable: Server, tmp_path: Path) -> None:
    """The replica is synchronous, as memoryclaw-fleet/docs/fleet.md says: a fence that was raised must not fall."""
    first = durable
    town = Town(tmp_path, "")
    database = first.database()
    prepared(first.url(database, "claw"))
    servers = [first]
    folders = [
        tempfile.TemporaryDirectory(prefix="pg-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        for _ in range(6)
    ]
    places = [first.folder, *(Path(folder.name) for folder in folders)]
    town.url = (
        f"postgresql://claw@/{database}?host={','.join(map(str, places))}&target_session_attrs=read-write"
    )
    town.claw = type(town.claw)(MEMORYCLAW_INDEX_URL=town.url)
    try:
        replica = replica_of(first, places[1])
        storm = storm_on(town, "one", "two")
        for n in range(2, 7):
            storm.wait_for_more()
            time.sleep(0.5)
            servers[-1].stop("immediate")
            replica.run("pg_ctl", "-D", replica.data, "-w", "promote")
            servers.append(replica)
            storm.wait_for_more(90)
            if n < 6:
                replica = replica_of(replica, places[n])
        storm.verify()
    finally:
        for node in town.nodes:
            node.end()
        for server in servers[1:]:
            with suppress(AssertionError):
                server.stop()
        for folder in folders:
            with suppress(OSError):
                folder.cleanup()


def test_a_replica_answers_and_says_when_it_is_behind(durable: Server, tmp_path: Path) -> None:
    town = Town(tmp_path, durable.url(database := durable.database(), "claw"))
    prepared(town.url)
    with tempfile.TemporaryDirectory(prefix="pg-", dir=durable.folder.parent) as folder:
        replica = replica_of(durable, Path(folder))
        try:
            url = replica.url(database, "claw")
            home, reader = town.node("one"), town.node("two", "--replica", url)
            token = town.vault("ann", "one")

            def remember(text: str) -> None:
                home.ask("POST", "/v1/remember", token, json={"text": text}).raise_for_status()

            def hits_of(words: str) -> tuple[int, str]:
                answer = reader.ask("GET", "/v1/search", token, params={"q": words}).raise_for_status().json()
                return len(answer["matches"]), answer["degraded"]

            remember("Anna lives in Bern")
            assert_soon(lambda: hits_of("Bern") == (1, ""))
            replica.execute("postgres", "select pg_wal_replay_pause()")
            remember("Berta lives in Basel")
            matches, degraded = hits_of("Basel")
            assert matches == 0
            assert "has not heard of the last write yet" in degraded
            replica.execute("postgres", "select pg_wal_replay_resume()")
            assert_soon(lambda: hits_of("Basel") == (1, ""))
            ran = Claw(MEMORYCLAW_INDEX_URL=url)("fleet", "add", "bob", "--no-wait")
            assert ran.code != 0
            assert "is a replica, which takes no writes" in ran.err
        finally:
            for node in town.nodes:
                node.end()
            durable.execute(
                "postgres", "alter system reset synchronous_standby_names", "select pg_reload_conf()"
            )
            replica.stop("immediate")


def assert_soon(true: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def replica_of(primary: Server, folder: Path) -> Server:
    """A synchronous replica that streams."""
    replica = Server(folder, DURABLE)
    primary.run(
        "pg_basebackup",
        "-h",
        primary.folder,
        "-U",
        "postgres",
        "-D",
        replica.data,
        "-R",
        "-X",
        "stream",
        "-c",
        "fast",
    )
    replica.start()
    primary.execute("postgres", "alter system set synchronous_standby_names = '*'", "select pg_reload_conf()")
    return replica


def test_the_fleet_tells_where_everything_is_after_all_that(town: Town) -> None:
    storm = storm_on(town, "one", "two")
    storm.wait_for_more()
    storm.verify()
    ran = town.claw("fleet", "check")
    assert ran.code == 0, ran.out
    assert len(Fleet(Postgres(town.url)).vaults()) == len(VAULTS)
