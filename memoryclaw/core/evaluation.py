"""How good a ranking is: recall, nDCG, reciprocal rank, and a paired bootstrap. Pure; the same numbers give the same figures everywhere.

`eval` and the programs under benchmarks/ count with these functions and no others.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

RESAMPLES = 4000
SEED = 20260420
_MASK = (1 << 64) - 1


class Interval(NamedTuple):
    """What a change gained on average, and where its mean lies in 95 of 100 resamples."""

    gain: float
    low: float
    high: float

    @property
    def certain(self) -> bool:
        """True when the interval does not hold zero."""
        return self.low > 0 or self.high < 0


def share(found: Iterable[Hashable], wanted: Iterable[Hashable]) -> float:
    """How much of what is wanted was found, from 0 to 1; all of it when nothing is wanted."""
    needed = set(wanted)
    return len(needed & set(found)) / len(needed) if needed else 1.0


def recall_at(ranked: Sequence[Hashable], wanted: Iterable[Hashable], k: int) -> float:
    """The share of what is wanted among the first `k`."""
    return share(ranked[:k], wanted)


def ndcg(ranked: Sequence[Hashable], wanted: Iterable[Hashable], k: int = 10) -> float:
    """Normalised discounted cumulative gain of the first `k`: early hits count for more."""
    needed = set(wanted)
    if not needed:
        return 1.0
    gained = sum(1 / math.log2(place + 2) for place, one in enumerate(ranked[:k]) if one in needed)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(k, len(needed))))


def reciprocal_rank(ranked: Iterable[Hashable], wanted: Iterable[Hashable]) -> float:
    """One over the place of the first that is wanted; 0 when none is there."""
    needed = set(wanted)
    return next((1 / place for place, one in enumerate(ranked, 1) if one in needed), 0.0)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def paired_bootstrap(
    before: Sequence[float], after: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """The mean gain of `after` over `before`, question by question, with its 95 % interval; the seed is fixed.

    Raises:
        ValueError: the two do not have a value each for the same questions.
    """
    if len(before) != len(after) or not before:
        raise ValueError(f"{len(before)} values cannot be paired with {len(after)}")
    gains = [new - old for old, new in zip(before, after, strict=True)]
    means = sorted(_resampled(gains, resamples, seed))
    cut = int(len(means) * 0.025)
    return Interval(mean(gains), means[cut], means[-1 - cut])


def _resampled(gains: Sequence[float], resamples: int, seed: int) -> Iterable[float]:
    # A generator of its own: this module may not know `random`, and the sequence must never change with Python.
    count, state = len(gains), seed
    for _ in range(resamples):
        total = 0.0
        for _ in range(count):
            state = (state * 6364136223846793005 + 1442695040888963407) & _MASK
            total += gains[(state >> 33) % count]
        yield total / count
