"""A skill file of any format, as lint, match and approval see it: name, triggers, parameters and tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from memoryclaw import late
from memoryclaw.model import Problem
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.frontmatter import Split, split
from memoryclaw.vault.properties import text_of
from memoryclaw.vault.skill_formats import Skill, read_javascript_skill, read_json_skill, read_markdown_skill

TYPES = (
    *("string", "text", "number", "integer", "boolean", "date", "time", "datetime", "email", "url"),
    *("list", "array", "map", "object", "entity", "person", "file", "secret"),
)
# What a parameter of type email or url holds.
EMAIL = re.compile(r"(?<![^\s@<>,;\"'])[^\s@<>,;\"']+@[^\s@<>,;\"']+\.[^\W\d_]{2,}")
URL = re.compile(r"https?://[^\s<>\"']+")
_NO = frozenset({"false", "no", "off", "0", ""})


class ParameterSpec(NamedTuple):
    """One parameter of a skill."""

    name: str
    type: str = ""
    optional: bool = False
    description: str = ""


class SkillFile(NamedTuple):
    """One parsed skill; `problems` are those of parsing."""

    path: str
    digest: str
    text: str
    skill: Skill
    parts: Split
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        """The name in the skill, else that of its folder or file."""
        return self.skill.name or self.stem

    @property
    def stem(self) -> str:
        """The name of its folder, or of its file without extension."""
        folder, _, name = self.path.rpartition("/")
        return folder.rpartition("/")[2] if name == "SKILL.md" else name.rpartition(".")[0]

    @property
    def folder(self) -> str:
        """Its own folder; empty for a single-file skill."""
        folder, _, name = self.path.rpartition("/")
        return folder if name == "SKILL.md" else ""

    @property
    def asked(self) -> tuple[ParameterSpec, ...]:
        """Its parameters."""
        return read_parameters(self.parts.meta)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it calls, in order, as far as its header names them."""
        return tools_in(self.parts.meta)


def read_skill(path: str, data: bytes) -> SkillFile:
    """Reads a skill file; any bytes make a skill, with problems if need be."""
    file = decode(data)
    text = readable(file.text)
    if path.endswith(".md"):
        note = split(text)
        skill = read_markdown_skill(note.meta)
    else:
        skill = read_json_skill(text) if path.endswith(".json") else read_javascript_skill(text)
        note = Split(skill.meta, "", text, 1)
    problems = (*file.problems, *note.problems)
    return SkillFile(path, late.hashlib.sha256(data).hexdigest(), text, skill, note, problems)


def read_parameters(meta: Mapping[str, Any]) -> tuple[ParameterSpec, ...]:
    """Reads the parameters of a header: a map by name, a list, or a JSON schema."""
    described, required = described_parameters(meta)
    specs = [_read_parameter(name, about) for name, about in described]
    if isinstance(required, list):
        specs = [spec._replace(optional=spec.name not in required) for spec in specs]
    return tuple(spec for spec in specs if spec.name)


def described_parameters(meta: Mapping[str, Any]) -> tuple[Iterable[tuple[str, Any]], Any]:
    """The parameters of a header by name, each with what is said of it, and what a JSON schema says is required."""
    value = low(meta).get("parameters") or low(meta).get("preconditions")
    required: Any = None
    if isinstance(value, dict) and isinstance(value.get("properties"), dict):
        value, required = value["properties"], value.get("required")
    if isinstance(value, dict):
        return value.items(), required
    if isinstance(value, list):
        return [(text_of(p.get("name") if isinstance(p, dict) else p), p) for p in value], required
    return [(name.strip(), None) for name in text_of(value).split(",")], required


def tools_in(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """Reads the tools of a header: its `tools`, else those that its steps call."""
    keys = low(meta)
    if isinstance(keys.get("tools"), list):
        return tuple(filter(None, map(text_of, keys["tools"])))
    steps = keys.get("steps")
    called = [step.get("tool") for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    return tuple(filter(None, map(text_of, called)))


def _read_parameter(name: str, about: Any) -> ParameterSpec:
    keys = low(about)
    kind = text_of(about) if isinstance(about, str) and about != name else text_of(keys.get("type"))
    optional = text_of(keys.get("required")).lower() == "false"
    if (flag := keys.get("optional")) is not None:
        optional = text_of(flag).lower() not in _NO
    return ParameterSpec(name, kind.lower(), optional, text_of(keys.get("description")))


def low(value: Any) -> dict[str, Any]:
    """A map with its keys in lower case; empty for anything else."""
    return {key.lower(): inner for key, inner in value.items()} if isinstance(value, Mapping) else {}
