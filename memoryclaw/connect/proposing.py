"""Proposes what other programs remember: once, whatever was decided, and nothing that was erased. A person decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from memoryclaw.connect.curated import ImportCandidate
from memoryclaw.consolidation.actions import AddPending, NewFile
from memoryclaw.consolidation.proposals import fingerprint_of, proposal
from memoryclaw.review.queue import CurrentFacts
from memoryclaw.vault import files
from memoryclaw.vault.edits import quotable
from memoryclaw.vault.fact_values import plain_key, plain_value
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import decisions_of, fingerprint
from memoryclaw.writing.pending import PENDING_FILE, add_all_pending, read_pending
from memoryclaw.writing.tombstones import SENTENCE, Tombstones
from memoryclaw.writing.writer import Edit, text_change, write


class Proposed(NamedTuple):
    """One thing that waits, or would wait."""

    id: str
    kind: str  # fact | episode | note
    what: str
    source: str  # where it stood


def _fresh(
    context: WriteContext, offers: Sequence[ImportCandidate], notices: dict[str, None]
) -> Iterator[ImportCandidate]:
    """What nobody has been asked yet: no wait, no yes, no no, not in the vault, not offered twice."""
    decisions, facts, erased = decisions_of(context.root), CurrentFacts(context), Tombstones.of(context)
    waiting, known_ids = {fact.id for fact in read_pending(context.text(PENDING_FILE))}, set[str]()
    for offer in offers:
        (action,) = offer.change.actions
        known_by, text, is_erased = fingerprint_of(offer.change), "", False
        if isinstance(action, AddPending):
            entity, field = plain_key(action.entity), plain_key(action.field)
            value = plain_value(action.value) if field else quotable(action.value)
            known_by = fingerprint("fact", entity, field, value)
            is_known = action.fact.id in waiting or value in {f.value for f in facts.facts(entity, field)}
            is_erased = erased.fact(action.entity, action.field, action.value)
        else:
            is_known = files.exists(context.root, proposal(offer.change, "")[0])
            if isinstance(action, NewFile):
                text = action.text
                if files.exists(context.root, action.path):
                    is_known = True
                    if context.text(action.path) != text:
                        reason = "has changed since it was brought over; it was left as it is"
                        notices[f"{offer.source} or {action.path} {reason}"] = None
        if is_erased or erased.text(text, "t"):
            notices[f"something of {offer.source} was left out: {SENTENCE}"] = None
        elif not (is_known or known_by in known_ids or decisions.of(known_by) is not None):
            known_ids.add(known_by)
            yield offer


def _proposal_json(candidate: ImportCandidate) -> Proposed:
    """A candidate as it is told to a person."""
    (action,) = candidate.change.actions
    if isinstance(action, AddPending):
        return Proposed(action.fact.id, "fact", candidate.change.title, candidate.source)
    name = proposal(candidate.change, "")[0].rpartition("/")[2]
    return Proposed(name.removesuffix(".md"), candidate.change.kind, candidate.change.title, candidate.source)


class Offered(NamedTuple):
    """What became of memories that were offered."""

    proposed: tuple[Proposed, ...]
    known: int  # that nobody needs to be asked about
    commit: str
    notices: tuple[str, ...]


def offer(context: WriteContext, offers: Sequence[ImportCandidate], title: str, *, dry_run: bool) -> Offered:
    """Proposes what nobody has decided yet, in one commit; `title` is what it comes from."""
    notices: dict[str, None] = {}
    new = list(_fresh(context, offers, notices))
    commit, notice = _propose(context, new, title) if new and not dry_run else ("", "")
    count = len(offers) - len(new)
    return Offered(tuple(map(_proposal_json, new)), count, commit, (*filter(None, [notice]), *notices))


def _propose(context: WriteContext, new: Sequence[ImportCandidate], title: str) -> tuple[str, str]:
    """Writes the proposals; returns the commit, and what else there is to say."""
    run = context.run("import")
    facts = [
        action for candidate in new for action in candidate.change.actions if isinstance(action, AddPending)
    ]
    notes = [
        proposal(candidate.change, run)
        for candidate in new
        if not isinstance(candidate.change.actions[0], AddPending)
    ]
    edits = [
        Edit(path, partial(lambda data, _: data, text.encode("utf-8", "replace"))) for path, text in notes
    ]
    if facts:
        pending = [action.fact for action in facts]
        edits.append(Edit(PENDING_FILE, text_change(lambda text: add_all_pending(text, pending))))
    names = list(dict.fromkeys(candidate.source for candidate in new))
    message = context.message("import-memories", run=run, count=len(new), files=names, title=title)
    outcome = write(context.root, edits, message, verb="import", now=context.now)
    return outcome.commit, outcome.notice
