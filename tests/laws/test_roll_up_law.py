"""Law 6 of the ledger under kill -9: a roll-up that is killed at any of its writes loses no use, and the next one completes it."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from git.cmd import Git
from gitvault import git, vault_of
from killing import killed_at, points_of
from ledgers import NOW, figures, used_for_months

from memoryclaw.vault.ledger import Ledger
from memoryclaw.writing.context import Templates
from memoryclaw.writing.tracking import Tracking

assert Git  # loaded, so that no child has to


def night(root: Path, *, tracked: bool) -> None:
    """What the nightly run does about the ledger."""
    Ledger(str(root)).roll_up(NOW)
    Tracking(str(root), {"logs": False, "ledger": tracked}, Templates(), NOW, lambda: "000000").run()


def files_of(root: Path) -> dict[str, bytes]:
    """Everything in the folder of the ledger, hidden files included."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in (root / "ledger").rglob("*")
        if path.is_file()
    }


@pytest.mark.laws
@pytest.mark.parametrize("tracked", [False, True])
def test_killed_at_any_write_no_use_is_lost_and_the_next_night_completes_it(
    tmp_path: Path, *, tracked: bool
) -> None:
    start = vault_of(tmp_path / "start", {"memoryclaw.yaml": ""})
    used_for_months(start)
    if tracked:  # the months are in git as they were
        assert (
            killed_at(
                0, lambda _: Tracking(str(start), {"ledger": True}, Templates(), NOW, lambda: "0").run()
            ).code
            == 0
        )
    old, before = files_of(start), figures(Ledger(str(start)))
    whole = shutil.copytree(start, tmp_path / "whole")
    points = points_of(whole, lambda: night(whole, tracked=tracked))
    new = files_of(whole)
    assert sum(old[path] != new[path] for path in old) == 3
    assert old.keys() == new.keys()
    assert len(points) > 10
    for at in points:
        root = shutil.copytree(start, tmp_path / str(at))
        killed = killed_at(at, lambda _: night(root, tracked=tracked))  # noqa: B023 - it is over when this returns
        assert killed.code in (0, -signal.SIGKILL)
        files = files_of(root)
        assert all(files[path] in (old[path], new[path]) for path in old), (
            "a month is whole, as it was or rolled up"
        )
        assert figures(Ledger(str(root))) == before
        for path in (root / "ledger").rglob(
            ".*"
        ):  # of the killed process; a minute later nobody can be writing it
            os.utime(path, (1, 1))
        assert killed_at(0, lambda _: night(root, tracked=tracked)).code == 0  # noqa: B023
        assert files_of(root) == new
        assert figures(Ledger(str(root))) == before
        assert git(root, "status", "--porcelain") == ""
        committed = {path: git(root, "show", f"HEAD:{path}").encode() for path in new} if tracked else {}
        assert committed == (new if tracked else {})
        shutil.rmtree(root)
