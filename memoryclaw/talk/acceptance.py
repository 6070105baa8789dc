"""What becomes of a statement: a fact at once, a dated statement, a question to a person, a line of its episode, or nothing.

This is the one place that decides; docs/reference/consolidation.md shows the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memoryclaw.talk.statements import Statement
from memoryclaw.text.grammar import grammar, tokens_of

# Words that carry a subject, of a statement without a number, a name or a word of weight.
_LEAST, _MANY = 2, 3  # where it decides, prefers, lasts or changes something; anywhere


class Rule(NamedTuple):
    """One row of the table: the first that fits decides."""

    verdict: str  # fact | statement | ask | renewal | episode | drop
    why: str
    fits: Callable[[Statement], bool]
    weak: bool = False  # kept where it is of what matters


def _doubt(*doubts: str) -> Callable[[Statement], bool]:
    return lambda statement: not statement.doubts.isdisjoint(doubts)


def _kind(*kinds: str) -> Callable[[Statement], bool]:
    return lambda statement: statement.kind in kinds


def says_something(statement: Statement) -> bool:
    """True for words with something to keep: a number, a name, a decision, what lasts."""
    if not statement.kind:  # a fragment
        return (statement.firm and bool(statement.content)) or len(statement.content) >= _LEAST
    if statement.hard:
        return bool(statement.content)
    if len(statement.content) >= _MANY or (
        statement.kind == "state" and statement.subject == "own" and statement.content
    ):
        return True
    is_own = statement.kind == "be" and statement.subject == "own"  # `our venue is the boathouse`
    return len(statement.content) >= _LEAST and (
        statement.kind in ("decide", "prefer", "state") or is_own or statement.change
    )


def weighs(statement: Statement) -> bool:
    """True where the sum has a say: not of orders and to-dos, what is asked to be remembered, the change of a fact, or who somebody is for whom something is asked."""
    return (
        not statement.stressed
        and not (statement.instead and statement.firm)
        and statement.kind not in ("order", "task", "duty", "done", "off")
        and not (statement.change and statement.assertions)
        and not ("asked" in statement.doubts and statement.assertions)
    )


def _is_chat(statement: Statement) -> bool:
    """True for what people tell each other by a verb alone, without a figure and not of health: `i love Lisbon`."""
    return (
        statement.among
        and not statement.firm
        and all(assertion.how == "verb" for assertion in statement.assertions)
    )


def _names_a_day(statement: Statement) -> bool:
    """True for words with a month and its day in them."""
    words, tokens = grammar(statement.language), tokens_of(statement.words)
    return not words.months.isdisjoint(tokens) and any(token[0].isdigit() for token in tokens)


def _tells_role(statement: Statement) -> bool:
    return any(assertion.how == "role" for assertion in statement.assertions)


TABLE = (
    Rule("drop", "a question", lambda statement: "asked" in statement.doubts and not _tells_role(statement)),
    Rule("statement", "in a language that is not read; the score alone decides", _kind("unread")),
    Rule("drop", "only supposed", _doubt("supposed")),
    Rule("fact", "asked to be remembered, with a field", lambda statement: statement.stressed and bool(statement.assertions)),
    Rule("statement", "asked to be remembered", lambda statement: statement.stressed),
    Rule("episode", "in jest", _doubt("joke")),
    Rule("fact", "who somebody is, in passing", lambda statement: _tells_role(statement) and not ("hedged" in statement.doubts and statement.kind == "be" and statement.subject == "thing")),  # `vielleicht ist mein Zahnarzt Dr. Roth`
    Rule("statement", "somebody else's word, with a figure or about health", lambda statement: "reported" in statement.doubts and statement.firm and statement.doubts.isdisjoint({"hedged", "mood"})),
    Rule("episode", "somebody else's word", _doubt("reported")),
    Rule("fact", "an order how to answer", lambda statement: statement.kind == "order" and statement.doubts.isdisjoint({"hedged", "moment"}) and not statement.among),
    Rule("episode", "one piece of work", _kind("task")),
    Rule("renewal", "called off, unless it ends what stands", lambda statement: statement.kind == "off" and statement.change and statement.doubts.isdisjoint({"hedged"})),
    Rule("episode", "a to-do", _kind("duty", "done", "off")),
    Rule("episode", "a mood", lambda statement: "mood" in statement.doubts and all(assertion.how != "noun" for assertion in statement.assertions)),  # not `my favourite colour is blue`
    Rule("episode", "about the one spoken to", lambda statement: "addressed" in statement.doubts and (statement.kind == "wish" or not statement.hard) and not statement.assertions),
    Rule("ask", "said with some doubt, of a known field", lambda statement: bool(statement.assertions) and "hedged" in statement.doubts),
    Rule("ask", "said with some doubt, of a day", lambda statement: statement.doubts == {"hedged"} and statement.kind in ("be", "modal", "state") and _names_a_day(statement)),  # `the fair could be on 22 May`
    Rule("fact", "a value of a named field", lambda statement: bool(statement.assertions) and "moment" not in statement.doubts and not _is_chat(statement)),
    Rule("episode", "said among people, not to the assistant", lambda statement: statement.among),
    Rule("statement", "an answer, or one of several", lambda statement: statement.kind in ("choice", "answer") and bool(statement.content or statement.hard)),
    Rule("statement", "decided with some doubt, which the words keep", lambda statement: "hedged" in statement.doubts and statement.kind == "decide" and statement.firm),
    Rule("episode", "said with some doubt", _doubt("hedged")),
    Rule("episode", "true for the moment", lambda statement: "moment" in statement.doubts and statement.kind != "decide"),
    Rule("renewal", "happened once, and ends what stands", lambda statement: statement.kind == "event" and bool(statement.ended) and not (statement.firm or statement.assertions)),
    Rule("episode", "happened once", lambda statement: statement.kind == "event" and not (statement.firm or statement.assertions), weak=True),
    Rule("episode", "a wish or a plan", lambda statement: statement.kind == "wish" and not (statement.firm or (statement.hard and statement.subject == "own")), weak=True),
    Rule("statement", "the speaker's own word", says_something),
    Rule("renewal", "says little, unless it ends or says anew what stands", lambda statement: statement.change or statement.again),
    Rule("episode", "says little", lambda _one: True, weak=True),
)  # fmt: skip


HARDLY = Rule("episode", "hardly worth having in a month", lambda statement: weighs(statement) and statement.worth is not None and not statement.worth.enough, weak=True)  # fmt: skip
RENEWS = Rule("renewal", "hardly worth having, unless it says anew what stands", lambda statement: (statement.change or statement.again) and statement.kind not in ("order", "task") and not statement.assertions)  # fmt: skip
MATTERS = Rule(
    "statement", "of what matters", lambda statement: statement.salient > 0 and bool(statement.content)
)


def verdict(statement: Statement) -> Rule:
    """The row that decides what becomes of a statement: that of the table, but the sum may say no, and what is weak and of what matters is kept."""
    row = next(row for row in TABLE if row.fits(statement))
    if row.verdict in ("fact", "statement", "ask") and HARDLY.fits(statement):
        row = RENEWS if RENEWS.fits(statement) else HARDLY
    return MATTERS if row.weak and MATTERS.fits(statement) else row
