"""A change of one text, made again on another version of it. The rule: exactly the same facts come, or it is not made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from memoryclaw.core.consolidation.changes import Action, AddPending, NewFile, SetFact
from memoryclaw.core.consolidation.pending import PENDING_FILE, read_pending
from memoryclaw.core.errors import InputError
from memoryclaw.core.factedits import set_fact
from memoryclaw.core.factsheet import SemanticFile, same
from memoryclaw.core.factsources import fact_sources
from memoryclaw.core.merging import merge
from memoryclaw.core.model import Fact


def replayed(before: str, after: str, now: str, file: SemanticFile | None) -> str | None:
    """The text with the change from `before` to `after` in it, or None where that would be a guess.

    Args:
        before: the text that the change was made on.
        after: the text that came of it.
        now: the text to make it on.
        file: how the facts are read, for a semantic file.
    """
    merged = merge(before, now, after)
    if file is None:
        return merged
    if merged is not None and _the_same_facts(file, (before, after), (now, merged)):
        return merged
    try:
        return _facts_set(now, file, facts_that_came(before, after, file))
    except InputError:
        return None


def facts_that_came(before: str, after: str, file: SemanticFile) -> list[SetFact]:
    """The facts that a change of a semantic file set, as actions."""
    old = [fact for fact in file.facts(before).facts if fact.current]
    new = [fact for fact in file.facts(after).facts if fact.current]
    known = {(fact.entity, fact.field, fact.value) for fact in old}
    return [
        SetFact(file.path, f.entity, f.field, f.value, f.since, _source(after, file, f), many=_beside(f, new))
        for f in new
        if (f.entity, f.field, f.value) not in known
    ]


def actions_of(path: str, before: str | None, after: str | None, file: SemanticFile | None) -> list[Action]:
    """What a change of one file can be proposed as; empty where it is nothing that a person could be asked."""
    if after is None:
        return []
    if path == PENDING_FILE:
        return list(_waiting(before or "", after))
    if file is not None:
        return list(facts_that_came(before or "", after, file))
    return [NewFile(path, after)] if before is None else []


def _waiting(before: str, after: str) -> Iterator[AddPending]:
    known = {waiting.id for waiting in read_pending(before)}
    for w in read_pending(after):
        if w.id not in known:
            yield AddPending(w.entity, w.field, w.value, w.confidence, w.source, w.why, w.since, w.known)


def _source(text: str, file: SemanticFile, fact: Fact) -> str:
    return next(iter(fact_sources(text, file, fact.id)), fact.source)


def _beside(fact: Fact, facts: Iterable[Fact]) -> bool:
    return sum(same(f.entity, fact.entity) and same(f.field, fact.field) for f in facts) > 1


def _facts_set(text: str, file: SemanticFile, facts: Iterable[SetFact]) -> str | None:
    found = list(facts)
    for f in found:
        text = set_fact(
            text,
            file,
            entity=f.entity,
            field=f.field,
            value=f.value,
            since=f.since,
            source=f.source,
            many=f.many,
        ).text
    return text if found else None


def _the_same_facts(file: SemanticFile, asked: tuple[str, str], done: tuple[str, str]) -> bool:
    """True when no fact came to stand below another entity because a heading between them moved."""
    a, b, c, d = (
        Counter((f.entity, f.field, f.value, f.current) for f in file.facts(text).facts)
        for text in (*asked, *done)
    )
    c.subtract(a)
    c.update(b)
    return +c == d
