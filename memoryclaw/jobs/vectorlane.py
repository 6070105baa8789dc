"""Asks vectors beside words, or where words found too little. The rule: what words found is never hidden, and without vectors the answer is that of words.

A unit that only vectors found is decided on as any other: its state, its trust and the fields of the question count alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from memoryclaw.adapters.catalog import Brief, Catalog
from memoryclaw.adapters.llm import MindError
from memoryclaw.core import blending
from memoryclaw.core.boosts import Asked
from memoryclaw.core.entities import key_of
from memoryclaw.core.errors import VectorsError
from memoryclaw.core.language import Language
from memoryclaw.core.packing import WEAK
from memoryclaw.jobs.asking import Question
from memoryclaw.jobs.candidates import Candidate
from memoryclaw.jobs.deciding import Decider
from memoryclaw.jobs.lane import POOL
from memoryclaw.jobs.twins import told_apart
from memoryclaw.jobs.vectors import Vectors, asking
from memoryclaw.jobs.weighing import weigh

if TYPE_CHECKING:
    from memoryclaw.adapters.embedders import Floats


class Manner(NamedTuple):
    """When vectors are asked, and how their hits mix with those of words."""

    least: int  # keyword hits; fewer call vectors
    coverage: float  # of the question's weight; less calls vectors
    strategy: str  # primary_first | weighted


class Found(NamedTuple):
    """What words made of a question.

    Attributes:
        candidates: scored and decided on.
        within: the units that the fields of the question let through, if it has some.
    """

    question: Question
    asked: Asked
    candidates: list[Candidate]
    within: Sequence[int] | None
    language: Language


class _Views(NamedTuple):
    """A question as two vectors: as it was asked, and as the one it is about would put it; with the mean cosine to each."""

    plain: Floats
    own: Floats
    means: tuple[float, float]
    near: set[int]  # the units nearest to either


class Joined(NamedTuple):
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

    def __init__(self, vectors: Vectors, catalog: Catalog, manner: Manner) -> None:
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

    def join(self, found: Found) -> Joined:
        """All candidates, the nearest units among them; those of words alone, and degraded, when vectors cannot be asked."""
        store = self._vectors.store
        try:
            units = self._vectors.settle() if store.exists() else 0
            joined = self._joined(found, units)
            lacking = store.lacking()
        except (VectorsError, MindError) as error:
            return Joined(found.candidates, f"words alone answer: {error}")
        missing = f"{lacking} of {units} units have no vector yet; `memoryclaw sync --vectors` makes them"
        return Joined(joined, missing if lacking else "")

    def _joined(self, found: Found, units: int) -> list[Candidate]:
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

    def _views(self, found: Found) -> _Views:
        text, vector_of = _text(found.question), asking(self._vectors)
        own_text = blending.in_own_words(text, _people(found)) if found.language.code == "en" else text
        plain = vector_of(text)
        near, mean = self._vectors.store.look(plain, POOL, found.within)
        if own_text == text:
            return _Views(plain, plain, (mean, mean), set(near))
        own = vector_of(own_text)
        nearer, other = self._vectors.store.look(own, POOL, found.within)
        return _Views(plain, own, (mean, other), near.keys() | nearer.keys())

    def _cosines(self, briefs: Sequence[Brief], views: _Views) -> dict[int, float]:
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
        candidate.vector = blending.weighted(near.get(candidate.brief.rowid, mean), mean, nearest, best)


def _first(new: Sequence[Candidate], near: dict[int, float]) -> list[Candidate]:
    """The nearest that may be in the answer, and all that are left out before the last of them."""
    held = [candidate for candidate in new if candidate.brief.rowid in near]
    cosines = sorted((near[c.brief.rowid] for c in held if not c.decision), reverse=True)[: blending.HITS]
    least = max(cosines[-1] if cosines else 1.0, 0.0)
    return [candidate for candidate in held if near[candidate.brief.rowid] >= least]


def _behind(
    new: Sequence[Candidate], cosines: Sequence[float], scores: Sequence[float], scale: float
) -> None:
    values = blending.behind(cosines, scores, WEAK) if scores else blending.alone(cosines, scale)
    for candidate, value in zip(new, values, strict=True):
        candidate.vector = candidate.score = value


def _text(question: Question) -> str:
    """The question without its fields; as it was written where there are none."""
    query = question.query
    return " ".join(query.words) if query.filters else query.text


def _people(found: Found) -> set[str]:
    """The people whom the question names, as it writes them and as the vault does."""
    words = found.question.query.words
    return {*found.asked.people.values(), *(word for word in words if key_of(word) in found.asked.people)}
