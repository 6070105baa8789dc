"""A skill file of any format, as lint, match and approval see it: name, triggers, parameters and tools."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from memoryclaw import late
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, Problem
from memoryclaw.text.encoding import decode, json_value, readable
from memoryclaw.text.frontmatter import Split, split
from memoryclaw.vault.notes import Skill, read_javascript_skill, read_json_skill, read_markdown_skill
from memoryclaw.vault.properties import text_of

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


# Reads the steps of a skill, each a call of one tool. Anything else is a Problem and never guessed.

# References in the arguments of a step: `$name`, `${name}`, `{{name}}`, `{name}`.

DEEPEST = 50  # far deeper than any call, far from the interpreter's limit
REFERENCE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*"
# `{name}` alone is also how JSON and templates of others look, so it counts only where the name is known.
_REFERENCE = re.compile(rf"(\$\$)|\{{\{{\s*({_NAME})\s*\}}\}}|\$\{{({_NAME})\}}|\$({_NAME})|\{{({_NAME})\}}")

Known = Mapping[str, Any]


MISSING = object()  # marks a name without a value


def references_in(value: Any, known: Collection[str] = ()) -> list[str]:
    """The names that the texts of a value refer to; `{name}` counts only if the name is known."""
    return list(dict.fromkeys(_references(value, known)))


def holds_reference(value: Any) -> bool:
    """True if a text of the value could be filled in, or is written with a dollar sign twice."""
    if isinstance(value, str):
        return _REFERENCE.search(value) is not None
    if isinstance(value, dict | list):
        return any(map(holds_reference, value.values() if isinstance(value, dict) else value))
    return False


def fill(value: Any, known: Known) -> Any:
    """Replaces every known name in the texts of a value, in one pass; a text that is one name becomes that value itself.

    Raises:
        InputError: a name refers to a part that the value does not have.
    """
    if isinstance(value, str):
        return _text(value, known)
    if isinstance(value, dict):
        return {key: fill(inner, known) for key, inner in value.items()}
    return [fill(inner, known) for inner in value] if isinstance(value, list) else value


def as_text(value: Any) -> str:
    """A value as part of a text; empty for None."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def too_deep(value: Any, most: int = DEEPEST) -> bool:
    """True for a value nested deeper than so many levels."""
    level = [value]
    for _ in range(most + 1):
        holders = (
            holder.values() if isinstance(holder, dict) else holder
            for holder in level
            if isinstance(holder, dict | list)
        )
        level = [inner for holder in holders for inner in holder]
    return bool(level)


def _references(value: Any, known: Collection[str]) -> Iterator[str]:
    if isinstance(value, str):
        for hit in _REFERENCE.finditer(value):
            name = (hit[2] or hit[3] or hit[4] or hit[5] or "").partition(".")[0]
            if name and (not hit[5] or name in known):
                yield name
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _references(inner, known)


def _text(text: str, known: Known) -> Any:
    reference = _REFERENCE.fullmatch(text)
    if reference and not reference[1]:
        value, trailing = _value(reference, known)
        if not trailing and value is not MISSING:
            return value

    def replaced(hit: re.Match[str]) -> str:
        if hit[1]:
            return "$"
        value, trailing = _value(hit, known)
        return hit[0] if value is MISSING else as_text(value) + trailing

    return _REFERENCE.sub(replaced, text)


def _value(hit: re.Match[str], known: Known) -> tuple[Any, str]:
    """The value of a name, and the part of a bare `$name.and.more` that is text after it."""
    name, *keys = (hit[2] or hit[3] or hit[4] or hit[5]).split(".")
    if name not in known:
        return MISSING, ""
    value = known[name]
    for depth, key in enumerate(keys):
        inner = _inner(value, key)
        if inner is MISSING:
            if isinstance(value, dict | list) or not hit[4]:
                raise InputError(f"{hit[0]} leads to nothing: there is no {key!r}")
            return value, "." + ".".join(keys[depth:])
        value = inner
    return value, ""


def _inner(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part, MISSING)
    if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
        return value[int(part)]
    return MISSING


# The header of a skill with types and lines: `5` is a number, `"5"` a text. Only steps need it; all else reads strings.

_JSON_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


class Header(NamedTuple):
    """The values of a header by lower-case key, and the line of each step if known."""

    values: Mapping[str, Any] = NOTHING
    lines: tuple[int, ...] = ()

    def line(self, number: int) -> int:
        """The line of a step, counted from 1; unknown in JSON."""
        return self.lines[number - 1] if number <= len(self.lines) else 1


def _yaml(raw: str) -> Header:
    # text.yaml_text has accepted this text before: it is small, flat enough and without aliases.
    try:
        top: Any = late.yaml.compose(raw, Loader=late.yaml.SafeLoader)
    except late.yaml.YAMLError:
        return Header()
    pairs = top.value if top is not None and top.id == "mapping" else ()
    steps = next((value for key, value in pairs if key.id == "scalar" and key.value.lower() == "steps"), None)
    listed = steps.value if steps is not None and steps.id == "sequence" else ()
    return Header(low(_node_value(top)), tuple(step.start_mark.line + 2 for step in listed))


def _node_value(node: Any) -> Any:
    if node is None:
        return None
    if node.id == "mapping":
        return {key.value: _node_value(value) for key, value in node.value if key.id == "scalar"}
    if node.id == "sequence":
        return [_node_value(value) for value in node.value]
    plain = node.style is None and _JSON_SCALAR.fullmatch(node.value)
    return json.loads(node.value) if plain else node.value


