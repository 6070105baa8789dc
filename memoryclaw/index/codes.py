"""Tokens as the index keeps those of a unit: each a character, so that counting words is counting characters. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memoryclaw import late

_FIRST = 0x20  # a line ends each field
_SURROGATES, _AFTER_THEM = 0xD800, 0x800  # which no UTF-8 holds
_ROOM = 0x80000  # for the tokens with a digit, and as much for those without
_PAIRS, _PAIRS_WITH_DIGIT, _SECONDS = (
    0x100000,
    0x104000,
    0x108000,
)  # of two characters, once there is no more room
_SECOND = late.pattern("[\U00108000-\U0010ffff]")
_ANY = late.pattern("[\U00100000-\U00107fff]?.")
_WITH_DIGIT = "[\U00080000-\U000fffff]|[\U00104000-\U00107fff]."


def code_of(number: int, token: str) -> str:
    """The code of the token that came to an index as its `number`th."""
    has_digit = any(map(str.isdecimal, token))
    place = number + _FIRST
    place += _AFTER_THEM if place >= _SURROGATES else 0
    if place < _ROOM:
        return chr(place + _ROOM * has_digit)
    first, second = divmod(place - _ROOM, 0x8000)
    return chr((_PAIRS_WITH_DIGIT if has_digit else _PAIRS) + first) + chr(_SECONDS + second)


def coded(text: str, codes: Mapping[str, str]) -> str:
    """The codes of tokens joined by spaces; nothing where the index does not know one of them."""
    each = [codes.get(token, "") for token in text.split(" ")]
    return "".join(each) if all(each) else ""


def codes_in(field: str) -> list[str]:
    """The codes of a field, one by one."""
    return _ANY.findall(field) if has_pairs(field) else list(field)


def sifted(fields: str, kept: str) -> str:
    """Fields, one below the other, without all characters but these, and those that `length` looks for."""
    return re.sub(f"[^\n\U00108000-\U0010ffff{re.escape(kept)}]+", "", fields)


def has_pairs(fields: str) -> bool:
    """True where a token is of two characters."""
    return bool(_SECOND.search(fields))


def length(field: str, rest: str | None = None) -> int:
    """How many tokens a field has; `rest` is that field sifted, where it was."""
    return len(field) - len(_SECOND.findall(field if rest is None else rest))


def without_digits(field: str) -> str:
    """The codes of the tokens in which there is no digit."""
    return re.sub(_WITH_DIGIT, "", field)  # not compiled before it is needed
