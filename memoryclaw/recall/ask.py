"""Ask: the lines that answer a question, cited, from what a recall brings up; or that there are none. No model takes part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memoryclaw.index.stemming import language
from memoryclaw.model import Answer, Match, Matched, Recalled
from memoryclaw.recall.packing import text_of
from memoryclaw.recall.question import RELATED_IN, kin_of
from memoryclaw.recall.rank import OVER, Ranking
from memoryclaw.recall.search import Searcher, answering_share
from memoryclaw.text.dates import falls_in
from memoryclaw.text.language import words_of
from memoryclaw.text.sentences import sentences
from memoryclaw.text.snippets import snippet, without_block_ids, without_markup

LINES = 5  # that are shown at most
NEAREST = 3  # where none answers
_OF_BEST = 0.7  # of the best line's share of the question: what holds less is beside the point
_BLOCK = re.compile(
    r"\s*(?:[-*+>|#]|\d+[.)]\s|[\w -]{1,40}::(?:\s|$))"
)  # a line that is an item, a quote, a row, a heading or a property of its own
_MARKS = re.compile(
    r"(?:\s*(?:[-*+]\s|>))*\s*"
)  # of bullets and quotes, before a line; `**` begins what is bold
_ONE_LINE = frozenset({"fact", "turn", "todo"})  # kinds that are one line
_WIDE = 300  # characters of a line; longer ones are cut around the words


class AnswerLine(NamedTuple):
    """One line that answers, and where it stands."""

    text: str
    title: str  # of its note; of a fact and a turn, the text says all
    id: str
    kind: str
    path: str
    line: int
    when: str
    trust: str
    share: float  # of the question's weight that it holds


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion(Answer):
    """What answers a question: `lines` do where it is `answered`, else they are only the nearest."""

    answered: bool = False
    lines: tuple[AnswerLine, ...] = ()


def ask(searcher: Searcher, recalled: Recalled, *, least: float) -> AnsweredQuestion:
    """The lines of a recall that answer its question.

    Args:
        recalled: what was recalled, without what may not be quoted.
        least: a line answers only if it holds more than this share of the question's weight.
    """
    with searcher.reading():
        ranking = searcher.find(recalled.query, newest=True)
        lines = list(_lines(searcher, ranking, recalled.matches))
    best = max((one.share for one in lines), default=0.0)
    answering = [one for one in lines if one.share > least and one.share >= best * _OF_BEST]
    return AnsweredQuestion(
        query=recalled.query, matches=recalled.matches, left_out=recalled.left_out, trace=recalled.trace,
        confidence=recalled.confidence, did_you_mean=recalled.did_you_mean, notices=recalled.notices, degraded=recalled.degraded,
        behind=recalled.behind, timings_ms=recalled.timings_ms,
        answered=bool(answering), lines=tuple(answering[:LINES] or [one for one in lines if one.share][:NEAREST]),
    )  # fmt: skip


def _lines(searcher: Searcher, found: Ranking, matches: Sequence[Match]) -> Iterator[AnswerLine]:
    """The best line of each match, in rank order, without those that say nothing new."""
    spoken: list[set[str]] = []
    kinds: dict[tuple[str, int], str] = {}
    for match in matches:
        text, line, share = _best(searcher, found, match)
        if kinds.setdefault((match.path, line), match.unit.kind) != match.unit.kind:
            continue  # a property, and the line of its note that it stands on
        words = set(words_of(text))
        if not words or text.rstrip("\"'”’)*_ ").endswith(("?", "？")) or any(words <= one for one in spoken):
            continue
        spoken.append(words)
        unit = match.unit
        yield AnswerLine(
            text,
            "" if unit.kind in _ONE_LINE else unit.title,
            unit.id,
            unit.kind,
            match.path,
            line,
            unit.when[:10],
            unit.trust,
            round(share, 4),
        )


def _best(searcher: Searcher, found: Ranking, match: Match) -> tuple[str, int, float]:
    """The line of a unit that holds most of the question, the first of them, its number and its share."""
    unit = match.unit
    if unit.kind in _ONE_LINE:
        matches = [hit for hit in match.matched if hit.via not in ("neighbour", "vector")]
        return (
            _short(text_of(unit), match),
            unit.line,
            answering_share(found, [*matches, *_due(found, match)]),
        )
    sentences_of_unit = list(_sentences(without_block_ids(unit.text)))
    shares = searcher.shares_of_lines(found, match, [text for _, text in sentences_of_unit])
    if not sentences_of_unit:
        return "", unit.line, 0.0
    if not found.question.weights:  # of a time alone, every line answers
        shares = [1.0] * len(shares)
    best = max(range(len(sentences_of_unit)), key=lambda n: (shares[n], -n))
    line, text = sentences_of_unit[best]
    if text.startswith("#") and best + 1 < len(
        sentences_of_unit
    ):  # a heading says what the line below it is about
        text = f"{text.lstrip('# ')}: {sentences_of_unit[best + 1][1]}"
    return _short(_MARKS.sub("", text, count=1), match), unit.line + line, shares[best]


def _due(found: Ranking, match: Match) -> list[Matched]:
    """The words for a deadline, where the unit has a day of its own that was asked about, and is not over: that day says what they ask."""
    unit, ranges = match.unit, found.question.days
    if unit.field in OVER or not any(falls_in(unit.days, one.start, one.end) for one in ranges):
        return []
    spoken = [language(code) for code in RELATED_IN]
    return [
        Matched(word=word, field="date", via="date")
        for word in found.question.weights
        if any(one.token("deadline") in (one.token(word), *kin_of(one.token(word), one)) for one in spoken)
    ]


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, each with the number of the line on which it begins, from 0."""
    begin, block = 0, list[str]()
    for number, line in enumerate([*text.split("\n"), ""]):
        if block and (not line.strip() or _BLOCK.match(line) or _BLOCK.match(block[0])):
            joined, offset = "\n".join(block), 0
            for sentence in sentences(" ".join(block)):
                offset = max(joined.replace("\n", " ").find(sentence, offset), offset)
                yield begin + joined.count("\n", 0, offset), sentence.strip()
            block = []
        if line.strip():
            begin, block = (begin if block else number), [*block, line]


def _short(text: str, match: Match) -> str:
    return snippet(without_markup(text), match.surfaces, _WIDE).text
