"""How rare the words of a question are in an index, asked once each."""

from __future__ import annotations

from memoryclaw.adapters.catalog import Catalog
from memoryclaw.adapters.index import Index
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
        self._known: dict[Clause, float] = {}

    def __call__(self, clause: Clause) -> float:
        """How much a clause tells."""
        found = self._known.get(clause)
        if found is None:
            found = self._known[clause] = rarity(self._units, self.containing(clause))
        return found

    def containing(self, clause: Clause) -> int:
        """How many units hold a token or phrase."""
        if clause.op == "token" and not clause.columns:
            return self._catalog.count_of([clause.text]).get(clause.text, 0)
        return self._index.engine.count(clause)
