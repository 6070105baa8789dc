"""Adds, supersedes, corrects and removes facts in the text of a semantic file, in the file's own style.

After every patch the facts are read again; a patch that changed any other fact is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.model import Fact
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.markdown import Heading, read_body
from memoryclaw.text.yaml_text import scalar
from memoryclaw.vault.edits import Splice, spliced
from memoryclaw.vault.facts import VALUE, Facts, FactSpot, clean_name, facts_in

_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+$")
_Key = tuple[str, str, str, bool]


class FactEdit(NamedTuple):
    """The text after an edit, what was done (added | confirmed | superseded | corrected), and the former value."""

    text: str
    action: str
    old: str = ""


class _Change(NamedTuple):
    """The facts that a patch removes and adds, as (entity, field, value, current)."""

    gone: tuple[_Key, ...] = ()
    come: tuple[_Key, ...] = ()


def set_fact(
    text: str,
    file: SemanticFile,
    *,
    entity: str,
    field: str,
    value: str,
    since: str = "",
    source: str = "",
    many: bool = False,
) -> FactEdit:
    """Sets a fact: adds it, confirms it, or replaces the old value, which moves to History.

    Args:
        text: the text of the file; empty for a new one.
        file: its path, and the collections of the vault.
        entity: what the fact is about, in any case.
        field: its field; `value` for the one value of an entity.
        value: what holds now.
        since: ISO date from which it holds.
        source: the id of the note it comes from, or a word on its origin.
        many: True when the field may hold several values side by side.
    """
    entity, field, value = (" ".join(part.split()) for part in (entity, field or VALUE, value))
    if not entity or not value:
        raise InputError("a fact needs an entity and a value")
    sheet = Sheet.of(text, file)
    known = [f for f in sheet.found.facts if f.current and same(f.entity, entity) and same(f.field, field)]
    if any(_holds(fact.value, value) if many else fact.value == value for fact in known):
        return FactEdit(text, "confirmed", value)
    told = FactText(value, _inline(since=since, source=source))
    if not known or many:
        first = known[-1] if known else None
        return _add(sheet, first.entity if first else entity, first.field if first else field, told)
    if len(known) > 1:
        raise InputError(f"{entity} has {len(known)} values for {field}; say which one to change, by its id")
    return _supersede(sheet, known[0], told, since)


def correct_fact(text: str, file: SemanticFile, id_: str, value: str) -> FactEdit:
    """Replaces the value of a fact without History: the old one was never right."""
    value, sheet = " ".join(value.split()), Sheet.of(text, file)
    fact = _fact(sheet, id_)
    if fact.value == value:
        return FactEdit(text, "confirmed", value)
    if not value:
        raise InputError("a fact needs a value; `memoryclaw forget` takes one away")
    change = _Change((_key(fact),), ((fact.entity, fact.field, value, fact.current),))
    return FactEdit(_replaced(sheet, fact, FactText(value, None), change), "corrected", fact.value)


def remove_fact(text: str, file: SemanticFile, id_: str) -> str:
    """Removes a fact: its line, or only its table cell, or its value above nested lines."""
    sheet = Sheet.of(text, file)
    fact, lines = _fact(sheet, id_), sheet.lines
    first, last = sheet.span(fact)
    splice = Splice(first, last)
    if sheet.in_table(fact):
        splice = Splice(first, last, (with_cell(sheet, fact, ""),))
    elif any(other is not fact and other.line == fact.line for other in sheet.found.facts):
        raise InputError(f"the line of {id_} holds other facts as well; change it by hand")
    elif last < len(lines) and indent(lines[last]) > indent(lines[first]) and BULLET.match(lines[last]):
        splice = Splice(first, last, (keyed(lines[first])[0].rstrip(),))
    result = spliced(text, [splice])
    if not _matches(sheet, result, _Change((_key(fact),))):
        raise _refused(fact.entity, fact.field)
    return result


def _supersede(sheet: Sheet, fact: Fact, told: FactText, until: str) -> FactEdit:
    now, past = (fact.entity, fact.field, told.value, True), (fact.entity, fact.field, fact.value, False)
    first, last = sheet.span(fact)
    old = fact.value
    if sheet.spot(fact).style in {"heading", "bullet"} and not sheet.in_table(fact):
        line = " ".join(" ".join(sheet.lines[first:last]).split())
        old = _BLOCK_ID.sub("", keyed(line)[1])
    history = history_splice(sheet, fact, old + _inline(until=until))
    text = _replaced(sheet, fact, told, _Change((_key(fact),), (now, past)), history)
    return FactEdit(text, "superseded", fact.value)


def _replaced(sheet: Sheet, fact: Fact, told: FactText, change: _Change, *also: Splice) -> str:
    first, last = sheet.span(fact)
    for form in _forms(told):
        result = spliced(sheet.text, [Splice(first, last, (replaced(sheet, fact, form),)), *also])
        if _matches(sheet, result, change):
            return result
    raise _refused(fact.entity, fact.field)


def _add(sheet: Sheet, entity: str, field: str, told: FactText) -> FactEdit:
    spot = next((spot for spot in sheet.found.spots if same(spot.entity, entity)), None)
    entity = spot.entity if spot else entity
    change = _Change(come=((entity, field, told.value, True),))
    for form in _forms(told):
        for splice in (
            new_field(sheet, spot, field, form) if spot else None,
            new_entity(sheet, entity, field, form),
        ):
            if splice and _matches(sheet, result := spliced(sheet.text, [splice]), change):
                return FactEdit(result, "added")
    raise _refused(entity, field)


def _forms(told: FactText) -> Iterator[FactText]:
    """Yields the value as it is, then in quotes; one of them reads back as the same value."""
    yield told
    yield told._replace(value=f'"{told.value}"')


def _fact(sheet: Sheet, id_: str) -> Fact:
    for fact in sheet.found.facts:
        if fact.id == id_:
            return fact
    raise NotFoundError(f"there is no fact {id_}")


def _matches(sheet: Sheet, text: str, change: _Change) -> bool:
    wanted = Counter(map(_key, sheet.found.facts))
    wanted.subtract(change.gone)
    wanted.update(change.come)
    return +wanted == Counter(map(_key, sheet.file.facts(text).facts))


def _refused(entity: str, field: str) -> InputError:
    return InputError(
        f"{field} of {entity} cannot be written there without changing other lines; edit the file by hand"
    )


def _key(fact: Fact) -> _Key:
    return fact.entity, fact.field, fact.value, fact.current


def _holds(known: str, value: str) -> bool:
    return known == value or value in (part.strip() for part in known.split(","))


def _inline(*, since: str = "", until: str = "", source: str = "") -> str:
    cleaned = re.sub(r"[\[\]\r\n]", "", source)
    parts = (("since", since), ("until", until), ("source", f"[[{cleaned}]]" if cleaned else ""))
    return "".join(f" [{name}:: {value}]" for name, value in parts if value)


# Where a new fact and a line of History go.

_UNDERLINE = re.compile(r"[ \t]*(?:=+|-+)[ \t]*$")
_DEEPEST = 6


def new_field(sheet: Sheet, spot: FactSpot, field: str, told: FactText) -> Splice | None:
    """Adds a line or cell for a field of a known entity, in its style; None where there is no room for it."""
    if spot.style == "table":
        return filled(sheet, spot, field, told.value)
    if spot.style == "frontmatter":
        return mapped(sheet, spot, field, told.value)
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


def new_entity(sheet: Sheet, entity: str, field: str, told: FactText) -> Splice:
    """Adds a heading for a new entity at the end of the file, above a shared History."""
    lines, history = sheet.lines, sheet.found.history[0]
    at = history - 1 if history else len(lines)
    above = [""] if at and lines[at - 1].strip() else []
    below = [""] if at < len(lines) else []
    return Splice(at, at, (*above, f"# {entity}", f"- {field}: {told.value}{told.inline or ''}", *below))


def history_splice(sheet: Sheet, fact: Fact, past: str) -> Splice:
    """Adds the line of a superseded value to the History of its entity, or to the one that lists and tables share."""
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


# Where the value of a fact is on its line: after a key, in a table cell, in a header's map.

_KEYED = re.compile(
    r"([ \t]*+(?:(?:[-*+]|\d+[.)])[ \t]++)?"  # indentation and bullet
    r"(?:(?:\[\[[^\[\]]+\]\]|\"[^\"]+\")[ \t]*+|[^:]*+)"  # the key
    r"(?:::?(?:\*\*|__)?|(?<=[*_]):)(?=[ \t]|$))[ \t]*+(.*)$"
)
_INLINE = re.compile(
    r"(?:(?<![ \t])[ \t]*+(?:\[(?:since|until|source)::(?:\[\[[^\[\]]*\]\]|[^\[\]])*+\]|\((?:since|until|source)::[^()]*\)))+"
)

_COMMENT = re.compile(r"(?<![ \t])[ \t]++#.*$")
_PIPE = re.compile(r"(?<!\\)\|")


def keyed(line: str) -> tuple[str, str]:
    """Splits a line after its key's colon."""
    hit = _KEYED.match(line)
    return (hit[1], hit[2].rstrip()) if hit else (line, "")


