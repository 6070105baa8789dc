"""Properties as memory: the fields of a plain note's header and body, which entity they tell of, and where each stands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memoryclaw.model import VALUE, Fact
from memoryclaw.text import dates
from memoryclaw.text import words as lists
from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import Split, split
from memoryclaw.text.markdown import Body, read_body
from memoryclaw.text.memory_lines import BULLET, ITEM, last_fields, line_fields, read_line
from memoryclaw.text.snippets import without_markup
from memoryclaw.vault.facts import (
    Facts,
    FactValue,
    clean_name,
    fact_id,
    fact_of,
    fact_value,
    leaves,
    numbered,
)
from memoryclaw.vault.layout import place_of
from memoryclaw.vault.properties import Properties, is_told, plain_name, read_properties
from memoryclaw.vault.todos import read_todo
from memoryclaw.vault.validity import is_lifecycle_value

# Inline fields, as Dataview reads them: `key:: value` on a line of its own (or a list item), `[key:: value]` or
# `(key:: value)` within one; the words of a link, such as `[Vec::new](address)`, are none. As people and agents write them:
# `**Key:** value` or `**Key**: value` on a line or list item; what nobody filled in, `_(optional)_`, is no value.

_KEY = r"[^\W\d_][^\s:\[\](){}|#>*`]*(?:[ \t]+[^\s:\[\](){}|#>*`]+){0,4}"
_LINE = re.compile(
    rf"([ \t>]*(?:{ITEM}[ \t]*)?[*_]{{0,3}}({_KEY}?)[*_]{{0,3}}[ \t]?::[*_]{{0,3}})(?:[ \t]+(.*))?$"
)
_BOLD = re.compile(
    rf"([ \t>]*(?:{ITEM}[ \t]*)?(?:\*\*({_KEY}?)(?::\*\*|\*\*[ \t]?:)|__({_KEY}?)(?::__|__[ \t]?:)))[ \t]+(\S.*)$"
)
_UNFILLED = re.compile(r"([*_])\(.*\)\1|\{\{.*\}\}")
_ADDRESS = re.compile(r"[(\[]|: *https?:")  # behind the words of a link
_OF_A_VALUE = frozenset(
    {"since", "until", "source", "said", "denied", "unwanted", "overtaken", "trust", "audience"}
)


class InlineField(NamedTuple):
    """A field in the text of a note: where its value stands on its line, and whether it is all of the line."""

    key: str
    value: FactValue
    line: int  # of the file
    start: int
    end: int
    is_line: bool


def inline_fields(body: Body, first_line: int) -> list[InlineField]:
    """The inline fields of a body, but for those in code and those of to-dos.

    A bold key that stands twice tells of what stands around it and not of the note: it is none.
    """
    if not any(mark in body.quiet for mark in ("::", ":**", "**:", "** :", ":__", "__:")):
        return []
    fields: list[InlineField] = []
    bold: dict[str, list[InlineField]] = {}
    for number, (quiet, line) in enumerate(
        zip(body.quiet.split("\n"), body.text.split("\n"), strict=True), first_line
    ):
        if ":" not in quiet or read_todo(quiet) is not None:
            continue
        if "::" in quiet and (of_line := list(_fields_of(quiet, line, number))):
            fields += of_line
        elif (hit := _BOLD.match(quiet)) and not _UNFILLED.fullmatch(hit[4].strip()):
            field_read = _field_at(hit[2] or hit[3], line, number, hit.start(4))
            bold.setdefault(field_read.key.casefold(), []).append(field_read)
    fields += [field_read for (field_read, *again) in bold.values() if not again]
    return sorted(fields, key=lambda field_read: (field_read.line, field_read.start))


def _fields_of(quiet: str, line: str, number: int) -> Iterator[InlineField]:
    line_field = _LINE.match(quiet)
    if line_field is not None:
        if quiet[0] in " \t" and not BULLET.match(quiet.lstrip(" \t>")):
            return  # a property of the block above it, in Logseq, and not of its page
        start = line_field.start(3) if line_field[3] else len(line)
        field_read = _field_at(line_field[2].rstrip("_"), line, number, start)
        if field_read.key.lower() not in _OF_A_VALUE and is_told(field_read.key, field_read.value.text):
            yield field_read
        return
    for field in line_fields(quiet, _KEY):
        is_link = quiet[field.start] == "[" and _ADDRESS.match(quiet, field.end)
        if not is_link and field.key.strip().lower() not in _OF_A_VALUE:
            start = field.value_start
            value = line[start : start + len(field.value)].rstrip()
            yield InlineField(
                clean_name(field.key), fact_value(value), number, start, start + len(value), is_line=False
            )


def _field_at(key: str, line: str, number: int, start: int) -> InlineField:
    """The field whose value is the rest of a line."""
    end = start + last_fields(read_line(line[start:]).body)
    return InlineField(clean_name(key), fact_value(line[start:]), number, start, end, is_line=True)


# Which entity a note is about.

_NAME_WORDS, _NAME_LENGTH = 5, 60
# A header with one of these says that the note belongs to somebody or something else.
_OF_OTHERS = frozenset({"project", "participants", "people", "person", "entities"})
_USER = "user"  # the owner, by whatever name
_OF_THE_OWNER, _SKILL = "USER", "SKILL"  # files of hosts of agents; a SKILL.md may lie anywhere
_ABOUT_ME = frozenset(lists.lines("pronouns.about_me"))
_TEMPLATES = frozenset({"template", "templates", "_templates"})


def is_template(path: str, text: str) -> bool:
    """True for a note that others are made from: it lies in a folder of templates, or its header has places to fill in."""
    folders = path.lower().split("/")[:-1]
    is_filled_in = any("}}" in line.partition("{{")[2] for line in text.split("\n"))
    return not _TEMPLATES.isdisjoint(folders) or "<%" in text or is_filled_in


def entity_of(path: str, parts: Split, said: Properties, title: str) -> str:
    """The entity that a note is about: what `entity:` names, the owner for USER.md and "About me", else its title where that is a name.

    No name is what is longer than five words, ends like a sentence or holds a day; no entity's note is one whose name has a day, one that
    belongs to another (`project:`, `participants:` …), a template, or a SKILL.md.
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
    if stem == _OF_THE_OWNER or not _ABOUT_ME.isdisjoint((stem.casefold(), title.casefold())):
        return _USER
    if stem == _SKILL:
        return ""
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


