"""Whether what somebody said may have changed what stands: a learned sum of named features of the two. Pure.

The sum has a person asked, and never ends anything. Its weights are learned by `benchmarks/overtaking.py` and kept in
`data/overtaking.toml`; a new feature is a new entry here, and counts for nothing until it is learned.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, cached_property, lru_cache
from itertools import pairwise, takewhile

from memoryclaw.consolidation.changes import Claim
from memoryclaw.consolidation.predications import (
    WITHIN_FIGURE,
    Predication,
    clauses_told,
    differ,
    is_spoken,
    predication_of,
    predications_of,
)
from memoryclaw.late import NamedTuple
from memoryclaw.model import Fact
from memoryclaw.recall.restated import (
    SHARED,
    clock_in,
    endings,
    exact_values,
    fields_in,
    gives_up,
    is_moved,
    is_told_in_part,
    kinds_of_values,
    renews,
    spans_apart,
    speaks_of_another,
    stems,
    stems_in,
    subject_of,
    told_anew,
    valued,
)
from memoryclaw.talk.assertions import COUPLE, has_phrase, is_program
from memoryclaw.talk.learned import Worth, weighed
from memoryclaw.talk.people import PLACED
from memoryclaw.talk.statements import Statement
from memoryclaw.text import words as lists
from memoryclaw.text.dates import find_ranges, moved_day, tells_past, told_ranges, with_blanks
from memoryclaw.text.grammar import (
    Clause,
    Grammar,
    WordList,
    clauses,
    codes,
    grammar,
    grammar_of,
    spans_of,
    tokens_of,
)
from memoryclaw.text.language import fold, key_of, words_of
from memoryclaw.text.memory_types import is_of_work
from memoryclaw.vault.fact_values import KIN, date_value, holds_many, noun_of, same_field

_EVERYDAY = 0.4  # what an everyday word weighs beside a name or a rare one
_MOST = 2  # of what stands that one turn may change
_FACET = "~a facet: "  # before one, among stems
_DOUBTS = ("supposed", "joke", "reported", "hedged")
_PLACED = ("work", "home", "school")  # facets whose value is told with a place
_LASTING = frozenset({"be", "have", "state", "modal"})  # kinds of verbs of what holds
_START = 2  # words by which two sentences begin alike
_WAY = 2  # words before a place with the verb that leads to it
_LONG = timedelta(days=300)


# Whether a claim speaks of what stands, and whether it changes that: a sum of evidence. Pure.

_HOME = "lives in"
REACHED_AT = (
    "email",
    "phone",
    "url",
)  # kinds of fields that give way to a new value, though they may have several
# Fields of which one value may tell another.
ALIKE_FIELDS = (frozenset(COUPLE), frozenset({"works at", "works as", "is", "job", "employer"}))
_SHORT = 6  # stems of a statement of one thing, at most
_ANY_DAY = date(2000, 1, 1)
_ONCE = "once"
_FIGURE = re.compile(r"\d{4}|\d[\d.,: /-]{0,40}\d\S|@")  # of a value that hardly anything else has


_QUOTED = re.compile(r"[“„«\"][^“”„«»\"]{20,400}[”“»\"]")  # a sentence that others say


class _Kind(NamedTuple):
    """Things of which somebody has one at a time."""

    first: str  # of its names
    names: WordList  # what the kind is called, as a field is: `bank`, `bank account`
    members: WordList


@cache
def _kinds(name: str = "kinds_in_turn") -> tuple[_Kind, ...]:
    rows = (line.partition(": ") for line in lists.lines(f"consolidation.{name}"))
    return tuple(
        _Kind(names.partition(", ")[0], WordList(names.split(", ")), WordList(members.split(", ")))
        for names, _, members in rows
    )


@cache
def _members() -> WordList:
    return WordList((), (kind.members for kind in _kinds()))


@lru_cache(maxsize=1024)
def kinds_named(text: str) -> tuple[_Kind, ...]:
    """The kinds of which a text names a thing."""
    tokens = tokens_of(text)
    return (
        tuple(kind for kind in _kinds() if kind.members.within(tokens)) if _members().within(tokens) else ()
    )


@lru_cache(maxsize=1024)
def kinds_of_field(field: str) -> tuple[_Kind, ...]:
    """The kinds of things that a field is called by."""
    tokens = tokens_of(field)
    return tuple(kind for kind in _kinds() if kind.names.at(tokens))


@cache
def _sides() -> tuple[tuple[WordList, ...], ...]:
    """What has a value each side by side: production and staging, work and home."""
    rows = (line.split(" | ") for line in lists.lines("consolidation.sides"))
    return tuple(tuple(WordList(side.split(", ")) for side in row) for row in rows)


@cache
def _every_side() -> WordList:
    return WordList((), (side for sides in _sides() for side in sides))


@cache
def _consuming() -> WordList:
    return WordList(lists.words("consolidation.consuming"))


def changes(claim: Claim, fact: Fact, was: str = "") -> bool:
    """True where a claim says that what stands holds no longer, or otherwise.

    Args:
        fact: what stands of the same one.
        was: the value that the claim takes the place of.
    """
    if not _tells_change(claim, fact, was) or (claim.is_statement and _is_apart(claim, fact)):
        return False  # as of most
    of_one = key_of(claim.entity) == key_of(fact.entity) != key_of(claim.speaker)
    words = claim.words or claim.value
    return not (fact.is_statement and speaks_of_another(fact.value, words, of_one=of_one))


def _tells_change(claim: Claim, fact: Fact, was: str) -> bool:
    if _tells_otherwise(claim, fact, was) or _likes_otherwise(claim, fact):
        return True
    later = _later(claim.words or claim.value)
    if not later.clauses or later.repeats(fact.value) or claim.how == "end" or not fact.day < claim.said:
        return False
    alike = any({claim.field, fact.field} <= fields for fields in ALIKE_FIELDS)
    if claim.field and (alike or same_field(claim.field, fact.field)):
        return _is_at_another_place(claim, fact)
    whose = "" if claim.entity == claim.speaker else key_of(claim.entity)
    return any(
        (_breaks(clause, later.words, fact) or _takes_place(clause, later.words, fact))
        and is_theirs(clause, later.words, whose, f"{fact.field} {fact.value}")
        and not tells_apart(clause, later.words, fact, claim.said)
        for clause in later.clauses
    )


def tells_apart(clause: Clause, words: Grammar, fact: Fact, said: str) -> bool:
    """True for what a clause tells of an earlier time, of another side or another one of a row than what stands, for which nothing follows from it: `my first car was a Lada`, `staging moved to OVH`, `the second exam is in June`."""
    numbered, known = (
        {token for token in tokens if token in words.ordinals}
        for tokens in (clause.tokens, tokens_of(fact.value))
    )
    return (
        bool(numbered and known and not numbered & known)
        or _is_of_then(clause, words, fact, said)
        or _is_of_another_side(clause, fact)
    )


def _is_of_then(clause: Clause, words: Grammar, fact: Fact, said: str) -> bool:
    """True for `we used RabbitMQ until 2022`; not where it names what stands, or a change."""
    last_day = _then(clause, words, said[:10])
    is_then = last_day == _ONCE or "" < last_day < fact.day[:10]
    return is_then and not stems(fact.value, clause.text) <= stems(clause.text)


@lru_cache(maxsize=1024)  # asked of all that stands
def _then(clause: Clause, words: Grammar, said: str) -> str:
    """The ISO day at which the earlier time ends of which a clause tells; `_ONCE` where that has no day, and empty where it tells of none, or of a change."""
    tokens = clause.tokens
    before = {n for n, _ in words.former.places(tokens) if not words.ended.at(tokens, n)}
    is_change = any(n not in before for n, _ in words.changes.places(tokens))
    if is_change or words.upheavals.within(tokens):
        return ""
    if before or words.earlier_times.within(tokens) or words.past_be.has_any(clause.verb):
        return _ONCE
    ranges = told_ranges(clause.text, date.fromisoformat(said))
    ends = (span.end for span in ranges if span.end and tells_past(clause.text, span.span) is not False)
    return min(ends, default="")


def _is_of_another_side(clause: Clause, fact: Fact) -> bool:
    later = clause.tokens
    if not _every_side().within(later):  # as in most
        return False
    earlier = tokens_of(f"{fact.field} {fact.value}")
    for sides in _sides():
        at_hand = [side for side in sides if side.within(earlier)]
        if at_hand and any(side.within(later) for side in sides):
            return not any(side.within(later) for side in at_hand)
    return False


def _is_apart(claim: Claim, fact: Fact) -> bool:
    """True for words of which every clause tells of an earlier time or another side."""
    words = grammar_of(text := claim.words or claim.value)
    telling = [clause for clause in clauses_told(text, words) if clause.kind]  # as they are cached
    return bool(telling and claim.said) and all(
        tells_apart(each, words, fact, claim.said) for each in telling
    )


def _is_at_another_place(claim: Claim, fact: Fact) -> bool:
    """True where one works elsewhere than by a fact of their work: `works at: Bol`, of `works as: nurse at Fjord Clinic`."""
    if not claim.change or {claim.field, fact.field} not in ({"works at", "works as"}, {"works as"}):
        return False

    def place_of(job: Claim | Fact) -> frozenset[str]:
        tokens, words = tokens_of(job.value), grammar_of(job.value, grammar_of(claim.words).code)
        leads = (
            n for n in range(len(tokens)) if job.field == "works at" or words.place_prepositions.at(tokens, n)
        )
        return stems(" ".join(tokens[next(leads, len(tokens)) :]), job.value)

    old, new = place_of(fact), place_of(claim)
    return bool(old and new) and not (old <= new or new <= old)


def may_change(text: str) -> bool:
    """True for words with a sign of change, of an end, or of a return."""
    return bool(_later(text).clauses)


def _tells_otherwise(claim: Claim, fact: Fact, was: str) -> bool:
    """True for a statement with the figure that held until now, or that a change says anew; for a fact of which a statement says another figure."""
    if not (claim.change or was):
        return False
    if claim.is_statement:
        return _tells_another_figure(claim, fact) or _tells_field_of(claim.value, fact.field, claim)
    figure = f" {' '.join(words_of(fold(was)))} " if _FIGURE.search(was) else ""
    return fact.is_statement and (
        bool(figure and figure in f" {' '.join(words_of(fold(fact.value)))} ")
        or (claim.change and fact.value not in claim.words and is_tied(claim, fact))
        or _tells_field_of(fact.value, claim.field, claim)
    )


def _likes_otherwise(claim: Claim, fact: Fact) -> bool:
    """True where somebody likes now what they did not, or the other way round: `turns out I like olives`, `can't stand jazz any more`."""
    if fact.field not in ("likes", "dislikes") or not (claim.change and claim.is_statement):
        return False
    words, liking = grammar_of(claim.value), tokens_of(fact.value)
    whose = "" if fact.entity == claim.speaker else key_of(fact.entity)

    def turns(clause: Clause) -> bool:
        tokens = clause.tokens
        places = (n + len(liking) for n in range(len(tokens)) if tokens[n : n + len(liking)] == liking)
        behind = next(places, None)
        if behind is None or not is_theirs(clause, words, whose, f"{fact.field} {fact.value}"):
            return False
        goes_on = tokens[behind : behind + 1]
        ends = not goes_on or goes_on[0] in words.empty or words.changes.at(tokens, behind)
        if not ends or words.prepositions.has_any(goes_on):  # `olive oil`, `olives on pizza`, of olives
            return False
        likes, is_negated = words.liking.within(tokens), words.negations.within(tokens)
        if fact.field == "dislikes":
            return likes and not is_negated
        hates = any(field == "dislikes" and has_phrase(tokens, verb) for verb, field in words.verb_fields)
        return hates or (likes and is_negated)

    return any(map(turns, clauses(claim.value, words)))


class _Later(NamedTuple):
    """Words with a sign of change, as they are compared with all that stands."""

    words: Grammar
    clauses: tuple[Clause, ...]  # that say so of somebody or something; none where nothing changes
    tokens: tuple[str, ...]
    ends: bool  # it says that something holds no longer

    def repeats(self, value: str) -> bool:
        """True where it says that a value holds: it names it, and no end of anything."""
        return not self.ends and has_phrase(self.tokens, tokens_of(value) or ("",))


@lru_cache(maxsize=1024)
def _later(text: str) -> _Later:
    words, tokens = grammar_of(text), tokens_of(text)
    stated = (clause for clause in clauses_told(text, words) if clause.kind not in UNSTATED - {"report"})
    is_change = words.changing.within(tokens)
    return _Later(words, tuple(stated) if is_change else (), tokens, words.endings.within(tokens))


@lru_cache(maxsize=8192)  # asked of every statement that stands
def is_theirs(clause: Clause, words: Grammar, whose: str, known: str) -> bool:
    """False for a clause about others than the one whose it is, or about another thing than what stands of them: `my cousin moved`, `the bakery no longer does gluten-free bread`.

    Args:
        whose: the key of the one whose it is; empty for the speaker.
        known: the field and the value of what stands.
    """
    tokens = clause.tokens
    if known.startswith(_HOME) and _is_no_home(clause.text, words):
        return False
    if words.other_ones.has_any(clause.subject) and not words.other_ones.within(tokens_of(known)):
        return False  # `my other brother moved`
    shortened = next((n for n, token in enumerate(tokens[:3]) if token.endswith("'s")), -1)
    is_verb = words.prepositions.at(tokens, shortened + 1) > 0  # `my brother's at Bosch now`
    first = 1 + words.noun_openers.has_any(
        tokens[:1]
    )  # `the team meets on Zoom`, of a verb that is not known
    subject = clause.subject or tokens[: shortened + 1 if is_verb else first]
    if whose:
        # `my brother's car is at Bosch now`, not `Kit's jacked it in and is at BAE now`
        is_owner = any(
            token.endswith("'s") and not behind.endswith("ed") for token, behind in pairwise(subject)
        )
        end = next((n for n, _ in words.owner_prepositions.places(subject) if n), len(subject))
        is_of_known = not words.small.issuperset(frozenset(subject[:end]) & frozenset(tokens_of(known)))
        # `the launch of Orion`, of its launch date; not `la novia de Pablo`, of Pablo
        heads = subject[-1:] if is_owner else subject if is_of_known else subject[:end]
        return not set(whose.split()).isdisjoint(token.removesuffix("'s") for token in heads)
    before = frozenset(tokens_of(known))
    if _is_of_other(clause, words, before):
        return False
    is_own = is_spoken(clause, words) or words.contracted_subjects.has_any(subject[:1])
    spoken_to = any(token in words.first_person and token not in words.possessives_own for token in tokens)
    if is_own or (spoken_to and clause.kind != "report"):  # `they put me on days`
        return not is_of_kin(known, words.code)  # `I left Shell`, of `my brother works at Shell`
    if words.people_pronouns.has_any(tokens[:1]):
        return False
    is_thing = not clause.subject and words.auxiliaries.has_any(tokens_of(clause.rest)[:1])
    head = clause.verb if is_thing else clause.subject  # `design has gone over to Linear`
    if not head or head == tokens:
        return True
    named = [token for token in head if token not in words.nameless]
    if not named:
        return True
    kinds = {kind for each in (known, clause.text) for kind in kinds_named(each)}
    last = head[-2:]
    of_kind = any(
        kind.names.at(last, n) == len(last) - n or kind.members.at(last, n) == len(last) - n
        for kind in kinds
        for n in range(len(last))
    )
    return (
        of_kind
        or subject_of(" ".join(named), clause.text) <= subject_of(known, clause.text)
        or words.replacing.within(tokens)
        or (clause.kind == "be" and any(token in words.possessives_own for token in tokens_of(clause.rest)))
    )


@lru_cache(maxsize=8192)  # of every statement that stands
def is_of_kin(text: str, code: str) -> bool:
    """True for a statement of the work or home of one of the speaker's relatives; not of both, `my brother and I`."""
    words, tokens = grammar_of(text, code), tokens_of(text)
    size = words.roles.at(tokens, 1) if words.possessives_own.has_any(tokens[:1]) else 0
    noun = noun_of(" ".join(tokens[1 : 1 + size])) if size else None
    behind = tuple(tokens[1 + size :])
    return (
        noun is not None
        and noun.field in KIN
        and any(
            field in PLACED and behind[: len(phrase)] == phrase
            for phrase, field in words.fields_by_first.get(next(iter(behind), ""), ())
        )
    )


