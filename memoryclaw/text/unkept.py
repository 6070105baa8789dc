"""What a person asks in words not to keep: `don't save this, but …`, `off the record: …`, and of the turn before, `forget that, don't save it`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from memoryclaw.model import Turn
from memoryclaw.text.grammar import Grammar, WordList, codes, grammar, tokens_of

TELLS, POINTS_BACK = "tells", "points back"
_LONGEST = 1000  # characters of a turn; in longer ones others speak as well
_MARK = re.compile(r"([.,;:!?…\n()]+|\s[-–—]+\s)")


@lru_cache(maxsize=256)  # asked when a turn is captured, and of those of a segment
def asked_unkept(text: str) -> str:
    """TELLS for a turn that asks that what it tells is not kept, POINTS_BACK for one that asks it of the turn before, else "".

    A piece of work tells nothing: `write it to the log, don't keep it`.
    """
    if len(text) > _LONGEST or not _requests().may_be_in(tokens := tokens_of(text)):
        return ""
    for words in map(grammar, codes()):
        rest = _rest(text, words) if words.unkept.within(tokens) else None
        if rest is not None:
            return "" if _is_work(rest, words) else TELLS if rest else POINTS_BACK
    return ""


def lines_unkept(turns: Sequence[Turn]) -> frozenset[int]:
    """The lines of a log whose speaker asked not to keep them, with what was answered to a turn that the next one takes back."""
    lines = set[int]()
    own: dict[tuple[str, str], int] = {}  # the place of each speaker's last turn
    for place, turn in enumerate(turns):
        request = asked_unkept(turn.text) if turn.role == "user" else ""
        speaker = turn.name, turn.by
        if request:
            first = own.get(speaker, place) if request == POINTS_BACK else place
            tokens = tokens_of(turns[first].text)
            first = place if any(_is_work(tokens, words) for words in map(grammar, codes())) else first
            lines.update(unkept.line for unkept in turns[first : place + 1])
        if turn.role == "user":
            own[speaker] = place
    return frozenset(lines)


def _is_work(tokens: Sequence[str], words: Grammar) -> bool:
    """True for what begins by telling what to do."""
    return any(verbs.at(tokens) for verbs in (words.chores, words.tasks, words.orders, words.manner_verbs))


@cache
def _requests() -> WordList:
    return WordList((), [grammar(code).unkept for code in codes()])


def _rest(text: str, words: Grammar) -> list[str] | None:
    """What a turn says besides its requests that nothing be kept; None where it has none."""
    pieces = _MARK.split(text)
    rest, asks = list[str](), False
    idle = (
        words.politeness, words.fillers, words.closers, words.pointing,
        words.contrasts, words.coordinators, words.forget_orders,
    )  # fmt: skip
    for piece, mark in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        tokens = tokens_of(piece)
        start, end = next(_requests_in(tokens, words, mark), (0, 0))
        asks = asks or end > 0
        beside = [*tokens[:start], *tokens[end:]]
        rest += () if all(any(token in each for each in idle) for token in beside) else beside
    return rest if asks else None


def _requests_in(tokens: Sequence[str], words: Grammar, mark: str) -> Iterator[tuple[int, int]]:
    """Where a piece between marks asks that nothing is kept: at its beginning, or behind a word that begins anew."""
    anew = words.politeness, words.contrasts, words.coordinators, words.fillers, words.pointing
    goes_on = (
        words.contrasts, words.coordinators, words.first_person,
        words.possessives_own, words.nominatives, words.reasons,
    )  # fmt: skip
    idle = words.politeness, words.fillers, words.pointing, words.unkept_things
    for place, size in words.unkept.places(tokens):
        before = tokens[place - 1] if place else ""
        if before and not (before[-1].isdigit() or any(before in entries for entries in anew)):
            continue
        if words.first_person.has_any(tokens[:place]):  # `ich kann mir das nicht merken`
            continue
        end = place + size
        while step := max((entries.at(tokens, end) for entries in idle), default=0):
            end += step
        phrase = tokens[place:end]
        names_it = any(entries.within(phrase) for entries in (words.pointing, words.unkept_things))
        is_whole = end == len(tokens) or any(entries.at(tokens[:-1], end) for entries in goes_on)
        if is_whole and (names_it or (":" in mark and end == len(tokens)) or words.politeness.within(tokens)):
            yield place, end
