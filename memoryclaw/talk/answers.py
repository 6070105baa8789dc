"""What the assistant asked before a turn: `Which colour do you want?`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoryclaw.model import Turn
from memoryclaw.text.grammar import Grammar, tokens_of
from memoryclaw.text.sentences import sentences


class Asked(NamedTuple):
    """The question that a turn follows."""

    text: str = ""
    open: bool = False  # it offers to do something or asks for anything, rather than to be told something


def asked_in(turns: Sequence[Turn], number: int, words: Grammar) -> Asked:
    """What the assistant asked before the turn at this place.

    Args:
        turns: of the segment.
        number: the place of the turn that may answer.
        words: the grammar of its language.
    """
    before = next((turn for turn in reversed(turns[:number]) if turn.role in ("assistant", "user")), None)
    if before is None or before.role != "assistant":
        return Asked()
    asking = [text for text in sentences(before.text) if text.rstrip(" *_").endswith(("?", "？"))]
    question = asking[-1].strip(" *_") if asking else ""
    asks = [token for token in tokens_of(question) if token not in words.fillers]
    return Asked(question, bool(asks) and bool(words.offers.at(asks) or words.open_questions.at(asks)))
