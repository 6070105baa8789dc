"""The arguments of the same steps in several sessions → what is constant, and parameters for what varies. Values are data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memoryclaw.core.dates import parse_timestamp
from memoryclaw.core.fence import one_line, visible
from memoryclaw.core.language import fold
from memoryclaw.core.redaction import MARK

_CONSTANT = 400  # characters; what is longer is asked for, though it was always the same
_EXAMPLE = 60
_EXAMPLES = 2
_NAME = 40
_EMAIL = re.compile(r"[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+")
_URL = re.compile(r"https?://\S+")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_TIME = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_MISSING = object()


class Parameter(NamedTuple):
    """One argument that differs from session to session."""

    name: str
    type: str  # one of skillfile.TYPES
    of: str  # where it goes: `send_email to`
    optional: bool = False
    examples: tuple[str, ...] = ()


class Step(NamedTuple):
    """One step with its arguments: (name, constant as JSON, or `$parameter`), in the order in which they were first given."""

    tool: str
    args: tuple[tuple[str, str], ...] = ()


class Plan(NamedTuple):
    """Steps, and the parameters that they share."""

    steps: tuple[Step, ...]
    parameters: tuple[Parameter, ...]


def generalised(tools: Sequence[str], occurrences: Sequence[Sequence[Mapping[str, Any]]]) -> Plan:
    """The steps of a pattern, given for each occurrence the arguments of each step.

    An argument that was the same each time is written out. The others become parameters; where two of them always had
    the same value, they are one.
    """
    named = _Names()
    steps = []
    for place, tool in enumerate(tools):
        given = [occurrence[place] for occurrence in occurrences]
        keys = dict.fromkeys(key for args in given for key in args)
        args = tuple(
            (_plain(key), named.told(tool, key, [one.get(key, _MISSING) for one in given])) for key in keys
        )
        steps.append(Step(tool, args))
    return Plan(tuple(steps), tuple(named.parameters.values()))


def as_json(value: Any) -> str:
    """A value as JSON on one line that a code span can hold and a reader can see."""
    return visible(_dumped(value)).replace("`", "\\u0060")


class _Names:
    """Gives each varying argument its parameter."""

    def __init__(self) -> None:
        self.parameters: dict[str, Parameter] = {}
        self._by_values: dict[str, str] = {}

    def told(self, tool: str, key: str, values: Sequence[Any]) -> str:
        """The constant as JSON, or the parameter as `$name`."""
        given = [value for value in values if value is not _MISSING]
        constant = as_json(given[0])
        private = any(MARK.search(_dumped(value)) for value in given)
        same = len(given) == len(values) and len({_dumped(value) for value in given}) == 1
        if same and not private and len(constant) <= _CONSTANT:
            return constant
        all_values = _dumped([None if value is _MISSING else [value] for value in values])
        name = self._by_values.get(all_values) if len(given) > 1 else None
        if name is None:
            name = self._free(key, tool)
            self._by_values[all_values] = name
            kind = "secret" if private else _type(given)
            examples = () if private else _examples(given)
            of = f"{_plain(tool)} {_plain(key)}"
            self.parameters[name] = Parameter(name, kind, of, len(given) < len(values), examples)
        return f"${name}"

    def _free(self, key: str, tool: str) -> str:
        base = _identifier(key)
        for name in (base, f"{_identifier(tool)}_{base}"[: 2 * _NAME]):
            if name not in self.parameters:
                return name
        number = 2
        while f"{base}_{number}" in self.parameters:
            number += 1
        return f"{base}_{number}"


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except RecursionError:
        return '"…"'


def _identifier(key: str) -> str:
    """A name of small letters, digits and `_`, that begins with a letter."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key)
    name = re.sub(r"[^a-z0-9]+", "_", fold(split)).strip("_")[:_NAME].strip("_")
    return name if name[:1].isalpha() else f"value_{name}".strip("_")


def _plain(name: str) -> str:
    return re.sub(r"[^\w.:/-]+", "_", one_line(name))[:80] or "_"


def _type(values: Sequence[Any]) -> str:
    kinds = {_type_of(value) for value in values}
    return kinds.pop() if len(kinds) == 1 else "string"


def _type_of(value: Any) -> str:
    if isinstance(value, str):
        return _type_of_text(value.strip())
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "list" if isinstance(value, list) else "map" if isinstance(value, dict) else "string"


def _type_of_text(text: str) -> str:
    if _EMAIL.fullmatch(text):
        return "email"
    if _URL.fullmatch(text):
        return "url"
    if _NUMBER.fullmatch(text):
        return "number"
    if _TIME.fullmatch(text):
        return "time"
    if len(text) >= 10 and parse_timestamp(text):
        return "date"
    return "text" if "\n" in text or len(text) > 120 else "string"


def _examples(values: Sequence[Any]) -> tuple[str, ...]:
    texts = (one_line(value) if isinstance(value, str) else as_json(value) for value in values)
    short = (text if len(text) <= _EXAMPLE else f"{text[: _EXAMPLE - 1].rstrip()}…" for text in texts if text)
    return tuple(dict.fromkeys(short))[:_EXAMPLES]
