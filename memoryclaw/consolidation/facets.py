"""The facets of a life of which one value holds at a time, as work and home: which of them a text tells, and which it says have changed. Pure.

What people say of a change often has no word of what it changes: `handed in my notice`, of `works at: Shell`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from memoryclaw.recall.renewing import stems
from memoryclaw.recall.whose import people_in
from memoryclaw.talk.assertions import has_phrase
from memoryclaw.text import words as lists
from memoryclaw.text.clauses import Clause, clauses
from memoryclaw.text.grammar import Grammar, WordList, grammar, grammar_of, tokens_of
from memoryclaw.text.sentences import sentences
from memoryclaw.vault.fact_values import same_field

_TASTES = {"liked": "disliked", "disliked": "liked"}  # facets of each thing, and what ends them
_NO_CHANGES = ("wish", "modal", "order", "duty")  # kinds of clauses


class Telling(NamedTuple):
    """A facet that words tell, and whose it is."""

    facet: str
    phrase: tuple[str, ...]
    holder: frozenset[str]  # the words that name whose it is; none for the speaker's
    turns: bool  # the phrase says by itself that the facet has another value from then on
    changes: bool  # it does, or there is a sign of change beside it


@cache
def _fields() -> dict[str, tuple[str, ...]]:
    rows = (line.partition(": ") for line in lists.lines("consolidation.facet_fields"))
    return {facet: tuple(fields.split(", ")) for facet, _, fields in rows}


@cache
def _phrases(code: str) -> tuple[tuple[str, bool | None, WordList], ...]:
    """The facets of a language with their words, and with those that say by themselves that they have another value."""
    words, rows = grammar(code), dict[tuple[str, bool | None], list[str]]()
    for line in lists.lines("consolidation.facet_things"):
        facet, _, things = line.partition(": ")
        rows[facet, False] = things.split(", ")
    by_fields = ((phrase, facet) for phrase, field in words.verb_fields for facet in of_field(field))
    for turns, entries in ((True, words.facet_turns), (False, words.facet_words), (None, by_fields)):
        for phrase, facet in entries:
            rows.setdefault((facet, turns), []).append(" ".join(phrase))
    return tuple((facet, turns, WordList(phrases)) for (facet, turns), phrases in rows.items())


@lru_cache(maxsize=1024)
def of_field(field: str) -> frozenset[str]:
    """The facets of which a field is."""
    return frozenset(
        facet for facet, fields in _fields().items() if any(same_field(field, each) for each in fields)
    )


@lru_cache(maxsize=16384)  # of all that stands
def at_stake(field: str, value: str, code: str) -> dict[str, frozenset[str] | None]:
    """The facets of which another value ends a fact or a statement, each with its holder; None for the entity itself, as in a fact."""
    told = {each.facet: None if field else each.holder for each in tellings(value, code)}
    facets = {**told, **dict.fromkeys(of_field(field))}
    return {_TASTES.get(facet, facet): holder for facet, holder in facets.items()}


@lru_cache(maxsize=16384)  # of all that stands
def tellings(text: str, code: str) -> tuple[Telling, ...]:
    """What a text tells of facets."""
    words = grammar_of(text, code)
    phrases, tokens = _phrases(words.code), tokens_of(text)
    at_hand = [row for row in phrases if row[2].within(tokens)]
    return tuple(_told(text, words, at_hand)) if at_hand else ()


def _told(
    text: str, words: Grammar, phrases: Sequence[tuple[str, bool | None, WordList]]
) -> Iterator[Telling]:
    signs = words.changes, words.beginnings, words.ended, words.gone, words.returns
    holder: frozenset[str] | None = frozenset()
    for clause in (clause for sentence in sentences(text) for clause in clauses(sentence, words)):
        tokens, is_told = clause.tokens, clause.kind not in _NO_CHANGES
        is_change = is_told and any(sign.within(tokens) for sign in signs)
        holder = _holder(clause, words) if clause.subject or not clause.kind else holder
        of_thing = not holder and words.noun_openers.has_any(clause.subject[:1])
        if holder is None:
            continue
        for facet, turns, entries in phrases:
            for place, size in entries.places(tokens):
                if of_thing and place >= len(clause.subject):  # `the appointment moved to`
                    continue
                is_place = size == 1 and words.prepositions.has_any(tokens[max(0, place - 2) : place])
                changes = is_told if turns else is_change and not is_place  # not `swimming at school now`
                changes = changes and turns is not None  # `I work at a school now`, of a nurse
                yield Telling(facet, tokens[place : place + size], holder, bool(turns) and is_told, changes)


def _holder(clause: Clause, words: Grammar) -> frozenset[str] | None:
    """The words that name whose it is what a clause tells, none for the speaker's; None where that is nobody who is named."""
    nominatives = *clause.subject, *clause.tokens[clause.verb_at : clause.verb_at + 2]  # `das kann ich`
    if any(token in words.first_person and token not in words.possessives_own for token in nominatives):
        return frozenset()  # `me and Priya`
    is_pointing = len(clause.subject) == 1 and clause.subject[0] in words.determiners  # `der heißt Torge`
    if is_pointing or words.people_pronouns.has_any(clause.subject[:1] or clause.tokens[:1]):
        return None
    people = (
        *people_in(clause, words),
        *((token,) for token in clause.tokens[:3] if token in words.roles and not clause.kind),
    )
    return frozenset(token for name in people for token in name)


def changed(
    stake: Mapping[str, frozenset[str] | None], value: str, owner: str, text: str, code: str
) -> list[Telling]:
    """What of a text says that a facet of the same one has another value than the one that stands.

    Args:
        stake: the facets of what stands, see `at_stake`.
        value: what stands; of a statement its words.
        owner: whose it is; empty for the speaker's.
        text: what is said later.
    """
    known, entity = tokens_of(value), frozenset(tokens_of(owner))
    return [
        later
        for later in (tellings(text, code) if stake else ())
        if later.changes
        and later.facet in stake
        and _are_one(later.holder, entity or stake[later.facet] or entity)
        and not has_phrase(known, later.phrase)
        and (later.facet not in _TASTES or not stems(value, text).isdisjoint(stems(text, text)))
    ]


def _are_one(holder: frozenset[str], other: frozenset[str]) -> bool:
    return not holder.isdisjoint(other) if holder and other else holder == other
