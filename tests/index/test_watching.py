"""The watch: saved is found at once, and whatever goes wrong with events, files or index is mended while it runs."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import STUDIO, git, put
from indexed import LONG, echoed, environment, is_live, kept, rebuilt, until, watched

from memoryclaw.errors import LockedError
from memoryclaw.index.watching import Watching, WatchReport
from memoryclaw.vault.state_folder import watcher


@pytest.fixture
def root(tmp_path):
    return put(tmp_path / "vault", STUDIO)


@pytest.fixture
def reader(root):
    reader = kept(root)
    yield reader
    reader.close()


def right(reader):
    """True once the index is what a rebuild would be."""
    return reader.mark() == rebuilt(reader.vault.root)


def test_what_was_there_before_is_found_and_what_comes_is_too(root, reader):
    with watched(root) as watch:
        assert reader.paths_with("pancakes") == ["notes/moon.md"]
        put(root, {"notes/new.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver") == ["notes/new.md"])
        assert watch.says("synced").files > 0
        assert is_live(root)
    assert watcher(reader.state) == (0, "")


def test_every_save_is_found_long_before_the_next_look_at_everything(root, reader):
    with watched(root, reconcile=3600.0):
        for i in range(40):
            put(root, {"notes/now.md": f"word{i}"})
            until(lambda i=i: reader.paths_with(f"word{i}"))


def test_what_is_written_while_it_starts_is_not_missed(root, reader):
    done = threading.Event()

    def write():
        number = 0
        while not done.is_set():
            put(root, {f"burst{number % 40}/n{number % 400}.md": f"word{number}"})
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    with watched(root):
        done.set()
        writer.join()
        echoed(reader.state)
        assert right(reader)


def test_a_file_that_stays_open_is_followed(root, reader):
    with watched(root), (root / "notes/open.md").open("w") as file:
        for word in ("quick", "silver"):
            file.write(f"{word}\n")
            file.flush()
            until(lambda word=word: reader.paths_with(word) == ["notes/open.md"])


def test_every_way_of_saving_ends_in_one_note(root, reader):
    note = root / "notes/moon.md"
    with watched(root):
        note.with_name(".tmp").write_text("renamed over")
        note.with_name(".tmp").rename(note)
        echoed(reader.state)
        assert reader.paths_with("renamed") == ["notes/moon.md"]
        note.rename(root / "notes/moon.md~")
        note.write_text("like vim")
        (root / "notes/moon.md~").unlink()
        (root / "notes/4913").touch()
        (root / "notes/4913").unlink()
        echoed(reader.state)
        assert reader.paths_with("vim") == ["notes/moon.md"]
        assert right(reader)


def test_a_folder_made_filled_and_renamed_at_once_is_known_where_it_is(root, reader):
    """Two tools that watch folders lose all of these notes."""
    with watched(root):
        for i in range(5):
            put(root, {f"new/n{j}.md": f"round{i} note{j}" for j in range(15)})
            (root / "new").rename(root / f"kept{i}")
        echoed(reader.state)
        assert len(reader.paths_with("note3")) == 5
        assert right(reader)


def test_a_checkout_is_followed(root, reader):
    put(root, {".gitignore": ".memoryclaw/\n"})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    shutil.rmtree(root / "episodes")
    put(root, {f"other/n{i}.md": "elsewhere" for i in range(100)})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "two")
    with watched(root):
        for commit in ("HEAD~1", "master@{0}", "HEAD@{1}"):
            git(root, "checkout", "-q", "--detach", commit)
            echoed(reader.state)
            assert right(reader)


def test_many_files_at_once_are_taken_in_batches(root, reader):
    """The watch is held up while they are written, as on a machine that writes faster than it indexes."""
    begun, written = threading.Event(), threading.Event()

    def hold(report):
        if begun.is_set() and report.kind == "synced":
            written.wait(LONG)

    with watched(root, hear=hold) as watch:
        begun.set()
        put(root, {"notes/first.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver"))
        put(root, {f"many/n{i}.md": f"burst n{i}" for i in range(600)})
        until(lambda: watch.watching._hints.qsize() >= 600)
        written.set()
        until(lambda: len(reader.paths_with("burst")) == 600)
        assert len([r for r in watch.reports if r.kind == "synced"]) < 100


def test_a_stream_of_saves_does_not_put_off_what_was_saved_first(root, reader):
    done = threading.Event()

    def write():
        while not done.is_set():
            (root / "notes/noise.md").write_text("noise")
            time.sleep(0.0005)

    with watched(root, reconcile=3600.0):
        writer = threading.Thread(target=write)
        writer.start()
        put(root, {"notes/new.md": "quicksilver"})
        try:
            until(lambda: reader.paths_with("quicksilver"))
        finally:
            done.set()
            writer.join()


def test_a_second_watch_refuses_and_names_the_first(root):
    with watched(root):
        own = kept(root)
        second = Watching(own.sync, own.vault, own.index, own.state, tell=lambda _: None)
        with pytest.raises(LockedError, match=f"process {os.getpid()}"):
            second.run()
        own.close()
        assert is_live(root)


# What goes wrong.


def test_lost_events_make_it_look_at_everything(root, reader):
    with watched(root) as watch:
        logging.getLogger("watchdog.observers.inotify_c").warning(
            "Inotify queue overflowed; filesystem events were lost"
        )
        assert "events were lost" in watch.says("overflow").text
        put(root, {"notes/after.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver"))
        assert right(reader)


def test_a_dead_observer_is_replaced_within_a_moment(root, reader):
    with watched(root) as watch:
        watch.watching._watcher._observer.stop()
        put(root, {"notes/unseen.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver"))
        until(lambda: len([r for r in watch.reports if r.kind == "started"]) > 1)
        echoed(reader.state)


def deafen():
    """Takes every watch from every event queue that this process has: the threads live on, events never come."""
    for name in os.listdir("/proc/self/fdinfo"):
        with contextlib.suppress(OSError):
            for watch in re.findall(
                r"^inotify wd:([0-9a-f]+)", Path(f"/proc/self/fdinfo/{name}").read_text(), re.MULTILINE
            ):
                ctypes.CDLL(None).inotify_rm_watch(int(name), int(watch, 16))


def test_a_deaf_observer_is_replaced(root, reader, monkeypatch):
    # Twice late, and it is taken for a file system without events: the new observer must be heard within this time.
    monkeypatch.setattr("memoryclaw.index.watching.PATIENCE", 1.0)
    with watched(root, reconcile=0.2) as watch:
        deafen()
        put(root, {"notes/unseen.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver"))
        until(lambda: len([r for r in watch.reports if r.kind == "started"]) > 1)
        echoed(reader.state)


def test_where_no_event_ever_comes_it_polls_in_the_end(root, reader, monkeypatch):
    monkeypatch.setattr("memoryclaw.index.watching.PATIENCE", 0.1)
    monkeypatch.setattr(
        "memoryclaw.vault.watcher._Handler.dispatch", lambda *_: None
    )  # as on some file systems
    with watched(root, reconcile=0.1) as watch:
        assert "sends no events" in watch.says("polling").text
        until(lambda: watcher(reader.state)[1] == "polling")
        put(root, {"notes/unseen.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver"))


def test_an_unexpected_failure_does_not_end_the_watch(root, reader):
    def fail(old, new):
        raise RuntimeError(f"no room to note that {old} is {new}")

    with watched(root, reconcile=0.3, renamed=fail) as watch:
        (root / "notes/moon.md").rename(root / "notes/sun.md")
        assert "no room to note" in watch.says("problem").text
        assert watch.watching.failures > 0
        put(root, {"notes/after.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver"))
        assert right(reader)


@pytest.mark.parametrize(
    "how", ["deleted", "truncated", "overwritten", "state folder deleted", "cookies deleted"]
)
def test_an_index_hurt_while_it_is_kept_heals_without_a_question(root, reader, how):
    with watched(root, reconcile=0.3):
        path = reader.index.database.path
        if how == "deleted":
            path.unlink()
        elif how == "truncated":
            os.truncate(path, 8192)
        elif how == "overwritten":
            path.write_bytes(os.urandom(path.stat().st_size))
        elif how == "cookies deleted":
            shutil.rmtree(reader.state / "cookies", ignore_errors=True)
        else:
            shutil.rmtree(reader.state, ignore_errors=True)  # the watcher may write into it meanwhile
        until(lambda: sound(root))
        put(root, {"notes/after.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver"))
        until(lambda: is_live(root))
        echoed(reader.state)
        assert right(reader)


def sound(root):
    """True when the index file, opened freshly, is right; looked at without healing it."""
    path = root / ".memoryclaw/index.sqlite"
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return connection.execute("select count(*) from files").fetchone()[0] == len(STUDIO)
    except sqlite3.Error:
        return False


def test_an_emptied_root_keeps_the_index_and_says_so(root, reader, tmp_path):
    with watched(root, reconcile=0.2) as watch:
        for name in STUDIO:
            (root / name).unlink()
        for folder in ("semantic", "episodes", "notes", "skills", "logs"):
            shutil.rmtree(root / folder)
        assert "is the disk mounted" in watch.says("problem").text
        put(root, {"notes/back.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver"))


def test_a_vault_that_went_away_and_came_back_is_watched_again(root, tmp_path):
    with watched(root, reconcile=0.2) as watch:
        root.rename(tmp_path / "away")
        assert str(root) in watch.says("problem").text
        (tmp_path / "away").rename(root)
        reader = kept(root)
        put(root, {"notes/back.md": "quicksilver"})
        until(lambda: reader.paths_with("quicksilver"))
        until(lambda: is_live(root))
        reader.close()


def test_a_stop_is_quick_and_clean(root):
    threads = threading.active_count()
    with watched(root) as watch:
        watch.watching.stop()
        watch.thread.join(LONG)
        assert not watch.thread.is_alive()
        assert watch.reports[-1].kind == "stopped"
    until(lambda: threading.active_count() <= threads)  # those of tests before may end meanwhile


WATCH = """
import sys
from pathlib import Path
from indexed import kept
from memoryclaw.index.watching import Watching, watch_until_stopped
own = kept(Path(sys.argv[1]))
watch_until_stopped(Watching(own.sync, own.vault, own.index, own.state, tell=lambda report: print(report.kind, flush=True)))
"""


@pytest.fixture
def process(root):
    started = subprocess.Popen(
        [sys.executable, "-c", WATCH, root],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert "started\n" in started.stdout  # reads up to that line
    yield started
    started.kill()
    started.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_watch_cleanly(process, number):
    process.send_signal(number)
    out, _ = process.communicate(timeout=LONG)
    assert process.returncode == 0
    assert out.endswith("stopped\n")


def test_a_killed_watch_leaves_a_sound_index_and_a_free_place(process, root, reader):
    put(root, {f"notes/n{i}.md": f"word{i}" for i in range(100)})
    process.kill()
    process.wait()
    with watched(root):
        echoed(reader.state)
        assert right(reader)


def test_a_report_is_one_line():
    assert "\n" not in WatchReport("synced", "1 added, 0 changed, 0 removed", 1, 2.0).text
