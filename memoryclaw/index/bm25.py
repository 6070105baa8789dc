"""What both text engines agree on: the arithmetic of BM25 as FTS5 computes it, and what a boolean question means. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain

from memoryclaw import late
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.ports import IndexClause

K1, B = 1.2, 0.75  # inside SQLite's bm25(), which finds what is ranked; ranking has a B of its own
WEIGHTS: Mapping[str, float] = {"title": 2.0, "tags": 3.0, "properties": 2.0, "body": 1.0}
LEAST = 0.1  # idf of a token that stands nearly everywhere
_STEPS = 1024


def exact(value: float) -> float:
    """The nearest multiple of 1/1024."""
    return round(value * _STEPS) / _STEPS


def idf(units: int, containing: int) -> float:
    """How much a token that `containing` of `units` units hold tells; never below 1e-6, as in FTS5."""
    value = math.log((units - containing + 0.5) / (containing + 0.5))
    return value if value > 0 else 1e-6


def rarity(units: int, containing: int) -> float:
    """The idf that ranks and explains: that of the engines, but never below half of `LEAST`, so that what stands everywhere still ranks."""
    weight = math.log1p((units - containing + 0.5) / (containing + 0.5))
    return weight if weight >= LEAST else (weight + LEAST) / 2


def gain(weight: float, weighted_count: float, length: int, average: float) -> float:
    """What one token adds to a unit's BM25.

    Args:
        weighted_count: its occurrences, each counted with the weight of its column.
        length: tokens of the unit over all columns.
        average: mean of that over all units.
    """
    # Grouped as in FTS5's own source, so that both engines round alike.
    return weight * (weighted_count * (K1 + 1) / (weighted_count + K1 * (1 - B + B * length / average)))


# What a boolean question means, once for both text engines: which units match, and which parts count for each.

ROOM = 96  # what SQLite's parser holds of a question at once; one of 32 words always fits
Counts = Mapping[int, float]  # unit → occurrences of a token or phrase, each with the weight of its column


class Tally(NamedTuple):
    """One clause, counted: the units that match it, and what its tokens or its parts found."""

    units: AbstractSet[int]
    counts: Counts | None = None
    parts: tuple[Tally, ...] = ()


def sound(clause: IndexClause) -> IndexClause | None:
    """The same question without what is empty, needless or stands alone as a `not`; None when nothing can match.

    Groups come before words, the deepest first: so SQLite's parser has the least to remember.
    """
    if (
        clause.op == "any"
        and len(clause.parts) > 1
        and all(part.op == "token" and part.text.strip(" ") for part in clause.parts)
    ):
        return clause  # as nearly every question is
    cleaned = _sound(_twice_negated(clause))
    if cleaned is not None and _room(cleaned) > ROOM:
        raise InputError("this question is nested too deeply; use fewer parentheses")
    return cleaned


def tally(clause: IndexClause, look_up: Callable[[IndexClause], Counts]) -> Tally:
    """Counts a sound clause with the counts that `look_up` gives for each token and phrase."""
    if clause.op in ("token", "phrase"):
        counts = look_up(clause)
        return Tally(counts.keys(), counts)
    tallies = tuple(tally(inner, look_up) for inner in clause.parts if inner.op != "not")
    if clause.op == "any":
        return Tally(set().union(*(inner.units for inner in tallies)), parts=tallies)
    units = set(tallies[0].units).intersection(*(inner.units for inner in tallies[1:]))
    barred = (tally(inner.parts[0], look_up).units for inner in clause.parts if inner.op == "not")
    return Tally(units.difference(*barred), parts=tallies)


def counts_of(tally: Tally, units: AbstractSet[int]) -> Iterator[tuple[Counts, AbstractSet[int]]]:
    """Yields, for each token and phrase in order, its counts and those of `units` whose score it adds to.

    A part of an `any` that does not hold in full adds nothing: in `(a AND b) OR c`, a unit with a and c scores c.
    """
    units = tally.units & units
    if tally.counts is not None:
        yield tally.counts, units
    for inner in tally.parts:
        yield from counts_of(inner, units)


def _sound(clause: IndexClause) -> IndexClause | None:
    if clause.op in ("token", "phrase"):
        return clause if clause.text.strip(" ") else None
    if clause.op == "not":
        return None
    subclauses = [_twice_negated(each) for each in clause.parts]
    required = [_sound(each) for each in subclauses if each.op != "not"]
    usable = [each for each in required if each is not None]
    if not usable or (clause.op == "all" and len(usable) < len(required)):
        return None
    barred = [_sound(each.parts[0]) for each in subclauses if each.op == "not"] if clause.op == "all" else []
    negated = [IndexClause("not", parts=(each,)) for each in barred if each is not None]
    if len(usable) == 1 and not negated:
        return usable[0]
    groups = (each.parts if each.op == clause.op else (each,) for each in (*usable, *negated))
    return IndexClause(clause.op, parts=tuple(sorted(chain.from_iterable(groups), key=_room, reverse=True)))


def _twice_negated(clause: IndexClause) -> IndexClause:
    while clause.op == "not" and clause.parts[0].op == "not":
        clause = clause.parts[0].parts[0]
    return clause


def _room(clause: IndexClause) -> int:
    """How many symbols a parser that reads from left to right must remember at the innermost place."""
    if clause.op == "not":
        return _room(clause.parts[0])
    rooms = [_room(inner) for inner in clause.parts if inner.op != "not"]
    barred = [_room(inner) for inner in clause.parts if inner.op == "not"]
    first_barred = 3 + 2 * (len(rooms) > 1) + (len(barred) > 1)
    places = [1 + 2 * (index > 0) + room for index, room in enumerate(rooms)]
    places += [first_barred + 2 * (index > 0) + room for index, room in enumerate(barred)]
    return max(places, default=0)


# Tokens as the index keeps those of a unit: each a character, so that counting words is counting characters. Pure.

_FIRST = 0x20  # a line ends each field
_SURROGATES, _AFTER_THEM = 0xD800, 0x800  # which no UTF-8 holds
_ROOM = 0x80000  # for the tokens with a digit, and as much for those without
_PAIRS, _PAIRS_WITH_DIGIT, _SECONDS = (
    0x100000,
    0x104000,
    0x108000,
)  # of two characters, once there is no more room
_SECOND = late.pattern("[\U00108000-\U0010ffff]")
_ANY = late.pattern("[\U00100000-\U00107fff]?.")
_WITH_DIGIT = "[\U00080000-\U000fffff]|[\U00104000-\U00107fff]."


def code_of(number: int, token: str) -> str:
    """The code of the token that came to an index as its `number`th."""
    has_digit = not token.isalpha() and any(map(str.isdecimal, token))
    place = number + _FIRST
    place += _AFTER_THEM if place >= _SURROGATES else 0
    if place < _ROOM:
        return chr(place + _ROOM * has_digit)
    first, second = divmod(place - _ROOM, 0x8000)
    return chr((_PAIRS_WITH_DIGIT if has_digit else _PAIRS) + first) + chr(_SECONDS + second)


def coded(text: str, codes: Mapping[str, str]) -> str:
    """The codes of tokens joined by spaces; nothing where the index does not know one of them."""
    each = [codes.get(token, "") for token in text.split(" ")]
    return "".join(each) if all(each) else ""


def codes_in(field: str) -> list[str]:
    """The codes of a field, one by one."""
    return _ANY.findall(field) if has_pairs(field) else list(field)


def sifted(fields: str, kept: str) -> str:
    """Fields, one below the other, without all characters but these, and those that `length` looks for."""
    return re.sub(f"[^\n\U00108000-\U0010ffff{re.escape(kept)}]+", "", fields)


def has_pairs(fields: str) -> bool:
    """True where a token is of two characters."""
    return bool(_SECOND.search(fields))


def length(field: str, rest: str | None = None) -> int:
    """How many tokens a field has; `rest` is that field sifted, where it was."""
    return len(field) - len(_SECOND.findall(field if rest is None else rest))


def without_digits(field: str) -> str:
    """The codes of the tokens in which there is no digit."""
    return re.sub(_WITH_DIGIT, "", field)  # not compiled before it is needed
