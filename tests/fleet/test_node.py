"""A node: what counts, who may write, taking over, moving, and reading what others have; real nodes, git and PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gitvault import git

from memoryclaw.app.fleet import FleetNode
from memoryclaw.errors import MovedError, NotAcknowledgedError
from memoryclaw.fleet.store import Fleet
from memoryclaw.index.postgres import server_of

LEASE = 2.0


@pytest.fixture
def fleet(migrated_url: str) -> Iterator[Fleet]:
    server = server_of(migrated_url, most=16)
    yield Fleet(server)
    server.close()


class Cluster:
    """Some nodes that share a database, and bare repositories as remotes."""

    def __init__(self, folder: Path, fleet: Fleet) -> None:
        self.folder, self.fleet = folder, fleet
        self.told: list[str] = []
        self.nodes: list[FleetNode] = []

    def node(self, name: str, *, adopt: bool = False, lease: float = 60) -> FleetNode:
        node = FleetNode(
            self.folder / name, name, f"http://{name}", self.fleet, tell=self.told.append, lease=lease, adopt=adopt
        )
        node.start()
        self.nodes.append(node)
        return node

    def remote(self, name: str) -> str:
        hub = self.folder / f"{name}.git"
        hub.mkdir()
        git(hub, "init", "-q", "--bare", "-b", "main", "--template=")
        return str(hub)

    def vault(self, node: FleetNode, name: str = "ann") -> str:
        self.fleet.add(name, self.remote(name))
        node.create(name)
        return name


@pytest.fixture
def cluster(tmp_path: Path, fleet: Fleet) -> Iterator[Cluster]:
    made = Cluster(tmp_path, fleet)
    yield made
    for node in made.nodes:
        node.stop()


def write(node: FleetNode, text: str, vault: str = "ann") -> None:
    with node.opened(vault, "owner") as app:
        app.remember(text)
    node.acknowledge(vault)


def knows(node: FleetNode, words: str, vault: str = "ann") -> list[str]:
    with node.opened(vault, "owner") as app:
        return [match.snippet for match in app.search(words).matches]


def soon(true: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def test_a_write_is_in_the_remote_when_it_is_acknowledged(cluster: Cluster) -> None:
    one = cluster.node("one")
    cluster.vault(one)
    write(one, "Anna lives in Bern")
    hub = cluster.folder / "ann.git"
    assert "Bern" in git(hub, "show", "main:semantic/people.md")
    assert knows(one, "Bern")
    assert cluster.fleet.vault("ann").head == git(hub, "rev-parse", "main").strip()
