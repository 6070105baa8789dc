"""Which texts say nothing: greetings, thanks, yeses and the like, in seven languages. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memoryclaw import late
from memoryclaw.text import words as lists
from memoryclaw.text.language import WORD, folded_words

# Placeholders for what is no text, and our own marks.
_PLACEHOLDER = late.pattern(
    r"\[(?:image|audio|video|file|document|private|recalled memory)\]|\[REDACTED:[^\[\]]*\]"
)
_APOSTROPHE = late.pattern("['’]")
_PHRASES = sorted(
    (tuple(phrase.split()) for phrase in lists.lines("consolidation.filler_phrases")), key=len, reverse=True
)
_STARTS: dict[str, list[tuple[str, ...]]] = {}
for _phrase in _PHRASES:
    _STARTS.setdefault(_phrase[0], []).append(_phrase)
_WORDS = frozenset(lists.words("consolidation.filler_words"))
_GREETINGS = frozenset(lists.words("consolidation.greetings"))
# Phrases that begin so are said to somebody, whose name may follow.
_HAILS = frozenset(lists.words("consolidation.greeting_starts"))
_MOST = 24  # words: what is longer was meant to say something


def is_filler(text: str, names: Iterable[str] = (), is_stop: Callable[[str], bool] = lambda _: False) -> bool:
    """True for a text of nothing but greetings, thanks, yeses and the like.

    Args:
        names: folded words that only address somebody.
        is_stop: tells of further words, folded, that say nothing by themselves.
    """
    said = spoken(text)
    tokens = plain(said)
    if len(tokens) > _MOST:
        return False
    known = frozenset(names)
    at, hailed = 0, False
    while at < len(tokens):
        phrase = _phrase_at(tokens, at)
        step = phrase or int(
            tokens[at] in _WORDS
            or tokens[at] in known
            or is_stop(tokens[at])
            or (hailed and (name := WORD.findall(said)[at])[:1].isupper() and not name.isupper())  # `Hi Pip`
        )
        if not step:
            return False
        hailed = tokens[at] in (_HAILS if phrase else _GREETINGS)
        at += step
    return True


def greets(text: str) -> bool:
    """True for a text that begins as one begins to greet or to thank somebody: `Hello dear`."""
    return any(word in _GREETINGS or word in _HAILS for word in plain(text)[:1])


def plain(text: str) -> list[str]:
    """The words of a text, folded, without apostrophes."""
    words = folded_words(text)
    return [word.replace("'", "").replace("’", "") for word in words] if _APOSTROPHE.search(text) else words


def _phrase_at(tokens: list[str], at: int) -> int:
    starts = _STARTS.get(tokens[at], ())
    return next((len(start) for start in starts if tuple(tokens[at : at + len(start)]) == start), 0)


def spoken(text: str) -> str:
    """The text without placeholders; empty when no letter or digit is left of it."""
    left = _PLACEHOLDER.sub(" ", text).strip()
    return left if WORD.search(left) else ""
