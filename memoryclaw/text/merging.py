"""Compares and merges changes of lines; a doubtful merge is a conflict."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from memoryclaw.late import NamedTuple
from memoryclaw.text.encoding import lines_of


class Hunk(NamedTuple):
    """Replaces the lines from `start` up to (not including) `end` of the base by `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


def hunks(base: list[str], other: list[str]) -> list[Hunk]:
    """The hunks that turn one list of lines into another."""
    import difflib  # noqa: PLC0415 - a search only compares the ends of words

    matcher = difflib.SequenceMatcher(None, base, other, autojunk=False)
    return [Hunk(a, b, tuple(other[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def same_patch(before: str, after: str, other_before: str, other_after: str) -> bool:
    """True when two changes remove and add the same lines; blank lines and line ends do not count."""
    return _gist(before, after) == _gist(other_before, other_after)


def merge(base: str, ours: str, theirs: str) -> str | None:
    """Applies the change from `base` to `theirs` to our text; returns None where both changed the same lines."""
    origin = lines_of(base)
    mine, theirs_hunks = hunks(origin, lines_of(ours)), hunks(origin, lines_of(theirs))
    hunks_in_order = sorted({*mine, *theirs_hunks})
    if any(_clash(a, b) for a in mine for b in theirs_hunks if a != b):
        return None
    out, position = [], 0
    for hunk in hunks_in_order:
        out += origin[position : hunk.start]
        out += hunk.lines
        position = max(position, hunk.end)
    out += origin[position:]
    # A last line without a line end is no longer last when the other side wrote below it.
    return "".join(out) if all(line.endswith(("\n", "\r")) for line in out[:-1]) else None


def _clash(a: Hunk, b: Hunk) -> bool:
    if a.start == b.start and (a.start == a.end or b.start == b.end):
        # One inserts lines just where the other begins: their order is in doubt only if both insert lines.
        return bool(a.lines and b.lines)
    return a.start < b.end and b.start < a.end


def _gist(before: str, after: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    old, new = lines_of(before), lines_of(after)
    start, end = shared_ends(old, new)  # so the comparison costs what the change costs
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    changes = hunks(old, new)
    gone = [line for hunk in changes for line in old[hunk.start : hunk.end]]
    come = [line for hunk in changes for line in hunk.lines]
    return _words(gone), _words(come)


def _words(lines: list[str]) -> tuple[str, ...]:
    return tuple(stripped for line in lines if (stripped := line.strip()))


def shared_ends(first: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many lines, words or letters both begin with, and how many of the rest both end with."""
    start, shorter = 0, min(len(first), len(other))
    while start < shorter and first[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and first[-1 - end] == other[-1 - end]:
        end += 1
    return start, end


# Two versions woven into one: every line that either side added stays, every line that either side took away goes.

_MOST = 2_000  # lines that are compared with one another; where more changed at once, they are cut at lines that stand there once

Join = Callable[[list[str], list[str]], list[str]]
Choose = Callable[[list[str], list[str], list[str]], list[str]]


class Woven(NamedTuple):
    """A text of two; `clashes` is how often both had changed the same lines, each in its way."""

    text: str
    clashes: int


def weave(base: str, first: str, second: str, join: Join, choose: Choose | None = None) -> Woven:
    """Merges two texts that came of one. It always succeeds; what is taken away by one side and changed by the other stays, changed.

    Args:
        base: what both came of; empty when they did not.
        first: the one text.
        second: the other.
        join: two lists of lines that were added at one place → those to have there.
        choose: the lines before, and what each side made of them → those to have in their place; without it, those of both.
    """
    origin, texts = lines_of(base), (lines_of(first), lines_of(second))
    first_weft, second_weft = (_weft(origin, lines) for lines in texts)
    out: list[str] = []
    clashes = 0
    for line, ours, theirs in zip(origin, first_weft, second_weft, strict=False):
        out += _join(ours.before, theirs.before, join)
        if ours.kept is not None and theirs.kept is not None:
            out.append(
                theirs.kept if ours.kept == line else ours.kept
            )  # one side may have changed its line end
        elif not ours.instead or not theirs.instead:
            clashes += bool((ours.is_wide and theirs.instead) or (theirs.is_wide and ours.instead))
            out += ours.instead or theirs.instead
        elif _same_lines(ours.instead, theirs.instead):
            out += theirs.instead
        else:
            clashes += 1
            out += (
                choose([line], ours.instead, theirs.instead) if choose else both(ours.instead, theirs.instead)
            )
    out += _join(first_weft[-1].before, second_weft[-1].before, join)
    end = next((line[len(line.rstrip("\r\n")) :] for line in out if line.endswith(("\n", "\r"))), "\n")
    return Woven(
        "".join(line if line.endswith(("\n", "\r")) else line + end for line in out[:-1]) + "".join(out[-1:]),
        clashes,
    )


@dataclass(slots=True)
class _Fate:
    """What one side made of a line of the base: the line if it is kept, else what it has instead; and what stands before it."""

    kept: str | None = None
    instead: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    is_wide: bool = False  # it is part of a change of several lines that are not told apart


def _weft(base: list[str], other: list[str]) -> list[_Fate]:
    """What one side made of each line of the base, and of its end."""
    weft = [_Fate() for _ in range(len(base) + 1)]
    old, new = [line.rstrip("\r\n") for line in base], [line.rstrip("\r\n") for line in other]
    position, moved = 0, 0
    start, end = shared_ends(old, new)
    for hunk in _between(old, new, (start, len(old) - end), (start, len(new) - end)):
        for number in range(position, hunk.start):
            weft[number].kept = other[number + moved]
        first = hunk.start + moved
        _split_changes(weft, base, hunk.start, hunk.end, other[first : first + len(hunk.lines)])
        position, moved = hunk.end, moved + len(hunk.lines) - (hunk.end - hunk.start)
    for number in range(position, len(base)):
        weft[number].kept = other[number + moved]
    return weft


def _split_changes(weft: list[_Fate], base: list[str], start: int, end: int, lines: list[str]) -> None:
    """Notes a change of several lines as changes of one line each, as far as their keys, or first cells, tell which became which."""
    position, heads = 0, dict[str, list[int]]()
    for number, line in enumerate(lines):
        if hit := _KEY.match(line):
            heads.setdefault(hit[0].strip(), []).append(number)
    for number in range(start, end):
        hit = _KEY.match(base[number])
        same = heads.get(hit[0].strip(), []) if hit else []
        place = bisect_left(same, position)
        if place < len(same):
            to = same[place]
            _note_change(weft[start : number + 1], base[start:number], lines[position:to])
            weft[number].instead = [lines[to]]
            start, position = number + 1, to + 1
    _note_change(weft[start : end + 1], base[start:end], lines[position:])


def _note_change(fates: list[_Fate], base: list[str], lines: list[str]) -> None:
    """Notes what lines of the base became; where there are none, what stands before the one that follows."""
    if not base:
        fates[0].before += lines
    elif len(base) == len(lines):
        for fate, old, new in zip(fates, base, lines, strict=False):
            if _same_lines([old], [new]):
                fate.kept = new
            else:
                fate.instead = [new]
    elif lines:
        fates[0].instead = lines
        for fate in fates[:-1]:
            fate.is_wide = True


def _between(old: list[str], new: list[str], here: tuple[int, int], there: tuple[int, int]) -> Iterator[Hunk]:
    """The hunks of one stretch; a long one is cut at the lines that stand in it once on either side."""
    a, b = old[slice(*here)], new[slice(*there)]
    if len(a) + len(b) <= _MOST:
        yield from (Hunk(h.start + here[0], h.end + here[0], h.lines) for h in hunks(a, b))
        return
    anchors = _anchors(a, b)
    if not anchors:
        yield Hunk(here[0], here[1], tuple(b))
        return
    position, to = here[0], there[0]
    for i, j in [*anchors, (len(a), len(b))]:
        if position < here[0] + i or to < there[0] + j:
            yield from _between(old, new, (position, here[0] + i), (to, there[0] + j))
        position, to = here[0] + i + 1, there[0] + j + 1


def _anchors(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Pairs of lines that stand once in either list, as many as are in one order in both."""
    once_a, once_b = (Counter(lines) for lines in (a, b))
    places = {line: j for j, line in enumerate(b) if once_b[line] == 1}
    pairs = [(i, places[line]) for i, line in enumerate(a) if once_a[line] == 1 and line in places]
    ends: list[int] = []  # the least end of a chain of each length, and which pair ends it
    last: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [number]
    anchors, number = [], last[-1] if last else -1
    while number >= 0:
        anchors.append(pairs[number])
        number = before[number]
    return anchors[::-1]


def _join(first: list[str], second: list[str], join: Join) -> list[str]:
    if not first or not second or _same_lines(first, second):
        return second or first
    return join(first, second)


def _same_lines(first: list[str], second: list[str]) -> bool:
    return [line.rstrip("\r\n") for line in first] == [line.rstrip("\r\n") for line in second]


def both(first: list[str], second: list[str]) -> list[str]:
    """What two sides added at one place, one after the other; what begins or ends both stands there once."""
    start, end = shared_ends(*([line.rstrip("\r\n") for line in lines] for lines in (first, second)))
    return [*first[: len(first) - end], *second[start:]]


def merge_records(first: list[str], second: list[str]) -> list[str]:
    """What two sides appended to a record, each stretch whole; a line that both have stands there once."""
    counts = Counter(line.rstrip("\r\n") for line in first)
    fresh = []
    for line in second:
        key = line.rstrip("\r\n")
        if counts[key]:
            counts[key] -= 1
        else:
            fresh.append(line)
    return [*first, *fresh]


_KEY = re.compile(r"[^:|\n]{1,80}:|[ \t]*\|[^|\n]{1,80}\|")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]")


def merge_outlines(first: list[str], second: list[str]) -> list[str]:
    """What two sides added at one place, as outlines: a heading that both have stands there once, with what either has below it.

    A line goes with those that are indented below it; what both sides have in the same words stands there once.
    """
    outline, more = _sections(first), _sections(second)
    for trail, blocks in more.items():
        if (own := outline.get(trail)) is not None:
            end = len(own)
            while end and not own[end - 1][0].strip():
                end -= 1
            shared = Counter(map(tuple, own))
            fresh = []
            for block in blocks:
                if block[0].strip() and not shared[tuple(block)]:
                    fresh.append(block)
                shared[tuple(block)] -= shared[tuple(block)] > 0
            own[end:end] = fresh
        else:  # below all that is below the headings above it
            places = [n for n, known in enumerate(outline) if known[: len(trail) - 1] == trail[:-1]]
            rows = list(outline.items())
            rows.insert(places[-1] + 1 if places else len(rows), (trail, blocks))
            outline = dict(rows)
    lines: list[str] = []
    for blocks in outline.values():
        if blocks and lines and lines[-1].strip() and _HEADING.match(blocks[0][0]):
            lines.append(blocks[0][0][len(blocks[0][0].rstrip("\r\n")) :] or "\n")
        lines += [line for block in blocks for line in block]
    return lines


def _sections(lines: list[str]) -> dict[tuple[str, ...], list[list[str]]]:
    """The lines below each heading, by the headings above them, and each with those that are indented below it."""
    trail: tuple[str, ...] = ()
    sections: dict[tuple[str, ...], list[list[str]]] = {(): []}
    for line in lines:
        if heading := _HEADING.match(line):
            level = len(heading[1])
            trail = (*(above for above in trail if above.index(" ") < level), f"{'#' * level} {line.strip()}")
        blocks = sections.setdefault(trail, [])
        if blocks and line[:1] in (" ", "\t") and line.strip() and not heading:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return sections
