"""The fields of facts that people state in words: what each is called, what its values look like, and where it goes by default.

German and English words for one field give one field, so that a newer statement finds the older one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from memoryclaw.model import NOTHING
from memoryclaw.text import words as lists
from memoryclaw.text.language import fold


class FieldNoun(NamedTuple):
    """What a word for a field stands for."""

    field: str
    kind: str  # date | day | email | phone | url | amount | name | person | place | title | text


NOUNS = {
    word: FieldNoun(field.strip(), kind.strip())
    for line in lists.lines("consolidation.field_words")
    for kind, field, words in [re.split(r" / |: ", line, maxsplit=2)]
    for word in words.split("|")
}
KIN = frozenset(lists.lines("consolidation.kin"))
# Where several values live side by side unless the schema says otherwise.
MANY = frozenset(lists.lines("consolidation.many_values"))
_PREFERENCES = frozenset(lists.lines("consolidation.preferences"))
_OF_PEOPLE = KIN | frozenset(lists.lines("consolidation.of_people"))
_LEADING = frozenset(lists.words("consolidation.before_fields"))
_QUALIFIERS = frozenset(lists.words("consolidation.field_qualifiers"))
_NO_FAVORITE = frozenset(lists.words("consolidation.no_favourites"))


def noun_of(words: str, declared: Mapping[str, str] = NOTHING) -> FieldNoun | None:
    """The field that some words stand for; None where they name none that is known.

    Args:
        words: as said, "new phone number".
        declared: further fields of the vault, by their folded name, with their kind.
    """
    parts = fold(words).split()
    while parts and parts[0] in _LEADING:
        del parts[0]
    plain = " ".join(parts)
    found = NOUNS.get(plain)
    if plain in declared and not (
        found and found.kind == "day"
    ):  # a schema has no word for a day of every year
        return FieldNoun(plain, declared[plain])
    if found:
        return found
    if len(parts) > 1 and parts[0] in _QUALIFIERS and (found := NOUNS.get(" ".join(parts[1:]))):
        return FieldNoun(f"{parts[0]} {found.field}", found.kind)
    return _favorite(plain, parts)


def _favorite(plain: str, parts: list[str]) -> FieldNoun | None:
    if len(parts) > 1 and parts[0] in {"favorite", "favourite"} and not _NO_FAVORITE & set(parts):
        return FieldNoun(f"favorite {' '.join(parts[1:])}", "text")
    return (
        FieldNoun(plain, "text")
        if len(parts) == 1 and plain.startswith("lieblings") and len(plain) > 10
        else None
    )


def is_preference(field: str) -> bool:
    """True for what someone likes or wants to have done."""
    return field in _PREFERENCES or field.startswith(("favorite ", "lieblings"))


def is_yearly(field: str) -> bool:
    """True for a day of every year, such as a birthday."""
    noun = noun_of(field)
    return noun is not None and noun.kind == "day"


def is_of_people(field: str) -> bool:
    """True for what is said of people and hardly of anything else."""
    return field.partition(" ")[2] in _OF_PEOPLE or field in _OF_PEOPLE
