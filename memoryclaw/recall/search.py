"""Answers a question from the index: candidates, scores, decisions, explanations. Leaves no trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from memoryclaw.index.bm25 import CALLED, coverage, ranked, shared_out
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import Index
from memoryclaw.index.rows import asks_name, asks_when
from memoryclaw.model import Answer, LeftOut, Match, Matched, Term, Traced, Unit
from memoryclaw.recall.boosts import QuestionTraits
from memoryclaw.recall.candidates import Candidate, Candidates, IdfTable, readings_of
from memoryclaw.recall.exclusions import Decider
from memoryclaw.recall.explain import Leaf, Reading, Statistics, goal_leaves, goal_words, reasons
from memoryclaw.recall.filters import causes, kind_filter
from memoryclaw.recall.question import COMMON_SHARE, COMMON_UNITS, Question, ask, near, slips_in
from memoryclaw.recall.text_lane import ENOUGH, MANY, POOL, RARE_SHARE
from memoryclaw.recall.weighing import in_company, weigh
from memoryclaw.text.language import fold
from memoryclaw.text.snippets import snippet, without_block_ids
from memoryclaw.vault.layout import tells_how

if TYPE_CHECKING:  # most vaults have no vectors
    from memoryclaw.recall.vector_lane import VectorLane

_BEST = 3  # matches that decide how much of the question was found


@dataclass(slots=True)
class Ranking:
    """The ranked candidates of a question, with what is needed to explain them."""

    question: Question
    candidates: list[Candidate]
    asked: QuestionTraits
    did_you_mean: dict[str, str] = field(default_factory=dict)
    degraded: str = ""


class Searcher:
    """Searches one index as of one day.

    Args:
        today: the UTC day that "last week" and recency refer to.
        lane: the vectors, where the settings want them.
        approved: tells the paths of all files of approved skills.
    """

    def __init__(
        self,
        index: Index,
        catalog: Catalog,
        today: date,
        lane: VectorLane | None = None,
        approved: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._index = index
        self._catalog = catalog
        self._today = today
        self._lane = lane
        self._approved = approved
        self._units, self._tokens = index.size()
        rarities = IdfTable(index, catalog, self._units)
        self._statistics = Statistics(self._units, self._tokens / max(self._units, 1), rarities)
        self._candidates = Candidates(index, catalog, rarities, self._statistics)

    def reading(self) -> AbstractContextManager[None]:
        """One state of the index for all that is asked in the block."""
        return self._index.database.reading()

    def find(self, text: str, *, kind: str = "", wanted: int = 2 * ENOUGH, goal: str = "") -> Ranking:
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
        asked = self._asked(question)
        # Turns may be lifted by those around them, and units by related words: then more of them are scored in full.
        lifted = question.related or self._catalog.has_logs()
        pool = max(POOL if lifted else ENOUGH, wanted)
        candidates, judged = self._judged(question, asked, pool)
        if len(candidates) >= pool and sum(not c.decision for c in candidates) < wanted:
            wider = 4 * max(POOL, wanted)  # too many of the best were left out
            candidates, judged = self._judged(question, asked, wider)
        found = Ranking(question, _ordered(candidates), judged)
        if self._lane is not None:
            self._join(found, self._lane)
        found.did_you_mean = self._spellings(question)
        if not candidates and question.clause is not None and question.clause.op == "not":
            question.notices.append("A question that only excludes finds nothing; say what to look for, too")
        return found

    def units(self, chosen: Sequence[Candidate]) -> dict[int, Unit]:
        """The units of these candidates by rowid, under the ids that they have in the answer."""
        units = self._catalog.units([c.brief.rowid for c in chosen])
        return {c.brief.rowid: units[c.brief.rowid]._replace(id=c.brief.id) for c in chosen}

    def unapproved(self, chosen: Sequence[Candidate]) -> list[Candidate]:
        """Those of the candidates that belong to a skill nobody approved as it is."""
        skills = [candidate for candidate in chosen if tells_how(candidate.brief.path)]
        approved = self._approved() if skills else frozenset()
        return [candidate for candidate in skills if candidate.brief.path not in approved]

    def matches(self, found: Ranking, chosen: Sequence[Candidate]) -> list[Match]:
        """The chosen candidates with their explanations, snippets and places."""
        if not chosen:
            return []
        notes = self._catalog.note_ids({c.brief.path for c in chosen})
        units = self.units(chosen)
        readings = readings_of(units, self._catalog, self._index.language)
        return [
            self._match(c, units[c.brief.rowid], readings[c.brief.rowid], notes[c.brief.path], found.question)
            for c in chosen
        ]

    def confidence(self, found: Ranking, matches: Sequence[Match]) -> float:
        """The share of the question's weight that the best matches hold."""
        if not found.question.weights:
            return 1.0 if matches else 0.0
        synonyms = {leaf.word for leaf in found.question.aliases}
        causes = [m for match in matches[:_BEST] for m in match.matched if m.via != "vector"]
        # A related word is a guess: only the vault's own synonyms count as the word that was asked.
        told = [m.word for m in causes if m.via != "alias" or m.word in synonyms]
        said = " ".join(word.rstrip("*~") for word in told)
        held = set(map(fold, said.split()))
        return coverage(
            found.question.weights, {word for word in found.question.weights if fold(word) in held}
        )

    def _join(self, found: Ranking, lane: VectorLane) -> None:
        """Adds what vectors find, always or where words found too little, as the settings say."""
        if not lane.may_answer(found.question):
            return
        if not lane.always:
            hits = [c for c in found.candidates if not c.decision]
            if not lane.is_wanted(len(hits), self.confidence(found, self.matches(found, hits[:_BEST]))):
                return
        from memoryclaw.recall import vector_lane  # noqa: PLC0415 - most vaults have no vectors

        fields, language = self._candidates.fields(found.question), self._index.language
        within = fields.rowids if fields else None
        by_words = vector_lane.KeywordResult(found.question, found.asked, found.candidates, within, language)
        joined, found.degraded = lane.join(by_words)
        found.candidates = _ordered(joined)

    def _asked(self, question: Question) -> QuestionTraits:
        return QuestionTraits(
            {**question.parts, **question.entities},
            {**question.parts, **question.people},
            [(spoken.start, spoken.end, spoken.text) for spoken in question.query.ranges],
            self._units,
            self._today,
            when=asks_when(question.query.text),
            name=asks_name(question.query.text),
        )

    def _judged(
        self, question: Question, asked: QuestionTraits, pool: int
    ) -> tuple[list[Candidate], QuestionTraits]:
        """The candidates with their scores and decisions, and what counted as asked."""
        candidates, listing = self._candidates.of(question, asked, pool)
        asked = asked._replace(listing=listing)
        asked = in_company(candidates, question, asked, self._catalog, self._index.engine)
        decider = Decider(question, [c.brief for c in candidates], self._index.language, self._catalog)
        weigh(candidates, asked, decider)
        return candidates, asked

    def _goal(self, goal: str, question: Question) -> list[Leaf]:
        language = self._index.language
        tokens = {word: language.token(word).split() for word in goal_words(goal, language)}
        counts = self._catalog.count_of([token for own in tokens.values() for token in own])
        share = RARE_SHARE if self._units >= MANY else COMMON_SHARE
        most = self._units if self._units < COMMON_UNITS else int(self._units * share)
        return goal_leaves(tokens, counts, question.tokens, most)

    def _match(
        self, candidate: Candidate, unit: Unit, reading: Reading, note: str, question: Question
    ) -> Match:
        brief = candidate.brief
        by_words = reasons(
            question.leaves if candidate.by_words else (), reading, self._statistics, question.clause
        )
        by_alias = reasons(question.aliases if candidate.aliased else (), reading, self._statistics)
        by_related = reasons(question.related if candidate.is_related else (), reading, self._statistics)
        by_goal = reasons(question.goal if candidate.for_goal else (), reading, self._statistics)
        called = question.called if brief.kind == "turn" else ()
        gains = {word: CALLED * gain if word in called else gain for word, gain in by_words.gains.items()}
        terms = shared_out(gains, candidate.text)
        others = (
            ("alias", candidate.alias),
            ("related", candidate.related),
            ("goal", candidate.goal),
            ("around", candidate.lent),
        )
        terms += [Term(name, value) for name, value in others if value]
        terms += [boost.term for boost in candidate.boosts]
        terms += [Term("vector", candidate.vector)] if candidate.vector else []
        causes_of = [boost.matched for boost in candidate.boosts if boost.matched]
        matched = [
            *by_words.matched,
            *by_alias.matched,
            *by_related.matched,
            *by_goal.matched,
            *_lenders(candidate),
            *causes(question.query.filters),
            *causes_of,
            *_nearness(candidate),
        ]
        surfaces = frozenset(by_words.surfaces | by_alias.surfaces | by_related.surfaces or by_goal.surfaces)
        text = unit.text if unit.kind == "turn" else without_block_ids(unit.text)
        shown = snippet(text or unit.title, surfaces)
        return Match(
            unit=unit, path=brief.path, note=note, score=candidate.score, terms=tuple(terms),
            matched=tuple(matched), snippet=shown.text, highlights=shown.highlights, surfaces=surfaces,
        )  # fmt: skip

    def _spellings(self, question: Question) -> dict[str, str]:
        found = {}
        translated = {word for leaf in question.aliases for word in leaf.word.split()}
        for word in question.unknown:
            if len(word) > 3 and not word.isdigit() and word not in translated:
                close = near(word, self._catalog.words_alike(fold(word), slips_in(fold(word))), 1)
                if close:
                    found[word] = close[0].word
        return found


