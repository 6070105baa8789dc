"""Reads the facts and statements of a file under `semantic/`, and the place of each entity; other lines stay prose."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from memoryclaw.late import NamedTuple
from memoryclaw.model import PERMANENT, VALUE, Fact, Lifecycle, Problem, least_trusted
from memoryclaw.text import dates
from memoryclaw.text import words as lists
from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import Split, split
from memoryclaw.text.language import fold
from memoryclaw.text.markdown import Body, Heading, outline, read_body
from memoryclaw.text.memory_lines import (
    BULLET,
    ITEM,
    LineField,
    head_of,
    last_fields,
    line_fields,
    read_line,
    without,
    without_fields,
    without_ids,
)
from memoryclaw.text.snippets import without_markup
from memoryclaw.text.yaml_text import Path, load, strings
from memoryclaw.vault import properties
from memoryclaw.vault.audience import label_of, may_hold_labels, without_labels
from memoryclaw.vault.layout import place_of
from memoryclaw.vault.properties import Properties, is_lifecycle_value, is_told, plain_name, read_properties
from memoryclaw.vault.todos import read_todo

# Lines: key-value items, nested by indentation, and table rows. Everything else is prose.

_KEY = re.compile(
    r"(\[\[[^\[\]]+\]\]|\"[^\"]+\"|[^\s:#>|\[{][^:]{0,80}?)[ \t]{0,8}(?:::?(\*\*|__)?|(?<=[*_]):)(?:[ \t]+(.*))?$"
)
_SENTENCE = re.compile(r"[!?;](?:\s|$)|[^\W\d_]{4}\.\s")
_TASK = re.compile(r"\[[ xX/-]\](?:\s|$)")
_SEPARATOR = re.compile(r"[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+(?:\|[ \t]*+)?$")
_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7}) |={7}$")
_PIPE = re.compile(r"(?<!\\)\|")
_KEY_WORDS = 8  # a longer "key" is a sentence with a colon in it


# A run that adds to a file reads it again after each change; what a line says is worked out once.
_cached = lru_cache(maxsize=8192)


class _LineParts(NamedTuple):
    """A line taken apart."""

    lead: str
    mark: str  # of its bullet, with the blanks behind it
    content: str
    indent: int


@_cached
def _parts_of(line: str) -> _LineParts:
    indent, bullet, _ = head_of(line)
    content = line[len(indent) + len(bullet) :].rstrip()
    return _LineParts(indent, bullet, content, len(indent.expandtabs(4)))


class TableRow(NamedTuple):
    """A table row: its line within the lines read, and its cells."""

    number: int
    cells: tuple[str, ...]


@dataclass(slots=True)
class FactItem:
    """A key and its value. `value` is None where only nested lines have one."""

    keys: tuple[str, ...]
    value: str | None
    number: int  # its line, within the lines read
    top: int  # the line of its outermost key
    end: int  # its last line
    prefix: str  # what its line begins with, before the key
    indent: int
    bullet: bool
    above: tuple[int, ...] = ()  # lines of the keys above it
    plain: bool = False  # an item of a list, or a name without a colon
    quoted: bool = False  # nothing but a quotation: a statement where it stands below an entity itself
    listed: bool = True  # False for a quotation that is no value of the key above it, and for a name with nothing but those below
    raw: str = ""  # its own key as written
    lines: list[int] = dataclass_field(default_factory=list)  # the lines that it covers


class _ItemStack:
    """Reads the items of consecutive lines; a line that neither is nor continues an item is prose."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._open: list[FactItem] = []
        self._bare_until = -1  # the block of bare `key: value` lines that was let in ends here
        self.items: list[FactItem] = []
        for number, line in enumerate(lines):
            if line.strip() and not (line[0] in "<>|=" and _CONFLICT.match(line)):
                self.line(number, line)

    def line(self, number: int, line: str) -> None:
        lead, mark, content, indent = _parts_of(line)
        quotation = statement_in(content) if mark else None
        key = None if quotation else _key(content)
        if not mark and (key is None or (indent == 0 and not self._is_bare_block(number))):
            self._continue(number, content, indent)
            return
        self._close(indent, bool(mark))
        above = self._open[-1] if self._open else None
        keys = above.keys if above else ()
        item = FactItem(
            keys, content, number, above.top if above else number, number, lead + mark, indent, bool(mark),
            (*above.above, above.number) if above else (),
        )  # fmt: skip
        below = self._below(item) if quotation and not quotation.fields else None
        is_key = below is not None and _key(below.content) is not None
        if quotation and (above is None or above.bullet) and not is_key:
            item.plain = item.quoted = True
            item.listed = _takes_values(above)
        elif key is not None:
            item.raw, item.keys, item.value = key[0], (*keys, clean_name(key[0])), key[1] or None
        elif not self._plain(item, above, content):
            item.plain, item.value = True, ""
            self._open.append(item)
            return
        self._open.append(item)
        self.items.append(item)
        if item.value is not None:
            item.lines = [*item.above, item.number]

    def _plain(self, item: FactItem, above: FactItem | None, rest: str) -> bool:
        """Reads a bullet without a colon: a name with keys below it, or one value of the key above it."""
        if _TASK.match(rest):
            return False
        below = self._below(item)
        item.listed = below is not None and _key(below.content) is not None
        is_quoted = below is not None and bool(below.mark) and statement_in(below.content) is not None
        if item.listed or (is_quoted and _key(f"{rest}:")):
            item.keys, item.value = (*item.keys, clean_name(rest)), None
            return True
        item.plain = True
        return _takes_values(above)

    def _continue(self, number: int, rest: str, indent: int) -> None:
        """Adds an indented line without bullet or key to the item just above it; any other is prose."""
        if indent == 0:
            self._open.clear()
            return
        last = self.items[-1] if self.items else None
        if last is None or last.end != number - 1 or indent <= last.indent:
            return
        last.value = f"{last.value} {rest}" if last.value else rest
        last.end = number
        last.lines = [*last.above, *range(last.number, number + 1)]

    def _close(self, indent: int, is_bullet: bool) -> None:
        """Closes the keys that this line is not below. A YAML list may be indented no further than its key."""
        while self._open:
            top = self._open[-1]
            listed = is_bullet and not top.bullet and top.value is None and indent == top.indent
            if indent > top.indent or listed:
                return
            self._open.pop()

    def _below(self, item: FactItem) -> _LineParts | None:
        """The next line that is not blank, where it is indented further."""
        below = item.number + 1
        while below < len(self._lines) and not self._lines[below].strip():
            below += 1
        line = _parts_of(self._lines[below]) if below < len(self._lines) else None
        return line if line is not None and line.indent > item.indent else None

    def _is_bare_block(self, number: int) -> bool:
        """True if every unindented line of the paragraph is a key; only then are lines without bullets keys."""
        if number <= self._bare_until:
            return True
        if number and self._lines[number - 1].strip() and not self._open:
            return False
        end = number
        while end < len(self._lines) and (line := self._lines[end]).strip():
            if line[0] not in " \t-*+" and _key(line.rstrip()) is None:
                return False
            end += 1
        self._bare_until = end
        return True


