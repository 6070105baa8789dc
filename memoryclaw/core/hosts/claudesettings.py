"""Our entries in Claude Code's settings.json, put in and taken out. The rule: every byte that is not ours stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memoryclaw.core.errors import InputError
from memoryclaw.core.hosts import jsontext

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


class _Found(NamedTuple):
    """Where one of our commands stands: its event, its group, and its place in the group."""

    event: int
    group: int
    hook: int


def with_hooks(text: str, command: str) -> str:
    """The settings with our hooks, which run `command` with `hook pre` or `hook post` in the place of `{}`.

    Raises:
        InputError: the text cannot be understood, or holds something else where hooks belong.
    """
    text = text if text.strip() else _EMPTY
    _checked(text)
    for event, verb, seconds in EVENTS:
        hook = {"type": "command", "command": command.replace("{}", f"hook {verb}"), "timeout": seconds}
        text = _with_group(text, event, {"hooks": [hook]})
    return text


def without_hooks(text: str) -> str:
    """The settings without any command of ours, and without the groups and lists that held nothing else."""
    _checked(text)
    while found := next(_ours(text), None):
        text = _without(text, found[0])
    return text


def command_in(text: str) -> str:
    """What runs our hooks in these settings, with `{}` in the place of `hook pre` or `hook post`; empty where nothing does."""
    _checked(text)
    return next((_VERB.sub(" {}", command) for _, command in _ours(text)), "")


def _checked(text: str) -> None:
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the settings are not valid JSON ({error}); mend the file first, nothing was changed"
        ) from None
    hooks = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event[0], []), list) for event in EVENTS):
        raise InputError('the settings hold something else where "hooks" belong; nothing was changed')


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a file in which nothing is said twice: of two the host would follow one, and we might edit the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError(
            "the settings hold one key twice in the same place; mend the file first, nothing was changed"
        )
    return found


def _with_group(text: str, event: str, group: Mapping[str, Any]) -> str:
    root = text.index("{")
    hooks = jsontext.member(text, root, "hooks")
    if hooks is None:
        return jsontext.added(text, root, {event: [group]}, "hooks")
    groups = jsontext.member(text, hooks.value, event)
    if groups is None:
        return jsontext.added(text, hooks.value, [group], event)
    return jsontext.added(text, groups.value, group)


def _ours(text: str) -> Iterator[tuple[_Found, str]]:
    for number, groups in enumerate(json.loads(text).get("hooks", {}).values()):
        for place, group in enumerate(groups if isinstance(groups, list) else []):
            inner = group.get("hooks") if isinstance(group, dict) else None
            for at, hook in enumerate(inner if isinstance(inner, list) else []):
                command = str(hook.get("command")) if isinstance(hook, dict) else ""
                if _OURS.search(command):
                    yield _Found(number, place, at), command


def _without(text: str, found: _Found) -> str:
    """Takes out the largest part that holds nothing but our command."""
    root = text.index("{")
    place = max(n for n, part in enumerate(jsontext.parts_of(text, root)) if part.key == "hooks")
    at, choices = root, [(root, place)]
    for step in (found.event, found.group):
        at = jsontext.parts_of(text, at)[place].value
        place = step
        choices.append((at, place))
    group = jsontext.parts_of(text, at)[place].value
    inner = jsontext.member(text, group, "hooks")
    if inner is not None:
        choices.append((inner.value, found.hook))
    start, place = choices.pop()
    while choices and len(jsontext.parts_of(text, start)) == 1:
        start, place = choices.pop()
    return jsontext.removed(text, start, place)
