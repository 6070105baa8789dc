"""Locks of git's: ours of a killed `update-ref` are known, another's is named and stays."""

from __future__ import annotations

import os
import subprocess
import time

import pytest
from gitvault import git, vault_of

from memoryclaw.errors import HistoryError
from memoryclaw.history.repository import History, git_state, other_locks

REF = "refs/heads/main"
NOTHING = "0" * 40


def vault(tmp_path):
    return vault_of(tmp_path / "v", {"a.md": "x\n"})


def locks(root):
    return sorted(str(path.relative_to(root / ".git")) for path in (root / ".git").rglob("*.lock"))


# (what the branch's lock holds, whether HEAD's is there, whether the branch has moved): each moment of an `update-ref`.
MOMENTS = {
    "the branch is locked": ("", False, False),
    "the commit is written": ("new", False, False),
    "HEAD is locked": ("new", True, False),
    "the branch has moved": (None, True, True),
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("worktree", [False, True])
def test_every_lock_that_a_killed_update_of_ours_leaves_is_cleared(tmp_path, moment, worktree):
    root, name = vault(tmp_path), "main"
    common = git_dir = root / ".git"
    if worktree:
        git(root, "worktree", "add", "-q", "-b", "other", str(tmp_path / "w"))
        root, git_dir, name = tmp_path / "w", common / "worktrees/w", "other"
    named, head, moved = MOMENTS[moment]
    new = git(root, "commit-tree", "-m", "new", "-p", "HEAD", "HEAD^{tree}").strip()
    ref_lock = common / f"refs/heads/{name}.lock"
    if named is not None:
        ref_lock.write_text(named and f"{new}\n")
    if head:
        (git_dir / "HEAD.lock").touch()
    if moved:
        (common / f"refs/heads/{name}").write_text(f"{new}\n")
    history, now = History(str(root)), time.time()
    assert history.state().name == "locked"
    history.clear_locks(f"refs/heads/{name}", new, now)
    assert not ref_lock.exists()
    assert not (git_dir / "HEAD.lock").exists()


@pytest.mark.parametrize(
    ("named", "head", "age"),
    [
        (NOTHING, True, 0),  # another commit is on its way
        ("", False, 3600),  # from long before
        ("", False, -3600),  # from long after
        (None, True, 0),  # the branch is not where we wanted it
    ],
)
def test_a_lock_that_is_not_provably_ours_stays(tmp_path, named, head, age):
    root = vault(tmp_path)
    new = git(root, "commit-tree", "-m", "new", "-p", "HEAD", "HEAD^{tree}").strip()
    for name, text in ((f"{REF}.lock", named), ("HEAD.lock", "" if head else None)):
        if text is not None:
            (root / ".git" / name).write_text(text)
            os.utime(root / ".git" / name, (time.time() - age,) * 2)
    before = locks(root)
    History(str(root)).clear_locks(REF, new, time.time())
    assert locks(root) == before


def test_an_empty_lock_that_a_process_has_open_stays(tmp_path):
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("this system does not tell who has a file open")
    root = vault(tmp_path)
    with open(root / f".git/{REF}.lock", "w"):
        History(str(root)).clear_locks(REF, NOTHING, time.time())
        assert f"process {os.getpid()} (" in git_state(str(root)).sentence
    assert locks(root) == [f"{REF}.lock"]


@pytest.mark.parametrize("name", ["HEAD.lock", f"{REF}.lock", "index.lock", "reftable/tables.list.lock"])
def test_a_lock_in_the_way_is_told_with_its_path_and_its_age(tmp_path, name):
    root = vault(tmp_path)
    path = root / ".git" / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    os.utime(path, (time.time() - 3 * 86400 - 60,) * 2)
    state = git_state(str(root))
    assert (state.name, state.lock) == ("locked", str(path))
    assert f".git/{name} (3 days old)" in state.sentence
    assert "remove it" in state.sentence


def test_a_git_that_is_at_work_in_the_vault_is_named(tmp_path):
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("this system does not tell where a process is")
    root = vault(tmp_path)
    (root / ".git/HEAD.lock").touch()
    at_work = subprocess.Popen(
        ["git", "cat-file", "--batch"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        at_work.stdin.write(b"HEAD\n")
        at_work.stdin.flush()
        at_work.stdout.readline()  # it has begun
        assert f"process {at_work.pid} (git)" in git_state(str(root)).sentence
    finally:
        at_work.communicate()


@pytest.mark.parametrize("name", ["packed-refs.lock", "config.lock", "refs/heads/memoryclaw/run.lock"])
def test_a_lock_that_keeps_no_commit_away_is_told_beside(tmp_path, name):
    root = vault(tmp_path)
    path = root / ".git" / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    state = git_state(str(root))
    assert state.writable
    [sentence] = other_locks(str(root), state)
    assert f".git/{name}" in sentence


def test_a_verb_that_meets_a_lock_names_it(tmp_path):
    root = vault(tmp_path)
    git(root, "branch", "other")
    (root / ".git/packed-refs.lock").touch()
    with pytest.raises(HistoryError, match=r"\.git/packed-refs\.lock \("):
        History(str(root)).git.run("update-ref", "-d", "refs/heads/other")