def _takes_values(above: FactItem | None) -> bool:
    """True for a key without a value of its own: items below it may be its values."""
    return above is not None and above.value is None and above.listed


@_cached
def _key(text: str) -> tuple[str, str] | None:
    """Splits a line into its key and the text after it; None without a key."""
    hit = _KEY.match(text)
    if hit is None:
        return None
    key = hit[1] + (hit[2] or "")
    if len(key.split()) > _KEY_WORDS or _SENTENCE.search(key):
        return None
    return key, (hit[3] or "").strip()


def tables_of(lines: list[str]) -> Iterator[list[TableRow]]:
    """Yields the tables of some lines: the row of names, the separator, then the rows."""
    number = 0
    while number + 1 < len(lines):
        end = number
        if _is_row(lines[number]) and _is_row(lines[number + 1]) and _SEPARATOR.match(lines[number + 1]):
            while end < len(lines) and _is_row(lines[end]):
                end += 1
            yield [TableRow(index, cells_of(lines[index])) for index in range(number, end)]
        number = max(end, number + 1)


def _is_row(line: str) -> bool:
    return "|" in line and not BULLET.match(line)


def bars_of(line: str) -> list[int]:
    """The positions of the bars around a row's cells, including missing outer ones."""
    bars = [hit.start() for hit in _PIPE.finditer(line)]
    first = [] if line.lstrip().startswith("|") else [-1]
    last = [] if bars and not line[bars[-1] + 1 :].strip() else [len(line)]
    return [*first, *bars, *last]


