"""Answers a question from the index: understand it, read the evidence, rank, explain what is shown. Leaves no trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from datetime import date
from typing import TYPE_CHECKING, Any

from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import Index
from memoryclaw.index.stemming import language
from memoryclaw.model import COLUMNS, Answer, LeftOut, Match, Matched, Term, Traced, Unit
from memoryclaw.recall.evidence import NOTHING_COUNTED, EvidenceReader
from memoryclaw.recall.explain import filter_causes, read_columns, reasons
from memoryclaw.recall.question import Question, spellings, understand
from memoryclaw.recall.rank import Ranked, Ranking, causes, coverage, rank, shared_out
from memoryclaw.recall.text_lane import POOL
from memoryclaw.text.language import fold
from memoryclaw.text.snippets import snippet, without_block_ids
from memoryclaw.vault.layout import tells_how

if TYPE_CHECKING:  # most vaults have no vectors
    from memoryclaw.recall.vector_lane import VectorLane

_BEST = 3  # matches that decide how much of the question was found


class Searcher:
    """Searches one index as of one day.

    Args:
        today: the UTC day that "last week" refers to.
        lane: the vectors, where the settings want them.
        approved: tells which of these files belong to approved skills.
    """

    def __init__(
        self,
        index: Index,
        catalog: Catalog,
        today: date,
        lane: VectorLane | None = None,
        approved: Callable[[Iterable[str]], AbstractSet[str]] = lambda _: frozenset(),
    ) -> None:
        self._index = index
        self._catalog = catalog
        self._today = today
        self._lane = lane
        self._approved = approved
        self._evidence = EvidenceReader(index, catalog)

    def reading(self) -> AbstractContextManager[None]:
        """One state of the index for all that is asked in the block."""
        return self._index.database.reading()

    def find(
        self, text: str, *, kind: str = "", wanted: int = POOL, goal: str = "", newest: bool = False
    ) -> Ranking:
        """Everything that may answer a question, ranked, each with its decision except for limits and budgets.

        Args:
            text: the question.
            kind: narrows as `kind:` in the query does.
            wanted: how many may be in the answer, if there are so many.
            goal: what the agent is working on; it lifts what shares words with it.
            newest: whether the newest facts and statements follow what words found.
        """
        question = understand(
            text,
            catalog=self._catalog,
            language=self._index.language,
            index=self._index.engine,
            today=self._today,
            goal=goal,
            kind=kind,
        )
        pool = max(POOL, wanted)
        found = self._ranked(question, pool, newest=newest)
        if len(found.units) >= pool and len(found.open) < wanted:
            found = self._ranked(
                question, 4 * max(POOL, wanted), newest=newest
            )  # too many of the best were left out
        return self._with_vectors(found, self._lane) if self._lane else found

    def units(self, chosen: Sequence[Ranked]) -> dict[int, Unit]:
        """The units themselves by rowid, under the ids that they have in the answer."""
        units = self._catalog.units([one.unit.rowid for one in chosen])
        return {one.unit.rowid: units[one.unit.rowid]._replace(id=one.unit.id) for one in chosen}

    def unapproved(self, chosen: Sequence[Ranked]) -> set[int]:
        """The rowids of those that belong to a skill nobody approved as it is."""
        skills = [one.unit for one in chosen if tells_how(one.unit.path)]
        approved = self._approved({skill.path for skill in skills}) if skills else ()
        return {skill.rowid for skill in skills if skill.path not in approved}

    def matches(self, found: Ranking, chosen: Sequence[Ranked]) -> list[Match]:
        """The chosen units with their explanations, snippets and places."""
        if not chosen:
            return []
        notes = self._catalog.notes({one.unit.path for one in chosen})
        units, stored = self.units(chosen), self._catalog.tokens([one.unit.rowid for one in chosen])
        return [
            self._match(one, units[one.unit.rowid], stored[one.unit.rowid], notes[one.unit.path], found)
            for one in chosen
        ]

    def answer(
        self, text: str, found: Ranking, matches: Sequence[Match], decisions: Mapping[int, str]
    ) -> dict[str, Any]:
        """The fields that the answers of search and recall share; `decisions` go before those of the ranking."""
        decided = [(one, decisions.get(one.unit.rowid) or one.decision) for one in found.units]
        return {
            "query": text,
            "matches": tuple(matches),
            "left_out": tuple(
                LeftOut(one.unit.id, reason) for one, reason in decided if reason not in ("in", "limit")
            ),
            "trace": tuple(
                Traced(id=one.unit.id, path=one.unit.path, score=one.score, decision=reason)
                for one, reason in decided
            ),
            "confidence": _confidence(found, matches),
            "did_you_mean": spellings(found.question, self._catalog),
            "notices": _notices(found),
            "degraded": found.degraded,
        }

    def _ranked(self, question: Question, pool: int, *, newest: bool) -> Ranking:
        evidence = self._evidence.read(question, pool, newest=newest)
        return Ranking(question, evidence, rank(question, evidence))

    def _with_vectors(self, found: Ranking, lane: VectorLane) -> Ranking:
        """The same with what vectors add, always or where words found too little, as the settings say."""
        if not lane.may_answer(found.question):
            return found
        if not lane.always:
            hits = [one for one in found.open if one.score]  # what is only new is none
            if not lane.is_wanted(len(hits), _confidence(found, self.matches(found, hits[:_BEST]))):
                return found
        fields = self._evidence.fields(found.question)
        return lane.blended(found, fields.rowids if fields else None)

    def _match(
        self, one: Ranked, unit: Unit, stored: Mapping[str, str], note: tuple[str, str], found: Ranking
    ) -> Match:
        question, evidence, rowid = found.question, found.evidence, one.unit.rowid
        leaves, asked = question.all_leaves, len(question.leaves)
        aims = len(leaves) - len(question.goal)
        columns = dict(zip(COLUMNS, (unit.title, unit.tags, unit.properties, unit.text), strict=True))
        reading = read_columns(columns, stored, language(note[1]))
        counts, gains = evidence.counts.get(rowid, NOTHING_COUNTED), evidence.gains(rowid)
        own = reasons([leaves[n] for n in sorted(counts.own) if n < aims], reading)
        goal = reasons([leaves[n] for n in sorted(counts.own) if n >= aims], reading)
        by_word: dict[str, float] = {}
        for number in sorted(gains):
            if number < asked:
                by_word[leaves[number].word] = by_word.get(leaves[number].word, 0.0) + gains[number]
        beside = [
            Matched(word=leaves[number].word, field=place, via="neighbour")
            for number, place in sorted(counts.beside.items())
        ]
        surfaces = frozenset(own.surfaces or goal.surfaces)
        text = unit.text if unit.kind == "turn" else without_block_ids(unit.text)
        shown = snippet(text or unit.title, surfaces)
        return Match(
            unit=unit,
            path=one.unit.path,
            note=note[0],
            score=one.score,
            terms=(*shared_out(by_word, one.words), *(Term(name, value) for name, value in one.terms)),
            matched=(
                *own.matched,
                *goal.matched,
                *dict.fromkeys(beside),
                *filter_causes(question.query.filters),
                *causes(question, one),
                *([Matched(word=found.near, field="vector", via="vector")] if one.term("vector") else []),
            ),
            snippet=shown.text,
            highlights=shown.highlights,
            surfaces=surfaces,
        )


def search(searcher: Searcher, text: str, *, kind: str, limit: int) -> Answer:
    """The best `limit` matches for a question or a query, explained; `kind` narrows as `kind:` in the query does."""
    with searcher.reading():
        found = searcher.find(text, kind=kind, wanted=limit)
        open_ = found.open
        shown = open_[:limit]
        decisions = {one.unit.rowid: "in" if n < limit else "limit" for n, one in enumerate(open_)}
        doubtful = searcher.unapproved(shown)
        matches = [
            _distrusted(match) if one.unit.rowid in doubtful else match
            for one, match in zip(shown, searcher.matches(found, shown), strict=True)
        ]
        return Answer(**searcher.answer(text, found, matches, decisions))


def _distrusted(match: Match) -> Match:
    """A skill that nobody approved is trusted by nobody either."""
    if match.unit.trust != "trusted":
        return match
    return match._replace(unit=match.unit._replace(trust="unknown"))


def _confidence(found: Ranking, matches: Sequence[Match]) -> float:
    """The share of the question's weight that the best matches hold."""
    weights = found.question.weights
    if not weights:
        return 1.0 if matches else 0.0
    synonyms = {leaf.word for leaf in found.question.aliases}
    causes_of = [m for match in matches[:_BEST] for m in match.matched if m.via != "vector"]
    # A related word is a guess: only the vault's own synonyms count as the word that was asked.
    told = [m.word for m in causes_of if m.via != "alias" or m.word in synonyms]
    held = set(map(fold, " ".join(word.rstrip("*~") for word in told).split()))
    return coverage(weights, {word for word in weights if fold(word) in held})


def _notices(found: Ranking) -> tuple[str, ...]:
    if found.units or not found.question.only_excludes:
        return found.question.notices
    return (*found.question.notices, "A question that only excludes finds nothing; say what to look for, too")
