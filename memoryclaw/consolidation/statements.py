"""A turn → the statements in it: clause by clause, without openers and quotations, with how firmly and since when they hold.

What is pasted or quoted was not said by the speaker, and is passed over; what may be is marked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from memoryclaw.consolidation.changes import Segment
from memoryclaw.consolidation.fact_values import noun_of, since_date
from memoryclaw.consolidation.tool_calls import read_call
from memoryclaw.model import Turn
from memoryclaw.text import words as lists
from memoryclaw.text.language import IRREGULAR, WORD, fold, pairs
from memoryclaw.text.sentences import SMALL, plain, sentences

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
_HEADINGS = frozenset(lists.lines("consolidation.not_a_speaker"))
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
    starts = (hit.start() for hit in lines if several or _OF_ONESELF.search(hit["words"]))
    return min(starts, default=len(text))


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


# How firmly and for how long a sentence states something: questions, suppositions, doubts, denials, and what is true
# for the moment only.

_SUPPOSES = re.compile(
    r"\b(?:if|unless|would|i'd|you'd|he'd|she'd|we'd|they'd|wouldn't|could|couldn't|might|may be|should|shouldn't|suppose|supposing|imagine"
    r"|pretend|what if|whether|let's say|wish|falls|wenn|würdest?|würden?|könnten?|sollten?|wäre|hätte|ob|angenommen|stell dir vor)\b",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:i think|i guess|i suppose|i believe|i assume|i suspect|i hope|hopefully|maybe|perhaps|probably|possibly|apparently|supposedly|allegedly"
    r"|reportedly|presumably|seems?|seemed|sounds? like|looks? like|as far as i know|afaik|if i (?:remember|recall)|not sure|unsure|no idea"
    r"|i heard|rumou?r|kidding|joking|just a joke|nur spaß|nur ein scherz|kind of|kinda|sort of|sorta|roughly|likely|ich glaube|glaube ich|ich denke|denke ich|ich vermute|ich hoffe|hoffentlich"
    r"|vielleicht|wahrscheinlich|vermutlich|möglicherweise|angeblich|anscheinend|offenbar|wohl|soweit ich weiß|nicht sicher|eventuell|scheint"
    r"|soll wohl|ungefähr)\b",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"\b(?!i\b|ich\b)[^\W\d_]+(?:'s)?,? (?:said|says|told|tells|claims?|claimed|mentioned|mentions|thinks|believes|wrote|writes|texted|announced"
    r"|sagte|sagt|meinte|meint|erzählte|erzählt|behauptet|behauptete|schrieb|schreibt|glaubt|denkt)\b"
    r"|\b(?:according to|laut) ",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|no longer|neither|nor|none|isn't|aren't|wasn't|weren't|won't|don't|doesn't|didn't|hasn't|haven't|can't|cannot|ain't|nicht"
    r"|kein|keine|keinen|keinem|keiner|nie|niemals|used to|früher|formerly|ehemalig\w*)\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"\b(?:right now|at the moment|for now|for the moment|today|tonight|this (?:morning|afternoon|evening|week|weekend|time)|just now|momentarily"
    r"|temporarily|for (?:a|the next) (?:bit|while|few|couple)|for the (?:day|weekend|week|night)|gerade|im moment|momentan|zurzeit|derzeit|heute"
    r"|vorläufig|vorübergehend|diese woche|so far)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:no|nope|nah|sorry|correction|corrected|actually|wait|oops|whoops|my mistake|my bad|i meant|i mean|it's now|it is now|it’s now|still|rather|instead|not"
    r"|wrong|nein|doch|entschuldigung|quatsch|korrektur|ich meinte|ich meine|vielmehr|eigentlich|nicht|falsch|es ist jetzt)\b",
    re.IGNORECASE,
)
_JESTS = re.compile(
    r"\b(?:kidding|joking|just a joke|scratch that|strike that|(?:ignore|forget) (?:that|it|what i said)|i take (?:that|it) back|vergiss das|nur spaß|war (?:ein )?(?:scherz|spaß))\b",
    re.IGNORECASE,
)
_LAUGH = (
    r"(?:(?<!\w)(?:lol+|lmf?ao+|rofl|(?-i:jk|JK(?! [A-Z]))|j/k|b?(?:ha){2,}h?|(?:he){2,}|(?:hi){2,}|(?:hö){2,})(?!\w)"
    r"|(?<!\S)(?:/[sj]|:-?p|(?-i:x[dD]))(?![\w/])|;-?\)|[😂🤣😆😉😜😝🙃])"
)
_LAUGHS = re.compile(_LAUGH, re.IGNORECASE)
_LAUGHS_AT_ONCE = re.compile(rf"\W*?{_LAUGH}", re.IGNORECASE)
_REMEMBER = re.compile(
    r"^(?:(?:please|and|also|ok|okay|just|bitte|und|can you|could you|kannst du)[, ]+)*"
    r"(?:(?:remember|note|keep in mind|bear in mind|don't forget|do not forget|make a note|take note|for the record|fyi|for your information"
    r"|just so you know|note to self|save this|merk(?:e)? dir|vergiss nicht|denk dran|notier(?:e)?|nur damit du es weißt|zur info)"
    r"(?:[,:]? (?:that|this|dass|bitte))*[,:]?\s+)(?!when\b|how\b|the time\b|to\b|als\b|wie\b|zu\b)",
    re.IGNORECASE,
)


def asks(sentence: str) -> bool:
    """True for a question: it states nothing."""
    return sentence.rstrip("\"'”’») ").endswith(("?", "？"))


def supposes(words: str) -> bool:
    """True for what is wished or only supposed: it states nothing either."""
    return _SUPPOSES.search(words) is not None


def is_doubtful(words: str) -> bool:
    """True for what is said with a hedge, or told of others' words."""
    return _DOUBTS.search(words) is not None or _REPORTS.search(words) is not None


