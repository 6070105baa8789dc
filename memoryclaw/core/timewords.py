"""English questions for a time, and the expressions of time that answer them. Pure."""

from __future__ import annotations

import re

_ASKS_WHEN = re.compile(
    r"\s*(?:when|how long|(?:what|which) (?:year|month|week|day|date)|how many (?:days|weeks|months|years))\b",
    re.IGNORECASE,
)
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


def time_told(text: str) -> str:
    """The first expression of time in a text as it is written, or nothing."""
    found = _EXPRESSION.search(text)
    return found.group() if found else ""
