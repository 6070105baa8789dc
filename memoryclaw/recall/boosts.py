"""What a unit's score gains or loses besides its words: entity, field, date, speaker and others, each a named term. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from memoryclaw.index.bm25 import exact
from memoryclaw.model import Matched, Term

ENTITY, FIELD, DATE = 0.5, 0.5, 0.9  # times ln(1 + units): as much as a fairly rare word
FILTER = 0.5  # the same, when nothing but fields was asked for
SPEAKER, PINNED, RECENCY = (
    0.8,
    0.25,
    0.05,
)  # shares of the words' score, or of ln(1 + units) when there are no words
WHEN = 0.5  # the same for turns that tell a time, when the question asks for one
NAMES = 0.4  # and for turns that hold a name, when it asks for one
ASKS = 0.3  # the share that turns lose by ending in a question: answers are wanted
ABSENT = 0.4  # the share that turns lose where nobody speaks whom the question names
RECENCY_HALF_LIFE = 125  # days
TOLD_WITHIN = 14  # days in which what happened on a day is still told of


class UnitTraits(NamedTuple):
    """What boosts look at."""

    kind: str
    at: str
    until: str
    entity_key: str
    pinned: bool
    asked_field: bool  # the fact's field is named in the question
    asks: bool = False  # a turn that ends in a question
    told: str = ""  # the expression of time that a turn holds
    means: tuple[str, str] = ("", "")  # the first and the last day that it means
    names: bool = False  # a turn that holds a name
    absent: bool = False  # a turn of a log in which nobody speaks whom the question names


class QuestionTraits(NamedTuple):
    """What the question names besides words."""

    entities: Mapping[str, str]
    people: Mapping[str, str]
    ranges: Sequence[tuple[str, str, str]]  # first day, last day, as said
    units: int
    today: date
    listing: bool = (
        False  # no word was found: units are listed by their date or by what the fields let through
    )
    when: bool = False  # the question wants to know a time
    name: bool = False  # it wants to know a name
    company: frozenset[str] = frozenset()  # paths of the logs in which a person speaks whom it names

    @property
    def names_nothing(self) -> bool:
        """True when there are only words."""
        return not (self.entities or self.people or self.ranges or self.listing)


class Boost(NamedTuple):
    """A term of the score, and the cause to show with it."""

    term: Term
    matched: Matched | None = None


def boosts(base: float, traits: UnitTraits, asked: QuestionTraits) -> list[Boost]:
    """Every term that applies to a unit with the score `base` from its words."""
    found: list[Boost] = []
    if asked.entities or asked.ranges or asked.listing:
        scale = math.log1p(asked.units)
        found += [*_fact(traits, asked, scale), *_dates(traits, asked, scale)]
        if asked.listing:
            found += [] if asked.ranges else [Boost(Term("filter", exact(FILTER * scale)))]
            base = scale
    if traits.kind == "turn":
        found += _turn(base, traits, asked)
    if traits.pinned:
        found.append(
            Boost(Term("pinned", exact(PINNED * base)), Matched(word="pin", field="pin", via="pinned"))
        )
    return _telling(found) + recency(base, traits.at, asked.today)


def said(base: float, told: str, *, asks: bool, names: bool = False) -> list[Boost]:
    """What a turn gains by telling a time or a name that is wanted, and loses by ending in a question."""
    found = []
    if told:
        cause = Matched(word=told, field="date", via="date")
        found.append(Boost(Term("when", exact(WHEN * base)), cause))
    if names:
        found.append(Boost(Term("names", exact(NAMES * base))))
    if asks:
        found.append(Boost(Term("asks", exact(-ASKS * base))))
    return found


def recency(base: float, at: str, today: date) -> list[Boost]:
    """What a unit gains by being new: the only term that most units have besides their words."""
    value = exact(RECENCY * base * _freshness(at[:10], today)) if at else 0.0
    return [Boost(Term("recency", value))] if value else []


def _telling(found: list[Boost]) -> list[Boost]:
    return [boost for boost in found if boost.term.value]


def _fact(traits: UnitTraits, asked: QuestionTraits, scale: float) -> list[Boost]:
    if traits.kind != "fact" or traits.entity_key not in asked.entities:
        return []
    if not traits.asked_field and _is_of_another_time(traits, asked):
        return []
    cause = Matched(word=asked.entities[traits.entity_key], field="entity", via="entity")
    found = [Boost(Term("entity", exact(ENTITY * scale)), cause)]
    if traits.asked_field:
        found.append(Boost(Term("field", exact(FIELD * scale))))
    return found


def _turn(base: float, traits: UnitTraits, asked: QuestionTraits) -> list[Boost]:
    found = []
    if traits.entity_key in asked.people:
        cause = Matched(word=asked.people[traits.entity_key], field="speaker", via="entity")
        found.append(Boost(Term("speaker", exact(SPEAKER * base)), cause))
    if traits.absent:
        found.append(Boost(Term("absent", exact(-ABSENT * base))))
    return found + said(
        base, traits.told if asked.when else "", asks=traits.asks, names=traits.names and asked.name
    )


def _dates(traits: UnitTraits, asked: QuestionTraits, scale: float) -> list[Boost]:
    near = [_nearness(traits, *spoken) for spoken in asked.ranges]
    most, word = max(near, key=lambda found: found[0], default=(0.0, ""))
    if not most:
        return []
    return [Boost(Term("date", exact(DATE * most * scale)), Matched(word=word, field="date", via="date"))]


def _nearness(traits: UnitTraits, first: str, last: str, spoken: str) -> tuple[float, str]:
    """1 for what touches or tells of these days; less for what was said soon after, when people still tell of them; and why."""
    if _touches(traits, first, last):
        return 1.0, spoken
    if traits.kind != "turn":
        return 0.0, spoken
    if covers(*traits.means, first, last):
        return 1.0, traits.told
    later = _days_after(traits.at, last) if first and last else 0
    return (1 - later / TOLD_WITHIN if 0 < later < TOLD_WITHIN else 0.0), spoken


def _touches(traits: UnitTraits, first: str, last: str) -> bool:
    if traits.kind == "fact":
        return bool(traits.at) and held(traits.at, traits.until, first, last, open_end=not traits.until)
    return covers(traits.at, traits.until, first, last)


def _is_of_another_time(traits: UnitTraits, asked: QuestionTraits) -> bool:
    dated = bool(asked.ranges and traits.at)
    return dated and not any(_touches(traits, first, last) for first, last, _ in asked.ranges)


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
