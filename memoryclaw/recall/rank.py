"""Ranks what may answer a question: each unit's score as named terms, its place, and why it may not be in the answer. Pure.

Every value is a multiple of 1/1024, so sums are exact in binary floating point and `score == sum(terms)` always holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from typing import NamedTuple

from memoryclaw.index.bm25 import exact
from memoryclaw.index.catalog import UnitSummary
from memoryclaw.model import Matched, Term
from memoryclaw.recall.evidence import NONE, Evidence, Scores
from memoryclaw.recall.question import Question

ENTITY, FIELD, DATE = 0.5, 0.5, 0.9  # times ln(1 + units): as much as a fairly rare word
FILTER = 0.5  # the same, when nothing but fields was asked for
# Shares of the words' score, or of ln(1 + units) when there are no words.
SPEAKER, PINNED, RECENCY = 0.8, 0.25, 0.05
WHEN = 0.5  # the same for turns that tell a time, when the question asks for one
NAMES = 0.4  # and for turns that hold a name, when it asks for one
ASKS = 0.3  # the share that turns lose by ending in a question: answers are wanted
ABSENT = 0.4  # the share that turns lose where nobody speaks whom the question names
RECENCY_HALF_LIFE = 125  # days
TOLD_WITHIN = 14  # days in which what happened on a day is still told of
CALLED = 0.3  # in turns, the name of a person who speaks: who said it is known without
GOAL_SHARE = 0.3  # of the best score that the question gives: the most that a goal adds
# Shares of their words' score that turns lend: the one before, the one before that, and the one after.
BEFORE, LONG_BEFORE, AFTER = 0.2, 0.1, 0.1
_STEPS = (-1, -2, 1)

Turn = tuple[str, int]  # path of a log, place of the turn in it
Terms = list[tuple[str, float]]


class Ranked(NamedTuple):
    """A unit with its score: the sum of what its words, their synonyms, the goal, the turns around it, the terms and nearness give."""

    unit: UnitSummary
    score: float
    text: float = 0.0
    alias: float = 0.0
    related: float = 0.0
    goal: float = 0.0
    lent: float = 0.0  # by the turns around
    lender: str = ""  # the id of the one that lent most
    terms: Sequence[tuple[str, float]] = ()  # all others, by name
    vector: float = 0.0  # what its nearness in meaning gives
    decision: str = ""  # why it is left out, if it is
    by_words: bool = True  # False for what only vectors found

    @property
    def own(self) -> float:
        """What the question's words, and those that stand in for them, give."""
        return self.text + self.alias + self.related


@dataclass(frozen=True, slots=True)
class Ranking:
    """A question, the evidence for it, and all units of the evidence in rank order, with what is needed to explain them."""

    question: Question
    evidence: Evidence
    units: Sequence[Ranked]
    near: str = ""  # the model that told which are near in meaning
    degraded: str = ""

    @property
    def open(self) -> list[Ranked]:
        """Those that may be in an answer."""
        return [one for one in self.units if not one.decision]


def rank(
    question: Question,
    evidence: Evidence,
    *,
    vectors: Scores = NONE,
    decided: Mapping[int, str] = NONE,
) -> list[Ranked]:
    """All units of the evidence by score, highest first; ties by id, so that no storage order ever shows.

    Args:
        question: what is asked.
        evidence: what was looked up for it.
        vectors: what nearness in meaning adds.
        decided: decisions that stand already, by rowid.
    """
    words = _words(evidence)
    turns = [unit for unit in evidence.found if unit.kind == "turn"]
    scores = {(t.path, t.seq): sum(words[t.rowid][:3]) + vectors.get(t.rowid, 0.0) for t in turns}
    lent, ids = around(scores), {(turn.path, turn.seq): turn.id for turn in turns}
    reason, terms = Exclusions(question, evidence).reason, _terms_of(question, evidence)
    ranked = []
    for unit in evidence.found:
        rowid = unit.rowid
        text, alias, related, goal = words[rowid]
        vector = vectors.get(rowid, 0.0)
        value, by = 0.0, ""
        # What a tool brought in rises by its own words alone.
        if unit.kind == "turn" and unit.trust != "untrusted" and (unit.path, unit.seq) in lent:
            value, lender = lent[unit.path, unit.seq]
            by = ids[lender]
        base = text + alias + related + goal + vector + value
        own = terms(unit, base)
        score = base + sum([term for _, term in own])
        decision = decided[rowid] if rowid in decided else reason(unit)
        ranked.append(Ranked(unit, score, text, alias, related, goal, value, by, own, vector, decision))
    return ordered(ranked)


def ordered(ranked: Iterable[Ranked]) -> list[Ranked]:
    """By score, highest first; ties by id and path."""
    return sorted(ranked, key=lambda one: (-one.score, f"{one.unit.id}\0{one.unit.path}"))


def causes(question: Question, ranked: Ranked) -> list[Matched]:
    """What the terms of a unit rest on, to be shown beside its words."""
    return [cause for name, _ in ranked.terms if (cause := _cause(name, question, ranked.unit))]


