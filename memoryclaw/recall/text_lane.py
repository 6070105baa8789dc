"""Looks up the best units for a question's words, and what its fields let through.

What is left out ranks below all that is returned. Of `MANY` units and more that is only nearly so: see `pruned`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from math import prod
from typing import NamedTuple

from memoryclaw.index.bm25 import K1, idf
from memoryclaw.index.catalog import Catalog
from memoryclaw.ports import Clause, Hit, TextIndex
from memoryclaw.recall.query import Filter
from memoryclaw.recall.question import KIND_NAMES, KINDS, STATES
from memoryclaw.text.language import key_of

POOL = 200  # units that are scored in full
ENOUGH = 50  # the same where nothing but words decides, so that no unit can rise from far below
_RARE = 400  # units that the rare words of a question may hold together
_WIDER = 8  # times as many are looked at in a large vault before fields narrow them


class Lane:
    """The best units of one index.

    Args:
        engine: finds them.
        containing: how many units hold a word.
    """

    def __init__(self, engine: TextIndex, containing: Callable[[Clause], int]) -> None:
        self._engine = engine
        self._containing = containing
        self._is_large = engine.size()[0] >= MANY

    def best(self, clause: Clause, pool: int, fields: Fields | None = None) -> dict[int, float]:
        """BM25 of the `pool` best units that the fields let through, and of all that tie with the last of them."""
        return self._of_many(clause, pool, fields) or best(
            clause, self._engine, pool, fields.rowids if fields else None
        )

    def best_by_words(self, clause: Clause, pool: int) -> dict[int, float]:
        """The same where nothing but words decides."""
        return self._of_many(clause, pool, None) or best_by_rare_words(
            clause, self._engine, self._containing, pool
        )

    def _of_many(self, clause: Clause, pool: int, fields: Fields | None) -> dict[int, float]:
        """What a large vault has for plain words; nothing where all must be scored."""
        words = _plain_words(clause) if self._is_large else []
        kept = words and pruned(words, self._engine, self._containing, pool * (_WIDER if fields else 1))
        if not kept or not fields:
            return kept.scores if kept else {}
        through = fields.among(kept.scores)
        return _cut({rowid: kept.scores[rowid] for rowid in through}, pool) if len(through) >= pool else {}


def best(
    clause: Clause, engine: TextIndex, pool: int, within: Sequence[int] | None = None
) -> dict[int, float]:
    """BM25 of the `pool` best units, and of all that tie with the last of them."""
    return dict(engine.find(clause, pool, within))


def best_by_rare_words(
    clause: Clause, engine: TextIndex, containing: Callable[[Clause], int], pool: int
) -> dict[int, float]:
    """The same, without scoring the units that hold only common words where others are sure to rank above them.

    Args:
        clause: the words.
        engine: finds them.
        containing: how many units hold a word.
        pool: how many units are wanted.
    """
    if clause.op != "any" or any(part.op != "token" for part in clause.parts):
        return best(clause, engine, pool)
    counts = {part: containing(part) for part in clause.parts}
    rare, common = _parted(counts)
    if _held(common, counts) < _RARE or _held(rare, counts) < pool:
        return best(clause, engine, pool)
    alone = Clause("any", parts=tuple(rare))
    once = dict(engine.find(alone, _RARE))
    # Both engines count the words of every part, so here the rare words count twice and the common ones once.
    twice = engine.find(Clause("all", parts=(alone, clause)), _RARE)
    units = engine.size()[0]
    # However often the common words stand in a unit, and however short it is, they give it no more than this.
    most = sum((K1 + 1) * idf(units, counts[part]) for part in common)
    sure = {hit.rowid: score for hit in twice if (score := hit.score - once[hit.rowid]) > most}
    return _cut(sure, pool) if len(sure) >= pool else best(clause, engine, pool)


def _plain_words(clause: Clause) -> list[Clause]:
    """The tokens of which a unit must hold any; none when something else is asked."""
    if clause.op == "token":
        return [clause]
    words = [_plain_words(part) for part in clause.parts] if clause.op == "any" else []
    return [word for found in words for word in found] if all(words) else []


def _parted(counts: dict[Clause, int]) -> tuple[list[Clause], list[Clause]]:
    """The rarest words that few units hold together, and the others."""
    ordered = sorted(counts, key=lambda part: (counts[part], part.text))
    held = 0
    for place, part in enumerate(ordered):
        held += counts[part]
        if held > _RARE:
            return ordered[:place], ordered[place:]
    return ordered, []


def _held(words: Iterable[Clause], counts: dict[Clause, int]) -> int:
    return sum(counts[word] for word in words)


def _cut(scores: dict[int, float], pool: int) -> dict[int, float]:
    least = sorted(scores.values(), reverse=True)[pool - 1]
    return {rowid: score for rowid, score in scores.items() if score >= least}


# In a large vault, units that hold common words alone are left out, and it is told how much those words give.

MANY = 50_000  # units from which on not all that hold a word are scored
BESIDE = 1000  # units, beside the shares that follow, that are always worth scoring
RARE_SHARE = 0.02  # of all units: the rare words of a question stand together in so many at most
# Of all units: so many at most hold common words of every group, if words do not know of each other.
SEVERAL_SHARE = 0.01
TYPICAL = 1.2  # times its idf: what a word gives to a unit that holds it, or a little more
_CUTS = 7  # places among the common words, rarer ones first, at which they may be parted into groups


class TopScores(NamedTuple):
    """The scores of the best units by rowid; a unit that is not among them scores less than all, or at most `lost`."""

    scores: dict[int, float]
    lost: float = 0.0


class _Word(NamedTuple):
    clause: Clause
    share: float  # of the units
    weight: float  # its idf


def pruned(
    parts: Sequence[Clause], engine: TextIndex, containing: Callable[[Clause], int], pool: int
) -> TopScores | None:
    """BM25 of the `pool` best units for these words, or None where nothing but scoring them all can tell.

    Args:
        parts: tokens, of which a unit holds any.
        engine: finds them.
        containing: how many units hold a token.
        pool: how many units are wanted.
    """
    units = engine.size()[0]
    counts = {part: containing(part) for part in parts}
    if sum(counts[part] for part in parts) <= 2 * (BESIDE + units * RARE_SHARE):
        return None
    ordered = sorted(parts, key=lambda part: (counts[part], part))
    words = [_Word(part, counts[part] / units, idf(units, counts[part])) for part in ordered]
    rare, common = _rare_words(words, BESIDE / units + RARE_SHARE)
    found = _with_rare(rare, common, engine, pool)
    weight = sum(word.weight for word in common)
    if TYPICAL * weight > _least(found, pool):
        groups = _groups(common, BESIDE / units + SEVERAL_SHARE)
        _join(found, engine.find(Clause("all", parts=tuple(map(_any, groups))), pool))
        weight -= min(map(_weight, groups))
    if len(found) < pool:
        return None
    least = _least(found, pool)
    return TopScores({rowid: score for rowid, score in found.items() if score >= least}, (K1 + 1) * weight)


def _with_rare(
    rare: Sequence[_Word], common: Sequence[_Word], engine: TextIndex, pool: int
) -> dict[int, float]:
    """The best units that hold a rare word, with all that their words give them."""
    found: dict[int, float] = {}
    if rare:
        _join(found, engine.find(_any(rare), pool))
        # Every word stands in the question once, so each counts once.
        _join(found, engine.find(Clause("all", parts=(_any(rare), _any(common))), pool))
    return found


def _join(found: dict[int, float], hits: Sequence[Hit]) -> None:
    """Of two scores of one unit, the higher is that of more of its words."""
    for rowid, score in hits:
        found[rowid] = max(score, found.get(rowid, 0.0))


def _least(found: Mapping[int, float], pool: int) -> float:
    return sorted(found.values(), reverse=True)[pool - 1] if len(found) >= pool else 0.0


def _rare_words(words: Sequence[_Word], most: float) -> tuple[Sequence[_Word], Sequence[_Word]]:
    """The rarest words that few units hold together, and the others."""
    held = 0.0
    for place, word in enumerate(words):
        held += word.share
        if held > most:
            return words[:place], words[place:]
    return words, ()


def _groups(words: Sequence[_Word], most: float) -> list[Sequence[_Word]]:
    """Words in groups as equal in weight as can be, so that few units hold a word of every group.

    A unit that is lost then lacks much: all the words of some group. If there are no such groups, each word is one.
    """
    found = [groups for groups in _partitions(words) if prod(map(_share_held, groups)) <= most]
    return max(found, key=lambda groups: min(map(_weight, groups)), default=[[word] for word in words])


def _partitions(words: Sequence[_Word]) -> Iterator[list[Sequence[_Word]]]:
    """Every way to cut a row into at least two runs, those with the longest runs first."""
    places = range(1, min(len(words), _CUTS + 1))
    for cuts in range(1, len(places) + 1):
        for chosen in combinations(places, cuts):
            yield [words[start:end] for start, end in pairwise((0, *chosen, len(words)))]


def _share_held(group: Sequence[_Word]) -> float:
    """The share of the units that hold a word of a group."""
    return 1 - prod(1 - word.share for word in group)


def _weight(group: Sequence[_Word]) -> float:
    return sum(word.weight for word in group)


def _any(words: Sequence[_Word]) -> Clause:
    return Clause("any", parts=tuple(word.clause for word in words))


# The fields of a question (tag: kind: since: …) as SQL over the index's tables. Values are always bound.

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


def conditions(filters: Sequence[Filter]) -> tuple[str, list[str]]:
    """All filters as one SQL condition over `units u`, with the values to bind."""
    parts, values = ["1"], []
    for item in filters:
        sql, bound = _condition(item)
        parts.append(f"not ({sql})" if item.negated else f"({sql})")
        values += bound
    return " and ".join(parts), values


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
        return _ON, [last or first, first]
    if item.field in ("entity", "person", "project"):
        value = key_of(value)
    if item.field in ("tag", "trust"):
        value = value.lower().lstrip("#")
    sql = _SQL[item.field]
    return sql, [value] * sql.count("?")
