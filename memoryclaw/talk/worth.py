"""Whether a statement is worth having in a month: a sum of named features of its words, of the exchange and of the session.

The table (`acceptance`) says what a statement is; the sum may only say no. Its weights are learned by `benchmarks/worth.py` and kept in
`data/worth.toml`; a new feature is a new entry here, and counts for nothing until it is learned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from memoryclaw.late import NamedTuple
from memoryclaw.model import Turn
from memoryclaw.talk.learned import Worth, weighed
from memoryclaw.talk.statements import Statement, Talk
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import UNREAD, Grammar, clauses, codes, grammar, tokens_of, tokens_unread
from memoryclaw.text.language import ends_in_question, words_of
from memoryclaw.text.memory_types import is_told_here, names_this_project, says_we, states_a_rule

_LONG_TURN = 600  # characters; what is longer was hardly typed for what it says in passing
_AT_HAND = 4  # words of a condition of one piece of work: `when you edit this`
_LONG_REPLY = 120  # characters
_TYPED = 1500  # characters of a turn, at most
_SIGN = re.compile(r"[\w.]/\w|\w_\w|\w\(\)|[a-z][A-Z]|\.\w{2,4}\b")
_PIECES = frozenset(lists.words("consolidation.pieces"))
_THINGS = 6  # words of a clause that may tell what somebody has
# The words of an order for how long to answer.
_LENGTHS = frozenset(
    word
    for aspect, _, ways in (line.partition(": ") for line in lists.lines("consolidation.order_aspects"))
    for word in ways.split(", ")
    if aspect == "length"
)
_LISTED = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,2}[.)])[ \t]")
_LABELLED = re.compile(r"\W{0,4}\w[\w.-]{0,40}(?: \w[\w.-]{0,40})?: ")


class SessionLook(NamedTuple):
    """What the turns of one session look like that are read together."""

    turns: float  # of people
    possession: float  # share of people's turns with "my …"
    role_play: bool  # it begins with "act as …"
    answered: bool  # at length: people ask for work, and seldom tell what lasts

    @classmethod
    def of(cls, turns: Sequence[Turn], language: str) -> SessionLook:
        """The look of a session.

        Args:
            language: whose word lists are read.
        """
        words = grammar(language if language in codes() else "en")
        replies = [len(turn.text) for turn in turns if turn.role == "assistant"]
        tokens = [tokens_unread(turn.text[:_TYPED]) for turn in turns if turn.role == "user"]
        return cls(
            turns=len(tokens),
            possession=sum(map(grammar(UNREAD).possessives_own.within, tokens)) / max(1, len(tokens)),
            role_play=any(words.role_play.within(turn_tokens[:40]) for turn_tokens in tokens[:2]),
            answered=sum(replies) > _LONG_REPLY * len(replies),
        )


class Surroundings(NamedTuple):
    """A statement, what was said before and after it, and the session it stands in."""

    said: Statement
    words: Grammar
    tokens: Sequence[str]  # of the sentences it stands in
    beside: Sequence[Statement]  # all of its turn, itself among them
    turn: Turn
    typed: Sequence[str]  # the tokens of its turn, up to where nobody types any more
    before: str  # the assistant's last words
    offered: frozenset[str]  # the words of these
    after: str  # its next
    session: SessionLook


def exchanges(talk: Talk, turns: Sequence[Turn], session: SessionLook) -> Iterator[Surroundings]:
    """Each statement of a talk in its exchange."""
    for number, group in groupby(talk.statements, key=lambda entry: entry.turn):
        statements, turn = list(group), turns[number]
        before = next((t.text for t in reversed(turns[:number]) if t.role == "assistant"), "")
        after = next((t.text for t in turns[number + 1 :] if t.role == "assistant"), "")
        typed, offered = tokens_unread(turn.text[:_TYPED]), frozenset(words_of(before))
        for statement in statements:
            tokens = (tokens_unread if statement.kind == "unread" else tokens_of)(statement.quote)
            words = grammar(statement.language)
            yield Surroundings(
                statement,
                words,
                tokens,
                statements,
                turn,
                typed,
                before,
                offered,
                after,
                session,
            )


def _shared(first: Iterable[str], second: frozenset[str]) -> float:
    """The share of the telling words of the first text that stand in the second."""
    key_words = {word for word in first if len(word) > 3 or word.isdigit()}
    return len(key_words & second) / max(1, len(key_words))


def _holds(name: str) -> Callable[[Surroundings], float]:
    return lambda exchange: getattr(exchange.words, name).within(exchange.tokens)


# Each by the name that an explanation shows.
FEATURES: Mapping[str, Callable[[Surroundings], float]] = {
    # its words
    "telling words": lambda exchange: math.log1p(len(exchange.said.content)),
    "a part of its sentence": lambda exchange: 1 - len(tokens_of(exchange.said.words)) / max(1, len(exchange.tokens)),
    "a figure or health": lambda exchange: exchange.said.firm,
    # Where every noun has a capital, most that have one are no names.
    "a name": lambda exchange: bool(exchange.said.names) and not exchange.words.noun_capitals,
    "a field is told": lambda exchange: bool(exchange.said.assertions),
    "a sign of change": lambda exchange: exchange.said.change,
    "the one spoken to": _holds("second_person"),
    "own thing": _holds("possessives_own"),
    "a role": _holds("roles"),
    "a liking": _holds("preference_words"),
    "a time": lambda exchange: exchange.words.weekdays.within(exchange.tokens) or exchange.words.calendar_words.within(exchange.tokens),
    "a path or a sign": lambda exchange: bool(_SIGN.search(exchange.said.quote)),
    "a line of a list": lambda exchange: _LISTED.match(exchange.said.quote) is not None,
    "a label before it": lambda exchange: _LABELLED.match(exchange.said.quote) is not None,
    # its turn
    "lines of its turn": lambda exchange: math.log1p(exchange.turn.text.count("\n")),
    "a long turn without an own thing": lambda exchange: len(exchange.turn.text) > _TYPED and not grammar(UNREAD).possessives_own.within(exchange.typed),
    "its turn asks": lambda exchange: "?" in exchange.turn.text,
    "code near": lambda exchange: "```" in exchange.turn.text or "{" in exchange.turn.text,
    # the exchange
    "answers a question": lambda exchange: ends_in_question(exchange.before[-200:]) or "?" in exchange.before[-200:],
    "takes up the assistant": lambda exchange: _shared(exchange.tokens, exchange.offered),
    "acknowledged": lambda exchange: exchange.words.acknowledgements.at(tokens_of(exchange.after[:80])) > 0,
    # the session
    "length of the session": lambda exchange: math.log1p(exchange.session.turns),
    "a session about own things": lambda exchange: exchange.session.possession,
    "role play": lambda exchange: exchange.session.role_play,
}  # fmt: skip


def features_of(exchange: Surroundings) -> dict[str, float]:
    """The features of a statement, by their names."""
    return {name: float(feature(exchange)) for name, feature in FEATURES.items()}


def cut_name(exchange: Surroundings) -> str:
    """The name of the cut of a statement: higher in a session that is answered at length or in a repository, and in a language that nothing was learned from, unless it tells a field, a liking or a change."""
    sure = exchange.said.assertions or exchange.said.change or FEATURES["a liking"](exchange)
    if not sure and exchange.said.language not in lists.words("worth.languages"):
        return "cut_alone"
    if exchange.session.answered:
        return "cut_answered"
    return "cut_repository" if exchange.turn.project else "cut"


def worth_of(exchange: Surroundings) -> Worth:
    """The sum over the features of a statement, and its parts."""
    return weighed("worth", features_of(exchange), cut_name(exchange))


def weigh(
    talk: Talk,
    turns: Sequence[Turn],
    session: SessionLook,
    worth: Callable[[Surroundings], Worth] = worth_of,
    wished: Callable[[Statement], bool] = lambda _order: False,
) -> Talk:
    """The talk with the worth of each statement; an order in company is a piece of work.

    Args:
        turns: of a segment; what comes later is not looked at.
        session: that the segment belongs to.
        worth: of a statement in its exchange.
        wished: whether an order beside a request was given so often that it stands all the same.
    """
    weighed = (
        replace(
            exchange.said,
            doubts=exchange.said.doubts | {"moment"} if _is_news_of_code(exchange) else exchange.said.doubts,
            worth=None if _is_convention(exchange) else worth(exchange),
            kind="task"
            if _is_of_the_moment(exchange, wished) or _is_request(exchange)
            else exchange.said.kind,
        )
        for exchange in exchanges(talk, turns, session)
    )
    return talk._replace(statements=tuple(weighed))


def _is_convention(exchange: Surroundings) -> bool:
    """True for what is said of the repository that is worked in, by itself: `in this repo the tests run with tox`; the sum has no say."""
    return (
        bool(exchange.turn.project)
        and len(exchange.turn.text) <= _LONG_TURN
        and (
            is_told_here(exchange.said.quote)
            or any(states_a_rule(text, exchange.words) for text in (exchange.said.quote, exchange.said.words))
            or (says_we(exchange.said.words) and exchange.words.lasting.within(exchange.tokens))
        )
        and not any(
            _asks(neighbour, exchange.beside)
            for neighbour in exchange.beside
            if neighbour is not exchange.said or not exchange.words.lasting.within(exchange.tokens)
        )
    )


def _is_request(exchange: Surroundings) -> bool:
    """True for one piece of work that is asked for, in which nothing is told: `come up with a slogan`; not `rank the team every year`."""
    statement, words = exchange.said, exchange.words
    tokens = tokens_of(statement.words)
    return (
        not (statement.assertions or statement.stressed)
        and statement.kind not in ("order", "duty", "done", "off")
        and _requests(tokens, words)
        and not words.no_request.within(tokens)
        and (statement.kind not in ("be", "have") or words.question_words.within(tokens))
    )


def _requests(tokens: Sequence[str], words: Grammar) -> bool:
    return words.request_verbs.at(tokens, words.softeners.skip(tokens)) > 0


def _is_of_the_moment(exchange: Surroundings, wished: Callable[[Statement], bool]) -> bool:
    """True for an order beside a request or the state of the moment, in a role play, in a long turn, or of what is at hand, without a sign that it is to last."""
    statement, words = exchange.said, exchange.words
    tokens = exchange.tokens[: -_AT_HAND if _ends_with_what_is_at_hand(exchange.tokens, words) else None]
    if statement.kind != "order" or statement.stressed or words.lasting.within(tokens):
        return False
    if exchange.turn.project and names_this_project(statement.words):
        return False
    return (
        exchange.session.role_play
        or len(exchange.turn.text) > _LONG_TURN
        or any(token in words.deictics and token in words.pronouns for token in tokens_of(statement.words))
        or _denies_what_is_at_hand(tokens_of(statement.words), words)
        or len(tokens) < len(exchange.tokens)
        or _requests(tokens_of(statement.words), words)
        or _names_an_occasion(exchange.tokens, words)
        or (not _LENGTHS.isdisjoint(tokens_of(statement.words)) and _has_little_time(exchange.tokens, words))
        or (words.negations.within(exchange.tokens) and words.not_yet.within(exchange.tokens))
        or any("moment" in neighbour.doubts and neighbour.subject == "own" for neighbour in exchange.beside)
        or (
            (
                _leads_to_work(exchange)
                or any(_asks(neighbour, exchange.beside) for neighbour in exchange.beside)
            )
            and not wished(statement)
        )
    )


def _leads_to_work(exchange: Surroundings) -> bool:
    """True for an order before a colon behind which nothing is told, which is what it is to be done with: `answer in one line: who was Ada Lovelace`."""
    order, words = exchange.said, exchange.words
    behind = order.quote.partition(order.words)[2].lstrip()
    if behind[:1] not in (":", "：") or any(
        other.kind for other in exchange.beside if other is not order and other.quote == order.quote
    ):
        return False
    # `no tables: I read on my phone` says why, also where that was taken for a text
    denies = words.negations.within(tokens_of(order.words))
    return not denies or words.manner_verbs.at(tokens_of(behind)) > 0


def _asks(statement: Statement, beside: Sequence[Statement]) -> bool:
    """True for a question or a request: `what is a monad?`, `fix the parser`, `two slogans please` where the `please` is of no order."""
    if "asked" in statement.doubts or statement.kind == "task":
        return True
    if statement.kind or statement.subject != "none":
        return False
    orders = (neighbour.quote for neighbour in beside if neighbour.kind == "order")
    polite = grammar(statement.language).politeness.within(tokens_of(statement.quote))
    return "moment" in statement.doubts or (bool(polite) and statement.quote not in orders)


def _names_an_occasion(tokens: Sequence[str], words: Grammar) -> bool:
    """True for `for this letter, be formal`, `just this once, answer in German`, `no bullets today`."""
    return words.moments.within(tokens) > 0 or any(
        token in words.deictics
        and token in words.pronouns
        and (before in words.prepositions or before in words.limits)
        for before, token in pairwise(tokens)
    )


def _ends_with_what_is_at_hand(tokens: Sequence[str], words: Grammar) -> bool:
    """True for `when you edit this`, which is said of one piece of work; not for `when you write code`."""
    *_, condition, _, _, thing = ("", "", "", *tokens)
    is_thing = thing in words.thing_pronouns or (thing in words.deictics and thing in words.pronouns)
    return is_thing and condition in words.conditions


def _has_little_time(tokens: Sequence[str], words: Grammar) -> bool:
    """True for `be brief, im on the bus`; not for `when I'm on the bus`, nor for `I'm on the bus every day`."""
    return any(
        (place + size == len(tokens) or tokens[place + size] in words.coordinators)
        and not words.provisos.within(tokens[:place])
        for place, size in words.short_of_time.places(tokens)
    )


def _is_news_of_code(exchange: Surroundings) -> bool:
    """True in a repository for news of a piece of code that is worked at: `my function returns None`; not of `my test runner`."""
    if not exchange.turn.project or exchange.said.kind == "order":
        return False  # as most, which need no reading
    first = next(iter(clauses(exchange.said.quote, exchange.words)), None)
    if first is None:
        return False
    if first.kind == "other" and exchange.words.pronouns.has_any(first.subject[:1]):
        is_rule = exchange.words.negations.has_any(first.subject[:1])  # `nobody merges on fridays`
        return exchange.said.subject not in ("own", "named", "relative") and not is_rule  # `it prints 7`
    if first.kind == "have" and exchange.said.subject == "own":
        return not _PIECES.isdisjoint(first.tokens[:_THINGS])  # `i have an array of 5 objects`
    owned = exchange.words.articles.at(first.tokens) + 1
    known = first.subject[owned:] or first.tokens[owned : owned + (not first.kind)]
    is_own = exchange.words.possessives_own.has_any(first.tokens[owned - 1 : owned])
    return is_own and len(known) == 1 and known[0] in _PIECES


def _denies_what_is_at_hand(tokens: Sequence[str], words: Grammar) -> bool:
    """True for `don't touch the second file`, not for `don't use the passive voice` or `don't use my name`."""
    tokens = tokens[words.openers.skip(tokens) :]
    object_ = tokens[words.negated_orders.at(tokens) + 1 :] if words.negated_orders.at(tokens) else ()
    whose = (words.possessives_own, words.second_person, words.people_pronouns)
    definite = (
        object_[:1] and object_[0] in words.definite_words and not any(object_[0] in each for each in whose)
    )
    return bool(definite) and not words.order_topics.within(object_)


# What becomes of a statement: a fact at once, a dated statement, a question to a person, a line of its episode, or nothing.
# This is the one place that decides; docs/reference/consolidation.md shows the same table.

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
    Rule("episode", "says little", lambda _: True, weak=True),
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
