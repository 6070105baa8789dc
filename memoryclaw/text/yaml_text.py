"""Reads YAML into strings, lists and dicts, within limits; scalars keep their spelling and every key has its line."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, Problem
from memoryclaw.text.encoding import readable

# Plain headers, which nearly every note has, are read without a YAML parser: ten times faster, with the same result.

# A value begins with a letter or digit and holds nothing that YAML could take for a mark; a colon is followed by a word.
_INSIDE = r"[\w .,;/()'\"@+=*&!?$%~^-]*+"
_PLAIN = rf"\w{_INSIDE}(?::(?=[\w/]){_INSIDE})*+"
_SAFE = r"\w .,:;/()@+=*&!?$%~^#\[\]{}<>|\-"
_QUOTED = rf"\"[{_SAFE}']*+\" *+|'[{_SAFE}\"]*+' *+"
_ITEM = r"\w[\w ./+@-]*+"
_FLOW = rf"\[ *+(?:{_ITEM}(?:, *+{_ITEM})*+)?\] *+"
_LINE = late.pattern(
    rf"(?m:^)((?:(\w[\w-]{{0,63}}+):(?: ++(?:({_PLAIN})|({_QUOTED})|({_FLOW}))| *+)|( *+)- ++({_PLAIN}))(?:\n|\Z))"
)
_PLAIN_NULLS = frozenset({"null", "Null", "NULL"})

Value = str | None | list[str | None]


class Plain(NamedTuple):
    """A header's values, and the line of each key under its path."""

    values: dict[str, Value]
    lines: dict[tuple[str, ...], int]


def read_plain(text: str, first_line: int) -> Plain | None:
    """Reads a header of plain `key: value` lines, one-line lists and lists of `- item` lines; None for anything else."""
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
            values[name] = _list_items(flow) if flow else quoted.rstrip(" ")[1:-1]
        else:
            values[name], key = None, name
    return Plain(values, lines)


def _list_items(flow: str) -> list[str | None]:
    inside = flow.rstrip(" ")[1:-1].strip(" ")
    return [_scalar(piece) for piece in inside.split(",")] if inside else []


def _scalar(text: str) -> str | None:
    text = text.strip(" ")
    return None if text in _PLAIN_NULLS else text


# Reading: any YAML, through PyYAML's parser, within limits of size, depth and kind.

MAX_BYTES = 64 * 1024
MAX_DEPTH = 8
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})

Path = tuple[str, ...]


class Yaml(NamedTuple):
    """A parsed YAML text. With problems and no value, it was refused or is broken."""

    value: Any = None  # None | str | list | dict of the same
    lines: Mapping[Path, int] = NOTHING  # type: ignore[assignment]  # keys from the outside in → line
    problems: tuple[Problem, ...] = ()
    shadowed: tuple[tuple[Path, Any], ...] = ()  # earlier values of duplicate keys