def around(scores: Mapping[Turn, float]) -> dict[Turn, tuple[float, Turn]]:
    """What each turn is lent by those around it, and which of them lends most; only turns with words of the question lend."""
    found = {}
    score = scores.get
    for place in scores:
        path, seq = place
        near = (
            BEFORE * score((path, seq - 1), 0.0),
            LONG_BEFORE * score((path, seq - 2), 0.0),
            AFTER * score((path, seq + 1), 0.0),
        )
        value = exact(sum(near))
        if value:
            found[place] = value, (path, seq + _STEPS[near.index(max(near))])
    return found


def lift(goal: float, most: float, best: float) -> float:
    """What a goal's score adds to one unit: its share of what the best unit has, where the question found anything.

    Args:
        goal: the score of this unit for the words of the goal.
        most: the highest of these.
        best: the highest score for the words of the question.
    """
    return GOAL_SHARE * goal * (best / most if best and most else 1.0)


def _words(evidence: Evidence) -> dict[int, tuple[float, float, float, float]]:
    """What words give each unit: those of the question, synonyms, related words, and the goal."""
    text, alias, related = (
        {rowid: exact(score) for rowid, score in scores.items()}
        for scores in (evidence.text, evidence.alias, evidence.related)
    )
    words = {
        unit.rowid: (
            text.get(unit.rowid, 0.0),
            alias.get(unit.rowid, 0.0),
            related.get(unit.rowid, 0.0),
            0.0,
        )
        for unit in evidence.found
    }
    if evidence.goal:
        most = max((evidence.goal.get(rowid, 0.0) for rowid in words), default=0.0)
        best = max((sum(own) for own in words.values()), default=0.0)
        for rowid, own in words.items():
            words[rowid] = (*own[:3], exact(lift(evidence.goal.get(rowid, 0.0), most, best)))
    for rowid, called in evidence.called.items():
        own = words[rowid]
        words[rowid] = (exact(max(own[0] - (1 - CALLED) * called, 0.0)), *own[1:])
    return words


# The terms of a score besides its words.


def _terms_of(question: Question, evidence: Evidence) -> Callable[[UnitSummary, float], Terms]:
    """Tells the terms of a unit with the score `base` from its words, as (name, value); none is 0."""
    entities, people, ranges = question.any_entity, question.any_person, question.query.ranges
    scale, today = math.log1p(evidence.units), question.today
    when, name, listed = question.asks_when, question.asks_name, evidence.listed
    asks_for = bool(entities or ranges or listed)

    def terms(unit: UnitSummary, base: float) -> Terms:
        found: Terms = []
        if asks_for:
            if unit.kind == "fact" and unit.entity_key in entities:
                asked = question.names_field(unit.field)
                if asked or not _is_of_another_time(unit, question):
                    found.append(("entity", ENTITY * scale))
                    found += [("field", FIELD * scale)] if asked else []
            if ranges:
                found.append(("date", DATE * _date(question, unit)[0] * scale))
            if listed:
                found += [] if ranges else [("filter", FILTER * scale)]
                base = scale
        if unit.kind == "turn":
            found += [("speaker", SPEAKER * base)] if unit.entity_key in people else []
            found += (
                [("absent", -ABSENT * base)] if evidence.company and unit.path not in evidence.company else []
            )
            found += [("when", WHEN * base)] if when and unit.told else []
            found += [("names", NAMES * base)] if name and unit.names else []
            found += [("asks", -ASKS * base)] if unit.asks else []
        found += [("pinned", PINNED * base)] if unit.pinned else []
        found += [("recency", RECENCY * base * _freshness(unit.at[:10], today))] if unit.at else []
        return [(label, value) for label, raw in found if (value := exact(raw))]

    return terms


def _cause(name: str, question: Question, unit: UnitSummary) -> Matched | None:
    """What a term rests on; none where its name says it all."""
    match name:
        case "entity":
            return Matched(word=question.any_entity[unit.entity_key], field="entity", via="entity")
        case "speaker":
            return Matched(word=question.any_person[unit.entity_key], field="speaker", via="entity")
        case "date":
            return Matched(word=_date(question, unit)[1], field="date", via="date")
        case "when":
            return Matched(word=unit.told, field="date", via="date")
        case "pinned":
            return Matched(word="pin", field="pin", via="pinned")
    return None


def _date(question: Question, unit: UnitSummary) -> tuple[float, str]:
    """How near a unit is to the days asked about, 0 to 1, and the expression that tells."""
    near = (_nearness(unit, one.start, one.end, one.text) for one in question.query.ranges)
    return max(near, key=lambda found: found[0], default=(0.0, ""))


def _nearness(unit: UnitSummary, first: str, last: str, spoken: str) -> tuple[float, str]:
    """1 for what touches or tells of these days; less for what was said soon after, when people still tell of them."""
    if _touches(unit, first, last):
        return 1.0, spoken
    if unit.kind != "turn":
        return 0.0, spoken
    if covers(unit.means_from, unit.means_to, first, last):
        return 1.0, unit.told
    later = _days_after(unit.at, last) if first and last else 0
    return (1 - later / TOLD_WITHIN if 0 < later < TOLD_WITHIN else 0.0), spoken


