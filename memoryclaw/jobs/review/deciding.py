"""approve and reject: a person's decision and what comes of it, in one commit; it is remembered by fingerprint, not by content."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoryclaw.adapters import files
from memoryclaw.adapters.history import History
from memoryclaw.core.consolidation.changes import NewFile, PlannedChange
from memoryclaw.core.consolidation.decisions import APPROVED, REJECTED, Decision, fingerprint
from memoryclaw.core.consolidation.pending import PENDING_FILE, Waiting
from memoryclaw.core.consolidation.performing import moves, rewrites
from memoryclaw.core.consolidation.proposals import facts_of
from memoryclaw.core.consolidation.telling import fact_in_words
from memoryclaw.core.errors import ConflictError, InputError, NotFoundError
from memoryclaw.core.factedits import FactEdit, set_fact
from memoryclaw.core.factsheet import SemanticFile, same
from memoryclaw.core.factsources import add_source
from memoryclaw.core.naming import free_name, timestamp
from memoryclaw.jobs.consolidation import branching
from memoryclaw.jobs.pen import Pen
from memoryclaw.jobs.remember import home
from memoryclaw.jobs.review.entries import removal
from memoryclaw.jobs.review.held import Held
from memoryclaw.jobs.review.recording import recorded
from memoryclaw.jobs.review.waiting import Waits
from memoryclaw.jobs.writer import Edit, Move, Outcome, patched, text_change, write

FAILED = "failed"
_REFUSED = (ConflictError, InputError, NotFoundError)
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?=_)")


class Ruled(NamedTuple):
    """What became of one thing that waited."""

    id: str
    kind: str
    what: str
    action: str  # approved | rejected | failed
    commit: str = ""
    notice: str = ""


class _Home(NamedTuple):
    """A fact on its way into its file."""

    file: SemanticFile
    fact: Waiting
    many: bool
    since: str

    def written(self, text: str) -> FactEdit:
        """The text with the fact and all its sources."""
        first, *more = [part.strip() for part in self.fact.source.split(",")]
        fact = self.fact
        done = set_fact(
            text, self.file, entity=fact.entity, field=fact.field, value=fact.value,
            since=self.since, source=first, many=self.many,
        )  # fmt: skip
        known = [
            found.id
            for found in self.file.facts(done.text).facts
            if found.current and same(found.entity, fact.entity) and same(found.field, fact.field)
            and found.value == " ".join(fact.value.split())
        ]  # fmt: skip
        result = done.text
        for source in (first, *more) if known else ():
            result = add_source(result, self.file, known[-1], source).text
        return done._replace(text=result)


def decide(pen: Pen, items: Sequence[Waits], decision: str, *, alone: bool = True) -> list[Ruled]:
    """Approves or rejects each of these, one commit each; where one of several cannot be done, the others still are.

    Args:
        pen: the vault and the moment.
        items: what waits, as it was shown.
        decision: `approved` or `rejected`.
        alone: False where more is decided than these, so that even a single refusal is told and not raised.
    """
    if alone and len(items) == 1:
        return [_decided(pen, items[0], decision)]
    ruled = []
    for item in items:
        try:
            ruled.append(_decided(pen, item, decision))
        except _REFUSED as error:
            ruled.append(Ruled(item.id, item.kind, item.what, FAILED, notice=str(error)))
    return ruled


def fact_home(pen: Pen, fact: Waiting) -> _Home:
    """Where a waiting fact goes once it is approved, and the day from which it holds."""
    path = home(pen, pen.lookup.entity_name(fact.entity), fact.field)
    day = _DAY.match(fact.source)
    since = fact.since or (day[0] if day else pen.today)
    fact = fact._replace(entity=pen.lookup.entity_name(fact.entity))
    held = Held(pen)
    if any(since < known.since for known in held.facts(fact.entity, fact.field)):
        since = pen.today  # what holds is newer than the question: a person's yes counts from today
    return _Home(pen.semantic(path), fact, held.many(fact.field), since)


def _decided(pen: Pen, item: Waits, decision: str) -> Ruled:
    if item.is_skill:
        raise InputError(
            f"{item.id} is a skill; `memoryclaw skills approve {item.id}` or `skills reject` decides it"
        )
    if item.branch is not None:
        return _branch(pen, item, decision)
    if pen.text(item.path) != item.text and (item.fact is None or removal(pen, item.fact) is None):
        raise ConflictError(f"{item.id} has changed since it was shown; look at it again")
    yes = decision == APPROVED
    if item.fact is not None:
        outcome = _approve_fact(pen, item, item.fact) if yes else _reject_fact(pen, item, item.fact)
    else:
        outcome = _approve_proposal(pen, item) if yes else _reject_proposal(pen, item)
    return Ruled(item.id, item.kind, item.what, decision, outcome.commit, outcome.notice)


def _approve_fact(pen: Pen, item: Waits, fact: Waiting) -> Outcome:
    place, olds = fact_home(pen, fact), list[str]()

    def change(text: str) -> str:
        done = place.written(text)
        olds.append(done.old if done.action == "superseded" else "")
        return done.text

    edits = [Edit(place.file.path, text_change(change)), _gone(pen, fact)]
    found = [_decision(pen, APPROVED, "fact", _fingerprint(fact), run=item.run)]
    title = fact_in_words(place.fact.entity, fact.field, fact.value)
    return _written(pen, "approve", item, [*edits, recorded(found)], title, olds=olds)


def _reject_fact(pen: Pen, item: Waits, fact: Waiting) -> Outcome:
    found = [_decision(pen, REJECTED, "fact", _fingerprint(fact), run=item.run)]
    title = fact_in_words(fact.entity, fact.field, fact.value)
    return _written(pen, "reject", item, [_gone(pen, fact), recorded(found)], title)


def _gone(pen: Pen, fact: Waiting) -> Edit:
    change = removal(pen, fact)
    if change is None:
        raise NotFoundError(f"{fact.id} does not wait any more; `memoryclaw review` lists what does")
    return Edit(PENDING_FILE, text_change(change), consumes=True)


def _fingerprint(fact: Waiting) -> str:
    return fingerprint("fact", fact.entity, fact.field, fact.value)


def _approve_proposal(pen: Pen, item: Waits) -> Outcome:
    change = item.change
    if change is None:
        raise InputError(f"{item.id} {item.why}")
    edits: list[Edit | Move] = [
        Edit(found.path, patched(found.patch)) for found in rewrites(change, pen.schema().collections)
    ]
    edits += [Move(move.path, move.to) for move in moves(change) if files.exists(pen.root, move.path)]
    there = [path for path in _new_files(change) if files.exists(pen.root, path)]
    edits += [Edit(item.path, lambda _: None, consumes=True), recorded(list(_decisions(pen, item, APPROVED)))]
    outcome = _written(pen, "approve", item, edits, change.title)
    told = [f"{path} was there already and stays as it is" for path in there]
    return outcome._replace(notice="; ".join(filter(None, [*told, outcome.notice])))


def _new_files(change: PlannedChange) -> Iterator[str]:
    return (action.path for action in change.actions if isinstance(action, NewFile))


def _reject_proposal(pen: Pen, item: Waits) -> Outcome:
    target = free_name(f"archive/{item.path}", lambda path: files.exists(pen.root, path))
    edits: list[Edit | Move] = [Move(item.path, target), recorded(list(_decisions(pen, item, REJECTED)))]
    return _written(pen, "reject", item, edits, item.what)


def _decisions(pen: Pen, item: Waits, decision: str) -> Iterator[Decision]:
    """The decision of a proposal, and one for each fact in it: what was said no to is not asked again."""
    ranges = tuple(item.source.split())
    about = item.about
    if about is not None:
        yield _decision(pen, decision, item.kind, about.fingerprint, run=item.run)._replace(ranges=ranges)
    for known_by in dict.fromkeys(facts_of(item.change)) if item.change else ():
        if about is None or known_by != about.fingerprint:
            yield _decision(pen, decision, "fact", known_by, run=item.run)


def _decision(pen: Pen, decision: str, kind: str, known_by: str, *, run: str) -> Decision:
    history = History(pen.root)
    by = history.author()[0] if history.git_dir else ""
    return Decision(timestamp(pen.now), decision, kind, known_by, run=run, by=by)


def _written(
    pen: Pen, verb: str, item: Waits, edits: Sequence[Edit | Move], title: str, *, olds: Sequence[str] = ()
) -> Outcome:
    run = pen.run(verb)

    def message() -> str:
        return pen.templates.commit_message(
            verb,
            title=title,
            old=next(iter(olds), ""),
            id=item.id,
            why=item.why,
            of=item.run,
            evidence=item.change.evidence if item.change else (),
            run=run,
            source=item.source,
            confidence=item.confidence,
        )

    return write(pen.root, edits, message, verb=verb, now=pen.now)


def _branch(pen: Pen, item: Waits, decision: str) -> Ruled:
    if decision == REJECTED:
        return Ruled(item.id, item.kind, item.what, decision, branching.reject(pen, item.id))
    done = branching.approve(pen, item.id)
    again = [f"{path} waits for review now: later edits were in its way" for path in done.proposed]
    commit = done.commits[-1] if done.commits else ""
    return Ruled(item.id, item.kind, item.what, decision, commit, "; ".join([*again, *done.notices]))
