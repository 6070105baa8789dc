"""The write-ahead journal of one change: what was about to happen, so that the next writer can finish or drop it.

The rule: it is on the disk before the first file changes, and gone only after the last thing it names is done.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any, NamedTuple

from memoryclaw.adapters import files
from memoryclaw.adapters.gitobjects import Entry
from memoryclaw.adapters.history import Follow
from memoryclaw.adapters.statefolder import made
from memoryclaw.core.errors import NotFoundError
from memoryclaw.core.places import STATE_DIR

PATH = f"{STATE_DIR}/pending.json"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


class Step(NamedTuple):
    """One file of a change: its digests before and after (None: no file), and the temp file that holds the new bytes."""

    path: str
    before: str | None
    after: str | None
    temp: str = ""


class Pending(NamedTuple):
    """One change under way; `commit` is empty when nothing of it is committed."""

    verb: str
    steps: tuple[Step, ...]
    commit: str = ""
    parent: str = ""
    ref: str = ""
    follow: tuple[Follow, ...] = ()


def save(root: str, pending: Pending) -> None:
    """Puts the journal on the disk, durably.

    It is written in place: half a journal means that no file was touched yet, and is as good as none.
    """
    data = json.dumps(pending, ensure_ascii=False).encode("utf-8", "surrogateescape")
    made(os.path.join(root, STATE_DIR))
    handle = os.open(os.path.join(root, PATH), _NEW, 0o600)
    try:
        os.write(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def touch(root: str) -> None:
    """Notes in the journal that the branch is about to move."""
    os.utime(os.path.join(root, PATH))


def touched(root: str) -> float:
    """When the branch was about to move, on the clock of the disk; 0 without a journal."""
    try:
        return os.stat(os.path.join(root, PATH)).st_mtime
    except FileNotFoundError:
        return 0.0


def load(root: str) -> Pending | None:
    """The change that a killed writer left under way, or None."""
    try:
        data = files.read_file(root, PATH).data
        verb, steps, commit, parent, ref, follow = json.loads(data.decode("utf-8", "surrogateescape"))
    except (NotFoundError, ValueError):
        return None
    moves = tuple(Follow(path, _entry(was), _entry(now)) for path, was, now in follow)
    return Pending(verb, tuple(Step(*step) for step in steps), commit, parent, ref, moves)


def clear(root: str) -> None:
    """Forgets the journal: the change it names is done or dropped."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(root, PATH))


def _entry(value: Any) -> Entry | None:
    return Entry(*value) if value else None
