"""A line of a turn → how far it asks for something to be done with a text that stands beside it: a sum of what its words show.

No single wording tells: `what does this mean?` points and asks for a meaning, `shorter please:` names a manner and asks, `got this from my
landlord` points and says whence. What is asked of things and of the speaker's own life holds other words, and these count against it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from memoryclaw.talk.layout import listed
from memoryclaw.text import clauses
from memoryclaw.text.grammar import UNREAD, Grammar, grammar, tokens_of
from memoryclaw.text.language import plain
from memoryclaw.text.sentences import SMALL, sentences

_MOST = 16  # words of a line that asks; what is longer tells something besides
_EDGE = 3  # words at the beginning and at the end of a line
_ADJECTIVES = 2  # before a noun, at most
_END = re.compile(r"[.!?:\n]")  # of the first sentence of an answer
_COMMA = re.compile(r"[,;]\s")
_ASIDE = re.compile(r"\([^()]*\)")
_ABOVE = re.compile(r"\s*[\^↑☝👆]")  # points to what stands above
_OTHER_WORDS = 3  # that count, at most
_BARE = 4  # words, at most, of a request that points nowhere: `tldr?`


class _AskingLine(NamedTuple):
    """A line that may ask, with the grammar of its turn."""

    text: str
    tokens: Sequence[str]
    words: Grammar


def _has(name: str) -> Callable[[_AskingLine], float]:
    return lambda line: listed(name).within(line.tokens)


def is_asked(text: str, words: Grammar) -> bool:
    """True for a line that asks or orders: with its mark, by its verb, or politely at its beginning or end."""
    tokens = tokens_of(text)
    if listed("requests").within(tokens) or listed("answering").within(tokens) or listed("makers").at(tokens):
        return True
    return bool(_asks(_AskingLine(text, (*tokens[:_EDGE], *tokens[-_EDGE:]), words)))


def _asks(line: _AskingLine) -> float:
    """By its mark, by the order of its words, or politely."""
    polite = listed("askers").within(line.tokens) or line.words.politeness.within(line.tokens)
    return (
        polite or line.text.rstrip().endswith(("?", "？", ":", "：")) or clauses.asks(line.tokens, line.words)
    )


def _asks_how_it_sounds(line: _AskingLine) -> float:
    """`sounds weird?`, `make it sound nicer`; `that sounds good` only says yes."""
    return listed("tones").within(line.tokens) and (_asks(line) or listed("makers").at(line.tokens))


def _points(line: _AskingLine) -> float:
    """To something that the line does not name: `this`, but not `this bike`; `the letter` names a text."""
    if _ABOVE.match(line.text):
        return 2
    tokens, pointers = line.tokens, listed("text_pointers")
    behinds = (place + length for place, length in pointers.places(tokens))
    return any(
        behind == len(tokens)
        or any(texts.at(tokens, behind) for texts in (line.words.written_things, listed("writers")))
        or tokens[behind] not in _other_words(line)
        for behind in behinds
    )


def _is_owned(line: _AskingLine) -> float:
    """What is the speaker's own, but for people and texts, or is of the one spoken to: `my plan`, `your question`, not `my boss`."""
    tokens, words = line.tokens, line.words
    return any(
        (
            token in words.possessives_own
            and not words.written_things.at(tokens, place + 1)
            and not words.roles.within(tokens[place + 1 : place + 3])
        )
        or (token in words.second_person and token in words.determiners and token not in words.nominatives)
        for place, token in enumerate(tokens)
    )


def _is_of_another(line: _AskingLine) -> float:
    """A text that somebody else wrote: `tom's text`, `le mot de mon voisin`."""
    tokens, words = line.tokens, line.words
    return any(
        tokens[place - 1].endswith("'s")
        or (
            tokens[end : end + 1]
            and tokens[end] in words.owner_prepositions
            and words.roles.within(tokens[end : end + 3])
        )
        for place, size in words.written_things.places(tokens)
        if (end := place + size) and place
    )


def _tells(line: _AskingLine) -> float:
    """The speaker comes up, and as nobody who got it or answers it: `I like this`, `I sent this`, not `I got this`, `how do I answer`."""
    mine = [token for token in line.tokens if line.words.first_person.at((token,))]
    is_subject = line.words.nominatives.has_any(mine)
    others = (listed("receipts"), listed("answering"), *[listed("deliveries")] * (not is_subject))
    return bool(mine) and not any(other.within(line.tokens) for other in others)


def _delivered(line: _AskingLine) -> float:
    """Somebody sent, gave or wrote it, or the speaker came by it."""
    ways = (listed("deliveries"), listed("receipts"))
    return any(way.within(line.tokens) for way in ways) and not line.text.rstrip().endswith("?")


def makes_of_it(tokens: Sequence[str], words: Grammar) -> bool:
    """True for an order about what stands beside it, `edit this please`, also before another: `read this and tell me if …`."""
    pointer = listed("text_pointers").at(tokens, 1)
    end = words.politeness.skip(tokens, 1 + pointer)
    is_end = end >= len(tokens) or tokens[end] in words.coordinators
    return listed("makers").at(tokens) == 1 and pointer > 0 and is_end


