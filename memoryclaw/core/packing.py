"""Fits ranked matches into a token budget: never over it, never starved by one long item, each decision with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.core import fence
from memoryclaw.core.model import Unit
from memoryclaw.core.snippets import snippet, without_block_ids
from memoryclaw.core.tokens import estimate

TRUST_ORDER = ("trusted", "unknown", "untrusted")
SHARE = 0.4  # of the budget: the most that one item may take
FIRST = 64  # tokens that one item may always take, so that a small budget still holds something
LEAST = 24  # tokens below which a cut item says nothing
WEAK = 0.3  # of the best score: what scores less would only fill the prompt
_CHARS = 4
_ENDS = ".!?…。！？:"
_WHOLE = frozenset({"episode", "note", "skill"})


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
        self._head = head
        self._groups: dict[str, list[str]] = {trust: [] for trust in TRUST_ORDER}
        self._texts: set[str] = set()
        self._notes = 0
        self._best = 0.0
        self._spent = estimate(self.context())
        self.full = False

    def refused(self, kind: str, score: float) -> str:
        """Why a candidate need not even be looked at, or an empty string."""
        if score < self._best * WEAK:
            return "weak"
        if kind in _WHOLE and self._notes >= self._max_results:
            return "max_results"
        return "budget" if self.full else ""

    def offer(self, unit: Unit, score: float, surfaces: frozenset[str]) -> tuple[str, int]:
        """Takes a match in if it may and fits: (`in` or the reason why not, tokens it costs)."""
        reason = self.refused(unit.kind, score) or self._repeats(unit)
        if reason:
            return reason, 0
        before, group = self.tokens(), self._groups[_trust(unit)]
        room = self._budget - self._framing(group)
        line = self._line(unit, surfaces, min(room, max(int(self._budget * SHARE), FIRST)))
        if line is None:
            self.full = self._budget - before < LEAST
            return "budget", 0
        group.append(line)
        self._spent = estimate(self.context())
        self._best = max(self._best, score)
        self._texts.add(_plain(unit))
        self._notes += unit.kind in _WHOLE
        return "in", self._spent - before

    def tokens(self) -> int:
        """What the block costs so far."""
        return self._spent

    def context(self) -> str:
        """The block to paste into a prompt; empty when nothing was taken in."""
        return fence.fenced([(trust, self._groups[trust]) for trust in TRUST_ORDER], self._head)

    def _framing(self, group: list[str]) -> int:
        """What the block would cost with one more item of no length: a first item of its trust brings tags of its own."""
        group.append("")
        cost = estimate(self.context()) + 1  # two parts may be rounded up apart from each other
        group.pop()
        return cost

    def _repeats(self, unit: Unit) -> str:
        return "duplicate" if _plain(unit) in self._texts else ""

    def _line(self, unit: Unit, surfaces: frozenset[str], room: int) -> str | None:
        text = text_of(unit)
        if len(text) < room * _CHARS:  # a longer one cannot fit
            whole = fence.item(unit.id, text, unit.when)
            if estimate(whole) + 1 <= room:
                return whole
        frame = estimate(fence.item(unit.id, "", unit.when)) + 2
        width = (room - frame) * _CHARS
        while width >= LEAST * _CHARS:
            cut = fence.item(unit.id, snippet(text, surfaces, width).text, unit.when)
            if estimate(cut) + 1 <= room:
                return cut
            width = width * 3 // 4
        return None


def text_of(unit: Unit) -> str:
    """What is quoted of a unit: a fact as `entity field: value`, a turn with its speaker, a note with its title."""
    if unit.kind == "fact":
        label = unit.entity if unit.field == "value" else f"{unit.entity} {unit.field}"
        return f"{label}: {unit.value}"
    if unit.kind == "turn":
        return f"{unit.entity}: {unit.text}" if unit.entity else unit.text
    text = without_block_ids(unit.text)
    if not unit.title or text.startswith(unit.title):
        return text
    return f"{unit.title}{'' if unit.title[-1] in _ENDS else '.'} {text}"


def _plain(unit: Unit) -> str:
    # The title of a copied note may be nothing but the name of its file.
    return fence.one_line((unit.kind in _WHOLE and without_block_ids(unit.text)) or text_of(unit)).casefold()


def _trust(unit: Unit) -> str:
    return unit.trust if unit.trust in TRUST_ORDER else "unknown"
