"""Collects what may answer a question: the units found by its words, synonyms, dates, fields and goal, with what each gave."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from memoryclaw.adapters.catalog import Brief, Catalog
from memoryclaw.adapters.index import Index
from memoryclaw.core.boosts import Asked, Boost
from memoryclaw.core.explain import Leaf, Statistics, reasons
from memoryclaw.core.goalwords import lift
from memoryclaw.core.language import fold
from memoryclaw.core.ports import Clause
from memoryclaw.core.scoring import ALIAS_FACTOR, SMALL, exact
from memoryclaw.jobs.asking import Question
from memoryclaw.jobs.filters import conditions
from memoryclaw.jobs.lane import POOL, best, best_by_rare_words
from memoryclaw.jobs.rarities import Rarities
from memoryclaw.jobs.readings import reading_of
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
        return self.text + self.alias + self.goal + self.vector + self.lent


class Candidates:
    """The candidates of questions to one index."""

    def __init__(self, index: Index, catalog: Catalog, rarities: Rarities, statistics: Statistics) -> None:
        self._index = index
        self._catalog = catalog
        self._rarities = rarities
        self._statistics = statistics
        self._units = statistics.units

    def of(self, question: Question, asked: Asked, pool: int) -> tuple[list[Candidate], bool]:
        """The candidates of all lanes, and whether they are only listed; of each lane the `pool` best at least."""
        where, values = conditions(question.query.filters)
        within = self.within(question)
        text = self._text(question, asked, within, pool)
        alias = self._aliased(question, within)
        goal = self._for_goal(question, within)
        listed = self._listed(question, where, values, asked, empty=not (text or alias))
        joining = goal if question.open_to_goal else {}
        briefs = told_apart(self._catalog.briefs(dict.fromkeys([*text, *alias, *listed, *joining])))
        found = [
            Candidate(
                b,
                exact(text.get(b.rowid, 0.0)),
                exact(alias.get(b.rowid, 0.0)),
                b.rowid in alias,
                goal.get(b.rowid, 0.0),
                b.rowid in goal,
            )
            for b in briefs
        ]
        if self._units < SMALL:
            self._count_by_hand(found, question)
        if goal:
            _lift(found)
        return found, bool(listed)

    def _for_goal(self, question: Question, within: Sequence[int] | None) -> dict[int, float]:
        clause = Clause("any", parts=tuple(leaf.clause for leaf in question.goal))
        return best(clause, self._index.engine, POOL, within) if question.goal else {}

    def _aliased(self, question: Question, within: Sequence[int] | None) -> dict[int, float]:
        """What the synonyms of each name or word add: less than itself would, however rare they are."""
        found: dict[int, float] = {}
        for said, leaves in _by_word(question.aliases):
            factor = self._alias_factor(said, leaves, question)
            clause = Clause("any", parts=tuple(leaf.clause for leaf in leaves))
            for rowid, score in best(clause, self._index.engine, POOL, within).items():
                found[rowid] = found.get(rowid, 0.0) + factor * score
        return found

    def _alias_factor(self, said: str, leaves: Sequence[Leaf], question: Question) -> float:
        weights = [weight for word, weight in question.weights.items() if fold(word) in said.split()]
        rarest = max(self._statistics.rarity(leaf.clause) for leaf in leaves)
        return ALIAS_FACTOR * min(1.0, max(weights) / rarest) if weights else ALIAS_FACTOR

    def _count_by_hand(self, candidates: Sequence[Candidate], question: Question) -> None:
        """In a small vault both engines hold half of all words for worthless, so every unit is read and counted anew."""
        units = self._catalog.units([c.brief.rowid for c in candidates])
        for candidate in candidates:
            reading = reading_of(
                units[candidate.brief.rowid], candidate.brief, self._catalog, self._index.language
            )
            candidate.text = exact(
                sum(reasons(question.leaves, reading, self._statistics, question.clause).gains.values())
            )
            if candidate.aliased:
                gains = reasons(question.aliases, reading, self._statistics).gains
                leaves = dict(_by_word(question.aliases))
                candidate.alias = exact(
                    sum(self._alias_factor(said, leaves[said], question) * gains[said] for said in gains)
                )
            if candidate.for_goal:
                candidate.goal = sum(reasons(question.goal, reading, self._statistics).gains.values())

    def _text(
        self, question: Question, asked: Asked, within: Sequence[int] | None, pool: int
    ) -> dict[int, float]:
        if question.clause is None:
            return {}
        # A unit may be lifted over others by a date or a name, or a synonym; otherwise words alone decide.
        if within is None and asked.names_nothing and not (question.aliases or question.goal):
            return best_by_rare_words(question.clause, self._index.engine, self._rarities.containing, pool)
        return best(question.clause, self._index.engine, max(POOL, pool), within)

    def within(self, question: Question) -> list[int] | None:
        """The units that the fields of a question let through; None when it has none."""
        if not question.query.filters:
            return None
        where, values = conditions(question.query.filters)
        return [
            int(row[0]) for row in self._catalog.rows(f"select u.rowid from units u where {where}", values)
        ]

    def _listed(
        self, question: Question, where: str, values: Sequence[str], asked: Asked, *, empty: bool
    ) -> list[int]:
        """Units found by their date or by filters alone, newest first."""
        only_excludes = question.clause is not None and question.clause.op == "not"
        if question.query.root is not None and not only_excludes and not (asked.ranges and empty):
            return []
        if not asked.ranges and not question.query.filters:
            return []
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
    best = max((c.text + c.alias for c in candidates), default=0.0)
    for candidate in candidates:
        candidate.goal = exact(lift(candidate.goal, most, best))


def _by_word(aliases: Sequence[Leaf]) -> list[tuple[str, list[Leaf]]]:
    return [(said, list(leaves)) for said, leaves in groupby(sorted(aliases, key=_word_of), _word_of)]


def _word_of(leaf: Leaf) -> str:
    return leaf.word
