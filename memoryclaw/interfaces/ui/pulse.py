"""What changes by itself on every page."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Any

from memoryclaw.app import App
from memoryclaw.daemon.daemon import Daemon

_KNOWN = 60.0  # seconds that a count is believed


class Pulse:
    """What changes by itself on every page: the number of the last event, how much waits, how many notes there are."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._known: tuple[int, float, int, int] | None = None  # event, until, waiting, notes

    def now(self, app: App) -> dict[str, Any]:
        """How it stands; counted anew after each event, and after each thing that was done here."""
        event, last_known = self._daemon.events.after(sys.maxsize).last, self._known
        if last_known is None or last_known[0] != event or last_known[1] < monotonic():
            waiting, notes = len(app.review.list()), app.catalog.files()
            last_known = self._known = (event, monotonic() + _KNOWN, waiting, notes)
        return {
            "event": event,
            "waiting": last_known[2],
            "notes": last_known[3],
            "live": not self._daemon.reason,
        }

    def forget(self) -> None:
        """Something was done: the event of it comes a moment later."""
        self._known = None
