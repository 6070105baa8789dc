"""Patches of one property, one fact or statement, or whole lines of a note; every byte outside the lines they must touch stays.

A patch of a property is read back before it is returned, and one that would change anything else is refused.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Any

from memoryclaw import late
from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.late import NamedTuple
from memoryclaw.model import VALUE, Fact
from memoryclaw.text import yaml_text
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.language import fold
from memoryclaw.text.markdown import Heading, outline
from memoryclaw.text.memory_lines import (
    BULLET,
    UNSAFE,
    field_text,
    first_fields,
    head_of,
    line_fields,
    read_line,
    source_field,
    sources_in,
    without_fields,
    without_ids,
)
from memoryclaw.text.yaml_text import flow, flow_list, scalar
from memoryclaw.vault import audience as labels
from memoryclaw.vault.facts import (
    OF_A_VALUE,
    Facts,
    FactSpot,
    NoteField,
    StatementLine,
    bars_of,
    cells_of,
    clean_name,
    facts_in,
    facts_of_note,
    fields_in,
    statement_in,
)
from memoryclaw.vault.layout import is_plain
from memoryclaw.vault.vocabulary import read_aliases

Value = str | Sequence[str]
_FENCES = ("---", "...")


class _Entry(NamedTuple):
    """The place of one key, as (line, column) in the header."""

    key_end: tuple[int, int]
    start: tuple[int, int]
    end: tuple[int, int]
    style: str  # the quote of a scalar, `|`, `>`, `flow`, `list` or `map`
    items: tuple[tuple[int, str | None], ...]  # of a block list: the first line of each, and its text


class _Header(NamedTuple):
    """The lines of a note before, in and after its header, and the header's values."""

    before: list[str]
    lines: list[str]
    after: list[str]
    values: dict[str, Any]
    newline: str


def set_property(text: str, key: str, value: Value) -> str:
    """Sets a frontmatter property; its style (flow, block, quotes) is kept.

    Raises:
        InputError: the header is broken, unclosed, or holds what cannot be patched safely.
    """
    header = _header(text)
    new_value = value if isinstance(value, str) else list(value)
    if header is None:
        newline = line_end(text)
        fresh = f"---{newline}{_line(key, new_value, newline)}---{newline}"
        return _verify(fresh + text, {}, key, new_value)
    if key not in header.values:
        lines = [*header.lines, _line(key, new_value, header.newline)]
    elif header.values[key] == new_value:
        return text
    else:
        lines = _replace_entry(header, _entry_at(header, [key]), header.values[key], new_value)
    return _verify("".join((*header.before, *lines, *header.after)), header.values, key, new_value)


def line_end(text: str) -> str:
    """The line end of a text's first line; a line feed if it has none."""
    first = lines_of(text)[:1]
    return first[0][len(first[0].rstrip("\r\n")) :] or "\n" if first else "\n"


def _header(text: str) -> _Header | None:
    lines = lines_of(text)
    if not lines or lines[0].rstrip() != "---":
        if split(readable(text)).raw:
            raise InputError(
                "the front matter of this note is not YAML: it is read, but only you can change it"
            )
        return None
    close = next(
        (i for i, line in enumerate(lines[1:], 1) if line.rstrip() in _FENCES and line[:3] in _FENCES), 0
    )
    if not close:
        raise InputError("the header of this note is never closed; add a line `---` below its last key")
    inner = lines[1:close]
    read = yaml_text.load("".join(inner), 2)
    if read.problems:
        problem = read.problems[0]
        raise InputError(
            f"line {problem.line} of this note's header: {problem.message}; {problem.hint or 'fix it first'}"
        )
    if not isinstance(read.value, dict | None):
        raise InputError("the header of this note is not a list of keys; write lines like `tags: [a, b]`")
    return _Header(lines[:1], inner, lines[close:], read.value or {}, line_end(text))


def _line(key: str, value: Value, newline: str) -> str:
    return f"{scalar(key)}: {_render(value)}{newline}"


def _render(value: Value, style: str = "") -> str:
    return scalar(value, style if style in ("'", '"') else "") if isinstance(value, str) else flow_list(value)


def _replace_entry(header: _Header, entry: _Entry, old: Any, value: Value) -> list[str]:
    lines = list(header.lines)
    if entry.style == "list" and not isinstance(value, str) and value:
        first = entry.items[0][0]
        return lines[:first] + _items(lines, entry, value, header.newline) + lines[entry.end[0] + 1 :]
    if entry.style in {"list", "map"}:
        row, column = entry.key_end
        colon = lines[row].index(":", column) + 1
        lines[row] = f"{lines[row][:colon]} {_render(value)}{lines[row][colon:]}"
        return lines[: row + 1] + lines[entry.end[0] + 1 :]
    (row, column), (end_row, end_column) = entry.start, entry.end
    if entry.style in {"|", ">"}:
        end_row, end_column = entry.end[0], len(lines[entry.end[0]].rstrip("\r\n"))
    before, after = lines[row][:column], lines[end_row][end_column:]
    space = " " if before.endswith(":") else ""
    style = entry.style if isinstance(old, str) else ""
    return [*lines[:row], f"{before}{space}{_render(value, style)}{after}", *lines[end_row + 1 :]]


def _items(lines: list[str], entry: _Entry, value: Sequence[str], newline: str) -> list[str]:
    """The lines of a block list; items that stay keep their lines and comments."""
    starts = [first for first, _ in entry.items]
    sample = lines[starts[0]]
    lead = sample[: sample.index("-")] + "- "
    chunks = [lines[start:end] for start, end in pairwise([*starts, entry.end[0] + 1])]
    old = [f"\0{i}" if text is None else text for i, (_, text) in enumerate(entry.items)]
    out: list[str] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, list(value), autojunk=False).get_opcodes():
        if tag == "equal":
            out += [line for chunk in chunks[a:b] for line in chunk]
        else:
            out += [f"{lead}{scalar(item)}{newline}" for item in value[c:d]]
    return out


def _verify(text: str, old: dict[str, Any], key: str, value: Any) -> str:
    header = _header(text)
    if header is None or header.values != {**old, key: value}:
        raise InputError(f"the property {key!r} cannot be changed without touching others; change it by hand")
    return text


