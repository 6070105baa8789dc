"""Ask: the lines that answer a question, cited, from what a recall brings up; or that there are none. No model takes part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from memoryclaw.index.stemming import language
from memoryclaw.model import Answer, Match, Matched, Recalled, Term
from memoryclaw.recall.packing import text_of
from memoryclaw.recall.question import RELATED_IN, Question, kin_of
from memoryclaw.recall.rank import OVER, Ranking, names_field
from memoryclaw.recall.search import Searcher, answering_share
from memoryclaw.text.dates import falls_in, find_ranges
from memoryclaw.text.language import words_of
from memoryclaw.text.sentences import sentences
from memoryclaw.text.snippets import snippet, without_block_ids, without_markup
from memoryclaw.vault.value_forms import holds_form

BUDGET = 1200  # tokens of the recall that is looked through: what a person is shown of it is less
LINES = 5  # that answer, at most
NEAREST = 8  # passages that are shown where none is sure to
_OF_BEST = 0.7  # of the best line's sum: what has less is beside the point
# What a line loses of the share of the question that it holds.
FORM = {
    "who": 0.45,
    "where": 0.45,
    "what": 0.45,
    "when": 0.6,
    "much": 0.6,
}  # where it has nothing of the form that is asked for
LATER = 0.4  # as far as another day's line holds as much since: it may say otherwise
RIVAL = 0.1  # for each other line that holds about as much, at most so many
RIVALS = 5
OTHERWISE = 1.0  # what it tells is known to hold no longer
ASKS = 0.5  # it is a question itself
ASSISTANT = 0.2  # it is the assistant's
QUOTED = 0.5  # of what only words of others hold that stand in it
_BLOCK = re.compile(
    r"\s*(?:[-*+>|#]|\d+[.)]\s|[\w -]{1,40}::(?:\s|$))"
)  # a line that is an item, a quote, a row, a heading or a property of its own
_MARKS = re.compile(
    r"(?:\s*(?:[-*+]\s|>))*\s*"
)  # of bullets and quotes, before a line; `**` begins what is bold
_QUOTATION = re.compile(r"“[^“”\n]*+”|(?<!\w)\"[^\"\n]*+\"")
_ONE_LINE = frozenset({"fact", "turn", "todo"})  # kinds that are one line
_SPOKEN = frozenset({"turn", "episode"})  # in which a quotation is somebody else's
_ANSWERS = "– "  # with which an episode puts an answer behind its question
_WIDE, _AROUND = 300, 600  # characters of a line, and of a passage


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
    terms: tuple[Term, ...] = ()  # what speaks for it, and what against

    @property
    def worth(self) -> float:
        """The sum of its terms."""
        return round(sum(term.value for term in self.terms), 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion(Answer):
    """What answers a question: `lines` do where it is `answered`, else they are only the nearest."""

    answered: bool = False
    lines: tuple[AnswerLine, ...] = ()


class _Candidate(NamedTuple):
    """The line of a match that answers best, and how it reads with the lines around it."""

    line: AnswerLine
    passage: str
    is_certain: bool  # its field is what the question asks for: later talk is reconciled with it


def ask(searcher: Searcher, recalled: Recalled, *, least: float) -> AnsweredQuestion:
    """The lines of a recall that answer its question.

    Args:
        recalled: what was recalled, without what may not be quoted.
        least: a line answers only if what speaks for it is more than this.
    """
    with searcher.reading():
        ranking = searcher.find(recalled.query, newest=True)
        candidates = _against_others([*_candidates(searcher, ranking, recalled.matches)])
    if not recalled.relevance.passes:
        candidates = [one for one in candidates if one.line.share]
    best = max((one.line.worth for one in candidates), default=0.0)
    answering = [
        one.line for one in candidates if one.line.worth > least and one.line.worth >= best * _OF_BEST
    ]
    return AnsweredQuestion(
        query=recalled.query, matches=recalled.matches, left_out=recalled.left_out, trace=recalled.trace,
        confidence=recalled.confidence, did_you_mean=recalled.did_you_mean, notices=recalled.notices, degraded=recalled.degraded,
        behind=recalled.behind, timings_ms=recalled.timings_ms,
        answered=bool(answering), lines=tuple(answering[:LINES] or islice(_nearest(candidates), NEAREST)),
    )  # fmt: skip


def _nearest(candidates: Iterable[_Candidate]) -> Iterator[AnswerLine]:
    """The lines that may answer, with those around them; none that another one shows already."""
    shown: list[set[str]] = []
    for one in candidates:
        words = set(words_of(one.line.text))
        if any(words <= passage for passage in shown):
            continue
        shown.append(set(words_of(one.passage)))
        yield one.line._replace(text=one.passage)


def _against_others(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The candidates, less sure where others hold as much, and where another day has said so since."""
    words = {one.line.id: set(words_of(one.line.text)) for one in candidates}

    def against(line: AnswerLine) -> Iterator[Term]:
        others = [one.line for one in candidates if one.line.share and one.line.id != line.id]
        since = [one.share for one in others if line.when and one.when > line.when]
        rivals = [
            one
            for one in others
            if one.share >= _OF_BEST * line.share
            and len(words[one.id] & words[line.id]) < len(words[line.id]) / 2
        ]
        yield Term("later", -LATER * min(max(since, default=0.0) / line.share, 1.0))
        yield Term("rivals", -RIVAL * min(len(rivals), RIVALS))

    return [
        one
        if one.is_certain or not one.line.share
        else one._replace(
            line=one.line._replace(
                terms=(
                    *one.line.terms,
                    *(Term(name, round(value, 4)) for name, value in against(one.line) if value),
                )
            )
        )
        for one in candidates
    ]


