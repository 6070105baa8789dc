"""Plans a consolidation: logs go in, a change set comes out, and nothing is written. The rule: same files, same clock, same plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memoryclaw.consolidation.actions import (
    Action,
    AddPending,
    AddSource,
    ConfirmFact,
    MoveFile,
    NewFile,
    SetFact,
)
from memoryclaw.consolidation.changes import (
    ChangeSet,
    Claim,
    ClaimDecision,
    Extraction,
    PlannedChange,
    Quote,
    Segment,
    Skipped,
)
from memoryclaw.consolidation.claims import claims_in
from memoryclaw.consolidation.episodes import EpisodeNote, episode, extract, with_quotes
from memoryclaw.consolidation.key_sentences import twin
from memoryclaw.consolidation.reconcile import FactFiles, after, reconcile
from memoryclaw.consolidation.segmentation import Cutting, cut
from memoryclaw.consolidation.selecting import Unread
from memoryclaw.consolidation.statements import nothing_in
from memoryclaw.index.catalog import Catalog
from memoryclaw.model import Fact, Turn
from memoryclaw.ports import Progress
from memoryclaw.text.frontmatter import split
from memoryclaw.text.language import WORD, words_of
from memoryclaw.vault import files
from memoryclaw.vault.entities import candidates, key_of
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.vault.vocabulary import Schema
from memoryclaw.writing.context import WriteContext, fact_in_words
from memoryclaw.writing.decisions import Decisions

# ── What the vault holds true while a consolidation is planned: its names, its facts, and what the plan has
# added to them so far.

# Of two things with one key, the kind that comes later here gives the name.
_KINDS = ("part", "person", "project", "entity")
_NAME_WORDS = 4  # words of a name

Known = list[tuple[str, Fact]]


class ClaimDecider:
    """Decides claim after claim, each in the light of those before it."""

    def __init__(self, catalog: Catalog, schema: Schema, decisions: Decisions, *, today: str = "") -> None:
        self._catalog = catalog
        self._schema = schema
        self._decisions = decisions
        self._today = today
        self._facts: dict[str, Known] = {}
        self._firsts: set[str] | None = None

    @property
    def fields(self) -> dict[str, str]:
        """The fields that the vault declares, in lower case, with their types."""
        return {name: field.type for name, field in self._schema.fields.items()}

    def names(self, segment: Segment) -> dict[str, str]:
        """The names of things known in the vault that the segment's words may stand for, by their key."""
        texts = [text for turn in segment.turns for text in (turn.name, turn.text) if text]
        lines = {line for text in texts for line in text.splitlines()}
        keys = {key for line in lines for key in self._keys(words_of(line))}
        # One word of a longer name counts only where it is written as a name: not every flat is "Old flat".
        written = {key_of(word) for line in texts for word in WORD.findall(line) if not word[:1].islower()}
        found = self._catalog.names(sorted(keys), _KINDS)
        by_rank = sorted(found, key=lambda row: (_KINDS.index(row[1]), row[2]))
        return {key: name for key, kind, name in by_rank if kind != "part" or key in written}

    def _keys(self, words: Sequence[str]) -> Iterator[str]:
        """The keys that neighbouring words may stand for, from each word on that begins a name of the vault."""
        if self._firsts is None:
            self._firsts = self._catalog.first_words(_KINDS)
        for at, word in enumerate(words):
            if key_of(word) in self._firsts or not word.isascii():
                yield from (c.key for c in candidates(words[at : at + _NAME_WORDS]) if c.first == 0)

    def decide(self, claim: Claim, source: str) -> ClaimDecision:
        """What becomes of a claim; it counts for those that follow."""
        claim = claim._replace(entity=self._catalog.entity_name(claim.entity))
        key = key_of(claim.entity)
        known = self._facts.get(key)
        if known is None:
            known = self._catalog.facts(claim.entity)
        decided = reconcile(
            claim, known, self._schema, self._decisions, homes=self._homes(claim.entity), today=self._today
        )
        self._facts[key] = after(known, decided, source)
        return decided

    def _homes(self, entity: str) -> FactFiles:
        return FactFiles(self._catalog.entity_files(entity))


# ── Finds the episode that a new one repeats, and says what becomes of the two: merged where one holds the
# other, else proposed.

# An ISO day → (id, path) of the episodes of that day.
OnDay = Callable[[str], Sequence[tuple[str, str]]]
_SHARED = 0.6  # of the words of the shorter one; below that two texts are not compared further


class _Retold(NamedTuple):
    """An episode that tells of the same day."""

    id: str
    path: str
    body: str
    words: frozenset[str]
    ranges: frozenset[str]
    planned: bool = False


class Repeated(NamedTuple):
    """What an episode repeats. With `replaces` it is not written: its range is added to the one that tells it already."""

    id: str = ""
    title: str = ""
    actions: tuple[Action, ...] = ()
    replaces: bool = False
    change: PlannedChange | None = None


