"""The best units of very many for a question's words. The rule: what is left out holds common words alone, and it is told how much those give.

Scoring every unit that holds some word takes time in proportion to the vault: of a million units, eight ordinary words stand
in half. So the units with a rare word are scored in full, and of the others those that hold common words of every group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import prod
from typing import NamedTuple

from memoryclaw.core.ports import Clause, Hit, TextIndex
from memoryclaw.core.scoring import K1, idf

MANY = 50_000  # units from which on not all that hold a word are scored
BESIDE = 1000  # units, beside the shares that follow, that are always worth scoring
RARE_SHARE = 0.02  # of all units: the rare words of a question stand together in so many at most
SEVERAL_SHARE = (
    0.01  # of all units: so many at most hold common words of every group, if words do not know of each other
)
TYPICAL = 1.2  # times its idf: what a word gives to a unit that holds it, or a little more
_CUTS = 7  # places among the common words, rarer ones first, at which they may be parted into groups


class Kept(NamedTuple):
    """The scores of the best units by rowid; a unit that is not among them scores less than all, or at most `lost`."""

    scores: dict[int, float]
    lost: float = 0.0


class _Word(NamedTuple):
    clause: Clause
    share: float  # of the units
    weight: float  # its idf


def pruned(
    parts: Sequence[Clause], engine: TextIndex, containing: Callable[[Clause], int], pool: int
) -> Kept | None:
    """BM25 of the `pool` best units for these words, or None where nothing but scoring them all can tell.

    Args:
        parts: tokens, of which a unit holds any.
        engine: finds them.
        containing: how many units hold a token.
        pool: how many units are wanted.
    """
    units = engine.size()[0]
    counts = {part: containing(part) for part in parts}
    if sum(counts[part] for part in parts) <= 2 * (BESIDE + units * RARE_SHARE):
        return None
    ordered = sorted(parts, key=lambda part: (counts[part], part))
    words = [_Word(part, counts[part] / units, idf(units, counts[part])) for part in ordered]
    rare, common = _parted(words, BESIDE / units + RARE_SHARE)
    found = _with_rare(rare, common, engine, pool)
    weight = sum(word.weight for word in common)
    if TYPICAL * weight > _least(found, pool):
        groups = _groups(common, BESIDE / units + SEVERAL_SHARE)
        _join(found, engine.find(Clause("all", parts=tuple(map(_any, groups))), pool))
        weight -= min(map(_weight, groups))
    if len(found) < pool:
        return None
    least = _least(found, pool)
    return Kept({rowid: score for rowid, score in found.items() if score >= least}, (K1 + 1) * weight)


def _with_rare(
    rare: Sequence[_Word], common: Sequence[_Word], engine: TextIndex, pool: int
) -> dict[int, float]:
    """The best units that hold a rare word, with all that their words give them."""
    found: dict[int, float] = {}
    if rare:
        _join(found, engine.find(_any(rare), pool))
        # Every word stands in the question once, so each counts once.
        _join(found, engine.find(Clause("all", parts=(_any(rare), _any(common))), pool))
    return found


def _join(found: dict[int, float], hits: Sequence[Hit]) -> None:
    """Of two scores of one unit, the higher is that of more of its words."""
    for rowid, score in hits:
        found[rowid] = max(score, found.get(rowid, 0.0))


def _least(found: Mapping[int, float], pool: int) -> float:
    return sorted(found.values(), reverse=True)[pool - 1] if len(found) >= pool else 0.0


def _parted(words: Sequence[_Word], most: float) -> tuple[Sequence[_Word], Sequence[_Word]]:
    """The rarest words that few units hold together, and the others."""
    held = 0.0
    for place, word in enumerate(words):
        held += word.share
        if held > most:
            return words[:place], words[place:]
    return words, ()


def _groups(words: Sequence[_Word], most: float) -> list[Sequence[_Word]]:
    """Words in groups as equal in weight as can be, so that few units hold a word of every group.

    A unit that is lost then lacks much: all the words of some group. If there are no such groups, each word is one.
    """
    found = [groups for groups in _cut(words) if prod(map(_held, groups)) <= most]
    return max(found, key=lambda groups: min(map(_weight, groups)), default=[[word] for word in words])


def _cut(words: Sequence[_Word]) -> Iterator[list[Sequence[_Word]]]:
    """Every way to cut a row into at least two runs, those with the longest runs first."""
    places = range(1, min(len(words), _CUTS + 1))
    for cuts in range(1, len(places) + 1):
        for chosen in combinations(places, cuts):
            yield [words[start:end] for start, end in pairwise((0, *chosen, len(words)))]


def _held(group: Sequence[_Word]) -> float:
    """The share of the units that hold a word of a group."""
    return 1 - prod(1 - word.share for word in group)


def _weight(group: Sequence[_Word]) -> float:
    return sum(word.weight for word in group)


def _any(words: Sequence[_Word]) -> Clause:
    return Clause("any", parts=tuple(word.clause for word in words))
