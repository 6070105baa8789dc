"""What a person asks to remember, read as consolidation reads a turn: facts, statements, or neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoryclaw.consolidation.changes import ClaimDecision, Quote, Segment
from memoryclaw.consolidation.episodes import body
from memoryclaw.consolidation.reconcile import ClaimDecider, claims_of, statement_of
from memoryclaw.consolidation.todos import read as read_todos
from memoryclaw.index.catalog import Catalog
from memoryclaw.late import NamedTuple
from memoryclaw.model import Turn
from memoryclaw.talk.people import first_name
from memoryclaw.talk.statements import Statement, read
from memoryclaw.talk.worth import verdict
from memoryclaw.text.grammar import tokens_of
from memoryclaw.text.language import key_of
from memoryclaw.vault.edits import quotable, same
from memoryclaw.vault.fact_values import bare_field, plain_key, plain_value
from memoryclaw.vault.layout import DECISIONS_FILE, timestamp
from memoryclaw.vault.logs import LogRange
from memoryclaw.writing.context import WriteContext, Written, fact_in_words
from memoryclaw.writing.decisions import decisions_of, fingerprint
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, add_pending, waiting_id
from memoryclaw.writing.remember import MemoryPart, remember
from memoryclaw.writing.tombstones import SENTENCE, Tombstones
from memoryclaw.writing.writer import Edit, text_change, write


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


# What an agent stores is its claim: new and harmless it is kept as `unknown`, and what contradicts a fact waits for a person.


def claim(
    context: WriteContext,
    text: str,
    *,
    entity: str = "",
    field: str = "",
    tags: Sequence[str] = (),
    tool: str = "",
    session: str = "",
) -> Written:
    """Keeps what an agent says, as far as nobody said otherwise; the same text twice is `existing`.

    Args:
        field: the fact's field; goes with `entity`.
        tool: what the agent stored it with.
        session: the session in which it did.
    """
    source = " ".join(filter(None, ("agent", tool, session and f"session {session}", timestamp(context.now))))
    entity, field = (" ".join(name.split()) for name in (entity, field))
    erased = Tombstones.of(context)
    if erased.text(text, "tv") or (entity and erased.fact(context.lookup.entity_name(entity), field, text)):
        return Written("", DECISIONS_FILE, "", "rejected", SENTENCE)
    if entity and text.strip():
        entity = context.lookup.entity_name(entity)
        words = " ".join(text.split()) if field else quotable(text)
        decided = decisions_of(context.root)
        known_by = fingerprint("fact", entity, field, words)
        if decided.is_rejected(known_by):
            return Written("", PENDING_FILE, "", "rejected", "a person said no to this; nothing was kept")
        if decided.is_undone(known_by):
            reason = f"{source} says so; a person took it back once"
            return _wait(
                context, PendingFact("", entity, field, words, "low", context.today, "", reason), source
            )
    field = known_field(context, entity, field, text)
    written = remember(context, text, entity=entity, field=field, tags=tags, claim=source)
    if written.action != "contradicts":
        return written
    reason, rival = f"{source} says so, and another value stands", written.notice
    fact = PendingFact("", entity, field, " ".join(text.split()), "low", context.today, "", reason, rival)
    return _wait(context, fact, source)


def known_field(context: WriteContext, entity: str, field: str, value: str) -> str:
    """The field under which the vault has what is said to be one of an entity; the same where it has none."""
    if not (entity.strip() and field.strip()):
        return field
    name = context.lookup.entity_name(" ".join(entity.split()))
    paths = [path for path in context.lookup.entity_files(name) if path.startswith("semantic/")]
    facts = (
        fact
        for path in paths
        for fact in context.semantic(path).facts(context.as_seen(path, context.text(path))).facts
    )
    return bare_field(field, value, [fact for fact in facts if same(fact.entity, name)])


def _wait(context: WriteContext, fact: PendingFact, source: str) -> Written:
    """Adds the claim to what waits; one commit, and none where it waits already."""
    id_, run = (
        waiting_id(plain_key(fact.entity), plain_key(fact.field), plain_value(fact.value)),
        context.run("remember"),
    )

    def message() -> str:
        statement = fact_in_words(fact.entity, fact.field, fact.value)
        return context.templates.commit_message(
            "claim-waits", run=run, fact=statement, why=fact.why, source=source
        )

    change = text_change(lambda text: add_pending(text, fact))
    outcome = write(context.root, [Edit(PENDING_FILE, change)], message, verb="remember", now=context.now)
    if not outcome.changed:
        return Written(id_, PENDING_FILE, "", "existing", "it waits for a person already")
    return Written(id_, PENDING_FILE, outcome.commit, "waiting", f"it waits for a person: {fact.why}")
