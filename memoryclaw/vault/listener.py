"""What changed in a vault since one last asked, heard from the kernel without a thread: for a process that stays where nobody watches.

The kernel queues the event of a change before the call that makes the change returns, and keeps their order. A cookie of our own that
comes out of the queue shows that it does; whatever is in doubt, everything is looked at.
"""

from __future__ import annotations

import errno
import os
import re
import struct
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from memoryclaw import late
from memoryclaw.errors import VaultError
from memoryclaw.vault.files import is_running
from memoryclaw.vault.folder import IGNORE_FILE, OBSIDIAN_FILE, is_hidden
from memoryclaw.vault.layout import NO_NOTES, places
from memoryclaw.vault.state_folder import (
    FOLDER,
    INDEX_FILE,
    WAIT,
    make_private_folder,
    mark,
    read_mark,
)

MARK = "unheard"  # the file that says why a process does not listen
_LOOK = 300.0  # seconds between looks at everything, whatever is heard
_PAUSE = 0.0005
_MOST = 256  # files: beyond these a look at everything is faster
_EVENT = struct.Struct("iIII")
_INIT = 0x80800  # IN_CLOEXEC | IN_NONBLOCK
_LISTED = 0x03000FC0  # IN_CREATE, IN_DELETE, IN_MOVE, of itself, too; IN_DONT_FOLLOW | IN_ONLYDIR
_WRITTEN = _LISTED | 0xE  # and IN_MODIFY, IN_ATTRIB, IN_CLOSE_WRITE
_TOUCHED = 0x4  # IN_ATTRIB
_LOST = 0xEC00  # IN_DELETE_SELF, IN_MOVE_SELF, IN_UNMOUNT, IN_Q_OVERFLOW, IN_IGNORED
_OF_FOLDER = 0x40000000  # IN_ISDIR
_USED_UP = (errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.ENOSYS)
_COOKIES = "/"  # no folder of a vault is called so


class Listener:
    """One process's ear at one vault; it belongs to one thread at a time."""

    def __init__(self, root: Path, state: Path) -> None:
        self.pending: set[str] = set()  # the files that may have changed
        self._index = 0  # the inode of the index that was last in line
        # It cannot listen; other systems tell of files in other ways.
        self.why = sends_no_events(os.fspath(root)) if sys.platform == "linux" else "this is not Linux"
        self._root, self._state = root, state
        self._places = places(os.fspath(root))
        self._handle, self._folders = -1, dict[int, str]()
        self._cookie = -1  # a file without a name; to touch it is an event of this process alone
        self._end, self._begun_at = 0.0, tuple[object, ...]()
        self._missed = 0

    def begin(self) -> None:
        """Listens anew to what a walk is about to enter: whatever changes after it was there is heard."""
        self.close()
        if self.why:
            return
        try:
            self._begun_at = self._settings()
            make_private_folder(folder := self._state / FOLDER)
            self._handle = _called("inotify_init1", _INIT)
            self._cookie, place = late.tempfile.mkstemp(dir=folder)
            self._folders[self._watched(Path(place), _TOUCHED)] = _COOKIES
            os.unlink(place)
            os.read(self._handle, 1 << 16)  # that it lost its name
        except (OSError, VaultError) as error:
            self._fail(error)

    def enter(self, folder: str) -> None:
        """Listens to a folder that is about to be listed."""
        if self._handle < 0:
            return
        mask = _LISTED if folder.partition("/")[0] in NO_NOTES else _WRITTEN
        try:
            place = self._root / self._places.on_disk(folder) if folder else self._root.resolve()
            self._folders[self._watched(place, mask)] = folder
        except OSError as error:  # it may have gone under the walk
            self._fail(error)

    def saw_all(self, doubtful: Collection[str]) -> None:
        """Told when the walk and what it found are in the index; `doubtful` are files to be looked at once more."""
        self._index = self._index_file()
        if self._handle >= 0:
            self.pending, self._end = set(doubtful), time.monotonic() + _LOOK
            if read_mark(self._state, MARK).startswith(f"{os.getpid()} "):  # not another's
                with suppress(OSError):
                    os.unlink(self._state / MARK)

    def hears(self) -> bool:
        """True when all files that changed since are in `pending`; False when only a look at everything can tell."""
        if self._handle < 0 or time.monotonic() >= self._end or self._settings() != self._begun_at:
            return False
        if self._index_file() != self._index:  # another process builds it anew
            return False
        try:
            os.utime(self._cookie)
            is_whole = self._read_to_cookie()
        except OSError:
            return False
        return is_whole and len(self.pending) <= _MOST

    def _index_file(self) -> int:
        """The inode of the index; 0 where it is no file."""
        try:
            return os.stat(self._state / INDEX_FILE).st_ino
        except OSError:
            return 0

    def close(self) -> None:
        """Listens no more."""
        for handle in (self._handle, self._cookie):
            if handle >= 0:
                os.close(handle)
        self._handle, self._cookie, self._end = -1, -1, 0.0
        self._folders.clear()

    def _read_to_cookie(self) -> bool:
        """Takes in what is heard until the cookie is; False where something was missed."""
        is_whole, end = True, time.monotonic() + WAIT
        while True:
            try:
                events = list(_events(os.read(self._handle, 1 << 16)))
            except BlockingIOError:
                if time.monotonic() < end:
                    time.sleep(_PAUSE)
                    continue
                self._missed += 1
                if self._missed > 1:
                    self._fail(OSError(errno.ENOSYS, "the file system sends none"))
                return False
            for watch, mask, name in events:
                is_whole &= not mask & _LOST and self._notes(watch, mask, name)
            if any(mask == _TOUCHED and self._folders.get(watch) == _COOKIES for watch, mask, _ in events):
                self._missed = 0
                return is_whole

    def _notes(self, watch: int, mask: int, name: str) -> bool:
        """Takes in one event; False where it may concern more than one file."""
        folder = self._folders[watch]
        path = f"{folder}/{name}" if folder else name
        if folder == _COOKIES:
            return True
        if mask & _OF_FOLDER:
            return is_hidden(name) and not self._places.holds(self._places.on_disk(path))
        if not is_hidden(name):
            self.pending.add(path)
        return path != IGNORE_FILE

    def _settings(self) -> tuple[object, ...]:
        """What must be the same as at the look: the folder itself, and a file of settings in a folder that is not listened to."""
        stamps = []
        for path in (self._root, self._root / OBSIDIAN_FILE):
            with suppress(OSError):
                info = os.stat(path)
                stamps.append((info.st_dev, info.st_ino, info.st_mtime_ns * (path != self._root)))
        return tuple(stamps)

    def _watched(self, path: Path, mask: int) -> int:
        return _called("inotify_add_watch", self._handle, os.fsencode(path), mask)

    def _fail(self, error: Exception) -> None:
        """Listens no more; never again where the system has no more to give."""
        self.close()
        if isinstance(error, OSError) and error.errno in _USED_UP:
            self.why = f"the system gives no more file events ({error.strerror})"
            mark(self._state, MARK, f"{os.getpid()} {self.why}")


