"""Looks up the best units for a question's words, so that no crowd of copies takes the places of others, and what its fields let through."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property

from memoryclaw.index.catalog import Catalog, UnitSummary
from memoryclaw.ports import IndexClause, TextIndex
from memoryclaw.recall.folding import PARTED, group_of
from memoryclaw.recall.query import Filter
from memoryclaw.recall.question import KIND_NAMES, KINDS, STATES
from memoryclaw.text.language import key_of

POOL = 100  # units of a look-up that are scored in full: the best for the words of a question
FEWER = 25  # the best for what may stand for its words, for a goal, and for single characters
# A question looks up its rarest words, two at least, as long as so many units hold them together, or this share of all units
# where that is more.
LOOKED_UP, LOOKED_UP_SHARE = 5000, 0.02
_WIDER = 8  # times as many are looked at before fields narrow them
# Where fewer than this share of what is looked up is trusted, or stands in notes of its own, the best are picked from all that is found.
CROWDED = 0.1
SECTIONS = 12  # of one note: the most that are scored then


class Lane:
    """The best units of one index.

    Args:
        most: units that the words of a question may be looked up in.
        catalog: tells where they stand and how far they are trusted; without one, no crowd is looked for.
    """

    def __init__(
        self,
        engine: TextIndex,
        containing: Callable[[IndexClause], int],
        most: float,
        catalog: Catalog | None = None,
    ) -> None:
        self._engine = engine
        self._containing = containing
        self._most = most
        self._catalog = catalog
        self.summaries: dict[int, UnitSummary] = {}  # of what was looked at, by rowid
        self.folded: dict[
            int, int | str
        ] = {}  # what is not looked at: the unit that says the same, or the path of its note

    def best(self, clause: IndexClause, pool: int, fields: FieldFilter | None = None) -> dict[int, float]:
        """BM25 of the `pool` best units that the fields let through, and of all that tie with the last of them.

        If a crowd fills them (the sections of one note, or what nobody vouches for), the `pool` best of each trust are picked from all
        that is found: of copies one, of one note's sections `SECTIONS`.
        """
        clause = self._rarest(clause)
        scores, catalog = self._best(clause, pool, fields), self._catalog
        if catalog is None:
            return scores
        wider = pool
        while len(scores) >= wider and self._is_crowd(scores, pool, catalog):
            wider = wider * _WIDER if wider == pool else max(self._engine.size()[0], wider) + 1
            scores = self._best(clause, wider, fields)
        return self._by_trust(scores, pool, catalog) if wider > pool else scores

    def _best(self, clause: IndexClause, pool: int, fields: FieldFilter | None) -> dict[int, float]:
        if fields is None:
            return dict(self._engine.find(clause, pool))
        wider = dict(self._engine.find(clause, pool * _WIDER))
        through = {rowid: wider[rowid] for rowid in fields.among(wider)}
        if len(through) >= pool:
            least = sorted(through.values(), reverse=True)[pool - 1]
            return {rowid: score for rowid, score in through.items() if score >= least}
        if len(wider) < pool * _WIDER:
            return through
        return dict(self._engine.find(clause, pool, fields.rowids))

    def _by_trust(self, scores: Mapping[int, float], pool: int, catalog: Catalog) -> dict[int, float]:
        """The best of each trust: one of what says the same, and some sections of each note."""
        texts = catalog.tokens(scores)
        units = sorted(self.known(scores, catalog), key=lambda unit: (unit.id, unit.path, unit.seq))
        units.sort(key=lambda unit: unit.at, reverse=True)  # of equal copies, the newest stands for all
        first: dict[tuple[str, str], int] = {}
        places = Counter[str]()
        chosen: dict[int, float] = {}
        for unit in sorted(units, key=lambda unit: -scores[unit.rowid]):
            group = group_of(unit, texts[unit.rowid]["body"])
            stands = first.setdefault((unit.trust, group), unit.rowid) if group else unit.rowid
            if stands != unit.rowid:
                self.folded[unit.rowid] = stands
            elif unit.kind in PARTED and places[unit.path] >= SECTIONS:
                self.folded[unit.rowid] = unit.path
            elif places[unit.trust] < pool:
                places.update((unit.trust, unit.path))
                chosen[unit.rowid] = scores[unit.rowid]
        return chosen

    def _is_crowd(self, scores: Mapping[int, float], pool: int, catalog: Catalog) -> bool:
        """True where hardly anything of it is trusted, or it stands in hardly any notes."""
        units = self.known(scores, catalog)
        trusted = sum(unit.trust == "trusted" for unit in units)
        notes = {unit.path if unit.kind in PARTED else unit.rowid for unit in units}
        return min(trusted, len(notes)) < pool * CROWDED

    def known(self, rowids: Collection[int], catalog: Catalog) -> list[UnitSummary]:
        """What ranking needs of these units, in the order of their rowids; each is read once for a question."""
        if missing := [rowid for rowid in rowids if rowid not in self.summaries]:
            self.summaries.update((unit.rowid, unit) for unit in catalog.summaries(missing))
        return [self.summaries[rowid] for rowid in sorted(rowids) if rowid in self.summaries]

    def within(self, clause: IndexClause, pool: int, fields: FieldFilter) -> dict[int, float]:
        """The same where the fields let few units through, as a day or a month does."""
        few = fields.first(int(self._most) + 1)
        return (
            dict(self._engine.find(clause, pool, few))
            if len(few) <= self._most
            else self.best(clause, pool, fields)
        )

    def _rarest(self, clause: IndexClause) -> IndexClause:
        """Of words any of which may stand: the rarest, as many as few units hold together."""
        if clause.op != "any" or any(term.op != "token" for term in clause.parts):
            return clause
        counts = {term: self._containing(term) for term in clause.parts}
        ordered = sorted(counts, key=lambda part: (counts[part], part.text))
        units_held = 0
        rarest: list[IndexClause] = []
        for term in ordered:
            units_held += counts[term]
            if units_held > self._most and sum(counts[counted] > 0 for counted in rarest) >= 2:
                break
            rarest.append(term)
        return IndexClause("any", parts=tuple(rarest)) if len(rarest) < len(clause.parts) else clause


# The fields of a question (tag: kind: since: …) as SQL over the index's tables. Values are always bound.

# What is of days between two: those of a unit stand in their order.
DATED = "u.days != '' and u.days <= ? || '~' and substr(u.days, length(u.days) - 9) >= ?"
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
    "type": "u.memory_type = ?",
    "scope": "(u.scope = ? or substr(u.scope, 1, length(?) + 1) = ? || ':')",
    "expires": "u.expires != '' and u.expires >= ? and (? = '' or u.expires <= ?)",
}
# A fact without an end holds until today, so it also held on every day since it began.
_ON = f"""(u.at != '' and substr(u.at, 1, 10) <= ?
    and (substr(max(u.at, u.until), 1, 10) >= ? or (u.kind = 'fact' and u.until = '' and u.state = 'current'))) or ({DATED})"""

Condition = tuple[str, list[str]]  # over `units u`, and what is bound to it


class FieldFilter:
    """One condition on units.

    Args:
        where: the condition over `units u`.
    """

    def __init__(self, catalog: Catalog, where: str, values: Sequence[str]) -> None:
        self._catalog = catalog
        self._sql = f"select u.rowid from units u where {where}"
        self._values = values

    @cached_property
    def rowids(self) -> list[int]:
        """All of them."""
        return self._catalog.rowids(self._sql, self._values)

    def first(self, most: int) -> list[int]:
        """At most so many of them, in no order."""
        return self._catalog.rowids(f"{self._sql} limit {most}", self._values)

    def among(self, rowids: Iterable[int]) -> set[int]:
        """Those of a few."""
        sql = f"{self._sql} and u.rowid in (select value from json_each(?))"
        return {*self._catalog.rowids(sql, [*self._values, json.dumps(list(rowids))])}


def conditions(filters: Sequence[Filter]) -> Condition:
    """All filters as one SQL condition over `units u`, with the values to bind."""
    clauses, values = ["1 = 1"], []
    for item in filters:
        sql, bound = _condition(item)
        clauses.append(f"not ({sql})" if item.negated else f"({sql})")
        values += bound
    return " and ".join(clauses), values


def _condition(item: Filter) -> tuple[str, list[str]]:
    value = item.value
    if item.field == "kind":
        kind = value.lower()
        if kind in STATES:
            return _SQL["state"], [kind]
        kind = KIND_NAMES.get(kind, kind)
        return _SQL["kind"], [kind if kind in KINDS else kind.removesuffix("s")]
    if item.field == "on":
        first, _, last = value.partition("/")
        return _ON, [last or first, first, last or first, first]
    if item.field == "expires":
        first, _, last = value.partition("/")
        return _SQL["expires"], [first, last, last]
    if item.field == "scope" and value.lower() == "permanent":
        return _SQL["scope"], ["", "-", "-"]
    if item.field in ("entity", "person", "project"):
        value = key_of(value)
    if item.field in ("tag", "trust"):
        value = value.lower().lstrip("#")
    sql = _SQL[item.field]
    return sql, [value] * sql.count("?")
