"""The state folder: a real folder, private to the user; no link in it is followed or written through."""

from __future__ import annotations

import contextlib
import math
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from memoryclaw import late
from memoryclaw.errors import LockedError, VaultError
from memoryclaw.unix import is_locked
from memoryclaw.vault.layout import CONFIG_FILE, STATE_DIR

if TYPE_CHECKING:
    from pathlib import Path

# Folders in folders that are looked into: beyond them nothing is opened by a name that is known before.
_DEPTH = 3
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def state_folder(root: str | os.PathLike[str]) -> str:
    """Where what can be rebuilt is kept: `.memoryclaw/` in the vault, or a cache folder beside a vault that is read-only."""
    vault = os.fspath(root)
    inside = os.path.join(vault, STATE_DIR)
    must_be_real(inside)
    begun = os.path.isdir(inside)
    if os.access(inside if begun else vault, os.W_OK) and (begun or is_initialised(vault)):
        return inside
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "memoryclaw", late.hashlib.sha256(os.fsencode(vault)).hexdigest()[:16])


def begun_state_folder(root: str | os.PathLike[str]) -> str:
    """The same for a process that stays: the folder is made in the vault, where it can be, also in one without settings."""
    vault = os.fspath(root)
    if os.path.isdir(vault) and os.access(vault, os.W_OK):
        make_private_folder(os.path.join(vault, STATE_DIR))
    return state_folder(root)


def is_initialised(root: str | os.PathLike[str]) -> bool:
    """True for a folder that `init` made a vault: it holds settings."""
    return os.path.lexists(os.path.join(os.fspath(root), CONFIG_FILE))


def must_hold_no_link(state: str | os.PathLike[str]) -> None:
    """Raises VaultError if the state folder holds a symbolic link: MemoryClaw creates none."""
    if link := _link_in(os.fspath(state), _DEPTH):
        raise _link(link)


def must_be_real(folder: str | os.PathLike[str]) -> None:
    """Raises VaultError if the folder is a symbolic link."""
    if os.path.islink(folder):
        raise _link(os.fspath(folder))


def make_private_folder(folder: str | os.PathLike[str]) -> None:
    """Makes a folder, private to the user, and its parents except the vault; an existing one must be real."""
    path = os.fspath(folder)
    above, name = os.path.split(path)
    # A vault that is not there (a disk that is not mounted) must not come into being as an empty folder.
    if name != STATE_DIR and (STATE_DIR in above.split(os.sep) or not os.path.isdir(above)):
        make_private_folder(above)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        raise _link(path)
    if not stat.S_ISDIR(mode):
        raise VaultError(f"{path} is in the way: a folder belongs there, so move it or delete it")


def touch(path: str | os.PathLike[str]) -> None:
    """Makes an empty file, private to the user, for a library to open; an existing one becomes private.

    Raises:
        OSError: it is a link, or cannot be made.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(handle, 0o600)
    finally:
        os.close(handle)


def write_private(folder: str | os.PathLike[str], name: str, data: bytes) -> None:
    """Writes a small file atomically, private to the user, replacing whatever has its name.

    Raises:
        OSError: it cannot be written.
    """
    path = os.path.join(folder, name)
    temporary = f"{path}.{os.getpid()}.tmp"
    with suppress(FileNotFoundError):
        os.unlink(temporary)
    try:
        with open(os.open(temporary, _NEW, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def mark(folder: str | os.PathLike[str], name: str, line: str) -> None:
    """Leaves a line in the folder, if that can be done.

    There is no temporary file, which a kill would leave; a mark that it left empty says nothing.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with suppress(OSError), open(os.open(os.path.join(folder, name), flags, 0o600), "w") as file:
        file.write(f"{line}\n")