def _entry_at(header: _Header, keys: Sequence[str]) -> _Entry:
    """Where the value under some keys stands in a header."""
    loader = getattr(late.yaml, "CSafeLoader", late.yaml.SafeLoader)
    node: Any = late.yaml.compose(readable("".join(header.lines)), Loader=loader)
    if len(keys) == 1 and node is not None and node.flow_style:
        raise InputError("the header of this note is one {…} map; write one key a line first")
    key: Any = None
    for name in keys:
        pairs = node.value if isinstance(node, late.yaml.MappingNode) else []
        # Of a key that stands twice the last one counts.
        key, node = next(((k, v) for k, v in reversed(pairs) if k.value == name), (None, None))
        if node is None:
            raise InputError(f"{' '.join(keys)!r} is not in the header any more")
    if isinstance(node, late.yaml.ScalarNode):
        style, items = node.style or "", list[Any]()
    else:
        is_list = isinstance(node, late.yaml.SequenceNode)
        style, items = "flow" if node.flow_style else "list" if is_list else "map", node.value
    listed = items if style == "list" else []
    texts = [(n.start_mark.line, n.value if isinstance(n, late.yaml.ScalarNode) else None) for n in listed]
    return _Entry(_mark(key.end_mark), _mark(node.start_mark), _end_of(node), style, tuple(texts))


def _end_of(node: Any) -> tuple[int, int]:
    """Where the last character of a value stands; what is written as a block ends, for YAML, where the next thing begins."""
    if isinstance(node, late.yaml.ScalarNode):
        end = _mark(node.end_mark)
        is_block = node.style in ("|", ">") and end[1] == 0 and end > _mark(node.start_mark)
        return (end[0] - 1, 0) if is_block else end
    if node.flow_style:
        return _mark(node.end_mark)
    inner = (part for child in node.value for part in (child if isinstance(child, tuple) else (child,)))
    return max(_mark(node.start_mark), *map(_end_of, inner))


def _mark(mark: Any) -> tuple[int, int]:
    return mark.line, mark.column


# Insertions, replacements and removals of whole lines. Line ends stay, a missing last one too.


class Splice(NamedTuple):
    """Replaces the lines from `start` up to (not including) `end`, counted from 0, by `lines` (without line ends)."""

    start: int
    end: int
    lines: tuple[str, ...] = ()


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """Applies splices, which must not overlap; of two at one place the later stands first. A replaced last line keeps its line end."""
    lines, newline = lines_of(text), line_end(text)
    open_ended = bool(lines) and not lines[-1].endswith(("\n", "\r"))
    if open_ended:
        lines[-1] += newline
    for start, end, fresh in sorted(splices, key=itemgetter(0, 1), reverse=True):
        ends = [line[len(line.rstrip("\r\n")) :] for line in lines[start:end]]
        lines[start:end] = [line + (ends[i] if i < len(ends) else newline) for i, line in enumerate(fresh)]
    if open_ended and lines:
        lines[-1] = lines[-1].rstrip("\r\n")
    return "".join(lines)


# Adds, supersedes, corrects and removes facts in the text of a semantic file, in the file's own style.

_Key = tuple[str, str, str, bool]
_WORDS = frozenset({"type", "scope", "also"})  # inline fields that hold words


class FactEdit(NamedTuple):
    """The text after an edit, what was done (added | confirmed | superseded | corrected | contradicts), and the former value."""

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
    claim: str = "",
    audience: str = "",
    memory_type: str = "",
    scope: str = "",
    also: str = "",
    instead: str = "",
) -> FactEdit:
    """Sets a fact: adds it, confirms it, or replaces the old value, which moves to History.

    Args:
        since: ISO date from which it holds.
        source: the id of the note it comes from, or a word on its origin.
        claim: what says so, where it is no person: a value that is added has the trust `unknown` then, with this as its source,
            and another value that stands is left as it is (`contradicts`).
        audience: whom the fact is for, where not everybody who may see the file may see it; the label of a value that it replaces stays.
        scope: what it holds for, such as `project:atlas`.
        also: words to find it by that nobody said, joined by commas.
        instead: where several values stand, the one that it takes the place of.
    """
    entity, field, value = (" ".join(words.split()) for words in (entity, field or VALUE, value))
    value, stays = _unlabelled(value)
    audience = labels.common_audience(audience, stays.audience)
    if not entity or not value:
        raise InputError("a fact needs an entity and a value")
    sheet = Sheet.of(text, file)
    standing = [f for f in sheet.facts.facts if f.current and same(f.entity, entity) and same(f.field, field)]
    if holding := [
        fact
        for fact in standing
        if fact.value == value or (many and value in map(str.strip, fact.value.split(",")))
    ]:
        return FactEdit(text if claim else without_doubt(text, file, holding[0].id), "confirmed", value)
    label = audience if not standing or many else labels.common_audience(standing[0].audience, audience)
    origin = _inline(since=since) + source_field(source)
    inline = origin + _inline(audience=label, type=memory_type, scope=scope, also=also)
    addition = FactText(value, inline + _shown(stays._replace(audience="")) + _claim_fields(claim))
    if not standing or many:
        first = standing[-1] if standing else None
        return _add(sheet, first.entity if first else entity, first.field if first else field, addition)
    if claim:
        return FactEdit(text, "contradicts", standing[0].value)
    if instead and len(standing) > 1:
        standing = [fact for fact in standing if fact.value == instead] or standing
    if len(standing) > 1:
        raise InputError(
            f"{entity} has {len(standing)} values for {field}; say which one to change, by its id"
        )
    old = standing[0]
    fresh, past = (old.entity, old.field, value, True), (old.entity, old.field, old.value, False)
    change = _Change((fact_key(old),), (fresh, past))
    return FactEdit(
        _replace_line(sheet, old, addition, change, _past(sheet, old, since)), "superseded", old.value
    )


def add_sources(text: str, file: SemanticFile, named: tuple[str, str, str], sources: str) -> str:
    """The text in which a fact that holds has these sources as well; unchanged where it does not.

    Args:
        sources: ids of notes with their blocks, joined by commas.
    """
    entity, field, value = named
    facts = [fact.id for fact in file.current(text, entity, field) if fact.value == " ".join(value.split())]
    for source in filter(None, map(str.strip, sources.split(",") if facts else ())):
        text = add_source(text, file, facts[-1], source).text
    return text


def correct_fact(text: str, file: SemanticFile, id_: str, value: str) -> FactEdit:
    """Replaces the value of a fact, or the words of a statement, without History: the old one was never right."""
    text = without_doubt(text, file, id_)  # who corrects a claim vouches for what it says then
    value, (sheet, fact) = " ".join(value.split()), _sheet_of(text, file, id_)
    stays = labels.UNLABELLED
    if not file.is_note:
        value, stays = (quotable(value), stays) if fact.is_statement else _unlabelled(value)
    if fact.value == value:
        return FactEdit(text, "confirmed", value)
    if not value:
        raise InputError("a fact needs a value; `memoryclaw forget` takes one away")
    if file.is_note:
        return FactEdit(_with_field(text, _field(text, file, id_), value), "corrected", fact.value)
    change = _Change((fact_key(fact),), ((fact.entity, fact.field, value, fact.current),))
    if fact.is_statement:
        result = _changed(sheet, [[_restatement(sheet, fact, value)]], change, fact.entity, f'"{value}"')
        return FactEdit(result, "corrected", fact.value)
    text_told = FactText(value + _shown(stays), None)
    return FactEdit(_replace_line(sheet, fact, text_told, change), "corrected", fact.value)


