"""Twenty states that a repository can be in, and what verbs do there: a commit of theirs alone, or nothing at all and a sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from gitvault import ENV, git, users_work, work_of
from scenes import Vaults, files_of, is_sound, opened, settle
from tracing import BUG, OK, run

TAKES, REFUSES, WITHOUT = "takes commits", "refuses", "writes files without a commit, and overwrites none"
UNTRACKED = (
    "takes commits of new files; the user's are in no commit yet, and are neither swept in nor overwritten"
)


class State(NamedTuple):
    """How a repository gets there, and what a verb that writes is to do in it."""

    make: Callable[[Path], object]
    then: str
    unmake: Callable[[Path], object] | None = None  # what the user does about it


def started(root: Path, *args: str) -> None:
    """A git command of the user's that stops half-way."""
    git(root, *args, check=False, GIT_EDITOR="true")


def diverged(root: Path) -> None:
    """Another branch that changes the same line of a file of the user's; the user's own work is committed first."""
    git(root, "commit", "-qam", "mine")
    git(root, "switch", "-qc", "other", "HEAD~1")
    (root / "mine.md").write_text("theirs\n")
    git(root, "commit", "-qam", "theirs")
    git(root, "switch", "-q", "main")


def merging(root: Path) -> None:
    diverged(root)
    started(root, "merge", "-q", "other")


def rebasing(root: Path) -> None:
    diverged(root)
    started(root, "rebase", "-q", "other")


def picking(root: Path) -> None:
    diverged(root)
    started(root, "cherry-pick", "other")


def reverting(root: Path) -> None:
    diverged(root)
    (root / "mine.md").write_text("once more\n")
    git(root, "commit", "-qam", "once more")
    started(root, "revert", "--no-edit", "HEAD~1")


def bisecting(root: Path) -> None:
    git(root, "stash", "-q")
    started(root, "bisect", "start", "HEAD", "HEAD~2")


def conflicted(root: Path) -> None:
    """A merge that was given up on, with the markers left in the index."""
    merging(root)
    (root / ".git/MERGE_HEAD").unlink()


def unborn(root: Path) -> None:
    shutil.rmtree(root / ".git")
    git(root, "init", "-q", "-b", "main", "--template=")


def shallow(root: Path) -> None:
    work = root.parent / f"{root.name}-shallow"
    git(root, "stash", "-q")
    subprocess.run(["git", "clone", "-q", "--depth", "1", root.as_uri(), work], env=ENV, check=True)
    shutil.rmtree(root / ".git")
    shutil.move(work / ".git", root / ".git")
    shutil.rmtree(work)


def bare(root: Path) -> None:
    git(root, "config", "core.bare", "true")


def worktree(root: Path) -> None:
    """The vault is a further working tree of a repository that lies elsewhere."""
    git(root, "stash", "-q")
    away = root.parent / f"{root.name}-main"
    shutil.move(root, away)
    git(away, "switch", "-qc", "elsewhere")
    git(away, "worktree", "add", "-q", str(root), "main")
    shutil.copytree(away / "logs", root / "logs")


