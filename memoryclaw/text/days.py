"""Calendar arithmetic on inclusive spans of days; weeks start on Monday, and results stay within the years 1 to 9999."""

from __future__ import annotations

from collections.abc import Callable
from datetime import MAXYEAR, MINYEAR, date
from typing import NamedTuple

_LAST_ORDINAL = date.max.toordinal()
_SHORTEST_MONTH = 28
_LEAP_GAP = 9  # 29 February can be eight years away, across a century that skips it


class Days(NamedTuple):
    """All days from `first` to `last`, both included."""

    first: date
    last: date


def plus(day: date, count: int) -> date:
    """The day `count` days later, or earlier when negative."""
    return date.fromordinal(min(max(day.toordinal() + count, 1), _LAST_ORDINAL))


def month(year: int, number: int, length: int = 1) -> Days:
    """`length` whole months, starting with month `number` of a year; numbers below 1 or above 12 reach other years."""
    return Days(_first_of(year, number), plus(_first_of(year, number + length), -1))


def year(number: int) -> Days:
    """The whole year."""
    return month(number, 1, 12)


def week(day: date) -> Days:
    """The week of a day, Monday to Sunday."""
    monday = plus(day, -day.weekday())
    return Days(monday, plus(monday, 6))


def weekend(day: date) -> Days:
    """The Saturday and Sunday of a day's week."""
    sunday = week(day).last
    return Days(plus(sunday, -1), sunday)


def moved(day: date, unit: str, count: int) -> date:
    """The day `count` units later; the 31st becomes the last day of a shorter month."""
    if unit == "day":
        return plus(day, count)
    if unit == "week":
        return plus(day, 7 * count)
    span = month(day.year, day.month + count * _MONTHS_IN[unit])
    return min(plus(span.first, day.day - 1), span.last)


def around(day: date, unit: str) -> Days:
    """The calendar day, week, month, quarter or year that a day lies in."""
    if unit == "day":
        return Days(day, day)
    if unit == "week":
        return week(day)
    length = _MONTHS_IN[unit]
    return month(day.year, (day.month - 1) // length * length + 1, length)


def latest(of_year: Callable[[int], Days | None], anchor: date) -> Days | None:
    """The latest of a yearly recurring span that has begun on the anchor day."""
    for number in range(anchor.year, anchor.year - _LEAP_GAP, -1):
        span = of_year(number)
        if span and span.first <= anchor:
            return span
    return None


def exact(year: int, month: int, day: int) -> Days | None:
    """One day, or None where the calendar has no such day."""
    try:
        found = date(year, month, day)
    except ValueError:
        return None
    return Days(found, found)


def weekday(today: date, number: int, which: int) -> Days:
    """A weekday (Monday is 0): the last one before today (-1), this week's (0) or the next one after today (1)."""
    if which == 0:
        day = plus(week(today).first, number)
    elif which < 0:
        day = plus(today, -((today.weekday() - number - 1) % 7 + 1))
    else:
        day = plus(today, (number - today.weekday() - 1) % 7 + 1)
    return Days(day, day)


def relative_year(today: date, which: int, of_year: Callable[[int], Days]) -> Days:
    """The last (-1), current (0) or next (1) occurrence of a yearly recurring span; without a current one, this year's."""
    spans = [of_year(today.year + n) for n in range(-2, 3)]
    if which < 0:
        return max((span for span in spans if span.last < today), default=spans[0])
    if which > 0:
        return min((span for span in spans if span.first > today), default=spans[-1])
    return next((span for span in spans if span.first <= today <= span.last), spans[2])


def third(span: Days, part: int) -> Days:
    """The early (0), middle (1) or late (2) third of a span."""
    length = (span.last - span.first).days + 1
    return Days(plus(span.first, part * length // 3), plus(span.first, (part + 1) * length // 3 - 1))


_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}


def _first_of(year: int, number: int) -> date:
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    if year > MAXYEAR:
        return date.max
    return date(year, number, 1) if year >= MINYEAR else date.min


def is_long(span: Days) -> bool:
    """True for a span of a month or more, which has an early and a late part."""
    return (span.last - span.first).days >= _SHORTEST_MONTH - 1
