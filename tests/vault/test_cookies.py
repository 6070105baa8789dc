"""Cookies: what a reader may believe, and that one vault has one watcher."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import Claw
from indexed import LONG, until

from memoryclaw.errors import LockedError, VaultError
from memoryclaw.vault.state_folder import LIVE, POLLING, STARTING, WatchLock, cookies, echo, take, watcher


@pytest.fixture
def state(tmp_path):
    return tmp_path / ".memoryclaw"


@pytest.fixture
def live(state):
    lock = WatchLock(state)
    lock.say(LIVE)
    yield lock
    lock.close()


def test_without_a_watcher_there_is_no_echo_and_no_wait(state):
    start = time.monotonic()
    assert not echo(state, wait=60)
    assert time.monotonic() - start < 30
    assert not state.exists()


@pytest.mark.parametrize("how", [STARTING, POLLING])
def test_a_watcher_that_hears_no_cookies_is_not_asked(live, state, how):
    live.say(how)
    assert watcher(state) == (os.getpid(), how)
    start = time.monotonic()
    assert not echo(state, wait=60)
    assert time.monotonic() - start < 30


def test_a_cookie_that_is_taken_is_an_echo(live, state):
    def eat():
        take(state, until(lambda: cookies(state)))

    eater = threading.Thread(target=eat)
    eater.start()
    assert echo(state, LONG)
    eater.join()


def test_a_cookie_that_nobody_takes_is_removed_by_its_reader_in_time(live, state):
    start = time.monotonic()
    assert not echo(state)
    assert 0.045 < time.monotonic() - start < LONG
    assert cookies(state) == []


def test_a_cookie_that_went_with_its_folder_is_no_echo(live, state):
    eater = threading.Timer(0.01, lambda: shutil.rmtree(state))
    eater.start()
    assert not echo(state, 1.0)
    eater.join()


def test_many_readers_at_once_are_all_told(live, state):
    heard = []
    readers = [threading.Thread(target=lambda: heard.append(echo(state, LONG))) for _ in range(20)]
    for reader in readers:
        reader.start()
    seen = set()
    while any(reader.is_alive() for reader in readers):
        names = cookies(state)
        seen.update(names)
        take(state, names)
    assert heard == [True] * 20
    assert 1 <= len(seen) <= 20, "threads of one process share a cookie that was dropped after they came"


def test_a_second_watcher_is_refused_in_one_sentence_with_the_first_ones_process(live, state):
    with pytest.raises(LockedError, match=rf"process {os.getpid()}; one is enough$"):
        WatchLock(state)


HOLD = """
import sys, time
from pathlib import Path
from memoryclaw.vault.state_folder import WatchLock
WatchLock(Path(sys.argv[1])).say("live")
print("held", flush=True)
time.sleep(60)
"""


def test_a_killed_watcher_leaves_the_place_free(state):
    state.mkdir()
    holder = Claw().start("-c", HOLD, state, stdout=subprocess.PIPE)
    holder.stdout.readline()
    assert watcher(state) == (holder.pid, LIVE)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert watcher(state) == (0, "")
    WatchLock(state).close()


def test_readers_looking_at_the_lock_do_not_keep_a_watcher_out(state):
    state.mkdir()
    WatchLock(state).close()
    done = threading.Event()

    def look():
        while not done.is_set():
            watcher(state)

    lookers = [threading.Thread(target=look) for _ in range(4)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(20):
            WatchLock(state).close()
    finally:
        done.set()
        for looker in lookers:
            looker.join()


def test_a_reader_that_is_held_up_while_it_looks_does_not_keep_a_watcher_out(state):
    """A busy machine may stop a process for a while between any two of its steps."""
    state.mkdir()
    WatchLock(state).close()
    looking = os.open(state / "watch.lock", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    going_on = threading.Timer(1.0, os.close, [looking])
    going_on.start()
    lock = WatchLock(state)
    assert watcher(state) == (os.getpid(), STARTING)
    lock.close()
    going_on.join()


def test_a_lock_file_that_was_taken_away_is_noticed(live, state):
    assert not live.is_lost()
    shutil.rmtree(state)
    assert live.is_lost()


def test_a_lock_is_not_made_where_there_is_no_vault(tmp_path):
    with pytest.raises(VaultError, match="nothing can be watched"):
        WatchLock(tmp_path / "unmounted" / ".memoryclaw")
    assert not (tmp_path / "unmounted").exists()


def test_asking_for_an_echo_imports_next_to_nothing():
    heavy = "{'watchdog', 'whoosh', 'sqlite3', 'yaml', 'asyncio', 'dataclasses', 'inspect', 'logging'}"
    code = f"import sys, memoryclaw.vault.state_folder; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
