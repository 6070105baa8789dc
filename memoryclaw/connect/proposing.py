"""Proposes what other programs remember: once, whatever was decided, and nothing that was erased. A person decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memoryclaw.connect.curated import ImportCandidate
from memoryclaw.consolidation.actions import Action, AddPending, NewFile
from memoryclaw.consolidation.pending import PENDING_FILE, add_all_pending, read_pending
from memoryclaw.consolidation.proposals import fingerprint_of, proposal
from memoryclaw.review.queue import CurrentFacts
from memoryclaw.vault import files
from memoryclaw.vault.edits import quotable
from memoryclaw.vault.fact_values import plain_key, plain_value
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import decisions_of, fingerprint
from memoryclaw.writing.tombstones import SENTENCE, Tombstones
from memoryclaw.writing.writer import Edit, text_change, write


class Proposed(NamedTuple):
    """One thing that waits, or would wait."""

    id: str
    kind: str  # fact | episode | note
    what: str
    source: str  # where it stood


class Fresh:
    """Tells what nobody has been asked yet: no wait, no yes, no no, and not in the vault."""

    def __init__(self, context: WriteContext) -> None:
        self._write_context = context
        self._decisions = decisions_of(context.root)
        self._waiting = {waiting.id for waiting in read_pending(context.text(PENDING_FILE))}
        self._held = CurrentFacts(context)
        self._erased = Tombstones.of(context)
        self._seen = set[str]()
        self.notices: list[str] = []

    def is_new(self, one: ImportCandidate) -> bool:
        """True for what may be proposed; what is offered twice only the first time."""
        (action,) = one.change.actions
        known_by = fingerprint_of(one.change)
        if isinstance(action, AddPending):
            entity, field = plain_key(action.entity), plain_key(action.field)
            value = plain_value(action.value) if field else quotable(action.value)
            known_by = fingerprint("fact", entity, field, value)
            waits = action.fact.id in self._waiting
            stands = any(fact.value == value for fact in self._held.facts(entity, field))
        else:
            waits = files.exists(self._write_context.root, proposal(one.change, "")[0])
            stands = isinstance(action, NewFile) and self._is_there(action, one.source)
        if self._erased.text(self._text_of(action), "t") or (
            isinstance(action, AddPending) and self._erased.fact(action.entity, action.field, action.value)
        ):
            self.notices.append(f"something of {one.source} was left out: {SENTENCE}")
            return False
        if waits or stands or known_by in self._seen or self._decisions.of(known_by) is not None:
            return False
        self._seen.add(known_by)
        return True

    @staticmethod
    def _text_of(action: Action) -> str:
        return action.text if isinstance(action, NewFile) else ""

    def _is_there(self, note: NewFile, source: str) -> bool:
        if not files.exists(self._write_context.root, note.path):
            return False
        if self._write_context.text(note.path) != note.text:
            self.notices.append(
                f"{source} or {note.path} has changed since it was brought over; it was left as it is"
            )
        return True


def proposal_json(one: ImportCandidate) -> Proposed:
    """A candidate as it is told to a person."""
    (action,) = one.change.actions
    if isinstance(action, AddPending):
        return Proposed(action.fact.id, "fact", one.change.title, one.source)
    name = proposal(one.change, "")[0].rpartition("/")[2]
    return Proposed(name.removesuffix(".md"), one.change.kind, one.change.title, one.source)


def propose(
    context: WriteContext, new: Sequence[ImportCandidate], template: str, **values: str
) -> tuple[str, str]:
    """Writes the proposals in one commit; returns it, and what else there is to say.

    Args:
        template: of the commit message, which is told how many there are and from which files.
        **values: what else it is told.
    """
    run = context.run("import")
    facts = [action for one in new for action in one.change.actions if isinstance(action, AddPending)]
    notes = [proposal(one.change, run) for one in new if not isinstance(one.change.actions[0], AddPending)]
    edits = [Edit(path, _text_edit(text)) for path, text in notes]
    if facts:
        edits.append(
            Edit(PENDING_FILE, text_change(lambda text: add_all_pending(text, [one.fact for one in facts])))
        )

    def message() -> str:
        sources = list(dict.fromkeys(one.source for one in new))
        return context.templates.commit_message(template, run=run, count=len(new), files=sources, **values)

    outcome = write(context.root, edits, message, verb="import", now=context.now)
    return outcome.commit, outcome.notice


def _text_edit(text: str) -> Callable[[bytes | None], bytes]:
    return lambda _: text.encode("utf-8", "replace")
