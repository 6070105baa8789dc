"""Collects what may answer a question: the units found by its words, synonyms, dates, fields and goal, with what each gave."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby

from memoryclaw.index.bm25 import ALIAS_FACTOR, RELATED, SMALL, exact, rarity
from memoryclaw.index.catalog import Catalog, UnitSummary
from memoryclaw.index.index import Index
from memoryclaw.index.rows import LONGEST
from memoryclaw.model import Unit
from memoryclaw.ports import Clause
from memoryclaw.recall.boosts import Boost, QuestionTraits
from memoryclaw.recall.explain import Leaf, Reading, Statistics, lift, read_columns, reasons
from memoryclaw.recall.filters import Fields, conditions
from memoryclaw.recall.question import Question
from memoryclaw.recall.text_lane import POOL, Lane
from memoryclaw.text import days
from memoryclaw.text.language import Language, fold

LISTED = 200  # units that a question of dates or filters alone may list
_TOUCHES = "substr(max(u.at, u.until), 1, 10) >= ? and substr(u.at, 1, 10) <= ?"


@dataclass(slots=True)
class Candidate:
    """A unit on its way through ranking."""

    brief: UnitSummary
    text: float = 0.0
    alias: float = 0.0
    aliased: bool = False
    related: float = 0.0
    is_related: bool = False
    goal: float = 0.0
    for_goal: bool = False
    lent: float = 0.0  # by the turns around
    lender: str = ""  # the id of the one that lent most
    boosts: list[Boost] = field(default_factory=list)
    score: float = 0.0
    decision: str = ""  # "" while undecided, "in", else the reason why it is left out
    vector: float = 0.0  # what its nearness in meaning gives
    near: str = ""  # the model that told
    by_words: bool = True  # False for what only vectors found

    @property
    def base(self) -> float:
        """What its own words, its nearness in meaning and the turns around it give."""
        return self.own + self.goal + self.vector + self.lent

    @property
    def own(self) -> float:
        """What the question's words, and those that stand in for them, give."""
        return self.text + self.alias + self.related


class Candidates:
    """The candidates of questions to one index."""

    def __init__(self, index: Index, catalog: Catalog, rarities: IdfTable, statistics: Statistics) -> None:
        self._index = index
        self._catalog = catalog
        self._lane = Lane(index.engine, rarities.containing)
        self._rarities = rarities
        self._statistics = statistics
        self._units = statistics.units

    def of(self, question: Question, asked: QuestionTraits, pool: int) -> tuple[list[Candidate], bool]:
        """The candidates of all lanes, and whether they are only listed; of each lane the `pool` best at least."""
        self._rarities.learn([*question.leaves, *question.aliases, *question.related, *question.goal])
        fields = self.fields(question)
        aliases = QueryExpansion(question.aliases, ALIAS_FACTOR, question.weights, self._statistics)
        akin = QueryExpansion(question.related, RELATED, question.weights, self._statistics)
        text = self._text(question, asked, fields, pool)
        alias, related = (words.found(self._lane, fields) for words in (aliases, akin))
        goal = self._for_goal(question, fields)
        listed = self._listed(question, asked, empty=not (text or alias or related))
        for_goal = goal if question.open_to_goal else {}
        own = dict.fromkeys((*text, *alias, *related))
        joined = joining(own, asked, fields, self._catalog) if question.in_words else []
        text |= self._in_words(question, joined)
        rowids = dict.fromkeys([*text, *own, *listed, *for_goal, *joined])
        found = [
            Candidate(
                b,
                text=exact(text.get(b.rowid, 0.0)),
                alias=exact(alias.get(b.rowid, 0.0)),
                aliased=b.rowid in alias,
                related=exact(related.get(b.rowid, 0.0)),
                is_related=b.rowid in related,
                goal=goal.get(b.rowid, 0.0),
                for_goal=b.rowid in goal,
            )
            for b in told_apart(self._catalog.briefs(rowids))
        ]
        if self._units < SMALL:
            self._count_by_hand(found, question, aliases, akin)
        if goal:
            _lift(found)
        return found, bool(listed)

    def _in_words(self, question: Question, rowids: Sequence[int]) -> dict[int, float]:
        """What the words of the question give these units, which may lie beyond the pool."""
        if question.clause is None or not rowids:
            return {}
        return {hit.rowid: hit.score for hit in self._index.engine.find(question.clause, len(rowids), rowids)}

    def _for_goal(self, question: Question, fields: Fields | None) -> dict[int, float]:
        clause = Clause("any", parts=tuple(leaf.clause for leaf in question.goal))
        return self._lane.best(clause, POOL, fields) if question.goal else {}

    def _count_by_hand(
        self,
        candidates: Sequence[Candidate],
        question: Question,
        aliases: QueryExpansion,
        akin: QueryExpansion,
    ) -> None:
        """In a small vault both engines hold half of all words for worthless, so every unit is read and counted anew."""
        units = self._catalog.units([c.brief.rowid for c in candidates])
        readings = readings_of(units, self._catalog, self._index.language)
        for candidate in candidates:
            reading = readings[candidate.brief.rowid]
            candidate.text = exact(
                sum(reasons(question.leaves, reading, self._statistics, question.clause).gains.values())
            )
            if candidate.aliased:
                gains = reasons(question.aliases, reading, self._statistics).gains
                candidate.alias = exact(aliases.counted(gains))
            if candidate.is_related:
                gains = reasons(question.related, reading, self._statistics).gains
                candidate.related = exact(akin.counted(gains))
            if candidate.for_goal:
                candidate.goal = sum(reasons(question.goal, reading, self._statistics).gains.values())

    def _text(
        self, question: Question, asked: QuestionTraits, fields: Fields | None, pool: int
    ) -> dict[int, float]:
        if question.clause is None:
            return {}
        # A unit may be lifted over others by a date or a name, or a synonym; otherwise words alone decide.
        if (
            fields is None
            and asked.names_nothing
            and not (question.aliases or question.related or question.goal)
        ):
            return self._lane.best_by_words(question.clause, pool)
        return self._lane.best(question.clause, max(POOL, pool), fields)

    def fields(self, question: Question) -> Fields | None:
        """What the fields of a question let through; None when it has none."""
        if not question.query.filters:
            return None
        return Fields(self._catalog, *conditions(question.query.filters))

    def _listed(self, question: Question, asked: QuestionTraits, *, empty: bool) -> list[int]:
        """Units found by their date or by filters alone, newest first."""
        only_excludes = question.clause is not None and question.clause.op == "not"
        if question.query.root is not None and not only_excludes and not (asked.ranges and empty):
            return []
        if not asked.ranges and not question.query.filters:
            return []
        where, values = conditions(question.query.filters)
        if asked.ranges:
            where += f" and u.at != '' and ({' or '.join([_TOUCHES] * len(asked.ranges))})"
            values = [
                *values,
                *(day for first, last, _ in asked.ranges for day in (first or "0000", last or "9999")),
            ]
        if only_excludes and question.clause is not None:
            barred = self._index.engine.find(question.clause.parts[0], max(self._units, 1))
            where, values = (
                f"{where} and u.rowid not in (select value from json_each(?))",
                [*values, json.dumps([hit.rowid for hit in barred])],
            )
        sql = f"select u.rowid from units u where {where} order by u.at desc, u.id limit {LISTED}"
        return [int(row[0]) for row in self._catalog.rows(sql, values)]


