"""Turns to look: processes that look at the same files wait for each other, and are spared only what began after they came."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
from indexed import environment, until

from memoryclaw.vault.state_folder import LOOKS_FILE, turn_to_look

LOOKER = """
import sys
from pathlib import Path
from memoryclaw.vault.state_folder import turn_to_look
with turn_to_look(Path(sys.argv[1]), sys.argv[2]) as turn:
    print("spared" if turn.is_spared else "looks", flush=True)
    turn.saw_all = sys.stdin.readline() == "all\\n"
"""


@pytest.fixture
def begun(tmp_path):
    """Starts processes that come for their turn; each says what it got, and is told what it saw."""
    processes = []

    def begin(settings="a"):
        process = subprocess.Popen(
            [sys.executable, "-c", LOOKER, os.fspath(tmp_path), settings],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(),
        )  # fmt: skip
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def patient(monkeypatch):
    """Nobody here looks out of turn because the machine is slow."""
    monkeypatch.setattr("memoryclaw.vault.state_folder._TURN", 60.0)


class Comer(threading.Thread):
    """One who comes while another looks, in this process; `here` once it waits."""

    def __init__(self, state, settings="a"):
        super().__init__()
        self._state, self._settings = state, settings
        self.is_spared = None
        self.start()

    def run(self):
        with turn_to_look(self._state, self._settings) as turn:
            self.is_spared = turn.is_spared
            turn.saw_all = True


def waiting(state):
    """How many open files of this process are the file of the looks: each is of one who waits."""
    file = os.stat(state / LOOKS_FILE)
    handles = (os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd"))
    return sum(os.path.exists(handle) and os.path.samestat(os.stat(handle), file) for handle in handles)


def crowd(state, *settings):
    """Those who come one after the other, each when the one before waits."""
    comers = []
    for number, each in enumerate(settings, 1):
        comers.append(Comer(state, each))
        until(lambda number=number: waiting(state) == number)
    return comers


def told(process, saw):
    process.stdin.write(f"{saw}\n")
    process.stdin.flush()
    process.wait(60)


@pytest.mark.usefixtures("patient")
def test_of_those_who_wait_for_one_look_the_first_looks_for_the_others(tmp_path, begun):
    other = begun()
    assert other.stdout.readline() == "looks\n"
    comers = crowd(tmp_path, "a", "a", "a", "a")
    told(other, "all")
    for comer in comers:
        comer.join()
    # The look that was under way may have missed what was saved before they came.
    assert sorted(comer.is_spared for comer in comers) == [False, True, True, True]


def test_who_comes_when_nobody_looks_looks(tmp_path):
    for _ in range(3):
        with turn_to_look(tmp_path, "a") as turn:
            assert not turn.is_spared
            turn.saw_all = True


@pytest.mark.usefixtures("patient")
def test_a_look_by_other_settings_spares_nobody(tmp_path, begun):
    other = begun()
    assert other.stdout.readline() == "looks\n"
    comers = crowd(tmp_path, "a", "b")
    told(other, "all")
    for comer in comers:
        comer.join()
    assert not any(comer.is_spared for comer in comers)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("end", ["killed", "not all"])
def test_a_look_that_was_cut_short_or_saw_not_all_spares_nobody(tmp_path, begun, end):
    first = begun()
    assert first.stdout.readline() == "looks\n"
    second = begun()  # comes while the first looks, and begins a look of its own that is not ended well
    until(lambda: os.path.exists(f"/proc/{second.pid}/fd") and any(
        os.path.realpath(f"/proc/{second.pid}/fd/{name}").endswith(LOOKS_FILE) for name in os.listdir(f"/proc/{second.pid}/fd")
    ))  # fmt: skip
    comers = crowd(tmp_path, "a")
    told(first, "nothing")
    if second.stdout.readline() == "looks\n":
        if end == "killed":
            second.kill()
            second.wait(60)
        else:
            told(second, "nothing")
    comers[0].join()
    assert comers[0].is_spared is False


def test_who_waits_too_long_looks_out_of_turn_and_counts_for_nobody(tmp_path, begun):
    other = begun()
    assert other.stdout.readline() == "looks\n"
    before = (tmp_path / LOOKS_FILE).read_text()
    assert [comer.is_spared for comer in crowd(tmp_path, "a") if comer.join() is None] == [False]
    assert (tmp_path / LOOKS_FILE).read_text() == before


@pytest.mark.parametrize("text", ["", "x y z", "9 8", "-1 5 a", "\xff\xfe"])
def test_what_somebody_else_wrote_there_spares_nobody(tmp_path, text):
    (tmp_path / LOOKS_FILE).write_bytes(text.encode("latin-1"))
    with turn_to_look(tmp_path, "a") as turn:
        assert not turn.is_spared


def test_without_a_folder_for_it_everybody_looks(tmp_path):
    with turn_to_look(tmp_path / "none", "a") as turn:
        assert not turn.is_spared
    assert not (tmp_path / "none").exists()
