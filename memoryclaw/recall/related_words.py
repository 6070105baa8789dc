"""English words of everyday life that may stand for one another, or are of a kind: `pet` finds a turn about a dog.

General knowledge, kept small, and used with care: a related word helps, it never counts as much as the word that was asked.
Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from memoryclaw.text.language import Language
from memoryclaw.text.words import lines

_BEGIN = 3  # letters that a word and its stem share


class _Groups(NamedTuple):
    of: Mapping[str, tuple[tuple[str, ...], ...]]  # word as listed → the groups whose words it may stand for
    alike: Mapping[str, tuple[str, ...]]  # first letters → words as listed


def related(token: str, language: Language) -> list[str]:
    """The tokens that may stand in a text for this one; none where the language is not English."""
    if language.code != "en":
        return []
    groups = _groups()
    forms = [word for word in groups.alike.get(token[:_BEGIN], ()) if language.token(word) == token]
    others = (language.token(word) for form in forms for group in groups.of[form] for word in group)
    return [other for other in dict.fromkeys(others) if other != token]


@lru_cache(maxsize=1)
def _groups() -> _Groups:
    of: dict[str, list[tuple[str, ...]]] = {}
    for text in lines("related_words.alike"):
        group = tuple(text.split())
        for word in group:
            of.setdefault(word, []).append(group)
    for text in lines("related_words.kinds"):
        kind, _, members = text.partition(":")
        of.setdefault(kind, []).append(tuple(members.split()))
    alike: dict[str, list[str]] = {}
    for word in of:
        alike.setdefault(word[:_BEGIN], []).append(word)
    return _Groups(
        {word: tuple(groups) for word, groups in of.items()},
        {begin: tuple(words) for begin, words in alike.items()},
    )
