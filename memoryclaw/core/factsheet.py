"""A semantic file that is being patched: its lines, its facts, and which lines each fact takes up."""

from __future__ import annotations

import re
from typing import NamedTuple

from memoryclaw.core.facts import Facts, FactSpot, facts_in
from memoryclaw.core.model import Fact
from memoryclaw.core.textfile import lines_of, readable

BULLET = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")


class SemanticFile(NamedTuple):
    """What reading a semantic file depends on besides its text."""

    path: str
    collections: frozenset[str]

    def facts(self, text: str) -> Facts:
        """The facts of a text, as the reader of this file sees them."""
        return facts_in(self.path, text, self.collections)


class Told(NamedTuple):
    """A value, and the inline fields that follow it; None leaves those that stand there."""

    value: str
    inline: str | None


class Sheet(NamedTuple):
    """A semantic file that is being patched: its text, its lines without line ends, and its facts."""

    text: str
    file: SemanticFile
    lines: list[str]
    found: Facts

    @classmethod
    def of(cls, text: str, file: SemanticFile) -> Sheet:
        """Reads a text."""
        lines = [line.rstrip("\n") for line in lines_of(readable(text))]
        return cls(text, file, lines, file.facts(text))

    def span(self, fact: Fact) -> tuple[int, int]:
        """The lines of a fact, counted from 0, the last one not included: its own and those that only continue it."""
        taken = {other.line for other in self.found.facts} | {spot.line for spot in self.found.spots}
        end = fact.line
        while end < len(self.lines) and end + 1 in self.found.told and end + 1 not in taken:
            if BULLET.match(self.lines[end]):
                break
            end += 1
        return fact.line - 1, end

    def spot(self, fact: Fact) -> FactSpot:
        """Where the entity of a fact stands: the nearest place above the fact."""
        spots = [spot for spot in self.found.spots if same(spot.entity, fact.entity)]
        above = [spot for spot in spots if spot.line <= fact.line]
        nowhere = FactSpot(fact.entity, "heading", fact.line, fact.line)
        return max(above or spots or [nowhere], key=lambda spot: spot.line)

    def in_table(self, fact: Fact) -> bool:
        """True when a fact is a table cell."""
        return self.spot(fact).style == "table" or self.lines[fact.line - 1].lstrip().startswith("|")


def same(one: str, other: str) -> bool:
    """True for names that differ in case and spaces only."""
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
