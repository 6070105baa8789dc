"""Plans a consolidation: logs go in, a change set comes out, and nothing is written. Same files, same clock, same plan."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from typing import NamedTuple

from memoryclaw.consolidation.actions import (
    Action,
    AddPending,
    AddSource,
    AddStatement,
    ConfirmFact,
    DoubtFact,
    EndFact,
    NewFile,
    SetFact,
    imprint,
)
from memoryclaw.consolidation.changes import (
    DENIED,
    LEVELS,
    OVERTAKEN,
    SPEAKERS,
    UNWANTED,
    ChangeSet,
    Claim,
    ClaimDecision,
    Extraction,
    PlannedChange,
    Quote,
    Segment,
    Skipped,
)
from memoryclaw.consolidation.claims import claims_of, in_project, scopes_of_work
from memoryclaw.consolidation.cues import cued, denied, is_order_to_forget, unwanted
from memoryclaw.consolidation.episodes import (
    EpisodeNote,
    block_of,
    body,
    episode,
    extract,
    start_of,
    with_changes,
    with_quotes,
)
from memoryclaw.consolidation.exchanges import nothing_in
from memoryclaw.consolidation.reconcile import ClaimDecider
from memoryclaw.consolidation.salience import Salience
from memoryclaw.consolidation.selecting import ToldSessions, Unread
from memoryclaw.consolidation.todos import EarlierTodos, StoredEpisode, window
from memoryclaw.consolidation.todos import read as read_todos
from memoryclaw.model import Turn
from memoryclaw.ports import Progress
from memoryclaw.talk.statements import Statement, Talk
from memoryclaw.talk.statements import read as read_talk
from memoryclaw.talk.wishes import Wish, stands
from memoryclaw.talk.worth import SessionLook, weigh
from memoryclaw.text.dates import plus_days
from memoryclaw.text.frontmatter import split
from memoryclaw.text.language import Language, key_of, words_of
from memoryclaw.text.memory_lines import without_ids
from memoryclaw.text.memory_types import type_in_text
from memoryclaw.text.sentences import ends_in_question
from memoryclaw.text.zones import instant
from memoryclaw.vault import files
from memoryclaw.vault.audience import common_audience, label_of_note, without_labels
from memoryclaw.vault.fact_values import plain_key, plain_value
from memoryclaw.vault.logs import parse_ranges, range_of
from memoryclaw.writing.context import WriteContext, fact_in_words
from memoryclaw.writing.pending import PENDING_FILE, read_pending, waiting_id
from memoryclaw.writing.tombstones import SENTENCE, Tombstones

# The turns of a log → segments that belong together. The same lines are cut the same way, whoever asks and when.

_PATIENCE = 24  # pauses: so much longer than the gap, a question no longer waits for its answer


_GAP, _MOST_TURNS = 30, 1000


def cut(
    path: str, lines: list[bytes], turns: Sequence[Turn], gap: int = _GAP, longest: int = _MOST_TURNS
) -> list[Segment]:
    """The segments of one log's turns.

    Args:
        path: of the log.
        lines: all its lines, with their ends.
        turns: those to cut, in the order of their lines; lines missing between two of them cut.
        gap: silent minutes behind which is cut.
        longest: turns behind which is cut at the latest.
    """
    segments = []
    for stretch in _stretches(lines, turns, gap):
        for part in _short_enough(stretch, longest):
            range_ = range_of(path, lines, part[0].line, min(part[-1].end_line, len(lines)))
            # Labels have fields of their own.
            spoken = tuple(turn._replace(text=without_labels(turn.text)) for turn in part)
            segments.append(Segment(range_, spoken))
    return segments


def _stretches(lines: list[bytes], turns: Sequence[Turn], gap: int) -> list[list[Turn]]:
    """Turns without a pause between them."""
    stretches: list[list[Turn]] = []
    for turn in turns:
        before = stretches[-1] if stretches else []
        if not before or _are_apart(lines, before[-1], turn):
            stretches.append([turn])
        elif _minutes(before[-1], turn) <= gap:
            before.append(turn)
        elif not (_asks(before[-1]) and _waits(before[-1], turn, gap)):
            stretches.append([turn])
        elif len(before) > 1:
            stretches.append([before.pop(), turn])  # the question goes with its answer
        else:
            before.append(turn)
    return stretches


def _are_apart(lines: list[bytes], before: Turn, after: Turn) -> bool:
    """True for neighbours of two sessions or for other ears, or with lines between them that are not read."""
    if (before.session, before.audience, before.export) != (after.session, after.audience, after.export):
        return True
    return any(line.strip() for line in lines[before.end_line : after.line - 1])


def _minutes(before: Turn, after: Turn) -> float:
    # A date without a time says nothing about pauses within its day.
    if "T" in before.ts and "T" in after.ts:
        return (_moment(after.ts) - _moment(before.ts)).total_seconds() / 60
    return 0 if before.ts[:10] == after.ts[:10] or not (before.ts and after.ts) else math.inf


def _moment(ts: str) -> datetime:
    return datetime.fromisoformat(ts)


def _asks(turn: Turn) -> bool:
    return turn.role not in ("tool", "system") and ends_in_question(turn.text)


def _waits(question: Turn, answer: Turn, gap: int) -> bool:
    """True when the next turn is somebody's answer, and came soon enough to be one."""
    speakers = question.name or question.role, answer.name or answer.role
    soon = _minutes(question, answer) <= gap * _PATIENCE
    return soon and speakers[0] != speakers[1] and answer.role != "system" and not _asks(answer)


