"""The Model Context Protocol: tools, resources and a prompt over the official SDK; docs/reference/mcp.md describes it."""

from typing import TYPE_CHECKING

from memoryclaw import late

if TYPE_CHECKING:
    from memoryclaw.interfaces.mcp.transports import Mounted, run

__all__ = ["Mounted", "run"]
__getattr__ = late.at_first_use(globals(), late.module_places(globals()))
