"""How far a vector lifts a unit, for both strategies. The rule: every value is a multiple of 1/1024, and no keyword hit is hidden.

`primary_first` puts what only vectors found behind the strong keyword hits and before the weak ones; `weighted` counts nearness
like one more word, before turns lend to each other and before a speaker or a date counts. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from memoryclaw.core.scoring import exact

WEIGHT = 1.0  # `weighted`: of the best sum of words, what the nearest unit gets
HITS = 10  # `primary_first`: units that vectors alone may add
_STEP = 1 / 1024


def weighted(cosine: float, mean: float, nearest: float, best: float) -> float:
    """What nearness gives a unit besides its words.

    Args:
        cosine: of the unit to the question.
        mean: of the cosines of all units: models differ in what they call unlike.
        nearest: the highest cosine of all.
        best: the highest sum of words, or what stands for it where there is none.
    """
    return exact(WEIGHT * best * (cosine - mean) / (nearest - mean)) if nearest >= cosine > mean else 0.0


def in_own_words(question: str, names: Iterable[str]) -> str:
    """An English question as the one it is about would put it: people say `I`, not their own names.

    Args:
        question: as it was asked.
        names: of the people whom it names.
    """
    known = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)) if name)
    if not known:
        return question
    said = re.sub(rf"\b(?:{known})['’]s\b", "my", question, flags=re.IGNORECASE)
    return re.sub(rf"\b(?:{known})\b", "I", said, flags=re.IGNORECASE)


def alone(cosines: Sequence[float], best: float) -> list[float]:
    """The scores of units where words found nothing: the share of `best` that each cosine is."""
    return [exact(best * max(cosine, 0.0)) for cosine in cosines]


def behind(cosines: Sequence[float], scores: Sequence[float], weak: float) -> list[float]:
    """The scores of units that only vectors found, where words found some.

    They fall into the lowest gap between strong keyword hits, or below the last of them, that has room for all.

    Args:
        cosines: of the units.
        scores: of the keyword hits, one at least.
        weak: the share of the best score below which a hit is weak.
    """
    places = {cosine: place for place, cosine in enumerate(sorted(set(cosines)), 1)}
    low, high = _gap(sorted(scores, reverse=True), weak, len(places))
    room = (high - low) / (len(places) + 1)
    return [exact(low + places[cosine] * room) for cosine in cosines]


def _gap(scores: Sequence[float], weak: float, wanted: int) -> tuple[float, float]:
    """Two scores with room for `wanted` others between them: the lowest such two, or the two furthest apart."""
    floor = math.ceil(scores[0] * weak / _STEP) * _STEP
    strong = [score for score in scores if score >= floor]
    gaps = [(low, high) for high, low in pairwise([*strong, floor - _STEP])]
    # A step of its own for each, and one of doubt for the rounding.
    wide = [gap for gap in gaps if gap[1] - gap[0] >= 2 * (wanted + 1) * _STEP]
    return wide[-1] if wide else max(gaps, key=lambda gap: gap[1] - gap[0])
