"""Asks vectors beside words, or only where words found too little; without vectors the answer is that of words.

What words found is never hidden. A unit that only vectors found is decided on as any other: its state, its trust and the
fields of the question count alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memoryclaw.errors import VectorsError
from memoryclaw.index.bm25 import exact
from memoryclaw.index.catalog import Catalog, UnitSummary
from memoryclaw.index.vectors import Vectors, asking
from memoryclaw.late import NamedTuple
from memoryclaw.models.llm import ModelError
from memoryclaw.recall.evidence import POOL, with_own_ids
from memoryclaw.recall.question import Question
from memoryclaw.recall.rank import Ranked, Ranking, rank
from memoryclaw.text.language import key_of

if TYPE_CHECKING:
    from memoryclaw.models.embedders import Floats

WEIGHT = 0.6  # of the best sum of words: what the nearest unit gets


class FallbackPolicy(NamedTuple):
    """When vectors are asked: with `weighted` always, with `primary_first` where words found too little."""

    least: int  # keyword hits; fewer call vectors
    coverage: float  # of the question's weight; less calls vectors
    strategy: str  # primary_first | weighted


class _Views(NamedTuple):
    """A question as two vectors: as it was asked, and as the one it is about would put it."""

    plain: Floats
    own: Floats
    near: set[int]  # the units nearest to either


class VectorLane:
    """The vectors of one vault, to be asked."""

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

    def blend(self, ranking: Ranking, within: Sequence[int] | None) -> Ranking:
        """The ranking with the nearest units; that of words alone, and degraded, when vectors cannot be asked.

        Args:
            within: the units that the fields of the question let through, if it has some.
        """
        store = self._vectors.store
        try:
            units = self._vectors.ready()
            near = self._nearness(ranking, within)
            ranked = self._rank(ranking, near, math.log1p(units))
            lacking = store.lacking()
        except (VectorsError, ModelError) as error:
            return ranking._replace(degraded=f"words alone answer: {error}")
        missing = f"{lacking} of {units} units have no vector yet; `memoryclaw sync --vectors` makes them"
        return ranking._replace(
            units=ranked,
            near=self._vectors.embedder.name,
            cosines=near.cosines,
            degraded=missing if lacking else "",
        )

    def _rank(self, ranking: Ranking, near: _Nearness, scale: float) -> list[Ranked]:
        by_words = {hit.unit.rowid: hit for hit in ranking.units}
        best = max((hit.words + hit.term("related") for hit in by_words.values()), default=0.0) or scale
        values = nearness(near.cosines, best)
        units = [unit for unit in near.units if unit.rowid in by_words or values.get(unit.rowid)]
        # What vectors found takes no keyword hit out.
        decided = {rowid: hit.decision for rowid, hit in by_words.items()}
        evidence = ranking.evidence._replace(candidates=with_own_ids(units, self._catalog))
        return rank(ranking.question, evidence, vectors=values, decided=decided)

    def _nearness(self, ranking: Ranking, within: Sequence[int] | None) -> _Nearness:
        """Looks up which units are near the question, those that words found among them."""
        views = self._views(ranking, within)
        summaries = [hit.unit for hit in sorted(ranking.units, key=lambda ranked: ranked.unit.rowid)]
        numbers = {unit.rowid for unit in summaries}
        units = [*summaries, *self._catalog.summaries(sorted(views.near - numbers))]
        store = self._vectors.store
        turns = [unit.rowid for unit in units if unit.kind == "turn"]
        others = [unit.rowid for unit in units if unit.kind != "turn"]
        # Turns are compared with the question in the words of who is asked about, others with the question as it is.
        cosines = store.cosines(views.own, turns) | store.cosines(views.plain, others)
        return _Nearness(units, cosines)

    def _views(self, ranking: Ranking, within: Sequence[int] | None) -> _Views:
        question = ranking.question
        # The question without its fields; as it was written where there are none.
        query = question.query
        text, vector_of = (" ".join(query.words) if query.filters else query.text), asking(self._vectors)
        own_text = in_own_words(text, _people(question)) if question.language.code == "en" else text
        store, plain = self._vectors.store, vector_of(text)
        near = set(store.look(plain, POOL, within))
        if own_text == text:
            return _Views(plain, plain, near)
        own_vector = vector_of(own_text)
        return _Views(plain, own_vector, near | store.look(own_vector, POOL, within).keys())


class _Nearness(NamedTuple):
    """All units that words or vectors found, and how near they are to the question."""

    units: Sequence[UnitSummary]
    cosines: Mapping[int, float]


def nearness(cosines: Mapping[int, float], best: float) -> dict[int, float]:
    """What its nearness to the question gives each unit besides its words, in multiples of 1/1024.

    Args:
        best: the highest sum of words, or what stands for it where there is none.
    """
    nearest = max(cosines.values(), default=0.0)
    return {
        rowid: exact(WEIGHT * best * max(cosine, 0.0) / nearest) if nearest > 0 else 0.0
        for rowid, cosine in cosines.items()
    }


def _people(question: Question) -> set[str]:
    """The people whom the question names, as it writes them and as the vault does."""
    people = question.any_person
    return {*people.values(), *(word for word in question.query.words if key_of(word) in people)}


def in_own_words(question: str, names: Iterable[str]) -> str:
    """An English question as the one it is about would put it: people say `I`, not their own names."""
    alternatives = "|".join(
        re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)) if name
    )
    if not alternatives:
        return question
    replaced = re.sub(rf"\b(?:{alternatives})['’]s\b", "my", question, flags=re.IGNORECASE)
    return re.sub(rf"\b(?:{alternatives})\b", "I", replaced, flags=re.IGNORECASE)
