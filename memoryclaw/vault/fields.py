"""Properties as memory: the fields of a plain note's header and body, which entity they tell of, and where each stands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memoryclaw.model import Fact, least_trusted
from memoryclaw.text import dates
from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import Split, split
from memoryclaw.text.markdown import Body, read_body, title_in
from memoryclaw.vault.audience import label_of
from memoryclaw.vault.facts import VALUE, Facts, FactValue, clean_name, fact_id, fact_value, leaves
from memoryclaw.vault.layout import place_of
from memoryclaw.vault.properties import NOT_TOLD, Properties, read_properties
from memoryclaw.vault.todos import read_todo
from memoryclaw.vault.validity import is_lifecycle_value

# Inline fields, as Dataview reads them: `key:: value` on a line of its own (or a list item), `[key:: value]` or
# `(key:: value)` within one; the words of a link, such as `[Vec::new](address)`, are none.

_KEY = r"[^\W\d_][^\s:\[\](){}|#>*`]*(?:[ \t]+[^\s:\[\](){}|#>*`]+){0,4}"
_LINE = re.compile(
    rf"([ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?[*_]{{0,3}}({_KEY}?)[*_]{{0,3}}::[*_]{{0,3}})(?:[ \t]+(.*))?$"
)
_WITHIN = re.compile(
    rf"\[({_KEY})::[ \t]*+((?:\[\[[^\[\]]*+\]\]|[^\[\]])*+)\](?![(\[]|: *https?:)|\(({_KEY})::[ \t]*+([^()]*+)\)"
)
# What stands behind the value of a line: fields that say something of it, and a block id. It is read, and written here, from
# the end of the line to its beginning, so that no place of the line is tried that the end does not reach.
_BEHIND = re.compile(
    r"[ \t]*(?:[\w-]+\^[ \t]+)?(?:(?:\](?:\]\][^\[\]]*\[\[|[^\[\]])*::[\w -]+\[|\)[^()]*::[\w -]+\()[ \t]*)*+"
)
_OF_A_VALUE = frozenset({"since", "until", "source", "said", "denied", "unwanted", "trust", "audience"})


class InlineField(NamedTuple):
    """A field in the text of a note: where its value stands on its line, and whether it is all of the line."""

    key: str
    value: FactValue
    line: int  # of the file
    start: int
    end: int
    is_line: bool


def inline_fields(body: Body, first_line: int) -> list[InlineField]:
    """The inline fields of a body, but for those in code and those of to-dos."""
    if "::" not in body.quiet:
        return []
    fields: list[InlineField] = []
    for number, (quiet, line) in enumerate(
        zip(body.quiet.split("\n"), body.text.split("\n"), strict=True), first_line
    ):
        if "::" in quiet and read_todo(quiet) is None:
            fields += _fields_of(quiet, line, number)
    return fields


def _fields_of(quiet: str, line: str, number: int) -> Iterator[InlineField]:
    line_field = _LINE.match(quiet)
    if line_field is not None:
        start = line_field.start(3) if line_field[3] else len(line)
        behind = _BEHIND.match(line[start:][::-1])
        end = len(line) - (behind.end() if behind else 0)
        key = clean_name(line_field[2].rstrip("_"))
        if key.lower() not in _OF_A_VALUE:
            yield InlineField(key, fact_value(line[start:]), number, start, end, is_line=True)
        return
    for hit in _WITHIN.finditer(quiet):
        key, group = (hit[1], 2) if hit[1] else (hit[3], 4)
        if key.strip().lower() not in _OF_A_VALUE:
            start, end = hit.span(group)
            value = line[start:end].rstrip()
            yield InlineField(
                clean_name(key), fact_value(value), number, start, start + len(value), is_line=False
            )


# Which entity a note is about.

_NAME_WORDS, _NAME_LENGTH = 5, 60
# A header with one of these says that the note is of a day, or belongs to somebody or something else.
_OF_OTHERS = frozenset({"date", "timestamp", "project", "participants", "people", "person", "entities"})
_TEMPLATES = frozenset({"template", "templates", "_templates"})


def is_template(path: str, text: str) -> bool:
    """True for a note that others are made from: it lies in a folder of templates, or its header has places to fill in."""
    folders = path.lower().split("/")[:-1]
    return not _TEMPLATES.isdisjoint(folders) or "<%" in text or any(map(_has_placeholder, text.split("\n")))


def _has_placeholder(line: str) -> bool:
    return "}}" in line.partition("{{")[2]


def entity_of(path: str, parts: Split, said: Properties, title: str) -> str:
    """The entity that a note is about: what `entity:` names, else its title where that is a name; empty for any other note.

    No name is what is longer than five words, ends like a sentence or holds a day; no entity's note is one of a day, one that
    belongs to another (`project:`, `participants:` …), or a template.
    """
    place = place_of(path)
    if place is None or place != ("note", "current") or is_template(path, parts.raw):
        return ""
    low = {key.lower(): value for key, value in parts.meta.items()}
    if "entity" in low:
        return said.entities[0] if len(said.entities) == 1 and isinstance(low["entity"], str | list) else ""
    if any(low.get(key) for key in _OF_OTHERS):
        return ""
    stem = path.rpartition("/")[2].removesuffix(".md")
    return next((name for name in (title, stem) if name and _is_name(name)), "") if not _has_day(stem) else ""


def _is_name(text: str) -> bool:
    return (
        len(text.split()) <= _NAME_WORDS
        and len(text) <= _NAME_LENGTH
        and text[-1] not in ".!?:;…。！？"
        and any(character.isalpha() for character in text)
        and not _has_day(text)
    )


def _has_day(text: str) -> bool:
    if not any(character.isdigit() for character in text):
        return False
    ranges, _ = dates.find_ranges(text.replace("_", " "), dates.ANCHOR)
    return any(span.start and span.end and dates.is_week_or_less(span.start, span.end) for span in ranges)


# The fields of a note, as facts of its entity or as text.


class NoteField(NamedTuple):
    """One field with its value: in the header under its keys, or in the text."""

    keys: tuple[str, ...]
    value: FactValue
    line: int
    inline: InlineField | None = None
    end_line: int = 0

    @property
    def name(self) -> str:
        """Its name as a field of an entity."""
        return " ".join(self.keys) or VALUE


class NoteFields(NamedTuple):
    """What the fields of a note tell: facts of the entity that it is about, or text and days of the note itself."""

    entity: str = ""
    facts: tuple[Fact, ...] = ()
    places: tuple[NoteField, ...] = ()  # of the facts, in their order
    inline: tuple[NoteField, ...] = ()  # those in the text
    told: frozenset[int] = frozenset()  # lines that are facts and nothing else
    searched: str = ""  # each field with its value, for a note about no entity
    days: str = ""  # the days that these values are


NO_FIELDS = NoteFields()


def read_fields(
    path: str, parts: Split, body: Body, said: Properties, *, note_id: str, title: str
) -> NoteFields:
    """The fields of a plain note.

    Args:
        note_id: its id, the first part of the ids of its facts.
    """
    fields = [*_header_fields(parts.meta, parts)]
    for keys, value in parts.shadowed:  # the earlier values of keys that a header has twice
        fields += _header_fields({str(keys[0]): value}, parts) if keys else ()
    fields += [NoteField((f.key,), f.value, f.line, f) for f in inline_fields(body, parts.body_line)]
    fields = [f for f in fields if f.value.text]
    inside = tuple(f for f in fields if f.inline)
    entity = entity_of(path, parts, said, title) if fields else ""
    if not entity:
        texts = [f"{f.name}: {f.value.text}" for f in fields]
        days = {day for f in fields for day in dates.days_of(f.value.text).split()}
        return NoteFields(inline=inside, searched=", ".join(texts), days=" ".join(sorted(days)))
    count: dict[str, int] = {}
    facts = [_fact(f, entity, note_id, count) for f in fields]
    lines_told = frozenset(f.line for f in inside if f.inline and f.inline.is_line)
    return NoteFields(entity, tuple(facts), tuple(fields), inside, lines_told)


def _fact(one: NoteField, entity: str, note_id: str, count: dict[str, int]) -> Fact:
    base, value = fact_id(note_id, entity, one.name), one.value
    number = count[base] = count.get(base, 0) + 1
    return Fact(
        entity=entity,
        field=one.name,
        value=value.text,
        line=one.line,
        end_line=one.end_line,
        since=value.since,
        until=value.until,
        source=value.source,
        id=base if number == 1 else f"{base}~{number}",
        trust=least_trusted(value.trust),
        audience=label_of(value.audience) if value.audience else "",
        lifecycle=value.lifecycle,
    )


def _header_fields(meta: Mapping[str, Any], parts: Split) -> Iterator[NoteField]:
    lines = parts.lines
    for key, value in meta.items():
        if key.lower() not in NOT_TOLD and not (
            isinstance(value, str) and is_lifecycle_value(key.lower(), value)
        ):
            for inner, text in leaves(value):
                path = (key, *inner)
                field_line = next((lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in lines), 1)
                end = 0
                if isinstance(value, list):
                    end = (
                        min(
                            (line for line in lines.values() if line > field_line),
                            default=parts.body_line - 1,
                        )
                        - 1
                    )
                yield NoteField(path, fact_value(text), field_line, end_line=end)


def fields_in(path: str, text: str) -> NoteFields:
    """The fields of a note from its text; their lines are those of the text."""
    note = split(readable(text))
    properties, body = read_properties(note.meta, note.lines), read_body(note.body, note.body_line)
    title = properties.title or title_in(body)
    stem = path.rpartition("/")[2].removesuffix(".md")
    id_ = properties.id or unicodedata.normalize("NFC", path.removesuffix(".md"))
    return read_fields(path, note, body, properties, note_id=id_, title=title or stem)


def facts_of_note(path: str, text: str) -> Facts:
    """The facts that the fields of a note are."""
    fields = fields_in(path, text)
    return Facts(fields.facts, (), fields.told)
