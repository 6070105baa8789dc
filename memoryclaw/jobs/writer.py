"""The one way a machine edit reaches the vault: files by digest check and rename, then a commit of that change alone.

The rule: the file gets the change on top of what the user left in it; the commit gets the same change on top of HEAD.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memoryclaw.adapters import files, journal
from memoryclaw.adapters.files import FileRead
from memoryclaw.adapters.history import Base, History, Made, Side, Version
from memoryclaw.adapters.journal import Pending, Step
from memoryclaw.adapters.locks import WAIT, writer_lock
from memoryclaw.core.errors import ConflictError, HistoryError, InputError, MemoryClawError, NotFoundError
from memoryclaw.core.merging import same_patch
from memoryclaw.core.naming import safe_path
from memoryclaw.core.textfile import decode, encode
from memoryclaw.jobs.recovery import carry_out, publish, recover

_PAUSE = 0.05
_ATTEMPTS = 3
_NO_SIDE = Side(None, None, None, None)

Bytes = Callable[[bytes | None], bytes | None]


class Edit(NamedTuple):
    """A change of one file: its bytes (None: no such file) → its new bytes (None: remove it)."""

    path: str
    change: Bytes


class Move(NamedTuple):
    """A file goes to another path as it is."""

    path: str
    to: str


class Outcome(NamedTuple):
    """What became of a change. `commit` is empty when nothing was committed, and `notice` then says why."""

    changed: bool
    commit: str = ""
    notice: str = ""


class _Plan(NamedTuple):
    """One file's change, worked out: the bytes on disk before and after, and what the commit gets (None: it is left out)."""

    path: str
    before: bytes | None
    after: bytes | None
    version: Version | None


def text_change(change: Callable[[str], str]) -> Bytes:
    """A change of text as a change of bytes: encoding, byte order mark and line ends stay; a missing file is empty text."""

    def of_bytes(data: bytes | None) -> bytes:
        text = decode(data or b"")
        try:
            return encode(text._replace(text=change(text.text)))
        except UnicodeEncodeError as error:
            raise InputError(
                f"this file is {text.encoding} and cannot hold {error.object[error.start]!r}; save it as UTF-8"
            ) from None

    return of_bytes


def write(
    root: str, changes: Sequence[Edit | Move], message: Callable[[], str], *, verb: str, now: datetime
) -> Outcome:
    """Makes the changes, all or none, and one commit of them.

    Raises:
        ConflictError: a file holds uncommitted work of the user on the same lines, or changed meanwhile.
        HistoryError: git is in no state to take a commit.
        LockedError: another writer is at work.
    """
    with writer_lock(root):
        told = recover(root)
        history = History(root)
        notices = [told, _refuse_unless_writable(history)]
        tracked = history.state().name != "none"
        for attempt in range(_ATTEMPTS):
            plans, base = _plan(root, history if tracked else None, changes)
            if not plans:
                return Outcome(changed=False, notice=told)
            made = _commit(history, base, plans, message(), now)
            try:
                notices.append(_land(root, plans, made, verb))
            except ConflictError:
                # The user may have committed in between; the files are back as they were, so it can be tried again.
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                break
        notices.append(_uncommitted(plans) if tracked else "")
        return Outcome(
            changed=True, commit=made.commit if made else "", notice="; ".join(filter(None, notices))
        )


def _refuse_unless_writable(history: History) -> str:
    end = time.monotonic() + WAIT
    while (state := history.state()).name == "locked" and time.monotonic() < end:
        time.sleep(_PAUSE)
    if state.name != "none" and not state.writable:
        raise HistoryError(f"nothing was written: {state.sentence}")
    return state.sentence if state.name == "none" else ""


def _plan(
    root: str, history: History | None, changes: Sequence[Edit | Move]
) -> tuple[list[_Plan], Base | None]:
    paths = [
        safe_path(path) for change in changes for path in (change if isinstance(change, Move) else change[:1])
    ]
    found = {path: _read(root, path) for path in paths}
    base = history.base(paths) if history else None
    fresh = [path for path in paths if base and found[path] is None and base.sides[path] == _NO_SIDE]
    ignored = history.ignored(fresh) if history and fresh else set()
    sides = {path: side for path, side in (base.sides if base else {}).items() if path not in ignored}
    plans: list[_Plan] = []
    for change in changes:
        if isinstance(change, Move):
            plans += _plan_move(change, found, sides)
        else:
            plans += _plan_edit(change, found[change.path], sides.get(change.path))
    return plans, base


