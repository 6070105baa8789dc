"""Answers a question from the index: understand it, read the evidence, rank, explain what is shown. Leaves no trace."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memoryclaw.index.bm25 import codes_in
from memoryclaw.index.catalog import Catalog, UnitSummary
from memoryclaw.index.index import Index
from memoryclaw.index.stemming import language
from memoryclaw.late import NamedTuple
from memoryclaw.model import (
    ALSO,
    COLUMNS,
    PROJECT,
    Answer,
    LeftOut,
    LineMark,
    Match,
    Matched,
    Relevance,
    Term,
    Traced,
    Unit,
)
from memoryclaw.ports import IndexClause
from memoryclaw.recall.conflicts import ShownLines, Superseded, successors
from memoryclaw.recall.evidence import FEW, NOTHING_COUNTED, POOL, EvidenceReader, Folding, may_fold
from memoryclaw.recall.query import Filter
from memoryclaw.recall.question import Leaf, Question, spellings, strangers, understand, without_asking
from memoryclaw.recall.rank import Ranked, Ranking, causes, coverage, names_field, rank, share_out
from memoryclaw.recall.relevance import is_sign, relevance_of
from memoryclaw.recall.restated import FORMER, LINES, Verdicts, verdicts
from memoryclaw.text.dates import day_of, find_ranges, plus_days, told_ranges
from memoryclaw.text.language import Language, characters, fold, key_of, words_of
from memoryclaw.text.snippets import snippet, without_block_ids
from memoryclaw.vault.layout import tells_how
from memoryclaw.vault.properties import canonical_scope, due
from memoryclaw.vault.vocabulary import asked_for_contacts

if TYPE_CHECKING:  # most vaults have no vectors, and most questions meet no conflict
    from memoryclaw.recall.strength import Strengths
    from memoryclaw.recall.vector_lane import VectorLane
    from memoryclaw.vault.conflict_rules import Conflict
    from memoryclaw.writing.pending import PendingFact

CHUNK = 12  # units looked at together
MOST_SIGNS = 0.7  # of those of a question without spaces: a text that holds so much holds the question
RELATED = 0.6  # of the weight of a word, where a line that may answer has a related one
_BEST = 3  # matches that decide how much of the question was found


# Why a unit answers a question: which words stand in which field, and how each was found. Pure.

# How a filter found a unit, and where, if not literally in the field of its name.
_FILTER_VIA = dict.fromkeys(("entity", "person", "project"), "entity") | dict.fromkeys(
    ("since", "until", "on"), "date"
)
_FILTER_FIELD = {"tag": "tags"} | dict.fromkeys(("since", "until", "on", "expires"), "date")


UnitWords = Mapping[str, tuple[Sequence[str], Sequence[str]]]  # of a column, the words written and as tokens


class Reasons(NamedTuple):
    """Where the words of a question were found in a unit."""

    matched: list[Matched]
    surfaces: set[str]  # words as written that should be highlighted


def read_columns(
    columns: Mapping[str, str], stored: Mapping[str, str], tokens_of: Mapping[str, str], language: Language
) -> UnitWords:
    """A unit's texts by column, each word beside its token; but for columns that hold none of the tokens.

    Args:
        stored: the codes that the index keeps of its tokens.
        tokens_of: what codes stand for; where it is none of these, a word has no token.
        language: that of the note, for words with several tokens.
    """
    reading: dict[str, tuple[Sequence[str], Sequence[str]]] = {}
    for name, text in columns.items():
        words, codes = words_of(text) if text else [], codes_in(stored.get(name, ""))
        if len(codes) != len(words):
            reading[name] = words, [*map(language.known.__getitem__, words)]
        elif not tokens_of.keys().isdisjoint(codes):
            reading[name] = words, [tokens_of.get(code, "") for code in codes]
    return reading


def reasons(leaves: Iterable[Leaf], reading: UnitWords) -> Reasons:
    """Where these leaves stand in the columns of a unit."""
    collected = Reasons([], set())
    leaves = list(leaves)
    if not leaves:
        return collected
    places = _places({leaf.clause.text for leaf in leaves if leaf.clause.op == "token"}, reading)
    tokens = {token for _, token in places}
    columns = [column for column in (*COLUMNS, ALSO) if column in reading]
    for leaf in leaves:
        if leaf.clause.op == "token" and leaf.clause.text not in tokens:
            continue
        for column in leaf.clause.columns or columns:
            surfaces = (
                places.get((column, leaf.clause.text), ())
                if leaf.clause.op == "token"
                else _phrases(leaf.clause, reading, column)
            )
            if surfaces:
                via = "search word" if column == ALSO else leaf.via
                if via == "literal":
                    folded = fold(leaf.word)
                    via = "literal" if any(fold(surface) == folded for surface in surfaces) else "stem"
                collected.surfaces.update(surfaces)
                matched = Matched(word=leaf.word, field=column, via=via)
                if matched not in collected.matched:
                    collected.matched.append(matched)
    return collected


def _of_characters(leaves: Iterable[Leaf], texts: Mapping[str, str]) -> Reasons:
    """Where single characters of what was asked stand in a unit that holds no more of it: `茶` in `茶室`, which is one word."""
    signs = {column: frozenset(characters(text)) for column, text in texts.items()}
    places = [(leaf, column) for leaf in leaves for column in texts if leaf.clause.text in signs[column]]
    matched = dict.fromkeys(Matched(word=leaf.word, field=column, via=leaf.via) for leaf, column in places)
    return Reasons([*matched], {leaf.clause.text for leaf, _ in places})


def _places(wanted: set[str], reading: UnitWords) -> dict[tuple[str, str], list[str]]:
    """Where the wanted tokens stand: (column, token) → the words as written."""
    places: dict[tuple[str, str], list[str]] = {}
    for column, (words, tokens) in reading.items():
        for token in wanted.intersection(tokens):
            places[column, token] = [words[place] for place in _all_of(token, tokens)]
        for joined in tokens if " ".join(tokens).count(" ") >= len(tokens) else ():
            for token in joined.split() if " " in joined else ():
                if token in wanted:
                    places.setdefault((column, token), []).append(token)
    return places


def _all_of(token: str, tokens: Sequence[str]) -> Iterator[int]:
    place = -1
    for _ in range(tokens.count(token)):
        place = tokens.index(token, place + 1)
        yield place


def _phrases(clause: IndexClause, reading: UnitWords, column: str) -> list[str]:
    words, tokens = reading.get(column, ((), ()))
    phrase = clause.text.split()
    flat = [(word, token) for word, joined in zip(words, tokens, strict=True) for token in joined.split()]
    return [
        " ".join(dict.fromkeys(word for word, _ in flat[i : i + len(phrase)]))
        for i in range(len(flat) - len(phrase) + 1)
        if all(flat[i + k][1] == token_ for k, token_ in enumerate(phrase))
    ]


def filter_causes(filters: Sequence[Filter]) -> list[Matched]:
    """What each filter that holds contributes to the explanation; an exclusion is a cause where there is no other."""
    filters_in_force = [item for item in filters if not item.negated]
    if not filters_in_force:
        return [Matched(word=f"-{item.written}", field="filter", via="literal") for item in filters]
    return [
        Matched(
            word=item.value if item.field == "tag" else item.written,
            field=_FILTER_FIELD.get(item.field, item.field),
            via=_FILTER_VIA.get(item.field, "literal"),
        )
        for item in filters_in_force
    ]


def rounded(terms: Sequence[Term], score: float) -> list[tuple[str, int]]:
    """Each term in thousandths, so that they add up to the score in thousandths.

    What rounding leaves over goes, one thousandth each, to the terms that it changed most.
    """
    exact = [term.value * 1000 for term in terms]
    floors = [int(value // 1) for value in exact]
    order = sorted(range(len(terms)), key=lambda i: (floors[i] - exact[i], terms[i].name))
    for i in order[: round(score * 1000) - sum(floors)]:
        floors[i] += 1
    return [(term.name, value) for term, value in zip(terms, floors, strict=True)]


class Reading(NamedTuple):
    """A unit that was found, with the words of the question that stand in it."""

    hit: Ranked
    unit: Unit
    note: str  # its id
    asked: Reasons
    goal: Reasons

    @property
    def surfaces(self) -> frozenset[str]:
        """The words as they are written in it."""
        return frozenset(self.asked.surfaces or self.goal.surfaces)


class Searcher:
    """Searches one index as of one day.

    Args:
        today: the UTC day that "last week" refers to.
        lane: the vectors, where the settings want them.
        conflicts: finds the conflicts about entities, named by key.
        strengths: how strongly memories are remembered; without it, use does not rank.
    """

    def __init__(
        self,
        index: Index,
        catalog: Catalog,
        today: date,
        lane: VectorLane | None = None,
        approved: Callable[[Iterable[str]], AbstractSet[str]] = lambda _: frozenset(),
        *,
        conflicts: Callable[[Iterable[str]], Sequence[Conflict]] = lambda _: (),
        strengths: Strengths | None = None,
    ) -> None:
        self._index = index
        self._catalog = catalog
        self._today = today
        self._lane = lane
        self._approved = approved
        self._conflicts = conflicts
        self._strengths = strengths
        self._evidence = EvidenceReader(index, catalog, strengths)

    def reading(self) -> AbstractContextManager[None]:
        """One state of the index for all that is asked in the block."""
        return self._index.database.reading()

    def find(
        self,
        text: str,
        *,
        kind: str = "",
        wanted: int = POOL,
        goal: str = "",
        newest: bool = False,
        project: str = "",
    ) -> Ranking:
        """Everything that may answer a question, ranked, each with its decision except for limits and budgets.

        Args:
            kind: narrows as `kind:` in the query does.
            wanted: how many may be in the answer, if there are so many.
            goal: what the agent is working on; it lifts what shares words with it.
            newest: whether the newest facts and statements follow what words found.
            project: what is worked in; what holds there rises.
        """
        question = understand(
            text,
            catalog=self._catalog,
            language=self._index.language,
            index=self._index.engine,
            today=self._today,
            goal=goal,
            kind=kind,
        )._replace(scope=canonical_scope(f"{PROJECT}{project}"))
        pool = max(POOL, wanted)
        ranking = self._rank(question, pool, newest=newest)
        if len(ranking.units) >= pool and len(ranking.open) < wanted:
            ranking = self._rank(question, 4 * pool, newest=newest)  # too many of the best were left out
        return self._with_vectors(ranking, self._lane) if self._lane else ranking

    def sharing(self, texts: Iterable[str], most: int, after: str) -> list[Ranked]:
        """At most so many units that share rare words with these texts, without a score; none where nothing is of a later day."""
        if self._catalog.last_day() <= after:
            return []
        spoken = self._index.language
        tokens = [[*spoken.telling(words_of(text))] for text in texts]
        return [Ranked(unit, 0.0) for unit in self._evidence.sharing(tokens, most)]

    def rare(self, words: Iterable[str], most: int) -> frozenset[str]:
        """The tokens of those words that carry a subject and that at most so many units hold."""
        tokens = frozenset(self._index.language.telling(words))
        counts = self._catalog.count_of(tokens)
        return frozenset(token for token in tokens if counts.get(token, 0) <= most)

    def units(self, chosen: Sequence[Ranked]) -> dict[int, Unit]:
        """The units themselves by rowid, under the ids that they have in the answer."""
        units = self._catalog.units([hit.unit.rowid for hit in chosen])
        return {hit.unit.rowid: units[hit.unit.rowid]._replace(id=hit.unit.id) for hit in chosen}

    def unapproved_units(self, chosen: Sequence[Ranked]) -> set[int]:
        """The rowids of those that belong to a skill nobody approved as it is."""
        skills = [hit.unit for hit in chosen if tells_how(hit.unit.path)]
        approved = self._approved({skill.path for skill in skills}) if skills else ()
        return {skill.rowid for skill in skills if skill.path not in approved}

    def own_keys(self) -> AbstractSet[str]:
        """The keys of the names under which stands who says `I`."""
        return self._catalog.own_keys()

    def names(self, key: str) -> bool:
        """True for the key of somebody or something in the vault."""
        return bool(self._catalog.names([key], ("entity", "person")))

    def before(self, turns: Iterable[UnitSummary]) -> list[UnitSummary]:
        """The turns before these, where they have one."""
        places = {(turn.rowid - 1, turn.first) for turn in turns}
        summaries = self._catalog.summaries([rowid for rowid, _ in places]) if places else []
        return [unit for unit in summaries if (unit.rowid, unit.first) in places]

    def verdicts(self, ranking: Ranking, best: Sequence[Ranked], units: Mapping[int, Unit]) -> Verdicts:
        """What stands against the best lines that were found: later words on the same thing, and other people's."""
        answers = {hit.unit.rowid - 1: hit.unit for hit in best if hit.unit.role == "assistant"}
        before = {
            answers[rowid].id: unit.text
            for rowid, unit in self._catalog.units(sorted(answers)).items()
            if unit.kind == "turn" and unit.end_line == answers[rowid].line - 1
        }
        former = [hit for hit in ranking.units if hit.decision == "superseded" and hit.unit.kind == "fact"]
        ended = self.units(former[:FORMER]).values() if former else ()
        return verdicts(ranking.question, [units[hit.unit.rowid] for hit in best], before, [*ended])

    def conflicts(self, chosen: Sequence[Ranked], stated: Verdicts) -> dict[str, tuple[str, ...]]:
        """The facts and lines that say otherwise than these where only one value can hold: ids, by id."""
        facts = [hit.unit for hit in chosen if hit.unit.kind == "fact" and hit.unit.field]
        standing = [unit for unit in facts if unit.state == "current"]
        rivals = dict(stated.rivals)
        for conflict in self._conflicts({unit.entity_key for unit in standing}) if standing else ():
            places = {(path, fact.line, fact.value) for path, fact in conflict.facts}
            for unit in standing:
                if (unit.path, unit.line, unit.value) in places:
                    rivals[unit.id] = tuple(fact.id for _, fact in conflict.rivals(unit.value))
        waiting = self._waiting() if standing else {}
        for unit in standing:
            if waits := waiting.get((unit.entity_key, unit.field.casefold(), unit.value)):
                rivals[unit.id] = (*rivals.get(unit.id, ()), waits)
        return rivals

    def _waiting(self) -> dict[tuple[str, str, str], str]:
        """Where another value that a person told clearly waits for a yes, by the entity, the field and the value that it would replace."""
        return {
            (key_of(fact.entity), fact.field.casefold(), fact.known): id_
            for id_, fact in self._asked()
            if fact.known
        }

    def _asked(self) -> Iterator[tuple[str, PendingFact]]:
        """What a person told clearly and is asked about, each with the id of the unit in which it waits."""
        rowids = self._catalog.rowids("select u.rowid from units u where u.path = 'semantic/_pending.md'", [])
        if not rowids:
            return
        from memoryclaw.writing.pending import read_pending  # noqa: PLC0415 - in most vaults nothing waits

        for unit in self._catalog.units(rowids).values():
            yield from ((unit.id, fact) for fact in read_pending(unit.text) if fact.confidence == "high")

    def superseded(
        self, chosen: Sequence[Ranked], units: Mapping[int, Unit], stated: Verdicts
    ) -> dict[str, tuple[LineMark, ...]]:
        """What holds instead of what these lines told, in few words, by id."""
        spoken = [hit.unit for hit in chosen if hit.unit.kind in ("turn", "episode")]
        today, unit_by_id = self._today.isoformat(), {unit.id: units[unit.rowid] for unit in spoken}
        lines_shown = [
            ShownLines(
                hit.path,
                hit.line,
                unit_by_id[hit.id].end_line,
                "" if hit.kind == "turn" else unit_by_id[hit.id].text,
            )
            for hit in spoken
        ]
        outdated = successors(self._catalog, lines_shown, today, waiting=True) if lines_shown else {}
        superseding = {spoken[number].id: over for number, over in outdated.items()}
        # Of what an episode tells, what is asked about counts first.
        return {id_: (LineMark(str(later)),) for id_, later in stated.later.items()} | {
            id_: tuple(dict.fromkeys(_line_mark(hit, unit_by_id[id_]) for hit in over))
            for id_, over in superseding.items()
            # what nobody has decided yet says less than what holds instead
            if id_ not in stated.later
            or (unit_by_id[id_].kind == "turn" and not all(hit.waits for hit in over))
        }

    def overdue(self, chosen: Sequence[Ranked], units: Mapping[int, Unit]) -> dict[str, str]:
        """Why what holds now is to be checked again, by id, where the day until which it was is over."""
        marks = {}
        for hit in chosen:
            if day := self._overdue(hit.unit, units[hit.unit.rowid]):
                marks[hit.unit.id] = self.why_check(hit.unit.path, hit.unit.line, day)
        return marks

    def why_check(self, path: str, line: int, day: str) -> str:
        """Why what stands on a line is to be checked again, which it was to be until a day: the later words, where they are known."""
        said = plus_days(date.fromisoformat(day), 1).isoformat()
        later = self._catalog.overtaking(path, line, said)
        return f'may have changed: "{later}", {said}' if later else f"to be checked since {day}"

    def doubted(self, ranking: Ranking) -> list[str]:
        """The statements that wait to be checked or decided, as those do that a later turn denied, and such values of a field that is asked for."""
        today, question = self._today.isoformat(), ranking.question
        whose = self.own_keys() if question.of_myself else question.any_entity.keys()
        facts = (hit.unit for hit in ranking.units if hit.unit.kind == "fact" and hit.unit.value)
        checked = [
            fact.value
            for fact in facts
            if fact.state == "current" and "" < fact.verify_by < today
            and (not fact.field or (fact.entity_key in whose and (names_field(question, fact) or question.means_field(fact.field))))
        ]  # fmt: skip
        denied = (fact for _, fact in self._asked() if not fact.known)
        return checked + [
            fact.value
            for fact in denied
            if not fact.field
            or (
                key_of(fact.entity) in whose
                and (question.names_field(fact.field) or question.means_field(fact.field))
            )
        ]

    def _overdue(self, summary: UnitSummary, unit: Unit) -> str:
        """The ISO day until which what holds now was to be checked again, where that day is over; else an empty string."""
        if summary.state != "current" or not (unit.lifecycle.verify_by or self._spans):
            return ""
        span = self._spans.get(" ".join(unit.field.lower().split()), 0) if unit.kind == "fact" else 0
        day = due(unit.lifecycle, unit.when, span)
        return day if day and day < self._today.isoformat() else ""

    @cached_property
    def _spans(self) -> dict[str, int]:
        return self._index.spans()

    def body(self, hit: Ranked) -> str:
        """The codes of the text by which copies are known, read with its evidence; empty for what is no copy, as a few words that answer are none."""
        rowid = hit.unit.rowid
        said = self._catalog.coded([rowid])[rowid].body if may_fold(hit.unit) else ""
        is_short = hit.unit.kind == "turn" and len(said) < FEW
        return "" if is_short and any(turn.asks for turn in self.before([hit.unit])) else said

    def matches(self, ranking: Ranking, chosen: Sequence[Ranked]) -> list[Match]:
        """The chosen units with their explanations, snippets and places."""
        reading_of = self.reader(ranking, chosen, self.units(chosen))
        return [self.match(ranking, reading_of(hit)) for hit in chosen]

    def reader(
        self, ranking: Ranking, chosen: Sequence[Ranked], units: Mapping[int, Unit]
    ) -> Callable[[Ranked], Reading]:
        """Tells which words of the question stand in one of these units."""
        notes = self._catalog.notes({hit.unit.path for hit in chosen})
        leaves = ranking.question.all_leaves
        aims = len(leaves) - len(ranking.question.goal)
        sought = {token for leaf in leaves for token in leaf.clause.text.split(" ")}
        tokens_of = {code: token for token, code in self._catalog.codes(sought).items()}

        def reading_of(hit: Ranked) -> Reading:
            rowid, (note, code) = hit.unit.rowid, notes[hit.unit.path]
            unit = units[rowid]
            texts = dict(
                zip(
                    (*COLUMNS, ALSO),
                    (unit.title, unit.tags, unit.properties, unit.text, unit.also),
                    strict=True,
                )
            )
            words = read_columns(texts, self._catalog.tokens([rowid])[rowid], tokens_of, language(code))
            matched = sorted(ranking.evidence.counts.get(rowid, NOTHING_COUNTED).own)
            of_question = [leaves[n] for n in matched if n < aims]
            asked = reasons(of_question, words)
            if not asked.matched:
                asked = _of_characters(of_question, texts)
            return Reading(hit, unit, note, asked, reasons([leaves[n] for n in matched if n >= aims], words))

        return reading_of

    def shares_of_lines(self, ranking: Ranking, match: Match, lines: Sequence[str]) -> list[float]:
        """The share of the question's weight that each line of a unit holds; what only the unit's title holds counts half."""
        leaves = ranking.question.all_leaves[: len(ranking.question.all_leaves) - len(ranking.question.goal)]
        spoken = language(self._catalog.notes({match.path})[match.path][1])
        above = reasons(leaves, read_columns({"title": match.unit.title}, {}, {}, spoken)).matched
        signs = signs_of(ranking)

        def share(line: str) -> float:
            columns = {"body": line, "properties": " ".join(sorted(asked_for_contacts(line)))}
            in_line = reasons(leaves, read_columns(columns, {}, {}, spoken)).matched
            if not in_line:
                return 0.0
            shares = _akin_share(ranking, in_line) + answering_share(ranking, [*in_line, *above])
            return shares / 2 * signs_held(signs, line)

        return [share(line) for line in lines]

    def lines_of_days(self, ranking: Ranking, match: Match, lines: Sequence[str]) -> list[bool | None]:
        """Whether each line of a unit tells a day that is asked about, as texts write it or by its date, or tells another; None where it tells none.

        What somebody says counts from the day on which it was said; elsewhere only a day with its year is known.
        """
        question = ranking.question
        leaves = [leaf for leaf in question.all_leaves if leaf.via == "date"]
        spoken = language(self._catalog.notes({match.path})[match.path][1])
        said = day_of(match.unit.when) if match.unit.kind in ("turn", "fact") else None
        anchor = said or question.today

        def tells(line: str) -> bool | None:
            spans = [
                span
                for span in (told_ranges(line, anchor) if said else find_ranges(line, anchor)[0])
                if span.start and span.end and (said or span.start[:4] in span.text)
            ]
            pairs = [(day, span) for day in question.days for span in spans]
            if reasons(leaves, read_columns({"body": line}, {}, {}, spoken)).matched or any(
                day.start <= span.start and span.end <= day.end for day, span in pairs
            ):
                return True
            overlap = any(day.start <= span.end and span.start <= day.end for day, span in pairs)
            return False if pairs and not overlap else None

        return [tells(line) if question.days else None for line in lines]

    def answer(
        self,
        text: str,
        ranking: Ranking,
        matches: Sequence[Match],
        decisions: Mapping[int, str],
        relevance: Relevance,
    ) -> dict[str, Any]:
        """The fields that the answers of search and recall share; `decisions` go before those of the ranking."""
        decided = [(hit, decisions.get(hit.unit.rowid) or hit.decision) for hit in ranking.units]
        confidence = relevance.chance if matches and relevance.passes else 0.0
        if confidence is None:  # of a question that says itself what is wanted, the share of its words
            confidence = share_of(ranking, matches[:_BEST])
        return {
            "query": text,
            "matches": tuple(matches),
            "left_out": tuple(
                LeftOut(hit.unit.id, reason) for hit, reason in decided if reason not in ("in", "limit")
            ),
            "trace": tuple(Traced(hit.unit.id, hit.unit.path, hit.score, reason) for hit, reason in decided),
            "confidence": confidence,
            "relevance": relevance,
            "did_you_mean": spellings(ranking.question, self._catalog),
            "unknown": strangers(ranking.question),
            "notices": _notices(ranking),
            "degraded": ranking.degraded,
        }

    def _rank(self, question: Question, pool: int, *, newest: bool) -> Ranking:
        evidence = self._evidence.read(question, pool, newest=newest)
        return Ranking(question, evidence, rank(question, evidence))

    def _with_vectors(self, ranking: Ranking, lane: VectorLane) -> Ranking:
        """The same with what vectors add, always or where words found too little, as the settings say."""
        if not lane.may_answer(ranking.question):
            return ranking
        if not lane.always:
            hits = [hit for hit in ranking.open if hit.score]  # what is only new is none
            if not lane.is_wanted(len(hits), share_of(ranking, self.matches(ranking, hits[:_BEST]))):
                return ranking
        fields = self._evidence.fields(ranking.question)
        return lane.blend(ranking, fields.rowids if fields else None)

    def match(self, ranking: Ranking, reading: Reading) -> Match:
        """A unit with its explanation, its snippet and its place."""
        hit, unit, matched_words, goal = reading.hit, reading.unit, reading.asked, reading.goal
        question, evidence, rowid = ranking.question, ranking.evidence, hit.unit.rowid
        leaves, first_alias = question.all_leaves, len(question.leaves)
        counts, gains = evidence.counts.get(rowid, NOTHING_COUNTED), evidence.gains(rowid)
        by_word: dict[str, float] = {}
        for number in sorted(gains):
            if number < first_alias:
                by_word[leaves[number].word] = by_word.get(leaves[number].word, 0.0) + gains[number]
        beside = [
            Matched(word=leaves[number].word, field=place, via="neighbour")
            for number, place in sorted(counts.beside.items())
        ]
        used: list[Matched] = []  # what the unit's strength rests on
        if hit.term("strength") and self._strengths is not None:
            from memoryclaw.recall.strength import in_words  # noqa: PLC0415 - only where something was ever cited or rated

            strength = in_words(self._strengths.of(hit.unit.id, hit.unit.kind))
            used.append(Matched(strength, field="ledger", via="feedback"))
        surfaces = reading.surfaces
        text = unit.text if unit.kind == "turn" else without_block_ids(unit.text)
        excerpt = snippet(text or unit.title, surfaces)
        return Match(
            unit=unit,
            path=hit.unit.path,
            note=reading.note,
            score=hit.score,
            terms=(*share_out(by_word, hit.words), *(Term(name, value) for name, value in hit.terms)),
            matched=(
                *matched_words.matched,
                *goal.matched,
                *dict.fromkeys(beside),
                *filter_causes(question.query.filters),
                *causes(question, evidence, hit),
                *([Matched(word=ranking.near, field="vector", via="vector")] if hit.term("vector") else []),
                *used,
            ),
            snippet=excerpt.text,
            highlights=excerpt.highlights,
            surfaces=surfaces,
            overdue=self._overdue(hit.unit, unit),
        )


