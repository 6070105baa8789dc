"""The passage of a unit that answers best, with the places of the words to highlight. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？…])[\"'”’)]*\s+|\n+")


class Snippet(NamedTuple):
    """A passage on one line; `highlights` are (start, end) offsets into `text`."""

    text: str
    highlights: tuple[tuple[int, int], ...]


def snippet(text: str, surfaces: Iterable[str], width: int = 220) -> Snippet:
    """The densest passage of about `width` characters, cut at sentence or word borders."""
    flat = _SPACE.sub(" ", text).strip()
    places = _places(flat, surfaces)
    start, end = _window(flat, places, width)
    shown = flat[start:end].strip()
    lead = "… " if start else ""
    tail = " …" if end < len(flat) else ""
    shift = len(lead) - start - (len(flat[start:end]) - len(flat[start:end].lstrip()))
    marks = tuple((a + shift, b + shift) for a, b in places if a >= start and b <= end)
    return Snippet(f"{lead}{shown}{tail}", marks)


def _places(text: str, surfaces: Iterable[str]) -> list[tuple[int, int]]:
    forms = sorted({s for s in surfaces if s}, key=lambda s: (-len(s), s))
    if not forms:
        return []
    joined = "|".join(re.escape(form).replace("'", "['’]").replace(r"\ ", r"[\W_]+") for form in forms)
    edge = r"(?<![^\W_])", r"(?![^\W_])"
    spaced = re.compile(f"{edge[0]}(?:{joined}){edge[1]}", re.IGNORECASE)
    return [hit.span() for hit in spaced.finditer(text)] or [hit.span() for hit in re.finditer(joined, text, re.IGNORECASE)]


def _window(text: str, places: list[tuple[int, int]], width: int) -> tuple[int, int]:
    if len(text) <= width:
        return 0, len(text)
    if not places:
        return 0, _cut(text, width)
    starts = [start for start, _ in places]
    best = max(range(len(starts)), key=lambda i: (_distinct(text, places, i, width), -i))
    last = max(bisect_left(starts, starts[best] + width) - 1, best)
    spare = max(width - (places[last][1] - starts[best]), 0)
    start = _open(text, max(starts[best] - spare // 2, 0), starts[best])
    return start, max(_cut(text, start + width), places[last][1])


def _distinct(text: str, places: list[tuple[int, int]], first: int, width: int) -> int:
    reach = places[first][0] + width
    return len({text[a:b].lower() for a, b in places[first:] if b <= reach})


def _open(text: str, at: int, latest: int) -> int:
    """The start of the sentence around `at` if one starts before `latest`, else the next word."""
    if at == 0:
        return 0
    borders = [hit.end() for hit in _SENTENCE_END.finditer(text, max(at - 40, 0), latest)]
    if borders:
        return borders[0]
    space = text.find(" ", at, latest)
    return space + 1 if space >= 0 else at


def _cut(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    space = text.rfind(" ", at - 40, at)
    return space if space > 0 else at