# The facets of a life of which one value holds at a time: work, home, a couple. Which of them stand, and which have another value
# by what is said. Pure.
# What people say of a change often has no word of what it changes: `handed in my notice`, of `works at: Shell`.

_WORK = "work"
FIRST = 3  # words of a clause whose verb is not known, which may be its subject
UNSTATED = frozenset({"wish", "modal", "order", "duty", "report"})  # kinds of clauses


class FacetChange(NamedTuple):
    """Words by which a facet has another value from then on."""

    facet: str
    phrase: tuple[str, ...]
    behind: int  # where the clause goes on behind them
    ends: bool  # they say that the older value is over
    field: str = ""  # the one of which they tell a value with a sign of change


@cache
def _fields() -> dict[str, tuple[str, ...]]:
    rows = (line.partition(": ") for line in lists.lines("consolidation.facet_fields"))
    return {facet: tuple(fields.split(", ")) for facet, _, fields in rows}


@cache
def _phrases(code: str, name: str) -> dict[str, WordList]:
    rows = dict[str, list[str]]()
    for phrase, facet in getattr(grammar(code), name):
        rows.setdefault(facet, []).append(" ".join(phrase).replace("' ", "'"))
    return {facet: WordList(phrases) for facet, phrases in rows.items()}


@lru_cache(maxsize=16384)  # of all that stands
def facets_of(field: str, value: str, code: str) -> frozenset[str]:
    """The facets of which a fact or a statement is; none of what a statement tells of others."""
    words, tokens = grammar_of(value, code), tokens_of(value)
    named = {facet for facet, fields in _fields().items() if any(same_field(field, each) for each in fields)}
    if field not in ("", "is"):
        return frozenset(named)
    first = next(iter(clauses(value, words)), None)
    subject = () if field or first is None else first.subject
    whose = subject or (() if field or first is None else first.tokens[:FIRST])
    # `my daughter is in year 5`
    is_of_kin = words.roles.within(whose) and words.possessives_own.has_any(whose)
    is_own = not subject or subject[0] in words.first_person or subject[0] in words.contracted_subjects
    if is_own or is_of_kin:
        named |= {
            facet for facet, entries in _phrases(words.code, "facet_words").items() if entries.within(tokens)
        }
    if is_own and not is_of_kin and (field or (first is not None and first.kind == "be")):
        spoken = first.tokens if first is not None else tokens
        roles = (" ".join(spoken[place : place + size]) for place, size in words.roles.places(spoken))
        others = _phrases(words.code, "facet_words").values()  # `a widow`
        nouns = (noun_of(role) for role in roles if not any(role in entries for entries in others))
        named |= {_WORK for noun in nouns if noun is None or noun.field not in KIN}  # `a nurse`
    return frozenset(named)


