"""Lets a reader skip its scan: a cookie file that the watcher removes proves that everything saved before it is in the index.

Without a watcher, or without an answer in time, the reader scans for itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memoryclaw.errors import LockedError, VaultError
from memoryclaw.vault.state_folder import made

if TYPE_CHECKING:  # a client of the daemon asks here too, and pathlib is what it would wait for
    from pathlib import Path

WAIT = 0.05  # seconds that a reader waits for its cookie
FOLDER = "cookies"
LOCK_FILE = "watch.lock"
STARTING, LIVE, POLLING = "starting", "live", "polling"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PATIENCE = 0.2  # seconds that a new watcher gives one that is about to end
_READERS = 10.0  # and readers, who hold the lock for a moment to look at it, or longer where the machine stops them meanwhile
_PAUSE = 0.0003


def echo(state: Path, wait: float = WAIT) -> bool:
    """True when a live watcher says that everything saved before this call is in the index."""
    if watcher(state)[1] != LIVE:
        return False
    name = f"{os.getpid()}-{time.monotonic_ns()}"
    try:
        drop(state, name)
    except OSError:
        return False
    # The cookie is also gone when its folder was thrown away, so the watcher must still be there.
    return _vanishes(f"{state}/{FOLDER}/{name}", time.monotonic() + wait) and watcher(state)[1] == LIVE


def watcher(state: Path | str) -> tuple[int, str]:
    """The process id of the watcher and how it watches (`starting`, `live`, `polling`); (0, "") when there is none."""
    try:
        fd = os.open(f"{state}/{LOCK_FILE}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0, ""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        pid, _, how = os.pread(fd, 60, 0).decode("ascii", "replace").strip().partition(" ")
        return (int(pid), how) if pid.isdigit() else (0, "")
    finally:
        os.close(fd)
    return 0, ""


def drop(state: Path, name: str) -> None:
    """Writes a cookie for the watcher.

    Raises:
        OSError: there is no real folder for it.
    """
    with _opened(state) as folder:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=folder))


def cookies(state: Path) -> list[str]:
    """The names of the cookies that wait."""
    try:
        with _opened(state) as folder:
            return os.listdir(folder)
    except OSError:
        return []


def take(state: Path, names: list[str]) -> None:
    """Removes cookies; their readers then trust the index."""
    with contextlib.suppress(OSError), _opened(state) as folder:
        for name in names:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=folder)


class WatchLock:
    """The lock of a vault's only watcher, held until `close` or until the process ends.

    Raises:
        LockedError: another watcher has it.
    """

    def __init__(self, state: Path) -> None:
        self._path = state / LOCK_FILE
        try:
            for folder in (state, state / FOLDER):
                made(folder)
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise VaultError(
                f"{self._path} cannot be written ({error.strerror}), so nothing can be watched"
            ) from error
        begun = time.monotonic()
        while not self._taken():
            waited = time.monotonic() - begun
            if waited >= _READERS or (waited >= _PATIENCE and watcher(state)[0]):
                os.close(self._fd)
                raise LockedError(
                    f"this vault is being watched already, by process {watcher(state)[0]}; one is enough"
                )
            time.sleep(_PAUSE)
        self.say(STARTING)

    def say(self, how: str) -> None:
        """Tells readers how this watcher watches."""
        if self._fd >= 0:
            os.pwrite(self._fd, f"{os.getpid()} {how}".ljust(60).encode("ascii"), 0)

    def is_lost(self) -> bool:
        """True when the lock file is no longer on disk, so that nobody can see that the vault is watched."""
        try:
            return self._fd < 0 or not os.path.samestat(os.stat(self._path), os.fstat(self._fd))
        except OSError:
            return True

    def close(self) -> None:
        """Releases the lock."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextlib.contextmanager
def _opened(state: Path) -> Iterator[int]:
    """Opens the folder of the cookies, following no link."""
    above = os.open(state, _FOLDER)
    try:
        folder = os.open(FOLDER, _FOLDER, dir_fd=above)
    finally:
        os.close(above)
    try:
        yield folder
    finally:
        os.close(folder)


def _vanishes(cookie: str, end: float) -> bool:
    pause = _PAUSE
    while time.monotonic() < end:
        time.sleep(pause)
        if not os.path.lexists(cookie):
            return True
        pause = min(pause * 1.5, 0.003)
    try:
        os.unlink(cookie)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
