"""The page in the browser: what waits, what was recalled, what changed; docs/reference/ui.md describes it."""

PAGE, TICKETS = "/ui", "/v1/ui/ticket"  # where the page is mounted, and where a browser's way in is asked for
