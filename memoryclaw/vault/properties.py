"""Reads the properties of a note from its header: names, tags, times, trust. Invalid values become Problems."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Any

from memoryclaw import late
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import (
    FROM_NOW_ON,
    MEMORY_TYPES,
    PERMANENT,
    PROJECT,
    SESSION,
    TRUSTS,
    Lifecycle,
    Problem,
    Unit,
)
from memoryclaw.text import words as lists
from memoryclaw.text.dates import days_of, parse_timestamp, plus_days
from memoryclaw.text.frontmatter import is_filled_in
from memoryclaw.text.language import key_of
from memoryclaw.text.yaml_text import strings

_YES = frozenset({"true", "yes", "on", "1"})
# Keys whose values are properties of their own, or say how to treat a note rather than what it is about.
_NOT_SEARCHED = frozenset({
    "id", "schema", "title", "summary", "tags", "tag", "aliases", "alias", "timestamp", "date", "created", "updated",
    "modified", "start", "end", "until", "importance", "confidence", "pin", "trust", "audience", "cssclass",
    "cssclasses", "publish", "permalink", "processed", "message_count", "participants", "people", "person", "entities",
    "entity", "project", "source", "continues", "half_life", "merged_from"
})  # fmt: skip
# Keys of a plain note that say how it is shown, found or trusted, or when and by whom it was made: all others are fields.
NOT_TOLD = (_NOT_SEARCHED - {"start", "end", "until", "source", "continues"}) | {
    # of programs: Obsidian and its plugins, Logseq, Hugo, Jekyll, Docusaurus, hosts of agents
    "mobile", "cover", "banner", "icon", "image", "thumbnail", "layout", "template", "draft", "slug", "toc", "head", "search",
    "collapsed", "metadata", "lastmod", "publishdate", "showtoc", "unlisted"
}  # fmt: skip
_OF_PROGRAMS = late.pattern(
    r"[ug]?uid|.+[-_ ]u?id|.+-plugin|(?:sidebar|hide|banner|cover|pagination)_\w+|(?:publish|kanban|excalidraw)-\w+"
)
_NUMBER_OR_DATE = late.pattern(
    r"[\d\s.,:+/%TZ-]*|true|false|yes|no|on|off|(?:logs/|log:|https?://).*", re.IGNORECASE | re.DOTALL
)
_LINK = late.pattern(r"!?\[\[([^\[\]|#]*)(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]")


class Properties(NamedTuple):
    """The properties of a note."""

    id: str = ""
    title: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    project: str = ""
    when: str = ""
    until: str = ""
    trust: str = "trusted"
    pinned: bool = False
    merged_from: tuple[str, ...] = ()  # the ids of notes that it took in
    lifecycle: Lifecycle = PERMANENT
    other: str = ""  # every other value worth searching
    problems: tuple[Problem, ...] = ()


def read_properties(meta: Mapping[str, Any], lines: Mapping[tuple[str, ...], int]) -> Properties:
    """Reads the properties of a header; the case of keys does not matter."""
    if not meta:
        return Properties()
    low = {key.lower(): value for key, value in meta.items()}
    problems: list[Problem] = []
    project = plain_name(text_of(low.get("project")))
    other = [
        plain_name(text)
        for key, value in low.items()
        if key not in _NOT_SEARCHED
        for text in strings(value)
        if not _NUMBER_OR_DATE.fullmatch(text)
    ]
    return Properties(
        id=_id(low["id"], lines, problems) if "id" in low else "",
        title=text_of(low.get("title")),
        summary=text_of(low.get("summary")),
        tags=tags_of(low),
        aliases=names_of(low, ("aliases", "alias")),
        people=names_of(low, ("participants", "people", "person")),
        entities=names_of(low, ("entities", "entity")),
        project=project,
        when=_when(low, ("timestamp", "date", "created", "start"), lines, problems),
        until=_when(low, ("end", "until"), lines, problems) if "end" in low or "until" in low else "",
        trust=_trust(low["trust"], lines, problems) if "trust" in low else "trusted",
        pinned="pin" in low and text_of(low["pin"]).lower() in _YES,
        merged_from=names_of(low, ("merged_from",)) if "merged_from" in low else (),
        lifecycle=_lifecycle(low, project, lines, problems),
        other=", ".join(other),
        problems=tuple(problems),
    )


def is_told(key: str, value: Any) -> bool:
    """True where a key of a plain note's header tells something of what the note is about, and not of the note or to a program."""
    low = key.lower()
    return (
        low not in NOT_TOLD
        and not _OF_PROGRAMS.fullmatch(low)
        and not (isinstance(value, str) and is_filled_in(value))
    )


