"""The day of a plain note whose header says none: from its name, its first heading, or the folders that it lies in. Pure."""

from __future__ import annotations

import re

from memoryclaw.text.dates import days_of, parse_timestamp

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[_T ](\d\d)-(\d\d)-(\d\d)(?![\d-])")
_DAY = r"(\d{4})(?P<apart>[-_.]?)(\d\d)(?P=apart)(\d\d)"
# `20211130`, also with the time that notes of a Zettelkasten have behind it.
_NAME = re.compile(rf"{_DAY}(?:(?<=\d{{8}})(?:\d{{4}}|\d{{6}}))?(?!\d)")
_FOLDERS = re.compile(rf"(?:^|/)(?:(\d{{4}})/(\d\d)/(\d\d)(?=[/ _.-])|{_DAY}(?=/))")
_WRITTEN = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
NAME, HEADING, FOLDER, HEADER = "name", "heading", "folder", "header"


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
    return next((source for source, day in sources if day[:10] == when[:10]), HEADER)