def submodule(root: Path) -> None:
    inner = root.parent / f"{root.name}-module"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main", "--template=")
    (inner / "x.md").write_text("x\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "module")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "module")


def packed(root: Path) -> None:
    git(root, "pack-refs", "--all")
    git(root, "gc", "-q")


def missing(root: Path) -> None:
    """The tree of the last commit is gone."""
    tree = git(root, "rev-parse", "HEAD^{tree}").strip()
    (root / ".git/objects" / tree[:2] / tree[2:]).unlink()


def corrupt(root: Path) -> None:
    (root / ".git/index").write_bytes(b"DIRC" + b"\0" * 200)


def sparse(root: Path) -> None:
    git(root, "stash", "-q")
    git(root, "sparse-checkout", "set", "--no-cone", "/*", "!/skills/")


def assumed(root: Path) -> None:
    git(root, "update-index", "--assume-unchanged", "semantic/projects.md")
    git(root, "update-index", "--skip-worktree", "notes/a.md")


def locked(root: Path) -> None:
    (root / ".git/index.lock").touch()


def ref_locked(root: Path) -> None:
    (root / ".git/refs/heads/main.lock").touch()


def lost_branch(root: Path) -> None:
    (root / ".git/refs/heads/main").write_text("")


def unlock(root: Path) -> None:
    for path in (root / ".git").rglob("*.lock"):
        path.unlink()


STATES = {
    "merge": State(merging, REFUSES, lambda root: git(root, "merge", "--abort")),
    "rebase": State(rebasing, REFUSES, lambda root: git(root, "rebase", "--abort")),
    "cherry-pick": State(picking, REFUSES, lambda root: git(root, "cherry-pick", "--abort")),
    "revert": State(reverting, REFUSES, lambda root: git(root, "revert", "--abort")),
    "bisect": State(bisecting, REFUSES, lambda root: git(root, "bisect", "reset")),
    "conflict markers in the index": State(conflicted, TAKES),
    "detached HEAD": State(lambda root: git(root, "switch", "-q", "--detach"), REFUSES, lambda root: git(root, "switch", "-q", "main")),
    "unborn branch": State(unborn, UNTRACKED),
    "no git": State(lambda root: shutil.rmtree(root / ".git"), WITHOUT),
    "shallow": State(shallow, TAKES),
    "bare": State(bare, REFUSES, lambda root: git(root, "config", "core.bare", "false")),
    "a further working tree": State(worktree, TAKES),
    "a submodule": State(submodule, TAKES),
    "another's lock of the index": State(locked, REFUSES, unlock),
    "another's lock of the branch": State(ref_locked, REFUSES, unlock),
    "a branch that names nothing": State(lost_branch, REFUSES),
    "packed branches and objects": State(packed, TAKES),
    "a missing object": State(missing, REFUSES),
    "a corrupt index": State(corrupt, REFUSES, lambda root: ((root / ".git/index").unlink(), git(root, "reset", "-q"))),
    "sparse checkout": State(sparse, TAKES),
    "assume-unchanged": State(assumed, TAKES),
    "staged and unstaged work in one file": State(lambda root: None, TAKES),
}  # fmt: skip
VERBS = {
    "remember an episode": lambda app: app.remember("Met Zoë at the slipway", note=True),
    "remember a fact": lambda app: app.remember("Rome", entity="Boathouse", field="office"),
    "edit a note": lambda app: app.edit("n1", {"tags": ["a", "b"]}),
    "forget a note": lambda app: app.forget("n2"),
    "claim": lambda app: app.claim("Dana", entity="Boathouse", field="lead", tool="t"),
    "consolidate": lambda app: app.consolidate(llm="none"),
}


def test_there_are_twenty():
    assert len(STATES) >= 20


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """A lock of another's is waited for; here nobody takes it away."""
    monkeypatch.setattr("memoryclaw.writing.writer.WAIT", 0.1)
    monkeypatch.setattr("memoryclaw.history.journal._WAIT", 0.1)


@pytest.mark.parametrize("name", STATES)
def test_a_verb_commits_its_change_alone_or_changes_nothing(campaign, vaults: Vaults, name):
    state = STATES[name]
    with campaign("a git state") as trials:
        for verb, act in VERBS.items():
            with trials.trial(f"{name}: {verb}"):
                root = vaults.copy(vaults.base)
                state.make(root)
                with opened(root) as app:
                    app.sync()
                one_verb(root, state, act)
                shutil.rmtree(root)


def seen(root: Path) -> tuple[dict[str, bytes], list[object]]:
    """The files, and everything that the user's own git shows of them."""
    files = files_of(root)
    asked = [("rev-parse", "--verify", "-q", "HEAD"), ("diff",), ("diff", "--cached"), ("status", "--porcelain"), ("ls-files", "-v", "--stage")]  # fmt: skip
    return files, [git(root, *words, check=False) for words in asked]


def users(root: Path) -> list[list[str]]:
    """The user's own lines; where git shows an empty one among them says nothing of them."""
    return [sorted(line for line in part if line.strip("+-")) for part in work_of(users_work(root))]


def one_verb(root: Path, state: State, act: Callable[..., object]) -> None:
    files, shown = seen(root)
    commits = count(root)
    work = users(root) if state.then == TAKES else []
    committed = (
        {path: path.read_bytes() for path in root.joinpath(".git").rglob("*.lock")}
        if (root / ".git").is_dir()
        else {}
    )

    def does(acknowledge: Callable[[str], None]) -> None:
        with opened(root) as app:
            act(app)
            acknowledge("done")

    ended = run(does, watched=False)
    assert ended.code != BUG, ended.output[-800:]
    after, shows = seen(root)
    if ended.code != OK:
        overwrites = (
            state.then == WITHOUT and "what this overwrites could not be brought back" in ended.output
        )
        assert state.then in {REFUSES, UNTRACKED} or overwrites, f"refused: {ended.output}"
        assert ended.output.strip(), "it was refused without a sentence"
        assert after == files, (
            f"refused, and yet {[p for p in {*after, *files} if after.get(p) != files.get(p)]} changed"
        )
        assert shows == shown, "refused, and yet git shows another state"
    else:
        assert state.then != REFUSES, "it should have been refused"
        assert after != files
    if state.then == TAKES:
        assert count(root) > commits, "nothing was committed"
        assert users(root) == work, "the user's own work is not as it was"
        assert git(root, "fsck", "--strict", "--no-dangling") == ""
    assert {path: path.read_bytes() for path in committed if path.exists()} == committed, (
        "a lock of another's was touched"
    )
    with opened(root) as app:
        assert app.search("lantern").matches, "the files are not served"
        assert app.status().git if hasattr(app.status(), "git") else True
    if state.unmake:
        state.unmake(root)
        again = run(does, watched=False)
        assert again.code == OK, f"what the user did about it did not help: {again.output}"
        settle(root)
        is_sound(root)


def count(root: Path) -> int:
    done = subprocess.run(["git", "-C", root, "rev-list", "--count", "HEAD"], env=ENV, capture_output=True, text=True, check=False)  # fmt: skip
    return int(done.stdout) if done.returncode == 0 and os.path.exists(root / ".git") else 0
