"""Stemmers and stop words for 16 languages, from Whoosh, and which of them a text is in. Imports only its small language modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from itertools import chain

from whoosh.lang import has_stemmer, stemmer_for_language
from whoosh.lang.stopwords import stoplists

from memoryclaw.model import grouped
from memoryclaw.text.language import Language, words_of
from memoryclaw.text.words import words

_ENGLISH_ENDS = tuple(words("english.stem_ends"))
_READ = 4000  # characters of a note that tell its language
# Stop words that tell another language, each counted once: so many, twice as many as of the vault's own, and this share of all
# words, which any text has that is no list, no code and in no other script.
_SURE, _LEAST = 3, 0.05


@cache
def language(code: str) -> Language:
    """The analysis for `index.language`; `none` compares words as written."""
    if code == "none":
        return Language(code, None, frozenset())
    stem = stemmer_for_language(code) if has_stemmer(code) else None  # Turkish has only stop words
    if code == "en" and stem:  # it is asked only about words that may have another stem
        english = stem
        stem = lambda word: english(word) if word.endswith(_ENGLISH_ENDS) or not word.isascii() else word  # noqa: E731
    return Language(code, stem, frozenset(stoplists.get(code, ())))


def language_of(texts: Iterable[str], usual: Language) -> Language:
    """The language that a note is written in, by its stop words.

    Args:
        texts: of the note; the first few thousand characters are read.
        usual: the vault's own language, which a note is in unless its words tell otherwise.
    """
    if usual.code == "none":
        return usual
    words: set[str] = set()
    room = _READ
    for text in texts:
        words.update(words_of(text[:room]))
        room -= len(text)
        if room <= 0:
            break
    counts = _counted(words)
    most = max(counts.values(), default=0)
    if most < max(_SURE, _LEAST * len(words), 2 * counts[usual.code]):
        return usual
    return language(min(code for code, count in counts.items() if count == most))


def asked_in(words: Collection[str], usual: Language) -> Language:
    """The language of a question: the usual one, unless half of its words, and twice as many as of the usual, are stop words of another."""
    words_asked = set(words)
    counts = _counted(words_asked)
    most = max(counts.values(), default=0)
    if usual.code == "none" or most < max(2, 2 * counts[usual.code], len(words_asked) / 2):
        return usual
    return language(min(code for code, count in counts.items() if count == most))


def _counted(words: set[str]) -> Counter[str]:
    """How many of these words are stop words of each language."""
    spoken = _spoken()
    return Counter(chain.from_iterable(map(spoken.__getitem__, words & spoken.keys())))


@cache
def _spoken() -> dict[str, list[str]]:
    """The languages in which each word is a stop word."""
    return grouped((word, code) for code in sorted(stoplists) for word in stoplists[code])
