"""Estimates the tokens of a text without a tokenizer: as many as o200k_base counts, seldom fewer and never by much.

`benchmarks/tokens.py` compares it with real tokenizers; the constants were set there. The cost of a text is the sum of the
costs of its lines, each with its line break.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right

_CENT = 100  # costs are whole hundredths of a token, so that sums are exact
# A word of up to nine letters, the end of a contraction, two digits, two marks with the line breaks after them, …
_PIECES = re.compile(
    r"[A-Z]?[a-z]{1,9}|'[a-z]{1,2}(?![a-z])|[0-9]{1,2}|[A-Z]{1,3}|[!-/:-@\[-`{-~]{1,2}\n*|\n+|[ \t]{2,}| (?=[0-9])"
)
_ASCII = re.compile(r"[\x00-\x7f]+")
_SCRIPTS = (  # the first character of a range of them, and what each one costs
    (0x0080, 100),  # accented Latin
    (0x0250, 150),
    (0x0370, 43),  # Greek
    (0x0400, 28),  # Cyrillic
    (0x0530, 150),
    (0x0590, 39),  # Hebrew, Arabic
    (0x0860, 150),
    (0x0900, 40),  # the scripts of India, Thai
    (0x0E80, 150),
    (0x1E00, 100),  # accented Latin, Vietnamese
    (0x1F00, 100),  # accented Greek
    (0x2000, 100),  # dashes, quotes
    (0x2190, 200),  # arrows, symbols
    (0x2E80, 82),  # Chinese
    (0x3040, 66),  # kana
    (0x3100, 82),
    (0xA4D0, 150),
    (0xAC00, 78),  # Korean
    (0xD800, 150),
    (0xF900, 82),
    (0xFB00, 150),
    (0xFF00, 82),
    (0xFFF0, 200),
    (0x20000, 200),
)
_STARTS, _COSTS = [start for start, _ in _SCRIPTS], [cost for _, cost in _SCRIPTS]
_PER_TOKEN = 4.0
_OTHER_PER_TOKEN = 1.6
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U0001f000-\U0003ffff]")


def estimate(text: str) -> int:
    """The tokens of a text, rounded up."""
    return rounded(cost(text))


def cost(text: str) -> int:
    """The estimate in hundredths of a token; those of texts that end in a line break add up."""
    pieces = len(_PIECES.findall(text)) * _CENT
    return pieces if text.isascii() else pieces + sum(map(_others.__getitem__, _ASCII.sub("", text)))


def rounded(hundredths: int) -> int:
    """A cost in whole tokens."""
    return math.ceil(hundredths / _CENT)


def length(text: str) -> int:
    """A text's length in tokens of four characters; consolidation weighs sentences by it, and its constants are tuned to it."""
    if text.isascii():
        return math.ceil(len(text) / _PER_TOKEN)
    wide = len(_WIDE.findall(text))
    plain = sum(map(str.isascii, text))
    return math.ceil(plain / _PER_TOKEN + (len(text) - plain - wide) / _OTHER_PER_TOKEN + wide)


class _Others(dict[str, int]):
    """Caches the cost of each character that is not ASCII."""

    def __missing__(self, char: str) -> int:
        found = self[char] = _COSTS[bisect_right(_STARTS, ord(char)) - 1]
        return found


_others = _Others()