def text_of(value: Any) -> str:
    """A header value on one line; lists and maps are joined."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else ", ".join(strings(value))
    return " ".join(text.split()) if "\n" in text or "  " in text else text.strip()


def plain_name(text: str) -> str:
    """A name without the brackets of a wikilink."""
    if "[[" in text:
        text = _LINK.sub(r"\1", text)
    return text.strip()


def names_of(low: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[str, ...]:
    """The distinct names under some keys, from lists or text with commas."""
    given = [value for key in keys if (value := low.get(key)) is not None]
    texts = (
        text for value in given for text in (value.split(",") if isinstance(value, str) else strings(value))
    )
    return tuple(dict.fromkeys(filter(None, map(plain_name, texts)))) if given else ()


def tags_of(low: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags of a header: a list, or text with commas or spaces, with or without `#`."""
    given = [value for key in ("tags", "tag") if (value := low.get(key)) is not None]
    lists = (v.replace(",", " ").split() if isinstance(v, str) else strings(v) for v in given)
    tags = (text.strip().lstrip("#").strip("/") for texts in lists for text in texts)
    return tuple(dict.fromkeys(filter(None, tags))) if given else ()


_Lines = Mapping[tuple[str, ...], int]


def _line(lines: _Lines, key: str) -> int:
    """The line of a key; only problems need it."""
    return next((line for path, line in lines.items() if len(path) == 1 and path[0].lower() == key), 1)


def _id(value: Any, lines: _Lines, problems: list[Problem]) -> str:
    text = text_of(value)
    if not text:
        return ""
    if not isinstance(value, str) or "#" in text or text.startswith("log:") or text != value.strip():
        message = f"the id {text[:60]!r} cannot be used; the note goes by its path"
        problems.append(Problem("", _line(lines, "id"), message, "an id is one word or path without #"))
        return ""
    return text


def _when(low: Mapping[str, Any], keys: tuple[str, ...], lines: _Lines, problems: list[Problem]) -> str:
    for key in keys:
        text = text_of(low.get(key))
        if text:
            if when := parse_timestamp(text):
                return when
            hint = "write it as 2025-04-08 or 2025-04-08T14:32:10Z"
            problems.append(Problem("", _line(lines, key), f"{key}: {text[:60]!r} is not a date", hint))
    return ""


def _trust(value: Any, lines: _Lines, problems: list[Problem]) -> str:
    text = text_of(value).lower()
    if not text:
        return "trusted"
    if text in TRUSTS:
        return text
    message = f"trust: {text[:60]!r} is not known; the note is treated as unknown"
    hint = "use trusted, unknown, untrusted or quarantined"
    problems.append(Problem("", _line(lines, "trust"), message, hint))
    return "unknown"


# What a header or the line of a fact says of a memory's type, scope and end, what can be told of these without being said, and what
# follows on a day.

KEYS = ("type", "scope", "expires", "verify_by", "verified")  # as files write them
_NAMES = {"type": "memory_type"}  # what is called otherwise in the code
_DAYS = ("expires", "verify_by", "verified")
_TO_DO = frozenset({"to do", "to dos", "todo", "todos", "task", "tasks", "to-dos"})
_PREFERENCES = frozenset(lists.lines("consolidation.preferences"))
_SPAN = late.pattern(r"(\d{1,5})\s*(day|week|month|year)?s?")
_SPANS = {"day": 1, "week": 7, "month": 30, "year": 365}
IDLE = 1  # days after its last one on which what is of a session still counts: at least 24 hours


def read(said: Mapping[str, str]) -> Lifecycle:
    """The lifecycle that some values say, by their keys in files; a day that cannot be read says nothing."""
    values = {key: " ".join(said.get(key, "").split()) for key in KEYS}
    days = {key: parse_timestamp(values[key])[:10] for key in _DAYS}
    return Lifecycle(canonical_type(values["type"]), canonical_scope(values["scope"]), **days)


def canonical_type(word: str) -> str:
    """A memory type as it is known, from how somebody writes it: `Decisions` is a decision, `task` a to-do."""
    word = " ".join(word.lower().split())
    if word in _TO_DO:
        return "to-do"
    return word.removesuffix("s") if word.removesuffix("s") in MEMORY_TYPES else word


def check_type(word: str) -> str:
    """The memory type that somebody asks for; empty where they ask for none."""
    type_ = canonical_type(word)
    if type_ and type_ not in MEMORY_TYPES:
        raise InputError(f"there is no type {word[:60]!r}; choose one of {', '.join(MEMORY_TYPES)}")
    return type_


def canonical_scope(text: str) -> str:
    """A scope as it is known, from how somebody writes it; empty for what is no scope, or counts for good."""
    kind, _, name = text.partition(":")
    kind, name = kind.strip().lower(), name.strip().strip("[]")
    if kind == SESSION:
        return f"{SESSION}:{name}" if name else SESSION
    return f"{PROJECT}{key_of(name)}" if kind == PROJECT.rstrip(":") and key_of(name) else ""