def denies(words: str) -> bool:
    """True for what is said not to be so, or not any more."""
    return _DENIES.search(words) is not None


def is_momentary(words: str) -> bool:
    """True for what holds for the moment only."""
    return _MOMENT.search(words) is not None


def corrects(words: str) -> bool:
    """True for words that may replace what was said before."""
    return _CORRECTS.search(words) is not None


def jests(words: str) -> bool:
    """True for words that take back what was said before."""
    return _JESTS.search(words) is not None


def laughs(words: str) -> bool:
    """True for words with a laugh or a wink among them: what they say may be a joke."""
    return _LAUGHS.search(words) is not None


def without_laughs(words: str) -> str:
    """The words without what only laughs or winks."""
    return _LAUGHS.sub("", words)


def laughs_at_once(words: str) -> bool:
    """True for words that begin with a laugh or a wink: what was said before them may be a joke."""
    return _LAUGHS_AT_ONCE.match(words) is not None


def believed(confidence: str, role: str) -> str:
    """How much a statement counts: "high" is for persons alone."""
    return "medium" if role != "user" and confidence == "high" else confidence


def without_moment(words: str) -> str:
    """The words without those that say that they hold for the moment only."""
    return " ".join(_MOMENT.sub(" ", words).split())


def remembered(sentence: str) -> str:
    """What stands behind "remember that"; "" where nothing is asked to be remembered."""
    hit = _REMEMBER.match(sentence)
    return sentence[hit.end() :] if hit else ""


# Sentences that are never left out: what a wrong memory would harm most.

_DATE = r"""(?:\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,4}[./:-]\d{1,2}\b|\b\d{1,2}\.(?=\s|$)|\b(?:19|20)\d\d\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|
    \b(?:mon|diens|donners|frei|sams|sonn)tag|\bmittwoch|\bsonnabend|\btomorrow|\bmorgen\b|\bnext\s(?:week|month|year)|
    \b(?:jan|feb|mar|mär|apr|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]*\b|\bma[iy]\s\d|\d\.?\sma[iy]\b)"""
