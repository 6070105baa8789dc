"""The writer lock: an flock on the vault directory itself, so that a killed writer leaves none behind."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from memoryclaw.errors import LockedError, VaultError

WAIT = 5.0
_PAUSE = 0.02


@dataclass(slots=True)
class _Held:
    """One vault's lock in this process; threads wait on `guard`, the outermost holder owns `handle`."""

    guard: threading.RLock = field(default_factory=threading.RLock)
    depth: int = 0
    handle: int = -1


_known: dict[tuple[int, int], _Held] = {}
_known_guard = threading.Lock()


@contextmanager
def writer_lock(root: str, wait: float = WAIT) -> Iterator[None]:
    """Holds the vault's writer lock. The same thread may hold it again; others wait up to `wait` seconds."""
    held = _held(root)
    if not held.guard.acquire(timeout=wait):
        raise _locked(root)
    try:
        if held.depth == 0:
            held.handle = _flock(root, wait)
        held.depth += 1
        try:
            yield
        finally:
            held.depth -= 1
            if held.depth == 0:
                os.close(held.handle)
    finally:
        held.guard.release()


@contextmanager
def folder_lock(root: str, folder: str) -> Iterator[None]:
    """Holds the lock of one folder of a vault, made if missing; other folders are not locked."""
    path = os.path.join(root, folder)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    if os.path.islink(path) or not os.path.isdir(path):
        raise VaultError(f"{path} is a link or a file; only a real folder is used")
    with writer_lock(path):
        yield


def _held(root: str) -> _Held:
    try:
        info = os.stat(root)
    except OSError as error:
        raise VaultError(f"the vault {root} cannot be opened: {error.strerror}") from None
    with _known_guard:
        return _known.setdefault((info.st_dev, info.st_ino), _Held())


def _flock(root: str, wait: float) -> int:
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                os.close(handle)
                raise _locked(root) from None
            time.sleep(_PAUSE)
        else:
            return handle


def _locked(root: str) -> LockedError:
    return LockedError(
        f"another MemoryClaw process is writing to {root}; wait until it is done, then try again"
    )
