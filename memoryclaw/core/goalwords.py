"""What an agent is at → words that help to rank. The rule: a goal lifts what it shares words with, and never outweighs the question."""

from __future__ import annotations

from collections.abc import Mapping

from memoryclaw.core.explain import Leaf
from memoryclaw.core.language import Language, words_of
from memoryclaw.core.ports import Clause

MOST = 12  # words of a goal that count
SHARE = 0.3  # of the best score that the question gives: the most that a goal adds


def goal_words(goal: str, language: Language) -> list[str]:
    """The words of a goal that say something; operators, fields and dates in it are words like any other."""
    words = dict.fromkeys(words_of(goal))
    return [word for word in words if not language.is_stop(word)][:MOST]


def goal_leaves(
    tokens: Mapping[str, list[str]], counts: Mapping[str, int], asked: set[str], most: int
) -> list[Leaf]:
    """The tokens to look up, each with the word that it stands for.

    Args:
        tokens: of each word.
        counts: units that hold a token.
        asked: tokens of the question, which count already.
        most: units that a token may stand in; what nearly all hold tells nothing.
    """
    return [
        Leaf(Clause("token", token), word, "literal" if len(own) == 1 else "bigram")
        for word, own in tokens.items()
        for token in own
        if token not in asked and 0 < counts.get(token, 0) <= most
    ]


def lift(goal: float, most: float, best: float) -> float:
    """What a goal's score adds to one unit: its share of what the best unit has, where the question found anything.

    Args:
        goal: the score of this unit for the words of the goal.
        most: the highest of these.
        best: the highest score for the words of the question.
    """
    return SHARE * goal * (best / most if best and most else 1.0)
