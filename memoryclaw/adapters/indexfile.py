"""The lock and the seal of the index file; the seal holds what the disk said of the file after our last write.

The rule: there is a seal only while all that was written is in the file, so whoever else changes the file breaks it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memoryclaw.core.errors import IndexBusyError, VaultError

WAIT = 0.2  # seconds; a question never waits longer for another process
_PAUSE = 0.002
_NOBODY = (0, 0, 0, 0)


class Footprint(NamedTuple):
    """What the disk says of the index file and of the two that SQLite keeps beside it."""

    main: tuple[int, int, int, int]  # inode, size, mtime, ctime
    wal: int  # inode
    shm: int


def footprint(path: Path) -> Footprint:
    """The footprint now; zeros for what is not there."""
    return Footprint(_look(f"{path}"), _look(f"{path}-wal")[0], _look(f"{path}-shm")[0])


def seal(path: Path) -> None:
    """Notes that the file is whole. Call it with the lock held and nothing left in the write-ahead log."""
    _rewrite(path, " ".join(map(str, _look(f"{path}"))))


def unseal(path: Path) -> None:
    """Notes that the file is about to change."""
    _rewrite(path, "")


def is_sealed(path: Path) -> bool | None:
    """True while the file is as we left it, False when somebody else changed it, None when there is no seal to tell."""
    for _ in range(2):
        said = _said(path)
        if not said:
            return None
        if said == " ".join(map(str, _look(f"{path}"))):
            return True
    # Read twice, because a writer may have broken its own seal between our two looks.
    return False


@contextlib.contextmanager
def alone(folder: Path, wait: float = WAIT) -> Iterator[None]:
    """Holds the index's lock, which every process takes to write, to seal and to replace; freed when its holder dies."""
    fd = _opened(folder / "index.lock", os.O_RDWR)
    try:
        end = time.monotonic() + wait
        while not _taken(fd):
            if time.monotonic() >= end:
                raise IndexBusyError("the index is being written by another process; try again")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(fd)


def is_taken(folder: Path) -> bool:
    """True while another process (or another connection of this one) holds the lock."""
    try:
        with alone(folder, 0):
            return False
    except IndexBusyError:
        return True


def _taken(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _look(path: str) -> tuple[int, int, int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return _NOBODY
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _said(path: Path) -> str:
    try:
        fd = os.open(path.with_suffix(".seal"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(fd, 200).decode("ascii", "replace").strip()
    finally:
        os.close(fd)


def _rewrite(path: Path, text: str) -> None:
    fd = _opened(path.with_suffix(".seal"), os.O_WRONLY)
    try:
        # One write of constant length over what was there: a reader sees the old line or the new one.
        os.pwrite(fd, text.ljust(120).encode("ascii"), 0)
    except OSError as error:
        raise _unwritable(path.with_suffix(".seal"), error) from error
    finally:
        os.close(fd)


def _opened(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> VaultError:
    why = f"{path} cannot be written ({error.strerror})"
    return VaultError(f"{why}; make room or give yourself the right to write there")
