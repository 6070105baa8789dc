"""The facets of a life of which one value holds at a time: work, home, a couple. Which of them stand, and which have another value by what is said. Pure.

What people say of a change often has no word of what it changes: `handed in my notice`, of `works at: Shell`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from memoryclaw.text import words as lists
from memoryclaw.text.clauses import Clause, clauses
from memoryclaw.text.grammar import Grammar, WordList, grammar, grammar_of, tokens_of
from memoryclaw.vault.fact_values import KIN, noun_of, same_field

_WORK = "work"
_NO_NEWS = frozenset({"wish", "modal", "order", "duty", "report"})  # kinds of clauses


class Turn(NamedTuple):
    """Words by which a facet has another value from then on."""

    facet: str
    phrase: tuple[str, ...]
    ends: bool  # they say that the older value is over


@cache
def _fields() -> dict[str, tuple[str, ...]]:
    rows = (line.partition(": ") for line in lists.lines("consolidation.facet_fields"))
    return {facet: tuple(fields.split(", ")) for facet, _, fields in rows}


@cache
def _phrases(code: str, name: str) -> dict[str, WordList]:
    rows = dict[str, list[str]]()
    for phrase, facet in getattr(grammar(code), name):
        rows.setdefault(facet, []).append(" ".join(phrase))
    return {facet: WordList(phrases) for facet, phrases in rows.items()}


@lru_cache(maxsize=16384)  # of all that stands
def facets_of(field: str, value: str, code: str) -> frozenset[str]:
    """The facets of which a fact or a statement is; none of what a statement tells of others."""
    words, tokens = grammar_of(value, code), tokens_of(value)
    named = {facet for facet, fields in _fields().items() if any(same_field(field, each) for each in fields)}
    if field not in ("", "is"):
        return frozenset(named)
    first = next(iter(clauses(value, words)), None)
    whose = () if field or first is None else first.subject or first.tokens[:1]
    is_own = not whose or whose[0] in words.first_person or words.contracted_subjects.has_any(whose[:1])
    is_of_kin = words.roles.within(whose)  # `my daughter is in year 5`
    if is_own or is_of_kin:
        named |= {
            facet for facet, entries in _phrases(words.code, "facet_words").items() if entries.within(tokens)
        }
    if is_own and not named and (field or (first is not None and first.kind == "be")):
        roles = (" ".join(tokens[place : place + size]) for place, size in words.roles.places(tokens))
        nouns = (noun_of(role) for role in roles)
        named |= {_WORK for noun in nouns if noun is None or noun.field not in KIN}  # `a nurse`
    return frozenset(named)


@lru_cache(maxsize=1024)
def turns_in(clause: Clause, words: Grammar) -> tuple[Turn, ...]:
    """The facets that have another value by what a clause says."""
    tokens = clause.tokens
    if clause.kind in _NO_NEWS or words.earlier_times.within(tokens) or words.negations.at(tokens):
        return ()
    signs = words.ended, words.gone, words.losses, words.ending_verbs
    turns = list[Turn]()
    for facet, entries in _phrases(words.code, "facet_turns").items():
        for place, size in entries.places(tokens):
            phrase, behind = tokens[place : place + size], tokens[place + size :]
            leads = phrase[-1] in words.prepositions or phrase[-1] in words.noun_openers
            if behind and not leads and behind[0] in words.noun_openers:
                continue  # `I retired my ThinkPad`
            turns.append(Turn(facet, phrase, any(sign.within(phrase) for sign in signs)))
    return tuple(turns)
