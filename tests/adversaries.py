"""Texts made to be slow, derived from the patterns themselves, and a judgement of growth that no machine's speed changes.

A pattern is slow on a text that repeats what one of its parts wants and never comes to the end that it wants: so every
repeat, every beginning of a pattern and every character that it names becomes the unit of such a text.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise, permutations
from re import _constants as op  # the parser that re itself uses, so that nothing is missed
from re import _parser as parser
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

SAMPLES = 4  # ways to write one part of a pattern
FAILS = ("", "\x00", "\n")  # what stands at the end, so that no match ends there
_CLASSES = {
    op.CATEGORY_DIGIT: "07", op.CATEGORY_SPACE: " \n\t", op.CATEGORY_WORD: "aA0_",
    op.CATEGORY_NOT_DIGIT: "a -", op.CATEGORY_NOT_SPACE: "aA0-", op.CATEGORY_NOT_WORD: " -.",
}  # fmt: skip
_COMMON = " aA0-_.\n\t:/\"',é"
_LONG = 12  # repeats that may be longer than this become a unit of their own
_LARGEST = 2000


class Pump(NamedTuple):
    """One text for every size: a beginning, a unit that is repeated, and an end."""

    head: str
    unit: str
    tail: str

    def text(self, size: int) -> str:
        """About that many characters."""
        return self.head + self.unit * max(1, size // len(self.unit)) + self.tail


def pumps(pattern: str, flags: int = 0) -> list[Pump]:
    """The texts that may make a pattern slow, each once."""
    tree = parser.parse(pattern, flags)
    pumps: dict[Pump, None] = {}
    units: dict[str, None] = {}
    heads: dict[str, None] = {"": None}
    for before in _beginnings(list(tree)):
        units.update(dict.fromkeys(before))
        heads.update(dict.fromkeys(islice(before, 2)))
    alphabet = _alphabet(list(tree))
    for unit in units:
        pumps.update(dict.fromkeys(Pump("", unit, tail) for tail in FAILS[:2]))
    for head, body in _repeats(list(tree), [""]):
        for first in dict.fromkeys((*head[:2], "")):
            pumps.update(dict.fromkeys(Pump(first, unit, tail) for unit in body for tail in FAILS))
    short = sorted(heads, key=len)[:6]
    for char in alphabet:
        pumps.update(dict.fromkeys(Pump(head, char, tail) for head in short for tail in FAILS[:2]))
    for left, second in permutations(alphabet[:9], 2):
        pumps[Pump("", left + second, "")] = None
    return [pump for pump in pumps if pump.unit and len(pump.head) + len(pump.unit) <= _LARGEST]


def _beginnings(items: list[Any]) -> Iterator[list[str]]:
    """What the pattern up to each of its parts may look like."""
    done = [""]
    for node in items:
        for inner in _inside(node):
            for text in _beginnings(list(inner)):
                yield _joined(done, text)
        done = _joined(done, _samples(node))
        yield done


def _repeats(items: list[Any], before: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """What stands before each long repeat, and what it repeats."""
    for node in items:
        kind, value = node
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT) and value[1] > _LONG:
            yield before, _sequence(list(value[2]))
        for inner in _inside(node):
            yield from _repeats(list(inner), before)
        before = _joined(before, _samples(node))


def _inside(node: Any) -> list[Any]:
    """The parts of a part."""
    kind, value = node
    if kind is op.BRANCH:
        return list(value[1])
    if kind is op.ATOMIC_GROUP:
        return [value]
    if kind is op.GROUPREF_EXISTS:
        return [part for part in value[1:] if part is not None]
    place = {
        op.MAX_REPEAT: 2, op.MIN_REPEAT: 2, op.POSSESSIVE_REPEAT: 2, op.SUBPATTERN: 3, op.ASSERT: 1,
        op.ASSERT_NOT: 1,
    }.get(kind)  # fmt: skip
    return [] if place is None else [value[place]]


def _samples(node: Any) -> list[str]:
    """A few texts that a part matches."""
    kind, value = node
    if kind is op.LITERAL:
        return [chr(value)]
    if kind in (op.IN, op.NOT_LITERAL, op.ANY):
        return _chars(node)[:3]
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        least, most, body = value
        unit = _sequence(list(body))
        counts = dict.fromkeys((least, min(most, max(least, 1)), min(most, least + 2)))
        return _few(text * count for count in counts for text in unit[:2])
    if kind is op.BRANCH:
        return _few(text for option in value[1] for text in _sequence(list(option))[:2])
    if kind in (op.SUBPATTERN, op.ATOMIC_GROUP):
        return _sequence(list(_inside(node)[0]))
    return [""]


def _sequence(items: list[Any]) -> list[str]:
    done = [""]
    for node in items:
        done = _joined(done, _samples(node))
    return done


def _joined(first: list[str], second: list[str]) -> list[str]:
    """Ways to write one part and then another: side by side, not each with each."""
    count = min(SAMPLES, max(len(first), len(second)))
    return list(dict.fromkeys(first[n % len(first)] + second[n % len(second)] for n in range(count)))


def _few(texts: Iterable[str]) -> list[str]:
    return list(islice(dict.fromkeys(texts), SAMPLES)) or [""]


def _chars(node: Any) -> list[str]:
    """Characters of a class, the common ones first."""
    kind, value = node
    if kind is op.ANY:
        return ["a", " ", "-"]
    if kind is op.NOT_LITERAL:
        return [char for char in _COMMON if char != chr(value)]
    named: list[str] = []
    for inner, what in value:
        if inner is op.LITERAL:
            named.append(chr(what))
        elif inner is op.RANGE:
            named += [chr(what[0]), chr(what[1])]
        elif inner is op.CATEGORY:
            named += _CLASSES.get(what, "")
    if (op.NEGATE, None) not in value:
        return list(dict.fromkeys([*(char for char in _COMMON if char in named), *named]))
    return [char for char in _COMMON if char not in named] or ["\x01"]


def _alphabet(items: list[Any]) -> list[str]:
    """The characters that a pattern names, those first that more than one of its parts name."""
    count: dict[str, int] = {}

    def walk(items: list[Any]) -> None:
        for node in items:
            if node[0] in (op.IN, op.NOT_LITERAL, op.ANY):
                for char in _chars(node)[:6]:
                    count[char] = count.get(char, 0) + 3
            elif node[0] is op.LITERAL:
                count[chr(node[1])] = count.get(chr(node[1]), 0) + 1
            for inner in _inside(node):
                walk(list(inner))

    walk(items)
    return sorted(count, key=lambda char: -count[char])[:12]


def seconds(work: Callable[[], object], *, tries: int = 1) -> float:
    """What a piece of work costs this process, the best of a few tries; what other processes do does not count."""
    best = float("inf")
    gc.disable()  # looks at all that lives, whatever this work is
    try:
        for _ in range(tries):
            start = time.process_time()
            work()
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best


class Growth(NamedTuple):
    """Why some work counts as slower than linear: what it cost at each size."""

    costs: tuple[tuple[int, float], ...]

    def __str__(self) -> str:
        return ", ".join(f"{size:,} characters {cost * 1000:.1f} ms" for size, cost in self.costs)


def spaced(items: Sequence[T], most: int) -> list[T]:
    """At most that many of them, from all over."""
    return [items[n * len(items) // most] for n in range(most)] if len(items) > most else list(items)


def _steep(
    work: Callable[[int], Callable[[], object]], size: int, cost: float, before: float
) -> Growth | None:
    """The growth around a size when it is steep twice in a row and however often it is measured.

    Once alone tells little: a busy machine slows one measure, and past some size memory comes page by page from the system.
    What a quarter of the size cost `before` is an upper bound: when that is not steep, it need not be measured again.
    """
    at = (size // 16, size // 4, size)
    for _ in range(3):
        least = seconds(work(at[0]), tries=3)
        if before <= 9 * least:
            return None
        before = min(before, seconds(work(at[1]), tries=3))
        costs = [least, before, cost]
        if any(more <= 9 * less for less, more in pairwise(costs)):
            return None
        cost = min(cost, seconds(work(size))) if cost < 1 else cost
    return Growth(tuple(zip(at, costs, strict=True)))


def superlinear(
    work: Callable[[int], Callable[[], object]],
    most: int,
    *,
    least: int = 1024,
    quick: float = 60e-9,
    enough: int = 4096,
    floor: float = 0.02,
    costs: dict[int, float] | None = None,
) -> Growth | None:
    """How the cost of some work grows when that is faster than its text grows, else None.

    Four times the text costs four times as much where growth is linear and sixteen times where it is quadratic; nine
    is the border, and what costs less than the floor is not judged.

    Args:
        work: makes the work for a size.
        most: the largest size.
        least: the smallest size.
        quick: CPU seconds a character below which a text of `enough` characters was plainly gone through once.
        enough: how long a text has to be for that.
        floor: CPU seconds below which a cost is mostly noise.
        costs: is told what each size cost.
    """
    size, before = least, float("inf")
    while size <= most:
        cost = seconds(work(size))
        if costs is not None:
            costs[size] = cost
        if size >= enough and cost < size * quick:
            return None
        if cost >= floor:
            growth = _steep(work, size, cost, before)
            if growth is not None:
                return growth
        if cost >= 1:  # what grows faster than its text would have shown by now
            return None
        size, before = size * 4, cost
    return None
