"""Lines taken out of a file, described so that they can be put back byte for byte where they were."""

from __future__ import annotations

from typing import NamedTuple

from memoryclaw.core.errors import InputError
from memoryclaw.core.frontmatter import split
from memoryclaw.core.merging import hunks
from memoryclaw.core.textfile import lines_of, readable

_CONTEXT = 3


class Removal(NamedTuple):
    """One fact's removal: at `line` of `origin`, below `above`, the text `left` stands where `removed` stood."""

    fact: str
    origin: str
    line: int
    above: str
    removed: str
    left: str

    @classmethod
    def read(cls, note: str) -> Removal | None:
        """The removal that an archive note describes, or None for any other note."""
        meta = split(readable(note)).meta
        parts = [meta.get(name) for name in cls._fields]
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) != len(parts) or not texts[2].isdigit():
            return None
        return cls(texts[0], texts[1], int(texts[2]), *texts[3:])


def removal_of(before: str, after: str, fact: str, origin: str) -> Removal:
    """What was taken out between two texts."""
    old = lines_of(before)
    changes = hunks(old, lines_of(after))
    start, end = changes[0].start, changes[-1].end
    left = "".join(lines_of(after)[start : len(lines_of(after)) - (len(old) - end)])
    return Removal(
        fact, origin, start + 1, "".join(old[max(0, start - _CONTEXT) : start]), "".join(old[start:end]), left
    )


def put_back(text: str, removal: Removal) -> str:
    """The text with the removed lines where they were, found by the lines above them; InputError when those are gone."""
    lines, left, above = lines_of(text), lines_of(removal.left), lines_of(removal.above)
    for depth in range(len(above), -1, -1):
        near = above[len(above) - depth :]
        places = [
            at
            for at in range(depth, len(lines) - len(left) + 1)
            if lines[at : at + len(left)] == left and lines[at - depth : at] == near
        ]
        if places and (depth or not above):
            at = min(places, key=lambda place: abs(place - removal.line + 1))
            return "".join(lines[:at]) + removal.removed + "".join(lines[at + len(left) :])
    raise InputError(
        f"the lines around {removal.fact} in {removal.origin} are gone; copy it from the archive by hand"
    )
