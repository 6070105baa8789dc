"""A repeated sequence of steps → the draft of a skill, whose steps are the tools' own calls. Only a person's yes makes it one that runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from memoryclaw.consolidation.command_lines import COMMAND, OPEN, PROMPT, pattern_of, words_of_command
from memoryclaw.consolidation.tool_calls import Call
from memoryclaw.skills.steps import holds_reference, too_deep
from memoryclaw.text.language import Language, fold, words_of
from memoryclaw.text.prompts import one_line, visible
from memoryclaw.text.redaction import MARK
from memoryclaw.text.yaml_text import flow
from memoryclaw.vault.layout import slug
from memoryclaw.writing.decisions import fingerprint

DRAFTS = "skills/_drafts"
_SHOWN = 20  # sessions that the evidence names
_FOR_OTHERS = ("sudo", "doas")  # programs that run another one
_NAMED = 6  # tools that the description names all
_TRIGGER = 4  # words
_WORD = re.compile(r"[a-z][a-z-]*")  # of a command that has commands of its own
_SERVER = re.compile(r"\A.*(?:__|[.:/])(?=.)")
_ENGLISH = Language("en", None, frozenset())  # knows which words carry a question but not its subject

Render = Callable[..., str]


class Occurrence(NamedTuple):
    """The calls of one session that are the steps of a pattern; none where its log is gone."""

    session: str
    ranges: tuple[str, ...]
    calls: tuple[Call, ...] = ()


class SkillDraft(NamedTuple):
    """A skill that is proposed; `text` is its SKILL.md."""

    name: str
    description: str
    text: str
    fingerprint: str
    evidence: tuple[str, ...]  # a line for each session, of very many for the first
    ranges: tuple[str, ...] = ()
    title: str = ""
    tools: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where the draft waits."""
        return f"{DRAFTS}/{self.name}/SKILL.md"


def propose(
    tools: Sequence[str], occurrences: Sequence[Occurrence], render: Render, name: str = ""
) -> SkillDraft:
    """The draft of a skill with these steps.

    Args:
        tools: what is called, in order.
        occurrences: the sessions in which it was; at least one with its calls.
        render: gives the text of a template.
        name: the name to take; else it is made of the steps.
    """
    with_calls = [occurrence for occurrence in occurrences if occurrence.calls]
    called = [call.tool for call in with_calls[0].calls]
    steps, parameters = generalise(called, [[call.args for call in case.calls] for case in with_calls])
    words = ", then ".join(" ".join(re.findall(r"[^\W_]+", _bare(tool))) or "tool" for tool in tools)
    name, title = name or name_of(tools), one_line(words[:1].upper() + words[1:])
    triggers = _triggers(with_calls)
    names = [_shown(tool) for tool in tools]
    listed = names[:-1] if len(names) <= _NAMED else [*names[:3], f"{len(names) - 4} more"]
    does = "Runs" if all(tool.startswith(PROMPT) for tool in tools) else "Calls"
    calls = f"{does} {', '.join(listed)} and then {names[-1]}, in this order."
    use = f" Use when asked for: {', '.join(triggers)}." if triggers else ""
    description = f"{calls}{use} Proposed after {len(occurrences)} sessions did the same."
    more = len(occurrences) - _SHOWN
    evidence = (*map(_evidence, occurrences[:_SHOWN]), *[f"and {more} more sessions"] * (more > 0))
    values = {
        "name": name, "title": title, "description": description, "triggers": triggers, "support": len(occurrences),
        "tools": list(tools), "steps": [_step_text(step) for step in steps], "calls": [_call(step) for step in steps],
        "parameters": parameters, "evidence": evidence,
    }  # fmt: skip
    text = render("notes/skill-draft.md.j2", **values)
    ranges = tuple(dict.fromkeys(range_ for case in occurrences for range_ in case.ranges))
    return SkillDraft(
        name, description, text, fingerprint("skill", *tools), evidence, ranges, title, tuple(tools)
    )


def is_fixed(tools: Sequence[str], occurrences: Sequence[Occurrence]) -> bool:
    """True where a step says the same in every session: a command with a word of its own, or an argument of a call."""
    with_calls = [occurrence.calls for occurrence in occurrences if occurrence.calls]
    return any(
        _says_the_same(tool, [calls[place].args for calls in with_calls])
        for place, tool in enumerate(tools)
        if with_calls
    )