def search(searcher: Searcher, text: str, *, kind: str, limit: int) -> Answer:
    """The best `limit` matches for a question or a query, explained; `kind` narrows as `kind:` in the query does."""
    with searcher.reading():
        ranking = searcher.find(text, kind=kind, wanted=limit)
        folding = folding_of(ranking)
        decisions: dict[int, str] = {}
        chosen: list[Ranked] = []
        for place, candidate in enumerate(ranking.open):
            if not place % CHUNK:
                is_read = len(chosen) < limit  # a few of those behind the last one are, for copies of it
            words = searcher.body(candidate) if is_read else ""
            reason = folding.reason(candidate.unit, words) or ("limit" if len(chosen) >= limit else "in")
            decisions[candidate.unit.rowid] = reason
            if reason == "in":
                folding.show(candidate.unit, words)
                chosen.append(candidate)
        doubtful, units = searcher.unapproved_units(chosen), searcher.units(chosen)
        matches = [
            folding.marked(hit.unit, match)
            for hit, match in zip(chosen, searcher.matches(ranking, chosen), strict=True)
        ]
        matches = [  # a skill that nobody approved is trusted by nobody either
            match._replace(unit=match.unit._replace(trust="unknown"))
            if hit.unit.rowid in doubtful and match.unit.trust == "trusted"
            else match
            for hit, match in zip(chosen, matches, strict=True)
        ]
        stated = searcher.verdicts(ranking, chosen[:LINES], units)
        conflicts, superseded = searcher.conflicts(chosen, stated), searcher.superseded(chosen, units, stated)
        matches = [marked(match, conflicts, superseded) for match in matches]
        relevance = relevance_of(ranking, [hit for hit in ranking.open if hit.score], searcher.own_keys)
        return Answer(**searcher.answer(text, ranking, matches, decisions, relevance))


