"""Patches of one property of a note and of whole lines; every byte outside the lines they must touch stays.

A patch of a property is read back before it is returned, and one that would change anything else is refused.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from memoryclaw.errors import InputError
from memoryclaw.text import yaml_text
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.text.yaml_text import flow_list, scalar

Value = str | Sequence[str]
_FENCES = ("---", "...")


class _Item(NamedTuple):
    """One item of a block list, and its lines in the header, the last one included."""

    first: int
    last: int
    value: Any


class _Entry(NamedTuple):
    """The place of one top-level key, as (line, column) in the header."""

    key_end: tuple[int, int]
    start: tuple[int, int]
    end: tuple[int, int]
    last: int
    style: str  # the quote of a scalar, `|`, `>`, `flow`, `list` or `map`
    items: tuple[_Item, ...]


class _Header(NamedTuple):
    """The lines of a note before, in and after its header, and the header's values."""

    before: list[str]
    lines: list[str]
    after: list[str]
    values: dict[str, Any]
    newline: str


def set_property(text: str, key: str, value: Value) -> str:
    """Sets a frontmatter property; its style (flow, block, quotes) is kept.

    Raises:
        InputError: the header is broken, unclosed, or holds what cannot be patched safely.
    """
    header = _header(text)
    wanted = value if isinstance(value, str) else list(value)
    if header is None:
        newline = line_end(text)
        fresh = f"---{newline}{_line(key, wanted, newline)}---{newline}"
        return _checked(fresh + text, {}, key, wanted)
    if key not in header.values:
        lines = [*header.lines, _line(key, wanted, header.newline)]
    elif header.values[key] == wanted:
        return text
    else:
        lines = _replaced(header, _entries(header)[key], header.values[key], wanted)
    return _checked("".join((*header.before, *lines, *header.after)), header.values, key, wanted)


def line_end(text: str) -> str:
    """The line end of a text's first line; a line feed if it has none."""
    first = lines_of(text)[:1]
    return first[0][len(first[0].rstrip("\r\n")) :] or "\n" if first else "\n"


def _header(text: str) -> _Header | None:
    lines = lines_of(text)
    if not lines or lines[0].rstrip() != "---":
        return None
    close = next(
        (i for i, line in enumerate(lines[1:], 1) if line.rstrip() in _FENCES and line[:3] in _FENCES), 0
    )
    if not close:
        raise InputError("the header of this note is never closed; add a line `---` below its last key")
    inner = lines[1:close]
    read = yaml_text.load(readable("".join(inner)), 2)
    if read.problems:
        problem = read.problems[0]
        raise InputError(
            f"line {problem.line} of this note's header: {problem.message}; {problem.hint or 'mend it first'}"
        )
    if not isinstance(read.value, dict | None):
        raise InputError("the header of this note is not a list of keys; write lines like `tags: [a, b]`")
    return _Header(lines[:1], inner, lines[close:], read.value or {}, line_end(text))


def _line(key: str, value: Value, newline: str) -> str:
    return f"{scalar(key)}: {_rendered(value)}{newline}"


def _rendered(value: Value, style: str = "") -> str:
    return scalar(value, style if style in ("'", '"') else "") if isinstance(value, str) else flow_list(value)


def _replaced(header: _Header, entry: _Entry, old: Any, value: Value) -> list[str]:
    lines = list(header.lines)
    if entry.style == "list" and not isinstance(value, str) and value:
        first = entry.items[0].first
        return lines[:first] + _items(lines, entry, value, header.newline) + lines[entry.last + 1 :]
    if entry.style in {"list", "map"}:
        row, column = entry.key_end
        colon = lines[row].index(":", column) + 1
        lines[row] = f"{lines[row][:colon]} {_rendered(value)}{lines[row][colon:]}"
        return lines[: row + 1] + lines[entry.last + 1 :]
    (row, column), (end_row, end_column) = entry.start, entry.end
    if entry.style in {"|", ">"}:
        end_row, end_column = entry.last, len(lines[entry.last].rstrip("\r\n"))
    before, after = lines[row][:column], lines[end_row][end_column:]
    space = " " if before.endswith(":") else ""
    style = entry.style if isinstance(old, str) else ""
    return [*lines[:row], f"{before}{space}{_rendered(value, style)}{after}", *lines[end_row + 1 :]]


