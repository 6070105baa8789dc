"""One fact added, superseded, corrected or removed in the text of a semantic file, in the style that is found there.

The rule: after every patch the facts are read again, and unless exactly the one meant has changed, it is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from memoryclaw.core import factcells
from memoryclaw.core.errors import InputError, NotFoundError
from memoryclaw.core.facts import VALUE, Facts, FactSpot, facts_in
from memoryclaw.core.frontmatter import split
from memoryclaw.core.markdown import Heading, read_body
from memoryclaw.core.model import Fact
from memoryclaw.core.splices import Splice, spliced
from memoryclaw.core.textfile import lines_of, readable

_LEAD = re.compile(r"[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+$")
_UNDERLINE = re.compile(r"[ \t]*(?:=+|-+)[ \t]*$")


class FactEdit(NamedTuple):
    """The text after an edit, what was done (added | confirmed | superseded | corrected), and the value before."""

    text: str
    action: str
    old: str = ""


class SemanticFile(NamedTuple):
    """What reading a semantic file depends on besides its text."""

    path: str
    collections: frozenset[str]

    def facts(self, text: str) -> Facts:
        """The facts of a text, as the reader of this file sees them."""
        return facts_in(self.path, text, self.collections)


class _Change(NamedTuple):
    """The facts that go, and those that come, as (entity, field, value, current)."""

    gone: tuple[tuple[str, str, str, bool], ...]
    come: tuple[tuple[str, str, str, bool], ...]


def set_fact(
    text: str, file: SemanticFile, entity: str, field: str, value: str, *, since: str = "", source: str = "", many: bool = False
) -> FactEdit:
    """The text with this fact in it: added, confirmed as it is, or put in the place of the old value, which goes to History.

    Args:
        text: the text of the file; empty for a new one.
        file: where it is, and the collections of the vault.
        entity: what the fact is about, in any case.
        field: its field; `value` for the one value of an entity.
        value: what holds now.
        since: ISO date from which it holds.
        source: the id of the note it rests on, or a word on where it came from.
        many: True when the field may hold several values side by side.
    """
    entity, field, value = (" ".join(part.split()) for part in (entity, field or VALUE, value))
    if not entity or not value:
        raise InputError("a fact needs an entity and a value")
    found = file.facts(text)
    known = [fact for fact in found.facts if fact.current and _same(fact.entity, entity) and _same(fact.field, field)]
    if any(_holds(fact.value, value) if many else fact.value == value for fact in known):
        return FactEdit(text, "confirmed", value)
    told = f"{value}{_inline(since=since, source=source)}"
    if known and not many:
        if len(known) > 1:
            raise InputError(f"{entity} has {len(known)} values for {field}; say which one to change, by its id")
        return _supersede(text, file, found, known[0], value, told, since)
    return _add(text, file, found, (known[-1].entity, known[-1].field) if known else (entity, field), value, told)


def correct_fact(text: str, file: SemanticFile, id_: str, value: str) -> FactEdit:
    """The text with another value in the place of this fact's, and no History: it was never right."""
    value = " ".join(value.split())
    found = file.facts(text)
    fact = _fact(found, id_)
    if fact.value == value:
        return FactEdit(text, "confirmed", value)
    if not value:
        raise InputError("a fact needs a value; `memoryclaw forget` takes one away")
    change = _Change((_key(fact),), ((fact.entity, fact.field, value, fact.current),))
    return FactEdit(_patched(text, file, found, fact, value, change, keep=True), "corrected", fact.value)


