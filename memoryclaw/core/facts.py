"""A file under `semantic/` → its facts, and where each entity stands; a line that is no fact stays prose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from memoryclaw.core.factlines import Item, Row, items_of, tables_of
from memoryclaw.core.factvalues import Said, clean_name, leaves, said, values_of
from memoryclaw.core.frontmatter import Split, split
from memoryclaw.core.markdown import Body, Heading, read_body
from memoryclaw.core.model import Fact
from memoryclaw.core.textfile import readable
from memoryclaw.core.vocabulary import (
    DEFAULT_COLLECTIONS,
    Schema,
    read_aliases,
    read_schema,
    vocabulary_problems,
)
from memoryclaw.core.yamltext import Path

__all__ = [
    "DEFAULT_COLLECTIONS", "FactSpot", "Facts", "Schema", "fact_id", "facts_in", "read_aliases", "read_facts",
    "read_schema", "split_address", "vocabulary_problems", "without_facts",
]  # fmt: skip

VALUE = "value"  # the field of an entity that has one value and no field names
_FIELD_COLUMNS = frozenset({"field", "key", "property", "attribute"})
_VALUE_COLUMNS = frozenset({"value", "values", "is"})
# Header keys that describe the file; only other keys can hold a map of facts.
_FILE_KEYS = frozenset(
    {"id", "title", "tags", "tag", "aliases", "alias", "date", "created", "updated", "metadata", "source"}
)

_ADDRESS = re.compile(r"(?:\"((?:[^\"]|\"\")+)\"|([^\"].*))\.(?:\"((?:[^\"]|\"\")+)\"|([^\s.\"][^.\"]*))")


class FactSpot(NamedTuple):
    """Where the facts of one entity are written, in lines of the file (1-based, both ends included)."""

    entity: str
    style: str  # heading | bullet | table | frontmatter
    line: int  # the heading, the entity's own bullet, its table row or header key
    end_line: int  # the last line of its current facts; `line` when it has none
    indent: str = ""  # what its field lines begin with: "- ", "    ", "  - "
    header: int = 0  # tables: the line of the column names
    history: int = 0  # the line of its own History heading, 0 without one
    history_end: int = 0


class Facts(NamedTuple):
    """The facts of one file."""

    facts: tuple[Fact, ...] = ()
    spots: tuple[FactSpot, ...] = ()
    told: frozenset[int] = frozenset()  # the lines that facts tell; all others are prose
    history: tuple[int, int] = (0, 0)  # first and last line of the History shared by lists and tables


class _Scope(NamedTuple):
    """What the heading above a line makes of it."""

    entity: str = ""  # none in a collection
    past: bool = False
    shared: bool = False  # the History of lists and tables


class _Found(NamedTuple):
    entity: str
    field: str
    said: Said
    line: int
    past: bool


def read_facts(note_id: str, stem: str, parts: Split, body: Body, collections: frozenset[str]) -> Facts:
    """The facts of a semantic file that is split and read already.

    Args:
        note_id: the id of the note, which begins the ids of its facts.
        stem: the name of the file without its ending.
        parts: header and body.
        body: the body, read.
        collections: headings whose keys are entities, in lower case.
    """
    reader = _Reader(collections | {stem})
    reader.header(parts.meta, parts.lines)
    reader.body(body, parts.body_line)
    return reader.result(note_id)


def facts_in(path: str, text: str, collections: frozenset[str]) -> Facts:
    """The facts of a semantic file given as text, for those who patch it; its lines are those of the text."""
    parts = split(readable(text))
    id_ = parts.meta.get("id")
    note_id = id_ if isinstance(id_, str) and id_ else path.removesuffix(".md")
    stem = path.rpartition("/")[2].removesuffix(".md")
    return read_facts(note_id, stem, parts, read_body(parts.body, parts.body_line), collections)


def without_facts(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """A header without the maps of facts in it."""
    return {key: value for key, value in meta.items() if not _holds_facts(key, value)}


def _holds_facts(key: str, value: Any) -> bool:
    return isinstance(value, dict) and key.lower() not in _FILE_KEYS


def fact_id(note_id: str, entity: str, field: str) -> str:
    """`semantic/projects#projectX.deadline`; a part with `.`, `#` or a quote is quoted."""
    return f"{note_id}#{_quoted(entity)}.{_quoted(field)}"


def split_address(text: str) -> tuple[str, str] | None:
    """Entity and field of `projectX.deadline` or `"Dr. No"."home.phone"`; None where there is no field."""
    hit = _ADDRESS.fullmatch(text)
    if hit is None:
        return None
    entity, field = (hit[1] or hit[2], hit[3] or hit[4])
    return (entity.replace('""', '"') if hit[1] else entity), (field.replace('""', '"') if hit[3] else field)


def _quoted(part: str) -> str:
    if "." in part or "#" in part or '"' in part:
        return '"' + part.replace('"', '""') + '"'
    return part


def _plain(name: str) -> str:
    return " ".join(name.replace("-", " ").replace("_", " ").lower().split())


class _Reader:
    """Walks one file and collects what it says."""

    def __init__(self, collections: frozenset[str]) -> None:
        self._collections = frozenset([_plain(name) for name in collections])
        self._found: list[_Found] = []
        self._spots: dict[tuple[str, bool], FactSpot] = {}
        self._told: set[int] = set()
        self._history = (0, 0)

    def header(self, meta: Mapping[str, Any], lines: Mapping[Path, int]) -> None:
        """Maps in the header: `projectX: {deadline: …}`, or a collection of such maps."""
        for key, value in meta.items():
            if _holds_facts(key, value):
                if _plain(key) in self._collections:
                    for entity, inner in value.items():
                        self._map((key, entity), entity, inner, lines)
                else:
                    self._map((key,), key, value, lines)

    def _map(self, path: Path, entity: str, value: Any, lines: Mapping[Path, int]) -> None:
        line = end = lines.get(path, 1)
        for inner, text in leaves(value):
            at = next(
                (lines[path + inner[:n]] for n in range(len(inner), -1, -1) if path + inner[:n] in lines),
                line,
            )
            self._add(entity, " ".join(inner), said(text), at, past=False)
            end = max(end, at)
        self._spot(FactSpot(entity, "frontmatter", line, end, "  " * len(path)))

    def body(self, body: Body, first_line: int) -> None:
        """Everything below the header, one heading's lines at a time."""
        text = body.quiet
        headings = body.headings
        scope, stack = _Scope(), list[tuple[int, _Scope]]()
        line, at = first_line, 0
        ends = [*[heading.start for heading in headings[1:]], len(text)][: len(headings)]
        spans = [(None, headings[0].start if headings else len(text)), *zip(headings, ends, strict=True)]
        for heading, end in spans:
            start = at
            if heading is not None:
                line += text.count("\n", at, heading.start)
                start = at = heading.start
                scope = self._scope(heading, line, stack)
            self._lines(text[start:end].split("\n"), line, scope, skip=heading is not None)

    def _scope(self, heading: Heading, line: int, stack: list[tuple[int, _Scope]]) -> _Scope:
        while stack and stack[-1][0] >= heading.level:
            stack.pop()
        above = stack[-1][1] if stack else _Scope()
        name = _plain(heading.text)
        if name == "history" and not above.past:
            shared = not above.entity
            scope = _Scope(above.entity, past=True, shared=shared)
            self._history_heading(scope, line)
        elif above.past and above.entity:
            scope = above
        elif name in self._collections:
            scope = above._replace(entity="")
        else:
            scope = _Scope(clean_name(heading.text), above.past, above.shared)
            if not above.past:
                self._spot(FactSpot(scope.entity, "heading", line, line, "- "))
        stack.append((heading.level, scope))
        return scope

    def _history_heading(self, scope: _Scope, line: int) -> None:
        spot = self._spots.get((scope.entity, True))
        if scope.shared:
            self._history = (line, line)
        elif spot:
            self._spots[(scope.entity, True)] = spot._replace(history=line, history_end=line)

    def _lines(self, lines: list[str], first: int, scope: _Scope, *, skip: bool) -> None:
        if skip:
            lines = ["", *lines[1:]]
        for table in list(tables_of(lines)):
            self._table(table, first, scope)
            for row in table:
                lines[row.number] = ""
        for item in items_of(lines):
            self._item(item, first, scope)

    def _item(self, item: Item, first: int, scope: _Scope) -> None:
        keys, line = item.keys, first + item.number
        entity = scope.entity
        if not entity and scope.past:
            entity, keys = self._past_entity(item)
        elif not entity:
            entity, keys = keys[0], keys[1:]
            prefix = item.prefix if keys and not item.plain else ""
            self._spot(FactSpot(entity, "bullet", first + item.top, first + item.end, prefix))
        if item.value is None:
            return
        values = values_of(item.value)
        added = [
            self._add(entity, " ".join((*keys, *inner)), value, line, past=scope.past)
            for inner, value in values
        ]
        if any(added):
            self._told.update([first + number for number in item.told])
        self._reach(scope, first + item.end, item.prefix)

    def _past_entity(self, item: Item) -> tuple[str, tuple[str, ...]]:
        """Under the shared History a line names its entity: `projectX.deadline: …`, or by nesting."""
        name = item.keys[0]
        address = (
            split_address(item.raw) if len(item.keys) == 1 and (name, False) not in self._spots else None
        )
        return (clean_name(address[0]), (clean_name(address[1]),)) if address else (name, item.keys[1:])

    def _table(self, table: list[Row], first: int, scope: _Scope) -> None:
        header, rows = table[0], table[2:]
        names = [clean_name(cell) for cell in header.cells]
        pairs = (
            bool(scope.entity)
            and len(names) == 2
            and (names[0].lower() in _FIELD_COLUMNS or names[1].lower() in _VALUE_COLUMNS)
        )
        for row in rows:
            subject, line = clean_name(row.cells[0]) if row.cells else "", first + row.number
            if not subject:
                continue
            if not pairs and not scope.past:
                self._spot(FactSpot(subject, "table", line, line, "", first + header.number))
            for name, cell in zip(names[1:], row.cells[1:], strict=False):
                entity, field = (scope.entity, subject) if pairs else (subject, name)
                if self._add(entity, field, said(cell), line, past=scope.past):
                    self._told.update((first + header.number, first + table[1].number))
            self._reach(scope, line, "- ")

    def _add(self, entity: str, field: str, value: Said, line: int, *, past: bool) -> bool:
        if not entity or not value.text:
            return False
        self._found.append(_Found(entity, field or VALUE, value, line, past))
        self._told.add(line)
        return True

    def _spot(self, spot: FactSpot) -> None:
        key = (spot.entity, spot.style == "heading")
        known = self._spots.get(key)
        if known is None:
            self._spots[key] = spot
        elif spot.style == known.style == "bullet":
            self._spots[key] = known._replace(
                end_line=max(known.end_line, spot.end_line), indent=known.indent or spot.indent
            )

    def _reach(self, scope: _Scope, line: int, prefix: str) -> None:
        if scope.shared:
            self._history = (self._history[0], max(self._history[1], line))
        spot = self._spots.get((scope.entity, True))
        if spot is None or not scope.entity:
            return
        if scope.past:
            self._spots[(scope.entity, True)] = spot._replace(history_end=max(line, spot.history_end))
        else:
            begins = prefix if spot.end_line == spot.line else spot.indent
            self._spots[(scope.entity, True)] = spot._replace(
                end_line=max(line, spot.end_line), indent=begins
            )

    def result(self, note_id: str) -> Facts:
        """All facts in the order of the file; ids are given to current values first."""
        count: dict[str, int] = {}
        ids: dict[int, str] = {}
        for number in sorted(range(len(self._found)), key=lambda n: self._found[n].past):
            found = self._found[number]
            base = fact_id(note_id, found.entity, found.field)
            count[base] = count.get(base, 0) + 1
            ids[number] = base if count[base] == 1 else f"{base}~{count[base]}"
        facts = tuple(
            Fact(
                entity=found.entity,
                field=found.field,
                value=found.said.text,
                line=found.line,
                since=found.said.since,
                until=found.said.until,
                source=found.said.source,
                current=not found.past,
                id=ids[number],
            )
            for number, found in enumerate(self._found)
        )
        return Facts(facts, tuple(self._spots.values()), frozenset(self._told), self._history)