def _field(text: str, file: SemanticFile, id_: str) -> NoteField:
    """The field of a note that a fact is."""
    fields = fields_in(file.path, text)
    return fields.places[fields.facts.index(_with_id(fields.facts, id_))]


def set_field(text: str, path: str, key: str, value: Value) -> str:
    """Sets a property of a plain note: in its header, or where only its text has it, there.

    Raises:
        InputError: as `set_property`.
    """
    name, header = key.casefold(), split(readable(text)).meta
    inline = [field for field in fields_in(path, text).inline if field.name.casefold() == name]
    of_header = isinstance(value, list) or any(property_name.casefold() == name for property_name in header)
    if of_header or len(inline) != 1:
        return set_property(text, key, value)
    return _with_field(text, inline[0], str(value))


def _with_field(text: str, place: NoteField, value: str) -> str:
    inline = place.inline
    if inline is None:
        return _set_leaf(text, place, value)
    lines = lines_of(text)
    line = lines[inline.line - 1]
    # The marks of the file are a character of its first line.
    skip = 1 if inline.line == 1 and line.startswith("\ufeff") else 0
    space = "" if line[: inline.start + skip].endswith((" ", "\t")) or not value else " "
    lines[inline.line - 1] = f"{line[: inline.start + skip]}{space}{value}{line[inline.end + skip :]}"
    result = "".join(lines)
    expected = [(f.name, value if f.inline == inline else f.value.text) for f in fields_in("", text).inline]
    if [(f.name, f.value.text) for f in fields_in("", result).inline] != expected:
        raise InputError(
            f"{inline.key} cannot be changed to that without touching others; change line {inline.line} by hand"
        )
    return result


def _set_leaf(text: str, place: NoteField, value: str) -> str:
    """Sets one value of the header, however deep it stands; a list keeps being one."""
    header = _header(text)
    if header is None:
        raise InputError("this note has no header any more")
    old: Any = header.values
    for key in place.keys:
        old = old.get(key) if isinstance(old, dict) else None
    new_value: Value = (
        [entry.strip() for entry in value.split(",") if entry.strip()] if isinstance(old, list) else value
    )
    if len(place.keys) == 1:
        return set_property(text, place.keys[0], new_value)
    values, entry = _with_leaf(header.values, place.keys, new_value), _entry_at(header, place.keys)
    if entry.style in ("|", ">", "list", "map"):
        raise InputError(f"{' '.join(place.keys)!r} is a text or list of several lines; change it by hand")
    quoted = entry._replace(style='"')
    for lines in (_replace_entry(header, entry, old, new_value), _replace_entry(header, quoted, "", value)):
        result = "".join((*header.before, *lines, *header.after))
        try:
            fresh = _header(result)
        except InputError:
            continue
        if fresh is not None and fresh.values == values:
            return result
    raise InputError(f"{' '.join(place.keys)!r} cannot be changed without touching others; change it by hand")


def _with_leaf(values: dict[str, Any], keys: Sequence[str], wanted: Any) -> dict[str, Any]:
    first, *inner_keys = keys
    return {**values, first: _with_leaf(values[first], inner_keys, wanted) if inner_keys else wanted}


def without_doubt(text: str, file: SemanticFile, id_: str) -> str:
    """The text without the doubt that the line of a fact or statement has of itself; unchanged in a table or a header."""
    sheet, fact = _sheet_of(text, file, id_)
    if fact.trust == "trusted" or file.is_note or not sheet.has_room(fact):
        return text
    first, last = sheet.span(fact)
    lines = [without_fields(line, "trust") for line in sheet.lines[first:last]]
    result = apply_splices(text, [Splice(first, last, tuple(lines))])
    return result if _matches(sheet, result, _Change()) else text


def with_trust(text: str, file: SemanticFile, id_: str, trust: str) -> str:
    """Says on the line of a fact or statement how far it is to be trusted; what is trusted needs no word."""
    sheet, fact = _sheet_of(text, file, id_)
    if trust == fact.trust:
        return text
    if not sheet.has_room(fact):
        raise InputError(
            f"{id_} stands in a table or a header, which has no room for its trust; use the file's id"
        )
    return _with_fields(sheet, fact, {"trust": "" if trust == "trusted" else trust})


def with_inline(text: str, file: SemanticFile, id_: str, values: Mapping[str, str]) -> str:
    """Sets inline fields of the line of a fact or statement, such as `[expires:: 2026-05-01]`; an empty value takes one away."""
    sheet, fact = _sheet_of(text, file, id_)
    if file.is_note or not sheet.has_room(fact):
        raise InputError(
            f"{id_} stands where a line has no room for {', '.join(values)}; edit {file.path} by hand"
        )
    return _with_fields(sheet, fact, values)


def _with_fields(sheet: Sheet, fact: Fact, values: Mapping[str, str]) -> str:
    (first, last), words = sheet.span(fact), sheet.quote_end(fact)
    head, line = sheet.lines[first][:words], read_line(sheet.lines[first][words:])
    below = [without_fields(text, *values) for text in sheet.lines[first + 1 : last]]
    lines = (head + line.with_fields(values).text(), *below)
    return _changed(sheet, [[Splice(first, last, lines)]], _Change(), fact.entity, fact.field)


def remove_fact(text: str, file: SemanticFile, id_: str) -> str:
    """Removes a fact: its line, or only its table cell, or its value above nested lines."""
    if file.is_note:
        # Takes the lines of a property out of the header, or a field that is all of its line out of the text.
        place, lines = _field(text, file, id_), lines_of(text)
        if place.inline is not None and place.inline.is_line:
            return "".join(lines[: place.line - 1] + lines[place.line :])
        header = _header(text) if place.inline is None and len(place.keys) == 1 else None
        if header is None:
            raise InputError(
                f"{id_} is only a part of line {place.line} of {file.path}; take it out there by hand"
            )
        entry = _entry_at(header, place.keys)
        header_lines = header.lines[: entry.key_end[0]] + header.lines[entry.end[0] + 1 :]
        result = "".join((*header.before, *header_lines, *header.after))
        remaining = {key: value for key, value in header.values.items() if key != place.keys[0]}
        if (_header(result) or header).values != remaining:
            raise InputError(f"{id_} cannot be taken out without touching others; do it by hand")
        return result
    sheet, fact = _sheet_of(text, file, id_)
    return _changed(sheet, [[_removal(sheet, fact)]], _Change((fact_key(fact),)), fact.entity, fact.field)


