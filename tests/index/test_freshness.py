"""Freshness: an answer is as fresh as the files, or it says how far behind it is and why."""

from __future__ import annotations

import shutil
import threading
import time

import pytest
from conftest import STUDIO, put
from indexed import LONG, forget_stamps, kept, rebuilt, until, watched

from memoryclaw.errors import IndexDamagedError, VaultError
from memoryclaw.index.database import alone
from memoryclaw.index.sync import Freshness, fresh, healed
from memoryclaw.vault.state_folder import LIVE, WatchLock, cookies, echo, take

FRESH = Freshness()


@pytest.fixture
def root(tmp_path):
    return put(tmp_path / "vault", STUDIO)


@pytest.fixture
def own(root):
    own = kept(root)
    yield own
    own.close()


def look(own):
    return fresh(own.sync, own.index, own.state)


def test_the_first_question_builds_the_index(own, root):
    assert look(own) == FRESH
    assert own.mark() == rebuilt(root)


def test_the_first_question_waits_a_moment_for_another_process(own, root):
    """There is nothing yet that it could answer from."""
    own.state.mkdir(mode=0o700, exist_ok=True)
    is_held = threading.Event()

    def hold():
        with alone(own.state):
            is_held.set()
            time.sleep(0.3)

    holder = threading.Thread(target=hold)
    holder.start()
    is_held.wait()
    assert look(own) == FRESH
    holder.join()
    assert own.mark() == rebuilt(root)


def test_every_question_sees_what_was_saved_before_it(own, root):
    look(own)
    for i in range(5):
        put(root, {"notes/now.md": f"version number{i}"})
        assert look(own) == FRESH
        assert own.paths_with(f"number{i}") == ["notes/now.md"]


def test_with_a_live_watcher_nobody_scans(own, root):
    """The echo is proof enough, so the reader does without a walk."""
    with watched(root) as watch:
        until(lambda: look(own) == FRESH)
        own.sync.behind = None  # whoever scans now fails
        for i in range(10):
            put(root, {"notes/now.md": f"version number{i}"})
            until(lambda: look_or_none(own) == FRESH)
            assert own.paths_with(f"number{i}") == ["notes/now.md"]
        assert [report for report in watch.reports if report.kind == "problem"] == []


def look_or_none(own):
    try:
        return look(own)
    except TypeError:
        return None  # no echo in time on a busy machine


def test_one_cookie_serves_all_who_asked_before_it_was_dropped(tmp_path):
    state, taken, over = tmp_path / ".memoryclaw", [], threading.Event()
    lock = WatchLock(state)
    lock.say(LIVE)

    def watch():
        while not over.is_set():
            names = cookies(state)
            taken.extend(names)
            take(state, names)

    thread = threading.Thread(target=watch)
    thread.start()
    asked = time.monotonic()
    assert echo(state, LONG, since=asked)
    assert echo(state, LONG, since=asked)
    assert len(taken) == 1
    assert echo(state, LONG)
    assert len(taken) == 2
    over.set()
    thread.join()
    asked = time.monotonic()
    assert not echo(state, 0.01, since=asked)
    assert not echo(state, LONG, since=asked)  # what was not heard then is not waited for again
    lock.close()


def test_what_is_saved_while_another_looks_is_found_by_who_comes_then(own, root):
    """The look that is under way has passed the folder already, so it serves nobody who comes now."""
    look(own)
    other, passed, over = kept(root), threading.Event(), threading.Event()
    behind = other.sync.behind

    def held_up():
        files = behind()
        passed.set()
        over.wait(LONG)
        return files

    other.sync.behind = held_up
    first = threading.Thread(target=look, args=(other,))
    first.start()
    assert passed.wait(LONG)
    put(root, {"notes/now.md": "saved just now"})
    answers = []
    second = threading.Thread(target=lambda: answers.append(look(own)))
    second.start()
    over.set()
    first.join()
    second.join()
    assert answers == [FRESH]
    assert own.paths_with("just now") == ["notes/now.md"]
    other.close()


def test_a_watcher_that_does_not_answer_is_not_believed(own, root):
    look(own)
    lock = WatchLock(own.state)
    lock.say(LIVE)
    put(root, {"notes/now.md": "unheard words"})
    assert look(own) == FRESH
    assert own.paths_with("unheard") == ["notes/now.md"]
    lock.close()


def test_a_new_index_is_built_although_a_watcher_says_that_all_is_well(own, root):
    """The watcher keeps another file than the one that was just made."""
    lock = WatchLock(own.state)
    lock.say(LIVE)
    assert look(own) == FRESH
    assert own.paths_with("pancakes") == ["notes/moon.md"]
    lock.close()


def test_while_another_process_writes_the_answer_comes_from_what_there_is(own, root):
    look(own)
    put(root, {"notes/now.md": "new", "notes/moon.md": "changed"})
    with alone(own.state):
        said = look(own)
        assert own.paths_with("pancakes") == ["notes/moon.md"]
    assert said.behind >= 2
    assert "another process" in said.degraded
    assert "behind" in said.degraded
    assert look(own) == FRESH


def test_an_answer_is_not_behind_when_the_writer_in_the_way_has_taken_everything_in(own, root):
    """Files that were read right after they changed are read again, and found to be what the index holds."""
    look(own)
    forget_stamps(own)
    with alone(own.state):
        assert look(own) == FRESH
        put(root, {"notes/moon.md": "changed"})
        assert look(own).behind == 1


def test_an_emptied_vault_answers_from_the_index_and_says_so(own, root, tmp_path):
    look(own)
    shutil.move(root, tmp_path / "away")
    root.mkdir()
    (tmp_path / "away/.memoryclaw").rename(root / ".memoryclaw")
    said = look(own)
    assert "is the disk mounted" in said.degraded
    assert own.paths_with("pancakes") == ["notes/moon.md"]


def test_without_a_vault_and_without_an_index_there_is_no_answer(tmp_path):
    lost = kept(tmp_path / "nowhere")
    with pytest.raises(VaultError, match="there is no vault at"):
        look(lost)
    (tmp_path / "empty").mkdir()
    empty = kept(tmp_path / "empty")
    with pytest.raises(VaultError, match="is the disk mounted"):
        look(empty)
    assert list((tmp_path / "empty").iterdir()) == []


def test_damage_is_mended_once_and_then_told(own):
    look(own)
    tried = []

    def always():
        tried.append(own.index.stamps())
        raise IndexDamagedError("damaged")

    with pytest.raises(IndexDamagedError):
        healed(own.index, always)
    assert len(tried) == 2
    assert tried[0]
    assert tried[1] == {}


def test_a_question_without_a_change_writes_nothing(own):
    look(own)
    time.sleep(0.06)
    look(own)
    before = own.index.database.path.with_suffix(".seal").stat().st_mtime_ns
    for _ in range(3):
        assert look(own) == FRESH
    assert own.index.database.path.with_suffix(".seal").stat().st_mtime_ns == before
