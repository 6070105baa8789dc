"""Law 3 and idempotence under kill -9: a run that is killed at any of its writes and run again leaves what an undisturbed one leaves."""

from __future__ import annotations

import shutil
import signal
from contextlib import suppress

import pytest
from changesets import FILES, PENDING, PROJECTS, RUN, whole
from git.cmd import Git
from gitvault import at_rest, branches_of, files_below, git, once, own_lines, pen_for, vault_of
from killing import killed_at, points_of

from memoryclaw.consolidation import apply as applying
from memoryclaw.errors import NotFoundError
from memoryclaw.review import decide
from memoryclaw.writing.writer import recover

assert Git  # loaded, so that no child has to
LANES = 2  # the points are shared out, so that several processes can look at them


def run(context, mode="direct", together=32):
    applying._BATCH = together
    applying.apply(context, whole(), mode=mode, loss_budget=0.2)


def by_twos(context):
    run(context, together=2)


def propose(context):
    run(context, mode="propose")


def branch(context):
    run(context, mode="branch")


def approve(context):
    # Approved is what was asked for; a second time there may be nothing left to approve.
    with suppress(NotFoundError):
        decide.approve(context, RUN)


def reject(context):
    with suppress(NotFoundError):
        decide.reject(context, RUN)


def child(root, at, verb):
    """Runs a verb in a process of its own, killed at its write number `at`; returns how it ended (0: well)."""
    return killed_at(at, lambda _: verb(pen_for(root))).code


def prepared(root, before):
    """A vault in which the user has unsaved work in two target files, staged and untracked work."""
    vault_of(root, {**FILES, "staged.md": "old\n"})
    if before:
        assert child(root, 0, before) == 0
    (root / "semantic/projects.md").write_text(PROJECTS.replace("Nordmole", "Nordmole A/S"))
    (root / "semantic/_pending.md").write_text(PENDING.replace("[ ]", "[x]"))
    (root / "staged.md").write_text("staged\n")
    git(root, "add", "staged.md")
    (root / "untracked.md").write_text("mine\n")
    return root


def state(root):
    """The user's files, what every branch holds, and the subjects of its commits."""
    files = files_below(root)
    return files, branches_of(root), own_lines(root, files), git(root, "ls-files", "--stage")


def assert_nothing_torn(root, undisturbed):
    """Each file is whole at any moment: as it was, as it will be, or on its way from one commit to the next."""
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    for path in (root / "runs").glob("*.json"):
        assert path.read_bytes() == (undisturbed / path.relative_to(root)).read_bytes()
    for path in (root / "episodes").glob("2026-11-20*.md"):
        assert path.read_bytes() == (undisturbed / path.relative_to(root)).read_bytes()


def assert_nothing_left(root):
    stray = [
        p for p in root.rglob("*") if p.name.endswith((".tmp", ".lock")) or p.name.startswith("memoryclaw.")
    ]
    assert [path for path in stray if path.name != "memoryclaw.yaml"] == []
    assert not (root / ".memoryclaw/pending.json").exists()


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory):
    """One run in this process: all that a run loads and compiles is there before any child is forked."""
    run(pen_for(prepared(tmp_path_factory.mktemp("warm") / "vault", None)))


def goes_on(root, verb, wanted):
    """The verb, run again, leaves what an undisturbed one leaves."""
    assert child(root, 0, verb) == 0
    assert state(root) == wanted, f"killed at write {root.name}"
    assert_nothing_left(root)


@pytest.mark.laws
@pytest.mark.parametrize("lane", range(LANES))
@pytest.mark.parametrize("verb", [run, by_twos, propose, branch, approve, reject])
def test_killed_at_any_write_and_run_again_it_is_as_if_undisturbed(tmp_path, verb, lane):
    start = prepared(tmp_path / "start", branch if verb in (approve, reject) else None)
    undisturbed = tmp_path / "whole"
    shutil.copytree(start, undisturbed, symlinks=True)
    points = points_of(undisturbed, lambda: verb(pen_for(undisturbed)))
    wanted = state(undisturbed)
    assert wanted != state(start)
    assert len(points) > 20
    for at in points[lane::LANES]:
        root = tmp_path / str(at)
        shutil.copytree(start, root, symlinks=True)
        killed = child(root, at, verb)
        assert killed in (0, -signal.SIGKILL)
        assert_nothing_torn(root, undisturbed)
        assert killed_at(0, lambda _: recover(str(root))).code == 0  # noqa: B023 - each verb begins with it
        once((undisturbed, at_rest(root)), lambda: goes_on(root, verb, wanted))  # noqa: B023
        shutil.rmtree(root)
