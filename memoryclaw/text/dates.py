"""Reads dates of the languages that have a `dates_…` file into ISO days; text it cannot read stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache, cached_property, lru_cache
from itertools import islice

from memoryclaw import late
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.text import words as lists
from memoryclaw.text.language import SMALL, fold

# Calendar arithmetic on inclusive spans of days; weeks start on Monday, and results stay within the years 1 to 9999.

_LAST_ORDINAL = date.max.toordinal()
_SHORTEST_MONTH = 28
_LEAP_GAP = 9  # 29 February can be eight years away, across a century that skips it


class Days(NamedTuple):
    """All days from `first` to `last`, both included."""

    first: date
    last: date


def given_day(text: str) -> str:
    """A day that somebody gave, in ISO form. Raises InputError: it is none."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise InputError(f"{text!r} is not a day; write it like 2026-03-01") from None


def day_of(moment: str) -> date | None:
    """The day of an ISO date or date-time; None where it tells only a month or a year, or nothing that is a time."""
    try:
        return date.fromisoformat(moment[:10])
    except ValueError:
        return None


def plus_days(day: date, count: int) -> date:
    """The day `count` days later, or earlier when negative."""
    return date.fromordinal(min(max(day.toordinal() + count, 1), _LAST_ORDINAL))


def month_span(year: int, number: int, length: int = 1) -> Days:
    """`length` whole months, starting with month `number` of a year; numbers below 1 or above 12 reach other years."""
    return Days(_first_of(year, number), plus_days(_first_of(year, number + length), -1))


def year_span(number: int) -> Days:
    """The whole year."""
    return month_span(number, 1, 12)


def week_span(day: date) -> Days:
    """The week of a day, Monday to Sunday."""
    monday = plus_days(day, -day.weekday())
    return Days(monday, plus_days(monday, 6))


def weekend_span(day: date) -> Days:
    """The Saturday and Sunday of a day's week."""
    sunday = week_span(day).last
    return Days(plus_days(sunday, -1), sunday)


def moved(day: date, unit: str, count: int) -> date:
    """The day `count` units later; the 31st becomes the last day of a shorter month."""
    if unit == "day":
        return plus_days(day, count)
    if unit == "week":
        return plus_days(day, 7 * count)
    span = month_span(day.year, day.month + count * _MONTHS_IN[unit])
    return min(plus_days(span.first, day.day - 1), span.last)