def replaced(sheet: Sheet, fact: Fact, told: FactText) -> str:
    """The line of a fact with another value."""
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
    """Fills the empty cell of a column; None without such a column or when the cell is not empty."""
    names, row = _names(sheet, spot), sheet.lines[spot.line - 1]
    if field.casefold() not in names[1:]:
        return None
    number = names.index(field.casefold())
    texts = _texts(row)
    if number >= len(texts) or texts[number]:
        return None
    return Splice(spot.line - 1, spot.line, (_with_text(row, number, value),))


def mapped(sheet: Sheet, spot: FactSpot, field: str, value: str) -> Splice | None:
    """Adds a line to the entity's map in the header; None for a map on one line."""
    own = [fact.line for fact in sheet.found.facts if fact.entity == spot.entity and fact.line > spot.line]
    if not own:
        return None
    sample, last = sheet.lines[own[0] - 1], max(own)
    lead = sample[: len(sample) - len(sample.lstrip())]
    return Splice(last, last, (f"{lead}{scalar(field)}: {scalar(value.strip(chr(34)))}",)) if lead else None


def _names(sheet: Sheet, spot: FactSpot) -> list[str]:
    return [clean_name(text).casefold() for text in _texts(sheet.lines[spot.header - 1])]


def _edges(line: str) -> list[int]:
    """The positions of the bars around a row's cells, including missing outer ones."""
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


