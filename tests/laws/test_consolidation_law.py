"""Law 3 and idempotence under kill -9: a run that is killed at any of its writes and run again leaves what an undisturbed one leaves."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from changesets import FILES, PENDING, PROJECTS, RUN
from gitvault import git, users_work, vault_of
from test_kill_points import CHILD, work_of

HERE = Path(__file__).resolve()
# The counting of writes comes from the harness of the other verbs.
COUNTING = CHILD[CHILD.index("count = 0") : CHILD.index("pen = ")]
CODE = f"""
import json, os, signal, subprocess, sys
root, at, verb = sys.argv[1], int(sys.argv[2]), sys.argv[3]
import gitvault
from changesets import RUN, whole
from memoryclaw.jobs.consolidation import applying
from memoryclaw.jobs.consolidation.applying import apply
from memoryclaw.jobs.consolidation.branching import approve, reject
from git.cmd import Git
{COUNTING}
pen = gitvault.pen_for(root)
exec(verb)
"""
DIRECT = "apply(pen, whole(), mode='direct', loss_budget=0.2)"
VERBS = {
    "direct, all at once": ("", DIRECT),
    "direct, by twos": ("", f"applying._TOGETHER = 2; {DIRECT}"),
    "propose": ("", DIRECT.replace("direct", "propose")),
    "branch": ("", DIRECT.replace("direct", "branch")),
    "approve": (DIRECT.replace("direct", "branch"), "approve(pen, RUN)"),
    "reject": (DIRECT.replace("direct", "branch"), "reject(pen, RUN)"),
}
LANES = 4  # the points are shared out, so that several processes can look at them


def child(root, at, verb):
    path = os.pathsep.join((str(HERE.parents[1]), str(HERE.parents[2])))
    env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", CODE, str(root), str(at), verb]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def prepared(root, before):
    """A vault in which the user has unsaved work in two target files, staged and untracked work."""
    vault_of(root, {**FILES, "staged.md": "old\n"})
    if before:
        assert child(root, 0, before).returncode == 0
    (root / "semantic/projects.md").write_text(PROJECTS.replace("Nordmole", "Nordmole A/S"))
    (root / "semantic/_pending.md").write_text(PENDING.replace("[ ]", "[x]"))
    (root / "staged.md").write_text("staged\n")
    git(root, "add", "staged.md")
    (root / "untracked.md").write_text("mine\n")
    return root


def state(root):
    """The user's files, what every branch holds, and the subjects of its commits."""
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).parts[0] not in {".git", ".memoryclaw"}
    }
    refs = git(root, "for-each-ref", "--format=%(refname)").split()
    trees = {ref: (git(root, "ls-tree", "-r", ref), git(root, "log", "--format=%s", ref)) for ref in refs}
    return files, trees, work_of(users_work(root)), git(root, "ls-files", "--stage")


def assert_nothing_torn(root, whole):
    """Each file is whole at any moment: as it was, as it will be, or on its way from one commit to the next."""
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    for path in (root / "runs").glob("*.json"):
        assert path.read_bytes() == (whole / path.relative_to(root)).read_bytes()
    for path in (root / "episodes").glob("2026-11-20*.md"):
        assert path.read_bytes() == (whole / path.relative_to(root)).read_bytes()


def assert_nothing_left(root):
    stray = [
        p for p in root.rglob("*") if p.name.endswith((".tmp", ".lock")) or p.name.startswith("memoryclaw.")
    ]
    assert [path for path in stray if path.name != "memoryclaw.yaml"] == []
    assert not (root / ".memoryclaw/pending.json").exists()


@pytest.mark.laws
@pytest.mark.parametrize("lane", range(LANES))
@pytest.mark.parametrize("name", VERBS)
def test_killed_at_any_write_and_run_again_it_is_as_if_undisturbed(tmp_path, name, lane):
    before, verb = VERBS[name]
    start = prepared(tmp_path / "start", before)
    whole = tmp_path / "whole"
    shutil.copytree(start, whole, symlinks=True)
    assert child(whole, 0, verb).returncode == 0
    wanted = state(whole)
    assert wanted != state(start)
    points = 0
    for at in range(1 + lane, 5000, LANES):
        root = tmp_path / str(at)
        shutil.copytree(start, root, symlinks=True)
        killed = child(root, at, verb)
        assert killed.returncode in (0, -signal.SIGKILL), killed.stderr
        assert_nothing_torn(root, whole)
        again = child(root, 0, verb)
        # Approved or rejected is what was asked for; a second time there is nothing left to say it of.
        gone = name in {"approve", "reject"} and f"no run '{RUN}' waits" in again.stderr
        assert again.returncode == 0 or gone, again.stderr
        assert state(root) == wanted, f"killed at write {at}"
        assert_nothing_left(root)
        if killed.returncode == 0:
            break
        points += 1
        shutil.rmtree(root)
    assert points > 5
