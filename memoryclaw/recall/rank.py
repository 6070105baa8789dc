"""Ranks what may answer a question: each unit's score as named terms, its place, and why it may not be in the answer. Pure.

Every value is a multiple of 1/1024, so sums are exact in binary floating point and `score == sum(terms)` always holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from operator import itemgetter

from memoryclaw.index.bm25 import exact
from memoryclaw.index.catalog import UnitSummary
from memoryclaw.late import NamedTuple
from memoryclaw.model import FROM_NOW_ON, Matched, Term, Unit
from memoryclaw.recall.evidence import NONE, NOTHING_COUNTED, TOLD_WITHIN, Evidence, Scores
from memoryclaw.recall.question import Leaf, Question
from memoryclaw.text.dates import falls_in
from memoryclaw.vault.vocabulary import asked_as

# Shares of the best score.
DATE = 0.6  # for what is of a day that the question names
DAY = 1.0  # for what is of one by its own value, and that day is still to come: nobody can have spoken on it yet
FACT = 0.5  # for a fact of an entity that it names, and once more if it names the field, too
WISH = 1.0  # for what the assistant was told to do, where the question asks how it shall do something
GOAL = 0.3  # the most that a goal adds
# Shares of a unit's own score.
SESSION = 0.25  # of what the best turn of its session has more
SPEAKER = 0.45  # lost by turns of others where somebody speaks whom the question names
ASSISTANT = 0.5  # lost by an assistant's turns where the question is about the one who asks
REPLY = 0.5  # added to an assistant's turns where the question asks for what the assistant said
OPENS = 0.5  # added to the turn with which somebody opens a session with an assistant
ASKS = 0.1  # lost by turns that end in a question
PINNED = 0.25
OWN_PROJECT = 0.25  # of what holds in the project that is worked in
STRENGTH = 1.0  # of what a unit's strength, from 0.5 to 2, makes of what its words give; 0 takes it out of every rank

OVER = frozenset({"done", "cancelled"})  # to-dos

_LAST = "\U0010ffff"  # sorts after every other character

Terms = list[tuple[str, float]]


class Ranked(NamedTuple):
    """A unit with its score, the sum of what its words give and of all other terms."""

    unit: UnitSummary
    score: float
    words: float = 0.0  # what the words of the question give
    terms: Sequence[tuple[str, float]] = ()  # all others, by name
    lender: str = ""  # the id of the best turn of its session
    decision: str = ""  # why it is left out, if it is
    ends: str = ""  # the id of an earlier unit of which it says that it holds no longer

    def term(self, name: str) -> float:
        """The value of one of the other terms; 0 when it has none."""
        return next((value for label, value in self.terms if label == name), 0.0)


class Ranking(NamedTuple):
    """A question, the evidence for it, and all units of the evidence in rank order, with what is needed to explain them."""

    question: Question
    evidence: Evidence
    units: Sequence[Ranked]
    near: str = ""  # the model that told which are near in meaning
    cosines: Mapping[int, float] = {}  # of each row with the question, where a model told them
    degraded: str = ""

    @property
    def open(self) -> list[Ranked]:
        """Those that may be in an answer."""
        return [unit for unit in self.units if not unit.decision]


def rank(
    question: Question,
    evidence: Evidence,
    *,
    vectors: Scores = NONE,
    decided: Mapping[int, str] = NONE,
) -> list[Ranked]:
    """All units of the evidence by score, highest first; ties by id, so that no storage order ever shows.

    Args:
        vectors: what nearness in meaning adds.
        decided: decisions that stand already, by rowid.
    """
    reason = Exclusions(question, evidence).reason
    decisions = {u.rowid: decided[u.rowid] if u.rowid in decided else reason(u) for u in evidence.candidates}
    words, first = _first_terms(question, evidence, vectors)
    bases = {rowid: words[rowid] + sum([value for _, value in terms]) for rowid, terms in first.items()}
    sessions = _best_of_sessions(evidence.candidates, bases)
    multiplied = _factors(question, evidence.candidates)
    ranked = []
    for unit in evidence.candidates:
        terms, lender, base = first[unit.rowid], "", bases[unit.rowid]
        best = sessions.get(unit.path) if unit.kind == "turn" and unit.trust != "untrusted" else None
        if best and base > 0:
            lent = exact(SESSION * (best[0] - base))
            if lent > 0:
                terms, lender = [*terms, ("session", lent)], best[1]
                base += lent
        if evidence.listed:
            base = 1.0
        if factors := multiplied(unit):
            terms = [*terms, *[(name, value) for name, share in factors if (value := exact(share * base))]]
        if x := evidence.used.get(unit.rowid):
            # Of its words alone: what is used is no more about a day or an entity than what is not.
            share = STRENGTH * (2.0**x - 1)
            terms = [*terms, ("strength", value)] if (value := exact(share * words[unit.rowid])) else terms
        score = words[unit.rowid] + sum([value for _, value in terms])
        ranked.append(Ranked(unit, score, words[unit.rowid], terms, lender, decisions[unit.rowid]))
    best_score = max((ranked_unit.score for ranked_unit in ranked if not ranked_unit.decision), default=0.0)
    best_score = best_score if best_score > 0 else 1.0
    added = _shares_of_best(question, evidence)
    ordered_units = in_order(
        (_with_shares(hit, added(hit.unit), best_score) for hit in ranked),
        evidence.used if STRENGTH else NONE,
    )
    if evidence.listed:  # nothing but their time tells what was asked by its time
        ordered_units.sort(key=lambda entry: entry.unit.at, reverse=True)
        ordered_units.sort(key=lambda entry: -entry.score)
    return ordered_units


def _with_shares(ranked: Ranked, shares: Terms, best_score: float) -> Ranked:
    terms = [(name, value) for name, share in shares if (value := exact(share * best_score))]
    if not terms:
        return ranked
    score = ranked.score + sum([value for _, value in terms])
    return ranked._replace(score=score, terms=[*ranked.terms, *terms])


def _first_terms(
    question: Question, evidence: Evidence, vectors: Scores
) -> tuple[dict[int, float], dict[int, Terms]]:
    """What words give each unit: those asked, and as further terms those that may stand for them, the goal, and nearness in meaning."""
    first_other = len(question.leaves)
    others = first_other + len(question.aliases) + len(question.related)
    words, related, goals, leaves = {}, {}, {}, question.all_leaves
    for unit in evidence.candidates:
        rowid, gains = unit.rowid, evidence.gains(unit.rowid)
        asked = [gain for n, gain in gains.items() if n < first_other]
        words[rowid] = exact(sum(asked))
        if len(asked) < len(gains):
            related[rowid] = exact(best_of_each(leaves, gains, first_other, others))
            goals[rowid] = sum([gain for n, gain in gains.items() if n >= others])
    most = max(goals.values(), default=0.0)
    best = max((value + related.get(rowid, 0.0) for rowid, value in words.items()), default=0.0)
    lifted = {rowid: exact(lift(goal, most, best)) for rowid, goal in goals.items()} if most else NONE
    kinds = [pair for pair in (("related", related), ("goal", lifted), ("vector", vectors)) if pair[1]]
    first = {
        rowid: [(name, value) for name, values in kinds if (value := values.get(rowid))] for rowid in words
    }
    return words, first


def best_of_each(leaves: Sequence[Leaf], gains: Mapping[int, float], first: int, after: int) -> float:
    """The sum over all words asked of the best that may stand for each; leaves `first` to before `after` do."""
    best: dict[str, float] = {}
    for number, gain in gains.items():
        if first <= number < after:
            word = leaves[number].word
            best[word] = max(best.get(word, 0.0), gain)
    return sum(best.values())


def _best_of_sessions(
    units: Sequence[UnitSummary], bases: Mapping[int, float]
) -> dict[str, tuple[float, str]]:
    """The best turn of each log: its score so far, and its id."""
    best: dict[str, tuple[float, str]] = {}
    for unit in units:
        if unit.kind == "turn" and unit.trust != "untrusted":
            base, leader = bases[unit.rowid], best.get(unit.path)
            if leader is None or (base, leader[1]) > (leader[0], unit.id):
                best[unit.path] = base, unit.id
    return best


def _factors(question: Question, units: Sequence[UnitSummary]) -> Callable[[UnitSummary], Terms]:
    """Tells by which shares of its own score a unit rises or falls."""
    of_reply = question.of_reply
    of_myself = question.of_myself and not of_reply
    speakers = {unit.entity_key for unit in units if unit.kind == "turn"} & question.any_person.keys()

    def factors(unit: UnitSummary) -> Terms:
        terms: Terms = []
        if unit.kind == "turn":
            if speakers and unit.entity_key not in speakers:
                terms.append(("speaker", -SPEAKER))
            if of_myself and unit.role == "assistant":
                terms.append(("assistant", -ASSISTANT))
            if of_reply and unit.role == "assistant":
                terms.append(("reply", REPLY))
            if unit.opens:
                terms.append(("opens", OPENS))
            if unit.asks:
                terms.append(("asks", -ASKS))
        if unit.pinned:
            terms.append(("pinned", PINNED))
        if question.scope and unit.scope == question.scope:
            terms.append(("project", OWN_PROJECT))
        return terms

    return factors


def _shares_of_best(question: Question, evidence: Evidence) -> Callable[[UnitSummary], Terms]:
    """Tells which shares of the best score a unit gets for what it is about.

    A statement, or what somebody wants from now on, gets one only where it holds a word besides the name: a person has many.
    """
    entities, ranges, of_you = question.any_entity, question.query.ranges, question.of_you
    days, today = _days_told(question), question.today.isoformat()
    to_come = [span for span in question.days if not span.end or span.end >= today]

    def is_about(unit: UnitSummary) -> bool:
        counted = evidence.counts.get(unit.rowid, NOTHING_COUNTED).own
        is_said = unit.is_statement or unit.field == FROM_NOW_ON
        return not is_said or len(counted) > len(unit.entity_key.split())

    def shares(unit: UnitSummary) -> Terms:
        terms: Terms = []
        if unit.kind == "fact" and unit.entity_key in entities and is_about(unit):
            is_named = names_field(question, unit)
            if is_named or not _is_of_another_time(unit, question):
                terms.append(("entity", FACT))
                terms += [("field", FACT)] if is_named else []
        if unit.kind == "fact" and unit.field == FROM_NOW_ON and of_you:
            terms.append(("wish", WISH if question.of_manner else FACT))
        if ranges:
            is_to_come = (
                bool(unit.days)
                and unit.field not in OVER
                and any(falls_in(unit.days, span.start, span.end) for span in to_come)
            )
            terms.append(("date", DAY if is_to_come else DATE * _date(question, evidence, unit, days)[0]))
        elif evidence.listed:
            terms.append(("filter", 1.0))
        return terms

    return shares


def names_field(question: Question, unit: UnitSummary | Unit) -> bool:
    """True where a question asks for a fact by the name of its field, or by a word for what its value looks like."""
    return question.names_field(unit.field) or any(
        map(question.names_field, asked_as(unit.field, unit.value))
    )


def in_order(ranked: Iterable[Ranked], used: Scores) -> list[Ranked]:
    """By score, highest first; of equal ones the newest comes first, then the strongest, then by id and path."""
    ordered = sorted(ranked, key=lambda hit: f"{hit.unit.id}\0{hit.unit.path}")

    def place(hit: Ranked) -> tuple[float, str, float]:
        # A year comes before the months in it.
        return hit.score, hit.unit.at and hit.unit.at[:10] + _LAST, used.get(hit.unit.rowid, 0.0)

    ordered.sort(key=place, reverse=True)
    return ordered


def causes(question: Question, evidence: Evidence, ranked: Ranked) -> list[Matched]:
    """What the terms of a unit rest on, to be shown beside its words."""
    matches = [cause for name, _ in ranked.terms if (cause := _cause(name, question, evidence, ranked.unit))]
    speaker = question.any_person.get(ranked.unit.entity_key) if ranked.unit.kind == "turn" else None
    if speaker:
        matches.append(Matched(word=speaker, field="speaker", via="entity"))
    if ranked.ends:
        matches.append(Matched(word=ranked.ends, field="date", via="link"))
    if not (ranked.words or ranked.terms):
        matches.append(Matched(word="newest", field="date", via="date"))
    return (
        [*matches, Matched(word=ranked.lender, field="session", via="session")] if ranked.lender else matches
    )


def lift(goal: float, most: float, best: float) -> float:
    """What a goal's score adds to one unit: its share of what the best unit has, where the question found anything.

    Args:
        goal: the score of this unit for the words of the goal.
        most: the highest of these.
        best: the highest score for the words of the question.
    """
    return GOAL * goal * (best / most if best and most else 1.0)


def _cause(name: str, question: Question, evidence: Evidence, unit: UnitSummary) -> Matched | None:
    """What a term rests on; none where its name says it all."""
    match name:
        case "entity":
            return Matched(word=question.any_entity[unit.entity_key], field="entity", via="entity")
        case "speaker":
            names = " or ".join(sorted(question.any_person.values()))
            return Matched(word=f"-{names}", field="speaker", via="entity")
        case "date":
            days = _days_told(question)
            return Matched(word=_date(question, evidence, unit, days)[1], field="date", via="date")
        case "wish":
            return Matched(word=FROM_NOW_ON, field="field", via="entity")
        case "pinned":
            return Matched(word="pin", field="pin", via="pinned")
    return None


def _days_told(question: Question) -> list[tuple[int, float, str]]:
    """The leaves that are days as a text writes them: number, nearness, expression."""
    return [(n, leaf.near, leaf.word) for n, leaf in enumerate(question.leaves) if leaf.near]


def _date(
    question: Question, evidence: Evidence, unit: UnitSummary, days: Sequence[tuple[int, float, str]]
) -> tuple[float, str]:
    """How near a unit is to the days asked about, 0 to 1, and the expression that names them: said then, of then, or telling of it."""
    near = [
        (1.0 if unit.rowid in evidence.of_days else _nearness(unit, span.start, span.end), span.text)
        for span in question.query.ranges
    ]
    if unit.days:
        near += [(1.0, span.text) for span in question.days if falls_in(unit.days, span.start, span.end)]
    if days:
        counted = evidence.counts.get(unit.rowid, NOTHING_COUNTED).own
        near += [(nearness, word) for n, nearness, word in days if n in counted]
    return max(near, key=itemgetter(0), default=(0.0, ""))


def _nearness(unit: UnitSummary, first: str, last: str) -> float:
    """1 for what touches these days; less for what was said soon after, when people still tell of them."""
    if _touches(unit, first, last):
        return 1.0
    later = _days_after(unit.at, last) if first and last and unit.kind == "turn" else 0
    return 1 - later / TOLD_WITHIN if 0 < later < TOLD_WITHIN else 0.0


def _touches(unit: UnitSummary, first: str, last: str) -> bool:
    if unit.kind == "fact":
        return bool(unit.at) and was_so(unit.at, unit.until, first, last, open_end=not unit.until)
    return covers(unit.at, unit.until, first, last)


def _is_of_another_time(unit: UnitSummary, question: Question) -> bool:
    ranges = question.query.ranges
    return (
        bool(ranges and unit.at)
        and not any(_touches(unit, span.start, span.end) for span in ranges)
        and not any(falls_in(unit.days, span.start, span.end) for span in question.days)
    )


def was_so(since: str, until: str, first: str, last: str, *, open_end: bool) -> bool:
    """True when a value that held from `since` to before `until` (empty: unknown) held on one of these days (empty: open).

    Args:
        since: ISO date or date-time.
        until: ISO date or date-time at which it ceased to hold.
        open_end: without an `until`, it holds still.
    """
    if not (since or until):
        return False
    end = until[:10] or ("9999" if open_end else since[:10])
    ends_later = end > first or since[:10] == end >= first
    return (not last or since[:10] <= last) and ends_later


def covers(at: str, until: str, first: str, last: str) -> bool:
    """True when the time from `at` to `until` touches the days `first` to `last` (empty = open)."""
    if not at:
        return False
    return (not last or at[:10] <= last) and (not first or (until or at)[:10] >= first)


@lru_cache(maxsize=8192)
def _days_after(at: str, last: str) -> int:
    try:
        return (date.fromisoformat(at[:10]) - date.fromisoformat(last)).days
    except ValueError:
        return 0


# What may not be in an answer: for its state, its trust, or because it is about something else.


class Exclusions:
    """Why units may not be in the answer to one question."""

    def __init__(self, question: Question, evidence: Evidence) -> None:
        self._question = question
        self._evidence = evidence
        self._facts = [unit for unit in evidence.candidates if unit.kind == "fact" and not unit.is_statement]
        self._any_state = question.any_state
        self._asks_before = question.of_before
        self._moments = question.moments

    def reason(self, unit: UnitSummary) -> str:
        """Why this one is left out, or an empty string."""
        held_then = unit.state == "superseded" and (self._was_so(unit) or self._is_asked_of_before(unit))
        if unit.state != "current" and not self._any_state and not held_then:
            return unit.state
        if unit.rowid in self._evidence.expired and not self._any_state and not self._counts_then(unit):
            return "expired"
        if unit.trust == "quarantined":
            return "quarantined"
        if unit.kind != "fact":
            return ""
        if unit.is_statement:  # what was said is no value of a field, so none of another entity or time
            return ""
        if unit.rowid in self._evidence.unasked:
            return "property"
        if self._is_of_another(unit):
            return "other_entity"
        if _key(unit) in self._in_folder and not self._question.names_folder(unit.path):
            return "other_entity"
        return "other_time" if _key(unit) in self._rival_values and not self._was_so(unit) else ""

    def _was_so(self, unit: UnitSummary) -> bool:
        still = unit.state == "current"
        return any(was_so(unit.at, unit.until, *moment, open_end=still) for moment in self._moments)

    def _is_asked_of_before(self, unit: UnitSummary) -> bool:
        return (
            self._asks_before
            and bool(unit.field and unit.until)
            and (names_field(self._question, unit) or self._question.means_field(unit.field))
        )

    def _counts_then(self, unit: UnitSummary) -> bool:
        """True for a fact that had not expired yet at the time that the question is about."""
        return unit.kind == "fact" and any(
            was_so(unit.at, unit.expires, *moment, open_end=False) for moment in self._moments if unit.expires
        )

    @cached_property
    def _rival_values(self) -> set[tuple[str, str]]:
        """What is known to have had a value at the time that the question is about: its other values mislead."""
        if self._any_state or not self._moments:
            return set()
        return {_key(unit) for unit in self._facts if self._was_so(unit)}

    def _is_of_another(self, unit: UnitSummary) -> bool:
        question, key = self._question, unit.entity_key
        if not question.entities or key in question.any_entity:
            return False
        if not names_field(question, unit):
            return False
        words = set(question.language.tokens(unit.field))
        if all(set(question.language.tokens(entity)) == words for entity in question.entities):
            return False
        return unit.field.casefold() in self._evidence.fields or key not in self._tied_entities

    @cached_property
    def _in_folder(self) -> set[tuple[str, str]]:
        """What a note in a folder that the question names has a value of: notes of its name in other folders are others."""
        return {_key(fact) for fact in self._facts if self._question.names_folder(fact.path)}

    @cached_property
    def _tied_entities(self) -> set[str]:
        """The entities with a value that names an entity of the question: the chairman *of the rowing club*."""
        names = [set(name) for name in self._evidence.names if name]
        tokens = self._question.language.tokens
        return {
            fact.entity_key
            for fact in self._facts
            if any(name.issubset(tokens(fact.value)) for name in names)
        }


def _key(unit: UnitSummary) -> tuple[str, str]:
    return unit.entity_key, unit.field.casefold()


# What is shown of a score.


def share_out(parts: Mapping[str, float], total: float) -> list[Term]:
    """Named parts as terms that sum to exactly `total`; what rounding leaves over goes to the largest."""
    if not parts:
        return [Term("text", total)] if total else []
    terms = {name: exact(value) for name, value in parts.items()}
    largest = max(terms, key=lambda name: (terms[name], name))
    terms[largest] += total - sum(terms.values())
    return [Term(name, value) for name, value in terms.items() if value]


def coverage(weights: Mapping[str, float], words: set[str]) -> float:
    """The share of a question's weight that is found: the honest confidence figure, 0 to 1 in hundredths."""
    total = sum(weights.values())
    return round(sum(weights[word] for word in sorted(words) if word in weights) / total, 2) if total else 0.0
