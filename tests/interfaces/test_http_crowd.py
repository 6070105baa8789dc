"""Many clients at once: each write is a commit of its own, and readers help while many ask."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest
from conftest import Claw, Own, VaultOf
from daemons import Daemon, Reply, is_gone, serving
from gitvault import git
from indexed import until

NOTES = {
    f"notes/n{number}.md": f"# Lantern {number}\nIt burns oil number {number}.\n" for number in range(20)
}


@pytest.fixture
def daemon(vault_of: VaultOf, own: Own) -> Iterator[Daemon]:
    own("serve:\n  rate: 100000\n")
    root = vault_of(NOTES)
    assert Claw(root)("init").code == 0
    git(root, "add", "-A")
    git(root, "commit", "-qm", "notes")
    with serving(root) as running:
        yield running


def readers(daemon: Daemon) -> list[int]:
    """The processes that read for a daemon."""
    tasks = Path(f"/proc/{daemon.process.pid}/task").glob("*/children")
    children = [int(pid) for task in tasks for pid in task.read_text().split()]
    return [pid for pid in children if b"http.reader" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def search(daemon: Daemon, word: str) -> Any:
    """What a search answers, but for how long it took."""
    answer = daemon.get(f"/v1/search?q={word}&limit=100")
    del answer["timings_ms"]
    return answer


def recall(daemon: Daemon, number: int) -> int:
    return daemon.ask("POST", "/v1/recall", {"query": f"lantern {number}"}).status


def crowd(daemon: Daemon) -> list[int]:
    """Many ask until two readers are there."""

    def asked() -> list[int]:
        with ThreadPoolExecutor(16) as pool:
            assert set(pool.map(lambda number: recall(daemon, number), range(32))) == {200}
        return readers(daemon)

    return until(lambda: pids if len(pids := asked()) == 2 else [])


def test_what_many_remember_at_once_is_a_commit_each_and_one_that_fails_fails_alone(daemon: Daemon) -> None:
    def remember(number: int) -> Reply:
        text = "" if number == 5 else f"Oil was bought, {number} cans"
        return daemon.ask("POST", "/v1/remember", {"text": text})

    before = int(git(daemon.vault, "rev-list", "--count", "HEAD"))
    with ThreadPoolExecutor(12) as pool:
        replies = [*pool.map(remember, range(37))]
    assert [reply.status for reply in replies] == [200] * 5 + [400] + [200] * 31
    done = [reply.json for reply in replies if reply.status == 200]
    assert int(git(daemon.vault, "rev-list", "--count", "HEAD")) == before + 36
    for written in done:
        named = git(daemon.vault, "show", "--format=", "--name-only", written["commit"]).split()
        assert named == [written["path"]]
        assert written["action"] == "added"
    assert git(daemon.vault, "fsck", "--strict", "--no-dangling") == ""
    assert git(daemon.vault, "status", "--porcelain") == ""
    assert {match["path"] for match in search(daemon, "cans")["matches"]} == {
        written["path"] for written in done
    }


@pytest.mark.laws
def test_killed_among_many_writes_no_acknowledged_one_is_lost_and_no_reader_outlives_it(
    daemon: Daemon,
) -> None:
    def stored(number: int) -> dict[str, str]:
        try:
            done = daemon.post("/v1/remember", text=f"Wick number {number}")
        except (OSError, HTTPException):  # it was killed before it had answered
            return {}
        if number == 10:
            daemon.process.kill()
        return dict(done)

    pids = crowd(daemon)
    with ThreadPoolExecutor(8) as pool:
        done = [outcome for outcome in pool.map(stored, range(60)) if outcome]
    assert len(done) >= 1
    daemon.process.wait(60)
    assert until(lambda: all(map(is_gone, pids)))
    assert Claw(daemon.vault)("remember", "the next writer ends what was begun").code == 0
    for written in done:
        named = git(daemon.vault, "show", "--format=", "--name-only", written["commit"]).split()
        assert named == [written["path"]]
        git(daemon.vault, "merge-base", "--is-ancestor", written["commit"], "HEAD")
    assert git(daemon.vault, "fsck", "--strict", "--no-dangling") == ""
    assert git(daemon.vault, "status", "--porcelain") == ""


def test_readers_answer_as_the_daemon_does_are_missed_by_nobody_and_end_with_it(daemon: Daemon) -> None:
    assert readers(daemon) == []
    alone = search(daemon, "lantern")
    pids = crowd(daemon)
    assert search(daemon, "lantern") == alone
    for number in range(5):
        path = daemon.vault / f"notes/new{number}.md"
        path.write_text(f"A sextant, number {number}.\n")
        assert len(search(daemon, "sextant")["matches"]) == number + 1
        done = daemon.post("/v1/remember", text=f"The compass has error {number}")
        assert done["path"] in {match["path"] for match in search(daemon, "compass")["matches"]}
    assert (daemon.ask("GET", "/v1/notes/nothing").status, daemon.ask("GET", "/v1/notes/n0x").code) == (
        404,
        "not_found",
    )
    os.kill(pids[0], signal.SIGKILL)
    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(lambda number: recall(daemon, number), range(32))) == {200}
    pids += readers(daemon)
    daemon.end(signal.SIGTERM)
    assert until(lambda: all(map(is_gone, pids)))
