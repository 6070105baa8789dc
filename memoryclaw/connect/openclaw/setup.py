"""Installs our keys in OpenClaw's configuration and removes them. A change is shown before it is written, and a copy of the file is kept beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from memoryclaw.connect import settings_file
from memoryclaw.connect.json5 import parse, plain
from memoryclaw.connect.openclaw.installing import EDITOR, Installation
from memoryclaw.errors import ConfigError
from memoryclaw.vault import files

RESTART = "a running gateway picks this up by itself, or after `openclaw gateway restart`"
_UNKNOWN = "there is no copy of the file as it was before this install, so OpenClaw's own defaults return"
_LEFT = "where none runs, its scheduler keeps the nightly job: `openclaw cron list` shows memoryclaw:nightly"


class ConfigChange(NamedTuple):
    """A change of the configuration that nobody has made yet."""

    verb: str  # install | uninstall
    config: str
    change: settings_file.SettingsChange
    notices: tuple[str, ...] = ()

    @property
    def diff(self) -> str:
        """The change for people."""
        return settings_file.difference(self.change.before or "", self.change.after or "", self.config)


class Changed(NamedTuple):
    """What became of a change."""

    action: str  # installed | uninstalled | unchanged | not installed | would install | would uninstall
    config: str
    diff: str
    backup: str = ""
    notices: tuple[str, ...] = ()


class Setup(NamedTuple):
    """One OpenClaw, by its configuration, and one vault."""

    config: str
    vault: str
    command: tuple[str, ...]
    plugin: Callable[[], str]

    def plan_install(self) -> ConfigChange:
        """What installing would write. Raises ConfigError: there is no configuration; InputError: it cannot be edited."""
        values_of(self.config)
        ours = Installation(self.plugin(), self.vault, self.command)
        return ConfigChange("install", self.config, settings_file.plan_install(self.config, EDITOR, ours))

    def plan_uninstall(self) -> ConfigChange:
        """What uninstalling would write."""
        values_of(self.config)
        change = settings_file.plan_uninstall(self.config, EDITOR)
        is_known = not change.changes or os.path.lexists(change.path + settings_file.BACKUP)
        return ConfigChange("uninstall", self.config, change, () if is_known else (_UNKNOWN,))

    def do(self, planned: ConfigChange) -> Changed:
        """Makes the change, if the file is still what was shown."""
        installs, changes = planned.verb == "install", planned.change.changes
        if not changes:
            action = "unchanged" if installs else "not installed"
            return Changed(action, planned.config, "", "", planned.notices)
        backup = settings_file.carry_out(planned.change)
        action, left = ("installed", ()) if installs else ("uninstalled", (_LEFT,))
        notices = (*planned.notices, RESTART, *left)
        return Changed(action, planned.config, planned.diff, backup, notices)


def config_path(given: str, environ: Mapping[str, str]) -> str:
    """The file as given, as OpenClaw's own variables say, else where OpenClaw keeps it."""
    chosen = given or environ.get("OPENCLAW_CONFIG_PATH") or os.path.join(state_of(environ), "openclaw.json")
    return os.path.abspath(os.path.expanduser(chosen))


def state_of(environ: Mapping[str, str]) -> str:
    """The folder in which OpenClaw keeps what is its own."""
    home = environ.get("HOME") or os.path.expanduser("~")
    return environ.get("OPENCLAW_STATE_DIR") or os.path.join(home, ".openclaw")


def values_of(config: str) -> dict[str, Any]:
    """What OpenClaw's configuration says. Raises ConfigError: there is none, or it is no JSON5."""
    if not os.path.lexists(config):
        raise ConfigError(
            f"there is no OpenClaw configuration at {config}; install OpenClaw and run `openclaw setup` first, "
            "or name the file with --config"
        )
    try:
        content = plain(
            parse(files.read_file(*os.path.split(os.path.realpath(config))).data.decode("utf-8", "replace"))
        )
    except ConfigError as error:
        raise ConfigError(f"{config}: {error}") from None
    return content if isinstance(content, dict) else {}
