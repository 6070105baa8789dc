"""Answers a question from the index: candidates, scores, decisions, explanations. Leaves no trace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from typing import Any

from memoryclaw.adapters.catalog import Brief, Catalog
from memoryclaw.adapters.index import Index
from memoryclaw.core.boosts import Asked, Boost, Traits, boosts, recency
from memoryclaw.core.explain import Leaf, Reading, Statistics, read_columns, reasons
from memoryclaw.core.goalwords import goal_leaves, goal_words, lift
from memoryclaw.core.language import fold
from memoryclaw.core.model import LeftOut, Match, Term, Unit
from memoryclaw.core.ports import Clause
from memoryclaw.core.scoring import ALIAS_FACTOR, SMALL, coverage, exact, ranked, rarity, shared_out
from memoryclaw.core.snippets import snippet, without_block_ids
from memoryclaw.core.spelling import near
from memoryclaw.jobs.answers import Answer, Traced
from memoryclaw.jobs.asking import COMMON_SHARE, COMMON_UNITS, Question, ask
from memoryclaw.jobs.deciding import Decider
from memoryclaw.jobs.filters import causes, conditions, kind_filter
from memoryclaw.jobs.lane import ENOUGH, POOL, best, best_by_rare_words
from memoryclaw.jobs.twins import told_apart

LISTED = 200  # units that a question of dates or filters alone may list
_TOUCHES = "substr(max(u.at, u.until), 1, 10) >= ? and substr(u.at, 1, 10) <= ?"
_BEST = 3  # matches that decide how much of the question was found


@dataclass(slots=True)
class Candidate:
    """A unit on its way through ranking."""

    brief: Brief
    text: float = 0.0
    alias: float = 0.0
    aliased: bool = False
    goal: float = 0.0
    for_goal: bool = False
    boosts: list[Boost] = field(default_factory=list)
    score: float = 0.0
    decision: str = ""  # "" while undecided, "in", else the reason why it is left out


@dataclass(slots=True)
class Found:
    """The ranked candidates of a question, with what is needed to explain them."""

    question: Question
    candidates: list[Candidate]
    asked: Asked
    did_you_mean: dict[str, str] = field(default_factory=dict)


class Searcher:
    """Searches one index as of one day.

    Args:
        today: the UTC day that "last week" and recency refer to.
    """

    def __init__(self, index: Index, catalog: Catalog, today: date) -> None:
        self._index = index
        self._catalog = catalog
        self._today = today
        self._units, self._tokens = index.size()
        self._rarity = _Rarity(index, catalog, self._units)
        self._statistics = Statistics(self._units, self._tokens / max(self._units, 1), self._rarity)

    def reading(self) -> AbstractContextManager[None]:
        """One state of the index for all that is asked in the block."""
        return self._index.database.reading()

    def find(self, text: str, *, kind: str = "", wanted: int = 2 * ENOUGH, goal: str = "") -> Found:
        """Every candidate for a question, ranked, each with its decision except for limits and budgets.

        Args:
            text: the question.
            kind: narrows as `kind:` in the query does.
            wanted: how many may be in the answer, if there are so many.
            goal: what the agent is at; it lifts what shares words with it.
        """
        question = ask(
            text,
            catalog=self._catalog,
            language=self._index.language,
            index=self._index.engine,
            today=self._today,
        )
        if goal:
            question.goal = self._goal(goal, question)
        if kind:
            question.query = question.query._replace(filters=(*question.query.filters, kind_filter(kind)))
        ranges = [(r.start, r.end, r.text) for r in question.query.ranges]
        asked = Asked(
            {**question.parts, **question.entities},
            {**question.parts, **question.people},
            ranges,
            self._units,
            self._today,
        )
        pool = max(ENOUGH, wanted)
        candidates, judged = self._judged(question, asked, pool)
        if len(candidates) >= pool and sum(not c.decision for c in candidates) < wanted:
            candidates, judged = self._judged(
                question, asked, 4 * max(POOL, wanted)
            )  # too many of the best were left out
        order = ranked(
            {c.brief.rowid: c.score for c in candidates},
            {c.brief.rowid: f"{c.brief.id}\0{c.brief.path}" for c in candidates},
        )
        by_rowid = {c.brief.rowid: c for c in candidates}
        found = Found(question, [by_rowid[rowid] for rowid in order], judged)
        found.did_you_mean = self._spellings(question)
        if not candidates and question.clause is not None and question.clause.op == "not":
            question.notices.append("A question that only excludes finds nothing; say what to look for, too")
        return found

    def matches(self, found: Found, chosen: Sequence[Candidate]) -> list[Match]:
        """The chosen candidates with their explanations, snippets and places."""
        units = self._catalog.units([c.brief.rowid for c in chosen])
        notes = self._catalog.note_ids({c.brief.path for c in chosen})
        units = {c.brief.rowid: units[c.brief.rowid]._replace(id=c.brief.id) for c in chosen}
        return [self._match(c, units[c.brief.rowid], notes[c.brief.path], found.question) for c in chosen]

    def confidence(self, found: Found, matches: Sequence[Match]) -> float:
        """The share of the question's weight that the best matches hold."""
        if not found.question.weights:
            return 1.0 if matches else 0.0
        said = " ".join(m.word.rstrip("*~") for match in matches[:_BEST] for m in match.matched)
        held = set(map(fold, said.split()))
        return coverage(
            found.question.weights, {word for word in found.question.weights if fold(word) in held}
        )

    def _judged(self, question: Question, asked: Asked, pool: int) -> tuple[list[Candidate], Asked]:
        """The candidates with their scores and decisions, and what counted as asked."""
        candidates, listing = self._candidates(question, asked, pool)
        asked = asked._replace(listing=listing)
        decider = Decider(question, [c.brief for c in candidates], self._index.language, self._catalog)
        plain = asked.names_nothing
        for candidate in candidates:
            self._score(candidate, decider, asked, plain=plain)
            candidate.decision = decider.reason(candidate.brief)
        return candidates, asked

    def _candidates(self, question: Question, asked: Asked, pool: int) -> tuple[list[Candidate], bool]:
        """The candidates of all lanes, and whether they are only listed."""
        where, values = conditions(question.query.filters)
        within = self._within(where, values) if question.query.filters else None
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

    def _goal(self, goal: str, question: Question) -> list[Leaf]:
        language = self._index.language
        tokens = {word: language.token(word).split() for word in goal_words(goal, language)}
        counts = self._catalog.count_of([token for own in tokens.values() for token in own])
        most = self._units if self._units < COMMON_UNITS else int(self._units * COMMON_SHARE)
        return goal_leaves(tokens, counts, question.tokens, most)

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
            reading = self._reading(units[candidate.brief.rowid], candidate.brief)
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
            return best_by_rare_words(question.clause, self._index.engine, self._rarity.containing, pool)
        return best(question.clause, self._index.engine, max(POOL, pool), within)

    def _within(self, where: str, values: Sequence[str]) -> list[int]:
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

    def _score(self, candidate: Candidate, decider: Decider, asked: Asked, *, plain: bool) -> None:
        brief = candidate.brief
        base = candidate.text + candidate.alias + candidate.goal
        if plain and not brief.pinned:
            candidate.boosts = recency(base, brief.at, asked.today)
        else:
            candidate.boosts = self._boosts(base, brief, decider, asked)
        candidate.score = base + sum([boost.term.value for boost in candidate.boosts])

    def _boosts(self, base: float, brief: Brief, decider: Decider, asked: Asked) -> list[Boost]:
        asked_field = brief.entity_key in asked.entities and decider.names_field(brief.field)
        traits = Traits(brief.kind, brief.at, brief.until, brief.entity_key, bool(brief.pinned), asked_field)
        return boosts(base, traits, asked)

    def _match(self, candidate: Candidate, unit: Unit, note: str, question: Question) -> Match:
        brief = candidate.brief
        reading = self._reading(unit, brief)
        by_words = reasons(question.leaves, reading, self._statistics, question.clause)
        by_alias = reasons(question.aliases if candidate.aliased else (), reading, self._statistics)
        by_goal = reasons(question.goal if candidate.for_goal else (), reading, self._statistics)
        terms = shared_out(by_words.gains, candidate.text)
        if candidate.alias:
            terms.append(Term("alias", candidate.alias))
        if candidate.goal:
            terms.append(Term("goal", candidate.goal))
        terms += [boost.term for boost in candidate.boosts]
        causes_of = [boost.matched for boost in candidate.boosts if boost.matched]
        matched = [
            *by_words.matched,
            *by_alias.matched,
            *by_goal.matched,
            *causes(question.query.filters),
            *causes_of,
        ]
        surfaces = frozenset(by_words.surfaces | by_alias.surfaces or by_goal.surfaces)
        text = unit.text if unit.kind == "turn" else without_block_ids(unit.text)
        shown = snippet(text or unit.title, surfaces)
        return Match(
            unit=unit, path=brief.path, note=note, score=candidate.score, terms=tuple(terms),
            matched=tuple(matched), snippet=shown.text, highlights=shown.highlights, surfaces=surfaces,
        )  # fmt: skip

    def _reading(self, unit: Unit, brief: Brief) -> Reading:
        before, after = self._catalog.texts_beside(brief.path, brief.seq) if unit.kind == "turn" else ("", "")
        columns = {
            "title": unit.title, "tags": unit.tags, "properties": unit.properties, "body": unit.text, "prev": before, "next": after,
        }  # fmt: skip
        return read_columns(columns, self._index.language)

    def _spellings(self, question: Question) -> dict[str, str]:
        found = {}
        translated = {word for leaf in question.aliases for word in leaf.word.split()}
        for word in question.unknown:
            if len(word) > 3 and not word.isdigit() and word not in translated:
                vocabulary = self._catalog.words_of_length(len(word) - 2, len(word) + 2)
                close = near(word, vocabulary, 1)
                if close:
                    found[word] = close[0].word
        return found


