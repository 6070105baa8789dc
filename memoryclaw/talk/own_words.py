"""What a person typed → the person's own words: nothing pasted, code and quotations sealed. What was pasted is named, not read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from memoryclaw.talk.layout import blocks_of, listed, pasted_lines, speaks
from memoryclaw.talk.seals import Sealing, Seals
from memoryclaw.text.grammar import Grammar, tokens_of

_CUT = " … "  # stands where a secret was left out of a line
_FENCED = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|```.*?(?:```|\Z)")
_QUOTED_LINES = re.compile(r"(?m)(?:^[ \t]*>.*$\n?)+")
# A quotation of a few words only marks them.
_PAIRS = (('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"))
_QUOTED = re.compile(
    "|".join(rf"(?<!\w){a}([^{a}{b}]*+)[{b}](?!\w)" for a, b in _PAIRS)
    + r"|(?<![\w'])'((?:[^'\n]|(?<=\w)'(?=\w))*+)'(?!\w)"
)
_UNCLOSED = re.compile(r"(?ms)(?:^|(?<=[\s:]))(?:\"(?=[^\"]*+\Z)|[“„](?=[^“”„]*+\Z)|«(?=[^«»]*+\Z))\S.*")
_FEW, _LONG = 3, 80  # words of a quotation that stay; characters of one that is named
_COLON = re.compile(r":(?=\s|$)|：")
_LEAD = 200  # characters before a colon that may announce what stands behind it
_NOTHING = re.compile(r"\s*+\Z")
_MORE = re.compile(r"\s*+(?:\S++(?<![.!?])\s++){2}\S")  # a sentence of more than a few words
_ENDS = re.compile(r"[.!?…]\s|\n")
_MANY_SIGNS = 3  # of a line that are no marks of a sentence
_ASKING = 20  # words, at most, of a request for work on a text
_HEADER = re.compile(
    r"(?im)^[ \t]*(?:-{3,}\s*(?:original message|forwarded|weitergeleitet)|begin forwarded|\[[^\]\n]{0,60}\b(?:forwarded|fwd)\b"
    r"|(?:from|von|sender|to|an|cc|subject|betreff|sent|gesendet|date|datum|re|aw|wg|fwd?|de|para|à|asunto|assunto|objet|oggetto|onderwerp)[ \t]*:[ \t]*\S)"
)
_HAIL = (
    r"(?:hi|hello|hey|dear|hallo|moin|servus|liebe[r]?|sehr geehrte[rn]?|guten (?:tag|morgen|abend)"
    r"|good (?:morning|afternoon|evening))"
)
_GREETING = re.compile(rf"[ \t]*{_HAIL}\b[^.!?:\n]{{0,40}}[,!]?[ \t]*$", re.IGNORECASE)
_FAREWELL = re.compile(
    r"[ \t]*(?:-- ?$|(?:(?:kind|best|warm|many)(?:est)? (?:regards|wishes)|regards|best|sincerely|yours|cheers|love"
    r"|(?:mit )?(?:freundliche[nr]?|viele[n]?|liebe[n]?|beste[n]?|herzliche[n]?) gr(?:ü|ue)(?:ß|ss)en?\b.{0,20}|lg|vg|mfg)\b(?:[,.!]|\s*(?:\n|\Z|(?-i:[A-ZÄÖÜ]))))",
    re.IGNORECASE,
)
# How nobody takes leave of an assistant.
_FORMAL = re.compile(
    r"[ \t]*(?:(?:kind|best|warm|many)(?:est)? (?:regards|wishes)|regards|(?:yours )?sincerely|yours faithfully"
    r"|(?:mit )?(?:freundliche[nr]?|viele[n]?|beste[n]?) gr(?:ü|ue)(?:ß|ss)en?)[,.!]?[ \t]*$",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"[ \t]*+[^\W\d_a-zß-ÿ][\w.'-]*+(?:[ \t]++[^\W\d_a-zß-ÿ][\w.'-]*+){0,2}[ \t]*$")
_TABLE = re.compile(r"[^\s,;|]*+(?:[,;|\t][^\s,;|]*+){2,}$|[ \t]*\|.*\|[ \t]*$|(?:[^|\n]*\|){2}")
_CODE_LINE = re.compile(
    r"[{};]\s*$|^\s*(?:at |def |import |from \w+ import|func |return |\$ |#include|</?\w+)|=>|::\w|^(?>.*?\w\().*\)\s*[;:{]?$|0x[0-9a-f]{2,}|^\s*[\w.]+(?:Error|Exception)\b"
)
_SIGNS = re.compile(r"[=*^{}\[\];<>|\\]|(?<=\w)\(|\)(?=[\w.;])")
_LIST = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,2}[.)])[ \t]+\S")
_MEASURE = re.compile(
    r"\d\s?(?:g|kg|mg|ml|cl|l|el|tl|oz|lb|lbs|tsp|tbsp|cups?|c|min|°c?f?|grad)\b", re.IGNORECASE
)


# The mark of a secret that was taken out, whole or cut, and of what was private.
_HIDDEN = re.compile(r"\[?\bREDACTED\b(?::[^\]\s]*)?\]?|\[private\]")


class OwnWords(NamedTuple):
    """The words that are a person's own, and what was left out of the turn."""

    text: (
        str  # lines that belong together stay lines; a mark stands for each piece of code and each quotation
    )
    pasted: tuple[str, ...] = ()  # the first line of each block that was left out
    seals: Seals = Seals()


