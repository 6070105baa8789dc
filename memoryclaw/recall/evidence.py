"""Looks up what may answer a question and all that ranking needs to know of it, in a few statements, into a frozen value."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple

from memoryclaw.index.bm25 import SMALL, exact, rarity
from memoryclaw.index.catalog import Catalog, UnitSummary
from memoryclaw.index.index import LONGEST, Index
from memoryclaw.model import Unit
from memoryclaw.ports import Clause
from memoryclaw.recall.explain import Reading, Statistics, read_columns, reasons
from memoryclaw.recall.question import Leaf, Question
from memoryclaw.recall.text_lane import POOL, Fields, Lane, conditions
from memoryclaw.text import dates
from memoryclaw.text.language import Language, fold, key_of

ALIAS_FACTOR = 0.6  # a synonym counts for less than the word that was asked for
RELATED = 0.5  # the same for a word of everyday language that may stand for it
LISTED = 200  # units that a question of dates or filters alone may list
DATED = 50  # turns whose expression of time means a day asked about
SPAN = 31  # days that such a time has at most; a longer one finds what was said in it
_TOUCHES = "substr(max(u.at, u.until), 1, 10) >= ? and substr(u.at, 1, 10) <= ?"
_OWN = " and entity_key in (select value from json_each(?))"
_NO_TEXT = ("", "")

Scores = Mapping[int, float]  # by rowid
NONE: Mapping[int, Any] = MappingProxyType({})


class Evidence(NamedTuple):
    """What the index holds for a question.

    Attributes:
        units: how many there are in the index.
        found: those that may answer, each under an id of its own.
        text: what the question's words give.
        alias: what the vault's synonyms of its words give.
        related: what words of everyday language give that may stand for its words.
        goal: what the words of the goal give.
        listed: no word was found: units are listed by their date or by what the fields let through.
        called: the part of `text` in turns that is for the names of people who speak in the logs.
        called_words: those names, as asked.
        company: the logs in which a person speaks whom the question names.
        fields: the fields that the entities of the question have, case folded.
        names: all names of these entities, as tokens.
    """

    units: int
    found: Sequence[UnitSummary]
    text: Scores
    alias: Scores
    related: Scores
    goal: Scores
    listed: bool
    called: Scores = NONE
    called_words: frozenset[str] = frozenset()
    company: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    names: tuple[tuple[str, ...], ...] = ()


class EvidenceReader:
    """Reads the evidence for questions from one index."""

    def __init__(self, index: Index, catalog: Catalog) -> None:
        self._index = index
        self._catalog = catalog
        units, tokens = index.size()
        self._idf = IdfTable(index, catalog, units)
        self.statistics = Statistics(units, tokens / max(units, 1), self._idf)
        self._units = units
        self._lane = Lane(index.engine, self._idf.containing)

    def read(self, question: Question, pool: int) -> Evidence:
        """All that may answer; of what each kind of look-up finds, the `pool` best at least."""
        self._idf.learn([*question.leaves, *question.aliases, *question.related, *question.goal])
        fields = self.fields(question)
        aliases = _Expansion(question.aliases, ALIAS_FACTOR, question, self.statistics)
        akin = _Expansion(question.related, RELATED, question, self.statistics)
        text = self._text(question, fields, pool)
        alias, related = (words.found(self._lane, fields) for words in (aliases, akin))
        goal = self._goal(question, fields)
        listed = self._listed(question, nothing_found=not (text or alias or related))
        own = dict.fromkeys((*text, *alias, *related))
        dated = self._dated(own, question, fields) if question.in_words else []
        text |= self._among(question, dated)
        rowids = dict.fromkeys([*text, *own, *listed, *(goal if question.open_to_goal else ()), *dated])
        found = with_own_ids(self._catalog.summaries(rowids))
        evidence = Evidence(self._units, found, text, alias, related, goal, bool(listed))
        if self._units < SMALL:
            evidence = self._counted(evidence, question, aliases, akin)
        return self._with_names(self._with_company(evidence, question), question)

    def fields(self, question: Question) -> Fields | None:
        """What the fields of a question let through; None when it has none."""
        filters = question.query.filters
        return Fields(self._catalog, *conditions(filters)) if filters else None

    def readings(self, units: Mapping[int, Unit]) -> dict[int, Reading]:
        """The columns of these units as words and tokens, by rowid, with those of the turns beside them."""
        beside = self._catalog.texts_beside(units)
        return {
            rowid: _reading(unit, *beside.get(rowid, _NO_TEXT), self._index.language)
            for rowid, unit in units.items()
        }

    def _text(self, question: Question, fields: Fields | None, pool: int) -> dict[int, float]:
        if question.clause is None:
            return {}
        # A unit may be lifted over others by a date or a name, or a synonym; otherwise words alone decide.
        names = question.entities or question.people or question.parts or question.query.ranges
        if not (fields or names or question.aliases or question.related or question.goal):
            return self._lane.best_by_words(question.clause, pool)
        return self._lane.best(question.clause, max(POOL, pool), fields)

    def _among(self, question: Question, rowids: Sequence[int]) -> dict[int, float]:
        """What the words of the question give these units, which may lie beyond the pool."""
        if question.clause is None or not rowids:
            return {}
        return {hit.rowid: hit.score for hit in self._index.engine.find(question.clause, len(rowids), rowids)}

    def _goal(self, question: Question, fields: Fields | None) -> dict[int, float]:
        clause = Clause("any", parts=tuple(leaf.clause for leaf in question.goal))
        return self._lane.best(clause, POOL, fields) if question.goal else {}

    def _listed(self, question: Question, *, nothing_found: bool) -> list[int]:
        """Units found by their date or by filters alone, newest first."""
        ranges, filters = question.query.ranges, question.query.filters
        by_words = question.query.root is not None and not question.only_excludes
        if (by_words and not (ranges and nothing_found)) or not (ranges or filters):
            return []
        where, values = conditions(filters)
        if ranges:
            where += f" and u.at != '' and ({' or '.join([_TOUCHES] * len(ranges))})"
            spoken = (day for one in ranges for day in (one.start or "0000", one.end or "9999"))
            values = [*values, *spoken]
        if question.only_excludes and question.clause is not None:
            barred = self._index.engine.find(question.clause.parts[0], max(self._units, 1))
            where += " and u.rowid not in (select value from json_each(?))"
            values = [*values, json.dumps([hit.rowid for hit in barred])]
        sql = f"select u.rowid from units u where {where} order by u.at desc, u.id limit {LISTED}"
        return [int(row[0]) for row in self._catalog.rows(sql, values)]

    def _dated(self, known: Collection[int], question: Question, fields: Fields | None) -> list[int]:
        """Turns without a word of the question whose expression of time means a day that it names.

        Of people whom it names, only what they say themselves: whoever speaks of them names them, and is found by that.
        """
        sql = """select rowid from units where means_from != '' and means_from between ? and ? and means_to >= ?
            and trust != 'untrusted'"""
        people = list(question.any_person)
        sql += f"{_OWN if people else ''} order by means_to desc, means_from, at, id, path, seq limit {DATED}"
        found: list[int] = []
        for spoken in question.query.ranges:
            first, last = spoken.start, spoken.end
            if first and last and date.fromisoformat(last) < dates.plus_days(date.fromisoformat(first), SPAN):
                begun = dates.plus_days(date.fromisoformat(first), 1 - LONGEST).isoformat()
                values = [begun, last, first, *([json.dumps(people)] if people else [])]
                found += [int(row[0]) for row in self._catalog.rows(sql, values)]
        dated = [rowid for rowid in dict.fromkeys(found) if rowid not in known]
        if fields is None or not dated:
            return dated
        through = fields.among(dated)
        return [rowid for rowid in dated if rowid in through]

    def _counted(
        self, evidence: Evidence, question: Question, aliases: _Expansion, akin: _Expansion
    ) -> Evidence:
        """The same scores counted anew from the texts: in a small vault both engines hold half of all words for worthless."""
        readings = self.readings(self._catalog.units([unit.rowid for unit in evidence.found]))

        def gains(leaves: Sequence[Leaf], rowid: int, clause: Clause | None = None) -> dict[str, float]:
            return reasons(leaves, readings[rowid], self.statistics, clause).gains

        def of(scores: Scores) -> Iterable[int]:
            return readings.keys() & scores.keys()

        return evidence._replace(
            text={r: sum(gains(question.leaves, r, question.clause).values()) for r in readings},
            alias={r: aliases.counted(gains(question.aliases, r)) for r in of(evidence.alias)},
            related={r: akin.counted(gains(question.related, r)) for r in of(evidence.related)},
            goal={r: sum(gains(question.goal, r).values()) for r in of(evidence.goal)},
        )

    def _with_company(self, evidence: Evidence, question: Question) -> Evidence:
        """The logs in which a person asked about speaks, and what turns have by their names alone."""
        people = question.any_person
        turns = [unit for unit in evidence.found if unit.kind == "turn"] if people else []
        if not turns:
            return evidence
        speaking = self._catalog.speaking(list(people), {turn.path for turn in turns})
        evidence = evidence._replace(company=frozenset(path for _, path in speaking))
        parts = {part for key, _ in speaking for part in key.split()}
        leaves = [leaf for leaf in question.leaves if key_of(leaf.word) in parts]
        if self._units < SMALL or not leaves or len(leaves) == len(question.leaves) or not question.in_words:
            return evidence
        rowids = [turn.rowid for turn in turns if exact(evidence.text.get(turn.rowid, 0.0))]
        clause = Clause("any", parts=tuple(leaf.clause for leaf in leaves))
        return evidence._replace(
            called=dict(self._index.engine.find(clause, max(len(rowids), 1), rowids)),
            called_words=frozenset(leaf.word for leaf in leaves),
        )

    def _with_names(self, evidence: Evidence, question: Question) -> Evidence:
        """What else the entities of the question are called, and which fields they have."""
        entities = list(question.entities)
        if not entities:
            return evidence
        names = [*entities, *(name for _, name in self._catalog.synonyms(entities))]
        return evidence._replace(
            fields=frozenset(field.casefold() for field in self._catalog.fields_of(entities)),
            names=tuple(tuple(question.language.tokens(name)) for name in names),
        )


class IdfTable:
    """The idf of clauses in an index, each looked up once.

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
            if clause.op == "token" and not clause.columns:
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