# A semantic file while it is patched: its lines, its facts, and the lines of each fact.

BULLET = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")


class SemanticFile(NamedTuple):
    """What the facts of a semantic file depend on besides its text."""

    path: str
    collections: frozenset[str]

    def facts(self, text: str) -> Facts:
        """Reads the facts of a text as this file's."""
        return facts_in(self.path, text, self.collections)


class FactText(NamedTuple):
    """A value, and the inline fields after it; None keeps those of the line."""

    value: str
    inline: str | None


class Sheet(NamedTuple):
    """A semantic file while it is patched: its text, its lines without line ends, and its facts."""

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
        """The lines of a fact, counted from 0, without the end: its own and those that continue it."""
        taken = {other.line for other in self.found.facts} | {spot.line for spot in self.found.spots}
        end = fact.line
        while end < len(self.lines) and end + 1 in self.found.told and end + 1 not in taken:
            if BULLET.match(self.lines[end]):
                break
            end += 1
        return fact.line - 1, end

    def spot(self, fact: Fact) -> FactSpot:
        """The place of a fact's entity nearest above the fact."""
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


# The sources of a fact: its line may name several, and one more is added as a patch of that line alone.

# Sources as `[source:: [[a#^l3]], [[b]]]` or `(source:: …)`; one more is added at the end of the text.
_FIELD = re.compile(r"\[source::[ \t]*+((?:\[\[[^\[\]\n]*\]\]|[^\[\]\n])*+)\]|\(source::[ \t]*+([^()\n]*)\)")
_SOURCE = re.compile(r"!?\[\[([^\[\]|\n]*)(?:\|[^\[\]\n]*)?\]\]|([^,\[\]]+)")
_BLOCK_ID_END = re.compile(r"(?<![ \t])[ \t]++(?:\^[A-Za-z0-9-]++[ \t]*+)?$")
_UNSAFE = re.compile(r"[\[\]|\x00-\x1f\x7f]")