def span_around(day: date, unit: str) -> Days:
    """The calendar day, week, month, quarter or year that a day lies in."""
    if unit == "day":
        return Days(day, day)
    if unit == "week":
        return week_span(day)
    length = _MONTHS_IN[unit]
    return month_span(day.year, (day.month - 1) // length * length + 1, length)


def latest_span(of_year: Callable[[int], Days | None], anchor: date) -> Days | None:
    """The latest of a yearly recurring span that has begun on the anchor day."""
    for number in range(anchor.year, anchor.year - _LEAP_GAP, -1):
        span = of_year(number)
        if span and span.first <= anchor:
            return span
    return None


def exact_span(year: int, month: int, day: int) -> Days | None:
    """One day, or None where the calendar has no such day."""
    try:
        moment = date(year, month, day)
    except ValueError:
        return None
    return Days(moment, moment)


def weekday(today: date, number: int, which: int) -> Days:
    """A weekday (Monday is 0): the last one before today (-1), this week's (0) or the next one after today (1)."""
    if which == 0:
        day = plus_days(week_span(today).first, number)
    elif which < 0:
        day = plus_days(today, -((today.weekday() - number - 1) % 7 + 1))
    else:
        day = plus_days(today, (number - today.weekday() - 1) % 7 + 1)
    return Days(day, day)


def relative_year(today: date, which: int, of_year: Callable[[int], Days]) -> Days:
    """The last (-1), current (0) or next (1) occurrence of a yearly recurring span; without a current one, this year's."""
    spans = [of_year(today.year + n) for n in range(-2, 3)]
    if which < 0:
        return max((span for span in spans if span.last < today), default=spans[0])
    if which > 0:
        return min((span for span in spans if span.first > today), default=spans[-1])
    return next((span for span in spans if span.first <= today <= span.last), spans[2])


def third_of(span: Days, part: int) -> Days:
    """The early (0), middle (1) or late (2) third of a span."""
    length = (span.last - span.first).days + 1
    return Days(
        plus_days(span.first, part * length // 3), plus_days(span.first, (part + 1) * length // 3 - 1)
    )


_END = "2"  # of the parts
_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}


def _first_of(year: int, number: int) -> date:
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    if year > MAXYEAR:
        return date.max
    return date(year, number, 1) if year >= MINYEAR else date.min


def is_long(span: Days) -> bool:
    """True for a span of a month or more, which has an early and a late part."""
    return (span.last - span.first).days >= _SHORTEST_MONTH - 1


# Letters of the scripts that put spaces between words, with combining accents; any other letter is a word of its own. Ranges
# are few and short because wide ones take milliseconds to compile.
_LETTERS = "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u058f"
_JOINED = rf"{_LETTERS}\d_"
_CLAUSE_END = late.pattern(r"[.!?;,\n]")
_LETTER_WORDS = rf"[{_LETTERS}]+|[^\W\d_]|['’][Ss]\b|['’.–—~～-]"
_WORDS_WITHOUT_NUMBERS = late.pattern(rf"({_LETTER_WORDS})|[^\s,]")
# A number that belongs to something longer (a path, a version, a time) is no date, nor part of one.
_WORDS = late.pattern(
    rf"""((?:
        (?=\d)(?:(?<![{_JOINED}./\#:-])|(?<=[Mm]id-)|(?<=[Mm]i-)|(?<=[年月日号號]-)|(?<=\d\.-)|(?<=\d-)(?=\d\d?[日号號]))
        (?:(?:\d{{4}}-\d\d(?:-\d\d)?|\d{{4}}/\d\d?/\d\d?|\d{{4}}\.\d\d?\.\d\d?(?!\.\d)|\d\d?/(?:\d\d?/)?\d{{4}})(?![/-])
          |\d\d?\.\d\d?\.(?:\d{{4}}\b)?|\d++(?i:st|nd|rd|th|er|º)?(?!/))
        |[QqTt](?<![{_JOINED}].)[1-4]
      )(?![{_JOINED}])
    |(?<![{_JOINED}])2(?i:moro)(?![{_JOINED}])
    |(?<![第百千万])(?:[一二三四五六七八九]?十[一二三四五六七八九]?|[〇零一二三四五六七八九]{{4}}(?=年)|[一二三四五六七八九两兩])
    |{_LETTER_WORDS})
    |[^\s,]""",
    re.VERBOSE,
)
_TIMESTAMP = late.pattern(
    r"""(\d{4})-(\d{1,2})-(\d{1,2})
    (?:[T\s_]\s*(\d{1,2})[:-](\d\d)(?:[:-](\d\d)(?:[.,]\d+)?)?\s*(?:(Z|UTC|GMT)|([+-])(\d\d):?(\d\d)?)?)?""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_EPOCH = late.pattern(r"(\d{9,16})(?:\.\d+)?", re.ASCII)


class DateRange(NamedTuple):
    """A span of days named in a text, as inclusive ISO dates; an empty end is open."""

    start: str
    end: str
    text: str  # the words as written
    span: tuple[int, int]  # where they stand in the text


def find_ranges(text: str, today: date) -> tuple[list[DateRange], str]:
    """Finds the date phrases of a text, in order; also returns the text with each of them blanked out, at the same length."""
    ranges = [*_ranges(text, today)]
    return ranges, with_blanks(text, (p.span for p in ranges))


def moved_day(text: str, day: date) -> date | None:
    """Where a text moves a day: "a week later", "brought forward by two days", "to the 12th"; None where it does not."""
    words, readers = _read(text, day)
    shifts = (
        reader.shifted(place)
        for reader in readers
        for place, word in enumerate(words)
        if word[0].isdecimal() or word in reader.language.tables["numbers"].longest
    )
    return next(filter(None, shifts), None)


def deadline(text: str, today: date) -> str:
    """The ISO day until which a text says that something is to be done, where a day without a year lies ahead; empty where it names none."""
    spans = [
        coming
        for coming in _coming_ranges(text, today)
        if not coming.start or _is_short(coming.start, coming.end)
    ]
    return min(spans, key=lambda span: (span.start != "", span.span)).end if spans else ""


def _coming_ranges(text: str, today: date) -> Iterable[DateRange]:
    """The date phrases of a text, each without a year as the next; what has passed is overdue only where it was said to be the last day."""
    ahead: dict[tuple[int, int], DateRange] = {}
    for days in _COMING:
        for span in _ranges(text, today, plus_days(today, days)):
            if span.end and (span.end >= today.isoformat() or (not span.start and days == _COMING[-1])):
                ahead.setdefault(span.span, span)
    return ahead.values()


def told_ranges(text: str, said: date) -> list[DateRange]:
    """The date phrases of what was said on a day, in order: a day without its year lies ahead where no verb beside it is of the past."""
    ranges = {span_told.span: span_told for span_told in _ranges(text, said)}
    for span_told in _coming_ranges(text, said):
        read = ranges.get(span_told.span)
        is_day = read.start == read.end if read else not any(map(str.isdecimal, span_told.text))
        if is_day and span_told.start == span_told.end and tells_past(text, span_told.span) is False:
            ranges[span_told.span] = span_told
    return [ranges[span] for span in sorted(ranges)]


def tells_past(text: str, span: tuple[int, int]) -> bool | None:
    """Whether the clause around a date phrase has a verb of the past; None in a language without a list of these, and where two languages differ: `was ist am 22. Oktober?`."""
    around = f"{_CLAUSE_END.split(text[: span[0]])[-1]} {_CLAUSE_END.split(text[span[1] :])[0]}"
    words = [word.lower() for word in _WORDS.findall(around)]
    verdicts = {reader.tells_past(words) for reader in _present(_split(text[slice(*span)]))}
    if verdicts >= {True, False}:
        return None
    return next((verdict for verdict in (True, None, False) if verdict in verdicts), None)


@lru_cache(maxsize=256)  # of a clause, in which several readers look for days
def _ranges(text: str, today: date, coming: date | None = None) -> Sequence[DateRange]:
    words, readers = _read(text, today, coming)
    if not readers:
        return ()
    starting, free, phrases = _starting(tuple(reader.language for reader in readers)), 0, []
    for place, word in enumerate(words):
        if place >= free and (word in starting or word[0].isdecimal()):
            longest = _longest(reader.phrase(place) for reader in readers)
            if longest and (longest.first or longest.last):
                phrases.append((place, longest))
            free = longest.after if longest else place
    hits = list(_WORDS.finditer(text)) if phrases else []
    return [_range(text, hits[place].start(), hits[p.after - 1].end(), p) for place, p in phrases]


def leading_range(text: str, today: date, coming: date | None = None) -> DateRange | None:
    """Reads the date phrase at the start of a text, as freely as the value of a date field may be written."""
    words, readers = _read(text, today, coming)
    starting = _starting(tuple(reader.language for reader in readers))
    begins = readers and (words[0] in starting or words[0][0].isdecimal())
    longest = _longest(reader.value(0) for reader in readers) if begins else None
    if longest is None:
        return None
    hits = list(islice(_WORDS.finditer(text), longest.after))
    return _range(text, 0, hits[-1].end(), longest)


def coming_range(text: str, today: date) -> DateRange | None:
    """The same, where a day, weekday or month without a year lies ahead."""
    range_ = leading_range(text, today)
    for ahead in (*_COMING, *range(2 * _COMING[-1], _LEAP_GAP * _COMING[-1], _COMING[-1])) if range_ else ():
        later = leading_range(text, today, plus_days(today, ahead))
        if later and later.end >= today.isoformat():
            return later
    return range_


def next_occurrence(span: DateRange, today: date) -> DateRange | None:
    """The next such days where a text names some that come again, as `30 April`, `in May`, `on Friday` or `by Friday` do; None for `last May` or `2025`.

    A text that says no year is read as the last of them, since people mostly ask for what was.
    """
    ahead = _coming_ranges(span.text, today) if span.end and span.end < today.isoformat() else ()
    again = (later for later in ahead if later.text == span.text and later.end >= today.isoformat())
    later = next(again, None)
    return span._replace(start=later.start or today.isoformat(), end=later.end) if later else None


_SPELT = 7  # days of a span that are spelt one by one


def spellings(span: DateRange, is_known: Callable[[str], bool]) -> dict[str, float]:
    """How texts that have the known names of months may write a span that is a few days or a month, each with what it counts.

    A text that tells of a part of the time counts half, and so do, where the year is asked for, the day and the month without it.
    """
    if not (span.start and span.end):
        return {}
    first, last = date.fromisoformat(span.start), date.fromisoformat(span.end)
    names = [
        (name, number)
        for number in dict.fromkeys((first.month, last.month))
        for name in _names_of_months()[number]
        if is_known(name)
    ]
    year_said = str(first.year) in span.text
    if Days(first, last) == month_span(first.year, first.month):
        named = {f"{name} {first.year}": 0.5 for name, number in names if number == first.month}
        signs = {f"{first.year}{sign}{first.month}": 0.5 for sign in "年년"}
        return {f"{first:%Y-%m}": 0.5, **signs, **named}
    most = 1.0 if first == last else 0.5
    spelt: dict[str, float] = {}
    for ahead in range((last - first).days + 1) if (last - first).days < _SPELT else ():
        day = plus_days(first, ahead)
        spelt |= dict.fromkeys(_in_numbers(day), most)
        spelt |= dict.fromkeys(_in_signs(day), most / 2 if year_said else most)
        for alone in (
            spelling
            for name, number in names
            if number == day.month
            for spelling in _day_and_month(day.day, name)
        ):
            spelt |= {f"{alone} {day.year}": most, alone: most / 2} if year_said else {alone: most}
    return spelt


@cache
def _names_of_months() -> dict[int, list[str]]:
    names: dict[int, dict[str, None]] = {number: {} for number in range(1, 13)}
    for language in _languages():
        for table in ("months", "short_months"):
            for name, number in language.tables.rows(table):
                if not name[0].isdecimal():  # 3月, 3월
                    names[int(number)][name.lower()] = None
    return {number: list(written) for number, written in names.items()}


def _in_numbers(day: date) -> Iterator[str]:
    year, month, number = day.year, day.month, day.day
    yield from (
        f"{year}-{month:02}-{number:02}",
        f"{year}{month:02}{number:02}",
        *(f"{year}{sign}{alone}" for sign, alone in zip("年년", _in_signs(day), strict=True)),
    )
    for places in ("02", ""):
        yield f"{number:{places}}.{month:{places}}.{year}"
        yield f"{month:{places}}/{number:{places}}/{year}"


def _in_signs(day: date) -> tuple[str, str]:
    """A day without its year in Chinese and Japanese, and in Korean; without the last sign, which is looked up together with what follows it."""
    return f"{day.month}月{day.day}", f"{day.month}월 {day.day}"


def _day_and_month(day: int, month: str) -> Iterator[str]:
    suffix = "th" if 10 < day % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    for number in (f"{day}", f"{day}{suffix}"):
        yield from (f"{number} {month}", f"{month} {number}")
    yield from (f"{day} de {month}", f"{day}{suffix} of {month}")


_YEAR = late.pattern(r"(?<!\d)(?:1[5-9]|2[01])\d\d(?!\d)|[〇零一二三四五六七八九]{4}年")
ANCHOR = date(2001, 2, 3)
ANCHORS = (ANCHOR, date(2018, 9, 20))  # what both read alike does not depend on the day of reading
_MOST_BESIDE, _LONGEST_VALUE = 2, 80


def days_of(value: str) -> str:
    """The days that a value is: ISO dates, or `first/last` for a few days up to a month, in order, joined by spaces.

    Empty for any other text: a value that is a date has hardly a word beside it, and says the year.
    """
    value = value.replace("[[", "").replace("]]", "").strip()
    if len(value) > _LONGEST_VALUE or not _YEAR.search(value):
        return ""
    if (moment := parse_timestamp(value)) and not value.isdigit():
        return moment[:10]
    (ranges, remaining), (ranges_later, _) = (find_ranges(value, anchor) for anchor in ANCHORS)
    if not ranges or ranges != ranges_later or len(re.findall(r"[^\W\d_]+", remaining)) > _MOST_BESIDE:
        return ""
    spans = sorted({(span.start, span.end) for span in ranges})
    if not all(start and end and _is_short(start, end) for start, end in spans):
        return ""
    return " ".join(start if start == end else f"{start}/{end}" for start, end in spans)


def _is_short(first: str, last: str, most: int = 31) -> bool:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days <= most


def is_week_or_less(first: str, last: str) -> bool:
    """True for a day, a weekend or a week."""
    return _is_short(first, last, 6)


def falls_in(days: str, first: str, last: str) -> bool:
    """True when one of the days that `days_of` gave is from `first` to `last`, ISO dates of which either may be empty (open)."""
    spans = (day.partition("/") for day in days.split())
    return any((not last or begin <= last) and (end or begin) >= first for begin, _, end in spans)


def _longest(read: Iterable[SpokenDate | None]) -> SpokenDate | None:
    return max(filter(None, read), key=lambda reading: reading.after, default=None)


def with_blanks(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replaces these spans, given in order, by spaces; every other character keeps its place."""
    pieces, position = [], 0
    for start, end in spans:
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join([*pieces, text[position:]])


@lru_cache(maxsize=1024)  # the headers of notes name the same days
def parse_timestamp(text: str) -> str:
    """Normalises a timestamp to `YYYY-MM-DDTHH:MM:SSZ`, or `YYYY-MM-DD` without a time; returns "" when it cannot be read.

    A time without an offset is UTC; fractions of a second are dropped, so that the results sort as text.
    """
    text = text.strip()
    epoch = _EPOCH.fullmatch(text)
    try:
        if epoch:
            number = int(epoch[1])
            for _ in range(2):  # milliseconds and microseconds since 1970 are told from seconds by their size
                if number >= 10**11:
                    number //= 1000
            return _iso(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number))
        hit = _TIMESTAMP.fullmatch(text.replace("/", "-"))
        return _from_parts(hit) if hit else ""
    except (ValueError, OverflowError):
        return ""


def _read(text: str, today: date, coming: date | None = None) -> tuple[Sequence[str], list[Phrases]]:
    """The words of a text, and a reader for each language that has words among them."""
    words, written, languages = _words_in(text)
    return words, [Phrases(words, written, language, today, coming) for language in languages]


@lru_cache(maxsize=64)  # of a text that is read from several days, one after the other
def _words_in(text: str) -> tuple[Sequence[str], Sequence[str], Sequence[_Language]]:
    """The words of a text without case and accents and as they are written, a comma with the word before it, and the languages that have some of them."""
    as_read = _words_of(text)
    # A word may be nothing but an accent, which folding takes off.
    words = [(word and _normal(word)) or "?" for word in as_read]
    ends = (hit.end() for hit in _WORDS.finditer(text)) if "," in text else ()
    written = [word + "," * text.startswith(",", end) for word, end in zip(as_read, ends, strict=False)]
    written = written or as_read
    return words, written, _present(words)


def _range(text: str, start: int, end: int, spoken: SpokenDate) -> DateRange:
    first, last = (day.isoformat() if day else "" for day in (spoken.first, spoken.last))
    return DateRange(first, last, text[start:end], (start, end))


def _from_parts(hit: re.Match[str]) -> str:
    year, month, day, hour, minute, second = (int(digits or 0) for digits in hit.group(1, 2, 3, 4, 5, 6))
    if hit[4] is None:
        return date(year, month, day).isoformat()
    offset = timedelta(hours=int(hit[9] or 0), minutes=int(hit[10] or 0))
    zone = timezone(-offset if hit[8] == "-" else offset)
    return _iso(datetime(year, month, day, hour, minute, second, tzinfo=zone))


def _iso(moment: datetime) -> str:
    # Not by strftime, which does not fill up the year 1 to four digits.
    return moment.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


# The words of dates, one file a language. A word of a table may be several words of a text: `last night`, `il y a`, `星期一`.

_LANGUAGES = ("en", "de", "fr", "es", "zh", "it", "pt", "nl", "ru", "ko")
# without a letter of it, nothing is read
_SCRIPTS = {"ru": late.pattern("[\u0400-\u04ff]"), "ko": late.pattern("[\u1100-\u11ff\uac00-\ud7a3]")}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_DIGITS = {digit: str(n) for n, digit in enumerate("零一二三四五六七八九")} | {
    "〇": "0",
    "两": "2",
    "兩": "2",
}
# One of these stands in every phrase that has no number.
_NOUNS = (
    "told",
    "months",
    "weekdays",
    "weekend",
    "seasons",
    "quarters",
    "units",
    "calendar",
    "fixed",
    "never",
)
# One of these, or a noun, stands in every phrase of more than numbers.
_LEADS = ("leads", "openings", "pair_starts", "parts", "year_words")
_FIRST = (
    "articles",
    "which",
    "rolling",
    "numbers",
    "few",
    "days",
    "ago_before",
    "ahead_before",
    "within_before",
    *_LEADS,
    *_NOUNS,
)
# One of these stands behind every count with which a phrase begins: it is no year.
_BEHIND_COUNTS = ("units", "rolling", "day_marks", "of", "months", "pair_joins", "year_marks")
# Lists of no word of a phrase.
_OF_NO_PHRASE = frozenset({"past", "ahead", "traits", "traditional", "hour_leads"})
_SHORT = 3  # how firm a word before a bare short month must be


class _Table:
    """Words and what they mean, found by the first of them."""

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        self.meaning: dict[str, str] = {}
        self.longest: dict[str, int] = {}  # by their first word
        for word, meaning in rows:
            parted = word.lower().replace(".", " . ")  # `1. Quartal`
            if word.isascii() and parted.translate({32: None, 46: None}).isalnum():
                self._add(parted.split(), meaning)
                continue
            self._add(_split(word), meaning)
            spelled = word.lower().translate(_UMLAUTS)
            if spelled != word.lower():
                self._add(_split(spelled), meaning)

    def _add(self, words: list[str], meaning: str) -> None:
        self.meaning[" ".join(words)] = meaning
        if len(words) > self.longest.get(words[0], 0):
            self.longest[words[0]] = len(words)


def _split(text: str) -> list[str]:
    return [_normal(word) if word else "?" for word in _words_of(text)]


def _words_of(text: str) -> list[str]:
    """The words of a text as `_WORDS` finds them, which takes milliseconds to compile."""
    has_numbers = any(map(str.isdecimal, text)) or max(text, default="") > "\u2fff"
    return (_WORDS if has_numbers else _WORDS_WITHOUT_NUMBERS).findall(text)


class _Tables(dict[str, _Table]):
    """The tables of a language, each made when it is first asked for; one that the language has no use for is empty."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def __missing__(self, name: str) -> _Table:
        names = (name, f"short_{name}") if name in ("months", "weekdays") else (name,)
        table = self[name] = _Table(row for list_name in names for row in self.rows(list_name))
        return table

    def rows(self, name: str) -> Iterator[tuple[str, str]]:
        """Each word as it is written, with its meaning."""
        for line in lists.lines(f"{self.file}.{name}") if name in lists.names(self.file) else ():
            meaning, _, words = line.partition(": ")
            yield from ((word, meaning) for word in words.split(", "))


def _firsts(names: Iterable[str]) -> cached_property[frozenset[str]]:
    """The first words of the words of some tables of a language."""
    return cached_property(
        lambda language: frozenset(word for name in names for word in language.tables[name].longest)
    )


class _Language:
    """The words and habits of one language."""

    nouns, leads, starts, behind_counts = map(_firsts, (_NOUNS, _LEADS, _FIRST, _BEHIND_COUNTS))

    def __init__(self, code: str) -> None:
        self.tables = _Tables(f"dates_{code}")

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that may stand in a phrase; `.` and `'s` among them."""
        names = [name for name in lists.names(self.tables.file) if name not in _OF_NO_PHRASE]
        return frozenset(
            word for name in names for entry in self.tables[name].meaning for word in entry.split()
        ) | {".", "'s"}

    @cached_property
    def traits(self) -> frozenset[str]:
        return frozenset(self.tables["traits"].meaning)

    @cached_property
    def _past(self) -> re.Pattern[str]:
        """Any verb of the past; `ge-t` stands for all that begins and ends so."""
        signs = [re.escape(word).replace(r"\-", r"\w{2,12}") for word, _ in self.tables.rows("past")]
        return re.compile("|".join(signs))

    def tells_past(self, words: Sequence[str]) -> bool | None:
        """Whether one of these words is a verb of the past, and none says that something lies ahead; None where no such verbs are known."""
        ahead = self.tables["ahead"].meaning
        return (
            any(map(self._past.fullmatch, words)) and ahead.keys().isdisjoint(words)
            if self._past.pattern
            else None
        )

    @cached_property
    def needed(self) -> dict[str, int]:
        """How firm a word before a bare month or weekday must be, where it must be at all."""
        short = {_normal(word): _SHORT for word, _ in self.tables.rows("short_months")}
        short |= {_normal(word): 1 for word, _ in self.tables.rows("short_weekdays")}
        return short | {word: int(value) for word, value in self.tables["unsure"].meaning.items()}

    @cached_property
    def short(self) -> frozenset[str]:
        return frozenset(word for word, value in self.needed.items() if value == _SHORT)


@cache
def _languages() -> tuple[_Language, ...]:
    return tuple(map(_Language, _LANGUAGES))


@cache
def _starting(languages: tuple[_Language, ...]) -> frozenset[str]:
    """The first words of all date phrases of some languages."""
    return frozenset[str]().union(*(language.starts for language in languages))


def _present(words: Sequence[str]) -> list[_Language]:
    """The languages that may have a date phrase among these words; those of numbers alone are read as English."""
    vocabulary = set(words)
    numbers = [word for word in vocabulary if word[0].isdecimal()]
    letters = "".join(vocabulary)
    written = [
        (code, language)
        for code, language in zip(_LANGUAGES, _languages(), strict=True)
        if code not in _SCRIPTS or (not letters.isascii() and _SCRIPTS[code].search(letters))
    ]
    if any("." in word or "/" in word for word in numbers):  # 3.3.2024, 25/12/2024
        return [language for _, language in written]
    if letters.isascii() and not any(map(str.isdecimal, letters)):  # without which Chinese tells no date
        written = [(code, language) for code, language in written if code != "zh"]
    return [
        language
        for code, language in written
        if not vocabulary.isdisjoint(language.nouns)
        or (numbers and (code == "en" or not vocabulary.isdisjoint(language.leads)))
    ]


@cache
def _simplified() -> dict[str, str]:
    return {pair[0]: pair[1] for pair in lists.words("dates_zh.traditional")}


@lru_cache(maxsize=8192)
def _normal(word: str) -> str:
    """The word without case and accents; a number in digits, without the zero before it."""
    if not word.isascii():
        if word[0] in _DIGITS or word[0] == "十":
            tens, ten, ones = word.partition("十")
            if not ten:
                return "".join(_DIGITS[digit] for digit in word)
            return _DIGITS.get(tens, "1") + _DIGITS.get(ones, "0")
        word = _simplified().get(word) or fold(word).replace("’", "'")
    word = word.lower()
    return word[1:] if len(word) == 2 and word[0] == "0" and word.isdecimal() else word


# The grammar of date phrases. It reads the words of one language from a position on.

_MOST = {"day": 36500, "week": 5200, "month": 1200, "quarter": 400, "year": 100}
_FIELD = 5  # as firm as a lead can be: the value of `since:`
_ELSEWHERE = (
    400  # days: a date that a year or a word such as `last` fixes is the same when read so many days later
)
_COMING = (7, 31, 366)  # days until a weekday, a day of the month and a day of the year have come again
_AHEAD = (6, 27, 364)  # days in which a weekday, a day of the month and a day of the year come once
_LONGEST_COUNT = len("99999")
_COMPACT = late.pattern(r"((?:19|20|21)\d\d)(\d\d)(\d\d)", re.ASCII)


class SpokenDate(NamedTuple):
    """A span of days, and the index of the first word after the phrase; None is an open end, two are no date at all."""

    first: date | None
    last: date | None
    after: int


class _Moment(NamedTuple):
    span: Days
    after: int


class Phrases:
    """Reads date phrases of one language from the words of one text.

    Args:
        words: the words without case and accents.
        written: the words as written.
        today: the day that relative phrases count from.
        coming: the day up to which those without a year are read, of what lies ahead; without it they are the last up to today.
    """

    def __init__(
        self,
        words: Sequence[str],
        written: Sequence[str],
        language: _Language,
        today: date,
        coming: date | None = None,
    ) -> None:
        self._words = words
        self._written = written
        self.language = language
        self._tables = language.tables
        self._traits = language.traits
        self._today = today
        self._is_ahead = coming is not None
        self._anchor = coming or today

    def phrase(self, at: int) -> SpokenDate | None:
        """Reads the longest date phrase that begins at a word, including words such as `since`."""
        if not self._may_begin(at):
            return None
        if never := self._take("never", at):
            return SpokenDate(None, None, never[1])
        return self._opened_pair(at) or self._open_ended(at) or self._closed(at)

    def _may_begin(self, at: int) -> bool:
        """False where no phrase begins at a word: it is a count of something else, or the words of dates from there on name nothing."""
        word, language = self._words[at], self.language
        if word not in language.starts:
            is_count = word.isdecimal() and len(word) < len("2025")
            return word[0].isdecimal() and not (is_count and self._word(at + 1) not in language.behind_counts)
        for word in islice(self._words, at, None):
            if word in language.nouns or word[0].isdecimal():
                return True
            if word not in language.words:
                return False
        return False

    def value(self, at: int) -> SpokenDate | None:
        """Reads the date phrase that begins at a word as the value of a date field."""
        moment = self._moment(at, _FIELD, self._anchor)
        return SpokenDate(*moment.span, self._possessive(moment.after)) if moment else None

    @cached_property
    def _is_signed(self) -> bool:
        """True where a word is surely of this language."""
        return any(self._take("signs", place) for place in range(len(self._words)))

    def _word(self, at: int) -> str:
        return self._words[at] if at < len(self._words) else ""

    def _take(self, name: str, at: int) -> tuple[str, int] | None:
        """The meaning of the longest word of a table that stands here, and the index after it."""
        table, words = self._tables[name], self._words
        longest = table.longest.get(words[at]) if at < len(words) else None
        if longest is None:
            return None
        for size in range(min(longest, len(words) - at), 0, -1):
            meaning = table.meaning.get(" ".join(words[at : at + size]))
            if meaning is not None:
                return meaning, at + size
        return None

    def _skip(self, name: str, at: int) -> int:
        phrase = self._take(name, at)
        return phrase[1] if phrase else at

    def _possessive(self, at: int) -> int:
        return at + 1 if self._word(at) == "'s" else at

    # between X and Y, from X to Y, X – Y: where only one names its year or month, the other is the nearest that fits

    def _opened_pair(self, at: int) -> SpokenDate | None:
        opener = self._take("pair_starts", at)
        if opener is None:
            return None
        return self._pair(opener[1], opener[0], self._moment(opener[1], _FIELD, self._anchor))

    def _pair(self, at: int, kind: str, x: _Moment | None) -> SpokenDate | None:
        begun = x or self._day_alone(at, self._anchor)
        join = self._take("pair_joins", begun.after) if begun else None
        if begun is None or join is None or kind not in join[0].split():
            return None
        y = self._moment(join[1], _FIELD, self._anchor)
        if x is None:
            x = self._day_alone(at, y.span.last) if y and y.span.first == y.span.last else None
        elif y is None:
            y = self._following(x, lambda anchor: self._day_alone(join[1], anchor, ends=True))
        elif self._is_fixed(at, x) and not self._is_fixed(join[1], y):
            y = self._following(x, lambda anchor: self._moment(join[1], _FIELD, anchor)) or y
        else:
            x = self._moment(at, _FIELD, y.span.last) or x
        if x is None or y is None:
            return None
        after = self._skip("pair_ends", y.after)
        if after == y.after and "closed" in join[0]:
            return None
        return SpokenDate(min(x.span.first, y.span.first), max(x.span.last, y.span.last), after)

    def _is_fixed(self, at: int, moment: _Moment) -> bool:
        return self._moment(at, _FIELD, plus_days(self._today, _ELSEWHERE)) == moment

    def _following(self, x: _Moment, read: Callable[[date], _Moment | None]) -> _Moment | None:
        moments = (read(plus_days(x.span.first, days)) for days in _AHEAD)
        return next((y for y in moments if y and y.span.last >= x.span.last), None)

    def _day_alone(self, at: int, anchor: date, *, ends: bool = False) -> _Moment | None:
        """The latest such day of a month: `3.`, `5日`, or a plain number, which ends a phrase only where no word follows."""
        at = self._skip("articles", at)
        number, after = self._day(at)
        marked = self._skip("day_marks", after)
        bare = marked == after and self._word(at).isdecimal()
        if not number or (bare and ("outer first" in self._traits or (ends and self._is_word(after)))):
            return None
        for back in range(3):  # a month without that day is followed by one with it
            month = month_span(anchor.year, anchor.month - back).first
            span = exact_span(month.year, month.month, number)
            if span and span.first <= anchor:
                return _Moment(span, marked)
        return None

    def _this(self, at: int) -> _Moment | None:
        """What is going on as one speaks of what is to be done by its end: `by the weekend`, `bis Ende der Woche`."""
        bare = self._skip("articles", at)
        named = self._take("weekend", bare) or self._take("calendar", bare)
        return self._named(bare, 0) if named else None

    def _marked_day(self, at: int, anchor: date) -> _Moment | None:
        """A day of a month by what is no plain number, or by one behind an article and before no word: `the 15th`, `zum 15.`, `avant le 30`."""
        day = self._day_alone(at, anchor, ends=True)
        is_bare = day is not None and self._word(day.after - 1).isdecimal()
        return None if is_bare and self._skip("articles", at) == at else day

    def _is_word(self, at: int) -> bool:
        return self._word(at).isalpha()

    # since X, until X, before X, after X, X以来: one end is open

    def _open_ended(self, at: int) -> SpokenDate | None:
        opening = self._take("openings", at)
        if opening is None or self._skip("fixed", at) > opening[1]:  # `depois de amanhã` is a day
            return None
        kind, lead = opening[0].split()
        moment = self._moment(opening[1], _FIELD if self._is_ahead else int(lead), self._anchor)
        if moment is None and kind == "since" and "since count" in self._traits:
            moment = self._back(self._counted(opening[1]))
        if moment is None:
            return None
        part = self._take("parts", self._skip("articles", opening[1]))
        if kind == "before" and part and part[0] == _END:  # what is done on its last day is still in time
            kind = "until"
        if kind == "from":
            closing = self._take("closings", moment.after)
            return SpokenDate(moment.span.first, None, closing[1]) if closing and closing[0] == kind else None
        return self._opened(kind, moment.span, self._possessive(moment.after))

    def _opened(self, kind: str, span: Days, after: int) -> SpokenDate:
        if kind == "since":
            return SpokenDate(span.first, None, after)
        if kind == "after":
            return SpokenDate(plus_days(span.last, 1), None, after)
        return SpokenDate(None, plus_days(span.first, -1) if kind == "before" else span.last, after)

    def _closed(self, at: int) -> SpokenDate | None:
        start, lead = self._lead(at)
        moment = self._moment(start, lead, self._anchor)
        if moment is None and start > at:  # the first word of `el año pasado` is no lead
            start, moment = at, self._moment(at, 0, self._anchor)
        if pair := self._pair(start, "alone", moment):
            return pair
        if moment is None:
            return None
        if self._is_ahead and self._take("pair_starts", at):  # `the letter from Monday`
            return SpokenDate(None, None, moment.after)
        closing = self._take("closings", moment.after)
        if closing and closing[0] in ("since", "until", "before", "after"):
            return self._opened(closing[0], moment.span, closing[1])
        return SpokenDate(*moment.span, self._possessive(moment.after))

    def _lead(self, at: int) -> tuple[int, int]:
        """Where the date begins, and how firmly the word before it says that one does."""
        lead = self._take("leads", at)
        if lead is None:
            return at, 0
        after = lead[1] - 1 if self._take("articles", lead[1] - 1) else lead[1]  # the article of `over the`
        return after, int(lead[0])

    def _moment(self, at: int, lead: int, anchor: date) -> _Moment | None:
        plain = self._skip("articles", at)
        return self._beside(plain, anchor) or self._part(plain, anchor) or self._whole(at, lead, anchor)

    # March of last year, 去年三月: the one lies inside the other

    def _whole(self, at: int, lead: int, anchor: date) -> _Moment | None:
        moment = self._plain(at, lead, anchor)
        if moment is None:
            return (self._this(at) or self._marked_day(at, anchor)) if self._is_ahead and lead else None
        if "outer first" in self._traits:
            return self._inside(moment) or moment
        outer = self._relative(self._skip("articles", self._skip("of", moment.after)))
        inner = self._plain(at, lead, outer.span.last) if outer else None
        if outer is None or inner is None or not _lies_in(inner.span, outer.span):
            return moment
        return _Moment(inner.span, outer.after)

    def _inside(self, outer: _Moment) -> _Moment | None:
        third = self._take("parts_after", outer.after)
        if third:
            return _Moment(third_of(outer.span, int(third[0])), third[1]) if is_long(outer.span) else None
        begin, end = self._skip("of", outer.after), outer.span.last
        inner = self._plain(begin, _FIELD, end) or self._day_alone(begin, end)
        if inner is None or not _lies_in(inner.span, outer.span):
            return None
        return (self._inside(inner) if inner.span != outer.span else None) or inner

    def _plain(self, at: int, lead: int, anchor: date) -> _Moment | None:
        bare = self._skip("articles", at)
        named = bare > at and self._take("months", bare)
        return (
            self._ago(bare)
            or self._ahead(bare)
            or self._rolling(at)
            or self._relative(bare)
            or self._dated(bare, anchor, lead)
            or self._bare(bare, anchor, 0 if named else lead)
        )

    # two days before X, the week after X, the Sunday before X

    def _beside(self, at: int, anchor: date) -> _Moment | None:
        counted = self._counted(at)
        if counted:
            side_at = counted[2]
        else:
            which = self._take("which", at)
            unit_at = which[1] if which and which[0] == "-1" else at
            side_at = max(self._skip(name, unit_at) for name in ("units", "weekdays", "weekend"))
            if side_at == unit_at:
                return None
        side = self._take("sides", side_at)
        x = self._plain(side[1], 3, anchor) if side else None
        if side is None or x is None:
            return None
        edge, sign = (x.span.first, -1) if side[0] == "before" else (x.span.last, 1)
        if counted:
            count, unit, _ = counted
            return _Moment(span_around(moved(edge, unit, sign * count), unit), x.after)
        return _Moment(self._neighbour(unit_at, edge, sign), x.after)

    def _neighbour(self, at: int, edge: date, sign: int) -> Days:
        if day := self._take("weekdays", at):
            return weekday(edge, int(day[0]), sign)
        if self._take("weekend", at):
            return weekend_span(weekday(edge, 6 if sign < 0 else 5, sign).first)
        unit = self._take("units", at)
        ends = sorted((plus_days(edge, sign), moved(edge, unit[0] if unit else "day", sign)))
        return Days(ends[0], ends[1])

    # three weeks ago, vor drei Wochen, a few days ago

    def _ago(self, at: int) -> _Moment | None:
        before = self._take("ago_before", at)
        start = before[1] if before else at
        moment = self._back(self._counted(start)) or self._few(start)
        if moment is None:
            return None
        after = self._take("ago_after", moment.after)
        if before is None and after is None:
            return None
        return moment._replace(after=after[1] if after else moment.after)

    # a week later, brought forward by two days, the 12th instead

    def shifted(self, at: int) -> date | None:
        """The day to which words move the one that is counted from, where they say at a place by how much, or which day of the month it is."""
        if counted := self._counted(at):
            beside = (*range(max(at - 3, 0), at), counted[2])  # `put back by a week`, `a week later`
            signs = [
                int(phrase[0])
                for n in beside
                if (phrase := self._take("shifts", n)) and (n >= at or phrase[1] >= at - 1)
            ]
            return moved(self._today, counted[1], counted[0] * min(signs)) if signs else None
        number, before = _day_number(self._word(at)), self._word(at - 1) if at else ""
        is_named = before in self._tables["articles"].meaning or before in self._tables["leads"].meaning
        is_ordinal = not self._word(at).isdecimal() or "month day" not in self._traits  # `the 2 of us`
        behind = self._word(at + 1)  # not `the 3rd floor`
        ends = (
            not behind
            or behind in self._tables["shift_ends"].meaning
            or any(behind in small for small in SMALL.values())
        )
        if not (number and is_named and is_ordinal and ends):
            return None
        span = exact_span(self._today.year, self._today.month, number)
        return span.first if span else None

    # in drei Wochen, 8 days from now

    def _ahead(self, at: int) -> _Moment | None:
        before = self._take("ahead_before", at) or self._within("within_before", at)
        counted = self._counted(before[1] if before else at)
        after = (
            self._take("ahead_after", counted[2]) or self._within("within_after", counted[2])
            if counted
            else None
        )
        if counted is None or (before is None and after is None):
            return None
        return _Moment(self._days_away(counted[0], counted[1]), after[1] if after else counted[2])

    def _within(self, name: str, at: int) -> tuple[str, int] | None:
        """Words such as `within`, which count ahead only of what is to be done."""
        return self._take(name, at) if self._is_ahead else None

    def _counted(self, at: int) -> tuple[int, str, int] | None:
        """Reads `3 weeks`, `two days`, `a couple of years`; returns (3, "week", index after it)."""
        count, after = self._number(at)
        unit = self._take("units", after) if count else None
        return (count, unit[0], unit[1]) if unit and count <= _MOST[unit[0]] else None

    def _number(self, at: int) -> tuple[int, int]:
        word = self._word(at)
        if word.isdecimal():
            return (int(word), at + 1) if len(word) <= _LONGEST_COUNT else (0, at)
        spelled = self._take("numbers", at)
        return (int(spelled[0]), spelled[1]) if spelled else (0, at)

    def _back(self, counted: tuple[int, str, int] | None) -> _Moment | None:
        if counted is None:
            return None
        count, unit, after = counted
        return _Moment(self._days_away(-count, unit), after)

    def _days_away(self, count: int, unit: str) -> Days:
        day = moved(self._today, unit, count)
        return Days(day, day) if self._is_ahead else span_around(day, unit)

    def _few(self, at: int) -> _Moment | None:
        few = self._take("few", at)
        unit = self._take("units", few[1]) if few else None
        if unit is None:
            return None
        ends = [span_around(moved(self._today, unit[0], -n), unit[0]) for n in (5, 2)]
        return _Moment(Days(ends[0].first, ends[1].last), unit[1])

    # the last three months, les trois derniers mois, the last week: up to now

    def _rolling(self, at: int) -> _Moment | None:
        number, start = self._number(self._skip("articles", at))
        if number and (rolling := self._take("rolling", start)):  # trois derniers mois
            unit = self._take("units", rolling[1])
            return self._rolled(int(rolling[0]) * number, unit)
        rolling = self._take("rolling", at) or self._take("rolling", self._skip("articles", at))
        which = rolling or self._take("which", self._skip("articles", at))
        if which is None:
            return None
        if counted := self._counted(which[1]):
            return self._rolled(int(which[0]) * counted[0], counted[1:])
        unit = self._take("calendar", which[1]) if rolling else None
        return None if unit and self._stands_alone(unit[1]) else self._rolled(int(which[0]), unit)

    def _rolled(self, count: int, unit: tuple[str, int] | None) -> _Moment | None:
        if not count or unit is None or abs(count) > _MOST[unit[0]]:
            return None
        ends = sorted((self._today, moved(self._today, unit[0], count)))
        return _Moment(Days(ends[0], ends[1]), unit[1])

    def _stands_alone(self, at: int) -> bool:
        """True for the `of` of `the last week of school`, which is no last week."""
        return "last of" in self._traits and self._take("of", at) is not None

    # yesterday, last week, la semaine dernière, this weekend, next Friday, last March

    def _relative(self, at: int) -> _Moment | None:
        if fixed := self._take("fixed", at):
            return self._fixed(at, fixed)
        which = self._take("which", at)
        if which:
            moment = self._named(which[1], int(which[0]))
            # ce mois-ci, este lunes pasado
            tail = self._take("which_after", moment.after) if moment else None
            if tail and (last := self._named(which[1], int(tail[0]))):
                return last._replace(after=tail[1])
            return None if moment is None or self._stands_alone(moment.after) else moment
        nouns = ("weekend", "weekdays", "calendar", "seasons", "months")
        after = max(self._skip(name, at) for name in nouns) if self._tables["which_after"].longest else at
        which = self._take("which_after", after) if after > at else None
        moment = self._named(at, int(which[0])) if which else None
        return moment._replace(after=which[1]) if moment and which else None

    def _fixed(self, at: int, fixed: tuple[str, int]) -> _Moment | None:
        meaning, after = fixed
        doubtful = self._take("doubtful", at)
        if doubtful and doubtful[1] == after and not self._is_signed:
            return None
        unit, *counts = meaning.split()
        spans = [span_around(moved(self._today, unit, int(count)), unit) for count in counts]
        return _Moment(Days(spans[0].first, spans[-1].last), after)

    def _named(self, at: int, which: int) -> _Moment | None:
        if weekend := self._take("weekend", at):
            return _Moment(weekend_span(plus_days(self._today, 7 * which)), weekend[1])
        if day := self._take("weekdays", at):
            return _Moment(self._weekday(int(day[0]), which), day[1])
        if unit := self._take("calendar", at):
            span = span_around(self._today, unit[0])
            return _Moment(span_around(moved(span.first, unit[0], which), unit[0]), unit[1])
        if season := self._take("seasons", at):
            return _Moment(
                relative_year(self._today, which, lambda y: month_span(y, int(season[0]), 3)), season[1]
            )
        month = self._take("months", at)
        if month is None or (which == 0 and self._take("verbs", at)):
            return None
        return _Moment(relative_year(self._today, which, lambda y: month_span(y, int(month[0]))), month[1])

    def _weekday(self, number: int, which: int) -> Days:
        if "weekday of week" in self._traits:  # 上周一 is the Monday of last week
            return weekday(plus_days(self._today, 7 * which), number, 0)
        return weekday(self._today, number, which)

    # early March, mid-2024, the end of last year

    def _part(self, at: int, anchor: date) -> _Moment | None:
        third = self._take("parts", at)
        outer = self._whole(third[1], 4, anchor) if third else None
        if third is None or outer is None:
            return None
        if not is_long(outer.span):
            return outer if self._is_ahead else None
        return _Moment(third_of(outer.span, int(third[0])), outer.after)

    # 2025-04-08, 04/2025, March 5th, 2025, 5 March, March 2025, summer 2025, Q1 2025

    def _dated(self, at: int, anchor: date, lead: int) -> _Moment | None:
        word = self._word(at)
        if word[:1].isdecimal() and any(mark in word for mark in "-/."):
            span = self._numeric(word, lead, anchor)
            return _Moment(span, at + 1) if span else None
        if compact := _COMPACT.fullmatch(word):
            span = exact_span(*map(int, compact.groups()))
            return _Moment(span, at + 1) if span else None
        number, after = self._day(at)
        if number and (moment := self._day_first(at, number, after, anchor, lead)):
            return moment
        if month := self._take("months", at):
            return self._month_first(at, month, anchor, lead)
        named = self._take("seasons", at) or self._take("quarters", at)
        number, after = self._year(self._skip("of", named[1])) if named else (0, at)
        return _Moment(self._recurring(named[0], number), after) if named and number else None

    def _day(self, at: int) -> tuple[int, int]:
        number = _day_number(self._word(at))
        if number:
            return number, at + 1
        spelled = self._take("days", at)
        return (int(spelled[0]), spelled[1]) if spelled else (0, at)

    def _year(self, at: int) -> tuple[int, int]:
        """A year, with the word for it where the language needs one: `2024年`."""
        word = self._take("year_words", self._skip("articles", at))
        at = word[1] if word else at
        number, mark = _year_number(self._word(at)), self._take("year_marks", at + 1)
        if self._tables["year_marks"].longest and (mark is None or mark[0] != "yes"):
            return 0, at
        return number, mark[1] if mark else at + 1

    def _month_first(self, at: int, month: tuple[str, int], anchor: date, lead: int) -> _Moment | None:
        day_at = self._dot(at, month[1])
        day, after = self._day(day_at)
        joined = self._skip("pair_joins", after)
        # `from April, 11 to 5` tells hours.
        is_hours = (
            self._written[day_at - 1].endswith(",") and after < joined and self._word(joined).isdecimal()
        )
        if "month day" in self._traits and not is_hours:
            marked = self._skip("day_marks", after)
            ranging = self._day_alone(joined, anchor)  # 3月5-8日
            if day and (marked > after or ranging or "outer first" not in self._traits):
                firm = lead or not self._words[day_at].isdecimal()
                return self._day_of_month(at, day, marked, anchor, firm=bool(firm))
        number, after = self._year(self._skip("of", day_at))
        return _Moment(month_span(number, int(month[0])), after) if number else None

    def _dot(self, month_at: int, after: int) -> int:
        """The index after the dot of a shortened month."""
        return after + (self._word(after) == "." and self._words[month_at] in self.language.short)

    def _day_first(self, at: int, number: int, after: int, anchor: date, lead: int) -> _Moment | None:
        after = self._skip("day_marks", after)
        of = self._skip("of", after)
        month = self._take("months", of)
        if month is None or "outer first" in self._traits:
            return None
        dotted = after > at + 1
        if dotted and not lead and self._take("shared", of) and not self._year(self._dot(of, month[1]))[0]:
            return None  # the second point of an English list
        firm = lead or dotted or of > after or not self._words[at].isdecimal()
        return self._day_of_month(of, number, month[1], anchor, firm=bool(firm))

    def _day_of_month(
        self, month_at: int, day: int, after: int, anchor: date, *, firm: bool
    ) -> _Moment | None:
        month = self._take("months", month_at)
        if month is None:
            return None
        number, end = self._year(self._skip("of", self._dot(month_at, after)))
        if number:
            span = exact_span(number, int(month[0]), day)
            return _Moment(span, end) if span else None
        # "we may 5 …": a lower-case verb and a number are a date only where no words go on with them: `14 may, no party`, `14 may at 9:05`.
        verb = self._take("verbs", month_at) and not self._written[month_at][0].isupper()
        hour = self._take("hour_leads", after)
        is_apart = self._written[after - 1].endswith(",") or (hour and self._word(hour[1]).isdecimal())
        if verb and not firm and self._is_word(after) and not is_apart:
            return None
        span = latest_span(lambda y: exact_span(y, int(month[0]), day), anchor)
        return _Moment(span, after) if span else None

    def _numeric(self, word: str, lead: int, anchor: date) -> Days | None:
        numbers = [int(digits) for digits in re.split(r"[-/.]", word) if digits]
        if len(numbers) < 2:  # one character may be a number and its point: `⒊`
            return None
        day_first = "numbers day first" in self._traits
        if "." in word and len(word.partition(".")[0]) > len("31"):  # 2020.09.05
            return exact_span(*numbers)
        if "." in word:
            return self._dotted(numbers, lead, anchor) if day_first else None
        if len(numbers) < 3:
            year, month = numbers if "-" in word else numbers[::-1]
            return month_span(year, month) if year and 0 < month <= 12 else None
        if "-" in word or len(word.partition("/")[0]) > len("31"):
            return exact_span(*numbers)
        first, second, year = numbers  # 25/12/2024 is the same day to everyone, 03/04/2024 is not
        if day_first and (lead or first > 12):
            return exact_span(year, second, first)
        return exact_span(year, first, second) if second > 12 else None

    def _dotted(self, parts: list[int], lead: int, anchor: date) -> Days | None:
        day, month, *year = parts
        if year:
            return exact_span(year[0], month, day)
        return latest_span(lambda number: exact_span(number, month, day), anchor) if lead else None

    def _recurring(self, meaning: str, number: int) -> Days:
        if meaning == "12" and month_span(number, 12).first > self._today:
            number -= 1  # "winter 2025", said in March 2025, began in 2024
        return _season_or_quarter(meaning, number)

    # in May, in 2025, over the summer, on Monday: only where a word before it says that a date follows

    def _bare(self, at: int, anchor: date, lead: int) -> _Moment | None:
        if month := self._take("months", at):
            return self._bare_month(at, month, anchor, lead)
        number, after = self._year(at)
        if number:
            firm = lead > 1 or after > at + 1  # with the word for a year
            counts = self._take("units", after)  # 2000 years
            return _Moment(year_span(number), after) if firm and not counts else None
        if day := self._take("weekdays", at):
            return self._bare_weekday(at, day, anchor, lead)
        named = self._take("seasons" if lead > 3 else "quarters", at) or self._take("quarters", at)
        if named is None or lead < 2:
            return None
        meaning, after = named
        span = latest_span(lambda year: _season_or_quarter(meaning, year), anchor)
        return _Moment(span, after) if span else None

    def _bare_weekday(self, at: int, day: tuple[str, int], anchor: date, lead: int) -> _Moment | None:
        needed = self.language.needed.get(" ".join(self._words[at : day[1]]), 0)  # `sat`
        before = self._words[at - 1] if at else ""
        if needed and (not before or lead < needed or before in self.language.tables["articles"].meaning):
            return None  # `in the sun`, `mon chien`
        exact = self._dated(self._skip("articles", day[1]), anchor, lead)  # Monday, June 5
        if exact and (lead or exact.span.first == exact.span.last):
            return exact
        last = self._is_ahead and not (needed or self._is_word(day[1]))  # `ring Tom monday`
        if not (lead or last or "bare weekday" in self._traits):
            return None
        return _Moment(weekday(plus_days(anchor, 1), int(day[0]), -1), day[1])

    def _bare_month(self, at: int, month: tuple[str, int], anchor: date, lead: int) -> _Moment | None:
        needed = self.language.needed.get(" ".join(self._words[at : month[1]]), 0)
        if lead < needed or (needed and self._possessive(month[1]) > month[1]):
            return None
        span = latest_span(lambda y: month_span(y, int(month[0])), anchor)
        return _Moment(span, month[1]) if span else None


def _lies_in(inner: Days, outer: Days) -> bool:
    return outer.first <= inner.first <= outer.last


def _day_number(word: str) -> int:
    digits = word.rstrip("stndrheoa")
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= len("31") else 0


def _year_number(word: str) -> int:
    likely = len(word) == len("2025") and word.isascii() and word.isdecimal()
    return int(word) if likely and word[:2] in ("19", "20", "21") else 0


def _season_or_quarter(meaning: str, year: int) -> Days:
    """A season by its first month, a quarter by its first month and its length."""
    first, _, length = meaning.partition(" ")
    return month_span(year, int(first), int(length or 3))


# Zones of time: a moment as the clock on somebody's wall shows it. Pure.

_OFFSET = late.pattern(r"([+-])(\d\d):?([0-5]\d)")
_OWN = late.pattern(r"T\d[\d:.,]*+ ?([+-]\d\d:?\d\d)$", re.IGNORECASE)


@lru_cache(maxsize=64)
def zone_of(name: str) -> tzinfo | None:
    """The zone with an IANA name (`Europe/Berlin`) or an offset (`-08:00`); None where there is none."""
    if hit := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(hit[2]), minutes=int(hit[3]))
        return timezone(-offset if hit[1] == "-" else offset) if offset < timedelta(hours=24) else None
    if not name:
        return None
    try:
        return late.zoneinfo.ZoneInfo(name)  # most vaults name none, and most turns an offset
    except (ValueError, OSError, LookupError):  # a file system takes offence at some names
        return None


