"""What a unit's score gains besides its words: entity, field, date, speaker, pin and recency, each a named term. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from memoryclaw.core.model import Matched, Term
from memoryclaw.core.scoring import exact

ENTITY, FIELD, DATE = 0.5, 0.5, 0.6  # times ln(1 + units): as much as a fairly rare word
SPEAKER, PINNED, RECENCY = 0.8, 0.25, 0.05  # shares of the words' score
RECENCY_HALF_LIFE = 125  # days


class Traits(NamedTuple):
    """What boosts look at."""

    kind: str
    at: str
    until: str
    entity_key: str
    pinned: bool
    asked_field: bool  # the fact's field is named in the question


class Asked(NamedTuple):
    """What the question names besides words."""

    entities: Mapping[str, str]
    people: Mapping[str, str]
    ranges: Sequence[tuple[str, str, str]]  # first day, last day, as said
    units: int
    today: date


class Boost(NamedTuple):
    """A term of the score, and the cause to show with it."""

    term: Term
    matched: Matched | None = None


def boosts(base: float, traits: Traits, asked: Asked) -> list[Boost]:
    """Every term that applies to a unit with the score `base` from its words."""
    found: list[Boost] = []
    if asked.entities or asked.ranges:
        scale = math.log1p(asked.units)
        found += [*_fact(traits, asked, scale), *_dates(traits, asked, scale)]
    if traits.kind == "turn" and traits.entity_key in asked.people:
        cause = Matched(word=asked.people[traits.entity_key], field="speaker", via="entity")
        found.append(Boost(Term("speaker", exact(SPEAKER * base)), cause))
    if traits.pinned:
        found.append(Boost(Term("pinned", exact(PINNED * base)), Matched(word="pin", field="pin", via="pinned")))
    recency = exact(RECENCY * base * _freshness(traits.at[:10], asked.today)) if traits.at else 0.0
    if recency:
        found.append(Boost(Term("recency", recency)))
    return found


def _fact(traits: Traits, asked: Asked, scale: float) -> list[Boost]:
    if traits.kind != "fact" or traits.entity_key not in asked.entities:
        return []
    cause = Matched(word=asked.entities[traits.entity_key], field="entity", via="entity")
    found = [Boost(Term("entity", exact(ENTITY * scale)), cause)]
    if traits.asked_field:
        found.append(Boost(Term("field", exact(FIELD * scale))))
    return found


def _dates(traits: Traits, asked: Asked, scale: float) -> list[Boost]:
    for first, last, said in asked.ranges:
        if covers(traits.at, traits.until, first, last):
            return [Boost(Term("date", exact(DATE * scale)), Matched(word=said, field="date", via="date"))]
    return []


def covers(at: str, until: str, first: str, last: str) -> bool:
    """True when the time from `at` to `until` touches the days `first` to `last` (empty = open)."""
    if not at:
        return False
    return (not last or at[:10] <= last) and (not first or (until or at)[:10] >= first)


@lru_cache(maxsize=8192)
def _freshness(day: str, today: date) -> float:
    try:
        age = (today - date.fromisoformat(day)).days
    except ValueError:
        return 0.0
    return float(0.5 ** (max(age, 0) / RECENCY_HALF_LIFE))
