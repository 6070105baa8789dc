"""Facts and notes that ask to be checked again: they wait until a person says that they hold still, or no longer, or what holds instead.

They are a view of the files and the day; nothing is written down until a person decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memoryclaw.errors import InputError
from memoryclaw.model import Fact, Lifecycle
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.memory_lines import LineField, line_fields, read_line, sources_of
from memoryclaw.vault import edits, files
from memoryclaw.vault.properties import read_properties
from memoryclaw.vault.validity import due, ends
from memoryclaw.vault.vocabulary import DeclaredField, Schema
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.writer import Edit, Move, text_change

VERIFY, FORGET = "verify", "forget"
_REASONS = {
    "denied": "it was said to be wrong",
    "unwanted": "you wanted it to be forgotten",
    "overtaken": "it may have changed by what was said",
}


class DueCheck(NamedTuple):
    """What is to be checked: a fact or a statement, or a whole note (then `fact` is None)."""

    path: str
    id: str
    title: str
    due: str  # the ISO day until which it was to be
    why: str
    text: str  # its lines
    fact: Fact | None = None


def overdue(context: WriteContext) -> list[DueCheck]:
    """What is to be checked now, as far as the caller sees it, what is overdue for longest first."""
    schema = context.schema()
    asking = context.lookup.paths_to_verify([name for name, field in schema.fields.items() if field.verify])
    checks = [check for path in asking for check in _of_file(context, path, schema)]
    return sorted(checks, key=lambda due_check: (due_check.due, due_check.path, due_check.id))


def _of_file(context: WriteContext, path: str, schema: Schema) -> Iterator[DueCheck]:
    text, today = context.text(path), context.today
    note = split(readable(text))
    properties = read_properties(note.meta, note.lines)
    note_lifecycle = properties.lifecycle
    title = properties.title or path.rpartition("/")[2].removesuffix(".md")
    if not text or _is_over(note_lifecycle, today):
        return
    day = due(note_lifecycle, "", 0)
    if day and day < today:
        reason = f"{path} asks to be verified by {day}"
        yield DueCheck(path, properties.id or path.removesuffix(".md"), title, day, reason, note.raw)
    for fact in context.semantic(path).facts(text).facts:
        own, span = fact.lifecycle, schema.fields.get(edits.name_key(fact.field), DeclaredField()).verify
        day = due(own._replace(verified=max(own.verified, note_lifecycle.verified)), fact.day, span)
        if fact.current and day and day < today and not _is_over(own, today):
            lines = "".join(lines_of(readable(text))[fact.line - 1 : max(fact.line, fact.end_line)])
            if day == own.verify_by:
                reason = _denial(context, lines) or f"its line asks to be verified by {day}"
            else:
                checked = own.verified > fact.day
                since = f"verified on {own.verified}" if checked else f"known since {fact.day[:10]}"
                reason = f"{since}, and `{fact.field}` is to be verified every {span} days"
            yield DueCheck(path, fact.id, title, day, reason, lines, fact)


def _is_over(lifecycle: Lifecycle, today: str) -> bool:
    end = ends(lifecycle._replace(scope=""), "")
    return bool(end) and end < today


def _denied(line: str) -> LineField | None:
    """The field that names the turn that a line waits for."""
    return next(
        (field for field in line_fields(line, "denied|unwanted|overtaken") if "[[" in field.value), None
    )


def _denial(context: WriteContext, line: str) -> str:
    """Why it waits, with the words of the turn; empty where the line names none."""
    field = _denied(line)
    if field is None:
        return ""
    episode, _, block = sources_of(field.value)[0].partition("#^")
    address = context.lookup.resolve(episode)
    text = readable(context.text(address.path)) if address and block else ""
    turn = next((line for line in map(read_line, text.split("\n")) if line.block == block), None)
    quote = turn.body.lstrip("-*> ") if turn and block else ""
    return f"{_REASONS[field.key]} in {episode}" + (f": {quote}" if quote else "")


def is_unwanted(check: DueCheck) -> bool:
    """True for what a person wants to be forgotten."""
    field = _denied(check.text)
    return field is not None and field.key == "unwanted"


def stay(context: WriteContext, check: DueCheck) -> list[Edit | Move]:
    """The edit after which what was to be forgotten stands as before."""
    file, fact = context.semantic(check.path), check.fact
    assert fact is not None  # noqa: S101 - only a line can be unwanted
    gone = {"verify_by": "", "unwanted": ""}
    change = text_change(lambda text: edits.with_inline(text, file, _id(file, text, fact), gone))
    return [Edit(check.path, change)]


def stands(context: WriteContext, check: DueCheck) -> bool:
    """True while its lines stand in the file as they were shown."""
    return check.text in readable(context.text(check.path))


def confirm_text(context: WriteContext, check: DueCheck, text: str) -> str:
    """The text of its file after a yes: it says that it still holds today, or what was to be forgotten is gone."""
    file, fact = context.semantic(check.path), check.fact
    if fact is not None and is_unwanted(check):
        return edits.remove_fact(text, file, _id(file, text, fact))
    if file.is_note:
        return edits.set_field(text, check.path, "verified", context.today)
    if fact is None:
        return edits.set_property(text, "verified", context.today)
    return edits.with_inline(
        text, file, _id(file, text, fact), {"verified": context.today, **dict.fromkeys(_REASONS, "")}
    )


def confirm(context: WriteContext, check: DueCheck) -> list[Edit | Move]:
    """The edit that says that it still holds today."""
    return [Edit(check.path, text_change(lambda text: confirm_text(context, check, text)))]


def end(context: WriteContext, check: DueCheck) -> list[Edit | Move]:
    """The edit after which it no longer holds: a fact goes to History, a note to the archive."""
    file, fact = context.semantic(check.path), check.fact
    if fact is None:
        target = files.free_path(context.root, f"archive/{check.path}")
        return [Move(check.path, target)]
    if file.is_note:
        raise InputError(
            f"{check.id} is a field of a note, which has no History; change {check.path} by hand"
        )
    change = text_change(lambda text: edits.end_fact(text, file, _id(file, text, fact), context.today))
    return [Edit(check.path, change)]


def correct(context: WriteContext, check: DueCheck, value: str) -> list[Edit | Move]:
    """The edit that says what holds instead; the old value of a field goes to History.

    Raises:
        InputError: it is a note, which a person edits as it is.
    """
    file, fact = context.semantic(check.path), check.fact
    if fact is None:
        raise InputError(f"{check.id} is a note; edit {check.path} itself")
    schema = context.schema()
    if wrong := schema.misfit(fact.field, value):
        raise InputError(f"{wrong}; nothing was written")
    declared = schema.fields.get(edits.name_key(fact.field))
    alone = not (fact.is_statement or file.is_note or (declared and declared.many))

    def change(text: str) -> str:
        id_ = _id(file, text, fact)
        if alone:
            return edits.set_fact(
                text, file, entity=fact.entity, field=fact.field, value=value, since=context.today
            ).text
        text = edits.correct_fact(text, file, id_, value).text
        id_now = next((f.id for f in file.facts(text).facts if f.current and f.line == fact.line), id_)
        return text if file.is_note else edits.with_inline(text, file, id_now, {"verified": context.today})

    return [Edit(check.path, text_change(change))]


def _id(file: edits.SemanticFile, text: str, fact: Fact) -> str:
    """The id of the fact in a text of its file, where it may have another one; of the same value the first."""
    alike = file.current(text, fact.entity, fact.field)
    return next((candidate.id for candidate in alike if candidate.value == fact.value), fact.id)
