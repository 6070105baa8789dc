"""Two texts → the lines that differ, word by word, for a person to read. The pieces put together are the texts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from memoryclaw.late import NamedTuple
from memoryclaw.text.encoding import lines_of, readable

SAME, GONE, COME = "same", "gone", "come"
_TOKEN = re.compile(r"\[\[[^\[\]]*+\]\]|\d{4}-\d\d-\d\d|\w+|\s+|[^\w\s]")  # a link and a date are words
_MARKS = {SAME: ("", ""), GONE: ("[-", "-]"), COME: ("{+", "+}")}
_MOST = 2_000  # tokens on a side: above it lines are told as gone and come, word for word would take too long
_ALIKE = 0.4  # share of common words below which two lines are told one below the other


class DiffPart(NamedTuple):
    """Words that stand in both texts, or in one of them only."""

    kind: str  # same | gone | come
    text: str


class DiffLine(NamedTuple):
    """One line of the difference, and its number in the new text (0: it is gone)."""

    number: int
    pieces: tuple[DiffPart, ...]


Hunk = tuple[DiffLine, ...]


def word_diff(before: str, after: str, around: int = 1) -> list[Hunk]:
    """What turns one text into another: stretches of lines, each with `around` equal lines on both sides."""
    old, new = ([line.rstrip("\n") for line in lines_of(readable(text))] for text in (before, after))
    above, is_long = 0, len(old) * len(new) > _MOST**2
    if is_long:  # and a change is a few lines of it: what both begin and end with is not looked through
        most = min(len(old), len(new))
        first = next((n for n in range(most) if old[n] != new[n]), most)
        last = next((n for n in range(most - first) if old[-1 - n] != new[-1 - n]), most - first)
        above, below = max(first - around, 0), max(last - around, 0)
        old, new = old[above : len(old) - below], new[above : len(new) - below]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=is_long)
    return [tuple(_lines(group, old, new, above)) for group in matcher.get_grouped_opcodes(around)]


def mark_up(pieces: tuple[DiffPart, ...]) -> str:
    """The pieces of a line as text without colour: `[-old-]{+new+}`."""
    return "".join(f"{start}{piece.text}{end}" for piece in pieces for start, end in [_MARKS[piece.kind]])


def marked_lines(before: str, after: str) -> Iterator[str]:
    """What turns one text into another, line by line without colour."""
    return (mark_up(line.pieces) for hunk in word_diff(before, after) for line in hunk)


def _lines(
    group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str], above: int
) -> Iterator[DiffLine]:
    for tag, first, last, start, end in group:
        if tag == "equal":
            for number in range(start, end):
                yield DiffLine(above + number + 1, (DiffPart(SAME, new[number]),))
        else:
            yield from _change(old[first:last], new[start:end], above + start)


def _change(gone: list[str], come: list[str], at: int) -> Iterator[DiffLine]:
    """Lines that give way to others: pairs that are alike word by word, the rest one below the other."""
    pairs = min(len(gone), len(come))
    for number, (old, new) in enumerate(zip(gone, come, strict=False), at + 1):
        if pieces := tuple(_pieces(old, new)):
            yield DiffLine(number, pieces)
        else:
            yield DiffLine(0, (DiffPart(GONE, old),))
            yield DiffLine(number, (DiffPart(COME, new),))
    for line in gone[pairs:]:
        yield DiffLine(0, (DiffPart(GONE, line),))
    for number, line in enumerate(come[pairs:], at + pairs + 1):
        yield DiffLine(number, (DiffPart(COME, line),))


def _pieces(old: str, new: str) -> Iterator[DiffPart]:
    """One line turned into another; nothing when the two have too little in common."""
    old_tokens, right = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(old_tokens), len(right)) > _MOST:
        return
    matcher = difflib.SequenceMatcher(None, old_tokens, right, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "equal":
            yield DiffPart(SAME, "".join(right[start:end]))
            continue
        if first < last:
            yield DiffPart(GONE, "".join(old_tokens[first:last]))
        if start < end:
            yield DiffPart(COME, "".join(right[start:end]))