class NearDuplicates:
    """Looks for near duplicates among the episodes of the vault, and those planned in this run."""

    def __init__(self, context: WriteContext, on_day: OnDay) -> None:
        self._write_context = context
        self._on_day = on_day
        self._told: dict[str, list[_Retold]] = {}  # by day

    def of(self, note: EpisodeNote, text: str, range_: str) -> Repeated:
        """What the note repeats, if anything. The same words on another day are no repetition: it happened again."""
        told = self._of_day(str(note.values["timestamp"])[:10])
        own = _told(note.id, note.path, text, planned=True)
        others = [other for other in told if other.id != own.id and _may_be_alike(own, other)]
        told.append(own)
        found = twin(own.body, [(other.id, other.body) for other in others if range_ not in other.ranges])
        if found is None:
            return Repeated()
        other = next(other for other in others if other.id == found.id)
        if found.kind == "contained":
            title = f"Told already: {note.values['summary']}"
            return Repeated(found.id, title, (AddSource(other.path, (range_,)),), replaces=True)
        if other.planned:
            return Repeated()  # two of one run that are alike but for a line stay as they are
        return Repeated(change=self._merge(note, found.id, other.path, certain=found.kind == "contains"))

    def _of_day(self, day: str) -> list[_Retold]:
        if day not in self._told:
            self._told[day] = [
                _told(id_, path, self._write_context.text(path)) for id_, path in self._on_day(day)
            ]
        return self._told[day]

    def _merge(self, note: EpisodeNote, id_: str, path: str, *, certain: bool) -> PlannedChange:
        """The older twin goes to the archive. A note that a person wrote goes nowhere without being asked for."""
        ranges = tuple(str(range_) for range_ in parse_ranges(self._write_context.text(path)))
        name = path.rpartition("/")[2]
        reason = "" if certain and ranges else f"{id_} and {note.id} say nearly the same"
        return PlannedChange(
            kind="merge",
            title=f"{id_} is told by {note.id} as well",
            actions=(AddSource(note.path, ranges), MoveFile(path, f"archive/episodes/{name}"))
            if ranges
            else (MoveFile(path, f"archive/episodes/{name}"),),
            source=" ".join(ranges),
            reason=reason,
            id=note.id,
        )


def _told(id_: str, path: str, text: str, *, planned: bool = False) -> _Retold:
    body = split(text).body
    ranges = frozenset(str(range_) for range_ in parse_ranges(text))
    return _Retold(id_, path, body, frozenset(words_of(body)), ranges, planned)


def _may_be_alike(one: _Retold, other: _Retold) -> bool:
    return len(one.words & other.words) >= _SHARED * min(len(one.words), len(other.words))


_LONGEST = 20_000  # characters of one turn that are read
_HEARD = ("user", "assistant")  # whose words a model is given
Names = dict[str, str]
Mind = Callable[[Segment, Extraction, Names], Extraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """What planning works with; `mind` may make more of an extraction than the patterns did."""

    context: WriteContext
    knowing: ClaimDecider
    twins: NearDuplicates
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
    decided: list[ClaimDecision] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    models: dict[str, None] = field(default_factory=dict)
    degraded: str = ""
    dropped: list[str] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)


class _PlannedSegment(NamedTuple):
    """One segment, understood: its note and what becomes of its claims."""

    segment: Segment
    read: Extraction
    note: EpisodeNote
    text: str
    decided: tuple[ClaimDecision, ...]


def plan(planner: Planner, logs: Sequence[Unread]) -> ChangeSet:
    """The changes that these logs ask for. Its `run` is empty, and skills are not mined yet."""
    draft = _Draft()
    segments = [
        s for log in logs for s in cut(log.path, log.lines, _heard(planner.context, log.turns), planner.rules)
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
        models=tuple(draft.models),
        degraded=draft.degraded,
        dropped=tuple(draft.dropped),
        turns=sum(len(segment.turns) for segment in segments),
    )


def _heard(context: WriteContext, turns: Sequence[Turn]) -> list[Turn]:
    """The turns without the far end of what is too long to have been said, and without secrets: not every log was captured."""
    return [t._replace(text=context.gate.text(t.text[: 2 * _LONGEST])[:_LONGEST]) for t in turns]


def _take(planner: Planner, draft: _Draft, segment: Segment) -> None:
    draft.ranges.append(str(segment.range))
    reason = nothing_in(segment)
    if reason:
        draft.skipped.append(Skipped(str(segment.range), len(segment.turns), reason))
        return
    basis, read = _understood(planner, segment)
    draft.models[read.by] = None
    draft.degraded = draft.degraded or read.degraded
    draft.dropped += read.dropped
    note = _note(segment, basis, read, lambda path: _is_taken(planner.context, draft, path, segment))
    draft.paths.add(note.path)
    text = planner.context.templates.render("notes/episode.md.j2", **note.values)
    decided = tuple(planner.knowing.decide(c, f"{note.id}#^l{c.line}") for c in read.claims)
    draft.decided += decided
    _change(planner, draft, _PlannedSegment(segment, read, note, text, decided))


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


def _is_taken(context: WriteContext, draft: _Draft, path: str, segment: Segment) -> bool:
    """True when another segment's episode has this path; what an earlier try wrote for this one is ours."""
    if path in draft.paths:
        return True
    return files.exists(context.root, path) and str(segment.range) not in context.text(path)


def _change(planner: Planner, draft: _Draft, told: _PlannedSegment) -> None:
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


def _fact(decided: ClaimDecision, source: str) -> Action:
    claim = decided.claim
    if decided.action == "confirm":
        return ConfirmFact(decided.path, decided.fact, claim.value, source)
    return SetFact(decided.path, claim.entity, claim.field, claim.value, decided.since, source, decided.many)


def _superseding(decided: ClaimDecision, source: str, segment: Segment) -> PlannedChange:
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


def _pending(decided: ClaimDecision, source: str, segment: Segment) -> AddPending:
    claim = decided.claim
    return AddPending(
        entity=claim.entity, field=claim.field, value=claim.value, confidence=claim.confidence, source=source,
        why=f'{decided.reason}; {_speaker(claim, segment)} said: "{claim.quote}"', since=decided.since, known=decided.known,
    )  # fmt: skip


def _waiting(pending: Sequence[AddPending], decided: Iterable[ClaimDecision]) -> list[PlannedChange]:
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
