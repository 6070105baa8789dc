"""What MemoryClaw writes into OpenClaw's configuration, and how it is removed: exactly our keys, and the former values return. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memoryclaw.connect import json5
from memoryclaw.connect.settings_file import SettingsEditor

PLUGIN = "memoryclaw"
ENTRY = ("plugins", "entries", PLUGIN)
PATHS = ("plugins", "load", "paths")
SLOT = ("plugins", "slots", "memory")
ALLOW = ("plugins", "allow")
RIVAL = ("plugins", "entries", "memory-core", "enabled")
SKILLS = ("skills", "load", "extraDirs")
READS = (*ENTRY, "config", "readWithModel")
PERMISSION = (*ENTRY, "hooks", "allowConversationAccess")
HOST_SKILLS = ".memoryclaw/host-skills"
# What an item of ours ends with, also where an installation elsewhere, or of another vault, put it there.
_ENDS: Mapping[tuple[str, ...], str] = {PATHS: "plugins/openclaw", SKILLS: HOST_SKILLS}


_UNTOLD = '{"plugins": {"allow": []}}'  # what is taken for the configuration before us where nobody knows it


class Installation(NamedTuple):
    """What OpenClaw is told of us: where our plugin is, of which vault, and how it calls MemoryClaw."""

    plugin: str
    vault: str
    command: tuple[str, ...]


class DesiredSetting(NamedTuple):
    """One thing that the configuration should say: a value at a path, or an item of the list there."""

    path: tuple[str, ...]
    value: Any
    item: bool = False
    default: bool = False  # only where nothing is said there


class _Step(NamedTuple):
    """One thing that was written, with all that it takes to undo it."""

    setting: DesiredSetting
    before: str = ""  # the characters that stood there, of a value that was replaced
    added: json5.Added | None = None


def wishes(ours: Installation) -> list[DesiredSetting]:
    """Everything that OpenClaw needs to be told."""
    entry = {
        "enabled": True,
        "hooks": {"allowConversationAccess": True},
        "config": {"vault": ours.vault, "command": list(ours.command)},
    }
    return [
        DesiredSetting(PATHS, ours.plugin, item=True),
        DesiredSetting(SLOT, PLUGIN),
        DesiredSetting(ENTRY, entry),
        DesiredSetting(READS, True, default=True),
        DesiredSetting(RIVAL, False),
        DesiredSetting(ALLOW, PLUGIN, item=True),
        DesiredSetting(SKILLS, f"{ours.vault}/{HOST_SKILLS}", item=True),
    ]


def installation_in(text: str) -> Installation | None:
    """What a configuration says of us; None where it does not say of which vault we are, and how we are called."""
    node = json5.value_at(text, ENTRY)
    entry = json5.plain(node) if node else None
    config = entry.get("config") if isinstance(entry, dict) else None
    vault, command = map(config.get, ("vault", "command")) if isinstance(config, dict) else (None, None)
    if not (isinstance(vault, str) and isinstance(command, list)):
        return None
    plugin = "".join(str(node.value) for node in _own_items(text, PATHS)[:1])
    return Installation(plugin, vault, tuple(map(str, command)))


def install(text: str, ours: Installation) -> str:
    """The text that says what is wanted."""
    return _installed(text, ours)[0]


def uninstall(text: str, before: str) -> str:
    """The text without what is ours; where a person has put something else since, that stays.

    Args:
        before: the configuration before us; without it OpenClaw's own defaults return.
    """
    ours = installation_in(text)
    for step in reversed(_installed(before if before.strip() else _UNTOLD, ours)[1] if ours else ()):
        path, value, is_item, _ = step.setting
        node = json5.value_at(text, path)
        if is_item and step.added:
            text = json5.drop(text, path, value, step.added)
        elif node is None or (path != ENTRY and json5.plain(node) != value):
            continue
        elif step.added:
            text = json5.take(text, path, step.added)
        else:
            text = json5.replace_value(text, node, step.before)
    return text


def _installed(text: str, ours: Installation) -> tuple[str, list[_Step]]:
    """The text that says what is wanted, and the steps that led there."""
    steps: list[_Step] = []
    for wish in wishes(ours):
        if not wish.default or json5.value_at(text, wish.path) is None:
            text = _with_item(text, wish, steps) if wish.item else _with_value(text, wish, steps)
    return text, steps


def _own_items(text: str, path: tuple[str, ...]) -> list[json5.JsonNode]:
    """What is ours in a list of places."""
    node = json5.value_at(text, path)
    items = [member.node for member in node.members] if node and path in _ENDS else []
    return [item for item in items if str(item.value).endswith(_ENDS[path])]


def _with_item(text: str, wish: DesiredSetting, steps: list[_Step]) -> str:
    node = json5.value_at(text, wish.path)
    if wish.path == ALLOW and node is None:
        return text  # a list of what may be loaded would shut out all others
    members = node.members if node else ()
    if any(member.node.value == wish.value for member in members):
        return text
    if earlier := _own_items(text, wish.path):
        return json5.replace_value(text, earlier[-1], json5.to_json(wish.value))
    text, added = json5.append(text, wish.path, wish.value)
    steps.append(_Step(wish, added=added))
    return text


def _with_value(text: str, wish: DesiredSetting, steps: list[_Step]) -> str:
    node = json5.value_at(text, wish.path)
    if isinstance(wish.value, dict) and (wish.path != ENTRY if node is None else node.kind == "object"):
        for key, value in wish.value.items():  # what a person said in there stays
            text = _with_value(text, DesiredSetting((*wish.path, key), value), steps)
        return text
    # What was added as a whole goes with all that it holds.
    covered = any(step.added and wish.path[: len(step.setting.path)] == step.setting.path for step in steps)
    if node is None:
        text, added = json5.put(text, wish.path, wish.value)
        steps += [] if covered else [_Step(wish, added=added)]
    elif json5.plain(node) != wish.value:
        steps += [] if covered else [_Step(wish, text[node.start : node.end])]
        text = json5.replace_value(text, node, json5.to_json(wish.value))
    return text


EDITOR = SettingsEditor(installation_in, install, uninstall)