def _lenders(candidate: Candidate) -> list[Matched]:
    return [Matched(word=candidate.lender, field="around", via="neighbour")] if candidate.lent else []


def _nearness(candidate: Candidate) -> list[Matched]:
    return [Matched(word=candidate.near, field="vector", via="vector")] if candidate.near else []


def _ordered(candidates: Sequence[Candidate]) -> list[Candidate]:
    order = ranked(
        {c.brief.rowid: c.score for c in candidates},
        {c.brief.rowid: f"{c.brief.id}\0{c.brief.path}" for c in candidates},
    )
    by_rowid = {c.brief.rowid: c for c in candidates}
    return [by_rowid[rowid] for rowid in order]


def search(searcher: Searcher, text: str, *, kind: str, limit: int) -> Answer:
    """The best `limit` matches for a question or a query, explained; `kind` narrows as `kind:` in the query does."""
    with searcher.reading():
        found = searcher.find(text, kind=kind, wanted=limit)
        waiting = [candidate for candidate in found.candidates if not candidate.decision]
        for place, candidate in enumerate(waiting):
            candidate.decision = "in" if place < limit else "limit"
        matches = _labelled(searcher, waiting[:limit], searcher.matches(found, waiting[:limit]))
        return Answer(**answer_fields(text, searcher, found, matches))


def _labelled(searcher: Searcher, chosen: Sequence[Candidate], matches: Sequence[Match]) -> list[Match]:
    """The matches, where a skill that nobody approved is trusted by nobody either."""
    doubtful = {candidate.brief.rowid for candidate in searcher.unapproved(chosen)}
    return [
        match._replace(unit=match.unit._replace(trust="unknown"))
        if candidate.brief.rowid in doubtful and match.unit.trust == "trusted"
        else match
        for candidate, match in zip(chosen, matches, strict=True)
    ]


def answer_fields(text: str, searcher: Searcher, found: Ranking, matches: Sequence[Match]) -> dict[str, Any]:
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
        "degraded": found.degraded,
    }