def _says_the_same(tool: str, args: Sequence[Mapping[str, Any]]) -> bool:
    if tool.startswith(PROMPT):
        words = tool.removeprefix(PROMPT).split()
        return OPEN not in tool or any(OPEN not in word and not word.startswith("-") for word in words[2:])
    return any(
        value not in ("", None, [], {})
        and not MARK.search(_dump(value))
        and all(call.get(key, _MISSING) == value for call in args)
        for key, value in args[0].items()
    )


def name_of(tools: Sequence[str]) -> str:
    """A name for these steps, of the tools' own names; of many steps the first and the last."""
    names = [slug(_bare(tool)) for tool in tools]
    joined = slug(" ".join(dict.fromkeys(names)))
    return joined if len(tools) <= 3 else slug(f"{names[0]} to {names[-1]}")


def _bare(tool: str) -> str:
    """The tool's name without the server that offers it: `mcp__mail__send_email` → `send_email`; of a command its first words."""
    if tool.startswith(PROMPT):
        words = words_of_command(tool.removeprefix(PROMPT))
        words = words[words[0] in _FOR_OTHERS and len(words) > 1 :]
        program = words[0].rpartition("/")[2]
        return " ".join((program, *(word for word in words[1:2] if _WORD.fullmatch(word))))
    return _SERVER.sub("", tool)


def _triggers(occurrences: Sequence[Occurrence]) -> list[str]:
    """What the user said before the first step in every session, as far as it was the same."""
    openings = [list(dict.fromkeys(map(fold, words_of(case.calls[0].said)))) for case in occurrences]
    if len(openings) < 2:
        return []
    common = [
        word
        for word in openings[0]
        if not _ENGLISH.is_stop(word)
        and word.isalpha()
        and len(word) > 2
        and all(word in others for others in openings[1:])
    ]
    return [" ".join(common[:_TRIGGER])] if common else []


def _call(step: DraftStep) -> DraftStep:
    """A step for the header: the call as YAML, its names and values exactly as they were."""
    args = tuple(
        (key if _KEY.fullmatch(key) else flow(key), value if _is_reference(value) else flow(value))
        for key, value in step.args
    )
    return DraftStep(flow(step.tool), args)


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


def _step_text(step: DraftStep) -> DraftStep:
    args = ((_plain(key), value if _is_reference(value) else as_json(value)) for key, value in step.args)
    return DraftStep(_plain(step.tool), tuple(args))


def _shown(tool: str) -> str:
    """A step as the description has it."""
    if not tool.startswith(PROMPT):
        return _plain(tool)
    command = one_line(tool.removeprefix(PROMPT)).replace("`", "'")
    return f"`{command if len(command) <= _EXAMPLE else f'{command[: _EXAMPLE - 1].rstrip()}…'}`"


def _evidence(occurrence: Occurrence) -> str:
    lines = ", ".join(str(call.line) for call in occurrence.calls)
    where = f"lines {lines}" if lines else "its log is gone"
    session = re.sub(r"[\[\]`|]", "", one_line(occurrence.session))[:80]
    return f"session {session}, {where}: {' '.join(f'`{range_}`' for range_ in occurrence.ranges)}"


# The arguments of the same steps in several sessions → what is constant, and parameters for what varies. Values are
# data.

_CONSTANT = 1000  # characters; what is longer is asked for, though it was always the same
_KEY = re.compile(r"(?!(?:yes|no|on|off|true|false|null|y|n)\Z)[a-z_][a-z0-9_-]*", re.ASCII | re.IGNORECASE)
_REFERENCE = re.compile(r"\$[a-z][a-z0-9_]*")
_EXAMPLE = 60
_EXAMPLES = 2
_NAME = 40
_DEEP = 3  # levels of a value in a step; a header has eight
_MISSING = object()


class DraftParameter(NamedTuple):
    """One argument that differs from session to session."""

    name: str
    type: str  # one of skill_file.TYPES
    of: str  # where it goes: `send_email to`
    optional: bool = False
    examples: tuple[str, ...] = ()
    default: str = ""  # as YAML


