"""Insertions, replacements and removals of whole lines, made together. Line ends, also a missing last one, stay."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memoryclaw.core.edits import line_end
from memoryclaw.core.textfile import lines_of


class Splice(NamedTuple):
    """The lines from `start` up to (not including) `end`, counted from 0, give way to `lines` (without line ends)."""

    start: int
    end: int
    lines: tuple[str, ...] = ()


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text with all the splices made; they must not overlap. A replaced last line keeps its line end."""
    lines, newline = lines_of(text), line_end(text)
    open_ended = bool(lines) and not lines[-1].endswith(("\n", "\r"))
    if open_ended:
        lines[-1] += newline
    for start, end, fresh in sorted(splices, reverse=True):
        ends = [line[len(line.rstrip("\r\n")) :] for line in lines[start:end]]
        lines[start:end] = [line + (ends[i] if i < len(ends) else newline) for i, line in enumerate(fresh)]
    if open_ended and lines:
        lines[-1] = lines[-1].rstrip("\r\n")
    return "".join(lines)
