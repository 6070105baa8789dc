"""OpenClaw as the host of a vault: installed, removed, told how it stands, and its old notes brought over."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from memoryclaw import config as settings
from memoryclaw.app.wiring import Wiring, system_clock

if TYPE_CHECKING:
    from memoryclaw.hosts.openclaw.importing import ImportReport
    from memoryclaw.hosts.openclaw.setup import Setup
    from memoryclaw.hosts.openclaw.status import OpenClawStatus


class OpenClawing(Wiring):
    """The verbs of a vault that OpenClaw remembers with."""

    def openclaw(self, config: str = "") -> Setup:
        """This vault's place in OpenClaw's configuration: to be installed or removed."""
        return openclaw_setup(os.fspath(self.root), config)

    def import_openclaw(
        self, workspace: str = "", *, config: str = "", dry_run: bool = False
    ) -> ImportReport:
        """Proposes what OpenClaw kept in its own notes; they are only read, and a second import proposes nothing.

        Args:
            workspace: the folder with MEMORY.md; empty: what OpenClaw's configuration says.
            config: OpenClaw's configuration file.
            dry_run: only tell what would be proposed.
        """
        from memoryclaw.hosts.openclaw.importing import import_notes, workspace_of  # noqa: PLC0415
        from memoryclaw.hosts.openclaw.setup import config_path  # noqa: PLC0415

        folder = workspace or workspace_of(config_path(config, os.environ), os.environ)
        return self._written(lambda context: import_notes(context, folder, dry_run=dry_run))


def openclaw_setup(vault: str, config: str = "") -> Setup:
    """A vault's place in OpenClaw's configuration, whether or not the vault is there."""
    from memoryclaw.hosts.openclaw.setup import (  # noqa: PLC0415
        HostConfig,
        Setup,
        config_path,
    )

    host = HostConfig(config_path(config, os.environ), os.fspath(settings.key_folder(os.environ)))
    # -P: a folder called memoryclaw where the gateway happens to run must not be taken for the program.
    command = (sys.executable, "-P", "-m", "memoryclaw")
    return Setup(host, vault, command, plugin=_plugin, clock=system_clock)


def openclaw_standing(vault: str, config: str = "") -> OpenClawStatus:
    """How OpenClaw stands to a vault."""
    from memoryclaw.hosts.openclaw.status import standing  # noqa: PLC0415

    return standing(openclaw_setup(vault, config), _daemon)


def _plugin() -> str:
    from memoryclaw.hosts.openclaw.setup import plugin_folder  # noqa: PLC0415

    return plugin_folder("openclaw")


def _daemon(vault: str) -> bool:
    from pathlib import Path  # noqa: PLC0415

    from memoryclaw.daemon.client import ask  # noqa: PLC0415

    return ask(os.fspath(settings.state_folder(Path(vault))), "GET", "/healthz") is not None