def end_fact(text: str, file: SemanticFile, id_: str, until: str) -> str:
    """Moves a fact or a statement to History: it held, or stood, until a day (ISO)."""
    sheet, fact = _sheet_of(text, file, id_)
    past = (fact.entity, fact.field, fact.value, False)
    if fact.is_statement:
        moves = list(_into_history(sheet, [fact], until))
    else:
        moves = [_removal(sheet, fact), _past(sheet, fact, until)]
    return _changed(sheet, [moves], _Change((fact_key(fact),), (past,)), fact.entity, fact.field)


def _removal(sheet: Sheet, fact: Fact) -> Splice:
    """What takes a fact away: its line, its cell, or its value above nested lines."""
    lines, (first, last) = sheet.lines, sheet.span(fact)
    if sheet.in_table(fact):
        return Splice(first, last, (with_cell(sheet, fact, ""),))
    if any(twin is not fact and twin.line == fact.line for twin in sheet.facts.facts):
        raise InputError(f"the line of {fact.id} holds other facts as well; change it by hand")
    is_deeper = last < len(lines) and indent(lines[last]) > indent(lines[first])
    if is_deeper and not fact.is_statement and BULLET.match(lines[last]):
        return Splice(first, last, (split_key(lines[first])[0].rstrip(),))
    return Splice(first, last)


def _past(sheet: Sheet, fact: Fact, until: str) -> Splice:
    """Adds the line of a superseded value to the History of its entity, or to the one that lists and tables share."""
    (first, last), spot, old = sheet.span(fact), sheet.spot(fact), fact.value
    if spot.style in {"heading", "bullet"} and not sheet.in_table(fact):
        line = " ".join(" ".join(sheet.lines[first:last]).split())
        old = without_ids(split_key(line)[1])
    old += _inline(until=until)
    if spot.style == "heading":
        return _history_of(sheet, spot, f"- {fact.field}: {old}")
    name = fact.entity if fact.field == VALUE else f"{fact.entity}.{fact.field}"
    return _history_of(sheet, None, f"- {name}: {old}")


def _replace_line(sheet: Sheet, fact: Fact, fact_text: FactText, change: _Change, *also: Splice) -> str:
    span = sheet.span(fact)
    lines = (line_with_value(sheet, fact, form) for form in _forms(fact_text))
    return _changed(
        sheet, ([Splice(*span, (line,)), *also] for line in lines), change, fact.entity, fact.field
    )


def _add(sheet: Sheet, entity: str, field: str, fact_text: FactText) -> FactEdit:
    spot = next((spot for spot in sheet.facts.spots if same(spot.entity, entity)), None)
    entity = spot.entity if spot else entity
    change = _Change(come=((entity, field, fact_text.value, True),))
    needs_room = any(line_fields(fact_text.inline or "", "trust|audience"))
    if spot and needs_room and spot.style in {"table", "frontmatter"}:
        spot = None  # a cell has no room for the doubt or the label
    splices = (
        [splice]
        for form in _forms(fact_text)
        for splice in (
            new_field(sheet, spot, field, form) if spot else None,
            new_entity(sheet, entity, f"- {field}: {form.value}{form.inline or ''}"),
        )
        if splice
    )
    return FactEdit(_changed(sheet, splices, change, entity, field), "added")


def _forms(fact_text: FactText) -> Iterator[FactText]:
    """Yields the value as it is, then in quotes; one of them reads back as the same value."""
    yield fact_text
    yield fact_text._replace(value=f'"{fact_text.value}"')


def _sheet_of(text: str, file: SemanticFile, id_: str) -> tuple[Sheet, Fact]:
    """A text as a sheet, with one of its facts."""
    sheet = Sheet.of(text, file)
    return sheet, _with_id(sheet.facts.facts, id_)


def _with_id(facts: Iterable[Fact], id_: str) -> Fact:
    if (fact := next((fact for fact in facts if fact.id == id_), None)) is None:
        raise NotFoundError(f"there is no fact {id_}")
    return fact


def _matches(sheet: Sheet, text: str, change: _Change) -> bool:
    before, after = ([*map(fact_key, facts)] for facts in (sheet.facts.facts, sheet.file.facts(text).facts))
    # Most facts stand above or below what was changed, alike: they are compared, and only the others are counted.
    for _ in range(2):
        most = min(len(before), len(after))
        alike = next((n for n in range(most) if before[n] != after[n]), most)
        before, after = before[alike:][::-1], after[alike:][::-1]
    remaining = Counter(before)
    remaining.update(change.come)
    remaining.subtract((*change.gone, *after))
    return not any(remaining.values())


def _changed(
    sheet: Sheet, tries: Iterable[Sequence[Splice]], change: _Change, entity: str, field: str
) -> str:
    """The text after the first of these splices with which, read back, exactly this changed; else nothing is written."""
    for splices in tries:
        result = apply_splices(sheet.text, splices)
        if _matches(sheet, result, change):
            return result
    raise _refusal(entity, field)


def _refusal(entity: str, field: str) -> InputError:
    return InputError(
        f"{field} of {entity} cannot be written there without changing other lines; edit the file by hand"
    )


# What a fact is known by, wherever it stands.
fact_key: Callable[[Fact], _Key] = attrgetter("entity", "field", "value", "current")


def _inline(**values: str) -> str:
    """Inline fields; words for one are without what would end it."""
    words = {key: re.sub(r"[\[\]()\r\n]", "", values[key]) for key in values.keys() & _WORDS}
    return field_text({**values, **words})


def _claim_fields(claim: str) -> str:
    """The inline fields of what no person said: what says so, and that nobody has vouched for it."""
    origin = " ".join(re.sub(r"[\[\]|,\x00-\x1f\x7f]", " ", claim).split())
    return field_text({"source": origin, "trust": "unknown"}) if origin else ""


# Statements: what a person said, where entity or field cannot be told. The newest stands first, below the entity's facts.

_MARKUP = re.compile(
    r"!?\[\[|\]\]|`+|%%|~~|(?<=:):+|(?<!\S)#+(?=[^\s\d#])|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
)


def quotable(text: str) -> str:
    """Words as a statement may quote them: on one line, without double quotes, and without what Markdown takes for its own."""
    return " ".join(_MARKUP.sub(" ", text.replace('"', "'")).split())