_HTML = re.compile(r"</?[A-Za-z][^<>]*>")


# The first lines of a page of Logseq, before any block.
_PAGE_PROPERTY = re.compile(r"([\w-]+)::[ \t]+(\S.*)")


def with_page_properties(said: Properties, body: Body) -> Properties:
    """The properties of a note without a header, with the title, the aliases and the tags that its first lines say as Logseq writes them."""
    page: dict[str, str] = {}
    for line in body.quiet.split("\n") if "::" in body.quiet[:400] else ():
        if (hit := _PAGE_PROPERTY.fullmatch(line.rstrip())) is None:
            break
        page[hit[1].lower()] = hit[2]
    if not page:
        return said
    read = read_properties(
        {key: page[key] for key in ("title", "alias", "aliases", "tags") if key in page}, {}
    )
    return said._replace(title=read.title, aliases=read.aliases, tags=tuple(map(plain_name, read.tags)))


def first_title(body: Body) -> str:
    """The heading that names a note, without markup: its first line, of level 1 and the only one of it; a chapter names nothing."""
    top = [heading for heading in body.headings if heading.level == 1]
    title = top[0].text if len(top) == 1 and not body.text[: top[0].start].strip() else ""
    return without_markup(_HTML.sub("", title) if "<" in title else title)


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
    searched: str = ""  # each field with its value, for a note about no entity
    days: str = ""  # the days that these values are, for a note about no entity


NO_FIELDS = NoteFields()


def read_fields(
    path: str, parts: Split, body: Body, said: Properties, *, note_id: str, title: str
) -> NoteFields:
    """The fields of a plain note. `note_id`: its id, the first part of the ids of its facts."""
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
    facts = numbered(
        (fact_id(note_id, entity, f.name), fact_of(f.value, entity, f.name, f.line, end_line=f.end_line))
        for f in fields
    )
    return NoteFields(entity, tuple(facts), tuple(fields), inside)


def _header_fields(meta: Mapping[str, Any], parts: Split) -> Iterator[NoteField]:
    lines = parts.lines
    for key, value in meta.items():
        if is_told(key, value) and not (isinstance(value, str) and is_lifecycle_value(key.lower(), value)):
            for inner, text in leaves(value):
                path = (key, *inner)
                field_line = next((lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in lines), 1)
                below = min((n for n in lines.values() if n > field_line), default=parts.body_line - 1)
                end = below - 1 if isinstance(value, list) else 0
                yield NoteField(path, fact_value(text), field_line, end_line=end)


def fields_in(path: str, text: str) -> NoteFields:
    """The fields of a note from its text; their lines are those of the text."""
    note = split(readable(text))
    properties, body = read_properties(note.meta, note.lines), read_body(note.body, note.body_line)
    title = properties.title or first_title(body)
    stem = path.rpartition("/")[2].removesuffix(".md")
    id_ = properties.id or unicodedata.normalize("NFC", path.removesuffix(".md"))
    return read_fields(path, note, body, properties, note_id=id_, title=title or stem)


def facts_of_note(path: str, text: str) -> Facts:
    """The facts that the fields of a note are."""
    fields = fields_in(path, text)
    return Facts(fields.facts)