class _Expansion:
    """What other words than those asked add to a unit: the vault's synonyms, or related words.

    Args:
        leaves: each with the word that it stands for.
        share: what they count for, against that word itself.
        question: weighs its words.
        statistics: of the index.
    """

    def __init__(
        self, leaves: Sequence[Leaf], share: float, question: Question, statistics: Statistics
    ) -> None:
        by_word = groupby(sorted(leaves, key=lambda leaf: leaf.word), lambda leaf: leaf.word)
        self._by_word = [(word, list(found)) for word, found in by_word]
        self._factors = {
            word: share * _restraint(word, found, question.weights, statistics)
            for word, found in self._by_word
        }

    def found(self, lane: Lane, fields: Fields | None) -> dict[int, float]:
        """What they add to the units that hold them; for each word asked, to the best of these."""
        found: dict[int, float] = {}
        for word, leaves in self._by_word:
            clause = Clause("any", parts=tuple(leaf.clause for leaf in leaves))
            for rowid, score in lane.best(clause, POOL, fields).items():
                found[rowid] = found.get(rowid, 0.0) + self._factors[word] * score
        return found

    def counted(self, gains: Mapping[str, float]) -> float:
        """The same for one unit, from what it gains by the leaves of each word."""
        return sum(self._factors[word] * gain for word, gain in gains.items())


