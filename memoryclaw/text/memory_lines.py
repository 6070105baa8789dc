"""One grammar of a line of memory: its words with the inline fields among them, the block id behind them, and the blanks at its end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from memoryclaw import late

BLOCK_ID = late.pattern(r"(?:^|(?<![^\S\r\n])[^\S\r\n]++)\^([A-Za-z0-9-]++)[^\S\r\n]*+(?=\r?$)", re.MULTILINE)
BULLET = late.pattern(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")


class MemoryLine(NamedTuple):
    """One line taken apart; its parts in order are the line."""

    body: str  # indentation, bullet, words and inline fields
    gap: str  # the blanks before its block id
    block: str  # its block id, without the mark
    end: str  # blanks and line end

    def text(self) -> str:
        """Exactly the line that it was read from."""
        return f"{self.body}{self.gap}{'^' if self.block else ''}{self.block}{self.end}"

    @property
    def words(self) -> str:
        """The line without indentation, bullet and block id."""
        bullet = BULLET.match(self.body)
        return self.body[bullet.end() if bullet else 0 :].lstrip(" \t")

    def plus(self, addition: str) -> str:
        """The line with more behind its words, before its block id."""
        return self._replace(body=self.body + addition).text()

    def with_fields(self, values: Mapping[str, str]) -> MemoryLine:
        """The line with these inline fields in place of those of the same names; an empty value takes one away."""
        line = read_line(without_fields(self.text(), *values))
        fresh = "".join(f" [{key}:: {value}]" for key, value in values.items() if value)
        return line._replace(body=line.body + fresh)


def read_line(line: str) -> MemoryLine:
    """Takes a line apart; every line can be."""
    hit = BLOCK_ID.search(line)
    if hit is None:
        body = line.rstrip()
        return MemoryLine(body, "", "", line[len(body) :])
    start, after = hit.span(1)
    return MemoryLine(line[: hit.start()], line[hit.start() : start - 1], hit[1], line[after:])


def without_ids(text: str) -> str:
    """A text without the block ids at the ends of its lines."""
    return BLOCK_ID.sub("", text) if "^" in text else text


def without_block_mark(text: str) -> str:
    """A text in which the word at its end is no block id."""
    line = read_line(text)
    return f"{line.body}{line.gap}{line.block}{line.end}"


@lru_cache(maxsize=64)
def inline_field(keys: str) -> re.Pattern[str]:
    """Inline fields of these names, `[key:: value]` (groups 1 and 2) or `(key:: value)` (3 and 4); the former may hold links."""
    return re.compile(
        rf"\[({keys})::[ \t]*+((?:\[\[[^\[\]]*+\]\]|[^\[\]])*+)\]|\(({keys})::[ \t]*+([^()]*+)\)"
    )


def without_fields(text: str, *keys: str) -> str:
    """A text without the inline fields of these names, and the blanks before each."""
    return re.sub(rf"(?<![ \t])[ \t]*+(?:{inline_field('|'.join(keys)).pattern})", "", text)