_ALWAYS_KEPT = re.compile(
    rf"""\b(?:\w*allerg|anaphyla|deadline|abgabetermin|stichtag|\w*frist(?:en)?\b|fällig|due\b(?!\sto\b))|
    \b(?:until|till|by|before|bis|vor\sdem)\s(?:\w+\s){{0,2}}?{_DATE}|
    \b(?:birthday|\w*geburtstag|born\son|geboren\sam)""",
    re.IGNORECASE | re.VERBOSE,
)
_DATED = re.compile(_DATE, re.IGNORECASE | re.VERBOSE)
_CHANGED = re.compile(
    r"\b(?:changed|moved|shifted|postponed|rescheduled|delayed|brought forward|pushed|cancel+ed|verschoben|verlegt|geändert|vorgezogen|abgesagt|verschiebt)\b",
    re.IGNORECASE,
)
# A word, and what has to stand behind it on its line: in two, for a pattern of both looks for the second behind every first.
_REACH = tuple(
    (re.compile(word, re.IGNORECASE), re.compile(behind))
    for word, behind in (
        (
            r"\b(?:phone|mobile|cell|number|call|telefon\w*|handy\w*|mobil\w*|tel|\w*nummer)\b",
            r"\d(?:[\s()/+-]?\d){3}",
        ),
        (r"\b(?:e-?mail|mail)\w*\b", r"\S@\S"),
        (r"\b(?:address|\w*adresse|anschrift|postcode|zip code|plz)\b", r"\d"),
        (r"\S(?=@[\w-]+\.\w)", "@"),
    )
)
_CORRECTION = re.compile(
    r"\b(?:sorry|correction|actually|scratch that|i meant|my mistake|my bad|instead|kidding|korrektur|korrigiere|doch|sondern|entschuldigung|vertan|verschrieben|eigentlich)\b|^\W*(?:no|nein|nee|oh)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")


def is_kept(text: str) -> bool:
    """True for a sentence that is kept whatever it weighs; questions are not, the answer says it."""
    if text.endswith(("?", "？")):
        return False
    if _ALWAYS_KEPT.search(text) or _tells_how_to_reach(text):
        return True
    dated = _DATED.search(text) is not None
    return (dated and _CHANGED.search(text) is not None) or (
        (dated or _NUMBER.search(text) is not None) and _CORRECTION.search(text) is not None
    )


def _tells_how_to_reach(text: str) -> bool:
    return any(
        behind.search(line, hit.end())
        for line in text.split("\n")
        for word, behind in _REACH
        if (hit := word.search(line))
    )


# What says nothing worth keeping: greetings, thanks, yeses, heartbeats, bare tool calls; in English, German, French and
# Spanish.

_PERSONS = frozenset({"user", "human"})
_SILENT = re.compile(r"\W*(?:HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)\W*")
_PROMPT = re.compile(r"HEARTBEAT(?:\.md|_OK)|\bheartbeat poll\b|\A\W*heartbeat\W*\Z", re.IGNORECASE)
# Placeholders for what is no text, and our own marks.
_PLACEHOLDER = re.compile(
    r"\[(?:image|audio|video|file|document|private|recalled memory)\]|\[REDACTED:[^\[\]]*\]"
)
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


def nothing_in(segment: Segment) -> str:
    """One sentence why a segment yields no episode; empty when it holds something."""
    if not any(turn.role or turn.name for turn in segment.turns):
        return "no line says who spoke" if segment.turns else "nothing was said"
    said = [turn for turn in segment.turns if turn.role != "tool"]
    spoken = [turn for turn in said if _spoken(turn.text)]
    if not spoken:
        return (
            "tool calls without a word of a person" if len(said) < len(segment.turns) else "nothing was said"
        )
    if all(is_heartbeat(turn) for turn in spoken):
        return "heartbeats only"
    left = [turn for turn in spoken if not is_heartbeat(turn) and turn.role != "system"]
    if not left:
        return "only notes of the system"
    names = frozenset(word for turn in segment.turns for word in _words(turn.name))
    if any(not is_filler(turn.text, names) for turn in left):
        return ""
    acted = len(said) < len(segment.turns) and any(turn.role in _PERSONS for turn in left)
    return "" if acted and _acts(segment.turns) else "only greetings and acknowledgements"


