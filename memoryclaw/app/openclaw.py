"""`app.openclaw`: OpenClaw as the host of a vault. Setup and status are functions too: they need no open vault."""

from __future__ import annotations

import os
import sys

from memoryclaw import rooms
from memoryclaw.app.context import AppPart
from memoryclaw.vault.state_folder import state_folder


class OpenClaw(AppPart):
    """OpenClaw, remembering with this vault."""

    def setup(self, config: str = "") -> rooms.openclaw_setup.Setup:
        """This vault's place in OpenClaw's configuration, to be installed or removed."""
        return openclaw_setup(os.fspath(self._context.root), config)

    def status(self, config: str = "") -> rooms.openclaw_status.OpenClawStatus:
        """Whether OpenClaw remembers with this vault, check by check."""
        return openclaw_status(os.fspath(self._context.root), config)

    def import_notes(
        self, workspace: str = "", *, config: str = "", dry_run: bool = False
    ) -> rooms.openclaw_notes.ImportReport:
        """Proposes what OpenClaw kept in its own notes; they are only read, and a second import proposes nothing.

        Args:
            workspace: the folder with MEMORY.md; empty: what OpenClaw's configuration says.
        """
        notes, path = rooms.openclaw_notes, rooms.openclaw_setup.config_path(config, os.environ)
        folder = workspace or notes.workspace_of(path, os.environ)
        return self._context.write(lambda context: notes.import_notes(context, folder, dry_run=dry_run))


def openclaw_setup(vault: str, config: str = "") -> rooms.openclaw_setup.Setup:
    """A vault's place in OpenClaw's configuration, whether or not the vault is there."""
    path = rooms.openclaw_setup.config_path(config, os.environ)
    # -P: a folder called memoryclaw where the gateway happens to run must not be taken for the program.
    command = (sys.executable, "-P", "-m", "memoryclaw")

    def plugin() -> str:
        return os.fspath(rooms.context.shipped("plugins/openclaw"))

    return rooms.openclaw_setup.Setup(path, vault, command, plugin)


def openclaw_status(vault: str, config: str = "") -> rooms.openclaw_status.OpenClawStatus:
    """Whether OpenClaw remembers with a vault, check by check, whether or not the vault is there."""
    return rooms.openclaw_status.standing(
        openclaw_setup(vault, config),
        lambda folder: rooms.client.ask(state_folder(folder), "GET", "/healthz") is not None,
    )
