"""Asks vectors beside words, or where words found too little; without vectors the answer is that of words.

What words found is never hidden. A unit that only vectors found is decided on as any other: its state, its trust and the
fields of the question count alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memoryclaw.errors import VectorsError
from memoryclaw.index.bm25 import exact
from memoryclaw.index.catalog import Catalog, UnitSummary
from memoryclaw.index.vectors import Vectors, asking
from memoryclaw.models.llm import ModelError
from memoryclaw.recall.evidence import with_own_ids
from memoryclaw.recall.packing import WEAK
from memoryclaw.recall.question import Question
from memoryclaw.recall.rank import Exclusions, Ranked, Ranking, ordered, rank
from memoryclaw.recall.text_lane import POOL
from memoryclaw.text.language import key_of

if TYPE_CHECKING:
    from memoryclaw.models.embedders import Floats


class FallbackPolicy(NamedTuple):
    """When vectors are asked, and how their hits mix with those of words."""

    least: int  # keyword hits; fewer call vectors
    coverage: float  # of the question's weight; less calls vectors
    strategy: str  # primary_first | weighted


class _Views(NamedTuple):
    """A question as two vectors: as it was asked, and as the one it is about would put it; with the mean cosine to each."""

    plain: Floats
    own: Floats
    means: tuple[float, float]
    near: set[int]  # the units nearest to either


class VectorLane:
    """The vectors of one vault, to be asked.

    Args:
        vectors: keeps them.
        catalog: the index they are of.
        manner: as the settings say.
    """

    def __init__(self, vectors: Vectors, catalog: Catalog, manner: FallbackPolicy) -> None:
        self._vectors = vectors
        self._catalog = catalog
        self._manner = manner

    @property
    def always(self) -> bool:
        """True when they are asked whatever words found."""
        return self._manner.strategy == "weighted"

    def may_answer(self, question: Question) -> bool:
        """True for a question in plain words: who writes operators wants what they say and nothing else."""
        return question.open_to_goal and bool(question.query.words)

    def is_wanted(self, hits: int, coverage: float) -> bool:
        """True when words found too little."""
        return hits < self._manner.least or coverage < self._manner.coverage

    def blended(self, found: Ranking, within: Sequence[int] | None) -> Ranking:
        """The ranking with the nearest units; that of words alone, and degraded, when vectors cannot be asked.

        Args:
            found: what words found, ranked.
            within: the units that the fields of the question let through, if it has some.
        """
        store = self._vectors.store
        try:
            units = self._vectors.settle() if store.exists() else 0
            ranked = self._ranked(found, self._nearness(found, within), math.log1p(units))
            lacking = store.lacking()
        except (VectorsError, ModelError) as error:
            return replace(found, degraded=f"words alone answer: {error}")
        missing = f"{lacking} of {units} units have no vector yet; `memoryclaw sync --vectors` makes them"
        return replace(
            found, units=ranked, near=self._vectors.embedder.name, degraded=missing if lacking else ""
        )

    def _ranked(self, found: Ranking, near: _Nearness, scale: float) -> list[Ranked]:
        by_words = {one.unit.rowid: one for one in found.units}
        evidence = found.evidence._replace(found=near.units)
        if self.always:
            values = _weighted(near, by_words, scale)
            decided = {rowid: one.decision for rowid, one in by_words.items()}
            everything = rank(found.question, evidence, vectors=values, decided=decided)
            # What vectors found takes no keyword hit out.
            return [
                one if one.unit.rowid in by_words else one._replace(by_words=False)
                for one in everything
                if one.unit.rowid in by_words or one.term("vector")
            ]
        known = [by_words[u.rowid]._replace(unit=u) for u in near.units if u.rowid in by_words]
        reason = Exclusions(found.question, evidence).reason
        new = [
            Ranked(unit, 0.0, decision=reason(unit), by_words=False)
            for unit in near.units
            if unit.rowid not in by_words
        ]
        return ordered([*known, *_behind(_first(new, near.cosines), near.cosines, known, scale)])

    def _nearness(self, found: Ranking, within: Sequence[int] | None) -> _Nearness:
        """Looks up which units are near the question, those that words found among them."""
        views = self._views(found, within)
        known = [one.unit for one in sorted(found.units, key=lambda one: one.unit.rowid)]
        numbers = {unit.rowid for unit in known}
        units = with_own_ids([*known, *self._catalog.summaries(sorted(views.near - numbers))])
        store = self._vectors.store
        turns = [unit.rowid for unit in units if unit.kind == "turn"]
        others = [unit.rowid for unit in units if unit.kind != "turn"]
        # Turns are compared with the question in the words of who is asked about, others with the question as it is.
        cosines = store.cosines(views.own, turns) | store.cosines(views.plain, others)
        return _Nearness(units, cosines, views.means)

    def _views(self, found: Ranking, within: Sequence[int] | None) -> _Views:
        question = found.question
        text, vector_of = _text(question), asking(self._vectors)
        own_text = in_own_words(text, _people(question)) if question.language.code == "en" else text
        plain = vector_of(text)
        near, mean = self._vectors.store.look(plain, POOL, within)
        if own_text == text:
            return _Views(plain, plain, (mean, mean), set(near))
        own = vector_of(own_text)
        nearer, other = self._vectors.store.look(own, POOL, within)
        return _Views(plain, own, (mean, other), near.keys() | nearer.keys())


class _Nearness(NamedTuple):
    """All units that words or vectors found, and how near they are to the question.

    Attributes:
        means: the mean cosine of all units to the question as it is, and in the words of who is asked about.
    """

    units: Sequence[UnitSummary]
    cosines: Mapping[int, float]
    means: tuple[float, float]


def _weighted(near: _Nearness, by_words: Mapping[int, Ranked], scale: float) -> dict[int, float]:
    """What nearness gives each unit besides its words."""
    nearest = max(near.cosines.values(), default=0.0)
    best = max((one.words + one.term("related") for one in by_words.values()), default=0.0) or scale
    values = {}
    for unit in near.units:
        mean = near.means[unit.kind == "turn"]
        values[unit.rowid] = weighted(near.cosines.get(unit.rowid, mean), mean, nearest, best)
    return values


def _first(new: Sequence[Ranked], cosines: Mapping[int, float]) -> list[Ranked]:
    """The nearest that may be in the answer, and all that are left out before the last of them."""
    held = [one for one in new if one.unit.rowid in cosines]
    nearest = sorted((cosines[one.unit.rowid] for one in held if not one.decision), reverse=True)[:HITS]
    least = max(nearest[-1] if nearest else 1.0, 0.0)
    return [one for one in held if cosines[one.unit.rowid] >= least]


def _behind(
    new: Sequence[Ranked], cosines: Mapping[int, float], known: Sequence[Ranked], scale: float
) -> list[Ranked]:
    """Those of `new` with scores behind what words found."""
    scores = [one.score for one in known if not one.decision and one.score > 0]
    near = [cosines[one.unit.rowid] for one in new]
    values = behind(near, scores, WEAK) if scores else alone(near, scale)
    return [
        one._replace(score=value, terms=[("vector", value)])
        for one, value in zip(new, values, strict=True)
        if value
    ]


def _text(question: Question) -> str:
    """The question without its fields; as it was written where there are none."""
    query = question.query
    return " ".join(query.words) if query.filters else query.text


def _people(question: Question) -> set[str]:
    """The people whom the question names, as it writes them and as the vault does."""
    people = question.any_person
    return {*people.values(), *(word for word in question.query.words if key_of(word) in people)}


# How far a vector lifts a unit. Every value is a multiple of 1/1024, and no keyword hit is hidden.

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
