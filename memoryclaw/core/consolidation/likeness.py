"""Near-duplicate texts: how many runs of three words two of them share, whatever their case, accents and marks.

The rule: one text holds another only with every run of it; where a single word or number differs they are near at most.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoryclaw.core.language import Language

NEAR = 0.8
_LEAST = 5  # runs; a shorter text is held by too many others to mean anything
_RUN = 3
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
_WORDS = Language("none", None, frozenset())

Runs = frozenset[tuple[str, ...]]


class Twin(NamedTuple):
    """A text that is nearly another. `kind`: the text contains it, is contained in it, or is near to it."""

    id: str
    kind: str  # contains | contained | near
    score: float


def likeness(one: str, other: str) -> float:
    """How alike two texts are, from 0 to 1: the runs of three words that both have, among all that either has."""
    return _shared(_runs(one), _runs(other))


def twin(text: str, candidates: Sequence[tuple[str, str]]) -> Twin | None:
    """The candidate (id, text) that a text nearly repeats, the most alike first, or None."""
    own = _runs(text)
    found = [match for id_, other in candidates if (match := _compared(own, _runs(other), id_))]
    return min(found, key=lambda match: (-match.score, match.kind != "contained", match.id), default=None)


def _compared(own: Runs, theirs: Runs, id_: str) -> Twin | None:
    if len(own) >= _LEAST and own <= theirs:
        return Twin(id_, "contained", 1.0)
    if len(theirs) >= _LEAST and theirs <= own:
        return Twin(id_, "contains", 1.0)
    score = _shared(own, theirs)
    return Twin(id_, "near", score) if score >= NEAR else None


def _shared(one: Runs, other: Runs) -> float:
    either = len(one | other)
    return len(one & other) / either if either else 0.0


def _runs(text: str) -> Runs:
    """The runs of a text; one shorter than a run is a run of its own. Obsidian's block ids say nothing."""
    words = _WORDS.tokens(_BLOCK_ID.sub("", text))
    return frozenset(
        tuple(words[at : at + _RUN]) for at in range(max(len(words) - _RUN + 1, min(len(words), 1)))
    )
