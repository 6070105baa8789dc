"""The index file may be taken away, cut, overwritten or fought over at any moment; it heals and knows the same again."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from conftest import STUDIO, put
from indexed import LONG, environment, kept, rebuilt, until

from memoryclaw.errors import IndexBusyError, IndexDamagedError, VaultError
from memoryclaw.index import database
from memoryclaw.index.database import alone, is_sealed, unseal
from memoryclaw.index.sync import fresh, healed

BIG = {f"notes/n{i}.md": f"# Note {i}\n\n" + f"budget {i} meeting {i * 7} " * 30 for i in range(12)}


@pytest.fixture
def root(tmp_path):
    return put(tmp_path / "vault", {**STUDIO, **BIG})


@pytest.fixture
def built(root):
    own = kept(root)
    own.sync.run()
    yield own
    own.close()


def healed_mark(own):
    """What the index holds after the next question."""
    assert fresh(own.sync, own.index, own.state) == (0, "")
    return own.mark()


def remove(path):
    path.unlink()


def truncate(path):
    os.truncate(path, path.stat().st_size // 2)


def empty(path):
    os.truncate(path, 0)


def garbage(path):
    path.write_bytes(os.urandom(path.stat().st_size))


def replace_by_garbage(path):
    other = path.with_name("other")
    other.write_bytes(b"not a database, but as long as one needs to be " * 1000)
    other.replace(path)


def foreign(path):
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("create table files(a)")


def restored_from_yesterday(path):
    """A consistent but older state, with its times as they were."""
    with sqlite3.connect(path) as connection:
        connection.execute("delete from unit where seq = 0")
    connection.close()


def another_recipe(path):
    with sqlite3.connect(path) as connection:
        connection.execute("update meta set value = 'version 999' where key = 'recipe'")
    connection.close()


BLOWS = [
    remove, truncate, empty, garbage, replace_by_garbage, foreign, restored_from_yesterday, another_recipe,
]  # fmt: skip


@pytest.mark.parametrize("blow", BLOWS)
def test_an_index_that_was_hurt_at_rest_knows_the_same_again(root, built, blow):
    built.close()
    blow(built.index.database.path)
    assert healed_mark(built) == rebuilt(root)


@pytest.mark.parametrize("blow", BLOWS)
def test_an_index_that_was_hurt_under_an_open_connection_knows_the_same_again(root, built, blow):
    before = built.mark()
    blow(built.index.database.path)
    assert healed_mark(built) == before == rebuilt(root)


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_files_beside_the_index_may_go_under_an_open_connection(root, built, suffix):
    (root / "notes/new.md").write_text("new words\n")
    Path(f"{built.index.database.path}{suffix}").unlink()
    assert healed_mark(built) == rebuilt(root)
    other = kept(root)
    assert healed_mark(other) == rebuilt(root)
    other.close()


def test_garbage_anywhere_in_the_file_is_noticed(root, built):
    """Twelve seeded places, most of them inside pages that SQLite would read without a word."""
    path, expected, rng = built.index.database.path, built.mark(), random.Random(7)
    for _ in range(12):
        built.close()
        before = path.stat()
        with path.open("r+b") as file:
            file.seek(rng.randrange(before.st_size - 64))
            file.write(rng.randbytes(64))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert healed_mark(built) == expected


def test_deleting_the_whole_state_folder_changes_no_answer(root, built):
    before = built.mark()
    shutil.rmtree(built.state)
    assert healed_mark(built) == before


def test_an_index_that_is_ours_and_untouched_is_not_built_again(root, built):
    inode = built.index.database.path.stat().st_ino
    built.close()
    other = kept(root)
    assert healed_mark(other) == rebuilt(root)
    assert other.index.database.path.stat().st_ino == inode
    other.close()


def test_a_second_process_writing_is_no_damage(root, built):
    inode = built.index.database.path.stat().st_ino
    other = kept(root)
    for i in range(5):
        (root / "notes/new.md").write_text(f"version {i} of new words\n")
        other.sync.run()
        assert built.paths_with(str(i)) == other.paths_with(str(i)) != []
    other.close()
    assert built.index.database.path.stat().st_ino == inode


def test_an_index_that_is_written_while_it_is_read_is_examined_by_nobody(root, built, monkeypatch):
    path, reader = built.index.database.path, kept(root)
    inode = path.stat().st_ino
    with monkeypatch.context() as patch, reader.index.database.reading():
        reader.index.stamps()
        (root / "notes/new.md").write_text("a zephyr\n")
        built.sync.run()
        patch.setattr(database, "_check_structure", None)  # whoever calls it now fails
        other = kept(root)
        assert built.paths_with("zephyr") == other.paths_with("zephyr") == ["notes/new.md"]
        assert reader.paths_with("zephyr") == []
        assert (is_sealed(path), is_sealed(path, whole=True)) == (True, False)
    for index in (reader, other, built):
        index.close()  # the last of them moves what the reader held back into the file
    other = kept(root)
    assert healed_mark(other) == rebuilt(root)
    assert path.stat().st_ino == inode
    other.close()


def test_the_index_is_private(built):
    assert built.index.database.path.stat().st_mode & 0o777 == 0o600
    assert built.state.stat().st_mode & 0o777 == 0o700


def test_an_index_replaced_while_it_is_written_is_told_apart_from_a_success(root, built):
    def write():
        with built.index.writing() as work:
            work.remove(["notes/n1.md"])
            built.index.database.path.unlink()

    with pytest.raises(IndexDamagedError):
        write()
    assert healed_mark(built) == rebuilt(root)


def test_damage_found_while_asking_is_healed_before_the_answer(root, built):
    asked = []

    def ask():
        built.sync.run()
        asked.append(1)
        if len(asked) == 1:
            raise sqlite3.DatabaseError("database disk image is malformed")
        return built.paths_with("budget")

    assert len(healed(built.index, ask)) == len(BIG)


def test_no_index_is_made_where_there_is_no_vault(tmp_path):
    lost = kept(tmp_path / "unmounted")
    with pytest.raises(VaultError, match="there is no vault at"):
        fresh(lost.sync, lost.index, lost.state)
    assert not (tmp_path / "unmounted").exists()


# Two at once.


def test_a_writer_waits_a_moment_and_then_says_who_is_in_the_way(root, built):
    with alone(built.state):
        start = time.monotonic()
        with pytest.raises(IndexBusyError, match="another process"), built.index.writing():
            pass
    assert 0.15 < time.monotonic() - start < LONG


def test_a_reader_is_not_kept_waiting_by_a_long_write(root, built):
    """While one process is inside a write transaction, another opens, looks and asks at once."""
    writing, done, ended = threading.Event(), threading.Event(), []

    def write():
        own = kept(root)
        with own.index.writing() as work:
            work.remove(["notes/n1.md"])
            writing.set()
            ended.append(done.wait(LONG))
        own.close()

    thread = threading.Thread(target=write)
    thread.start()
    assert writing.wait(LONG)
    reader = kept(root)
    assert "notes/n1.md" in reader.paths_with("budget")
    done.set()
    thread.join()
    assert ended == [True], "the write was over before the reader was done"
    reader.close()


SYNC_FOREVER = """
import sys
from pathlib import Path
from indexed import kept
own = kept(Path(sys.argv[1]))
print("ready", flush=True)
for _ in range(int(sys.argv[2])):
    try:
        own.sync.run()
    except Exception as error:
        if type(error).__name__ != "IndexBusyError":
            raise
