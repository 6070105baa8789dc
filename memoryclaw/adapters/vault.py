"""The vault folder: which files it holds, and their bytes. Never follows links, never leaves the folder, never writes."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import NamedTuple

from memoryclaw.core.errors import VaultError
from memoryclaw.core.model import Problem, Stamp
from memoryclaw.core.places import ALIASES_FILE, CONFLICT_COPY, SCHEMA_FILE, place_of

_SUFFIXES: dict[str, tuple[str, ...]] = {
    "skills": (".md", ".json", ".js", ".mjs"),
    "archive": (".md", ".json", ".js", ".mjs", ".jsonl"),
    "logs": (".md", ".jsonl"),
    "ledger": (),
    "runs": (),
    "working": (),
}
_SETTINGS_FILES = (ALIASES_FILE, SCHEMA_FILE)
MAX_BYTES = 256 * 1024 * 1024


class Scan(NamedTuple):
    """What a walk over the vault saw: each file's stamp, what is odd, and what was passed over on purpose."""

    files: dict[str, Stamp]
    problems: list[Problem]
    ignored: list[str]
    raw: dict[str, bytes]  # the true name of files whose name is not UTF-8


class Vault:
    """One vault folder on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._prefix = os.fspath(root) + "/"

    def scan(self, under: str = "") -> Scan:
        """Walks the vault (or the folder `under`) and returns the stamp of every file that may hold a note.

        Raises:
            VaultError: the root is missing, is no folder, is empty, or anything but ENOENT went wrong: a walk that
                did not see everything must never be taken for a deletion.
        """
        seen = Scan({}, [], [], {})
        stack = [under]
        while stack:
            self._folder(stack.pop(), stack, seen)
        if not under:
            self._settings(seen)
            self._must_not_be_empty(seen)
        return seen

    def read(self, path: str, raw: bytes | None = None) -> tuple[bytes, Stamp] | None:
        """A file's bytes with the stamp they were read at, or None when it is gone or is no regular file."""
        try:
            fd = os.open(
                os.fsencode(self._prefix) + raw if raw else self._prefix + path,
                os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
            )
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO):
                return None
            raise VaultError(
                f"{path} cannot be read ({error.strerror}); the index keeps what it knew"
            ) from error
        try:
            before = os.fstat(fd)
            if not stat.S_ISREG(before.st_mode):
                return None
            data = _read_all(fd, min(before.st_size, MAX_BYTES))
        finally:
            os.close(fd)
        return data, _stamp(before)

    def stamp(self, path: str) -> Stamp | None:
        """The stamp of one file now, or None when it is gone or is no regular file."""
        try:
            found = os.lstat(self._prefix + path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise VaultError(
                f"{path} cannot be looked at ({error.strerror}); the index keeps what it knew"
            ) from error
        return _stamp(found) if stat.S_ISREG(found.st_mode) else None

    def _folder(self, folder: str, stack: list[str], seen: Scan) -> None:
        prefix = f"{folder}/" if folder else ""
        suffixes = _SUFFIXES.get(prefix.partition("/")[0], (".md",))
        files = seen.files
        try:
            with os.scandir(self._prefix + folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name[0] == ".":
                        if not folder and name in (".obsidian", ".trash"):
                            seen.ignored.append(f"{name}/")
                    elif entry.is_dir(follow_symlinks=False):
                        stack.append(prefix + name)
                    elif name.endswith(suffixes):
                        found = entry.stat(follow_symlinks=False)
                        if stat.S_ISREG(found.st_mode) and name.isascii() and "onflict" not in name:
                            files[prefix + name] = Stamp(
                                found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
                            )
                        else:
                            _odd_file(prefix + name, found, seen)
                    elif entry.is_symlink():
                        _link(prefix + name, seen)
        except FileNotFoundError:
            if not folder:
                raise VaultError(_no_vault(self.root)) from None
        except OSError as error:
            if not folder and error.errno == errno.ENOTDIR:
                raise VaultError(_no_vault(self.root)) from error
            where = folder or os.fspath(self.root)
            raise VaultError(
                f"the folder {where} cannot be read ({error.strerror}); the index keeps what it knew"
            ) from error

    def _settings(self, seen: Scan) -> None:
        for path in _SETTINGS_FILES:
            stamp = self.stamp(path)
            if stamp is not None:
                seen.files[path] = stamp

    def _must_not_be_empty(self, seen: Scan) -> None:
        if seen.files or any(not name.startswith(".") for name in os.listdir(self.root)):
            return
        raise VaultError(
            f"{self.root} is an empty folder: is the disk mounted? Run `memoryclaw init {self.root}` to start a vault there"
        )


def _no_vault(root: Path) -> str:
    return f"there is no vault at {root}; run `memoryclaw init {root}`, or name another with --vault"


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _read_all(fd: int, size: int) -> bytes:
    data = os.read(fd, size + 1)
    if len(data) <= size and (len(data) == size or size == 0):
        return data
    parts = [data]
    while len(part := os.read(fd, 1 << 20)) and sum(map(len, parts)) < MAX_BYTES:
        parts.append(part)
    return b"".join(parts)


def _odd_file(path: str, found: os.stat_result, seen: Scan) -> None:
    if stat.S_ISLNK(found.st_mode):
        _link(path, seen)
    elif not stat.S_ISREG(found.st_mode):
        seen.problems.append(
            Problem(_shown(path), 1, "is not a regular file; it was passed over", "move it out of the vault")
        )
    elif CONFLICT_COPY.search(path.rpartition("/")[2]):
        seen.ignored.append(_shown(path))
        hint = "compare it with the note it was copied from, then delete it"
        seen.problems.append(
            Problem(
                _shown(path), 1, "is a copy that a sync service made of a conflict; it is not searched", hint
            )
        )
    else:
        _add_named(path, found, seen)


def _add_named(path: str, found: os.stat_result, seen: Scan) -> None:
    shown = _shown(path)
    if shown != path:
        seen.raw[shown] = os.fsencode(path)
        seen.problems.append(
            Problem(
                shown,
                1,
                "has a name that is not UTF-8",
                "rename the file; until then it can be searched, not edited",
            )
        )
    seen.files[shown] = _stamp(found)


def _link(path: str, seen: Scan) -> None:
    if place_of(path) or os.path.splitext(path)[1] == "":
        message = "is a symbolic link; links are not followed"
        seen.problems.append(Problem(_shown(path), 1, message, "put the file itself into the vault"))


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")
