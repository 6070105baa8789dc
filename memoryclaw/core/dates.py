"""Dates in questions, notes and logs → ISO text. Deterministic and English; what it cannot read it leaves alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import NamedTuple

from memoryclaw.core.datephrases import Found, Phrases

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
    """Days that a text speaks of, as inclusive ISO dates; an empty end is open."""

    start: str
    end: str
    text: str  # the words as written
    span: tuple[int, int]  # where they stand in the text


def find_ranges(text: str, today: date) -> tuple[list[DateRange], str]:
    """The date phrases of a text in order, and the text with each of them blanked out (same length)."""
    hits, phrases = _read(text, today)
    ranges, at = [], 0
    while at < len(hits):
        found = phrases.phrase(at)
        if found:
            ranges.append(_range(text, hits[at].start(), hits[found.after - 1].end(), found))
        at = found.after if found else at + 1
    return ranges, blanked(text, (found.span for found in ranges))


def leading_range(text: str, today: date) -> DateRange | None:
    """The date phrase with which a text begins, read as freely as the value of a date field may be."""
    hits, phrases = _read(text, today)
    found = phrases.value(0)
    return _range(text, 0, hits[found.after - 1].end(), found) if found else None


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with spaces in place of these spans, given in order; every other character keeps its place."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, text[at:]])


def parse_timestamp(text: str) -> str:
    """A time as notes and logs write it → `YYYY-MM-DDTHH:MM:SSZ`, or `YYYY-MM-DD` where no time is given, or "".

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


def _range(text: str, start: int, end: int, found: Found) -> DateRange:
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
