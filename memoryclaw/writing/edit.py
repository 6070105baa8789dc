"""edit: changes properties of a note's header, or the value of a fact, in place. One commit, no other line touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.model import TRUSTS
from memoryclaw.ports import Address
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.merging import hunks
from memoryclaw.text.redaction import MARK
from memoryclaw.text.yaml_text import load
from memoryclaw.vault import files
from memoryclaw.vault.edits import (
    FactEdit,
    SemanticFile,
    Value,
    correct_fact,
    remove_fact,
    set_fact,
    set_property,
    with_trust,
)
from memoryclaw.vault.facts import VALUE
from memoryclaw.vault.layout import episode_name, free_name, slug, timestamp
from memoryclaw.writing.context import WriteContext, Written, must_be_a_note
from memoryclaw.writing.writer import Edit, Move, text_change, write

_LISTS = frozenset({"tags", "aliases", "participants", "people", "entities"})


def edit(context: WriteContext, id_: str, fields: Mapping[str, Value]) -> Written:
    """Sets properties of the note with this id; for a fact or an entity, sets values of facts.

    Args:
        context: the vault and the moment.
        id_: a note, a fact (`note#entity.field`), or an entity (`note#entity`).
        fields: what to set; tags and other lists may be given as words with commas.
    """
    if not fields:
        raise InputError("say what to change, like `--set tags=work,email`")
    address = context.find(id_)
    if address.kind == "fact":
        return _edit_fact(context, address, fields)
    if address.kind == "section" and context.semantic(address.path).facts(context.text(address.path)).facts:
        return _edit_entity(context, address, fields)
    must_be_a_note(address, "edited")
    if not address.path.endswith(".md"):
        raise InputError(f"{address.path} has no header to edit; open the file itself")
    return _write(context, address, fields, lambda text: _with_properties(text, fields), "edited")


def set_trust(context: WriteContext, id_: str, trust: str) -> Written:
    """Says of a note, a fact or a statement that a person trusts it (`trusted`), or that nobody shall read it (`quarantined`)."""
    address = context.find(id_)
    if address.kind in {"turn", "log"}:
        raise InputError(
            f"{id_} is part of a log, which is a record; keep what is right of it with `memoryclaw remember`"
        )
    if address.kind == "fact":
        file = context.semantic(address.path)
        said = split(readable(context.text(address.path))).meta.get("trust", trust)
        if trust == TRUSTS[0] and said != trust:
            raise InputError(
                f"{address.path} itself is {said}; `memoryclaw trust {address.note}` trusts all of it"
            )
        return _write(
            context,
            address,
            {"trust": trust},
            lambda text: with_trust(text, file, address.id, trust),
            "edited",
        )
    return edit(context, id_, {"trust": trust})


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


def _edit_fact(context: WriteContext, address: Address, fields: Mapping[str, Value]) -> Written:
    names = [name for name in fields if name.casefold() not in {VALUE, address.field.casefold()}]
    if names or len(fields) > 1:
        raise InputError(f"{address.id} is one fact; set its value with `--set value=…`")
    value = _text(next(iter(fields.values())))
    file, ids = context.semantic(address.path), [address.id]

    def change(text: str) -> str:
        done = correct_fact(text, file, address.id, value).text
        ids.extend(fact.id for fact in file.facts(done).facts if fact.line == address.line)
        return done

    # A statement goes by its words, so that it has another id now.
    return _write(context, address, fields, change, "corrected")._replace(id=ids[0 if address.field else -1])


def _edit_entity(context: WriteContext, address: Address, fields: Mapping[str, Value]) -> Written:
    file, entity = context.semantic(address.path), address.entity or address.id.rpartition("#")[2]

    def change(text: str) -> str:
        for field, value in fields.items():
            text = _corrected(
                text, file, entity=entity, field=field, value=_text(value), since=context.today
            ).text
        return text

    return _write(context, address, fields, change, "corrected")


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
    context: WriteContext,
    address: Address,
    fields: Mapping[str, Value],
    change: Callable[[str], str],
    action: str,
) -> Written:
    run, summary = context.run("edit"), ", ".join(f"{key} = {_text(value)}" for key, value in fields.items())

    def message() -> str:
        return context.templates.commit_message(
            "edit", run=run, name=address.id, fields=summary, path=address.path
        )

    edits = [Edit(address.path, text_change(change), overwrites=True)]
    outcome = write(context.root, edits, message, verb="edit", now=context.now)
    action = action if outcome.changed else "confirmed"
    notice = outcome.notice or ("" if outcome.changed else "it says so already")
    return Written(address.id, address.path, outcome.commit, action, notice)


def _text(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


# forget and revive: a note moves to the archive and back; a fact's line is kept there word for word. Nothing is
# deleted.

_ARCHIVE = "archive/"


def forget(context: WriteContext, id_: str) -> Written:
    """Takes a note or a fact out of what is recalled and searched; `revive` brings it back as it was."""
    address = context.find(id_)
    if address.path.startswith(_ARCHIVE):
        raise InputError(f"{id_} is in the archive already; `memoryclaw revive {id_}` brings it back")
    if address.kind == "fact":
        return _forget_fact(context, address)
    must_be_a_note(address, "forgotten")
    return _forget_note(context, address)


def revive(context: WriteContext, id_: str) -> Written:
    """Brings back what was forgotten: a note to its old path, a fact to its old line."""
    address = context.lookup.resolve(id_)
    if address is None or not address.path.startswith(_ARCHIVE):
        address = context.lookup.resolve(_ARCHIVE + id_) or address
    if address is None:
        raise NotFoundError(
            f"nothing in the archive has the id {id_}; `memoryclaw browse` shows what is there"
        )
    if not address.path.startswith(_ARCHIVE):
        raise InputError(f"{id_} is not forgotten: it is in {address.path}")
    removal = Removal.read(context.text(address.path))
    if removal is not None:
        return _revive_fact(context, address, removal)
    target = address.path.removeprefix(_ARCHIVE)
    return _move(
        context,
        address,
        [Move(path, path.removeprefix(_ARCHIVE)) for path in _files(context, address)],
        target,
        "revive",
    )


def _forget_note(context: WriteContext, address: Address) -> Written:
    paths = _files(context, address)
    target = _ARCHIVE + address.path
    if len(paths) == 1:
        target = free_name(target, lambda path: files.exists(context.root, path))
        return _move(context, address, [Move(address.path, target)], target, "forget")
    return _move(context, address, [Move(path, _ARCHIVE + path) for path in paths], target, "forget")


def _files(context: WriteContext, address: Address) -> list[str]:
    """The files of a note: one, or for a skill all that is in its folder."""
    folder, _, name = address.path.rpartition("/")
    return files.list_files(context.root, folder) if name == "SKILL.md" else [address.path]


def _move(context: WriteContext, address: Address, moves: list[Move], target: str, verb: str) -> Written:
    run, id_ = (
        context.run(verb),
        address.id if address.id != _path_id(address) else target.removesuffix(".md"),
    )

    def message() -> str:
        return context.templates.commit_message(verb, run=run, name=address.id, path=target, id=id_)

    outcome = write(context.root, moves, message, verb=verb, now=context.now)
    return Written(
        id_, target, outcome.commit, "forgotten" if verb == "forget" else "revived", outcome.notice
    )


def _path_id(address: Address) -> str:
    return address.path.removesuffix(".md")


def _forget_fact(context: WriteContext, address: Address) -> Written:
    run, file = context.run("forget"), context.semantic(address.path)
    before = context.text(address.path)
    removal = removal_of(before, remove_fact(before, file, address.id), address.id, address.path)
    name = f"archive/facts/{episode_name(context.now, slug(f'{address.entity} {address.field}'))}"
    name = free_name(name, lambda path: files.exists(context.root, path))
    id_ = f"forgotten-{name.rpartition('/')[2].removesuffix('.md')}"
    quote = "".join(f"    {line}\n" for line in removal.removed.splitlines()).rstrip("\n")
    values = removal._asdict() | {"above": removal.above, "line": str(removal.line)}
    note = context.templates.render(
        "notes/archived-fact.md.j2", id=id_, timestamp=timestamp(context.now), quote=quote, **values
    )

    def message() -> str:
        return context.templates.commit_message("forget", run=run, name=address.id, path=name, id=id_)

    edits = [
        Edit(address.path, text_change(lambda text: remove_fact(text, file, address.id))),
        Edit(name, text_change(lambda _: note)),
    ]
    outcome = write(context.root, edits, message, verb="forget", now=context.now)
    notice = "; ".join(filter(None, (f"`memoryclaw revive {id_}` brings it back", outcome.notice)))
    return Written(id_, name, outcome.commit, "forgotten", notice)


def _revive_fact(context: WriteContext, address: Address, removal: Removal) -> Written:
    run = context.run("revive")

    def message() -> str:
        return context.templates.commit_message("revive", run=run, name=removal.fact, path=removal.origin)

    edits = [
        Edit(removal.origin, text_change(lambda text: put_back(text, removal))),
        Edit(address.path, lambda _: None),
    ]
    outcome = write(context.root, edits, message, verb="revive", now=context.now)
    return Written(removal.fact, removal.origin, outcome.commit, "revived", outcome.notice)


# Lines taken out of a file, described so that they can be put back byte for byte where they were.

_CONTEXT = 3


class Removal(NamedTuple):
    """One fact's removal: at `line` of `origin`, below `above`, the text `left` stands where `removed` stood."""

    fact: str
    origin: str
    line: int
    above: str
    removed: str
    left: str

    @classmethod
    def read(cls, note: str) -> Removal | None:
        """The removal that an archive note describes, or None for any other note."""
        meta = split(readable(note)).meta
        parts = [meta.get(name) for name in cls._fields]
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) != len(parts) or not texts[2].isdigit():
            return None
        return cls(texts[0], texts[1], int(texts[2]), *texts[3:])


def removal_of(before: str, after: str, fact: str, origin: str) -> Removal:
    """What was taken out between two texts."""
    old = lines_of(before)
    changes = hunks(old, lines_of(after))
    start, end = changes[0].start, changes[-1].end
    left = "".join(lines_of(after)[start : len(lines_of(after)) - (len(old) - end)])
    return Removal(
        fact, origin, start + 1, "".join(old[max(0, start - _CONTEXT) : start]), "".join(old[start:end]), left
    )


def put_back(text: str, removal: Removal) -> str:
    """The text with the removed lines where they were, found by the lines above them; InputError when those are gone."""
    lines, left, above = lines_of(text), lines_of(removal.left), lines_of(removal.above)
    for depth in range(len(above), -1, -1):
        near = above[len(above) - depth :]
        places = [
            at
            for at in range(depth, len(lines) - len(left) + 1)
            if lines[at : at + len(left)] == left and lines[at - depth : at] == near
        ]
        if places and (depth or not above):
            at = min(places, key=lambda place: abs(place - removal.line + 1))
            return "".join(lines[:at]) + removal.removed + "".join(lines[at + len(left) :])
    raise InputError(
        f"the lines around {removal.fact} in {removal.origin} are gone; copy it from the archive by hand"
    )
