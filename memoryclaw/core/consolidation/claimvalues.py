"""The end of a sentence → the value it states: cut where the next thought begins, and kept only if it looks like one of its kind.

The rule: a value that could be a mere opinion, a pronoun or half a sentence is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from memoryclaw.core.consolidation.durability import without_laughs
from memoryclaw.core.consolidation.factfields import Noun
from memoryclaw.core.consolidation.plain import plain_value
from memoryclaw.core.consolidation.spokendates import date_value
from memoryclaw.core.dates import find_ranges
from memoryclaw.core.language import fold

LONGEST = 120
_MOST_WORDS = {
    "name": 5,
    "place": 6,
    "title": 8,
    "text": 12,
    "amount": 8,
    "taste": 9,
    "choice": 9,
    "order": 20,
}
_CUT = re.compile(
    r"(?:,?\s+(?:because|but|so|which|who|whom|where|when|while|although|though|since|as (?:it|i|we|he|she|they)|for (?:its|their|his|her|being)|thanks to|even|especially|to help"
    r"|and [\"'“„]?(?:i|i'm|i've|my|we|it|it's|he|she|they|that|this|the|now|then|want|love|am|have|had|was|is|has|found|finds|feels|felt|enjoys?|appreciates?|expresses|loves|likes|thinks|wants|uses|makes|gets|takes)|weil|aber|denn|obwohl|damit|nachdem|bevor|und (?:ich|wir|er|sie|es|das|mein|meine))\b"
    r"|\s+(?-i:now|jetzt|nun)\b|,\s+(?:i|i'm|it|it's|he|she|they|we|this|that|that's|the|my|our|your|what|there|there's|coming|especially|not|too|though|right|please|ok|okay|you know|ich|das|es|nicht|bitte|oder|was|die|der|so)\b"
    r"|\s*[(\[{…]|[!?]|\s+[–—-]{1,2}\s|:\s|\s*=>).*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,?\s+(?:now|too|as well|also|again|anyway|these days|though|already|by the way|btw|please|instead|currently|recently|for sure|of course|a lot|so much|very much"
    r"|the most|the best|more than anything|most of all|jetzt|auch|übrigens|bitte|sehr|wirklich|nun|after all|officially|offiziell|any ?more|any longer|thanks|thank you|every day|all the time))+$",
    re.IGNORECASE,
)
_COMMA = re.compile(r",\s+")
_AND = re.compile(r"(?:^|\s+)(?:and|or|und|oder|&)\s+", re.IGNORECASE)
_ITEM = 3  # words
_ITEM_BEGINS = frozenset({"some", "most", "more", "many", "new", "old", "big", "small"})
_MOMENTS = re.compile(
    r"(?:,?\s+(?:from|starting|as of|until|till|ab|bis|von)\s+(?:tomorrow|today|now|then|next|this|morgen|heute|jetzt|nächste\w*)\b"
    r"|,?\s+(?:next|nächste\w*)\s+(?:day|week|month|quarter|year|woche|monat|quartal|jahr)\b|,\s+(?:tomorrow|today|morgen|heute)\b).*",
    re.IGNORECASE,
)
_HANGING = re.compile(
    r"(?:\s+(?:like|such as|called|named|particularly|including|of|for|in|and|or|with|to|by|und|oder|mit))+$"
)
_EDGES = " \t\"'“”„‚‘’»«.,;:!?…*_()"
_EMOJI = re.compile("[\u2190-\u2bff\u3030\ufe0f\u200d\U0001f000-\U0001faff]")
# What begins no value: it points elsewhere, judges, or goes on with a sentence.
_NO_VALUE_TEXT = """it that this these those there here him her them they he she we you your yours me myself us i what who whom how when where why which whatever
one ones some something anything everything nothing someone everyone everybody anyone someone so such very really too just almost still always never
already also only even ever as like about than because if not no none more most much many less quite pretty super absolutely totally definitely
getting going coming being doing having about to be up in the same same ready done over off out fine ok okay good great nice amazing awesome
wonderful beautiful cool bad terrible hard tough easy important special fun crazy lovely perfect incredible inspiring exciting stressful different right
wrong true clear close near far full big small huge little new old busy tired happy sad proud excited thrilled glad grateful thankful sure unbelievable
unknown tba tbd asap with for at on from by of missing late early soon unclear open undecided es das dies diese dieser dieses er sie ihn ihm ihr ihnen wir was wer wie wo wann warum
dass so sehr wirklich zu noch immer schon auch nur nicht kein keine gut toll super schön schlecht schwer wichtig besonders mehr viel"""
_NO_VALUE = frozenset(_NO_VALUE_TEXT.split())
_TIMES_TEXT = """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december
today tomorrow yesterday montag dienstag mittwoch donnerstag freitag samstag sonntag heute morgen gestern christmas easter"""
_TIMES = frozenset(_TIMES_TEXT.split())
_PEOPLES_TEXT = """german american french english british italian spanish swedish danish norwegian finnish dutch polish russian ukrainian czech
greek turkish chinese japanese korean indian irish scottish welsh swiss austrian canadian australian african asian european mexican brazilian
christian jewish muslim catholic protestant buddhist hindu deutsche deutscher"""
_PEOPLES = frozenset(_PEOPLES_TEXT.split())
_SMALL_TEXT = (
    "of the and de von van der den di da du la le el al bin y und & e. v. für for at in am an der die das"
)
_SMALL = frozenset(_SMALL_TEXT.split())
_POINTING_TEXT = """the my our your his her their its a an any all both each every another other mein meine meiner dein deine sein seine ihr ihre
unser unsere euer eure"""
_POINTING = frozenset(_POINTING_TEXT.split())
_POINTED_TEXT = "you your yours it that this these those him them they he she his hers i i'm i've we we're us how what why"
_POINTED = frozenset(_POINTED_TEXT.split())
_IDLE_TEXT = "see know hear think say be believe imagine thank add mention point go do have get"
_IDLE = frozenset(_IDLE_TEXT.split())
_IDLE_DOING_TEXT = "seeing hearing knowing having getting thinking being"
_IDLE_DOING = frozenset(_IDLE_DOING_TEXT.split())
_PROFESSION = re.compile(
    r"^an? (?:[\w-]+ ){0,3}(?:teacher|nurse|doctor|physician|dentist|lawyer|attorney|engineer|developer|programmer|designer|architect|artist|painter|writer|author"
    r"|journalist|editor|photographer|musician|cellist|pianist|singer|dancer|actor|actress|chef|cook|baker|waiter|waitress|bartender|accountant|bookkeeper|consultant"
    r"|analyst|scientist|researcher|professor|lecturer|student|psychologist|therapist|counsel+or|social worker|pharmacist|vet|veterinarian|electrician|plumber"
    r"|carpenter|joiner|mechanic|farmer|gardener|pilot|driver|firefighter|police officer|soldier|translator|librarian|manager|salesperson|plasterer|coach|trainer"
    r"|entrepreneur|founder|freelancer|translator|paramedic|midwife|surgeon|biologist|chemist|physicist|historian|economist|barista|tailor|hairdresser)$",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\b(?:company|firm|start-?up|bank|hospital|clinic|school|university|college|studio|agency|shop|store|caf[eé]|restaurant|bakery|ngo|charity|library"
    r"|museum|garage|lab|laboratory|office|practice|hotel|factory|farm|ministry|council|institute|airline|publisher|newspaper)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(r"\b(?:last|past|this|next|ago|yesterday|today|tomorrow|in|since)\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[^\W\d_][^\W\dA-ZÄÖÜ_]*+(?:-(?=\d))?[\dA-ZÄÖÜ_][\w-]*")
_WORD_ALONE = re.compile(r"[^\W\d_A-ZÄÖÜ][\w.-]*\w")
_EMAIL = re.compile(r"[^\s@<>()\[\],;:]+@[^\s@<>()\[\],;:]+\.[^\W\d_]{2,}")
_PHONE = re.compile(r"(?=(?:\D*\d){6})\+?\(?\d[\d\s()/-]{4,22}\d(?![.,]?\d)")
_WHOLE_PHONE = re.compile(r"(?=(?:\D*\d){6})[+(0][\d\s()/-]{5,23}\d")
_URL = re.compile(
    r"(?:https?://|www\.)[^\s<>\"]+|(?<![\w@])(?:[a-z0-9-]+\.)+[a-z]{2,10}(?:/[^\s<>\"]*)?", re.IGNORECASE
)


def cut(text: str) -> str:
    """The text up to where its next thought begins, without what only rounds it off."""
    text = _clause(_MOMENTS.sub("", _CUT.sub("", _EMOJI.sub("", without_laughs(text))))).strip(_EDGES)
    return _HANGING.sub("", _TAIL.sub("", text)).strip(_EDGES)


def _clause(text: str) -> str:
    """The text up to a comma, unless the next item of a list or the rest of a name or an address stands behind it."""
    kept, *rest = _COMMA.split(text)
    while rest:
        words = rest[0].split()
        count = 1 if words and _goes_on(words) else _listed(rest)
        if not count:
            break
        kept, rest = ", ".join((kept, *rest[:count])), rest[count:]
    return kept


def _goes_on(words: Sequence[str]) -> bool:
    """True for words of a name, or of an address: `Oregon`, `flat 3`."""
    numbered = any(map(str.isdigit, "".join(words))) and not any(fold(word) in _NO_VALUE for word in words)
    named = all(word[0].isupper() or word[0].isdigit() or word in _SMALL for word in words)
    return named or (numbered and len(words) <= _ITEM)


def _listed(parts: Sequence[str]) -> int:
    """How many parts go on with a list: short things, the last one behind "and" or "or"; or single words, several of them."""
    alone = True
    for count, part in enumerate(parts, 1):
        items = [item.split() for item in _AND.split(part) if item]
        if not items or not all(map(_is_item, items)):
            break
        if _AND.search(part):
            return count
        alone = alone and len(items[0]) == 1
    else:
        return len(parts) if alone and len(parts) > 1 else 0
    return 0


def _is_item(words: Sequence[str]) -> bool:
    folded = [fold(word) for word in words]
    return len(words) <= _ITEM and not _POINTED & set(folded) and folded[0] not in _NO_VALUE - _ITEM_BEGINS


def value_of(words: str, noun: Noun, said: str) -> str:
    """The value that some words give a field, as it is written in a fact; "" where they give none.

    Args:
        words: what stands behind "is".
        noun: the field.
        said: ISO date of the statement, "" when unknown.
    """
    if noun.kind in ("date", "day"):
        return _date(words, said, recurs=noun.kind == "day")
    if noun.kind in ("email", "phone", "url", "contact"):
        return contact(words, "" if noun.kind == "contact" else noun.kind)
    if noun.kind == "order":
        value = plain_value(words).strip(_EDGES)
        return value if len(value) <= LONGEST else ""
    value = plain_value(_timeless(cut(words), said))
    if noun.kind == "employer":
        value = re.sub(r"\s+(?:as|als)\s.*", "", value)
    if noun.kind == "product":
        value = re.sub(r"\s+(?:for|to|in|on|at|as|with|when)\s.*", "", value)
    if noun.kind == "never":
        return f"no {value.partition(' ')[2]}"
    return value if value and len(value) <= LONGEST and _looks_like(value, noun.kind) else ""


def contact(words: str, kind: str = "") -> str:
    """The e-mail address, phone number or URL that the words consist of, up to a small rest."""
    for name, pattern in (("email", _EMAIL), ("url", _URL), ("phone", _PHONE)):
        hit = pattern.match(words.strip(" \"'<(")) if kind in ("", name) else None
        if hit:
            return plain_value(hit[0].strip(" .,;:!?)("))
    return ""


def kind_of(value: str) -> str:
    """`email`, `url` or `phone` for a value that is one and nothing else; otherwise ""."""
    value = value.strip()
    patterns = (("email", _EMAIL), ("url", _URL), ("phone", _WHOLE_PHONE))
    return next((name for name, pattern in patterns if pattern.fullmatch(value)), "")


def is_name(text: str, most: int = 4) -> bool:
    """True for a few words that are written as a name: with capitals, no day, no month, no pronoun."""
    words = text.split()
    if not 1 <= len(words) <= most or not words[0][:1].isupper():
        return False
    first = fold(words[0])
    if (
        first.removesuffix("'s") in _TIMES
        or first in _NO_VALUE | _POINTING
        or {first, fold(words[-1])} & _SMALL
    ):
        return False
    if any("." in word[:-1] for word in words):
        return False
    return all(word[:1].isupper() or word[:1].isdigit() or word in _SMALL for word in words)


def is_identifier(text: str) -> bool:
    """True for one word that is written as only names are: with a capital, a digit or an underscore inside, as `projectX`."""
    return _IDENTIFIER.fullmatch(text) is not None


def may_name(text: str) -> bool:
    """True for one word in small letters that points at nothing and is no time, as `nginx`."""
    first = fold(text)
    return (
        _WORD_ALONE.fullmatch(text) is not None
        and first not in _NO_VALUE | _POINTING | _POINTED | _SMALL | _TIMES
    )


def _timeless(value: str, said: str) -> str:
    """The value without a time at its end: "Berlin last month" is Berlin."""
    if not said:
        return value
    for found in find_ranges(value, date.fromisoformat(said[:10]))[0]:
        if found.span[0] and found.span[1] == len(value) and _TELLING.search(found.text):
            return value[: found.span[0]].strip(_EDGES).removesuffix(" on").removesuffix(" in")
    return value


def _date(words: str, said: str, *, recurs: bool) -> str:
    """The date with which the words begin: as many of them as make one."""
    parts = _CUT.sub("", words).strip(" ,.!").split()
    parts = parts or words.split()
    for count in range(min(len(parts), 8), 0, -1):
        found = date_value(" ".join(parts[:count]), said, recurs=recurs)
        if found:
            return found
    return ""


def _looks_like(value: str, kind: str) -> bool:
    words = value.split()
    if len(words) > _MOST_WORDS.get(kind, 12) or not any(map(str.isalnum, value)):
        return False
    if kind in ("state", "told", "any"):
        return True
    if kind in ("taste", "choice"):
        return _is_taste([fold(word) for word in words[kind == "choice" and words[0] == "the" :]])
    if kind == "profession":
        return _PROFESSION.search(value) is not None
    first = fold(words[0])
    article = first in {"a", "an", "the"} and kind in ("employer", "title", "text", "open")
    if first in _NO_VALUE and not (article and any(word[0].isupper() for word in words[1:])):
        return False
    return not (len(words) == 1 and first.endswith("ing")) and _is_named(words, first, kind)


def _is_named(words: list[str], first: str, kind: str) -> bool:
    capital = any(word[:1].isupper() for word in words) and first not in _TIMES
    begins = words[0][0].isupper()
    article = first in {"a", "an", "the"}
    return {
        "amount": any(char.isdigit() for word in words for char in word),
        "person": is_name(" ".join(words), 3) and first not in _PEOPLES,
        "place": capital,
        "product": capital and begins,
        "name": capital and (first in _SMALL or begins),
        "employer": capital or (article and _COMPANY.search(" ".join(words)) is not None),
        "title": article or begins or len(words) > 1,
        "open": begins or words[0][0].isdigit(),
    }.get(kind, True)


def _is_taste(words: list[str]) -> bool:
    """True for a thing or a doing that one may like, without pointing at something just spoken of."""
    first = words[0] if words else "the"
    if first in _POINTING or (
        first in _NO_VALUE and first not in {"to", "being", "old", "new", "big", "small", "going"}
    ):
        return False
    if first == "to" and (len(words) < 2 or words[1] in _IDLE):
        return False
    return not _POINTED & set(words) and not first.endswith(("'s", "’s")) and first not in _IDLE_DOING
