"""The schedule of a daemon: real children, real logs, and nothing swallowed."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue

import pytest
from conftest import VaultOf

from memoryclaw.app import system_clock
from memoryclaw.daemon.scheduling import DaemonSchedule

TALK = (
    '{"ts":"2026-04-19T09:00:00Z","session":"gate","turn":1,"role":"user","content":"The boathouse gate code is 4711 now."}\n'
    '{"ts":"2026-04-19T09:01:00Z","session":"gate","turn":2,"role":"assistant","content":"Noted, the gate code is 4711."}\n'
)


def first_said(root: Path) -> str:
    """What the schedule of a vault says first."""
    said: Queue[str] = Queue()
    work = DaemonSchedule(os.fspath(root), 0.05, said.put, clock=system_clock, first=0.0)
    thread = threading.Thread(target=work.run)
    thread.start()
    try:
        return said.get(timeout=60)
    finally:
        work.stop()
        thread.join(30)
        assert not thread.is_alive()


def test_what_is_due_is_consolidated_and_told_without_its_words(vault_of: VaultOf) -> None:
    vault = vault_of({"memoryclaw.yaml": "llm:\n  chain: []\n", "logs/2026-04-19/gate.jsonl": TALK})
    said = first_said(vault)
    assert said.startswith("consolidated: 2 turns read")
    assert "4711" not in said
    assert list(vault.glob("runs/*.json"))


def test_a_failure_is_told_in_one_sentence(vault_of: VaultOf) -> None:
    said = first_said(vault_of({"memoryclaw.yaml": "llm:\n  timeout: never\n"}))
    assert said.startswith("consolidation failed (exit code 1): ")
    assert "llm.timeout must be a number" in said


@pytest.mark.parametrize("minutes", [1, 1440])
def test_nothing_is_read_in_the_first_hour_of_a_start(vault_of: VaultOf, minutes: int) -> None:
    """Whatever the interval, and however many nights were missed: the clock and the waiting are the test's own."""
    vault = vault_of({"memoryclaw.yaml": "llm:\n  chain: []\n", "logs/2026-04-19/gate.jsonl": TALK})
    start = now = datetime(2026, 4, 20, 8, tzinfo=UTC)
    runs: list[tuple[timedelta, int]] = []

    def wait(seconds: float) -> bool:
        nonlocal now
        runs.append((now - start, len(list(vault.glob("runs/*.json")))))
        now += timedelta(seconds=seconds)
        return len(runs) == 2

    work = DaemonSchedule(
        os.fspath(vault), minutes * 60, lambda _sentence: None, clock=lambda: now, wait=wait
    )
    assert work.plan() == {"next": "2026-04-20T09:00:00Z", "interval": minutes}
    work.run()
    assert runs == [(timedelta(0), 0), (timedelta(hours=1), 1)]
    assert work.next == start + timedelta(hours=1, minutes=minutes)


@pytest.mark.parametrize("first", [0.0, 60.0])
def test_it_ends_at_once_and_its_child_with_it(vault_of: VaultOf, first: float) -> None:
    """Nothing it says comes after its end, and nobody waits for a child."""
    said: list[str] = []
    work = DaemonSchedule(
        os.fspath(vault_of({"notes/a.md": "a"})), 60.0, said.append, clock=system_clock, first=first
    )
    thread = threading.Thread(target=work.run)
    thread.start()
    work.stop()
    thread.join(30)
    assert not thread.is_alive()
    assert said == []
