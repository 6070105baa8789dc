"""Code, paths, options and quotations in a sentence stand as one word while it is read, and are put back whole in what is kept."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from itertools import pairwise
from typing import NamedTuple

from memoryclaw.text.clauses import EMOTICON

# Letters that no living language uses: a word of its own to every pattern.
_FIRST, _MOST = 0x10600, 256
_SEALS = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + _MOST - 1)}]")
_CODE = re.compile(
    r"`[^`\n]+`|(?<!\S)--[A-Za-z][\w-]*+(?:=[^\s,;]*+)?"
    r"|(?<![\w.:/@~])(?:~|\.{1,2})/[\w.@+/-]*+|(?<![\w.:/@~])(?:/[\w@+-][\w.@+-]*+){2,}/?|(?<![\w.:/@~-])\w[\w-]*+(?:/[\w-]++)*+/[\w-]++\.[a-z]\w{0,4}\b"
)
_CODE_SIGNS = ("`", "/", "--")  # one of them stands in each of these
_CALL = re.compile(  # not `file(s)`
    r"(?<![\w.])[A-Za-z_][\w.]*+\((?!(?:e?[nrs]|e|a|in|innen)\))(?:[^()\s]|(?<=,) ){0,80}+\)"
)
_END = ".,;:!?"  # ends a sentence rather than a path
_CLOSERS = {"(": ")", "[": "]", "{": "}", "“": "”", "„": "“”", "«": "»", '"': '"'}
_ENDS = frozenset(")]}”»")


class Seals(NamedTuple):
    """What was taken out of a text, by the mark that stands for it."""

    marks: tuple[str, ...] = ()
    quotations: frozenset[int] = frozenset()

    def open(self, text: str, *, quotations: bool = True) -> str:
        """The text with what was taken out put back; `quotations`: also those."""

        def behind(hit: re.Match[str]) -> str:
            number = ord(hit[0]) - _FIRST
            if number >= len(self.marks) or (number in self.quotations and not quotations):
                return hit[0]
            return self.open(self.marks[number], quotations=quotations)

        return _SEALS.sub(behind, text) if self.marks else text


class Sealing:
    """Takes parts out of one text."""

    def __init__(self, text: str) -> None:
        self._marks: list[str] = []
        self._quotations: set[int] = set()
        self._closed = _SEALS.search(text) is not None  # its own letters could not be told from marks

    def seal(self, piece: str, *, quotation: bool = False) -> str:
        """What stands for a part."""
        if self._closed or len(self._marks) == _MOST:
            return " … "
        self._quotations |= {len(self._marks)} if quotation else set()
        self._marks.append(piece)
        return chr(_FIRST + len(self._marks) - 1)

    def code(self, text: str) -> str:
        """The text with its code, paths and options sealed."""
        return _CODE.sub(self._sealed, text) if any(sign in text for sign in _CODE_SIGNS) else text

    def calls(self, text: str) -> str:
        """The text with calls of functions sealed: `push(batch)`."""
        return _CALL.sub(self._sealed, text) if "(" in text else text

    def sealed(self) -> Seals:
        """What was taken out so far."""
        return Seals(tuple(self._marks), frozenset(self._quotations))

    def _sealed(self, hit: re.Match[str]) -> str:
        piece = hit[0] if hit[0][0] == "`" else hit[0].rstrip(_END)
        return self.seal(piece) + hit[0][len(piece) :] if len(piece) > 1 else hit[0]


def closed(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a text between two places, longer or shorter by what closes each of its brackets and quotes.

    What nobody closes parts the text: of the part to either side, the one that holds most of it stays.
    """
    pairs, singles = _pairs(text)
    edges = [-1, *singles, len(text)]
    first, last = max(
        ((max(a + 1, start), min(b, end)) for a, b in pairwise(edges)),
        key=lambda stretch: stretch[1] - stretch[0],
    )
    for opens, closes in pairs:  # each within the part, or beside it
        if first <= opens < last or first <= closes < last:
            first, last = min(first, opens), max(last, closes + 1)
    return first, last


def balanced(text: str) -> str:
    """A text without what nobody closes, and the smaller part beside it."""
    return text[slice(*closed(text, 0, len(text)))].strip()


def _pairs(text: str) -> tuple[list[tuple[int, int]], list[int]]:
    """Where brackets and quotes open and close, the inner ones first, and where one stands alone, as does a pair around it; an inch is no quote."""
    pairs: list[tuple[int, int]] = []
    singles: list[int] = []
    waiting: list[int] = []
    for place, sign in enumerate(EMOTICON.sub(lambda hit: " " * len(hit[0]), text)):
        if waiting and sign in _CLOSERS.get(text[waiting[-1]], ""):
            pairs.append((waiting.pop(), place))
        elif sign in _CLOSERS and not (sign == '"' and text[place - 1 : place].isdigit()):
            waiting.append(place)
        elif sign in _ENDS:
            singles.append(place)
    singles = sorted([*singles, *waiting])
    unbroken: list[tuple[int, int]] = []
    for opens, closes in pairs:
        if bisect_left(singles, opens) != bisect_left(singles, closes):
            insort(singles, opens)
            insort(singles, closes)
        else:
            unbroken.append((opens, closes))
    return unbroken, singles
