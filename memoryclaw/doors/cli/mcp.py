"""`mcp`: a server for hosts that start one as a process of their own and speak the Model Context Protocol."""

from __future__ import annotations

import click

from memoryclaw.core.errors import InputError
from memoryclaw.doors import mcp as door
from memoryclaw.doors.cli.said import Said
from memoryclaw.doors.cli.verbs import verb


@verb(examples=["mcp", "mcp --vault ~/notes"])
@click.pass_obj
def mcp(said: Said) -> None:
    """Be the memory of a host that speaks MCP, on standard input and output.

    Hosts start it themselves. A vault that cannot be opened is told in the answer to each call, so that the person sees
    it where they are; it is looked for again at the next one.
    """
    if door.missing():
        raise InputError("this needs the MCP SDK: pip install 'memoryclaw[mcp]'")
    from memoryclaw.app import open_vault  # noqa: PLC0415 - `--help` needs no vault
    from memoryclaw.doors.cli import buglog  # noqa: PLC0415

    door.stdio(lambda: open_vault(said.vault), lambda error: buglog.write(error, said))
