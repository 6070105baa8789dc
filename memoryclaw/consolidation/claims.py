"""Statements → the claims that they make: facts where it is told of what, else the statement itself."""

from __future__ import annotations

from collections.abc import Iterator

from memoryclaw.consolidation.acceptance import verdict
from memoryclaw.consolidation.changes import Claim
from memoryclaw.consolidation.talk import Statement, Talk
from memoryclaw.consolidation.told import Told
from memoryclaw.model import FROM_NOW_ON
from memoryclaw.text.grammar import grammar, tokens_of
from memoryclaw.vault.fact_values import date_value, noun_of, plain_value

LONGEST = 300  # characters of a statement
_REST = 2  # words with a subject that a clause must say besides its facts to be kept as a statement, too


def claims_of(talk: Talk) -> tuple[Claim, ...]:
    """The claims that people make in a talk, in the order of their lines."""
    people = talk.people | {one.who for one in talk.statements}
    found = (claim for one in talk.statements for claim in _claims(one))
    return tuple(claim._replace(person=claim.entity in people) for claim in found)


def _claims(one: Statement) -> Iterator[Claim]:
    row = verdict(one)
    doubted = "low" if "hedged" in one.doubts else "medium"
    if row.verdict in ("fact", "ask"):
        if one.kind == "order":
            yield claim_of(one, one.who, FROM_NOW_ON, one.words, "prefers")._replace(many=True)
        for told in one.told:
            yield _fact(
                one, told, confidence="high" if row.verdict == "fact" or told.how == "role" else doubted
            )
        if (
            one.told
            and row.verdict == "fact"
            and all(told.how != "bare" for told in one.told)
            and _says_more(one)
        ):
            yield statement_of(one)
    elif row.verdict == "statement":
        yield statement_of(one)


def _fact(one: Statement, told: Told, confidence: str) -> Claim:
    noun = noun_of(told.field)
    value = told.value
    if noun and noun.kind in ("date", "day"):
        value = date_value(value, one.said, recurs=noun.kind == "day") or value
    many = told.how == "role" and not grammar(one.language).one_holder_roles.at(tokens_of(told.words))
    return claim_of(one, told.entity or one.who, told.field, value, told.how)._replace(
        many=many, confidence=confidence
    )


def statement_of(one: Statement) -> Claim:
    """The claim that a statement makes as it was said: no field, and its words for a value."""
    return claim_of(one, one.about or one.who, "", _shown(one), "said")


def claim_of(one: Statement, entity: str, field: str, value: str, how: str) -> Claim:
    """A claim of what a statement says."""
    return Claim(
        entity=entity, field=field, value=plain_value(value), line=one.line, quote=one.quote, role="user", said=one.said, words=_shown(one),
        how=how, change=one.change, content=tuple(sorted(one.content)), speaker=one.who, stressed=one.stressed,
    )  # fmt: skip


def _shown(one: Statement) -> str:
    """The words of a statement, with the question that it answers and the topic that it goes on about."""
    text = f"{one.topic}: {one.words}" if one.topic else one.words
    text = f"{one.asked} – {text}" if one.asked else text
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " …"


def _says_more(one: Statement) -> bool:
    """True where a clause says more than its facts."""
    said = {token for told in one.told for token in tokens_of(f"{told.field} {told.value} {told.words}")}
    return len(one.content - said) >= _REST
