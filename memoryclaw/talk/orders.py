"""Orders to the assistant: how it shall answer from now on (a preference), or one piece of work (a task)."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.text.clauses import Clause
from memoryclaw.text.grammar import Grammar

_CONDITION = 3  # words of the shortest condition: `when you write`


def is_order(clause: Clause, words: Grammar) -> bool:
    """True for `no bullets pls`, `always use postgres`, `bitte duz mich`: an imperative that is to last.

    It lasts where it denies something, says "always" or the like, asks politely about how to answer, or gives a form of address.
    """
    tokens = _plain(clause, words)
    if not tokens or words.not_orders.at(tokens):
        return False
    if words.address_orders.at(tokens):
        return True
    first, polite = tokens[0], words.politeness.within(clause.typed)
    style, lasting = words.order_topics.within(tokens), words.lasting.within(clause.typed)
    if is_task(clause, words) and not lasting:
        return False
    if first in words.negative_determiners:
        return (
            len(tokens) > 1
            and tokens[1] not in words.nominatives
            and tokens[1] not in words.contracted_subjects
            and (style or polite or lasting)
        )
    if _tells(tokens, words):
        return False
    if denial := words.negated_orders.at(tokens):  # `dont make it up` may be said to anybody
        manner = words.manner_verbs.at(tokens, denial) or words.first_person.within(tokens)
        sign = not words.negations.at(tokens) or style or polite or lasting or manner
        return len(tokens) > 1 and bool(sign)
    if words.negated_infinitives.at(tokens):  # `nicht so viel erklären`
        return (
            len(tokens) > 1
            and not clause.subject
            and any(tokens[-1].endswith(end) for end in words.infinitive_ends.entries())
        )
    if not words.orders.at(tokens) or (clause.subject and clause.kind in ("be", "have")):
        return polite and style and not clause.kind
    if first in words.degree_orders and not style:
        return False
    return lasting or (style and (polite or first in words.manner_verbs))


def is_for_once(clause: Clause, words: Grammar, *, asked: bool) -> bool:
    """True for what only says how one piece of work shall be: `short ones please`, `3 more questions`, and `in French please` behind a request.

    Args:
        clause: an order by its words.
        words: the grammar of its language.
        asked: its turn has asked for something before.
    """
    tokens = _plain(clause, words)
    if (
        words.lasting.within(clause.typed)
        or words.negations.within(tokens)
        or words.address_orders.at(tokens)
    ):
        return False
    bare = not clause.kind and not words.orders.at(tokens)
    return bool(tokens) and (
        _is_counted(tokens, words) or (bare and (asked or tokens[-1] in words.pro_forms))
    )


def _is_counted(tokens: Sequence[str], words: Grammar) -> bool:
    """True for so many of something, which is one piece of work: `3 more questions`, `ein paar Beispiele`; not for a limit, `only 3 bullets`."""
    at = next(
        (
            n
            for n, token in enumerate(tokens[:-1])
            if token.isdigit() or token in words.cardinals or words.quantities.at(tokens, n)
        ),
        None,
    )
    if at is None:
        return False
    before = tokens[at - 1] if at else ""
    return before not in words.prepositions and before not in words.limits


def asks_for(clause: Clause, words: Grammar) -> bool:
    """True for a request for a piece of work: `draft the letter`, `two names for a boat please`."""
    tokens = _plain(clause, words)
    polite = words.politeness.within(clause.typed) and not words.order_topics.within(tokens)
    return is_task(clause, words) or bool(polite and tokens and not clause.kind)


def _tells(tokens: Sequence[str], words: Grammar) -> bool:
    """True for what only begins as an order does: `never saw that coming`, or the condition of one, `when you write long`."""
    second = tokens[1] if len(tokens) > 1 else ""
    past = second in words.past_event_verbs or second in words.have_verbs or second in words.be_verbs
    if past and second not in words.manner_verbs:
        return True
    return _is_condition(tokens, words) and not any(
        token in words.manner_verbs for token in tokens[_CONDITION:]
    )


def _is_condition(tokens: Sequence[str], words: Grammar) -> bool:
    return tokens[0] in words.subordinators or tokens[0] in words.question_words


def is_task(clause: Clause, words: Grammar) -> bool:
    """True for one piece of work: `remind me to ring them`, `gimme three options`."""
    tokens = _plain(clause, words)
    return bool(tokens) and words.tasks.at(tokens) > 0


def _plain(clause: Clause, words: Grammar) -> list[str]:
    """The tokens of a clause without what may stand before an order: `from now on no bullets`."""
    tokens = list(clause.tokens)
    while tokens:
        lasting = words.lasting.at(tokens)
        held = words.negations.within(tokens[:lasting]) or _is_condition(
            tokens, words
        )  # `nie wieder`, `when you`
        lead = words.politeness.at(tokens) or (lasting if lasting > 1 and not held else 0)
        filler = tokens[0] in words.fillers and tokens[0] not in words.negative_determiners
        if not (lead or filler or tokens[0] in words.coordinators):
            break
        tokens = tokens[lead or 1 :]
    return tokens
