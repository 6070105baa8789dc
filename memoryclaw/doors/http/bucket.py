"""How fast requests may come: a bucket of tokens that fills at a steady rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

BURST = 2  # seconds' worth of requests that may come at once


class Bucket:
    """Lets so many through a second, and a burst now and then.

    Args:
        rate: requests a second.
        clock: seconds that only grow.
    """

    def __init__(self, rate: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._most, self._clock = rate, rate * BURST, clock
        self._held, self._at = self._most, clock()

    def wait(self) -> int:
        """Takes one; 0, or the whole seconds after which there will be one again."""
        now = self._clock()
        self._held = min(self._most, self._held + (now - self._at) * self._rate)
        self._at = now
        if self._held >= 1:
            self._held -= 1
            return 0
        return max(1, math.ceil((1 - self._held) / self._rate))
