"""Looks up what may answer a question and all that ranking needs to know of it, in a few statements, into a frozen value."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from memoryclaw.index.bm25 import (
    K1,
    WEIGHTS,
    coded,
    codes_in,
    has_pairs,
    length,
    rarity,
    sifted,
    without_digits,
)
from memoryclaw.index.catalog import BODY, Catalog, Coded, UnitSummary
from memoryclaw.index.index import Index
from memoryclaw.late import NamedTuple
from memoryclaw.model import ALSO, COUNTED, FROM_NOW_ON, SESSION, TRUSTS, Match, Unit
from memoryclaw.ports import IndexClause, TextIndex
from memoryclaw.recall.query import Filter
from memoryclaw.recall.question import KIND_NAMES, KINDS, STATES, Leaf, Question
from memoryclaw.text import dates
from memoryclaw.text.language import key_of
from memoryclaw.vault.layout import is_plain
from memoryclaw.vault.properties import ends

if TYPE_CHECKING:
    from memoryclaw.recall.strength import Strengths

B = 0.9  # how much the length of a field, against the average, lowers what a word in it counts
# What a word in the turns beside one counts, against a word in the turn itself.
BEFORE, AFTER, SECOND_BEFORE, SECOND_AFTER = 0.3, 0.2, 0.1, 0.05
TOLD_WITHIN = 7  # days in which what happened on a day is still told of
WISHES = 12  # of the newest wishes to the assistant that a question to it may mean
NEWEST = 64  # of the newest facts and statements, and of what was said and told last, where the question asks for it
SHARED = 8  # rarest words of a text by which others that share them are looked up
BESIDE = 10  # best units whose neighbours may answer without a word of the question
# A key that so large a part of the plain notes has, each value of it on average so many notes, tells nothing of one of them;
# in a vault of fewer notes than these, no key is such a habit.
HABIT, HABIT_SHARING, HABIT_NOTES = 0.5, 4, 12
SOON = 7  # days: what is due within them is added to a recall …
SOONEST = 32  # … at most so many, the soonest first
LISTED = 200  # units that a question of dates or filters alone may list
_TOUCHES = "u.at != '' and substr(max(u.at, u.until), 1, 10) >= ? and substr(u.at, 1, 10) <= ?"
SEARCHED = 0.2  # what a search word counts, against a word of the text; a synonym of the vault counts more
_MOST = K1 + 1
_STEPS = (-1, 1, -2, 2)  # to the turns beside one

Scores = Mapping[int, float]  # by rowid
NONE: Mapping[int, Any] = MappingProxyType({})


class Counts(NamedTuple):
    """How often the words of a question stand in a unit, by their number: each occurrence weighed by field, length and nearness."""

    own: Mapping[int, float]
    lent: Mapping[int, float] = NONE  # by the turns beside it
    beside: Mapping[int, str] = NONE  # the side of the nearest of them: `prev` or `next`


NOTHING_COUNTED = Counts(NONE)


class Evidence(NamedTuple):
    """What the index holds for a question.

    Attributes:
        units: how many there are in the index.
        candidates: those that may answer, each under an id of its own.
        counts: the words of the question in each of them, by rowid.
        weights: what each word tells, by its number.
        listed: no word was found: units are listed by their date or by what the fields let through.
        newest: the rowids of the newest facts and statements, whatever words they hold.
        upcoming: the rowids of what is due soon, the soonest first, whatever words it holds.
        fields: the fields that the entities of the question have, case folded.
        names: all names of these entities, as tokens.
        of_days: the rowids of what was said around the days asked about and names one of them, counted from its own day.
        expired: the rowids of what no longer counts, by its own last day or that of its session.
        used: what use has made of the strength of a unit, its `x`, by its rowid.
        unasked: the rowids of properties whose key nobody asks for: they lend their words to their notes.
        folded: how much was not looked at of what says the same as a unit, by its rowid, and of the sections of a note, by its path.
    """

    units: int
    candidates: Sequence[UnitSummary]
    counts: Mapping[int, Counts]
    weights: Sequence[float]
    listed: bool = False
    newest: frozenset[int] = frozenset()
    upcoming: tuple[int, ...] = ()
    fields: frozenset[str] = frozenset()
    names: tuple[tuple[str, ...], ...] = ()
    of_days: frozenset[int] = frozenset()
    expired: frozenset[int] = frozenset()
    used: Scores = NONE
    unasked: frozenset[int] = frozenset()
    folded: Mapping[int | str, int] = MappingProxyType({})

    def gains(self, rowid: int) -> dict[int, float]:
        """What each word adds to a unit, by its number: BM25 over the fields of the unit and those of the turns beside it."""
        counts = self.counts.get(rowid)
        if counts is None:
            return {}
        total, weights = counts.own, self.weights
        if counts.lent:
            total = dict(total)
            for number, count in counts.lent.items():
                total[number] = total.get(number, 0.0) + count
        # In their order, which sets do not keep: a sum of floats depends on it.
        return {n: weights[n] * _MOST * count / (count + K1) for n, count in sorted(total.items())}


# Looks up the best units for a question's words, so that no crowd of copies takes the places of others, and what its fields let
# through.

POOL = 100  # units of a look-up that are scored in full: the best for the words of a question
FEWER = 25  # the best for what may stand for its words, for a goal, and for single characters
# A question looks up its rarest words, two at least, as long as so many units hold them together, or this share of all units
# where that is more.
LOOKED_UP, LOOKED_UP_SHARE = 5000, 0.02
_WIDER = 8  # times as many are looked at before fields narrow them
# Where fewer than this share of what is looked up is trusted, or stands in notes of its own, the best are picked from all that is found.
CROWDED = 0.1
SECTIONS = 12  # of one note: the most that are scored then


# What says the same as something else, or stands in the same note: an answer shows some of it and counts the rest. Pure.

PARTED = frozenset({"episode", "note", "skill"})  # kinds whose sections are units
REPEATABLE = PARTED | {"turn"}  # kinds that may say the very same and be trusted
SHOWN = 3  # sections of one note that an answer shows
NEAR = 0.8  # of all words of two texts: as many in both make one a near copy of the other
LEAST, FEW = 2, 5  # words: `yes` says something else each time, `buy milk` only from somebody else


def may_fold(unit: UnitSummary) -> bool:
    """True for a unit that may be a copy of another one."""
    return unit.kind in REPEATABLE or (unit.kind != "fact" and unit.trust != "trusted")


def group_of(unit: UnitSummary, said: str) -> str:
    """What copies of a text have in common; empty for a text that is never taken for one.

    What a person vouches for is a copy only as a note or a turn that says the very same, and of few words only what one speaker said.
    Of all else, numbers do not tell two texts apart.

    Args:
        said: the codes of its body's tokens.
    """
    if len(said) < LEAST or not may_fold(unit):
        return ""
    if len(said) < FEW or length(said) < FEW:
        return f"{said}\n{unit.entity_key}" if unit.kind == "turn" and length(said) >= LEAST else ""
    return said if unit.trust == "trusted" else without_digits(said) or said


class Folding:
    """Decides, in rank order, what an answer shows by itself and what something shown stands for.

    Args:
        folded: how much was not looked at, by the rowid of the unit that says the same or by the path of its note.
        by_note: whether only `SHOWN` sections of a note are shown.
    """

    def __init__(self, folded: Mapping[int | str, int], *, by_note: bool = True) -> None:
        self._by_note = by_note
        self._said: list[tuple[UnitSummary, str, frozenset[str]]] = []
        self._of_note: dict[str, list[int]] = {}
        self._copies, self._sections = Counter[int | str](folded), Counter[str]()

    def reason(self, unit: UnitSummary, said: str) -> str:
        """Why a unit is not shown (`duplicate` or `same_note`), or an empty string; it is counted where it stands."""
        group = group_of(unit, said)
        first = self._same(unit, group) if group else None
        if first is not None:
            self._copies[first] += 1 + self._copies[unit.rowid]
            return "duplicate"
        if self._by_note and unit.kind in PARTED and len(self._of_note.get(unit.path, ())) >= SHOWN:
            self._sections[unit.path] += 1
            return "same_note"
        return ""

    def show(self, unit: UnitSummary, said: str) -> None:
        """Takes note of a unit that is shown."""
        group = group_of(unit, said)
        if group:
            self._said.append((unit, group, frozenset(codes_in(group))))
        if unit.kind in PARTED:
            self._of_note.setdefault(unit.path, []).append(unit.rowid)

    def marked(self, unit: UnitSummary, match: Match) -> Match:
        """A match with how many near copies it stands for and, the best of its note, how many further sections of that."""
        best = self._of_note.get(unit.path, [0])[0] == unit.rowid
        hidden = (self._sections[unit.path] + self._copies[unit.path]) * best
        return match._replace(copies=self._copies[unit.rowid], sections=hidden)

    def _same(self, unit: UnitSummary, own: str) -> int | None:
        """The unit that is shown, says the same, and is trusted at least as much."""
        level = TRUSTS.index(unit.trust)
        words = frozenset(codes_in(own)) if unit.trust != "trusted" else frozenset[str]()
        for shown_unit, text, words_shown in self._said:
            if TRUSTS.index(shown_unit.trust) <= level and (
                own == text
                or (unit.trust != "trusted" and "\n" not in own + text and _are_near(words, words_shown))
            ):
                return shown_unit.rowid
        return None


def _are_near(words: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(words), len(other)) < NEAR * max(len(words), len(other)):
        return False
    shared = len(words & other)
    return shared >= NEAR * (len(words) + len(other) - shared)


class Lane:
    """The best units of one index.

    Args:
        most: units that the words of a question may be looked up in.
        catalog: tells where they stand and how far they are trusted; without one, no crowd is looked for.
    """

    def __init__(
        self,
        engine: TextIndex,
        containing: Callable[[IndexClause], int],
        most: float,
        catalog: Catalog | None = None,
    ) -> None:
        self._engine = engine
        self._containing = containing
        self._most = most
        self._catalog = catalog
        self.summaries: dict[int, UnitSummary] = {}  # of what was looked at, by rowid
        self.folded: dict[
            int, int | str
        ] = {}  # what is not looked at: the unit that says the same, or the path of its note

    def best(self, clause: IndexClause, pool: int, fields: FieldFilter | None = None) -> dict[int, float]:
        """BM25 of the `pool` best units that the fields let through, and of all that tie with the last of them.

        If a crowd fills them (the sections of one note, or what nobody vouches for), the `pool` best of each trust are picked from all
        that is found: of copies one, of one note's sections `SECTIONS`.
        """
        clause = self._rarest(clause)
        scores, catalog = self._best(clause, pool, fields), self._catalog
        if catalog is None:
            return scores
        wider = pool
        while len(scores) >= wider and self._is_crowd(scores, pool, catalog):
            wider = wider * _WIDER if wider == pool else max(self._engine.size()[0], wider) + 1
            scores = self._best(clause, wider, fields)
        return self._by_trust(scores, pool, catalog) if wider > pool else scores

    def _best(self, clause: IndexClause, pool: int, fields: FieldFilter | None) -> dict[int, float]:
        if fields is None:
            return dict(self._engine.find(clause, pool))
        wider = dict(self._engine.find(clause, pool * _WIDER))
        through = {rowid: wider[rowid] for rowid in fields.among(wider)}
        if len(through) >= pool:
            least = sorted(through.values(), reverse=True)[pool - 1]
            return {rowid: score for rowid, score in through.items() if score >= least}
        if len(wider) < pool * _WIDER:
            return through
        return dict(self._engine.find(clause, pool, fields.rowids))

    def _by_trust(self, scores: Mapping[int, float], pool: int, catalog: Catalog) -> dict[int, float]:
        """The best of each trust: one of what says the same, and some sections of each note."""
        texts = catalog.tokens(scores)
        units = sorted(self.known(scores, catalog), key=lambda unit: (unit.id, unit.path, unit.seq))
        units.sort(key=lambda unit: unit.at, reverse=True)  # of equal copies, the newest stands for all
        first: dict[tuple[str, str], int] = {}
        places = Counter[str]()
        chosen: dict[int, float] = {}
        for unit in sorted(units, key=lambda unit: -scores[unit.rowid]):
            group = group_of(unit, texts[unit.rowid]["body"])
            stands = first.setdefault((unit.trust, group), unit.rowid) if group else unit.rowid
            if stands != unit.rowid:
                self.folded[unit.rowid] = stands
            elif unit.kind in PARTED and places[unit.path] >= SECTIONS:
                self.folded[unit.rowid] = unit.path
            elif places[unit.trust] < pool:
                places.update((unit.trust, unit.path))
                chosen[unit.rowid] = scores[unit.rowid]
        return chosen

    def _is_crowd(self, scores: Mapping[int, float], pool: int, catalog: Catalog) -> bool:
        """True where hardly anything of it is trusted, or it stands in hardly any notes."""
        units = self.known(scores, catalog)
        trusted = sum(unit.trust == "trusted" for unit in units)
        notes = {unit.path if unit.kind in PARTED else unit.rowid for unit in units}
        return min(trusted, len(notes)) < pool * CROWDED

    def known(self, rowids: Collection[int], catalog: Catalog) -> list[UnitSummary]:
        """What ranking needs of these units, in the order of their rowids; each is read once for a question."""
        if missing := [rowid for rowid in rowids if rowid not in self.summaries]:
            self.summaries.update((unit.rowid, unit) for unit in catalog.summaries(missing))
        return [self.summaries[rowid] for rowid in sorted(rowids) if rowid in self.summaries]

    def within(self, clause: IndexClause, pool: int, fields: FieldFilter) -> dict[int, float]:
        """The same where the fields let few units through, as a day or a month does."""
        few = fields.first(int(self._most) + 1)
        return (
            dict(self._engine.find(clause, pool, few))
            if len(few) <= self._most
            else self.best(clause, pool, fields)
        )

    def _rarest(self, clause: IndexClause) -> IndexClause:
        """Of words any of which may stand: the rarest, as many as few units hold together."""
        if clause.op != "any" or any(term.op != "token" for term in clause.parts):
            return clause
        counts = {term: self._containing(term) for term in clause.parts}
        ordered = sorted(counts, key=lambda part: (counts[part], part.text))
        units_held = 0
        rarest: list[IndexClause] = []
        for term in ordered:
            units_held += counts[term]
            if units_held > self._most and sum(counts[counted] > 0 for counted in rarest) >= 2:
                break
            rarest.append(term)
        return IndexClause("any", parts=tuple(rarest)) if len(rarest) < len(clause.parts) else clause


# The fields of a question (tag: kind: since: …) as SQL over the index's tables. Values are always bound.

# What is of days between two: those of a unit stand in their order.
DATED = "u.days != '' and u.days <= ? || '~' and substr(u.days, length(u.days) - 9) >= ?"
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
    "type": "u.memory_type = ?",
    "scope": "(u.scope = ? or substr(u.scope, 1, length(?) + 1) = ? || ':')",
    "expires": "u.expires != '' and u.expires >= ? and (? = '' or u.expires <= ?)",
}
# A fact without an end holds until today, so it also held on every day since it began.
_ON = f"""(u.at != '' and substr(u.at, 1, 10) <= ?
    and (substr(max(u.at, u.until), 1, 10) >= ? or (u.kind = 'fact' and u.until = '' and u.state = 'current'))) or ({DATED})"""

Condition = tuple[str, list[str]]  # over `units u`, and what is bound to it


class FieldFilter:
    """One condition on units.

    Args:
        where: the condition over `units u`.
    """

    def __init__(self, catalog: Catalog, where: str, values: Sequence[str]) -> None:
        self._catalog = catalog
        self._sql = f"select u.rowid from units u where {where}"
        self._values = values

    @cached_property
    def rowids(self) -> list[int]:
        """All of them."""
        return self._catalog.rowids(self._sql, self._values)

    def first(self, most: int) -> list[int]:
        """At most so many of them, in no order."""
        return self._catalog.rowids(f"{self._sql} limit {most}", self._values)

    def among(self, rowids: Iterable[int]) -> set[int]:
        """Those of a few."""
        sql = f"{self._sql} and u.rowid in (select value from json_each(?))"
        return {*self._catalog.rowids(sql, [*self._values, json.dumps(list(rowids))])}


def conditions(filters: Sequence[Filter]) -> Condition:
    """All filters as one SQL condition over `units u`, with the values to bind."""
    clauses, values = ["1 = 1"], []
    for item in filters:
        sql, bound = _condition(item)
        clauses.append(f"not ({sql})" if item.negated else f"({sql})")
        values += bound
    return " and ".join(clauses), values


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
        return _ON, [last or first, first, last or first, first]
    if item.field == "expires":
        first, _, last = value.partition("/")
        return _SQL["expires"], [first, last, last]
    if item.field == "scope" and value.lower() == "permanent":
        return _SQL["scope"], ["", "-", "-"]
    if item.field in ("entity", "person", "project"):
        value = key_of(value)
    if item.field in ("tag", "trust"):
        value = value.lower().lstrip("#")
    sql = _SQL[item.field]
    return sql, [value] * sql.count("?")


class EvidenceReader:
    """Reads the evidence for questions from one index, and how strongly each unit is remembered where that is told."""

    def __init__(self, index: Index, catalog: Catalog, strengths: Strengths | None = None) -> None:
        self._strengths = strengths
        self._index = index
        self._catalog = catalog
        self._units = index.size()[0]
        self._idf = IdfTable(index, catalog, self._units)
        self._usual = catalog.usual_lengths()
        self._most = max(LOOKED_UP, LOOKED_UP_SHARE * self._units)
        self._lane = Lane(index.engine, self._idf.containing, self._most, catalog)

    def read(self, question: Question, pool: int, *, newest: bool = False) -> Evidence:
        """All that may answer; of what each kind of look-up finds, the `pool` best at least; on demand what is newest, too."""
        leaves = question.all_leaves
        self._lane.folded.clear()
        self._lane.summaries.clear()
        self._idf.learn(leaves)
        fields = self.fields(question)
        then = self._units_of_days(question)
        text = self._text(question, fields, then, max(pool, POOL))
        others = self._any([*question.aliases, *question.related], fields)
        if len(text) < POOL:  # single characters stand in most texts, so they find only what is still missing
            others |= self._any(
                [leaf for leaf in question.leaves if leaf.via == "bigram" and leaf.share < 1], fields
            )
        others |= self._any([leaf for leaf in question.leaves if leaf.via == "date"], fields)
        goal = self._any(question.goal, fields) if question.open_to_goal else {}
        listed = self._units_by_filter(question, nothing_found=not (text or others))
        answers = self._words_of_people(question, then) if then and question.in_words and not listed else []
        wishes = self._wishes() if question.of_you and question.in_words and not fields else []
        of_now = newest and question.in_words and not (fields or question.query.ranges)
        latest = self._newest() if of_now and question.latest else []
        soon = self._upcoming(question.today) if of_now else []
        dated = self._dated_units(question) if question.in_words and not listed else []
        of_days = self._naming_days(question) if question.in_words and not text else []
        rowids = dict.fromkeys(
            [*text, *others, *goal, *listed, *answers, *wishes, *dated, *of_days, *latest, *soon]
        )
        summaries = self._lane.known(rowids, self._catalog)
        units = [*summaries, *self._beside(text, summaries, fields)] if question.in_words else summaries
        counts = self._counts(leaves, len(question.leaves), units, question.clause, replies=question.of_reply)
        always = {*listed, *answers, *wishes, *dated, *of_days, *latest, *soon}
        units = [unit for unit in units if unit.rowid in counts or unit.rowid in always]
        own_ids = with_own_ids(units, self._catalog)
        # What stands for a word tells no more than that word.
        weights = [leaf.share * min(self._idf(leaf.clause), leaf.most) for leaf in question.all_leaves]
        evidence = Evidence(
            self._units, own_ids, counts, weights, bool(listed), frozenset(latest), tuple(soon), of_days=frozenset(of_days),
            expired=self._expired_units(units, question.today), used=self._uses(own_ids),
            unasked=self._unasked(units, question, counts, {*listed, *dated, *soon}), folded=Counter(self._lane.folded.values()),
        )  # fmt: skip
        # What else the entities of the question are called, and which fields they have.
        entities = list(question.entities)
        if not entities:
            return evidence
        names = [*entities, *(name for _, name in self._catalog.synonyms(entities))]
        return evidence._replace(
            fields=frozenset(field.casefold() for field in self._catalog.fields_of(entities)),
            names=tuple(tuple(question.language.tokens(name)) for name in names),
        )

    def sharing(self, texts: Iterable[Iterable[str]], most: int) -> list[UnitSummary]:
        """At most so many current units, those first that share the most with the texts, which are given as their tokens: each is looked up by its rarest ones that not it alone holds."""
        texts = [[*dict.fromkeys(tokens)] for tokens in texts]
        counts = self._catalog.count_of([*chain.from_iterable(texts)])
        rarest = (
            sorted(
                (token for token in text if 1 < counts.get(token, 0) <= self._most),
                key=lambda token: (counts[token], token),
            )
            for text in texts
        )
        tokens = dict.fromkeys(token for text in rarest for token in text[:SHARED])
        clause = IndexClause("any", parts=tuple(IndexClause("token", token) for token in tokens))
        hits = {hit.rowid: hit.score for hit in self._index.engine.find(clause, most)} if clause.parts else {}
        units = with_own_ids(self._catalog.summaries(sorted(hits)), self._catalog) if hits else []
        current = [unit for unit in units if unit.state == "current"]
        return sorted(current, key=lambda unit: (-hits[unit.rowid], unit.id, unit.path))[:most]

    def _unasked(
        self,
        units: Iterable[UnitSummary],
        question: Question,
        counts: Mapping[int, Counts],
        always: AbstractSet[int],
    ) -> frozenset[int]:
        """The properties whose key the question does not ask for, or of which it says nothing besides; nor for what is of a day by its value, nor for facts."""
        filtered = any(
            item.field in ("kind", "entity", "type") and not item.negated for item in question.query.filters
        )
        if filtered or not question.in_words:
            return frozenset()
        properties = [u for u in units if u.kind == "fact" and u.rowid not in always and is_plain(u.path)]
        tokens = [leaf.clause.text for leaf in (*question.leaves, *question.aliases)]

        def is_asked(unit: UnitSummary) -> bool:
            key = set(question.language.tokens(unit.field))
            matched = (
                {tokens[n] for n in counts[unit.rowid].own if n < len(tokens)}
                if unit.rowid in counts
                else set()
            )
            return question.asks_for(unit.field, unit.days, unit.entity_key) and (
                not matched <= key or key.issuperset(tokens) or question.names_folder(unit.path)
            )

        wanted = list(filter(is_asked, properties))
        habits = self._catalog.habits({u.field for u in wanted}, HABIT, HABIT_SHARING, HABIT_NOTES)
        return frozenset(u.rowid for u in properties) - {u.rowid for u in wanted if u.field not in habits}

    def _uses(self, units: Iterable[UnitSummary]) -> Scores:
        if self._strengths is None or not self._strengths.ids:
            return NONE
        return {u.rowid: x for u in units if (x := self._strengths.of(u.id, u.kind).x)}

    def fields(self, question: Question) -> FieldFilter | None:
        """What the fields of a question let through; None when it has none."""
        filters = question.query.filters
        return FieldFilter(self._catalog, *conditions(filters)) if filters else None

    def _text(
        self, question: Question, fields: FieldFilter | None, then: Condition | None, pool: int
    ) -> dict[int, float]:
        if question.clause is None or question.only_excludes:
            return {}
        scores = self._lane.best(question.clause, pool, fields)
        return (
            scores | self._lane.within(question.clause, pool, FieldFilter(self._catalog, *then))
            if then
            else scores
        )

    def _any(self, leaves: Sequence[Leaf], fields: FieldFilter | None) -> dict[int, float]:
        clause = IndexClause("any", parts=tuple(dict.fromkeys(leaf.clause for leaf in leaves)))
        return self._lane.best(clause, FEWER, fields) if leaves else {}

    def _units_of_days(self, question: Question) -> Condition | None:
        """What holds of units of the days asked about and of those just after, besides what the fields of the question say."""
        where, values = conditions(question.query.filters)
        spoken = [range_ for range_ in question.query.ranges if range_.start and range_.end]
        for range_ in spoken:
            later = dates.plus_days(date.fromisoformat(range_.end), TOLD_WITHIN).isoformat()
            values += [range_.start, later]
        days = " or ".join(["u.at >= ? and u.at < ? || '~'"] * len(spoken))
        return (f"{where} and u.at != '' and ({days})", values) if spoken else None

    def _words_of_people(self, question: Question, then: Condition) -> list[int]:
        """What people whom the question names said then, newest first: it may answer without a word of the question."""
        where, values = then
        sql = f"""select u.rowid from units u where {where} and u.kind = 'turn'
            and u.entity_key in (select value from json_each(?)) order by u.at desc, u.id limit {LISTED}"""
        people = [*question.people]
        return self._catalog.rowids(sql, [*values, json.dumps(people)]) if people else []

    def _wishes(self) -> list[int]:
        """What people want the assistant to do from now on, newest first."""
        # The field stands in the query as it does in the partial index, which SQLite would not use otherwise.
        sql = f"select rowid from unit where field = '{FROM_NOW_ON}' and state = 'current' order by at desc, id limit {WISHES}"
        return self._catalog.rowids(sql)

    def _newest(self) -> list[int]:
        """The facts and statements of today's truth, and what was last said and told, newest first."""
        # The conditions stand in the query as they do in the partial index.
        facts = f"""select rowid from unit where kind = 'fact' and state = 'current' and trust = 'trusted'
            order by at desc, id limit {NEWEST}"""
        newest = f"""select rowid from unit where kind in ('episode', 'turn') and state = 'current' and trust != 'untrusted'
            order by at desc, id limit {NEWEST}"""
        return [*self._catalog.rowids(facts), *self._catalog.rowids(newest)]

    def _upcoming(self, today: date) -> list[int]:
        """Facts whose value is a day of the next week, and open to-dos of one, the soonest first."""
        sql = f"""select rowid from unit u where {DATED} and u.state = 'current' and u.trust = 'trusted'
            and (u.kind = 'fact' or (u.kind = 'todo' and u.field = 'open')) order by days, id limit {SOONEST}"""
        last = dates.plus_days(today, SOON).isoformat()
        return self._catalog.rowids(sql, [last, today.isoformat()])

    def _expired_units(self, units: Iterable[UnitSummary], today: date) -> frozenset[int]:
        """What no longer counts on this day: its own last day is over, or its session has long been idle."""
        bounded = [unit for unit in units if unit.expires or unit.scope.startswith(SESSION)]
        if not bounded:
            return frozenset()
        active, day = self._catalog.last_active(unit.scope for unit in bounded), today.isoformat()
        last = {u.rowid: ends(u.lifecycle, max(active.get(u.scope, ""), u.at[:10])) for u in bounded}
        return frozenset(rowid for rowid, end in last.items() if end and end < day)

    def _dated_units(self, question: Question) -> list[int]:
        """What is of the days asked about by its own value, whatever words it holds: facts that are dates, to-dos due then."""
        where, values = conditions(question.query.filters)
        rowids: dict[int, None] = {}
        for range_ in question.days:
            sql = f"""select u.rowid from units u where {where} and {DATED} order by u.days, u.id limit {LISTED}"""
            rowids |= dict.fromkeys(self._catalog.rowids(sql, [*values, range_.end or "9999", range_.start]))
        return list(rowids)

    def _beside(
        self, text: Scores, known: Sequence[UnitSummary], fields: FieldFilter | None
    ) -> list[UnitSummary]:
        """Turns beside the best ones, which may have the words of a question around them and none themselves."""
        by_words = [unit for unit in known if unit.rowid in text]
        best = sorted(by_words, key=lambda unit: (-text[unit.rowid], unit.id, unit.path, unit.seq))[:BESIDE]
        around = {(unit.rowid + step, unit.first) for unit in best if unit.kind == "turn" for step in _STEPS}
        beside = {rowid for rowid, _ in around} - {unit.rowid for unit in known} - self._lane.folded.keys()
        summaries = (
            self._catalog.summaries(sorted(fields.among(beside) if fields else beside)) if beside else []
        )
        return [
            unit for unit in summaries if (unit.rowid, unit.first) in around
        ]  # numbers go on in the next file

    def _counts(
        self,
        leaves: Sequence[Leaf],
        asked: int,
        units: Sequence[UnitSummary],
        clause: IndexClause | None,
        *,
        replies: bool,
    ) -> dict[int, Counts]:
        """How often each leaf stands in these units; the first `asked` of them count in the turns beside one, too."""
        turns = {unit.rowid for unit in units if unit.kind == "turn" and unit.trust != "untrusted"}
        candidates = {unit.rowid for unit in units}
        rowids = {rowid + step for rowid in turns for step in _STEPS} | candidates
        clauses = [leaf.clause for leaf in leaves] + ([clause] if clause else [])
        codes = self._catalog.codes({*chain.from_iterable(map(_tokens, clauses))})
        counter = _LeafCounter(
            leaves, self._catalog.coded(rowids), codes, self._usual, asked=asked, candidates=candidates
        )
        nested = clause is not None and _is_nested(clause)
        counted = {}
        for unit in units:
            of_unit = counter.own(unit.rowid)
            # A long reply holds all words of a subject anyway: it borrows little, and of the turn that it answers.
            only_answers = not replies and unit.role == "assistant" and not counter.is_short(unit.rowid)
            is_turn = unit.rowid in turns
            lent, beside = counter.lent(unit.rowid, only_answers=only_answers) if is_turn else (NONE, NONE)
            if nested and clause is not None:
                holding = _holding(clause, counter.fields(unit.rowid), codes)
                of_unit = {
                    n: count for n, count in of_unit.items() if n >= asked or leaves[n].clause in holding
                }
                lent = {n: count for n, count in lent.items() if n >= asked or leaves[n].clause in holding}
            if of_unit or lent:
                counted[unit.rowid] = Counts(of_unit, lent, beside)
        return counted

    def _units_by_filter(self, question: Question, *, nothing_found: bool) -> list[int]:
        """Units found by their date or by filters alone, newest first."""
        ranges, filters = question.query.ranges, question.query.filters
        by_words = question.query.root is not None and not question.only_excludes
        if (by_words and not (ranges and nothing_found)) or not (ranges or filters):
            return []
        where, values = conditions(filters)
        if ranges:
            spoken = [(range_.start or "0000", range_.end or "9999") for range_ in ranges]
            dated = [(range_.end or "9999", range_.start or "0000") for range_ in question.days]
            touching = [*[f"({_TOUCHES})"] * len(spoken), *[f"({DATED})"] * len(dated)]
            where += f" and ({' or '.join(touching)})"
            values = [*values, *(day for span in (*spoken, *dated) for day in span)]
        if question.only_excludes and question.clause is not None:
            barred = self._index.engine.find(question.clause.parts[0], max(self._units, 1))
            where += " and u.rowid not in (select value from json_each(?))"
            values = [*values, json.dumps([hit.rowid for hit in barred])]
        sql = f"select u.rowid from units u where {where} order by u.at desc, u.id limit {LISTED}"
        return self._catalog.rowids(sql, values)

    def _naming_days(self, question: Question) -> list[int]:
        """What was said around the days asked about and names one of them, by its date or counted from its own day, as `yesterday` does."""
        days = [
            day
            for day in question.days
            if day.start and day.end and dates.is_week_or_less(day.start, day.end)
        ]
        if not days:
            return []
        where, values = conditions(question.query.filters)
        for day in days:
            values += [
                dates.plus_days(date.fromisoformat(end), step).isoformat()
                for end, step in ((day.start, -TOLD_WITHIN), (day.end, TOLD_WITHIN))
            ]
        around = " or ".join(["u.at >= ? and u.at < ? || '~'"] * len(days))
        sql = f"""select u.rowid from units u where {where} and u.kind in ('turn', 'fact') and u.at != '' and ({around})
            order by u.at desc, u.id limit {LISTED}"""
        units = self._catalog.units(self._catalog.rowids(sql, values))
        return [rowid for rowid, unit in units.items() if _tells_of(unit, days)]


