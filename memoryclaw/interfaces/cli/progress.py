"""The progress bar of long work: on standard error, only on a terminal, and only when the work takes over a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0


class Bar:
    """Told (done, total) again and again; draws itself once its patience is over."""

    def __init__(self, work: str = "reading notes") -> None:
        self._work = work
        self._since = time.monotonic()
        self._drawn: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def __call__(self, done: int, total: int) -> None:
        """Shows how much of the work is done."""
        if self._drawn is None:
            if time.monotonic() - self._since < PATIENCE or not sys.stderr.isatty():
                return
            self._drawn = self._start(total)
        bar, task = self._drawn
        bar.update(task, completed=done, total=total)
        if done >= total:
            self._end()

    def _end(self) -> None:
        if self._drawn:
            self._drawn[0].stop()
        self._drawn = None

    def _start(self, total: int) -> tuple[Progress, TaskID]:
        from rich.console import Console  # noqa: PLC0415 - rich costs more than a search
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        columns = (TextColumn(self._work), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.start()
        return bar, bar.add_task(self._work, total=total)
