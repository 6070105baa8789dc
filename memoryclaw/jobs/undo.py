"""undo: takes back one change of ours and keeps what came after it. The undo is itself a commit."""

from __future__ import annotations

from collections import Counter

from memoryclaw.adapters.history import FileChange, History, Recorded
from memoryclaw.core.errors import ConflictError, InputError
from memoryclaw.core.merging import merge
from memoryclaw.core.places import place_of
from memoryclaw.core.textfile import decode, encode
from memoryclaw.jobs.pen import Pen, Written
from memoryclaw.jobs.writer import Bytes, Edit, write


def undo(pen: Pen, name: str) -> Written:
    """Reverts the commit with this id (or its beginning), or the change of this run.

    Raises:
        ConflictError: a later edit stands on the same lines; nothing was written.
        InputError: there is no such commit, it is not ours, or it is undone already.
    """
    history = History(pen.root)
    state = history.state()
    if state.name == "none":
        raise InputError(f"nothing can be undone: {state.sentence}")
    found = history.find(name)
    _must_be_ours(history, found)
    subject = found.message.partition("\n")[0]
    run, changes = pen.run("undo"), history.changes(found.commit)

    def message() -> str:
        return pen.templates.commit_message("undo", run=run, subject=subject, commit=found.commit[:12])

    edits = [Edit(change.path, _reverted(pen, change)) for change in changes]
    outcome = write(pen.root, edits, message, verb="undo", now=pen.now)
    if not outcome.changed:
        raise InputError(f"{found.commit[:12]} ({subject}) is undone already")
    notice = "; ".join(filter(None, (f"took back: {subject}", outcome.notice)))
    return Written(run, changes[0].path, outcome.commit, "undone", notice)


def _must_be_ours(history: History, found: Recorded) -> None:
    short = found.commit[:12]
    if "Run" not in found.trailers:
        raise InputError(f"{short} was not made by MemoryClaw; take it back with `git revert {short}`")
    if not history.holds(found.commit):
        raise InputError(f"{short} is not part of the branch that the vault is on")


def _reverted(pen: Pen, change: FileChange) -> Bytes:
    def revert(now: bytes | None) -> bytes | None:
        if now == change.before:
            return now
        if now == change.after:
            return change.before
        if now is None or change.before is None or change.after is None:
            what = "is gone" if now is None else "was changed"
            raise ConflictError(
                f"{change.path} {what} since, so this cannot be undone by itself; nothing was written"
            )
        current, base, wanted = (decode(data) for data in (now, change.after, change.before))
        merged = merge(base.text, current.text, wanted.text)
        if merged is None or not _only_its_facts(
            pen, change.path, (base.text, wanted.text), (current.text, merged)
        ):
            raise ConflictError(f"later edits of {change.path} stand on the same lines; nothing was written")
        return encode(current._replace(text=merged))

    return revert


def _only_its_facts(pen: Pen, path: str, asked: tuple[str, str], done: tuple[str, str]) -> bool:
    """True when no fact came to stand below another entity because a heading between them went."""
    if place_of(path) != ("semantic", "current"):
        return True
    read = pen.semantic(path).facts
    a, b, c, d = (
        Counter((f.entity, f.field, f.value, f.current) for f in read(text).facts) for text in (*asked, *done)
    )
    c.subtract(a)
    c.update(b)
    return +c == d
