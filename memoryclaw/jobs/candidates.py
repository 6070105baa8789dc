"""Collects what may answer a question: the units found by its words, synonyms, dates, fields and goal, with what each gave."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from memoryclaw.adapters.catalog import Brief, Catalog
from memoryclaw.adapters.index import Index
from memoryclaw.core.boosts import Asked, Boost
from memoryclaw.core.explain import Statistics, reasons
from memoryclaw.core.goalwords import lift
from memoryclaw.core.ports import Clause
from memoryclaw.core.scoring import ALIAS_FACTOR, RELATED, SMALL, exact
from memoryclaw.jobs.asking import Question
from memoryclaw.jobs.filters import Fields, conditions
from memoryclaw.jobs.joining import joining
from memoryclaw.jobs.lane import POOL, Lane
from memoryclaw.jobs.rarities import Rarities
from memoryclaw.jobs.readings import readings_of
from memoryclaw.jobs.standins import StandIns
from memoryclaw.jobs.twins import told_apart

LISTED = 200  # units that a question of dates or filters alone may list
_TOUCHES = "substr(max(u.at, u.until), 1, 10) >= ? and substr(u.at, 1, 10) <= ?"


@dataclass(slots=True)
class Candidate:
    """A unit on its way through ranking."""

    brief: Brief
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

    def __init__(self, index: Index, catalog: Catalog, rarities: Rarities, statistics: Statistics) -> None:
        self._index = index
        self._catalog = catalog
        self._lane = Lane(index.engine, rarities.containing)
        self._rarities = rarities
        self._statistics = statistics
        self._units = statistics.units

    def of(self, question: Question, asked: Asked, pool: int) -> tuple[list[Candidate], bool]:
        """The candidates of all lanes, and whether they are only listed; of each lane the `pool` best at least."""
        self._rarities.learn([*question.leaves, *question.aliases, *question.related, *question.goal])
        fields = self.fields(question)
        aliases = StandIns(question.aliases, ALIAS_FACTOR, question.weights, self._statistics)
        akin = StandIns(question.related, RELATED, question.weights, self._statistics)
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
        self, candidates: Sequence[Candidate], question: Question, aliases: StandIns, akin: StandIns
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

    def _text(self, question: Question, asked: Asked, fields: Fields | None, pool: int) -> dict[int, float]:
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

    def _listed(self, question: Question, asked: Asked, *, empty: bool) -> list[int]:
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