@lru_cache(maxsize=1024)
def turns_in(clause: Clause, words: Grammar) -> tuple[FacetChange, ...]:
    """The facets that have another value by what a clause says."""
    tokens = clause.tokens
    if clause.kind in UNSTATED or words.earlier_times.within(tokens) or words.negations.at(tokens):
        return ()
    turns = list[FacetChange]()
    for facet, entries in _phrases(words.code, "facet_turns").items():
        for place, size in entries.places(tokens):
            phrase, behind = tokens[place : place + size], tokens[place + size :]
            leads = phrase[-1] in words.prepositions or phrase[-1] in words.noun_openers
            if (
                behind
                and not leads
                and behind[0] in words.noun_openers
                and not words.time_nouns.has_any(behind[1:2])
            ):
                continue  # `I retired my ThinkPad`
            turns.append(FacetChange(facet, phrase, place + size, words.losing.within(phrase)))
    fields = _fields_told(clause, words)
    return (
        *turns,
        *(FacetChange(facet, (), len(tokens), ends=False, field=field) for facet, field in fields),
    )


def _fields_told(clause: Clause, words: Grammar) -> list[tuple[str, str]]:
    """The facets of which a clause tells a value, each with its field, with a sign of change, by its verb or by what somebody is: `ich wohne wieder in Köln`, `I'm a surveyor now`."""
    tokens, idle = clause.tokens, words.turning.covered(clause.tokens)
    if not idle or clause.joined or words.unturned.within(tokens):  # `you can quit calling me sir`
        return []
    plain = " ".join(token for n, token in enumerate(tokens) if n not in idle)
    named = {
        field.partition(" ")[2] for text in (clause.text, plain) for field in fields_in(text, words.code)[0]
    }
    by_verb = {
        (facet, field)
        for facet, fields in _fields().items()
        for field in fields
        if field in named and ((noun := noun_of(field)) is None or noun.field != field)  # not `job`
    }
    states = facets_of("is", clause.rest, words.code)
    return sorted(by_verb.union((facet, "is") for facet in states if clause.kind == "be"))


