"""The lines of a context: what stands in one file or session stands under one line that names it, so that it is named once.

The rule: an item begins with a space and nothing else does. Its id is the id above it and its own, put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoryclaw.core import fence
from memoryclaw.core.model import Unit
from memoryclaw.core.tokens import cost, rounded

TRUST_ORDER = ("trusted", "unknown", "untrusted")
_LINE_BREAK = "\n"


class Place(NamedTuple):
    """Where an item stands: under which line, and what it is called there."""

    trust: str
    above: str  # the line of the group
    own: str  # the rest of the id, as it begins the line; empty when the line above is all of it
    order: tuple[int, str]  # within the group; equal ones stay in rank order


class Outline:
    """A context being filled line by line; what it costs is always known.

    Args:
        head: lines that stand before all items.
    """

    def __init__(self, head: Sequence[str] = ()) -> None:
        self._head = head
        self._groups: dict[str, dict[str, list[tuple[tuple[int, str], str]]]] = {t: {} for t in TRUST_ORDER}
        self._cost = sum(map(_line_cost, (fence.OPENING, *head, fence.CLOSING)))
        self._empty = not head

    def adding(self, place: Place) -> int:
        """Hundredths of a token that the lines around one more item would cost."""
        group = self._groups[place.trust]
        tags = 0 if group else sum(map(_line_cost, fence.tags(place.trust)))
        return tags + (0 if place.above in group else _line_cost(place.above))

    def left(self, budget: int, place: Place) -> int:
        """Hundredths of a token that an item with its own id may cost."""
        return budget * 100 - self._cost - self.adding(place)

    def add(self, place: Place, line: str) -> None:
        """Takes in an item whose line is rendered already."""
        self._cost += self.adding(place) + _line_cost(line)
        self._groups[place.trust].setdefault(place.above, []).append((place.order, line))
        self._empty = False

    def tokens(self) -> int:
        """What the whole block costs."""
        return 0 if self._empty else rounded(self._cost)

    def context(self) -> str:
        """The block to paste into a prompt; empty when nothing was taken in."""
        groups = [(trust, _lines(self._groups[trust])) for trust in TRUST_ORDER]
        return fence.fenced(groups, self._head)


def _lines(groups: dict[str, list[tuple[tuple[int, str], str]]]) -> list[str]:
    found = []
    for above, items in groups.items():
        found += [above, *(text for _, text in sorted(items, key=lambda item: item[0]))]
    return found


def place(unit: Unit) -> Place:
    """Turns stand in the order they were said under their session, facts under their file, a note alone."""
    day = unit.when[:10]
    order = (0, "")
    above, own = unit.id, ""
    if unit.kind == "turn" and "/" in unit.id:
        above, _, own = unit.id.rpartition("/")
        above, order = f"{above}/", (unit.line, unit.id)
    elif unit.kind == "fact" and "#" in unit.id:
        above, _, own = unit.id.partition("#")
        above, day = f"{above}#", ""
    dated = f"{fence.said(above)} ({fence.said(day)})" if day and day not in above else fence.said(above)
    own = f"{own}:" if unit.kind == "fact" and own else own
    return Place(unit.trust if unit.trust in TRUST_ORDER else "unknown", dated, fence.said(own), order)


def line(place: Place, text: str) -> str:
    """The line of an item; its text is made harmless here."""
    return " " + " ".join(filter(None, (place.own, fence.said(text))))


def line_cost(place: Place, text: str) -> int:
    """What this line costs, in hundredths of a token."""
    return _line_cost(line(place, text))


def _line_cost(text: str) -> int:
    return cost(text + _LINE_BREAK)
