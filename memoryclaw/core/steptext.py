"""The header of a skill as values that know their types and lines: `5` is a number, `"5"` a text. For steps alone; all else reads strings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from memoryclaw.core.skillfile import SkillFile

_JSON_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
LINE = "\0line"  # no key of a file can hold this character


def typed_header(file: SkillFile) -> Mapping[str, Any]:
    """The header of a skill that was read without problems; every map of a SKILL.md holds its line under LINE."""
    if file.problems or file.parts.broken:
        return {}
    if file.path.endswith(".json"):
        return _json(file.text)
    return _yaml(file.parts.raw) if file.path.endswith(".md") else {}


def _json(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _yaml(raw: str) -> Mapping[str, Any]:
    import yaml  # noqa: PLC0415 - only where a skill is run or linted

    # The guard of yamltext has let this text through: it is small, flat enough and without aliases.
    try:
        value = _value(yaml.compose(raw, Loader=yaml.SafeLoader))
    except yaml.YAMLError:
        return {}
    return value if isinstance(value, dict) else {}


def _value(node: Any) -> Any:
    if node is None:
        return None
    if node.id == "mapping":
        found = {key.value: _value(value) for key, value in node.value if key.id == "scalar"}
        return {**found, LINE: node.start_mark.line + 2}
    if node.id == "sequence":
        return [_value(value) for value in node.value]
    plain = node.style is None and _JSON_SCALAR.fullmatch(node.value)
    return json.loads(node.value) if plain else node.value
