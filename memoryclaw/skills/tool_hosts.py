"""Where the tool of a step is: an MCP server, or OpenClaw's gateway. The rule: a step says it by a prefix, else the settings do; nobody guesses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from memoryclaw.errors import InputError
from memoryclaw.skills.gateway_tools import HOST, TOKEN, GatewayTools
from memoryclaw.skills.mcp_tools import McpTools
from memoryclaw.skills.references import as_text, too_deep
from memoryclaw.skills.tools import LONGEST_RESULT, Result, Tool

_MCP, _GATEWAY = "mcp:", f"{HOST}:"


class ToolHosts:
    """All tools that a vault's settings give to skills.

    Args:
        servers: the MCP servers.
        gateway: OpenClaw's.
        chosen: whose tools are meant where a step does not say: auto, mcp or openclaw.
    """

    def __init__(self, servers: McpTools, gateway: GatewayTools, chosen: str) -> None:
        self._servers = servers
        self._gateway = gateway
        self._chosen = chosen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._servers.__exit__(*error)

    def find(self, name: str) -> Tool:
        """The tool that a step names, `mcp:NAME` and `openclaw:NAME` included."""
        if name.startswith(_GATEWAY):
            return self._gateway.find(name.removeprefix(_GATEWAY))
        if self._chosen == HOST and not name.startswith(_MCP):
            return self._gateway.find(name)
        found = self._servers.find(name.removeprefix(_MCP))
        if found is None and self._chosen == "auto" and self._gateway.known and not name.startswith(_MCP):
            return self._gateway.find(name)
        if found is None:
            raise InputError(
                f"no tool is called {name[:80]!r}: no server under mcp.servers in memoryclaw.yaml has it, and for OpenClaw's own {TOKEN} must be set"
            )
        return found

    def check(self, tool: Tool, args: Mapping[str, Any], unknown: frozenset[str]) -> str:
        """What is wrong with the arguments, as far as the tool says what it takes."""
        return "" if tool.schema is None else self._servers.check(tool, args, unknown)

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Result:
        """Calls it once; an answer that is too large is a failure, as half of it would be a wrong one."""
        done = self._gateway.call(tool, args) if tool.host == HOST else self._servers.call(tool, args)
        what = "it was done, but its answer" if done.ok else "it failed, and its answer"
        if too_deep(done.value):
            return Result(ok=False, text=f"{what} is nested too deeply")
        size = max(len(done.text), len(as_text(done.value)))
        if size > LONGEST_RESULT:
            most = f"more than the {LONGEST_RESULT:,} that are taken"
            return Result(ok=False, text=f"{what} has {size:,} characters, {most}")
        return done