class _LeafCounter:
    """Counts the leaves of a question in units, each occurrence weighed by its field and by the length of that.

    Args:
        units: each unit and those beside it, by rowid.
        codes: of the tokens of the leaves.
        usual: what the length of a column is compared with, by kind of unit.
        asked: how many of the leaves, the first ones, also count in the turns beside one.
        candidates: the rowids of the units that they are counted in.
    """

    def __init__(
        self,
        leaves: Sequence[Leaf],
        units: Mapping[int, Coded],
        codes: Mapping[str, str],
        usual: Mapping[tuple[str, str], float],
        *,
        asked: int,
        candidates: AbstractSet[int],
    ) -> None:
        self._units = units
        self._asked = asked
        shares = (BEFORE, AFTER, SECOND_BEFORE, SECOND_AFTER)  # read anew: benchmarks try others
        self._beside = [
            (step, share, "prev" if step < 0 else "next") for step, share in zip(_STEPS, shares, strict=True)
        ]
        self._answered = [(-1, SECOND_BEFORE, "prev")]
        self._usual = usual
        # By the first character of its codes.
        self._sought: dict[str, list[tuple[int, str, tuple[str, ...]]]] = {}
        for n, leaf in enumerate(leaves):
            if text := coded(leaf.clause.text, codes):
                self._sought.setdefault(text[0], []).append((n, text, leaf.clause.columns))
        # A field holds few of the characters that are sought: all others leave all fields at once. Of a turn beside one, only
        # its text counts.
        self._places: dict[int, int] = {}  # where the fields of a unit begin
        texts: list[int] = []  # where the text of each unit stands
        columns: list[str] = []
        place = 0
        for rowid, unit in units.items():
            if rowid in candidates:
                self._places[rowid] = place
                texts.append(place + BODY)
                columns.append(unit.columns)
                place += len(COUNTED)
            else:
                texts.append(place)
                columns.append(unit.body)
                place += 1
        fields = "\n".join(columns)
        self._has_pairs = has_pairs(fields)
        self._fields, self._signs = fields.split("\n"), sifted(fields, "".join(self._sought)).split("\n")
        self._bodies = {
            rowid: self._weigh(unit.kind, place, "body")
            for (rowid, unit), place in zip(units.items(), texts, strict=True)
            if self._signs[place]
        }

    def fields(self, rowid: int) -> dict[str, str]:
        """The codes of a unit, by column."""
        place = self._places[rowid]
        return dict(zip(COUNTED, self._fields[place : place + len(COUNTED)], strict=True))

    def own(self, rowid: int) -> Mapping[int, float]:
        """The leaves in the columns of a unit itself."""
        counts: Mapping[int, float] = self._bodies.get(rowid, NONE)
        first = self._places[rowid]
        for at, sign in enumerate(self._signs[first : first + len(COUNTED)]):
            if sign and at != BODY:
                counts = dict(counts)
                for n, weighed in self._weigh(self._units[rowid].kind, first + at, COUNTED[at]).items():
                    counts[n] = counts.get(n, 0.0) + weighed
        return counts

    def is_short(self, rowid: int) -> bool:
        """True for a turn no longer than the average."""
        usual = self._usual.get((self._units[rowid].kind, "body"), 0.0)  # in a log no turn may have any words
        place = self._places[rowid] + BODY
        return length(self._fields[place], self._signs[place]) <= usual

    def lent(self, rowid: int, *, only_answers: bool) -> tuple[dict[int, float], dict[int, str]]:
        """The words in the turns beside one, or of what it answers, by number, and the side of the nearest that has each."""
        file, asked, bodies = self._units[rowid].file, self._asked, self._bodies
        total: dict[int, float] = {}
        beside: dict[int, str] = {}
        for step, share, side in self._answered if only_answers else self._beside:
            counts = bodies.get(rowid + step)
            if counts and (neighbour := self._units[rowid + step]).file == file and neighbour.kind == "turn":
                for n, weighed in counts.items():
                    if n < asked:
                        if n in total:
                            total[n] += share * weighed
                        else:
                            total[n], beside[n] = share * weighed, side
        return total, beside

    def _weigh(self, kind: str, place: int, column: str) -> dict[int, float]:
        """The leaves in the field at a place, some of whose characters stand in it."""
        signs, field = self._signs[place], self._fields[place]
        tokens = length(field, signs) if self._has_pairs else len(field)
        # Search words are few or many, and each is a guess.
        usual = 0.0 if column == ALSO else self._usual[kind, column]
        scale = WEIGHTS.get(column, 1.0) / (1 - B + B * tokens / usual) if usual else SEARCHED
        return {
            n: scale * count
            for first in set(signs)
            for n, text, columns in self._sought.get(first, ())
            if (count := (signs if len(text) == 1 else field).count(text))
            and (not columns or column in columns)
        }


