from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from engine_contract import EngineContract, OpenEngine, Opener, row, token
from indexed import until

from memoryclaw.errors import IndexBusyError, IndexDamagedError, VaultError
from memoryclaw.index.database import Database
from memoryclaw.index.whoosh_engine import WhooshIndex


def open_whoosh(folder: Path) -> OpenEngine:
    database = Database(folder, "test")
    return OpenEngine(database, WhooshIndex(folder / "whoosh", database.connection))


class TestWhoosh(EngineContract):
    @pytest.fixture
    def opener(self) -> Opener:
        return open_whoosh


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index" / "whoosh"


@pytest.fixture
def opened(folder: Path) -> OpenEngine:
    opened = open_whoosh(folder.parent)
    opened.put(row(1, "a b"), row(2, "a"))
    return opened


def largest(folder: Path) -> Path:
    return max(folder.glob("MAIN_*"), key=lambda path: path.stat().st_size)


def cut_short(folder: Path) -> None:
    os.truncate(largest(folder), 40)


def overwrite(folder: Path) -> None:
    path = largest(folder)
    stat = path.stat()
    path.write_bytes(b"\x00" * stat.st_size)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def delete_one(folder: Path) -> None:
    largest(folder).unlink()


def delete_table(folder: Path) -> None:
    next(folder.glob("*.toc")).unlink()


def delete_all(folder: Path) -> None:
    shutil.rmtree(folder)


def copy_over(folder: Path) -> None:
    shutil.copytree(folder, folder.with_name("copy"))
    shutil.rmtree(folder)
    folder.with_name("copy").rename(folder)


def newer_table(folder: Path) -> None:
    shutil.copy(next(folder.glob("*.toc")), folder / "_MAIN_99.toc")


DAMAGE = [cut_short, overwrite, delete_one, delete_table, delete_all, copy_over, newer_table]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("at_rest", [True, False])
def test_any_change_to_the_files_is_noticed_and_mended_by_a_rebuild(
    opened: OpenEngine, folder: Path, damage: Callable[[Path], None], at_rest: bool
) -> None:
    opened.rowids(token("a"))
    damage(folder)
    engine = open_whoosh(folder.parent) if at_rest else opened
    with pytest.raises(IndexDamagedError):
        engine.engine.find(token("a"), 10)
    with pytest.raises(IndexDamagedError):
        engine.engine.size()
    with pytest.raises(IndexDamagedError):
        engine.put(row(3, "a"))
    engine.database.discard()
    with engine.database.writing():
        engine.engine.clear()
    assert engine.engine.size() == (0, 0)
    engine.put(row(1, "a"))
    assert engine.rowids(token("a")) == [1]


def test_a_commit_to_whoosh_that_sqlite_did_not_follow_is_noticed(opened: OpenEngine, folder: Path) -> None:
    with contextlib.suppress(ZeroDivisionError), opened.database.writing():
        opened.engine.add([row(3, "a")])
        opened.engine.settle(keep=True)
        raise ZeroDivisionError
    for reader in (opened, open_whoosh(folder.parent)):
        with pytest.raises(IndexDamagedError):
            reader.engine.find(token("a"), 10)


def test_a_reader_between_the_two_commits_of_a_writer_waits_for_the_second(
    opened: OpenEngine, folder: Path
) -> None:
    reader = open_whoosh(folder.parent)
    assert reader.rowids(token("a")) == [2, 1]
    settled = threading.Event()

    def write() -> None:
        with opened.database.writing():
            opened.engine.add([row(3, "a")])
            opened.engine.settle(keep=True)
            settled.set()
            time.sleep(0.05)

    def asked() -> list[int] | None:
        with contextlib.suppress(
            IndexBusyError
        ):  # a machine may stop the writer for longer than a reader waits
            return reader.rowids(token("a"))
        return None

    writer = threading.Thread(target=write)
    writer.start()
    settled.wait()
    answer = until(asked)
    writer.join()
    assert answer == [2, 3, 1]


def test_what_lies_there_while_the_catalogue_knows_of_none_is_never_read(
    tmp_path: Path, folder: Path
) -> None:
    """Whoosh unpickles its files; a folder that came with somebody's vault must not run as code."""
    folder.mkdir(parents=True)
    marker = tmp_path / "ran"
    hostile = pickle.dumps(_Touch(str(marker)))
    (folder / "_MAIN_1.toc").write_bytes(hostile)
    opened = open_whoosh(folder.parent)
    assert opened.rowids(token("a")) == []
    opened.put(row(1, "a"))
    assert opened.rowids(token("a")) == [1]
    (folder / "_MAIN_99.toc").write_bytes(hostile)
    with pytest.raises(IndexDamagedError):
        opened.rowids(token("a"))
    assert not marker.exists()


class _Touch:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return open, (self.path, "w")


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path, folder: Path) -> None:
    precious = tmp_path / "documents"
    precious.mkdir()
    (precious / "letter.txt").write_text("dear")
    folder.parent.mkdir()
    folder.symlink_to(precious)
    opened = open_whoosh(folder.parent)
    opened.put(row(1, "a"))
    assert opened.rowids(token("a")) == [1]
    assert [path.name for path in precious.iterdir()] == ["letter.txt"]


def test_the_files_are_for_their_owner_alone(opened: OpenEngine, folder: Path) -> None:
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir() if "LOCK" not in path.name} == {
        0o600
    }


def test_what_a_killed_writer_left_behind_does_no_harm(opened: OpenEngine, folder: Path) -> None:
    (folder / "MAIN.tmp").mkdir()
    (folder / "MAIN.tmp" / "abcd.run").write_bytes(b"half")
    (folder / "MAIN_abcdefgh12345678.pst").write_bytes(b"half")
    assert opened.rowids(token("a")) == [2, 1]
    opened.put(row(3, "a"))
    assert opened.rowids(token("a")) == [2, 3, 1]
    assert not list(folder.glob("*.tmp"))


@pytest.mark.laws
def test_dead_units_do_not_pile_up(opened: OpenEngine, folder: Path) -> None:
    opened.put(*(row(n, f"a w{n}") for n in range(10, 510)))
    size = sum(path.stat().st_size for path in folder.iterdir())
    for start in range(510, 5010, 500):
        with opened.writing() as engine:
            engine.remove(row(n, f"a w{n}") for n in range(start - 500, start))
            engine.add(row(n, f"a w{n}") for n in range(start, start + 500))
    assert sum(path.stat().st_size for path in folder.iterdir()) < 3 * size


def test_a_disk_that_refuses_is_told_in_one_sentence(tmp_path: Path) -> None:
    database = Database(tmp_path / "index", "test")
    engine = WhooshIndex(tmp_path / "missing" / "whoosh", database.connection)
    engine.add([row(1, "a")])
    with pytest.raises(VaultError, match="cannot be written"), database.writing():
        engine.settle(keep=True)
