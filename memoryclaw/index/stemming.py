"""Stemmers and stop words for 16 languages, from Whoosh. Imports only its small language modules."""

from __future__ import annotations

from collections.abc import Callable

from whoosh.lang import has_stemmer, stemmer_for_language
from whoosh.lang.stopwords import stoplists

from memoryclaw.text.language import Language
from memoryclaw.text.words import words

_ENGLISH_ENDS = tuple(words("english.stem_ends"))


def language(code: str) -> Language:
    """The analysis for `index.language`; `none` compares words as written."""
    if code == "none":
        return Language(code, None, frozenset())
    stem = stemmer_for_language(code) if has_stemmer(code) else None  # Turkish has only stop words
    return Language(
        code, _hurried(stem) if code == "en" and stem else stem, frozenset(stoplists.get(code, ()))
    )


def _hurried(stem: Callable[[str], str]) -> Callable[[str], str]:
    """The English stemmer, asked only about words that may have another stem."""
    return lambda word: stem(word) if word.endswith(_ENGLISH_ENDS) or not word.isascii() else word