@lru_cache(maxsize=8192)  # of all that stands in a file, which each statement is compared with
def _quoted(words: str) -> str:
    """What tells a statement from others of one entity: its words, whatever their case and accents."""
    return " ".join(fold(words).split())


def add_statement(
    text: str,
    file: SemanticFile,
    *,
    entity: str,
    words: str,
    said: str = "",
    source: str = "",
    replaces: Iterable[str] = (),
    claim: str = "",
    audience: str = "",
    scope: str = "",
    also: str = "",
) -> FactEdit:
    """Adds a statement above those that the entity has; the same words, where they stand already, get one more source.

    Args:
        entity: what the statement is about, or who made it, in any case.
        said: ISO date on which it was said.
        source: the id of the note it comes from, or a word on its origin.
        replaces: ids of standing statements of the file that this one is tied to; they move to the History of their entity.
        claim: what says so, where it is no person, as for `set_fact`.
        audience: whom the statement is for, as for `set_fact`.
        scope: what it holds for, as for `set_fact`.
        also: words to find it by, as for `set_fact`.
    """
    entity, words, said = " ".join(entity.split()), quotable(words), UNSAFE.sub("", said).strip()
    if not entity or not words:
        raise InputError("a statement needs an entity and words")
    sheet = Sheet.of(text, file)
    statements = [f for f in sheet.facts.facts if f.is_statement and f.current and same(f.entity, entity)]
    twin = next((fact for fact in statements if _quoted(fact.value) == _quoted(words)), None)
    standing = [f for f in sheet.facts.facts if f.is_statement and f.current]
    tied = [fact for fact in standing if fact is not twin and fact.id in set(replaces)]
    moves = list(_into_history(sheet, tied, said))
    change = _Change(
        tuple(map(fact_key, tied)), tuple([fact_key(fact._replace(current=False)) for fact in tied])
    )
    action = "superseded" if tied else "added" if twin is None else "confirmed"
    if twin is not None:
        result = _changed(sheet, [moves], change, entity, f'"{words}"')
        result = add_source(result, file, twin.id, source).text
        return FactEdit(result if claim else without_doubt(result, file, twin.id), action, twin.value)
    line = f'"{words}"{_inline(said=said)}{source_field(source)}{_inline(audience=audience, scope=scope, also=also)}{_claim_fields(claim)}'
    for name, splice in _places(sheet, entity, statements, said, line):
        result = apply_splices(text, [splice, *moves])
        if _matches(sheet, result, _Change(change.gone, (*change.come, (name, "", words, True)))):
            return FactEdit(result, action, tied[0].value if tied else "")
    raise _refusal(entity, f'"{words}"')


def add_statements(
    text: str,
    file: SemanticFile,
    *,
    entity: str,
    said: str,
    quotes: Sequence[tuple[str, str]],
    audience: str = "",
) -> str | None:
    """Adds statements of one day that the file does not hold, as `add_statement` does one after another; None where that needs more.

    Args:
        said: ISO date on which they were said.
        quotes: words and source of each, in the order in which they were said.
        audience: whom they are for, as for `set_fact`.
    """
    entity, said = " ".join(entity.split()), UNSAFE.sub("", said).strip()
    every = [(quotable(words), source) for words, source in quotes]
    fresh = len({fold(words) for words, _ in every}) == len(every)
    if not entity or not fresh or any(not words or words in text for words, _ in every):
        return None
    sheet = Sheet.of(text, file)
    statements = [f for f in sheet.facts.facts if f.is_statement and f.current and same(f.entity, entity)]
    if not {_quoted(fact.value) for fact in statements}.isdisjoint(_quoted(words) for words, _ in every):
        return None
    label = _inline(audience=audience)
    lines = [
        f'"{words}"{_inline(said=said)}{source_field(source)}{label}' for words, source in reversed(every)
    ]
    for name, splice in _places(sheet, entity, statements, said, lines[0]):
        index = next(n for n, line in enumerate(splice.lines) if line.endswith(lines[0]))
        lead = splice.lines[index].removesuffix(lines[0])
        block = (*splice.lines[:index], *(lead + line for line in lines), *splice.lines[index + 1 :])
        result = apply_splices(text, [splice._replace(lines=block)])
        if _matches(sheet, result, _Change((), tuple((name, "", words, True) for words, _ in every))):
            return result
    return None


def _places(
    sheet: Sheet, entity: str, own: Sequence[Fact], said: str, line: str
) -> Iterator[tuple[str, Splice]]:
    """Where a statement may go, the best place first, with the name that the entity has there.

    It goes among the statements of the entity, or below its facts, or below a new heading.
    """
    older = next((fact for fact in own if not said or fact.said <= said), own[-1] if own else None)
    if older is not None:
        first, last = sheet.span(older)
        place = first if not said or older.said <= said else last
        yield older.entity, Splice(place, place, (sheet.statement(older)[0] + line,))
    spots = [spot for spot in sheet.facts.spots if same(spot.entity, entity)]
    for spot in sorted(spots, key=lambda spot: spot.style != "heading"):
        if spot.style in {"heading", "bullet"}:
            lead = spot.indent if BULLET.match(spot.indent) else _lead(sheet, spot)
            yield spot.entity, _below(sheet, spot, lead + line)
    name = spots[0].entity if spots else entity
    yield name, new_entity(sheet, name, f"- {line}")


def _into_history(sheet: Sheet, tied: Sequence[Fact], until: str) -> Iterator[Splice]:
    """Takes statements from where they stand, and adds them to the History of their entity."""
    past: dict[FactSpot | None, list[str]] = {}
    for fact in tied:
        spot, (_, statement) = sheet.spot(fact), sheet.statement(fact)
        is_heading = spot.style == "heading"
        undated = "" if is_heading or statement.is_dated else " [said::]"
        line = f"{statement.quoted}{statement.fields}{undated}{_inline(until=until)}"
        past.setdefault(spot if is_heading else None, []).append(
            f"- {line}" if is_heading else f"- {fact.entity}: {line}"
        )
        yield Splice(*sheet.span(fact))
    for place, lines in past.items():
        yield _history_of(sheet, place, *lines)


def _restatement(sheet: Sheet, fact: Fact, words: str) -> Splice:
    """The line of a statement with other words."""
    head, statement = sheet.statement(fact)
    first, last = sheet.span(fact)
    line, end = sheet.lines[first], len(head) + len(statement.quoted)
    if end <= len(line):
        return Splice(first, first + 1, (f'{head}"{words}"{line[end:]}',))
    mark = f" {statement.mark}" if statement.mark else ""
    return Splice(first, last, (f'{head}"{words}"{statement.fields}{mark}',))


