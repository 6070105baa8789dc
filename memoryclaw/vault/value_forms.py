"""What a value looks like, and the words by which people ask for a value of that form: an address is asked for as mail, a number as a call. Pure."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from datetime import date
from functools import cache, lru_cache
from itertools import takewhile

from memoryclaw import late
from memoryclaw.model import VALUE
from memoryclaw.text import words as lists
from memoryclaw.text.dates import days_of, find_ranges
from memoryclaw.text.language import fold, plain, words_of
from memoryclaw.text.sentences import SMALL
from memoryclaw.vault.vocabulary import SHAPES

# Of these forms, a value answers whatever its field is called; of others only where no field says what it is.
_CONTACTS = ("email", "phone", "url")
_SIGNS = ("@", "://", "www.")  # a name with a dot may be a file's
_AMOUNT = late.pattern(
    r"(?:[$€£¥]\s?\d[\d.,' ]*[kKmM]?|\d[\d.,' ]*\s?(?:[$€£¥]|(?:EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?)\b))(?:\s\S+){0,3}"
)
# A number stands before the first kind and behind the second, of which a longer word may end in one: `cost 400` is no street.
_FIRST, _LAST = ("|".join(map(re.escape, line.split())) for line in lists.lines("consolidation.streets"))
# From where a word begins, else each letter of a long one is tried.
_STREET = rf"(?i)(?<!\w)(?:\d{{1,5}}\w?,? (?:[^\W\d_][\w.'-]{{0,40}},? ){{1,4}}(?:{_FIRST})\b|[^\W\d_](?:[\w.-]{{0,40}}[ -]|[\w.-]{{2,40}})(?:{_LAST}) \d{{1,5}} ?\w?\b)"
STREET, _PLACE = late.pattern(_STREET), late.pattern(rf"{_STREET}.{{0,60}}")
_WORDS = {
    form: frozenset(words.split())
    for form, _, words in (line.partition(": ") for line in lists.lines("consolidation.value_forms"))
}
_BARE = {"amount": _AMOUNT, "address": _PLACE}


@cache
def _verbs() -> dict[str, frozenset[str]]:
    """The verbs by which other languages ask for fields, which have English names."""
    return {
        field: frozenset(word for word in re.split(r"[,/ ]+", phrases) if fold(word) not in SMALL["de"])
        for field, _, phrases in (line.partition(": ") for line in lists.lines("talk_de.verb_fields"))
    }


@lru_cache(maxsize=8192)
def asked_as(field: str, value: str) -> frozenset[str]:
    """The words besides its field's name that ask for a value: for what it or a part of it is or looks like, and verbs of another language."""
    of_field = _verbs().get(field, frozenset()) | _WORDS.get(field, frozenset())
    pieces = {value, *_PIECES.split(value)} if _CONTACT.search(value) else (value,)
    return of_field.union(*(_words_for(field, piece.strip()) for piece in pieces))


def found_by(field: str, value: str) -> frozenset[str]:
    """The words by which a fact is found that it does not say: those that ask for it, and of `is: a midwife` those that ask for an occupation."""
    may_be_trade = field == "is" and bool(_KIND.match(value) or is_occupation(value))
    return asked_as(field, value) | (_WORDS["works as"] if may_be_trade else frozenset())


def is_occupation(value: str) -> bool:
    """True for what somebody is by trade: `a primary school teacher`, `enfermera`; not `a mother`, nor `a retired teacher`."""
    tokens = [plain(word) for word in words_of(value)]
    start = bool(tokens) and any(tokens[0] in small for small in SMALL.values())
    noun = [*takewhile(lambda word: not any(word in small for small in SMALL.values()), tokens[start:])]
    is_trade = bool(noun) and not _TRADES.isdisjoint((noun[0], noun[-1]))
    return is_trade and not re.match(rf"(?:{_STATES})\b", " ".join(noun))


def asked_for_contacts(text: str) -> frozenset[str]:
    """The words that ask for the addresses and numbers by which somebody is reached, where a line of a text has such a one."""
    lines = [line for line in text.split("\n") if _CONTACT.search(line)]
    return frozenset().union(
        *(_words_for("", piece.strip()) for line in lines for piece in _PIECES.split(line))
    )


