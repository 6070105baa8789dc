"""Words of the vault that are spelled like a given word, for `jonh~` and "did you mean". Pure; Whoosh measures the distance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from whoosh.support.levenshtein import damerau_levenshtein

from memoryclaw.text.language import fold

_SHORTEST = 3  # a shorter word is one typing slip away from too many others
_TWO_SLIPS = 6  # words of this length may differ in two places


class Near(NamedTuple):
    """A word of the vault and how many slips (letter added, lost, changed, or two swapped) it is away."""

    word: str
    distance: int
    frequency: int


def slips_in(word: str) -> int:
    """How many slips a word of this length may hold."""
    return 0 if len(word) < _SHORTEST else 1 if len(word) < _TWO_SLIPS else 2


def near(word: str, vocabulary: Iterable[tuple[str, int]], limit: int) -> list[Near]:
    """The words of a vocabulary (folded word, frequency) nearest to a word: by distance, frequency, then word.

    One slip is allowed in words of three to five letters, two in longer ones. A known word is nearest to itself.
    """
    word = fold(word)
    slips = slips_in(word)
    found = []
    for candidate, frequency in _alike(word, vocabulary, slips):
        distance = _distance(word, candidate, slips)
        if distance <= slips:
            found.append(Near(candidate, distance, frequency))
    return sorted(found, key=lambda hit: (hit.distance, -hit.frequency, hit.word))[:limit]


def _alike(word: str, vocabulary: Iterable[tuple[str, int]], slips: int) -> list[tuple[str, int]]:
    """Throws out, at a glance, words too long, too short, begun otherwise or made of other letters."""
    first, second, inner, letters = word[:1], word[1:2], word[1:3], set(word)
    shortest, longest = len(word) - slips, len(word) + slips
    return [
        (other, frequency)
        for other, frequency in vocabulary
        if shortest <= len(other) <= longest
        # The first letter is the same, was swapped, lost, put before, or the two letters after it are the same.
        and (other[:1] == first or other[:1] == second or other[1:2] == first or other[1:3] == inner)
        and len(letters.difference(other)) <= slips
        and len(set(other).difference(letters)) <= slips
    ]


def _distance(word: str, other: str, slips: int) -> int:
    if word == other:
        return 0
    start, end = 0, min(len(word), len(other))
    while start < end and word[start] == other[start]:
        start += 1
    back = 0
    while back < end - start and word[-1 - back] == other[-1 - back]:
        back += 1
    # Measured without the common beginning and end: the measuring is quadratic, and most slips are one letter.
    return int(damerau_levenshtein(word[start : len(word) - back], other[start : len(other) - back], slips))