@lru_cache(maxsize=4096)
def is_word_of(facet: str, token: str, code: str) -> bool:
    """True for a word of a facet: `flat`, of a home."""
    lists_of = (_phrases(code, name).get(facet, WordList(())) for name in ("facet_words", "facet_turns"))
    return any(token in entry.split() for phrases in lists_of for entry in phrases.entries())


def _is_of_other(clause: Clause, words: Grammar, known: frozenset[str]) -> bool:
    """True where a clause names another one than is known, or a thing of theirs: `my mate Del got moved`, `the car of my dad`."""
    tokens = clause.tokens
    if any(
        token.endswith("'s") and token[:-2] not in words.small and known.isdisjoint((token, token[:-2]))
        and not words.followers.at(tokens, place + 1)
        for place, token in enumerate(tokens[:-1])
    ):  # fmt: skip
        return True
    for place, size in words.roles.places(tokens):
        role = tokens[place : place + size]
        lead = tokens[place - 1] if place else ""
        is_led = lead in words.possessives_own or lead in words.noun_openers or not place
        is_first = place < (len(clause.subject) if clause.kind else FIRST + 1)
        of_role = words.owner_prepositions.has_any(tokens[max(0, place - 2) : place])
        if (of_role or (is_led and is_first)) and known.isdisjoint(role):
            return True
    return False


