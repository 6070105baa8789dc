"""Law 1 to 3 under kill -9: a verb that is killed at any of its writes leaves the vault as it was, or finished."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from gitvault import git, users_work, vault_of

HERE = Path(__file__).resolve()
FACTS = "# Anna\n- city: Berlin\n- phone: 1\n"
WORK = "# Anna\n- city: Berlin\n- phone: 1\n\n# Mine\n- note: unsaved\n"
FILES = {
    "semantic/people.md": FACTS,
    "notes/a.md": "---\nid: n1\ntags: [a]\n---\nbody\n",
    "staged.md": "old\n",
}

# What a child process does; each is killed at its first write, its second, … until it gets through.
VERBS = {
    "remember a fact": "remember(pen, 'Bern', entity='Anna', field='city')",
    "remember an episode": "remember(pen, 'Met Zoë')",
    "edit": "edit(pen, 'n1', {'tags': 'a, b'})",
    "forget a note": "forget(pen, 'n1')",
    "forget a fact": "forget(pen, 'semantic/people#Anna.phone')",
}

REPEATABLE = {"remember a fact", "edit"}

CHILD = r"""
import json, os, signal, subprocess, sys
root, at, verb = sys.argv[1], int(sys.argv[2]), sys.argv[3]
import gitvault
from memoryclaw.jobs.remember import remember
from memoryclaw.jobs.edit import edit
from memoryclaw.jobs.forget import forget
from git.cmd import Git
count = 0
def step():
    global count
    count += 1
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)
def counted(module, name, when=lambda *a, **k: True):
    real = getattr(module, name)
    def call(*args, **options):
        if when(*args, **options):
            step()
        return real(*args, **options)
    setattr(module, name, call)
for name in ("write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "fchmod"):
    counted(os, name)
counted(os, "open", lambda path, flags=0, *a, **k: bool(flags & os.O_CREAT))
counted(subprocess.Popen, "__init__")
counted(subprocess.Popen, "communicate")
pen = gitvault.pen_for(root)
done = eval(verb)
os.write(1, json.dumps(done).encode())
"""

RECOVER = "import sys; from memoryclaw.jobs.recovery import recover; print(recover(sys.argv[1]))"


def child(code, *args):
    path = os.pathsep.join((str(HERE.parents[1]), str(HERE.parents[2])))
    env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)], env=env, capture_output=True, text=True, check=False
    )


def fresh(tmp_path, number):
    """A vault in which the user has unsaved, staged and untracked work."""
    root = vault_of(tmp_path / str(number), FILES)
    (root / "semantic/people.md").write_text(WORK)
    (root / "staged.md").write_text("staged\n")
    git(root, "add", "staged.md")
    (root / "untracked.md").write_text("mine\n")
    return root


def state(root):
    """The user's files (git's and ours left out) and what HEAD holds."""
    files = {
        str(path.relative_to(root)): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).parts[0] not in {".git", ".memoryclaw"}
    }
    return files, git(root, "ls-tree", "-r", "HEAD")


def assert_sound(root, old, new, work, *, acknowledged):
    found = state(root)
    assert found in (old, new), f"torn: {found}"
    if acknowledged:
        assert found == new
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    assert git(root, "rev-list", "--count", "HEAD").strip() == ("2" if found == new else "1")
    assert work_of(users_work(root)) == work_of(work)
    stray = [
        path
        for path in root.rglob("*")
        if path.name.endswith((".tmp", ".lock")) or path.name.startswith("memoryclaw.index")
    ]
    assert stray == []
    assert not (root / ".memoryclaw/pending.json").exists()


def work_of(shown):
    """The user's own added and removed lines, whatever stands around them."""
    return [
        [line for line in part if not line.startswith(("@@", " ", "+++", "---", "diff", "?? .memory"))]
        for part in shown
    ]


@pytest.mark.laws
@pytest.mark.parametrize("name", VERBS)
def test_killed_at_any_write_the_vault_is_old_or_new_and_nothing_stays_behind(tmp_path, name):
    verb = VERBS[name]
    start = fresh(tmp_path, "old")
    old, work = state(start), users_work(start)
    whole = fresh(tmp_path, "new")
    assert child(CHILD, whole, 0, verb).returncode == 0
    new = state(whole)
    assert new != old
    points = 0
    for at in range(1, 1000):
        root = fresh(tmp_path, at)
        killed = child(CHILD, root, at, verb)
        assert killed.returncode in (0, -signal.SIGKILL), killed.stderr
        recovered = child(RECOVER, root)
        assert recovered.returncode == 0, recovered.stderr
        assert_sound(root, old, new, work, acknowledged=bool(killed.stdout))
        if name in REPEATABLE:
            again = child(CHILD, root, 0, verb)
            assert again.returncode == 0, again.stderr
            assert_sound(root, new, new, work, acknowledged=True)
        if killed.returncode == 0:
            break
        points += 1
        subprocess.run(["rm", "-rf", str(root)], check=True)
    assert points > 20