def header_values(values: Mapping[str, str]) -> dict[str, str]:
    """What a person gives for some of these keys, as files write it; an empty value takes away what is said."""
    cleaned: dict[str, str] = {}
    for key, value in values.items():
        text = " ".join(value.split())
        reading = read({key: text})._asdict()[_NAMES.get(key, key)]
        if text and not reading and (key != "scope" or text.lower() != "permanent"):
            form = "`permanent`, `project:atlas` or `session`" if key == "scope" else "2026-05-01"
            raise InputError(f"{key}: {text[:60]!r} cannot be read; write it as {form}")
        cleaned[key] = re.sub(r"[\[\]()]", "", reading)
    return cleaned


def is_lifecycle_value(key: str, text: str) -> bool:
    """True for a value that says how long or for what its note counts; any other `type` or `scope` is a field like all."""
    if key == "type":
        return canonical_type(text) in MEMORY_TYPES
    return key in ("verify_by", "verified") or (
        key == "scope" and (text.strip().lower() == "permanent" or bool(canonical_scope(text)))
    )


def validity_problems(said: Mapping[str, str], line: int) -> list[Problem]:
    """What of these values cannot be read, so that it says nothing."""
    return [
        Problem("", line, f"{key}: {said[key][:60]!r} is not a date", "write it as 2025-04-08")
        for key in _DAYS
        if said.get(key, "").strip() and not parse_timestamp(said[key])
    ]


def span_of(text: str) -> int:
    """The days of `180 days`, `6 months` or `2 years`; 0 for what is no such time."""
    hit = _SPAN.fullmatch(text.strip().lower())
    return int(hit[1]) * _SPANS[hit[2] or "day"] if hit else 0


# What follows on a day.


def ends(lifecycle: Lifecycle, last_active: str) -> str:
    """The last ISO day on which something counts; empty where it has none.

    Args:
        last_active: the ISO day on which its session was last active, as far as that is known; else the day that it is of itself.
    """
    days = [lifecycle.expires] if lifecycle.expires else []
    if lifecycle.scope.partition(":")[0] == SESSION and last_active:
        days.append(_later(last_active, IDLE))
    return min(filter(None, days), default="")


def due(lifecycle: Lifecycle, since: str, span: int) -> str:
    """The last ISO day until which something holds without being checked again; empty where it never asks for it.

    Args:
        lifecycle: of it; a day that it names itself goes before the time of its field.
        since: the ISO day from which it holds, or on which it was said.
        span: the days after which a value of its field is to be checked again; 0 for never.
    """
    if lifecycle.verify_by and lifecycle.verified < lifecycle.verify_by:
        return lifecycle.verify_by
    checked = max(lifecycle.verified, since[:10])
    return _later(checked, span) if span and checked else ""


def _later(day: str, days: int) -> str:
    try:
        return plus_days(date.fromisoformat(day[:10]), days).isoformat()
    except ValueError:
        return ""


# The type that nobody needs to say, because the grammar or the place of it says it.


def is_preference(field: str) -> bool:
    """True for what someone likes or wants to have done."""
    return field in _PREFERENCES or field.startswith(("favorite ", "favourite ", "lieblings"))


def type_of(unit: Unit) -> str:
    """The memory type of a unit that names none: a pure function of what it says; empty where nothing tells."""
    if unit.kind == "todo":
        return "to-do"
    if unit.kind == "skill":
        return "procedure"
    if unit.is_statement or unit.kind == "episode":
        # A vault in which nobody has said anything needs no grammar.
        from memoryclaw.text.memory_types import type_in_speech, type_in_text  # noqa: PLC0415

        return type_in_speech(unit.value) if unit.is_statement else type_in_text(unit.text) or "event"
    if unit.kind == "fact":
        if unit.field == FROM_NOW_ON:
            from memoryclaw.text.memory_types import is_procedure  # noqa: PLC0415

            return "procedure" if is_procedure(unit.value) else "preference"
        if is_preference(unit.field) or "/preferences#" in f"/{unit.id}":
            return "preference"
        return "event" if unit.days else ""
    return ""


def _lifecycle(low: Mapping[str, Any], project: str, lines: _Lines, problems: list[Problem]) -> Lifecycle:
    texts = {key: text_of(low[key]) for key in KEYS if key in low}
    if project:
        texts.setdefault("scope", f"{PROJECT}{project}")
    if not texts:
        return PERMANENT
    for key in filter(texts.__contains__, _DAYS):
        problems += validity_problems({key: texts[key]}, _line(lines, key))
    return _lifecycle_of(tuple(texts.items()))


@lru_cache(maxsize=256)
def _lifecycle_of(texts: tuple[tuple[str, str], ...]) -> Lifecycle:
    return read(dict(texts))


# The day of a plain note whose header says none: from its name, its first heading, or the folders that it lies in. Pure.

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
    if not any(map(str.isdigit, heading)):
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
