"""The turns of a log → segments that belong together. The same lines are cut the same way, whoever asks and when.

A pause or another session always cuts; a change of topic cuts only long talks, where two neighbouring stretches share fewest words
(Hearst's TextTiling, on turns); a question stays with its answer, and a tool call with what follows from it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from statistics import fmean, pstdev
from typing import NamedTuple

from memoryclaw.consolidation.changes import Segment
from memoryclaw.consolidation.statements import is_light, language_of, stops, terms, words
from memoryclaw.model import Turn
from memoryclaw.vault.logs import range_of

_WINDOW = 5  # turns on either side that are compared
_SHORTEST = 8  # turns: no topic is shorter
_PATIENCE = 24  # pauses: so much longer than the gap, a question no longer waits for its answer
_WORDS = 200  # of one turn that are compared: a pasted file is no topic


class Cutting(NamedTuple):
    """When to cut: after so many silent minutes, and at the latest after so many turns."""

    gap_minutes: int = 30
    longest: int = 40

    @property
    def long(self) -> int:
        """So many turns may have more than one topic."""
        return max(_SHORTEST * 2, self.longest * 9 // 10)


def cut(path: str, lines: list[bytes], turns: Sequence[Turn], rules: Cutting) -> list[Segment]:
    """The segments of one log's turns.

    Args:
        path: of the log.
        lines: all its lines, with their ends.
        turns: those to cut, in the order of their lines; lines missing between two of them cut.
        rules: when to cut.
    """
    segments = []
    for why, stretch in _stretches(lines, turns, rules):
        for reason, part in _topics(stretch, rules):
            range_ = range_of(path, lines, part[0].line, min(part[-1].end_line, len(lines)))
            segments.append(Segment(range_, tuple(part), reason or why))
    return segments


def _stretches(lines: list[bytes], turns: Sequence[Turn], rules: Cutting) -> list[tuple[str, list[Turn]]]:
    """Turns without a pause between them, and why each stretch begins."""
    found: list[tuple[str, list[Turn]]] = []
    for turn in turns:
        before = found[-1][1] if found else []
        why = _parts(lines, before[-1], turn, rules) if before else "session"
        if why == "gap" and _asks(before[-1]) and _waits(before[-1], turn, rules):
            if len(before) > 1:
                found.append((why, [before.pop()]))  # the question goes with its answer
            why = ""
        if why:
            found.append((why, [turn]))
        else:
            found[-1][1].append(turn)
    return found


def _parts(lines: list[bytes], one: Turn, other: Turn, rules: Cutting) -> str:
    """Why the second of two neighbours begins a stretch, or nothing."""
    if one.session != other.session:
        return "session"
    if any(line.strip() for line in lines[one.end_line : other.line - 1]):
        return "hole"
    return "gap" if _minutes(one, other) > rules.gap_minutes else ""


def _minutes(one: Turn, other: Turn) -> float:
    # A date without a time says nothing about pauses within its day.
    if "T" in one.ts and "T" in other.ts:
        return (_moment(other.ts) - _moment(one.ts)).total_seconds() / 60
    return 0 if one.ts[:10] == other.ts[:10] or not (one.ts and other.ts) else math.inf


def _moment(ts: str) -> datetime:
    return datetime.fromisoformat(ts)


def _asks(turn: Turn) -> bool:
    return turn.role not in ("tool", "system") and turn.text.rstrip(" \"'”’)*_").endswith(("?", "？"))


def _waits(question: Turn, answer: Turn, rules: Cutting) -> bool:
    """True when the next turn is somebody's answer, and came soon enough to be one."""
    speakers = question.name or question.role, answer.name or answer.role
    soon = _minutes(question, answer) <= rules.gap_minutes * _PATIENCE
    return soon and speakers[0] != speakers[1] and answer.role != "system" and not _asks(answer)


def _topics(turns: list[Turn], rules: Cutting) -> list[tuple[str, list[Turn]]]:
    """A stretch cut where its topic changes; the first part has no reason of its own."""
    if len(turns) <= rules.long:
        return [("", turns)]
    depths = _depths(turns)
    borders = dict.fromkeys(_shifts(turns, depths), "topic")
    edges = [0, *sorted(borders), len(turns)]
    for start, end in pairwise(edges):
        borders |= dict.fromkeys(_forced(turns, depths, (start, end), rules.longest), "length")
    edges = [0, *sorted(borders), len(turns)]
    return [(borders.get(start, ""), turns[start:end]) for start, end in pairwise(edges)]


def _shifts(turns: list[Turn], depths: list[float]) -> list[int]:
    """Where a topic ends: the deepest valleys first, none too near another or between what belongs together."""
    least = fmean(depths) + pstdev(depths) / 2
    chosen: list[int] = []
    for at in sorted(range(_SHORTEST, len(turns) - _SHORTEST + 1), key=lambda at: (-depths[at], at)):
        if depths[at] <= max(least, 0):
            break
        if _may_cut(turns, at) and all(abs(at - other) >= _SHORTEST for other in chosen):
            chosen.append(at)
    return chosen


def _forced(turns: list[Turn], depths: list[float], span: tuple[int, int], longest: int) -> list[int]:
    """Cuts that keep every part short enough, each at the best place of the latter half of what is allowed."""
    start, end = span
    found = []
    while end - start > longest:
        places = range(start + max(longest // 2, 1), start + longest + 1)
        start = max(places, key=lambda at: (_may_cut(turns, at), depths[at], at))
        found.append(start)
    return found


def _may_cut(turns: list[Turn], at: int) -> bool:
    one, other = turns[at - 1], turns[at]
    return not _asks(one) and other.role != "tool" and (one.role != "tool" or other.role == "user")


def _depths(turns: list[Turn]) -> list[float]:
    """How deep the likeness of the turns before and after each place lies below the peaks to its left and right."""
    bags = _bags(turns)
    sides = ((bags[max(at - _WINDOW, 0) : at], bags[at : at + _WINDOW]) for at in range(1, len(turns)))
    likeness = [1.0, *(_cosine(_sum(before), _sum(after)) for before, after in sides)]
    return [0.0, *(_depth(likeness, at) for at in range(1, len(turns)))]


def _depth(likeness: list[float], at: int) -> float:
    left, right = at, at
    while left > 1 and likeness[left - 1] >= likeness[left]:
        left -= 1
    while right + 1 < len(likeness) and likeness[right + 1] >= likeness[right]:
        right += 1
    return likeness[left] + likeness[right] - 2 * likeness[at]


def _bags(turns: list[Turn]) -> list[Counter[str]]:
    texts = [words(turn.text[: _WORDS * 10])[:_WORDS] for turn in turns]
    stop = stops(language_of(word for text in texts for word in text))
    return [
        Counter(term for word in text if word not in stop and not is_light(word) for term in terms(word))
        for text in texts
    ]


def _sum(bags: list[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for bag in bags:
        total.update(bag)
    return total


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    shared = sum(count * other[word] for word, count in one.items() if word in other)
    return shared / math.sqrt(_square(one) * _square(other)) if shared else 0.0


def _square(bag: Counter[str]) -> int:
    return sum(count * count for count in bag.values())
