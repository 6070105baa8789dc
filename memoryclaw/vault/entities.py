"""Keys of entity names, and the longest names in a question."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memoryclaw.text.language import WORD, fold

_LONGEST_NAME = 4  # words
_LONGEST_GLUED = 8  # characters of a name inside a word of an unspaced script
_GLUED_PLACES = 64  # positions in such a word at which a name may begin
_MOST = 1000
_FIRST_UNSPACED = "\u0e00"  # Thai; the scripts written without spaces come after it
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=[A-Z][a-z])")


class EntityCandidate(NamedTuple):
    """A key that may be an entity's, and the words it stands for: from `first` up to `after`."""

    key: str
    first: int
    after: int
    span: tuple[int, int]  # characters of the words joined by spaces


def key_of(name: str) -> str:
    """The key of a name: its folded words without possessives, joined by spaces."""
    return " ".join(_bare(word) for word in WORD.findall(name))


@lru_cache(maxsize=4096)
def keys_of(name: str) -> tuple[str, ...]:
    """All keys under which a name is indexed: `Project X` and `projectX` share `project x` and `projectx`."""
    return _spellings(key_of(name), key_of(_CAMEL.sub(" ", name)))


def candidates(words: Sequence[str]) -> list[EntityCandidate]:
    """Every key that one to four adjacent words of a question may stand for, the longest first."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    plain = [key_of(word) for word in words]
    apart = [key_of(_CAMEL.sub(" ", word)) for word in words]
    found = []
    for size in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for first in range(len(words) - size + 1):
            after = first + size
            keys = _spellings(" ".join(plain[first:after]), " ".join(apart[first:after]))
            found += [EntityCandidate(key, first, after, (starts[first], starts[after] - 1)) for key in keys]
    for i, word in enumerate(words):
        found += [
            EntityCandidate(key, i, i + 1, (starts[i] + a, starts[i] + b)) for key, a, b in _glued(word)
        ]
    return found[:_MOST]


def select(found: Sequence[EntityCandidate], known: Collection[str]) -> list[EntityCandidate]:
    """The longest known candidates that do not overlap, in the order of the question."""
    chosen: list[EntityCandidate] = []
    existing = [candidate for candidate in found if candidate.key in known]
    for candidate in sorted(existing, key=lambda c: (c.first - c.after, c.span[0] - c.span[1], c.span)):
        start, end = candidate.span
        if all(end <= other.span[0] or start >= other.span[1] for other in chosen):
            chosen.append(candidate)
    return sorted(chosen, key=lambda c: c.span)


def _spellings(key: str, apart: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found for found in (key, apart, key.replace(" ", "")) if found))


def _bare(word: str) -> str:
    folded = fold(word).replace("’", "'")
    return (folded.removesuffix("'s") or folded).replace("'", "")


def _glued(word: str) -> Iterator[tuple[str, int, int]]:
    """Yields the parts of a word in an unspaced script, where names have no spaces around them."""
    if not word or max(word) < _FIRST_UNSPACED:
        return
    for size in range(min(_LONGEST_GLUED, len(word) - 1), 1, -1):
        for start in range(min(len(word) - size + 1, _GLUED_PLACES)):
            piece = word[start : start + size]
            if piece[0] >= _FIRST_UNSPACED and piece[0].isalpha():
                yield fold(piece), start, start + size
