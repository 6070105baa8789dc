"""What says the same as something else, or stands in the same note: an answer shows some of it and counts the rest. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from memoryclaw.index.catalog import UnitSummary
from memoryclaw.index.codes import codes_in, length, without_digits
from memoryclaw.model import TRUSTS, Match

PARTED = frozenset({"episode", "note", "skill"})  # kinds whose sections are units
REPEATABLE = PARTED | {"turn"}  # kinds that may say the very same and be trusted
SHOWN = 3  # sections of one note that an answer shows
NEAR = 0.8  # of all words of two texts: as many in both make one a near copy of the other
LEAST, FEW = 2, 5  # words: `yes` says something else each time, `buy milk` only from somebody else


def may_fold(unit: UnitSummary) -> bool:
    """True for a unit that may be a copy of another one."""
    return unit.kind in REPEATABLE or (unit.kind != "fact" and unit.trust != "trusted")


def group_of(unit: UnitSummary, said: str) -> str:
    """What copies of a text have in common; empty for a text that is never taken for one.

    What a person vouches for is a copy only as a note or a turn that says the very same, and of few words only what one speaker said.
    Of all else, numbers do not tell two texts apart.

    Args:
        said: the codes of its body's tokens.
    """
    if len(said) < LEAST or not may_fold(unit):
        return ""
    if len(said) < FEW or length(said) < FEW:
        return f"{said}\n{unit.entity_key}" if unit.kind == "turn" and length(said) >= LEAST else ""
    return said if unit.trust == "trusted" else without_digits(said) or said


class Folding:
    """Decides, in rank order, what an answer shows by itself and what something shown stands for.

    Args:
        folded: how much was not looked at, by the rowid of the unit that says the same or by the path of its note.
        by_note: whether only `SHOWN` sections of a note are shown.
    """

    def __init__(self, folded: Mapping[int | str, int], *, by_note: bool = True) -> None:
        self._by_note = by_note
        self._said: list[tuple[UnitSummary, str, frozenset[str]]] = []
        self._of_note: dict[str, list[int]] = {}
        self._copies, self._sections = Counter[int | str](folded), Counter[str]()

    def reason(self, unit: UnitSummary, said: str) -> str:
        """Why a unit is not shown (`duplicate` or `same_note`), or an empty string; it is counted where it stands."""
        group = group_of(unit, said)
        first = self._same(unit, group) if group else None
        if first is not None:
            self._copies[first] += 1 + self._copies[unit.rowid]
            return "duplicate"
        if self._by_note and unit.kind in PARTED and len(self._of_note.get(unit.path, ())) >= SHOWN:
            self._sections[unit.path] += 1
            return "same_note"
        return ""

    def show(self, unit: UnitSummary, said: str) -> None:
        """Takes note of a unit that is shown."""
        group = group_of(unit, said)
        if group:
            self._said.append((unit, group, frozenset(codes_in(group))))
        if unit.kind in PARTED:
            self._of_note.setdefault(unit.path, []).append(unit.rowid)

    def marked(self, unit: UnitSummary, match: Match) -> Match:
        """A match with how many near copies it stands for and, the best of its note, how many further sections of that."""
        best = self._of_note.get(unit.path, [0])[0] == unit.rowid
        hidden = (self._sections[unit.path] + self._copies[unit.path]) * best
        return match._replace(copies=self._copies[unit.rowid], sections=hidden)

    def _same(self, unit: UnitSummary, own: str) -> int | None:
        """The unit that is shown, says the same, and is trusted at least as much."""
        words, level = frozenset(codes_in(own)), TRUSTS.index(unit.trust)
        for shown_unit, text, words_shown in self._said:
            if TRUSTS.index(shown_unit.trust) <= level and (
                own == text
                or (unit.trust != "trusted" and "\n" not in own + text and _are_near(words, words_shown))
            ):
                return shown_unit.rowid
        return None


def _are_near(one: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(one), len(other)) < NEAR * max(len(one), len(other)):
        return False
    shared = len(one & other)
    return shared >= NEAR * (len(one) + len(other) - shared)
