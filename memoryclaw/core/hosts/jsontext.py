"""Edits in a text of JSON that keep every byte they need not change: a member or element put in at the end, or taken out."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*")
_LINE_INDENT = re.compile(r"[ \t]*")
_decode = json.JSONDecoder().raw_decode


class Part(NamedTuple):
    """One member of an object (with its key) or element of an array: where it begins, where its value does, and its end."""

    key: str
    start: int
    value: int
    end: int


def parts_of(text: str, start: int) -> list[Part]:
    """The parts of the object or array that begins at `start` in a valid text, in order."""
    named, found = text[start] == "{", []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        begin, key = at, ""
        if named:
            key, at = _decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value = at
        _, end = _decode(text, at)
        found.append(Part(key, begin, value, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def member(text: str, start: int, key: str) -> Part | None:
    """The member of the object at `start` with this key; the last one counts, as it does for who reads the file."""
    return next((part for part in reversed(parts_of(text, start)) if part.key == key), None)


def added(text: str, start: int, value: Any, key: str = "") -> str:
    """The text with one more part at the end of the object or array at `start`, indented as its neighbours are."""
    parts = parts_of(text, start)
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    label = f"{json.dumps(key)}: " if key else ""
    if parts:
        before = text[parts[-2].end + 1 if len(parts) > 1 else start + 1 : parts[-1].start]
        written = label + _written(
            value, before.rpartition("\n")[2] if "\n" in before else None, unit, newline
        )
        return f"{text[: parts[-1].end]},{before}{written}{text[parts[-1].end :]}"
    close = _skip(text, start + 1)
    if not unit:
        return f"{text[: start + 1]}{label}{_written(value, None, unit, newline)}{text[close:]}"
    outer = _indent_at(text, start)
    written = label + _written(value, outer + unit, unit, newline)
    return f"{text[: start + 1]}{newline}{outer}{unit}{written}{newline}{outer}{text[close:]}"


def removed(text: str, start: int, place: int) -> str:
    """The text without one part of the object or array at `start`; of an only part nothing stays, not even its lines."""
    parts = parts_of(text, start)
    part = parts[place]
    if len(parts) == 1:
        return text[: start + 1] + text[_skip(text, part.end) :]
    if place:
        return text[: parts[place - 1].end] + text[part.end :]
    return text[: part.start] + text[parts[1].start :]


def _written(value: Any, indent: str | None, unit: str, newline: str) -> str:
    if indent is None or not unit:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", newline + indent)


def _unit(text: str) -> str:
    """What one level is indented by: as the first part of the file is, two spaces in an empty file, nothing in a file of one line."""
    start = _skip(text, 0)
    parts = parts_of(text, start)
    if not parts:
        return "  "
    before = text[start + 1 : parts[0].start]
    return before.rpartition("\n")[2] if "\n" in before else ""


def _indent_at(text: str, at: int) -> str:
    found = _LINE_INDENT.match(text, text.rfind("\n", 0, at) + 1)
    return found[0] if found else ""


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
