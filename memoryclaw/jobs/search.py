"""Answers a question from the index: candidates, scores, decisions, explanations. Leaves no trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from memoryclaw.adapters.catalog import Brief, Catalog
from memoryclaw.adapters.index import Index
from memoryclaw.core.boosts import Asked, Boost, Traits, boosts
from memoryclaw.core.explain import Reading, Statistics, read_columns, reasons
from memoryclaw.core.model import LeftOut, Match, Term, Unit
from memoryclaw.core.ports import Clause, Hit
from memoryclaw.core.scoring import ALIAS_FACTOR, coverage, exact, idf, ranked, shared_out
from memoryclaw.core.snippets import snippet
from memoryclaw.core.spelling import near
from memoryclaw.jobs.answers import Answer, Traced
from memoryclaw.jobs.asking import Question, ask
from memoryclaw.jobs.filters import asks_for_state, causes, conditions, kind_filter

POOL = 200  # candidates that are scored in full
LISTED = 200  # units that a question of dates or filters alone may list
_BEST = 3  # matches that decide how much of the question was found


@dataclass(slots=True)
class Candidate:
    """A unit on its way through ranking."""

    brief: Brief
    text: float = 0.0
    alias: float = 0.0
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

    def find(self, text: str, *, kind: str = "") -> Found:
        """Every candidate for a question, ranked, each with its decision except for limits and budgets."""
        question = ask(text, catalog=self._catalog, language=self._index.language, units=self._units, today=self._today)
        if kind:
            question.query = question.query._replace(filters=(*question.query.filters, kind_filter(kind)))
        ranges = [(r.start, r.end, r.text) for r in question.query.ranges]
        asked = Asked({**question.parts, **question.entities}, {**question.parts, **question.people}, ranges, self._units, self._today)
        candidates = self._candidates(question, asked)
        for candidate in candidates:
            self._score(candidate, question, asked)
        order = ranked({c.brief.rowid: c.score for c in candidates}, {c.brief.rowid: f"{c.brief.id}\0{c.brief.path}" for c in candidates})
        by_rowid = {c.brief.rowid: c for c in candidates}
        found = Found(question, [by_rowid[rowid] for rowid in order], asked)
        self._decide(found)
        found.did_you_mean = self._spellings(question)
        return found

    def matches(self, found: Found, chosen: Sequence[Candidate]) -> list[Match]:
        """The chosen candidates with their explanations, snippets and places."""
        units = self._catalog.units([c.brief.rowid for c in chosen])
        notes = self._catalog.note_ids({c.brief.path for c in chosen})
        statistics = Statistics(self._units, self._tokens / max(self._units, 1), self._rarity())
        return [self._match(c, units[c.brief.rowid], notes[c.brief.path], found.question, statistics) for c in chosen]

    def confidence(self, found: Found, matches: Sequence[Match]) -> float:
        """The share of the question's weight that the best matches hold."""
        words = {m.word for match in matches[:_BEST] for m in match.matched}
        if not found.question.weights:
            return 1.0 if matches else 0.0
        return coverage(found.question.weights, words)

    def _candidates(self, question: Question, asked: Asked) -> list[Candidate]:
        where, values = conditions(question.query.filters)
        within = self._within(where, values) if question.query.filters else None
        text = dict(self._lane(question.clause, within))
        alias_clause = Clause("any", parts=tuple(leaf.clause for leaf in question.aliases)) if question.aliases else None
        alias = dict(self._lane(alias_clause, within)) if not question.query.explicit else {}
        listed = self._listed(question, where, values, asked, empty=not (text or alias))
        briefs = self._catalog.briefs(dict.fromkeys([*text, *alias, *listed]))
        return [Candidate(b, exact(text.get(b.rowid, 0.0)), exact(ALIAS_FACTOR * alias.get(b.rowid, 0.0))) for b in briefs]

    def _lane(self, clause: Clause | None, within: Sequence[int] | None) -> list[Hit]:
        return self._index.engine.find(clause, POOL, within) if clause is not None else []

    def _within(self, where: str, values: Sequence[str]) -> list[int]:
        return [int(row[0]) for row in self._catalog.rows(f"select u.rowid from units u where {where}", values)]  # type: ignore[call-overload]

    def _listed(self, question: Question, where: str, values: Sequence[str], asked: Asked, *, empty: bool) -> list[int]:
        """Units found by their date or by filters alone, newest first."""
        if question.query.root is not None and not (asked.ranges and empty):
            return []
        if not asked.ranges and not question.query.filters:
            return []
        for first, last, _ in asked.ranges:
            where += " and u.at != '' and substr(max(u.at, u.until), 1, 10) >= ? and substr(u.at, 1, 10) <= ?"
            values = [*values, first or "0000", last or "9999"]
        sql = f"select u.rowid from units u where {where} order by u.at desc, u.id limit {LISTED}"
        return [int(row[0]) for row in self._catalog.rows(sql, values)]  # type: ignore[call-overload]

    def _score(self, candidate: Candidate, question: Question, asked: Asked) -> None:
        brief = candidate.brief
        base = candidate.text + candidate.alias
        asked_field = brief.entity_key in asked.entities and self._names_field(brief.field, question)
        traits = Traits(brief.kind, brief.at, brief.until, brief.entity_key, bool(brief.pinned), asked_field)
        candidate.boosts = boosts(base, traits, asked)
        candidate.score = base + sum(boost.term.value for boost in candidate.boosts)

    def _names_field(self, field: str, question: Question) -> bool:
        tokens = self._index.language.tokens(field)
        return bool(tokens) and question.tokens.issuperset(tokens)

    def _decide(self, found: Found) -> None:
        any_state = asks_for_state(found.question.query.filters)
        for candidate in found.candidates:
            brief = candidate.brief
            if brief.state != "current" and not any_state and not self._held_then(brief, found.asked):
                candidate.decision = brief.state
            elif brief.trust == "quarantined":
                candidate.decision = "quarantined"
            elif self._of_other_entity(brief, found.question):
                candidate.decision = "other_entity"

    def _held_then(self, brief: Brief, asked: Asked) -> bool:
        return brief.state == "superseded" and bool(asked.ranges) and bool(brief.until)

    def _of_other_entity(self, brief: Brief, question: Question) -> bool:
        if brief.kind != "fact" or not question.entities or brief.entity_key in question.entities:
            return False
        if not self._names_field(brief.field, question):
            return False
        value = set(self._index.language.tokens(brief.value))
        return not any(value.issuperset(self._index.language.tokens(key)) for key in question.entities)

    def _match(self, candidate: Candidate, unit: Unit, note: str, question: Question, statistics: Statistics) -> Match:
        brief = candidate.brief
        reading = self._reading(unit, brief)
        by_words = reasons(question.leaves, reading, statistics)
        by_alias = reasons(question.aliases, reading, statistics)
        terms = shared_out(by_words.gains, candidate.text)
        if candidate.alias:
            terms.append(Term("alias", candidate.alias))
        terms += [boost.term for boost in candidate.boosts]
        causes_of = [boost.matched for boost in candidate.boosts if boost.matched]
        matched = [*by_words.matched, *(by_alias.matched if candidate.alias else ()), *causes(question.query.filters), *causes_of]
        surfaces = frozenset(by_words.surfaces | by_alias.surfaces)
        shown = snippet(unit.text or unit.title, surfaces)
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

    def _rarity(self) -> _Rarity:
        return _Rarity(self._index, self._catalog, self._units)

    def _spellings(self, question: Question) -> dict[str, str]:
        found = {}
        translated = {word for leaf in question.aliases for word in leaf.word.split()}
        for word in question.unknown:
            if len(word) > 3 and not word.isdigit() and word not in translated:
                vocabulary = self._catalog.words_of_length(len(word) - 2, len(word) + 2)
                close = near(word, ((other, n) for other, _, n in vocabulary), 1)
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
            found = self._known[clause] = idf(self._units, self._containing(clause))
        return found

    def _containing(self, clause: Clause) -> int:
        if clause.op == "token" and not clause.columns:
            return self._catalog.count_of([clause.text]).get(clause.text, 0)
        return self._index.engine.count(clause)


def search(searcher: Searcher, text: str, *, kind: str, limit: int) -> Answer:
    """The best `limit` matches for a question or a query, explained; `kind` narrows as `kind:` in the query does."""
    found = searcher.find(text, kind=kind)
    waiting = [candidate for candidate in found.candidates if not candidate.decision]
    for place, candidate in enumerate(waiting):
        candidate.decision = "in" if place < limit else "limit"
    return Answer(**answer_fields(text, searcher, found, searcher.matches(found, waiting[:limit])))


def answer_fields(text: str, searcher: Searcher, found: Found, matches: Sequence[Match]) -> dict[str, Any]:
    """What search and recall answer alike."""
    return {
        "query": text,
        "matches": tuple(matches),
        "left_out": tuple(LeftOut(c.brief.id, c.decision) for c in found.candidates if c.decision not in ("in", "limit")),
        "trace": tuple(
            Traced(id=c.brief.id, path=c.brief.path, score=c.score, decision=c.decision) for c in found.candidates
        ),
        "confidence": searcher.confidence(found, matches),
        "did_you_mean": found.did_you_mean,
        "notices": tuple(found.question.notices),
    }
