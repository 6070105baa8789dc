"""The values of a skill's parameters: given, remembered, by default, asked for, in this order. The rule: none is invented."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from memoryclaw.core.errors import InputError
from memoryclaw.core.references import as_text
from memoryclaw.core.skillbinding import typed
from memoryclaw.core.skillfacts import Facts, remembered, standing_for
from memoryclaw.core.skillsteps import Need

_ENTITIES = frozenset({"entity", "person"})


class Given(NamedTuple):
    """One parameter with its value, and who gave it: `given`, `asked`, `default`, the id of a fact, or nobody."""

    name: str
    value: Any
    source: str
    secret: bool = False


def values_for(
    needs: Sequence[Need],
    params: Mapping[str, str],
    facts: Facts,
    ask: Callable[[Need], str] | None,
    skill: str,
) -> list[Given]:
    """Every parameter of a skill with its value; None for an optional one that nobody knows.

    Raises:
        InputError: a value is missing or cannot be used, or there is no such parameter.
    """
    _must_be_known(params, needs, skill)
    found = {need.name: _given(need, params[need.name], facts) for need in needs if need.name in params}
    entities = [
        str(found[need.name].value) for need in needs if need.name in found and need.asked.type in _ENTITIES
    ]
    for need in needs:
        if need.name not in found and (known := _known(need, entities, facts)):
            found[need.name] = known
    for need in needs:
        if need.name not in found and not need.asked.optional and ask is not None:
            found[need.name] = _given(need, ask(need), facts)._replace(source="asked")
    missing = [need.name for need in needs if need.name not in found and not need.asked.optional]
    if missing:
        raise InputError(
            f"{skill} needs {_listed(missing)}; say {' '.join(f'--param {name}=…' for name in missing)}"
        )
    return [found.get(need.name, Given(need.name, None, "")) for need in needs]


def _must_be_known(params: Iterable[str], needs: Sequence[Need], skill: str) -> None:
    names = [need.name for need in needs]
    for name in params:
        if name not in names:
            close = get_close_matches(name, names, 1)
            hint = f"did you mean {close[0]}?" if close else f"it has {_listed(names) or 'none'}"
            raise InputError(f"{skill} has no parameter {name[:60]!r}; {hint}")


def _given(need: Need, text: str, facts: Facts) -> Given:
    person = standing_for(need, text, facts)
    if person:
        return Given(need.name, typed(need, person.value), person.id, _is_secret(need))
    return Given(need.name, typed(need, text), "given", _is_secret(need))


def _known(need: Need, entities: Sequence[str], facts: Facts) -> Given | None:
    if found := remembered(need, entities, facts):
        return Given(need.name, typed(need, found.value), found.id)
    if need.default is None:
        return None
    as_it_is = not need.asked.type and not isinstance(need.default, str)
    return Given(
        need.name,
        need.default if as_it_is else typed(need, as_text(need.default)),
        "default",
        _is_secret(need),
    )


def _is_secret(need: Need) -> bool:
    return need.asked.type == "secret"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
