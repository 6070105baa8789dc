"""edit: a person puts what waits in other words before deciding it. The rule: what is stored can be read, and nothing is approved."""

from __future__ import annotations

from memoryclaw.core.consolidation.pending import PENDING_FILE, Waiting, read_pending
from memoryclaw.core.consolidation.proposals import read_proposal
from memoryclaw.core.edits import line_end
from memoryclaw.core.errors import ConflictError, InputError
from memoryclaw.core.model import Problem
from memoryclaw.core.textfile import lines_of, readable
from memoryclaw.jobs.pen import Pen, Written
from memoryclaw.jobs.review.entries import replacement
from memoryclaw.jobs.review.waiting import Waits
from memoryclaw.jobs.writer import Bytes, Edit, text_change, write


def editable(item: Waits) -> str:
    """The text that a person edits: the lines of a fact, or a proposal as it is.

    Raises:
        InputError: it is edited elsewhere, or cannot be.
    """
    if item.fact is not None:
        return "".join(lines_of(readable(item.text))[item.fact.line - 1 : item.fact.end_line])
    if item.is_skill:
        raise InputError(f"{item.id} is a skill; edit {item.path} itself")
    if item.branch is not None:
        raise InputError(
            f"{item.id} waits as a branch; approve it, then edit what it wrote, or edit the branch with git"
        )
    return readable(item.text)


def store(pen: Pen, item: Waits, text: str) -> Written:
    """Puts the edited text in the place of what waits; one commit, and it goes on waiting."""
    text = readable(text)
    if text.strip() == editable(item).strip():
        return Written(item.id, item.path, "", "unchanged", "nothing was changed")
    if item.fact is not None:
        fact = _fact(text)
        lines = tuple(text.strip("\n").split("\n"))
        return _stored(pen, item, text_change(replacement(pen, item.fact, lines)), fact.id)
    if pen.text(item.path) != item.text:
        raise ConflictError(f"{item.path} has changed while you edited it; nothing was stored")
    problem = read_proposal(text)
    if isinstance(problem, Problem):
        raise InputError(f"line {problem.line}: {problem.message}; nothing was stored")
    fresh = text.replace("\n", line_end(item.text))
    return _stored(pen, item, text_change(lambda _: fresh), item.id)


def _fact(text: str) -> Waiting:
    found = read_pending(text)
    lines = text.strip("\n").count("\n") + 1
    if len(found) != 1 or (found[0].line, found[0].end_line) != (1, lines):
        raise InputError(
            f"this is not one waiting fact; keep its line as `- [ ] Entity.field: value`, as in {PENDING_FILE}"
        )
    return found[0]


def _stored(pen: Pen, item: Waits, change: Bytes, id_: str) -> Written:
    run = pen.run("edit")

    def message() -> str:
        return pen.templates.commit_message("edit", run=run, name=item.id, fields=item.what, path=item.path)

    outcome = write(pen.root, [Edit(item.path, change, consumes=True)], message, verb="review", now=pen.now)
    return Written(id_, item.path, outcome.commit, "edited", outcome.notice)
