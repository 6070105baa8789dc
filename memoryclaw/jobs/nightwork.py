"""The schedule of a daemon: `consolidate --due` as a process of its own, again and again. The rule: a failure is told, never passed over."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from memoryclaw.adapters.child import Child, Ended

FIRST = 60.0  # seconds after the start until the first look: whoever starts a daemon wants an answer first


class NightWork:
    """Looks after consolidation while a daemon runs; its own process, so that it takes neither time nor memory from the answers.

    Args:
        root: the vault's folder.
        every: seconds between two looks; `consolidate --due` itself decides whether there is something to do.
        tell: is given one sentence for every run that did something or failed.
        first: seconds until the first look.
    """

    def __init__(self, root: str, every: float, tell: Callable[[str], None], *, first: float = FIRST) -> None:
        self._child = Child(
            [sys.executable, "-P", "-m", "memoryclaw", "--vault", root, "consolidate", "--due"]
        )
        self._every, self._first, self._tell = every, first, tell
        self._stop = threading.Event()

    def run(self) -> None:
        """Works until `stop` is called."""
        wait = min(self._first, self._every)
        while not self._stop.wait(wait):
            wait = self._every
            try:
                ended = self._child.run()
            except OSError as error:
                self._tell(f"consolidation could not be started ({error.strerror})")
                continue
            if ended is not None and (said := _said(ended)):
                self._tell(said)

    def stop(self) -> None:
        """Ends the work, and the process that is at it; safe from other threads."""
        self._stop.set()
        self._child.end()


def _said(ended: Ended) -> str:
    """The one sentence worth a line in the log; what the logs of the vault hold is never in it."""
    if ended.code == 0:
        first = ended.out.partition("\n")[0]
        return "" if first.startswith("Nothing to do") else f"consolidated: {first}"
    last = ended.err.strip().rpartition("\n")[2].removeprefix("memoryclaw: ")
    return f"consolidation failed (exit code {ended.code}): {last or 'it said nothing'}"
