"""The header of a skill as values that know their types and lines: `5` is a number, `"5"` a text. For steps alone; all else reads strings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from memoryclaw.core.model import NOTHING
from memoryclaw.core.skillfile import SkillFile

_JSON_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


class Header(NamedTuple):
    """The values of a header by their keys in small letters, and the line of each step where it is known."""

    values: Mapping[str, Any] = NOTHING
    lines: tuple[int, ...] = ()

    def line(self, number: int) -> int:
        """The line of a step, from 1; that of JSON is not known."""
        return self.lines[number - 1] if number <= len(self.lines) else 1


def typed_header(file: SkillFile) -> Header:
    """The header of a skill that was read without problems; else an empty one."""
    if file.problems or file.parts.broken:
        return Header()
    if file.path.endswith(".json"):
        return Header(_low(_json(file.text)))
    return _yaml(file.parts.raw) if file.path.endswith(".md") else Header()


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return None


def _yaml(raw: str) -> Header:
    import yaml  # noqa: PLC0415 - only where a skill is run or linted

    # The guard of yamltext has let this text through: it is small, flat enough and without aliases.
    try:
        top: Any = yaml.compose(raw, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return Header()
    pairs = top.value if top is not None and top.id == "mapping" else ()
    steps = next((value for key, value in pairs if _is_named(key, "steps")), None)
    listed = steps.value if steps is not None and steps.id == "sequence" else ()
    return Header(_low(_value(top)), tuple(step.start_mark.line + 2 for step in listed))


def _is_named(key: Any, name: str) -> bool:
    return bool(key.id == "scalar" and key.value.lower() == name)


def _low(value: Any) -> dict[str, Any]:
    return {key.lower(): inner for key, inner in value.items()} if isinstance(value, dict) else {}


def _value(node: Any) -> Any:
    if node is None:
        return None
    if node.id == "mapping":
        return {key.value: _value(value) for key, value in node.value if key.id == "scalar"}
    if node.id == "sequence":
        return [_value(value) for value in node.value]
    plain = node.style is None and _JSON_SCALAR.fullmatch(node.value)
    return json.loads(node.value) if plain else node.value
