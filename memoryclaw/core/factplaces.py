"""Where in a semantic file a fact stands, and where a new one or a line of History goes. Pure text work."""

from __future__ import annotations

import re

from memoryclaw.core import factcells
from memoryclaw.core.facts import VALUE, FactSpot
from memoryclaw.core.factsheet import BULLET, Sheet, Told
from memoryclaw.core.frontmatter import split
from memoryclaw.core.markdown import Heading, read_body
from memoryclaw.core.model import Fact
from memoryclaw.core.splices import Splice
from memoryclaw.core.textfile import readable

_UNDERLINE = re.compile(r"[ \t]*(?:=+|-+)[ \t]*$")
_DEEPEST = 6


def new_field(sheet: Sheet, spot: FactSpot, field: str, told: Told) -> Splice | None:
    """A line or cell for one more field of a known entity, in its style; None where its style has no room for it."""
    if spot.style == "table":
        return factcells.filled(sheet, spot, field, told.value)
    if spot.style == "frontmatter":
        return factcells.mapped(sheet, spot, field, told.value)
    lines, line = sheet.lines, f"{field}: {told.value}{told.inline or ''}"
    if spot.style == "bullet":
        lead = spot.indent or " " * (indent(lines[spot.line - 1]) + 2) + "- "
        return Splice(spot.end_line, spot.end_line, (lead + line,))
    at = spot.end_line
    underlined = at == spot.line and at < len(lines) and not lines[at - 1].lstrip().startswith("#")
    if underlined and _UNDERLINE.match(lines[at]):
        at += 1
    prose = (
        at < len(lines)
        and lines[at].strip()
        and not BULLET.match(lines[at])
        and not lines[at].startswith("#")
    )
    return Splice(at, at, ((spot.indent or "- ") + line, *([""] if prose else [])))


def new_entity(sheet: Sheet, entity: str, field: str, told: Told) -> Splice:
    """A heading of its own for an entity, at the end of the file but above a shared History."""
    lines, history = sheet.lines, sheet.found.history[0]
    at = history - 1 if history else len(lines)
    above = [""] if at and lines[at - 1].strip() else []
    below = [""] if at < len(lines) else []
    return Splice(at, at, (*above, f"# {entity}", f"- {field}: {told.value}{told.inline or ''}", *below))


def history_splice(sheet: Sheet, fact: Fact, past: str) -> Splice:
    """The line for a superseded value: in the History of its entity, or in the one that lists and tables share."""
    spot, lines = sheet.spot(fact), sheet.lines
    if spot.style == "heading":
        line = f"- {fact.field}: {past}"
        if spot.history:
            return Splice(spot.history_end, spot.history_end, (line,))
        level, end = _section_end(sheet.text, spot.line, len(lines))
        return _new_history(lines, end, "#" * min(level + 1, _DEEPEST), line)
    name = fact.entity if fact.field == VALUE else f"{fact.entity}.{fact.field}"
    line, last = f"- {name}: {past}", sheet.found.history[1]
    return Splice(last, last, (line,)) if last else _new_history(lines, len(lines), "#", line)


def indent(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip())


def _new_history(lines: list[str], at: int, marks: str, line: str) -> Splice:
    end = at
    while end and not lines[end - 1].strip():
        end -= 1
    below = [""] if end == at < len(lines) else []
    return Splice(end, end, ("", f"{marks} History", line, *below))


def _section_end(text: str, line: int, count: int) -> tuple[int, int]:
    """The level of the heading on this line, and the number of lines before the next one of its level or above."""
    plain = readable(text)
    body = split(plain).body
    offset = plain.count("\n", 0, len(plain) - len(body))

    def row(heading: Heading) -> int:
        return offset + body.count("\n", 0, heading.start)

    headings = read_body(body, 1).headings
    level = next((heading.level for heading in headings if row(heading) == line - 1), 1)
    return level, next((row(h) for h in headings if row(h) >= line and h.level <= level), count)
