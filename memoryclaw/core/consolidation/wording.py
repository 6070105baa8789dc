"""Words and sentences of what was said: which words carry a subject, which language they are, and what is one word in other forms.

The rule: crude but sure, and without a list of stems; search has its own analysis, this one only compares words of one talk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from memoryclaw.core.language import IRREGULAR, WORD, fold, pairs

_STOPS = {
    "en": """a about above after again all also am an and any are as at be because been before being below between both but by
can could did do does doing done down during each else even ever every few for from further had has have having he her here hers
herself him himself his how i if in into is it its itself just let may me might mine more most much must my myself no nor not now
of off on once only onto or other our ours out over own per quite rather same shall she should since so some such than that the their theirs
them then there these they this those through till to too toward towards under until up upon us very via was we were what
whatever when where whether which while who whom whose why will with within without would yet you your yours yourself
im ive id ill youre youve youd youll hes shes theyre weve were thats whats theres dont doesnt didnt isnt arent wasnt werent cant
couldnt wont wouldnt shouldnt havent hasnt hadnt lets gonna wanna gotta cause cos cuz""",
    "de": """aber als also am an auch auf aus bei beim bin bis bist da dabei damit dann daran darauf das dass dein deine dem den denn der
des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure
für gegen gehabt gewesen habe haben habt hast hat hatte hätte hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja
jede jeden jeder jedes kann kein keine keinen können könnte man manche mehr mein meine meinem meinen meiner mich mir mit
muss müssen nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so sollte
soll sonst über um und uns unser unsere unter viel vom von vor wann war waren warum was weil wenn wer werden wie wieder wir wird wo
wollen wurde würde zu zum zur zwischen""",
    "fr": """à ai alors après as au aussi autre aux avec avoir avons avez c'est ça car ce cela ces cet cette chez comme dans de depuis
des donc du elle elles en encore entre est et était étaient être eu fait faire faut il ils j'ai je jusque la là le les leur leurs lui ma mais me même mes moi
mon ne ni nos notre nous on ont ou où par parce pas peu peut plus pour pourquoi puis qu'il quand que quel quelle qui quoi sa sans se sera ses si
son sont sous sur ta te tes toi ton toujours tous tout toute très tu un une va vais vers vos votre vous y""",
    "es": """a ahora al algo alguna alguno ante antes aquí así aún aunque bien cada como con contra cual cuando de del desde donde dos el él
