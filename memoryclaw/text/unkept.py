"""What a person asks in words not to keep: `don't save this, but …`, `off the record: …`, and of the turn before, `forget that, it's private`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from memoryclaw.model import Turn
from memoryclaw.text.clauses import clauses
from memoryclaw.text.grammar import Grammar, WordList, codes, grammar, grammar_of, tokens_of
from memoryclaw.text.sentences import sentences

TELLS, POINTS_BACK, POINTS = "tells", "points back", "points"
_LONGEST = 1000  # characters of a turn; in longer ones others speak as well
_REASON = 8  # words of a reason
_PRONOUN = 2  # words that point without saying at what: `that`, `das eben`
_MARK = re.compile(r"([.,;:!?…\n()]+|\s[-–—]+\s)")


@lru_cache(maxsize=256)  # asked when a turn is captured, and of those of a segment
def asked_unkept(text: str) -> str:
    """TELLS for a turn that asks that what it tells is not kept, POINTS_BACK for one that asks it of the turn before, else "".

    POINTS for one that asks it with a pronoun alone, which may mean a piece of work as well: `delete that`. A piece of work tells nothing: `write it to the log, don't keep it`.
    """
    if len(text) > _LONGEST or not _requests().may_be_in(tokens := tokens_of(text)):
        return ""
    for words in map(grammar, codes()):
        orders = [order for order in (words.unkept, words.forget_orders) if order.may_be_in(tokens)]
        plain = [token for token in tokens if token not in words.softeners] if orders else []
        if any(order.within(tokens) or order.within(plain) for order in orders):
            rest, is_of_this = _rest(text, words)
            if rest is not None and (not rest or _is_reason(rest, words)):
                named = max((size for _, size in words.said_last.places(tokens)), default=0) > _PRONOUN
                return POINTS_BACK if named or rest or is_of_this else POINTS
            if is_of_this:
                return "" if words.deeds.at(rest or ()) else TELLS
    return ""


def _is_reason(tokens: Sequence[str], words: Grammar) -> bool:
    """True for a few words why nothing is to be kept: `it's private`."""
    is_short = len(tokens) <= _REASON and not any(token[0].isdigit() for token in tokens)
    return is_short and words.reasons_to_forget.within(tokens)


def without_unkept(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns of a log, of which those say nothing whose speaker asks not to keep them, nor what was answered to one that the next takes back."""
    kept = list(turns)
    own: dict[tuple[str, str], int] = {}  # the place of each speaker's last turn
    for place, turn in enumerate(turns):
        request = asked_unkept(turn.text) if turn.role == "user" else ""
        speaker = turn.name, turn.by
        first = own.get(speaker, place) if request in (POINTS_BACK, POINTS) else place
        if request == TELLS:
            kept[place] = turn._replace(text="")
        elif first < place and not _is_of_work(turns[first:place], by_pronoun=request == POINTS):
            kept[first:place] = [taken._replace(text="") for taken in turns[first:place]]
            kept[place] = turn._replace(takes_back=turns[first])
        if turn.role == "user":
            own[speaker] = place
    return tuple(kept)


def _is_of_work(turns: Sequence[Turn], *, by_pronoun: bool) -> bool:
    """True where what would be taken back is a piece of work, or a tool acted behind it: `delete that` is of a file.

    A pronoun means the piece of work that stands anywhere in the turn, or in the answer: `here is the draft`.
    """
    tokens = tokens_of(turns[0].text) if turns else ()
    is_task = any(
        words.deeds.at(tokens) and not words.reminders.at(tokens) for words in map(grammar, codes())
    )
    is_beside = by_pronoun and any(_holds_work(turn.text) for turn in turns if turn.role != "tool")
    return is_task or is_beside or any(turn.role == "tool" for turn in turns)


def _holds_work(text: str) -> bool:
    """True where a clause tells what to make, or that it is made: `i live in Bath. write me a tagline`, `i added a column`."""
    words = grammar_of(text)
    members = (member.tokens for sentence in sentences(text) for member in clauses(sentence, words))
    return words.made_words.within(tokens_of(text)) or any(
        (words.chores.at(tokens) or words.tasks.at(tokens)) and not words.reminders.at(tokens)
        for tokens in members
    )


@cache
def _requests() -> WordList:
    return WordList(
        (), [part for words in map(grammar, codes()) for part in (words.unkept, words.forget_orders)]
    )


def _rest(text: str, words: Grammar) -> tuple[list[str] | None, bool]:
    """What a turn says besides its requests that nothing be kept, None where it has none, and whether one of them may be of that."""
    pieces = _MARK.split(text)
    rest, takes_back, is_of_this = list[str](), False, False
    for piece, mark in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        typed = tokens_of(piece)
        plain = [token for token in typed if token not in words.softeners]  # `onthoud dat maar niet`
        places = (
            (tokens, *place) for tokens in (typed, plain) for place in _requests_in(tokens, words, mark)
        )
        tokens, start, end = next(places, (typed, 0, 0))
        if not end and (_takes_back(typed, words) or _takes_back(plain, words)):
            takes_back = True
            continue
        is_of_this = is_of_this or end > 0
        beside = [*tokens[:start], *tokens[end:]]
        rest += () if words.unkept_frames.issuperset(beside) else beside
    return (rest if takes_back or is_of_this else None), is_of_this


def _takes_back(tokens: Sequence[str], words: Grammar) -> bool:
    """True for a verb of forgetting and what was just said, and nothing else: `please delete what i just said`; not `delete that file`."""
    frames = words.forgetting_frames
    start = frames.skip(tokens)
    order = start + words.forget_orders.at(tokens, start)
    end = order + words.said_last.at(tokens, order)
    denied = words.negations.within([*tokens[:start], *tokens[end:]])  # `never forget that`
    return start < order < end and frames.skip(tokens, end) == len(tokens) and not denied


def _requests_in(tokens: Sequence[str], words: Grammar, mark: str) -> Iterator[tuple[int, int]]:
    """Where a piece between marks asks that nothing is kept: at its beginning, or behind a word that begins anew."""
    for place, size in words.unkept.places(tokens):
        before = tokens[place - 1] if place else ""
        if before and not (before[-1].isdigit() or before in words.anew):
            continue
        if words.first_person.has_any(tokens[:place]):  # `ich kann mir das nicht merken`
            continue
        end = words.unkept_company.skip(tokens, place + size)
        phrase = tokens[place:end]
        names_it = words.unkept_names.within(phrase)
        is_whole = end == len(tokens) or words.unkept_followers.at(tokens[:-1], end)
        if is_whole and (names_it or (":" in mark and end == len(tokens)) or words.politeness.within(tokens)):
            yield place, end
