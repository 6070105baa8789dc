"""The conflicts of a vault as a writer looks at them: what the caller sees of both sides, and what people said may stand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from memoryclaw.model import Fact
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.language import key_of
from memoryclaw.vault.conflict_rules import Conflict, FactAt, agree, conflicts, key_of_fact
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import SCHEMA_FILE
from memoryclaw.vault.vocabulary import Schema, read_schema
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import Decisions, decisions_of, fingerprint

KIND = "conflict"


def allowance(decisions: Decisions) -> Callable[[Fact, Fact], bool]:
    """Tells of two facts whether a person said that both may stand."""
    return lambda first, other: decisions.is_rejected(pair_print(first, other))


def pair_print(first: Fact, other: Fact) -> str:
    """What decisions know two values of one field by."""
    return fingerprint(KIND, _keys((first, other)), key_of_fact(first), *sorted((first.value, other.value)))


def conflict_print(conflict: Conflict) -> str:
    """What decisions know a conflict by."""
    facts = [fact for _, fact in conflict.facts]
    return fingerprint(KIND, _keys(facts), key_of_fact(facts[0]), *sorted(conflict.values))


def _keys(facts: Iterable[Fact]) -> str:
    return " / ".join(sorted({key_of(fact.entity) for fact in facts}))


def standing_conflicts(context: WriteContext) -> list[Conflict]:
    """The conflicts of the vault, as far as the caller sees both sides."""
    lookup = context.lookup
    keys = lookup.contested_keys()
    pairs = list(lookup.standing_facts(keys))
    if context.only_seen:
        pairs = list(_visible_facts(context, pairs))
    pairs.sort(key=lambda pair: key_of(pair[1].entity))
    return conflicts(
        pairs,
        context.schema(),
        today=context.today,
        allowed=allowance(decisions_of(context.root)),
        linked=lookup.other_names(keys),
        speakers=lookup.speakers,
        namesakes=lookup.namesakes,
    )


def _visible_facts(context: WriteContext, facts: Sequence[FactAt]) -> Iterator[FactAt]:
    """Those of these facts that are in what the caller sees of their files, as they stand there."""
    texts: dict[str, list[Fact]] = {}
    for path, fact in facts:
        if path not in texts:
            texts[path] = list(context.semantic(path).facts(context.text(path)).facts)
        place = next((n for n, row in enumerate(texts[path]) if row.current and says(row, fact)), None)
        if place is not None:
            yield path, texts[path].pop(place)._replace(trust=fact.trust)


def says(first: Fact, other: Fact) -> bool:
    """True for lines that say the same of the same field."""
    return (first.entity, first.field, first.value) == (other.entity, other.field, other.value)


def rivals(conflict: Conflict) -> list[tuple[Fact, Fact]]:
    """The pairs of values that cannot both hold, each once."""
    facts = [side[0][1] for side in conflict.sides]
    return [(a, b) for a, b in combinations(facts, 2) if not agree(a.value, b.value)]


def side_in_words(side: Sequence[FactAt], entity: str) -> str:
    """`2026-05-02 (semantic/projects.md:4, since 2026-04-20, from 2026-04-19_site-meeting)`: a value, its places and its source.

    Args:
        entity: the name by which the conflict is known; another one is told.
    """
    value, remarks = side[0][1].value, [f"{path}:{fact.line}" for path, fact in side]
    first = side[0][1]
    remarks += [f"of {first.entity}"] if key_of(first.entity) != key_of(entity) else []
    remarks += [f"since {first.since}"] if first.since else []
    remarks += [f"from {first.source}"] if first.source else []
    remarks += [first.trust] if first.trust != "trusted" else []
    return f"{value} ({', '.join(remarks)})"


def rules(vault: Vault) -> tuple[Schema, Callable[[Fact, Fact], bool]]:
    """What a vault declares of its fields, as the caller sees it, and of which values a person said that they may stand together."""
    file = vault.read(SCHEMA_FILE)
    schema = read_schema(readable(decode(file[0]).text) if file else "")
    return schema, allowance(decisions_of(os.fspath(vault.root)))  # what was decided is so for everybody