def _tells_of(unit: Unit, days: Sequence[dates.DateRange]) -> bool:
    said = dates.day_of(unit.when)
    spans = dates.told_ranges(unit.text, said) if said else ()
    return any(
        span.start and span.end and day.start <= span.start and span.end <= day.end
        for span in spans
        for day in days
    )


def _tokens(clause: IndexClause) -> list[str]:
    return [*clause.text.split(), *chain.from_iterable(map(_tokens, clause.parts))]


def _holding(clause: IndexClause, fields: Mapping[str, str], codes: Mapping[str, str]) -> set[IndexClause]:
    """The tokens and phrases that count for a unit; empty when the clause does not hold."""
    if clause.op in ("token", "phrase"):
        text = coded(clause.text, codes)
        searched = [field for name, field in fields.items() if not clause.columns or name in clause.columns]
        return {clause} if text and any(text in field for field in searched) else set()
    required = [_holding(each, fields, codes) for each in clause.parts if each.op != "not"]
    barred = any(_holding(each.parts[0], fields, codes) for each in clause.parts if each.op == "not")
    if clause.op == "all" and (barred or not all(required)):
        return set()
    return set().union(*required)


def _is_nested(clause: IndexClause) -> bool:
    """True when a part may stand in a unit and yet add nothing to it."""
    return any(subclause.op == "all" or _is_nested(subclause) for subclause in clause.parts)


