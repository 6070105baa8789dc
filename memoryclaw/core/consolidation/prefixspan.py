"""Repeated ordered sequences, by PrefixSpan: support is the number of sequences that hold a pattern, whatever stands between.

Between two items of a pattern at most GAP others may stand. The search goes level by level, the patterns with the least
between their items first, follows at most LEVEL patterns of one length, and ends after STEPS looks at an item: more a huge session never costs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

GAP = 2
STEPS = 400_000
LEVEL = 250

Items = tuple[str, ...]
# By sequence: each place where the pattern ends, and the latest place where it begins for that.
_Ends = dict[int, dict[int, int]]


class Pattern(NamedTuple):
    """Items in order, how many sequences hold them, and over how many places they stretch there at their tightest, in all."""

    items: Items
    support: int
    span: int = 0


def frequent(
    sequences: Sequence[Sequence[str]],
    support: int,
    shortest: int = 2,
    longest: int = 8,
    *,
    among: Collection[int] | None = None,
) -> list[Pattern]:
    """The patterns that at least `support` sequences hold, and that no longer pattern of the same support holds.

    The best supported come first, then the longest, then by their items.

    Args:
        sequences: where to look.
        support: how many of them must hold a pattern.
        shortest: the least number of items.
        longest: the greatest number of items.
        among: places of sequences of which at least one must hold a pattern; None asks for no special one.
    """
    found = _Search(sequences, max(support, 1), None if among is None else frozenset(among)).run(longest)
    kept = [pattern for pattern in _closed(found) if len(pattern.items) >= shortest]
    return sorted(kept, key=lambda pattern: (-pattern.support, -len(pattern.items), pattern.items))


def tightest(sequence: Sequence[str], items: Sequence[str]) -> tuple[int, ...]:
    """Where the items stand in a sequence, as close together as they do anywhere in it; empty when they do not."""
    ways: list[tuple[int, ...]] = [(at,) for at, item in enumerate(sequence) if item == items[0]]
    for item in items[1:]:
        latest: dict[int, tuple[int, ...]] = {}
        for way in ways:
            for at in range(way[-1] + 1, min(way[-1] + GAP + 2, len(sequence))):
                if sequence[at] == item and (at not in latest or way[0] > latest[at][0]):
                    latest[at] = (*way, at)
        ways = list(latest.values())
    return min(ways, key=lambda way: (way[-1] - way[0], way), default=())


class _Search:
    """One search over some sequences."""

    def __init__(
        self, sequences: Sequence[Sequence[str]], support: int, among: frozenset[int] | None
    ) -> None:
        self._sequences = sequences
        self._support = support
        self._among = among
        self._steps = 0

    def run(self, longest: int) -> list[Pattern]:
        level = self._ranked({(item,): ends for item, ends in self._firsts().items()})
        found: list[Pattern] = []
        for length in range(1, longest + 1):
            found += [Pattern(items, len(ends), _span(ends)) for items, ends in level[:LEVEL]]
            if length < longest:
                level = self._longer(level[:LEVEL])
        return found

    def _firsts(self) -> dict[str, _Ends]:
        firsts: dict[str, _Ends] = {}
        for index, sequence in enumerate(self._sequences):
            for at, item in enumerate(sequence):
                firsts.setdefault(item, {}).setdefault(index, {})[at] = at
        return firsts

    def _longer(self, level: list[tuple[Items, _Ends]]) -> list[tuple[Items, _Ends]]:
        grown: dict[Items, _Ends] = {}
        for items, ends in level:
            if self._steps > STEPS:
                break
            grown |= {(*items, item): more for item, more in self._grown(ends).items()}
        return self._ranked(grown)

    def _grown(self, ends: _Ends) -> dict[str, _Ends]:
        grown: dict[str, _Ends] = {}
        for index, places in ends.items():
            sequence = self._sequences[index]
            self._steps += len(places) * (GAP + 1)
            for end, begin in places.items():
                for at in range(end + 1, min(end + GAP + 2, len(sequence))):
                    own = grown.setdefault(sequence[at], {}).setdefault(index, {})
                    own[at] = max(begin, own.get(at, begin))
        return {item: more for item, more in grown.items() if self._is_enough(more)}

    def _is_enough(self, ends: _Ends) -> bool:
        return len(ends) >= self._support and (self._among is None or not self._among.isdisjoint(ends))

    def _ranked(self, patterns: dict[Items, _Ends]) -> list[tuple[Items, _Ends]]:
        enough = [(items, ends) for items, ends in patterns.items() if self._is_enough(ends)]
        return sorted(enough, key=lambda pair: (_span(pair[1]) / len(pair[1]), -len(pair[1]), pair[0]))


def _span(ends: _Ends) -> int:
    return sum(min(end - begin + 1 for end, begin in places.items()) for places in ends.values())


def _closed(found: Sequence[Pattern]) -> list[Pattern]:
    """Those that are held by no longer one of the same support: what remains when items are taken out of a longer one is marked."""
    by_length: dict[int, list[Pattern]] = {}
    for pattern in found:
        by_length.setdefault(len(pattern.items), []).append(pattern)
    kept: list[Pattern] = []
    marked: dict[Items, int] = {}  # what is left of longer ones → their greatest support
    for length in range(max(by_length, default=0), 0, -1):
        here = by_length.get(length, [])
        kept += [pattern for pattern in here if marked.get(pattern.items, 0) < pattern.support]
        whole = dict(marked)
        for pattern in here:
            whole[pattern.items] = max(pattern.support, whole.get(pattern.items, 0))
        marked = {}
        for items, support in whole.items():
            for at in range(length):
                left = items[:at] + items[at + 1 :]
                marked[left] = max(support, marked.get(left, 0))
    return kept
