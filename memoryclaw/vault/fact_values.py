"""The fields and values of facts: which field words name, the one day that words name, and words as a line of facts holds them.

English and German words for one field give one field, so that a newer statement finds the older one. A day without a year lies ahead
of the speaker (a deadline), or recurs (a birthday) and stays without one. What is unclear stays words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import VALUE, Fact
from memoryclaw.text import dates as days
from memoryclaw.text import words as lists
from memoryclaw.text.dates import DateRange, Days, find_ranges, leading_range, parse_timestamp
from memoryclaw.text.language import SMALL, fold, plain
from memoryclaw.text.memory_lines import without_block_mark
from memoryclaw.vault import vocabulary

# Fields: what each is called, what its values look like, and where it goes by default


class FieldNoun(NamedTuple):
    """What a word for a field stands for."""

    field: str
    kind: str  # date | day | email | phone | url | amount | name | person | place | title | text


NOUNS = {
    word: FieldNoun(field.strip(), kind.strip())
    for line in lists.lines("consolidation.field_words")
    for kind, field, words in [re.split(r" / |: ", line, maxsplit=2)]
    for word in words.split("|")
}
KIN = frozenset(lists.lines("consolidation.kin"))
KIN_BESIDES = frozenset(lists.lines("consolidation.kin_besides"))
PETS = frozenset(lists.lines("consolidation.pets"))
# Where several values live side by side unless the schema says otherwise.
MANY = frozenset(lists.lines("consolidation.many_values"))
# By field, the one whose equal value it ends.
OPPOSITES = {
    field: opposite
    for pair in lists.lines("consolidation.opposites")
    for first, second in [pair.split(" / ")]
    for field, opposite in ((first, second), (second, first))
}
_IN_TURN = [
    frozenset(state.strip() for state in line.split(","))
    for line in lists.lines("consolidation.states_in_turn")
]
_EXACT = frozenset({"date", "day", "email", "phone", "url", "amount"})
_OF_ONE = _EXACT | {"text", "place", "title"}
_OF_PEOPLE = KIN | frozenset(lists.lines("consolidation.of_people"))
_LEADING = frozenset(lists.words("consolidation.before_fields"))
_ANY_DAY = date(2000, 1, 1)
_PAST = frozenset(lists.words("consolidation.past_fields"))
_DATED = frozenset(lists.words("consolidation.dated_fields"))
_SMALL = frozenset[str]().union(*SMALL.values())
_QUALIFIERS = frozenset(lists.words("consolidation.field_qualifiers"))
_FAVORITE = frozenset(lists.words("consolidation.favourites"))
_FAVORITES = tuple(lists.words("consolidation.favourite_beginnings"))
_NO_FAVORITE = frozenset(lists.words("consolidation.no_favourites"))


@lru_cache(maxsize=8192)
def noun_of(words: str) -> FieldNoun | None:
    """The field that some words stand for; None where they name none that is known."""
    tokens = fold(words).split()
    while tokens and tokens[0] in _LEADING:
        del tokens[0]
    plain = " ".join(tokens)
    if noun := NOUNS.get(plain):
        return noun
    if len(tokens) > 1 and tokens[0] in _QUALIFIERS and (noun := NOUNS.get(" ".join(tokens[1:]))):
        return FieldNoun(f"{tokens[0]} {noun.field}", noun.kind)
    others = [token for token in tokens if token not in _FAVORITE]
    if others and not {tokens[0], tokens[-1]}.isdisjoint(_FAVORITE) and not _NO_FAVORITE & set(tokens):
        return FieldNoun(f"favorite {' '.join(others)}", "text")
    is_favorite = len(tokens) == 1 and len(plain) > 10 and plain.startswith(_FAVORITES)
    return FieldNoun(plain, "text") if is_favorite else None


def is_yearly(field: str) -> bool:
    """True for a day of every year, such as a birthday."""
    noun = noun_of(field)
    return noun is not None and noun.kind == "day"


def is_amount(field: str) -> bool:
    """True for a field whose values are amounts, such as a rent."""
    noun = noun_of(field)
    return noun is not None and noun.kind == "amount"


def is_of_people(field: str) -> bool:
    """True for what is said of people and hardly of anything else."""
    return field.partition(" ")[2] in _OF_PEOPLE or field in _OF_PEOPLE


# Words as a heading, a key or the value of a fact may hold them: what is written reads back as it was meant

_MARKUP = late.pattern(r"!?\[\[|\]\]|%%|~~|(?<=:):+|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_KEY_MARKUP = late.pattern(
    r"!?\[\[|\]\]|[\[\]|`*\"<>]|%%|~~|::+|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
)


def plain_value(text: str) -> str:
    """The text as one line, without what Markdown or an inline field would take for its own."""
    return without_block_mark(" ".join(_MARKUP.sub(" ", text.replace("`", "")).split()))


def plain_key(text: str) -> str:
    """The name of an entity or a field, as a heading or a key may hold it."""
    return " ".join(_KEY_MARKUP.sub(" ", text).split()).strip(" .:;,-#+")


# Dates: the one day that words name, by the clock of who said them

_MONTH_NAMES = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
]  # fmt: skip
_LEAD = late.pattern(
    r"^(?:(?:on|by|until|till|to|for|due|from|the|this|am|bis|zum|den|dem|der|vom|ab|auf|noch|kommenden|nächsten)\s+)*",
    re.IGNORECASE,
)
_SHORT_DAYS = {"mon": "monday", "tue": "tuesday", "wed": "wednesday", "thu": "thursday", "fri": "friday", "sat": "saturday", "sun": "sunday"}  # fmt: skip
_SHORT_DAY = late.pattern(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:s|r|rs)?\b\.?", re.IGNORECASE)
_DAY_POINT = late.pattern(r"(?<=\d)\.(?=\s[^\W\d_])")
_NOW = frozenset({"now", "jetzt", "sofort"})
_DOTTED = late.pattern(r"(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?")
_TIME = late.pattern(
    r",?\s(?:(?:at|um|@)\s)?(?:\d{1,2}[:.]\d\d(?:\s?[ap]\.?m\.?|\suhr)?|\d{1,2}\s?(?:[ap]\.?m\.?|uhr|o'clock)|noon|midnight)$",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def date_value(text: str, said: str = "", *, recurs: bool = False) -> str:
    """A date as a fact holds it, or "" where the text is no date: `2026-12-18`, `2026-05` for a month, `11 February` for what recurs.

    Args:
        text: a date as people write it, with nothing else but a time of day, which is kept.
        said: the ISO date that words like "tomorrow" count from; without it they are no date.
        recurs: a day without a year is one of every year.
    """
    text = " ".join(text.split()).rstrip(" !,")
    text = text if _DOTTED.search(text) else text.rstrip(".")
    if time := _TIME.search(text):
        day_part = date_value(text[: time.start()], said, recurs=recurs)
        return f"{day_part} {time[0].lstrip(', ')}" if day_part else ""
    exact = parse_timestamp(text) if re.match(r"\d{4}-\d", text) else ""
    if exact:
        return exact[:10]
    text = _DAY_POINT.sub("", _LEAD.sub("", text))
    text = _SHORT_DAY.sub(lambda hit: _SHORT_DAYS[hit[1].lower()], text)
    if said and text.lower() in _NOW:
        text = "today"
    # What both of two days read alike says its year; where only the year differs, the day recurs.
    first, second = (_named_day(text, anchor) for anchor in days.ANCHORS)
    if first == second or not first:
        return first
    if recurs and first[4:] == second[4:] and (yearly := _spoken(first)):
        return yearly
    relative = _named_day(text, date.fromisoformat(said[:10])) if said else ""
    return _spoken(relative) or relative if recurs else relative


def _named_day(text: str, today: date) -> str:
    """The day, or the month, that all of a text names; what has no year lies ahead."""
    range_ = days.coming_range(text, today)
    if range_ is None or range_.span[1] != len(text):
        return ""
    span = _days(range_)
    is_month = span == days.month_span(span.first.year, span.first.month)
    return spoken(span) if is_month or span.first == span.last else ""


def same_day(value: str, other: str) -> bool:
    """True for two spellings of a day, also where only one of them names the year."""
    first, second = date_value(value, recurs=True), date_value(other, recurs=True)
    if not first or not second:
        return False
    if first == second:
        return True
    short, long = sorted((first, second), key=lambda text: text[:4].isdigit() and "-" in text)
    return short == _spoken(long)


def _spoken(iso: str) -> str:
    day = date.fromisoformat(iso) if re.fullmatch(r"\d{4}-\d\d-\d\d", iso) else None
    return f"{day.day} {_MONTH_NAMES[day.month - 1]}" if day else ""


# Words like "yesterday" and "last week" → the same words with their dates behind them, by the clock of who said them.

_COUNTING = late.pattern(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|past|previous|this|next|coming|upcoming)\b",
    re.IGNORECASE,
)
# What the date itself does not count.
_BEFORE_DATE = late.pattern(r"(?:until|till|before|after|by)\s+", re.IGNORECASE)
_COUNTING_IN = {
    code: late.pattern(rf"(?<![\w-])(?:{phrases})(?![\w-])")
    for code, _, phrases in (line.partition(": ") for line in lists.lines("consolidation.counting_days"))
}


def resolve_dates(text: str, said: str, language: str = "en") -> str:
    """The text with the date behind every phrase that counts from the day it was said.

    Args:
        said: when, as logs give it; without it the text stays as it is.
    """
    if not said:
        return text
    today = date.fromisoformat(said[:10])
    if language in _COUNTING_IN:
        text = _COUNTING_IN[language].sub(lambda hit: _with_date(hit[0], today), text)
    text = _with_distances(text, today)
    if language in _COUNTING_IN or not _COUNTING.search(text):
        return text
    for range_ in reversed(find_ranges(text, today)[0]):
        start, end = range_.span
        if lead := _BEFORE_DATE.match(range_.text):
            begin = start + lead.end()
            text = text[:begin] + resolve_dates(text[begin:end], said) + text[end:]
        elif range_.start and _COUNTING.search(range_.text):
            text = text[:start] + f"{range_.text} ({spoken(_days(range_))})" + text[end:]
    return text


def _with_distances(text: str, today: date) -> str:
    """The text with the day behind what is told as so many days or weeks from its own day, in any language: `in drei Wochen`."""
    for range_ in reversed(find_ranges(text, today)[0]):
        end, step = range_.span[1], 1 + 6 * (range_.start != range_.end)
        span = _days(range_) if range_.start else None
        is_told = _COUNTING.search(range_.text) or text.startswith((" (", "'", "’"), end)
        # `he lost 5 kilos in 4 weeks` tells how long it took
        counts = span and " " in range_.text and not (is_told or days.tells_past(text, range_.span))
        later = leading_range(range_.text, days.plus_days(today, step)) if counts else None
        if not span or not later or later.start != days.plus_days(span.first, step).isoformat():
            continue
        if step > 1 and span != days.week_span(span.first):
            continue
        away = (span.first - days.week_span(today).first).days
        if step > 1 and abs(away) > 7:  # what is a week away may be all of that week
            span = Days(*[days.plus_days(today, away)] * 2)
        text = f"{text[:end]} ({spoken(span)}){text[end:]}"
    return text


def _with_date(phrase: str, today: date) -> str:
    # `hier` alone might be German.
    range_ = leading_range("hier soir" if phrase.lower() == "hier" else phrase, today)
    return f"{phrase} ({spoken(_days(range_))})" if range_ else phrase


def spoken(span: Days) -> str:
    """Days as one writes them: `2023-05-07`, `2023-05`, `2023`, `2023-05-01 to 2023-05-07`."""
    first, last = span
    if first == last:
        return first.isoformat()
    if span == days.year_span(first.year):
        return f"{first.year:04}"
    if span == days.month_span(first.year, first.month):
        return f"{first:%Y-%m}"
    return f"{first.isoformat()} to {last.isoformat()}"


def _days(span: DateRange) -> Days:
    first = date.fromisoformat(span.start)
    return Days(first, date.fromisoformat(span.end) if span.end else first)


# Values of facts compared and checked: are two the same said differently, and can one be of the type that the schema
# names.

_ISO_DAY = late.pattern(r"\d{4}-\d\d-\d\d(?:\s.*)?")
_GROUPED = late.pattern(r"(?<=\d)[,'’\u202f\u00a0 ](?=\d{3}(?!\d))")
_CONJUNCTION = late.pattern(r"(?:(?<!\s)\s++)?[,;]\s*|(?<!\s)\s+(?:and|und|&)\s+")


def same_value(value: str, other: str) -> bool:
    """True for values that differ only in case, accents, spaces, final dots, or in how a date, number or phone number is written."""
    first, second = _bare(value), _bare(other)
    if first == second or same_day(value, other):
        return True
    if vocabulary.PHONE_NUMBER.fullmatch(first) and vocabulary.PHONE_NUMBER.fullmatch(second):
        digits = [re.sub(r"[^\d+]", "", text) for text in (first, second)]
        return digits[0] == digits[1] and len(digits[0]) > 4
    return False


def are_in_turn(first: str, other: str) -> bool:
    """True for two states of which somebody is in one at a time: `vegan`, `pescatarian`."""
    return any({first.lower(), other.lower()} <= states for states in _IN_TURN)


def says_less(value: str, known: str) -> bool:
    """True for a name of which the known value is the fuller form: `Priya` beside `Priya Raman`."""
    short, long = value.split(), known.split()
    if not 0 < len(short) < len(long) or not all(word[:1].isupper() for word in (*short, *long)):
        return False
    return {fold(word) for word in short} <= {fold(word) for word in long}


def holds_value(known: str, value: str) -> bool:
    """True where a known value, or one of those it lists, is this one."""
    return same_value(known, value) or any(
        same_value(listed, value) for listed in _CONJUNCTION.split(known) if listed
    )


@lru_cache(maxsize=4096)
def _named(field: str) -> FieldNoun | None:
    return noun_of(field) or noun_of(_spaced(field))


def field_key(field: str) -> str:
    """What all names of one field have in common: `Due-Date` and `deadline` are one."""
    noun = _named(field)
    return noun.field if noun else _spaced(field)


def same_field(name: str, other: str) -> bool:
    """True for names of one field: in any case, with hyphens or spaces, or two words for the same (`due date`, `deadline`)."""
    if _spaced(name) == _spaced(other):
        return True
    first, second = _named(name), _named(other)
    return first is not None and first == second


def declared_field(schema: vocabulary.Schema, field: str) -> vocabulary.DeclaredField | None:
    """What the vault declares of a field, under any of its names."""
    declared = schema.fields.get(" ".join(field.lower().split()))
    return declared or next((kind for name, kind in schema.fields.items() if same_field(name, field)), None)


def holds_many(field: str, declared: vocabulary.DeclaredField | None) -> bool:
    """True for a field that holds several values side by side: as the vault declares it, else by its name."""
    return declared.many if declared else field.lower() in MANY


def is_exact(field: str) -> bool:
    """True for a field whose values are days, amounts or addresses, of which it has one at a time."""
    noun = _named(field)
    return noun is not None and noun.kind in _EXACT


def has_one_at_a_time(field: str) -> bool:
    """True for a field of which two lines, written by one hand, are a mistake and no list: `location`, not `lead`."""
    noun = _named(field)
    return noun is not None and noun.kind in _OF_ONE


def bare_field(field: str, value: str, facts: Iterable[Fact], *, said: str = "") -> str:
    """The field that a value of an entity belongs in: a contact's one bare value, `- Sarah: sarah@example.com`, is her e-mail address.

    Args:
        said: the words that it was said in; a work address is another than the one value.
    """
    noun = _named(field)
    shape = vocabulary.SHAPES.get(noun.kind, (None, ""))[0] if noun and " " not in noun.field else None
    current = [fact for fact in facts if fact.current and not fact.is_statement]
    bare = [fact for fact in current if fact.field == VALUE]
    is_qualified = not _QUALIFIERS.isdisjoint(fold(said).split())
    if shape is None or is_qualified or len(bare) != 1:
        return field
    if any(same_field(fact.field, field) for fact in current):
        return field
    return VALUE if shape.fullmatch(value.strip()) and shape.fullmatch(bare[0].value) else field


def timeless(field: str) -> tuple[str, bool]:
    """A field without the words that tell a time, and whether they tell a past one: `price from April`, `rent (old)`."""
    tokens = re.sub(r"[()\[\],]", " ", field).split()
    past = len(tokens) > 1 and any(fold(token) in _PAST for token in (*tokens[:1], *tokens[-1:]))
    dated = (n for n, token in enumerate(tokens) if n and fold(token) in _DATED)
    end = next((n for n in dated if leading_range(" ".join(tokens[n + 1 :]), _ANY_DAY)), len(tokens))
    plain = tokens[:end]
    while len(plain) > 1 and fold(plain[-1]) in _PAST | _LEADING | {"now"}:
        plain.pop()
    while len(plain) > 1 and fold(plain[0]) in _PAST | _LEADING:
        del plain[0]
    return " ".join(plain) or field, past


def without_owner(field: str, entity: str) -> str:
    """A field without the name of its entity: `price of the crate`, of the crate, is its `price`."""
    owner = set(_spaced(entity).split())
    tokens = [token for token in field.split() if fold(token).removesuffix("'s") not in owner]
    if len(tokens) == len(field.split()):
        return field
    while tokens and plain(tokens[-1]) in _SMALL:
        tokens.pop()
    while tokens and plain(tokens[0]) in _SMALL:
        del tokens[0]
    return " ".join(tokens) or field


def misfit(value: str, type_: str, field: str) -> str:
    """Why a value cannot be of a type of the schema, or "" where it can: `'soon' is not a date`."""
    if type_ == "date":
        yearly = is_yearly(field) and date_value(value, recurs=True)
        return "" if _ISO_DAY.fullmatch(value) or yearly else f"'{value}' is not a date"
    return vocabulary.misfit(value, type_)


def _bare(value: str) -> str:
    text = value.replace("[[", "").replace("]]", "").replace("’", "'")
    return _GROUPED.sub("", " ".join(fold(text).split())).rstrip(".! ")


def _spaced(field: str) -> str:
    return " ".join(fold(field).replace("-", " ").replace("_", " ").split())
