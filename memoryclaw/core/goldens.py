"""Golden questions: a YAML text → what is asked, and what must be found. Pure; what is wrong becomes a Problem with its line.

Each key is a question; its value is the id that answers it, a list of ids, or a map of `expect`, `answer`, `not` and `as of`.
"""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

from memoryclaw.core.model import Problem
from memoryclaw.core.yamltext import MAX_BYTES, Yaml, load

_KEYS = ("expect", "answer", "not", "as of")
_EXAMPLE = "write it as `When is the deadline?: semantic/projects#Boathouse.deadline`"


class Golden(NamedTuple):
    """One question with what a good answer holds, as it was written."""

    question: str
    line: int
    expect: tuple[str, ...] = ()  # ids, or beginnings of ids
    answer: tuple[str, ...] = ()  # words that must stand in the context
    without: tuple[str, ...] = ()  # ids that must not be in it
    as_of: date | None = None  # the day on which it is asked


class Goldens(NamedTuple):
    """The questions of a file, or what is wrong with it."""

    questions: tuple[Golden, ...]
    problems: tuple[Problem, ...] = ()


def read_goldens(text: str) -> Goldens:
    """The golden questions of a YAML text; one that cannot be used is a problem, and none is guessed at."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        hint = "split them into several files; `memoryclaw eval FILE` asks one of them"
        return Goldens((), (Problem("", 1, "the questions take more than 64 KiB", hint),))
    found = load(text)
    if found.problems:
        return Goldens((), found.problems)
    if not isinstance(found.value, dict) or not found.value:
        return Goldens((), (Problem("", 1, "there are no questions in it", _EXAMPLE),))
    read = [_golden(question, wanted, found) for question, wanted in found.value.items()]
    return Goldens(
        tuple(one for one in read if isinstance(one, Golden)),
        tuple(one for one in read if isinstance(one, Problem)),
    )


def _golden(question: str, wanted: Any, found: Yaml) -> Golden | Problem:
    line = found.lines.get((question,), 1)
    given = wanted if isinstance(wanted, dict) else {"expect": wanted}
    for key, value in given.items():
        at = found.lines.get((question, key), line)
        if key not in _KEYS:
            return Problem("", at, f"{key!r} says nothing of a question", f"there are {', '.join(_KEYS)}")
        if _texts(value) is None:
            return Problem("", at, f"{key!r} must be a text or a list of texts", _EXAMPLE)
    told = {key: _texts(given.get(key, [])) or () for key in _KEYS}
    if not told["expect"] and not told["answer"]:
        return Problem("", line, f"nothing is expected of {question!r}", _EXAMPLE)
    day = _day(told["as of"])
    if told["as of"] and day is None:
        at = found.lines.get((question, "as of"), line)
        return Problem("", at, f"{told['as of'][0]!r} is not a day", "write it as 2025-07-01")
    return Golden(question, line, told["expect"], told["answer"], told["not"], day)


def _texts(value: Any) -> tuple[str, ...] | None:
    """A text or a list of texts as texts; None when it is anything else, or holds nothing."""
    listed = value if isinstance(value, list) else [value]
    return tuple(listed) if all(isinstance(one, str) and one.strip() for one in listed) else None


def _day(told: tuple[str, ...]) -> date | None:
    try:
        return date.fromisoformat(told[0]) if len(told) == 1 else None
    except ValueError:
        return None