class DraftStep(NamedTuple):
    """One step with its arguments: (name, value with `$parameter` where it varies), in the order in which they were first given."""

    tool: str
    args: tuple[tuple[str, Any], ...] = ()


def generalise(
    tools: Sequence[str], occurrences: Sequence[Sequence[Mapping[str, Any]]]
) -> tuple[list[DraftStep], list[DraftParameter]]:
    """The steps of a pattern and the parameters that they share, given for each occurrence the arguments of each step.

    What was the same each time is written out, also inside a map that always had the same keys. The rest becomes parameters; where
    two of them always had the same value, they are one.
    """
    named = _ParameterNames()
    steps = []
    for place, tool in enumerate(tools):
        calls = [occurrence[place] for occurrence in occurrences]
        keys = dict.fromkeys(key for args in calls for key in args)
        args = tuple(
            (key, named.argument(tool, key, [call.get(key, _MISSING) for call in calls])) for key in keys
        )
        steps.append(DraftStep(tool, args))
    return steps, [*named.parameters.values()]


def as_json(value: Any) -> str:
    """A value as JSON on one line that a code span can hold and a reader can see."""
    return visible(_dump(value)).replace("`", "\\u0060")


class _ParameterNames:
    """Gives each varying argument its parameter."""

    def __init__(self) -> None:
        self.parameters: dict[str, DraftParameter] = {}
        self._by_values: dict[str, str] = {}

    def argument(self, tool: str, key: str, values: Sequence[Any]) -> Any:
        """The constant or the parameter; of commands that differ in some words these are parameters."""
        if key not in COMMAND or not all(isinstance(value, str) for value in values):
            return self.describe(tool, key, values)
        words = [words_of_command(value) for value in values]
        patterns = {pattern_of(value) for value in values}
        if len(set(values)) == 1 or len(patterns) > 1 or holds_reference(patterns.pop()):
            return self.describe(tool, key, values)
        return " ".join(str(self.describe(tool, "text", column)) for column in zip(*words, strict=True))

    def describe(self, tool: str, key: str, values: Sequence[Any], depth: int = 0) -> Any:
        """The constant, or `$name` of the parameter; of a map, each of its values so."""
        real = [value for value in values if value is not _MISSING]
        private = any(MARK.search(_dump(value)) for value in real)
        same = len(real) == len(values) and len({_dump(value) for value in real}) == 1
        short = len(_dump(real[0])) <= _CONSTANT and not too_deep(real[0], _DEEP)
        constant = same and short and not private
        if constant and not holds_reference(real[0]):
            return real[0]
        if not constant and depth < _DEEP and len(real) == len(values) and (keys := _same_keys(real)):
            return {
                name: self.describe(tool, name, [mapping[name] for mapping in real], depth + 1)
                for name in keys
            }
        all_values = _dump([None if value is _MISSING else [value] for value in values])
        name = self._by_values.get(all_values) if len(real) > 1 else None
        if name is None:
            name = self._free(key, tool)
            self._by_values[all_values] = name
            kind = "secret" if private else _type(real)
            examples = () if private else _examples(real)
            of = f"{_plain(tool)} {_plain(key)}"
            default = (
                flow(real[0]) if constant else ""
            )  # a text in which a name would be filled in, if it stood in a step
            self.parameters[name] = DraftParameter(name, kind, of, len(real) < len(values), examples, default)
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


def _same_keys(maps: Sequence[Any]) -> tuple[str, ...]:
    """The keys of several maps that all have the same ones; none of anything else."""
    if (
        not all(isinstance(mapping, dict) for mapping in maps)
        or len({frozenset(mapping) for mapping in maps}) > 1
    ):
        return ()
    return tuple(maps[0])


def _dump(value: Any) -> str:
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
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "list" if isinstance(value, list) else "map" if isinstance(value, dict) else "string"


def _examples(values: Sequence[Any]) -> tuple[str, ...]:
    texts = (one_line(value) if isinstance(value, str) else as_json(value) for value in values)
    short = (text if len(text) <= _EXAMPLE else f"{text[: _EXAMPLE - 1].rstrip()}…" for text in texts if text)
    return tuple(dict.fromkeys(short))[:_EXAMPLES]
