"""Whether what somebody said may have changed what stands: a learned sum of named features of the two. Pure.

The sum has a person asked, and never ends anything. Its weights are learned by `benchmarks/overtaking.py` and kept in
`data/overtaking.toml`; a new feature is a new entry here, and counts for nothing until it is learned.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, cached_property, lru_cache
from itertools import pairwise, takewhile

from memoryclaw.consolidation.bearing import (
    REACHED_AT,
    are_two_of,
    clauses_told,
    is_theirs,
    kinds_named,
    kinds_of_field,
    tells_apart,
)
from memoryclaw.consolidation.facets import UNSTATED, FacetChange, facets_of, is_word_of, turns_in
from memoryclaw.model import Fact
from memoryclaw.recall.renewing import clock_in, fields_in, spans_apart, stems_in, valued
from memoryclaw.recall.restated import exact_values
from memoryclaw.talk.assertions import has_phrase
from memoryclaw.talk.learned import Worth, weighed
from memoryclaw.talk.people import PLACED
from memoryclaw.talk.statements import Statement
from memoryclaw.text import words as lists
from memoryclaw.text.clauses import Clause, clauses
from memoryclaw.text.dates import find_ranges, told_ranges, with_blanks
from memoryclaw.text.grammar import (
    Grammar,
    codes,
    grammar,
    grammar_of,
    spans_of,
    tokens_of,
)
from memoryclaw.text.language import key_of

_EVERYDAY = 0.4  # what an everyday word weighs beside a name or a rare one
_MOST = 2  # of what stands that one turn may change
_FACET = "~a facet: "  # before one, among stems
_LEAD = "^"  # before the words by which somebody tells of themselves, among stems
_DOUBTS = ("supposed", "joke", "reported", "hedged")
_PLACED = ("work", "home", "school")  # facets whose value is told with a place
_LASTING = frozenset({"be", "have", "state", "modal"})  # kinds of verbs of what holds
_START = 2  # words by which two sentences begin alike
_WAY = 2  # words before a place with the verb that leads to it
_LONG = timedelta(days=300)
_ANY_DAY = date(2000, 1, 1)
_COUNTED = frozenset({"amount", "measure", "clock"})  # forms that people tell on as a plain figure
_WITHIN_FIGURE = re.compile(r"(?<=\d)[.,](?=\d)")  # `1,240` and `1,310` have no `1` in common
_REACHING = frozenset("@+0")  # one of these is in every address and every number at which somebody is reached


class Telling:
    """What a person said in one turn, questions apart: its sentences, each with the statements that were read in it."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.sentences: dict[str, list[Statement]] = {}
        for statement in statements:
            if "asked" not in statement.doubts:
                self.sentences.setdefault(statement.quote, []).append(statement)
        first = statements[0]
        self.who, self.said, self.line = first.who, first.said, first.line
        self.words, self.text = grammar(first.language), " ".join(self.sentences)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """All its words."""
        return tokens_of(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """What all its sentences speak of."""
        return frozenset[str]().union(*self.topics.values())

    @cached_property
    def topics(self) -> dict[str, frozenset[str]]:
        """What each of its sentences speaks of, the facets that have another value by it, and with a sign of the present how its clauses begin."""
        topics = {}
        for sentence in self.sentences:
            clauses = self.clauses_of(sentence)
            is_new = self.words.new_states.within(tokens_of(sentence))
            leads = (leads_of(clause, self.words) for clause in clauses if is_new)
            topics[sentence] = self.topic_of(sentence, *clauses).union(*leads)
        return topics

    def topic_of(self, text: str, *clauses: Clause) -> frozenset[str]:
        """What a text speaks of, and the facets that have another value by its clauses."""
        turned = (
            frozenset(f"{_FACET}{turn.facet}" for turn in turns_in(clause, self.words)) for clause in clauses
        )
        return _stems(text, self.words.code).union(*turned)

    def clauses_of(self, sentence: str) -> tuple[Clause, ...]:
        """The clauses of a sentence."""
        return clauses_told(sentence, self.words, self._named)

    def speaks_of(self, fact: Fact) -> bool:
        """True where it has a rare word of what stands, two others, one of what that is about, or one beside a change to another value."""
        shared = self.stems & stems_of(fact, self)
        if not shared:  # as of most
            return False
        if sum(_weight_of(stem, self.words.code) for stem in shared) > _EVERYDAY:
            return True
        if _led(shared) or not shared.isdisjoint(_topic_of(fact, self.words.code)):
            return True
        start = tokens_of(fact.value)[:_START]
        if valued(fact.value) and any(
            start == tokens_of(each)[:_START] and valued(each) for each in self.sentences
        ):
            return True
        is_change = (len(shared) > 1 or self.words.changes.within(self.tokens)) and _differ(
            fact.value, self.text
        )
        # Not the month of two days.
        return is_change and not shared <= _stems(" ".join(valued(fact.value, units=True)), self.words.code)

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(token for name in self.names() for token in tokens_of(name))

    def names(self) -> list[str]:
        """The speaker, and whomever and whatever it names."""
        statements = (statement for spoken in self.sentences.values() for statement in spoken)
        return list(
            dict.fromkeys(
                filter(None, (self.who, *(name for each in statements for name in (each.about, *each.names))))
            )
        )


class Pair:
    """What stands, beside what somebody said later."""

    rivals = 0  # how much else stands that has the rarest of what both have

    def __init__(self, fact: Fact, telling: Telling) -> None:
        self.fact, self.telling, self.words = fact, telling, telling.words
        self.owner: str = "" if key_of(fact.entity) == key_of(telling.who) else fact.entity
        self.old = stems_of(fact, telling)
        shared = {sentence: topic & self.old for sentence, topic in telling.topics.items()}
        # That of its sentences which begins as the older one does, or has most of it.
        self.sentence: str = max(
            shared,
            key=lambda sentence: (
                _led(shared[sentence]) != frozenset(),
                self.weight(shared[sentence]),
                len(sentence),
            ),
        )
        self.shared: frozenset[str] = shared[self.sentence]
        self.statements = telling.sentences[self.sentence]
        self.tokens = tokens_of(self.sentence)

    def weight(self, shared: Iterable[str]) -> float:
        """What some stems weigh."""
        return sum(_weight_of(stem, self.words.code) for stem in shared)

    @cached_property
    def clauses(self) -> list[Clause]:
        """The clauses of the sentence that have something of what stands, speak of the one whose it is, and tell of no earlier time or other side."""
        fact, words = self.fact, self.words
        whose, known = key_of(self.owner), f"{fact.field} {fact.value}"
        parts = [
            part
            for part in self.telling.clauses_of(self.sentence)
            if turns_in(part, words) or not tells_apart(part, words, fact, self.telling.said)
        ]

        def topic_of(part: Clause) -> frozenset[str]:
            return self.telling.topic_of(part.text, part) | leads_of(part, words)

        at_hand = [part for part in parts if not self.shared.isdisjoint(topic_of(part))] or parts[:1]
        return [
            part
            for part in at_hand
            if (is_theirs(part, words, whose, known) or self._is_changed_in(part))
            and not self._is_of_another_time(part)
        ]

    def _is_changed_in(self, clause: Clause) -> bool:
        """True where a clause about others gives what stands another value, or turns a facet by its subject: `the doctor raised my sertraline to 100`, `the divorce came through`."""
        words, code = self.words, self.words.code
        subject = frozenset(clause.subject) - words.noun_openers
        if self._leads_on(clause):
            return True
        if subject and any(subject.issubset(turn.phrase) for turn in turns_in(clause, words)):
            return True
        openers = words.noun_openers, words.owner_prepositions
        return (
            clause.kind not in ("be", "have", "state")  # not `the music school costs 52 a month now`
            and self._has_sign == 1
            and self.differs
            and any(
                not self.shared.isdisjoint(_stems(noun, code))
                for opener, noun in pairwise(tokens_of(clause.rest) or clause.tokens)
                if noun not in words.units
                and (opener[0].isdigit() or any(opener in each for each in openers))
                and opener not in words.people_pronouns
            )
        )

    def _leads_on(self, clause: Clause) -> bool:
        """True where a way leads to something else from what stands, or from its name alone beside a sign of change: `switched me from amlodipine to ramipril`, `changed my username to moss`."""
        words, tokens = self.words, clause.tokens
        goals = [n for n, token in enumerate(tokens[:-1]) if n and token in words.goal_prepositions]
        if (
            not goals
            or clause.kind in UNSTATED
            or not words.changes.within(tokens)
            or words.negations.within(tokens)
            or words.other_ones.has_any(tokens)  # `my other brother moved to Filey`
        ):
            return False
        before, behind = tokens[: goals[-1]], tokens[goals[-1] + 1 :]
        code, own = words.code, words.first_person | words.possessives_own
        owners = tokens_of(self.owner) if self.owner else own
        whose = {token for token in before if token in owners}
        if not whose or not self.old.isdisjoint(_stems(" ".join(behind), code)):
            return False
        signs = {n for place, size in words.changes.places(tokens) for n in range(place, place + size)}
        named = [
            token
            for n, token in enumerate(before)
            if n not in signs and self._names(token) and token not in whose
        ]
        about = _stems(" ".join(named), code)
        leaves = any(
            way in words.source_prepositions and not self.old.isdisjoint(_stems(old, code))
            for way, old in pairwise(before)
        )
        return leaves or (bool(about) and about <= self._about)

    def _is_of_another_time(self, clause: Clause) -> bool:
        """True for what a clause tells of an hour, or of a year or more before what stands, which it does not name: `left work at 8`, `years ago I broke up with Dean`."""
        if clock_in(clause.text) and not (
            clock_in(self.fact.value) or _WITHIN_FIGURE.search(self.fact.value)
        ):
            return True
        value = _stems(self.fact.value, self.words.code)
        if not value or value <= _stems(clause.text, self.words.code):
            return False
        ranges = told_ranges(clause.text, date.fromisoformat(self.telling.said[:10]))
        before = (date.fromisoformat(self.fact.day[:10]) - _LONG).isoformat() if self.fact.day else ""
        return self.words.earlier_times.within(clause.tokens) or (
            not self.differs and any("" < span.end < before for span in ranges)
        )

    def sign(self, name: str) -> float:
        """1 where an entry of a list stands in the sentence, half where in another one of the turn."""
        entries = getattr(self.words, name)
        return 1.0 if entries.within(self.tokens) else 0.5 * entries.within(self.telling.tokens)

    def of_kinds(self, *kinds: str) -> float:
        """The share of the sentence's clauses of these kinds."""
        return sum(statement.kind in kinds for statement in self.statements) / len(self.statements)

    def doubted(self, doubt: str) -> float:
        """The share of the sentence's clauses with a doubt."""
        return sum(doubt in statement.doubts for statement in self.statements) / len(self.statements)

    @cached_property
    def ends(self) -> bool:
        """True where a clause says that what stands is over: the gym, or the membership of it, and neither a class there nor what else somebody ended."""
        return not self.doubted("supposed") and any(map(self._is_ended_by, self.clauses))

    def _is_ended_by(self, clause: Clause) -> bool:
        words, spread = self.words, tuple(" ".join(clause.tokens).replace("'s ", " is ").split())
        is_short = words.gone.within(spread) and not words.gone.within(clause.tokens)  # `Malta's off`
        tokens = spread if is_short else clause.tokens
        signs = words.ended, words.gone, words.replacing, words.ending_verbs, words.cancel_words, words.losses
        spans = [span for sign in signs for span in sign.places(tokens)]
        if any(token in words.calendar_words or token in words.weekdays for token in tokens):
            spans = [
                (place, size)
                for place, size in spans
                if not (words.cancel_words.at(tokens, place) and any(map(self._is_known, tokens[:place])))
            ]  # `yoga is cancelled today`
        spans += [
            (n, 1)
            for n, token in enumerate(tokens)
            if token in words.no_more and words.negations.within(tokens[:n])
        ]  # `kein Bier mehr`
        spans += [
            span for span in words.former.places(tokens) if words.changes.at(tokens, span[0])
        ]  # `used to`
        idle = {n for place, size in spans for n in range(place, place + size)}
        first = len(tokens) - len(tokens_of(clause.rest))
        return any(
            self._is_of(tokens[place + size :]) and self._is_of(tokens[first:place]) for place, size in spans
        ) and self._closes(tokens, idle)

    def _is_of(self, behind: Sequence[str]) -> bool:
        """False where a verb has another object than what stands: `quit smoking`, of somebody who is one's partner."""
        words, first = self.words, 0
        while first < len(behind) and behind[first] in words.object_leads:
            first += 1
        ends = (n for n in range(first, len(behind)) if behind[n] in words.stops)
        named = [token for token in behind[first : next(ends, len(behind))] if self._names(token)]
        return not named or any(map(self._is_known, named))

    def _closes(self, tokens: Sequence[str], idle: Collection[int]) -> bool:
        """True where a word of what stands is the last of a thing: `the Netflix account`, not `a vegan cookbook`, nor another account."""
        known = tokens_of(f"{self.fact.field} {self.fact.value}")
        places = [
            n
            for n, token in enumerate(tokens)
            if self._is_known(token)
            and n not in idle
            and (n - 1 in idle or not self._is_of_other_sort(tokens, n, known))
        ]
        return any(
            n + 1 == len(tokens)
            or n + 1 in idle
            or not self._names(tokens[n + 1])
            or self.words.holdings.at(tokens, n + 1)
            or self._is_known(tokens[n + 1])
            for n in places
        )

    def _is_of_other_sort(self, tokens: Sequence[str], place: int, known: Sequence[str]) -> bool:
        """True where what stands beside a word tells of which sort a thing is, and another one stands beside that of the older words: `my phone contract`."""
        head = _stems(tokens[place], self.words.code)
        here = self._sort_at(tokens, place)
        sorts = [
            self._sort_at(known, n) for n, token in enumerate(known) if head & _stems(token, self.words.code)
        ]
        return bool(here) and all(sort and here.isdisjoint(sort) for sort in sorts)

    def _sort_at(self, tokens: Sequence[str], place: int) -> frozenset[str]:
        """The stems of the word that tells which thing of a name stands at a place: `gym contract`, `il contratto della palestra`."""
        behind = place + 1 + self.words.owner_prepositions.at(tokens, place + 1)
        beside = tokens[behind : behind + 1] if behind > place + 1 else tokens[max(0, place - 1) : place]
        return _stems(" ".join(filter(self._names, beside)), self.words.code)

    def _names(self, token: str) -> bool:
        """True for a word that names something."""
        return token not in self.words.bare_words

    @cached_property
    def _own_words(self) -> frozenset[str]:
        """The stems of what stands; the name of the one whose it is only where they are gone: what else ends for Ana is not all that is told of her."""
        is_gone = any(self.words.gone.within(clause.tokens) for clause in self.clauses)
        return self.old if is_gone else self.old - _stems(self.owner, self.words.code)

    def _is_known(self, token: str) -> bool:
        return self._names(token) and not self._own_words.isdisjoint(_stems(token, self.words.code))

    @cached_property
    def turns(self) -> bool:
        """True where a clause tells that a facet of the same one has another value; not where that is the older one again: `bought a flat in Leeds`, of `lives in: Leeds`."""
        facets = frozenset(stem.removeprefix(_FACET) for stem in self.old if stem.startswith(_FACET))
        if not facets or any(self.doubted(doubt) for doubt in _DOUBTS):
            return False
        known, code = tokens_of(self.fact.value), self.words.code
        subject = _first_subject(self.fact.value, code) if self.fact.is_statement else frozenset[str]()
        value = {stem for stem in self.shared if stem[0] not in "=~"} - subject - _stems(self.owner, code)
        return any(
            turn.facet in facets
            and (turn.ends or self.weight(value & _stems(part.text, code)) <= _EVERYDAY)
            and (
                turn.field == self.fact.field or self.fact.field in ("", "is")
                if turn.field
                else not has_phrase(known, turn.phrase) and self._goes_on_so(part, turn)
            )
            for part in self.clauses
            for turn in turns_in(part, self.words)
        )

    def _goes_on_so(self, clause: Clause, turn: FacetChange) -> bool:
        """False where words of a change tell of others, or go on with another thing: `broke up the patio`, `dropped out of the pub quiz`, `sold our place in Spain`."""
        words, behind = self.words, clause.tokens[turn.behind :]
        before = clause.tokens[: turn.behind - len(turn.phrase)]
        if before and not clause.kind:  # the verb is in no list
            known = f"{self.fact.field} {self.fact.value}"
            retold = clause._replace(subject=before, verb=turn.phrase, kind="other")
            if not is_theirs(retold, words, key_of(self.owner), known):
                return False
        leads = words.place_prepositions.at(turn.phrase[-1:]) or (
            words.place_prepositions.at(behind) and not words.goal_prepositions.at(behind)
        )
        if leads and not turn.ends and turn.facet in _PLACED:
            return True  # `got a job at the council`
        times = (hit.span for hit in find_ranges(clause.text, _ANY_DAY)[0])
        timeless = frozenset(tokens_of(with_blanks(clause.text, times)))
        return not any(
            self._names(token)
            and not self._is_known(token)
            and (turn.ends or token not in _names_in(clause.text, words))
            and not is_word_of(turn.facet, token, words.code)
            for token in takewhile(timeless.__contains__, behind)  # `on days since monday thank god`
        )

    @property
    def differs(self) -> bool:
        """True where the sentence has another value of the same form as the older one."""
        return _differ(self.fact.value, self.sentence)

    @property
    def is_moved(self) -> float:
        """1 where a way leads to a figure, it changes or begins, or a clause is about nothing else: `gone to 6.20`, `grafana is on 3100`; half where another sentence of the turn changes it."""
        stated = (part for part in self.clauses if part.kind in ("be", "have") and self._about)
        subjects = [_stems(" ".join(part.subject), self.words.code) for part in stated]
        return max(float(self._about in subjects), self._has_sign)

    @property
    def _has_sign(self) -> float:
        ways = self.words.goal_prepositions
        leads = any(way in ways and behind[0].isdigit() for way, behind in pairwise(self.tokens))
        return max(float(leads), self.sign("changes"), self.sign("beginnings"))

    @property
    def has_another_name(self) -> float:
        """1 where a field is told of that the older one is, and each has a name of its own: `I report to Bashir`, of `line manager: Colette`; of a statement, as far as its subject changes."""
        fact, later = self.fact, self.telling
        later_stems = {stem for part in self.clauses for stem in _stems(part.text, self.words.code)}
        before = fact.value if fact.is_statement else f"is {fact.value}"
        known = tokens_of(f"{fact.entity} {fact.field} {fact.value}")
        new = _names_in(later.text, later.words).difference(known)
        old = _names_in(before, grammar_of(fact.value, later.words.code)).difference(later.tokens)
        if not (new and old and self._about & self.shared & later_stems):
            return 0.0
        return max(self.sign("changes"), self.sign("beginnings")) if self.fact.is_statement else 1.0

    @cached_property
    def _about(self) -> frozenset[str]:
        fact, code = self.fact, self.words.code
        return _first_subject(fact.value, code) if fact.is_statement else _stems(fact.field, code)

    @cached_property
    def is_of_kind(self) -> bool:
        """True where the clauses name another thing of the kind of which the older one names one."""
        fact = self.fact
        return any(
            are_two_of(kind, clause, fact) for clause in self.clauses for kind in kinds_named(clause.text)
        )

    @property
    def has_news(self) -> bool:
        """False where the turn has no sign of a change, and no name or figure, that is not in the older one: `pottery is such fun`."""
        fact, words, tokens = self.fact, self.words, self.telling.tokens
        known = tokens_of(f"{fact.entity} {fact.field} {fact.value}")
        figures = (token for token in tokens if token[0].isdigit() or token in words.cardinals)
        return (
            words.new_states.within(tokens)
            or not _names_in(self.telling.text, words).union(figures).issubset(known)
            or self.ends
            or self.is_of_kind
            or self.is_renewed
            or self.turns
            or self.is_plain
        )

    @cached_property
    def is_plain(self) -> bool:
        """True where a person is asked whatever the sum says."""
        return self.is_restated or self.is_told_otherwise or any(map(self._leads_on, self.clauses))

    @property
    def is_told_otherwise(self) -> bool:
        """True where somebody begins as they did, with a sign of the present, and goes on otherwise: `I sing tenor now`, of `I sing alto in the choir`."""
        words, led = self.words, _led(self.shared)
        if not (led and self.fact.is_statement):
            return False

        def goes_on(clause: Clause) -> tuple[bool, frozenset[str]]:
            tokens = [
                token
                for token in tokens_of(clause.rest)
                if token not in words.nominatives and not words.changes.has_any((token,))
            ]
            return words.noun_openers.has_any(tokens[:1]), _stems(clause.rest, words.code)

        is_opened, before = goes_on(next(iter(clauses(self.fact.value, words))))
        later = [(part, *goes_on(part)) for part in self.clauses if not led.isdisjoint(leads_of(part, words))]
        return any(
            opened == is_opened
            and new
            and new.isdisjoint(before)
            and (part.kind != "be" or words.beginnings.within(self.tokens))  # not `I'm on the train now`
            for part, opened, new in later
        )

    @property
    def is_restated(self) -> bool:
        """True where its words are said again with another figure, or another place by a verb that has a field: `we have seven hens`, `my sister lives in Leeds`."""
        words, tokens, fact = self.words, self._plainly(self.sentence), self.fact
        known = self._plainly(fact.value)
        first, old, new = spans_apart(known, tokens)
        if not (fact.is_statement and self.clauses and first and old and new):
            return False
        is_own = any(words.first_person.has_any(part.subject[:1]) for part in self.clauses)
        # `opens at 9`, `budget: 15k`; `I sleep 7 hours a night`
        kinds = {""} if words.prepositions.at(tokens, first - 1) or ":" in self.sentence else set[str]()
        behind = tokens[first + len(new) :]
        kinds |= {"other"} if words.units.within(behind) or words.calendar_words.within(behind) else set()
        # What holds, not what happened once: `I read 40 pages`, `one cousin lives in Oslo`.
        lasts = all(
            part.kind in _LASTING | kinds
            and not (words.indefinite_words.has_any(part.subject[:1]) and words.roles.within(part.subject))
            for part in self.clauses
        )
        days = any(
            token in entries for entries in (words.weekdays, words.calendar_words) for token in (*old, *new)
        )
        if not lasts or (days and is_own):
            return False
        spans = (fact.value, old), (self.sentence, new)
        if all(token in valued(text) for text, span in spans for token in span):
            return True
        way = tokens[max(0, first - _WAY) : first] if first + len(new) == len(tokens) else ()
        return not days and any(
            field in PLACED and has_phrase(way, verb) for verb, field in words.verb_fields
        )

    def _plainly(self, text: str) -> tuple[str, ...]:
        """The words of a text without its first article and its forms of be: `kitchen budget 12k`."""
        tokens, words = tokens_of(text), self.words
        opened = tokens[1:] if words.noun_openers.has_any(tokens[:1]) else tokens
        return tuple(token for token in opened if token not in words.be_verbs)

    @cached_property
    def is_renewed(self) -> bool:
        """True where a clause speaks of a new one of what the older one is about."""
        words, topic = self.words, _topic_of(self.fact, self.words.code)
        return any(
            not topic.isdisjoint(_stems(" ".join(part.tokens[place + size : place + size + 2]), words.code))
            for part in self.clauses
            for place, size in words.renewals.places(part.tokens)
        )


def stems_of(fact: Fact, telling: Telling) -> frozenset[str]:
    """What a fact or a statement speaks of, and whose it is where it is not the speaker's."""
    return _fact_stems(
        "" if fact.entity == telling.who else fact.entity, fact.field, fact.value, telling.words.code
    )


def _topic_of(fact: Fact, code: str) -> frozenset[str]:
    """What a fact or a statement is about: its field, or its subject, and the fields and kinds that it names."""
    named = _fact_stems("", fact.field, fact.value, code)
    about = _first_subject(fact.value, code) if fact.is_statement else _stems(fact.field, code)
    return about.union(stem for stem in named if stem[0] in "=~")


@lru_cache(maxsize=16384)
def _fact_stems(owner: str, field: str, value: str, code: str) -> frozenset[str]:
    kinds = (f"~{kind.first}" for kind in kinds_of_field(field))
    facets = (f"{_FACET}{facet}" for facet in facets_of(field, value, code))
    first = next(iter(clauses(value, grammar_of(value, code))), None) if not (field or owner) else None
    leads = leads_of(first, grammar_of(value, code)) if first else ()
    return _stems(f"{field} {value}".strip(), code).union(
        _stems(owner, code) if owner else (), kinds, facets, leads
    )


@lru_cache(maxsize=16384)  # of all that stands
def _stems(text: str, code: str) -> frozenset[str]:
    """The stems of the words that say something, beside words in a language, and the fields, kinds of things and forms of values that are named."""
    words, language = grammar_of(text, code), code if code in codes() else "en"
    telling = (
        token for token in tokens_of(text) if token not in words.empty and token not in words.number_words
    )
    named, _ = fields_in(text, words.code)
    fields = (f"={field.partition(' ')[2]}" for field in named if field.startswith("="))  # of whomever
    kinds = (f"~{kind.first}" for kind in kinds_named(text))
    values = {} if _REACHING.isdisjoint(text) else exact_values(text, _ANY_DAY)
    forms = (f"~{form}" for form in REACHED_AT if form in values)
    return stems_in(" ".join(telling), language).union(fields, kinds, forms)


@lru_cache(maxsize=4096)
def leads_of(clause: Clause, words: Grammar) -> frozenset[str]:
    """The verb of what a clause says that the speaker does, or the way behind it of what they are, among stems: `^sing`, `^on`."""
    rest = tokens_of(clause.rest)
    is_inverted = any(
        token in words.nominatives and token in words.first_person for token in rest[:1]
    )  # `da singe ich`
    subject = rest[:1] if is_inverted else clause.subject[:1]
    if (
        clause.kind not in ("be", "state")
        or not words.first_person.has_any(subject)
        or words.negations.within(clause.tokens)
    ):
        return frozenset()
    way = rest[is_inverted : is_inverted + 1]
    if clause.kind == "be":
        return frozenset(f"{_LEAD}{token}" for token in way if token in words.prepositions)
    return frozenset(f"{_LEAD}{stem}" for stem in stems_in(" ".join(clause.verb[-1:]), words.code))


def _led(stems: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for stem in stems if stem.startswith(_LEAD))


@lru_cache(maxsize=16384)
def _first_subject(text: str, code: str) -> frozenset[str]:
    first = next(iter(clauses(text, grammar_of(text, code))), None)
    return _stems(" ".join(first.subject if first else ()), code)


def _weight_of(stem: str, code: str) -> float:
    if stem.startswith((_FACET, _LEAD)) or stem[0].isdigit() or stem in _measures(code):
        return 0.0  # it counts for itself, or measures what is spoken of
    return _EVERYDAY if stem[0] in "=~" or stem in _everyday(code) else 1.0


@cache
def _everyday(code: str) -> frozenset[str]:
    language = code if code in codes() else "en"
    return stems_in(" ".join(grammar(code).everyday), language)


@cache
def _measures(code: str) -> frozenset[str]:
    words = grammar(code)
    lists_of = words.units, words.calendar_words, words.weekdays, words.months, words.cardinals
    doses = lists.words("consolidation.doses")
    named = (
        token
        for entries in lists_of
        for token in entries.entries()
        if " " not in token and token not in doses
    )
    return stems_in(" ".join(named), code if code in codes() else "en")


@lru_cache(maxsize=2048)
def _names_in(text: str, words: Grammar) -> frozenset[str]:
    return frozenset(
        token
        for token, (start, _) in zip(tokens_of(text), spans_of(text), strict=True)
        if text[start].isupper() and token not in words.everyday and token not in words.first_person and not any(map(str.isdigit, token))
    )  # fmt: skip


@lru_cache(maxsize=8192)
def _values_of(text: str) -> dict[str, frozenset[str]]:
    """The values of a text by their form."""
    words, tokens = grammar_of(text, "en"), tokens_of(_WITHIN_FIGURE.sub("", text))
    values = {form: frozenset(of_form) for form, of_form in exact_values(text, _ANY_DAY).items()}
    counted = [pair for pair in pairwise((*tokens, "")) if pair[0].isdigit() or pair[0] in words.cardinals]
    figures = frozenset(figure for figure, unit in counted if unit not in words.units)
    named = {
        "weekday": frozenset(token for token in tokens if token in words.weekdays),
        "month": frozenset(token for token in tokens if token in words.months),
        "figure": frozenset() if values else figures,
    }
    measured = {f"in {unit}": frozenset({figure}) for figure, unit in counted if unit in words.units}
    return values | measured | {form: entries for form, entries in named.items() if entries}


def _differ(older: str, later: str) -> bool:
    """True where a text has another value of the same form as an older one, or a plain figure for a counted one: `upped it to 100`, of `50 mg`."""
    old, new = _values_of(older), _values_of(later)
    forms = {form: new.get(form, frozenset()) for form in old}
    if _COUNTED.isdisjoint(new):
        forms |= {
            form: new["figure"]
            for form in old
            if "figure" in new and (form in _COUNTED or form.startswith("in "))
        }
    return any(values and old[form].isdisjoint(values) for form, values in forms.items())


# Each by the name that an explanation shows.
FEATURES: Mapping[str, Callable[[Pair], float]] = {
    # what both have
    "weight of what both have": lambda pair: math.log1p(pair.weight(pair.shared)),
    # their values
    "its field with another name": lambda pair: pair.has_another_name,
    "a new one of it": lambda pair: pair.is_renewed,
    "another of its kind": lambda pair: pair.is_of_kind,
    "a value of the same form and a sign of change": lambda pair: pair.differs * pair.is_moved,
    "a facet that turns": lambda pair: pair.turns,
    "rivals": lambda pair: math.log1p(pair.rivals),
    "a fact": lambda pair: not pair.fact.is_statement,
    # what the later one says
    "an end": lambda pair: pair.ends,
    "a wish": lambda pair: (
        (not pair.ends) * max(pair.of_kinds("wish", "modal", "duty"), pair.doubted("supposed"))
    ),
    "length of the older one": lambda pair: math.log1p(len(tokens_of(pair.fact.value))),
}  # fmt: skip


def features_of(pair: Pair) -> dict[str, float]:
    """The features of a pair, by their names."""
    return {name: float(feature(pair)) for name, feature in FEATURES.items()}


def overtaken(
    facts: Iterable[Fact], telling: Telling, worth: Callable[[Pair], Worth] | None = None
) -> list[Pair]:
    """What stands and may have changed by what was said, the likeliest first, at most two of a turn: a person is asked about them.

    Args:
        facts: what stands of the speaker, and of those that are named.
        telling: what was said on a later day.
        worth: the chance that it has.
    """
    worth = worth or worth_of
    likely = [
        (chance.score, pair)
        for pair in pairs_of(facts, telling)
        if (chance := worth(pair)).enough or pair.is_plain
    ]
    return [pair for _, pair in sorted(likely, key=lambda scored: -scored[0])[:_MOST]]


def pairs_of(facts: Iterable[Fact], telling: Telling) -> list[Pair]:
    """What stands and is spoken of, each beside what was said."""
    pairs = [Pair(fact, telling) for fact in facts if telling.speaks_of(fact)]
    pairs = [pair for pair in pairs if pair.clauses and pair.has_news]
    counted = Counter(stem for pair in pairs for stem in pair.old)
    for pair in pairs:
        named = [stem for stem in pair.shared if not stem.startswith((_FACET, _LEAD))]
        pair.rivals = min((counted[stem] - 1 for stem in named), default=0)
    return pairs


def worth_of(pair: Pair) -> Worth:
    """The chance that what stands has changed, and its parts."""
    return weighed("overtaking", features_of(pair))