def _lift(candidates: Sequence[Candidate]) -> None:
    """Makes of every score for the goal what it adds."""
    most = max((c.goal for c in candidates), default=0.0)
    best = max((c.own for c in candidates), default=0.0)
    for candidate in candidates:
        candidate.goal = exact(lift(candidate.goal, most, best))


# ── Turns that join the candidates without a word of the question: their expression of time means a day
# that it names.

TELLING = 50  # turns that tell of a time asked about
SPAN = 31  # days that such a time has at most; a longer one finds what was said in it
_OWN = " and entity_key in (select value from json_each(?))"


def joining(
    known: Collection[int], asked: QuestionTraits, fields: Fields | None, catalog: Catalog
) -> list[int]:
    """Those that the fields let through.

    Args:
        known: the units that words found.
        asked: the days and the people that the question names.
        fields: its fields.
        catalog: knows the turns.
    """
    joined = [rowid for rowid in dict.fromkeys(_telling(asked, catalog)) if rowid not in known]
    if fields is None or not joined:
        return joined
    through = fields.among(joined)
    return [rowid for rowid in joined if rowid in through]


def _telling(asked: QuestionTraits, catalog: Catalog) -> list[int]:
    """Turns whose expression of time means a day asked about; of people who are asked about, what they say themselves.

    Whoever speaks of somebody else names them, and is found by that.
    """
    sql = """select rowid from units where means_from != '' and means_from between ? and ? and means_to >= ?
        and trust != 'untrusted'"""
    who = [json.dumps(list(asked.people))] if asked.people else []
    sql += f"{_OWN if who else ''} order by means_to desc, means_from, at, id, path, seq limit {TELLING}"
    found = []
    for first, last, _ in asked.ranges:
        if first and last and date.fromisoformat(last) < days.plus(date.fromisoformat(first), SPAN):
            begun = days.plus(date.fromisoformat(first), 1 - LONGEST).isoformat()
            found += [int(row[0]) for row in catalog.rows(sql, [begun, last, first, *who])]
    return found


# ── How rare the words of a question are in an index, asked once each.


class IdfTable:
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


# ── What other words than those asked add to a unit: the vault's synonyms, and related words of everyday
# English.


class QueryExpansion:
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


# ── Units that share an id, as happens in copied files, told apart: an answer never names two things alike.


def told_apart(briefs: Sequence[UnitSummary]) -> list[UnitSummary]:
    """The same units, where two share an id all but the first by an id of their place, which `show` knows too."""
    if len({brief.id for brief in briefs}) == len(briefs):
        return list(briefs)
    taken: set[str] = set()
    renamed = {}
    for brief in sorted(briefs, key=lambda b: (b.path, b.seq)):
        id_, n = brief.id if brief.id not in taken else _place(brief), 1
        while id_ in taken:
            n += 1
            id_ = f"{_place(brief)}~{n}"
        taken.add(id_)
        renamed[brief.rowid] = brief._replace(id=id_)
    return [renamed[brief.rowid] for brief in briefs]


def _place(brief: UnitSummary) -> str:
    below = brief.id.partition("#")[2]
    if brief.kind == "turn":
        return f"{brief.path}#L{brief.line}"
    return brief.path.removesuffix(".md") + (f"#{below}" if below else "")


# ── Units' columns as words and tokens, read from the index with the turns beside them.

_NOTHING = ("", "")


def readings_of(units: Mapping[int, Unit], catalog: Catalog, language: Language) -> dict[int, Reading]:
    """What BM25 counts in each of these units, by rowid, to be replayed word by word."""
    beside = catalog.texts_beside(units)
    return {rowid: _reading(unit, *beside.get(rowid, _NOTHING), language) for rowid, unit in units.items()}


def _reading(unit: Unit, before: str, after: str, language: Language) -> Reading:
    columns = {
        "title": unit.title, "tags": unit.tags, "properties": unit.properties, "body": unit.text, "prev": before, "next": after,
    }  # fmt: skip
    return read_columns(columns, language)
