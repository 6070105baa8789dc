"""The facets of a life of which one value holds at a time: work, home, a couple. Which of them stand, and which have another value by what is said. Pure.

What people say of a change often has no word of what it changes: `handed in my notice`, of `works at: Shell`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from memoryclaw.recall.renewing import fields_in
from memoryclaw.text import words as lists
from memoryclaw.text.clauses import Clause, clauses
from memoryclaw.text.grammar import Grammar, WordList, grammar, grammar_of, tokens_of
from memoryclaw.vault.fact_values import KIN, noun_of, same_field

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
        told = first.tokens if first is not None else tokens
        roles = (" ".join(told[place : place + size]) for place, size in words.roles.places(told))
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
    tokens, signs = clause.tokens, (words.changes, words.returns, words.beginnings)
    spans = [span for sign in signs for span in sign.places(tokens)]
    others = words.negations, words.former, words.ending_verbs  # `you can quit calling me sir`
    if not spans or clause.joined or any(sign.within(tokens) for sign in others):
        return []
    idle = {n for place, size in spans for n in range(place, place + size)}
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
