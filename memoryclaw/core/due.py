"""When a consolidation is due: a pure rule, so that every scheduler may ask at any time. The rule: no clock blocks it for ever."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

LONGEST_WAIT = timedelta(hours=24)  # a conversation that never pauses is cut after that


class Due(NamedTuple):
    """Whether to consolidate now, and why or why not, in words that go on a sentence."""

    due: bool
    reason: str


def due(
    now: datetime,
    *,
    last_run: datetime | None,
    newest_turn: datetime | None,
    oldest_waiting: datetime | None,
    interval_minutes: int,
    idle_minutes: int,
) -> Due:
    """Whether a consolidation is due. All times know their zone.

    However many nights were missed, one run reads all that waits, so nothing is caught up twice.

    Args:
        now: the time.
        last_run: when the last run took place; None when there was none.
        newest_turn: when the last turn was said that the logs hold.
        oldest_waiting: when the first turn was said that no run has read; None when nothing waits.
        interval_minutes: the least time between two runs.
        idle_minutes: how long a conversation must have paused, so that it is not cut in the middle.
    """
    if oldest_waiting is None:
        return Due(False, "nothing waits in the logs")
    # A time that lies ahead was written by another clock, or before ours was set back: how far it lies counts, and that shrinks.
    since_run = abs(now - last_run) if last_run else None
    if since_run is not None and since_run < timedelta(minutes=interval_minutes):
        return Due(
            False, f"the last run was {_ago(since_run)} ago, and the interval is {interval_minutes} min"
        )
    pause = abs(now - newest_turn) if newest_turn else None
    waited = now - oldest_waiting
    if pause is None or pause >= timedelta(minutes=idle_minutes):
        return Due(True, f"turns wait since {_day(oldest_waiting)}")
    if waited >= LONGEST_WAIT:
        return Due(
            True, f"turns wait since {_day(oldest_waiting)}, and the conversation has not paused for a day"
        )
    return Due(
        False,
        f"a conversation is going on: its last turn is {_ago(pause)} old, and {idle_minutes} min end it",
    )


def _ago(span: timedelta) -> str:
    minutes = int(span.total_seconds() // 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
