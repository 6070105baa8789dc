"""What semantic memory knows of a skill's parameters. The rule: a value is taken only where there is exactly one; else it stays a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memoryclaw.core.model import Fact
from memoryclaw.core.skillbinding import fits
from memoryclaw.core.skillsteps import Need

Facts = Callable[[str], Sequence[Fact]]  # of an entity (all without one): those that hold now


class Found(NamedTuple):
    """A value, and the id of the fact that gave it."""

    value: str
    id: str


def remembered(need: Need, entities: Sequence[str], facts: Facts) -> Found | None:
    """The value of a parameter that nobody gave.

    Args:
        need: the parameter.
        entities: what other parameters are known to be about, such as a client.
        facts: asks semantic memory.
    """
    if need.address:
        return _at(need, facts)
    if not need.remembered:
        return None
    of_entities = (fact for entity in entities for fact in facts(entity) if _is(fact.field, need.name))
    return _only(need, of_entities) or _only(
        need, (fact for fact in facts("") if _names_both(fact, need.name))
    )


def standing_for(need: Need, text: str, facts: Facts) -> Found | None:
    """The address of a person that was named where an address is asked for."""
    if not text or fits(need, text):
        return None
    known = facts(text)
    named = _only(need, (fact for fact in known if _is(fact.field, need.asked.type, need.name)))
    return named or _only(need, known)


def _at(need: Need, facts: Facts) -> Found | None:
    address = need.address.removeprefix("semantic:").strip()
    place, mark, within = address.rpartition("#")
    entity, _, field = within.rpartition(".")
    if not entity:
        entity, field = within, ""
    known = [fact for fact in facts(entity.strip("'\"")) if not mark or fact.id.startswith(f"{place}#")]
    wanted = [fact for fact in known if fact.id == address or _is(fact.field, field)]
    if not field:
        wanted = [fact for fact in known if _is(fact.field, need.name, need.asked.type, "value")]
    return _only(need, wanted)


def _only(need: Need, facts: Iterable[Fact]) -> Found | None:
    found = {fact.value: fact.id for fact in facts if fact.value and fits(need, fact.value)}
    return Found(*next(iter(found.items()))) if len(found) == 1 else None


def _is(field: str, *names: str) -> bool:
    return _plain(field) in {_plain(name) for name in names if name}


def _names_both(fact: Fact, name: str) -> bool:
    """`nora_email` is Nora's email."""
    return _plain(f"{fact.entity} {fact.field}") == _plain(name)


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())
