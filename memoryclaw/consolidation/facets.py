"""The facets of a life of which one value holds at a time: work, home, school. Which of them a text tells, and of which it says that they have another value from then on. Pure.

What people say of a change often has no word of what it changes: `handed in my notice`, of `works at: Shell`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from memoryclaw.talk.assertions import has_phrase
from memoryclaw.text import words as lists
from memoryclaw.text.clauses import Clause, clauses
from memoryclaw.text.grammar import Grammar, WordList, grammar, grammar_of, spans_of, tokens_of
from memoryclaw.vault.fact_values import same_field

_SOMEBODY = frozenset({"?"})  # the holder of `he's at university now`
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
def _phrases(code: str) -> tuple[tuple[str, bool, WordList], ...]:
    """The facets of a language with their words, and with those that say by themselves that they have another value."""
    words, rows = grammar(code), dict[tuple[str, bool], list[str]]()
    for turns, entries in ((True, words.facet_turns), (False, words.facet_words)):
        for phrase, facet in entries:
            rows.setdefault((facet, turns), []).append(" ".join(phrase))
    return tuple((facet, turns, WordList(phrases)) for (facet, turns), phrases in rows.items())


@lru_cache(maxsize=1024)
def of_field(field: str) -> frozenset[str]:
    """The facets of which a field is."""
    return frozenset(facet for facet, fields in _fields().items() if any(same_field(field, each) for each in fields))


@lru_cache(maxsize=16384)  # of all that stands
def tellings(text: str, code: str) -> tuple[Telling, ...]:
    """What a text tells of facets."""
    words = grammar_of(text, code)
    phrases, tokens = _phrases(words.code), tokens_of(text)
    at_hand = [row for row in phrases if row[2].within(tokens)]
    return tuple(_told(text, words, at_hand)) if at_hand else ()


def _told(text: str, words: Grammar, phrases: Sequence[tuple[str, bool, WordList]]) -> Iterator[Telling]:
    signs, subject = (words.changes, words.beginnings, words.ended, words.gone, words.returns), ()
    for clause in clauses(text, words):
        subject = clause.subject or subject
        tokens = clause.tokens
        is_change = clause.kind not in _NO_CHANGES and any(sign.within(tokens) for sign in signs)
        for facet, turns, entries in phrases:
            for place, size in entries.places(tokens):
                holder = _holder(clause, subject, words, text, place)
                if holder is not None:
                    turned = turns and clause.kind not in _NO_CHANGES
                    yield Telling(facet, tokens[place : place + size], holder, turned, turned or is_change)


def _holder(
    clause: Clause, subject: Sequence[str], words: Grammar, text: str, place: int
) -> frozenset[str] | None:
    """The words that name whose it is what a clause tells, none for the speaker's; None for what it tells of a thing: `the appointment moved to`."""
    if any(token in words.first_person and token not in words.possessives_own for token in subject):
        return frozenset()  # `me and Priya`
    if words.people_pronouns.has_any(subject[:1] or clause.tokens[:1]):
        return _SOMEBODY
    capitals = frozenset(
        token for token, (start, _) in zip(tokens_of(text), spans_of(text), strict=True) if text[start].isupper()
    )
    idle = words.small, words.first_person, words.verbs, words.noun_openers, words.adverbs
    named = frozenset(
        token
        for token in subject
        if token in words.roles or (token in capitals and not any(token in entries for entries in idle))
    )
    is_of_person = named or not subject or place < len(clause.subject)
    return named if is_of_person else None


def changed(facets: frozenset[str], value: str, holder: frozenset[str] | None, text: str, code: str) -> list[Telling]:
    """What of a text says that a facet of the same one has another value than the one that stands.

    Args:
        facets: those of the field of what stands.
        value: what stands; of a statement its words.
        holder: whose the facets of the field are; None of a statement.
        text: what is said later.
    """
    known, told = tokens_of(value), tellings(value, code)
    holders = [(each.facet, each.holder if holder is None else holder) for each in told]
    holders += [(facet, holder or frozenset()) for facet in facets]
    return [
        later
        for later in (tellings(text, code) if holders else ())
        if later.changes
        and any(later.facet == facet and _are_one(later.holder, whose) for facet, whose in holders)
        and not has_phrase(known, later.phrase)
    ]


def _are_one(holder: frozenset[str], other: frozenset[str]) -> bool:
    if not (holder and other):
        return holder == other
    return holder == _SOMEBODY or other == _SOMEBODY or not holder.isdisjoint(other)
