"""Turns the words of a person or a fact into typed values of a skill's parameters. A value is data: nothing in it is obeyed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memoryclaw.errors import InputError
from memoryclaw.model import Fact
from memoryclaw.skills.skill_file import EMAIL, URL
from memoryclaw.skills.steps import Requirement, Step, fill, too_deep
from memoryclaw.text.dates import day_of
from memoryclaw.text.encoding import json_value

LONGEST = 64 * 1024  # characters of one value
HIDDEN = "[secret]"
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})
_SHAPES = {
    "email": (EMAIL, "an address such as john@example.com"),
    "url": (URL, "an address that begins with https://"),
    "date": (_DATE, "a day such as 2026-04-20"),
}


def parse_value(need: Requirement, text: str) -> Any:
    """Parses the value of a parameter by its type. Raises InputError: the text is no such value."""
    if len(text) > LONGEST:
        raise InputError(
            f"{need.name} has {len(text):,} characters, more than the {LONGEST:,} that are taken"
        )
    kind = need.asked.type
    if kind in ("number", "integer"):
        number = json_value(text.strip().replace(",", "."), parse_constant=str)
        integral = need.asked.type == "integer"
        kinds = (int,) if integral else (int, float)
        if type(number) not in kinds or abs(number) == math.inf:  # type() as True is not a number
            raise InputError(
                f"{need.name} must be {'a whole' if integral else 'a'} number, not {text[:60]!r}"
            )
        return number
    if kind == "boolean":
        low = text.strip().lower()
        if low not in _YES | _NO:
            raise InputError(f"{need.name} must be true or false, not {text[:60]!r}")
        return low in _YES
    if kind in ("list", "array", "map", "object"):
        # Parses JSON of the right kind; a list may also be text with commas.
        listed = need.asked.type in ("list", "array")
        elements = [element.strip() for element in text.split(",") if element.strip()] if listed else None
        value = json_value(text, elements, parse_constant=str)
        if not isinstance(value, list if listed else dict) or too_deep(value):
            raise InputError(
                f"{need.name} must be {'a list' if listed else 'a map'} in JSON, not {text[:60]!r}"
            )
        return value
    if not fits(need, text):
        raise InputError(f"{need.name} must be {_SHAPES[kind][1]}, not {text[:60]!r}")
    return text


def fits(need: Requirement, text: str) -> bool:
    """True if a text has the form of its type."""
    shape = _SHAPES.get(need.asked.type)
    if shape is None:
        return True
    return shape[0].fullmatch(text) is not None and (shape[0] is not _DATE or day_of(text) is not None)


def bound(step: Step, values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a step with these values; an argument whose parameter has no value is left out."""
    args = {key: fill(value, values) for key, value in step.args.items()}
    return {key: value for key, value in args.items() if value is not None or step.args[key] is None}


def mask(value: Any, secrets: frozenset[str]) -> Any:
    """Removes secret parameter values before a value is shown or logged."""
    if not secrets:
        return value
    if isinstance(value, str):
        # A secret as it is, and as JSON and the messages of a schema check write it.
        quoted = {
            json.dumps(secret, ensure_ascii=plain)[1:-1] for secret in secrets for plain in (True, False)
        }
        for form in sorted(
            {*secrets, *quoted, *(repr(secret)[1:-1] for secret in secrets)}, key=len, reverse=True
        ):
            value = value.replace(form, HIDDEN)
        return value
    if isinstance(value, dict):
        return {mask(key, secrets): mask(inner, secrets) for key, inner in value.items()}
    return [mask(inner, secrets) for inner in value] if isinstance(value, list) else value


# Parameter values from semantic memory: taken only if there is exactly one, else asked for.

Facts = Callable[[str], Sequence[Fact]]  # of an entity (all without one): those that hold now


def look_up_value(need: Requirement, entities: Sequence[str], facts: Facts) -> Fact | None:
    """The fact with the value of a parameter that nobody gave. `entities`: the entities that other parameters name, such as a client."""
    if need.address:
        return _at(need, facts)
    if not need.remembered:
        return None
    of_entities = (fact for entity in entities for fact in facts(entity) if _is(fact.field, need.name))
    named = (fact for fact in facts("") if _plain(f"{fact.entity} {fact.field}") == _plain(need.name))
    return _only(need, of_entities) or _only(need, named)


def standing_for(need: Requirement, text: str, facts: Facts) -> Fact | None:
    """The fact with the e-mail address of a person named where an address is required."""
    if not text or fits(need, text):
        return None
    of_entity = facts(text)
    named = _only(need, (fact for fact in of_entity if _is(fact.field, need.asked.type, need.name)))
    return named or _only(need, of_entity)


def _at(need: Requirement, facts: Facts) -> Fact | None:
    address = need.address.removeprefix("semantic:").strip()
    place, mark, within = address.rpartition("#")
    entity, _, field = within.rpartition(".")
    if not entity:
        entity, field = within, ""
    candidates = [fact for fact in facts(entity.strip("'\"")) if not mark or fact.id.startswith(f"{place}#")]
    matching = [fact for fact in candidates if fact.id == address or _is(fact.field, field)]
    if not field:
        matching = [fact for fact in candidates if _is(fact.field, need.name, need.asked.type, "value")]
    return _only(need, matching)


def _only(need: Requirement, facts: Iterable[Fact]) -> Fact | None:
    """The last of these facts, where all have the same value."""
    by_value = {fact.value: fact for fact in facts if fact.value and fits(need, fact.value)}
    return by_value.popitem()[1] if len(by_value) == 1 else None


def _is(field: str, *names: str) -> bool:
    return _plain(field) in {_plain(name) for name in names if name}


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())