def _read(root: str, path: str) -> FileRead | None:
    try:
        return files.read_file(root, path)
    except NotFoundError:
        return None


def _plan_edit(edit: Edit, found: FileRead | None, side: Side | None) -> list[_Plan]:
    work = found.data if found else None
    after = edit.change(work)
    if after == work:
        return []
    new = work is None and side == _NO_SIDE
    if side is None or (side.head is None and not new):
        return [_Plan(edit.path, work, after, None)]
    head = _same_change(edit, work, after, side.head_data)
    staged = None
    if side.staged and side.staged != side.head:
        staged = _same_change(edit, work, after, side.staged_data)
    return [_Plan(edit.path, work, after, Version(head, staged))]


def _same_change(edit: Edit, work: bytes | None, after: bytes | None, other: bytes | None) -> bytes | None:
    """The change made to another version of the file, if it is the same change there."""
    if other == work:
        return after
    theirs = f"{edit.path} holds changes of yours, not committed, where this would write; commit them, then try again"
    if work is None or after is None or other is None:
        raise ConflictError(theirs)
    try:
        result = edit.change(other)
    except (InputError, NotFoundError):
        raise ConflictError(theirs) from None
    if result is None or not same_patch(*(decode(data).text for data in (work, after, other, result))):
        raise ConflictError(theirs)
    return result


def _plan_move(move: Move, found: Mapping[str, FileRead | None], sides: Mapping[str, Side]) -> list[_Plan]:
    source, side, target = found[move.path], sides.get(move.path), sides.get(move.to)
    if source is None:
        raise NotFoundError(f"there is no file {move.path} in the vault")
    if found[move.to] is not None or (target and target != _NO_SIDE):
        raise ConflictError(f"{move.to} exists already; move it away first")
    if side and side.staged != side.head:
        raise ConflictError(f"{move.path} has staged changes of yours; commit them, then try again")
    data = source.data
    gone = Version(None) if side and side.head else None
    come = Version(side.head_data) if gone and side and target else None
    return [_Plan(move.to, None, data, come), _Plan(move.path, data, None, gone)]


def _commit(
    history: History, base: Base | None, plans: Sequence[_Plan], message: str, now: datetime
) -> Made | None:
    versions = {plan.path: plan.version for plan in plans if plan.version is not None}
    return history.commit(base, versions, message, now) if base and versions else None


def _land(root: str, plans: Sequence[_Plan], made: Made | None, verb: str) -> str:
    steps = tuple(_step(number, plan) for number, plan in enumerate(plans))
    pending = (
        Pending(verb, steps, made.commit, made.parent, made.ref, made.follow)
        if made
        else Pending(verb, steps)
    )
    journal.save(root, pending)
    try:
        for step, plan in zip(steps, plans, strict=True):
            if plan.after is not None:
                files.prepare(root, step.path, step.temp, plan.after)
        carry_out(root, steps)
        notice = publish(root, pending, made) if made else ""
    except (OSError, MemoryClawError):
        _put_back(root, steps, plans)
        journal.clear(root)
        raise
    journal.clear(root)
    return notice


def _put_back(root: str, steps: Sequence[Step], plans: Sequence[_Plan]) -> None:
    """Undoes the steps that were taken, so that a refused change leaves every file as it was."""
    for step, plan in zip(steps, plans, strict=True):
        if step.temp:
            files.discard(root, step.path, step.temp)
        if files.digest_at(root, step.path) != step.after or step.after == step.before:
            continue
        if plan.before is None:
            files.remove_file(root, step.path, step.after or "")
        else:
            files.write_file(root, step.path, plan.before, step.after)


def _step(number: int, plan: _Plan) -> Step:
    before, after = (None if data is None else files.digest_of(data) for data in (plan.before, plan.after))
    return Step(plan.path, before, after, f".{after[:12]}-{number}.tmp" if after else "")


def _uncommitted(plans: Sequence[_Plan]) -> str:
    names = [plan.path for plan in plans if plan.version is None]
    return f"{' and '.join(names)} is not tracked by git, so this cannot be undone" if names else ""
