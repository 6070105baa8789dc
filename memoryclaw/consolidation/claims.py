"""Statements → the claims that they make: facts where it is told of what, else the statement itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby

from memoryclaw.consolidation.changes import RENEWAL, Claim
from memoryclaw.model import FROM_NOW_ON
from memoryclaw.talk.acceptance import verdict
from memoryclaw.talk.assertions import Assertion
from memoryclaw.talk.seals import balanced
from memoryclaw.talk.statements import Statement, Talk
from memoryclaw.text.dates import find_ranges
from memoryclaw.text.grammar import grammar, tokens_of
from memoryclaw.vault.fact_values import OPPOSITES, date_value, noun_of, plain_value

LONGEST = 300  # characters of a statement
_BARRED = frozenset(
    {"asked", "supposed", "joke", "reported"}
)  # a sentence with one of these is not kept whole
_SPAN = timedelta(days=31)  # in which something began, at most, for the first of them to be its day
_REST = 2  # words with a subject that a clause must say besides its facts to be kept as a statement, too


def claims_of(talk: Talk) -> tuple[Claim, ...]:
    """The claims that people make in a talk, in the order of their lines."""
    people = talk.people | {one.who for one in talk.statements}
    found = (claim for one in adjoined(talk.statements) for claim in _claims(one))
    return tuple(claim._replace(person=claim.entity in people) for claim in found)


def adjoined(statements: Sequence[Statement]) -> list[Statement]:
    """The statements, those that are kept as they were said and touch each other in a turn as one item."""
    items: list[Statement] = []
    for _, turn in groupby(statements, key=lambda one: one.line):
        said = list(turn)
        barred = {at for one in said if one.doubts & _BARRED for at in one.places}
        last: Statement | None = None
        for one in said:
            whole = verdict(one).verdict == "statement" and not one.asked and barred.isdisjoint(one.places)
            if whole and last and _touch(last, one):
                items[-1] = last = _joined(last, one)
            else:
                items.append(one)
                last = one if whole else None
    return items


def _touch(first: Statement, second: Statement) -> bool:
    return (
        first.about == second.about
        and first.who == second.who
        and second.places[0] - first.places[-1] <= 1
        and len(first.quote) + len(second.quote) < LONGEST
    )


def _joined(first: Statement, second: Statement) -> Statement:
    """Two statements that touch each other, as one."""
    quote = f"{first.quote} {second.quote}" if second.places[-1] > first.places[-1] else first.quote
    return replace(
        first,
        words=balanced(quote.rstrip(".")),
        quote=quote,
        places=tuple(dict.fromkeys((*first.places, *second.places))),
        assertions=(*first.assertions, *second.assertions),
        content=first.content | second.content,
        names=tuple(dict.fromkeys((*first.names, *second.names))),
        ended=(*first.ended, *second.ended),
        change=first.change or second.change,
        salient=first.salient or second.salient,
    )


def _claims(one: Statement) -> Iterator[Claim]:
    row = verdict(one)
    every = [(assertion, _since(assertion, one.said)) for assertion in one.assertions]
    # What holds later is no fact yet.
    found = [(assertion, since) for assertion, since in every if not one.said or since <= one.said]
    doubted = "low" if "hedged" in one.doubts else "medium"
    if row.verdict in ("fact", "ask"):
        if one.kind == "order":
            yield claim_of(one, one.who, FROM_NOW_ON, one.words, "prefers")._replace(many=True)
        for assertion, since in found:
            sure = row.verdict == "fact" or assertion.how == "role"
            yield _fact(one, assertion, confidence="high" if sure else doubted)._replace(since=since)
        all_said = all(assertion.how != "bare" for assertion in one.assertions) and _says_more(one)
        if one.assertions and row.verdict == "fact" and (len(found) < len(every) or all_said):
            yield statement_of(one)
    elif row.verdict == "statement":
        yield statement_of(one)
    elif row.verdict == "renewal":
        yield statement_of(one)._replace(how=RENEWAL)
    for ended in one.ended if not one.among else ():
        yield claim_of(one, ended.entity or one.who, ended.field, ended.value, "end")
    for assertion, _ in found if row.verdict == "fact" else ():
        if opposite := OPPOSITES.get(assertion.field):
            yield claim_of(one, assertion.entity or one.who, opposite, assertion.value, "end")


def _fact(one: Statement, assertion: Assertion, confidence: str) -> Claim:
    noun = noun_of(assertion.field)
    value = assertion.value
    if noun and noun.kind in ("date", "day"):
        value = date_value(value, one.said, recurs=noun.kind == "day") or value
    many = assertion.how == "role" and not grammar(one.language).one_holder_roles.at(
        tokens_of(assertion.words)
    )
    return claim_of(one, assertion.entity or one.who, assertion.field, value, assertion.how)._replace(
        many=many, confidence=confidence, replaces=assertion.replaces
    )


def _since(assertion: Assertion, said: str) -> str:
    """The day from which it holds, as its words tell: of a span up to a month its first; "" where they tell none, or a longer one."""
    for found in find_ranges(assertion.when, date.fromisoformat(said))[0] if assertion.when and said else ():
        first, last = found.start, found.end or found.start
        if first and date.fromisoformat(last) - date.fromisoformat(first) <= _SPAN:
            return first
    return ""


def statement_of(one: Statement) -> Claim:
    """The claim that a statement makes as it was said: no field, and its words for a value."""
    return claim_of(one, one.about or one.who, "", _shown(one), "said")


def claim_of(one: Statement, entity: str, field: str, value: str, how: str) -> Claim:
    """A claim of what a statement says."""
    return Claim(
        entity=entity, field=field, value=plain_value(value), line=one.line, quote=one.quote, role="user", said=one.said, words=_shown(one),
        how=how, change=one.change, content=tuple(sorted(one.content)), speaker=one.who, stressed=one.stressed,
        worth=str(one.worth or ""),
    )  # fmt: skip


def _shown(one: Statement) -> str:
    """The words of a statement, with the question that it answers and the topic that it goes on about."""
    text = f"{one.topic}: {one.words}" if one.topic else one.words
    text = f"{one.asked} – {text}" if one.asked else text
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " …"


def _says_more(one: Statement) -> bool:
    """True where a clause says more than its facts."""
    said = {
        token
        for assertion in one.assertions
        for token in tokens_of(f"{assertion.field} {assertion.value} {assertion.words}")
    }
    naming = grammar(one.language).naming_words
    more = {
        token for token in one.content - said if token not in naming and token.removesuffix("'s") not in said
    }
    return len(more) >= _REST
