"""Plans a consolidation: logs go in, a change set comes out, and nothing is written. The rule: same files, same clock, same plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memoryclaw.adapters import files
from memoryclaw.core.consolidation.changes import (
    Action,
    AddPending,
    ChangeSet,
    Claim,
    ConfirmFact,
    Decided,
    Extraction,
    NewFile,
    PlannedChange,
    Quote,
    Segment,
    SetFact,
    Skipped,
)
from memoryclaw.core.consolidation.claims import claims_in
from memoryclaw.core.consolidation.cutting import Cutting, cut
from memoryclaw.core.consolidation.episodes import EpisodeNote, episode
from memoryclaw.core.consolidation.fillers import nothing_in
from memoryclaw.core.consolidation.gist import extract, with_quotes
from memoryclaw.core.consolidation.telling import fact_in_words
from memoryclaw.core.model import Turn
from memoryclaw.core.ports import Progress
from memoryclaw.jobs.consolidation.knowing import Knowing
from memoryclaw.jobs.consolidation.selecting import Unread
from memoryclaw.jobs.consolidation.twinning import Twins
from memoryclaw.jobs.pen import Pen

_LONGEST = 20_000  # characters of one turn that are read
_HEARD = ("user", "assistant")  # whose words a model is given
Names = dict[str, str]
Mind = Callable[[Segment, Extraction, Names], Extraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """What planning works with; `mind` may make more of an extraction than the patterns did."""

    pen: Pen
    knowing: Knowing
    twins: Twins
    mind: Mind
    rules: Cutting
    language: str = "en"
    progress: Progress | None = None


@dataclass(slots=True)
class _Draft:
    """A change set that is still being filled."""

    changes: list[PlannedChange] = field(default_factory=list)
    pending: list[AddPending] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    decided: list[Decided] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    minds: dict[str, None] = field(default_factory=dict)
    degraded: str = ""
    dropped: list[str] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)


class _Told(NamedTuple):
    """One segment, understood: its note and what becomes of its claims."""

    segment: Segment
    read: Extraction
    note: EpisodeNote
    text: str
    decided: tuple[Decided, ...]


def plan(planner: Planner, logs: Sequence[Unread]) -> ChangeSet:
    """The changes that these logs ask for. Its `run` is empty, and skills are not mined yet."""
    draft = _Draft()
    segments = [
        s for log in logs for s in cut(log.path, log.lines, _heard(planner.pen, log.turns), planner.rules)
    ]
    # Facts are told in the order in which they were said, whatever the files are called.
    segments.sort(key=lambda s: (s.turns[0].ts, s.range.path, s.range.first))
    for number, segment in enumerate(segments, 1):
        _take(planner, draft, segment)
        if planner.progress:
            planner.progress(number, len(segments))
    return ChangeSet(
        run="",
        ranges=tuple(sorted(draft.ranges)),
        changes=(*draft.changes, *_waiting(draft.pending, draft.decided)),
        skipped=tuple(draft.skipped),
        decided=tuple(draft.decided),
        minds=tuple(draft.minds),
        degraded=draft.degraded,
        dropped=tuple(draft.dropped),
        turns=sum(len(segment.turns) for segment in segments),
    )


def _heard(pen: Pen, turns: Sequence[Turn]) -> list[Turn]:
    """The turns without the far end of what is too long to have been said, and without secrets: not every log was captured."""
    return [t._replace(text=pen.gate.text(t.text[: 2 * _LONGEST])[:_LONGEST]) for t in turns]


def _take(planner: Planner, draft: _Draft, segment: Segment) -> None:
    draft.ranges.append(str(segment.range))
    reason = nothing_in(segment)
    if reason:
        draft.skipped.append(Skipped(str(segment.range), len(segment.turns), reason))
        return
    basis, read = _understood(planner, segment)
    draft.minds[read.by] = None
    draft.degraded = draft.degraded or read.degraded
    draft.dropped += read.dropped
    note = _note(segment, basis, read, lambda path: _is_taken(planner.pen, draft, path, segment))
    draft.paths.add(note.path)
    text = planner.pen.templates.render("notes/episode.md.j2", **note.values)
    decided = tuple(planner.knowing.decide(c, f"{note.id}#^l{c.line}") for c in read.claims)
    draft.decided += decided
    _change(planner, draft, _Told(segment, read, note, text, decided))


def _note(segment: Segment, basis: Extraction, read: Extraction, taken: Callable[[str], bool]) -> EpisodeNote:
    """The note; its id never depends on the words of a model, and what a model read counts as quoted."""
    named = episode(segment, read._replace(title=basis.title), taken)
    if read.by == basis.by:
        return named
    heard = tuple(Quote(t.line, "", t.text) for t in segment.turns if t.role in _HEARD)
    trust = episode(segment, read._replace(points=(*read.points, *heard)), taken).trust
    values = {**episode(segment, read, taken).values, "id": named.id, "trust": trust}
    return EpisodeNote(named.id, named.path, values, trust)


def _understood(planner: Planner, segment: Segment) -> tuple[Extraction, Extraction]:
    """What patterns read in a segment, and what the mind made of that."""
    names = planner.knowing.names(segment)
    basis = extract(segment, names, planner.language)
    basis = basis._replace(claims=claims_in(segment, names, planner.knowing.fields))
    read = planner.mind(segment, basis, names)
    return basis, read._replace(points=with_quotes(read.points, read.claims, segment.turns))


def _is_taken(pen: Pen, draft: _Draft, path: str, segment: Segment) -> bool:
    """True when another segment's episode has this path; what an earlier try wrote for this one is ours."""
    if path in draft.paths:
        return True
    return files.exists(pen.root, path) and str(segment.range) not in pen.text(path)