"""


def syncing(root, times):
    env = environment()
    command = [sys.executable, "-c", SYNC_FOREVER, str(root), str(times)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def test_two_processes_that_sync_at_once_end_equal(root):
    both = [syncing(root, 25), syncing(root, 25)]
    for process in both:
        process.stdout.readline()
    for i in range(30):
        (root / f"notes/n{i}.md").write_text(f"round {i} of the fight\n")
        time.sleep(0.005)
    assert [process.wait(LONG) for process in both] == [0, 0]
    own = kept(root)
    assert healed_mark(own) == rebuilt(root)
    own.close()


@pytest.mark.laws
def test_a_sync_killed_at_any_moment_leaves_a_sound_index(root):
    rng = random.Random(3)
    for round_ in range(3):
        for i in range(20):
            (root / f"notes/k{i}.md").write_text(f"round {round_} note {i} " + "words " * 300)
        process = syncing(root, 1000)
        process.stdout.readline()
        time.sleep(rng.random() * 0.06)
        process.send_signal(signal.SIGKILL)
        process.wait()
        own = kept(root)
        until(lambda own=own: fresh(own.sync, own.index, own.state) == (0, ""))
        assert own.mark() == rebuilt(root)
        own.close()


# A disk that does not take more.

ASK = """
import os, sys
from pathlib import Path
from conftest import STUDIO, put
from indexed import kept, rebuilt
from memoryclaw.index.sync import fresh
root = Path(sys.argv[1])
own = kept(root)
if sys.argv[2] == "nobody":
    rebuilt(put(Path(sys.argv[3]), STUDIO))  # imports all there is to import while it can
    os.setuid(65534)
