"""Law 1 to 3 under kill -9: a verb that is killed at any of its writes leaves the vault as it was, or finished."""

from __future__ import annotations

import json
import shutil
import signal

import pytest
from git.cmd import Git
from gitvault import branches_of, files_below, git, own_lines, pen_for, vault_of
from killing import killed_at, points_of

from memoryclaw.writing.edit import edit, forget
from memoryclaw.writing.remember import remember
from memoryclaw.writing.writer import recover

assert Git  # loaded, so that no child has to
FACTS = "# Anna\n- city: Berlin\n- phone: 1\n"
WORK = "# Anna\n- city: Berlin\n- phone: 1\n\n# Mine\n- note: unsaved\n"
FILES = {
    "semantic/people.md": FACTS,
    "notes/a.md": "---\nid: n1\ntags: [a]\n---\nbody\n",
    "staged.md": "old\n",
}

# What a child process does; each is killed at its first write, its second, … until it gets through.
VERBS = {
    "remember a fact": lambda context: remember(context, "Bern", entity="Anna", field="city"),
    "remember an episode": lambda context: remember(context, "Met Zoë"),
    "edit": lambda context: edit(context, "n1", {"tags": "a, b"}),
    "forget a note": lambda context: forget(context, "n1"),
    "forget a fact": lambda context: forget(context, "semantic/people#Anna.phone"),
}

REPEATABLE = {"remember a fact", "edit"}


def child(root, at, verb):
    """Does a verb in a process of its own; what it gives back is acknowledged before the process ends."""

    def work(acknowledge):
        done = verb(pen_for(root))
        acknowledge(json.dumps(done).encode())

    return killed_at(at, work)


def fresh(tmp_path, number):
    """A vault in which the user has unsaved, staged and untracked work."""
    root = vault_of(tmp_path / str(number), FILES)
    (root / "semantic/people.md").write_text(WORK)
    (root / "staged.md").write_text("staged\n")
    git(root, "add", "staged.md")
    (root / "untracked.md").write_text("mine\n")
    return root


def state(root):
    """The user's files (git's and ours left out) and what the branches hold."""
    return files_below(root), branches_of(root)


def assert_sound(root, old, new, work, *, acknowledged):
    after = state(root)
    assert after in (old, new), f"torn: {after}"
    if acknowledged:
        assert after == new
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    assert own_lines(root, after[0]) == work
    stray = [
        path
        for path in root.rglob("*")
        if path.name.endswith((".tmp", ".lock")) or path.name.startswith("memoryclaw.index")
    ]
    assert stray == []
    assert not (root / ".memoryclaw/pending.json").exists()


@pytest.mark.laws
@pytest.mark.parametrize("name", VERBS)
def test_killed_at_any_write_the_vault_is_old_or_new_and_nothing_stays_behind(tmp_path, name):
    verb = VERBS[name]
    start = fresh(tmp_path, "old")
    old = state(start)
    work = own_lines(start, old[0])
    whole = shutil.copytree(start, tmp_path / "new")
    points = points_of(whole, lambda: verb(pen_for(whole)))
    new = state(whole)
    assert new != old
    assert len(points) > 20
    for at in points:
        root = shutil.copytree(start, tmp_path / str(at))
        killed = child(root, at, verb)
        assert killed.code in (0, -signal.SIGKILL)
        assert killed_at(0, lambda _: recover(str(root))).code == 0  # noqa: B023 - it is over when this returns
        assert_sound(root, old, new, work, acknowledged=bool(killed.acknowledged))
        if name in REPEATABLE:
            assert child(root, 0, verb).code == 0
            assert_sound(root, new, new, work, acknowledged=True)
        shutil.rmtree(root)
