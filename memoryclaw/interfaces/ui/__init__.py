"""The page in the browser: what waits, what was recalled, what changed; docs/reference/ui.md describes it.

This module imports nothing heavy; `asgi` needs the packages that `missing` names.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from memoryclaw import rooms

if TYPE_CHECKING:
    from memoryclaw.interfaces.requests import Apps, Report
    from memoryclaw.interfaces.ui.site import Site, TicketOffice

__all__ = ["PAGE", "TICKETS", "asgi", "missing"]
PAGE, TICKETS = "/ui", "/v1/ui/ticket"  # where the page is mounted, and where a browser's way in is asked for
_NEEDS = {"starlette": "starlette", "uvicorn": "uvicorn", "markdown_it": "markdown-it-py", "nh3": "nh3"}


def missing() -> list[str]:
    """The packages that the page needs and that are not installed."""
    return [name for module, name in _NEEDS.items() if find_spec(module) is None]


def asgi(apps: Apps, report: Report, daemon: rooms.daemon.Daemon) -> dict[str, Site | TicketOffice]:
    """The page and the office of its tickets, by the paths where they are mounted."""
    from memoryclaw.interfaces.ui.site import Site, TicketOffice

    site = Site(apps, report, daemon)
    return {PAGE: site, TICKETS: TicketOffice(site, apps, daemon.schedule.plan)}
