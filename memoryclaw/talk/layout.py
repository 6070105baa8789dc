"""Lines of a turn → those that have the form of what people paste: a chat, a transcript, a ticket, a log, a form, lyrics, code.

A form is a row with its example. What stands in it is not read, so it need not be in a language that is known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from memoryclaw.text import words as lists
from memoryclaw.text.grammar import Grammar, WordList, tokens_of

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez)[a-zä]{0,6}\.?"
_CLOCK = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:[.,]\d{1,3})?(?:\s?[ap]\.?m\b\.?)?"
_DAY = (
    rf"(?:\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{2,4}}|\d{{1,2}}\.? {_MONTH}(?: \d{{4}})?|{_MONTH} {{1,2}}\d{{1,2}}(?:, \d{{4}})?"
    r"|today|yesterday|heute|gestern|aujourd'hui|hier|hoy|ayer)"
)
_DATED = rf"(?:(?:on |le |am |el )?{_DAY}(?:,? {{1,2}}| ?T ?|,? (?:at|um|à|a las) )?(?:{_CLOCK})?Z?)"
_STAMP = rf"(?:{_DATED}|{_CLOCK})"
_AGO = r"(?:\d{1,3} ?(?:s|m|h|d|w|mo|y|min|mins|hr|hrs|(?:second|minute|hour|day|week|month|year)s?)(?: ago)?|vor \d{1,3} \w{3,9}|just now)"
_NAME = r"[@+~]?\w[\w.'’@()+-]{0,30}(?:,? [\w.'’()+-]{1,30}){0,3}"


class Form(NamedTuple):
    """A form of lines that others wrote, the example of it, and how much of it is needed to tell."""

    name: str
    pattern: re.Pattern[str]
    example: str
    least: int = 1  # lines of it in a turn
    spoken: bool = False  # and somebody speaks in them of themselves or to somebody
    named: bool = False  # a single one must name somebody, rather than a thing
    below: bool = False  # the lines below it are its text


def _form(name: str, pattern: str, example: str, least: int = 1, **more: bool) -> Form:
    return Form(name, re.compile(pattern, re.IGNORECASE), example, least, **more)


FORMS = (
    _form("message", rf"\W{{0,3}}(?:{_DATED}|(?<=[\[(<]){_CLOCK})\W{{1,4}}(?P<who>{_NAME}): {{1,4}}(?P<words>\S)", "[04.03.26, 10:32] Tom: hi"),
    _form("message with a clock", rf"{_CLOCK}\W{{1,4}}(?P<who>{_NAME}): {{1,4}}(?P<words>\S)", "10:32 Tom: I am in", spoken=True),
    _form("message of a name with its time", rf"(?P<who>{_NAME}?),? {{0,2}}[\[(]{_STAMP}[\])]?: {{1,4}}(?P<words>\S)", "Tom (10:32): hi"),
    _form("line of a channel", r"(?:\W?\d{1,2}:\d\d(?::\d\d)?\W? {1,4})?<[@+%~&]?(?P<who>[\w.|^`{}\[\]-]{1,30})> (?P<words>\S)", "<tom> hi"),
    _form("act in a channel", r"\W?\d{1,2}:\d\d(?::\d\d)?\W? {1,4}(?:\*|-->|<--|-!-) \w", "[10:32] * tom waves"),
    _form("head with a name and a time", rf"\W{{0,3}}(?P<who>{_NAME}?)(?:,? {{1,3}}|\s[-–—·|•]\s|,? ?[\[(])(?:sent )?(?:{_STAMP}|{_AGO})[\])]? ?:?$", "Tom — Today at 10:32", named=True, below=True),
    _form("head with a time and a name", rf"[\[(]{_STAMP}[\])] (?P<who>{_NAME}):?$", "[10:32] Reed, Tom", named=True, below=True),
    _form("head of a talk with its time", rf"(?:\d{{1,2}}:)?\d{{1,2}}:\d\d from (?P<who>{_NAME}) to {_NAME}:", "10:32:11 From Tom to Everyone:", below=True),
    _form("head of a post", rf"(?:.{{0,40}} )?(?:posted|commented|replied|wrote|opened|asked|answered|sent|shared|closed)\b.{{0,60}}? (?:{_STAMP}|{_AGO})$", "tomr commented 2 days ago", below=True),
    _form("head of a post with a handle", rf"(?:{_NAME} )?@\w{{1,30}}(?:\s[·•|-]\s.{{1,20}}|: ?.*)$", "Tom @tomr · 4h", below=True),
    _form("head of a review", r"[★☆⭐]{1,5} ?.{0,60}$", "★★★★☆ Tom R.", below=True),
    _form("forwarded", r"\W{0,3}(?:forwarded (?:from|message)|weitergeleitet(?:e nachricht)? von|reenviado|transféré|inoltrato)\b.{0,60}$", "Forwarded from Tom", below=True),
    _form("who said it, of a page", r"(?:you|chatgpt|claude|gemini|copilot|user|assistant|human) said:?$", "You said:", below=True),
    _form("time alone", rf"\W{{0,2}}{_CLOCK}\W{{0,2}}$", "00:12", least=2, below=True),
    _form("subtitle", r"(?:\d\d:)?\d\d:\d\d[.,]\d{3} ?-->", "00:00:01,000 --> 00:00:03,500", below=True),
    _form("time in brackets", r"[\[(]\d{1,2}:\d\d(?::\d\d)?[\])] {1,4}\w", "[00:00:12] hello", least=2),
    _form("time of a film", r"0{1,2}:\d\d(?::\d\d)? {1,4}\w", "0:12 hello", least=2),
    _form("record", rf"\[?\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?\S* {{1,4}}\S|{_MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d \S", "2026-03-04 10:32:11 INFO in"),
    _form("level", r"\W?\[(?:info|debug|warn(?:ing)?|error|trace|fatal|critical|notice)\]", "[INFO] started"),
    _form("name of a part", r"(?-i:[A-ZÄÖÜ][A-ZÄÖÜ .'-]{1,24})(?: ?\(.{1,30}\))?$(?<![.!?])", "TOM", least=2, below=True),
    _form("stage direction", r"\*[a-z][^*\n]{0,40} [^*\n]{1,60}\*", "*walks in* hello"),
    _form("verse", r"\[(?:verse|chorus|bridge|intro|outro|hook|refrain|strophe|pre-chorus)\b.{0,20}\]$", "[Verse 1]", below=True),
    _form("comment in code", r"\s*+(?://|/\*|<!--|#include|#!/|@@ -)", "// the limit", below=True),
    _form("role of a message to a model", r"[\s{\"'-]{0,12}role[\"']?:", "- role: user", below=True),
)  # fmt: skip
_UPPER = re.compile(r"[^\W\d_a-zß-ÿ]")
_LABEL = re.compile(
    r"[ \t]*+(?:[-*•+–] ++)?(?:\d{1,2}:\d\d ++)?\*{0,2}(?P<who>[^\W_][\w.'’@-]*+(?: [\w.'’@-]++){0,3})(?P<aside> ?[(\[][^)\]\n]{1,40}[)\]])?\*{0,2}:\*{0,2}[ \t]++(?P<words>\S)"
)
_AUTHOR = re.compile(r"[ \t]*+[—–][ \t]?(?P<who>[^\W\d_a-zß-ÿ][^\n]{0,60})$")
_TITLE = re.compile(
    r"[\s#*=\[(]*+(?P<title>[^\W\d_][\w' -]{0,30}?)(?:[ \t]*+(?:#|no\.? ?|nr\.? ?)?\d{0,6}\b)?[\s*\])=]*+(?P<colon>:?)[\s*]*+$"
)


@cache
def listed(name: str) -> WordList:
    """The entries of a list of `pastes.toml`."""
    return WordList(entry for line in lists.lines(f"pastes.{name}") for entry in line.split(","))


def pasted_lines(lines: Sequence[str], words: Grammar, me: str) -> set[int]:
    """The places of the lines that others wrote, as their form tells; a text goes on to the next empty line.

    Args:
        lines: of a turn.
        words: the grammar of its language.
        me: the first token of the name of who typed it; empty where it is not known.
    """
    blocks = list(blocks_of(lines))
    heads = _heads(lines, words)
    pasted = set(heads)
    for first, end in blocks:
        block = range(first, end)
        pasted.update(range(next((at for at in block if at in heads), end), end))
        pasted.update(_of_block(lines, block, me))
    if below := [at for at, form in heads.items() if form.below or form.name in _TALKS]:
        pasted.update(range(below[0], below[-1]))  # a message may have paragraphs
    pasted.update(_dialogue(lines, words))
    return pasted


_TALKS = frozenset({"message", "message of a name with its time"})


def blocks_of(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each run of lines without an empty one begins and ends."""
    first = 0
    for at in range(len(lines) + 1):
        if at == len(lines) or not lines[at].strip():
            if first < at:
                yield first, at
            first = at + 1


