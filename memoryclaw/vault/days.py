"""The day of a plain note whose header says none: from its name, its first heading, or the folders that it lies in. Pure."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.text.dates import days_of, parse_timestamp

_TIME = late.pattern(r"(\d{4}-\d\d-\d\d)[_T ](\d\d)-(\d\d)-(\d\d)(?![\d-])")
_DAY = r"(\d{4})(?P<apart>[-_.]?)(\d\d)(?P=apart)(\d\d)"
# `20211130`, also with the time that notes of a Zettelkasten have behind it.
_NAME = late.pattern(rf"{_DAY}(?:(?<=\d{{8}})(?:\d{{4}}|\d{{6}}))?(?!\d)")
_FOLDERS = late.pattern(rf"(?:^|/)(?:(\d{{4}})/(\d\d)/(\d\d)(?=[/ _.-])|{_DAY}(?=/))")
_WRITTEN = late.pattern(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_DAYLIKE = late.pattern(r"[\d_. -]{6,}")
NAME, HEADING, FOLDER, HEADER = "name", "heading", "folder", "header"

# Logseq: the journals of a graph, and how it writes their days.

JOURNALS, GRAPH_FILE = "journals/", "logseq/config.edn"
_FORMATS = late.pattern(r'^[^;\n"]*:journal/(page-title|file-name)-format\s+"([^"\n]{1,60})"', re.MULTILINE)
_PIECES = late.pattern(r"E{3,4}|MM?M?M?|do|dd?|yyyy|[^A-Za-z]|.")
_NUMBERS = {"yyyy": r"(?P<year>\d{4})", "MM": r"(?P<month>\d\d)", "M": r"(?P<month>\d\d?)", "dd": r"(?P<day>\d\d)", "d": r"(?P<day>\d\d?)"}  # fmt: skip
_SPELT = {"yyyy": "%Y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "EEEE": "%A", "EEE": "%a", "dd": "%d"}


class JournalNames(NamedTuple):
    """The formats of the days of journals, in the words of Logseq: of links, and of the names of files."""

    title: str = ""
    file: str = ""

    def title_of(self, day: str) -> str:
        """What links call the journal of an ISO day; empty where Logseq's own form holds."""
        return "".join(_written(piece, date.fromisoformat(day)) for piece in _PIECES.findall(self.title))

    def day_of(self, stem: str) -> str:
        """The ISO day that the name of a journal's file writes; empty for another name."""
        hit = re.fullmatch(_pattern(self.file), stem) if self.file else None
        parts = hit.groupdict() if hit else {}
        if len(parts) < len(("year", "month", "day")):
            return ""
        return parse_timestamp(f"{parts['year']}-{int(parts['month']):02}-{int(parts['day']):02}")


LOGSEQ = JournalNames()


def read_journal_names(text: str) -> JournalNames:
    """The formats that the settings of a graph name."""
    formats = dict(_FORMATS.findall(text)) if text else {}
    return JournalNames(formats.get("page-title", ""), formats.get("file-name", ""))


@lru_cache(maxsize=8)
def _pattern(form: str) -> str:
    pieces = _PIECES.findall(form)
    numbers = [piece for piece in pieces if piece in _NUMBERS]
    if len(set(numbers)) < len(numbers):
        return r"(?!)"
    return "".join(_NUMBERS.get(piece) or re.escape(piece) for piece in pieces)


def _written(piece: str, day: date) -> str:
    if piece == "do":
        ending = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
        return f"{day.day}{'th' if 10 < day.day < 14 else ending}"
    if piece in ("d", "M"):
        return str(day.day if piece == "d" else day.month)
    return day.strftime(_SPELT[piece]) if piece in _SPELT else piece


# Any note.


def day_in_name(stem: str) -> str:
    """The day, or the time, with which a file's name begins: `2021-11-30-planning`, `20211130`, `2021_11_30`, `2021.11.30`."""
    if hit := _TIME.match(stem):
        return parse_timestamp(f"{hit[1]} {hit[2]}:{hit[3]}:{hit[4]}")
    return parse_timestamp(f"{hit[1]}-{hit[3]}-{hit[4]}") if (hit := _NAME.match(stem)) else ""


def day_in_heading(heading: str) -> str:
    """The one day that a heading names."""
    if not any(character.isdigit() for character in heading):
        return ""
    days = _WRITTEN.findall(heading) or days_of(heading).split()
    return parse_timestamp(days[0]) if len(days) == 1 else ""


def day_in_folders(path: str) -> str:
    """The day that folders name: `2021/11/30/plan.md`, `2021/11/30.md`, `2021-11-30/plan.md`."""
    hit = _FOLDERS.search(path)
    parts = [part for part in hit.group(1, 2, 3, 4, 6, 7) if part] if hit else []
    return parse_timestamp("-".join(parts)) if parts else ""


def source_of_day(path: str, when: str, title: str) -> str:
    """Where the day of a note stands: in its `name`, in a `heading`, in a `folder`, else in its `header`; empty without a day."""
    if not when:
        return ""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    sources = ((NAME, day_in_name(stem)), (HEADING, day_in_heading(title)), (FOLDER, day_in_folders(path)))
    if path.startswith(JOURNALS) and _DAYLIKE.fullmatch(stem) and not day_in_name(stem):
        return NAME  # as its graph writes days
    return next((source for source, day in sources if day[:10] == when[:10]), HEADER)
