"""Blocks of a turn → those that somebody else wrote: a sum of named features of each and of what stands beside it.

The forms of what people paste (`layout`) are known by themselves; the sum judges what has none. Its weights are learned by
`benchmarks/whose.py` and kept in `data/whose.toml`; a new feature is a new entry here, and counts for nothing until it is learned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property

from memoryclaw.talk.layout import blocks_of, listed
from memoryclaw.talk.learned import weighed
from memoryclaw.talk.text_requests import asking_part, asks_of_text, is_about_a_text, is_asked, is_typed
from memoryclaw.text.grammar import UNREAD, Grammar, grammar, spoken_in, tokens_of
from memoryclaw.text.sentences import sentences

_NO_REQUEST = -2.0  # what a line asks of a text at least, to count
_LINES = 60  # of a block that are looked at
_SHORT = 8
_SIGNED = re.compile(r"(?:[.!?…,)]|\bx+|[-–—])[ \t]*[-–—]?[ \t]*[^\W\d_a-zß-ÿ][\w'’.-]*(?: [^\W\d_a-zß-ÿ][\w'’.-]*){0,2}(?: \([^()\n]{1,20}\))?[ \t]*$")
_SMALL_I = re.compile(r"(?<![\w'’.])(?:i|im|ive|ill|dont|cant|wont|u|ur|pls|thx)(?![\w.])")
_ITEM = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,2}[.)])[ \t]+\S")
_LABELLED = re.compile(r"\W{0,4}\w[\w.-]{0,40}(?: \w[\w.-]{0,40})?: ")


class Block:
    """A paragraph of a turn, or a line that asks at its edge, with the others of the turn."""

    def __init__(self, lines: Sequence[str], place: range, words: Grammar) -> None:
        self.place, self.words = place, words
        self.lines = [line.strip() for line in lines[place.start : place.stop][:_LINES]]
        self.text = " ".join(self.lines)
        self.tokens = tokens_of(self.text)
        self.above: Block | None = None
        self.below: Block | None = None
        self.turn: Sequence[Block] = ()
        self.announces = False
        self.answer = ""

    @cached_property
    def sentences(self) -> Sequence[str]:
        """Its sentences."""
        return list(sentences(self.text))

    @cached_property
    def asks(self) -> float:
        """How far it asks for something to be done with a text beside it."""
        return max(_NO_REQUEST, *(asks_of_text(line, self.words) for line in (self.lines[0], self.lines[-1])))

    @cached_property
    def written(self) -> float:
        """The share of its sentences that begin with a capital letter and end with a mark."""
        whole = [not is_typed(sentence) for sentence in self.sentences]
        return sum(whole) / max(1, len(whole))

    @property
    def beside(self) -> Block | None:
        """The neighbour that asks most."""
        return max((one for one in (self.above, self.below) if one), key=lambda one: one.asks, default=None)

    @cached_property
    def language(self) -> str:
        return spoken_in(self.text, self.words.code)


def _share(block: Block, *names: str) -> float:
    kinds = [(getattr(block.words, name), getattr(grammar(UNREAD), name)) for name in names]
    return sum(any(token in entries for pair in kinds for entries in pair) for token in block.tokens) / max(1, len(block.tokens))


def _asks(block: Block | None) -> float:
    return block.asks - _NO_REQUEST if block else 0.0


def _elsewhere(block: Block) -> float:
    return max((_asks(one) for one in block.turn if one not in (block, block.above, block.below)), default=0.0)


def _is_of_speaker(block: Block) -> float:
    """The neighbour that asks speaks of the speaker."""
    beside = block.beside
    return beside is not None and _share(beside, "first_person", "possessives_own") > 0


def _whom(block: Block) -> str:
    return asking_part(block.beside.text, block.words) if block.beside else ""


def _asks_about_somebody(block: Block) -> float:
    return listed("somebody").within(tokens_of(_whom(block)))


def _names_whom(block: Block) -> float:
    tokens, words = block.tokens, block.words
    owned = (words.roles.at(tokens, n + 1) for n, token in enumerate(tokens) if token in words.possessives_own)
    return bool(_asks_about_somebody(block)) and (listed("somebody").within(tokens) or any(owned))


def _title(block: Block) -> float:
    above = block.above
    return above is not None and len(above.tokens) <= _SHORT and above.asks <= 0 and not is_asked(above.text, block.words) and not _share(above, "first_person", "verbs")


FEATURES: Mapping[str, Callable[[Block], float]] = {
    "a request above": lambda one: _asks(one.above),
    "a request below": lambda one: _asks(one.below),
    "a request elsewhere": _elsewhere,
    "a clear request": lambda one: max((other.asks for other in one.turn if other is not one), default=-2) >= 2,
    "asks itself": _asks,
    "a colon leads to it": lambda one: one.above is not None and one.above.text.endswith((":", "：")),
    "greets": lambda one: listed("greetings").at(one.tokens) > 0,
    "greets the reader and tells who it is": lambda one: listed("greetings").at(one.tokens) > 0 and _share(one, "second_person") > 0,
    "is signed": lambda one: bool(_SIGNED.search(one.lines[-1])) or (len(one.lines) > 1 and len(tokens_of(one.lines[-1])) < 4 and not is_typed(one.lines[-1])),
    "takes leave": lambda one: listed("farewells").within(one.tokens[-4:]) or listed("regards").within(one.tokens[-6:]) or listed("thanks").within(one.tokens[-4:]),
    "length": lambda one: math.log1p(len(one.tokens)),
    "sentences": lambda one: math.log1p(len(one.sentences)),
    "lines": lambda one: math.log1p(len(one.lines)),
    "share of the turn": lambda one: len(one.tokens) / max(1, sum(len(other.tokens) for other in one.turn)),
    "written": lambda one: one.written,
    "written, and the request typed": lambda one: one.beside is not None and one.written * is_typed(one.beside.text),
    "typed as the request is": lambda one: one.beside is not None and (1 - one.written) * is_typed(one.beside.text),
    "typed in haste": lambda one: bool(_SMALL_I.search(one.text)),
    "ends as a sentence": lambda one: one.text.endswith((".", "!", "…", "。")),
    "the speaker": lambda one: _share(one, "first_person"),
    "own thing": lambda one: _share(one, "possessives_own"),
    "the one spoken to": lambda one: _share(one, "second_person"),
    "asks something": lambda one: "?" in one.text,
    "ends in a question": lambda one: one.text.endswith(("?", "？")),
    "begins the turn": lambda one: one.above is None,
    "ends the turn": lambda one: one.below is None,
    "alone": lambda one: len(one.turn) == 1,
    "the request speaks of the speaker": _is_of_speaker,
    "the request asks about somebody": _asks_about_somebody,
    "whom the request asks about": _names_whom,
    "another language": lambda one: one.beside is not None and one.language != one.beside.language,
    "items": lambda one: sum(bool(_ITEM.match(line)) for line in one.lines) / len(one.lines),
    "labels": lambda one: sum(bool(_LABELLED.match(line)) for line in one.lines) / len(one.lines),
    "to be remembered": lambda one: one.words.remember_phrases.within(one.tokens),
    "takes up what was said": lambda one: one.words.acknowledgements.at(one.tokens) > 0 or one.words.openers.at(one.tokens) > 0,
    "a title above": _title,
    "the answer is about a text": lambda one: bool(one.answer) and is_about_a_text(one.answer, one.text, one.words),
    "a wish": lambda one: one.words.politeness.within(one.tokens),
}  # fmt: skip


def features_of(block: Block) -> dict[str, float]:
    """The features of a block, by their names."""
    return {name: float(feature(block)) for name, feature in FEATURES.items()}


def blocks(
    lines: Sequence[str], others: Collection[int], words: Grammar, announced: frozenset[int] | set[int] = frozenset(), answer: str = ""
) -> list[Block]:
    """The blocks of a turn that no form tells, each with its neighbours."""
    turn = [Block(lines, place, words) for place in _places(lines, others, words)]
    for number, block in enumerate(turn):
        block.above = turn[number - 1] if number else None
        block.below = turn[number + 1] if number + 1 < len(turn) else None
        block.turn = turn
        block.answer = answer
        block.announces = not announced.isdisjoint(block.place)
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
    """Of a line alone nothing tells."""
    return not block.announces and len(block.tokens) > 4 and (len(block.turn) > 1 or len(block.sentences) > 1)


def written_by_others(
    lines: Sequence[str], others: Collection[int], words: Grammar, announced: frozenset[int] | set[int] = frozenset(), answer: str = ""
) -> set[int]:
    """The places of the lines that somebody else wrote, as the sum tells."""
    return {
        number
        for block in blocks(lines, others, words, announced, answer)
        if is_judged(block) and weighed("whose", features_of(block)).enough
        for number in block.place
    }