def _heads(lines: Sequence[str], words: Grammar) -> dict[int, Form]:
    """The lines of a form, where there is as much of it as tells."""
    hits = [
        (at, form, hit)
        for at, line in enumerate(lines)
        for form in FORMS
        if (hit := form.pattern.match(line.strip()))
    ]
    counts = Counter(form.name for _, form, _ in hits)
    spoken = {form.name for at, form, _ in hits if speaks(lines[at], words)}
    heads: dict[int, Form] = {}
    for at, form, hit in hits:
        if (
            counts[form.name] >= form.least
            and (not form.spoken or form.name in spoken)
            and (not form.named or counts[form.name] > 1 or _names_somebody(hit["who"], words))
        ):
            heads.setdefault(at, form)
    return heads


def speaks(text: str, words: Grammar, *, to_somebody: bool = True) -> bool:
    """True where somebody speaks of themselves, or to somebody."""
    tokens = tokens_of(text)
    return (
        words.first_person.within(tokens)
        or words.possessives_own.within(tokens)
        or (to_somebody and words.second_person.within(tokens))
    )


def _names_somebody(who: str, words: Grammar) -> bool:
    """True for what is no word of the language: a name, a nickname, a handle."""
    tokens = tokens_of(who)
    return bool(tokens) and not any(
        token in listed_words
        for token in tokens
        for listed_words in (words.things, words.small, words.light, words.weekdays, words.written_things)
    )


