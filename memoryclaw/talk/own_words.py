"""What a person typed → the person's own words: no code, no quotation, nothing pasted. What was pasted is named, not read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from memoryclaw.text.grammar import Grammar, tokens_of

_CUT = " … "  # stands where something was left out of a line
_FENCED = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|```.*?(?:```|\Z)")
_CODE = re.compile(r"`[^`\n]*`")
_QUOTED_LINES = re.compile(r"(?m)(?:^[ \t]*>.*$\n?)+")
# A quotation of a few words only marks them.
_PAIRS = (('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"))
_QUOTED = re.compile(
    "|".join(rf"(?<!\w){a}([^{a}{b}]*+)[{b}](?!\w)" for a, b in _PAIRS)
    + r"|(?<![\w'])'((?:[^'\n]|(?<=\w)'(?=\w))*+)'(?!\w)"
)
_UNCLOSED = re.compile(r"(?ms)(?:^|(?<=[\s:]))(?:\"(?=[^\"]*+\Z)|[“„](?=[^“”„]*+\Z)|«(?=[^«»]*+\Z))\S.*")
_FEW = 3  # words of a quotation that stay
_COLON = re.compile(r":(?=\s|$)")
_LEAD = 200  # characters before a colon that may announce what stands behind it
_NOTHING, _MORE = re.compile(r"\s*+\Z"), re.compile(r"\s*+(?:\S++\s++){2}\S")  # no word; more than a few
_HEADER = re.compile(
    r"(?im)^[ \t]*(?:-{3,}\s*(?:original message|forwarded|weitergeleitet)|begin forwarded|\[[^\]\n]{0,60}\b(?:forwarded|fwd)\b"
    r"|(?:from|von|sender|to|an|cc|subject|betreff|sent|gesendet|date|datum|re|aw|wg|fwd?)[ \t]*:[ \t]*\S)"
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
_CLOCK = re.compile(r"[ \t]*[\[(<]?\d{1,2}[:.]\d\d")
_SAID_BY = re.compile(
    r"[ \t]*(?:[\[(<]?\d{1,2}[:.]\d\d[^\s\w]*\s+(?:[-–—] )?)?[<\[(]?(?P<name>[^\W\d_a-zß-ÿ][\w.'-]*(?: [^\W\d_a-zß-ÿ][\w.'-]*){0,2})(?: ?[(\[][^)\]\n]*[)\]])?[>\])]?(?::[ \t]+|>[ \t]+)\S"
)
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

    text: str  # lines that belong together stay lines
    pasted: tuple[str, ...] = ()  # the first line of each block that was left out
    quoted: bool = False  # words between quotation marks were left out


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
    text = _CODE.sub(_CUT, text).replace("’", "'")
    announced, inside, quoted = False, False, False  # inside: a block that was named already

    def quotation(hit: re.Match[str]) -> str:
        nonlocal quoted
        said = next((group for group in hit.groups() if group is not None), "")
        if len(tokens_of(said)) <= _FEW and not set(said) & set("\n"):
            return hit[0]
        quoted = True
        if "\n" in said or len(said) > 80:
            pasted.append(_first_line(said))
        return "\n" if "\n" in said or hit.start() == 0 or text[hit.start() - 1] == "\n" else _CUT

    shown = _QUOTED.sub(quotation, text)
    me = next(iter(tokens_of(speaker)), "")
    if not quoted and _is_letter(shown, me):
        return OwnWords("", (*pasted, _first_line(shown)))
    kept: list[str] = []
    lines = shown.split("\n")
    last = _last(lines, str.strip)
    leave, said_by = _last(lines, _FAREWELL.match), _last(lines, _SAID_BY.match)
    talk = said_by > 0 and any(_is_spoken(line, words) for line in lines)
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if (
            announced
            or (number and _is_pasted(line, leaves=leave >= number, goes_on=said_by > number))
            or ((talk or _CLOCK.match(line)) and _SAID_BY.match(line))
            or (me and _greeted(me).match(line))
            or _HEADER.match(line)
            or len(_SIGNS.findall(line)) > 3
        ):
            pasted += [] if inside else [line.strip()]
            inside, announced = True, announced or not _is_item(line)
            continue
        own, announced = _before_others(line, words, last=number == last)
        kept.append(own)
        rest = line[len(own) :].strip()
        pasted.append(rest)
        inside = bool(rest)
    return OwnWords("\n".join(kept), tuple(filter(tokens_of, pasted)), quoted)


def without_secrets(text: str) -> str:
    """The text with a cut where something was taken out for being secret or private: nothing is named or told by that."""
    return _HIDDEN.sub(_CUT, text) if "REDACTED" in text or "[private]" in text else text


def _first_line(block: str) -> str:
    lines = block.split("\n")
    if len(lines) > 1 and lines[0].lstrip().startswith(("```", "~~~")):
        del lines[0]  # it names the language of the code
    return next(filter(None, (line.strip(' \t>"“„«»`~') for line in lines)), "")


def _is_letter(text: str, me: str) -> bool:
    """True for a text that greets and takes leave as a letter does, or takes leave formally, and that another one has signed."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or (me and tokens_of(lines[-1])[:1] == [me]):
        return False
    if _GREETING.match(lines[0]):
        return any(_FAREWELL.match(line) for line in lines[1:])
    return bool(len(lines) > 2 and _FORMAL.match(lines[-2]) and _SIGNATURE.match(lines[-1]))