def unheard(state: Path) -> list[str]:
    """A sentence where a process that stays must look at all files for each verb."""
    pid, _, why = read_mark(state, MARK).partition(" ")
    is_there = pid.isdecimal() and is_running(int(pid))
    return [f"process {pid} looks at all files for each verb: {why}"] if is_there else []


def _called(name: str, *values: int | bytes) -> int:
    number = int(getattr(_libc(), name)(*values))
    if number < 0:
        code = late.ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return number


@cache
def _libc() -> Any:
    return late.ctypes.CDLL(None, use_errno=True)


def _events(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The watch, the mask and the name of each."""
    start = 0
    while start < len(data):
        watch, mask, _, length = _EVENT.unpack_from(data, start)
        start += _EVENT.size + length
        yield watch, mask, os.fsdecode(data[start - length : start].rstrip(b"\0"))


# File systems without events for changes made elsewhere, by the mount table.

# What another machine (or another kernel) writes there never becomes an event here.
_REMOTE = re.compile(
    r"nfs|cifs|smb|9p|afs|ceph|gluster|lustre|vboxsf|vmhgfs|virtiofs|prl_fs|drvfs|fuse\.(sshfs|rclone|s3fs|davfs|gvfsd)"
)


def sends_no_events(path: str, table: str = "/proc/self/mountinfo") -> str:
    """Why changes below a path may come without an event, or an empty string."""
    try:
        with open(table, encoding="utf-8", errors="surrogateescape") as lines:
            kind = _kind_of(os.path.realpath(path), lines.read())
    except OSError:
        return ""
    return f"a {kind} file system sends no events of what other machines write" if _REMOTE.match(kind) else ""


def _kind_of(path: str, table: str) -> str:
    """The type of the file system that holds a path: of the longest mount point above it, and of those the last."""
    best, kind = "", ""
    for line in table.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        if f"{path}/".startswith(f"{point.rstrip('/')}/") and len(point) >= len(best):
            best, kind = point, after.split(" ")[0]
    return kind
