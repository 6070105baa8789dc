"""The page in the browser: what waits, what was recalled, what changed; docs/reference/ui.md describes it."""

from typing import TYPE_CHECKING

from memoryclaw import late

if TYPE_CHECKING:
    from memoryclaw.interfaces.ui.site import Site, TicketOffice

PAGE, TICKETS = "/ui", "/v1/ui/ticket"  # where the page is mounted, and where a browser's way in is asked for
__all__ = ["PAGE", "TICKETS", "Site", "TicketOffice"]
__getattr__ = late.at_first_use(globals(), late.module_places(globals()))
