"""Git's locks in a repository: which are there, who holds them, and which an `update-ref` of ours left when it was killed.

A lock goes only where it is provably ours; any other is told with its path, its age and its process.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress

INDEX = "memoryclaw.index"  # our copy of the index; a lock that is the same file is ours
# What blocks a commit, in the order in which it is told; the folder of a working tree, then that of the repository.
_BLOCKING, _SHARED = ("index.lock", "HEAD.lock"), ("reftable/tables.list.lock",)
_OTHERS = ("packed-refs.lock", "config.lock")
_SLACK, _SPAN = 1.0, 10.0  # seconds: how coarse the times of files are, and how long an `update-ref` may take
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def blocking(git_dir: str, common: str, ref: str) -> str:
    """The first lock that keeps a commit on this branch away; empty when there is none."""
    places = [os.path.join(git_dir, name) for name in _BLOCKING]
    places += [os.path.join(common, name) for name in (f"{ref}.lock", *_SHARED)]
    return next(filter(os.path.exists, places), "")


def others(common: str) -> Iterator[str]:
    """Every other lock that git may leave: of packed branches, of settings, and of any branch or tag."""
    yield from (path for name in _OTHERS if os.path.exists(path := os.path.join(common, name)))
    for folder, folders, names in os.walk(os.path.join(common, "refs")):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".lock"))


def describe(path: str, root: str) -> str:
    """One sentence about a lock: where it is, how old, whose, and what to do."""
    inside = path.startswith(f"{root}{os.sep}")
    name = f"git's lock {os.path.relpath(path, root) if inside else path} ({_age(path)} old)"
    if is_our_index(path):
        return f"{name} is MemoryClaw's own, of a change that was cut short; the next change clears it"
    if pid := next(_holders(path), 0):
        return f"{name} is held by {_process(pid)}; wait until that is done, then try again"
    if pid := next(_gits_in(root), 0):
        return f"{name} may be that of {_process(pid)}, which is at work in the vault; wait until that is done, then try again"
    seen = "no process is seen to hold it" if os.path.isdir("/proc/self/fd") else "it is in the way"
    return f"{name}: {seen}; remove it if no git command is at work in the vault, then try again"


def is_our_index(path: str) -> bool:
    """True for a lock of the index that a writer of ours took."""
    try:
        return os.path.samefile(path, os.path.join(os.path.dirname(path), INDEX))
    except FileNotFoundError:
        return False


def clear_ours(git_dir: str, common: str, ref: str, commit: str, since: float) -> None:
    """Removes the locks of an `update-ref` of ours that was killed; `since` is when it was about to begin.

    It makes the branch's lock, writes the commit into it, makes HEAD's, renames the branch's into its place, removes
    HEAD's. So the branch's holds our commit or nothing yet, and HEAD's stands beside it or beside the branch that moved.
    """
    head_lock, ref_lock = os.path.join(git_dir, "HEAD.lock"), os.path.join(common, f"{ref}.lock")
    named = _text(ref_lock)
    if named == commit:
        # HEAD's first: alone it would not be known.
        if _text(head_lock) == "":
            _drop(head_lock)
        _drop(ref_lock)
    elif named == "" and _is_of_then(ref_lock, since):
        _drop(ref_lock)
    elif named is None and _text(os.path.join(common, ref)) == commit and _is_of_then(head_lock, since):
        _drop(head_lock)


def _is_of_then(path: str, since: float) -> bool:
    """True for an empty lock that came within moments of a time and that no process holds."""
    try:
        info = os.stat(path)
    except FileNotFoundError:
        return False
    close = -_SLACK <= info.st_mtime - since <= _SPAN
    return close and not info.st_size and not any(_holders(path))


def _holders(path: str) -> Iterator[int]:
    """The processes that have a file open, as far as this system tells."""
    real = os.path.realpath(path)
    for pid in _processes():
        with suppress(OSError):
            for handle in os.scandir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    if os.readlink(handle.path) == real:
                        yield pid


def _gits_in(root: str) -> Iterator[int]:
    """The git processes that are at work in a folder: git closes a lock that it goes on to hold."""
    real = os.path.realpath(root)
    for pid in _processes():
        with suppress(OSError):
            place = os.readlink(f"/proc/{pid}/cwd")
            if (place == real or place.startswith(f"{real}{os.sep}")) and _name(pid).startswith("git"):
                yield pid


def _processes() -> list[int]:
    try:
        return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    except FileNotFoundError:
        return []


def _process(pid: int) -> str:
    return f"process {pid} ({_name(pid)})"


def _name(pid: int) -> str:
    return _text(f"/proc/{pid}/comm") or "?"


def _age(path: str) -> str:
    try:
        seconds = max(0, int(time.time() - os.stat(path).st_mtime))
    except FileNotFoundError:
        seconds = 0
    size, unit = next((one for one in _UNITS if seconds >= one[0]), _UNITS[-1])
    count = seconds // size
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def _text(path: str) -> str | None:
    """What a small file holds, None where there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4096).strip() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else ""
    except OSError:
        return None


def _drop(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
