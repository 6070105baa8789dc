"""What an agent stores is its claim: new and harmless it is kept as `unknown`, and what contradicts a fact waits for a person."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.vault.edits import quotable, same
from memoryclaw.vault.fact_values import bare_field, plain_key, plain_value
from memoryclaw.vault.layout import DECISIONS_FILE, timestamp
from memoryclaw.writing.context import WriteContext, Written, fact_in_words
from memoryclaw.writing.decisions import decisions_of, fingerprint
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, add_pending, waiting_id
from memoryclaw.writing.remember import remember
from memoryclaw.writing.tombstones import SENTENCE, Tombstones
from memoryclaw.writing.writer import Edit, text_change, write


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