def _breaks(clause: Clause, words: Grammar, fact: Fact) -> bool:
    """True where somebody eats or drinks again what they do not by what stands: `I'm vegetarian`, `I eat fish again`."""
    tokens = clause.tokens
    if not _consuming().within(tokens) or words.negations.within(tokens):
        return False
    before, old = tokens_of(fact.value), grammar_of(fact.value, words.code)
    denies, is_state = old.negations.within(before), old.lasting_states.within(before)
    own = old.first_person.has_any(before[:1]) and before[0] not in old.possessives_own
    is_same = clause.subject[:1] == before[:1] or (own and words.first_person.has_any(clause.subject[:1]))
    if (fact.is_statement and not is_same) or fact.field in ("likes", "dislikes"):
        return False
    return any(
        kind.names.within(before)
        and kind.members.within(tokens)
        and denies == (kind.members.within(before) or not is_state)
        for kind in _kinds("abstentions")  # what somebody is, and what such a one does not eat or drink
    )


def are_two_of(kind: _Kind, clause: Clause, fact: Fact) -> bool:
    """True where a clause names one of a kind, and a fact another one."""
    known = tokens_of(fact.value)
    is_used = fact.is_statement or fact.field == "uses"
    if not (kind.names.at(tokens_of(fact.field)) or (is_used and kind.members.within(known))):
        return False
    return any(
        not has_phrase(known, clause.tokens[place : place + size])
        for place, size in kind.members.places(clause.tokens)
    )


def _takes_place(clause: Clause, words: Grammar, fact: Fact) -> bool:
    """True where a clause names another one of a kind than a fact, and neither tells of more: `we're on Teams now`, not `… for client calls`."""
    kind = next((kind for kind in kinds_named(clause.text) if are_two_of(kind, clause, fact)), None)
    if kind is None:
        return False
    new = _beside(clause.text, kind, words) - stems(f"{fact.field} {fact.value}", clause.text)
    return not new and _beside(fact.value, kind, words) <= stems(clause.text)


def _beside(text: str, kind: _Kind, words: Grammar) -> frozenset[str]:
    """The stems of what a text names besides things of a kind."""
    tokens = tokens_of(text)
    idle = (entries.covered(tokens) for entries in (kind.names, kind.members, words.tidings))
    places = set[int]().union(*idle)
    is_thing = [before in words.noun_openers for before in ("", *tokens)]  # `the blog`
    named = (
        token for n, token in enumerate(tokens) if n not in places or (is_thing[n] and token in words.verbs)
    )
    return stems(" ".join(token for token in named if token not in words.empty), text)


def moved_to(claim: Claim, fact: Fact) -> str:
    """The ISO day to which a claim moves the one that a fact or a statement of the same thing tells: `the service is a week later`; else empty."""
    if not (claim.said and fact.current and fact.day < claim.said and any(map(str.isdigit, fact.value))):
        return ""
    ranges, _ = find_ranges(fact.value, date.fromisoformat(claim.said[:10]))
    days = {date_value(span.text, fact.day or claim.said) for span in ranges}
    words = grammar_of(claim.value)
    pieces = clauses(claim.value, words)
    thing = _thing_of(fact, claim.value)
    is_told = any(
        _is_of_same_thing(clause, fact, claim.value)
        and (
            thing <= stems(" ".join(clause.subject), claim.value)
            or (clause.kind and not _stands_behind(thing, clause, words, claim.value))
        )
        for clause in pieces
    )
    if words.negations.within(tokens_of(claim.value)) or len(days) != 1 or not is_told:
        return ""
    day = days.pop()
    moved = moved_day(claim.value, date.fromisoformat(day)) if len(day) == len("2026-11-02") else None
    return moved.isoformat() if moved else ""


def _stands_behind(noun: frozenset[str], clause: Clause, words: Grammar, like: str) -> bool:
    """True where a preposition leads to a thing: `two weeks after the wedding`."""
    place = next((n for n, token in enumerate(clause.tokens) if stems(token, like) & noun), 0)
    while place and clause.tokens[place - 1] in words.determiners:
        place -= 1
    return bool(place) and clause.tokens[place - 1] in words.prepositions


