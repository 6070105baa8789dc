"""How good a ranking is: recall, nDCG, reciprocal rank, and a paired bootstrap. Pure; the same numbers give the same figures everywhere.

`eval` and the programs under benchmarks/ count with these functions and no others.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

from memoryclaw.model import Problem
from memoryclaw.text.yaml_text import MAX_BYTES, Yaml, load

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


# ── Golden questions: a YAML text → what is asked, and what must be found. Pure; what is wrong becomes a
# Problem with its line.

_KEYS = ("expect", "answer", "not", "as of")
_EXAMPLE = "write it as `When is the deadline?: semantic/projects#Boathouse.deadline`"


class GoldenQuestion(NamedTuple):
    """One question with what a good answer holds, as it was written."""

    question: str
    line: int
    expect: tuple[str, ...] = ()  # ids, or beginnings of ids
    answer: tuple[str, ...] = ()  # words that must stand in the context
    without: tuple[str, ...] = ()  # ids that must not be in it
    as_of: date | None = None  # the day on which it is asked


class GoldenQuestions(NamedTuple):
    """The questions of a file, or what is wrong with it."""

    questions: tuple[GoldenQuestion, ...]
    problems: tuple[Problem, ...] = ()


def read_goldens(text: str) -> GoldenQuestions:
    """The golden questions of a YAML text; one that cannot be used is a problem, and none is guessed at."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        hint = "split them into several files; `memoryclaw eval FILE` asks one of them"
        return GoldenQuestions((), (Problem("", 1, "the questions take more than 64 KiB", hint),))
    found = load(text)
    if found.problems:
        return GoldenQuestions((), found.problems)
    if not isinstance(found.value, dict) or not found.value:
        return GoldenQuestions((), (Problem("", 1, "there are no questions in it", _EXAMPLE),))
    read = [_golden(question, wanted, found) for question, wanted in found.value.items()]
    return GoldenQuestions(
        tuple(one for one in read if isinstance(one, GoldenQuestion)),
        tuple(one for one in read if isinstance(one, Problem)),
    )


def _golden(question: str, wanted: Any, found: Yaml) -> GoldenQuestion | Problem:
    line = found.lines.get((question,), 1)
    given = wanted if isinstance(wanted, dict) else {"expect": wanted}
    for key, value in given.items():
        at = found.lines.get((question, key), line)
        if key not in _KEYS:
            return Problem("", at, f"{key!r} says nothing of a question", f"there are {', '.join(_KEYS)}")
        if _texts(value) is None:
            return Problem("", at, f"{key!r} must be a text or a list of texts", _EXAMPLE)
    told = {key: _texts(given.get(key, [])) or () for key in _KEYS}
    if not told["expect"] and not told["answer"]:
        return Problem("", line, f"nothing is expected of {question!r}", _EXAMPLE)
    day = _day(told["as of"])
    if told["as of"] and day is None:
        at = found.lines.get((question, "as of"), line)
        return Problem("", at, f"{told['as of'][0]!r} is not a day", "write it as 2025-07-01")
    return GoldenQuestion(question, line, told["expect"], told["answer"], told["not"], day)


def _texts(value: Any) -> tuple[str, ...] | None:
    """A text or a list of texts as texts; None when it is anything else, or holds nothing."""
    listed = value if isinstance(value, list) else [value]
    return tuple(listed) if all(isinstance(one, str) and one.strip() for one in listed) else None


def _day(told: tuple[str, ...]) -> date | None:
    try:
        return date.fromisoformat(told[0]) if len(told) == 1 else None
    except ValueError:
        return None
