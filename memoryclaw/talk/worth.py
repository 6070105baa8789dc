"""Whether a statement is worth having in a month: a sum of named features of its words, of the exchange and of the session.

The table (`acceptance`) says what a statement is; the sum may only say no. Its weights are learned by `benchmarks/worth.py` and kept in
`data/worth.toml`; a new feature is a new entry here, and counts for nothing until it is learned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import NamedTuple

from memoryclaw.model import Turn
from memoryclaw.talk.statements import Statement, Talk, Worth
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import UNREAD, Grammar, codes, grammar, tokens_of, tokens_unread
from memoryclaw.text.language import words_of

_LONG_TURN = math.log1p(6)  # of 600 characters; what is longer was hardly typed for what it says in passing
_PASTED_TURN = 1500  # characters
_FENCES = 4
_SIGN = re.compile(r"[=*^{}\[\];<>|\\/_@$()]")
_LISTED = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,2}[.)])[ \t]")
_LABELLED = re.compile(r"\W{0,4}\w[\w.-]{0,40}(?: \w[\w.-]{0,40})?: ")


class SessionLook(NamedTuple):
    """What the turns of one session look like that are read together."""

    turns: float  # of people
    possession: float  # share of people's turns with "my …"
    questions: float  # share that asks
    pasted: float  # share that is too long to have been typed
    coding: bool  # a tool was called, or code was shown again and again
    role_play: bool  # it begins with "act as …"

    @classmethod
    def of(cls, turns: Sequence[Turn], language: str) -> SessionLook:
        """The look of a session.

        Args:
            turns: of the session, in order.
            language: whose word lists are read.
        """
        people = [turn.text for turn in turns if turn.role == "user"]
        words = grammar(language if language in codes() else "en")
        tokens = [tokens_unread(text[:_PASTED_TURN]) for text in people]
        count = max(1, len(people))
        return cls(
            turns=len(people),
            possession=sum(grammar(UNREAD).possessives_own.within(said) for said in tokens) / count,
            questions=sum(_asks(text) for text in people) / count,
            pasted=sum(len(text) > _PASTED_TURN for text in people) / count,
            coding=any(turn.role == "tool" for turn in turns)
            or sum(turn.text.count("```") for turn in turns) > _FENCES,
            role_play=any(words.role_play.within(said[:40]) for said in tokens[:2]),
        )


class _Exchange(NamedTuple):
    """A statement, what was said before and after it, and the session it stands in."""

    said: Statement
    words: Grammar
    tokens: Sequence[str]  # of the sentences it stands in
    beside: Sequence[Statement]  # all of its turn, itself among them
    turn: Turn
    first: bool  # of a person's turns in the segment
    pasted: bool  # something in the turn was left out
    before: str  # the assistant's last words
    after: str  # its next
    session: SessionLook


def _asks(text: str) -> bool:
    return text.rstrip(" )\"'*_").endswith(("?", "？"))


def _shared(first: Iterable[str], second: Iterable[str]) -> float:
    """The share of the telling words of the first text that stand in the second."""
    mine = {word for word in first if len(word) > 3 or word.isdigit()}
    return len(mine & set(second)) / max(1, len(mine))


def _kind(kind: str) -> Callable[[_Exchange], float]:
    return lambda one: one.said.kind == kind


def _subject(subject: str) -> Callable[[_Exchange], float]:
    return lambda one: one.said.subject == subject


def _holds(name: str) -> Callable[[_Exchange], float]:
    return lambda one: getattr(one.words, name).within(one.tokens)


# Each by the name that an explanation shows.
FEATURES: Mapping[str, Callable[[_Exchange], float]] = {
    # its words
    "length": lambda one: math.log1p(len(one.tokens)),
    "few words": lambda one: len(one.tokens) <= 3,
    "telling words": lambda one: math.log1p(len(one.said.content)),
    "a figure or health": lambda one: one.said.firm,
    "a name": lambda one: bool(one.said.names),
    "a field is told": lambda one: bool(one.said.assertions),
    "a sign of change": lambda one: one.said.change,
    "the speaker": _holds("first_person"),
    "the one spoken to": _holds("second_person"),
    "own thing": _holds("possessives_own"),
    "own role": lambda one: _holds("possessives_own")(one) and _holds("roles")(one),
    "a role": _holds("roles"),
    "a liking": _holds("preference_words"),
    "a decision": _kind("decide"),
    "a preference": _kind("prefer"),
    "a state": _kind("state"),
    "a possession": _kind("have"),
    "what somebody or something is": _kind("be"),
    "an event": _kind("event"),
    "a wish": _kind("wish"),
    "no verb": _kind(""),
    "an answer": lambda one: one.said.kind in ("answer", "choice"),
    "of the speaker": _subject("own"),
    "of a named one": _subject("named"),
    "of a thing": _subject("thing"),
    "points back": _subject("other"),
    "a hedge": lambda one: "hedged" in one.said.doubts,
    "another's word": lambda one: "reported" in one.said.doubts,
    "lasting": _holds("lasting"),
    "a denial": _holds("negations"),
    "a time": lambda one: one.words.weekdays.within(one.tokens) or one.words.calendar_words.within(one.tokens),
    "a path or a sign": lambda one: bool(re.search(r"[\w.]/\w|\w_\w|\w\(\)|[a-z][A-Z]|\.\w{2,4}\b", one.said.quote)),
    "an exclamation": lambda one: "!" in one.said.quote,
    "signs": lambda one: len(_SIGN.findall(one.said.quote)) / max(1, len(one.said.quote)),
    "a line of a list": lambda one: _LISTED.match(one.said.quote) is not None,
    "a label before it": lambda one: _LABELLED.match(one.said.quote) is not None,
    "a blank to fill": lambda one: "__" in one.said.quote,
    # its turn
    "lines of its turn": lambda one: math.log1p(one.turn.text.count("\n")),
    "lists in its turn": lambda one: math.log1p(sum(_LISTED.match(line) is not None for line in one.turn.text.splitlines())),
    "turn length": lambda one: math.log1p(len(one.turn.text) / 100),
    "statements beside it": lambda one: math.log1p(len(one.beside) - 1),
    "first of its turn": lambda one: one.beside[0] is one.said,
    "last of its turn": lambda one: one.beside[-1] is one.said,
    "asked beside it": lambda one: any("asked" in other.doubts or other.kind == "task" for other in one.beside),
    "pasted beside it": lambda one: one.pasted,
    "code near": lambda one: "```" in one.turn.text or "{" in one.turn.text,
    "opens the session": lambda one: one.first,
    # the exchange
    "answers a question": lambda one: _asks(one.before[-200:]) or "?" in one.before[-200:],
    "takes up the assistant": lambda one: _shared(one.tokens, words_of(one.before)),
    "acknowledged": lambda one: one.words.acknowledgements.at(tokens_of(one.after[:80])) > 0,
    "a short reply": lambda one: bool(one.after) and len(one.after) < 400,
    "the reply takes it up": lambda one: _shared(one.tokens, words_of(one.after)),
    # the session
    "length of the session": lambda one: math.log1p(one.session.turns),
    "a session about own things": lambda one: one.session.possession,
    "a session of questions": lambda one: one.session.questions,
    "a session of pastes": lambda one: one.session.pasted,
    "coding": lambda one: one.session.coding,
    "role play": lambda one: one.session.role_play,
    "among people": lambda one: one.said.among,
}  # fmt: skip


class _Term(NamedTuple):
    """One learned feature."""

    name: str
    mean: float
    deviation: float
    weight: float


@cache
def _learned() -> tuple[Mapping[bool, float], float, tuple[_Term, ...]]:
    """The cuts, beside a table and alone, the bias and the terms of the sum."""
    rows = [line.rsplit(maxsplit=3) for line in lists.lines("worth.features")]
    terms = tuple(_Term(name, *map(float, numbers)) for name, *numbers in rows)
    cuts = {
        alone: float(lists.text(f"worth.{name}")) for alone, name in ((False, "cut"), (True, "cut_alone"))
    }
    return cuts, float(lists.text("worth.bias")), terms


@cache
def _needed() -> frozenset[str]:
    """The features that a decision reads; those that were not learned may cost more than they say."""
    return frozenset({"asked beside it", "turn length", "lasting", *(term.name for term in _learned()[2])})


def score(features: Mapping[str, float], *, alone: bool = False) -> Worth:
    """The sum over some features, and its parts; `alone` where no table says what the statement is."""
    cuts, bias, terms = _learned()
    parts = [(term.name, term.weight * (features[term.name] - term.mean) / term.deviation) for term in terms]
    chance = 1 / (1 + math.exp(-bias - sum(part for _, part in parts)))
    parts.sort(key=lambda part: (-abs(part[1]), part[0]))
    return Worth(round(chance, 4), tuple(parts), chance >= cuts[alone])


def weigh(talk: Talk, turns: Sequence[Turn], session: SessionLook) -> Talk:
    """The talk with the worth of each statement; an order in company is a piece of work.

    Args:
        talk: what was read in the turns.
        turns: of a segment; what comes later is not looked at.
        session: that the segment belongs to.
    """
    weighed = (
        replace(
            said,
            worth=score(features, alone=said.kind == "unread"),
            kind="task" if _is_of_the_moment(said, features, session) else said.kind,
        )
        for said, features in features_of(talk, turns, session, _needed())
    )
    return talk._replace(statements=tuple(weighed))


def _is_of_the_moment(said: Statement, features: Mapping[str, float], session: SessionLook) -> bool:
    """True for an order beside a request, in a role play, in a long turn, or of what is at hand, without a sign that it is to last."""
    if said.kind != "order" or said.stressed or features["lasting"]:
        return False
    company = features["asked beside it"] or session.role_play or features["turn length"] > _LONG_TURN
    words = grammar(said.language)
    at_hand = any(token in words.deictics and token in words.pronouns for token in tokens_of(said.words))
    return bool(company or at_hand)


def features_of(
    talk: Talk, turns: Sequence[Turn], session: SessionLook, names: Collection[str] = tuple(FEATURES)
) -> Iterable[tuple[Statement, dict[str, float]]]:
    """Each statement with its features of these names."""
    people = [number for number, turn in enumerate(turns) if turn.role == "user"]
    pasted = {block.line for block in talk.pasted}
    for number, group in groupby(talk.statements, key=lambda one: one.turn):
        beside, turn = list(group), turns[number]
        before = next((t.text for t in reversed(turns[:number]) if t.role == "assistant"), "")
        after = next((t.text for t in turns[number + 1 :] if t.role == "assistant"), "")
        for said in beside:
            exchange = _Exchange(
                said, grammar(said.language), tokens_unread(said.quote) if said.kind == "unread" else tokens_of(said.quote), beside, turn, number == people[0],
                turn.line in pasted, before, after, session,
            )  # fmt: skip
            yield (
                said,
                {name: float(feature(exchange)) for name, feature in FEATURES.items() if name in names},
            )
