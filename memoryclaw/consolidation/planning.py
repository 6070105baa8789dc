"""Plans a consolidation: logs go in, a change set comes out, and nothing is written. Same files, same clock, same plan."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache, partial
from itertools import pairwise

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
from memoryclaw.consolidation.overtaking import UNSTATED, facets_of, is_word_of, turns_in
from memoryclaw.consolidation.reconcile import ClaimDecider, Salience, claims_of, in_project, scopes_of_work
from memoryclaw.consolidation.selecting import ToldSessions, Unread
from memoryclaw.consolidation.todos import EarlierTodos, StoredEpisode, window
from memoryclaw.consolidation.todos import read as read_todos
from memoryclaw.index import stemming
from memoryclaw.late import NamedTuple
from memoryclaw.model import Fact, Turn
from memoryclaw.ports import Progress
from memoryclaw.talk.assertions import has_phrase
from memoryclaw.talk.corrections import denies, put_right, says_outright
from memoryclaw.talk.orders import Wish, stands
from memoryclaw.talk.own_words import own_words
from memoryclaw.talk.statements import Statement, Talk
from memoryclaw.talk.statements import read as read_talk
from memoryclaw.talk.worth import SessionLook, weigh
from memoryclaw.text import words as lists
from memoryclaw.text.dates import day_of, days_of, find_ranges, instant, plus_days
from memoryclaw.text.frontmatter import split
from memoryclaw.text.grammar import (
    Clause,
    Grammar,
    WordList,
    clauses,
    codes,
    grammar,
    grammar_of,
    spoken_in,
    tokens_of,
)
from memoryclaw.text.language import Language, ends_in_question, fold, key_of, sentences, words_of
from memoryclaw.text.memory_lines import without_ids
from memoryclaw.text.memory_types import type_in_text
from memoryclaw.vault import files
from memoryclaw.vault.audience import common_audience, label_of_note, without_labels
from memoryclaw.vault.fact_values import noun_of, plain_key, plain_value, same_field
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
    sessions: ToldSessions
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


# Turns in which a person corrects the assistant, or wants something forgotten.
# A correction is told by what a clause does, not by its sentence: a verdict that points to what was just said, a second person who
# erred.

_LONGEST_SENTENCE, _SCANNED = 400, 4000  # characters of a sentence that is read, and of a turn
_SHOWN = 100  # characters of the words that are quoted
_MOST_DENIED = 3  # facts of one answer
_FEW = 12  # words of a turn that only says that something is over
_MOST_OF = 0.6  # of the words of a statement, where an exchange repeats it
_PAUSE = re.compile(r"[,;]|\s[-–—]+\s")  # behind which an order says why
_SPEAKERS = frozenset({"user", "i"})
_STILL = frozenset(lists.words("consolidation.still"))
_TAG = 2  # words behind a comma that make a question of a statement


class Correction(NamedTuple):
    """A turn that says that the assistant is wrong: its place among the turns, and its words."""

    at: int
    words: str


@lru_cache(maxsize=2)  # what is claimed and what is denied in a segment ask it
def corrections(turns: tuple[Turn, ...], language: str = "en") -> tuple[Correction, ...]:
    """The corrections among some turns of one conversation, in order; at most one a turn, and none before the assistant has spoken.

    Args:
        turns: in the order in which they were said.
        language: of the vault, where the words of a turn do not tell another.
    """
    hits = list[Correction]()
    spoken = False
    for place, turn in enumerate(turns):
        if spoken and turn.role == "user" and (words := _correcting(turn, language)):
            hits.append(Correction(place, words))
        if turn.role == "assistant":  # one word, `falsch`, is read in the language of what it answers
            spoken, language = True, spoken_in(turn.text[:_SCANNED], language)
    return tuple(hits)


def _correcting(turn: Turn, language: str) -> str:
    """The words of a turn that say that the assistant is wrong; empty where none do."""
    text = turn.text[:_SCANNED]
    code = spoken_in(text, language)
    if code not in codes():
        return ""
    words = grammar(code)
    tokens = tokens_of(text)
    if not words.reproaches.within(tokens):
        return ""  # most turns hold none of these words, and need no reading
    speech = own_words(text, words, turn.name)
    correcting = (
        sentence
        for sentence in sentences(speech.text)
        if words.reproaches.may_be_in(tokens_of(sentence)) and _corrects(sentence, words)
    )
    return " ".join(speech.seals.open(next(correcting, "")).split())[:_SHOWN].strip()


def _corrects(sentence: str, words: Grammar) -> bool:
    """True for a sentence, no question and no supposition, of which a clause says that the assistant is wrong."""
    if len(sentence) > _LONGEST_SENTENCE or ends_in_question(sentence):
        return False
    stated = (
        clause
        for clause in clauses(sentence, words)
        if not (
            (clause.under and clause.tokens[0] not in words.pointing) or words.unreal.within(clause.tokens)
        )
    )
    return any(
        _is_verdict(clause, words, words.wrong_words) or _errs(clause, words) or _denies_saying(clause, words)
        for clause in stated
    )


def _is_verdict(clause: Clause, words: Grammar, verdicts: WordList) -> bool:
    """True for a verdict that points to what was said, and speaks of nothing else: `no, thats completely wrong`."""
    tokens = list(clause.typed)
    while tokens and (lead := words.fillers.at(tokens)) and not verdicts.at(tokens):
        del tokens[:lead]
    place = verdicts.find(tokens)
    if place < 0:
        return False
    others = [*tokens[:place], *tokens[place + verdicts.at(tokens, place) :]]
    return words.negations.isdisjoint(others) and words.beside_verdicts.issuperset(others)


def _denies_saying(clause: Clause, words: Grammar) -> bool:
    """True for `i never said that` and `i didnt say i want it`, not for `i never said that to her`."""
    tokens = clause.tokens
    place = words.denials.find(tokens)
    if place < 0 or words.others.has_any(tokens):
        return False
    behind = tokens[place + words.denials.at(tokens, place) :]
    is_told = bool(behind) and (behind[0] in words.nominatives or behind[0] in words.contracted_subjects)
    points = not behind or words.pointing.has_any(tokens)
    return (is_told or points) and words.first_person.has_any(tokens)


def _errs(clause: Clause, words: Grammar) -> bool:
    """True where the one spoken to is named first, and erred: `you mixed up the days`, `da hast du mich falsch verstanden`."""
    tokens = clause.tokens
    place = words.errors.find(tokens)
    if place < 0 or words.negations.has_any(tokens):
        return False
    behind = tokens[place + words.errors.at(tokens, place) :]
    pronoun = next((t for t in tokens if t in words.first_person or t in words.second_person), "")
    carries = behind and behind[0] not in words.carried  # "you took the wrong train"
    return pronoun in words.second_person and not carries


def cued(claims: Sequence[Claim], turns: Sequence[Turn], language: str = "en") -> tuple[Claim, ...]:
    """The claims, of which those know it that a correction is about: what the assistant's last turn took up of what was said before it.

    What its speaker says anew of the same field needs no question, and a value that stands beside the correction takes the place of the one that is known.
    """
    denied_first = _denied_first(turns, language) if claims else {}
    cued_claims = [
        claim._replace(change=True)
        if claim.field and _names_field_in(denied_first.get(claim.line, ""), claim.field, language)
        else claim
        for claim in claims
    ]
    for correction in corrections(tuple(turns), language) if claims else ():
        answer = _answer_before(turns, correction.at)
        first = _answer_before(turns, answer) + 1
        lines = {turn.line for turn in turns[first : answer + 1]}
        later = [claim for claim in claims if claim.line > turns[answer].line]
        said_anew = {(claim.entity, claim.field) for claim in later if claim.field}
        denies, again = _topic(turns[correction.at], turns[answer], language)
        answered = _stems(turns[answer].text[:_SCANNED])
        for place, claim in enumerate(cued_claims):
            if claim.line == turns[correction.at].line and claim.field:
                cued_claims[place] = claim._replace(change=True)
            elif (
                claim.line in lines
                and (claim.entity, claim.field) not in said_anew
                and (claim.line == turns[answer].line or not answered.isdisjoint(_stems_of(claim)))
                and (not denies or not denies.isdisjoint(_stems_of(claim)))
                and again.isdisjoint(_stems_of(claim))
            ):
                cue = f'a later turn says that this is wrong: "{correction.words}"'
                cued_claims[place] = claim._replace(cue=claim.cue or cue)
    return tuple(cued_claims)


def _asked_still(reply: str) -> str:
    """The question whether something is still so with which a reply ends; empty without one."""
    question = [*sentences(reply[:_SCANNED])][-1] if ends_in_question(reply) else ""
    return "" if _STILL.isdisjoint(tokens_of(question)) else question


def _denied_first(turns: Sequence[Turn], language: str) -> dict[int, str]:
    """By the line of a turn that begins with a no, the question of the assistant's whether something is still so: `no, I live in York`, to `Do you still live in Leeds?`."""
    return {
        turn.line: question
        for answer, turn in pairwise(turns)
        if answer.role == "assistant"
        and (question := _asked_still(answer.text))
        and denies(turn.text[:_LONGEST_SENTENCE], _words_of(turn.text, language))
    }