def _change(planner: Planner, draft: _Draft, told: _Told) -> None:
    segment, read, note = told.segment, told.read, told.note
    twin = planner.twins.of(note, told.text, str(segment.range))
    actions: list[Action] = list(twin.actions) if twin.replaces else [NewFile(note.path, told.text)]
    later = []
    for decided in told.decided:
        source = twin.id if twin.replaces else f"{note.id}#^l{decided.claim.line}"
        if decided.action == "confirm" and twin.replaces:
            continue  # the same words once more are no further source
        if decided.action in ("add", "confirm"):
            actions.append(_fact(decided, source))
        elif decided.action == "supersede":
            later.append(_superseding(decided, source, segment))
        elif decided.action == "pending":
            draft.pending.append(_pending(decided, source, segment))
    draft.changes.append(
        PlannedChange(
            kind="merge" if twin.replaces else "episode",
            title=twin.title if twin.replaces else f"Episode: {read.title}",
            actions=tuple(actions),
            evidence=tuple(f'{quote.who}: "{quote.text}"' for quote in read.points[:3]),
            source=str(segment.range),
            confidence=read.confidence,
            id=twin.id if twin.replaces else note.id,
        )
    )
    draft.changes += later
    if twin.change:
        draft.changes.append(twin.change)


def _fact(decided: Decided, source: str) -> Action:
    claim = decided.claim
    if decided.action == "confirm":
        return ConfirmFact(decided.path, decided.fact, claim.value, source)
    return SetFact(decided.path, claim.entity, claim.field, claim.value, decided.since, source, decided.many)


def _superseding(decided: Decided, source: str, segment: Segment) -> PlannedChange:
    claim = decided.claim
    return PlannedChange(
        kind="fact",
        title=f"{fact_in_words(claim.entity, claim.field, claim.value)} (was {decided.known})",
        actions=(
            SetFact(
                decided.path, claim.entity, claim.field, claim.value, decided.since, source, decided.many
            ),
        ),
        evidence=(f'{_speaker(claim, segment)}: "{claim.quote}"',),
        source=str(segment.range),
        confidence=claim.confidence,
        id=decided.fact,
    )


def _speaker(claim: Claim, segment: Segment) -> str:
    return next((turn.name for turn in segment.turns if turn.line == claim.line and turn.name), claim.role)


def _pending(decided: Decided, source: str, segment: Segment) -> AddPending:
    claim = decided.claim
    return AddPending(
        entity=claim.entity, field=claim.field, value=claim.value, confidence=claim.confidence, source=source,
        why=f'{decided.reason}; {_speaker(claim, segment)} said: "{claim.quote}"', since=decided.since, known=decided.known,
    )  # fmt: skip


def _waiting(pending: Sequence[AddPending], decided: Iterable[Decided]) -> list[PlannedChange]:
    """One change for all facts that wait; the same fact waits once."""
    once = {(p.entity, p.field, p.value): p for p in reversed(pending)}
    if not once:
        return []
    facts = tuple(p for p in pending if once[p.entity, p.field, p.value] is p)
    quotes = {(d.claim.entity, d.claim.field, d.claim.value): d.reason for d in decided}
    return [
        PlannedChange(
            kind="pending",
            title=f"{len(facts)} fact{'s wait' if len(facts) > 1 else ' waits'} for a yes or a no",
            actions=facts,
            evidence=tuple(
                f"{p.entity}, {p.field}: {p.value} ({quotes[p.entity, p.field, p.value]})" for p in facts
            ),
        )
    ]