def marked(
    match: Match, conflicts: Mapping[str, tuple[str, ...]], superseded: Mapping[str, tuple[LineMark, ...]]
) -> Match:
    """A match with what stands against it, and what holds instead of what it tells; both by id."""
    id_ = match.unit.id
    return match._replace(conflicts=conflicts.get(id_, ()), superseded=superseded.get(id_, ()))


def _line_mark(superseded: Superseded, unit: Unit) -> LineMark:
    line = unit.text.split("\n")[superseded.line - unit.line] if unit.kind == "episode" else ""
    return LineMark(superseded.mark(unit.trust), line)


def folding_of(ranking: Ranking) -> Folding:
    """What an answer will show once; a question that names a path wants all of the note."""
    named = any(item.field == "path" and not item.negated for item in ranking.question.query.filters)
    return Folding(ranking.evidence.folded, by_note=not named)


def share_of(ranking: Ranking, matches: Sequence[Match]) -> float:
    """The share of the question's weight that these matches hold."""
    return _share(ranking, [m for match in matches for m in match.matched if m.via != "vector"])


def answering_share(ranking: Ranking, causes_of: Sequence[Matched]) -> float:
    """The same of these causes, with related words; half where they hold one word of several: a name alone tells nothing of what is asked of it."""
    words_in_units = _words_held(ranking, [cause._replace(via="literal") for cause in causes_of])
    return _akin_share(ranking, causes_of) / (
        1 if len(words_in_units) >= min(2, len(ranking.question.weights)) else 2
    )