def _restraint(
    said: str, leaves: Sequence[Leaf], weights: Mapping[str, float], statistics: Statistics
) -> float:
    """A word that stands for another counts no more than that one would."""
    asked = [weight for word, weight in weights.items() if fold(word) in said.split()]
    # Counted over all columns, which the catalogue knows without asking the engine.
    rarest = max(statistics.rarity(leaf.clause._replace(columns=())) for leaf in leaves)
    return min(1.0, max(asked) / rarest) if asked else 1.0


def with_own_ids(units: Sequence[UnitSummary]) -> list[UnitSummary]:
    """The same units; where two share an id, as in copied files, all but the first are named by their place."""
    if len({unit.id for unit in units}) == len(units):
        return list(units)
    taken: set[str] = set()
    renamed = {}
    for unit in sorted(units, key=lambda unit: (unit.path, unit.seq)):
        id_, n = unit.id if unit.id not in taken else _place(unit), 1
        while id_ in taken:
            n += 1
            id_ = f"{_place(unit)}~{n}"
        taken.add(id_)
        renamed[unit.rowid] = unit._replace(id=id_)
    return [renamed[unit.rowid] for unit in units]


def _place(unit: UnitSummary) -> str:
    below = unit.id.partition("#")[2]
    if unit.kind == "turn":
        return f"{unit.path}#L{unit.line}"
    return unit.path.removesuffix(".md") + (f"#{below}" if below else "")


def _reading(unit: Unit, before: str, after: str, language: Language) -> Reading:
    columns = {
        "title": unit.title, "tags": unit.tags, "properties": unit.properties, "body": unit.text, "prev": before, "next": after,
    }  # fmt: skip
    return read_columns(columns, language)