def sources_in(text: str) -> tuple[str, ...]:
    """The sources that a line names, in order: targets of links with their blocks (`episode#^l3`), or plain words."""
    said = [hit[1] if hit[1] is not None else hit[2] for hit in _FIELD.finditer(text)]
    found = [(hit[1] or hit[2] or "").strip() for field in said for hit in _SOURCE.finditer(field)]
    return tuple(dict.fromkeys(filter(None, found)))


def source_field(*sources: str) -> str:
    """Sources as an inline field, ` [source:: [[a#^l3]], [[b]]]`; nothing for none."""
    links = [f"[[{clean}]]" for source in sources if (clean := _UNSAFE.sub("", source).strip())]
    return f" [source:: {', '.join(dict.fromkeys(links))}]" if links else ""


def fact_sources(text: str, file: SemanticFile, fact_id: str) -> tuple[str, ...]:
    """The sources of one fact of a semantic file, with the blocks they point to."""
    sheet = Sheet.of(text, file)
    first, last = sheet.span(_sourced_fact(sheet, fact_id))
    return sources_in("\n".join(sheet.lines[first:last]))


def add_source(text: str, file: SemanticFile, fact_id: str, source: str) -> FactEdit:
    """Adds a source to a fact; returns the text unchanged when it is there already or the line has no room for it.

    Args:
        text: the text of the file.
        file: its path, and the collections of the vault.
        fact_id: the id of the fact.
        source: the id of the episode that confirms it, with the block of the line: `episode#^l3`.
    """
    sheet = Sheet.of(text, file)
    fact = _sourced_fact(sheet, fact_id)
    unchanged = FactEdit(text, "confirmed", fact.value)
    source = _UNSAFE.sub("", source).strip()
    if not source or sheet.in_table(fact) or sheet.spot(fact).style == "frontmatter":
        return unchanged
    first, last = sheet.span(fact)
    if source in sources_in("\n".join(sheet.lines[first:last])):
        return unchanged
    result = _sourced(sheet, first, last, source)
    return FactEdit(result, "confirmed", fact.value) if _says_the_same(sheet, result, fact) else unchanged


def _sourced(sheet: Sheet, first: int, last: int, source: str) -> str:
    """Adds the source after the others, else at the end of the fact's first line."""
    for number in range(first, last):
        line = sheet.lines[number]
        if hits := list(_FIELD.finditer(line)):
            return spliced(sheet.text, [Splice(number, number + 1, (_behind(line, hits[-1], source),))])
    line = sheet.lines[first]  # on a line below, `[source::` would begin a key
    mark = _BLOCK_ID_END.search(line)
    end = mark.start() if mark else len(line)
    fresh = line[:end] + source_field(source) + line[end:]
    return spliced(sheet.text, [Splice(first, first + 1, (fresh,))])


def _behind(line: str, field: re.Match[str], source: str) -> str:
    said = (field[1] if field[1] is not None else field[2]).rstrip()
    at = field.start(1 if field[1] is not None else 2) + len(said)
    return line[:at] + (", " if said else "") + f"[[{source}]]" + line[at:]


def _says_the_same(sheet: Sheet, text: str, fact: Fact) -> bool:
    """True when only the source of this fact has changed."""
    old, new = sheet.found.facts, sheet.file.facts(text).facts
    return len(old) == len(new) and all(
        two == one or (one == fact and two._replace(source=one.source) == one)
        for one, two in zip(old, new, strict=True)
    )


def _sourced_fact(sheet: Sheet, fact_id: str) -> Fact:
    for fact in sheet.found.facts:
        if fact.id == fact_id:
            return fact
    raise NotFoundError(f"there is no fact {fact_id}")
