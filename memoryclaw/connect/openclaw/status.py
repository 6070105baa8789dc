"""Checks whether OpenClaw remembers with this vault, each check with what mends it. Changes nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from memoryclaw.connect.openclaw.installing import (
    ALLOW,
    ENTRY,
    HOST_SKILLS,
    PATHS,
    PERMISSION,
    PLUGIN,
    RIVAL,
    SKILLS,
    SLOT,
)
from memoryclaw.connect.openclaw.setup import Setup
from memoryclaw.errors import ConfigError, MemoryClawError

_INSTALL = "memoryclaw openclaw install"


class OpenClawCheck(NamedTuple):
    """One thing that must be so, whether it is, and the command that mends it."""

    name: str
    ok: bool
    detail: str
    advice: str = ""


class OpenClawStatus(NamedTuple):
    """How one OpenClaw stands to one vault."""

    config: str
    vault: str
    installed: bool
    checks: tuple[OpenClawCheck, ...]


def standing(setup: Setup, daemon: Callable[[str], bool]) -> OpenClawStatus:
    """How things stand.

    Args:
        daemon: tells whether the daemon of a vault answers.
    """
    path = setup.host.path
    try:
        values = setup.host.values(setup.host.read())
    except ConfigError as error:
        return OpenClawStatus(
            path, setup.vault, False, (OpenClawCheck("config", False, str(error), "openclaw setup"),)
        )
    entry = _at(values, ENTRY)
    settings = entry.get("config") if isinstance(entry, dict) else None
    vault = str(settings.get("vault") or setup.vault) if isinstance(settings, dict) else setup.vault
    checks = (OpenClawCheck("config", True, path), *_ours(setup, values), *_outside(vault, settings, daemon))
    return OpenClawStatus(path, vault, isinstance(entry, dict), checks)


def _ours(setup: Setup, values: dict[str, Any]) -> Iterator[OpenClawCheck]:
    entry = _at(values, ENTRY)
    enabled = isinstance(entry, dict) and entry.get("enabled") is True
    yield _check(
        "plugin", enabled, "the entry memoryclaw is there and enabled", "there is no enabled entry memoryclaw"
    )
    folders = [each for each in _list(values, PATHS) if isinstance(each, str)]
    loaded = [each for each in folders if os.path.isfile(os.path.join(each, "openclaw.plugin.json"))]
    ours = [each for each in loaded if _same(each, setup.plugin)]
    yield _check(
        "loaded",
        bool(ours),
        f"OpenClaw loads {ours[0] if ours else ''}",
        "plugins.load.paths does not name our plugin",
    )
    granted = _at(values, PERMISSION) is True
    yield _check(
        "permission",
        granted,
        "hooks may see conversations",
        "without hooks.allowConversationAccess OpenClaw drops our hooks silently",
    )
    slot = _at(values, SLOT)
    yield _check(
        "slot", slot == PLUGIN, "the memory slot is ours", f"the memory slot is {slot or 'memory-core'}'s"
    )
    yield _check(
        "memory-core",
        _at(values, RIVAL) is False,
        "memory-core is off",
        "memory-core is on, and dreams beside us",
    )
    yield _allows_plugin(values)
    offered = any(str(each).endswith(HOST_SKILLS) for each in _list(values, SKILLS))
    yield _check(
        "skills",
        offered,
        "approved skills are offered",
        "skills.load.extraDirs does not name the approved skills",
    )


def _allows_plugin(values: dict[str, Any]) -> OpenClawCheck:
    """Whether OpenClaw may load the plugin; what a person shut out by hand is for that person to open."""
    if _at(values, ("plugins", "enabled")) is False:
        return OpenClawCheck(
            "allowed", False, "plugins.enabled is false", "openclaw config set plugins.enabled true"
        )
    if PLUGIN in _list(values, ("plugins", "deny")):
        return OpenClawCheck(
            "allowed", False, "plugins.deny names memoryclaw", "openclaw config unset plugins.deny"
        )
    allowed = _at(values, ALLOW) is None or PLUGIN in _list(values, ALLOW)
    return _check("allowed", allowed, "plugins.allow lets it in", "plugins.allow shuts memoryclaw out")


def _outside(vault: str, settings: Any, daemon: Callable[[str], bool]) -> Iterator[OpenClawCheck]:
    is_there = os.path.isdir(vault)
    yield OpenClawCheck(
        "vault",
        is_there,
        vault if is_there else f"there is no folder {vault}",
        "" if is_there else f"memoryclaw init {vault}",
    )
    command = settings.get("command") if isinstance(settings, dict) else None
    program = command[0] if isinstance(command, list) and command else command or PLUGIN
    runs = isinstance(program, str) and shutil.which(program) is not None
    yield _check("command", runs, f"{program} can be run", f"{program} cannot be run")
    live = is_there and daemon(vault)
    yield OpenClawCheck(
        "daemon",
        live,
        "the daemon answers" if live else "no daemon answers; the plugin starts one",
        "" if live else f"memoryclaw serve --vault {vault}",
    )


def _check(name: str, ok: bool, good: str, bad: str) -> OpenClawCheck:
    return OpenClawCheck(name, ok, good if ok else bad, "" if ok else _INSTALL)


def _same(folder: str, plugin: Callable[[], str]) -> bool:
    try:
        return os.path.realpath(folder) == os.path.realpath(plugin())
    except MemoryClawError:
        return False


def _list(values: dict[str, Any], path: tuple[str, ...]) -> list[Any]:
    items = _at(values, path)
    return items if isinstance(items, list) else []


def _at(values: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return values