def own_offset(ts: str) -> str:
    """The offset that a time names itself; `Z` and `+00:00` are what machines write, and say nothing of where somebody is."""
    hit = _OWN.search(ts.strip().replace(" ", "T", 1))
    return f"{hit[1][:3]}:{hit[1][-2:]}" if hit and hit[1].strip("+-0:") else ""


def instant(ts: str) -> datetime:
    """A time as a moment that can be compared with others; UTC where it names no zone, and before all others where there is none."""
    moment = datetime.fromisoformat(ts or "0001-01-01")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def offset_at(ts: str, zone: tzinfo | None) -> str:
    """The offset of a zone at a moment in UTC; empty where it is none."""
    if zone is None or "T" not in ts:
        return ""
    try:
        offset = datetime.fromisoformat(ts).astimezone(zone).strftime("%z")
    except (ValueError, OverflowError):
        return ""
    return f"{offset[:3]}:{offset[3:5]}" if offset.strip("+-0") else ""


def local(ts: str, zone: str) -> str:
    """A moment in UTC with the day and hour of a zone, such as `2026-11-24T20:30:00-08:00`; as it is where there is none."""
    place = zone_of(zone)
    if not offset_at(ts, place):
        return ts
    return datetime.fromisoformat(ts).astimezone(place).isoformat(timespec="seconds")