def is_heartbeat(turn: Turn) -> bool:
    """True for a host's regular question whether there is something to do, and for the answer that there is not."""
    if _SILENT.fullmatch(turn.text):
        return True
    if turn.role in ("assistant", ""):
        return "HEARTBEAT_OK" in turn.text and not turn.text.replace("HEARTBEAT_OK", "").strip(" \n.*`_")
    return _PROMPT.search(turn.text) is not None


def is_filler(text: str, names: Iterable[str] = ()) -> bool:
    """True for a text of nothing but greetings, thanks, yeses and the like.

    Args:
        text: what was said.
        names: folded words that only address somebody.
    """
    spoken = _spoken(text)
    found = _words(spoken)
    if len(found) > _MOST:
        return False
    known = frozenset(names)
    written = WORD.findall(spoken)
    at, hailed = 0, False
    while at < len(found):
        phrase = _phrase_at(found, at)
        step = phrase or int(found[at] in _WORDS or found[at] in known or (hailed and _is_name(written[at])))
        if not step:
            return False
        hailed = found[at] in (_HAILS if phrase else _GREETINGS)
        at += step
    return True


def _words(text: str) -> list[str]:
    return [fold(word).replace("'", "").replace("’", "") for word in WORD.findall(text)]


def _phrase_at(found: list[str], at: int) -> int:
    for phrase in _STARTS.get(found[at], ()):
        if tuple(found[at : at + len(phrase)]) == phrase:
            return len(phrase)
    return 0


def _is_name(written: str) -> bool:
    """A capitalised word right after a greeting is somebody's name: `Hi Pip`, `good night, Nora`."""
    return written[:1].isupper() and not written.isupper()


def _spoken(text: str) -> str:
    """The text without placeholders; empty when no letter or digit is left of it."""
    left = _PLACEHOLDER.sub(" ", text).strip()
    return left if WORD.search(left) else ""


def _acts(turns: Iterable[Turn]) -> bool:
    """True when a tool did something, rather than look something up."""
    return any(turn.role == "tool" and (call := read_call(turn.text)) and not call.looks_up for turn in turns)


# Words and sentences of what was said: which words carry a subject, which language they are, and what is one word in
# other forms.

# Words that talk is full of and that tell no talk from another.
_NUMBER_WORDS = frozenset(lists.words("consolidation.number_words"))
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", ""))
_FIRST_UNSPACED = "\u0e00"  # Thai; the scripts written without spaces come after it
_LIGHT = frozenset(plain(word) for word in lists.words("consolidation.light"))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """What a folded word has in common with its other forms, for comparing only; it may be no word at all."""
    word = IRREGULAR.get(word, word)
    if len(word) < 4 or not word.isalpha():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and not word.endswith(("ss", "us", "is")):
            word = word[: -len(ending)] + instead
            break
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeous":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 4 else word


def terms(word: str) -> list[str]:
    """What a folded word counts as: its stem, or the pairs of characters of a script written without spaces."""
    return [stem(word)] if word.isascii() or max(word) < _FIRST_UNSPACED else pairs(word)


def words(text: str) -> list[str]:
    """The words of a text as they are compared, in order."""
    return [plain(word) for word in WORD.findall(text)]


def language_of(found: Iterable[str], default: str = "en") -> str:
    """The language whose small words stand most often among these; the default where that says nothing."""
    seen = Counter(found)
    counts = {code: sum(seen[word] for word in stop) for code, stop in SMALL.items()}
    best = max(counts, key=lambda code: (counts[code], code == default, code))
    return best if counts[best] else default


def stops(code: str) -> frozenset[str]:
    """The words of a language that carry no subject, folded; English where the language is not known here."""
    return SMALL.get(code, SMALL["en"])


def is_small(word: str) -> bool:
    """True for a folded word that carries no subject in one of the languages."""
    return any(word in stop for stop in SMALL.values())


def is_light(word: str) -> bool:
    """True for a folded word that every talk is full of."""
    return word in _LIGHT or len(word) < 2


def is_number(word: str) -> bool:
    """True for what counts or names by digits."""
    return word in _NUMBER_WORDS or any(map(str.isdigit, word))