def own_words(text: str, words: Grammar, speaker: str = "") -> OwnWords:
    """The own words of one turn.

    Args:
        text: what was typed.
        speaker: who typed it; a line that greets them, and a letter that they have not signed, are somebody else's.
        words: the grammar of its language; `written_things`, `rework_verbs` and `reporting_verbs` announce words of others.
    """
    pasted: list[str] = []

    def block(hit: re.Match[str]) -> str:
        pasted.append(_first_line(hit[0]))
        return "\n"

    text = without_secrets(text)
    text = _UNCLOSED.sub(block, _QUOTED_LINES.sub(block, _FENCED.sub(block, text.replace("\r\n", "\n"))))
    sealing = Sealing(text)

    def quotation(hit: re.Match[str]) -> str:
        words_within = next((group for group in hit.groups() if group is not None), "")
        if len(tokens_of(words_within)) <= _FEW and "\n" not in words_within:
            return hit[0]
        before, behind = hit.string[: hit.start()][-1:], hit.string[hit.end() :][:2].lstrip(".,!?")[:1]
        alone = before in ("", "\n") and behind in ("", "\n")
        if "\n" in words_within or alone or len(words_within) > _LONG:
            pasted.append(_first_line(sealing.sealed().open(words_within)))
        return "\n" if "\n" in words_within or alone else sealing.seal(hit[0], quotation=True)

    lines = _QUOTED.sub(quotation, sealing.code(text)).split("\n")
    me = next(iter(tokens_of(speaker)), "")
    others = (
        pasted_lines(lines, words, me) | _letters(lines, me) | _material(lines, words) | _tables(lines, words)
    )
    own: list[str] = []
    inside, end = False, 0  # inside: a block that was named already
    last = _last(lines, str.strip)
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if _HEADER.match(line) or (me and _greeted(me).match(line)):
            end = len(lines)
        if number in others or number < end:
            pasted += [] if inside else [line.strip()]
            inside = True
            continue
        words_before, reach = _before_others(line, words, last=number == last)
        own.append(words_before)
        rest = line[len(words_before) :].strip()
        pasted.append(rest)
        inside = bool(rest)
        if reach:
            end = len(lines) if reach == _ALL else _block_end(lines, number)
    seals = sealing.sealed()
    return OwnWords("\n".join(own), tuple(filter(tokens_of, map(seals.open, pasted))), seals)


