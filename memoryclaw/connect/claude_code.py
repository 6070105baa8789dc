"""What is ours in Claude Code: hooks in the text of its settings.json, where every other byte stays, and a skill. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from memoryclaw.connect.json5 import Added, JsonNode, Member, append, parse_strict, plain, remove, value_at
from memoryclaw.connect.settings_file import SettingsEditor
from memoryclaw.errors import ConfigError, InputError
from memoryclaw.late import NamedTuple

# When Claude Code calls us, with what, and after how many seconds it stops waiting.
EVENTS = (
    ("UserPromptSubmit", "pre", 5),
    ("Stop", "post", 30),
    ("PreCompact", "post", 30),
    ("SessionEnd", "post", 30),
)
_OURS = re.compile(r"(?:\A|[\s/\\'\"])memoryclaw(?:\.exe)?['\"]?\s+hook\s+(?:pre|post)\b")
_VERB = re.compile(r"(?<!\s)\s+hook\s+(?:pre|post)\b")
_EMPTY = "{}\n"


def with_hooks(text: str, command: str) -> str:
    """The settings with our hooks, which run `command` with `hook pre` or `hook post` in place of `{}`.

    Raises:
        InputError: the text cannot be understood, or holds something else where hooks belong.
    """
    text = text if text.strip() else _EMPTY
    hooks = [(event, command.replace("{}", f"hook {verb}")) for event, verb, _ in EVENTS]
    if sorted((hook.event, hook.command) for hook in _ours(_parse(text))) == sorted(hooks):
        return text
    text = without_hooks(text)
    for event, verb, seconds in EVENTS:
        hook = {"type": "command", "command": command.replace("{}", f"hook {verb}"), "timeout": seconds}
        text, _ = append(text, ("hooks", event), {"hooks": [hook]})
    return text


def without_hooks(text: str, before: str = "") -> str:
    """The settings without any command of ours, and without the groups and lists that held nothing else.

    Args:
        before: what they were before us; a list that was there, though empty, stays.
    """
    while text.strip() and (command := next(_ours(_parse(text)), None)):
        *outer, (container, member) = command.chain
        while outer and len(container.members) == 1 and not _has(before, [m.key for _, m in outer]):
            container, member = outer.pop()
        text = remove(text, container, member, Added(0, ""))
    return text


def _has(before: str, keys: Sequence[str]) -> bool:
    try:
        return all(keys) and bool(before.strip()) and value_at(before, keys) is not None
    except ConfigError:
        return False


def command_in(text: str) -> str:
    """What runs our hooks in these settings, with `{}` in place of `hook pre` or `hook post`; empty where nothing does."""
    if not text.strip():
        return ""
    return next((_VERB.sub(" {}", hook.command) for hook in _ours(_parse(text))), "")


def _parse(text: str) -> JsonNode:
    """The settings, where nothing else stands in the place of hooks."""
    node = parse_strict(text)
    hooks = plain(node).get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event[0], []), list) for event in EVENTS):
        raise InputError('it holds something else where "hooks" belong; fix the file first')
    return node


class _OurHook(NamedTuple):
    """One command of ours, with the objects and lists around it from the outermost inwards."""

    event: str
    command: str
    chain: tuple[tuple[JsonNode, Member], ...]


def _ours(root: JsonNode) -> Iterator[_OurHook]:
    hooks = root.member("hooks")
    for event in hooks.node.members if hooks else ():
        for group in event.node.members:
            inner = group.node.member("hooks")
            for hook in inner.node.members if inner else ():
                command = hook.node.member("command")
                if hooks and inner and command and _OURS.search(str(command.node.value)):
                    chain = ((root, hooks), (hooks.node, event), (event.node, group), (inner.node, hook))
                    yield _OurHook(event.key, str(command.node.value), chain)


HOOKS = SettingsEditor(command_in, with_hooks, without_hooks)


# Our skill, a file that is all ours: `/memory-consolidate` has the host's model read the logs.

SKILL_NAME = "memory-consolidate"
SKILL_FILE = f"skills/{SKILL_NAME}/SKILL.md"
_BEGINS, _HOLDS = f"---\nname: {SKILL_NAME}\n", "consolidate --answers "  # what is ours
_COMMAND = re.compile(r"(?m)(?<=`)memoryclaw (?=\w)|(?<=   )memoryclaw (?=\w)")


def skill_for(text: str, words: Sequence[str], vault: str) -> str:
    """The shipped skill with the command that the host runs, and the vault that it is of."""
    command = f"{shlex.join(words)} --vault {shlex.quote(vault)} "
    return _COMMAND.sub(lambda _: command, text)


def _skill_in(text: str) -> str:
    return text if text.startswith(_BEGINS) and _HOLDS in text else ""


def _with_skill(text: str, skill: str) -> str:
    if text.strip() and not _skill_in(text):
        raise InputError(f"another skill is called {SKILL_NAME}; give it another name first")
    return skill


SKILL = SettingsEditor(
    _skill_in, _with_skill, lambda text, before: before if _skill_in(text) else text, folders=2
)
