"""Statements → the claims that they make: facts where it is told of what, else the statement itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby

from memoryclaw.consolidation.changes import RENEWAL, Claim
from memoryclaw.model import FROM_NOW_ON, PROJECT, Turn
from memoryclaw.talk.acceptance import verdict
from memoryclaw.talk.assertions import Assertion
from memoryclaw.talk.seals import balanced
from memoryclaw.talk.statements import Statement, Talk
from memoryclaw.text import words as lists
from memoryclaw.text.clauses import clauses
from memoryclaw.text.dates import find_ranges
from memoryclaw.text.grammar import grammar, grammar_of, tokens_of
from memoryclaw.text.repository_work import is_of_work, is_told_here, says_we
from memoryclaw.vault.fact_values import OPPOSITES, date_value, noun_of, plain_value
from memoryclaw.vault.validity import canonical_scope

LONGEST = 300  # characters of a statement
_BARRED = frozenset(
    {"asked", "supposed", "joke", "reported"}
)  # a sentence with one of these is not kept whole
_SPAN = timedelta(days=31)  # in which something began, at most, for the first of them to be its day
_REST = 2  # words with a subject that a clause must say besides its facts to be kept as a statement, too


def claims_of(talk: Talk) -> tuple[Claim, ...]:
    """The claims that people make in a talk, in the order of their lines."""
    people = talk.told_of | {statement.who for statement in talk.statements}
    claims = (claim for statement in adjoined(talk.statements) for claim in _claims(statement))
    return tuple(claim._replace(person=claim.entity in people) for claim in claims)


def adjoined(statements: Sequence[Statement]) -> list[Statement]:
    """The statements, those that are kept as they were said and touch each other in a turn as one item."""
    pieces: list[Statement] = []
    for _, turn in groupby(statements, key=lambda statement: statement.line):
        spoken = list(turn)
        barred = {place for statement in spoken if statement.doubts & _BARRED for place in statement.places}
        last: Statement | None = None
        for statement in spoken:
            is_whole = (
                verdict(statement).verdict == "statement"
                and not statement.asked
                and barred.isdisjoint(statement.places)
            )
            if is_whole and last and _touch(last, statement):
                pieces[-1] = last = _joined(last, statement)
            else:
                pieces.append(statement)
                last = statement if is_whole else None
    return pieces


def _touch(first: Statement, second: Statement) -> bool:
    goes_on = second.subject == "none" and not second.about  # `Jo is my lead, micro-manages everything`
    return (
        (first.about == second.about or goes_on)
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


def _claims(statement: Statement) -> Iterator[Claim]:
    row = verdict(statement)
    dated_assertions = [(assertion, _since(assertion, statement.said)) for assertion in statement.assertions]
    # What holds later is no fact yet.
    assertions = [
        (assertion, since)
        for assertion, since in dated_assertions
        if not statement.said or since <= statement.said
    ]
    doubted = "low" if "hedged" in statement.doubts else "medium"
    if row.verdict in ("fact", "ask"):
        if statement.kind == "order":
            yield claim_of(statement, statement.who, FROM_NOW_ON, statement.words, "prefers")._replace(
                many=True
            )
        for assertion, since in assertions:
            sure = row.verdict == "fact" or (assertion.how == "role" and row.verdict != "ask")
            yield _fact(statement, assertion, confidence="high" if sure else doubted)._replace(since=since)
        is_asked = "asked" in statement.doubts or statement.kind == "task"
        all_said = not is_asked and all(assertion.how != "bare" for assertion in statement.assertions)
        all_said = all_said and _says_more(statement)
        if (
            statement.assertions
            and row.verdict == "fact"
            and (len(assertions) < len(dated_assertions) or all_said)
        ):
            yield statement_of(statement)
    if row.verdict == "statement" or (row.verdict == "ask" and not statement.assertions):
        yield statement_of(statement)._replace(confidence="low" if row.verdict == "ask" else "high")
    for ended in statement.ended if not statement.among else ():
        yield claim_of(statement, ended.entity or statement.who, ended.field, ended.value, "end")
    if row.verdict == "renewal":
        yield statement_of(statement)._replace(how=RENEWAL)
    for assertion, _ in assertions if row.verdict == "fact" else ():
        if opposite := OPPOSITES.get(assertion.field):
            yield claim_of(statement, assertion.entity or statement.who, opposite, assertion.value, "end")


def _fact(statement: Statement, assertion: Assertion, confidence: str) -> Claim:
    noun = noun_of(assertion.field)
    value = assertion.value
    if noun and noun.kind in ("date", "day"):
        value = date_value(value, statement.said, recurs=noun.kind == "day") or value
    many = assertion.how == "role" and not grammar(statement.language).one_holder_roles.at(
        tokens_of(assertion.words)
    )
    return claim_of(
        statement, assertion.entity or statement.who, assertion.field, value, assertion.how
    )._replace(many=many, confidence=confidence, replaces=assertion.replaces)


def _since(assertion: Assertion, day: str) -> str:
    """The day from which it holds, as its words tell: of a span up to a month its first; "" where they tell none, or a longer one."""
    for range_ in find_ranges(assertion.when, date.fromisoformat(day))[0] if assertion.when and day else ():
        first, last = range_.start, range_.end or range_.start
        if first and date.fromisoformat(last) - date.fromisoformat(first) <= _SPAN:
            return first
    return ""


def statement_of(statement: Statement) -> Claim:
    """The claim that a statement makes as it was said: no field, and its words for a value."""
    return claim_of(statement, statement.about or statement.who, "", _shown(statement), "said")


def claim_of(statement: Statement, entity: str, field: str, value: str, how: str) -> Claim:
    """A claim of what a statement says."""
    return Claim(
        entity=entity, field=field, value=plain_value(value), line=statement.line, quote=statement.quote, role="user", said=statement.said, words=_shown(statement),
        how=how, change=statement.change, content=tuple(sorted(statement.content)), speaker=statement.who, stressed=statement.stressed,
        worth=str(statement.worth or ""),
    )  # fmt: skip


def _shown(statement: Statement) -> str:
    """The words of a statement, with the question that it answers and the topic that it goes on about."""
    text = f"{statement.topic}: {statement.words}" if statement.topic else statement.words
    text = f"{statement.asked} – {text}" if statement.asked else text
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " …"


def _says_more(statement: Statement) -> bool:
    """True where a clause says more than its facts."""
    told_tokens = {
        token
        for assertion in statement.assertions
        for token in tokens_of(f"{assertion.entity} {assertion.field} {assertion.value} {assertion.words}")
    }
    words = grammar(statement.language)
    # `my cat, who is called Momo, is diabetic`
    least = 1 if words.relative_words.within(tokens_of(statement.words)) else _REST
    surplus = {
        token
        for token in statement.content - told_tokens
        if token not in words.naming_words and token.removesuffix("'s") not in told_tokens
    }
    return len(surplus) >= least


# What is told of the work in a repository holds there, and not everywhere: its tools, code, commands and conventions.

_TOOL = 2  # words of its name
_TALK = frozenset(lists.words("consolidation.talking"))


def in_project(claim: Claim, project: str) -> Claim:
    """The claim, for this project alone where it is of its work; how the assistant is to talk or behave is for everywhere."""
    text = claim.words or f"{claim.field} {claim.value}"
    # A clause of a sentence that names it: `in this project we use pnpm, never npm`; not who somebody is.
    is_ours = (
        claim.field == "uses"
        and says_we(claim.quote)
        and (len(claim.value.split()) <= _TOOL or is_of_work(claim.quote))
    )
    is_here = is_ours or (claim.how != "role" and is_told_here(claim.quote))
    if (
        not (is_here or is_of_work(text))
        or (claim.field == FROM_NOW_ON and not _TALK.isdisjoint(tokens_of(text)))
        or _tells_what_one_is(claim.words)
    ):
        return claim
    scope = canonical_scope(f"{PROJECT}{project}")
    # What a person says of their work is told of the project: each has values of its own.
    return claim._replace(
        scope=scope, entity=project if scope and claim.entity in ("user", claim.speaker) else claim.entity
    )


def _tells_what_one_is(text: str) -> bool:
    """True for what somebody says they are for good, wherever it is said: `I'm colour blind (red/green), so pick other colours`."""
    words = grammar_of(text)
    return any(
        clause.kind == "be"
        and words.lasting_states.at(tokens_of(clause.rest))
        and (not clause.subject or words.first_person.has_any((*clause.subject[:1], *clause.verb[:1])))
        for clause in clauses(text, words)
    )


def scopes_of_work(turns: Iterable[Turn]) -> set[str]:
    """What turns hold for of which nothing is kept: their projects, where a person said anything that is of the work."""
    scopes, is_work = set(), False
    for turn in turns:
        scopes.add(canonical_scope(f"{PROJECT}{turn.project}") if turn.project else "")
        is_work = is_work or (turn.role == "user" and is_of_work(turn.text))
    return scopes if is_work else set()
