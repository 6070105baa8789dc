"""Installs our keys in OpenClaw's configuration and removes them, as in any host's settings: shown, backed up, and then written."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from memoryclaw.connect import settings_file
from memoryclaw.connect.json5 import parse, plain
from memoryclaw.connect.openclaw import installing
from memoryclaw.connect.settings_file import SettingsChange
from memoryclaw.errors import ConfigError
from memoryclaw.late import NamedTuple
from memoryclaw.vault import files

RESTART = "a running gateway picks this up by itself, or after `openclaw gateway restart`"
_UNKNOWN = "nothing is known of the time before this install, so OpenClaw's own defaults return"
_LEFT = "where none runs, its scheduler keeps the nightly job: `openclaw cron list` shows memoryclaw:nightly"


class Changed(NamedTuple):
    """What became of a change."""

    action: str  # installed | uninstalled | unchanged | not installed | would install | would uninstall
    config: str
    diff: str
    backup: str = ""
    notices: tuple[str, ...] = ()


class Setup(NamedTuple):
    """One OpenClaw and one vault."""

    path: str  # of the configuration; a link is followed, so that a folder of dotfiles keeps its links
    vault: str
    command: tuple[str, ...]
    plugin: Callable[[], str]

    def plan_install(self) -> SettingsChange:
        """What an install would write. Raises ConfigError: there is no configuration."""
        read_config(self.path)
        wishes = installing.wishes(plugin=self.plugin(), vault=self.vault, command=self.command)
        return settings_file.plan_install(self.path, installing.OPENCLAW, wishes)

    def plan_uninstall(self) -> SettingsChange:
        """What would take it out. Raises ConfigError: there is no configuration."""
        read_config(self.path)
        return settings_file.plan_uninstall(self.path, installing.OPENCLAW)

    def do(self, verb: str, planned: SettingsChange) -> Changed:
        """Makes the change, if the file is still what was shown."""
        installs, before = verb == "install", settings_file.backup_of(planned.path)
        if not planned.changes:
            about = ("unchanged", before) if installs else ("not installed", "")
            return Changed(about[0], self.path, "", about[1])
        backup = settings_file.carry_out(planned)
        if installs:
            return Changed("installed", self.path, planned.diff, backup, (RESTART,))
        notices = (*([] if before else [_UNKNOWN]), RESTART, _LEFT)
        return Changed("uninstalled", self.path, planned.diff, backup, notices)


def config_path(given: str, environ: Mapping[str, str]) -> str:
    """The file as given, as OpenClaw's own variables say, else where OpenClaw keeps it."""
    chosen = given or environ.get("OPENCLAW_CONFIG_PATH") or os.path.join(state_of(environ), "openclaw.json")
    return os.path.abspath(os.path.expanduser(chosen))


def state_of(environ: Mapping[str, str]) -> str:
    """The folder in which OpenClaw keeps what is its own."""
    home = environ.get("HOME") or os.path.expanduser("~")
    return environ.get("OPENCLAW_STATE_DIR") or os.path.join(home, ".openclaw")


def read_config(path: str) -> dict[str, Any]:
    """What the configuration says. Raises ConfigError: there is none, or it is no JSON5."""
    if not os.path.lexists(os.path.realpath(path)):
        raise ConfigError(
            f"there is no OpenClaw configuration at {path}; install OpenClaw and run `openclaw setup` first, "
            "or name the file with --config"
        )
    text = files.read_file(*os.path.split(os.path.realpath(path))).data.decode("utf-8", "surrogateescape")
    try:
        content = plain(parse(text))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    return content if isinstance(content, dict) else {}
