"""Vectors of an index on a server: made once, asked on every node, the same answers as beside a file; real PostgreSQL, nodes and git."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Own, put
from gitvault import git
from servers.embedder import EmbedServer, settings

from memoryclaw.app import App
from memoryclaw_fleet.node import FleetNode
from memoryclaw_fleet.postgres import SCHEMA, Postgres, server_of
from memoryclaw_fleet.settings import SERVER
from memoryclaw_fleet.store import Fleet

NOTES = {
    "notes/pets.md": "# Pets\n\nOur retriever sleeps by the stove.\n",
    "notes/health.md": "# Health\n\nThe physician comes on Monday.\n",
    "notes/travel.md": "# Travel\n\nThe ferry to Corsica leaves at dawn.\n",
}


@pytest.fixture
def model() -> Iterator[EmbedServer]:
    with EmbedServer() as server:
        yield server


@pytest.fixture
def postgres(migrated_url: str) -> Iterator[Postgres]:
    server = server_of(migrated_url, most=16)
    yield server
    server.close()


@pytest.fixture
def root(studio: Path, model: EmbedServer, own: Own) -> Path:
    own(settings(model))
    return put(studio, NOTES)


def on_server(root: Path, postgres: Postgres, vault: str = "ann") -> App:
    return App(root, overrides={"engine": "postgres", "extra": {SERVER: postgres.url, "index.vault": vault}})


def vectors(postgres: Postgres, vault: str = "ann") -> dict[bytes, bytes]:
    """What the server holds, read as its owner."""
    with postgres.connection() as connection:
        sql = f"select number from {SCHEMA}.vault where name = %s and audience = ''"
        ((number,),) = connection.execute(sql, (vault,)).fetchall()
    with postgres.transaction(number) as connection:
        return dict(connection.execute(f"select digest, floats from {SCHEMA}.vector").fetchall())


def soon(true: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def test_an_answer_is_the_same_as_beside_a_file(root: Path, postgres: Postgres) -> None:
    def answers(app: App) -> list[object]:
        app.sync()
        app.fill_vectors()
        answers = [app.search(words) for words in ("canine", "doctor next week", "vehicle", "ferry")]
        return [
            [(match.unit.id, match.terms, match.matched) for match in answer.matches] + [answer.degraded]
            for answer in answers
        ]

    with App(root) as beside, on_server(root, postgres) as app:
        own = answers(beside)
        assert own == answers(app)
    assert "notes/pets" in str(own[0])  # by meaning alone


def test_what_was_made_is_not_made_again(root: Path, postgres: Postgres, model: EmbedServer) -> None:
    with on_server(root, postgres) as app:
        app.sync()
        made = app.fill_vectors().filled
        assert made == len(vectors(postgres)) == len(set(model.texts))
        model.texts.clear()
        app.reindex()
        shutil.rmtree(root / ".memoryclaw/vectors")  # as on another machine
        assert app.fill_vectors() == ("hashed", app.index.size()[0], 0, 0, "")
        assert model.texts == []
        put(root, {"notes/new.md": "# New\n\nA canary sings.\n"})
        app.sync()
        assert app.fill_vectors().filled == 1
        assert len(vectors(postgres)) == made + 1


def test_vectors_of_another_model_are_replaced(root: Path, postgres: Postgres, model: EmbedServer) -> None:
    with on_server(root, postgres) as app:
        app.sync()
        app.fill_vectors()
        before = vectors(postgres)
    model.dimension, model.digest = 64, "sha256:2"
    with on_server(root, postgres) as app:
        assert app.fill_vectors().filled == len(before)
    after = vectors(postgres)
    assert after.keys() == before.keys()
    assert {len(row) for row in after.values()} == {64 * 4}


def test_a_purge_takes_the_vector_off_the_server(root: Path, postgres: Postgres) -> None:
    with on_server(root, postgres) as app:
        app.sync()
        app.fill_vectors()
        before = vectors(postgres)
        shutil.rmtree(root / ".memoryclaw/vectors")
        app.purge("notes/pets", dry_run=False)
    assert 0 < len(vectors(postgres)) < len(before)


class Town:
    def __init__(self, folder: Path, fleet: Fleet) -> None:
        self.folder, self.fleet = folder, fleet
        self.remarks: list[str] = []

    def node(self, name: str) -> FleetNode:
        node = FleetNode(
            self.folder / name,
            name,
            f"http://{name}",
            self.fleet,
            tell=self.remarks.append,
            lease=3,
            adopt=True,
        )
        node.start()
        return node


def test_another_node_asks_what_the_home_made_and_makes_none_when_it_takes_over(
    tmp_path: Path, postgres: Postgres, model: EmbedServer, own: Own
) -> None:
    hub, town = tmp_path / "ann.git", Town(tmp_path, Fleet(postgres))
    hub.mkdir()
    git(hub, "init", "-q", "--bare", "-b", "main", "--template=")
    own(settings(model))
    mine = put(tmp_path / "mine", {"memoryclaw.yaml": "", **NOTES})
    git(mine, "init", "-q", "-b", "main", "--template=")
    git(mine, "add", ".")
    git(mine, "commit", "-qm", "by hand")
    git(mine, "push", "-q", str(hub), "main")
    node = town.node("one")
    town.fleet.add("ann", str(hub), wanted="one")
    soon(lambda: node.homes.is_home("ann"))
    soon(lambda: len(vectors(postgres)) >= len(NOTES))
    two = town.node("two")
    try:
        passages = set(model.texts)
        model.texts.clear()
        with two.shadows.opened("ann", "owner") as app:
            answer = app.search("canine")
        with node.homes.opened("ann", "owner") as app:
            own = app.search("canine")
        assert [(match.unit.id, match.terms) for match in answer.matches] == [
            (match.unit.id, match.terms) for match in own.matches
        ]
        assert "notes/pets" in [match.unit.id for match in answer.matches]
        assert answer.degraded == own.degraded == ""
        assert not passages & set(model.texts)
        with node.homes.opened("ann", "owner") as app:
            before = vectors(postgres)
            app.purge("notes/pets")
        node.homes.acknowledge("ann")
        soon(lambda: len(vectors(postgres)) < len(before))
        erased = [row for digest, row in before.items() if digest not in vectors(postgres)]
        with two.shadows.opened("ann", "owner") as app:
            assert "notes/pets" not in [match.unit.id for match in app.search("canine").matches]
        (rows,) = (two.folder / ".shadows/ann").rglob("rows.f32")
        assert not any(row in rows.read_bytes() for row in erased)
        node.stop()
        soon(lambda: two.homes.is_home("ann"))
        with two.homes.opened("ann", "owner") as app:
            soon(lambda: app.status().vectors[2] == 0)
            assert "notes/health" in [match.unit.id for match in app.search("medic").matches]
        assert not passages & set(model.texts)
    finally:
        two.stop()
        node.stop()
    assert not [remark for remark in town.remarks if "vectors" in remark]
