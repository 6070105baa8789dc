"""Stemmers and stop words for 16 languages, from Whoosh, and which of them a text is in. Imports only its small language modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from itertools import accumulate

from whoosh.lang import has_stemmer, stemmer_for_language
from whoosh.lang.stopwords import stoplists

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


def language_of(texts: Sequence[str], usual: Language, spelled: Sequence[list[str]] = ()) -> Language:
    """The language that a note is written in, by its stop words.

    Args:
        texts: of the note; the first few thousand characters are read.
        usual: the vault's own language, which a note is in unless its words tell otherwise.
        spelled: the words of each text, where they were read.
    """
    if not spelled or sum(map(len, texts)) > _READ:
        before = accumulate(map(len, texts), initial=0)
        spelled = [words_of(text[: _READ - n]) for text, n in zip(texts, before, strict=False) if n < _READ]
    words = set().union(*spelled)
    stops = words & _stops()
    own = stops & stoplists.get(usual.code, frozenset())
    if usual.code == "none" or len(stops) < max(_SURE, 2 * len(own)):  # no other can have as many as it takes
        return usual
    counts = _counted(stops)
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
    return Counter({code: len(words & stops) for code, stops in stoplists.items()})


@cache
def _stops() -> frozenset[str]:
    """The stop words of all languages."""
    return frozenset().union(*stoplists.values())
