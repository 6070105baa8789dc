"""The arithmetic of a score: BM25 as FTS5 computes it, told word by word, in parts that add up to the last bit.

Every value is a multiple of 1/1024, so sums are exact in binary floating point and `score == sum(terms)` always holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from memoryclaw.model import Term

K1, B = 1.2, 0.75  # the constants inside SQLite's bm25(); measured to cost nothing once context columns exist
WEIGHTS: Mapping[str, float] = {
    "title": 2.0,
    "tags": 3.0,
    "properties": 2.0,
    "body": 1.0,
    "prev": 0.5,
    "next": 0.3,
}
ALIAS_FACTOR = 0.6  # a synonym counts for less than the word that was asked for
RELATED = 0.5  # the same for a word of everyday language that may stand for it
CALLED = 0.3  # in turns, the name of a person who speaks: who said it is known without
SMALL = 32  # units below which half of all words are in half of all units, and BM25's rarity says nothing
_STEPS = 1024


def exact(value: float) -> float:
    """The nearest multiple of 1/1024."""
    return round(value * _STEPS) / _STEPS


def idf(units: int, containing: int) -> float:
    """How much a token that `containing` of `units` units hold tells; never below 1e-6, as in FTS5."""
    value = math.log((units - containing + 0.5) / (containing + 0.5))
    return value if value > 0 else 1e-6


def rarity(units: int, containing: int) -> float:
    """The idf that explanations and confidence use: that of the engines, but never nothing in a small vault."""
    if units >= SMALL:
        return idf(units, containing)
    return math.log1p((units - containing + 0.5) / (containing + 0.5))


def gain(weight: float, weighted_count: float, length: int, average: float) -> float:
    """What one token adds to a unit's BM25.

    Args:
        weight: its idf.
        weighted_count: its occurrences, each counted with the weight of its column.
        length: tokens of the unit over all columns.
        average: mean of that over all units.
    """
    # Grouped as in FTS5's own source, so that both engines round alike.
    return weight * (weighted_count * (K1 + 1) / (weighted_count + K1 * (1 - B + B * length / average)))


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


def ranked(scores: Mapping[int, float], ids: Mapping[int, str]) -> Sequence[int]:
    """Keys by score, highest first; ties by id, so that no storage order ever shows."""
    return sorted(scores, key=lambda key: (-scores[key], ids[key]))
