"""Why a unit answers a question: each word's share of the score, the field it stood in, and how it was found. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memoryclaw.index.bm25 import WEIGHTS, gain
from memoryclaw.model import COLUMNS, Matched
from memoryclaw.ports import Clause
from memoryclaw.text.language import Language, fold, words_of

_CONTEXT = ("prev", "next")


class Leaf(NamedTuple):
    """One token or phrase of a resolved question, and the word it stands for."""

    clause: Clause
    word: str  # as asked
    via: str  # literal | phrase | prefix | fuzzy | bigram | alias


class Statistics(NamedTuple):
    """What BM25 knows of the whole index."""

    units: int
    average: float
    rarity: Callable[[Clause], float]


class Reading(NamedTuple):
    """A unit's columns, as words written and as tokens."""

    words: Mapping[str, Sequence[str]]
    tokens: Mapping[str, Sequence[str]]
    length: int


class Reasons(NamedTuple):
    """What the words of a question add to a unit, and where they were found."""

    gains: dict[str, float]
    matched: list[Matched]
    surfaces: set[str]  # words as written that should be highlighted


def read_columns(columns: Mapping[str, str], language: Language) -> Reading:
    """A unit's texts by column, analysed once for all leaves."""
    words = {name: words_of(text) for name, text in columns.items() if text}
    token_of = language.known.__getitem__
    tokens = {name: list(map(token_of, found)) for name, found in words.items()}
    length = sum(" ".join(column).count(" ") + 1 for column in tokens.values() if column)
    return Reading(words, tokens, length)


def reasons(
    leaves: Sequence[Leaf], reading: Reading, statistics: Statistics, clause: Clause | None = None
) -> Reasons:
    """Replays BM25 over one unit, leaf by leaf; of `clause`, the parts that do not hold in full add nothing."""
    found = Reasons({}, [], set())
    if not leaves:
        return found
    places = _places(
        _tokens_of(clause) | {leaf.clause.text for leaf in leaves if leaf.clause.op == "token"}, reading
    )
    holding = (
        _holding(clause, lambda part: _stands(part, places, reading))
        if clause and _is_nested(clause)
        else None
    )
    for leaf in leaves:
        if holding is not None and leaf.clause not in holding:
            continue
        count = 0.0
        for column in leaf.clause.columns or COLUMNS:
            single = leaf.clause.op == "token"
            surfaces = (
                places.get((column, leaf.clause.text), ())
                if single
                else _phrases(leaf.clause, reading, column)
            )
            if surfaces:
                count += len(surfaces) * WEIGHTS[column]
                _note(found, leaf, column, surfaces)
        if count:
            value = gain(statistics.rarity(leaf.clause), count, reading.length, statistics.average)
            found.gains[leaf.word] = found.gains.get(leaf.word, 0.0) + value
    return found


def _is_nested(clause: Clause) -> bool:
    """True when a part may stand in a unit and yet add nothing to it."""
    return any(part.op == "all" or _is_nested(part) for part in clause.parts)


def _tokens_of(clause: Clause | None) -> set[str]:
    if clause is None or clause.op == "phrase":
        return set()
    return {clause.text} if clause.op == "token" else set().union(*map(_tokens_of, clause.parts))


def _stands(clause: Clause, places: Mapping[tuple[str, str], Sequence[str]], reading: Reading) -> bool:
    columns = clause.columns or COLUMNS
    if clause.op == "token":
        return any((column, clause.text) in places for column in columns)
    return any(_phrases(clause, reading, column) for column in columns)


def _holding(clause: Clause, stands: Callable[[Clause], bool]) -> set[Clause]:
    """The tokens and phrases that count for a unit; empty when the clause does not hold."""
    if clause.op in ("token", "phrase"):
        return {clause} if stands(clause) else set()
    parts = [_holding(part, stands) for part in clause.parts if part.op != "not"]
    barred = any(_holding(part.parts[0], stands) for part in clause.parts if part.op == "not")
    if clause.op == "all" and (barred or not all(parts)):
        return set()
    return set().union(*parts)


def _places(wanted: set[str], reading: Reading) -> dict[tuple[str, str], list[str]]:
    """Where the wanted tokens stand: (column, token) → the words as written."""
    found: dict[tuple[str, str], list[str]] = {}
    for column, tokens in reading.tokens.items():
        words = reading.words[column]
        for token in wanted.intersection(tokens):
            found[column, token] = [words[at] for at in _all_of(token, tokens)]
        for joined in tokens if " ".join(tokens).count(" ") >= len(tokens) else ():
            for token in joined.split() if " " in joined else ():
                if token in wanted:
                    found.setdefault((column, token), []).append(token)
    return found


def _all_of(token: str, tokens: Sequence[str]) -> Iterator[int]:
    at = -1
    for _ in range(tokens.count(token)):
        at = tokens.index(token, at + 1)
        yield at


def _phrases(clause: Clause, reading: Reading, column: str) -> list[str]:
    words, tokens = reading.words.get(column, ()), reading.tokens.get(column, ())
    parts = clause.text.split()
    flat = [(word, token) for word, joined in zip(words, tokens, strict=True) for token in joined.split()]
    return [
        " ".join(dict.fromkeys(word for word, _ in flat[i : i + len(parts)]))
        for i in range(len(flat) - len(parts) + 1)
        if all(flat[i + k][1] == part for k, part in enumerate(parts))
    ]


def _note(found: Reasons, leaf: Leaf, column: str, surfaces: Sequence[str]) -> None:
    if column in _CONTEXT:
        via = "neighbour"
    elif leaf.via != "literal":
        via = leaf.via
        found.surfaces.update(surfaces)
    else:
        asked = fold(leaf.word)
        via = "literal" if any(fold(surface) == asked for surface in surfaces) else "stem"
        found.surfaces.update(surfaces)
    matched = Matched(word=leaf.word, field=column, via=via)
    if matched not in found.matched:
        found.matched.append(matched)


# ── What an agent is at → words that help to rank. The rule: a goal lifts what it shares words with, and
# never outweighs the question.

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
