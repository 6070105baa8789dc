"""`sync --with-git` at the command line and over HTTP's shapes: what is said, in words and as JSON, and the exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw
from gitvault import git, vault_of


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Claw, Claw]:
    hub = tmp_path / "hub.git"
    hub.mkdir()
    git(hub, "init", "-q", "--bare", "-b", "main")
    root = vault_of(tmp_path / "a", {"memoryclaw.yaml": "# mine\n", "notes/a.md": "The lantern.\n"})
    git(root, "remote", "add", "origin", str(hub))
    one = Claw(root)
    one("sync", "--with-git")
    git(tmp_path, "clone", "-q", str(hub), "b")
    return one, Claw(tmp_path / "b")


def test_what_is_said_of_an_exchange(pair: tuple[Claw, Claw]) -> None:
    one, two = pair
    two("remember", "Bern", "--entity", "Anna", "--field", "city")
    said = two("sync", "--with-git")
    assert said.code == 0
    assert said.out.startswith("origin/main: 0 commits received, 1 commit sent.\n")
    found = one("sync", "--with-git", "--json").json
    assert found["added"] == 1, "the index is in line with what came"
    assert found["git"]["received"] == 1
    assert found["git"]["files"] == ["semantic/facts.md"]
    assert one("sync", "--with-git").out.startswith("origin/main: nothing new, here or there.\n")
    assert "Bern" in one("facts", "Anna").out


def test_what_goes_wrong_is_one_sentence(pair: tuple[Claw, Claw], tmp_path: Path) -> None:
    one, _ = pair
    git(one.vault, "remote", "set-url", "origin", str(tmp_path / "gone"))
    failed = one("sync", "--with-git")
    assert failed.code == 1
    assert failed.err.count("\n") == 1
    assert failed.err.startswith("memoryclaw: git fetch of origin/main failed: ")
    git(one.vault, "remote", "remove", "origin")
    assert one("sync", "--with-git").err.startswith("memoryclaw: this vault has no remote; run ")
    assert one("--audience", "agent", "sync", "--with-git").code == 1
