"""The conflicts of a vault, from its index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from memoryclaw.index.catalog import Catalog
from memoryclaw.model import VALUE, Fact
from memoryclaw.text.language import key_of

if TYPE_CHECKING:  # how values are compared is known only where two differ
    from memoryclaw.vault.conflict_rules import Conflict, FactAt
    from memoryclaw.vault.vocabulary import Schema

Rules = Callable[
    [], "tuple[Schema, Callable[[Fact, Fact], bool]]"
]  # what is declared, and what may stand together


class Conflicts:
    """Finds the conflicts that one index knows of.

    Args:
        rules: reads the schema, and what people said may stand side by side; asked only where values differ.
    """

    def __init__(self, catalog: Catalog, today: str, rules: Rules) -> None:
        self._catalog = catalog
        self._today = today
        self._rules = rules

    def all(self) -> list[Conflict]:
        """Every conflict, by the keys of their entities."""
        return self.of(contested_keys(self._catalog.value_counts(), self._catalog.other_names))

    def of(self, keys: Iterable[str]) -> list[Conflict]:
        """The conflicts about these entities, named by key."""
        entity_keys = set(keys)
        linked = set(self._catalog.other_names(entity_keys)) if entity_keys else set[tuple[str, str]]()
        pairs = self._catalog.standing_facts(entity_keys | {key for _, key in linked}) if entity_keys else []
        if not _may_conflict(pairs, linked):
            return []
        from memoryclaw.vault.conflict_rules import conflicts  # noqa: PLC0415 - see above

        schema, allowed = self._rules()
        return conflicts(
            sorted(pairs, key=lambda pair: key_of(pair[1].entity)),
            schema,
            today=self._today,
            allowed=allowed,
            linked=linked,
            speakers=self._catalog.speakers,
            namesakes=self._catalog.namesakes,
        )


def contested_keys(
    facts_told: Iterable[tuple[str, str, int]],
    other_names: Callable[[Iterable[str]], Iterable[tuple[str, str]]],
) -> set[str]:
    """The keys of the entities of which one field may have two values.

    Args:
        facts_told: how many values each field of each entity has.
        other_names: tells what else entities are called.
    """
    from memoryclaw.vault.fact_values import field_key  # noqa: PLC0415

    values: Counter[tuple[str, str]] = Counter()
    bare: Counter[str] = Counter()
    for key, field, number in facts_told:
        if field == VALUE:  # it may be an address as well
            bare[key] += number
        else:
            values[key, field_key(field)] += number
    repeated = {key for (key, _), number in values.items() if number + bare[key] > 1}
    keys = {key for key, _ in values} | bare.keys()
    linked = {key for one, other in other_names(keys) if {one, other} <= keys for key in (one, other)}
    return repeated | linked | {key for key, number in bare.items() if number > 1}


def _may_conflict(facts: Sequence[FactAt], linked: Iterable[tuple[str, str]]) -> bool:
    """False where each entity is told of in one place and under one name, and no field of it twice."""
    paths: dict[str, set[str]] = {}
    fields: Counter[tuple[str, str]] = Counter()
    for path, fact in facts:
        key = key_of(fact.entity)
        paths.setdefault(key, set()).add(path)
        fields[key, fact.field.casefold()] += 1
    several = any(len(places) > 1 for places in paths.values()) or any(n > 1 for n in fields.values())
    return several or any(one in paths and other in paths for one, other in linked)
