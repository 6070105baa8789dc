"""What a change gained, with how sure that is: a paired bootstrap. The same numbers give the same interval everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoryclaw.recall.evaluation import mean

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
    means = sorted(_resample(gains, resamples, seed))
    cut = int(len(means) * 0.025)
    return Interval(mean(gains), means[cut], means[-1 - cut])


def _resample(gains: Sequence[float], resamples: int, seed: int) -> Iterable[float]:
    # A generator of its own: the sequence must never change with Python.
    count, state = len(gains), seed
    for _ in range(resamples):
        total = 0.0
        for _ in range(count):
            state = (state * 6364136223846793005 + 1442695040888963407) & _MASK
            total += gains[(state >> 33) % count]
        yield total / count