# Steps, and the parameters that they need.

MOST_STEPS = 100
_CALL = frozenset({"call_tool", "tool", "call"})
_ARGS = ("args", "params", "arguments", "input")
_IDS = ("id", "as")
_KEYS = frozenset({"tool", "action", *_ARGS, *_IDS, "description", "comment", "note"})
_HOW = "write it as {tool: NAME, args: {…}}"


class Step(NamedTuple):
    """One call: the tool, its arguments with references to parameters, and the name of its result."""

    tool: str
    args: Mapping[str, Any] = NOTHING
    id: str = ""
    line: int = 1


class Requirement(NamedTuple):
    """One parameter: its specification, its address in semantic memory, and its default."""

    asked: ParameterSpec
    address: str = ""  # a fact: `semantic/people#John.email` or `John.email`
    remembered: bool = False  # semantic memory may be searched for a field of this name
    default: Any = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.asked.name


class Recipe(NamedTuple):
    """The steps of a skill and their parameters; no steps if there are problems."""

    steps: tuple[Step, ...] = ()
    needs: tuple[Requirement, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_recipe(file: SkillFile) -> Recipe:
    """Reads the steps of a skill, or why it cannot be run."""
    read = Header()
    if file.path.endswith(".json") and not file.problems:
        read = Header(low(json_value(file.text, parse_constant=str)))
    elif file.path.endswith(".md") and not (file.problems or file.parts.broken):
        read = _yaml(file.parts.raw)
    header = read.values
    if file.path.endswith((".js", ".mjs")):
        return _refusal(file, "a JavaScript skill is not run", "write its steps as SKILL.md or JSON")
    steps = header.get("steps")
    if not isinstance(steps, list) or not steps:
        hint = f"for an agent that is fine; to run it, {_HOW}"
        return _refusal(file, "this skill has no list of steps", hint)
    if too_deep(header):
        return _refusal(file, "this skill is nested too deeply", "write flatter arguments")
    if len(steps) > MOST_STEPS:
        return _refusal(file, f"this skill has more than {MOST_STEPS} steps", "make two skills of it")
    needs = tuple(_need(spec, header) for spec in file.asked)
    reader = _StepReader(file, frozenset(need.name for need in needs))
    numbered = enumerate(steps, 1)
    recipe_steps = tuple(filter(None, (reader.step(n, value, read.line(n)) for n, value in numbered)))
    return Recipe((), needs, tuple(reader.problems)) if reader.problems else Recipe(recipe_steps, needs)


class _StepReader:
    """Reads steps in order; each may use the results of those before it."""

    def __init__(self, file: SkillFile, parameters: frozenset[str]) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._known = set(parameters)

    def step(self, number: int, value: Any, line: int) -> Step | None:
        """Reads one step; None after a problem."""
        before = len(self.problems)
        if not isinstance(value, dict):
            self._wrong(line, f"step {number} is text for an agent, not a call of a tool", _HOW)
            return None
        keys = low(value)
        for message, hint in _slips(keys):
            self._wrong(line, f"step {number} {message}", hint)
        args, id_ = _first(keys, _ARGS) or NOTHING, text_of(_first(keys, _IDS))
        for name in references_in(args):
            if name not in self._known:
                message = f"step {number} names ${name}, which is neither a parameter nor an earlier step"
                self._wrong(line, message, "declare it, or fix the name")
        if id_ and (not REFERENCE_NAME.fullmatch(id_) or id_ in self._known):
            message = f"step {number} cannot be called {id_[:60]!r}"
            self._wrong(line, message, "give it a name of its own, of letters, digits and _")
        self._known.update(filter(None, [id_]))
        step = Step(text_of(keys.get("tool")), args, id_, line)
        return step if len(self.problems) == before else None

    def _wrong(self, line: int, message: str, hint: str) -> None:
        self.problems.append(Problem(self._file.path, line, message, hint))


def _slips(low: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    action = text_of(low.get("action"))
    if action and action not in _CALL:
        yield f"is the action {action[:60]!r}, not a call of a tool", _HOW
        return
    tool = low.get("tool")
    if not isinstance(tool, str) or not tool.strip():
        yield "names no tool", _HOW
    # An unknown key could be a condition: ignoring it would do what nobody wrote.
    for key in low.keys() - _KEYS:
        yield f"has a key {key[:60]!r} that no step may have", f"use {', '.join(sorted(_KEYS))}"
    args = _first(low, _ARGS)
    if args is not None and not isinstance(args, dict):
        yield "has arguments that are not a map", "write args: {name: value}"


def _need(asked: ParameterSpec, header: Mapping[str, Any]) -> Requirement:
    described, _ = described_parameters(header)
    about = low(next((about for name, about in described if name == asked.name), None))
    source = text_of(about.get("source"))
    places = [place.strip() for place in source.split(" or ")]
    named = ((place, place.removeprefix("semantic:").strip()) for place in places)
    address = next((place for place, name in named if "." in name.strip(".") or "#" in name), "")
    words = {word for place in places for word in place.lower().split()}
    remembered = not source or bool(words & {"semantic", "memory", "facts"})
    if asked.type == "secret":
        address, remembered = "", False
    return Requirement(asked, address, remembered, about.get("default"))


def _first(low: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((low[key] for key in keys if low.get(key) is not None), None)


def _refusal(file: SkillFile, message: str, hint: str) -> Recipe:
    return Recipe(problems=(Problem(file.path, 1, message, hint),))
