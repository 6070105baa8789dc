"""Values of facts compared and checked: are two the same said differently, and can one be of the type that the schema names."""

from __future__ import annotations

import re

from memoryclaw.core.consolidation.factfields import is_yearly, noun_of
from memoryclaw.core.consolidation.spokendates import date_value, same_day
from memoryclaw.core.language import fold

_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:\s.*)?")
_GROUPED = re.compile(r"(?<=\d)[,'’\u202f\u00a0 ](?=\d{3}(?!\d))")
_PHONE = re.compile(r"\+?[\d\s()/.-]{5,24}(?:\s?(?:x|ext\.?)\s?\d{1,6})?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?\w*")
_ADDRESS = re.compile(r"(?<!\S)\S+@\S+|(?<![\w-])(?<![\w-]\.)(?:[\w-]+\.)+[a-z]{2,}\S*")
_CAPITAL = re.compile(r"(?<=[\w,;:] )[^\W\d_a-zß-ÿ][\w-]+")
_SHORT = 8  # words of a turn that is no more than a correction
_AND = re.compile(r"(?:(?<!\s)\s++)?[,;]\s*|(?<!\s)\s+(?:and|und|&)\s+")
_SHAPES = {
    "email": (re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[^\W\d_]{2,}"), "an e-mail address"),
    "phone": (re.compile(rf"(?=(?:\D*\d){{5}}){_PHONE.pattern}"), "a phone number"),
    "url": (re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+|(?:[\w-]+\.)+[^\W\d_]{2,}(?:/\S*)?", re.IGNORECASE), "a web address"),
    "number": (re.compile(r"[-+]?\d[\d.,'’\u202f\u00a0 ]*(?:[^\W\d]\S*|[%€$£])?(?:\s\S+)?"), "a number"),
}  # fmt: skip


def same_value(one: str, other: str) -> bool:
    """True for values that differ only in case, accents, spaces, final dots, or in how a date, number or phone number is written."""
    first, second = _bare(one), _bare(other)
    if first == second or same_day(one, other):
        return True
    if _PHONE.fullmatch(first) and _PHONE.fullmatch(second):
        digits = [re.sub(r"[^\d+]", "", text) for text in (first, second)]
        return digits[0] == digits[1] and len(digits[0]) > 4
    return False


def says_less(value: str, known: str) -> bool:
    """True for a name of which the known value is the fuller form: `Priya` beside `Priya Raman`."""
    short, long = value.split(), known.split()
    if not 0 < len(short) < len(long) or not all(word[:1].isupper() for word in (*short, *long)):
        return False
    return {fold(word) for word in short} <= {fold(word) for word in long}


def holds_value(known: str, value: str) -> bool:
    """True where a known value, or one of those it lists, is this one."""
    return same_value(known, value) or any(same_value(part, value) for part in _AND.split(known) if part)


def same_field(one: str, other: str) -> bool:
    """True for names of one field: in any case, with hyphens or spaces, or two words for the same (`due date`, `deadline`)."""
    first, second = _spaced(one), _spaced(other)
    if first == second:
        return True
    nouns = [noun_of(field) or noun_of(spaced) for field, spaced in ((one, first), (other, second))]
    return nouns[0] is not None and nouns[0] == nouns[1]


def names_another(text: str, value: str, said: str) -> bool:
    """True where a text names something of the kind of a value that is not this value: another date, number, address or name.

    Args:
        text: what was said later.
        value: of a fact that was stated before.
        said: ISO date of the text, "" when unknown.
    """
    if _ISO_DAY.fullmatch(value) or (value[:2].strip().isdigit() and date_value(value, recurs=True)):
        return any(not same_day(day, value) for day in _days_in(text, said))
    if any(map(str.isdigit, value)):
        return any(found not in value for found in _NUMBER.findall(_GROUPED.sub("", text)))
    if "@" in value or "." in value.strip("."):
        return any(found.rstrip(".").lower() != value.lower() for found in _ADDRESS.findall(text))
    words = text.split()
    return len(words) <= _SHORT and any(fold(word) not in fold(value) for word in _CAPITAL.findall(text))


def _days_in(text: str, said: str) -> list[str]:
    """The dates that a text names, each as many words of it as make one."""
    words = [word.strip(".!?;:") for word in text.replace(",", " ").split()]
    found: list[str] = []
    at = 0
    while at < len(words):
        spans = ((count, date_value(" ".join(words[at : at + count]), said)) for count in (4, 3, 2, 1))
        count, day = next(((count, day) for count, day in spans if day), (1, ""))
        found.append(day)
        at += count
    return [day for day in found if day]


def misfit(value: str, type_: str, field: str) -> str:
    """Why a value cannot be of a type of the schema, or "" where it can: `'soon' is not a date`."""
    if type_ == "date":
        yearly = is_yearly(field) and date_value(value, recurs=True)
        return "" if _ISO_DAY.fullmatch(value) or yearly else f"'{value}' is not a date"
    if type_ not in _SHAPES:
        return ""
    shape, name = _SHAPES[type_]
    return "" if shape.fullmatch(value) else f"'{value}' is not {name}"


def _bare(value: str) -> str:
    text = value.replace("[[", "").replace("]]", "").replace("’", "'")
    return _GROUPED.sub("", " ".join(fold(text).split())).rstrip(".! ")


def _spaced(field: str) -> str:
    return " ".join(fold(field).replace("-", " ").replace("_", " ").split())