def _tables(lines: Sequence[str], words: Grammar) -> set[int]:
    """The lines of tables and code, with what goes on from them until somebody speaks of themselves or asks."""
    tables: set[int] = set()
    goes_on = False
    for number, line in enumerate(lines):
        if goes_on and (number == 0 or not lines[number - 1].strip()):
            goes_on = not speaks(line, words, to_somebody=False) and "?" not in line
        if (number and _is_code(line)) or len(_SIGNS.findall(line)) > _MANY_SIGNS:
            goes_on = goes_on or not _is_item(line)
            tables.add(number)
        if goes_on:
            tables.add(number)
    return tables


_BLOCK, _ALL = "block", "all"  # how far words of others go on: to the next empty line, to the end


def _block_end(lines: Sequence[str], at: int) -> int:
    return next((number for number in range(at, len(lines)) if not lines[number].strip()), len(lines))


def _letters(lines: Sequence[str], me: str) -> set[int]:
    """The lines of letters that greet somebody and take leave, or take leave formally, and that another one has signed."""
    letters: set[int] = set()
    start = -1
    for at, line in enumerate(lines):
        if _GREETING.match(line):
            start = at
        if not _FAREWELL.match(line):
            continue
        signature = next((n for n in range(at + 1, min(at + 3, len(lines))) if lines[n].strip()), at)
        formal = (
            bool(_FORMAL.match(line) or line.strip() == "--")
            and signature > at
            and _SIGNATURE.match(lines[signature])
        )
        if start < 0 and formal:
            start = at
            while start and (lines[start - 1].strip() or start == at):
                start -= 1  # the paragraph above it
        signed = tokens_of(lines[signature])
        if start >= 0 and at > start and not (me and me in signed):
            letters.update(range(start, _block_end(lines, signature)))
        start = -1
    return letters


def _material(lines: Sequence[str], words: Grammar) -> set[int]:
    """The lines of a text that the turn asks to have reworked or judged, and of a part that somebody plays."""
    material: set[int] = set()
    blocks = list(blocks_of(lines))
    for place, (first, end) in enumerate(blocks):
        for at in range(first, end):
            if _is_part(lines[at], words):
                material.update(range(at, end))
            elif _asks_for_work(lines[at], words):
                back = bool(place) and listed("backward").within(tokens_of(lines[at]))
                if not back and (at + 1 < end or place + 1 < len(blocks)):
                    material.update(range(at + 1, len(lines)))
                    if place and "?" in lines[at]:
                        material.update(range(*blocks[place - 1]))  # the text may stand on either side
                elif at > first:
                    material.update(range(first, at))
                elif place:
                    material.update(range(*blocks[place - 1]))
            elif _asks_for_work(_ENDS.split(lines[at])[-1], words):
                material.update(range(first, at + 1))
    return material


def _is_part(line: str, words: Grammar) -> bool:
    """True for a line of which a sentence begins a game: `let's role-play: I am a pirate`."""
    return any(listed("parts").at(_plain(sentence, words)) for sentence in _ENDS.split(line))


def _plain(sentence: str, words: Grammar) -> list[str]:
    tokens = tokens_of(sentence)
    while tokens and (tokens[0] in words.politeness or tokens[0] in words.fillers):
        tokens = tokens[1:]
    return tokens


def _asks_for_work(line: str, words: Grammar) -> bool:
    """True for a line that asks for nothing but work on a text, or what to make of one that was sent."""
    tokens = tokens_of(line)
    if not 0 < len(tokens) <= _ASKING or _ENDS.search(line.rstrip(" .!?…")):
        return False
    if listed("questions").within(tokens) and line.rstrip().endswith(("?", "？", ":")):
        return True
    at = _request(tokens, words)
    behind = tokens[at + listed("requests").at(tokens, at) :] if at >= 0 else ()
    return (
        at >= 0
        and not any(token in words.possessives_own for token in behind)
        and all(_is_of_text(token, words) for token in behind)
    )


