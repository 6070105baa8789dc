"""How rare the words of a question are in an index, asked once each."""

from __future__ import annotations

from collections.abc import Iterable

from memoryclaw.adapters.catalog import Catalog
from memoryclaw.adapters.index import Index
from memoryclaw.core.explain import Leaf
from memoryclaw.core.ports import Clause
from memoryclaw.core.scoring import rarity


class Rarities:
    """The idf of clauses.

    Args:
        units: how many there are in the index.
    """

    def __init__(self, index: Index, catalog: Catalog, units: int) -> None:
        self._index = index
        self._catalog = catalog
        self._units = units
        self._counts: dict[Clause, int] = {}
        self._known: dict[Clause, float] = {}

    def __call__(self, clause: Clause) -> float:
        """How much a clause tells."""
        found = self._known.get(clause)
        if found is None:
            found = self._known[clause] = rarity(self._units, self.containing(clause))
        return found

    def containing(self, clause: Clause) -> int:
        """How many units hold a token or phrase."""
        found = self._counts.get(clause)
        if found is None:
            if _is_plain(clause):
                self._learn([clause])
            else:
                self._counts[clause] = self._index.engine.count(clause)
            found = self._counts[clause]
        return found

    def learn(self, leaves: Iterable[Leaf]) -> None:
        """Looks up the tokens of a question together, counted over all columns."""
        self._learn([leaf.clause._replace(columns=()) for leaf in leaves if leaf.clause.op == "token"])

    def _learn(self, tokens: list[Clause]) -> None:
        found = self._catalog.count_of([token.text for token in tokens])
        self._counts.update((token, found.get(token.text, 0)) for token in tokens)


def _is_plain(clause: Clause) -> bool:
    return clause.op == "token" and not clause.columns
