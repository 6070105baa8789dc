"""Reads the heads that Hugo and exports of Org write instead of YAML: TOML between two lines `+++`, and one JSON object. They are never written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, Problem

_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_TOML_KEY = re.compile(
    r"^[ \t]*+(?:\"([^\"\n]++)\"|'([^'\n]++)'|([\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++)*+))[ \t]*+=", re.MULTILINE
)
_OPEN = re.compile(r"\+\+\+[ \t]*\n[ \t\n]*[\w\"'.-]+[ \t]*=")
_TABLE = re.compile(r"[ \t]*\[([^\[\]]+)\]")
_JSON = re.compile(r"\{[ \t]*\n[ \t\n]*(?:\"|\}[ \t]*(?:\n|\Z))")
_JSON_KEY = re.compile(r"[ \t]*\"((?:[^\"\\\n]|\\.)+)\"[ \t]*:")
_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_MOST, _LEVELS = 64 * 1024, 8


class Head(NamedTuple):
    """A head, and the text below it."""

    language: str  # TOML or JSON
    meta: Mapping[str, Any]
    raw: str
    body: str
    lines: Mapping[tuple[str, ...], int] = NOTHING  # type: ignore[assignment]
    problems: tuple[Problem, ...] = ()


def other_head(text: str) -> Head | None:
    """The head of a readable text where it is TOML or JSON; None for any other text."""
    if text.startswith("+++") and (hit := _TOML.match(text)):
        return _toml(hit[1], text[hit.end() :])
    if _OPEN.match(text):
        problem = Problem(
            "",
            1,
            "the head that begins here is never closed",
            "add a line `+++` below its last key; until then only the owner sees this note",
        )
        return Head("TOML", NOTHING, "", text, problems=(problem,))
    return _json(text) if text.startswith("{") and _JSON.match(text) else None


def _toml(raw: str, body: str) -> Head | None:
    lines = raw.split("\n")
    if _TOML_KEY.search(raw) is None:
        return None
    try:
        values = _checked(late.tomllib.loads(raw, parse_float=str) if len(raw) <= _MOST else {}, raw)
    except (late.tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        place = _LINE.search(str(error))
        return _broken(
            "TOML", raw, body, f"{_LINE.sub('', str(error)).strip()}", 1 + int(place[1]) if place else 2
        )
    places: dict[tuple[str, ...], int] = {}
    above: tuple[str, ...] = ()
    for number, line in enumerate(lines, 2):
        if table := _TABLE.match(line):
            above = tuple(part.strip(" \t\"'") for part in table[1].split("."))
            places.setdefault(above, number)
        elif hit := _TOML_KEY.match(line):
            key = (
                (hit[1] or hit[2],) if hit[1] or hit[2] else tuple(part.strip() for part in hit[3].split("."))
            )
            places.setdefault((*above, *key), number)
    return Head("TOML", values, raw, body, places)


def _json(text: str) -> Head | None:
    try:
        value, end = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode(text)
        values = _checked(value, text[:end])
    except (ValueError, RecursionError) as error:
        if (close := re.search(r"^\}[ \t]*$", text, re.MULTILINE)) is None:
            return None
        why, line = getattr(error, "msg", str(error)), getattr(error, "lineno", 1)
        return _broken("JSON", text[: close.end()], text[close.end() :].removeprefix("\n"), why, line)
    if text[end:].strip(" \t")[:1] not in ("", "\n"):
        return None
    places: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text[:end].split("\n"), 1):
        hit = _JSON_KEY.match(line)
        if hit and hit[1] in values:
            places.setdefault((hit[1],), number)
    return Head("JSON", values, text[:end], text[end:].lstrip(" \t").removeprefix("\n"), places)


def _broken(language: str, raw: str, body: str, why: str, line: int) -> Head:
    message = f"this {language} cannot be read: {why}"
    return Head(
        language,
        NOTHING,
        raw,
        body,
        problems=(Problem("", line, message, "until then only the owner sees this note"),),
    )


def _checked(value: Any, raw: str) -> dict[str, Any]:
    if len(raw) > _MOST:
        raise ValueError("it is larger than 64 KiB")
    return {str(key): _text(inner, 1) for key, inner in value.items()}


def _text(value: Any, level: int) -> Any:
    """A value as YAML's are read: all scalars are text, as they were written where that can be told."""
    if level > _LEVELS:
        raise ValueError("it has more than 8 levels")
    if isinstance(value, dict):
        return {str(key): _text(inner, level + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_text(inner, level + 1) for inner in value]
    if isinstance(value, bool):
        return str(value).lower()
    return value if value is None or isinstance(value, str) else str(value)
