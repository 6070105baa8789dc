"""The filters of a query (tag: kind: since: …) as SQL over the index's tables, and what they match. Values are always bound."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from memoryclaw.errors import InputError
from memoryclaw.index.catalog import Catalog
from memoryclaw.model import Matched
from memoryclaw.recall.query import Filter
from memoryclaw.vault.entities import key_of

KINDS = frozenset({"episode", "fact", "skill", "note", "turn"})
STATES = frozenset({"archived", "pending", "draft", "superseded"})
_KINDS = {"log": "turn", "logs": "turn", "semantic": "fact", "memory": "note"}
_NAMED = "select path from names where (key = ? or key like ? || ' %') and kind in"
_SQL = {
    "tag": "u.path in (select path from tags where tag = ? or substr(tag, 1, length(?) + 1) = ? || '/')",
    "kind": "u.kind = ?",
    "state": "u.state = ?",
    "entity": f"(u.entity_key = ? or (u.entity_key = '' and u.path in ({_NAMED} ('entity', 'alias', 'person', 'project'))))",
    "person": f"(u.entity_key = ? or (u.entity_key = '' and u.path in ({_NAMED} ('person'))))",
    "project": f"(u.entity_key = ? or (u.entity_key = '' and u.path in ({_NAMED} ('project', 'entity'))))",
    "path": "instr(lower(u.path), lower(?)) > 0",
    "since": "u.at != '' and substr(max(u.at, u.until), 1, 10) >= ?",
    "until": "u.at != '' and substr(u.at, 1, 10) <= ?",
    "trust": "u.trust = ?",
}
# A fact without an end holds until today, so it also held on every day since it began.
_ON = """u.at != '' and substr(u.at, 1, 10) <= ?
    and (substr(max(u.at, u.until), 1, 10) >= ? or (u.kind = 'fact' and u.until = '' and u.state = 'current'))"""
_HIDDEN = re.compile(r"(?:^|/)(?:archive|review|_[^/]*)(?:/|$)|(?:^|/)_\w", re.IGNORECASE)
_VIA = {
    "entity": "entity",
    "person": "entity",
    "project": "entity",
    "since": "date",
    "until": "date",
    "on": "date",
}


class Fields:
    """One condition on units.

    Args:
        catalog: answers it.
        where: the condition over `units u`.
        values: what is bound to it.
    """

    def __init__(self, catalog: Catalog, where: str, values: Sequence[str]) -> None:
        self._catalog = catalog
        self._sql = f"select u.rowid from units u where {where}"
        self._values = values

    @cached_property
    def rowids(self) -> list[int]:
        """All of them."""
        return [int(row[0]) for row in self._catalog.rows(self._sql, self._values)]

    def among(self, rowids: Iterable[int]) -> set[int]:
        """Those of a few."""
        sql = f"{self._sql} and u.rowid in (select value from json_each(?))"
        return {int(row[0]) for row in self._catalog.rows(sql, [*self._values, json.dumps(list(rowids))])}


def kind_filter(kind: str) -> Filter:
    """The filter that `--kind` stands for.

    Raises:
        InputError: there is no such kind.
    """
    kind = _KINDS.get(kind.lower(), kind.lower().removesuffix("s"))
    if kind not in KINDS | STATES:
        raise InputError(f"there is no kind {kind!r}; it is one of {', '.join(sorted(KINDS | STATES))}")
    return Filter(field="kind", value=kind, negated=False, written=f"kind:{kind}")


def conditions(filters: Sequence[Filter]) -> tuple[str, list[str]]:
    """All filters as one SQL condition over `units u`, with the values to bind."""
    parts, values = ["1"], []
    for item in filters:
        sql, bound = _condition(item)
        parts.append(f"not ({sql})" if item.negated else f"({sql})")
        values += bound
    return " and ".join(parts), values


def causes(filters: Sequence[Filter]) -> list[Matched]:
    """What each filter that holds contributes to the explanation; an exclusion is a cause where there is no other."""
    wanted = [item for item in filters if not item.negated]
    if not wanted:
        return [Matched(word=f"-{item.written}", field="filter", via="literal") for item in filters]
    return [
        Matched(word=_said(item), field=_field(item), via=_VIA.get(item.field, "literal")) for item in wanted
    ]


def _said(item: Filter) -> str:
    return item.value if item.field == "tag" else item.written


def asks_for_state(filters: Sequence[Filter]) -> bool:
    """True when the query itself asks for archived, pending, draft or superseded units."""
    wanted = [item for item in filters if not item.negated]
    return any(
        (item.field == "kind" and item.value.lower() in STATES)
        or (item.field == "path" and _HIDDEN.search(item.value))
        for item in wanted
    )


def moments(filters: Sequence[Filter]) -> list[tuple[str, str]]:
    """The first and the last day of each `on:`, which asks for what held then."""
    days = [item.value.partition("/") for item in filters if item.field == "on" and not item.negated]
    return [(first, last or first) for first, _, last in days]


def _condition(item: Filter) -> tuple[str, list[str]]:
    value = item.value
    if item.field == "kind":
        kind = value.lower()
        if kind in STATES:
            return _SQL["state"], [kind]
        kind = _KINDS.get(kind, kind)
        return _SQL["kind"], [kind if kind in KINDS else kind.removesuffix("s")]
    if item.field == "on":
        first, _, last = value.partition("/")
        return _ON, [last or first, first]
    if item.field in ("entity", "person", "project"):
        value = key_of(value)
    if item.field in ("tag", "trust"):
        value = value.lower().lstrip("#")
    sql = _SQL[item.field]
    return sql, [value] * sql.count("?")


def _field(item: Filter) -> str:
    return {"tag": "tags", "since": "date", "until": "date", "on": "date"}.get(item.field, item.field)