def _short_enough(turns: list[Turn], longest: int) -> Iterator[list[Turn]]:
    """A stretch, cut where it is too long: at the longest pause in the latter half of what is allowed."""
    while len(turns) > longest:
        places = range(max(longest // 2, 1), longest + 1)
        end = max(places, key=lambda n: (_may_cut(turns, n), _minutes(turns[n - 1], turns[n]), n))
        yield turns[:end]
        turns = turns[end:]
    yield turns


def _may_cut(turns: list[Turn], place: int) -> bool:
    before, after = turns[place - 1], turns[place]
    return not _asks(before) and after.role != "tool" and (before.role != "tool" or after.role == "user")


_LONGEST = 20_000  # characters of one turn that are read
Names = dict[str, str]
# What else a model is told than the lines of a segment: the names that the vault knows, and what stands of them.
Enrich = Callable[[Segment, Extraction, Names, Sequence[str]], Extraction]
# (first, last time) → (path, time) of the episodes of that time with to-dos.
OfTime = Callable[[str, str], Sequence[tuple[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """What planning works with; `enrich` may make more of an extraction than the rules did."""

    context: WriteContext
    decider: ClaimDecider
    duplicates: NearDuplicates
    with_todos: OfTime
    told: ToldSessions
    enrich: Enrich | None
    gap: int  # silent minutes between two episodes
    leaves: Callable[[str, int], bool]  # may a line of a file be given to a model
    language: str
    salience: Salience
    wishes: Sequence[Wish]  # of earlier runs
    progress: Progress | None


@dataclass(slots=True)
class _Draft:
    """A change set that is still being filled."""

    todos: EarlierTodos
    erased: Tombstones
    doubts: _Doubts
    changes: list[PlannedChange] = field(default_factory=list)
    pending: list[AddPending] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    decided: list[ClaimDecision] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    wishes: dict[Wish, None] = field(default_factory=dict)
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
    segments = [segment for log in logs for segment in _in_company(planner, log)]
    # Facts are decided in the order in which they were said, whatever the files are called.
    segments.sort(key=lambda s: (instant(s.turns[0].ts), s.range.path, s.range.first))
    draft = _Draft(
        _earlier_todos(planner, segments), Tombstones.of(planner.context), _Doubts(planner.context)
    )
    for number, segment in enumerate(segments, 1):
        _take(planner, draft, segment)
        if planner.progress:
            planner.progress(number, len(segments))
    return ChangeSet(
        run="",
        ranges=tuple(sorted(draft.ranges)),
        changes=(*draft.changes, *_pending_change(draft.pending, draft.decided)),
        skipped=tuple(draft.skipped),
        decided=tuple(draft.decided),
        wishes=tuple(draft.wishes),
        models=tuple(draft.models),
        degraded=draft.degraded,
        dropped=tuple(draft.dropped),
        turns=sum(len(segment.turns) for segment in segments),
    )


def _earlier_todos(planner: Planner, segments: Sequence[Segment]) -> EarlierTodos:
    """What may be open when these segments begin."""

    def stored() -> Iterator[StoredEpisode]:
        times = sorted(start_of(segment) for segment in segments)
        for path, moment in planner.with_todos(window(times[0]), times[-1]):
            yield StoredEpisode(path, moment, planner.context.text(path))

    return EarlierTodos(stored, [segment.range for segment in segments], planner.language)


def _in_company(planner: Planner, log: Unread) -> Iterator[Segment]:
    """The segments of a log, each with those who had spoken before it: a pause parts no talk of several into talks of each."""
    turns = _readable(planner.context, log.turns)
    spoken = [turn for turn in (*_named(planner.context, log.read), *turns) if turn.role in SPEAKERS]
    spoken.sort(key=lambda turn: turn.line, reverse=True)
    company = set[str]()
    for segment in cut(log.path, log.lines, turns, planner.gap):
        while spoken and spoken[-1].line < segment.turns[0].line:
            turn = spoken.pop()
            company.add(turn.name if turn.role == "user" else "")
        yield segment._replace(company=frozenset() if "" in company else frozenset(company))


def _readable(context: WriteContext, turns: Sequence[Turn]) -> list[Turn]:
    """The turns without the far end of what is too long to have been said, and without secrets: not every log was captured."""
    return [
        turn._replace(text=context.gate.text(turn.text[: 2 * _LONGEST])[:_LONGEST])
        for turn in _named(context, turns)
    ]


def _named(context: WriteContext, turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns by whom: a person without a name, or with the first name of the owner's alone, is the owner of the vault."""
    owner, owner_keys = context.owner, {"", *map(key_of, context.owner.split()[:1])}
    for turn in turns:
        is_owner = owner and turn.role == "user" and key_of(turn.name) in owner_keys
        yield turn._replace(name=owner) if is_owner else turn


def _without_erased(draft: _Draft, segment: Segment, lines: Collection[int]) -> Segment:
    """A segment whose lines that say what a person had erased say nothing; it is told that they were passed over."""
    if not lines:
        return segment
    draft.skipped.append(Skipped(str(segment.range), len(lines), SENTENCE))
    turns = (turn._replace(text="") if turn.line in lines else turn for turn in segment.turns)
    return segment._replace(turns=tuple(turns))


def _where_said(claims: Iterable[Claim], turns: Iterable[Turn]) -> tuple[Claim, ...]:
    """The claims, where what an agent says that a person said is the agent's word, and what is of a repository's work holds there."""
    turn_of = {turn.line: turn for turn in turns}

    def placed(claim: Claim) -> Claim:
        turn = turn_of.get(claim.line)
        if turn is None or not (turn.by or turn.project):
            return claim
        claim = claim._replace(role="assistant") if turn.by else claim
        return in_project(claim, turn.project) if turn.project else claim

    return tuple(map(placed, claims))


def _take(planner: Planner, draft: _Draft, segment: Segment, *, cited: bool = False) -> None:
    gone: set[int] = set()
    if not cited:
        draft.ranges.append(str(segment.range))
        gone = {turn.line for turn in segment.turns if draft.erased.text(turn.text)}
        segment = _without_erased(draft, segment, gone)
    if (cited or gone) and not any(turn.text for turn in segment.turns):
        return
    reason = nothing_in(segment)
    if reason:
        draft.skipped.append(Skipped(str(segment.range), len(segment.turns), reason))
        return
    basis, reading = _understood(planner, segment, draft)
    reading = reading._replace(
        claims=_where_said(cued(reading.claims, segment.turns, planner.language), segment.turns)
    )
    lines = {turn.line for turn in segment.turns if turn.text}
    if erased := lines & {c.line for c in reading.claims if draft.erased.fact(c.entity, c.field, c.value)}:
        _take(planner, draft, _without_erased(draft, segment, erased), cited=True)
        return
    draft.models[reading.by] = None
    draft.degraded = draft.degraded or reading.degraded
    draft.dropped += reading.dropped
    note = _note(segment, basis, reading, lambda path: _is_taken(planner.context, draft, path, segment))
    reading = reading._replace(
        claims=tuple(_without_erased_words(claim, draft.erased) for claim in reading.claims)
    )
    draft.paths.add(note.path)
    sources, each_decided = [], []
    for claim in reading.claims:
        for piece in planner.decider.parts_of(claim):
            sources.append(f"{note.id}#^{block_of(reading.points, claim)}")
            each_decided.append(planner.decider.decide(piece, sources[-1]))
    for claim, doubted in planner.decider.overtaken(reading.statements, each_decided):
        if draft.erased.fact(claim.entity, claim.field, claim.value):
            continue
        place = next(
            (
                n
                for n, decision in enumerate(each_decided)
                if decision.claim.quote == claim.quote and decision.action not in ("drop", "end")
            ),
            len(sources),
        )
        if place == len(sources):
            (placed,) = _where_said([claim], segment.turns)
            reading = reading._replace(points=with_quotes(reading.points, [placed], segment.turns))
            sources.append(f"{note.id}#^{block_of(reading.points, placed)}")
            each_decided.append(planner.decider.decide(placed, sources[-1]))
        each_decided[place] = each_decided[place]._replace(doubted=doubted)
    decided = _limit_questions(planner.decider, each_decided, sources, draft.doubts)
    draft.decided += (
        decision for decision in decided if decision.claim.how != "end" or decision.action == "end"
    )
    reading = reading._replace(points=with_changes(reading.points, decided, segment.audience))
    scopes = {decision.claim.scope for decision in decided} or scopes_of_work(segment.turns)
    scope = scopes.pop() if len(scopes) == 1 else ""  # an episode that tells of its repository alone
    values = {
        **note.values,
        "body": body(reading.points),
        "lifecycle": {"scope": scope} if scope else {},
        "continues": planner.told.before(segment),
    }
    text = planner.context.templates.render("notes/episode.md.j2", **values)
    _change(planner, draft, _PlannedSegment(segment, reading, note, text, decided))


def _without_erased_words(claim: Claim, erased: Tombstones) -> Claim:
    """The claim without search words that a person had erased, and none where no person says it."""
    words = claim.search_words if claim.role == "user" else ()
    return claim._replace(search_words=tuple(word for word in words if not erased.text(word, "tv")))


_QUESTIONS = 2  # of doubt that one day may put to a person


class _Doubts:
    """The questions of doubt that wait, and those that a day may still put to a person."""

    def __init__(self, context: WriteContext) -> None:
        text = context.text(PENDING_FILE) if files.exists(context.root, PENDING_FILE) else ""
        waiting = read_pending(text)
        self._ids = {fact.id for fact in waiting}
        self._days = Counter(fact.since for fact in waiting if not fact.known)

    def may_ask(self, decided: ClaimDecision) -> bool:
        """Whether there is room for a question; a conflict with what is known and a correction always have some, and so has what is asked already."""
        claim = decided.claim
        id_ = waiting_id(plain_key(claim.entity), plain_key(claim.field), plain_value(claim.value))
        if decided.known or claim.cue or id_ in self._ids:
            return True
        if self._days[decided.since] >= _QUESTIONS:
            return False
        self._days[decided.since] += 1
        self._ids.add(id_)
        return True


def _limit_questions(
    decider: ClaimDecider, decided: Sequence[ClaimDecision], sources: Sequence[str], doubts: _Doubts
) -> tuple[ClaimDecision, ...]:
    """The decisions with at most two questions of doubt a day, the most useful first; what else would wait stays a dated statement.

    Args:
        decider: decides what becomes of a statement.
        decided: what becomes of the claims of a segment.
        sources: where each is told.
        doubts: those of the run so far.
    """
    statement_keys = {
        (decision.claim.line, decision.claim.words)
        for decision in decided
        if decision.action == "state" or (decision.claim.is_statement and decision.action == "confirm")
    }
    # What would wait, and stands already as it was said, needs no question.
    settled = [
        decision._replace(action="drop", reason=f"{decision.reason}; it stands as it was said")
        if decision.action == "pending"
        and not decision.known
        and (decision.claim.line, decision.claim.words) in statement_keys
        else decision
        for decision in decided
    ]
    waiting = [decision for decision in settled if decision.action == "pending"]
    # A question is the more useful the more it matters, then the surer the claim is.
    waiting.sort(key=lambda question: (-question.claim.salient, -LEVELS.index(question.claim.confidence)))
    surplus = {id(decision) for decision in waiting if not doubts.may_ask(decision)}
    return tuple(
        _as_statement(decider, decision, source) if id(decision) in surplus else decision
        for decision, source in zip(settled, sources, strict=True)
    )


def _as_statement(decider: ClaimDecider, decided: ClaimDecision, source: str) -> ClaimDecision:
    claim = decided.claim
    if claim.role != "user" or not claim.words:
        return decided._replace(action="drop", reason=f"{decided.reason}; there are more useful questions")
    quote = claim._replace(
        entity=claim.speaker or claim.entity,
        field="",
        value=claim.words,
        how="said",
        confidence="medium",
        cue="",
    )
    decision = decider.decide(quote, source)
    reason = f"{decided.reason}; kept as it was said"
    return decision._replace(reason=reason) if decision.action == "state" else decision


def _note(
    segment: Segment, basis: Extraction, reading: Extraction, is_taken: Callable[[str], bool]
) -> EpisodeNote:
    """The note; its id never depends on the words of a model, and what a model read counts as quoted."""
    note = episode(segment, reading._replace(title=basis.title), is_taken)
    if reading.by == basis.by:
        return note
    read_lines = tuple(Quote(t.line, "", t.text) for t in segment.turns if t.role in SPEAKERS)
    trust = episode(segment, reading._replace(points=(*reading.points, *read_lines)), is_taken).trust
    values = {**episode(segment, reading, is_taken).values, "id": note.id, "trust": trust}
    return EpisodeNote(note.id, note.path, values, trust)


def _understood(planner: Planner, segment: Segment, draft: _Draft) -> tuple[Extraction, Extraction]:
    """What rules read in a segment, and what the model chain made of that."""
    names = planner.decider.names(segment)
    talk, todos = read_todos(
        _weigh(
            read_talk(segment.turns, names, planner.language, segment.company), segment, planner, draft.wishes
        ),
        segment.turns,
        partial(draft.todos.at, start_of(segment)),
        planner.language,
    )
    basis = extract(segment, talk, names, planner.language, todos, salience=planner.salience)
    basis = basis._replace(claims=claims_of(talk))
    if planner.enrich:
        standing = planner.decider.standing_of(segment, names, planner.leaves)
        reading = planner.enrich(segment, basis, names, standing)
    else:
        reading = basis
    denials = [
        *denied(segment.turns, reading.claims, lambda: planner.decider.facts_of(names.values()), planner.language),
        *unwanted(segment.turns, names.values(), planner.decider.facts_of, planner.language),
    ]  # fmt: skip
    unwanted_at = {claim.line for claim in denials if claim.how == UNWANTED}
    orders = {
        turn.line
        for turn in segment.turns
        if is_order_to_forget(turn, planner.language, is_known=turn.line in unwanted_at)
    }  # nothing to keep
    values = {(claim.line, claim.value) for claim in denials if claim.how not in (DENIED, UNWANTED)}
    reading = reading._replace(
        claims=(
            *(
                claim
                for claim in reading.claims
                if claim.line not in orders
                and not any(claim.line == line and value.split()[-1] in claim.value for line, value in values)
            ),
            *denials,
        ),
        statements=tuple(
            statement
            for statement in talk.statements
            if not (statement.among or statement.line in orders or segment.turns[statement.turn].by)
        ),
    )
    return basis, reading._replace(points=with_quotes(reading.points, reading.claims, segment.turns))


def _weigh(talk: Talk, segment: Segment, planner: Planner, wishes: dict[Wish, None]) -> Talk:
    """A talk whose statements know what they are worth, and whether they are of what matters, or of what to ignore; its wishes are taken up."""

    def wished(order: Statement) -> bool:
        turn = segment.turns[order.turn]
        if turn.audience or not turn.export or turn.by:
            return False
        wish = Wish(turn.session, turn.ts, order.who, order.words)
        wishes[wish] = None
        return stands(wish, (*planner.wishes, *wishes))

    talk = weigh(talk, segment.turns, SessionLook.of(segment.turns, planner.language), wished=wished)
    weighed = (
        replace(statement, salient=salient)
        if (salient := planner.salience.of(statement.topic, statement.asked, statement.words).salient)
        else statement
        for statement in talk.statements
    )
    return talk._replace(statements=tuple(weighed))


def _is_taken(context: WriteContext, draft: _Draft, path: str, segment: Segment) -> bool:
    """True when another segment's episode has this path; what an earlier try wrote for this one is ours."""
    if path in draft.paths:
        return True
    return files.exists(context.root, path) and str(segment.range) not in context.text(path)


def _change(planner: Planner, draft: _Draft, planned: _PlannedSegment) -> None:
    segment, reading, note = planned.segment, planned.read, planned.note
    repeated = planner.duplicates.of(note, planned.text, str(segment.range))
    actions: list[Action] = list(repeated.actions) if repeated.id else [NewFile(note.path, planned.text)]
    ticks = [tick for point in reading.points for tick in point.ticks]
    actions += ticks
    draft.todos.end(ticks)
    if not repeated.id:
        planner.told.plan(segment, note.id)
        draft.todos.plan(StoredEpisode(note.path, str(note.values["timestamp"]), planned.text))
    later = []
    # What holds no longer ends before something new is set in its place.
    draft.changes += [_ending(decided, segment) for decided in planned.decided if decided.action == "end"]
    for decided in planned.decided:
        source = repeated.id or f"{note.id}#^{block_of(reading.points, decided.claim)}"
        if decided.action == "confirm" and (repeated.id or segment.audience):
            continue  # the same words once more are no further source, and one that few may see is named to nobody else
        is_alone = not (decided.replaces or decided.outdated)
        if decided.action == "confirm" or (decided.action in ("add", "state") and is_alone):
            actions.append(_fact(decided, source, segment))
        elif decided.action in ("add", "supersede", "state"):
            later.append(_superseding(decided, source, segment))
        elif decided.action == "pending":
            draft.pending.append(_pending(decided, source, segment))
        later += _doubting(decided, source, segment)
    draft.changes.append(
        PlannedChange(
            kind="merge" if repeated.id else "episode",
            title=repeated.title if repeated.id else f"Episode: {reading.title}",
            actions=tuple(actions),
            evidence=tuple(f'{quote.who}: "{quote.text}"' for quote in reading.points[:3]),
            source=str(segment.range),
            confidence=reading.confidence,
            id=repeated.id or note.id,
            audience=segment.audience,
        )
    )
    draft.changes += later


def _fact(decided: ClaimDecision, source: str, segment: Segment) -> Action:
    claim = decided.claim
    also = ", ".join(claim.search_words)
    if decided.action == "confirm":
        return ConfirmFact(decided.path, decided.fact, decided.known, source, also=also)
    if decided.action == "state":
        return AddStatement(
            decided.path, claim.entity, claim.value, claim.said, source, decided.replaces, segment.audience,
            claim.scope, also=also, basis=decided.basis,
        )  # fmt: skip
    return SetFact(
        decided.path,
        claim.entity,
        claim.field,
        claim.value,
        decided.since,
        source,
        decided.many,
        segment.audience,
        type_in_text(claim.words),  # of a statement its own words say it
        claim.scope,
        also=also,
        instead=decided.instead,
        basis=decided.basis,
    )


def _superseding(decided: ClaimDecision, source: str, segment: Segment) -> PlannedChange:
    claim = decided.claim
    words = fact_in_words(claim.entity, claim.field, claim.value)
    was = decided.known or next((value for *_, value in decided.outdated), "another")
    actions = _fact(decided, source, segment), *_outdated(decided)
    return _of_fact(decided, segment, f"{words} (was {was})", actions, decided.fact or decided.path)


def _outdated(decided: ClaimDecision) -> Iterator[EndFact]:
    """The ends of what stands beside and says what held until now."""
    for path, entity, field_of, value in decided.outdated:
        yield EndFact(path, entity, field_of, value, decided.since)


def _ending(decided: ClaimDecision, segment: Segment) -> PlannedChange:
    claim = decided.claim
    end = EndFact(decided.path, claim.entity, claim.field, claim.value, decided.since)
    title = f"No longer: {fact_in_words(claim.entity, claim.field, claim.value)}"
    return _of_fact(decided, segment, title, (end, *_outdated(decided)), decided.fact)


def _doubting(decided: ClaimDecision, source: str, segment: Segment) -> Iterator[PlannedChange]:
    """What stands and is said to be wrong or unwanted, or may have changed: it waits from the day on which that was said."""
    claim = decided.claim
    denied = ((decided.path, claim.entity, claim.field, claim.value),) if decided.action == "doubt" else ()
    for path, entity, field_of, value in (*denied, *decided.doubted):
        how = claim.how if denied else OVERTAKEN
        day = plus_days(date.fromisoformat(claim.said), -1).isoformat()
        title = f"To be {'forgotten' if how == UNWANTED else 'verified'}: {fact_in_words(entity, field_of, value)}"
        doubt = DoubtFact(path, entity, field_of, value, day, source, how)
        yield _of_fact(decided, segment, title, (doubt,), decided.fact or path)


def _of_fact(
    decided: ClaimDecision, segment: Segment, title: str, actions: tuple[Action, ...], id_: str
) -> PlannedChange:
    """The change of a fact that a claim brings, with what was said."""
    claim = decided.claim
    return PlannedChange(
        kind="fact",
        title=title,
        actions=actions,
        evidence=(f'{_speaker(claim, segment)}: "{claim.quote}"',),
        source=str(segment.range),
        confidence=claim.confidence,
        id=id_,
        audience=common_audience(segment.audience, decided.audience),
    )


def _speaker(claim: Claim, segment: Segment) -> str:
    return next((turn.name for turn in segment.turns if turn.line == claim.line and turn.name), claim.role)


def _pending(decided: ClaimDecision, source: str, segment: Segment) -> AddPending:
    claim = decided.claim
    return AddPending(
        entity=claim.entity, field=claim.field, value=claim.value, confidence=claim.confidence, source=source,
        why=f'{decided.reason}; {_speaker(claim, segment)} said: "{claim.quote}"', since=decided.since, known=decided.known,
        audience=common_audience(segment.audience, decided.audience), scope=claim.scope,
    )  # fmt: skip


def _pending_change(pending: Sequence[AddPending], decided: Iterable[ClaimDecision]) -> list[PlannedChange]:
    """One change for all facts that wait; the same fact waits once."""
    first = dict[tuple[str, str, str], AddPending]()
    for fact in pending:
        first.setdefault((fact.entity, fact.field, fact.value), fact)
    if not first:
        return []
    facts = tuple(first.values())
    quotes = {(d.claim.entity, d.claim.field, d.claim.value): d.reason for d in decided}
    return [
        PlannedChange(
            kind="pending",
            title=f"{len(facts)} fact{'s wait' if len(facts) > 1 else ' waits'} for your decision",
            actions=facts,
            audience=common_audience(*(p.audience for p in facts)),
            evidence=tuple(
                f"{p.entity}, {p.field}: {p.value} ({quotes[p.entity, p.field, p.value]})" for p in facts
            ),
        )
    ]


# The episode that holds a new one whole: its range becomes a further source of that one. What is only alike is proposed as a merge
# later, see `lifecycle.merges`.

# An ISO day → (id, path) of the episodes of that day.
OnDay = Callable[[str], Sequence[tuple[str, str]]]
_SHARED = 0.6  # of the words of the shorter one; below that two texts are not compared further


class _KnownEpisode(NamedTuple):
    """An episode of the day, in the vault or planned in this run."""

    id: str
    path: str
    body: str
    words: frozenset[str]
    ranges: frozenset[str]
    audience: str  # whom it is for


class Repeated(NamedTuple):
    """What an episode repeats: it is not written, and its range becomes a source of the one that exists."""

    id: str = ""
    title: str = ""
    actions: tuple[Action, ...] = ()


class NearDuplicates:
    """Looks for what holds an episode whole among those of its day, in the vault and planned in this run."""

    def __init__(self, context: WriteContext, on_day: OnDay) -> None:
        self._context = context
        self._on_day = on_day
        self._by_day: dict[str, list[_KnownEpisode]] = {}  # by day

    def of(self, note: EpisodeNote, text: str, range_: str) -> Repeated:
        """What the note repeats, if anything. The same words on another day are no repetition: it happened again."""
        others_of_day = self._of_day(str(note.values["timestamp"])[:10])
        new = _known_episode(note.id, note.path, text)
        others = [
            episode
            for episode in others_of_day
            if episode.id != new.id and episode.audience == new.audience and range_ not in episode.ranges
        ]
        others_of_day.append(new)
        alike = (
            episode
            for episode in others
            if len(new.words & episode.words) >= _SHARED * min(len(new.words), len(episode.words))
        )
        holder = min((episode for episode in alike if holds(episode.body, new.body)), default=None)
        if holder is None:
            return Repeated()
        title = f"Already known: {note.values['summary']}"
        source = AddSource(holder.path, (range_,), basis=imprint(holder.body))
        return Repeated(holder.id, title, (source,))

    def _of_day(self, day: str) -> list[_KnownEpisode]:
        if day not in self._by_day:
            self._by_day[day] = [
                _known_episode(id_, path, self._context.text(path)) for id_, path in self._on_day(day)
            ]
        return self._by_day[day]


def _known_episode(id_: str, path: str, text: str) -> _KnownEpisode:
    note = split(text)
    ranges, audience = frozenset(map(str, parse_ranges(text))), label_of_note(note).audience
    return _KnownEpisode(id_, path, note.body, frozenset(words_of(note.body)), ranges, audience)


_LEAST = 5  # shingles; a shorter text is held by too many others to mean anything
_SHINGLE = 3  # words
_TITLE = re.compile(r"\A\s*# [^\n]*\n")
_WORDS = Language("none", None, frozenset())

Shingles = frozenset[tuple[str, ...]]


def holds(text: str, other: str) -> bool:
    """True where a text tells all that another one does; a few words are held by nothing."""
    repeated = shingles(other)
    return len(repeated) >= _LEAST and repeated <= shingles(text)


def shingles(text: str) -> Shingles:
    """The shingles of a text; one shorter than a shingle is a shingle of its own. Its title and Obsidian's block ids say nothing."""
    words = _WORDS.tokens(without_ids(_TITLE.sub("", text)))
    return frozenset(
        tuple(words[n : n + _SHINGLE]) for n in range(max(len(words) - _SHINGLE + 1, min(len(words), 1)))
    )
