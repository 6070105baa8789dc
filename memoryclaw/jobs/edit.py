"""edit: changes properties of a note's header, or the value of a fact, in place. One commit, no other line touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memoryclaw.core.edits import Value, set_property
from memoryclaw.core.errors import InputError
from memoryclaw.core.factedits import FactEdit, SemanticFile, correct_fact, set_fact
from memoryclaw.core.facts import VALUE
from memoryclaw.core.ports import Address
from memoryclaw.core.redaction import MARK
from memoryclaw.core.yamltext import load
from memoryclaw.jobs.pen import Pen, Written, must_be_a_note
from memoryclaw.jobs.writer import Edit, text_change, write

_LISTS = frozenset({"tags", "aliases", "participants", "people", "entities"})


def edit(pen: Pen, id_: str, fields: Mapping[str, Value]) -> Written:
    """Sets properties of the note with this id; for a fact or an entity, sets values of facts.

    Args:
        pen: the vault and the moment.
        id_: a note, a fact (`note#entity.field`), or an entity (`note#entity`).
        fields: what to set; tags and other lists may be given as words with commas.
    """
    if not fields:
        raise InputError("say what to change, like `--set tags=work,email`")
    address = pen.find(id_)
    if address.kind == "fact":
        return _edit_fact(pen, address, fields)
    if address.kind == "section" and pen.semantic(address.path).facts(pen.text(address.path)).facts:
        return _edit_entity(pen, address, fields)
    must_be_a_note(address, "edited")
    if not address.path.endswith(".md"):
        raise InputError(f"{address.path} has no header to edit; open the file itself")
    return _write(pen, address, fields, lambda text: _with_properties(text, fields), "edited")


def _with_properties(text: str, fields: Mapping[str, Value]) -> str:
    for key, value in fields.items():
        text = set_property(text, key, _listed(key, value))
    return text


def _listed(key: str, value: Value) -> Value:
    if isinstance(value, str) and value.strip().startswith("[") and not MARK.match(value.strip()):
        items = load(value.strip()).value
        if isinstance(items, list):
            return [str(item) for item in items if item is not None]
    if key in _LISTS and isinstance(value, str):
        return [part.strip().lstrip("#") for part in value.split(",") if part.strip()]
    return value


def _edit_fact(pen: Pen, address: Address, fields: Mapping[str, Value]) -> Written:
    names = [name for name in fields if name.casefold() not in {VALUE, address.field.casefold()}]
    if names or len(fields) > 1:
        raise InputError(f"{address.id} is one fact; set its value with `--set value=…`")
    value = _text(next(iter(fields.values())))
    file = pen.semantic(address.path)
    return _write(
        pen, address, fields, lambda text: correct_fact(text, file, address.id, value).text, "corrected"
    )


def _edit_entity(pen: Pen, address: Address, fields: Mapping[str, Value]) -> Written:
    file, entity = pen.semantic(address.path), address.entity or address.id.rpartition("#")[2]

    def change(text: str) -> str:
        for field, value in fields.items():
            text = _corrected(
                text, file, entity=entity, field=field, value=_text(value), since=pen.today
            ).text
        return text

    return _write(pen, address, fields, change, "corrected")


def _corrected(text: str, file: SemanticFile, *, entity: str, field: str, value: str, since: str) -> FactEdit:
    for fact in file.facts(text).facts:
        if (
            fact.current
            and fact.entity.casefold() == entity.casefold()
            and fact.field.casefold() == field.casefold()
        ):
            return correct_fact(text, file, fact.id, value)
    return set_fact(text, file, entity=entity, field=field, value=value, since=since)


def _write(
    pen: Pen, address: Address, fields: Mapping[str, Value], change: Callable[[str], str], action: str
) -> Written:
    run, told = pen.run("edit"), ", ".join(f"{key} = {_text(value)}" for key, value in fields.items())

    def message() -> str:
        return pen.templates.commit_message("edit", run=run, name=address.id, fields=told, path=address.path)

    edits = [Edit(address.path, text_change(change), overwrites=True)]
    outcome = write(pen.root, edits, message, verb="edit", now=pen.now)
    action = action if outcome.changed else "confirmed"
    notice = outcome.notice or ("" if outcome.changed else "it says so already")
    return Written(address.id, address.path, outcome.commit, action, notice)


def _text(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