def _is_of_same_thing(clause: Clause, fact: Fact, like: str) -> bool:
    """True where a clause names the thing that a fact is about, and tells of no other one: not `the wedding dress`, of the wedding."""
    words = grammar_of(like)
    subject = stems(" ".join(token for token in clause.subject if token not in words.small), like)
    whole = stems(f"{fact.entity} {fact.field} {fact.value}", like)
    return _thing_of(fact, like) <= stems(clause.text, like) and subject <= whole


def _thing_of(fact: Fact, like: str) -> frozenset[str]:
    """The stems of the thing that a fact or a short statement tells something of; what no text has, where that cannot be told."""
    if not fact.is_statement:
        return stems(f"{fact.entity if fact.entity in like else ''} {fact.field}", like)
    code = grammar_of(fact.value, grammar_of(like).code).code
    named = _subject_in(fact.value, code) if len(stems(fact.value, like)) <= _SHORT else ""
    return stems(named, like) or frozenset({""})


@lru_cache(maxsize=8192)  # of every statement that stands
def _subject_in(text: str, code: str) -> str:
    """The words of the subject of a text's first clause; of a name the last one, `Mirla` of `Cafe Mirla`."""
    words = grammar(code)
    subject = next((clause.subject for clause in clauses(text, words)), ())
    if subject and all(word[0].isupper() for word in text.split()[: len(subject)]):
        subject = subject[-1:]
    return " ".join(token for token in subject if token not in words.fill_words)


@lru_cache(maxsize=8192)  # of every statement that stands
def _is_own(text: str) -> bool:
    """True for what begins with an `I`, a `we` or a `my`."""
    words, first = grammar_of(text), tokens_of(text)[:1]
    return words.first_person.has_any(first) or words.possessives_own.has_any(first)


def is_tied(claim: Claim, older: Fact) -> bool:
    """True where later words say anew most of what older ones said, with a sign of change, or all of it with another value."""
    if not claim.said or older.said > claim.said:
        return False
    words = claim.value if claim.is_statement else claim.words
    is_said_anew = claim.change and (told_anew(older.value, words) or gives_up(older.value, words))
    is_said_anew = is_said_anew or is_moved(older.value, words)
    if not (is_said_anew or renews(older.value, words, change=claim.change)):
        return False  # as of nearly all that stands
    ended = [ending for _, ending in endings(words)]
    if ended and endings(older.value) and not any(ending <= stems(older.value, words) for ending in ended):
        return False  # `I no longer eat meat`, `I no longer eat cheese`: two ends
    of_one = key_of(claim.entity) == key_of(older.entity) != key_of(claim.speaker)
    if _is_apart(claim, older) or speaks_of_another(older.value, words, of_one=of_one):
        return False
    if any(clause.kind == "wish" for clause in clauses(words, grammar_of(words))[:1]):
        return False  # `I wish it was due on Friday instead`
    return not _is_own(older.value) or _is_of_speaker(words, older.value)


def is_tied_in_part(claim: Claim, older: Fact) -> bool:
    """True where later words say anew only some of what an older statement tells, and the rest may hold: another of its things, or what something is called."""
    words = claim.value if claim.is_statement else claim.words
    if not older.is_statement:
        return False
    naming = grammar_of(words).naming_words
    is_named = naming.within(tokens_of(older.value)) and not naming.within(tokens_of(words))
    in_part = (is_named and not gives_up(older.value, words)) or is_told_in_part(older.value, words)
    return in_part and is_tied(claim, older)  # `the wifi is slow now`, of `the wifi is called atlas`


def _is_of_speaker(text: str, known: str) -> bool:
    """False for words about others than the speaker and whom an own statement names: `my neighbour has three sons now`, of `I have two sons`."""
    words, named = grammar_of(text), stems(known, text)
    parts = clauses_told(text, words)
    at_hand = [clause for clause in parts if named & stems(clause.text, text)] or parts
    return any(is_theirs(clause, words, "", known) for clause in at_hand)


def _tells_another_figure(claim: Claim, fact: Fact) -> bool:
    """True where words with a sign of change name all that a fact is about, and another figure or day than its own: `40 mg of lisinopril instead`."""
    old, new = valued(fact.value), valued(claim.value)
    old, new = (frozenset(filter(str.isdecimal, words)) or words for words in (old, new))
    if fact.is_statement or not (claim.change and old and new and old.isdisjoint(new)):
        return False
    # `my doctor put me on 40 mg`
    is_own = grammar_of(claim.value).first_person.has_any(tokens_of(claim.value))
    if not (is_own or _is_of_speaker(claim.value, f"{fact.field} {fact.value}")):
        return False  # `the canteen moved to floor 5`, of one's desk
    topic, field = subject_of(fact.value, claim.value), subject_of(fact.field, claim.value)
    subject = subject_of(claim.value)
    are_days = "day" in kinds_of_values(fact.value) & kinds_of_values(claim.value)
    return bool(topic and topic <= subject) or (len(field) >= (SHARED - are_days) and field <= subject)


def _tells_field_of(words: str, field: str, claim: Claim) -> bool:
    """True where a change is told of a field that has one value, and a statement tells that of the same one by its verb, or speaks of nothing else: `I live on Harcourt Road`, of `lives in`."""
    if not claim.change or not field or holds_many(field, None):
        return False
    signs = grammar_of(words)
    verbs = {phrase[0] for phrase, of in signs.verb_fields if of == field and len(phrase) > 1}
    tokens = tokens_of(words)
    whose = tokens[0] in signs.first_person and tokens[0] not in signs.possessives_own
    is_own = whose if claim.entity == claim.speaker else tokens[:1] == tokens_of(claim.entity)[:1]
    verb = next((n for n, token in enumerate(tokens[:3]) if n and token in verbs), 0)
    way = tokens[verb + 1] if verb and verb + 1 < len(tokens) else ""
    leads = way in signs.place_prepositions or way in signs.ways
    is_way = leads or not (
        way in signs.prepositions or way in signs.noun_openers
    )  # not `we moved the meeting`
    # `I live on Harcourt Road`, not `I live with a cat`
    return bool(is_own and verb and is_way) and not (field == _HOME and _is_no_home(words, signs))


