"""Reads name, description and triggers of skill files. JSON is parsed; JavaScript is only scanned as text, never run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from memoryclaw.model import NOTHING, Problem
from memoryclaw.vault.properties import names_of, text_of

# An unclosed string ends at the end of its line; that a string always matches keeps the scan linear.
_STRING = r"'(?:[^'\\\n]|\\.)*+'?|\"(?:[^\"\\\n]|\\.)*+\"?|`(?:[^`\\]|\\.)*+`?"
_JS_STRING = re.compile(_STRING)
_JS_VALUE = re.compile(rf"\b(name|description|triggers)['\"]?\s*[:=]\s*({_STRING}|\[[^\]]{{0,4000}}\])")
_JS_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)

_JS_SCANNED = 64 * 1024  # a skill says what it is at its beginning


class Skill(NamedTuple):
    """The self-description of a skill file."""

    name: str = ""
    description: str = ""
    triggers: tuple[str, ...] = ()
    parameters: str = ""
    steps: str = ""
    meta: Mapping[str, Any] = NOTHING
    problems: tuple[Problem, ...] = ()

    @property
    def searched(self) -> str:
        """The words that describe the skill, apart from its name and its text."""
        return ", ".join(filter(None, (self.description, *self.triggers, self.parameters)))


def read_markdown_skill(meta: Mapping[str, Any]) -> Skill:
    """Reads the header of a `SKILL.md`; the Agent Skills format requires name and description."""
    skill = _from(meta)
    missing = [key for key in ("name", "description") if not getattr(skill, key)]
    if not missing:
        return skill
    problem = Problem("", 1, f"this skill has no {' and no '.join(missing)}", "add it to the header")
    return skill._replace(problems=(problem,))


def read_json_skill(text: str) -> Skill:
    """Reads a JSON skill; one that cannot be parsed is still found by its words."""
    line, trouble, hint = 1, "", "the skill is found by its words only"
    try:
        value = json.loads(text)
    except ValueError as error:
        line, trouble = getattr(error, "lineno", 1), f"this JSON is broken: {error}"
    except RecursionError:
        trouble = "this JSON is nested too deeply"
    else:
        if not isinstance(value, dict):
            trouble, hint = "this JSON is not a skill", "write an object with a name and steps"
    if trouble:
        return Skill(problems=(Problem("", line, trouble, hint),))
    return _from(_as_text(value), "this skill has no name", 'add "name"')


def read_javascript_skill(text: str) -> Skill:
    """Scans a JavaScript skill for the first name, description and triggers outside comments."""
    fields: dict[str, Any] = {}
    for hit in _JS_VALUE.finditer(_JS_COMMENT.sub(lambda comment: comment[1] or " ", text[:_JS_SCANNED])):
        values = [_unescape(string) for string in _JS_STRING.findall(hit[2])]
        fields.setdefault(hit[1], values if hit[2].startswith("[") else values[0])
    return _from(fields, "no name was found in this skill", "add name: '…'")


def _from(meta: Mapping[str, Any], trouble: str = "", hint: str = "") -> Skill:
    """The skill that a header or an object tells of; `trouble` is said of one without a name."""
    low = {key.lower(): value for key, value in meta.items()}
    parameters, name = low.get("parameters") or low.get("preconditions"), text_of(low.get("name"))
    return Skill(
        name=name,
        description=text_of(low.get("description")),
        triggers=names_of(low, ("triggers", "trigger")),
        parameters=_parameters(parameters),
        steps=text_of(low.get("steps")),
        meta=meta,
        problems=() if name or not trouble else (Problem("", 1, trouble, hint),),
    )


def _parameters(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(value)
    if isinstance(value, list):
        return ", ".join(text_of(each.get("name") if isinstance(each, dict) else each) for each in value)
    return text_of(value)


def _as_text(value: Any, depth: int = 0) -> Any:
    """Converts JSON values to those of our YAML: strings, lists and maps."""
    if depth > 50:  # far deeper than any skill, far from the interpreter's limit
        return ""
    if isinstance(value, dict):
        return {_scrub(key): _as_text(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_text(inner, depth + 1) for inner in value]
    if value is None or isinstance(value, str):
        return _scrub(value) if value else value
    return json.dumps(value)


def _scrub(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _unescape(string: str) -> str:
    inside = string[1:-1] if len(string) > 1 and string[-1] == string[0] else string[1:]
    return re.sub(r"\\(.)", r"\1", inside, flags=re.DOTALL)
