"""One grammar of a line of memory: its indentation and bullet, its words with the inline fields among them, its block id, and how it ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from memoryclaw import late
from memoryclaw.late import NamedTuple

ITEM = r"(?:[-*+]|\d+[.)])[ \t]"  # a bullet, with one blank behind it
BULLET = late.pattern(rf"[ \t]*{ITEM}")
BLOCK_ID = late.pattern(r"(?:^|(?<![^\S\r\n])[^\S\r\n]++)\^([A-Za-z0-9-]++)[^\S\r\n]*+(?=\r?$)", re.MULTILINE)
ANY_KEY = r"[\w -]{1,40}"
_HEAD = late.pattern(rf"([ \t]*+)({ITEM}[ \t]*+)?(\[.\][ \t]++)?")
_LOG_LINE = late.pattern(r"l(\d{1,9})(?:-\d{1,9})?")
_SOURCE = late.pattern(r"!?\[\[([^\[\]|\n]*)(?:\|[^\[\]\n]*)?\]\]|([^,\[\]]+)")
UNSAFE = late.pattern(r"[\[\]|\x00-\x1f\x7f]")  # what no source and no day may hold


class MemoryLine(NamedTuple):
    """One line taken apart; its parts in order are the line."""

    indent: str
    bullet: str  # with the blanks behind it
    box: str  # of a to-do, with the blanks behind it
    content: str  # words and inline fields
    gap: str  # the blanks before its block id
    block: str  # its block id, without the mark
    end: str  # blanks and line end

    def text(self) -> str:
        """Exactly the line that it was read from."""
        return f"{self.body}{self.tail}"

    @property
    def body(self) -> str:
        """The line up to its block id."""
        return f"{self.indent}{self.bullet}{self.box}{self.content}"

    @property
    def tail(self) -> str:
        """What stands behind its words."""
        return f"{self.gap}{'^' if self.block else ''}{self.block}{self.end}"

    @property
    def words(self) -> str:
        """The line without indentation, bullet and block id."""
        return f"{self.box}{self.content}"

    def plus(self, addition: str) -> str:
        """The line with more behind its words, before its block id."""
        return f"{self.body}{addition}{self.tail}"

    def with_fields(self, values: Mapping[str, str]) -> MemoryLine:
        """The line with these inline fields in place of those of the same names; an empty value takes one away."""
        line = read_line(without_fields(self.text(), *values))
        return line._replace(content=line.content + field_text(values))


def head_of(line: str) -> tuple[str, str, str]:
    """What a line begins with: its indentation, its bullet and its box, each with the blanks behind it."""
    hit = _HEAD.match(line)
    assert hit is not None  # noqa: S101 - every part of the pattern is optional
    return hit[1], hit[2] or "", hit[3] or ""


def read_line(line: str) -> MemoryLine:
    """Takes a line apart; every line can be."""
    mark = line.rfind("^")
    hit = BLOCK_ID.search(line, len(line[:mark].rstrip())) if mark >= 0 else None
    body = line[: hit.start()] if hit else line.rstrip()
    head = head_of(body)
    content = body[len("".join(head)) :]
    if hit is None:
        return MemoryLine(*head, content, "", "", line[len(body) :])
    start, end = hit.span(1)
    return MemoryLine(*head, content, line[len(body) : start - 1], hit[1], line[end:])


def without_ids(text: str) -> str:
    """A text without the block ids at the ends of its lines."""
    return BLOCK_ID.sub("", text) if "^" in text else text


def without_block_mark(text: str) -> str:
    """A text in which the word at its end is no block id."""
    line = read_line(text)
    return f"{line.body}{line.gap}{line.block}{line.end}"


def log_line(block: str) -> int:
    """The line of a log that a block id of an episode names: 3 for `l3`, and for `l3-2`, its second quotation; 0 for any other."""
    hit = _LOG_LINE.fullmatch(block)
    return int(hit[1]) if hit else 0


# Inline fields, `[key:: value]` or `(key:: value)`.


class LineField(NamedTuple):
    """An inline field, its value as written, and where in the text both stand."""

    key: str
    value: str
    start: int
    end: int
    value_start: int

    @property
    def value_end(self) -> int:
        """Where its value ends, without the blanks behind it."""
        return self.value_start + len(self.value.rstrip())


@lru_cache(maxsize=64)
def inline_field(keys: str) -> re.Pattern[str]:
    """Inline fields of these names, `[key:: value]` (groups 1 and 2) or `(key:: value)` (3 and 4); the former may hold links."""
    return re.compile(
        rf"\[({keys})::[ \t]*+((?:\[\[[^\[\]]*+\]\]|[^\[\]])*+)\]|\(({keys})::[ \t]*+([^()]*+)\)"
    )


def line_fields(text: str, keys: str = ANY_KEY, start: int = 0) -> Iterator[LineField]:
    """The inline fields of these names, in their order."""
    for hit in inline_field(keys).finditer(text, start) if "::" in text else ():
        value = 2 if hit[1] else 4
        yield LineField(hit[1] or hit[3], hit[value], *hit.span(), hit.start(value))


def first_fields(text: str, keys: str) -> str:
    """The first inline fields of these names that stand side by side, as written, with the blanks before each."""
    start = end = 0
    for field in line_fields(text, keys):
        if end and text[end : field.start].strip(" \t"):
            break
        start = start if end else len(text[: field.start].rstrip(" \t"))
        end = field.end
    return text[start:end]


def last_fields(text: str) -> int:
    """Where the inline fields begin that nothing else stands behind, with the blanks before them."""
    end = len(text)
    for field in reversed(list(line_fields(text))):
        if text[field.end : end].strip(" \t"):
            break
        end = field.start
    return len(text[:end].rstrip(" \t"))


def without(text: str, fields: Iterable[LineField], instead: str = "") -> str:
    """A text without these of its inline fields, and the blanks before each."""
    pieces, end = list[str](), 0
    for field in fields:
        pieces.append(text[end : field.start].rstrip(" \t"))
        end = field.end
    return instead.join((*pieces, text[end:]))


def without_fields(text: str, *keys: str) -> str:
    """A text without the inline fields of these names, and the blanks before each."""
    return without(text, line_fields(text, "|".join(keys)))


def field_text(values: Mapping[str, str]) -> str:
    """Inline fields as they stand behind words; nothing for an empty value."""
    return "".join(f" [{key}:: {value}]" for key, value in values.items() if value)


# Sources: `[source:: [[a#^l3]], [[b]]]`.


def sources_of(value: str) -> list[str]:
    """The sources that a value names: targets of links with their blocks (`episode#^l3`), or plain words."""
    return [source for hit in _SOURCE.finditer(value) if (source := (hit[1] or hit[2] or "").strip())]


def sources_in(text: str) -> tuple[str, ...]:
    """The sources that a line names, in order."""
    named = (source for field in line_fields(text, "source") for source in sources_of(field.value))
    return tuple(dict.fromkeys(named))


def source_field(*sources: str) -> str:
    """Sources as an inline field, ` [source:: [[a#^l3]], [[b]]]`; nothing for none."""
    links = [f"[[{clean}]]" for source in sources if (clean := UNSAFE.sub("", source).strip())]
    return field_text({"source": ", ".join(dict.fromkeys(links))})