def _breaks_off(line: _AskingLine) -> bool:
    """It ends before the thing that it asks about: `a title for:`."""
    orders = line.words.tasks.at(line.tokens) or listed("makers").at(line.tokens)
    asks = orders or clauses.asks(line.tokens, line.words)  # not `the numbers you asked for:`
    return bool(_leads(line) and asks and line.words.origins.at(line.tokens[-1:]))


def _leads(line: _AskingLine) -> bool:
    return line.text.rstrip().endswith((":", "："))


def _is_work_on_a_text(line: _AskingLine) -> bool:
    """By its verb, or by what is to be made of it: `summarise`, `make this shorter`."""
    lists = ("makers", "manners")
    return listed("requests").within(line.tokens) or all(listed(name).within(line.tokens) for name in lists)


def _asks_for_nothing_else(line: _AskingLine) -> float:
    """Work on a text, an answer to it or who wrote it, and no word of anything besides."""
    is_put = listed("languages").within(line.tokens) or makes_of_it(line.tokens, line.words)
    asks = (
        _is_work_on_a_text(line) or listed("answering").within(line.tokens) or (is_put and _leads(line))
    )  # `edit this:`
    tells = listed("deliveries").within(line.tokens) and not _tells(line)
    return (asks or tells) and not _other_words(line)


def _other_words(line: _AskingLine) -> Sequence[str]:
    """The words that have nothing to do with a text, nor with any other asking."""
    usual, of_text = _usual(), line.words.of_text
    return [
        token
        for token in line.tokens
        if not token[0].isdigit()
        and plain(token) not in usual
        and token not in usual
        and token not in of_text
        and token not in line.words.roles
    ]


@cache
def _usual() -> frozenset[str]:
    names = ("requests", "askers", "text_pointers", "tones", "judgements", "answering", "aspects", "makers", "manners", "languages", "deliveries", "receipts", "speakers", "whence")  # fmt: skip
    entries = (tokens_of(entry) for name in names for entry in listed(name).entries())
    return frozenset[str]().union(*SMALL.values(), *entries)


# What a line shows, and how much it says.
FEATURES: Mapping[str, tuple[float, Callable[[_AskingLine], float]]] = {
    "points to something unnamed": (1.0, _points),
    "asks": (0.5, _asks),
    "asks for work on a text": (1.5, _is_work_on_a_text),
    "and for nothing else": (1.5, _asks_for_nothing_else),
    "breaks off before its object": (2.5, _breaks_off),
    "names what only a text has": (2.0, _has("aspects")),
    "asks how words sound": (1.0, _asks_how_it_sounds),
    "judges or interprets": (1.0, lambda line: any(listed(name).within(line.tokens) for name in ("judgements", "tones"))),
    "makes something of it": (0.5, _has("makers")),
    "asks what to answer": (1.5, _has("answering")),
    "names a manner": (1.5, _has("manners")),
    "names a language": (1.0, _has("languages")),
    "says whence it came": (1.5, _has("whence")),
    "somebody delivered it": (1.5, _delivered),
    "asks about somebody unnamed": (1.5, lambda line: line.text.rstrip().endswith("?") and _somebody(line.tokens, line.words)),
    "a text of another": (2.0, _is_of_another),
    "an own thing": (-2.0, lambda line: _is_owned(line) and not _is_of_another(line)),
    "the speaker comes up": (-1.0, _tells),
    "tells the one spoken to": (-2.0, lambda line: line.words.second_person.at(line.tokens) and not line.text.rstrip().endswith(("?", "？"))),
    "a purpose": (-3.0, lambda line: line.tokens[0] in line.words.goal_prepositions and not listed("languages").within(line.tokens)),
    "it is to last": (-2.0, lambda line: line.words.lasting.within(line.tokens)),
    "other words": (-0.5, lambda line: min(_OTHER_WORDS, len(_other_words(line)))),
}  # fmt: skip


def asks_of_text(text: str, words: Grammar) -> float:
    """How far a line asks for something to be done with a text beside it, by what in it asks most."""
    return _asked_by(_asking_part(text, words), words)


def asks_beside(sentence: str, words: Grammar) -> float:
    """The same of a sentence with a text beside it in its line: it points there, or is too short to name anything, and is no yes or no."""
    line = _AskingLine(sentence, tokens_of(sentence), words)
    says_yes = listed("judgements").at(line.tokens) == len(line.tokens)  # `correct`
    if len(line.tokens) > _MOST or says_yes:
        return -math.inf
    topics = (token for token in line.tokens if token in words.order_topics)
    is_short = len(line.tokens) <= _BARE or listed("aspects").within(line.tokens)
    is_bare = is_short and not _other_words(line) and all(token in _usual() for token in topics)
    is_beside = is_bare or _points(line) or _breaks_off(line)
    asks = is_beside and (is_asked(sentence, words) or _delivered(line))
    return _asked_by(sentence, words) if asks else -math.inf