def signs_of(ranking: Ranking) -> Mapping[str, float]:
    """What each sign tells of what a question writes without spaces, its asking words aside; nothing where it writes with them."""
    question, weights = ranking.question, ranking.evidence.weights
    signs = {leaf.clause.text: weights[n] for n, leaf in enumerate(question.leaves) if is_sign(leaf)}
    topic = without_asking(question.query.text) if signs else ""
    return {sign: weight for sign, weight in signs.items() if sign in topic}


def signs_held(signs: Mapping[str, float], text: str) -> float:
    """The share of these signs that a text holds; 1 where it holds most of them, or there are none."""
    total = math.fsum(signs.values())
    shared = math.fsum(weight for sign, weight in signs.items() if sign in text)
    return shared / total if shared < MOST_SIGNS * total else 1.0


def _akin_share(ranking: Ranking, causes_of: Sequence[Matched]) -> float:
    """The share of the question's weight that these causes hold, related words counting a part of it."""
    weights, words_in_units = ranking.question.weights, _words_held(ranking, causes_of)
    akin = _words_held(ranking, [cause._replace(via="literal") for cause in causes_of]) - words_in_units
    return _share(ranking, causes_of) + (RELATED * coverage(weights, akin) if weights else 0.0)


def _share(ranking: Ranking, causes_of: Sequence[Matched]) -> float:
    if not ranking.question.weights:
        return 1.0 if causes_of else 0.0
    return coverage(ranking.question.weights, _words_held(ranking, causes_of))


def _words_held(ranking: Ranking, causes_of: Sequence[Matched]) -> set[str]:
    """The words of the question that these causes stand for."""
    synonyms = {leaf.word for leaf in ranking.question.aliases}
    # A related word is a guess: only the vault's own synonyms count as the word that was asked.
    matched_words = [m.word for m in causes_of if m.via != "alias" or m.word in synonyms]
    folded = set(map(fold, " ".join(word.rstrip("*~") for word in matched_words).split()))
    return {word for word in ranking.question.weights if fold(word) in folded}


def _notices(ranking: Ranking) -> tuple[str, ...]:
    names = strangers(ranking.question)
    paths = {hit.unit.path.rpartition("/")[0] for hit in ranking.open} if names else ()
    folders = {key_of(folder) for path in paths for folder in path.split("/")}
    unheard = [f"Nothing here is called {name}." for name in names if key_of(name) not in folders]
    notices = (*ranking.question.notices, *unheard)
    if ranking.units or not ranking.question.only_excludes:
        return notices
    return (*notices, "A question that only excludes finds nothing; say what to look for, too")
