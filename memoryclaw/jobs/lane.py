"""The text lane: the best units for a question's words. The rule: whatever it leaves out ranks below all that it returns.

Of `pruning.MANY` units and more, that is only nearly so; what may be lost is told there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memoryclaw.core.ports import Clause, TextIndex
from memoryclaw.core.scoring import K1, idf
from memoryclaw.jobs.filters import Fields
from memoryclaw.jobs.pruning import MANY, pruned

POOL = 200  # units that are scored in full
ENOUGH = 50  # the same where nothing but words decides, so that no unit can rise from far below
_RARE = 400  # units that the rare words of a question may hold together
_WIDER = 8  # times as many are looked at in a large vault before fields narrow them


class Lane:
    """The best units of one index.

    Args:
        engine: finds them.
        containing: how many units hold a word.
    """

    def __init__(self, engine: TextIndex, containing: Callable[[Clause], int]) -> None:
        self._engine = engine
        self._containing = containing
        self._is_large = engine.size()[0] >= MANY

    def best(self, clause: Clause, pool: int, fields: Fields | None = None) -> dict[int, float]:
        """BM25 of the `pool` best units that the fields let through, and of all that tie with the last of them."""
        return self._of_many(clause, pool, fields) or best(
            clause, self._engine, pool, fields.rowids if fields else None
        )

    def best_by_words(self, clause: Clause, pool: int) -> dict[int, float]:
        """The same where nothing but words decides."""
        return self._of_many(clause, pool, None) or best_by_rare_words(
            clause, self._engine, self._containing, pool
        )

    def _of_many(self, clause: Clause, pool: int, fields: Fields | None) -> dict[int, float]:
        """What a large vault has for plain words; nothing where all must be scored."""
        words = _plain_words(clause) if self._is_large else []
        kept = words and pruned(words, self._engine, self._containing, pool * (_WIDER if fields else 1))
        if not kept or not fields:
            return kept.scores if kept else {}
        through = fields.among(kept.scores)
        return _cut({rowid: kept.scores[rowid] for rowid in through}, pool) if len(through) >= pool else {}


def best(
    clause: Clause, engine: TextIndex, pool: int, within: Sequence[int] | None = None
) -> dict[int, float]:
    """BM25 of the `pool` best units, and of all that tie with the last of them."""
    return dict(engine.find(clause, pool, within))


def best_by_rare_words(
    clause: Clause, engine: TextIndex, containing: Callable[[Clause], int], pool: int
) -> dict[int, float]:
    """The same, without scoring the units that hold only common words where others are sure to rank above them.

    Args:
        clause: the words.
        engine: finds them.
        containing: how many units hold a word.
        pool: how many units are wanted.
    """
    if clause.op != "any" or any(part.op != "token" for part in clause.parts):
        return best(clause, engine, pool)
    counts = {part: containing(part) for part in clause.parts}
    rare, common = _parted(counts)
    if _held(common, counts) < _RARE or _held(rare, counts) < pool:
        return best(clause, engine, pool)
    alone = Clause("any", parts=tuple(rare))
    once = dict(engine.find(alone, _RARE))
    # Both engines count the words of every part, so here the rare words count twice and the common ones once.
    twice = engine.find(Clause("all", parts=(alone, clause)), _RARE)
    units = engine.size()[0]
    # However often the common words stand in a unit, and however short it is, they give it no more than this.
    most = sum((K1 + 1) * idf(units, counts[part]) for part in common)
    sure = {hit.rowid: score for hit in twice if (score := hit.score - once[hit.rowid]) > most}
    return _cut(sure, pool) if len(sure) >= pool else best(clause, engine, pool)


def _plain_words(clause: Clause) -> list[Clause]:
    """The tokens of which a unit must hold any; none when something else is asked."""
    if clause.op == "token":
        return [clause]
    words = [_plain_words(part) for part in clause.parts] if clause.op == "any" else []
    return [word for found in words for word in found] if all(words) else []


def _parted(counts: dict[Clause, int]) -> tuple[list[Clause], list[Clause]]:
    """The rarest words that few units hold together, and the others."""
    ordered = sorted(counts, key=lambda part: (counts[part], part.text))
    held = 0
    for place, part in enumerate(ordered):
        held += counts[part]
        if held > _RARE:
            return ordered[:place], ordered[place:]
    return ordered, []


def _held(words: Iterable[Clause], counts: dict[Clause, int]) -> int:
    return sum(counts[word] for word in words)


def _cut(scores: dict[int, float], pool: int) -> dict[int, float]:
    least = sorted(scores.values(), reverse=True)[pool - 1]
    return {rowid: score for rowid, score in scores.items() if score >= least}