def _is_of_text(token: str, words: Grammar) -> bool:
    return any(
        token in entries
        for entries in (
            words.small,
            words.light,
            words.deictics,
            words.politeness,
            words.written_things,
            words.order_topics,
            words.adverbs,
        )
    )


def _request(tokens: Sequence[str], words: Grammar) -> int:
    """Where a request for work on a text begins; -1 where more than a few small words stand before it."""
    at = listed("requests").find(tokens)
    return (
        at
        if all(
            token in words.small or token in words.politeness or token in words.fillers
            for token in tokens[: max(at, 0)]
        )
        else -1
    )


def without_secrets(text: str) -> str:
    """The text with a cut where something was taken out for being secret or private: nothing is named or told by that."""
    return _HIDDEN.sub(_CUT, text) if "REDACTED" in text or "[private]" in text else text


def _first_line(block: str) -> str:
    lines = block.split("\n")
    if len(lines) > 1 and lines[0].lstrip().startswith(("```", "~~~")):
        del lines[0]  # it names the language of the code
    return next(filter(None, (line.strip(' \t>"“„«»`~') for line in lines)), "")


@cache
def _greeted(me: str) -> re.Pattern[str]:
    """Finds a line that greets somebody by name; `hi Nora here` greets nobody."""
    return re.compile(rf"[ \t]*{_HAIL}[ \t]+{re.escape(me)}\b(?![ \t]+(?:here|hier)\b)", re.IGNORECASE)


def _last(lines: Sequence[str], fits: Callable[[str], object]) -> int:
    """The place of the last line that fits; -1 where none does."""
    return next((number for number in reversed(range(len(lines))) if fits(lines[number])), -1)


def _is_code(line: str) -> bool:
    """True for a line of a table, of code, or of a list of amounts."""
    return bool(_TABLE.match(line.strip()) or _CODE_LINE.search(line) or len(_MEASURE.findall(line)) > 1)


def _is_item(line: str) -> bool:
    return _LIST.match(line) is not None


def _reworks(clause: Sequence[str], words: Grammar) -> bool:
    """True for a verb of work on a text, but for `to answer that`."""
    at = words.rework_verbs.find(clause)
    return at >= 0 and not (at and clause[at - 1] in words.prepositions)


def _before_others(line: str, words: Grammar, *, last: bool) -> tuple[str, str]:
    """The line up to where it announces words of others, and how far these go on."""
    for colon in _COLON.finditer(line):
        lead = line[max(0, colon.start() - _LEAD) : colon.start()]
        clause = tokens_of(re.split(r"[.!?…]\s|,\s", lead)[-1])
        if not clause or words.remember_phrases.within(clause):
            continue
        ends = _NOTHING.match(line, colon.end()) is not None
        yours = any(token in words.second_person and token not in words.nominatives for token in clause)
        announces = any(
            entries.within(clause)
            for entries in (words.reporting_verbs, listed("requests"), listed("sources"))
        )
        announces = announces or _reworks(clause, words)
        if words.written_things.within(clause) and not announces:
            announces = any(rest.match(line, colon.end()) for rest in (_NOTHING, _MORE, _GREETING))
        if announces and not yours:
            return line[: colon.end()], _ALL if ends else _BLOCK
        if ends and not last:
            return line, ""
    for stop in _ENDS.finditer(line):
        if _asks_for_work(_ENDS.split(line[: stop.start() + 1])[-1], words):
            return line[: stop.end()], _BLOCK
    tail = tokens_of(re.split(r"[.!?…]\s", line.rstrip())[-1])
    points = any(token in words.deictics and token in words.pronouns for token in tail)
    told = words.reporting_verbs.within(tail) and not words.first_person.within(tail)
    told = told or words.rework_verbs.within(tail)
    announces = told and points  # `this is what she said`, `translate this`
    if words.written_things.within(tail):
        announces = told or words.deictics.within(tail) or words.reporting_verbs.within(tail)
    return line, _ALL if announces and not last else ""