print(fresh(own.sync, own.index, own.state)); print(len(own.paths_with("budget")))
"""


def asked_as(root, who="me"):
    env = environment()
    with tempfile.TemporaryDirectory() as spare:
        command = [sys.executable, "-c", ASK, str(root), who, spare]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "none", place], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no right to mount a small disk")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_still_answers_and_says_that_it_is_behind(small_disk):
    root = put(small_disk / "vault", {**STUDIO, **BIG})
    assert asked_as(root) == ["Freshness(behind=0, degraded='')", "12"]
    (root / "notes/n1.md").write_text("budget changed\n")
    with (small_disk / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    said, answer = asked_as(root)
    assert "behind=1" in said
    assert "free some space" in said
    assert answer == "12"
    (small_disk / "filler").unlink()
    assert asked_as(root) == ["Freshness(behind=0, degraded='')", "12"]
    own = kept(root)
    assert own.mark() == rebuilt(root)
    own.close()


def test_a_state_folder_that_became_read_only_still_answers():
    """Root may write anywhere, so root asks as somebody else."""
    who = "me" if os.getuid() else "nobody"
    root = put(Path(tempfile.mkdtemp()) / "vault", {**STUDIO, **BIG})
    state = root / ".memoryclaw"
    state.mkdir()
    for path in (root.parent, root, *root.rglob("*")):
        path.chmod(0o777)
    assert asked_as(root, who) == ["Freshness(behind=0, degraded='')", "12"]
    (root / "notes/n1.md").write_text("changed words\n")
    state.chmod(0o555)
    said, answer = asked_as(root, who)
    state.chmod(0o777)
    assert "behind=1" in said
    assert "cannot be written" in said
    assert answer == "12"
    shutil.rmtree(root.parent)


def test_what_only_a_change_changes_is_read_once_for_each_state_of_the_index(root, built):
    index, other, reads = built.index.database, kept(root), []

    def changes():
        with index.guarded() as connection:
            reads.append(connection.execute("select value from meta where key = 'changes'").fetchone()[0])
        return reads[-1]

    first = index.constant("changes", changes)
    assert index.constant("changes", changes) == first
    assert reads == [first]
    with contextlib.suppress(InterruptedError), index.writing() as connection:
        connection.execute("update meta set value = 'rolled back' where key = 'changes'")
        assert index.constant("changes", changes) == "rolled back"
        raise InterruptedError
    assert index.constant("changes", changes) == first
    put(root, {"notes/new.md": "# New\n\nsomething new\n"})
    other.sync.run()  # on a connection of its own, as another process has one
    other.close()
    second = index.constant("changes", changes)
    assert second != first
    with index.writing() as connection:
        connection.execute("update meta set value = value + 1 where key = 'changes'")
    assert int(index.constant("changes", changes)) == int(second) + 1


def test_within_one_reading_the_index_stays_what_it_was(root, built):
    index, other = built.index.database, kept(root)

    def changes():
        with index.guarded() as connection:
            return connection.execute("select value from meta where key = 'changes'").fetchone()[0]

    with index.reading():
        first = index.constant("changes", changes)
        put(root, {"notes/new.md": "# New\n\nsomething new\n"})
        other.sync.run()
        assert index.constant("changes", changes) == changes() == first
    other.close()
    with index.reading():
        assert index.constant("changes", changes) == changes() != first


@pytest.mark.parametrize("unsealed", [False, True])
def test_what_may_not_have_reached_the_disk_before_the_machine_stopped_is_built_again(
    root, built, unsealed, monkeypatch
):
    path, mark, edition = built.index.database.path, built.mark(), built.index.edition()
    assert is_sealed(path)
    if unsealed:
        unseal(path)
    monkeypatch.setattr(database, "boot", lambda: 7)
    assert is_sealed(path) is False
    later = kept(root)
    assert healed_mark(later) == mark == rebuilt(root)
    assert edition.split()[0] != later.index.edition().split()[0], "it is another index"
    later.close()


def test_a_closed_index_outlasts_the_machine(built, monkeypatch):
    path, edition = built.index.database.path, built.index.edition()
    built.close()
    monkeypatch.setattr(database, "boot", lambda: 7)
    assert is_sealed(path, whole=True)
    assert built.index.edition() == edition


def test_an_open_index_waits_for_the_disk_once(built, monkeypatch):
    waits: list[int] = []
    monkeypatch.setattr(database.os, "fsync", waits.append)
    built.close()
    for at in range(3):
        with built.index.writing() as work:
            work.aliases([("a", f"b{at}")])
        assert len(waits) == 2, "it was closed, and changes again"
    built.close()
    assert len(waits) == 3
