"""Repositories that name their objects by SHA-256, also before they hold one; and users who sign their commits."""

from __future__ import annotations

import pytest
from conftest import Claw
from gitvault import git

from memoryclaw.app import App, init_vault, open_vault


@pytest.fixture
def empty(tmp_path):
    root = tmp_path / "v"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--template=", "--object-format=sha256")
    return root


def test_an_empty_repository_of_sha_256_becomes_a_vault(empty):
    made = init_vault(empty)
    assert len(made.commit) == 64
    assert git(empty, "fsck", "--strict") == ""
    assert git(empty, "status", "--porcelain") == ""
    with open_vault(empty) as app:
        done = app.remember("Rome", entity="Anna", field="city")
        app.undo(done.commit)
        app.remember("Met Nora Quillfeather at the slipway", tags=["nora"])
        [episode] = [note.id for note in app.browse(kind="episode")]
        assert app.purge(episode, history=True).hits == ()
    assert git(empty, "fsck", "--strict") == ""
    assert git(empty, "status", "--porcelain") == ""
    assert b"uillfeather" not in b"".join(path.read_bytes() for path in empty.rglob("*.md"))


def test_the_first_commit_in_an_empty_repository_is_one_of_its_format(empty):
    (empty / "memoryclaw.yaml").write_text("{}\n")
    with App(empty) as app:
        assert len(app.remember("Rome", entity="Anna", field="city").commit) == 64
    assert git(empty, "fsck", "--strict") == ""


@pytest.mark.parametrize(
    ("value", "is_told"), [("true", True), ("Yes", True), ("false", False), (None, False)]
)
def test_it_is_said_that_commits_are_not_signed(tmp_path, value, is_told):
    root = tmp_path / "v"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--template=")
    if value:
        git(root, "config", "commit.gpgSign", value)
    assert ("not signed" in init_vault(root).notice) == is_told
    shown = Claw(root)("status")
    assert ("not signed" in shown.out) == is_told
    with App(root) as app:
        assert "signed" not in app.remember("Rome", entity="Anna", field="city").notice
    assert "gpgsig" not in git(root, "cat-file", "commit", "HEAD")
