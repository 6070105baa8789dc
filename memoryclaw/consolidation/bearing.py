"""Whether a claim speaks of what stands, and whether it changes that: a sum of evidence. Pure."""

from __future__ import annotations

import re
from datetime import date
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from memoryclaw.consolidation.changes import Claim
from memoryclaw.consolidation.facets import FIRST
from memoryclaw.model import Fact
from memoryclaw.recall.renewing import (
    SHARED,
    endings,
    gives_up,
    kinds_of_values,
    renews,
    share_a_word,
    speaks_of_another,
    stems,
    subject_of,
    told_anew,
    valued,
)
from memoryclaw.recall.restated import exact_values
from memoryclaw.talk.assertions import COUPLE, has_phrase, is_program
from memoryclaw.text import words as lists
from memoryclaw.text.clauses import Clause, clauses
from memoryclaw.text.dates import find_ranges, moved_day, tells_past, told_ranges, with_blanks
from memoryclaw.text.grammar import Grammar, WordList, grammar, grammar_of, spans_of, tokens_of
from memoryclaw.text.language import fold, key_of, words_of
from memoryclaw.text.repository_work import is_of_work
from memoryclaw.text.sentences import sentences
from memoryclaw.vault.fact_values import date_value, holds_many, noun_of, same_field

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
    later = _later(claim.words or claim.value)
    if claim.is_statement and _is_apart(claim, fact):
        return False
    if _tells_otherwise(claim, fact, was) or _likes_otherwise(claim, fact):
        return True
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
    """True for what a clause tells of an earlier time or of another side than what stands, for which nothing follows from it: `my first car was a Lada`, `staging moved to OVH`."""
    return _is_of_then(clause, words, fact, said) or _is_of_another_side(clause, fact)


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
        or _tells_where_reached(fact.value, claim)
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
    is_change = words.ending_verbs.within(tokens) or words.news.within(tokens)
    stated = (
        clause
        for clause in clauses_told(text, words)
        if clause.kind not in ("wish", "modal", "order", "duty")
    )
    return _Later(words, tuple(stated) if is_change else (), tokens, words.endings.within(tokens))


@lru_cache(maxsize=1024)
def clauses_told(text: str, words: Grammar, names: frozenset[str] = frozenset()) -> tuple[Clause, ...]:
    """The clauses of a text, each with its subject; what has none goes on about that of the clause before it: `my sister quit Shell and moved`.

    Args:
        names: the words of known names, before each of which a clause may begin.
    """
    whole = list[Clause]()
    for sentence in sentences(text):
        subject = tuple[str, ...]()
        for clause in clauses(sentence, words, names.__contains__):
            goes_on = not clause.subject and clause.kind and not _is_spoken(clause, words)
            whole.append(clause._replace(subject=subject) if goes_on else clause)
            subject = clause.subject or subject
    return tuple(whole)


def _is_spoken(clause: Clause, words: Grammar) -> bool:
    """True where the speaker is who acts, also behind the verb: `seit heute bin ich`."""
    return any(token in words.nominatives and token in words.first_person for token in clause.tokens)


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
    is_own = (
        _is_spoken(clause, words)
        or words.contracted_subjects.has_any(subject[:1])
        or words.ended.at(subject)  # `stopped wearing lenses`
    )
    spoken_to = any(token in words.first_person and token not in words.possessives_own for token in tokens)
    if is_own or (spoken_to and clause.kind != "report"):  # `they put me on days`
        return True
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
    idle = kind.names, kind.members, words.tidings
    spans = (span for entries in idle for span in entries.places(tokens))
    places = {n for place, size in spans for n in range(place, place + size)}
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
    days = {date_value(one.text, fact.day or claim.said) for one in ranges}
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
    if _is_done(older.value, words):
        return True
    if claim.change:
        is_said_anew = share_a_word(older.value, words) and (
            told_anew(older.value, words)
            or gives_up(older.value, words)
            or renews(older.value, words, change=True)
        )
    else:
        is_said_anew = renews(older.value, words, change=False)
    if not is_said_anew:
        return False  # as of nearly all that stands
    ended = [ending for _, ending in endings(words)]
    if ended and endings(older.value) and not any(ending <= stems(older.value, words) for ending in ended):
        return False  # `I no longer eat meat`, `I no longer eat cheese`: two ends
    if _is_apart(claim, older) or speaks_of_another(older.value, words):
        return False
    if any(clause.kind == "wish" for clause in clauses(words, grammar_of(words))[:1]):
        return False  # `I wish it was due on Friday instead`
    return not _is_own(older.value) or _is_of_speaker(words, older.value)


def _is_done(older: str, later: str) -> bool:
    """True where somebody did what they wished to by older words: `we want to buy a house in Ystad`, `we bought the house in Ystad`."""
    words = grammar_of(later)
    wish = _wish_in(older, words.code)
    if len(wish) < SHARED or not wish <= stems(later, later):
        return False
    known = frozenset(tokens_of(older))
    return any(
        clause.kind not in ("", "be", "wish", "modal", "order", "duty")
        and (not clause.subject or words.first_person.has_any(clause.subject[:1]))
        and not words.negations.within(clause.tokens)
        and any(token not in known and stems(token, later) & wish for token in clause.verb)
        and wish <= stems(clause.text, later)
        for clause in clauses(later, words)
    )


@lru_cache(maxsize=8192)  # of every statement that stands
def _wish_in(text: str, code: str) -> frozenset[str]:
    """The stems of what an own wish is for; none of other words."""
    words = grammar_of(text, code)
    first = next(iter(clauses(text, words)), None)
    is_own = first is not None and words.first_person.has_any(first.subject[:1] or ("",))
    return stems(first.rest, text) if first and is_own and first.kind == "wish" else frozenset()


def _is_of_speaker(text: str, known: str) -> bool:
    """False for words about others than the speaker and whom an own statement names: `my neighbour has three sons now`, of `I have two sons`."""
    words = grammar_of(text)
    return any(is_theirs(clause, words, "", known) for clause in clauses_told(text, words))


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


def _tells_where_reached(words: str, claim: Claim) -> bool:
    """True where a change tells by what number or address somebody is reached, and a statement told theirs without a name for it: `you can reach me on 0176 559788`."""
    noun = noun_of(claim.field)
    if not (claim.change and noun and noun.kind in REACHED_AT and claim.entity == claim.speaker):
        return False
    tokens, signs = tokens_of(words), grammar_of(words)
    is_own = signs.first_person.has_any(tokens) and not signs.roles.within(tokens)
    return is_own and noun.kind in exact_values(words, date.fromisoformat(claim.said[:10]))
