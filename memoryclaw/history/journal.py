"""The write-ahead journal of one change: what was about to happen, so that the next writer can finish or drop it.

It is on the disk before the first file changes, and gone only after the last thing it names is done.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from memoryclaw.errors import GitBusyError, GitKilledError, NotFoundError
from memoryclaw.history import git
from memoryclaw.history.git import drop, index_stamp
from memoryclaw.history.repository import History, StagedUpdate, TreeEntry
from memoryclaw.late import NamedTuple
from memoryclaw.model import Stamp
from memoryclaw.vault import files
from memoryclaw.vault.files import NO_LINKS
from memoryclaw.vault.layout import STATE_DIR
from memoryclaw.vault.state_folder import make_private_folder

PATH = f"{STATE_DIR}/pending.json"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


class JournalStep(NamedTuple):
    """One file of a change: its digests before and after (None: no file), and the temp file that holds the new bytes."""

    path: str
    before: str | None
    after: str | None
    temp: str = ""


class JournalEntry(NamedTuple):
    """One change under way; `commit` is empty when nothing of it is committed."""

    verb: str
    steps: tuple[JournalStep, ...]
    commit: str = ""
    parent: str = ""
    ref: str = ""
    follow: tuple[StagedUpdate, ...] = ()


def save(root: str, pending: JournalEntry) -> None:
    """Puts the journal on the disk, durably.

    It is written in place: half a journal means that no file was touched yet, and is as good as none.
    """
    data = json.dumps(pending, ensure_ascii=False).encode("utf-8", "surrogateescape")
    make_private_folder(os.path.join(root, STATE_DIR))
    handle = os.open(os.path.join(root, PATH), _NEW, 0o600)
    try:
        os.write(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def touch(root: str) -> None:
    """Notes in the journal that the branch is about to move."""
    os.utime(os.path.join(root, PATH))


def touched_at(root: str) -> float:
    """When the branch was about to move, on the clock of the disk; 0 without a journal."""
    try:
        return os.stat(os.path.join(root, PATH)).st_mtime
    except FileNotFoundError:
        return 0.0


def load(root: str) -> JournalEntry | None:
    """The change that a killed writer left under way, or None."""
    try:
        data = files.read_file(root, PATH).data
        verb, steps, commit, parent, ref, follow = json.loads(data.decode("utf-8", "surrogateescape"))
    except (NotFoundError, ValueError):
        return None
    moves = tuple(StagedUpdate(path, _entry(was), _entry(now)) for path, was, now in follow)
    return JournalEntry(verb, tuple(JournalStep(*step) for step in steps), commit, parent, ref, moves)


def clear(root: str) -> None:
    """Forgets the journal: the change it names is done or dropped."""
    drop(os.path.join(root, PATH))


@contextmanager
def note_branch(history: History, ref: str, commit: str, verb: str) -> Iterator[None]:
    """Notes in the journal that a branch of ours is about to come or go: so a lock that a killed git leaves is known as ours."""
    began = time.time()
    save(history.root, JournalEntry(verb, (), commit, "", ref))
    try:
        yield
    except GitKilledError:
        history.clear_locks(ref, commit, began)
        raise
    finally:
        clear(history.root)


def _entry(value: Any) -> TreeEntry | None:
    return TreeEntry(*value) if value else None


# The user's git index follows our commits, entry by entry. An entry that the user staged is left as it is.

_WAIT = 5.0
_PAUSE = 0.05


@contextmanager
def index_ready(
    history: History, entries: Sequence[StagedUpdate], known: Stamp | None, wait: float = _WAIT
) -> Iterator[Callable[[], None]]:
    """Makes the user's index ready in which these entries are at HEAD, where they still are as expected; call it to put it there.

    It is on the disk, and git's lock is held, before anything else happens, so that what follows cannot end without it.

    Args:
        known: the index's stamp when `was` of the entries was read; while it is the same, they are not read again.
        wait: seconds to wait for a git command of the user's.

    Raises:
        HistoryError: git stayed busy, or refused; the index is as it was.
    """
    folder = history.git_dir
    index, lock, ours = (os.path.join(folder, name) for name in ("index", "index.lock", git.OUR_INDEX))
    taken = False

    def put() -> None:
        nonlocal taken
        os.rename(lock, index)
        taken = False  # a lock that is there from now on is another's

    try:
        end = time.monotonic() + wait
        while entries and not taken:
            drop(ours)
            stamp = index_stamp(folder)
            if stamp is not None:
                shutil.copy2(index, ours)  # with its time, by which git knows a file as new as that
            _update(history, entries, ours, is_known=stamp == known)
            if not os.path.exists(ours):
                break
            taken = _take(folder, lock, ours, stamp)
            if not taken and time.monotonic() >= end:
                raise GitBusyError(f"nothing was written: {git.lock_sentence(lock, history.root)}")
            time.sleep(0 if taken else _PAUSE)
        yield put if taken else lambda: None  # where no entry changes
    finally:
        if taken:
            drop(lock)
        drop(ours)
        drop(f"{ours}.lock")  # of a git that was killed


def join_updates(entries: Sequence[StagedUpdate]) -> tuple[StagedUpdate, ...]:
    """Several changes of the same entries as one change each, from the first to the last."""
    updates: dict[str, StagedUpdate] = {}
    for entry in entries:
        was = updates[entry.path].was if entry.path in updates else entry.was
        updates[entry.path] = StagedUpdate(entry.path, was, entry.now)
    return tuple(updates.values())


def clear_stale(history: History) -> None:
    """Removes what a killed run of ours left of the index; a lock that is not provably ours stays."""
    folder = history.git_dir
    ours, lock = os.path.join(folder, git.OUR_INDEX), os.path.join(folder, "index.lock")
    if git.is_our_index(lock):
        os.unlink(lock)
    drop(ours)
    drop(f"{ours}.lock")


def _update(history: History, entries: Sequence[StagedUpdate], ours: str, *, is_known: bool) -> None:
    """Puts entries into our copy of the index; where it may have changed since, those that are as expected."""
    if not is_known:
        current = history.index_entries([entry.path for entry in entries], env={"GIT_INDEX_FILE": ours})
        entries = [entry for entry in entries if current.get(entry.path) == entry.was]
    none = TreeEntry("0", "0" * (64 if history.hash_name == "sha256" else 40))
    lines = [
        f"{(e.now or none).mode} {(e.now or none).oid}\t{history.places.on_disk(e.path)}"
        for e in entries
        if e.now != e.was
    ]
    if lines:
        listing = "".join(f"{line}\0" for line in lines).encode("utf-8", "surrogateescape")
        history.git.run("update-index", "-z", "--index-info", stdin=listing, env={"GIT_INDEX_FILE": ours})


def _take(folder: str, lock: str, ours: str, seen: Stamp | None) -> bool:
    """Takes git's lock with our copy as its content; False when another holds it, or the index is not what was copied."""
    try:
        os.link(ours, lock)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
        except FileExistsError:
            return False
        os.rename(ours, lock)
    if index_stamp(folder) == seen:
        return True
    os.unlink(lock)
    return False