class IdfTable:
    """The idf of clauses in an index, each looked up once."""

    def __init__(self, index: Index, catalog: Catalog, units: int) -> None:
        self._index = index
        self._catalog = catalog
        self._units = units
        self._counts: dict[IndexClause, int] = {}

    def __call__(self, clause: IndexClause) -> float:
        """How much a clause tells."""
        return rarity(self._units, self.containing(clause))

    def containing(self, clause: IndexClause) -> int:
        """How many units hold a token or phrase."""
        if clause not in self._counts:
            if clause.op == "token" and not clause.columns:
                self._learn([clause.text])
            else:
                self._counts[clause] = self._index.engine.count(clause)
        return self._counts[clause]

    def learn(self, leaves: Iterable[Leaf]) -> None:
        """Looks up the tokens of a question together, those of phrases too, counted over all columns."""
        self._learn({word for leaf in leaves for word in leaf.clause.text.split(" ")})

    def _learn(self, tokens: Collection[str]) -> None:
        counts = self._catalog.count_of(tokens)
        self._counts.update((IndexClause("token", token), counts.get(token, 0)) for token in tokens)


def with_own_ids(units: Sequence[UnitSummary], catalog: Catalog) -> list[UnitSummary]:
    """The same units; where two share an id, as in copied files, all but the first in the vault are named by their place."""
    twins = catalog.twins({unit.path for unit in units})
    if not twins and len({unit.id for unit in units}) == len(units):
        return list(units)
    ids: set[str] = set()
    renamed = {}
    for unit in sorted(units, key=lambda unit: (unit.path, unit.seq)):
        id_, n = _place(unit) if unit.id in ids or unit.path in twins else unit.id, 1
        while id_ in ids:
            n += 1
            id_ = f"{_place(unit)}~{n}"
        ids.add(id_)
        renamed[unit.rowid] = unit._replace(id=id_)
    return [renamed[unit.rowid] for unit in units]


def _place(unit: UnitSummary) -> str:
    below = unit.id.partition("#")[2]
    if unit.kind == "turn":
        return f"{unit.path}#L{unit.line}"
    return unit.path.removesuffix(".md") + (f"#{below}" if below else "")
