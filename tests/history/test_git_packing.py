"""A long life leaves thousands of loose objects: they are packed, nothing is lost, and what is somebody else's is left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest
from gitvault import NOW, copy_repositories, git, vault_of

from memoryclaw.app import open_vault
from memoryclaw.history import repository
from memoryclaw.history.repository import History
from memoryclaw.writing.writer import Edit, text_change, write

FEW = 40


def loose(root) -> set[str]:
    return {path.parent.name + path.name for path in (root / ".git/objects").glob("[0-9a-f][0-9a-f]/*")}


def packs(root) -> list[str]:
    return sorted(path.name for path in (root / ".git/objects/pack").iterdir())


def everything(root) -> dict[str, str]:
    """Every object that the repository holds, with its type, and every ref."""
    out = git(root, "cat-file", "--batch-check", "--batch-all-objects").splitlines()
    return {
        **{line.split()[0]: line for line in out},
        "refs": git(root, "for-each-ref"),
        "log": git(root, "reflog"),
    }


def nameless(root, *how: str) -> str:
    """The id of an object that no commit, branch or index names."""
    (root.parent / "nameless").write_text("nothing names this\n")
    return git(root, "hash-object", *how, str(root.parent / "nameless")).strip()


def change(root, text: str) -> None:
    write(
        str(root),
        [Edit("a.md", text_change(lambda _: text))],
        lambda: f"{text}\nRun: r-1\n",
        verb="test",
        now=NOW,
    )


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    made = vault_of(tmp_path_factory.mktemp("made") / "v", {"a.md": "0\n"})
    for number in range(20):
        change(made, f"{number}\n")
    git(made, "branch", "side", "HEAD~3")
    git(made, "tag", "old", "HEAD~5")
    nameless(made, "-w")
    return made


@pytest.fixture
def root(template, tmp_path, monkeypatch):
    monkeypatch.setattr(repository, "_MANY", FEW)
    copy_repositories(template.parent, tmp_path)
    return tmp_path / template.name


def test_what_is_named_is_packed_and_what_nothing_names_stays(root):
    before = everything(root)
    torn, young = (root / ".git/objects/pack" / name for name in ("tmp_pack_old", "tmp_pack_young"))
    for path in (torn, young):
        path.write_bytes(b"half")
    os.utime(torn, (1, 1))
    assert len(loose(root)) > FEW
    went = History(str(root)).pack()
    assert went > FEW
    assert loose(root) == {nameless(root)}
    assert (torn.exists(), young.exists()) == (False, True), "a git that is at work may write the young one"
    assert everything(root) == before
    assert "dangling" in git(root, "fsck", "--full", "--strict", "--no-reflogs")
    change(root, "after\n")
    assert git(root, "log", "-1", "--format=%s").strip() == "after"
    assert History(str(root)).pack() == 0, "few are left"


def test_a_night_packs(root):
    with open_vault(root, clock=lambda: NOW) as app:
        app.consolidate(llm="none")
    assert len(loose(root)) < FEW
    assert len(git(root, "log", "--format=%s").splitlines()) == 20
    assert git(root, "fsck", "--no-dangling") == ""


def test_no_hook_and_no_program_of_the_repository_is_run(root):
    ran = root.parent / "ran"
    for name in ("pre-auto-gc", "reference-transaction", "post-rewrite"):
        hook = root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
        hook.chmod(0o755)
    for key in ("core.fsmonitor", "core.alternateRefsCommand", "core.pager"):
        git(root, "config", key, f"touch {ran};")
    assert History(str(root)).pack() > FEW
    assert not ran.exists()


@pytest.mark.parametrize("how", ["worktree", "gc.auto"])
def test_what_somebody_else_keeps_is_left_alone(root, how):
    place = root
    if how == "worktree":
        place = root.parent / "tree"
        git(root, "worktree", "add", "-q", str(place), "side")
    else:
        git(root, "config", "gc.auto", "0")
    before = loose(root)
    assert History(str(place)).pack() == 0
    assert loose(root) == before
    assert packs(root) == []


def test_a_submodule_is_left_alone(root, tmp_path):
    outer = vault_of(tmp_path / "outer", {"b.md": "1\n"})
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "inner")
    inner = outer / "inner"
    for number in range(20):
        change(inner, f"inner {number}\n")
    assert History(str(inner)).pack() == 0
    assert not list((outer / ".git/modules/inner/objects/pack").glob("tmp*"))


@pytest.mark.parametrize("ms", [1, 3, 6, 10, 15, 25])
def test_killed_in_the_middle_nothing_is_lost_and_the_next_one_does_it(root, ms):
    before = everything(root)
    started = subprocess.Popen(
        ["git", "--git-dir", str(root / ".git"), "repack", "-d", "-l", "-q"], start_new_session=True
    )
    time.sleep(ms / 1000)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    assert everything(root) == before
    change(root, "between\n")
    History(str(root)).pack()
    assert len(loose(root)) <= FEW
    assert before.items() - {("refs", before["refs"]), ("log", before["log"])} <= everything(root).items()
    git(root, "fsck", "--full", "--strict")
