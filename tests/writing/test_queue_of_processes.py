"""What processes write while another has the lock is made by that one, a commit each; whatever becomes of either, nothing is lost or twice."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Claw
from git.cmd import Git
from gitvault import NOW, git, pen_for, vault_of
from indexed import until
from killing import Killed, before_each_write, killed_at

from memoryclaw.errors import ConflictError, LockedError
from memoryclaw.vault.files import writer_lock
from memoryclaw.writing import writer
from memoryclaw.writing.remember import remember
from memoryclaw.writing.writer import FOLDER, Edit, Outcome, new_file, text_change, write

assert Git  # loaded, so that no child has to
FILES = {"a.md": "one\ntwo\nthree\n", "b.md": "b\n"}
# Holds the lock until it is told to, writes its own change, and then lets the lock go.
LEADER = """
import sys
sys.path[:0] = sys.argv[2:]
from gitvault import NOW
from memoryclaw.vault.files import writer_lock
from memoryclaw.writing.writer import new_file, write
with writer_lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
    print(write(sys.argv[1], [new_file("leader.md", "x")], lambda: "leader", verb="test", now=NOW).commit)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return vault_of(tmp_path / "v", FILES)


@contextmanager
def leader(root: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the lock."""
    places = [os.fspath(Path(__file__).parents[1]), os.fspath(Path(__file__).parents[2])]
    process = Claw().start(
        "-c", LEADER, root, *places, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.communicate()
        assert process.returncode == 0


def queued(root: Path) -> list[str]:
    return sorted(path.suffix for path in root.glob(f"{FOLDER}/*"))


def go(process: subprocess.Popen[str]) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


def change(root: Path, *edits: Edit, name: str = "ours") -> Outcome:
    return write(str(root), edits, lambda: f"{name}\n", verb="test", now=NOW)


def while_another_writes(root: Path, *works: Callable[[], Any], tickets: int) -> list[Any]:
    """What becomes of works that wait for another process, which then writes: what they return, or raise."""

    def outcome(work: Callable[[], Any]) -> Any:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            return error

    with ThreadPoolExecutor(len(works)) as pool, leader(root) as process:
        futures = [pool.submit(outcome, work) for work in works[:1]]
        until(lambda: len(queued(root)) == min(1, tickets))
        futures += [pool.submit(outcome, work) for work in works[1:]]
        until(lambda: len(futures) < 2 or len(writer._queue(str(root))._waiting) == len(works) - 1)
        go(process)
        return [future.result() for future in futures]


def commits(root: Path) -> dict[str, list[str]]:
    """The files of each commit after the first, oldest first."""
    listed = git(root, "log", "--reverse", "--format=%x01%H", "--name-only").split("\x01")[2:]
    return {entry.split()[0]: entry.split()[1:] for entry in listed}


def assert_sound(root: Path) -> None:
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict", "--full", "--no-dangling") == ""
    assert queued(root) == []


def test_who_has_the_lock_makes_the_change_of_who_waits_and_the_branch_moves_once(root: Path) -> None:
    before = len(git(root, "reflog").splitlines())
    (written,) = while_another_writes(root, lambda: remember(pen_for(root), "Met Zoë"), tickets=1)
    assert written.action == "added"
    assert list(commits(root).values()) == [["leader.md"], [written.path]]
    assert written.commit == [*commits(root)][1]
    assert "Zoë" in git(root, "log", "-1", "--format=%B")
    assert len(git(root, "reflog").splitlines()) == before + 1
    assert_sound(root)


def test_what_cannot_be_handed_over_is_made_when_the_lock_is_free(root: Path) -> None:
    """A file that the other changes too, one with work of the user's, and bytes that are no text."""
    (root / "a.md").write_text("one\nmine\nthree\n")
    (name,) = while_another_writes(
        root, lambda: change(root, Edit("leader.md", lambda data: (data or b"") + b"\xff")), tickets=1
    )
    assert list(commits(root).values()) == [["leader.md"]] * 2
    assert name.commit == [*commits(root)][1]
    assert (root / "leader.md").read_bytes() == b"x\xff"
    git(root, "rm", "-q", "leader.md")
    git(root, "commit", "-q", "-m", "gone")
    mine = Edit("a.md", text_change(lambda text: text.replace("mine", "ours")))
    (theirs,) = while_another_writes(root, lambda: change(root, mine), tickets=1)
    assert isinstance(theirs, ConflictError)
    assert (root / "a.md").read_text() == "one\nmine\nthree\n"
    assert queued(root) == []


def test_who_waits_too_long_takes_the_change_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "WAIT", 0.1)
    with leader(root) as process:
        with pytest.raises(LockedError):
            change(root, new_file("late.md", "x"))
        assert queued(root) == []
        go(process)
    assert list(commits(root).values()) == [["leader.md"]]


