"""A turn → the statements in it: clause by clause, without openers and quotations, with how firmly and since when they hold.

The rule: what is pasted or quoted was not said by the speaker, and is passed over; what may be is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from memoryclaw.core.consolidation.durability import asks, laughs, laughs_at_once, remembered
from memoryclaw.core.consolidation.factfields import noun_of
from memoryclaw.core.consolidation.spokendates import since_date
from memoryclaw.core.consolidation.wording import sentences

LONGEST = 400  # characters of a sentence that is read; longer ones are lists or pasted text
_FENCED = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)")
_QUOTED_LINE = re.compile(r"(?m)^[ \t]*>.*$")
_PASTED = re.compile(
    r"(?ims)^[ \t]*(?:-{3,}\s*(?:original message|forwarded|weitergeleitet)|begin forwarded|(?:from|von|sender): \S).*"
)
# Each scan ends at the next mark of its kind, so that a text of nothing but marks takes no longer than any other.
_WHOLE_QUOTATION = re.compile(
    r"(?<!\w)\"[^\"]*+\"(?!\w)|“[^“”]*+”|„[^„“”]*+[“”]|«[^«»]*+»|»[^«»]*+«|(?<!\w)'(?:[^']|(?<=\w)'(?=\w))*+'(?!\w)"
)
_SEVERAL = re.compile(r"[.!?…]\s|\n")
_UNCLOSED = re.compile(r"(?ms)^[ \t]*(?:\"(?=[^\"]*+\Z)|[“„](?=[^“”„]*+\Z)|«(?=[^«»]*+\Z)).*")
_QUOTATION = re.compile(
    r"\"[^\"\n]*\s[^\"\n]*\s[^\"\n]*\"|“[^”\n]*\s[^”\n]*\s[^”\n]*”|„[^“”\n]*\s[^“”\n]*\s[^“”\n]*[“”]"
)
_WRITTEN = (
    r"(?:e-?mails?|mails?|messages?|letters?|texts?|notes?|memos?|transcripts?|articles?|posts?|paragraphs?|documents?|minutes|chats?|conversations?|threads?|replies|reply"
    r"|drafts?|templates?|bio|profile|cv|résumé|resume|story|quotes?|e-?mails?|nachrichte?n?|briefe?s?|artikel|notiz(?:en)?|protokolls?|entwurfs?|entwürfe|absatz|dokument)"
)
_ASKED = (
    r"(?:write(?!\s+(?:this |that |it )?down)|draft|translate|summari[sz]e|rephrase|rewrite|proofread|reply|answer|respond|paraphrase|polish|shorten|edit|compose|send|read"
    r"|paste|pasted|forward|forwarded|fwd|quote|schreib(?:e|en)?(?! dir)|verfasse?|übersetze?|formulier\w*|zusammenfass\w*|fasse?|korrigier\w*|antworte|weitergeleitet\w*|lies)"
)
_REWORK = r"(?:translate|summari[sz]e|rephrase|rewrite|proofread|paraphrase|polish|shorten|übersetze?n?|zusammenfassen|korrigiere?n?|umformulieren)"
_TELL = (
    r"(?:says?|said|writes?|wrote|texts?|texted|sent|replie[sd]|answered|posted|e?mailed|messaged|announced|told (?:me|us)"
    r"|sagte?|gesagt|schrieb|schreibt|geschrieben|schickte|geschickt|antwortete?|geantwortet|meinte?|mailte|gemailt)"
)
_CONTACT = r":?\s*(?:\S{1,100}@|[+(\d])"
# Behind these stand the words of somebody else, or words to be sent in some other name.
_OTHERS = re.compile(
    rf"\b(?:here(?:'s|’s|s| is| are| comes)|this is|below is|hier (?:ist|sind|kommt)|unten (?:ist|steht))\b(?! (?:my|meine?) (?:\w+ )?e?-?mail\b(?! from| von))"
    rf"[^.!?:\n]{{0,40}}\b{_WRITTEN}\b(?!\s+(?:address|adresse|is|ist)\b|{_CONTACT})"
    rf"|\b{_ASKED}\b[^:\n]{{0,120}}:(?!//|\d)|\b{_REWORK}\b[^.!?:\n]{{0,60}}[.!?]\s"
    rf"|(?:(?m:^)|[.!?,] |\b(?:please|you|to|bitte|du|mir)\s++)[ \t]*+{_ASKED}\b[^:\n]{{0,120}}\n"
    rf"|\b{_ASKED}\b[^.!?:\n]{{0,60}}\b{_WRITTEN}\b[^.!?:\n]{{0,60}}\b(?:from|by|of|von)\b"
    rf"|\b(?:the|a|an|this|that|his|her|their|got|following|der|die|das|diese\w?|eine?|folgende\w?|from|von|'s)\s+(?:[\w'-]+\s+)?{_WRITTEN}\b[^.!?:\n]{{0,60}}:(?!//|\d)(?!{_CONTACT})"
    rf"|\b(?:transcript|forwarded|fwd|subject|betreff|weitergeleitet|abschrift|protokoll)\b[^.!?:\n]{{0,40}}:"
    rf"|\b{_WRITTEN}\s+(?:from|by|von)\b[^.!?:\n]{{0,60}}(?::(?!//)|\n|\?|,[^.!?\n]{{0,400}}\?|\b{_ASKED}\b)"
    r"|:[ \t]*\n|:\s*[\"“„][^\"”“\n]{0,1000}[.!?]\s"
    r"|(?m:^[ \t]*<[^\W\d_][^<>@/\n]*>|^[ \t]*\[[^\]\n]{0,60}\b(?:forwarded|fwd|message|mail|quote|transcript|weitergeleitet|nachricht)\b[^\]\n]{0,80}\])"
    r"|(?m:^[ \t]*>.*\n(?=[ \t]*[^\s>]))"
    rf"|(?<!\bi )(?<!\bich )\b{_TELL}\b[^.!?:\n]{{0,40}}:(?!//|\d)"
    rf"|\b(?:what|was)\b[^.!?:\n]{{0,40}}\b{_TELL}\b[^.!?:\n]{{0,60}}\n"
    r"|(?m:^[ \t]*(?:re|aw|wg|fwd?|to|cc|subject|betreff|sent|gesendet)[ \t]*:[ \t]*\S[^\n]*\n)"
    r"|(?m:^[ \t]*(?:dear|liebe[r]?|sehr geehrte[r]?)\b[^.!?:\n]{0,40}[,!]?[ \t]*\n)"
    r"|(?<=\n)[ \t]*(?:hi|hello|hey|hallo|moin|servus|guten (?:tag|morgen|abend)|good (?:morning|afternoon|evening))[ ]\S[^.!?:,\n]{0,30}[,!]",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    rf"\b{_REWORK}\b[^.!?\n]{{0,40}}\b(?:above|oben|obige\w*)\b|\b(?:above|oben|obige\w*)\b[^.!?\n]{{0,40}}\b{_REWORK}\b",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"(?im)^[ \t]*(?:-- ?|(?:(?:kind|best|warm|many)(?:est)? (?:regards|wishes)|regards|best|sincerely(?: yours)?|yours(?: sincerely| truly| faithfully)?|cheers"
    r"|(?:mit )?(?:freundliche[nr]?|viele[n]?|liebe[n]?|beste[n]?|herzliche[n]?) gr(?:ü|ue)(?:ß|ss)en?\b.{0,20}|lg|vg|mfg)[,.!]?)[ \t]*\n[ \t]*\S"
)
_GREETED = re.compile(
    r"\s*(?:hi|hello|hey|dear|hallo|moin|servus|liebe[r]?|sehr geehrte[r]?|guten (?:tag|morgen|abend)|good (?:morning|afternoon|evening))\b[^.!?:\n]{0,40}[,!]",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    r"(?:[.!?]|^)\s*(?i:(?:kind |best |warm |many )?(?:regards|wishes)|best|cheers|sincerely|yours|love|(?:viele |liebe |beste |herzliche )?gr(?:ü|ue)(?:ß|ss)e|lg|vg|mfg)[,!.]?"
    r"\s+[^\W\d_a-zß-ÿ][\w.'-]*(?: [^\W\d_a-zß-ÿ][\w.'-]*){0,3}[.!]?\s*\Z"
)
_SAID_BY = re.compile(
    r"(?m)^[ \t]*(?:[\[(]?\d{1,2}[:.]\d\d[^\s\w]*\s+(?:[-–—] )?)?(?P<name>[^\W\d_a-zß-ÿ][\w.'-]*(?: [^\W\d_a-zß-ÿ][\w.'-]*){0,2})(?: ?[(\[][^)\]\n]*[)\]])?:[ \t]+(?P<words>\S.*)"
)
_OF_ONESELF = re.compile(r"\b(?:i|i'm|i’m|i've|i’ve|my|me|we|our|ich|mein\w*|wir|unser\w*)\b", re.IGNORECASE)
_ENDS = re.compile(r"[.!?…][\"'”)]*\s+|\n")
_KEPT = re.compile(r"\b(?:remember|don't forget|merk(?:e)? dir|vergiss nicht)\b", re.IGNORECASE)
_HABIT = re.compile(r"\W*(?:please |bitte )?(?:always|never|immer|nie)\b", re.IGNORECASE)
_HEADINGS = frozenset(
    ["fyi", "ps", "p.s", "p.s.", "info", "important", "wichtig", "fact", "new", "neu", "todo", "zur info"]
)
# "6k, not 5k" states 6k, and so does "not 5k but 6k"
_VALUE_LIKE = r"(?:the |in |on |at |by |am |im |den )?(?=[\d$€£+]|(?-i:[A-ZÄÖÜ])|\S+@)"
_NOT_THE_OTHER = re.compile(
    rf",?\s+(?:and not|not|nicht|instead of|rather than|statt|anstatt)\s+{_VALUE_LIKE}[^,;!?]{{1,40}}?(?=[.!]?$|,)",
    re.IGNORECASE,
)
_BUT = re.compile(
    rf"\s+(?:not|nicht)\s+[^,;!?]{{1,40}}?,?\s+(?:but|sondern)\s+(?={_VALUE_LIKE})", re.IGNORECASE
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
    foreign: bool = False  # behind a sign that words of others follow
    joking: bool = False  # with a laugh in its sentence, or right behind it


def statements(text: str, said: str) -> Iterator[Statement]:
    """The statements of a turn, in order; questions are none.

    Args:
        text: what was said.
        said: ISO date of the turn, "" when unknown.
    """
    text = _without_quotations(_PASTED.sub("\n", _FENCED.sub("\n", text)))
    at = others_begin(text)
    for part, foreign in ((text[:at], False), (text[at:], True)):
        found = sentences(_QUOTED_LINE.sub("\n", part))
        for sentence, following in zip_longest(found, found[1:], fillvalue=""):
            if len(sentence) <= LONGEST and not (asks(sentence) and not remembered(sentence)):
                joking = laughs(sentence) or laughs_at_once(following)
                for statement in _of_sentence(sentence, said):
                    yield statement._replace(foreign=foreign, joking=joking)


def _without_quotations(text: str) -> str:
    """The text without quotations of several sentences, which nobody says in passing, and without one that is never closed."""
    text = _WHOLE_QUOTATION.sub(lambda hit: "\n" if _SEVERAL.search(hit[0]) else hit[0], text)
    return _UNCLOSED.sub("\n", text).lstrip()


def others_begin(text: str) -> int:
    """Where the sentence begins from which on the words may be those of others: a mail, a transcript, something to be written; else the end."""
    letter = _GREETED.match(text) and _FAREWELL.search(text, max(0, len(text) - LONGEST))
    if letter or _SIGNED.search(text) or _ABOVE.search(text):
        return 0
    signs = (_sentence_at(text, hit) for hit in _OTHERS.finditer(text))
    return min(next((at for at in signs if at >= 0), len(text)), _dialogue(text))


def _sentence_at(text: str, hit: re.Match[str]) -> int:
    """Where the sentence of a sign begins; -1 where it asks to remember what follows, or tells how to write."""
    least = max(0, hit.start() - LONGEST)
    start = max((end.end() for end in _ENDS.finditer(text, least, hit.start())), default=least)
    words = text[start : hit.end()]
    kept = _KEPT.search(words) or _FROM_NOW.search(words) or _HABIT.match(words)
    return -1 if kept else start


def _dialogue(text: str) -> int:
    """Where lines begin that each name who says them: two such lines, or one that speaks of itself."""
    lines = [hit for hit in _SAID_BY.finditer(text) if not _is_heading(hit["name"])]
    several = len({hit["name"] for hit in lines if " " in hit["words"]}) > 1
    told = (hit.start() for hit in lines if several or _OF_ONESELF.search(hit["words"]))
    return min(told, default=len(text))


def _is_heading(name: str) -> bool:
    return name.lower() in _HEADINGS or noun_of(name) is not None or not _opened(f"{name}:")


def _of_sentence(sentence: str, said: str) -> Iterator[Statement]:
    plain = sentence.replace("’", "'").replace("*", "").replace("`", "")
    plain = " ".join(_QUOTATION.sub(" … ", plain).split())
    plain = _NOT_THE_OTHER.sub("", _BUT.sub(" ", plain))
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
