"""The lines of one waiting fact in `semantic/_pending.md`, in the file and in the last commit, where they may read differently."""

from __future__ import annotations

from collections.abc import Callable

from memoryclaw.core.consolidation.pending import PENDING_FILE, Waiting, read_pending, remove_pending
from memoryclaw.core.factsheet import same
from memoryclaw.core.splices import Splice, spliced
from memoryclaw.jobs.pen import Pen


def removal(pen: Pen, fact: Waiting) -> Callable[[str], str] | None:
    """How the lines of this fact go from a text; None when it does not wait any more.

    A person may have edited the line before ticking it: the last commit then has the same question in other words.
    """
    at_work = {known.id for known in read_pending(pen.text(PENDING_FILE))}
    if fact.id not in at_work:
        return None

    def remove(text: str) -> str:
        found = _entry(text, fact, at_work)
        return remove_pending(text, found.id) if found else text

    return remove


def replacement(pen: Pen, fact: Waiting, lines: tuple[str, ...]) -> Callable[[str], str]:
    """How the lines of this fact give way to others."""
    at_work = {known.id for known in read_pending(pen.text(PENDING_FILE))}

    def replace(text: str) -> str:
        found = _entry(text, fact, at_work)
        return spliced(text, [Splice(found.line - 1, found.end_line, lines)]) if found else text

    return replace


def _entry(text: str, fact: Waiting, at_work: set[str]) -> Waiting | None:
    waiting = read_pending(text)
    exact = [known for known in waiting if known.id == fact.id]
    edited = [
        known
        for known in waiting
        if known.id not in at_work and same(known.entity, fact.entity) and same(known.field, fact.field)
    ]
    return next(iter(exact or edited), None)
