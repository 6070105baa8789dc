"""The sentences that state a fact, as a table of patterns: who, which field, which value. English and German.

A pattern covers a whole clause from its first word, so that words in passing state nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Rule(NamedTuple):
    """One form of sentence. Its groups: `who` (none: the speaker), `field` or a fixed one, `value`."""

    pattern: re.Pattern[str]
    cues: tuple[str, ...]  # the clause holds one of these, in lower case
    field: str = ""
    kind: str = ""  # of the value, where the field is fixed
    who: str = "name"  # me | name | here (what the talk is about) | you
    swapped: bool = False  # `who` is the value, and the value is what it is about: "Ana leads the project"


_WHO = r"(?P<who>[^\s,;:!?]+(?: [^\s,;:!?]+){0,4}?)"
_FIELD = r"(?P<field>[\w'-]+(?: [\w'-]+){0,3}?)"
_VALUE = r"(?P<value>\S.*)"
_IS = (
    r"(?: has now| has| have| was| is| got| now| just)?(?:'s been| been)?"
    r" (?:moved|changed|shifted|pushed|pushed back|postponed|brought forward|extended|set|updated|rescheduled|switched|increased|raised|reduced|lowered|cut)"
    r"(?: back| forward| out)?(?: from (?:(?! to ).)+?)? (?:to|until|for) "
    r"|(?:'s| is| are| will be| falls| remains| stays| becomes)(?: now| currently| actually| still| officially| going to be)?(?P<on> on| at| due)? "
    r"| = |: "
)
_IST = r"(?: ist| sind| lautet:?| heißt| bleibt| wird| fällt| liegt)(?: jetzt| nun| aktuell| weiterhin| ab jetzt)?(?P<on> auf| am| bei)? |: "
_NOW = r"(?: now| currently| still| actually| also| both| just| really)?"
_MEI = r"mein(?:e|en|em|er|es)?"


def _rule(pattern: str, *cues: str, **how: str | bool) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), cues, **how)  # type: ignore[arg-type]


# Whose field is what: the order decides, the surest form first.
OWNED = (
    _rule(rf"my {_FIELD}(?:{_IS}){_VALUE}", "my ", who="me"),
    _rule(rf"(?:the |our )?{_FIELD} (?:of|for) (?:the |our |my )?{_WHO}(?:{_IS}){_VALUE}", " of ", " for "),
    _rule(rf"(?:the |our )?{_WHO}(?:'s|(?<=s)') {_FIELD}(?:{_IS}){_VALUE}", "'s ", "s' "),
    _rule(rf"(?:the |our )?(?P<both>[^:;!?]+?)(?:{_IS}){_VALUE}", " is ", "ed to ", "ed until ", ": ", " = "),
    _rule(
        rf"(?:we|i|they)(?:'ve| have)?(?: just| now| agreed to| decided to)? (?:moved?|changed?|pushe?d?|shift(?:ed)?|postponed?|extend(?:ed)?|set)"
        rf" (?:the |our )?(?P<both>[^:;!?]+?)(?: from (?:(?! to ).)+?)? (?:to|until|for) {_VALUE}",
        "we ", "i ", "they ", "we've ", "i've ",
    ),
    _rule(rf"{_WHO}: (?:the |our )?{_FIELD}(?:{_IS}){_VALUE}", ": "),
    _rule(rf"{_WHO}: (?:the |our )?(?P<field>budget|price|rent|fee|deadline|due date|launch date|start date|end date|frist|miete|preis) (?P<value>\d.*)", ": "),
    _rule(
        r"(?:der|die|das) (?P<field>[\w-]+) (?:wurde|ist)(?: jetzt| nun)?(?: vom .+?| von .+?)? auf (?:den )?"
        r"(?P<value>\S.*?) (?:verschoben|verlegt|vorgezogen|verlängert|erhöht)(?: worden)?",
        "verschoben", "verlegt", "vorgezogen", "verlängert", "erhöht",
    ),
    _rule(rf"your {_FIELD}(?:{_IS}){_VALUE}", "your ", who="you"),
    _rule(rf"{_MEI} {_FIELD}(?:{_IST}){_VALUE}", "mein", who="me"),
    _rule(
        rf"(?:der|die|das) {_FIELD} (?:von|für|vom|des|der|fürs) (?:die |den |das |dem )?{_WHO}(?:{_IST}){_VALUE}",
        " von ", " für ", " des ", " der ", " vom ",
    ),
    _rule(
        rf"(?:der|die|das) {_FIELD} (?:von|für|vom|des|der|fürs) (?:die |den |das |dem )?{_WHO} (?:wurde|ist)(?: jetzt| nun)?(?: vom .+?| von .+?)? auf (?:den )?"
        r"(?P<value>\S.*?) (?:verschoben|verlegt|geändert|gelegt|vorgezogen|verlängert|erhöht)(?: worden)?",
        "verschoben", "verlegt", "geändert", "gelegt", "vorgezogen", "verlängert", "erhöht",
    ),
    _rule(
        rf"wir haben (?:den |die |das ){_FIELD} (?:von|für|vom|fürs|des|der) (?:die |den |das |dem )?{_WHO} auf (?:den |die |das )?"
        r"(?P<value>\S.*?) (?:verschoben|verlegt|geändert|gelegt|vorgezogen|verlängert|erhöht)",
        "wir haben",
    ),
    _rule(rf"{_MEI} {_FIELD} {_VALUE} (?:ist|sind|lautet)", "mein", who="me"),
    _rule(rf"(?P<who>[^\W\d_][\w.-]*?(?: [^\W\d_][\w.-]*?)?)(?:s|') {_FIELD}(?:{_IST}){_VALUE}", " ist ", " lautet ", "liegt", "fällt", " sind ", ": "),
)  # fmt: skip

_KIN = "wife|husband|boyfriend|girlfriend|fiancée?|partner|son|daughter|brother|sister|dog|puppy|cat|kitten|best friend|roommate"
_I = r"i(?:'m| am)"
_HAVE = r"i(?:'ve| have)?"
SPOKEN = (
    _rule(rf"i{_NOW} (?:live|reside) (?:in|near) {_VALUE}", "i ", field="lives in", kind="place", who="me"),
    _rule(rf"{_I}{_NOW} (?:living|based|residing) in {_VALUE}", "in ", field="lives in", kind="place", who="me"),
    _rule(rf"{_HAVE}(?: just| recently| finally)? moved (?:back )?to {_VALUE}", "moved", field="lives in", kind="place", who="me"),
    _rule(rf"i(?:'ve| have)(?: always)? (?:lived|been living) in {_VALUE}", "live", "living", field="lives in", kind="place", who="me"),
    _rule(rf"i{_NOW} work (?:at|for) {_VALUE}", "work", field="works at", kind="employer", who="me"),
    _rule(rf"(?:{_I}{_NOW}|i(?:'ve| have) been) working (?:at|for) {_VALUE}", "working", field="works at", kind="employer", who="me"),
    _rule(rf"{_HAVE}(?: just| finally| recently)? (?:started working (?:at|for)|got (?:a|the) job (?:at|with)) {_VALUE}", "working", "job", field="works at", kind="employer", who="me"),
    _rule(rf"i{_NOW} play (?P<value>(?:the )?(?:piano|violin|viola|cello|guitar|bass|drums|clarinet|flute|saxophone|trumpet|trombone|tuba|harp|organ|ukulele|banjo|accordion|tennis|chess|golf|handball|basketball|football|soccer|rugby|cricket|volleyball|badminton|hockey))(?: .*)?", "play", field="plays", kind="any", who="me"),
    _rule(rf"i{_NOW} collect {_VALUE}", "collect", field="collects", kind="taste", who="me"),
    _rule(rf"i{_NOW} (?P<value>single|married|engaged|divorced|widowed|retired)", "i'm", "i am", field="status", kind="any", who="me"),
    _rule(rf"i{_NOW} work as {_VALUE}", "work as", field="works as", kind="title", who="me"),
    _rule(rf"{_I}{_NOW} (?P<value>an? \S.*)", "m a", field="works as", kind="profession", who="me"),
    _rule(rf"i was born on {_VALUE}", "born", field="birthday", kind="day", who="me"),
    _rule(rf"i was born(?: and raised)? in {_VALUE}", "born", field="birthplace", kind="place", who="me"),
    _rule(rf"{_I}(?: originally)? from {_VALUE}", "from", field="from", kind="place", who="me"),
    _rule(rf"{_I}{_NOW}(?: \w+ly| very)? allergic to {_VALUE}", "allergic", field="allergy", kind="taste", who="me"),
    _rule(r"i have an? (?:severe |serious |bad |mild |strong )?(?P<value>(?:\w+ ){1,2})allergy(?:(?:,| so| and) .*)?", "allergy", field="allergy", kind="taste", who="me"),
    _rule(rf"{_I}{_NOW}(?: an?| strictly)? (?P<value>vegan|vegetarian|pescatarian|gluten[- ]free|lactose[- ]intolerant|teetotal)", "m", field="diet", kind="text", who="me"),
    _rule(r"i don't (?P<value>drink alcohol|eat (?:meat|pork|fish|gluten|dairy|sugar))", "don't", field="diet", kind="never", who="me"),
    _rule(rf"(?:you can |you may |everyone can |please |just )*call me {_VALUE}", "call me", field="called", kind="person", who="me"),
    _rule(rf"i{_NOW} speak (?:fluent |some )?{_VALUE}", "speak", field="languages", kind="place", who="me"),
    _rule(rf"i{_NOW} use {_VALUE}", "use", field="uses", kind="product", who="me"),
    _rule(rf"i(?:'d)?{_NOW} (?:much |strongly )?prefer {_VALUE}", "prefer", field="prefers", kind="choice", who="me"),
    _rule(rf"i{_NOW} (?:like|love|enjoy|adore) {_VALUE}", "like", "love", "enjoy", "adore", field="likes", kind="taste", who="me"),
    _rule(rf"{_I}{_NOW} (?:fond of|a (?:big |huge )?fan of|into|keen on) {_VALUE}", "fond of", "fan of", "into", "keen on", field="likes", kind="taste", who="me"),
    _rule(rf"i{_NOW} (?:hate|dislike|detest|despise|can't stand|cannot stand|don't (?:really )?like|do not like) {_VALUE}", "hate", "like", "detest", "despise", "stand", field="dislikes", kind="taste", who="me"),
    _rule(rf"(?:i have|i've got|we have|we've got|i got|we got) (?:an?|two|three|one) (?:\w+ ){{0,2}}?(?P<field>{_KIN}),? (?:named|called|whose name is) {_VALUE}", "named", "called", "name is", kind="person", who="me"),
    _rule(rf"my (?P<field>{_KIN}|mother|father|mom|dad|boss|manager|doctor|dentist)'s name is {_VALUE}", "name is", kind="person", who="me"),
    _rule(rf"{_I}{_NOW} (?:so |really |very |pretty |feeling |a bit )*(?P<value>tired|sick|ill|exhausted|hungry|busy|stressed|swamped)(?: .*)?", "m", field="feels", kind="state", who="me"),
    _rule(rf"ich (?:wohne|lebe)(?: jetzt| nun| seit kurzem)? in {_VALUE}", "ich ", field="lives in", kind="place", who="me"),
    _rule(rf"(?:jetzt |nun )?(?:wohne|lebe) ich in {_VALUE}", "ich ", field="lives in", kind="place", who="me"),
    _rule(r"ich bin(?: \w+)? nach (?P<value>.+) (?:gezogen|umgezogen)", "gezogen", field="lives in", kind="place", who="me"),
    _rule(rf"ich arbeite(?: jetzt| nun)? (?:bei|für) {_VALUE}", "arbeite", field="works at", kind="employer", who="me"),
    _rule(rf"ich (?:arbeite als|bin von beruf) {_VALUE}", "arbeite als", "von beruf", field="works as", kind="name", who="me"),
    _rule(rf"ich heiße {_VALUE}", "heiße", field="name", kind="person", who="me"),
    _rule(rf"(?:bitte )?(?:nenn|nennt|nennen sie) mich(?: bitte)? {_VALUE}", "mich", field="called", kind="person", who="me"),
    _rule(rf"ich (?:komme|stamme)(?: ursprünglich)? aus {_VALUE}", "ich ", field="from", kind="place", who="me"),
    _rule(rf"ich bin(?: \w+)? allergisch (?:gegen|auf) {_VALUE}", "allergisch", field="allergy", kind="taste", who="me"),
    _rule(r"ich habe eine (?P<value>\w+?)-?allergie", "allergie", field="allergy", kind="text", who="me"),
    _rule(r"ich bin (?P<value>veganer(?:in)?|vegetarier(?:in)?|vegan|vegetarisch)", "ich bin", field="diet", kind="text", who="me"),
    _rule(rf"ich spreche(?: fließend)? {_VALUE}", "spreche", field="languages", kind="place", who="me"),
    _rule(r"ich (?:bin|wurde) am (?P<value>.+) geboren", "geboren", field="birthday", kind="day", who="me"),
    _rule(r"ich habe am (?P<value>.+) geburtstag", "geburtstag", field="birthday", kind="day", who="me"),
    _rule(r"ich (?:esse|trinke) (?P<value>kein(?:e|en)? [\w-]+(?: [\w-]+)?)", "kein", field="diet", kind="any", who="me"),
    _rule(r"ich mag kein(?:e|en)? (?P<value>\S.*)", "kein", field="dislikes", kind="taste", who="me"),
    _rule(r"ich (?:mag|liebe) (?P<value>\S.*?) (?:nicht|überhaupt nicht)", "nicht", field="dislikes", kind="taste", who="me"),
    _rule(rf"ich (?:hasse|verabscheue) {_VALUE}", "hasse", "verabscheue", field="dislikes", kind="taste", who="me"),
    _rule(rf"ich (?:mag|liebe) {_VALUE}", "mag", "liebe", field="likes", kind="taste", who="me"),
    _rule(rf"ich (?:bevorzuge|trinke lieber|esse lieber|nehme lieber) {_VALUE}", "bevorzuge", "lieber", field="prefers", kind="choice", who="me"),
)  # fmt: skip

NAMED = (
    _rule(rf"(?:.*\b)?my (?P<field>{_KIN}),? (?P<value>[^\W\d_][\w-]+)(?:'s)?(?:,? .*)?", "my ", kind="person", who="me"),
    _rule(rf".*(?:,| since| because| that| as| and| but) {_I}(?: \w+ly| very)? allergic to (?P<value>[\w-]+(?: (?:and |or )?[\w-]+)?)(?:,.*)?", "allergic", field="allergy", kind="taste", who="me"),
    _rule(rf"(?P<value>\w+(?: \w+)?)(?: is|'s) my (?P<field>{_KIN})(?:,? .*)?", " my ", kind="person", who="me"),
)  # fmt: skip

_OTHER = rf"{_WHO}{_NOW}"
OF_OTHERS = (
    _rule(rf"{_OTHER} (?:lives|resides) in {_VALUE}", "lives in", "resides in", field="lives in", kind="place"),
    _rule(rf"{_OTHER}(?: has)? moved to {_VALUE}", "moved to", field="lives in", kind="place"),
    _rule(rf"{_OTHER} works (?:at|for) {_VALUE}", "works at", "works for", field="works at", kind="employer"),
    _rule(rf"{_OTHER} works as {_VALUE}", "works as", field="works as", kind="title"),
    _rule(rf"{_WHO} was born on {_VALUE}", "born on", field="birthday", kind="day"),
    _rule(rf"{_WHO} was born in {_VALUE}", "born in", field="birthplace", kind="place"),
    _rule(rf"{_WHO}(?: is|'s)(?: \w+ly| very)? allergic to {_VALUE}", "allergic", field="allergy", kind="taste"),
    _rule(rf"{_WHO}(?: is|'s)(?: now)?(?: an?| strictly)? (?P<value>vegan|vegetarian|pescatarian|gluten[- ]free|lactose[- ]intolerant)", "veg", "pesc", "gluten", "lactose", field="diet", kind="text"),
    _rule(rf"{_OTHER} (?:likes|loves|enjoys|adores) {_VALUE}", "likes", "loves", "enjoys", "adores", field="likes", kind="taste"),
    _rule(rf"{_OTHER} (?:hates|dislikes|can't stand|doesn't like|does not like) {_VALUE}", "hates", "like", "stand", field="dislikes", kind="taste"),
    _rule(rf"{_OTHER} prefers {_VALUE}", "prefers", field="prefers", kind="choice"),
    _rule(rf"{_OTHER} speaks {_VALUE}", "speaks", field="languages", kind="place"),
    _rule(rf"{_WHO}(?: is|'s)(?: now)? due (?:on |by )?{_VALUE}", "due", field="deadline", kind="date"),
    _rule(rf"{_OTHER} (?:leads|runs|takes over|took over|will lead|is leading) (?:the )?{_VALUE}", "lead", "runs", "takes over", "took over", field="lead", kind="known", swapped=True),
    _rule(rf"{_WHO}(?: is|'s)(?: now)? (?:the |our )?(?P<field>[\w-]+(?: [\w-]+)?) (?:of|for|on) (?:the )?{_VALUE}", " of ", " for ", " on ", kind="known", swapped=True),
    _rule(rf"{_WHO} (?:wohnt|lebt)(?: jetzt)? in {_VALUE}", "wohnt", "lebt", field="lives in", kind="place"),
    _rule(rf"{_WHO} arbeitet(?: jetzt)? (?:bei|für) {_VALUE}", "arbeitet", field="works at", kind="employer"),
    _rule(rf"{_WHO} ist allergisch (?:gegen|auf) {_VALUE}", "allergisch", field="allergy", kind="taste"),
    _rule(rf"{_WHO} (?:leitet|übernimmt)(?: jetzt)? (?:das |die |den )?{_VALUE}", "leitet", "übernimmt", field="lead", kind="known", swapped=True),
    _rule(rf"{_WHO}(?: is|'s| ist|:) (?P<value>\S*(?:@|\d|www\.|https?:)\S*)(?: .*)?", "@", ":", "0", "1", "2", "3", "4", "www", field="contact", kind="contact"),
)  # fmt: skip

_VERBS = (
    "use|send|call|write|put|keep|answer|reply|ask|start|stop|speak|talk|show|book|order|remind|tell|give|make|add|save|check|include|format|round|avoid"
    "|leave|address|mention|cc|copy|do|let|store|name|file|schedule|choose|pick|prefer|assume|treat|respond|print|buy|round|never|always|only|don't|do not"
)
WISHES = (
    _rule(rf"(?:please )?(?P<value>(?:{_VERBS}) \S.*)", "", field="from now on", kind="order", who="me"),
    _rule(r"(?P<value>(?:bitte|nur|kein|keine|immer|nie|schreib|schick|nutze|nimm|verwende|antworte|sprich)\S* \S.*)", "", field="from now on", kind="order", who="me"),
    _rule(rf"i want you to (?P<value>(?:{_VERBS}) \S.*)", "you to", field="from now on", kind="order", who="me"),
)  # fmt: skip
_HABIT_VERBS = (
    "use|send|call|write|put|answer|reply|ask|book|order|remind|add|save|check|include|format|round|avoid|address|cc|copy|store|name|file"
    "|schedule|respond|print|buy"
)
HABITS = (
    _rule(rf"(?:please )?always (?P<value>(?:{_HABIT_VERBS}) \S.*)", "always", field="always", kind="order", who="me"),
    _rule(rf"(?:please )?never (?P<value>(?:{_HABIT_VERBS}) \S.*)", "never", field="never", kind="order", who="me"),
)  # fmt: skip
