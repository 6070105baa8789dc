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
_LONGEST_NAME = 4  # words of one with a name in it
_TOLD = 8  # words of a sentence that stands for a title
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
teach tell think throw understand wait wake wear write noted remind hello full empty almost still
book call check email mail send post schedule cancel arrange order fetch update edit delete summarise summarize translate redacted
became began bought broke brought built came caught chose drank drew drove ate fell felt flew forgot gave grew held hid kept led left lost met paid
ran rode rose sang sat sent shook slept sold spent spoke stole stood swam taught threw told woke won wore wrote"""
_BREAKS = frozenset(_BREAKS_TEXT.split())
# Words that are about nothing: currencies, units, abbreviations, adverbs, and nouns that only say that there is something.
_EMPTY_TEXT = """eur euro euros usd dollar dollars gbp pound pounds chf franken francs dkk sek nok kroner kronor yen cent cents percent prozent
kg km cm mm ml kw kwh mb gb min std sec hr hrs pm uhr a.m p.m tel mob mobil fax nr no nos ca bzw usw etc vs str approx ext
außerdem übrigens allerdings deshalb deswegen trotzdem jedoch leider eigentlich inzwischen zuerst danach vorher nachher bereits bisher sonst
natürlich jetzt sofort bald demnächst damals später morgens abends mittags bitte hallo liebe lieber grüße
moreover however therefore meanwhile instead otherwise besides furthermore anyhow afterwards beforehand officially currently
set name names number numbers list way ways side end case point bit pair couple version update question answer issue item line rest total kind
ago years months weeks days hours minutes times
sort type amount note notes message text word words detail details info mr mrs ms frau herr herrn"""
_EMPTY = frozenset(plain(word) for word in _EMPTY_TEXT.split())
_HONORIFIC_TEXT = (
    "dr prof st mr mrs ms frau herr herrn mme sr sra"  # they stand before a name, and their dot parts nothing
)
_HONORIFIC = frozenset(_HONORIFIC_TEXT.split())
_PRONOUNS_TEXT = "the a an my our your his her their its me us him them it you this that these those"
_PRONOUNS = frozenset(_PRONOUNS_TEXT.split())
_ADJECTIVE = re.compile(r".{3,}(?:e|e[nmrs])$")  # German, between an article and its noun
_TOKEN = re.compile(
    rf"(?:{'|'.join(_HONORIFIC)})\.(?=\s?[^\W\d_])|{WORD.pattern}(?:[-/&]{WORD.pattern})*|[^\w\s]|\n",
    re.IGNORECASE,
)


class Phrase(NamedTuple):
    """Neighbouring words, as first said, and how much the talk is about them."""

    text: str
    stems: tuple[str, ...]
    weight: float
    at: int  # where it stands first among all phrases
    named: bool = False  # holds a name
    times: int = 1


class _Words(NamedTuple):
    """What is known of the words of a talk before its phrases are read."""

    language: str
    stop: frozenset[str]
    speakers: frozenset[str]
    names: frozenset[str]  # written with a capital inside a sentence, or of a known entity
    known: frozenset[str]  # of a known entity
    small: frozenset[str]  # written with a small letter somewhere


def phrases_of(
    texts: Iterable[str], language: str, left_out: Iterable[str] = (), entities: Iterable[str] = ()
) -> list[Phrase]:
    """The phrases of some texts, the weightiest first.

    Args:
        texts: what was said, the weightiest first.
        language: of the texts.
        left_out: folded words of which alone no phrase is made, such as the speakers' names.
        entities: names that come up.
    """
    texts = list(texts)
    known = frozenset(plain(word) for name in entities for word in WORD.findall(name))
    of_talk = _Words(
        language, stops(language), frozenset(left_out), _names(texts) | known, known, _small(texts)
    )
    found: dict[tuple[str, ...], Phrase] = {}
    single: dict[str, float] = {}
    for number, text in enumerate(texts):
        for phrase in _runs(text, of_talk):
            old = found.get(phrase.stems)
            weight = phrase.weight / (1 + number / 12) + (old.weight if old else 0)
            found[phrase.stems] = (old or phrase)._replace(
                weight=weight, at=old.at if old else len(found), times=old.times + 1 if old else 1
            )
            for word in phrase.stems:
                single[word] = single.get(word, 0) + 0.3
    scored = [
        p._replace(weight=p.weight + sum(single[s] for s in p.stems) / len(p.stems)) for p in found.values()
    ]
    return sorted(filter(_tells, scored), key=lambda phrase: (-phrase.weight, phrase.at))


def _tells(phrase: Phrase) -> bool:
    """False for a lone noun that came up once: it is in the talk, but the talk is not about it."""
    return phrase.named or len(phrase.stems) > 1 or phrase.times > 1


def title_of(phrases: Sequence[Phrase], fallback: str) -> str:
    """Up to three phrases that share no word, in the order they came up; a sentence cut short where there are none."""
    chosen: list[Phrase] = []
    for phrase in phrases:
        if not _overlaps(phrase, chosen) and len(", ".join(p.text for p in (*chosen, phrase))) <= _TITLE:
            chosen.append(phrase)
        if len(chosen) == 3:
            break
    title = ", ".join(phrase.text for phrase in sorted(chosen, key=lambda phrase: phrase.at))
    title = title or _told(fallback)
    return title[:1].upper() + title[1:]


def _told(sentence: str) -> str:
    """The beginning of a sentence."""
    said = sentence.split()
    if len(said) > _TOLD:
        sentence = " ".join(said[:_TOLD]).rstrip(" ,;:-–.") + " …"
    return cut_short(sentence.rstrip(" .,;:"), _TITLE)


def tags_of(phrases: Sequence[Phrase], entities: Iterable[str]) -> tuple[str, ...]:
    """Up to four tags: phrases in small letters joined by hyphens, each word in one of them only."""
    tags: list[str] = []
    stems: set[str] = set()
    for text in (*(phrase.text for phrase in phrases), *entities):
        low = [word.replace("'", "").replace("’", "") for word in WORD.findall(text.lower())]
        found = [word for word in low if word == "st" or plain(word) not in _HONORIFIC] or low
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


def _small(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(plain(word) for text in texts for word in WORD.findall(text) if word[0].islower())


def _runs(text: str, talk: _Words) -> Iterator[Phrase]:
    for sentence in sentences(text):
        run: list[str] = []
        before = ""
        tokens = [*_TOKEN.findall(sentence), "\n"]
        for at, token in enumerate(tokens):
            low = plain(token.rstrip("."))
            fits = token[0].isalnum() and _fits(token, low, talk) and not (at == 0 and _opens(tokens, talk))
            # In German only an article's adjective stands small among nouns.
            grows = not _NO_NOUN.match(low) and (talk.language != "de" or not token[0].islower())
            if fits and (not run or token[0].isupper() or grows):
                run.append(token)
                continue
            yield from _phrase(_trimmed(run, before, low, talk), before, talk)
            run, before = ([token], "") if fits else ([], low)


def _fits(token: str, low: str, talk: _Words) -> bool:
    named = token[0].isupper() and low in talk.names
    if low in _HONORIFIC and token[0].isupper():
        return True
    if not low or low in talk.stop or low in _EMPTY or (is_light(low) and not named):
        return False
    return (named and low in talk.known) or (low not in _BREAKS and low.removesuffix("s") not in _BREAKS)


def _opens(tokens: Sequence[str], talk: _Words) -> bool:
    """True for a word that has its capital from the sentence it begins, like the verb of an order; not for a first name."""
    token, after = tokens[0], tokens[1]
    low = plain(token.rstrip("."))
    if not token[0].isupper() or low in talk.names or low in _HONORIFIC:
        return False
    return not (after[0].isupper() and low not in talk.small and talk.language != "de")


def _is_participle(word: str) -> bool:
    """True for the first word of `called Pip`."""
    return word.islower() and _NO_NOUN.match(word) is not None


def _trimmed(run: list[str], before: str, after: str, talk: _Words) -> list[str]:
    """The run without the verbs and numbers at its ends: `book Farben Kröger`, `Priyanka helps`, `the supplier delivers` it."""
    if before == "to" and run and run[0].islower():
        run = run[1:]
    german = talk.language == "de"
    while run and any(word[0].isupper() for word in run) and run[0][0].islower():
        if before in _BEFORE and (not german or _ADJECTIVE.match(run[0])) and not _is_participle(run[0]):
            break
        run = run[1:]
    while len(run) > 1 and run[0].isdigit():
        run = run[1:]
    while run and run[0][0].isupper() and run[-1][0].islower():
        verb = run[-1].endswith("s") and not run[-1].endswith("ss") and run[-2][-2:] not in ("'s", "’s")
        if not (german or verb):
            break
        run = run[:-1]
    if len(run) > 1 and run[-1][0].islower() and after in _PRONOUNS and run[-1].endswith("s"):
        run = run[:-1]
    while run and (
        plain(run[-1].rstrip(".")) in _HONORIFIC or (is_number(run[-1].lower()) and run[-1].isalpha())
    ):
        run = run[:-1]
    if run and run[-1][-2:] in ("'s", "’s"):
        run = [*run[:-1], run[-1][:-2]]
    return _without_speakers(run, talk.speakers)


def _without_speakers(run: list[str], speakers: frozenset[str]) -> list[str]:
    """The run without those who speak, unless they are part of a longer name or own what is named: `Ben Lund's birthday`."""
    if all(plain(word) in speakers for word in run):
        return []
    while run and plain(run[0]) in speakers and run[0][-2:] not in ("'s", "’s") and run[1][0].islower():
        run = run[1:]
    while run and plain(run[-1]) in speakers and run[-2][0].islower():
        run = run[:-1]
    return run


def _phrase(run: list[str], before: str, talk: _Words) -> Iterator[Phrase]:
    german = talk.language == "de"
    longest = _LONGEST_NAME if any(word[0].isupper() for word in run) else _LONGEST
    run = run[-longest:] if before in _BEFORE and not german else run[:longest]
    lows = [plain(word.rstrip(".")) for word in run]
    if not run or all(low in _NOT_IN_TITLE or is_number(low) for low in lows) or len(lows[-1]) < 2:
        return
    if german and not run[-1][0].isupper() and not is_number(lows[-1]):
        return
    capital = [low for word, low in zip(run, lows, strict=True) if word[0].isupper()]
    name = any(low in talk.names or len(capital) > 1 for low in capital)
    known = not talk.known.isdisjoint(capital)
    if not (name or before in _BEFORE):
        return
    if len(run) == 1 and not name and _NO_NOUN.match(lows[0]):
        return
    proper = known or (name and not german)
    weight = 1.0 + 0.6 * (len(run) > 1) + 0.5 * proper + 0.5 * known
    yield Phrase(" ".join(run), tuple(map(stem, lows)), weight, 0, named=name)