def _candidates(searcher: Searcher, found: Ranking, matches: Sequence[Match]) -> Iterator[_Candidate]:
    """The best line of each match, in rank order, without those that say nothing new."""
    spoken: list[set[str]] = []
    kinds: dict[tuple[str, int], str] = {}
    for match in matches:
        candidate = _best(searcher, found, match)
        if candidate is None:
            continue
        text, line = candidate.line.text, candidate.line.line
        if kinds.setdefault((match.path, line), match.unit.kind) != match.unit.kind:
            continue  # a property, and the line of its note that it stands on
        words = set(words_of(text))
        if not words or _asks(text) or any(words <= one for one in spoken):
            continue
        spoken.append(words)
        yield candidate


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’)*_ ").endswith(("?", "？"))


def _best(searcher: Searcher, found: Ranking, match: Match) -> _Candidate | None:
    """The line of a unit that speaks most for itself, the first of them."""
    unit, question = match.unit, found.question
    text = text_of(unit) if unit.kind in _ONE_LINE else without_block_ids(unit.text)
    if unit.kind in _ONE_LINE and (unit.kind != "turn" or len(text) <= _WIDE):
        pieces = [(0, text)]
        matched = [hit for hit in match.matched if hit.via not in ("neighbour", "vector")]
        shares = [answering_share(found, [*matched, *_due(found, match)])]
    else:
        pieces = [*_pieces(text)]
        shares = searcher.shares_of_lines(found, match, [text for _, text in pieces])
        if not question.weights:  # of a time alone, the lines that tell it answer, else every line
            tell = [_tells_of(question, text) for _, text in pieces]
            shares = [float(tells or not any(tell)) for tells in tell]
    if not pieces:
        return None
    is_certain = bool(unit.field) and (
        question.asks_for(unit.field, unit.days, unit.entity) or names_field(question, unit)
    )
    own = shares
    if unit.kind in _SPOKEN and any(_QUOTATION.search(piece) for _, piece in pieces):
        own = searcher.shares_of_lines(found, match, [_QUOTATION.sub(" ", piece) for _, piece in pieces])
    terms = [
        _terms(match, question, piece, share, share - of_own, is_certain=is_certain)
        for (_, piece), share, of_own in zip(pieces, shares, own, strict=True)
    ]
    best = max(range(len(pieces)), key=lambda n: (shares[n] > 0, sum(term.value for term in terms[n]), -n))
    line, text = pieces[best]
    last = best
    if text.startswith("#") and best + 1 < len(pieces):  # a heading says what the line below it is about
        last = best + 1
        text = f"{text.lstrip('# ')}: {pieces[last][1]}"
    read = _short(_MARKS.sub("", text, count=1), match)
    answer = AnswerLine(
        read,
        "" if unit.kind in _ONE_LINE else unit.title,
        unit.id,
        unit.kind,
        match.path,
        unit.line + line,
        unit.when[:10],
        unit.trust,
        round(shares[best], 4),
        terms[best],
    )
    return _Candidate(answer, _passage(pieces, best, last, read), is_certain)


def _tells_of(question: Question, text: str) -> bool:
    """True for a line that names a day of those that are asked about, with its year: "yesterday" was another day then."""
    spans = [span for span in find_ranges(text, question.today)[0] if span.start[:4] in span.text]
    return any(
        day.start <= span.start == span.end <= day.end
        for day in question.days
        for span in spans
        if span.start
    )


def _terms(
    match: Match, question: Question, text: str, share: float, quoted: float, *, is_certain: bool
) -> tuple[Term, ...]:
    """What speaks for a line, and what against."""
    unit, form = match.unit, question.form
    fits = (
        is_certain
        or not form
        or bool(question.days)
        or (share > 0 and holds_form(form, text, frozenset(words_of(question.query.text)), question.today))
    )
    against = {
        "form": 0.0 if fits else FORM[form],
        "superseded": OTHERWISE * bool(match.superseded),
        "asks": ASKS * _asks(text),
        "assistant": ASSISTANT * (unit.role == "assistant"),
        "quoted": round(QUOTED * max(quoted, 0.0), 4),
    }
    return (
        Term("words", round(share, 4)),
        *(Term(name, -value) for name, value in against.items() if value and share),
    )


def _passage(pieces: Sequence[tuple[int, str]], first: int, last: int, text: str) -> str:
    """A line with those below and above it, as far as there is room."""
    grows = True
    while grows:
        grows = False
        for at, is_below in ((last + 1, True), (first - 1, False)):
            if 0 <= at < len(pieces):
                more = without_markup(_MARKS.sub("", pieces[at][1], count=1))
                if len(text) + len(more) < _AROUND:
                    text, grows = f"{text}\n{more}" if is_below else f"{more}\n{text}", True
                    first, last = min(first, at), max(last, at)
    return text


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, a question with the answer behind it."""
    question: tuple[int, str] | None = None
    for line, sentence in _sentences(text):
        if question and sentence.startswith(_ANSWERS):
            yield question[0], f"{question[1]} {sentence}"
            question = None
            continue
        if question:
            yield question
        question = (line, sentence) if _asks(sentence) else None
        if not question:
            yield line, sentence
    if question:
        yield question


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