def remove_fact(text: str, file: SemanticFile, id_: str) -> str:
    """The text without this fact: without its line, or with its table cell or its place before nested lines left empty."""
    found = file.facts(text)
    fact = _fact(found, id_)
    lines = readable_lines(text)
    first, last = _span(found, lines, fact)
    splice = Splice(first, last)
    if _spot_of(found, fact).style == "table" or "|" in lines[first].strip()[:1]:
        splice = Splice(first, last, (factcells.cell(lines, found, fact, ""),))
    elif any(other is not fact and other.line == fact.line for other in found.facts):
        raise InputError(f"the line of {id_} holds other facts as well; change it by hand")
    elif last < len(lines) and _indent(lines[last]) > _indent(lines[first]) and _BULLET.match(lines[last]):
        splice = Splice(first, last, (_keyed(lines[first])[0].rstrip(),))
    return _checked(file, found, spliced(text, [splice]), _Change((_key(fact),), ()))


def readable_lines(text: str) -> list[str]:
    """The lines of a text without their line ends."""
    return [line.rstrip("\n") for line in lines_of(readable(text))]


def _supersede(text: str, file: SemanticFile, found: Facts, fact: Fact, value: str, told: str, until: str) -> FactEdit:
    change = _Change(
        (_key(fact),),
        ((fact.entity, fact.field, value, True), (fact.entity, fact.field, fact.value, False)),
    )
    lines = readable_lines(text)
    spot = _spot_of(found, fact)
    first, last = _span(found, lines, fact)
    was = " ".join(" ".join(lines[first:last]).split()) if spot.style in {"heading", "bullet"} else ""
    old = _keyed(was)[1] if was else fact.value
    past = _BLOCK_ID.sub("", old) + _inline(until=until)
    history = _history(text, found, spot, fact, past)
    return FactEdit(_patched(text, file, found, fact, told, change, also=history, value=value), "superseded", fact.value)


def _patched(
    text: str, file: SemanticFile, found: Facts, fact: Fact, told: str, change: _Change,
    *, also: Splice | None = None, value: str = "", keep: bool = False,
) -> str:  # fmt: skip
    """The text with the fact's value replaced; the plain value is tried first, then one in quotes."""
    lines, spot = readable_lines(text), _spot_of(found, fact)
    first, last = _span(found, lines, fact)
    plain = value or told
    for quoted in (plain, f'"{plain}"'):
        fresh = factcells.replaced(lines, found, fact, spot, quoted, told.replace(plain, quoted, 1), keep=keep)
        splices = [Splice(first, last, (fresh,)), *([also] if also else [])]
        result = spliced(text, splices)
        if _matches(file, found, result, change):
            return result
    raise _refused(fact.entity, fact.field)


def _add(text: str, file: SemanticFile, found: Facts, name: tuple[str, str], value: str, told: str) -> FactEdit:
    entity, field = name
    spot = next((spot for spot in found.spots if _same(spot.entity, entity)), None)
    entity = spot.entity if spot else entity
    change = _Change((), ((entity, field, value, True),))
    for quoted in (value, f'"{value}"'):
        line = told.replace(value, quoted, 1)
        splices = [_placed(text, found, spot, field, quoted, line)] if spot else []
        for splice in (*splices, _new_entity(text, found, entity, field, line)):
            result = spliced(text, [splice]) if splice else text
            if splice and _matches(file, found, result, change):
                return FactEdit(result, "added")
    raise _refused(entity, field)


def _placed(text: str, found: Facts, spot: FactSpot, field: str, value: str, told: str) -> Splice | None:
    lines = readable_lines(text)
    if spot.style == "table":
        return factcells.filled(lines, found, spot, field, value)
    if spot.style == "frontmatter":
        return factcells.mapped(lines, found, spot, field, value)
    if spot.style == "bullet":
        lead = spot.indent or " " * (_indent(lines[spot.line - 1]) + 2) + "- "
        return Splice(spot.end_line, spot.end_line, (f"{lead}{field}: {told}",))
    at = spot.end_line
    if at == spot.line and at < len(lines) and not lines[at - 1].lstrip().startswith("#") and _UNDERLINE.match(lines[at]):
        at += 1
    follows = at < len(lines) and lines[at].strip() and not _BULLET.match(lines[at]) and not lines[at].startswith("#")
    return Splice(at, at, (f"{spot.indent or '- '}{field}: {told}", *([""] if follows else [])))