@cache
def _greeted(me: str) -> re.Pattern[str]:
    """Finds a line that greets somebody by name; `hi Nora here` greets nobody."""
    return re.compile(rf"[ \t]*{_HAIL}[ \t]+{re.escape(me)}\b(?![ \t]+(?:here|hier)\b)", re.IGNORECASE)


def _is_spoken(line: str, words: Grammar) -> bool:
    """True for a line of a dialogue: with the time, or the word of one who speaks of themselves."""
    hit = _SAID_BY.match(line)
    return hit is not None and bool(
        _CLOCK.match(line) or words.first_person.within(tokens_of(line[hit.end() - 1 :]))
    )


def _last(lines: Sequence[str], fits: Callable[[str], object]) -> int:
    """The place of the last line that fits; -1 where none does."""
    return next((number for number in reversed(range(len(lines))) if fits(lines[number])), -1)


def _is_pasted(line: str, *, leaves: bool, goes_on: bool) -> bool:
    """True where a block of lines has the form of what people paste: a table, code, a list of amounts, a letter, a dialogue.

    Args:
        line: the first of the block.
        leaves: a line of the block takes leave.
        goes_on: somebody speaks in a later line of it.
    """
    return bool(
        (leaves and _GREETING.match(line))
        or _TABLE.match(line.strip())
        or _CODE_LINE.search(line)
        or (goes_on and _SAID_BY.match(line))
        or len(_MEASURE.findall(line)) > 1
    )


def _is_item(line: str) -> bool:
    return _LIST.match(line) is not None


def _before_others(line: str, words: Grammar, *, last: bool) -> tuple[str, bool]:
    """The line up to where it announces words of others, and whether the lines below are theirs."""
    for colon in _COLON.finditer(line):
        lead = line[max(0, colon.start() - _LEAD) : colon.start()]
        clause = tokens_of(re.split(r"[.!?…]\s|,\s", lead)[-1])
        if not clause or words.remember_phrases.within(clause):
            continue
        told = words.rework_verbs.within(clause) or words.reporting_verbs.within(clause)
        written = words.written_things.within(clause)
        ends = _NOTHING.match(line, colon.end()) is not None
        if told or (written and (ends or _MORE.match(line, colon.end()))):
            return (line[: colon.end()], True)
        if ends and not last:
            return line, False
    tail = tokens_of(re.split(r"[.!?…]\s", line.rstrip())[-1])
    points = any(token in words.deictics and token in words.pronouns for token in tail)
    told = words.reporting_verbs.within(tail) and not words.first_person.within(tail)
    told = told or words.rework_verbs.within(tail)
    announces = told and points  # `this is what she said`, `translate this`
    if words.written_things.within(tail):
        announces = told or words.deictics.within(tail) or words.reporting_verbs.within(tail)
    return line, bool(announces and not last)
