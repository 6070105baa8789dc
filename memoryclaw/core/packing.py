"""Fits ranked matches into a token budget: never over it, never starved by one long item, each decision with its reason."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryclaw.core import fence
from memoryclaw.core.model import Unit
from memoryclaw.core.outline import TRUST_ORDER, Outline, Place, line, line_cost, place
from memoryclaw.core.passages import passage
from memoryclaw.core.snippets import without_block_ids

SHARE = 0.4  # of the budget: the most that one item may take
FIRST = 64  # tokens that one item may always take, so that a small budget still holds something
TURNS = 3  # turns that are wanted whole …
LONG = 0.2  # … as far as this share of the budget goes
TURN = 32  # tokens of each turn after them: the sentences that answer
LEAST = 24  # tokens below which a cut item says nothing
WEAK = 0.2  # of the best score: what scores less would only fill the prompt
REPEATED = 4  # words: so much of a text must stand in another to repeat it
_ENDS = ".!?…。！？:"
_WHOLE = frozenset({"episode", "note", "skill"})
_WORDS = re.compile(r"[^\W_]+")


class Pack:
    """A context being filled, in rank order.

    Args:
        budget: tokens of the whole block, framing included.
        max_results: whole notes at most; facts and turns are bounded by the budget alone.
        head: lines that stand before all matches; they fit the budget with room to spare.
    """

    def __init__(self, budget: int, max_results: int, head: Sequence[str] = ()) -> None:
        self._budget = budget
        self._max_results = max_results
        self._outline = Outline(head)
        self._told: dict[str, list[str]] = {trust: [] for trust in TRUST_ORDER}
        self._notes = self._turns = 0
        self._best = 0.0
        self.full = False

    def refused(self, kind: str, score: float) -> str:
        """Why a candidate need not even be looked at, or an empty string."""
        if score < self._best * WEAK:
            return "weak"
        if kind in _WHOLE and self._notes >= self._max_results:
            return "max_results"
        return "budget" if self.full else ""

    def turned_down(self, unit: Unit, score: float) -> str:
        """Why a match cannot be taken in, wherever it is cut, or an empty string; known before it is explained."""
        where = place(unit)
        reason = self.refused(unit.kind, score) or self._repeats(unit, where.trust)
        if reason:
            return reason
        room = self._room(unit, where)
        if room >= LEAST * 100 or _fits(where, _shown(unit), room):
            return ""
        self.full = self._budget - self.tokens() < LEAST
        return "budget"

    def offer(self, unit: Unit, score: float, surfaces: frozenset[str]) -> tuple[str, int]:
        """Takes a match in if it may and fits: (`in` or the reason why not, tokens it costs)."""
        where, before = place(unit), self.tokens()
        reason = self.refused(unit.kind, score) or self._repeats(unit, where.trust)
        if reason:
            return reason, 0
        quoted = self._quoted(unit, where, surfaces)
        if not quoted:
            self.full = self._budget - before < LEAST
            return "budget", 0
        self._outline.add(where, line(where, quoted))
        self._best = max(self._best, score)
        self._told[where.trust].append(_plain(_own_words(unit) if quoted == _shown(unit) else quoted))
        self._notes += unit.kind in _WHOLE
        self._turns += unit.kind == "turn"
        return "in", self.tokens() - before

    def tokens(self) -> int:
        """What the block costs so far."""
        return self._outline.tokens()

    def context(self) -> str:
        """The block to paste into a prompt; empty when nothing was taken in."""
        return self._outline.context()

    def _repeats(self, unit: Unit, trust: str) -> str:
        """What a text says that is at least as much trusted need not be said again."""
        said = _plain(_own_words(unit))
        within = said.count(" ") > REPEATED
        for level in TRUST_ORDER[: TRUST_ORDER.index(trust) + 1]:
            if any(said == told or (within and said in told) for told in self._told[level]):
                return "duplicate"
        return ""

    def _most(self, kind: str) -> int:
        """Tokens that one more item may take."""
        if kind == "turn" and self._turns >= TURNS:
            return TURN
        return max(int(self._budget * (LONG if kind == "turn" else SHARE)), FIRST)

    def _room(self, unit: Unit, where: Place) -> int:
        """Hundredths of a token that an item may cost."""
        return min(self._outline.left(self._budget, where), self._most(unit.kind) * 100)

    def _quoted(self, unit: Unit, where: Place, surfaces: frozenset[str]) -> str:
        """As much of a unit as there is room for; empty when that would say nothing."""
        text, room = _shown(unit), self._room(unit, where)
        if _fits(where, text, room):
            return text
        if room < LEAST * 100:
            return ""
        return passage(text, surfaces, lambda part: line_cost(where, part) <= room)


def _fits(where: Place, text: str, room: int) -> bool:
    # No character costs less than a hundredth.
    return len(text) < room and line_cost(where, text) <= room


def text_of(unit: Unit) -> str:
    """What is said by a unit alone: a fact as `entity field: value`, a turn with its speaker, a note with its title."""
    if unit.kind == "fact":
        label = unit.entity if unit.field == "value" else f"{unit.entity} {unit.field}"
        return f"{label}: {unit.value}"
    if unit.kind == "turn":
        return f"{unit.entity}: {unit.text}" if unit.entity else unit.text
    text = without_block_ids(unit.text)
    if not unit.title or text.startswith(unit.title):
        return text
    return f"{unit.title}{'' if unit.title[-1] in _ENDS else '.'} {text}"


def _shown(unit: Unit) -> str:
    """What a line says after the id: of a fact, whose id names it, the value and since when."""
    if unit.kind != "fact" or "#" not in unit.id:
        return text_of(unit)
    return f"{unit.value} (since {unit.when[:10]})" if unit.when else unit.value


def _own_words(unit: Unit) -> str:
    # The title of a copied note may be nothing but the name of its file.
    return (unit.kind in _WHOLE and without_block_ids(unit.text)) or text_of(unit)


def _plain(text: str) -> str:
    """The words alone, between spaces; the text itself when it has none."""
    flat = text.casefold()
    return f" {' '.join(_WORDS.findall(flat))} " if _WORDS.search(flat) else fence.one_line(flat)
