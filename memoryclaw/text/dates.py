"""Reads English dates in questions, notes and logs into ISO text; text it cannot read stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, timezone
from typing import NamedTuple

# Calendar arithmetic on inclusive spans of days; weeks start on Monday, and results stay within the years 1 to 9999.

_LAST_ORDINAL = date.max.toordinal()
_SHORTEST_MONTH = 28
_LEAP_GAP = 9  # 29 February can be eight years away, across a century that skips it


class Days(NamedTuple):
    """All days from `first` to `last`, both included."""

    first: date
    last: date


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
        found = date(year, month, day)
    except ValueError:
        return None
    return Days(found, found)


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


_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}


def _first_of(year: int, number: int) -> date:
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    if year > MAXYEAR:
        return date.max
    return date(year, number, 1) if year >= MINYEAR else date.min


def is_long(span: Days) -> bool:
    """True for a span of a month or more, which has an early and a late part."""
    return (span.last - span.first).days >= _SHORTEST_MONTH - 1


# A number that belongs to something longer (a path, a version, a time) is no date, nor part of one.
_WORDS = re.compile(
    r"""((?:(?<![\w./\#:-])|(?<=mid-))
      (?:\d{4}-\d\d(?:-\d\d)?(?![\w/-])|\d{1,2}/\d{4}(?![\w/-])|\d++(?:st|nd|rd|th)?(?![\w/]))
    |\bq[1-4]\b | ['’]s\b | [^\W\d_]+ | [-.])
    |[^\s,]""",
    re.IGNORECASE | re.VERBOSE,
)
_TIMESTAMP = re.compile(
    r"""(\d{4})-(\d{1,2})-(\d{1,2})
    (?:[T\s_]\s*(\d{1,2})[:-](\d\d)(?:[:-](\d\d)(?:[.,]\d+)?)?\s*(?:(Z|UTC|GMT)|([+-])(\d\d):?(\d\d)?)?)?""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_EPOCH = re.compile(r"(\d{9,16})(?:\.\d+)?", re.ASCII)


class DateRange(NamedTuple):
    """A span of days named in a text, as inclusive ISO dates; an empty end is open."""

    start: str
    end: str
    text: str  # the words as written
    span: tuple[int, int]  # where they stand in the text


def find_ranges(text: str, today: date) -> tuple[list[DateRange], str]:
    """Finds the date phrases of a text, in order; also returns the text with each of them blanked out, at the same length."""
    hits, phrases = _read(text, today)
    ranges, at = [], 0
    while at < len(hits):
        found = phrases.phrase(at)
        if found:
            ranges.append(_range(text, hits[at].start(), hits[found.after - 1].end(), found))
        at = found.after if found else at + 1
    return ranges, blanked(text, (found.span for found in ranges))


def leading_range(text: str, today: date) -> DateRange | None:
    """Reads the date phrase at the start of a text, as freely as the value of a date field may be written."""
    hits, phrases = _read(text, today)
    found = phrases.value(0)
    return _range(text, 0, hits[found.after - 1].end(), found) if found else None


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replaces these spans, given in order, by spaces; every other character keeps its place."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, text[at:]])


def parse_timestamp(text: str) -> str:
    """Normalises a timestamp to `YYYY-MM-DDTHH:MM:SSZ`, or `YYYY-MM-DD` without a time; returns "" when it cannot be read.

    A time without an offset is UTC; fractions of a second are dropped, so that the results sort as text.
    """
    text = text.strip()
    epoch = _EPOCH.fullmatch(text)
    try:
        if epoch:
            return _iso(_from_epoch(int(epoch[1])))
        hit = _TIMESTAMP.fullmatch(text.replace("/", "-"))
        return _from_parts(hit) if hit else ""
    except (ValueError, OverflowError):
        return ""


def _read(text: str, today: date) -> tuple[list[re.Match[str]], Phrases]:
    hits = list(_WORDS.finditer(text))
    return hits, Phrases([hit[1] or "?" for hit in hits], today)


def _range(text: str, start: int, end: int, found: SpokenDate) -> DateRange:
    first, last = (day.isoformat() if day else "" for day in (found.first, found.last))
    return DateRange(first, last, text[start:end], (start, end))


def _from_epoch(number: int) -> datetime:
    for _ in range(2):  # milliseconds and microseconds since 1970 are told from seconds by their size
        if number >= 10**11:
            number //= 1000
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number)


def _from_parts(hit: re.Match[str]) -> str:
    year, month, day, hour, minute, second = (int(part or 0) for part in hit.group(1, 2, 3, 4, 5, 6))
    if hit[4] is None:
        return date(year, month, day).isoformat()
    offset = timedelta(hours=int(hit[9] or 0), minutes=int(hit[10] or 0))
    zone = timezone(-offset if hit[8] == "-" else offset)
    return _iso(datetime(year, month, day, hour, minute, second, tzinfo=zone))


def _iso(moment: datetime) -> str:
    # Not by strftime, which does not fill up the year 1 to four digits.
    return moment.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


# The grammar of English date phrases. It reads lower-cased words from a position on.

_MONTH_TEXT = "january february march april may june july august september october november december"
_SHORT = ("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec")
_NUMBER_TEXT = "one two three four five six seven eight nine ten eleven twelve"
_MONTHS = {name: i for i, name in enumerate(_MONTH_TEXT.split(), start=1)}
_MONTHS |= {
    short: _MONTHS[name] for short in _SHORT for name in _MONTH_TEXT.split() if name.startswith(short)
}
_WEEKDAYS = {
    "monday": 0,
    "tuesday": 1,
    "wednesday": 2,
    "thursday": 3,
    "friday": 4,
    "saturday": 5,
    "sunday": 6,
}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_FIXED = {"today": (0, 0), "yesterday": (-1, -1), "tomorrow": (1, 1), "tonight": (0, 0)}
_WHICH = {
    "last": -1,
    "past": -1,
    "previous": -1,
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
    "upcoming": 1,
}
_PARTS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
_UNITS = {unit + s: unit for unit in ("day", "week", "month", "quarter", "year") for s in ("", "s")}
_CALENDAR = ("week", "month", "quarter", "year")
_TIMES_OF_DAY = ("morning", "afternoon", "evening", "night")
_MOST = {"day": 36500, "week": 5200, "month": 1200, "quarter": 400, "year": 100}
_NUMBERS = {"a": 1, "an": 1} | {name: i for i, name in enumerate(_NUMBER_TEXT.split(), start=1)}
# How firmly a word before a date says that a date follows. 4 lets any bare month, year or season through.
_LEADS = {"in": 4, "during": 4, "throughout": 4, "since": 4, "until": 4, "till": 4}
_LEADS |= {"before": 3, "after": 3, "by": 2, "from": 2, "on": 1, "over": 1, "within": 1}
_OPEN = frozenset({"since", "until", "till", "before", "after", "by"})
_PAIRS = {"between": ("and",), "from": ("to", "until", "till", "through")}
_AMBIGUOUS = frozenset({"march", "april", "may", "june", "august", *_SHORT})  # also names, verbs, other words
_VERBS = frozenset({"may", "march"})
_STARTS = frozenset(_FIXED) | frozenset(_WHICH) | frozenset(_PARTS) | frozenset(_MONTHS) | frozenset(_NUMBERS)
_STARTS |= (
    frozenset(_LEADS) | frozenset(_WEEKDAYS) | frozenset(_SEASONS) | {"the", "couple", "few", "several"}
)
_STARTS |= {"q1", "q2", "q3", "q4", *_UNITS, *_PAIRS}
_FIELD = 5  # as firm as a lead can be: the value of `since:`


class SpokenDate(NamedTuple):
    """A span of days, and the index of the first word after the phrase; None is an open end."""

    first: date | None
    last: date | None
    after: int


class _Moment(NamedTuple):
    span: Days
    after: int


class Phrases:
    """Reads date phrases from the words of one text.

    Args:
        words: the words, as written.
        today: the day that relative phrases count from.
    """

    def __init__(self, words: Sequence[str], today: date) -> None:
        self._written = words
        self._words = [word.lower() for word in words]
        self._today = today

    def phrase(self, at: int) -> SpokenDate | None:
        """Reads the longest date phrase that begins at a word, including words such as `since`."""
        word = self._word(at)
        if word not in _STARTS and not word[:1].isdigit():
            return None
        return self._pair(at) or self._open_ended(at) or self._closed(self._led(at))

    def value(self, at: int) -> SpokenDate | None:
        """Reads the date phrase that begins at a word as the value of a date field."""
        return self._closed(self._moment(at, _FIELD, self._today))

    def _word(self, at: int) -> str:
        return self._words[at] if at < len(self._words) else ""

    def _closed(self, moment: _Moment | None) -> SpokenDate | None:
        if moment is None:
            return None
        return SpokenDate(moment.span.first, moment.span.last, self._possessive(moment.after))

    def _possessive(self, at: int) -> int:
        return at + 1 if self._word(at) in ("'s", "’s") else at

    # between X and Y, from X to Y: the first date is the latest one not after the second

    def _pair(self, at: int) -> SpokenDate | None:
        joins = _PAIRS.get(self._word(at))
        x = self._moment(at + 1, _FIELD, self._today) if joins else None
        if joins is None or x is None or self._word(x.after) not in joins:
            return None
        y = self._moment(x.after + 1, _FIELD, self._today)
        if y is None:
            return None
        x = self._moment(at + 1, _FIELD, y.span.last) or x
        return SpokenDate(min(x.span.first, y.span.first), max(x.span.last, y.span.last), y.after)

    def _open_ended(self, at: int) -> SpokenDate | None:
        word = self._word(at)
        found = self._moment(at + 1, _LEADS[word], self._today) if word in _OPEN else None
        if found is None:
            return None
        span, after = found.span, self._possessive(found.after)
        if word == "since":
            return SpokenDate(span.first, None, after)
        if word == "after":
            return SpokenDate(plus_days(span.last, 1), None, after)
        return SpokenDate(None, plus_days(span.first, -1) if word == "before" else span.last, after)

    def _led(self, at: int) -> _Moment | None:
        word = self._word(at)
        if word in _LEADS and word not in _OPEN:
            over_the = word == "over" and self._word(at + 1) == "the"
            return self._moment(at + 1, 4 if over_the else _LEADS[word], self._today)
        return self._moment(at, 0, self._today)

    def _moment(self, at: int, lead: int, anchor: date) -> _Moment | None:
        plain = at + (self._word(at) == "the")
        return self._beside(plain, anchor) or self._part(plain, anchor) or self._plain(at, lead, anchor)

    def _plain(self, at: int, lead: int, anchor: date) -> _Moment | None:
        the = self._word(at) == "the"
        at += the
        return (
            self._ago(at)
            or self._relative(at, rolling=the)
            or self._dated(at, anchor, lead)
            or self._bare(at, anchor, 0 if the and self._word(at) in _MONTHS else lead)
        )

    # two days before X, the week after X, the Sunday before X

    def _beside(self, at: int, anchor: date) -> _Moment | None:
        counted = self._count(at)
        count, unit_at = counted or (0, at + (self._word(at) == "last"))
        unit, side = self._word(unit_at), self._word(unit_at + 1)
        known = unit in _UNITS or (not counted and (unit in _WEEKDAYS or unit == "weekend"))
        x = self._plain(unit_at + 2, 3, anchor) if known and side in ("before", "after") else None
        if x is None:
            return None
        edge, sign = (x.span.first, -1) if side == "before" else (x.span.last, 1)
        if count:
            unit = _UNITS[unit]
            return _Moment(span_around(moved(edge, unit, sign * count), unit), x.after)
        return _Moment(_neighbour(edge, unit, sign), x.after)

    # three weeks ago, a month ago, a few days ago

    def _ago(self, at: int) -> _Moment | None:
        counted = self._count(at) or self._few(at)
        if counted is None or self._word(counted[1] + 1) != "ago":
            return None
        count, unit_at = counted
        unit = _UNITS[self._word(unit_at)]
        if count:
            return _Moment(span_around(moved(self._today, unit, -count), unit), unit_at + 2)
        few = [span_around(moved(self._today, unit, -n), unit) for n in (5, 2)]
        return _Moment(Days(few[0].first, few[1].last), unit_at + 2)

    def _count(self, at: int) -> tuple[int, int] | None:
        """Reads `3 weeks`, `two days`, `a couple of years`; returns (3, index of the unit)."""
        word = self._word(at)
        if word == "a" and self._word(at + 1) == "couple":
            at, word = at + 1, "couple"
        if word == "couple":
            at, count = at + (self._word(at + 1) == "of"), 2
        else:
            count = int(word) if word.isdecimal() and len(word) <= len("99999") else _NUMBERS.get(word, 0)
        unit = _UNITS.get(self._word(at + 1))
        return (count, at + 1) if unit and 0 < count <= _MOST[unit] else None

    def _few(self, at: int) -> tuple[int, int] | None:
        at += self._word(at) == "a"
        return (0, at + 1) if self._word(at) in ("few", "several") and self._word(at + 1) in _UNITS else None

    # last week, this weekend, next Friday, last March, the last three months

    def _relative(self, at: int, *, rolling: bool) -> _Moment | None:
        word, what = self._word(at), self._word(at + 1)
        fixed, which = _FIXED.get(word), _WHICH.get(word)
        if fixed:
            return _Moment(Days(*(plus_days(self._today, n) for n in fixed)), at + 1)
        counted = self._count(at + 1) if which else None
        if which and counted:
            return _Moment(self._rolling(_UNITS[self._word(counted[1])], which * counted[0]), counted[1] + 1)
        if which is None or self._word(at + 2) == "of":
            return None
        if which and rolling and what in _CALENDAR:
            return _Moment(self._rolling(what, which), at + 2)
        span = self._named(what, which)
        return _Moment(span, at + 2) if span else None

    def _rolling(self, unit: str, count: int) -> Days:
        ends = sorted((self._today, moved(self._today, unit, count)))
        return Days(ends[0], ends[1])

    def _named(self, what: str, which: int) -> Days | None:
        if what in _CALENDAR:
            whole = span_around(self._today, what)
            return span_around(moved(whole.first, what, which), what)
        if what == "weekend":
            return weekend_span(plus_days(self._today, 7 * which))
        if what in _TIMES_OF_DAY:
            return self._time_of_day(what, which)
        if what in _WEEKDAYS:
            return weekday(self._today, _WEEKDAYS[what], which)
        return self._yearly(what, which)

    def _time_of_day(self, what: str, which: int) -> Days | None:
        known = which == 0 or (which < 0 and what == "night")
        return Days(plus_days(self._today, which), self._today) if known else None

    def _yearly(self, what: str, which: int) -> Days | None:
        if what in _SEASONS:
            return relative_year(self._today, which, lambda y: month_span(y, _SEASONS[what], 3))
        if what in _MONTHS and not (which == 0 and what in _VERBS):
            return relative_year(self._today, which, lambda y: month_span(y, _MONTHS[what]))
        return None

    # early March, mid-2024, the end of last year

    def _part(self, at: int, anchor: date) -> _Moment | None:
        word = self._word(at)
        if word not in _PARTS:
            return None
        of = self._word(at + 1) == "of" or (word == "mid" and self._word(at + 1) == "-")
        if not of and word not in ("early", "mid", "late"):
            return None
        whole = self._plain(at + 1 + of, 4, anchor)
        if whole is None or not is_long(whole.span):
            return None
        return _Moment(third_of(whole.span, _PARTS[word]), whole.after)

    # 2025-04-08, 04/2025, March 5th, 2025, 5 March, March 2025, summer 2025, Q1 2025

    def _dated(self, at: int, anchor: date, lead: int) -> _Moment | None:
        word = self._word(at)
        if word[:1].isdecimal() and ("-" in word or "/" in word):
            span = _numeric(word)
            return _Moment(span, at + 1) if span else None
        if word in _MONTHS:
            return self._month_first(at, anchor, lead)
        if word[:1].isdigit():
            return self._day_first(at, anchor, lead)
        if word in _SEASONS or _is_quarter(word):
            after = at + 1 + (self._word(at + 1) == "of")
            number = _year_number(self._word(after))
            return _Moment(self._recurring(word, number), after + 1) if number else None
        return None

    def _month_first(self, at: int, anchor: date, lead: int) -> _Moment | None:
        after = at + 1 + (self._word(at + 1) == "." and self._word(at) in _SHORT)
        day = _day_number(self._word(after))
        if day:
            return self._day_of_month(at, after, anchor, lead)
        number = _year_number(self._word(after + (self._word(after) == "of")))
        if number:
            return _Moment(
                month_span(number, _MONTHS[self._word(at)]), after + 1 + (self._word(after) == "of")
            )
        return None

    def _day_first(self, at: int, anchor: date, lead: int) -> _Moment | None:
        of = self._word(at + 1) == "of"
        if self._word(at + 1 + of) not in _MONTHS or not _day_number(self._word(at)):
            return None
        return self._day_of_month(at + 1 + of, at, anchor, lead or of)

    def _day_of_month(self, month_at: int, day_at: int, anchor: date, lead: int) -> _Moment | None:
        name, after = self._word(month_at), max(month_at, day_at) + 1
        day, month = _day_number(self._word(day_at)), _MONTHS[name]
        number = _year_number(self._word(after))
        if number:
            span = exact_span(number, month, day)
            return _Moment(span, after + 1) if span else None
        firm = lead or name not in _VERBS or self._written[month_at][0].isupper()
        # "we may 5 …": a lower-case verb and a number are a date only where the sentence ends with them.
        if not firm and self._word(day_at).isdecimal() and self._word(after).isalpha():
            return None
        span = latest_span(lambda y: exact_span(y, month, day), anchor)
        return _Moment(span, after) if span else None

    def _recurring(self, word: str, number: int) -> Days:
        if word == "winter" and month_span(number, 12).first > self._today:
            number -= 1  # "winter 2025", said in March 2025, began in 2024
        return _season_or_quarter(word, number)

    # in May, in 2025, over the summer, on Monday: only where a word before it says that a date follows

    def _bare(self, at: int, anchor: date, lead: int) -> _Moment | None:
        word = self._word(at)
        if word in _MONTHS:
            return self._bare_month(at, anchor, lead)
        number = _year_number(word)
        span: Days | None = None
        if number and lead > 1:
            span = year_span(number)
        elif word in _WEEKDAYS and lead:
            exact = self._dated(at + 1, anchor, lead)
            return exact or _Moment(weekday(plus_days(anchor, 1), _WEEKDAYS[word], -1), at + 1)
        elif (word in _SEASONS and lead > 3) or (_is_quarter(word) and lead > 1):
            span = latest_span(lambda y: _season_or_quarter(word, y), anchor)
        return _Moment(span, at + 1) if span else None

    def _bare_month(self, at: int, anchor: date, lead: int) -> _Moment | None:
        word = self._word(at)
        needed = 0 if word not in _AMBIGUOUS else 4 if word == "may" else 3
        if lead < needed or (needed and self._possessive(at + 1) > at + 1):
            return None
        span = latest_span(lambda y: month_span(y, _MONTHS[word]), anchor)
        return _Moment(span, at + 1) if span else None


def _numeric(word: str) -> Days | None:
    if "/" in word:
        month, _, year = word.partition("/")
        return _whole_month(int(year), int(month))
    numbers = [int(part) for part in word.split("-")]
    return exact_span(*numbers) if len(numbers) > 2 else _whole_month(*numbers)


def _whole_month(year: int, month: int) -> Days | None:
    return month_span(year, month) if year and month in _MONTHS.values() else None


def _day_number(word: str) -> int:
    digits = word.rstrip("stndrh")
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= len("31") else 0


def _year_number(word: str) -> int:
    likely = len(word) == len("2025") and word.isascii() and word.isdecimal()
    return int(word) if likely and word[:2] in ("19", "20", "21") else 0


def _is_quarter(word: str) -> bool:
    return word in ("q1", "q2", "q3", "q4")


def _season_or_quarter(word: str, year: int) -> Days:
    return month_span(year, _SEASONS.get(word) or int(word[1]) * 3 - 2, 3)


def _neighbour(edge: date, unit: str, sign: int) -> Days:
    if unit in _WEEKDAYS:
        return weekday(edge, _WEEKDAYS[unit], sign)
    if unit == "weekend":
        inner = _WEEKDAYS["sunday" if sign < 0 else "saturday"]
        return weekend_span(weekday(edge, inner, sign).first)
    ends = sorted((plus_days(edge, sign), moved(edge, _UNITS[unit], sign)))
    return Days(ends[0], ends[1])
