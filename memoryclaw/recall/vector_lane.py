"""Asks vectors beside words, or where words found too little. The rule: what words found is never hidden, and without vectors the answer is that of words.

A unit that only vectors found is decided on as any other: its state, its trust and the fields of the question count alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from memoryclaw.errors import VectorsError
from memoryclaw.index.bm25 import exact
from memoryclaw.index.catalog import Catalog, UnitSummary
from memoryclaw.index.vectors import Vectors, asking
from memoryclaw.models.llm import ModelError
from memoryclaw.recall.boosts import QuestionTraits
from memoryclaw.recall.candidates import Candidate, told_apart
from memoryclaw.recall.exclusions import Decider
from memoryclaw.recall.packing import WEAK
from memoryclaw.recall.question import Question
from memoryclaw.recall.text_lane import POOL
from memoryclaw.recall.weighing import weigh
from memoryclaw.text.language import Language
from memoryclaw.vault.entities import key_of

if TYPE_CHECKING:
    from memoryclaw.models.embedders import Floats


class FallbackPolicy(NamedTuple):
    """When vectors are asked, and how their hits mix with those of words."""

    least: int  # keyword hits; fewer call vectors
    coverage: float  # of the question's weight; less calls vectors
    strategy: str  # primary_first | weighted


class KeywordResult(NamedTuple):
    """What words made of a question.

    Attributes:
        candidates: scored and decided on.
        within: the units that the fields of the question let through, if it has some.
    """

    question: Question
    asked: QuestionTraits
    candidates: list[Candidate]
    within: Sequence[int] | None
    language: Language


class _Views(NamedTuple):
    """A question as two vectors: as it was asked, and as the one it is about would put it; with the mean cosine to each."""

    plain: Floats
    own: Floats
    means: tuple[float, float]
    near: set[int]  # the units nearest to either


class BlendedCandidates(NamedTuple):
    """All candidates with those that vectors added, and why there are not all that there could be."""

    candidates: list[Candidate]
    degraded: str = ""


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

    def join(self, found: KeywordResult) -> BlendedCandidates:
        """All candidates, the nearest units among them; those of words alone, and degraded, when vectors cannot be asked."""
        store = self._vectors.store
        try:
            units = self._vectors.settle() if store.exists() else 0
            joined = self._joined(found, units)
            lacking = store.lacking()
        except (VectorsError, ModelError) as error:
            return BlendedCandidates(found.candidates, f"words alone answer: {error}")
        missing = f"{lacking} of {units} units have no vector yet; `memoryclaw sync --vectors` makes them"
        return BlendedCandidates(joined, missing if lacking else "")

    def _joined(self, found: KeywordResult, units: int) -> list[Candidate]:
        views = self._views(found)
        known, before = found.candidates, [candidate.decision for candidate in found.candidates]
        numbers = {candidate.brief.rowid for candidate in known}
        briefs = told_apart([*(c.brief for c in known), *self._catalog.briefs(sorted(views.near - numbers))])
        for candidate, brief in zip(known, briefs, strict=False):
            candidate.brief = brief
        decider = Decider(found.question, briefs, found.language, self._catalog)
        new = [Candidate(b, by_words=False, decision=decider.reason(b)) for b in briefs[len(known) :]]
        near = self._cosines(briefs, views)
        if self.always:
            everyone = [*known, *new]
            _weighted(everyone, near, views.means, log1p(units))
            weigh(everyone, found.asked, decider)
            for candidate, decision in zip(known, before, strict=True):
                candidate.decision = decision  # what vectors found takes no keyword hit out
        else:
            scores = [c.score for c in known if not c.decision and c.score > 0]
            new = _first(new, near)
            _behind(new, [near[c.brief.rowid] for c in new], scores, log1p(units))
        for candidate in (*known, *new):
            candidate.near = self._vectors.embedder.name if candidate.vector else ""
        return [*known, *(candidate for candidate in new if candidate.vector)]

    def _views(self, found: KeywordResult) -> _Views:
        text, vector_of = _text(found.question), asking(self._vectors)
        own_text = in_own_words(text, _people(found)) if found.language.code == "en" else text
        plain = vector_of(text)
        near, mean = self._vectors.store.look(plain, POOL, found.within)
        if own_text == text:
            return _Views(plain, plain, (mean, mean), set(near))
        own = vector_of(own_text)
        nearer, other = self._vectors.store.look(own, POOL, found.within)
        return _Views(plain, own, (mean, other), near.keys() | nearer.keys())

    def _cosines(self, briefs: Sequence[UnitSummary], views: _Views) -> dict[int, float]:
        """Of turns to the question in the words of who is asked about, of others to the question as it is."""
        store = self._vectors.store
        turns = [brief.rowid for brief in briefs if brief.kind == "turn"]
        others = [brief.rowid for brief in briefs if brief.kind != "turn"]
        return store.cosines(views.own, turns) | store.cosines(views.plain, others)


def _weighted(
    candidates: Sequence[Candidate], near: dict[int, float], means: tuple[float, float], scale: float
) -> None:
    nearest = max(near.values(), default=0.0)
    best = max((c.own for c in candidates), default=0.0) or scale
    for candidate in candidates:
        mean = means[candidate.brief.kind == "turn"]
        candidate.vector = weighted(near.get(candidate.brief.rowid, mean), mean, nearest, best)


def _first(new: Sequence[Candidate], near: dict[int, float]) -> list[Candidate]:
    """The nearest that may be in the answer, and all that are left out before the last of them."""
    held = [candidate for candidate in new if candidate.brief.rowid in near]
    cosines = sorted((near[c.brief.rowid] for c in held if not c.decision), reverse=True)[:HITS]
    least = max(cosines[-1] if cosines else 1.0, 0.0)
    return [candidate for candidate in held if near[candidate.brief.rowid] >= least]


def _behind(
    new: Sequence[Candidate], cosines: Sequence[float], scores: Sequence[float], scale: float
) -> None:
    values = behind(cosines, scores, WEAK) if scores else alone(cosines, scale)
    for candidate, value in zip(new, values, strict=True):
        candidate.vector = candidate.score = value


def _text(question: Question) -> str:
    """The question without its fields; as it was written where there are none."""
    query = question.query
    return " ".join(query.words) if query.filters else query.text


def _people(found: KeywordResult) -> set[str]:
    """The people whom the question names, as it writes them and as the vault does."""
    words = found.question.query.words
    return {*found.asked.people.values(), *(word for word in words if key_of(word) in found.asked.people)}


# ── How far a vector lifts a unit, for both strategies. The rule: every value is a multiple of 1/1024, and
# no keyword hit is hidden.

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
