"""Sentences that are never left out: what a wrong memory would harm most.

The rule: allergies, deadlines, changed dates, ways to reach somebody, birthdays and corrections stay, however little they weigh.
"""

from __future__ import annotations

import re

_DATE = r"""(?:\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,4}[./:-]\d{1,2}\b|\b\d{1,2}\.(?=\s|$)|\b(?:19|20)\d\d\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|
    \b(?:mon|diens|donners|frei|sams|sonn)tag|\bmittwoch|\bsonnabend|\btomorrow|\bmorgen\b|\bnext\s(?:week|month|year)|
    \b(?:jan|feb|mar|mär|apr|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]*\b|\bma[iy]\s\d|\d\.?\sma[iy]\b)"""
_KEPT = re.compile(
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
_CORRECTS = re.compile(
    r"\b(?:sorry|correction|actually|scratch that|i meant|my mistake|my bad|instead|kidding|korrektur|korrigiere|doch|sondern|entschuldigung|vertan|verschrieben|eigentlich)\b|^\W*(?:no|nein|nee|oh)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")


def is_kept(text: str) -> bool:
    """True for a sentence that is kept whatever it weighs; questions are not, the answer says it."""
    if text.endswith(("?", "？")):
        return False
    if _KEPT.search(text) or _tells_how_to_reach(text):
        return True
    dated = _DATED.search(text) is not None
    return (dated and _CHANGED.search(text) is not None) or (
        (dated or _NUMBER.search(text) is not None) and _CORRECTS.search(text) is not None
    )


def _tells_how_to_reach(text: str) -> bool:
    return any(
        behind.search(line, hit.end())
        for line in text.split("\n")
        for word, behind in _REACH
        if (hit := word.search(line))
    )