def _dialogue(lines: Sequence[str], words: Grammar) -> set[int]:
    """The lines of a talk in which each is led by who speaks: several of them, by turns or of themselves."""
    labels = {at: hit for at, line in enumerate(lines) if (hit := _LABEL.match(line))}
    who = {at: " ".join(tokens_of(hit["who"])) for at, hit in labels.items()}
    names = list(who.values())
    if len(set(names)) < 2 and not any(hit["aside"] for hit in labels.values()):
        return set()
    parts = {at for at, name in who.items() if listed("speakers").at(name.rstrip(" 0123456789").split())}
    by_turns = any(one == third != two for one, two, third in zip(names, names[1:], names[2:], strict=False))
    speakers = {
        at
        for at, hit in labels.items()
        if _names_somebody(hit["who"], words) and (by_turns or _is_typed_as_name(hit["who"]) or hit["aside"])
    }
    said = {at for at in speakers | parts if speaks(lines[at][labels[at].start("words") :], words)}
    asked = {at for at in speakers | parts if "?" in lines[at]}
    if len({who[at] for at in speakers | parts}) < 2 or not (said or asked or len(parts) > 1):
        return set()
    first, last = min(speakers | parts), max(speakers | parts)
    end = next((at for at in range(last, len(lines)) if not lines[at].strip()), len(lines))
    return set(range(first, end))


def _is_typed_as_name(who: str) -> bool:
    return _UPPER.match(who) is not None


def _of_block(lines: Sequence[str], block: range, me: str) -> range:
    """The lines of a block that others wrote: below a title, below the name of whose form it is, above who wrote it."""
    for at in block:
        hit = _LABEL.match(lines[at])
        label = tokens_of(hit["who"]) if hit else []
        if (
            hit
            and label
            and listed("owners").at(label) == len(label)
            and not (me and me in tokens_of(lines[at][hit.start("words") :]))
        ):
            return range(_first_label(lines, block, at), block.stop)
        if _is_title(lines[at], alone=len(block) == 1):
            return range(at, block.stop if at + 1 < block.stop else len(lines))
    last = block[-1]
    author = _AUTHOR.match(lines[last])
    if author and not (me and me in tokens_of(author["who"])):
        return block
    if any(listed("footers").at(tokens_of(lines[at])) for at in block[-2:]):
        return range(_paragraph_above(lines, block.start) if len(block) == 1 else block.start, block.stop)
    return range(0)


def _paragraph_above(lines: Sequence[str], at: int) -> int:
    """Where the paragraph above a place begins."""
    end = next((number for number in range(at - 1, -1, -1) if lines[number].strip()), 0)
    return next((number + 1 for number in range(end, -1, -1) if not lines[number].strip()), 0)


def _first_label(lines: Sequence[str], block: range, at: int) -> int:
    while at > block.start and _LABEL.match(lines[at - 1]):
        at -= 1
    return at


def _is_title(line: str, *, alone: bool) -> bool:
    """True for a title and no more: `Chapter 1`, `Ticket #4471`, `Chorus:`."""
    hit = _TITLE.match(line)
    tokens = tokens_of(hit["title"]) if hit else []
    return (
        bool(hit and tokens)
        and listed("titles").at(tokens) == len(tokens)
        and bool(_UPPER.match(line.strip(" #*=[(")) or (hit and hit["colon"]) or not alone)
    )