def _names_field_in(question: str, field: str, language: str) -> bool:
    words = _words_of(question, language)
    return any(_names_field(token, field, words) for token in tokens_of(question))


def _topic(turn: Turn, answer: Turn, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a correction denies having said, `i never said i have dogs`, and what it says that the assistant had otherwise: `wrong, Tern with a T`."""
    words = _words_of(turn.text, language)
    signs = (words.denials, words.wrong_words, words.corrections, words.errors)
    idle = words.idle.union(*(entries.entries() for entries in signs))
    stems = _stems(turn.text[:_SCANNED]) - _stems(" ".join(idle))
    is_denial = words.denials.within(tokens_of(turn.text[:_SCANNED]))
    return (stems, frozenset()) if is_denial else (frozenset(), stems - _stems(answer.text[:_SCANNED]))


def _stems_of(claim: Claim) -> frozenset[str]:
    return _stems(f"{claim.field} {claim.value} {claim.words or claim.quote}")


class _Exchange:
    """A question, what the assistant answered, and the turn that says it is wrong."""

    def __init__(self, question: str, reply: str, denial: Turn, language: str) -> None:
        self._question, self._reply = question[:_SCANNED], reply[:_SCANNED]
        self._denial = denial
        self.words = _words_of(self._reply, language)
        self.stems = _stems(f"{self._question} {self._reply}")

    def tells_of(self, fact: Fact) -> bool:
        """True where the reply gives a fact's value, and the exchange names whose it is; of a statement, where it says most of it."""
        if fact.is_statement:
            stems = _stems(fact.value)
            is_repeated = not stems.isdisjoint(_stems(self._reply))
            return is_repeated and len(stems & self.stems) >= _MOST_OF * len(stems)
        return self.repeats(fact.value) and self._names(key_of(fact.entity), fact.field)

    def repeats(self, value: str) -> bool:
        """True where the reply holds a value, or the days that it is, with or without their year."""
        if f" {' '.join(words_of(fold(value)))} " in f" {' '.join(words_of(fold(self._reply)))} ":
            return True
        days, said = days_of(value).split(), day_of(self._denial.ts)
        spans = find_ranges(self._reply, said)[0] if days and said else ()
        return bool(days) and all(
            any(
                span.start == span.end
                and (span.start == day or (span.start[5:] == day[5:] and span.start[:4] not in span.text))
                for span in spans
            )
            for day in days
        )

    def asks_whether(self, fact: Fact) -> bool:
        """True where the reply ends with a question whether a fact still is so, that says nothing else: `Is your dentist still Dr Lee?`, `Wohnst du noch in Bonn?`."""
        question, value = [*sentences(self._reply)][-1], tokens_of(fact.value)
        stated, _, tag = question.rpartition(",")  # `You drive a Volvo, right?`
        is_tagged = bool(stated) and len(tokens_of(tag)) <= _TAG and not {*value} & {*tokens_of(tag)}
        tokens, whose = tokens_of(stated if is_tagged else question), key_of(fact.entity)
        is_own = whose in _SPEAKERS or whose == key_of(self._denial.name)
        names = value if is_own else (*value, *whose.split())

        def is_asked(words: Grammar) -> bool:
            idle = words.small | words.adverbs | _STILL
            of_field = [token for token in tokens if token not in idle and token not in names]
            is_told = words.second_person.has_any(tokens) if is_own else {*whose.split()} <= {*tokens}
            is_of_others = is_own and words.people_pronouns.has_any(tokens)
            ends = tokens[-1] in (*names, *of_field)
            return is_told and ends and not is_of_others and all(
                _names_field(token, fact.field, words) for token in of_field
            )  # fmt: skip

        is_yours = is_tagged and any(
            words.second_person.has_any(tokens[:1]) for words in map(grammar, codes())
        )
        is_asked_still = is_yours or bool(_asked_still(self._reply))
        if fact.is_statement or not is_asked_still or not (value and has_phrase(tokens, value)):
            return False
        return any(map(is_asked, map(grammar, codes())))

    def _names(self, key: str, field: str) -> bool:
        if key not in _SPEAKERS and key != key_of(self._denial.name):
            return set(key.split()) <= set(key_of(f"{self._question} {self._reply}").split())
        question, reply = tokens_of(self._question), tokens_of(self._reply)
        return not self.stems.isdisjoint(_stems(field)) or any(
            words.own_pronouns.has_any(question) or words.second_person.has_any(reply)
            for words in map(grammar, codes())
        )


def _names_field(word: str, field: str, words: Grammar) -> bool:
    """True for a noun or a verb of a field, in any form: `Zahnarzt`, `wohnst`."""
    if (noun := noun_of(word)) and same_field(noun.field, field):
        return True
    language = stemming.language(words.code)
    verbs = (verb for (verb, *_), of in words.verb_fields if of == field)
    return not {*language.telling([word])}.isdisjoint(language.telling([*field.split(), *verbs]))


def denied(
    turns: Sequence[Turn],
    claims: Sequence[Claim],
    known_facts: Callable[[], Iterable[Fact]],
    language: str = "en",
) -> Iterator[Claim]:
    """What is known and the assistant repeats, and a person then says is wrong: claims that deny it, or that give what it is instead."""
    reproaches = corrections(tuple(turns), language)
    lines = {claim.line for claim in claims if not claim.field}
    denials = [*reproaches, *_contradictions(turns, lines, language)]
    facts = [*dict.fromkeys(fact for fact in known_facts() if fact.current)] if denials else []
    for denial in denials if facts else ():
        turn, answer = turns[denial.at], _answer_before(turns, denial.at)
        exchange = _Exchange(turns[answer - 1].text if answer else "", turns[answer].text, turn, language)
        said_anew = any(
            claim.field
            and claim.how != "end"
            and claim.line == turn.line
            and not exchange.repeats(claim.value)
            for claim in claims
        )
        repeated = [fact for fact in facts if exchange.tells_of(fact)]
        is_asked = ends_in_question(turns[answer].text)
        if is_asked and denial not in reproaches:
            repeated = [fact for fact in repeated if exchange.asks_whether(fact)]
        matches = [fact for fact in repeated if not exchange.stems.isdisjoint(_stems(fact.field))] or repeated
        fields = [fact for fact in matches if not fact.is_statement]
        is_own = all(key_of(fact.entity) in (*_SPEAKERS, key_of(turn.name)) for fact in repeated)
        ending = _endings(turn.text, exchange.words, of_oneself=is_asked and is_own)
        if ending:
            ends = (claim.value for claim in claims if claim.line == turn.line and claim.how == "end")
            words, tokens = grammar_of(turn.text, exchange.words.code), tokens_of(turn.text)
            denies = words.corrections.at(tokens) or words.negations.at(tokens)
            over = [] if any(map(exchange.repeats, ends)) else _ended_by(ending, repeated, exchange.words)
            matches = over or (repeated if denies and len(repeated) == 1 else [])
        fix = None if ending else put_right(turn.text, turns[answer].text, exchange.words, answers=True)
        if fix and fix.is_sure and fix.wrong:
            fields = [fact for fact in fields if fix.wrong in fact.value]
        value = ""
        if (
            is_asked
            and denial not in reproaches
            and fix
            and not says_outright(turn.text, fix.right, exchange.words)
        ):
            fix = None
        if fix and len(fields) == 1 and (fix.is_sure or not fix.wrong):
            value = fields[0].value.replace(fix.wrong, fix.right) if fix.wrong else fix.right
        if value and any(has_phrase(tokens_of(fact.value), tokens_of(value)) for fact in matches):
            continue  # it says again what stands
        is_alike = (
            bool(value)
            and len(fields) == 1
            and any(map(str.isdigit, value)) == any(map(str.isdigit, fields[0].value))
        )
        if turn.by or (said_anew and not is_alike):
            continue
        for fact in fields if is_alike else matches[:_MOST_DENIED]:
            yield Claim(
                entity=fact.entity, field=fact.field, value=value if is_alike else fact.value, line=turn.line, quote=denial.words,
                role="user", said=turn.ts[:10], how="" if is_alike else DENIED, change=is_alike, speaker=turn.name,
            )  # fmt: skip


def _contradictions(turns: Sequence[Turn], lines: AbstractSet[int], language: str) -> Iterator[Correction]:
    """The turns that answer the assistant with something else, if only in these lines: `nope, it's 0 negative`, `no, Dr Pohl`; and those that say no to a question."""
    for place, (answer, turn) in enumerate(pairwise(turns), 1):
        if answer.role != "assistant" or turn.role != "user":
            continue
        words, text = _words_of(turn.text, language), turn.text[:_LONGEST_SENTENCE]
        of_answer, is_asked = _words_of(answer.text, language), ends_in_question(answer.text)
        if is_asked and not (denies(text, words) or denies(text, of_answer)):
            continue
        if (
            (words.corrections.at(tokens_of(text)) and turn.line in lines and not is_asked)
            or (is_asked and denies(turn.text, words, all_of_it=True))
            or _endings(turn.text, of_answer, of_oneself=is_asked)
            or put_right(turn.text, answer.text, of_answer, answers=True)
        ):
            yield Correction(place, " ".join(turn.text.split())[:_SHOWN])


def _endings(text: str, words: Grammar, *, of_oneself: bool) -> list[Clause]:
    """The clauses of a few words that say of whom or what was just told that it is over: `no, she retired`, `he doesn't work there any more`; where one is asked `of_oneself`, also `no, I quit`."""
    if ends_in_question(text) or len(text.split()) > _FEW:
        return []
    words = grammar_of(text, words.code)
    pieces = (clause for piece in _PAUSE.split(text) for clause in clauses(piece, words))
    # a verdict is of all that was told: `das ist nicht mehr so`
    return [
        clause
        for clause in pieces
        if _tells_end(clause, words, of_oneself=of_oneself)
        and not _is_verdict(clause, words, words.wrong_words)
    ]


def _tells_end(clause: Clause, words: Grammar, *, of_oneself: bool) -> bool:
    tokens, subject = clause.tokens, clause.subject[:1]
    pronouns = words.people_pronouns, words.thing_pronouns, words.pointing
    is_of_told = not subject or words.gone.at(tokens) or any(each.has_any(subject) for each in pronouns)
    is_first = of_oneself and words.first_person.has_any(subject)
    is_of_told = is_of_told or is_first
    if not is_of_told or clause.kind in UNSTATED or words.conditionals.within(tokens):
        return False
    for sign in (words.gone, words.ending_verbs, words.ended)[: 3 if subject else 1]:
        for place, size in sign.places(tokens):
            behind = tokens[place + size :]
            is_denied = sign is not words.ended and words.negations.within([*tokens[:place], *behind])
            goes_on = any(
                not (token[0].isdigit() or token in words.dating or token in words.carried)
                for token in behind
            )
            carries = goes_on and (
                is_first or not turns_in(clause, words)
            )  # `she left a message`, `gone to bed`
            if not (is_denied or carries):
                return True
    return False


def _ended_by(ending: Sequence[Clause], facts: Sequence[Fact], words: Grammar) -> list[Fact]:
    """The facts that some clauses say are over: of a facet or a field that they name."""
    tokens = [token for clause in ending for token in clause.tokens if token not in words.small]
    stems = _stems(" ".join(clause.text for clause in ending))
    fields = {
        field
        for phrase, field in words.verb_ends
        if any(has_phrase(clause.tokens, phrase) for clause in ending)
    }
    return [
        fact
        for fact in facts
        if fact.field in fields
        or not stems.isdisjoint(_stems(fact.field))
        or any(
            is_word_of(facet, token, words.code)
            for facet in facets_of(fact.field, fact.value, words.code)
            for token in tokens
        )
    ]


def _words_of(text: str, language: str) -> Grammar:
    return grammar_of(text[:_SCANNED], language, unread=language)


def unwanted(
    turns: Sequence[Turn],
    names: Iterable[str],
    known_facts: Callable[[Iterable[str]], Iterable[Fact]],
    language: str = "en",
) -> Iterator[Claim]:
    """What the vault holds of somebody, where a person wants forgotten what was said of them, `forget what I said about Ana`, or what an earlier turn told: `forget that`."""
    for turn in turns:
        if turn.takes_back and not turn.by:
            yield from _taken_back(turn, turn.takes_back, names, known_facts)
        order = _to_forget(turn.text, language) if turn.role == "user" and not turn.by else None
        if not order:
            continue
        words = {word for token in order.topic for word in key_of(token.removesuffix("'s")).split()}
        meant = [name for name in dict.fromkeys(names) if set(key_of(name).split()) <= words]
        if order.is_bare and words != {word for name in meant for word in key_of(name).split()}:
            continue  # `drop the second line`
        current = [fact for fact in known_facts([*meant, turn.name]) if fact.current]
        telling = [fact for fact in current if _is_about(fact, meant)]
        first = _to_forget(_PAUSE.split(turn.text)[0], language) if not telling else None
        if first:  # `forget that I drive a Golf, …`
            stems = _stems(" ".join(first.topic))
            telling = [fact for fact in current if stems and stems <= _stems(f"{fact.field} {fact.value}")]
            telling = telling if len(telling) <= _MOST_DENIED else []
        yield from (_unwanted(fact, turn) for fact in telling)


def _taken_back(
    turn: Turn, withdrawn: Turn, names: Iterable[str], known_facts: Callable[[Iterable[str]], Iterable[Fact]]
) -> Iterator[Claim]:
    """What the vault holds from a turn that its speaker takes back."""
    exchange = _Exchange("", withdrawn.text, withdrawn, "en")
    words = set(key_of(withdrawn.text).split())
    whose = [name for name in dict.fromkeys(names) if set(key_of(name).split()) <= words]
    for fact in known_facts([*whose, turn.name]):
        is_of_day = fact.current and withdrawn.ts[:10] in (fact.day, fact.source[:10])
        if is_of_day and (
            _stems(fact.value) <= exchange.stems if fact.is_statement else exchange.repeats(fact.value)
        ):
            yield _unwanted(fact, turn)


def _unwanted(fact: Fact, turn: Turn) -> Claim:
    return Claim(
        entity=fact.entity, field=fact.field, value=fact.value, line=turn.line, quote=" ".join(turn.text.split())[:_SHOWN],
        role="user", said=turn.ts[:10], how=UNWANTED,
    )  # fmt: skip


def _is_about(fact: Fact, names: Iterable[str]) -> bool:
    whose = set(key_of(f"{fact.entity} {fact.value if fact.is_statement else ''}").split())
    return any(set(key_of(name).split()) <= whose for name in names)


def is_order_to_forget(turn: Turn, language: str = "en", *, is_known: bool = False) -> bool:
    """True for a person's `forget what I said about Ana`, whatever is held of her, and for `forget Ana` where something is: its words are no statement."""
    order = _to_forget(turn.text, language) if turn.role == "user" else None
    return order is not None and (is_known or not order.is_bare)


class _OrderToForget(NamedTuple):
    topic: Sequence[str]  # the words that say what
    is_bare: bool = False  # it says no more: `forget Ana`


@lru_cache(maxsize=512)
def _to_forget(text: str, language: str) -> _OrderToForget | None:
    """The order to forget that a text is, if it is one and nothing else."""
    if len(text) > _LONGEST_SENTENCE or len([*sentences(text)]) > 1:
        return None
    # The likeliest language first: the few words of an order seldom tell one.
    likely = dict.fromkeys((spoken_in(text, language), language, *codes()))
    orders = (_order_in(tokens_of(text), grammar(code)) for code in likely if code in codes())
    return next(filter(None, orders), None)


def _order_in(tokens: Sequence[str], words: Grammar) -> _OrderToForget | None:
    start = words.request_openers.at(tokens, words.fillers.skip(tokens))
    order = words.forget_orders.find(tokens)
    if order < 0 or not (order == start or words.courtesies.issuperset(tokens[start:order])):
        return None
    behind = tokens[order + words.forget_orders.at(tokens, order) :]
    topic, place = words.forget_what.find(behind), words.forget_from.find(behind)
    if topic >= 0:
        return _OrderToForget(behind[topic + words.forget_what.at(behind, topic) :])
    if place > 0:  # `remove Ana from your memory`
        return _OrderToForget(behind[:place])
    link = next((at for at, token in enumerate(behind) if token not in words.courtesies), len(behind))
    if words.forget_links.at(behind, link):
        return _OrderToForget(behind[link + 1 :])
    bare = [token for token in behind if not (token in words.courtesies or token in words.prepositions)]
    return _OrderToForget(bare, is_bare=True) if bare else None


def _answer_before(turns: Sequence[Turn], place: int) -> int:
    """The place of the assistant's last turn before a place; -1 where there is none."""
    return next((n for n in range(place - 1, -1, -1) if turns[n].role == "assistant"), -1)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stemming.language_of([text], stemming.language("en")).telling(words_of(text)))


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
        known = each_decided[place].doubted
        each_decided[place] = each_decided[place]._replace(doubted=(*known, *doubted))
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
        "continues": planner.sessions.before(segment),
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
        planner.sessions.plan(segment, note.id)
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
