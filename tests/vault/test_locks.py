from __future__ import annotations

import os
import signal
import subprocess
import threading
import time

import pytest
from conftest import Claw

from memoryclaw.errors import LockedError, VaultError
from memoryclaw.vault.files import writer_lock

HOLD = "import sys, time; from memoryclaw.vault.files import writer_lock\nwith writer_lock(sys.argv[1]): print('held', flush=True); time.sleep(60)"


def holder(root):
    process = Claw().start("-c", HOLD, root, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    return process


def test_a_second_process_waits_then_says_what_to_do(tmp_path):
    process = holder(tmp_path)
    try:
        start = time.monotonic()
        with pytest.raises(LockedError, match="try again"), writer_lock(str(tmp_path), wait=0.2):
            pass
        assert time.monotonic() - start >= 0.2
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_killed_writer_leaves_no_lock(tmp_path):
    process = holder(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with writer_lock(str(tmp_path), wait=0.5):
        assert os.listdir(tmp_path) == []


def test_one_thread_may_take_it_again_and_another_may_not(tmp_path):
    got = []

    def other():
        try:
            with writer_lock(str(tmp_path), wait=0.1):
                got.append("in")
        except LockedError:
            got.append("out")

    with writer_lock(str(tmp_path)), writer_lock(str(tmp_path)):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    other()
    assert got == ["out", "in"]


def test_the_lock_is_freed_by_an_error(tmp_path):
    with pytest.raises(KeyError), writer_lock(str(tmp_path)):
        raise KeyError
    process = holder(tmp_path)
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_missing_vault_is_said_so(tmp_path):
    with pytest.raises(VaultError, match="cannot be opened"), writer_lock(str(tmp_path / "none")):
        pass
