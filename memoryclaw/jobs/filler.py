"""Fills in vectors beside a watch, in a thread of its own. The rule: whatever goes wrong is said once and tried again, and no question waits."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memoryclaw.core.errors import LockedError, MemoryClawError
from memoryclaw.jobs.vectors import Filled
from memoryclaw.jobs.watching import Report

AGAIN = 30.0  # seconds until the next try after a failure
_PATIENCE = 6.0  # seconds that the batch at hand is given to end

Stopping = Callable[[], bool]


class Filler:
    """Works when the index has changed, until the watch has ended.

    Args:
        fill: makes what is missing, with an open vault of its own; ends early when what it is given says so.
        tell: is given every report.
        again: seconds until the next try after a failure.
    """

    def __init__(
        self, fill: Callable[[Stopping], Filled], tell: Callable[[Report], None], *, again: float = AGAIN
    ) -> None:
        self._fill = fill
        self._tell = tell
        self._again = again
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="vectors", daemon=True)

    def hears(self, report: Report) -> None:
        """Begins when the index is in line with the files, and ends with the watch."""
        if report.kind == "stopped":
            self._stop()
        elif report.kind in ("started", "synced"):
            if self._thread.ident is None:
                self._thread.start()
            self._woken.set()

    def _stop(self) -> None:
        self._stopping.set()
        self._woken.set()
        if self._thread.ident is not None:
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        wait: float | None = None
        said = ""
        while self._woken.wait(wait) or not self._stopping.is_set():
            self._woken.clear()
            if self._stopping.is_set():
                return
            trouble, wait = self._filled()
            if trouble and trouble != said:
                self._tell(Report("problem", trouble))
            said = trouble

    def _filled(self) -> tuple[str, float | None]:
        """What went wrong, and the seconds until the next try; none when all is done."""
        try:
            done = self._fill(self._stopping.is_set)
        except LockedError:
            return "", self._again
        except MemoryClawError as error:
            return f"no vectors were made: {error}", self._again
        if done.filled:
            self._tell(Report("vectors", f"{done.filled} made, {done.missing} units are without"))
        return "", self._again if done.missing else None
