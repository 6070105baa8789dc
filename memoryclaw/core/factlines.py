"""Lines of a semantic file → key-value items, nested as they are indented, and table rows. Everything else is prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from memoryclaw.core.factvalues import clean_name

_LINE = re.compile(r"([ \t]*)((?:[-*+]|\d+[.)])[ \t]+)?(.*)")
_KEY = re.compile(
    r"(\[\[[^\[\]]+\]\]|\"[^\"]+\"|[^\s:#>|\[{][^:]{0,80}?)[ \t]{0,8}(?:::?(\*\*|__)?|(?<=[*_]):)(?:[ \t]+(.*))?$"
)
_SENTENCE = re.compile(r"[!?;](?:\s|$)|[^\W\d_]{4}\.\s")
_TASK = re.compile(r"\[[ xX/-]\](?:\s|$)")
_SEPARATOR = re.compile(r"[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+(?:\|[ \t]*+)?$")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7}) |={7}$")
_PIPE = re.compile(r"(?<!\\)\|")
_KEY_WORDS = 8  # a longer "key" is a sentence with a colon in it


class Row(NamedTuple):
    """A table row: its line within the lines read, and its cells."""

    number: int
    cells: tuple[str, ...]


@dataclass(slots=True)
class Item:
    """A key and what it says. `value` is None where only nested lines speak."""

    keys: tuple[str, ...]
    value: str | None
    number: int  # its line, within the lines read
    top: int  # the line of its outermost key
    end: int  # its last line
    prefix: str  # what its line begins with, before the key
    indent: int
    bullet: bool
    above: tuple[int, ...] = ()  # lines of the keys above it
    plain: bool = False  # an item of a list, or a name without a colon
    raw: str = ""  # its own key as written
    told: list[int] = field(default_factory=list)  # the lines that it tells


def items_of(lines: list[str]) -> list[Item]:
    """The items of consecutive lines, in order; a line that is no item and continues none is prose."""
    reader = _Items(lines)
    for number, line in enumerate(lines):
        if line.strip() and not _CONFLICT.match(line):
            reader.line(number, line)
    return reader.items


class _Items:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._open: list[Item] = []
        self._bare_until = -1  # the block of bare `key: value` lines that was let in ends here
        self.items: list[Item] = []

    def line(self, number: int, line: str) -> None:
        hit = _LINE.match(line)
        assert hit is not None  # noqa: S101 - every part of the pattern is optional
        lead, mark, rest = hit[1], hit[2] or "", hit[3].rstrip()
        indent = len(lead.expandtabs(4))
        key = _key(rest)
        if not mark and (key is None or (indent == 0 and not self._is_bare_block(number))):
            self._continue(number, rest, indent)
            return
        self._close(indent, bool(mark))
        above = self._open[-1] if self._open else None
        keys = above.keys if above else ()
        item = Item(
            keys, rest, number, above.top if above else number, number, lead + mark, indent, bool(mark),
            (*above.above, above.number) if above else (),
        )  # fmt: skip
        if key is not None:
            item.raw, item.keys, item.value = key[0], (*keys, clean_name(key[0])), key[1] or None
        elif not self._plain(item, above, rest):
            item.plain, item.value = True, ""
            self._open.append(item)
            return
        self._tell(item)

    def _plain(self, item: Item, above: Item | None, rest: str) -> bool:
        """A bullet without a colon: a name with keys below it, or one value of the key above it."""
        if _TASK.match(rest):
            return False
        if self._key_below(item):
            item.keys, item.value = (*item.keys, clean_name(rest)), None
            return True
        item.plain = True
        return above is not None and above.value is None

    def _tell(self, item: Item) -> None:
        self._open.append(item)
        self.items.append(item)
        if item.value is not None:
            item.told = [*item.above, item.number]

    def _continue(self, number: int, rest: str, indent: int) -> None:
        """An indented line without bullet or key goes on with the item just above it; otherwise it is prose."""
        if indent == 0:
            self._open.clear()
            return
        last = self.items[-1] if self.items else None
        if last is None or last.end != number - 1 or indent <= last.indent:
            return
        last.value = f"{last.value} {rest}" if last.value else rest
        last.end = number
        last.told = [*last.above, *range(last.number, number + 1)]

    def _close(self, indent: int, is_bullet: bool) -> None:
        """Leaves the keys that this line is not below. A YAML list may stand as far left as its key."""
        while self._open:
            top = self._open[-1]
            listed = is_bullet and not top.bullet and top.value is None and indent == top.indent
            if indent > top.indent or listed:
                return
            self._open.pop()

    def _key_below(self, item: Item) -> bool:
        below = item.number + 1
        while below < len(self._lines) and not self._lines[below].strip():
            below += 1
        hit = _LINE.match(self._lines[below]) if below < len(self._lines) else None
        return (
            hit is not None and len(hit[1].expandtabs(4)) > item.indent and _key(hit[3].rstrip()) is not None
        )

    def _is_bare_block(self, number: int) -> bool:
        """Lines without bullets are keys only if every unindented line of their paragraph is one."""
        if number <= self._bare_until:
            return True
        if number and self._lines[number - 1].strip() and not self._open:
            return False
        end = number
        while end < len(self._lines) and (line := self._lines[end]).strip():
            if line[0] not in " \t-*+" and _key(line.rstrip()) is None:
                return False
            end += 1
        self._bare_until = end
        return True


def _key(text: str) -> tuple[str, str] | None:
    """The key and the text behind it, or None where a line has no key."""
    hit = _KEY.match(text)
    if hit is None:
        return None
    key = hit[1] + (hit[2] or "")
    if len(key.split()) > _KEY_WORDS or _SENTENCE.search(key):
        return None
    return key, (hit[3] or "").strip()


def tables_of(lines: list[str]) -> Iterator[list[Row]]:
    """The tables among some lines: the row of names, the separator, then the rows."""
    number = 0
    while number + 1 < len(lines):
        end = number
        if _is_row(lines[number]) and _is_row(lines[number + 1]) and _SEPARATOR.match(lines[number + 1]):
            while end < len(lines) and _is_row(lines[end]):
                end += 1
            yield [Row(at, _cells(lines[at])) for at in range(number, end)]
        number = max(end, number + 1)


def _is_row(line: str) -> bool:
    return "|" in line and not _BULLET.match(line)


def _cells(line: str) -> tuple[str, ...]:
    line = line.strip()
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return tuple(cell.strip().replace("\\|", "|") for cell in _PIPE.split(line))
