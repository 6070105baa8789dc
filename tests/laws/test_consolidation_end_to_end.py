"""Law 1 to 3 over a whole night: killed at any write of `consolidate` and run again, the vault is as if nobody had disturbed it."""

from __future__ import annotations

import shutil
import signal
from datetime import datetime
from pathlib import Path

import pytest
from conftest import put
from gitvault import git, vault_of
from killing import killed_at, points_of
from nights import LATER, LOGS, NIGHT, PROJECTS, VAULT, consolidated, memory, subjects, tree
from test_consolidation_law import state

LANES = 2
MODES = ("direct", "branch", "propose")


def night(root: Path, mode: str, *, at: int = 0, now: datetime = NIGHT) -> int:
    """Runs a night in a process of its own, killed at its write number `at`; returns how it ended (0: well)."""
    return killed_at(at, lambda _: consolidated(root, now, mode=mode)).code


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """One night in this process: all that a night loads and compiles is there before any child is forked."""
    consolidated(evening(tmp_path_factory.mktemp("warm") / "vault"))


def evening(root: Path) -> Path:
    """A vault with new logs, in which the user has unsaved work in a file of the run, staged and untracked work."""
    vault_of(root, VAULT)
    put(root, LOGS)
    put(root, {"semantic/projects.md": PROJECTS.replace("note: old", "note: unsaved")})
    put(root, {"staged.md": "staged\n", "untracked.md": "mine\n"})
    git(root, "add", "staged.md")
    return root


def assert_untorn(root: Path, whole: dict[str, bytes]) -> None:
    """No file is cut short, and git is sound: what stands in episodes, drafts and records is what will stand there."""
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    for path, data in tree(root).items():
        if path.startswith(("episodes/", "skills/", "runs/", "review/")) and not path.endswith(".tmp"):
            assert data.startswith(whole[path][:40])
            assert data.endswith(whole[path][-20:])


def strays(root: Path) -> list[str]:
    """What a killed process may leave behind; the lock of the index is there to stay."""
    ends, ours = (".tmp", ".lock"), ("memoryclaw.index", "pending.json", "plan.json")
    paths = [
        str(p.relative_to(root)) for p in root.rglob("*") if p.name.endswith(ends) or p.name.startswith(ours)
    ]
    return [path for path in paths if path != ".memoryclaw/index.lock"]


def remembered(root: Path) -> dict[str, bytes]:
    """What is remembered, without what a killed process left beside it."""
    return {path: data for path, data in memory(root).items() if not path.endswith(".tmp")}


@pytest.mark.laws
@pytest.mark.parametrize("lane", range(LANES))
def test_killed_and_robbed_of_all_that_can_be_rebuilt_the_next_night_remembers_the_same(
    tmp_path: Path, lane: int
) -> None:
    start = evening(tmp_path / "start")
    undisturbed = shutil.copytree(start, tmp_path / "undisturbed")
    points = points_of(undisturbed, lambda: consolidated(undisturbed))
    wanted = remembered(undisturbed)
    assert len(points) > 40
    for at in points[lane :: 3 * LANES]:
        root = shutil.copytree(start, tmp_path / str(at))
        assert night(root, "direct", at=at) in (0, -signal.SIGKILL)
        shutil.rmtree(root / ".memoryclaw", ignore_errors=True)
        assert night(root, "direct", now=LATER) == 0, f"killed at write {at}"
        assert remembered(root) == wanted, f"killed at write {at}"
        assert len(subjects(root)) == len(set(subjects(root))), f"killed at write {at}"
        assert git(root, "fsck", "--strict", "--no-dangling") == ""
        shutil.rmtree(root)


@pytest.mark.laws
@pytest.mark.parametrize("lane", range(LANES))
@pytest.mark.parametrize("mode", MODES)
def test_a_killed_night_run_again_is_as_if_undisturbed(tmp_path: Path, mode: str, lane: int) -> None:
    start = evening(tmp_path / "start")
    undisturbed = shutil.copytree(start, tmp_path / "undisturbed")
    points = points_of(undisturbed, lambda: consolidated(undisturbed, mode=mode))
    wanted, wanted_subjects = state(undisturbed), subjects(undisturbed)
    assert len(points) > 40
    for at in points[lane::LANES]:
        root = shutil.copytree(start, tmp_path / str(at))
        ended = night(root, mode, at=at)
        assert ended in (0, -signal.SIGKILL)
        assert_untorn(root, tree(undisturbed))
        assert night(root, mode) == 0, f"killed at write {at}"
        assert state(root) == wanted, f"killed at write {at}"
        assert subjects(root) == wanted_subjects
        assert strays(root) == []
        shutil.rmtree(root)
