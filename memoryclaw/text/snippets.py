"""Picks the passage of a unit that answers best, with the words to highlight."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.text.memory_lines import line_fields, without, without_ids

_WORD = 40  # characters: a longer word may be cut, as may scripts without spaces
# Characters of which each has one small letter of the same length, and no other letter is that.
_PLAIN_CASE = late.pattern(
    "[\x00-\xb4\xb6-\u012f\u0132-\u017e\u2010-\u205e\u2190-\u245f\u2500-\u2bff\u3000-\u9fff\ufe0f\uff00-\uffee\U0001f000-\U0001faff]*"
)
SENTENCE_END = late.pattern(r"(?<=[.!?。！？…])[\"'”’)]*\s+|\n+")


class Snippet(NamedTuple):
    """A passage on one line; `highlights` are (start, end) offsets into `text`."""

    text: str
    highlights: tuple[tuple[int, int], ...]


def without_block_ids(text: str) -> str:
    """Removes Obsidian's block ids (`^id` at the end of a line), which say nothing to a reader; code stays."""
    if "^" not in text:
        return text
    from memoryclaw.text.markdown import read_body  # noqa: PLC0415 - most passages hold no block id, and a search must start fast

    marked = {line for _, line in read_body(text, 0).blocks}
    lines = enumerate(text.split("\n"))
    return "\n".join(without_ids(line) if number in marked else line for number, line in lines)


_EMBED = late.pattern(r"!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\([^()\n]*\)")
_CALLOUT = late.pattern(r"^\s*(?:>\s*)*\[![\w-]+\][+-]?\s*")
_WIKILINK = late.pattern(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]*)\]\]")
_LINK = late.pattern(r"\[([^\[\]\n]*)\]\([^()\n]*\)")
_EMPHASIS = late.pattern(r"\*\*|__|==|~~|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])|`")


_MARK = late.pattern(r"[\[(*_=~`]")  # one of them stands in all that is taken off


def without_markup(line: str) -> str:
    """A line of Markdown as a reader hears it: no marks of emphasis, links as their words, no embeds and no inline fields."""
    if not _MARK.search(line):
        return line.strip()
    line = _CALLOUT.sub("", _EMBED.sub("", line))
    line = without(line, (f for f in line_fields(line) if line[f.value_start - 1] != ":"))  # not `[Vec::new]`
    return _EMPHASIS.sub("", _LINK.sub(r"\1", _WIKILINK.sub(r"\1", line))).strip()


def snippet(text: str, surfaces: Iterable[str], width: int = 220) -> Snippet:
    """Cuts out the densest passage of about `width` characters, at sentence or word borders."""
    return cutter(text, surfaces)(width)


def cutter(text: str, surfaces: Iterable[str]) -> Callable[[int], Snippet]:
    """Cuts out of one text the densest passage of any width."""
    flat = " ".join(text.split())
    spots = places(flat, surfaces)

    def cut(width: int) -> Snippet:
        start, end = _window(flat, spots, width)
        excerpt = flat[start:end].strip()
        lead = "… " if start else ""
        tail = " …" if end < len(flat) else ""
        shift = len(lead) - start - (len(flat[start:end]) - len(flat[start:end].lstrip()))
        marks = tuple((a + shift, b + shift) for a, b in spots if a >= start and b <= end)
        return Snippet(f"{lead}{excerpt}{tail}", marks)

    return cut


def places(text: str, surfaces: Iterable[str]) -> list[tuple[int, int]]:
    """Finds the words in a text: as whole words, or anywhere if there are none."""
    forms = sorted({s for s in surfaces if s}, key=lambda s: (-len(s), s))
    if not forms:
        return []
    written = text + "".join(forms)
    if "".join(forms).isalnum() and (written.isascii() or _PLAIN_CASE.fullmatch(written)):
        low, plain = text.lower(), dict.fromkeys(form.lower() for form in forms)
        return sorted(_whole_words(low, plain)) or _apart(low, plain)
    joined = "|".join(re.escape(form).replace("'", "['’]").replace(r"\ ", r"[\W_]+") for form in forms)
    edge = r"(?<![^\W_])", r"(?![^\W_])"
    spaced = re.compile(f"{edge[0]}(?:{joined}){edge[1]}", re.IGNORECASE)
    hits = [hit.span() for hit in spaced.finditer(text)]
    return hits or [hit.span() for hit in re.finditer(joined, text, re.IGNORECASE)]


# Compiling a pattern for every passage would cost more than the rest of a snippet.


def _whole_words(text: str, forms: Iterable[str]) -> Iterator[tuple[int, int]]:
    for form in forms:
        start = text.find(form)
        while start >= 0:
            end = start + len(form)
            if not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum():
                yield start, end
            start = text.find(form, end)


def _apart(text: str, forms: Iterable[str]) -> list[tuple[int, int]]:
    """Where they stand, from left to right and of several at one place the longest; none within another."""
    hits: list[tuple[int, int]] = []
    for form in forms:
        start = text.find(form)
        while start >= 0:
            hits.append((start, -len(form)))
            start = text.find(form, start + 1)
    apart: list[tuple[int, int]] = []
    for start, length in sorted(hits):
        if not apart or start >= apart[-1][1]:
            apart.append((start, start - length))
    return apart


def _window(text: str, places: list[tuple[int, int]], width: int) -> tuple[int, int]:
    if len(text) <= width:
        return 0, len(text)
    if not places:
        return 0, _cut(text, width)
    starts = [start for start, _ in places]
    best = _densest(text, places, width)
    last = max(bisect_left(starts, starts[best] + width) - 1, best)
    spare = max(width - (places[last][1] - starts[best]), 0)
    start = _open(text, max(starts[best] - spare // 2, 0), starts[best])
    return start, _cut(text, start + width, places[last][1])


def _densest(text: str, places: list[tuple[int, int]], width: int) -> int:
    """The first place from which the most different words lie within `width`."""
    words = [text[start:end].lower() for start, end in places]
    within: Counter[str] = Counter()
    best, most, after = 0, 0, 0
    for first, (start, _) in enumerate(places):
        while after < len(places) and places[after][1] <= start + width:
            within[words[after]] += 1
            after += 1
        if len(within) > most:
            best, most = first, len(within)
        within[words[first]] -= 1
        if within[words[first]] <= 0:
            del within[words[first]]
        after = max(after, first + 1)
    return best


def _open(text: str, at: int, latest: int) -> int:
    """The start of a sentence around `at` if one starts before `latest`, else of a word."""
    if at == 0:
        return 0
    borders = [hit.end() for hit in SENTENCE_END.finditer(text, max(at - _WORD, 0), latest)]
    if borders:
        return borders[0]
    space = text.find(" ", at - 1, latest)
    if space < 0:
        space = text.rfind(" ", max(at - _WORD, 0), at)
    return space + 1 if space >= 0 else 0 if at <= _WORD else at


def _cut(text: str, place: int, least: int = 0) -> int:
    """The end of the last word before `at` that ends at `least` or after it, else of the word around `at`."""
    place = max(place, least)
    if place >= len(text):
        return len(text)
    space = text.rfind(" ", max(place - _WORD, least), place + 1)
    if space > 0:
        return space
    space = text.find(" ", place, place + _WORD)
    return space if space > 0 else len(text) if len(text) - place <= _WORD else place