def _new_entity(text: str, found: Facts, entity: str, field: str, told: str) -> Splice:
    lines = readable_lines(text)
    at = found.history[0] - 1 if found.history[0] else len(lines)
    above = [""] if at and lines[at - 1].strip() else []
    below = [""] if at < len(lines) else []
    return Splice(at, at, (*above, f"# {entity}", f"- {field}: {told}", *below))


def _history(text: str, found: Facts, spot: FactSpot, fact: Fact, past: str) -> Splice:
    lines = readable_lines(text)
    if spot.style == "heading":
        line = f"- {fact.field}: {past}"
        if spot.history:
            return Splice(spot.history_end, spot.history_end, (line,))
        level, end = _section_end(text, spot.line, len(lines))
        return _new_history(lines, end, "#" * min(level + 1, 6), line)
    name = fact.entity if fact.field == VALUE else f"{fact.entity}.{fact.field}"
    line = f"- {name}: {past}"
    if found.history[0]:
        return Splice(found.history[1], found.history[1], (line,))
    return _new_history(lines, len(lines), "#", line)


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
    headings = read_body(body, 1).headings
    offset = plain.count("\n", 0, len(plain) - len(body))

    def row(heading: Heading) -> int:
        return offset + body.count("\n", 0, heading.start)

    own = next((heading for heading in headings if row(heading) == line - 1), None)
    level = own.level if own else 1
    return level, next((row(h) for h in headings if row(h) >= line and h.level <= level), count)


def _span(found: Facts, lines: list[str], fact: Fact) -> tuple[int, int]:
    """The lines of a fact: its own and those that only continue it."""
    taken = {other.line for other in found.facts} | {spot.line for spot in found.spots}
    end = fact.line
    while end < len(lines) and end + 1 in found.told and end + 1 not in taken and not _BULLET.match(lines[end]):
        end += 1
    return fact.line - 1, end


def _spot_of(found: Facts, fact: Fact) -> FactSpot:
    spots = [spot for spot in found.spots if _same(spot.entity, fact.entity)]
    near = [spot for spot in spots if spot.line <= fact.line]
    if not spots:
        return FactSpot(fact.entity, "heading", fact.line, fact.line)
    return max(near or spots, key=lambda spot: spot.line)


def _fact(found: Facts, id_: str) -> Fact:
    for fact in found.facts:
        if fact.id == id_:
            return fact
    raise NotFoundError(f"there is no fact {id_}")


def _matches(file: SemanticFile, before: Facts, text: str, change: _Change) -> bool:
    wanted = Counter(map(_key, before.facts))
    wanted.subtract(change.gone)
    wanted.update(change.come)
    return +wanted == Counter(map(_key, file.facts(text).facts))


def _checked(file: SemanticFile, before: Facts, text: str, change: _Change) -> str:
    if not _matches(file, before, text, change):
        raise _refused(*change.gone[0][:2])
    return text


def _refused(entity: str, field: str) -> InputError:
    return InputError(f"{field} of {entity} cannot be written there without changing other lines; edit the file by hand")


def _key(fact: Fact) -> tuple[str, str, str, bool]:
    return fact.entity, fact.field, fact.value, fact.current


def _keyed(line: str) -> tuple[str, str]:
    return factcells.keyed(line)


def _holds(known: str, value: str) -> bool:
    return known == value or value in (part.strip() for part in known.split(","))


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _inline(*, since: str = "", until: str = "", source: str = "") -> str:
    cleaned = re.sub(r"[\[\]\r\n]", "", source)
    parts = (("since", since), ("until", until), ("source", f"[[{cleaned}]]" if cleaned else ""))
    return "".join(f" [{name}:: {value}]" for name, value in parts if value)
