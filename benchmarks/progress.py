"""Says on standard error how far a long run is: in place on a terminal, else a line a minute, so that a log shows life."""

from __future__ import annotations

import sys
import time

_EVERY = 60.0  # seconds


class Progress:
    """Counts what is done of a stage."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def report(self, stage: str, done: int, total: int) -> None:
        """One more is done."""
        if sys.stderr.isatty():
            print(f"\r{stage} {done}/{total} \033[K", end="" if done < total else "\n", file=sys.stderr)
        elif time.monotonic() - self._last >= _EVERY:
            self._last = time.monotonic()
            print(f"… {stage} {done}/{total}", file=sys.stderr, flush=True)
