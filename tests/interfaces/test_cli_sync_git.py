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
    claw = Claw(root)
    claw("sync", "--with-git")
    git(tmp_path, "clone", "-q", str(hub), "b")
    return claw, Claw(tmp_path / "b")


def test_what_is_said_of_an_exchange(pair: tuple[Claw, Claw]) -> None:
    first, second = pair
    second("remember", "Bern", "--entity", "Anna", "--field", "city")
    said = second("sync", "--with-git")
    assert said.code == 0
    assert said.out.startswith("origin/main: 0 commits received, 1 commit sent.\n")
    report = first("sync", "--with-git", "--json").json
    assert report["added"] == 1, "the index is in line with what came"
    assert report["git"]["received"] == 1
    assert report["git"]["files"] == ["semantic/facts.md"]
    assert first("sync", "--with-git").out.startswith("origin/main: nothing new, here or there.\n")
    assert "Bern" in first("facts", "Anna").out


def test_what_goes_wrong_is_one_sentence(pair: tuple[Claw, Claw], tmp_path: Path) -> None:
    first, _ = pair
    git(first.vault, "remote", "set-url", "origin", str(tmp_path / "gone"))
    failed = first("sync", "--with-git")
    assert failed.code == 1
    assert failed.err.count("\n") == 1
    assert failed.err.startswith("memoryclaw: git fetch of origin/main failed: ")
    git(first.vault, "remote", "remove", "origin")
    assert first("sync", "--with-git").err.startswith("memoryclaw: this vault has no remote; run ")
    assert first("--audience", "agent", "sync", "--with-git").code == 1