# Where a new fact and a line of History go.

_UNDERLINE = re.compile(r"[ \t]*(?:=+|-+)[ \t]*$")
_DEEPEST = 6


def new_field(sheet: Sheet, spot: FactSpot, field: str, fact_text: FactText) -> Splice | None:
    """Adds a line or cell for a field of a known entity, in its style; None where there is no room for it."""
    if spot.style == "table":
        return fill_cell(sheet, spot, field, fact_text.value)
    if spot.style == "frontmatter":
        return add_map_line(sheet, spot, field, fact_text.value)
    lead = spot.indent or _lead(sheet, spot)
    return _below(sheet, spot, f"{lead}{field}: {fact_text.value}{fact_text.inline or ''}")


def _lead(sheet: Sheet, spot: FactSpot) -> str:
    """How a list item below the entity of a list or of a heading begins."""
    return " " * (indent(sheet.lines[spot.line - 1]) + 2) + "- " if spot.style == "bullet" else "- "


def _below(sheet: Sheet, spot: FactSpot, line: str) -> Splice:
    """Adds a line below the facts of an entity that is a heading or stands in a list."""
    place, lines = spot.end_line, sheet.lines
    if spot.style == "bullet":
        return Splice(place, place, (line,))
    underlined = place == spot.line and place < len(lines) and not lines[place - 1].lstrip().startswith("#")
    if underlined and _UNDERLINE.match(lines[place]):
        place += 1
    below = lines[place] if place < len(lines) else ""
    prose = below.strip() and not BULLET.match(below) and not below.startswith("#")
    return Splice(place, place, (line, *([""] if prose else [])))


def new_entity(sheet: Sheet, entity: str, line: str) -> Splice:
    """Adds a heading for a new entity, with one line, at the end of the file, above a shared History."""
    lines, history = sheet.lines, sheet.facts.history[0]
    place = history - 1 if history else len(lines)
    above = [""] if place and lines[place - 1].strip() else []
    below = [""] if place < len(lines) else []
    return Splice(place, place, (*above, f"# {entity}", line, *below))


def _history_of(sheet: Sheet, spot: FactSpot | None, *past: str) -> Splice:
    """Adds lines to the History of an entity that is a heading, else to the one that all others share."""
    lines, last = sheet.lines, sheet.facts.history[1]
    if spot is None:
        return Splice(last, last, past) if last else _new_history(lines, len(lines), "#", past)
    if spot.history:
        return Splice(spot.history_end, spot.history_end, past)
    level, end = _section_end(sheet.text, spot.line, len(lines))
    return _new_history(lines, end, "#" * min(level + 1, _DEEPEST), past)


def indent(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip())


def _new_history(lines: list[str], at: int, marks: str, past: Sequence[str]) -> Splice:
    end = at
    while end and not lines[end - 1].strip():
        end -= 1
    below = [""] if end == at < len(lines) else []
    return Splice(end, end, ("", f"{marks} History", *past, *below))


def _section_end(text: str, line: int, count: int) -> tuple[int, int]:
    """The level of the heading on this line, and the number of lines before the next one of its level or above."""
    plain = readable(text)
    body = split(plain).body
    offset = plain.count("\n", 0, len(plain) - len(body))

    def row(heading: Heading) -> int:
        return offset + body.count("\n", 0, heading.start)

    headings = outline(body).headings
    level = next((heading.level for heading in headings if row(heading) == line - 1), 1)
    return level, next((row(h) for h in headings if row(h) >= line and h.level <= level), count)


# Where the value of a fact is on its line: after a key, in a table cell, in a header's map.

_KEYED = re.compile(
    r"((?:(?:\[\[[^\[\]]+\]\]|\"[^\"]+\")[ \t]*+|[^:]*+)"  # the key
    r"(?:::?(?:\*\*|__)?|(?<=[*_]):)(?=[ \t]|$))[ \t]*+(.*)$"
)
_COMMENT = re.compile(r"(?<![ \t])[ \t]++#.*$")


def split_key(line: str) -> tuple[str, str]:
    """Splits a line after its key's colon."""
    head = "".join(head_of(line)[:2])
    hit = _KEYED.match(line[len(head) :])
    return (head + hit[1], hit[2].rstrip()) if hit else (line, "")


def line_with_value(sheet: Sheet, fact: Fact, fact_text: FactText) -> str:
    """The line of a fact with another value, for nobody whom it did not let in."""
    before = sheet.lines[fact.line - 1]
    if sheet.in_table(fact):
        return with_cell(
            sheet, fact, fact_text.value + _labels_missing(before, with_cell(sheet, fact, fact_text.value))
        )
    head, tail = split_key(before)
    if sheet.spot(fact).style == "frontmatter":
        comment = _COMMENT.search(tail)
        return f"{head} {scalar(fact_text.value.strip(chr(34)))}{comment[0] if comment else ''}"
    inline = fact_text.inline if fact_text.inline is not None else first_fields(tail, OF_A_VALUE)
    body = f"{head} {fact_text.value}{inline}"
    return f"{body}{_labels_missing(before, body)}{read_line(tail).tail}"


def _labels_missing(before: str, line: str) -> str:
    """The labels that a line needs behind its words to let in nobody whom the line before it did not."""
    if not labels.may_hold_labels(before):
        return ""
    old, new = labels.label_in(before), labels.label_in(line)
    audience = labels.common_audience(old.audience, new.audience)
    return _shown(
        labels.Label("" if audience == new.audience else audience, export=old.export or not new.export)
    )


def _unlabelled(value: str) -> tuple[str, labels.Label]:
    """A value without the labels in it, and these as one."""
    if not labels.may_hold_labels(value):
        return value, labels.UNLABELLED
    return " ".join(labels.without_labels(value).split()), labels.label_in(value)


def _shown(label: labels.Label) -> str:
    """A label as it stands behind the words of a line."""
    return field_text({"audience": label.audience}) + ("" if label.export else " [NOEXPORT]")


def with_cell(sheet: Sheet, fact: Fact, value: str) -> str:
    """The table row of a fact with another value in its cell."""
    spots, number = sheet.facts.spots, 1
    if spot := next((spot for spot in spots if spot.style == "table" and spot.line == fact.line), None):
        names = _names(sheet, spot)
        field = "" if fact.field == VALUE and VALUE not in names else fact.field.casefold()
        number = names.index(field) if field in names else 1
    return _with_text(sheet.lines[fact.line - 1], number, value)