def cells_of(line: str) -> tuple[str, ...]:
    """The texts of a row's cells."""
    return tuple(line[a + 1 : b].strip().replace("\\|", "|") for a, b in pairwise(bars_of(line)))


# Values: the text after a key, its inline fields and its source.

MOST_ALSO = 6  # search words of a line
_COUNTED = ("count", "last")  # of what served in several sessions: how many, and the day of the last
_WAITING = ("denied", "unwanted", "overtaken")  # why it waits for a person
OF_A_VALUE = "|".join(
    ("since", "until", "source", "said", *_WAITING, "trust", "audience", "also", *_COUNTED, *properties.KEYS)
)
_QUOTES = ('"', "“", "„")
_EMPHASIS = re.compile(r"^(\*\*|__|\*|`)(.+)\1$")


class FactValue(NamedTuple):
    """A value, and the inline fields taken from it."""

    text: str
    since: str = ""
    until: str = ""
    source: str = ""
    said: str = ""
    trust: str = "trusted"
    audience: str = ""
    also: str = ""
    lifecycle: Lifecycle = PERMANENT
    problems: tuple[Problem, ...] = ()  # of its inline fields; without path and line


def _value_of(text: str, inline: Sequence[LineField]) -> FactValue:
    """A value with its inline fields, the first of each name."""
    fields: dict[str, Any] = {field.key: plain_name(field.value) for field in reversed(inline)}
    if "trust" in fields:
        fields["trust"] = least_trusted(fields["trust"])
    if fields.get("audience"):
        fields["audience"] = label_of(fields["audience"])
    lifecycle_fields = {key: fields[key] for key in properties.KEYS if key in fields} if fields else {}
    value = FactValue(text)._replace(**{key: fields[key] for key in fields if key in FactValue._fields})
    if not lifecycle_fields:
        return value
    return value._replace(
        lifecycle=properties.read(lifecycle_fields),
        problems=tuple(properties.validity_problems(lifecycle_fields, 0)),
    )


@_cached
def fact_value(text: str) -> FactValue:
    """Reads the value of a fact line: without inline fields, labels, block id, quotes and list brackets."""
    fields = list(line_fields(text, OF_A_VALUE))
    if fields:
        text = " ".join(without(text, fields, " ").split())
    if ("[" in text or "(" in text or not text.isascii()) and may_hold_labels(text):
        text = " ".join(without_labels(text).split())
    return _value_of(_bare(without_ids(text).strip()), fields)


def values_of(text: str) -> list[tuple[Path, FactValue]]:
    """Reads the values after a key: one, or those of an inline map `{deadline: …, lead: …}`."""
    if text.startswith("{"):
        inline_map = fact_value(text)
        value = load(inline_map.text).value if inline_map.text.endswith("}") else None
        if isinstance(value, dict):
            return [(path, inline_map._replace(text=leaf)) for path, leaf in leaves(value)]
    return [((), fact_value(text))]


def leaves(value: Any) -> list[tuple[Path, str]]:
    """The scalars of nested maps, with their keys; a list is one value."""
    if not isinstance(value, dict):
        return [((), ", ".join(strings(value)))]
    return [((key, *path), leaf) for key, inner in value.items() for path, leaf in leaves(inner)]


@_cached
def clean_name(text: str) -> str:
    """A key or heading as a name: without emphasis, quotes and link brackets."""
    text = plain_name(text)
    for _ in range(3):
        if (marked := _EMPHASIS.match(text)) is None:
            break
        text = marked[2].strip()
    return _unquote(text)


def _bare(text: str) -> str:
    is_bracketed = text.startswith("[") and text.endswith("]") and text[1:2] != "["
    if is_bracketed and "](" not in text and "::" not in text:
        value = load(text).value
        if isinstance(value, list) and all(isinstance(element, str) for element in value):
            return ", ".join(value)
    return _unquote(text)


