"""Ranges of log lines, `logs/2026-03-10/s1.jsonl#1-6@<digest>`: how they are written, read, digested and subtracted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

_RANGE = re.compile(
    r"(?P<path>logs/[^\x00-\x1f#@]{1,1024})#(?P<first>\d{1,9})-(?P<last>\d{1,9})@(?P<digest>[0-9a-f]{16})"
)


class LogRange(NamedTuple):
    """Lines of one log, both ends included, and the digest of their bytes; `str` is how notes cite it."""

    path: str
    first: int
    last: int
    digest: str

    def __str__(self) -> str:
        return f"{self.path}#{self.first}-{self.last}@{self.digest}"


def range_of(path: str, lines: list[bytes], first: int, last: int) -> LogRange:
    """The range of these lines (counted from 1) of a log given as lines with their line ends."""
    digest = hashlib.sha256(b"".join(lines[first - 1 : last])).hexdigest()[:16]
    return LogRange(path, first, last, digest)


def parse_ranges(text: str) -> list[LogRange]:
    """Every range that a text cites, in order."""
    return [
        LogRange(hit["path"], int(hit["first"]), int(hit["last"]), hit["digest"])
        for hit in _RANGE.finditer(text)
    ]


def unread(path: str, lines: list[bytes], done: Iterable[LogRange]) -> list[tuple[int, int]]:
    """The stretches of lines (first, last) that no range covers whose lines are still the same."""
    taken = [False] * len(lines)
    for range_ in done:
        if range_.path != path or not 1 <= range_.first <= range_.last <= len(lines):
            continue
        if range_of(path, lines, range_.first, range_.last) == range_:
            taken[range_.first - 1 : range_.last] = [True] * (range_.last - range_.first + 1)
    stretches, first = [], 0
    for number, was_read in enumerate([*taken, True], 1):
        if not was_read and not first:
            first = number
        elif was_read and first:
            stretches.append((first, number - 1))
            first = 0
    return stretches
