"""What MemoryClaw writes into OpenClaw's configuration, and how it is removed: exactly our keys, and the former values return. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memoryclaw.connect import json5
from memoryclaw.connect.settings_file import SettingsEditor
from memoryclaw.errors import ConfigError
from memoryclaw.late import NamedTuple

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
ADDED, REPLACED, ITEM = "added", "replaced", "item"
_PLUGIN_FOLDER = "plugins/openclaw"
# Where nobody knows what was there before: OpenClaw's own defaults return, and a list of what may be loaded stays one.
_UNKNOWN = '{"plugins": {"allow": []}}'


class DesiredSetting(NamedTuple):
    """One thing that the configuration should say: a value at a path, or an item of the list there."""

    path: tuple[str, ...]
    value: Any
    item: bool = False
    default: bool = False  # only where nothing is said there


class InstallStep(NamedTuple):
    """One thing that was written, with all that it takes to undo it."""

    path: tuple[str, ...]
    did: str  # added | replaced | item
    value: Any
    before: str = ""  # replaced: the characters that stood there
    there: int = 0  # added, item: how many keys of the path were there before
    tail: str | None = None  # added, item: the blanks of a place that was empty


def wishes(*, plugin: str, vault: str, command: Sequence[str]) -> list[DesiredSetting]:
    """Everything that OpenClaw needs to be told."""
    entry = {
        "enabled": True,
        "hooks": {"allowConversationAccess": True},
        "config": {"vault": vault, "command": list(command)},
    }
    return [
        DesiredSetting(PATHS, plugin, item=True),
        DesiredSetting(SLOT, PLUGIN),
        DesiredSetting(ENTRY, entry),
        DesiredSetting(READS, True, default=True),
        DesiredSetting(RIVAL, False),
        DesiredSetting(ALLOW, PLUGIN, item=True),
        DesiredSetting(SKILLS, f"{vault}/{HOST_SKILLS}", item=True),
    ]


def install(text: str, wishes: Iterable[DesiredSetting]) -> tuple[str, list[InstallStep]]:
    """The text that says what is wanted, and the steps that undo it."""
    earlier, steps = ours_in(text), list[InstallStep]()
    for wish in wishes:
        if wish.default and json5.value_at(text, wish.path) is not None:
            continue
        text = _with_item(text, wish, steps, earlier) if wish.item else _with_value(text, wish, steps)
    return text, steps


def uninstall(text: str, before: str) -> str:
    """The text without what an install into the text of before wrote; where a person has put something else since, that stays."""
    ours = ours_in(text)
    try:
        _, steps = install(before, ours)
    except ConfigError:  # nobody knows it, or somebody spoilt it
        _, steps = install(_UNKNOWN, ours)
    for step in reversed(steps):
        added, node = json5.Added(step.there, step.tail), json5.value_at(text, step.path)
        if step.did == ITEM:
            text = json5.drop(text, step.path, step.value, added)
        elif node is not None and step.did == REPLACED:
            if json5.plain(node) == step.value:
                text = json5.replace_value(text, node, step.before)
        elif node is not None and (step.path == ENTRY or json5.plain(node) == step.value):
            text = json5.take(text, step.path, added)
    return text


def ours_in(text: str) -> list[DesiredSetting]:
    """What a text was told by an installation, also one elsewhere or of another vault; nothing where our plugin has no vault in it."""
    vault, command = (json5.value_at(text, (*ENTRY, "config", key)) for key in ("vault", "command"))
    if vault is None or not isinstance(vault.value, str):
        return []
    paths = json5.value_at(text, PATHS)
    plugins = [str(path) for path in (json5.plain(paths) if paths and paths.kind == "array" else ())]
    plugin = next((path for path in reversed(plugins) if path.endswith(_PLUGIN_FOLDER)), "")
    words = json5.plain(command) if command and command.kind == "array" else []
    return wishes(plugin=plugin, vault=vault.value, command=words)


OPENCLAW = SettingsEditor(ours_in, lambda text, wishes: install(text, wishes)[0], uninstall)


def _with_item(
    text: str, wish: DesiredSetting, steps: list[InstallStep], earlier: Iterable[DesiredSetting]
) -> str:
    node = json5.value_at(text, wish.path)
    if wish.path == ALLOW and node is None:
        return text  # a list of what may be loaded would shut out all others
    items = {member.node.value: member.node for member in node.members} if node else {}
    if wish.value in items:
        return text
    # The item of an earlier installation in another folder, or of another vault, gives way to this one.
    for item in (items.get(other.value) for other in earlier if other.item and other.path == wish.path):
        if item is not None:
            return json5.replace_value(text, item, json5.to_json(wish.value))
    text, added = json5.append(text, wish.path, wish.value)
    steps.append(InstallStep(wish.path, ITEM, wish.value, there=added.there, tail=added.tail))
    return text


def _with_value(text: str, wish: DesiredSetting, steps: list[InstallStep]) -> str:
    node = json5.value_at(text, wish.path)
    if isinstance(wish.value, dict) and (wish.path != ENTRY if node is None else node.kind == "object"):
        for key, value in wish.value.items():  # what a person said in there stays
            text = _with_value(text, DesiredSetting((*wish.path, key), value), steps)
        return text
    if node is not None and json5.plain(node) == wish.value:
        return text
    if node is None:
        fresh, added = json5.put(text, wish.path, wish.value)
        step = InstallStep(wish.path, ADDED, wish.value, there=added.there, tail=added.tail)
    else:
        fresh = json5.replace_value(text, node, json5.to_json(wish.value))
        step = InstallStep(wish.path, REPLACED, wish.value, text[node.start : node.end])
    if not _covers(wish.path, steps):
        steps.append(step)
    return fresh


def _covers(path: Sequence[str], steps: Iterable[InstallStep]) -> bool:
    """True where something that was added as a whole holds this path."""
    added = (step.path for step in steps if step.did == ADDED)
    return any(len(outer) < len(path) and tuple(path[: len(outer)]) == outer for outer in added)
