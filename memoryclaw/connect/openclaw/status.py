"""Checks whether OpenClaw remembers with this vault, each check with what mends it. Changes nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import Any

from memoryclaw.connect.openclaw import installing
from memoryclaw.connect.openclaw.setup import Setup, read_config
from memoryclaw.errors import ConfigError, MemoryClawError
from memoryclaw.late import NamedTuple

_INSTALL = "memoryclaw openclaw install"
# What must be so, whether it is, how it is told where it is and where not, what mends it.
_Row = tuple[str, bool, str, str, str]


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
    """How things stand. `daemon`: tells whether the daemon of a vault answers."""
    path = setup.path
    try:
        values = read_config(path)
    except ConfigError as error:
        failed = OpenClawCheck("config", False, str(error), "openclaw setup")
        return OpenClawStatus(path, setup.vault, False, (failed,))
    entry = _at(values, installing.ENTRY)
    settings = entry.get("config") if isinstance(entry, dict) else None
    settings = settings if isinstance(settings, dict) else {}
    vault = str(settings.get("vault") or setup.vault)
    rows = (("config", True, path, "", ""), *_ours(setup, values), *_outside(vault, settings, daemon))
    checks = (
        OpenClawCheck(name, ok, *((good, "") if ok else (bad, mends))) for name, ok, good, bad, mends in rows
    )
    return OpenClawStatus(path, vault, isinstance(entry, dict), tuple(checks))


def _ours(setup: Setup, values: dict[str, Any]) -> tuple[_Row, ...]:
    enabled, slot = _at(values, (*installing.ENTRY, "enabled")) is True, _at(values, installing.SLOT)
    ours = next((each for each in _list(values, installing.PATHS) if _is_plugin(each, setup.plugin)), "")
    allowed = _at(values, installing.ALLOW) is None or installing.PLUGIN in _list(values, installing.ALLOW)
    offered = any(str(each).endswith(installing.HOST_SKILLS) for each in _list(values, installing.SKILLS))
    bad, advice = "plugins.allow shuts memoryclaw out", _INSTALL
    # What a person shut out by hand is for that person to open.
    if _at(values, ("plugins", "enabled")) is False:
        allowed, bad, advice = False, "plugins.enabled is false", "openclaw config set plugins.enabled true"
    elif installing.PLUGIN in _list(values, ("plugins", "deny")):
        allowed, bad, advice = False, "plugins.deny names memoryclaw", "openclaw config unset plugins.deny"
    return (
        ("plugin", enabled, "the entry memoryclaw is there and enabled", "there is no enabled entry memoryclaw", _INSTALL),
        ("loaded", bool(ours), f"OpenClaw loads {ours}", "plugins.load.paths does not name our plugin", _INSTALL),
        ("permission", _at(values, installing.PERMISSION) is True, "hooks may see conversations", "without hooks.allowConversationAccess OpenClaw drops our hooks silently", _INSTALL),
        ("slot", slot == installing.PLUGIN, "the memory slot is ours", f"the memory slot is {slot or 'memory-core'}'s", _INSTALL),
        ("memory-core", _at(values, installing.RIVAL) is False, "memory-core is off", "memory-core is on, and dreams beside us", _INSTALL),
        ("allowed", allowed, "plugins.allow lets it in", bad, advice),
        ("skills", offered, "approved skills are offered", "skills.load.extraDirs does not name the approved skills", _INSTALL),
    )  # fmt: skip


def _outside(vault: str, settings: dict[str, Any], daemon: Callable[[str], bool]) -> tuple[_Row, ...]:
    command = settings.get("command")
    program = command[0] if isinstance(command, list) and command else command or installing.PLUGIN
    runs, is_there = isinstance(program, str) and shutil.which(program) is not None, os.path.isdir(vault)
    live, none = is_there and daemon(vault), "no daemon answers; the plugin starts one"
    return (
        ("vault", is_there, vault, f"there is no folder {vault}", f"memoryclaw init {vault}"),
        ("command", runs, f"{program} can be run", f"{program} cannot be run", _INSTALL),
        ("daemon", live, "the daemon answers", none, f"memoryclaw serve --vault {vault}"),
    )


def _is_plugin(folder: Any, plugin: Callable[[], str]) -> bool:
    """True for a folder that OpenClaw loads our plugin from."""
    try:
        there = isinstance(folder, str) and os.path.isfile(os.path.join(folder, "openclaw.plugin.json"))
        return there and os.path.realpath(folder) == os.path.realpath(plugin())
    except MemoryClawError:
        return False


def _list(values: dict[str, Any], path: tuple[str, ...]) -> list[Any]:
    items = _at(values, path)
    return items if isinstance(items, list) else []


def _at(values: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return values
