"""Words like "yesterday" and "last week" → the same words with their dates behind them, by the clock of who said them.

The rule: only what counts from the day of saying is resolved. "On Friday" and "in May" may lie ahead or behind, and stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from memoryclaw.core import days
from memoryclaw.core.dates import DateRange, find_ranges
from memoryclaw.core.days import Days

_COUNTING = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|past|previous|this|next|coming|upcoming)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:until|till|before|after|by)\s+", re.IGNORECASE)  # what the date itself does not count
_Span = Callable[[date], Days]


def _day(count: int) -> _Span:
    return lambda today: Days(days.plus(today, count), days.plus(today, count))


def _around(unit: str, count: int) -> _Span:
    return lambda today: days.around(days.moved(days.around(today, unit).first, unit, count), unit)


_FOREIGN: dict[str, tuple[tuple[re.Pattern[str], _Span], ...]] = {
    code: tuple((re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])"), span) for pattern, span in rules)
    for code, rules in {
        "de": (
            (r"(?<![Hh]eute )(?<![Gg]estern )(?<!jeden )(?<!am )morgen", _day(1)),
            (r"[Vv]orgestern", _day(-2)),
            (r"[Gg]estern", _day(-1)),
            (r"[Üü]bermorgen", _day(2)),
            (r"[Hh]eute", _day(0)),
            (r"(?i:letzte[rn]? woche|vorige woche)", _around("week", -1)),
            (r"(?i:nächste[rn]? woche)", _around("week", 1)),
            (r"(?i:letzte[nr]? monat|vorigen monat)", _around("month", -1)),
            (r"(?i:nächste[nr]? monat)", _around("month", 1)),
            (r"(?i:letztes jahr|voriges jahr)", _around("year", -1)),
            (r"(?i:nächstes jahr)", _around("year", 1)),
        ),
        "fr": (
            (r"[Aa]vant-hier", _day(-2)),
            (r"[Hh]ier", _day(-1)),
            (r"[Aa]près-demain", _day(2)),
            (r"[Dd]emain", _day(1)),
            (r"[Aa]ujourd['’]hui", _day(0)),
            (r"(?i:la semaine dernière)", _around("week", -1)),
            (r"(?i:la semaine prochaine)", _around("week", 1)),
            (r"(?i:le mois dernier)", _around("month", -1)),
            (r"(?i:le mois prochain)", _around("month", 1)),
            (r"(?i:l['’]année dernière|l['’]an dernier)", _around("year", -1)),
            (r"(?i:l['’]année prochaine|l['’]an prochain)", _around("year", 1)),
        ),
        "es": (
            (r"[Aa]nteayer", _day(-2)),
            (r"[Aa]yer", _day(-1)),
            (r"[Pp]asado mañana", _day(2)),
            (r"(?<!la )(?<!esta )(?<!pasado )(?<!Pasado )[Mm]añana", _day(1)),
            (r"[Hh]oy", _day(0)),
            (r"(?i:la semana pasada)", _around("week", -1)),
            (r"(?i:la semana que viene|la próxima semana)", _around("week", 1)),
            (r"(?i:el mes pasado)", _around("month", -1)),
            (r"(?i:el mes que viene|el próximo mes)", _around("month", 1)),
            (r"(?i:el año pasado)", _around("year", -1)),
            (r"(?i:el año que viene|el próximo año)", _around("year", 1)),
        ),
    }.items()
}


def resolved(text: str, said: str, language: str = "en") -> str:
    """The text with the date behind every phrase that counts from the day it was said.

    Args:
        text: one sentence, as said.
        said: when, as logs give it; without it the text stays as it is.
        language: of the text.
    """
    if not said:
        return text
    today = date.fromisoformat(said[:10])
    if language in _FOREIGN:
        for pattern, span in _FOREIGN[language]:
            dates = spoken(span(today))
            text = pattern.sub(rf"\g<0> ({dates})", text)
        return text
    if not _COUNTING.search(text):
        return text
    for found in reversed(find_ranges(text, today)[0]):
        start, end = found.span
        lead = _LEAD.match(found.text)
        if lead:
            text = text[: start + lead.end()] + resolved(text[start + lead.end() : end], said) + text[end:]
        elif found.start and _COUNTING.search(found.text):
            text = text[:start] + f"{found.text} ({spoken(_days(found))})" + text[end:]
    return text


def spoken(span: Days) -> str:
    """Days as one writes them: `2023-05-07`, `2023-05`, `2023`, `2023-05-01 to 2023-05-07`."""
    first, last = span
    if first == last:
        return first.isoformat()
    if span == days.year(first.year):
        return f"{first.year:04}"
    if span == days.month(first.year, first.month):
        return f"{first:%Y-%m}"
    return f"{first.isoformat()} to {last.isoformat()}"


def _days(found: DateRange) -> Days:
    first = date.fromisoformat(found.start)
    return Days(first, date.fromisoformat(found.end) if found.end else first)