def _unquote(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text


# Statements: a quotation, then nothing but inline fields and a block id.

_QUOTATION = re.compile(r"\"[^\"]*+\"|“[^“”]*+”|„[^„“”]*+[“”]")


class StatementLine(NamedTuple):
    """The parts of a line that quotes what somebody said."""

    quoted: str  # with its quotes
    fields: str  # its inline fields, as written
    mark: str = ""  # its block id

    @property
    def words(self) -> str:
        """What was said, on one line."""
        return " ".join(self.quoted[1:-1].split())

    @property
    def value(self) -> FactValue:
        """What was said, with what its inline fields say."""
        return _value_of_statement(self)

    @property
    def is_dated(self) -> bool:
        """True with a field `said`, which nothing but a statement needs, even an empty one."""
        return any(field.key == "said" for field in line_fields(self.fields, OF_A_VALUE))


@_cached
def _value_of_statement(statement: StatementLine) -> FactValue:
    return _value_of(statement.words, list(line_fields(statement.fields, OF_A_VALUE)))


@_cached
def statement_in(text: str) -> StatementLine | None:
    """Reads a text that is one quotation with its inline fields; None for any other."""
    hit = _QUOTATION.match(text) if text[:1] in _QUOTES else None
    if hit is None or not hit[0][1:-1].strip():
        return None
    behind = read_line(text[hit.end() :])
    is_all = not behind.body or not without_fields(behind.body, r"[\w-]+")
    return StatementLine(hit[0], behind.body, f"^{behind.block}" if behind.block else "") if is_all else None


# Facts: which entity and field each value belongs to.

_FIELD_COLUMNS = frozenset({"field", "key", "property", "attribute"})
_VALUE_COLUMNS = frozenset({"value", "values", "is"})
# Header keys that describe the file; only other keys can hold a map of facts.
_FILE_KEYS = frozenset(
    {"id", "title", "tags", "tag", "aliases", "alias", "date", "created", "updated", "metadata", "source"}
)

_ADDRESS = re.compile(
    r"(?:\"((?:[^\"]++|\"\")++)\"|([^\"].*))\.(?:\"((?:[^\"]++|\"\")++)\"|([^\s.\"][^.\"]*))"
)


class FactSpot(NamedTuple):
    """The lines of one entity's facts, counted from 1, both ends included."""

    entity: str
    style: str  # heading | bullet | table | frontmatter
    line: int  # the heading, the entity's own bullet, its table row or header key
    end_line: int  # the last line of its current facts; `line` when it has none
    indent: str = ""  # how its field lines begin: "- ", "    ", "  - "
    header: int = 0  # tables: the line of the column names
    history: int = 0  # the line of its own History heading, 0 without one
    history_end: int = 0


class Facts(NamedTuple):
    """The facts of one file."""

    facts: tuple[Fact, ...] = ()
    spots: tuple[FactSpot, ...] = ()
    lines: frozenset[int] = frozenset()  # the lines of facts; all others are prose
    history: tuple[int, int] = (0, 0)  # first and last line of the History shared by lists and tables
    problems: tuple[Problem, ...] = ()  # of the inline fields of their lines


class _Scope(NamedTuple):
    """The meaning of a line by the heading above it."""

    entity: str = ""  # none in a collection
    past: bool = False
    shared: bool = False  # the History of lists and tables


def fact_of(value: FactValue, entity: str, field: str, line: int, **more: Any) -> Fact:
    """A value as a fact, with what its inline fields say."""
    return Fact(
        entity=entity,
        field=field,
        value=value.text,
        line=line,
        since=value.since,
        until=value.until,
        source=value.source,
        trust=value.trust,
        audience=value.audience,
        lifecycle=value.lifecycle,
        **more,
    )


def numbered(facts: Iterable[tuple[str, Fact]]) -> Iterator[Fact]:
    """Facts with the ids that are given here; the second of one id gets `~2`, the next `~3`."""
    count: dict[str, int] = {}
    for id_, fact in facts:
        number = count[id_] = count.get(id_, 0) + 1
        wanted = id_ if number == 1 else f"{id_}~{number}"
        yield fact if fact.id == wanted else fact._replace(id=wanted)


def read_facts(note_id: str, stem: str, parts: Split, body: Body, collections: frozenset[str]) -> Facts:
    """Reads the facts of a semantic file that is split and parsed already.

    Args:
        note_id: the id of the note, the first part of its facts' ids.
        collections: headings whose keys are entities, in lower case.
    """
    reader = _FactReader(note_id, collections | {stem})
    reader.header(parts.meta, parts.lines)
    reader.body(body, parts.body_line)
    return reader.result()


@lru_cache(maxsize=8)  # what looks at a file, or patches it, reads the same text again and again
def facts_in(path: str, text: str, collections: frozenset[str]) -> Facts:
    """Reads the facts of a semantic file from its text; their lines are those of the text."""
    note = split(readable(text))
    id_ = note.meta.get("id")
    note_id = id_ if isinstance(id_, str) and id_ else path.removesuffix(".md")
    stem = path.rpartition("/")[2].removesuffix(".md")
    return read_facts(note_id, stem, note, outline(note.body), collections)


def without_facts(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """The header without its maps of facts."""
    return {key: value for key, value in meta.items() if not _holds_facts(key, value)}


def _holds_facts(key: str, value: Any) -> bool:
    return isinstance(value, dict) and key.lower() not in _FILE_KEYS


def fact_id(note_id: str, entity: str, field: str) -> str:
    """`semantic/projects#projectX.deadline`; a part with `.`, `#` or a quote is quoted."""
    return f"{note_id}#{_quotation(entity)}.{_quotation(field)}"


@_cached
def statement_id(note_id: str, entity: str, words: str) -> str:
    """`semantic/people#Tam.said-1a2b3c4d`: a statement goes by a digest of its words, whatever their case and accents."""
    digest = hashlib.sha256(" ".join(fold(words).split()).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return fact_id(note_id, entity, f"said-{digest}") if entity else f"{note_id}#said-{digest}"


def split_address(text: str) -> tuple[str, str] | None:
    """Entity and field of `projectX.deadline` or `"Dr. No"."home.phone"`; None where there is no field."""
    hit = _ADDRESS.fullmatch(text)
    if hit is None:
        return None
    entity, field = (hit[1] or hit[2], hit[3] or hit[4])
    return (entity.replace('""', '"') if hit[1] else entity), (field.replace('""', '"') if hit[3] else field)


def _quotation(part: str) -> str:
    if "." in part or "#" in part or '"' in part:
        return '"' + part.replace('"', '""') + '"'
    return part


@_cached
def _plain(name: str) -> str:
    return " ".join(name.replace("-", " ").replace("_", " ").lower().split())


def _statement_of(item: FactItem, field: tuple[str, ...]) -> StatementLine | None:
    """The statement of an item that stands below an entity itself, and not below one of its fields."""
    if field or item.value is None or not (item.quoted or item.value.startswith(_QUOTES)):
        return None
    statement = statement_in(item.value)
    if statement is None or (item.quoted and len(item.above) == len(item.keys)):
        return statement
    return statement if item.raw and statement.is_dated else None


class _FactsRead:
    """Facts as they are read, each with the id of its place, and what is read beside them."""

    def __init__(self, note_id: str) -> None:
        self.note_id = note_id
        self.facts: list[Fact] = []
        self.problems: list[Problem] = []
        self.lines: set[int] = set()

    def add(self, entity: str, field: str, value: FactValue, line: int, *, past: bool) -> bool:
        """Adds the value of a field, where there is one."""
        if not entity or not value.text:
            return False
        self.append(entity, field or VALUE, value, line, past=past)
        self.lines.add(line)
        return True

    def append(
        self, entity: str, field: str, value: FactValue, line: int, *, past: bool, **more: Any
    ) -> None:
        """Adds a fact, or a statement, which has no field."""
        also = ", ".join(value.also.split(", ")[:MOST_ALSO]) if value.also else ""
        id_ = (fact_id if field else statement_id)(self.note_id, entity, field or value.text)
        more = {**more, "current": not past, "said": value.said, "also": also, "id": id_}
        self.facts.append(fact_of(value, entity, field, line, **more))
        self.problems += [problem._replace(line=line) for problem in value.problems]


class _Section(_FactsRead):
    """The lines below one heading, read for themselves and counted from the heading.

    Args:
        listed: under the History that lists and tables share, the entities of those.
    """

    def __init__(self, note_id: str, text: str, scope: _Scope, listed: frozenset[str]) -> None:
        super().__init__(note_id)
        self.spots: list[FactSpot] = []
        # How far the place of its entity goes, and how a line of it begins.
        self.reached: list[tuple[int, str]] = []
        self._scope, self._listed = scope, listed
        lines = text.split("\n")
        for table in tables_of([*lines]):
            self._table(table)
            for row in table:
                lines[row.number] = ""
        reaching = [item for item in _ItemStack(lines).items if self._item(item)]
        if reaching:
            self.reached.append((max(item.end for item in reaching), reaching[0].prefix))

    def _table(self, table: list[TableRow]) -> None:
        scope, header = self._scope, table[0]
        names = [clean_name(cell) for cell in header.cells]
        pairs = (
            bool(scope.entity)
            and len(names) == 2
            and (names[0].lower() in _FIELD_COLUMNS or names[1].lower() in _VALUE_COLUMNS)
        )
        for row in table[2:]:
            subject, line = clean_name(row.cells[0]) if row.cells else "", row.number
            if not subject:
                continue
            if not pairs and not scope.past:
                self.spots.append(FactSpot(subject, "table", line, line, "", header.number))
            for name, cell in zip(names[1:], row.cells[1:], strict=False):
                entity, field = (scope.entity, subject) if pairs else (subject, name)
                if self.add(entity, field, fact_value(cell), line, past=scope.past):
                    self.lines.update((header.number, table[1].number))
            self.reached.append((line, "- "))

    def _item(self, item: FactItem) -> bool:
        """Adds what a line says; true where the place of its entity reaches so far."""
        scope, keys = self._scope, item.keys
        entity = scope.entity
        if not entity and scope.past and keys:
            # Under the shared History: `projectX.deadline: …`, or by nesting.
            is_address = len(keys) == 1 and keys[0] not in self._listed
            address = split_address(item.raw) if is_address else None
            entity, keys = keys[0], keys[1:]
            if address:
                entity, keys = clean_name(address[0]), (clean_name(address[1]),)
        elif not entity and keys:
            entity, keys = keys[0], keys[1:]
        if (statement := _statement_of(item, keys)) is not None:
            # An entity's place ends with its facts, so that its next fact comes above what is said of it.
            self.append(entity, "", statement.value, item.number, past=scope.past, type="statement")
            self.lines.update(item.lines)
            if not scope.past and not scope.entity and entity:
                self.spots.append(FactSpot(entity, "bullet", item.top, item.top, ""))
            return scope.past
        if item.quoted and (not item.listed or not item.keys):
            return False
        if not scope.entity and not scope.past:
            prefix = item.prefix if keys and not item.plain else ""
            self.spots.append(FactSpot(entity, "bullet", item.top, item.end, prefix))
        if item.value is None:
            return False
        values = values_of(item.value)
        added = [
            self.add(entity, " ".join((*keys, *inner)), value, item.number, past=scope.past)
            for inner, value in values
        ]
        if any(added):
            self.lines.update(item.lines)
        return True


# Of a file that is patched and read back, all sections but one are as they were, and those below it a line or two further down.
_section = lru_cache(maxsize=2048)(_Section)


@lru_cache(maxsize=4096)
def _placed(section: _Section, first: int) -> list[Fact]:
    return [fact._replace(line=first + fact.line) for fact in section.facts]


class _FactReader(_FactsRead):
    """Collects the facts of one file."""

    def __init__(self, note_id: str, collections: frozenset[str]) -> None:
        super().__init__(note_id)
        self._collections = frozenset([_plain(name) for name in collections])
        self._spots: dict[tuple[str, bool], FactSpot] = {}
        self._history = (0, 0)

    def header(self, meta: Mapping[str, Any], lines: Mapping[Path, int]) -> None:
        """Reads maps in the header: `projectX: {deadline: …}`, or a collection of such maps."""
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
            inner_line = next(
                (lines[path + inner[:n]] for n in range(len(inner), -1, -1) if path + inner[:n] in lines),
                line,
            )
            self.add(entity, " ".join(inner), fact_value(text), inner_line, past=False)
            end = max(end, inner_line)
        self._spot(FactSpot(entity, "frontmatter", line, end, "  " * len(path)))

    def body(self, body: Body, first_line: int) -> None:
        """Reads the body, one heading's lines at a time."""
        text = body.quiet
        headings = body.headings
        scope, stack = _Scope(), list[tuple[int, _Scope]]()
        line, position = first_line, 0
        ends = [*[heading.start for heading in headings[1:]], len(text)][: len(headings)]
        spans = [(None, headings[0].start if headings else len(text)), *zip(headings, ends, strict=True)]
        for heading, end in spans:
            start = position
            if heading is not None:
                line += text.count("\n", position, heading.start)
                start = position = heading.start
                scope = self._scope(heading, line, stack)
            # In place of a heading stands a line without anything.
            below = text[start:end] if heading is None else "".join(text[start:end].partition("\n")[1:])
            self._take(below, line, scope)

    def _scope(self, heading: Heading, line: int, stack: list[tuple[int, _Scope]]) -> _Scope:
        while stack and stack[-1][0] >= heading.level:
            stack.pop()
        above = stack[-1][1] if stack else _Scope()
        name = _plain(heading.text)
        if name == "history" and not above.past:
            shared = not above.entity
            scope = _Scope(above.entity, past=True, shared=shared)
            spot = self._spots.get((scope.entity, True))
            if scope.shared:
                self._history = (line, line)
            elif spot:
                self._spots[(scope.entity, True)] = spot._replace(history=line, history_end=line)
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

    def _take(self, text: str, first: int, scope: _Scope) -> None:
        spots = self._spots if scope.past and not scope.entity else ()
        listed = frozenset(name for name, is_heading in spots if not is_heading)
        section = _section(self.note_id, text, scope, listed)
        self.facts += _placed(section, first)
        self.problems += [problem._replace(line=first + problem.line) for problem in section.problems]
        self.lines.update([first + number for number in section.lines])
        for spot in section.spots:
            header = first + spot.header if spot.style == "table" else 0
            self._spot(spot._replace(line=first + spot.line, end_line=first + spot.end_line, header=header))
        for number, prefix in section.reached:
            self._reach(scope, first + number, prefix)

    def _spot(self, spot: FactSpot) -> None:
        key = (spot.entity, spot.style == "heading")
        earlier = self._spots.get(key)
        if earlier is None:
            self._spots[key] = spot
        elif spot.style == earlier.style == "bullet":
            self._spots[key] = earlier._replace(
                end_line=max(earlier.end_line, spot.end_line), indent=earlier.indent or spot.indent
            )

    def _reach(self, scope: _Scope, line: int, prefix: str) -> None:
        if scope.shared:
            self._history = (self._history[0], max(self._history[1], line))
        key = (scope.entity, True)
        spot = self._spots.get(key)
        if spot is None or not scope.entity:
            return
        if scope.past:
            self._spots[key] = spot._replace(history_end=max(line, spot.history_end))
        else:
            begins = prefix if spot.end_line == spot.line else spot.indent
            self._spots[key] = spot._replace(end_line=max(line, spot.end_line), indent=begins)

    def result(self) -> Facts:
        """All facts in the order of the file; ids are given to current values first."""
        order = sorted(range(len(self.facts)), key=lambda place: not self.facts[place].current)
        ids = numbered([(self.facts[place].id, self.facts[place]) for place in order])
        for place, fact in zip(order, ids, strict=True):
            self.facts[place] = fact
        spots = tuple(self._spots.values())
        return Facts(tuple(self.facts), spots, frozenset(self.lines), self._history, tuple(self.problems))


# Properties as memory: the fields of a plain note's header and body, which entity they tell of, and where each stands.

# Inline fields, as Dataview reads them: `key:: value` on a line of its own (or a list item), `[key:: value]` or
# `(key:: value)` within one; the words of a link, such as `[Vec::new](address)`, are none. As people and agents write them:
# `**Key:** value` or `**Key**: value` on a line or list item; what nobody filled in, `_(optional)_`, is no value.

_FIELD_KEY = r"[^\W\d_][^\s:\[\](){}|#>*`]*(?:[ \t]+[^\s:\[\](){}|#>*`]+){0,4}"
_LINE = re.compile(
    rf"([ \t>]*(?:{ITEM}[ \t]*)?[*_]{{0,3}}({_FIELD_KEY}?)[*_]{{0,3}}[ \t]?::[*_]{{0,3}})(?:[ \t]+(.*))?$"
)
_BOLD = re.compile(
    rf"([ \t>]*(?:{ITEM}[ \t]*)?(?:\*\*({_FIELD_KEY}?)(?::\*\*|\*\*[ \t]?:)|__({_FIELD_KEY}?)(?::__|__[ \t]?:)))[ \t]+(\S.*)$"
)
_UNFILLED = re.compile(r"([*_])\(.*\)\1|\{\{.*\}\}")
_LINK_ADDRESS = re.compile(r"[(\[]|: *https?:")  # behind the words of a link
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
    for field in line_fields(quiet, _FIELD_KEY):
        is_link = quiet[field.start] == "[" and _LINK_ADDRESS.match(quiet, field.end)
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
    low = path.lower()
    if "<%" in text or ("template" in low and not _TEMPLATES.isdisjoint(low.split("/")[:-1])):
        return True
    return "{{" in text and any("}}" in line.partition("{{")[2] for line in text.split("\n"))


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
    if not any(map(str.isdigit, text)):
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