class _Refused(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, line: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.line, self.message, self.hint = line, message, hint


def load(text: str, first_line: int = 1) -> Yaml:
    """Reads one YAML document; errors become Problems without a path.

    Args:
        text: the YAML; what its file held that is no text stands there as U+FFFD.
        first_line: line of the file on which the text begins.
    """
    text = readable(text)
    if len(text) > MAX_BYTES or (not text.isascii() and len(text.encode("utf-8", "replace")) > MAX_BYTES):
        return Yaml(
            problems=(
                Problem("", first_line, "this YAML is larger than 64 KiB", "move long text into the note"),
            )
        )
    plain = read_plain(text, first_line)
    if plain is not None:
        return Yaml(plain.values or None, plain.lines)
    parser, events, error = _machinery()
    reader = _YamlBuilder(events, first_line)
    try:
        value = reader.read(parser(text))
    except _Refused as refused:
        return Yaml(problems=(Problem("", first_line + refused.line, refused.message, refused.hint),))
    except error as broken:
        return Yaml(problems=(_broken(broken, first_line),))
    return Yaml(value, reader.lines, tuple(reader.problems), tuple(reader.shadowed))


class _Events(NamedTuple):
    """The event classes of PyYAML, bound once so that they can be compared by identity."""

    scalar: type
    map_start: type
    map_end: type
    seq_start: type
    seq_end: type
    alias: type
    doc_start: type
    stream_end: type


@functools.cache
def _machinery() -> tuple[Any, _Events, type[Exception]]:
    yaml = late.yaml
    parser = yaml.cyaml.CParser if yaml.__with_libyaml__ else yaml.SafeLoader  # type: ignore[attr-defined]
    events = _Events(
        yaml.ScalarEvent, yaml.MappingStartEvent, yaml.MappingEndEvent, yaml.SequenceStartEvent,
        yaml.SequenceEndEvent, yaml.AliasEvent, yaml.DocumentStartEvent, yaml.StreamEndEvent,
    )  # fmt: skip
    return parser, events, yaml.YAMLError


class _YamlBuilder:
    """Builds values from parser events with an explicit stack, so that no input can exhaust the call stack."""

    def __init__(self, events: _Events, first_line: int) -> None:
        self._is = events
        self._first = first_line
        self.lines: dict[Path, int] = {}
        self.problems: list[Problem] = []
        self.shadowed: list[tuple[Path, Any]] = []

    # One flat loop: a call for every event would double the cost of a header.
    def read(self, parser: Any) -> Any:  # noqa: C901, PLR0912
        """Loops over the events; `key` is the pending key of the open `node`."""
        scalar, map_start, map_end, seq_start, seq_end, alias, doc_start, end = self._is
        next_event, first, lines = parser.get_event, self._first, self.lines
        root: list[Any] = []
        node: Any = root
        path: Path = ()
        key: str | None = None
        stack: list[tuple[Any, Path, str | None]] = []
        while (kind := type(event := next_event())) is not end:
            if kind is scalar:
                if event.anchor is not None or event.tag is not None:
                    _refuse_mark(event)
                value = event.value
                if key is not None:
                    node[key] = None if value in _NULLS and not event.style else value
                    key = None
                elif type(node) is list:
                    node.append(None if value in _NULLS and not event.style else value)
                else:
                    key = value
                    place = (*path, value)
                    if value in node or value == "<<":
                        self._check_key(event, place, node)
                    lines[place] = first + event.start_mark.line
            elif kind is map_start or kind is seq_start:
                _check_opening(event, len(stack), keyless=type(node) is dict and key is None)
                inner: Any = {} if kind is map_start else []
                stack.append((node, path, key))
                if key is None:
                    node.append(inner)
                else:
                    node[key], path = inner, (*path, key)
                node, key = inner, None
            elif kind is map_end or kind is seq_end:
                node, path, _ = stack.pop()
            elif kind is alias:
                raise _Refused(
                    event.start_mark.line, f"the alias *{event.anchor} is not read", "write the value out"
                )
            elif kind is doc_start and root:
                message, line = "a second YAML document begins here; it is not read", event.start_mark.line
                self.problems.append(Problem("", self._first + line, message, "keep one document"))
                break
        return root[0] if root else None

    def _check_key(self, event: Any, path: Path, node: dict[str, Any]) -> None:
        if path[-1] == "<<" and not event.style:
            raise _Refused(event.start_mark.line, "merge keys (<<) are not read", "write the values out")
        if path[-1] in node:
            self.shadowed.append((path, node[path[-1]]))
            name, line = ".".join(path), self._first + event.start_mark.line
            message = (
                f"the key {name} stands here and on line {self.lines.get(path, line)}; this one is taken"
            )
            self.problems.append(Problem("", line, message, "keep one of them"))


_TOO_DEEP = (f"this YAML is nested deeper than {MAX_DEPTH} levels", "flatten it")


def _check_opening(event: Any, depth: int, *, keyless: bool) -> None:
    if event.anchor is not None or event.tag is not None:
        _refuse_mark(event)
    if keyless:
        raise _Refused(event.start_mark.line, "a list or map cannot be a key", "put quotes around the key")
    if depth >= MAX_DEPTH:
        raise _Refused(event.start_mark.line, *_TOO_DEEP)


def _refuse_mark(event: Any) -> None:
    if event.anchor is not None:
        raise _Refused(
            event.start_mark.line, f"the anchor &{event.anchor} is not read", "write the value out"
        )
    raise _Refused(event.start_mark.line, f"the tag {event.tag} is not read", "put quotes around the value")


def _broken(error: Exception, first_line: int) -> Problem:
    mark = getattr(error, "problem_mark", None)
    trouble = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read")
    line = first_line + (mark.line if mark else 0)
    if "nesting depth" in trouble:  # newer parsers read ahead and have a limit of their own
        return Problem("", line, *_TOO_DEEP)
    hint = (
        "indent with spaces"
        if "\\t" in trouble
        else "put quotes around a value that holds : # [ { * & or a quote"
    )
    return Problem("", line, f"this YAML is broken: {trouble}", hint)


def strings(value: Any) -> list[str]:
    """Every scalar of a value, in order, from nested lists and maps too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return []
    scalars: list[str] = []
    for inner in value:
        if isinstance(inner, str):
            scalars.append(inner)
        else:
            scalars += strings(inner)
    return scalars


# Writing: scalars and flow lists that read back as the same strings, with quotes only where YAML needs them.

_INDICATORS = "-?:,[]{}#&*!|>'\"%@`"
_NOT_PLAIN = frozenset({"", "~", "null", "Null", "NULL", "---", "...", "<<"})
_RISKY = late.pattern(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]|:(?=\s|$)|\s#|^\s|\s$"
)
_CONTROL = late.pattern("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_UNPRINTABLE = late.pattern("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def scalar(value: str, style: str = "", *, flow: bool = False) -> str:
    """A string as a YAML scalar on one line.

    Args:
        style: the quote of the former value, which is kept.
        flow: True inside `[…]`, where more characters need quotes.
    """
    if style == "'" and not _CONTROL.search(value):
        return "'" + value.replace("'", "''") + "'"
    if style == '"' or _needs_quotes(value, flow=flow):
        return _UNPRINTABLE.sub(lambda hit: f"\\u{ord(hit[0]):04x}", json.dumps(value, ensure_ascii=False))
    return value


def flow(value: Any) -> str:
    """A value of JSON as YAML on one line, every string quoted and every character that nobody sees escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(
        c if c.isprintable() else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in text
    )


def flow_list(values: Sequence[str]) -> str:
    """Strings as a YAML list on one line."""
    return f"[{', '.join(scalar(value, flow=True) for value in values)}]"


def _needs_quotes(value: str, *, flow: bool) -> bool:
    if value in _NOT_PLAIN or _RISKY.search(value):
        return True
    if value[0] in _INDICATORS and (flow or value[0] not in "-?:" or value[1:2] in {"", " ", "\t"}):
        return True
    return flow and any(c in ",[]{}" for c in value)