def _asking_part(text: str, words: Grammar) -> str:
    """The line, a sentence of it, what stands before its first comma, or all but an aside in brackets: whatever asks most."""
    pieces = (text.strip(), *sentences(text), _COMMA.split(text, maxsplit=1)[0], _ASIDE.sub("", text))
    return max(pieces, key=lambda piece: _asked_by(piece, words))


@lru_cache(maxsize=4096)  # each line is looked at above and below, and is often its only sentence
def _asked_by(text: str, words: Grammar) -> float:
    tokens = tokens_of(text)
    if not 0 < len(tokens) <= _MOST:
        return -math.inf
    line = _AskingLine(text, tokens, words)
    return sum(weight * feature(line) for weight, feature in FEATURES.values())


class _Beside(NamedTuple):
    """A line that may ask, and a text above or below it."""

    line: str
    text: str
    words: Grammar

    @property
    def sentences(self) -> int:
        """How many the text has."""
        return len(sentences(self.text))


def is_typed(text: str) -> bool:
    """True for words that begin with a small letter: as people type, and seldom write."""
    return re.match(r"[^\w\n]{0,3}[a-zß-ÿа-я]", text.strip()) is not None


def _ends(text: str) -> bool:
    return text.rstrip(" \"'”’»)*_").endswith((".", "!", "?", "…", ":", "。", "？", "！"))


def _speaks_to_somebody(beside: _Beside) -> bool:
    return beside.words.second_person.within(tokens_of(beside.text)) or grammar(UNREAD).second_person.within(
        tokens_of(beside.text)
    )


def _names_whom(beside: _Beside) -> bool:
    """Whom the line asks about comes up in the text: `he`, `my landlord`, `Mr Osei`."""
    words, tokens = beside.words, tokens_of(beside.text)
    if not _somebody(tokens_of(_asking_part(beside.line, words)), words):
        return False
    owned = (
        words.roles.at(tokens, n + 1) for n, token in enumerate(tokens) if token in words.possessives_own
    )
    return _somebody(tokens, words) or words.honorifics.within(tokens) or any(owned)


def _somebody(tokens: Sequence[str], words: Grammar) -> bool:
    """True where somebody comes up who is not named."""
    return words.people_pronouns.within(tokens) or listed("somebody").within(tokens)


def _is_told_alike(beside: _Beside) -> bool:
    """The text tells of `I` and `my` to nobody, in the manner of a line that asks for no answer to it."""
    return (
        is_typed(beside.line) == is_typed(beside.text)
        and not any(listed(name).within(tokens_of(beside.line)) for name in ("answering", "languages"))
        and beside.words.first_person.within(tokens_of(beside.text)) > 0
        and not _speaks_to_somebody(beside)
    )


# In what the text is in another manner than the line, and how much each says that it is not by the same hand.
CONTRASTS: Mapping[str, tuple[float, Callable[[_Beside], float]]] = {
    "has sentences": (0.5, lambda beside: beside.sentences > 1),
    "has several": (0.5, lambda beside: beside.sentences > 2),
    "is long": (0.5, lambda beside: len(tokens_of(beside.text)) > _MOST),
    "it is written, and the line typed": (1.0, lambda beside: is_typed(beside.line) and not is_typed(beside.text)),
    "other ends": (0.5, lambda beside: _ends(beside.line) != _ends(beside.text)),
    "one manner": (-1.0, lambda beside: is_typed(beside.line) == is_typed(beside.text) and _ends(beside.line) == _ends(beside.text)),
    "greets": (1.0, lambda beside: listed("greetings").at(tokens_of(beside.text)) > 0),
    "speaks to somebody": (0.5, _speaks_to_somebody),
    "whom the line asks about": (-1.5, _names_whom),
    "the speaker tells it": (-1.5, _is_told_alike),
}  # fmt: skip
ENOUGH = 2.5  # of a request and the contrast of the text that it stands beside
LEAST = -1.5  # of a request, where all contrasts speak for it
CLEAR = 2.0  # of a request that can mean a text alone; one that asks less …
VAGUE = 1.5  # … counts so much less: `thoughts?` is asked of one's own story, too


def contrast(line: str, text: str, words: Grammar) -> float:
    """How far a text is in another manner than the line beside it."""
    beside = _Beside(line, text, words)
    return sum(weight * feature(beside) for weight, feature in CONTRASTS.values())


def is_about_a_text(answer: str, text: str, words: Grammar) -> bool:
    """True for an answer that begins with what a text is or became: `The warning you see …`, `This letter …`, `Here is the corrected version`.

    Whoever tells of a letter or a book names it, so that the answer may name it too; a letter does not.
    """
    tokens = tokens_of(_END.split(answer, maxsplit=1)[0])
    tokens = tokens[words.openers.skip(tokens) :]
    if listed("reworked").within(tokens):
        return True
    determined, text_tokens = listed("definite").at(tokens), frozenset(tokens_of(text))
    return determined > 0 and any(
        tokens[place] not in text_tokens
        and any(
            nouns.at(tokens, place) for nouns in (words.written_things, listed("outputs"), listed("writers"))
        )
        for place in range(determined, min(len(tokens), determined + _ADJECTIVES + 1))
    )
