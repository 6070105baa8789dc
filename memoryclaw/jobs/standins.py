"""What other words than those asked add to a unit: the vault's synonyms, and related words of everyday English.

The rule: however rare such a word is, it counts for less than the word that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from memoryclaw.core.explain import Leaf, Statistics
from memoryclaw.core.language import fold
from memoryclaw.core.ports import Clause
from memoryclaw.jobs.filters import Fields
from memoryclaw.jobs.lane import POOL, Lane


class StandIns:
    """The leaves that stand in for the words of one question.

    Args:
        leaves: each with the word that it stands for.
        share: what they count for, against that word itself.
        weights: of the question's words.
        statistics: of the index.
    """

    def __init__(
        self, leaves: Iterable[Leaf], share: float, weights: Mapping[str, float], statistics: Statistics
    ) -> None:
        self._by_word = _by_word(leaves)
        self._factors = {
            said: share * _restraint(said, found, weights, statistics) for said, found in self._by_word
        }

    def found(self, lane: Lane, fields: Fields | None) -> dict[int, float]:
        """What they add to the units that hold them; for each word asked, to the best of these."""
        found: dict[int, float] = {}
        for said, leaves in self._by_word:
            clause = Clause("any", parts=tuple(leaf.clause for leaf in leaves))
            for rowid, score in lane.best(clause, POOL, fields).items():
                found[rowid] = found.get(rowid, 0.0) + self._factors[said] * score
        return found

    def counted(self, gains: Mapping[str, float]) -> float:
        """The same for one unit, from what it gains by the leaves of each word."""
        return sum(self._factors[said] * gain for said, gain in gains.items())


def _restraint(
    said: str, leaves: Sequence[Leaf], weights: Mapping[str, float], statistics: Statistics
) -> float:
    asked = [weight for word, weight in weights.items() if fold(word) in said.split()]
    # Counted over all columns, which the catalogue knows without asking the engine.
    rarest = max(statistics.rarity(leaf.clause._replace(columns=())) for leaf in leaves)
    return min(1.0, max(asked) / rarest) if asked else 1.0


def _by_word(leaves: Iterable[Leaf]) -> list[tuple[str, list[Leaf]]]:
    return [(said, list(found)) for said, found in groupby(sorted(leaves, key=_word_of), _word_of)]


def _word_of(leaf: Leaf) -> str:
    return leaf.word
