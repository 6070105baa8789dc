"""Lints skill files: each problem with its line and what to do. A skill without problems can be matched and offered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryclaw.model import Problem
from memoryclaw.skills.skill_file import TYPES, SkillFile, read_skill
from memoryclaw.text.language import Language, words_of
from memoryclaw.text.yaml_text import scalar
from memoryclaw.vault.layout import slug
from memoryclaw.vault.properties import names_of, text_of

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
NAME_LENGTH, DESCRIPTION_LENGTH = 64, 1024  # of the Agent Skills format
_FEWEST_WORDS = 3
NO_DESCRIPTION = "this skill has no description"
_VARIABLE = re.compile(r"\$\{?([a-z_][A-Za-z0-9_]*)")
_YES_OR_NO = frozenset({"true", "false", "yes", "no", "on", "off"})
# What a person who reads the file to approve it would not see.
_HIDDEN = re.compile(
    "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_WORDS = Language("en", None, frozenset())
Slip = tuple[int, str, str]  # a line, what is wrong there, and what to do


def lint(path: str, data: bytes) -> list[Problem]:
    """Every problem of one skill file, by line."""
    file = read_skill(path, data)
    slips = sorted({*_slips(file), *(problem[1:] for problem in file.problems)}, key=lambda slip: slip[:2])
    return [Problem(path, *slip) for slip in slips]


def _slips(file: SkillFile) -> Iterator[Slip]:
    for number, line in enumerate(file.text.split("\n"), 1):
        if hit := _HIDDEN.search(line):
            message = f"this line holds a character that nobody sees (U+{ord(hit[0]):04X})"
            yield number, message, "delete it; what is approved should be what is read"
    if file.path.endswith(".md"):
        if not file.parts.raw and not file.problems:
            yield 1, "this skill has no header", "begin with ---, name, description, ---"
            return
        if file.parts.broken:
            return
        if not words_of(file.parts.body) and not file.skill.steps:
            message = "this skill does not say what to do"
            yield file.parts.body_line, message, "write the steps below the header"
    elif file.skill.problems and not file.parts.meta:
        yield from (problem[1:] for problem in file.skill.problems)
        return
    for check in (_name, _description, _triggers, _parameters, _steps):
        yield from check(file)


def _name(file: SkillFile) -> Iterator[Slip]:
    name, line = file.skill.name, _line(file, "name")
    if not name:
        yield line, "this skill has no name", f"add name: {slug(file.stem)}"
        return
    if not file.folder:
        return
    if not is_name(name):
        message = f"{name[:80]!r} is not a name for a skill"
        yield line, message, f"use lower-case letters, digits and single hyphens, such as {slug(name)}"
    elif name != file.stem:
        message = f"the skill {name} is in the folder {file.stem}"
        yield line, message, "give the two the same name; hosts look for the folder"


def is_name(name: str) -> bool:
    """True for a valid name of the Agent Skills format."""
    return len(name) <= NAME_LENGTH and NAME.fullmatch(name) is not None


def _description(file: SkillFile) -> Iterator[Slip]:
    text, line = file.skill.description, _line(file, "description")
    hint = "say in one sentence what it does, and when to use it"
    if not text:
        key = '"description"' if file.path.endswith(".json") else "description"
        proposed = f"{key}: {scalar(proposed_description(file), style=chr(34))}"
        yield line, NO_DESCRIPTION, f"{hint}, such as `{proposed}`"
    elif len(text) > DESCRIPTION_LENGTH:
        message = f"this description has {len(text):,} characters, more than the {DESCRIPTION_LENGTH:,} that hosts take"
        yield line, message, "move the rest below the header"
    elif len(_WORDS.tokens(text)) < _FEWEST_WORDS:
        yield line, f"{text!r} is too short to find the skill by", hint


def proposed_description(file: SkillFile) -> str:
    """A description of a skill that has none, from its name, the tools that it calls, and its triggers."""
    name = " ".join(words_of(file.name.replace("_", " ").replace("-", " ")))
    calls = f" with {', '.join(dict.fromkeys(file.tools))}" if file.tools else ""
    use = f" Use when asked for: {', '.join(file.skill.triggers)}." if file.skill.triggers else ""
    return f"{name[:1].upper()}{name[1:]}{calls}.{use}"[:DESCRIPTION_LENGTH]


def _triggers(file: SkillFile) -> Iterator[Slip]:
    low = {key.lower(): key for key in file.parts.meta}
    key = low.get("triggers") or low.get("trigger")
    if key is None:
        return
    line, value = _line(file, key), file.parts.meta[key]
    if isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(v, dict | list) for v in value)
    ):
        yield line, "triggers are a list of words or phrases", "write triggers: [send an email, mail to]"
        return
    names = names_of({"triggers": value}, ("triggers",))
    if not names:
        yield line, "these triggers are empty", "write triggers: [send an email, mail to], or none"
    for name in names:
        if all(_WORDS.is_stop(word) for word in words_of(name)):
            message = f"the trigger {name[:60]!r} would match nearly everything"
            yield line, message, "add a word that says what it is about"


def _parameters(file: SkillFile) -> Iterator[Slip]:
    meta, hint = file.parts.meta, "write parameters as name: {type: string, description: …}"
    for key in ("parameters", "preconditions"):
        value = meta.get(key)
        if isinstance(value, str) or (
            isinstance(value, list) and not all(isinstance(v, str | dict) for v in value)
        ):
            yield _line(file, key), f"{key} cannot be read", hint
    names = set()
    for spec in file.asked:
        line = _line(file, "parameters", spec.name) or _line(file, "parameters")
        if spec.name in names:
            yield line, f"the parameter {spec.name[:60]!r} is there twice", "keep one of them"
        names.add(spec.name)
        if spec.type and spec.type not in TYPES:
            yield line, f"{spec.type[:60]!r} is not a parameter type", f"use one of {', '.join(TYPES)}"
        described = meta.get("parameters")
        about = described.get(spec.name) if isinstance(described, dict) else None
        choice = about.get("optional") if isinstance(about, dict) else None
        if choice is not None and text_of(choice).lower() not in _YES_OR_NO:
            yield line, f"optional: {text_of(choice)[:60]!r} is neither true nor false", "use true or false"


def _steps(file: SkillFile) -> Iterator[Slip]:
    """Checks the steps: they may name parameters and, in JSON, results of earlier steps, but nothing undeclared."""
    steps, line = file.parts.meta.get("steps"), _line(file, "steps")
    if steps is None:
        return
    if not isinstance(steps, list):
        yield line, "steps are a list", "begin each with a hyphen on a line of its own"
        return
    declared = {spec.name for spec in file.asked}
    if not declared or any(isinstance(step, dict) for step in steps):
        return
    for name in dict.fromkeys(name for step in steps for name in _VARIABLE.findall(text_of(step))):
        if name not in declared:
            message = f"${name} is not a parameter of this skill"
            yield _line_with(file, f"${name}", line), message, "declare it, or fix the name"


def _line(file: SkillFile, *keys: str) -> int:
    """The line of a key; 1 without it."""
    if file.parts.lines:
        return file.parts.lines.get(keys, 1 if len(keys) == 1 else 0)
    return _line_with(file, f'"{keys[-1]}"', _line_with(file, f"{keys[-1]}:", 1))


def _line_with(file: SkillFile, text: str, otherwise: int) -> int:
    start = file.text.find(text)
    return file.text.count("\n", 0, start) + 1 if start >= 0 else otherwise
