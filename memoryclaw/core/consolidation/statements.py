"""A turn → the statements in it: clause by clause, without openers and quotations, with how firmly and since when they hold.

The rule: what is pasted or quoted was not said by the speaker, and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryclaw.core.consolidation.durability import asks, remembered
from memoryclaw.core.consolidation.spokendates import since_date
from memoryclaw.core.consolidation.wording import sentences

LONGEST = 400  # characters of a sentence that is read; longer ones are lists or pasted text
_FENCED = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)")
_QUOTED_LINE = re.compile(r"(?m)^[ \t]*>.*$")
_PASTED = re.compile(
    r"(?ims)^[ \t]*(?:-{3,}\s*(?:original message|forwarded|weitergeleitet)|begin forwarded|(?:from|von|sender): \S).*"
)
_QUOTATION = re.compile(
    r"\"[^\"\n]*\s[^\"\n]*\s[^\"\n]*\"|“[^”\n]*\s[^”\n]*\s[^”\n]*”|„[^“”\n]*\s[^“”\n]*\s[^“”\n]*[“”]"
)
_OPENER = re.compile(
    r"^(?:(?:[-*•+]|\d+[.)])\s+"
    r"|(?:oh|ah|well|so|yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|actually|anyway|also|and|but|plus|btw|by the way|hey|hi|hello|look|listen|wow|thanks"
    r"|thank you|honestly|you know|i mean|as you know|in fact|of course|definitely|absolutely|totally|update|correction|note|reminder|basically|ja|nein|genau"
    r"|übrigens|also|und|aber|hallo|naja|na ja|stimmt|klar|gut|danke|haha|lol|hmm+|personally|for me|in general|generally|this week|lately|recently"
    r"|these days|nowadays|currently|as of now|as for me|good news|great news|that's (?:exactly )?why|in my (?:free|spare) time|i(?: just| recently)? (?:found out|learned)(?: recently)?(?: that)?|the thing is|it's true that|we decided that|we agreed that|i can confirm that)\b[,:!. –—-]*"
    r"|(?:i|ich)(?: just| already)? (?:told you|mentioned|said|wanted to (?:say|tell you|let you know)|should (?:say|mention)|forgot to (?:say|mention)|have to admit|must say"
    r"|must admit|sagte|hab(?:e)? (?:dir )?(?:gesagt|erzählt))(?: before| already| earlier)?,? (?:that |dass )?"
    r"|(?:i|i'm|ich)(?: \w+)? (?:think|guess|suppose|believe|assume|hope|heard|sure|afraid|glaube|denke|vermute|hoffe),? (?:that |dass )?"
    r"|(?:maybe|perhaps|probably|possibly|apparently|supposedly|allegedly|reportedly|hopefully|as far as i know|afaik|vielleicht|angeblich|anscheinend|soweit ich weiß),? "
    r"|(?:my )?[^\W\d_]+ (?:said|says|told me|mentioned|thinks|sagt|sagte|meint|meinte),? (?:that |dass )?(?=\S+ )"
    r"|dear [\w ]{2,20}, |[^\W\d_][^\W\d_]+[,!] (?=(?:i|i'm|i've|my|mine|the|please|we|our|remember|from|ich|mein|meine|der|die|das|bitte|merk)\b))",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"\s*;\s*|\s+[–—-]{1,2}\s+|(?:,\s*|\s+)(?:and|but|so|because|while|though|although|und|aber|weil|denn|sondern)\s+"
    r"(?=(?:i|i'm|i've|i'll|my|we|we're|he|she|it|it's|they|this|that|there|the|her|his|our|their|you|your|what|let's|now|ich|mein|meine|wir|er|sie|es|das|der|die)\b)"
    r"|,\s+(?=(?:remember|i|i'm|i've|my|he|she|it|it's|they|we|this|that's|which|who|where|when|you|ich|mein|meine|er|es|wir|was|wo|die ich)\b)",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"(?:^|,?\s+)(since|as of|as from|starting|starting from|effective|beginning|from|seit|ab)\s+(?=\S)",
    re.IGNORECASE,
)
_FROM_NOW = re.compile(
    r"(?:^|,?\s+)(?:from now on(?:wards)?|as of (?:now|today)|starting (?:now|today)|effective immediately|from today(?: on)?|going forward|henceforth"
    r"|ab (?:jetzt|sofort|heute)|von (?:jetzt|nun|heute) an|künftig|in zukunft)(?=[\s,.:;!]|$)[,:]?\s*",
    re.IGNORECASE,
)
_ONWARDS = re.compile(r"^\s*(?:(?:on|onwards?|an)\b)?[,:]?\s*", re.IGNORECASE)
# "from 3 May to 5 May" begins nothing
_SPAN = re.compile(r"(?:to|until|till|through|bis|auf|nach)\b", re.IGNORECASE)
_DATE_WORDS = 5


class Statement(NamedTuple):
    """One clause of what was said."""

    quote: str  # its sentence, verbatim
    text: str  # the clause, without openers
    since: str = ""  # ISO date from which it holds, where the words say so
    stressed: bool = False  # asked to be remembered
    onwards: bool = False  # "from now on"


def statements(text: str, said: str) -> Iterator[Statement]:
    """The statements of a turn, in order; questions are none.

    Args:
        text: what was said.
        said: ISO date of the turn, "" when unknown.
    """
    for sentence in sentences(_own_words(text)):
        if len(sentence) <= LONGEST and not (asks(sentence) and not remembered(sentence)):
            yield from _of_sentence(sentence, said)


def _own_words(text: str) -> str:
    for pasted in (_FENCED, _PASTED, _QUOTED_LINE):
        text = pasted.sub("\n", text)
    return text


def _of_sentence(sentence: str, said: str) -> Iterator[Statement]:
    plain = sentence.replace("’", "'").replace("*", "").replace("`", "")
    plain = " ".join(_QUOTATION.sub(" … ", plain).split())
    stressed, begun = False, ""
    for part in _BREAK.split(plain):
        clause = _opened(part)
        if behind := remembered(clause):
            stressed, clause = True, _opened(behind)
        clause, since, onwards = _since(clause, said)
        since = since or begun
        begun = "" if clause else since  # "Since March, my rent is …"
        if clause:
            yield Statement(sentence, _opened(clause), since, stressed, onwards)


def _opened(clause: str) -> str:
    clause = clause.strip(" \t,.!?:;…")
    while hit := _OPENER.match(clause):
        if not hit.end():
            break
        clause = clause[hit.end() :].lstrip(" \t,!:;…")
    return clause


def _since(clause: str, said: str) -> tuple[str, str, bool]:
    """The clause without the words that say since when it holds, the day, and whether it is from now on."""
    now = _FROM_NOW.search(clause)
    if now:
        rest = f"{clause[: now.start()]} {clause[now.end() :]}"
        return " ".join(rest.split()).strip(" ,"), said, True
    for hit in _SINCE.finditer(clause):
        words = clause[hit.end() :].split()
        for count in range(min(_DATE_WORDS, len(words)), 0, -1):
            day = since_date(hit[1], " ".join(words[:count]).strip(" ,.:"), said)
            if day:
                rest = _ONWARDS.sub("", " ".join(words[count:]))
                if _SPAN.match(rest):
                    break
                return f"{clause[: hit.start()]} {rest}".strip(" ,"), day, False
    return clause, "", False
