"""What is wished of an assistant, compared by the words that tell it, whatever words it had: the same wish in three sessions stands."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from memoryclaw.index import stemming
from memoryclaw.text.grammar import WordList, codes, grammar, tokens_of
from memoryclaw.text.zones import instant

SESSIONS = 3  # in which a wish beside a piece of work is told before it stands for all of them
_ALIKE = 0.5  # of the words of both
# What most wishes have in common, by its lists in the grammar of a language.
_COMMON = ("politeness", "orders", "manner_verbs", "small", "light", "fillers", "adverbs", "lasting", "preference_verbs", "negations")  # fmt: skip
_DENYING = ("negations", "negated_orders", "negative_determiners")


class Wish(NamedTuple):
    """An order that somebody gave beside a piece of work."""

    session: str
    at: str  # the moment of its turn
    who: str
    words: str


def stands(wish: Wish, others: Iterable[Wish]) -> bool:
    """True where the same one had the same wish in enough sessions until then, that of the wish among them."""
    stems, denial = stems_of(wish.words), denies(wish.words)
    sessions = {wish.session} | {
        earlier.session
        for earlier in others
        if earlier.who == wish.who
        and instant(earlier.at) <= instant(wish.at)
        and denies(earlier.words) == denial
        and are_alike(stems_of(earlier.words), stems)
    }
    return bool(stems) and len(sessions) >= SESSIONS


def are_alike(stems: frozenset[str], others: frozenset[str]) -> bool:
    """True for the stems of one wish and of the same in other words."""
    return bool(stems and others) and len(stems & others) >= _ALIKE * len(stems | others)


@lru_cache(maxsize=4096)
def stems_of(text: str) -> frozenset[str]:
    """The stems of the words that tell what is wished for; of a word, the shortest that it has in any language."""
    return frozenset(map(_stem_of, frozenset(tokens_of(text)).difference(_common_words())))


@lru_cache(maxsize=8192)  # the same words stand in most wishes
def _stem_of(token: str) -> str:
    languages = (stemming.language(code) for code in codes())
    return min((" ".join(each.tokens(token)) for each in languages), key=lambda stem: (len(stem), stem))


def denies(text: str) -> bool:
    """True for what is not wished for: `no emojis`."""
    tokens = tokens_of(text)
    return any(each.within(tokens) for each in _lists(_DENYING))


@cache
def _common_words() -> frozenset[str]:
    return frozenset(chain.from_iterable(_lists(_COMMON)))


@cache
def _lists(names: tuple[str, ...]) -> tuple[WordList, ...]:
    """The lists of these names in every language: a wish has too few words to tell its own."""
    return tuple(getattr(grammar(code), name) for code in codes() for name in names)
