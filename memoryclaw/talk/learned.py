"""A learned sum of named features: logistic regression whose weights stand in a data file. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from memoryclaw.late import NamedTuple
from memoryclaw.text import words as lists

_SHOWN = 3  # features that an explanation names
_SHARP = 0.05  # of the sum; a smaller part explains nothing


class Worth(NamedTuple):
    """The chance that a sum gives, from 0 to 1, and what of its features makes it so, the largest first."""

    score: float
    parts: tuple[tuple[str, float], ...] = ()
    enough: bool = True  # it is above the cut

    def __str__(self) -> str:
        return ", ".join(
            f"{name} {share:+.1f}" for name, share in self.parts[:_SHOWN] if abs(share) >= _SHARP
        )


@cache
def cut_of(file: str, name: str = "cut") -> float:
    """A cut of a data file by its name."""
    return float(lists.text(f"{file}.{name}"))


def weighed(file: str, features: Mapping[str, float], cut: str = "cut") -> Worth:
    """The sum of a data file over some features."""
    bias, terms = _terms(file)
    parts = [(name, weight * (features[name] - mean) / deviation) for name, mean, deviation, weight in terms]
    chance = 1 / (1 + math.exp(-bias - sum(share for _, share in parts)))
    parts.sort(key=lambda part: (-abs(part[1]), part[0]))
    return Worth(round(chance, 4), tuple(parts), chance >= cut_of(file, cut))


@cache
def _terms(file: str) -> tuple[float, list[tuple[str, float, float, float]]]:
    """The bias of a sum, and each feature with its mean, its deviation and its weight."""
    rows = (line.rsplit(maxsplit=3) for line in lists.lines(f"{file}.features"))
    terms = [(name, float(mean), float(deviation), float(weight)) for name, mean, deviation, weight in rows]
    return float(lists.text(f"{file}.bias")), terms
