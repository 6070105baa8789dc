"""The Model Context Protocol: tools, resources and a prompt over the official SDK; docs/reference/mcp.md describes it.

This module imports nothing heavy; `stdio` and `asgi` need the package that `missing` looks for.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoryclaw.interfaces.mcp.transports import Mounted
    from memoryclaw.interfaces.requests import Apps, Report

__all__ = ["asgi", "missing", "stdio"]


def missing() -> bool:
    """True when the SDK is not installed."""
    return find_spec("mcp") is None


def stdio(apps: Apps, report: Report) -> None:
    """Answers one client on standard input and output, until it hangs up."""
    from memoryclaw.interfaces.mcp.transports import run

    run(apps, report)


def asgi(apps: Apps, report: Report) -> Mounted:
    """An ASGI application that speaks streamable HTTP, with its lifespan; whoever mounts it guards it."""
    from memoryclaw.interfaces.mcp.transports import Mounted

    return Mounted(apps, report)
