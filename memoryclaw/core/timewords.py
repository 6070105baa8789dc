"""English questions for a time, and the expressions of time that answer them. Pure."""

from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import islice
from typing import NamedTuple

from memoryclaw.core.dates import DateRange, find_ranges

_ASKS_WHEN = re.compile(
    r"\s*(?:when|how long|(?:what|which) (?:year|month|week|day|date)|how many (?:days|weeks|months|years))\b",
    re.IGNORECASE,
)
LONGEST = 7  # days: an expression that means more tells too little of one of them
_LOOKED_AT, _BESIDE = 4, 40  # expressions, and characters beside one in which the rest of it may stand
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_EXPRESSION = re.compile(
    rf"""\b(?:yesterday|today|tonight|tomorrow|recently|just|since
    |(?:last|this|next)\ (?:night|morning|week|weekend|month|year|(?:mon|tue|wed|thu|fri|sat|sun)\w*)
    |(?:\w+\ )?(?:days?|weeks?|weekends?|months?|years?)\ ago|ago
    |in\ (?:{_MONTHS})|20\d\d)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_when(question: str) -> bool:
    """True when a question wants to know a time."""
    return bool(_ASKS_WHEN.match(question))


class Told(NamedTuple):
    """An expression of time as it is written, and the days that it means, where it tells them to within a week."""

    text: str = ""
    first: str = ""
    last: str = ""


def time_told(text: str, at: str = "") -> Told:
    """The first expression of time in a text that means certain days, or else the first one.

    Args:
        text: what was said.
        at: when, as an ISO date or date-time; without it no days are known.
    """
    hits = list(islice(_EXPRESSION.finditer(text), _LOOKED_AT))
    day = _day(at)
    told = (_meant(text, hit, day) for hit in hits if day)
    return next((one for one in told if one), Told(hits[0].group() if hits else ""))


def _day(at: str) -> date | None:
    try:
        return date.fromisoformat(at[:10])
    except ValueError:
        return None


def _meant(text: str, hit: re.Match[str], said: date) -> Told | None:
    start = max(hit.start() - _BESIDE, 0)
    for found in find_ranges(text[start : hit.end() + _BESIDE], said)[0]:
        first, last = start + found.span[0], start + found.span[1]
        if first < hit.end() and last > hit.start() and found.start and found.end and _is_short(found):
            return Told(found.text, found.start, found.end)
    return None


def _is_short(found: DateRange) -> bool:
    return date.fromisoformat(found.end) - date.fromisoformat(found.start) < timedelta(days=LONGEST)
