"""What the assistant asked before a turn, and what of it the turn chose: `"A" or "B"?` and then `the second one`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoryclaw.model import Turn
from memoryclaw.text.grammar import Grammar, tokens_of
from memoryclaw.text.sentences import sentences

_BACK = 3  # turns in which options are looked for
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{2,80})[\"”“»]")
_NUMBERED = re.compile(
    r"(?:^|\s)(?:\(?[1-9a-d][.):]|(?:one|two|three|eins|zwei|drei):|[-*•])\s+([^\n]+?)(?=\s(?:\(?[1-9a-d][.):]|(?:two|three|zwei|drei):)\s|\n|$)",
    re.IGNORECASE,
)
_LEAST_OPTION, _LONGEST_OPTION = 2, 90  # characters


class Asked(NamedTuple):
    """The question that a turn follows, and the options that were on offer."""

    text: str = ""
    options: tuple[str, ...] = ()
    open: bool = False  # it offers to do something or asks for anything, rather than to be told something


def asked_in(turns: Sequence[Turn], number: int, words: Grammar) -> Asked:
    """What the assistant asked before the turn at this place; also the options of the speaker's own question before it.

    Args:
        number: the place of the turn that may answer.
    """
    question, is_open = "", False
    before = [turn for turn in turns[:number] if turn.role in ("assistant", "user")]
    if before and before[-1].role == "assistant":
        asking = [text for text in sentences(before[-1].text) if text.rstrip(" *_").endswith(("?", "？"))]
        question = asking[-1].strip(" *_") if asking else ""
        asks = [token for token in tokens_of(question) if token not in words.fillers]
        is_open = bool(asks) and bool(words.offers.at(asks) or words.open_questions.at(asks))
    options: tuple[str, ...] = ()
    for turn in reversed(before[-_BACK:]):
        options = _options(turn.text, words)
        if options:
            options = options if all(map(tokens_of, options)) else ()
            break
    return Asked(question, options, is_open)


def _options(text: str, words: Grammar) -> tuple[str, ...]:
    for pattern in (_QUOTED, _NUMBERED):
        options = [hit[1].strip(" .,;?") for hit in pattern.finditer(text)]
        if len(options) > 1:
            firsts = (next(iter(sentences(option)), "").rstrip(" .") for option in options)
            return tuple(option for option in firsts if _LEAST_OPTION <= len(option) <= _LONGEST_OPTION)
    for sentence in sentences(text):
        if alternatives := _joined_by_or(sentence, words):
            return alternatives
    return ()


def _joined_by_or(sentence: str, words: Grammar) -> tuple[str, ...]:
    """`the hymn or the bit from the novel`, `geölt oder lackiert`."""
    signs = "|".join(map(re.escape, words.alternatives.entries())) or "(?!)"
    alternatives = [
        alternative
        for alternative in re.split(rf",?\s+(?:{signs})\s+", sentence.rstrip("?.! "))
        if alternative.lower() not in words.question_words
    ]
    if len(alternatives) < 2:
        return ()
    last = [re.split(r"[,;]", alternative)[0].strip() for alternative in alternatives[1:]]
    size = min(4, max(1, len(last[0].split())))
    return (" ".join(alternatives[0].split(",")[-1].split()[-size:]), *last)


def chosen(question: Asked, tokens: Sequence[str], words: Grammar) -> str:
    """The option that a turn names by its place, `the second one`; "" where it names none."""
    tokens = [token for token in tokens if token not in words.fillers] or list(tokens)
    if not question.options or not tokens:
        return ""
    for number, name in enumerate(("first_choice", "second_choice", "third_choice")):
        length = getattr(words, name).at(tokens)
        if (
            length
            and (length == len(tokens) or tokens[length] not in words.units)
            and number < len(question.options)
        ):
            return question.options[number]
    if words.last_choice.at(tokens):
        return question.options[-1]
    return ""