def _is_no_home(words: str, signs: Grammar) -> bool:
    """True for words of what people at work move to: `we moved to the new API`, `to GitHub Actions`, `to a four day week`."""
    tokens, spans = tokens_of(words), spans_of(words)
    place = next((n + 1 for n, token in enumerate(tokens) if token in signs.ways), 0)
    goal = words[spans[place][0] :] if 0 < place < len(tokens) else ""
    # `to Nantes last month`
    timeless = with_blanks(goal, (hit.span for hit in find_ranges(goal, _ANY_DAY)[0]))
    return bool(goal) and (
        is_program(goal) or is_of_work(goal) or signs.calendar_words.within(tokens_of(timeless))
    )


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
        """What each of its sentences speaks of, and the facets that have another value by it."""
        return {
            sentence: self.topic_of(_QUOTED.sub("", sentence), *self.clauses_of(sentence))
            for sentence in self.sentences
        }

    def topic_of(self, text: str, *clauses: Clause) -> frozenset[str]:
        """What a text speaks of, and the facets that have another value by its clauses."""
        turned = (
            frozenset(f"{_FACET}{turn.facet}" for turn in turns_in(clause, self.words)) for clause in clauses
        )
        return _stems(text, self.words.code).union(*turned)

    def clauses_of(self, sentence: str) -> tuple[Clause, ...]:
        """The clauses of a sentence, but for those that it quotes."""
        quoted = [hit.span() for hit in _QUOTED.finditer(sentence)]
        return tuple(
            clause
            for clause in clauses_told(sentence, self.words, self._named)
            if not any(start <= clause.start < end for start, end in quoted)
        )

    def predication_of(self, clause: Clause, sentence: str) -> Predication:
        """What a clause of a sentence says, with the values that stand alone behind it: `the test was moved, 17 November now`."""
        predication, parts = predication_of(clause, self.words), self.clauses_of(sentence)
        behind = (predication_of(part, self.words) for part in parts if part.start > clause.start)
        values = " ".join(part.text for part in takewhile(lambda part: not part.content, behind))
        return predication._replace(text=f"{clause.text}, {values}") if values else predication

    def speaks_of(self, fact: Fact) -> bool:
        """True where it has a rare word of what stands, two others, one of what that is about, or one beside a change to another value."""
        shared = self.stems & stems_of(fact, self)
        if not shared:  # as of most
            return False
        if sum(_weight_of(stem, self.words.code) for stem in shared) > _EVERYDAY:
            return True
        if not shared.isdisjoint(_topic_of(fact, self.words.code)):
            return True
        start = tokens_of(fact.value)[:_START]
        if valued(fact.value) and any(
            start == tokens_of(each)[:_START] and valued(each) for each in self.sentences
        ):
            return True
        is_change = (len(shared) > 1 or self.words.changes.within(self.tokens)) and differ(
            fact.value, self.text
        )
        # Not the month of two days.
        return is_change and not shared <= _stems(" ".join(valued(fact.value, units=True)), self.words.code)

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(token for name in self.names() for token in tokens_of(name))

    @property
    def people(self) -> list[str]:
        """Who is named in it."""
        return [
            name
            for spoken in self.sentences.values()
            for each in spoken
            for name in (each.about, *each.names)
            if name
        ]

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
        # That of its sentences which has most of the older one.
        self.sentence: str = max(shared, key=lambda sentence: (self.weight(shared[sentence]), len(sentence)))
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
        whose, known = key_of("" if self.owner.islower() else self.owner), f"{fact.field} {fact.value}"
        parts = [
            part
            for part in self.telling.clauses_of(self.sentence)
            if turns_in(part, words) or not tells_apart(part, words, fact, self.telling.said)
        ]
        topic_of = self.telling.topic_of
        at_hand = [part for part in parts if not self.shared.isdisjoint(topic_of(part.text, part))] or parts[
            :1
        ]
        return [
            part
            for part in at_hand
            if (
                is_theirs(part, words, whose, known)
                or self._is_changed_in(part)
                or self._is_told_otherwise_in(part)
            )
            and not self._is_of_another_time(part)
        ]

    @property
    def is_of_another(self) -> bool:
        """True where a statement stands of another thing than each of the clauses speaks of: `the veg box comes on Thursdays`, `the milk comes on Saturdays now`."""
        older = self.fact.value
        return self.fact.is_statement and all(
            speaks_of_another(older, each.text)
            and not any(
                before.is_taken_over_in(later, people) for before, later, people in self._predications(each)
            )
            for each in self.clauses
        )

    def _predications(self, clause: Clause) -> Iterator[tuple[Predication, Predication, frozenset[str]]]:
        """What each clause of the older one says, what a clause says, and who is named, as stems."""
        fact, code = self.fact, self.words.code
        later = self.telling.predication_of(clause, self.sentence)
        people = _stems(" ".join((self.owner, *self.telling.people)), code)
        return ((older, later, people) for older in predications_of(fact.value, code, fact.field, self.owner))

    def _is_told_otherwise_in(self, clause: Clause) -> bool:
        """True where a clause says otherwise what a clause of the older one says of the same thing, which is nobody else's."""
        known = frozenset(tokens_of(f"{self.owner} {self.fact.field} {self.fact.value}"))
        return clause.kind not in ("wish", "order", "duty") and any(
            older.is_contradicted_by(later, people)
            and (
                (later.subject and later.subject <= older.content)
                or not _is_of_other(clause, self.words, known)
            )
            for older, later, people in self._predications(clause)
        )

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
        # `moved the manuals to the intranet`
        is_own = bool(whose) or not (self.owner or clause.subject or not words.changes.at(tokens))
        if not is_own or not self.old.isdisjoint(_stems(" ".join(behind), code)):
            return False
        signs = words.changes.covered(tokens)
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
        # `my son moved to set two in maths` leads on from no school
        is_thing = bool(about) and not words.roles.within(named)
        return leaves or (is_thing and about <= self._about)

    def _is_of_another_time(self, clause: Clause) -> bool:
        """True for what a clause tells of an hour, or of a year or more before what stands, which it does not name: `left work at 8`, `years ago I broke up with Dean`."""
        if clock_in(clause.text) and not (clock_in(self.fact.value) or WITHIN_FIGURE.search(self.fact.value)):
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
        is_used_up = words.helpers.within(clause.verb) and (
            self.fact.field in ("likes", "dislikes") or not words.helpers.within(tokens_of(self.fact.value))
        )
        spans += [
            (n, 1)
            for n, token in enumerate(tokens)
            if token in words.no_more and words.negations.within(tokens[:n]) and not is_used_up
        ]  # `kein Bier mehr`; not `es gibt keinen Kaffee mehr`
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
        return differ(self.fact.value, self.sentence)

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

    @cached_property
    def is_told_otherwise(self) -> bool:
        """True where a clause names what a clause of the older one is about, and tells another value of the same form, another place, or the contrary of it: `the sofa is delayed till the 28th`, of `the sofa arrives on 14 November`."""
        return not any(map(self.doubted, _DOUBTS)) and any(map(self._is_told_otherwise_in, self.clauses))

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
        # `the rent is due on 1 May`, `Dad has dialysis on Mondays` and `invoice 12: paid` are beside others of their kind
        is_dated = any(token in words.months for token in (*old, *new)) or not all(
            part.kind == "be" for part in self.clauses
        )
        is_one_of_many = is_dated if days else bool(behind) and ":" in self.sentence
        if not lasts or is_one_of_many or (days and is_own):
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
    if fact.is_statement:  # of what somebody does, also the one thing that they do
        about |= frozenset().union(
            *(each.object for each in predications_of(fact.value, code)[:1] if each.is_definite)
        )
    return about.union(stem for stem in named if stem[0] in "=~")


