"""What a turn of a log gains and loses by the conversation around it. The rule: only turns that hold words of the question lend.

A word of the question that stands beside a turn counts a little for the turn itself (the columns `prev` and `next`); what
is asked about is often told two turns after the one that names it, and beside other turns that fit. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memoryclaw.core.scoring import exact

Place = tuple[str, int]  # path of a log, place of the turn in it

# Shares of their words' score that turns lend: the one before, the one before that, and the one after.
BEFORE, LONG_BEFORE, AFTER = 0.2, 0.1, 0.1
_STEPS = (-1, -2, 1)
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")  # also those of Chinese, Japanese and Arabic
_CLOSING = " \t\r\n\"'”’»)*_"


class Loan(NamedTuple):
    """What the turns around one lend it."""

    value: float
    by: Place  # the one that lends most


def around(words: Mapping[Place, float]) -> dict[Place, Loan]:
    """What each turn is lent, from the scores that the words of all of them have."""
    found = {}
    score = words.get
    for place in words:
        path, seq = place
        near = (
            BEFORE * score((path, seq - 1), 0.0),
            LONG_BEFORE * score((path, seq - 2), 0.0),
            AFTER * score((path, seq + 1), 0.0),
        )
        value = exact(sum(near))
        if value:
            found[place] = Loan(value, (path, seq + _STEPS[near.index(max(near))]))
    return found


def asks(text: str) -> bool:
    """True when a turn ends in a question."""
    return text.rstrip(_CLOSING).endswith(_QUESTION_MARKS)
