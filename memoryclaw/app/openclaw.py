"""`app.openclaw`: OpenClaw as the host of a vault. Setup and status are functions too: they need no open vault."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from memoryclaw import config as settings
from memoryclaw.app.context import VaultContext, system_clock
from memoryclaw.vault.state_folder import state_folder

if TYPE_CHECKING:
    from memoryclaw.connect.openclaw.notes import ImportReport
    from memoryclaw.connect.openclaw.setup import Setup
    from memoryclaw.connect.openclaw.status import OpenClawStatus


class OpenClaw:
    """OpenClaw, remembering with this vault."""

    def __init__(self, context: VaultContext) -> None:
        self._context = context

    def setup(self, config: str = "") -> Setup:
        """This vault's place in OpenClaw's configuration, to be installed or removed."""
        return openclaw_setup(os.fspath(self._context.root), config)

    def status(self, config: str = "") -> OpenClawStatus:
        """Whether OpenClaw remembers with this vault, check by check."""
        return openclaw_status(os.fspath(self._context.root), config)

    def import_notes(self, workspace: str = "", *, config: str = "", dry_run: bool = False) -> ImportReport:
        """Proposes what OpenClaw kept in its own notes; they are only read, and a second import proposes nothing.

        Args:
            workspace: the folder with MEMORY.md; empty: what OpenClaw's configuration says.
        """
        from memoryclaw.connect.openclaw.notes import import_notes, workspace_of
        from memoryclaw.connect.openclaw.setup import config_path

        folder = workspace or workspace_of(config_path(config, os.environ), os.environ)
        return self._context.write(lambda context: import_notes(context, folder, dry_run=dry_run))


def openclaw_setup(vault: str, config: str = "") -> Setup:
    """A vault's place in OpenClaw's configuration, whether or not the vault is there."""
    from memoryclaw.connect.openclaw.setup import HostConfig, Setup, config_path
    from memoryclaw.writing.context import shipped

    host = HostConfig(config_path(config, os.environ), os.fspath(settings.own_folder(os.environ)))
    # -P: a folder called memoryclaw where the gateway happens to run must not be taken for the program.
    command = (sys.executable, "-P", "-m", "memoryclaw")
    return Setup(
        host, vault, command, plugin=lambda: os.fspath(shipped("plugins/openclaw")), clock=system_clock
    )


def openclaw_status(vault: str, config: str = "") -> OpenClawStatus:
    """Whether OpenClaw remembers with a vault, check by check, whether or not the vault is there."""
    from memoryclaw.connect.openclaw.status import standing
    from memoryclaw.daemon.client import ask

    return standing(
        openclaw_setup(vault, config),
        lambda folder: ask(state_folder(folder), "GET", "/healthz") is not None,
    )
