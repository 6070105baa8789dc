"""What a header or the line of a fact says of a memory's type, scope and end, what can be told of these without being said, and what follows on a day."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from memoryclaw import late
from memoryclaw.errors import InputError
from memoryclaw.model import FROM_NOW_ON, MEMORY_TYPES, PROJECT, SESSION, Lifecycle, Problem, Unit
from memoryclaw.text import words as lists
from memoryclaw.text.dates import parse_timestamp, plus_days
from memoryclaw.text.language import key_of

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
    """The memory type that somebody asks for; empty where they ask for none.

    Raises:
        InputError: it is none of those that are known.
    """
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
    """What a person gives for some of these keys, as files write it; an empty value takes away what is said.

    Raises:
        InputError: a day or a scope cannot be read.
    """
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


def problems(said: Mapping[str, str], line: int) -> list[Problem]:
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
