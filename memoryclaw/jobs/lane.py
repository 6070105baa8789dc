"""The text lane: the best units for a question's words. The rule: whatever it leaves out ranks below all that it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoryclaw.core.ports import Clause, TextIndex
from memoryclaw.core.scoring import K1, idf

POOL = 200  # units that are scored in full
PLAIN_POOL = 100  # the same where nothing but words decides, so that none can rise from far below
ENOUGH = 50  # units that answer any question; the rest of a pool is only looked at
_RARE = 400  # units that the rare words of a question may hold together


def best(clause: Clause, engine: TextIndex, within: Sequence[int] | None = None) -> dict[int, float]:
    """BM25 of the `POOL` best units, and of all that tie with the last of them."""
    return dict(engine.find(clause, POOL, within))


def best_by_rare_words(
    clause: Clause, engine: TextIndex, containing: Callable[[Clause], int]
) -> dict[int, float]:
    """The `PLAIN_POOL` best for a question of plain words, or at least the first `ENOUGH` of them.

    Units that hold only its common words are not even scored where those with a rare one are sure to rank above them.

    Args:
        clause: the words.
        engine: finds them.
        containing: how many units hold a word.
    """
    if clause.op != "any" or any(part.op != "token" for part in clause.parts):
        return _plain(clause, engine)
    counts = {part: containing(part) for part in clause.parts}
    rare, common = _parted(counts)
    if (
        not rare
        or sum(counts[part] for part in common) < _RARE
        or sum(counts[part] for part in rare) < ENOUGH
    ):
        return _plain(clause, engine)
    alone = Clause("any", parts=tuple(rare))
    once = dict(engine.find(alone, _RARE))
    # Both engines count the words of every part, so here the rare words count twice and the common ones once.
    twice = engine.find(Clause("all", parts=(alone, clause)), _RARE)
    units = engine.size()[0]
    most = sum(
        (K1 + 1) * idf(units, counts[part]) for part in common
    )  # however often and in however short a unit
    sure = {hit.rowid: score for hit in twice if (score := hit.score - once[hit.rowid]) > most}
    return _cut(sure) if len(sure) >= ENOUGH else _plain(clause, engine)


def _plain(clause: Clause, engine: TextIndex) -> dict[int, float]:
    return dict(engine.find(clause, PLAIN_POOL))


def _parted(counts: dict[Clause, int]) -> tuple[list[Clause], list[Clause]]:
    """The rarest words that few units hold together, and the others."""
    ordered = sorted(counts, key=lambda part: (counts[part], part.text))
    held = 0
    for place, part in enumerate(ordered):
        held += counts[part]
        if held > _RARE:
            return ordered[:place], ordered[place:]
    return ordered, []


def _cut(scores: dict[int, float]) -> dict[int, float]:
    if len(scores) <= PLAIN_POOL:
        return scores
    least = sorted(scores.values(), reverse=True)[PLAIN_POOL - 1]
    return {rowid: score for rowid, score in scores.items() if score >= least}
