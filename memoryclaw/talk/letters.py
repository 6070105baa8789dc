"""Lines of a turn → those of letters and messages that somebody else sent: signed, or as two sums of what they show tell.

Who is named before a colon may be who wrote what stands behind it, or what the speaker tells of; who greets may greet the assistant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from memoryclaw.talk.layout import LABEL, UPPER, block_end, listed, names_somebody
from memoryclaw.talk.text_requests import is_asked
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import Grammar, spans_of, tokens_of
from memoryclaw.text.sentences import sentences
from memoryclaw.vault.fact_values import KIN, noun_of

_HAIL = re.compile(  # what stands behind a greeting in its line: `Dear Mr. Holt,`
    r"(?:\b(?:mr|mrs|ms|dr|prof|sr|sra|mme|sig|dott)\.|[^.!?:\n]){0,40}[,!:]?\Z", re.IGNORECASE
)
_LED = re.compile(r"[^:!?;\n]{1,40}?(?:\*{0,2}[ \t]?:|[ \t][-–—])\*{0,2}(?=[ \t])")
_LEAD = 4  # words of a name that leads a line, with what stands beside it: `Lea, 8:`
_LEAVE = 7  # words of a line that takes leave, at most
_SIGNATURE = re.compile(r"[ \t]*+[^\W\d_a-zß-ÿ][\w.'-]*+(?:[ \t]++[^\W\d_a-zß-ÿ][\w.'-]*+){0,2}[ \t]*$")
_FIRST_NAMES = frozenset(lists.words("names.first"))
_FORMALLY = 2


def letter_lines(lines: Sequence[str], me: str) -> set[int]:
    """The lines of letters that greet somebody and take leave, or take leave formally, and that another one has signed."""
    letters: set[int] = set()
    start = -1
    for number, line in enumerate(lines):
        leave = _leave(line)
        if not leave and greets(line):
            start = number
        signature = next(
            (n for n in range(number + 1, min(number + 3, len(lines))) if lines[n].strip()), number
        )
        signer = signature > number and _SIGNATURE.match(lines[signature])
        if signature > number + 1 and not signer:
            signature = number  # the next paragraph is somebody's again
        thanks = tokens_of(line)
        if not leave and not (signer and listed("thanks").at(thanks) == len(thanks) > 0):
            continue
        signs = _signs(line) and not listed("thanks").at(thanks)
        if start < 0 and ((signer and leave == _FORMALLY) or signs):
            start = number
            while start and start - 1 not in letters and (lines[start - 1].strip() or start == number):
                start -= 1  # the paragraph above it
        signed = thanks if signs else tokens_of(lines[signature])
        if start >= 0 and number > start and not (me and me in signed):
            letters.update(range(start, block_end(lines, number if signs else signature)))
        start = -1
    return letters


def _signs(line: str) -> bool:
    """True for a line that takes leave and is signed: `Love, George`."""
    tokens = tokens_of(line)
    length = listed("farewells").at(tokens)
    behind = line[spans_of(line)[length - 1][1] :].strip(" ,.!") if length else ""
    return _SIGNATURE.match(behind) is not None


def _leave(line: str) -> int:
    """How a line takes leave: `_FORMALLY`, as nobody does of an assistant, otherwise, or not at all."""
    tokens = tokens_of(line)
    if len(tokens) > _LEAVE:
        return 0
    length = listed("farewells").at(tokens)
    behind = line[spans_of(line)[length - 1][1] :].strip() if length else "…"
    if not behind or behind[0] in ",.!" or behind[0].isupper():
        return 1
    return _FORMALLY * (listed("regards").within(tokens[:4]) or line.strip() == "--")


def greets(line: str, whom: str = "") -> bool:
    """True for a line of a greeting alone, or that begins with one of somebody by name; `hi Nora here` greets nobody."""
    tokens = tokens_of(line)
    length = listed("greetings").at(tokens)
    if not length or not whom:
        return length > 0 and _HAIL.match(line[spans_of(line)[length - 1][1] :].rstrip()) is not None
    return tokens[length : length + 1] == (whom,) and tokens[length + 1 : length + 2] not in (
        ("here",),
        ("hier",),
    )


def message_lines(lines: Sequence[str], words: Grammar, me: str) -> set[int]:
    """The lines of messages: below a greeting they go on to an empty line or to a question."""
    messages = _led_by_names(lines, words, me)
    for number, line in enumerate(lines):
        if is_message(line, words, me):
            below = range(number + 1, block_end(lines, number))
            messages |= {number, *takewhile(lambda place: not is_asked(lines[place], words), below)}
    return messages


class _Opening(NamedTuple):
    """A line that begins with a greeting, and may be a message that somebody else sent."""

    line: str
    behind: Sequence[str]  # the tokens behind the greeting
    typed: Sequence[str]  # the same words as they were typed
    words: Grammar

    def presented(self) -> int:
        """Behind how many of them somebody is presented by name, `it's Gwen`; 0 where nobody is."""
        places = (place + length for place, length in listed("presenting").places(self.behind[:_NEAR]))
        place = next(places, 0)
        place += self.words.honorifics.at(self.behind, place)
        return (place + 1) * (
            place > 0 and self.typed[place : place + 1] != [] and self.typed[place][0].isupper()
        )

    def sentences(self, *, asking: bool) -> Iterator[Sequence[str]]:
        """The words of the sentences that ask something, or of those that do not."""
        return (
            tokens_of(sentence)
            for sentence in sentences(self.line)
            if is_asked(sentence, self.words) == asking
        )


def _comes_from(opening: _Opening) -> bool:
    behind = opening.presented()
    return behind > 0 and any(
        opening.words.origins.at(opening.behind, place) for place in (behind, behind + 1)
    )


def _greets_a_name(opening: _Opening) -> bool:
    tokens = opening.behind
    return opening.typed[0][0].isupper() and not (
        listed("speakers").at(tokens) or tokens[0] in opening.words.common
    )


def _speaks_of_the_readers(opening: _Opening) -> bool:
    return any(
        opening.words.second_person.within(tokens) or listed("formal_address").within(tokens)
        for tokens in opening.sentences(asking=False)
    )


# What a line with a greeting shows of being a message to the speaker or of the speaker's to somebody, and how much.
MESSAGE: Mapping[str, tuple[float, Callable[[_Opening], bool]]] = {
    "greets": (0.5, lambda _opening: True),
    "greets a name": (0.5, _greets_a_name),
    "with a title": (0.5, lambda opening: opening.words.honorifics.at(opening.behind) > 0),
    "says by name who writes": (0.5, lambda opening: opening.presented() > 0),
    "and whence": (1.0, _comes_from),
    "speaks to the reader": (0.75, _speaks_of_the_readers),
    "takes leave": (1.0, lambda opening: _signs([*sentences(opening.line)][-1])),
    "asks the one spoken to": (-1.0, lambda opening: any(opening.words.second_person.within(tokens) for tokens in opening.sentences(asking=True))),
}  # fmt: skip
_NEAR = 4  # words behind a greeting in which somebody is presented
_MESSAGE_SURE = 2.5


def is_message(line: str, words: Grammar, me: str) -> bool:
    """True for a line that greets as a message does: `Hello, it's Gwen from the library. The book that you reserved is in`."""
    tokens = tokens_of(line)
    length = listed("greetings").at(tokens)
    if not 0 < length < len(tokens):
        return False
    opening = _Opening(
        line, tokens[length:], [line[start:end] for start, end in spans_of(line)[length:]], words
    )
    name = opening.presented()
    is_mine = me and me in (*tokens[length : length + name], *tokens[-1:])
    return (
        not is_mine and sum(weight for weight, shows in MESSAGE.values() if shows(opening)) >= _MESSAGE_SURE
    )


class _Labelled(NamedTuple):
    """A line with a label, which may be what somebody of that name wrote."""

    label: str
    name: Sequence[str]  # the tokens of the label
    tokens: Sequence[str]  # of what stands behind it
    beside: Sequence[str]  # of the other lines of the turn
    words: Grammar


def _is_role(labelled: _Labelled) -> bool:
    return labelled.words.roles.within(labelled.name) or labelled.words.honorifics.at(labelled.name) > 0


def _is_person(name: Sequence[str], words: Grammar) -> bool:
    return name[0] in _FIRST_NAMES or words.roles.within(name)


def is_led_by_person(text: str, words: Grammar, is_somebody: Callable[[str], bool]) -> bool:
    """True for a line that is led by whom it tells of: `Lisa: mag Rosen`, `my sister - loves jazz`; not for `me: love jazz`."""
    led = _LED.match(text)
    name = tokens_of(led[0]) if led else ()
    if not 0 < len(name) <= _LEAD:
        return False
    is_own = any(token in words.first_person and token not in words.possessives_own for token in name)
    are_several = any(token[-1] == "s" and token[:-1] in words.roles for token in name)  # `the kids`
    return not is_own and (
        are_several or words.honorifics.at(name) > 0 or is_somebody(name[0]) or _is_person(name, words)
    )


def _is_kin(labelled: _Labelled) -> bool:
    noun = noun_of(labelled.label)
    is_named = len(labelled.name) > 1 and _is_role(labelled)  # `Uncle Ray`, `my brother`
    return is_named or (noun is not None and noun.field in KIN)


# What tells that the label of a line names who wrote it, and how much: it may as well name what the speaker tells of.
AUTHORS: Mapping[str, tuple[float, Callable[[_Labelled], bool]]] = {
    "a name": (1.0, lambda labelled: UPPER.match(labelled.label) is not None and names_somebody(labelled.label, labelled.words)),
    "a first name": (1.0, lambda labelled: _is_person(labelled.name, labelled.words)),
    "somebody to the speaker": (0.5, _is_role),
    "who is near or named": (0.5, _is_kin),
    "speaks to somebody": (0.5, lambda labelled: labelled.words.second_person.within(labelled.tokens)),
    "is asked about beside it": (1.0, lambda labelled: labelled.words.people_pronouns.within(labelled.beside)),
    "is told of": (-1.0, lambda labelled: labelled.words.people_pronouns.within(labelled.tokens)),
}  # fmt: skip
_AUTHOR_SURE = 2.0
_SUBJECT = 5  # words of a subject that is somebody's own, with its verb


def _led_by_names(lines: Sequence[str], words: Grammar, me: str) -> set[int]:
    """The lines that the name of somebody else leads, where all labels of the turn are the same: `Lena: ich bin allergisch gegen Soja`."""
    labels = {number: hit for number, line in enumerate(lines) if (hit := LABEL.match(line)) and hit["mark"]}
    names = {tokens_of(hit["who"]) for hit in labels.values()}
    if len(names) != 1 or not (name := names.pop()) or me in name or listed("speakers").at(name) == len(name):
        return set()
    beside = tokens_of(" ".join(line for number, line in enumerate(lines) if number not in labels))
    texts = {number: lines[number][hit.start("words") :] for number, hit in labels.items()}
    messages = {
        number: _Labelled(hit["who"], name, tokens_of(texts[number]), beside, words)
        for number, hit in labels.items()
        if _tells_of_self(texts[number], words)
    }
    return {
        number
        for number, labelled in messages.items()
        if sum(weight for weight, shows in AUTHORS.values() if shows(labelled)) >= _AUTHOR_SURE
    }


def _tells_of_self(text: str, words: Grammar) -> bool:
    """True where the speaker, or a thing of theirs, is the subject: not for `my dog, nine years old`, `call me at six`."""
    if any(token in words.first_person and token not in words.first_objects for token in tokens_of(text)):
        return True
    first = tokens_of(text.partition(",")[0])
    owned = next((place for place, token in enumerate(first) if token in words.possessives_own), len(first))
    return words.verbs.has_any(first[owned + 2 : owned + _SUBJECT])
