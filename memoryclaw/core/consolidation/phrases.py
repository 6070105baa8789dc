"""What a talk is about, in a few phrases of its own: its title and its tags. The rule: words stand as they were said.

Without a grammar, a noun phrase is told by what stands before it: `the kitchen wall`, `my school event`, `for Farben Kröger`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoryclaw.core.consolidation.wording import is_light, is_number, plain, sentences, stem, stops
from memoryclaw.core.language import WORD

_TITLE = 60
_TAGS = 4
_LONGEST = 3  # words of a phrase
_BEFORE_TEXT = """the a an my our your his her their this that these those some any no another each every of for in on at to with about
from new old own first second last next
der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere unseren dein deine ihr ihre zum zur im am beim vom für mit von
le la les l un une des du mon ma mes notre nos son sa ses ce cette au aux de pour avec
el los las una unos mi mis nuestro nuestra su sus este esta al del para con"""
_BEFORE = frozenset(plain(word) for word in _BEFORE_TEXT.split())
_NO_NOUN = re.compile(r".*(?:ly|ing|ed|n't)$")
_NOT_IN_TITLE = frozenset(["morning", "afternoon", "evening", "night", "week", "month", "year", "hour", "minute", "weekend", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"])  # fmt: skip
# Words that end a noun phrase though they carry a subject: prepositions, and verbs that are seldom nouns.
_BREAKS_TEXT = """across along amid among around behind beneath beside besides beyond despite except inside near outside past throughout upon versus per
accept add agree allow appear arrive ask avoid become begin believe belong borrow bring buy carry choose collapse come confirm contain continue
cost create decide decline deliver depend describe disagree drive eat exist expect explain fall follow forget forgive give grow happen hear hold include
install join keep know learn leave lend let live lose mean meet move need open own pay play please prefer prepare prevent put read receive refuse
remain remember remove replace reply require rest return run save sell send settle shall show sit sleep speak spend stand start stop suggest
teach tell think throw understand wait wake wear write noted remind hello full empty almost still"""
_BREAKS = frozenset(_BREAKS_TEXT.split())
_TOKEN = re.compile(rf"{WORD.pattern}|[^\w\s]|\n")


class Phrase(NamedTuple):
    """Neighbouring words, as first said, and how much the talk is about them."""

    text: str
    stems: tuple[str, ...]
    weight: float
    at: int  # where it stands first among all phrases


def phrases_of(texts: Iterable[str], language: str, left_out: Iterable[str] = ()) -> list[Phrase]:
    """The phrases of some texts, the weightiest first.

    Args:
        texts: what was said, the weightiest first.
        language: of the texts.
        left_out: folded words that no phrase holds, such as the speakers' names.
    """
    texts = list(texts)
    stop = stops(language) | frozenset(left_out)
    names = _names(texts)
    found: dict[tuple[str, ...], Phrase] = {}
    single: dict[str, float] = {}
    for number, text in enumerate(texts):
        for phrase in _runs(text, stop, names, language):
            old = found.get(phrase.stems)
            weight = phrase.weight / (1 + number / 12) + (old.weight if old else 0)
            found[phrase.stems] = (old or phrase)._replace(weight=weight, at=old.at if old else len(found))
            for word in phrase.stems:
                single[word] = single.get(word, 0) + 0.3
    scored = [
        p._replace(weight=p.weight + sum(single[s] for s in p.stems) / len(p.stems)) for p in found.values()
    ]
    return sorted(scored, key=lambda phrase: (-phrase.weight, phrase.at))


def title_of(phrases: Sequence[Phrase], fallback: str) -> str:
    """Two or three phrases that share no word, in the order they came up; a text cut short where there are none."""
    chosen: list[Phrase] = []
    for phrase in phrases:
        if not _overlaps(phrase, chosen) and len(", ".join(p.text for p in (*chosen, phrase))) <= _TITLE:
            chosen.append(phrase)
        if len(chosen) == 3:
            break
    title = ", ".join(phrase.text for phrase in sorted(chosen, key=lambda phrase: phrase.at))
    title = title or cut_short(fallback, _TITLE)
    return title[:1].upper() + title[1:]


def tags_of(phrases: Sequence[Phrase], entities: Iterable[str]) -> tuple[str, ...]:
    """Up to four tags: phrases in small letters joined by hyphens, each word in one of them only."""
    tags: list[str] = []
    stems: set[str] = set()
    for text in (*(phrase.text for phrase in phrases), *entities):
        found = [word.replace("'", "").replace("’", "") for word in WORD.findall(text.lower())]
        own = {stem(plain(word)) for word in found}
        if found and not own & stems and not all(map(str.isdigit, "".join(found))):
            tags.append("-".join(found))
            stems |= own
        if len(tags) == _TAGS:
            break
    return tuple(tags)


def cut_short(text: str, length: int) -> str:
    """A text of at most so many characters, cut at a word."""
    if len(text) <= length:
        return text
    return (text[: length - 2].rpartition(" ")[0] or text[: length - 2]).rstrip(" ,;:-–") + " …"


def _overlaps(phrase: Phrase, chosen: Sequence[Phrase]) -> bool:
    return any(set(phrase.stems) & set(other.stems) for other in chosen)


def _names(texts: Iterable[str]) -> frozenset[str]:
    """Words that are written with a capital inside a sentence, folded."""
    found = (
        WORD.findall(sentence)[1:] for text in texts for sentence in sentences(text) if not sentence.isupper()
    )
    return frozenset(plain(word) for run in found for word in run if word[0].isupper())


def _runs(text: str, stop: frozenset[str], names: frozenset[str], language: str) -> Iterator[Phrase]:
    for sentence in sentences(text):
        run: list[str] = []
        before = ""
        for at, token in enumerate([*_TOKEN.findall(sentence), "\n"]):
            low = plain(token)
            named = token[0].isupper() and low in names
            fits = (
                token[0].isalnum()
                and _fits(low, stop, named=named)
                and not (at == 0 and _opens(token, names, language))
            )
            if fits and (not run or token[0].isupper() or not _NO_NOUN.match(low)):
                run.append(token)
                continue
            yield from _phrase(run, before, names, language)
            run, before = ([token], "") if fits else ([], low)


def _fits(low: str, stop: frozenset[str], *, named: bool) -> bool:
    if not low or low in stop or (is_light(low) and not named):
        return False
    return low not in _BREAKS and low.removesuffix("s") not in _BREAKS


def _opens(token: str, names: frozenset[str], language: str) -> bool:
    """True for a word that has its capital from the sentence it begins, like the verb of an order."""
    return token[0].isupper() and language != "de" and plain(token) not in names


def _is_participle(word: str) -> bool:
    """True for the first word of `called Pip`."""
    return word.islower() and _NO_NOUN.match(word) is not None


def _phrase(run: list[str], before: str, names: frozenset[str], language: str) -> Iterator[Phrase]:
    while len(run) > 1 and (run[0].isdigit() or (_is_participle(run[0]) and run[1][0].isupper())):
        run = run[1:]
    run = run[-_LONGEST:] if before in _BEFORE else run[:_LONGEST]
    lows = [plain(word) for word in run]
    if not run or all(low in _NOT_IN_TITLE or is_number(low) for low in lows) or len(lows[-1]) < 2:
        return
    name = language != "de" and any(
        low in names and word[0].isupper() for word, low in zip(run, lows, strict=True)
    )
    if not (name or before in _BEFORE or (language == "de" and run[-1][0].isupper())):
        return
    if len(run) == 1 and not name and _NO_NOUN.match(lows[0]):
        return
    yield Phrase(" ".join(run), tuple(map(stem, lows)), 1.0 + 0.6 * (len(run) > 1) + 0.5 * name, 0)