def _words_for(field: str, value: str) -> frozenset[str]:
    if not any(mark.isdigit() or mark in "@." for mark in value):
        return frozenset()
    is_contact = (
        value.isascii()
        and not days_of(value)
        and (not any(map(str.isalpha, value)) or any(sign in value for sign in _SIGNS))
    )
    form = next((form for form in _CONTACTS if is_contact and SHAPES[form][0].fullmatch(value)), "")
    if not form and field == VALUE:
        day = "date" if days_of(value) else ""
        form = next((form for form, pattern in _BARE.items() if pattern.fullmatch(value)), day)
    return _WORDS.get(form, frozenset())


# One of a kind, as an occupation is told: `a midwife`, `Tischlerin`; not `left-handed`, nor what is told of everybody.
_STATES = r"|".join(
    re.escape(state.strip())
    for line in lists.lines("consolidation.states_in_turn")[:2]
    for state in line.split(",")
)
_KIND = late.pattern(
    rf"(?i:an?|eine?|une?|una?|um|uma|een) (?!(?:{_STATES})\b)\w|(?!(?i:{_STATES})\b)[^\W\d_a-zß-ÿ][^\W\d_A-Z]{{2}}"
)

_TRADES = frozenset(map(plain, lists.words("consolidation.occupations")))

# Where a number or an address by which somebody is reached may stand, and what parts it from what stands beside it.
_CONTACT = late.pattern(r"@|\d[\d ()/.-]{5,30}\d")
_PIECES = late.pattern(r"[,;|]|:(?=\s)|(?<=\s)(?:[-–—/=→]|--|[-=]>)(?=\s)")


# What a sentence has that may answer who, when, where or how much.
_NAME = late.pattern(r"(?<=[^\s.!?:…–\"“„] )[^\W\d_a-zß-ÿ][\w'’-]*")
_INTO, _THE = ("|".join(lists.words(f"pronouns.{name}")) for name in ("place_prepositions", "articles"))
_NAMED_PLACE = late.pattern(rf"(?<!\w)(?i:{_INTO}) (?:(?i:{_THE}) )?([^\W\d_a-zß-ÿ][\w'’-]*)")
_SMALL_WORD = late.pattern(r"\b[^\W\dA-ZÀ-Þ_]{4}")
_PATH = late.pattern(r"\w[/\\]\w|://")
_CLOCK = late.pattern(r"(?i)\b\d{1,2}(?:[:.h]\d\d\b| ?(?:am|pm|uhr|st|nd|rd|th)\b)")


def holds_form(form: str, text: str, besides: AbstractSet[str], today: date) -> bool:
    """True where a text holds something of a form: a name (`who`), a day or an hour (`when`), a place (`where`), a number (`much`).

    Args:
        besides: words that the question says itself.
    """
    return bool(form in _SENTENCES and _SENTENCES[form](text, besides, today))


def _names(text: str, besides: AbstractSet[str], _today: date) -> bool:
    is_title = not _SMALL_WORD.search(text)  # each word of it has a capital
    return not is_title and any(besides.isdisjoint(words_of(name[0])) for name in _NAME.finditer(text))


def _times(text: str, besides: AbstractSet[str], today: date) -> bool:
    spoken = [hit.text for hit in find_ranges(text, today)[0]]
    return any(not besides >= set(words_of(day)) for day in (*spoken, *_CLOCK.findall(text)))


def _amounts(text: str, besides: AbstractSet[str], _today: date) -> bool:
    return any(word not in besides and (word.isdecimal() or word in _NUMBERS) for word in words_of(text))


def _places(text: str, besides: AbstractSet[str], _today: date) -> bool:
    named = any(besides.isdisjoint(words_of(hit[1])) for hit in _NAMED_PLACE.finditer(text))
    return named or bool(_PLACE.search(text) or _PATH.search(text))


_NUMBERS = frozenset(lists.words("pronouns.numbers")).union(
    word
    for code in ("en", "de", "fr", "es", "it", "pt")
    for line in lists.lines(f"dates_{code}.numbers")[1:]  # the first is articles, too
    for word in line.partition(": ")[2].split(", ")
)
_SENTENCES = {"who": _names, "when": _times, "where": _places, "much": _amounts}
