"""Our hooks in the text of Claude Code's settings.json; every byte that is not ours stays. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memoryclaw.connect.json5 import Added, JsonNode, Member, append, parse, remove, value_at
from memoryclaw.connect.settings_file import SettingsEditor
from memoryclaw.errors import ConfigError, InputError

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
    wanted = [(event, command.replace("{}", f"hook {verb}")) for event, verb, _ in EVENTS]
    if sorted((hook.event, hook.command) for hook in _ours(_parse(text))) == sorted(wanted):
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
    """The settings, read as JSON: the host knows no comments, and of a key that stands twice it follows one only."""
    try:
        value = json.loads(text, object_pairs_hook=_once)
        node = parse(text)
    except (ValueError, RecursionError, ConfigError) as error:
        raise InputError(f"the settings are not valid JSON ({error}); fix the file first") from None
    hooks = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event[0], []), list) for event in EVENTS):
        raise InputError('the settings hold something else where "hooks" belong')
    return node


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise InputError("the settings hold one key twice in the same place; fix the file first")
    return mapping


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