def test_a_ticket_of_a_killed_process_or_of_nobody_counts_for_nothing(root: Path) -> None:
    folder = root / FOLDER
    folder.mkdir(parents=True)
    request = ["test", NOW.isoformat(), "theirs", [["c.md", None, "x", None, False, False, False]]]
    (folder / "1-1-1.waiting").write_text(json.dumps(request) + "\n")
    (folder / "2-1-1.taken").write_text("")
    with (folder / "3-1-1.waiting").open("w+") as odd, (folder / "4-1-1.waiting").open("w+") as outside:
        for file, line in ((odd, "{}"), (outside, json.dumps(request).replace("c.md", "../c.md"))):
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(line + "\n")
            file.flush()
        change(root, new_file("d.md", "x"))
        assert [line.read() for line in (odd, outside)] == ['"overtaken"\n'] * 2
    assert list(commits(root).values()) == [["d.md"]]
    change(root, new_file("e.md", "x"))
    assert queued(root) == []


def lead_and_wait(root: Path, at: int) -> tuple[Killed, Outcome]:
    """What becomes of a process that has the lock and is killed at a write, and of a change that waited for it meanwhile."""

    def lead(acknowledge: Callable[[bytes], int]) -> None:
        writes = itertools.count()
        before_each_write(lambda: next(writes))
        with writer_lock(str(root)):
            (root / ".git/held").touch()
            until(lambda: queued(root) == [".waiting"])
            change(root, new_file("theirs.md", "theirs\n"))
        acknowledge(b"%d" % next(writes))

    def wait() -> Outcome:
        until((root / ".git/held").exists)
        return change(root, new_file("ours.md", "ours\n"))

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(wait)
        return killed_at(at, lead), future.result()


@pytest.mark.laws
def test_killed_at_any_write_of_who_has_the_lock_what_waits_is_made_once(tmp_path: Path) -> None:
    start = vault_of(tmp_path / "start", FILES)
    killed, outcome = lead_and_wait(shutil.copytree(start, tmp_path / "whole"), 0)
    assert killed.code == 0
    assert outcome.commit
    last, counts = int(killed.acknowledged), set()
    # Some of them, and each of the last, between the move of the branch and the answer.
    for at in (*range(2, last - 8, 9), *range(last - 5, last)):
        root = shutil.copytree(start, tmp_path / str(at))
        killed, outcome = lead_and_wait(root, at)
        assert killed.code == -signal.SIGKILL
        made = commits(root)
        assert [*made.values()].count(["ours.md"]) == 1
        assert [*made.values()].count(["theirs.md"]) == (root / "theirs.md").exists()
        assert made[outcome.commit] == ["ours.md"]
        assert not list(root.rglob("*.tmp"))
        change(root, new_file("next.md", "x"))
        assert_sound(root)
        counts.add((len(made), outcome.changed))
        shutil.rmtree(root)
    assert counts == {
        (1, True),
        (2, True),
    }  # a group lands whole, and its commit is told though who made it was killed
