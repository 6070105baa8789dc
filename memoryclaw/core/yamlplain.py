"""The plain headers that nearly every note has, read without a YAML parser: ten times faster, and never another answer.

The rule: whatever is not certain to mean the same to YAML is refused, and the parser reads it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# A value begins with a letter or digit and holds nothing that YAML could take for a mark; a colon is followed by a word.
_INSIDE = r"[\w .,;/()'\"@+=*&!?$%~^-]*+"
_PLAIN = rf"\w{_INSIDE}(?::(?=[\w/]){_INSIDE})*+"
_SAFE = r"\w .,:;/()@+=*&!?$%~^#\[\]{}<>|\-"
_QUOTED = rf"\"[{_SAFE}']*+\" *+|'[{_SAFE}\"]*+' *+"
_ITEM = r"\w[\w ./+@-]*+"
_FLOW = rf"\[ *+(?:{_ITEM}(?:, *+{_ITEM})*+)?\] *+"
_LINE = re.compile(
    rf"(?m:^)((?:(\w[\w-]{{0,63}}+):(?: ++(?:({_PLAIN})|({_QUOTED})|({_FLOW}))| *+)|( *+)- ++({_PLAIN}))(?:\n|\Z))"
)
_NULLS = frozenset({"null", "Null", "NULL"})

Value = str | None | list[str | None]


class Plain(NamedTuple):
    """A header's values, and the line of each key under its path."""

    values: dict[str, Value]
    lines: dict[tuple[str, ...], int]


def read_plain(text: str, first_line: int) -> Plain | None:
    """A header of plain `key: value` lines, one-line lists and lists of `- item` lines; None for anything else."""
    rows = _LINE.findall(text)
    if sum([len(row[0]) for row in rows]) != len(text):
        return None
    values: dict[str, Value] = {}
    lines: dict[tuple[str, ...], int] = {}
    key = indent = ""
    items: list[str | None] = []
    for number, (_, name, plain, quoted, flow, dash, item) in enumerate(rows, first_line):
        if item:
            if not key or (items and dash != indent):
                return None
            indent = dash
            items.append(_scalar(item))
            values[key] = items
            continue
        if name in values:
            return None
        lines[name,] = number
        key, items = "", []
        if plain:
            values[name] = _scalar(plain)
        elif flow or quoted:
            values[name] = _listed(flow) if flow else quoted.rstrip(" ")[1:-1]
        else:
            values[name], key = None, name
    return Plain(values, lines)


def _listed(flow: str) -> list[str | None]:
    inside = flow.rstrip(" ")[1:-1].strip(" ")
    return [_scalar(part) for part in inside.split(",")] if inside else []


def _scalar(text: str) -> str | None:
    text = text.strip(" ")
    return None if text in _NULLS else text
