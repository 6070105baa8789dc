"""Where the value of a fact stands on its line: behind a key, in a table cell, in a header's map. Pure text work."""

from __future__ import annotations

import re
from itertools import pairwise

from memoryclaw.core.facts import VALUE, FactSpot
from memoryclaw.core.factsheet import Sheet, Told
from memoryclaw.core.factvalues import clean_name
from memoryclaw.core.model import Fact
from memoryclaw.core.splices import Splice
from memoryclaw.core.yamlwrite import scalar

_KEYED = re.compile(
    r"([ \t]*+(?:(?:[-*+]|\d+[.)])[ \t]++)?"  # indentation and bullet
    r"(?:(?:\[\[[^\[\]]+\]\]|\"[^\"]+\")[ \t]*+|[^:]*+)"  # the key
    r"(?:::?(?:\*\*|__)?|(?<=[*_]):)(?=[ \t]|$))[ \t]*+(.*)$"
)
_INLINE = re.compile(
    r"(?:(?<![ \t])[ \t]*+(?:\[(?:since|until|source)::(?:\[\[[^\[\]]*\]\]|[^\[\]])*+\]|\((?:since|until|source)::[^()]*\)))+"
)
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+$")
_COMMENT = re.compile(r"(?<![ \t])[ \t]++#.*$")
_PIPE = re.compile(r"(?<!\\)\|")


def keyed(line: str) -> tuple[str, str]:
    """A line in two: up to its key's colon, and what stands behind it."""
    hit = _KEYED.match(line)
    return (hit[1], hit[2].rstrip()) if hit else (line, "")


def replaced(sheet: Sheet, fact: Fact, told: Told) -> str:
    """The fact's line with another value in the place of the old one."""
    if sheet.in_table(fact):
        return with_cell(sheet, fact, told.value)
    head, rest = keyed(sheet.lines[fact.line - 1])
    if sheet.spot(fact).style == "frontmatter":
        comment = _COMMENT.search(rest)
        return f"{head} {scalar(told.value.strip(chr(34)))}{comment[0] if comment else ''}"
    standing, mark = _INLINE.search(rest), _BLOCK_ID.search(rest)
    inline = told.inline if told.inline is not None else standing[0] if standing else ""
    return f"{head} {told.value}{inline}{mark[0] if mark else ''}"


def with_cell(sheet: Sheet, fact: Fact, value: str) -> str:
    """The table row of a fact with another value in its cell."""
    spot = next(
        (spot for spot in sheet.found.spots if spot.style == "table" and spot.line == fact.line), None
    )
    number = 1
    if spot is not None:
        names = _names(sheet, spot)
        field = "" if fact.field == VALUE and VALUE not in names else fact.field.casefold()
        number = names.index(field) if field in names else 1
    return _with_text(sheet.lines[fact.line - 1], number, value)


def filled(sheet: Sheet, spot: FactSpot, field: str, value: str) -> Splice | None:
    """The empty cell of this column filled; None where there is no such column or the cell is taken."""
    names, row = _names(sheet, spot), sheet.lines[spot.line - 1]
    if field.casefold() not in names[1:]:
        return None
    number = names.index(field.casefold())
    texts = _texts(row)
    if number >= len(texts) or texts[number]:
        return None
    return Splice(spot.line - 1, spot.line, (_with_text(row, number, value),))


def mapped(sheet: Sheet, spot: FactSpot, field: str, value: str) -> Splice | None:
    """A line added to the entity's map in the header; None for a map that stands on one line."""
    own = [fact.line for fact in sheet.found.facts if fact.entity == spot.entity and fact.line > spot.line]
    if not own:
        return None
    sample, last = sheet.lines[own[0] - 1], max(own)
    lead = sample[: len(sample) - len(sample.lstrip())]
    return Splice(last, last, (f"{lead}{scalar(field)}: {scalar(value.strip(chr(34)))}",)) if lead else None


def _names(sheet: Sheet, spot: FactSpot) -> list[str]:
    return [clean_name(text).casefold() for text in _texts(sheet.lines[spot.header - 1])]


def _edges(line: str) -> list[int]:
    """The places of the bars around a row's cells, with one before and behind where the row has none."""
    bars = [hit.start() for hit in _PIPE.finditer(line)]
    first = [] if line.lstrip().startswith("|") else [-1]
    last = [] if bars and not line[bars[-1] + 1 :].strip() else [len(line)]
    return [*first, *bars, *last]


def _texts(line: str) -> list[str]:
    return [line[a + 1 : b].strip() for a, b in pairwise(_edges(line))]


def _with_text(line: str, number: int, value: str) -> str:
    edges = _edges(line)
    if number + 1 >= len(edges):
        return line
    start, end = edges[number] + 1, edges[number + 1]
    old, text = line[start:end], value.replace("|", "\\|")
    lead = old[: len(old) - len(old.lstrip())] if old.strip() else " "
    # The column stays as wide as it was where the new value fits.
    return line[:start] + f"{lead or ' '}{text}".ljust(len(old) - 1) + " " + line[end:]