def _items(lines: list[str], entry: _Entry, value: Sequence[str], newline: str) -> list[str]:
    """The lines of a block list; items that stay keep their lines and comments."""
    items = entry.items
    sample = lines[items[0].first]
    lead = sample[: sample.index("-")] + "- "
    starts = [item.first for item in items] + [entry.last + 1]
    chunks = [lines[starts[i] : starts[i + 1]] for i in range(len(items))]
    old = [item.value if isinstance(item.value, str) else f"\0{i}" for i, item in enumerate(items)]
    out: list[str] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, list(value), autojunk=False).get_opcodes():
        if tag == "equal":
            out += [line for chunk in chunks[a:b] for line in chunk]
        else:
            out += [f"{lead}{scalar(item)}{newline}" for item in value[c:d]]
    return out


def _checked(text: str, old: dict[str, Any], key: str, value: Any) -> str:
    header = _header(text)
    if header is None or header.values != {**old, key: value}:
        raise InputError(f"the property {key!r} cannot be changed without touching others; change it by hand")
    return text


def _entries(header: _Header) -> dict[str, _Entry]:
    import yaml  # noqa: PLC0415 - never paid by a question

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    events = yaml.parse(readable("".join(header.lines)), Loader=loader)
    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            if event.flow_style:
                raise InputError("the header of this note is one {…} map; write one key a line first")
            return dict(_walk(events, yaml))
    return {}


def _walk(events: Iterator[Any], yaml: Any) -> Iterator[tuple[str, _Entry]]:
    for key in events:
        if isinstance(key, yaml.MappingEndEvent):
            return
        node = next(events)
        last, items = _node(node, events, yaml)
        yield (
            key.value,
            _Entry(_mark(key.end_mark), _mark(node.start_mark), *_extent(node, last, yaml), items),
        )


def _node(node: Any, events: Iterator[Any], yaml: Any) -> tuple[tuple[int, int], tuple[_Item, ...]]:
    """Reads one value to its end; returns where its last character stands, and a block list's items."""
    if isinstance(node, yaml.ScalarEvent):
        return _scalar_end(node), ()
    last = _mark(node.start_mark)
    items: list[_Item] = []
    for event in events:
        if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            return (_mark(event.end_mark) if node.flow_style else last), tuple(items)
        end, _ = _node(event, events, yaml)
        last = max(last, end)
        value = event.value if isinstance(event, yaml.ScalarEvent) else None
        items.append(_Item(event.start_mark.line, end[0], value))
    return last, tuple(items)


def _extent(node: Any, last: tuple[int, int], yaml: Any) -> tuple[tuple[int, int], int, str]:
    if isinstance(node, yaml.ScalarEvent):
        return last, last[0], node.style or ""
    if node.flow_style:
        return last, last[0], "flow"
    return last, last[0], "list" if isinstance(node, yaml.SequenceStartEvent) else "map"


def _scalar_end(node: Any) -> tuple[int, int]:
    end = _mark(node.end_mark)
    # A block scalar ends where the next thing begins.
    return (
        (end[0] - 1, 0) if node.style in ("|", ">") and end[1] == 0 and end > _mark(node.start_mark) else end
    )


def _mark(mark: Any) -> tuple[int, int]:
    return mark.line, mark.column


# Insertions, replacements and removals of whole lines. Line ends stay, a missing last one too.


class Splice(NamedTuple):
    """Replaces the lines from `start` up to (not including) `end`, counted from 0, by `lines` (without line ends)."""

    start: int
    end: int
    lines: tuple[str, ...] = ()


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Applies splices, which must not overlap. A replaced last line keeps its line end."""
    lines, newline = lines_of(text), line_end(text)
    open_ended = bool(lines) and not lines[-1].endswith(("\n", "\r"))
    if open_ended:
        lines[-1] += newline
    for start, end, fresh in sorted(splices, reverse=True):
        ends = [line[len(line.rstrip("\r\n")) :] for line in lines[start:end]]
        lines[start:end] = [line + (ends[i] if i < len(ends) else newline) for i, line in enumerate(fresh)]
    if open_ended and lines:
        lines[-1] = lines[-1].rstrip("\r\n")
    return "".join(lines)