def fill_cell(sheet: Sheet, spot: FactSpot, field: str, value: str) -> Splice | None:
    """Fills the empty cell of a column; None without such a column or when the cell is not empty."""
    names, row = _names(sheet, spot), sheet.lines[spot.line - 1]
    if field.casefold() not in names[1:]:
        return None
    number = names.index(field.casefold())
    texts = cells_of(row)
    if number >= len(texts) or texts[number]:
        return None
    return Splice(spot.line - 1, spot.line, (_with_text(row, number, value),))


def add_map_line(sheet: Sheet, spot: FactSpot, field: str, value: str) -> Splice | None:
    """Adds a line to the entity's map in the header; None for a map on one line."""
    numbers = [
        fact.line for fact in sheet.facts.facts if fact.entity == spot.entity and fact.line > spot.line
    ]
    if not numbers:
        return None
    sample, last = sheet.lines[numbers[0] - 1], max(numbers)
    lead = sample[: len(sample) - len(sample.lstrip())]
    return Splice(last, last, (f"{lead}{scalar(field)}: {scalar(value.strip(chr(34)))}",)) if lead else None


def _names(sheet: Sheet, spot: FactSpot) -> list[str]:
    return [clean_name(text).casefold() for text in cells_of(sheet.lines[spot.header - 1])]


def _with_text(line: str, number: int, value: str) -> str:
    edges = bars_of(line)
    if number + 1 >= len(edges):
        return line
    start, end = edges[number] + 1, edges[number + 1]
    old, text = line[start:end], value.replace("|", "\\|")
    lead = old[: len(old) - len(old.lstrip())] if old.strip() else " "
    # The column stays as wide as it was where the new value fits.
    return line[:start] + f"{lead or ' '}{text}".ljust(len(old) - 1) + " " + line[end:]


# A semantic file while it is patched: its lines, its facts, and the lines of each fact.


class SemanticFile(NamedTuple):
    """What the facts of a file depend on besides its text: a semantic file, or the note of an entity, whose fields they are."""

    path: str
    collections: frozenset[str]

    @property
    def is_note(self) -> bool:
        """True for a note, which has fields and no lines of facts."""
        return is_plain(self.path)

    def facts(self, text: str) -> Facts:
        """Reads the facts of a text as this file's."""
        return facts_of_note(self.path, text) if self.is_note else facts_in(self.path, text, self.collections)

    def current(self, text: str, entity: str, field: str) -> list[Fact]:
        """The facts of one field that hold, or with an empty field the statements; a name in any case is the same."""
        facts = self.facts(text).facts
        return [f for f in facts if f.current and same(f.entity, entity) and same(f.field, field)]


class FactText(NamedTuple):
    """A value, and the inline fields after it; None keeps those of the line."""

    value: str
    inline: str | None


class Sheet(NamedTuple):
    """A semantic file while it is patched: its text, its lines without line ends, and its facts."""

    text: str
    file: SemanticFile
    lines: list[str]
    facts: Facts

    @classmethod
    def of(cls, text: str, file: SemanticFile) -> Sheet:
        """Reads a text."""
        lines = [line.rstrip("\n") for line in lines_of(readable(text))]
        return cls(text, file, lines, file.facts(text))

    def span(self, fact: Fact) -> tuple[int, int]:
        """The lines of a fact, counted from 0, without the end: its own and those that continue it."""
        lines_taken = {neighbour.line for neighbour in self.facts.facts} | {
            spot.line for spot in self.facts.spots
        }
        end = fact.line
        while end < len(self.lines) and end + 1 in self.facts.lines and end + 1 not in lines_taken:
            if BULLET.match(self.lines[end]):
                break
            end += 1
        return fact.line - 1, end

    def spot(self, fact: Fact) -> FactSpot:
        """The place of a fact's entity nearest above the fact."""
        spots = [spot for spot in self.facts.spots if same(spot.entity, fact.entity)]
        above = [spot for spot in spots if spot.line <= fact.line]
        nowhere = FactSpot(fact.entity, "heading", fact.line, fact.line)
        return max(above or spots or [nowhere], key=lambda spot: spot.line)

    def in_table(self, fact: Fact) -> bool:
        """True when a fact is a table cell."""
        return not fact.is_statement and (
            self.spot(fact).style == "table" or self.lines[fact.line - 1].lstrip().startswith("|")
        )

    def has_room(self, fact: Fact) -> bool:
        """False for a cell of a table and for a value of the header: neither has a line for inline fields."""
        return not self.in_table(fact) and self.spot(fact).style != "frontmatter"

    def fields(self, fact: Fact) -> str:
        """The lines of a fact as far as they may hold inline fields of its own: not the words of a statement."""
        first, last = self.span(fact)
        return self.statement(fact)[1].fields if fact.is_statement else "\n".join(self.lines[first:last])

    def statement(self, fact: Fact) -> tuple[str, StatementLine]:
        """What the line of a statement begins with, and the statement."""
        first, last = self.span(fact)
        line = " ".join((self.lines[first], *(line.strip() for line in self.lines[first + 1 : last])))
        bullet = BULLET.match(line)
        for head in (bullet[0] if bullet else "", split_key(line)[0]):
            begin = len(line) - len(line[len(head) :].lstrip())
            if statement := statement_in(line[begin:].rstrip()):
                return line[:begin], statement
        raise _refusal(fact.entity, fact.value)

    def quote_end(self, fact: Fact) -> int:
        """Where the words of a statement end on its line; 0 for a fact."""
        if not fact.is_statement:
            return 0
        head, statement = self.statement(fact)
        return len(head) + len(statement.quoted)


# Two names of one thing: the lines of one entity take the name of another, and the old name becomes a synonym.


def rename_entity(text: str, file: SemanticFile, entity: str, to: str) -> str:
    """Gives the facts and statements of an entity, and their History, another name, where each line stands.

    A fact that the other name has as well becomes one with the sources of both.
    """
    entity, to = " ".join(entity.split()), " ".join(to.split())
    # Facts that the other has in the same words go, and that one has their sources then.
    for fact in file.facts(text).facts:
        if not fact.current or fact.is_statement or not same(fact.entity, entity):
            continue
        twin = next(
            (
                fact_there
                for fact_there in file.current(text, to, fact.field)
                if fact_there.value == fact.value
            ),
            None,
        )
        if twin is None or (twin.since, twin.trust, twin.audience) != (fact.since, fact.trust, fact.audience):
            continue
        sources, united = fact_sources(text, file, fact.id), text
        for source in sources:
            united = add_source(united, file, twin.id, source).text
        if set(sources) <= set(fact_sources(united, file, twin.id)):
            text = remove_fact(united, file, fact.id)
    sheet = Sheet.of(text, file)
    spots = {spot.line for spot in sheet.facts.spots if same(spot.entity, entity)}
    own = [fact for fact in sheet.facts.facts if same(fact.entity, entity)]
    named = {fact.line for fact in own if sheet.spot(fact).style != "heading"}
    expected = Counter(
        (to if same(fact.entity, entity) else fact.entity, *fact_key(fact)[1:]) for fact in sheet.facts.facts
    )
    for numbers in (spots | named, spots):
        splices = []
        for number in numbers:
            old = sheet.lines[number - 1]
            if (start := old.casefold().find(entity.casefold())) >= 0:
                fresh = f"{old[:start]}{to}{old[start + len(entity) :]}"
                splices.append(Splice(number - 1, number, (fresh,)))
        result = apply_splices(text, splices)
        if Counter(map(fact_key, file.facts(result).facts)) == expected:
            return result
    raise InputError(
        f"{entity} cannot be called {to} in {file.path} without changing other lines; edit the file by hand"
    )


