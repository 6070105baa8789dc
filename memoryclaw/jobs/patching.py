"""What becomes of one file: its change worked out on the working file, on HEAD and on what the user staged.

The rule: the same lines change in all of them, or it is a conflict; nothing of the user's goes into a commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memoryclaw.adapters.gitsides import Side
from memoryclaw.adapters.history import Version
from memoryclaw.core.errors import ConflictError, InputError, NotFoundError
from memoryclaw.core.merging import same_patch
from memoryclaw.core.naming import safe_path
from memoryclaw.core.textfile import decode, encode

NO_SIDE = Side(None, None, None, None)

Bytes = Callable[[bytes | None], bytes | None]


class Edit(NamedTuple):
    """A change of one file: its bytes (None: no such file) → its new bytes (None: remove it).

    What a person wrote where this writes, and did not commit, is a conflict; unless the change `consumes` it: a ticked box
    goes with the line that it answers. A file that git does not hold may get new lines, but keeps those that it has; a change
    that `overwrites` is refused there whatever it does.
    """

    path: str
    change: Bytes
    consumes: bool = False
    overwrites: bool = False


class Move(NamedTuple):
    """A file goes to another path as it is; `if_there` passes over one that is gone."""

    path: str
    to: str
    if_there: bool = False


Change = Edit | Move


class Plan(NamedTuple):
    """One file's change, worked out: the bytes on disk before and after, and what the commit gets (None: it is left out)."""

    path: str
    before: bytes | None
    after: bytes | None
    version: Version | None


def text_change(change: Callable[[str], str]) -> Bytes:
    """A change of text as a change of bytes: encoding, byte order mark and line ends stay; a missing file is empty text."""
    return patched(lambda text: change(text or ""))


def patched(change: Callable[[str | None], str | None]) -> Bytes:
    """The same for a change that knows whether there is a file (None: there is none) and may leave it so."""

    def of_bytes(data: bytes | None) -> bytes | None:
        text = decode(data or b"")
        after = change(None if data is None else text.text)
        if after is None:
            return None
        try:
            return encode(text._replace(text=after))
        except UnicodeEncodeError as error:
            raise InputError(
                f"this file is {text.encoding} and cannot hold {error.object[error.start]!r}; save it as UTF-8"
            ) from None

    return of_bytes


def paths_of(changes: Sequence[Change]) -> list[str]:
    """The files that changes touch; InputError for one outside the vault."""
    return [
        safe_path(path) for c in changes for path in ((c.path, c.to) if isinstance(c, Move) else (c.path,))
    ]


def plans_for(
    changes: Sequence[Change], work: Mapping[str, bytes | None], sides: Mapping[str, Side]
) -> list[Plan]:
    """What becomes of each file; those that do not change are left out.

    Args:
        changes: what is asked for.
        work: the bytes of the working files.
        sides: what git holds of them; those that it ignores have none.
    """
    plans: list[Plan] = []
    for change in changes:
        if isinstance(change, Move):
            plans += _plan_move(change, work, sides)
        else:
            plans += _plan_edit(change, work[change.path], sides.get(change.path))
    bound = {
        change.path: change.overwrites
        for change in changes
        if isinstance(change, Edit) and not change.consumes
    }
    _must_lose_nothing([plan for plan in plans if plan.path in bound and plan.path in sides], plans, bound)
    return plans


def _must_lose_nothing(edited: Sequence[Plan], plans: Sequence[Plan], overwrites: Mapping[str, bool]) -> None:
    """Refuses what would take the only copy of a line: neither git nor a file that is written holds it afterwards."""
    for plan in edited:
        if plan.version is not None or plan.before is None or plan.after is None:
            continue
        kept = {line for one in plans if one.after for line in _lines(one.after)}
        if overwrites[plan.path] or not kept.issuperset(_lines(plan.before)):
            raise ConflictError(
                f"{plan.path} is not in git, so what this overwrites could not be brought back; nothing was written: "
                "commit the file first (`git add -f`, then `git commit`), or edit it by hand"
            )


def _lines(data: bytes) -> set[str]:
    return {stripped for line in decode(data).text.splitlines() if (stripped := line.strip())}


def _plan_edit(edit: Edit, work: bytes | None, side: Side | None) -> list[Plan]:
    after = edit.change(work)
    if after == work:
        return []
    new = work is None and side == NO_SIDE
    if side is None or (side.head is None and not new):
        return [Plan(edit.path, work, after, None)]
    head = _same_change(edit, work, after, side.head_data)
    staged = None
    if side.staged and side.staged != side.head:
        staged = _same_change(edit, work, after, side.staged_data)
    return [Plan(edit.path, work, after, Version(head, staged))]


def _same_change(edit: Edit, work: bytes | None, after: bytes | None, other: bytes | None) -> bytes | None:
    """The change made to another version of the file, if it is the same change there."""
    if other == work:
        return after
    if edit.consumes:
        return edit.change(other) if other is not None else None
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


def _plan_move(move: Move, work: Mapping[str, bytes | None], sides: Mapping[str, Side]) -> list[Plan]:
    data, side, target = work[move.path], sides.get(move.path), sides.get(move.to)
    if data is None and move.if_there:
        return []
    if data is None:
        raise NotFoundError(f"there is no file {move.path} in the vault")
    if work[move.to] is not None or (target and target != NO_SIDE):
        raise ConflictError(f"{move.to} exists already; move it away first")
    if side and side.staged != side.head:
        raise ConflictError(f"{move.path} has staged changes of yours; commit them, then try again")
    gone = Version(None) if side and side.head else None
    come = Version(side.head_data) if gone and side and target else None
    return [Plan(move.to, None, data, come), Plan(move.path, data, None, gone)]
