"""Texts that are looked for in others by their words: whatever the case, the marks, the escapes of JSON and the spelling of accents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from memoryclaw.text.language import WORD, fold, words_of

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([nrtbf])|([\"\\/]))")
_SENTENCE = re.compile(r"(?<=[.!?…;])\s+|\n+")
_CLAUSE = re.compile(r"[,;:()–—]")
_WORDS, _LETTERS = 2, 6  # a text of fewer words is looked for only if it has so many letters
_SAID = 4  # words of a sentence that is looked for on its own
CUT = "…"  # where a text was too long
_NEAR_CUT = 400  # characters before a cut that are looked at
GONE = "forgotten"  # what stands where a text was


def plain_words(text: str) -> tuple[str, ...]:
    """The words of a text without case and accents; those that JSON escapes are read."""
    if "\\" in text:
        text = _ESCAPE.sub(_unescape, text)
    return tuple(map(fold, words_of(text)))


def normal(text: str) -> str:
    """A text as its words alone."""
    return " ".join(plain_words(text))


def tells(text: str) -> bool:
    """True for a text that can be told from others by its words: two of them, or a long one."""
    words = plain_words(text)
    return len(words) >= _WORDS or len("".join(words)) >= _LETTERS


def phrases(text: str) -> list[str]:
    """The sentences of a text, and what stands between their commas, as far as they are long enough to be looked for."""
    pieces = _SENTENCE.split(text)
    passages = dict.fromkeys(
        [*pieces, *(words.strip() for piece in pieces for words in _CLAUSE.split(piece))]
    )
    return [words for words in passages if len(plain_words(words)) >= _SAID]


class Needles:
    """Texts to look for; each is found as a row of words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(dict.fromkeys(text for text in texts if tells(text)))
        self._by_start: dict[tuple[str, ...], list[tuple[tuple[str, ...], str]]] = {}
        for text in self.texts:
            words = plain_words(text)
            self._by_start.setdefault(words[:2], []).append((words, text))
        # Scripts without spaces have no words to go by.
        self._unspaced = [
            (fold(text), text) for text in self.texts if not text.isascii() and len(plain_words(text)) == 1
        ]

    def __bool__(self) -> bool:
        return bool(self.texts)

    def matches(self, text: str) -> list[str]:
        """Those that a text holds."""
        words, starts = plain_words(text), self._by_start
        hits: dict[str, None] = {}
        for index, word in enumerate(words):
            for start in ((word,), words[index : index + 2]):
                for needle_words, needle in starts.get(start, ()):
                    if words[index : index + len(needle_words)] == needle_words:
                        hits[needle] = None
        for _, _, needle in self._cut(text) if CUT in text else ():
            hits[needle] = None
        if self._unspaced:
            folded = fold(text)
            hits.update(
                dict.fromkeys(needle for needle_words, needle in self._unspaced if needle_words in folded)
            )
        return list(hits)

    def without(self, text: str) -> str:
        """A text in which a word stands for each of them."""
        while hits := self.matches(text):
            before = text
            for start, end, _ in sorted(self._cut(text), reverse=True):
                text = f"{text[:start]}{GONE}{text[end:]}"
            for needle in sorted(hits, key=len, reverse=True):
                text = _pattern(needle).sub(GONE, text)
            if text == before:
                # Takes out whole lines where the words of a needle are spelt in a way that no pattern
                # meets.
                looked = Needles(hits)
                lines = [GONE if looked.matches(line) else line for line in text.split("\n")]
                joined = "\n".join(lines)
                return GONE if looked.matches(joined) else joined
        return text

    def _cut(self, text: str) -> list[tuple[int, int, str]]:
        """Where the beginning of one of them stands before a cut, as in a title that was too long: start, end, which."""
        spans = []
        end = text.find(CUT)
        last = 0
        while end >= 0:
            start = max(text.rfind("\n", last, end) + 1, last, end - _NEAR_CUT)
            places = list(WORD.finditer(text, start, end))
            words = tuple(fold(place[0].lower()) for place in places)
            begins = range(len(words) - _SAID + 1)
            if begun := next(((n, needle) for n in begins if (needle := self._begun(words[n:]))), None):
                spans.append((places[begun[0]].start(), end + len(CUT), begun[1]))
            last = end + len(CUT)
            end = text.find(CUT, last)
        return spans

    def _begun(self, words: tuple[str, ...]) -> str:
        """The one that begins with these words, of which the last may be cut; empty when none does."""
        most = len(words)
        for needle_words, needle in self._by_start.get(words[:2], ()):
            if (
                needle_words[: most - 1] == words[:-1]
                and needle_words[most - 1 : most]
                and needle_words[most - 1].startswith(words[-1])
            ):
                return needle
        return ""

    def without_in(self, value: Any) -> Any:
        """A JSON value in whose texts, keys included, a word stands for each of them."""
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, dict):
            return {self.without(key): self.without_in(inner) for key, inner in value.items()}
        return [self.without_in(inner) for inner in value] if isinstance(value, list) else value


def _pattern(needle: str) -> re.Pattern[str]:
    gap = r"(?:[\W_]|\\[nrt\"\\/]){1,8}?"
    return re.compile(
        r"(?<![^\W_])" + gap.join(map(re.escape, words_of(needle))) + r"(?![^\W_])", re.IGNORECASE
    )


def _unescape(hit: re.Match[str]) -> str:
    return chr(int(hit[1], 16)) if hit[1] else " " if hit[2] else hit[3]