def add_synonym(text: str, name: str, synonym: str) -> str:
    """The text of `aliases.yaml` with one more line: these two names mean the same."""
    name, synonym = " ".join(name.lower().split()), " ".join(synonym.lower().split())
    synonyms = {word: set(others) for word, others in read_aliases(readable(text)).items()}
    if name == synonym or synonym in synonyms.get(name, ()):
        return text
    synonyms.setdefault(name, set()).add(synonym)
    synonyms.setdefault(synonym, set()).add(name)
    end = len(lines_of(text))
    for line in (
        f"{scalar(name)}: {flow_list([synonym])}",
        f"{scalar(synonym)}: {flow_list([name])}",
        f"- {flow_list([name, synonym])}",
    ):
        result = apply_splices(text, [Splice(end, end, (line,))])
        fresh = {word: set(others) for word, others in read_aliases(readable(result)).items()}
        if fresh == synonyms and not yaml_text.load(readable(result)).shadowed:
            return result
    raise InputError(f"{name} and {synonym} cannot be added to the synonyms; edit the file by hand")


def same(name: str, other: str) -> bool:
    """True for names that differ in case and spaces only."""
    return name_key(name) == name_key(other)


@lru_cache(maxsize=8192)
def name_key(name: str) -> str:
    """A name without its case and what spaces there are too many."""
    return " ".join(name.split()).casefold()


# The sources of a fact: its line may name several, and one more is added as a patch of that line alone.


def fact_sources(text: str, file: SemanticFile, fact_id: str) -> tuple[str, ...]:
    """The sources of one fact of a semantic file, with the blocks they point to."""
    sheet, fact = _sheet_of(text, file, fact_id)
    return sources_in(sheet.fields(fact))


def add_source(text: str, file: SemanticFile, fact_id: str, source: str) -> FactEdit:
    """Adds a source to a fact; returns the text unchanged when it is there already or the line has no room for it.

    Args:
        source: the id of the episode that confirms it, with the block of the line: `episode#^l3`.
    """
    sheet, fact = _sheet_of(text, file, fact_id)
    source = UNSAFE.sub("", source).strip()
    if source and sheet.has_room(fact) and source not in sources_in(sheet.fields(fact)):
        result = _with_source(sheet, fact, source)
        old, new = sheet.facts.facts, file.facts(result).facts
        if len(old) == len(new) and all(
            after == before or (before == fact and after._replace(source=before.source) == before)
            for before, after in zip(old, new, strict=True)
        ):  # only the source of this fact has changed
            text = result
    return FactEdit(text, "confirmed", fact.value)


def _with_source(sheet: Sheet, fact: Fact, source: str) -> str:
    """Adds the source after the others, else at the end of the fact's first line."""
    first, last = sheet.span(fact)
    for number in range(first, last):
        line = sheet.lines[number]
        words = sheet.quote_end(fact) if number == first else 0
        if fields := list(line_fields(line, "source", words)):
            end, comma = fields[-1].value_end, ", " if fields[-1].value.strip() else ""
            longer = f"{line[:end]}{comma}[[{source}]]{line[end:]}"
            return apply_splices(sheet.text, [Splice(number, number + 1, (longer,))])
    # On a line below, `[source::` would begin a key.
    fresh = read_line(sheet.lines[first]).plus(source_field(source))
    return apply_splices(sheet.text, [Splice(first, first + 1, (fresh,))])


# The text of a file of settings with one more value in it; every other byte stays. Pure.


def with_setting(text: str, key: str, value: Any, where: str) -> str:
    """The text of settings that give a key such as `vault.format` this value: a text, or a list or map of texts."""
    section, name = key.split(".")
    read = yaml_text.load(readable(text))
    was = read.value if isinstance(read.value, dict) else {}
    line, end = f"{name}: {_spelling(value)}", line_end(text)
    if section in was:
        lines, old = lines_of(text), _map(read.value, section).get(name)
        if n := read.lines.get((section, name), 0):
            before, colon, tail = lines[n - 1].partition(name)
            spelled = (old,) if isinstance(old, str) else (flow(old), _spelling(old))
            spelling = next((form for form in spelled if form in tail), "")
            after = tail.replace(spelling, line.partition(": ")[2], 1) if spelling else tail
            lines[n - 1] = f"{before}{colon}{after}"
        elif head := read.lines.get((section,), 0):
            inside = (n for place, n in read.lines.items() if place[:1] == (section,) and place[1:])
            first = min(inside, default=0)
            if first == head or "{" in lines[head - 1]:
                lines[head - 1] = lines[head - 1].replace("{", f"{{{line}, ", 1)
            else:
                below = lines[first - 1] if first else "  "
                indent = below[: len(below) - len(below.lstrip(" "))]
                above = lines[head - 1]
                if above.endswith(("\n", "\r")):
                    lines.insert(head, f"{indent}{line}{line_end(text)}")
                else:  # the last line keeps its lack of an end
                    lines[head - 1] = f"{above}{line_end(text)}{indent}{line}"
        after = "".join(lines)
    elif not text or text.endswith(("\n", "\r")):
        after = f"{text}{section}:{end}  {line}{end}"
    else:
        after = f"{text}{end}{section}:{end}  {line}"
    reread = yaml_text.load(readable(after))
    wanted = {**was, section: {**_map(was, section), name: value}}
    if read.problems or reread.problems or reread.value != wanted:
        raise InputError(
            f"{where} cannot be told its {name}; write `{line}` below `{section}:` there, and try again"
        )
    return after


def _map(values: Any, section: str) -> dict[str, Any]:
    inner = values.get(section) if isinstance(values, dict) else None
    return inner if isinstance(inner, dict) else {}


def _spelling(value: Any) -> str:
    if isinstance(value, str):
        return yaml_text.scalar(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return flow_list(value)
    return flow(value)
