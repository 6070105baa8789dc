"""Later lines that say that an earlier one holds no longer, whatever was asked: `PowerSoil is dead to me`, of the kit that a question is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from memoryclaw.late import NamedTuple
from memoryclaw.model import Unit
from memoryclaw.recall.question import Question
from memoryclaw.recall.rank import Ranked, Ranking
from memoryclaw.recall.restated import end_test, telling_lines
from memoryclaw.recall.search import Searcher
from memoryclaw.text.language import words_of

FOLLOWED = 3  # of the best units, to which what was said later is looked for
COMPARED = 36  # units that share words with them
_SPOKEN = frozenset({"fact", "turn"})


class Earlier(NamedTuple):
    """A line that somebody said on a day."""

    id: str
    day: str
    text: str


class Sequel(NamedTuple):
    """A sentence of a later unit that ends an earlier line."""

    of: str  # the id of the earlier line
    hit: Ranked
    unit: Unit
    sentence: str


def sequels(searcher: Searcher, question: Question, lines: Sequence[Earlier]) -> Iterator[Sequel]:
    """The sentences of later units that end these lines."""
    first = min((line.day for line in lines), default="")
    hits = [
        hit
        for hit in (searcher.sharing((line.text for line in lines), COMPARED) if lines else ())
        if hit.unit.kind in _SPOKEN
        and not hit.unit.asks
        and hit.unit.trust not in ("untrusted", "quarantined")
        and hit.unit.role != "assistant"
        and hit.unit.at[:10] > first
    ]
    units = searcher.units(hits) if hits else {}
    telling = {rowid: later for rowid, unit in units.items() if (later := telling_lines(unit, question))}
    for line in lines if telling else ():
        ends = end_test(line.text, date.fromisoformat(line.day), question)
        words = f" {' '.join(words_of(line.text))} "
        for hit in hits:
            unit = units[hit.unit.rowid]
            later = telling.get(hit.unit.rowid, []) if unit.when[:10] > line.day else []
            ending = next(filter(ends, later), None)
            # What is said again ends nothing: `my kettle died on me`.
            if ending and f" {' '.join(words_of(ending.sentence))} " not in words:
                yield Sequel(line.id, hit, unit, ending.sentence)


def _when(sequel: Sequel) -> tuple[str, str]:
    return sequel.unit.when, sequel.unit.id


def followed(searcher: Searcher, ranking: Ranking, best: Sequence[Ranked]) -> Ranking:
    """The ranking, in which what ends one of the best lines scores as much as that line; of a question with fields nothing but what it asks for."""
    if ranking.question.query.filters:
        return ranking
    spoken = [
        hit for hit in best if hit.unit.kind in _SPOKEN and hit.unit.role != "assistant" and hit.unit.at
    ]
    units = searcher.units(spoken[:FOLLOWED]).values()
    lines = [
        Earlier(unit.id, unit.when[:10], unit.value if unit.kind == "fact" else unit.text) for unit in units
    ]
    newest = {row.of: row for row in sorted(sequels(searcher, ranking.question, lines), key=_when)}
    if not newest:
        return ranking
    ranked = {hit.unit.rowid: hit for hit in ranking.units}
    scores, lifted = {hit.unit.id: hit.score for hit in ranking.units}, dict[int, Ranked]()
    for sequel in newest.values():
        rowid, score = sequel.hit.unit.rowid, scores[sequel.of]
        hit = lifted.get(rowid) or ranked.get(rowid) or sequel.hit
        if not hit.decision and hit.score < score:
            gained = ("sequel", score - hit.score)
            lifted[rowid] = hit._replace(score=score, terms=[*hit.terms, gained], ends=sequel.of)
    if not lifted:
        return ranking
    others = (hit for hit in ranking.units if hit.unit.rowid not in lifted)
    # What is newer stands before what it ends.
    in_order = sorted([*lifted.values(), *others], key=lambda hit: hit.score, reverse=True)
    return ranking._replace(units=in_order)
