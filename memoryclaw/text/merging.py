"""Compares and merges changes of lines; a doubtful merge is a conflict."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from memoryclaw.text.encoding import lines_of


class Hunk(NamedTuple):
    """Replaces the lines from `start` up to (not including) `end` of the base by `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


def hunks(base: list[str], other: list[str]) -> list[Hunk]:
    """The hunks that turn one list of lines into another."""
    matcher = difflib.SequenceMatcher(None, base, other, autojunk=False)
    return [Hunk(a, b, tuple(other[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def same_patch(before: str, after: str, other_before: str, other_after: str) -> bool:
    """True when two changes remove and add the same lines; blank lines and line ends do not count."""
    return _gist(before, after) == _gist(other_before, other_after)


def merge(base: str, ours: str, theirs: str) -> str | None:
    """Applies the change from `base` to `theirs` to our text; returns None where both changed the same lines."""
    origin = lines_of(base)
    mine, other = hunks(origin, lines_of(ours)), hunks(origin, lines_of(theirs))
    wanted = sorted({*mine, *other})
    if any(_clash(a, b) for a in mine for b in other if a != b):
        return None
    out, at = [], 0
    for hunk in wanted:
        out += origin[at : hunk.start]
        out += hunk.lines
        at = max(at, hunk.end)
    out += origin[at:]
    # A last line without a line end is no longer last when the other side wrote below it.
    return "".join(out) if all(line.endswith(("\n", "\r")) for line in out[:-1]) else None


def _clash(a: Hunk, b: Hunk) -> bool:
    if a.start == b.start and (a.start == a.end or b.start == b.end):
        # One inserts lines just where the other begins: their order is in doubt only if both insert lines.
        return bool(a.lines and b.lines)
    return a.start < b.end and b.start < a.end


def _gist(before: str, after: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    old, new = _trimmed(lines_of(before), lines_of(after))
    changes = hunks(old, new)
    gone = [line for hunk in changes for line in old[hunk.start : hunk.end]]
    come = [line for hunk in changes for line in hunk.lines]
    return _words(gone), _words(come)


def _words(lines: list[str]) -> tuple[str, ...]:
    return tuple(stripped for line in lines if (stripped := line.strip()))


def _trimmed(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Strips the common first and last lines, so that the comparison costs what the change costs."""
    start, shorter = 0, min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end], new[start : len(new) - end]
