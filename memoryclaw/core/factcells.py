"""Where the value of a fact stands on its line: behind a key, in a table cell, in a header's map. Pure text work."""

from __future__ import annotations

import re

from memoryclaw.core.facts import VALUE, Facts, FactSpot
from memoryclaw.core.factvalues import clean_name
from memoryclaw.core.model import Fact
from memoryclaw.core.splices import Splice
from memoryclaw.core.yamlwrite import scalar

_KEYED = re.compile(
    r"([ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:\[\[[^\[\]]+\]\]|\"[^\"]+\"|[^:]*?)[ \t]*(?:::?(?:\*\*|__)?|(?<=[*_]):)(?=[ \t]|$))[ \t]*(.*)$"
)
_INLINE = re.compile(r"(?:[ \t]*(?:\[(?:since|until|source)::(?:\[\[[^\[\]]*\]\]|[^\[\]])*\]|\((?:since|until|source)::[^()]*\)))+")
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+$")
_COMMENT = re.compile(r"[ \t]+#.*$")
_PIPE = re.compile(r"(?<!\\)\|")


def keyed(line: str) -> tuple[str, str]:
    """A line in two: up to its key's colon, and what stands behind it."""
    hit = _KEYED.match(line)
    return (hit[1], hit[2].rstrip()) if hit else (line, "")


def replaced(lines: list[str], found: Facts, fact: Fact, spot: FactSpot, value: str, told: str, *, keep: bool) -> str:
    """The fact's line with another value. `told` is the value with its inline fields; `keep` leaves those of the line."""
    line = lines[fact.line - 1]
    if spot.style == "table" or line.lstrip().startswith("|"):
        return cell(lines, found, fact, value)
    head, rest = keyed(line)
    if spot.style == "frontmatter":
        comment = _COMMENT.search(rest)
        return f"{head} {scalar(value.strip(chr(34)))}{comment[0] if comment else ''}"
    kept = _INLINE.search(rest) if keep else None
    mark = _BLOCK_ID.search(rest)
    return f"{head} {told}{kept[0] if kept else ''}{mark[0] if mark else ''}"


def cell(lines: list[str], found: Facts, fact: Fact, value: str) -> str:
    """The table row of a fact with another value in its cell."""
    row = fact.line - 1
    spot = next((spot for spot in found.spots if spot.style == "table" and spot.line == fact.line), None)
    number = 1
    if spot is not None:
        names = [clean_name(text).casefold() for text in _texts(lines[spot.header - 1])]
        field = "" if fact.field == VALUE and VALUE not in names else fact.field.casefold()
        number = names.index(field) if field in names else 1
    return _with_cell(lines[row], number, value)


def filled(lines: list[str], _found: Facts, spot: FactSpot, field: str, value: str) -> Splice | None:
    """The empty cell of this column filled, or a value added to what is in it; None where there is no such column."""
    names = [clean_name(text).casefold() for text in _texts(lines[spot.header - 1])]
    if field.casefold() not in names[1:]:
        return None
    number, row = names.index(field.casefold()), spot.line - 1
    texts = _texts(lines[row])
    return None if number >= len(texts) or texts[number] else Splice(row, row + 1, (_with_cell(lines[row], number, value),))


def mapped(lines: list[str], found: Facts, spot: FactSpot, field: str, value: str) -> Splice | None:
    """A line added to the entity's map in the header."""
    own = [fact.line for fact in found.facts if fact.entity == spot.entity and fact.line > spot.line]
    last = max(own, default=spot.line)
    if last == spot.line or not lines[last - 1].startswith(" "):
        return None
    lead = lines[own[0] - 1][: len(lines[own[0] - 1]) - len(lines[own[0] - 1].lstrip())]
    return Splice(last, last, (f"{lead}{scalar(field)}: {scalar(value.strip(chr(34)))}",))


def _edges(line: str) -> list[int]:
    """The places of the bars around a row's cells, with one before and behind where the row has none."""
    bars = [hit.start() for hit in _PIPE.finditer(line)]
    first = [] if line.lstrip().startswith("|") else [-1]
    last = [] if bars and not line[bars[-1] + 1 :].strip() else [len(line)]
    return [*first, *bars, *last]


def _texts(line: str) -> list[str]:
    edges = _edges(line)
    return [line[a + 1 : b].strip() for a, b in zip(edges, edges[1:], strict=False)]


def _with_cell(line: str, number: int, value: str) -> str:
    edges = _edges(line)
    if number + 1 >= len(edges):
        return line
    a, b = edges[number] + 1, edges[number + 1]
    old = line[a:b]
    text = value.replace("|", "\\|")
    lead = old[: len(old) - len(old.lstrip())] or " "
    # The column stays as wide as it was where the new value fits.
    padded = f"{' ' if not old.strip() else lead}{text}".ljust(len(old) - 1) + " "
    return line[:a] + padded + line[b:]
