"""What a person asks to remember, read as consolidation reads a turn: facts, statements, or neither."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memoryclaw.consolidation.changes import ClaimDecision, Quote, Segment
from memoryclaw.consolidation.claims import claims_of, statement_of
from memoryclaw.consolidation.episodes import body
from memoryclaw.consolidation.reconcile import ClaimDecider
from memoryclaw.consolidation.todos import read as read_todos
from memoryclaw.index.catalog import Catalog
from memoryclaw.model import Turn
from memoryclaw.talk.acceptance import verdict
from memoryclaw.talk.people import first_name
from memoryclaw.talk.statements import Statement, read
from memoryclaw.text.grammar import tokens_of
from memoryclaw.text.language import key_of
from memoryclaw.vault.layout import timestamp
from memoryclaw.vault.logs import LogRange
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import decisions_of
from memoryclaw.writing.remember import MemoryPart


class Understood(NamedTuple):
    """What a text comes to: the facts and statements that hold all of it; none where a note must keep the words."""

    parts: tuple[MemoryPart, ...] = ()
    why: str = ""  # why a note keeps it
    todos: str = ""  # the lines with a box that the note tells, and of other words the text before them


def understood(context: WriteContext, catalog: Catalog, text: str, language: str) -> Understood:
    """Reads a text that a person typed with the deterministic reader of talk."""
    turn = Turn(
        id="", session="", turn="1", ts=timestamp(context.now), role="user", name=context.owner, text=text, line=1, end_line=1
    )  # fmt: skip
    decider = ClaimDecider(
        catalog,
        context.schema(),
        decisions_of(context.root),
        today=context.today,
    )
    names = decider.names(Segment(LogRange("", 1, 1, ""), (turn,)))
    talk = read([turn], names, language)
    if first := first_name(text, language):
        # A capital begins any sentence, so it makes a name only where all that is said is told of it.
        talk_of_name = read([turn], {key_of(first): first, **names}, language)
        if talk_of_name.statements and all(
            statement.assertions and {fact.entity for fact in statement.assertions} == {first}
            for statement in talk_of_name.statements
        ):
            talk = talk_of_name
    _, todos = read_todos(talk, [turn], language=language)
    if todos:
        of = {line.of for line in todos}
        lead = "" if of.issuperset(talk.statements) else f"{text.strip()}\n\n"
        lines = body(Quote(line.of.line, line.of.who, line.words, line.box, due=line.due) for line in todos)
        return Understood(why="a to-do", todos=f"{lead}{lines}")
    rows = [verdict(statement) for statement in talk.statements]
    unclear = next((row for row in rows if row.verdict not in ("fact", "statement")), None)
    if talk.pasted or not rows or unclear:
        return Understood(why=unclear.why if unclear else "no statement of yours is in it")
    quotes = (
        statement_of(statement)
        for statement in talk.statements
        if statement.assertions and _leaves(statement)
    )
    decided = [decider.decide(claim, "") for claim in dict.fromkeys((*claims_of(talk), *quotes))]
    return Understood(tuple(dict.fromkeys(part for decision in decided for part in _parts(decision))))


def _parts(decision: ClaimDecision) -> Iterator[MemoryPart]:
    """What a decision keeps or ends, and what stands beside it and holds no longer."""
    claim, ended = decision.claim, decision.action == "end"
    if ended or claim.how != "end":
        yield MemoryPart(
            claim.entity, claim.field, claim.value, decision.path, decision.many, decision.replaces, ended
        )
    for path, entity, field, value in decision.outdated:
        yield MemoryPart(entity, field, value, path, ended=True)


def _leaves(statement: Statement) -> bool:
    """True where the clauses that facts were read from leave words out that carry the subject."""
    read_ = {token for fact in statement.assertions for token in tokens_of(fact.words)}
    return any(token not in read_ and token.removesuffix("'s") not in read_ for token in statement.content)
