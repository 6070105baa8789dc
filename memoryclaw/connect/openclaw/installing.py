"""What MemoryClaw writes into OpenClaw's configuration, and how it is removed: exactly our keys, and the former values return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memoryclaw.connect import json5
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


def install(
    text: str, wishes: Iterable[DesiredSetting], known: Iterable[InstallStep] = ()
) -> tuple[str, list[InstallStep]]:
    """The text that says what is wanted, and the steps that undo it; `known` are those of an earlier time."""
    wishes, steps = list(wishes), list(known)
    for wish in wishes:
        if wish.default and json5.value_at(text, wish.path) is not None:
            continue
        text = _drop_earlier(text, wish, steps, wishes) if wish.item else text
        text = _with_item(text, wish, steps) if wish.item else _with_value(text, wish, steps)
    return text, steps


def uninstall(text: str, steps: Sequence[InstallStep]) -> str:
    """The text without what these steps wrote; where a person has put something else since, that stays."""
    for step in reversed(steps):
        added, node = json5.Added(step.there, step.tail), json5.value_at(text, step.path)
        if step.did == ITEM:
            text = json5.drop(text, step.path, step.value, added)
        elif node is not None and step.did == REPLACED:
            json5.parse(step.before)  # a record that somebody spoilt must not spoil the configuration
            if json5.plain(node) == step.value:
                text = json5.replace_value(text, node, step.before)
        elif node is not None and (step.path == ENTRY or json5.plain(node) == step.value):
            text = json5.take(text, step.path, added)
    return text


def lost_steps(text: str, wanted: Iterable[DesiredSetting]) -> list[InstallStep]:
    """Steps that undo what stands in a text of which nothing was written down: OpenClaw's own defaults return."""
    if json5.value_at(text, ENTRY) is None:
        return []
    steps = [InstallStep(ENTRY, ADDED, None, there=len(ENTRY) - 1)]
    steps += [
        InstallStep(path, ADDED, value, there=len(path) - 1)
        for path, value in ((SLOT, PLUGIN), (RIVAL, False))
        if (node := json5.value_at(text, path)) and node.value == value
    ]
    ours = {(wish.path, wish.value) for wish in wanted if wish.item}
    # What an installation elsewhere, or of another vault, put into a list is ours as well.
    ends: dict[tuple[str, ...], str] = {PATHS: "plugins/openclaw", SKILLS: HOST_SKILLS}
    for path in (PATHS, ALLOW, SKILLS):
        items = json5.plain(node) if (node := json5.value_at(text, path)) else []
        texts = (item for item in items if isinstance(item, str))
        mine = (item for item in texts if (path, item) in ours or item.endswith(ends.get(path, ())))
        steps += [InstallStep(path, ITEM, item, there=len(path)) for item in mine]
    return steps


def from_record(value: Mapping[str, Any]) -> InstallStep:
    """A step as it was kept. Raises KeyError, TypeError: it is none."""
    return InstallStep(**{**value, "path": tuple(map(str, value["path"]))})


def _drop_earlier(
    text: str, wish: DesiredSetting, steps: list[InstallStep], wanted: Sequence[DesiredSetting]
) -> str:
    """The text without the item of an earlier installation in another folder, which this one replaces."""
    node = json5.value_at(text, wish.path)
    for n, step in enumerate(steps):
        is_wanted = DesiredSetting(step.path, step.value, item=True) in wanted
        if is_wanted or (step.did, step.path) != (ITEM, wish.path) or node is None:
            continue
        items = [member.node for member in node.members if member.node.value == step.value]
        if items and not any(member.node.value == wish.value for member in node.members):
            steps[n] = step._replace(value=wish.value)
            return json5.replace_value(text, items[-1], json5.to_json(wish.value))
    return text


def _with_item(text: str, wish: DesiredSetting, steps: list[InstallStep]) -> str:
    node = json5.value_at(text, wish.path)
    if wish.path == ALLOW and node is None:
        return text  # a list of what may be loaded would shut out all others
    if node is not None and any(member.node.value == wish.value for member in node.members):
        return text
    steps[:] = [s for s in steps if (s.path, s.value) != (wish.path, wish.value)]
    text, added = json5.append(text, wish.path, wish.value)
    steps.append(InstallStep(wish.path, ITEM, wish.value, there=added.there, tail=added.tail))
    return text


def _with_value(text: str, wish: DesiredSetting, steps: list[InstallStep]) -> str:
    node = json5.value_at(text, wish.path)
    if isinstance(wish.value, dict) and (wish.path != ENTRY if node is None else node.kind == "object"):
        for key, value in wish.value.items():  # what a person said in there stays
            text = _with_value(text, DesiredSetting((*wish.path, key), value), steps)
        return text
    if node is None:
        steps[:] = [s for s in steps if s.path != wish.path]
        text, added = json5.put(text, wish.path, wish.value)
        if not _covers(wish.path, steps):
            steps.append(InstallStep(wish.path, ADDED, wish.value, there=added.there, tail=added.tail))
        return text
    return text if json5.plain(node) == wish.value else _replace(text, wish, node, steps)


def _replace(text: str, wish: DesiredSetting, node: json5.JsonNode, steps: list[InstallStep]) -> str:
    number = next((n for n, step in enumerate(steps) if step.path == wish.path), None)
    raw = text[node.start : node.end]
    if number is not None:
        step = steps[number]
        ours = json5.plain(node) == step.value
        before = step.before if ours else raw
        steps[number] = step._replace(value=wish.value, before=before, did=step.did if ours else REPLACED)
    elif not _covers(wish.path, steps):
        steps.append(InstallStep(wish.path, REPLACED, wish.value, raw))
    return json5.replace_value(text, node, json5.to_json(wish.value))


def _covers(path: Sequence[str], steps: Iterable[InstallStep]) -> bool:
    """True where something that was added as a whole holds this path."""
    added = (step.path for step in steps if step.did == ADDED)
    return any(len(outer) < len(path) and tuple(path[: len(outer)]) == outer for outer in added)
