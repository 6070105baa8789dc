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


class _Stat(NamedTuple):
    inode: int
    size: int
    mtime: int
    ctime: int


_NOTHING = _Stat(0, 0, 0, 0)


class Footprint(NamedTuple):
    """What the disk says of the index file and of the two that SQLite keeps beside it."""

    main: _Stat
    wal: _Stat
    shm: int  # inode; readers write into this one


def footprint(path: Path) -> Footprint:
    """The footprint now; zeros for what is not there."""
    return Footprint(_look(f"{path}"), _look_at_log(path), _look(f"{path}-shm").inode)


def seal(path: Path) -> None:
    """Notes that the file is whole. Call it with the lock held and nothing left in the write-ahead log."""
    _rewrite(path, " ".join(map(str, (*_look(f"{path}"), *_look_at_log(path)))))


def unseal(path: Path) -> None:
    """Notes that the file is about to change."""
    _rewrite(path, "")


def is_sealed(path: Path) -> bool | None:
    """True while the file is as we left it, False when somebody else changed it, None when there is no seal to tell."""
    for _ in range(2):
        said = _said(path)
        if not said:
            return None
        main, wal = _look(f"{path}"), _look_at_log(path)
        # The last to close the index takes the log away: all of it is in the file.
        if said == [*main, *wal] or (wal.size == 0 and said[:4] == [*main]):
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


def _look(path: str) -> _Stat:
    try:
        found = os.stat(path)
    except OSError:
        return _NOTHING
    return _Stat(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _look_at_log(path: Path) -> _Stat:
    # Whoever opens the log as root sets its owner once more, and so its change time.
    return _look(f"{path}-wal")._replace(ctime=0)


def _said(path: Path) -> list[int]:
    try:
        fd = os.open(path.with_suffix(".seal"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return [int(number) for number in os.read(fd, 200).split()]
    except ValueError:
        return [0]  # not written by us
    finally:
        os.close(fd)


def _rewrite(path: Path, text: str) -> None:
    fd = _opened(path.with_suffix(".seal"), os.O_WRONLY)
    try:
        # One write of constant length over what was there: a reader sees the old line or the new one.
        os.pwrite(fd, text.ljust(160).encode("ascii"), 0)
    except OSError as error:
        raise _unwritable(path.with_suffix(".seal"), error) from error
    finally:
        os.close(fd)


def _opened(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> VaultError:
    why = f"{path} cannot be written ({error.strerror})"
    return VaultError(f"{why}; make room or give yourself the right to write there")