ella ellas ellos en entre era eran eres es esa ese eso esos esta está están estar este esto estos estoy fue fueron ha había hace hacer han hasta hay he
la las le les lo los mas más me mi mí mis mucho muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero poco por porque puede que
qué quien se ser sea si sí sido sin sobre son soy su sus también tan tanto te tengo tener ti tiene todo todos tu tus un una uno unos usted va
voy y ya yo""",
}
# Words that talk is full of and that tell no talk from another.
_LIGHT_TEXT = """absolutely able actually agree agreed already alright always amazing anyone anything anyway anytime appreciate
awesome back bad beautiful believe best bet better big bit bring came care chance come coming cool couple course
crazy cute day days definitely different easy enjoy enjoying enough especially ever everyone everything exactly excited exciting
experience fact fantastic far feel feeling feels felt find finally fine first forward found fun get gets getting give glad go goes going
gone good got gotten great guess guy guys happen happened happening happy hard hear heard help hey hi hope hoping hello idea
important incredible inspiring interesting keep kind kinda know last lately later least left less life like liked likes little long look
looked looking looks lot lots love loved lovely loves loving made make makes making many maybe mean means moment myself need needed needs
never new next nice nobody nothing oh ok okay old one ones part people perfect perhaps place please pretty probably proud put
ready real really recently reminds right said saw say says see seem seems seen share sharing show small someone something sometimes somewhere
soon sorry sort sounds special stay still stuff suppose super support sure sweet take taken takes taking talk talking tell thank thanks thing
things think thinking thought time times today tomorrow together told tonight took totally tough tried true try trying understand
use used usually wait want wanted wants way well went whole wish wonderful wondering wont work working works world worry wow ya yay yeah
yep yes yesterday yup
bitte danke gut gute guten ganz gern gerne genau heute gestern morgen immer klar machen macht mal schön toll vielleicht wirklich wäre
bien bon bonne bonjour demain hier merci oui peut-être salut super vraiment voilà aujourd'hui
bueno buena gracias hola hoy mañana vale claro verdad siempre ayer"""
_NUMBER_WORDS = frozenset(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "dozen", "hundred", "thousand"])  # fmt: skip
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", ""))
# Abbreviations that end no sentence; those that do not before a number; those that do not before a small letter.
_ABBREVIATIONS_TEXT = """dr mr mrs ms mme sr sra prof st vs e.g i.e eg ie approx ca bzw bspw z.b d.h u.a p.s dept hr fr frau dipl ing evtl ggf
inkl exkl zzgl vgl sog geb mag rev gen col lt sgt capt hon mt ft str ave blvd rd u.s u.k"""
_ABBREVIATIONS = frozenset(_ABBREVIATIONS_TEXT.split())
_BEFORE_NUMBER_TEXT = """no nos nr nrn tel mob fax fon ph ext abs art kap fig vol ch sec pp min max mind apt bldg zi whg plz
jan feb mar apr jun jul aug sep sept oct okt nov dec dez rs par bd az"""
_BEFORE_NUMBER = frozenset(_BEFORE_NUMBER_TEXT.split())
_BEFORE_SMALL_TEXT = (
    "etc usw co inc ltd corp jr a.m p.m am pm uhr std min max mind mio mrd tsd abs art kap tel"
)
_BEFORE_SMALL = frozenset(_BEFORE_SMALL_TEXT.split())
_ORDINAL_AFTER_TEXT = "am der die das dem den des vom zum zur im ab bis seit und ins beim the"
_ORDINAL_AFTER = frozenset(_ORDINAL_AFTER_TEXT.split())
_DAY_MONTH = re.compile(r"\d{1,2}\.\d{1,2}")
_END = re.compile(r"""(?<=[.!?…])["'”’»)\]*_]*\s+(?=\S)|(?<=[。！？])["'”’」』）]*\s*|\n+""")
_LAST_WORD = re.compile(r"(?:^|\s)[\"'“‘(\[]*([^\W_][\w.]*)\.\s*$")
_FIRST_UNSPACED = "\u0e00"  # Thai; the scripts written without spaces come after it
_TAIL = 40  # characters before a dot that tell whether it ends a sentence
_MONTH = re.compile(r"(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)", re.IGNORECASE)


@lru_cache(maxsize=65536)
def plain(word: str) -> str:
    """A word as it is compared: folded, without apostrophe or possessive."""
    folded = fold(word).replace("’", "'")
    return (folded.removesuffix("'s") or folded).replace("'", "")


_STOP = {code: frozenset(plain(word) for word in text.split()) for code, text in _STOPS.items()}
_LIGHT = frozenset(plain(word) for word in _LIGHT_TEXT.split())


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
    counts = {code: sum(seen[word] for word in stop) for code, stop in _STOP.items()}
    best = max(counts, key=lambda code: (counts[code], code == default, code))
    return best if counts[best] else default


def stops(code: str) -> frozenset[str]:
    """The words of a language that carry no subject, folded; English where the language is not known here."""
    return _STOP.get(code, _STOP["en"])


def is_small(word: str) -> bool:
    """True for a folded word that carries no subject in one of the languages."""
    return any(word in stop for stop in _STOP.values())


def is_light(word: str) -> bool:
    """True for a folded word that every talk is full of."""
    return word in _LIGHT or len(word) < 2


def is_number(word: str) -> bool:
    """True for what counts or names by digits."""
    return word in _NUMBER_WORDS or any(map(str.isdigit, word))


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, each on one line; abbreviations end none."""
    found: list[str] = []
    at = 0
    for hit in (*_END.finditer(text), None):
        end = hit.start() if hit else len(text)
        if (
            hit
            and "\n" not in hit[0]
            and _goes_on(text[max(at, hit.start() - _TAIL) : hit.end()], text[hit.end() : hit.end() + _TAIL])
        ):
            continue
        piece = " ".join((text[at:end] + (hit[0].rstrip() if hit else "")).split())
        if piece:
            found.append(piece)
        at = hit.end() if hit else end
    return found


def _goes_on(before: str, after: str) -> bool:
    """True where the dot ended no sentence: `Dr. Rao`, `Tel. 0561`, `12. Mai`, `1. Milk`, `"Why?" she asked`."""
    if after[:1].islower() and before.rstrip()[-1] in "\"'”’»":
        return True
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    word = last[1].lower()
    if word[0].isdigit():
        return _is_ordinal(word, before, after)
    number, small = after[:1].isdigit() or after[:1] in "+(", after[:1].islower()
    return (
        word in _ABBREVIATIONS
        or (number and word in _BEFORE_NUMBER)
        or (small and word in _BEFORE_SMALL)
        or (len(word) == 1 and word != "i")
    )


def _is_ordinal(word: str, before: str, after: str) -> bool:
    """True where the dot belongs to a day: `12. Mai`, `27.11. Termin`; or to the number of an item in a list."""
    if word.isdigit():
        alone = before.strip() == f"{word}."
        if len(word) > 2 or alone or _MONTH.match(after):
            return len(word) < 3
        ordinal = before.split()[-2].lower() in _ORDINAL_AFTER and not _is_opener(after)
        return ordinal or after[:1].islower()
    return _DAY_MONTH.fullmatch(word) is not None and not _is_opener(after)


def _is_opener(after: str) -> bool:
    """True for a small word with a capital, which only begins a sentence: `Danach`, `The`."""
    first = WORD.match(after)
    return (
        first is not None
        and first[0][0].isupper()
        and any(plain(first[0]) in stop for stop in _STOP.values())
    )
