"""A segment's turns → the sentences worth keeping, as said. What somebody states goes before what anybody could say.

Each sentence weighs what its words add to those already kept; numbers, names and days weigh more, small talk less, and what is only
a reaction to the other counts little. Sentences are taken, the heaviest for their length first, until the budget is spent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby, pairwise
from typing import NamedTuple

from memoryclaw.consolidation.changes import Quote
from memoryclaw.consolidation.fact_values import resolved
from memoryclaw.consolidation.statements import (
    is_filler,
    is_heartbeat,
    is_kept,
    is_light,
    is_number,
    plain,
    sentences,
    stops,
    terms,
    words,
)
from memoryclaw.consolidation.tool_calls import ToolText, is_call_line, read_call
from memoryclaw.model import Turn
from memoryclaw.text import words as lists
from memoryclaw.text.fence import one_line
from memoryclaw.text.language import WORD
from memoryclaw.text.tokens import length

SHARE = 0.65  # of a segment's tokens that may be kept
LEAST = 160  # tokens: of a short segment so much is kept, whatever it weighs
MOST = 800  # tokens that are kept of any segment
GAIN = 0.142  # what a sentence must add for each token it costs
_QUESTION, _REACTION, _ASSISTANT, _OWN, _ANSWER, _DATED = (
    0.3,
    0.4,
    0.8,
    1.4,
    1.3,
    1.4,
)  # factors of a sentence
_LIGHT, _HARD, _PAIR = (
    0.3,
    2.0,
    0.4,
)  # weights of words: of small talk; of numbers and names; of two characters of one
_AGAIN = 0.4  # what one more sentence of the same turn is worth
_MUSTS = 1600  # tokens of sentences that are kept whatever they weigh
_LONGEST_MUST = 640  # characters of such a sentence
_START = 4  # tokens: keeps the shortest sentences from winning by being short
_EXTRA = 7  # tokens that a point costs besides its words: the bullet, the speaker, the block id
_LONGEST = 320  # characters of one sentence
_ASKED = 110  # characters of a question that is kept for its answer
_CALLS = 6  # tool calls that are named
_SCANNED = 12000  # characters of one turn
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_REACTING = re.compile(
    r"""(?:(?:oh|ah|aw+|wow|yeah|yes|yep|yup|hey|hi|haha|well|so|and|ok(?:ay)?|cool|nice|great|awesome|thanks?|definitely|absolutely|totally|exactly|sure|agreed|true)\b[^,!.]{0,24}+[,!.]\s*+){0,3}
    (?:that(?:'|’)?s|that\s(?:is|was|sounds|looks|must)|those\s(?:are|look|sound)|(?:it\s)?sounds|(?:it\s)?looks|what\s(?:a|an)\b|how\s(?:nice|cool|lovely|great|sweet|exciting)|
    glad|congrat\w*|good\sluck|good\sfor|way\sto|keep\s(?:it|up|going|at|on|pushing)|thanks|thank|i(?:'|’)?m\s(?:so\s|really\s|very\s)?(?:glad|happy|proud|excited|sorry|thrilled)\s(?:for|to\shear|of|that|you)|
    proud\sof|can(?:'|’)?t\swait|i\s(?:totally\s|completely\s|really\s)?(?:agree|understand|know\swhat)|i(?:'|’)?m\srooting|i\sbet|i\shope\syou|hope\s|let\sme\sknow|no\s(?:worries|problem)|enjoy|have\s(?:fun|a\s)|
    wish\syou|you(?:'|’)?(?:re|ve|ll|d)?\b|your\b|best\sof|sorry\sto|appreciate|i\sappreciate|it\smeans|wishing|take\scare|love\s(?:that|the|your|how))""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKING = ("?", "？")
_DASH = re.compile(r"\s[-–—]{1,3}\s|;\s")
_PICTURE = re.compile(r"\[(?:image|photo|video|audio|file)\b[^\]]*\]\W*", re.IGNORECASE)
_TIME = re.compile(
    r"""\b(?:yesterday|tomorrow|tonight|today|ago|(?:last|next|this|past|every|since|until)\s(?:few\s)?(?:week|month|year|night|summer|winter|spring|fall|autumn|weekend|\w+day)s?|
    \w+days?|january|february|march|april|june|july|august|september|october|november|december|
    gestern|vorgestern|morgen|heute|übermorgen|(?:letzte|nächste)[nrs]?|hier|demain|dernière?|prochaine?|ayer|mañana|pasad[oa]|próxim[oa])\b""",
    re.IGNORECASE | re.VERBOSE,
)
_FIRST = frozenset(lists.words("consolidation.first_person"))


class Sentence(NamedTuple):
    """One sentence of a segment, and what it is made of."""

    turn: int  # its place in the segment
    place: int  # in its turn
    text: str
    weights: tuple[tuple[str, float], ...]  # of its words' stems
    factor: float
    cost: int  # tokens
    by_person: bool
    kept: bool = False  # whatever it weighs


def points_of(turns: Sequence[Turn], language: str) -> tuple[tuple[Quote, ...], tuple[Sentence, ...]]:
    """The points of a segment in the order of its lines, and their sentences, the heaviest first."""
    every = list(_sentences(turns, language))
    budget = min(max(LEAST, int(SHARE * sum(sentence.cost for sentence in every))), MOST)
    chosen = _chosen(every, budget)
    texts = {number: _joined(group) for number, group in _by_turn(chosen)}
    for number in sorted(texts):
        question = _question_before(turns, number, texts)
        if question:
            texts[number - 1] = question
    quotes = [
        Quote(turns[number].line, who(turns[number]), resolved(harmless(text), turns[number].ts, language))
        for number, text in texts.items()
    ]
    quotes = sorted([*quotes, *_calls(turns)], key=lambda quote: quote.line)
    return tuple(quotes or _anything(turns)), tuple(chosen)


def who(turn: Turn) -> str:
    """The speaker's name, else the role."""
    return turn.name or turn.role or "somebody"


def is_reaction(text: str) -> bool:
    """True for what only answers the other's words, such as `That's great`."""
    return _REACTING.match(text) is not None


def prose(turn: Turn) -> str:
    """What somebody said, without code blocks and calls of tools."""
    text = _FENCE.sub(" ", turn.text[:_SCANNED]) if "```" in turn.text or "~~~" in turn.text else turn.text
    if "{" in text:
        text = "\n".join(line for line in text.split("\n") if not is_call_line(line))
    return text[:_SCANNED]


def _sentences(turns: Sequence[Turn], language: str) -> Iterator[Sentence]:
    names = frozenset(word for turn in turns for word in words(turn.name))
    stop, asked, known, latest = stops(language) | names, False, set[str](), ""
    for number, turn in enumerate(turns):
        if turn.role in ("tool", "system") or is_heartbeat(turn):
            continue
        for place, text in enumerate(_pieces(prose(turn))):
            kept = is_kept(text) and text != latest
            if (kept or text not in known) and not is_filler(text, names):
                known.add(
                    text
                )  # what is said twice is kept once, unless something else was said of it in between
                latest = text if kept else latest
                short = _short(text, _LONGEST_MUST if kept else _LONGEST)
                factor = _factor(turn, short, asked=asked)
                weights = tuple(_weights(short, stop).items())
                yield Sentence(number, place, short, weights, factor, length(short), _is_person(turn), kept)
        asked = turn.text.rstrip().endswith(_ASKING)


def _pieces(text: str) -> Iterator[str]:
    """Yields sentences, and what a dash or semicolon parts of long ones; the mark stays at the end of the first part."""
    for sentence in sentences(text):
        start = 0
        for hit in _DASH.finditer(sentence):
            if _is_long(sentence[start : hit.start()]) and _is_long(sentence[hit.end() :]):
                yield sentence[start : hit.end()].rstrip()
                start = hit.end()
        yield sentence[start:]


def _is_long(part: str) -> bool:
    return part.count(" ") >= 3


def _weights(text: str, stop: frozenset[str]) -> dict[str, float]:
    weights: dict[str, float] = {}
    shouted = text.isupper()
    for at, word in enumerate(WORD.findall(text)):
        low = plain(word)
        if low not in stop:
            hard = is_number(low) or (at > 0 and word[0].isupper() and not shouted)
            weight = _HARD if hard else _LIGHT if is_light(low) else 1.0
            parts = terms(low)
            for part in parts:
                weights[part] = max(weight if len(parts) == 1 else _PAIR, weights.get(part, 0))
    return weights


def _factor(turn: Turn, text: str, *, asked: bool) -> float:
    """What a sentence is worth by its kind: who speaks, and whether it asks, reacts, answers, tells of oneself or names a day."""
    factor = 1.0 if _is_person(turn) else _ASSISTANT
    if text.endswith(_ASKING):
        return factor * _QUESTION
    factor *= _ANSWER if asked else 1.0
    if _REACTING.match(text) or _PICTURE.fullmatch(text):
        return factor * _REACTION
    factor *= _DATED if _TIME.search(text) else 1.0
    return factor * (_OWN if _FIRST.intersection(words(text[:80])) else 1.0)


def _is_person(turn: Turn) -> bool:
    return turn.role in ("user", "human")


def _chosen(every: Sequence[Sentence], budget: int) -> list[Sentence]:
    """The sentences that add most for what they cost, until the budget is spent, and those always kept; the heaviest first."""
    choice, heap, musts = _Choice(), list[tuple[float, int]](), _musts(every)
    spent, budget = 0, budget - sum(every[at].cost for at in musts)
    siblings: dict[int, list[int]] = {}
    for at, sentence in enumerate(every):
        siblings.setdefault(sentence.turn, []).append(at)
        heap.append((-choice.gain(sentence), at))
    heapify(heap)
    # What is taken only lowers the others' gain, but for its own turn's; so a gain that still holds at the top is the highest.
    while heap:
        value, at = heappop(heap)
        gain = choice.gain(every[at])
        if gain < -value:
            heappush(heap, (-gain, at))
        elif not choice.has(every[at]) and (at in musts or gain > (GAIN if spent >= LEAST else 0)):
            cost = 0 if at in musts else choice.cost(every[at])
            if cost and choice.taken and spent + cost > budget:
                continue
            spent += cost
            choice.take(every[at])
            for other in siblings.pop(every[at].turn, ()):
                heappush(heap, (-choice.gain(every[other]), other))
    return choice.taken


def _musts(every: Sequence[Sentence]) -> frozenset[int]:
    """The places of the sentences that are kept whatever they weigh, the latest first while there is room."""
    found, left = set[int](), _MUSTS
    for at in reversed(range(len(every))):
        if every[at].kept and every[at].cost <= left:
            found.add(at)
            left -= every[at].cost
    return frozenset(found)


class _Choice:
    """The sentences that are taken, and what others would still add."""

    def __init__(self) -> None:
        self.taken: list[Sentence] = []
        self._seen: Counter[str] = Counter()
        self._of_turn: Counter[int] = Counter()
        self._places: set[tuple[int, int]] = set()

    def has(self, sentence: Sentence) -> bool:
        return (sentence.turn, sentence.place) in self._places

    def cost(self, sentence: Sentence) -> int:
        return sentence.cost + (0 if self._of_turn[sentence.turn] else _EXTRA)

    def gain(self, sentence: Sentence) -> float:
        """What it adds for each token it costs."""
        weight = sum(value / (1 + self._seen[word]) for word, value in sentence.weights)
        if already := self._of_turn[sentence.turn]:
            weight *= _AGAIN if sentence.by_person else _AGAIN / already
        return sentence.factor * weight / (self.cost(sentence) + _START)

    def take(self, sentence: Sentence) -> None:
        self.taken.append(sentence)
        self._seen.update(word for word, _ in sentence.weights)
        self._of_turn[sentence.turn] += 1
        self._places.add((sentence.turn, sentence.place))


def _by_turn(chosen: Sequence[Sentence]) -> Iterator[tuple[int, list[Sentence]]]:
    ordered = sorted(chosen, key=lambda s: (s.turn, s.place))
    for number, group in groupby(ordered, key=lambda s: s.turn):
        yield number, list(group)


def _joined(group: Sequence[Sentence]) -> str:
    """Sentences of one turn; an ellipsis stands where some between them were left out."""
    text = group[0].text
    for before, sentence in pairwise(group):
        near = sentence.place == before.place + 1
        text = f"{text} {sentence.text}" if near else f"{_ended(text)} … {sentence.text}"
    return _ended(text)


def _ended(text: str) -> str:
    return text.rstrip(" -–—;")


def _question_before(turns: Sequence[Turn], number: int, texts: dict[int, str]) -> str:
    """The question that a short answer answers, where it is not kept already."""
    if number < 1 or number - 1 in texts or len(texts[number].split()) > 7:
        return ""
    before = turns[number - 1]
    if before.role in ("tool", "system") or who(before) == who(turns[number]):
        return ""
    asked = [text for text in sentences(prose(before)) if text.endswith(_ASKING)]
    return _short(asked[-1], _ASKED) if asked else ""


def _anything(turns: Sequence[Turn]) -> list[Quote]:
    """The beginning of what was said, where nothing of it is a sentence: pasted code, or a bare "yes"."""
    said = (turn for turn in turns if turn.role not in ("tool", "system"))
    texts = ((turn, harmless(_short(turn.text[:_SCANNED], _LONGEST))) for turn in said)
    return [Quote(turn.line, who(turn), text) for turn, text in texts if text][:1]


def _calls(turns: Sequence[Turn]) -> list[Quote]:
    """The tools that did something, each named once for calls that repeat or correct each other."""
    found: dict[tuple[str, str], tuple[int, ToolText]] = {}
    for turn in turns:
        call = read_call(turn.text) if turn.role == "tool" else None
        if call and not call.looks_up:
            found[call.tool, call.about] = (turn.line, call)
    return [Quote(line, "tool", harmless(call.phrase)) for line, call in list(found.values())[:_CALLS]]


def _short(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    return (text[:length].rpartition(" ")[0] or text[:length]) + " …"


# What was said as a line of a note: no word of it becomes a link, tag, comment, code fence or block id

_LINKS = re.compile(r"!?\[\[+|!\[|\]\]+")
_TAG = re.compile(r"(?<!\S)#+(?=[^\s\d#])")
_COMMENT = re.compile(r"%%+|<!--+|(?<!-)--+>")
_ENDING_ID = re.compile(r"(?:(?<=\s)|^)\^(?=[A-Za-z0-9-]+\s*$)")
_LEADING = re.compile(r"(?:[#>+*=~-]+|\d{1,9}[.)]|\[[ xX]?\])(?=\s|$)\s*")
LONGEST_NAME = 60
_NAME_MARKS = re.compile(r"[\[\]|^#`*<>:%\\]+")

_HIDDEN = re.compile(r"\[?\bREDACTED\b(?::[^\]\s]*)?\]?")


def harmless(text: str) -> str:
    """The text on one line, as part of a note's prose."""
    flat = one_line(text)
    start = 0
    while hit := _LEADING.match(flat, start):
        start = hit.end()
    flat = flat[start:]
    flat = _LINKS.sub(lambda hit: hit[0].lstrip("!")[:1], flat)
    flat = _COMMENT.sub(lambda hit: " " if hit[0][0] == "%" else hit[0].replace("--", "- "), flat)
    flat = _TAG.sub("", flat)
    if "``" in flat or "~~~" in flat or flat.count("`") % 2:
        flat = flat.replace("`", "'").replace("~~~", "~")
    return " ".join(_ENDING_ID.sub("", flat).split())


def shown(text: str) -> str:
    """The text with a full stop where something was taken out for being secret: no name, title or tag is made of that."""
    return _HIDDEN.sub(" . ", text) if "REDACTED" in text else text


def speaker(name: str) -> str:
    """A name as it stands before what its bearer said."""
    return " ".join(_NAME_MARKS.sub(" ", one_line(name)).split())[:LONGEST_NAME].strip() or "somebody"


def bullet(quote: Quote) -> str:
    """A quote as one point of an episode, with the block id that facts cite."""
    return f"- {speaker(quote.who)}: {harmless(quote.text)} ^l{quote.line}"
