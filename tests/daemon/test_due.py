"""When a consolidation is due, whatever the clocks do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.daemon.timetable import LONGEST_WAIT, due

NOW = datetime(2026, 4, 20, 3, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def ago(**span: float) -> datetime:
    return NOW - timedelta(**span)


def asked(last: datetime | None, newest: datetime | None, waiting: datetime | None) -> tuple[bool, str]:
    answer = due(
        NOW, last_run=last, newest_turn=newest, oldest_waiting=waiting, interval_minutes=60, idle_minutes=30
    )
    return answer.due, answer.reason


@pytest.mark.parametrize(
    ("last", "newest", "waiting", "is_due", "says"),
    [
        (None, ago(hours=5), None, False, "nothing waits"),
        (None, ago(hours=5), ago(hours=9), True, "turns wait since 2026-04-19 18:00"),
        (ago(days=1), ago(hours=5), ago(hours=9), True, "turns wait"),
        (ago(minutes=59), ago(hours=5), ago(hours=9), False, "the last run was 59 min ago"),
        (ago(minutes=60), ago(hours=5), ago(hours=9), True, "turns wait"),
        (ago(days=1), ago(minutes=29), ago(hours=9), False, "its last turn is 29 min old"),
        (ago(days=1), ago(minutes=30), ago(hours=9), True, "turns wait"),
        (ago(days=3), ago(minutes=1), ago(hours=24), True, "has not paused for a day"),
        (ago(days=3), ago(minutes=1), ago(hours=23.9), False, "conversation is going on"),
        (ago(minutes=5), ago(minutes=1), ago(hours=40), False, "the last run was 5 min ago"),
        (ago(days=9), ago(days=8), ago(days=8), True, "turns wait since 2026-04-12"),
        (None, None, ago(hours=1), True, "turns wait"),
    ],
)
def test_the_rule(
    last: datetime | None, newest: datetime | None, waiting: datetime | None, *, is_due: bool, says: str
) -> None:
    answer, reason = asked(last, newest, waiting)
    assert answer is is_due
    assert says in reason


@pytest.mark.parametrize("ahead", [timedelta(minutes=61), timedelta(days=400)])
def test_a_clock_that_was_set_back_does_not_block(ahead: timedelta) -> None:
    """A run and turns that lie far ahead are of another clock; what waits is read all the same."""
    assert asked(NOW + ahead, NOW + ahead, NOW + ahead)[0]


@given(MOMENTS, st.none() | MOMENTS, st.none() | MOMENTS, MOMENTS)
def test_what_waits_is_read_in_the_end_whatever_the_clocks_said(
    now: datetime, last: datetime | None, newest: datetime | None, waiting: datetime
) -> None:
    """Some moment within a day or so of every moment is one at which it is due, though nothing else changes."""
    hours = range(int(LONGEST_WAIT.total_seconds() // 3600) + 2)
    assert any(
        due(
            now + timedelta(hours=hour), last_run=last, newest_turn=newest, oldest_waiting=waiting,
            interval_minutes=60, idle_minutes=30,
        ).due
        for hour in hours
    )  # fmt: skip


def test_missed_nights_are_one_run() -> None:
    """After five nights without power the first call runs, and the next has nothing to do or is too early."""
    assert asked(ago(days=5), ago(days=1), ago(days=5))[0]
    assert not asked(NOW, ago(days=1), None)[0]
    assert not asked(NOW, ago(days=1), ago(days=1))[0]