class _Rarity:
    """The idf of clauses, asked once each."""

    def __init__(self, index: Index, catalog: Catalog, units: int) -> None:
        self._index = index
        self._catalog = catalog
        self._units = units
        self._known: dict[Clause, float] = {}

    def __call__(self, clause: Clause) -> float:
        found = self._known.get(clause)
        if found is None:
            found = self._known[clause] = rarity(self._units, self.containing(clause))
        return found

    def containing(self, clause: Clause) -> int:
        """How many units hold a token or phrase."""
        if clause.op == "token" and not clause.columns:
            return self._catalog.count_of([clause.text]).get(clause.text, 0)
        return self._index.engine.count(clause)


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


def search(searcher: Searcher, text: str, *, kind: str, limit: int) -> Answer:
    """The best `limit` matches for a question or a query, explained; `kind` narrows as `kind:` in the query does."""
    with searcher.reading():
        found = searcher.find(text, kind=kind, wanted=limit)
        waiting = [candidate for candidate in found.candidates if not candidate.decision]
        for place, candidate in enumerate(waiting):
            candidate.decision = "in" if place < limit else "limit"
        return Answer(**answer_fields(text, searcher, found, searcher.matches(found, waiting[:limit])))


def answer_fields(text: str, searcher: Searcher, found: Found, matches: Sequence[Match]) -> dict[str, Any]:
    """What search and recall answer alike."""
    return {
        "query": text,
        "matches": tuple(matches),
        "left_out": tuple(
            LeftOut(c.brief.id, c.decision) for c in found.candidates if c.decision not in ("in", "limit")
        ),
        "trace": tuple(
            Traced(id=c.brief.id, path=c.brief.path, score=c.score, decision=c.decision)
            for c in found.candidates
        ),
        "confidence": searcher.confidence(found, matches),
        "did_you_mean": found.did_you_mean,
        "notices": tuple(found.question.notices),
    }