def read_mark(folder: str | os.PathLike[str], name: str) -> str:
    """The line that `mark` left; empty where there is none."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _link_in(folder: str, depth: int) -> str:
    inner = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink():
                    return entry.path
                if depth and entry.is_dir(follow_symlinks=False):
                    inner.append(entry.path)
    except OSError:
        return ""  # there is none yet, or whoever opens it will say what is wrong
    return next(filter(None, (_link_in(path, depth - 1) for path in inner)), "")


def _link(path: str) -> VaultError:
    return VaultError(
        f"{path} is a symbolic link, and links are not followed there; delete the link, then try again"
    )


# Lets a reader skip its scan: a cookie file that the watcher removes proves that everything saved before it is in the
# index.

WAIT = 0.05  # seconds that a reader waits for its cookie
FOLDER = "cookies"
INDEX_FILE = "index.sqlite"
LOCK_FILE = "watch.lock"
STARTING, LIVE, POLLING = "starting", "live", "polling"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PATIENCE = 0.2  # seconds that a new watcher gives one that is about to end
_READERS = 10.0  # and readers, who hold the lock for a moment to look at it, or longer where the machine stops them meanwhile
_PAUSE = 0.0003


def echo(state: Path, wait: float = WAIT, since: float | None = None) -> bool:
    """True when a live watcher says that everything saved before a moment is in the index.

    Args:
        since: the moment, by the monotonic clock; now when it is not given. Threads share a cookie that was dropped after it.
    """
    return _cookies_of(os.fspath(state)).heard(time.monotonic() if since is None else since, wait)


class _Cookies:
    """The cookies that this process drops in one state folder: one at a time, and what became of the last."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._turn = threading.Condition()
        self._at_work = False
        self._last = (-math.inf, False)  # when it was dropped, and whether it was heard

    def heard(self, since: float, wait: float) -> bool:
        """True when a cookie that was dropped after a moment was taken."""
        with self._turn:
            self._turn.wait_for(lambda: self._last[0] >= since or not self._at_work)
            if self._last[0] >= since:
                return self._last[1]
            self._at_work = True
        last = (time.monotonic(), False)
        try:
            last = (last[0], _echo(self._state, wait))
        finally:
            with self._turn:
                self._last, self._at_work = last, False
                self._turn.notify_all()
        return last[1]


@cache
def _cookies_of(state: str) -> _Cookies:
    return _Cookies(state)


def _echo(state: str, wait: float) -> bool:
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
        if is_locked(fd, shared=True):
            return 0, ""
        pid, _, mode = os.pread(fd, 60, 0).decode("ascii", "replace").strip().partition(" ")
        return (int(pid), mode) if pid.isdigit() else (0, "")
    finally:
        os.close(fd)


def drop(state: Path | str, name: str) -> None:
    """Writes a cookie for the watcher. Raises OSError: there is no real folder for it."""
    with _open_folder(state) as folder:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=folder))


def cookies(state: Path) -> list[str]:
    """The names of the cookies that wait."""
    try:
        with _open_folder(state) as folder:
            return os.listdir(folder)
    except OSError:
        return []


def take(state: Path, names: list[str]) -> None:
    """Removes cookies; their readers then trust the index."""
    with contextlib.suppress(OSError), _open_folder(state) as folder:
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
                make_private_folder(folder)
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise VaultError(
                f"{self._path} cannot be written ({error.strerror}), so nothing can be watched"
            ) from error
        begun = time.monotonic()
        while not is_locked(self._fd):
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
        """True when the lock file or the folder of the cookies is no longer on disk, so that nobody can ask the watcher."""
        try:
            os.stat(self._path.with_name(FOLDER))
            return self._fd < 0 or not os.path.samestat(os.stat(self._path), os.fstat(self._fd))
        except OSError:
            return True

    def close(self) -> None:
        """Releases the lock."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1


@contextlib.contextmanager
def _open_folder(state: Path | str) -> Iterator[int]:
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
    except OSError as error:
        return isinstance(error, FileNotFoundError)
    return False