def _touches(unit: UnitSummary, first: str, last: str) -> bool:
    if unit.kind == "fact":
        return bool(unit.at) and held(unit.at, unit.until, first, last, open_end=not unit.until)
    return covers(unit.at, unit.until, first, last)


def _is_of_another_time(unit: UnitSummary, question: Question) -> bool:
    ranges = question.query.ranges
    return bool(ranges and unit.at) and not any(_touches(unit, one.start, one.end) for one in ranges)


def held(since: str, until: str, first: str, last: str, *, open_end: bool) -> bool:
    """True when a value that held from `since` to before `until` (empty: unknown) held on one of these days (empty: open).

    Args:
        since: ISO date or date-time.
        until: ISO date or date-time at which it ceased to hold.
        first: ISO date.
        last: ISO date.
        open_end: without an `until`, it holds still.
    """
    if not (since or until):
        return False
    end = until[:10] or ("9999" if open_end else since[:10])
    ends_later = end > first or since[:10] == end >= first
    return (not last or since[:10] <= last) and ends_later


def covers(at: str, until: str, first: str, last: str) -> bool:
    """True when the time from `at` to `until` touches the days `first` to `last` (empty = open)."""
    if not at:
        return False
    return (not last or at[:10] <= last) and (not first or (until or at)[:10] >= first)


@lru_cache(maxsize=8192)
def _days_after(at: str, last: str) -> int:
    try:
        return (date.fromisoformat(at[:10]) - date.fromisoformat(last)).days
    except ValueError:
        return 0


@lru_cache(maxsize=8192)
def _freshness(day: str, today: date) -> float:
    try:
        age = (today - date.fromisoformat(day)).days
    except ValueError:
        return 0.0
    return float(0.5 ** (max(age, 0) / RECENCY_HALF_LIFE))


# What may not be in an answer: for its state, its trust, or because it is about something else.


class Exclusions:
    """Why units may not be in the answer to one question."""

    def __init__(self, question: Question, evidence: Evidence) -> None:
        self._question = question
        self._evidence = evidence
        self._facts = [unit for unit in evidence.found if unit.kind == "fact"]
        self._any_state = question.any_state
        self._moments = question.moments

    def reason(self, unit: UnitSummary) -> str:
        """Why this one is left out, or an empty string."""
        held_then = unit.state == "superseded" and self._held_then(unit)
        if unit.state != "current" and not self._any_state and not held_then:
            return unit.state
        if unit.trust == "quarantined":
            return "quarantined"
        if unit.kind != "fact":
            return ""
        if self._is_of_another(unit):
            return "other_entity"
        return "other_time" if _key(unit) in self._told_then and not self._held_then(unit) else ""

    def _held_then(self, unit: UnitSummary) -> bool:
        still = unit.state == "current"
        return any(held(unit.at, unit.until, *moment, open_end=still) for moment in self._moments)

    @cached_property
    def _told_then(self) -> set[tuple[str, str]]:
        """What is known to have had a value at the time that the question is about: its other values mislead."""
        if self._any_state or not self._moments:
            return set()
        return {_key(unit) for unit in self._facts if self._held_then(unit)}

    def _is_of_another(self, unit: UnitSummary) -> bool:
        question, key = self._question, unit.entity_key
        if not question.entities or key in question.entities or key in question.parts:
            return False
        if not question.names_field(unit.field):
            return False
        words = set(question.language.tokens(unit.field))
        if all(set(question.language.tokens(entity)) == words for entity in question.entities):
            return False
        return unit.field.casefold() in self._evidence.fields or key not in self._tied

    @cached_property
    def _tied(self) -> set[str]:
        """The entities with a value that names an entity of the question: the chairman *of the rowing club*."""
        names = [set(name) for name in self._evidence.names if name]
        tokens = self._question.language.tokens
        return {
            fact.entity_key
            for fact in self._facts
            if any(name.issubset(tokens(fact.value)) for name in names)
        }


def _key(unit: UnitSummary) -> tuple[str, str]:
    return unit.entity_key, unit.field.casefold()


# What is shown of a score.


def shared_out(parts: Mapping[str, float], total: float) -> list[Term]:
    """Named parts as terms that sum to exactly `total`; what rounding leaves over goes to the largest."""
    if not parts:
        return [Term("text", total)] if total else []
    terms = {name: exact(value) for name, value in parts.items()}
    largest = max(terms, key=lambda name: (terms[name], name))
    terms[largest] += total - sum(terms.values())
    return [Term(name, value) for name, value in terms.items() if value]


def coverage(weights: Mapping[str, float], found: set[str]) -> float:
    """The share of a question's weight that is found: the honest confidence figure, 0 to 1 in hundredths."""
    whole = sum(weights.values())
    return round(sum(weights[word] for word in sorted(found) if word in weights) / whole, 2) if whole else 0.0
