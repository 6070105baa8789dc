"""Blocks of a turn → those that somebody else wrote: a sum of named features of each and of the request that stands beside it.

The forms of what people paste (`layout`) are known by themselves; the sum judges what has none. Its weights are learned by
`benchmarks/whose.py` and kept in `data/whose.toml`; a new feature is a new entry here, and counts for nothing until it is learned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from memoryclaw.talk.layout import blocks_of, listed, speaks
from memoryclaw.talk.learned import weighed
from memoryclaw.talk.text_requests import (
    CLEAR,
    SURE,
    asking_part,
    asks_of_text,
    is_about_a_text,
    is_asked,
    is_typed,
)
from memoryclaw.text.grammar import UNREAD, Grammar, grammar, tokens_of
from memoryclaw.text.sentences import sentences

_NO_REQUEST = -2.0  # what a block asks of a text at least
_HALF = 0.5
_EDGES = 3  # blocks at the beginning and at the end of a turn, where people ask
_LONG = 60  # words; what is longer tells no more
_LINES = 60  # of a block that are looked at
_LEAST = 5  # words of a block that is judged
_NAME = 4  # words of a signature, at most
_EDGE = 6  # words of a block among which it takes leave
_ITEM = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,2}[.)])[ \t]+\S")
_DASHED = re.compile(r"(?:^|\s)[-–—] ?[^\W\d_a-zß-ÿ][\w'’.-]{0,20}$")


class Block:
    """A paragraph of a turn, or a line at its edge that asks, and the block of the turn that asks most beside it."""

    def __init__(self, lines: Sequence[str], place: range, words: Grammar) -> None:
        self.place, self.words = place, words
        self.lines = [line.strip() for line in lines[place.start : place.stop][:_LINES]]
        self.text = " ".join(self.lines)
        self.tokens = tokens_of(self.text)
        self.turn: Sequence[Block] = ()
        self.number = 0  # its place among the blocks of the turn
        self.turn_words = 0  # of all of them
        self.announces = False  # words of others stand in it behind a colon, or below it
        self.others = False  # it stands beside what is known to be of others
        self.is_theirs = False  # as far as is known
        self.answer = ""  # how the assistant's begins

    @cached_property
    def sentences(self) -> Sequence[str]:
        """Its sentences."""
        return sentences(self.text)

    @cached_property
    def asks(self) -> float:
        """How far it asks for something to be done with a text beside it."""
        return max(_NO_REQUEST, *(asks_of_text(line, self.words) for line in {self.lines[0], self.lines[-1]}))

    @cached_property
    def part(self) -> Sequence[str]:
        """The words of it that ask most."""
        return tokens_of(
            max(
                (asking_part(line, self.words) for line in (self.lines[0], self.lines[-1])),
                key=lambda part: asks_of_text(part, self.words),
            )
        )

    @cached_property
    def written(self) -> float:
        """The share of its sentences that begin with a capital letter."""
        return sum(not is_typed(sentence) for sentence in self.sentences) / max(1, len(self.sentences))

    @cached_property
    def request(self) -> Block | None:
        """The other block that asks most, the nearest of several."""
        near = (
            *self.turn[:_EDGES],
            *self.turn[max(0, self.number - 1) : self.number + 2],
            *self.turn[-_EDGES:],
        )
        others = [block for block in near if block is not self]
        return max(others, key=lambda one: (one.asks, -abs(one.number - self.number)), default=None)

    @cached_property
    def beyond(self) -> Block | None:
        """What stands on the other side of the request."""
        if self.request is None:
            return None
        step = 1 if self.request.number > self.number else -1
        number = self.request.number + step
        return self.turn[number] if 0 <= number < len(self.turn) else None

    def share(self, *names: str) -> float:
        """The share of its words that stand in some lists, of its language or of any."""
        lists = [getattr(each, name) for each in (self.words, grammar(UNREAD)) for name in names]
        return sum(any(token in entries for entries in lists) for token in self.tokens) / max(
            1, len(self.tokens)
        )


def _request(test: Callable[[Block, Block], float]) -> Callable[[Block], float]:
    """A feature of a block and the request beside it."""
    return lambda block: 0.0 if block.request is None else test(block, block.request)


def _speaks_of_the_speaker(tokens: Sequence[str], words: Grammar) -> bool:
    """Also of what is theirs; `how do I answer` and `what does she want from me` ask about a text."""
    is_of_a_text = any(listed(name).within(tokens) for name in ("answering", "somebody"))
    return not is_of_a_text and speaks(" ".join(tokens), words, to_somebody=False)


def _is_signed(block: Block) -> float:
    """It ends with a name: `Edna`, `Thx, Ngozi`, `- Tasha`."""
    if _DASHED.search(block.text):
        return True
    last = block.sentences[-1] if len(block.sentences) > 1 else ""
    last = block.lines[-1] if len(block.lines) > 1 else last
    tokens = tokens_of(last)
    is_name = (
        0 < len(tokens) <= _NAME
        and not is_typed(last)
        and not any(map(str.isdigit, last))
        and last[-1] not in "!?…:"
    )
    return is_name and not any(
        token in block.words.verbs or token in block.words.everyday for token in tokens[-1:]
    )


def _takes_leave(block: Block) -> float:
    tail = block.tokens[-_EDGE:]
    return any(listed(name).within(tail) for name in ("farewells", "regards", "thanks"))


def _lines_of(pattern: re.Pattern[str]) -> Callable[[Block], float]:
    return lambda block: sum(bool(pattern.match(line)) for line in block.lines) / len(block.lines)


def _has_another_text(block: Block, request: Block) -> float:
    """The request has a text on its other side, or in itself, that is as long."""
    if request.announces or request.others:
        return 1.0
    return block.beyond is not None and len(block.beyond.tokens) / (
        len(block.beyond.tokens) + len(block.tokens)
    )


# Each by the name that an explanation shows.
FEATURES: Mapping[str, Callable[[Block], float]] = {
    # the request beside it
    "what the request asks": _request(lambda _, request: request.asks - _NO_REQUEST),
    "a request above": _request(lambda one, request: request.number < one.number),
    "a clear request of it alone": _request(lambda one, request: request.asks >= CLEAR and abs(request.number - one.number) == 1 and _has_another_text(one, request) < _HALF),
    "asks for nothing but work on a text": _request(lambda _, request: request.asks >= SURE),
    "the request has another text": _request(_has_another_text),
    "a colon leads to it": _request(lambda one, request: request.number < one.number and request.text.endswith((":", "："))),
    "the request speaks of the speaker": _request(lambda _, request: _speaks_of_the_speaker(request.part, request.words)),
    "the request asks about somebody": _request(lambda _, request: listed("somebody").within(request.part)),
    "written, and the request typed": _request(lambda one, request: one.written * is_typed(request.text)),
    "typed as the request is": _request(lambda one, request: (1 - one.written) * is_typed(request.text)),
    "the answer is about a text": lambda one: bool(one.answer) and is_about_a_text(one.answer, one.text, one.words),
    # its manner
    "greets": lambda one: listed("greetings").at(one.tokens) > 0,
    "is signed": _is_signed,
    "takes leave": _takes_leave,
    "length": lambda one: math.log1p(min(_LONG, len(one.tokens))),
    "lines": lambda one: math.log1p(len(one.lines)),
    "share of the turn": lambda one: len(one.tokens) / one.turn_words,
    "written": lambda one: one.written,
    "items": _lines_of(_ITEM),
    # whom it speaks of, and to
    "the speaker": lambda one: one.share("first_person"),
    "own thing": lambda one: one.share("possessives_own"),
    "the one spoken to": lambda one: one.share("second_person"),
    "asks something": lambda one: "?" in one.text,
    "asks itself clearly": lambda one: one.asks >= CLEAR,
    "takes up what was said": lambda one: one.words.acknowledgements.at(one.tokens) > 0 or one.words.openers.at(one.tokens) > 0,
    "to be remembered": lambda one: one.words.remember_phrases.within(one.tokens),
    # its place
    "begins the turn": lambda one: one.number == 0,
    "ends the turn": lambda one: one.number == len(one.turn) - 1,
    "alone": lambda one: len(one.turn) == 1,
    "beside a block of others": lambda one: any(other.is_theirs for other in one.turn[max(0, one.number - 1) : one.number + 2] if other is not one),
}  # fmt: skip


def features_of(block: Block) -> dict[str, float]:
    """The features of a block, by their names."""
    return {name: float(feature(block)) for name, feature in FEATURES.items()}


def blocks(
    lines: Sequence[str],
    others: AbstractSet[int],
    words: Grammar,
    announcing: AbstractSet[int] = frozenset(),
    answer: str = "",
) -> list[Block]:
    """The blocks of a turn that no form tells.

    Args:
        lines: of the turn.
        others: the places of those that are known to be somebody else's.
        words: the grammar of its language.
        announcing: the places of those that announce words of others.
        answer: how the assistant's begins.
    """
    turn = [Block(lines, place, words) for place in _places(lines, others, words)]
    turn_words = sum(len(block.tokens) for block in turn)
    for number, block in enumerate(turn):
        block.turn, block.number, block.turn_words, block.answer = turn, number, turn_words, answer
        block.announces = not announcing.isdisjoint(block.place)
        block.others = not others.isdisjoint(
            (block.place.start - 1, block.place.start - 2, block.place.stop, block.place.stop + 1)
        )
    return turn


def _places(lines: Sequence[str], others: Collection[int], words: Grammar) -> Iterator[range]:
    for first, end in blocks_of(lines):
        start = first
        for number in range(first, end + 1):
            if number == end or number in others:
                if start < number:
                    yield from _parted(lines, range(start, number), words)
                start = number + 1


def _parted(lines: Sequence[str], place: range, words: Grammar) -> Iterator[range]:
    """A paragraph without the lines at its edges that ask, and these."""
    first, stop = place.start, place.stop
    if stop - first > 1 and _may_ask(lines[first], words):
        yield range(first, first + 1)
        first += 1
    last = stop - 1
    if stop - first > 1 and _may_ask(lines[last], words):
        yield range(first, last)
        first = last
    yield range(first, stop)


def _may_ask(line: str, words: Grammar) -> bool:
    return is_asked(line, words) and asks_of_text(line, words) > _NO_REQUEST


def is_judged(block: Block) -> bool:
    """Of a sentence alone nothing tells."""
    return (
        not block.announces
        and len(block.tokens) >= _LEAST
        and (len(block.turn) > 1 or len(block.sentences) > 1)
    )


def written_by_others(
    lines: Sequence[str], others: AbstractSet[int], words: Grammar, announcing: AbstractSet[int], answer: str
) -> set[int]:
    """The places of the lines that somebody else wrote, as the sum tells; arguments as those of `blocks`."""
    undecided = [block for block in blocks(lines, others, words, announcing, answer) if is_judged(block)]
    theirs: list[Block] = []
    while news := [block for block in undecided if weighed("whose", features_of(block)).enough]:
        for block in news:  # what stands beside them may go on from them
            block.is_theirs = True
        theirs += news
        undecided = [
            block
            for block in undecided
            if any(abs(block.number - new.number) == 1 for new in news) and not block.is_theirs
        ]
    return {number for block in theirs for number in block.place}