@lru_cache(maxsize=16384)
def _fact_stems(owner: str, field: str, value: str, code: str) -> frozenset[str]:
    kinds = (f"~{kind.first}" for kind in kinds_of_field(field))
    facets = (f"{_FACET}{facet}" for facet in facets_of(field, value, code))
    return _stems(f"{field} {value}".strip(), code).union(_stems(owner, code) if owner else (), kinds, facets)


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


@lru_cache(maxsize=16384)
def _first_subject(text: str, code: str) -> frozenset[str]:
    first = next(iter(clauses_told(text, grammar_of(text, code))), None)
    return _stems(" ".join(first.subject if first else ()), code)


def _weight_of(stem: str, code: str) -> float:
    if stem.startswith(_FACET) or stem[0].isdigit() or stem in _measures(code):
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
        token.removesuffix("'s")
        for token, (start, _) in zip(tokens_of(text), spans_of(text), strict=True)
        if text[start].isupper() and token not in words.everyday and token not in words.first_person and not any(map(str.isdigit, token))
    )  # fmt: skip


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
    pairs = pairs_of(facts, telling)
    scored = [(chance.score, pair) for pair in pairs if (chance := worth(pair)).enough or pair.is_plain]
    likely = [pair for _, pair in sorted(scored, key=lambda scored: -scored[0])[:_MOST]]
    copies = (pair for pair in pairs if any(_says_the_same(pair.fact, each.fact) for each in likely))
    return [*dict.fromkeys((*likely, *copies))]


def _says_the_same(fact: Fact, other: Fact) -> bool:
    """True for the words of which a fact was read, and for that fact."""
    return (
        bool(fact.source)
        and fact.source == other.source
        and fact.is_statement != other.is_statement
        and (fact.value in other.value or other.value in fact.value)
    )


def pairs_of(facts: Iterable[Fact], telling: Telling) -> list[Pair]:
    """What stands and is spoken of, each beside what was said."""
    pairs = [Pair(fact, telling) for fact in facts if telling.speaks_of(fact)]
    pairs = [pair for pair in pairs if pair.clauses and pair.has_news and not pair.is_of_another]
    counted = Counter(stem for pair in pairs for stem in pair.old)
    for pair in pairs:
        named = [stem for stem in pair.shared if not stem.startswith(_FACET)]
        pair.rivals = min((counted[stem] - 1 for stem in named), default=0)
    return pairs


def worth_of(pair: Pair) -> Worth:
    """The chance that what stands has changed, and its parts."""
    return weighed("overtaking", features_of(pair))
