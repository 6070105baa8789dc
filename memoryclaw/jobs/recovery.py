"""Finishes or drops the change that a killed writer left under way. The rule: never torn, never twice, never over new work."""

from __future__ import annotations

import os
import time

from memoryclaw.adapters import files, gitlocks, journal
from memoryclaw.adapters.gitindex import clear_stale, index_ready
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
        _clear_locks(root, pending)
        if pending is None:
            journal.clear(root)
            return ""
        begun = any(_done(root, step) and step.before != step.after for step in pending.steps)
        whole = all(_done(root, step) or _ready(root, step) for step in pending.steps)
        notice = ""
        if _is_made(root, pending):
            _catch_up(root, pending)
        elif begun and whole:
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


def publish(root: str, pending: Pending, made: Made) -> None:
    """Moves the branch to the commit and the user's index with it: what the index is to be is on the disk before."""
    history = History(root)
    with index_ready(history, made.follow, made.stamp) as put:
        journal.touch(root)
        history.move(made, pending.verb)
        put()


def _clear_locks(root: str, pending: Pending | None) -> None:
    """Removes the locks that git or we held when we were killed."""
    history = History(root)
    if history.git_dir:
        clear_stale(history)
    if history.git_dir and pending and pending.commit:
        history.clear_locks(pending.ref, pending.commit, journal.touched(root))


def refuse_while_locked(history: History) -> GitState:
    """The state of the repository, after a while of waiting for another's git; HistoryError when its lock stays."""
    end = time.monotonic() + WAIT
    while (state := history.state()).name == "locked":
        while os.path.exists(state.lock):
            if time.monotonic() >= end:
                raise HistoryError(f"nothing was written: {gitlocks.told(state.lock, history.root)}")
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
    if not _can_publish(history, pending):
        return left
    try:
        publish(root, pending, Made(pending.commit, pending.parent, pending.ref, pending.follow))
    except ConflictError:
        return left
    return ""


def _is_made(root: str, pending: Pending) -> bool:
    """True when the branch has the commit of a change, so that only the user's index may not know it yet."""
    history = History(root)
    if not pending.commit or not history.git_dir or history.objects([pending.commit]) == [None]:
        return False
    return history.head() == pending.commit or history.holds(pending.commit)


def _catch_up(root: str, pending: Pending) -> None:
    """Brings the user's index to a change where the last commit still is as the change made it."""
    history = History(root)
    refuse_while_locked(history)
    sides = history.tip("", history.head(), [entry.path for entry in pending.follow]).sides
    entries = [entry for entry in pending.follow if sides[entry.path].head == entry.now]
    with index_ready(history, entries, None) as put:
        put()


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
