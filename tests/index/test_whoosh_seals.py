from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryclaw.index.whoosh_engine import is_whole, sealed


def rewrite_with_the_same_size_and_time(path: Path) -> None:
    stat = path.stat()
    path.write_text("two")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def copy_back(path: Path) -> None:
    shutil.copy2(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").replace(path)


@pytest.mark.parametrize(
    "change", [Path.unlink, rewrite_with_the_same_size_and_time, copy_back, lambda path: os.truncate(path, 1)]
)
def test_every_change_to_a_file_breaks_the_seal(tmp_path: Path, change: Callable[[Path], None]) -> None:
    (tmp_path / "a").write_text("one")
    (tmp_path / "b").write_text("one")
    seal = sealed(tmp_path, but="lock")
    assert is_whole(tmp_path, seal)
    change(tmp_path / "b")
    assert not is_whole(tmp_path, seal)


def test_links_folders_and_the_lock_are_not_sealed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    (tmp_path / "lock").write_text("")
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "folder").mkdir()
    assert [line[0] for line in sealed(tmp_path, but="lock")] == ["a"]


def test_sealed_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    (tmp_path / "a").chmod(0o644)
    sealed(tmp_path, but="lock")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
