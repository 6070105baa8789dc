"""Finishes or drops the change that a killed writer left under way. The rule: never torn, never twice, never over new work."""

from __future__ import annotations

import os
import time

from memoryclaw.adapters import files, journal
from memoryclaw.adapters.gitindex import clear_stale, follow_index
from memoryclaw.adapters.gitstate import GitState
from memoryclaw.adapters.history import History, Made
from memoryclaw.adapters.journal import Pending, Step
from memoryclaw.adapters.locks import WAIT, writer_lock
from memoryclaw.core.errors import ConflictError, HistoryError

_PAUSE = 0.05


def recover(root: str) -> str:
    """Ends what a killed writer began; returns one sentence when something needed saying, else an empty string.

    Raises:
        HistoryError: a lock of another's git is in the way; the change stays in the journal for the next time.
    """
    with writer_lock(root):
        pending = journal.load(root)
        if pending is None:
            journal.clear(root)
            return ""
        _clear_locks(root, pending)
        begun = any(_done(root, step) and step.before != step.after for step in pending.steps)
        whole = all(_done(root, step) or _ready(root, step) for step in pending.steps)
        notice = ""
        if begun and whole:
            notice = _finish(root, pending)
        elif begun:
            notice = f"a change of {_names(pending)} was cut short and the files have changed since; see them with `git diff`"
        for step in pending.steps:
            if step.temp:
                files.discard(root, step.path, step.temp)
        journal.clear(root)
        return notice


def carry_out(root: str, steps: tuple[Step, ...]) -> None:
    """Takes the steps that are not done yet; their temp files must be there."""
    for step in steps:
        if _done(root, step):
            continue
        if step.after is not None:
            files.place(root, step.path, step.temp, step.before)
        elif step.before is not None:
            files.remove_file(root, step.path, step.before)


def publish(root: str, pending: Pending, made: Made) -> str:
    """Moves the branch to the commit and lets the user's index follow; a sentence when the index could not."""
    history = History(root)
    journal.touch(root)
    history.move(made, pending.verb)
    try:
        if follow_index(history, made.follow, made.stamp):
            return ""
    except HistoryError as error:
        return f"the change is committed, but git's index does not know it yet: {error}"
    return "git is busy, so its index does not know this change yet; run `git reset` in the vault when it is free"


def _clear_locks(root: str, pending: Pending) -> None:
    """Removes the locks that git or we held for this change when we were killed."""
    history = History(root)
    if pending.commit and history.git_dir:
        clear_stale(history)
        history.clear_locks(pending.ref, pending.commit, journal.touched(root))


def refuse_while_locked(history: History) -> GitState:
    """The state of the repository, after a while of waiting for another's git; HistoryError when its lock stays."""
    end = time.monotonic() + WAIT
    while (state := history.state()).name == "locked":
        while os.path.exists(state.lock):
            if time.monotonic() >= end:
                raise HistoryError(f"nothing was written: {state.sentence}")
            time.sleep(_PAUSE)
    return state


def _finish(root: str, pending: Pending) -> str:
    carry_out(root, pending.steps)
    if not pending.commit:
        return ""
    history = History(root)
    left = f"the change of {_names(pending)} is in the files but not committed; see it with `git diff`"
    if not history.git_dir:
        return left
    refuse_while_locked(history)
    try:
        if not _published(history, pending) and not _can_publish(history, pending):
            return left
        return publish(root, pending, Made(pending.commit, pending.parent, pending.ref, pending.follow))
    except (ConflictError, HistoryError):
        return left


def _published(history: History, pending: Pending) -> bool:
    return history.head() == pending.commit or history.holds(pending.commit)


def _can_publish(history: History, pending: Pending) -> bool:
    state = history.state()
    return state.writable and state.ref == pending.ref and history.head() == pending.parent


def _done(root: str, step: Step) -> bool:
    return files.digest_at(root, step.path) == step.after


def _ready(root: str, step: Step) -> bool:
    if files.digest_at(root, step.path) != step.before:
        return False
    if step.after is None:
        return True
    beside = f"{step.path.rpartition('/')[0]}/{step.temp}".lstrip("/")
    return files.digest_at(root, beside) == step.after


def _names(pending: Pending) -> str:
    return " and ".join(step.path for step in pending.steps)
