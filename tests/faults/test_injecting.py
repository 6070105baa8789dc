"""A fault comes to pass at the call that it names and at no other, whichever way it is injected."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
import tracing
from gitfaults import needs_strace
from noticing import can_be_noticed
from tracing import OK, REFUSED, Call, Ended, Fault, run

WAYS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not can_be_noticed(), reason="the kernel does not ask")),
]


def made_with(fault: Fault, root: Path) -> tuple[Ended, list[str]]:
    """How a process ends that makes five folders, the second and the fourth of them in a child, and which of them are there."""

    def work(acknowledge) -> None:
        for number in range(1, 6):
            if number % 2:
                os.mkdir(root / str(number))
            else:
                subprocess.run(["mkdir", root / str(number)], check=True)
            acknowledge(str(number))

    return run(work, fault), sorted(os.listdir(root))


@needs_strace
@pytest.mark.parametrize("noticed", WAYS)
def test_a_fault_meets_the_call_of_its_number_and_no_call_of_a_child(tmp_path, monkeypatch, noticed):
    monkeypatch.setattr(tracing, "can_be_noticed", lambda: noticed)
    for name, code in (("KILL", -signal.SIGKILL), ("EIO", REFUSED)):
        root = tmp_path / name
        root.mkdir()
        ended, made = made_with(Fault(name, Call("mkdir", 2)), root)
        assert (ended.code, ended.fired, ended.acknowledged, made) == (code, True, ["1", "2"], ["1", "2"])
    late, made = made_with(Fault("EIO", Call("mkdir", 4)), tmp_path / "KILL" / "1")
    assert (late.code, late.fired, made) == (OK, False, ["1", "2", "3", "4", "5"])


@needs_strace
@pytest.mark.parametrize("noticed", WAYS)
def test_a_disk_that_stays_full_refuses_each_call_from_the_first_on(tmp_path, monkeypatch, noticed):
    monkeypatch.setattr(tracing, "can_be_noticed", lambda: noticed)

    def work(acknowledge) -> None:
        (tmp_path / "before").write_bytes(b"x")
        for number in range(3):
            try:
                os.mkdir(tmp_path / str(number))
            except OSError as error:
                acknowledge(os.strerror(error.errno))
        os.unlink(tmp_path / "before")  # takes no room

    ended = run(work, Fault("ENOSPC", Call("mkdir", 1), {"openat": 1000, "write": 1000}))

    assert (ended.code, ended.fired, ended.acknowledged) == (OK, True, [os.strerror(28)] * 3)
    assert os.listdir(tmp_path) == []
