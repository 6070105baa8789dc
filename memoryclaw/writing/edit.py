"""edit: changes properties of a note's header, or the value of a fact, in place. One commit, no other line touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from memoryclaw.errors import ConflictError, InputError, NotFoundError
from memoryclaw.late import NamedTuple
from memoryclaw.model import TRUSTS, VALUE, Problem
from memoryclaw.ports import Address
from memoryclaw.text.encoding import decode, encode, lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.merging import hunks, merge
from memoryclaw.text.redaction import MARK
from memoryclaw.text.yaml_text import load
from memoryclaw.vault import edits, files
from memoryclaw.vault.forgotten import FORGOTTEN, REVIVED
from memoryclaw.vault.layout import episode_name, slug, timestamp
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.properties import KEYS, header_values, read_properties
from memoryclaw.vault.todos import patch_line, todo_id, with_due, with_tick
from memoryclaw.vault.vocabulary import misfits
from memoryclaw.writing.context import WriteContext, Written, must_be_a_note
from memoryclaw.writing.decisions import Decision, decisions_of, record_edit
from memoryclaw.writing.provenance import ProvenanceFinder, is_log
from memoryclaw.writing.writer import Edit, Move, commit, new_file, text_change

LONGEST = 512 << 10  # bytes of a note that is rewritten
_LISTS = frozenset({"tags", "aliases", "participants", "people", "entities"})


def edit(context: WriteContext, id_: str, fields: Mapping[str, edits.Value]) -> Written:
    """Sets properties of the note with this id; for a fact or an entity, sets values of facts; ticks a to-do (`done`) or sets when it is `due`.

    Args:
        id_: a note, a fact (`note#entity.field`), or a to-do (`note#todo-…`, `note#^block`).
        fields: what to set; tags and other lists may be given as words with commas.
    """
    if not fields:
        raise InputError("say what to change, like `--set tags=work,email`")
    address = context.find(id_)
    if address.kind == "fact":
        return _edit_fact(context, address, fields)
    if address.kind == "todo":
        return _edit_todo(context, address, fields)
    if address.kind == "section" and context.semantic(address.path).facts(context.text(address.path)).facts:
        entity, field = address.entity or address.id.rpartition("#")[2], next(iter(fields))
        raise InputError(
            f"{id_} is an entity, and facts are edited one by one; `memoryclaw remember VALUE --entity {entity!r} --field {field!r}` sets one"
        )
    must_be_a_note(address, "edited")
    if not address.path.endswith(".md"):
        raise InputError(f"{address.path} has no header to edit; open the file itself")

    def change(text: str) -> str:
        for key, value in fields.items():
            listed = _as_list(key, value)
            if address.kind == "note":
                text = edits.set_field(text, address.path, key, listed)
            else:
                text = edits.set_property(text, key, listed)
        return text

    return _write(context, address, fields, context.check_patch(address.path, change), "edited")


class NoteRewrite(NamedTuple):
    """A text for a note: what it changes, what reading it finds wrong, and what was written, if it was."""

    id: str
    path: str
    digest: str  # of the file that it was written for
    before: str
    after: str
    problems: tuple[Problem, ...] = ()
    written: Written | None = None
    notice: str = ""


def original(context: WriteContext, id_: str) -> tuple[Address, bytes]:
    """The file of a note whose text may be written, and its bytes."""
    address = context.find(id_)
    must_be_a_note(address, "rewritten")
    if address.id != address.note or address.kind == "fact":
        raise InputError(f"{id_} is part of {address.path}; rewrite {address.note}")
    data = files.read_file(context.root, address.path).data
    file = decode(data)
    if not address.path.endswith(".md") or len(data) > LONGEST or file.text != writable(file.text):
        raise InputError(f"{address.path} cannot be rewritten here; open the file itself")
    return address, data


def rewrite(context: WriteContext, id_: str, text: str, *, digest: str, dry_run: bool = False) -> NoteRewrite:
    """Gives a note another text; one commit. Lines that stay keep their bytes, line ends too."""
    address, data = original(context, id_)
    if files.digest_of(data) != digest:
        raise ConflictError(f"{address.path} has changed since it was read; nothing was written")
    before = decode(data).text
    after = with_line_ends(before, writable(text))
    new = encode(decode(data)._replace(text=after))
    schema = context.schema()
    note = read_note(address.path, new, ReadingSettings(collections=schema.collections))
    problems = (*note.problems, *misfits(address.path, note.facts, schema))
    rewritten = NoteRewrite(address.id, address.path, digest, before, after, problems)
    if dry_run:
        return rewritten

    def change(text: str) -> str:
        # Of the file as it is, and of the last commit, which may lack what a person wrote and did not commit.
        merged = merge(before, text, after)
        if merged is None:
            raise ConflictError(
                f"{address.path} holds work on the same lines that git does not have; commit it, then save again"
            )
        return merged

    return rewritten._replace(written=_write(context, address, {"text": "rewritten"}, change, "edited"))


def writable(text: str) -> str:
    """The text but for what no editor gives back: NUL and halves of characters."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()


def with_line_ends(before: str, text: str) -> str:
    """The text with the line ends of the old one: lines that stay keep theirs, new ones get those of the first line."""
    end, old = edits.line_end(before), lines_of(before)
    new = lines_of(readable(text))
    plain = [readable(line) for line in old]
    lines, position = list[str](), 0
    for hunk in hunks(plain, new):
        lines += old[position : hunk.start]
        lines += [line.replace("\n", end) for line in hunk.lines]
        position = hunk.end
    return "".join([*lines, *old[position:]])


def set_trust(context: WriteContext, id_: str, trust: str) -> Written:
    """Says of a note, a fact or a statement that a person trusts it (`trusted`), or that nobody shall read it (`quarantined`)."""
    address = context.find(id_)
    if address.kind in {"turn", "log"}:
        raise InputError(
            f"{id_} is part of a log, which is a record; keep what is right of it with `memoryclaw remember`"
        )
    file = context.semantic(address.path)
    if address.kind == "todo" or (address.kind == "fact" and file.is_note):
        raise InputError(
            f"{id_} is a line of {address.path}; `memoryclaw trust {address.note}` says it of the whole note"
        )
    if address.kind == "fact":
        file_trust = split(readable(context.text(address.path))).meta.get("trust", trust)
        if trust == TRUSTS[0] and file_trust != trust:
            raise InputError(
                f"{address.path} itself is {file_trust}; `memoryclaw trust {address.note}` trusts all of it"
            )
        change = partial(edits.with_trust, file=file, id_=address.id, trust=trust)
        return _write(context, address, {"trust": trust}, change, "edited")
    return edit(context, id_, {"trust": trust})


_TICKS = {"true": True, "yes": True, "x": True, "1": True, "false": False, "no": False, "": False, "0": False}


def _edit_todo(context: WriteContext, address: Address, fields: Mapping[str, edits.Value]) -> Written:
    """Ticks a to-do, opens it again, or sets the day on which it is due: one line."""
    values = {key.casefold(): _text(value).strip() for key, value in fields.items()}
    if not values.keys() <= {"done", "due"}:
        raise InputError(f"{address.id} is a to-do; set `done=true`, `done=false` or `due=2026-04-30`")
    is_done = _TICKS.get(values.get("done", "true").casefold())
    if is_done is None:
        raise InputError(f"done: {values['done'][:40]!r} is neither true nor false")

    def line(written: str) -> str:
        if "due" in values:
            written = with_due(written, values["due"])
        return with_tick(written, done=is_done, today=context.today) if "done" in values else written

    def change(text: str) -> str:
        return "".join(patch_line(text, address.line, line, lambda todo: todo_id(address.note, todo) == base))

    base = address.id if "#^" in address.id else address.id.partition("~")[0]
    return _write(context, address, fields, change, "edited")


def _as_list(key: str, value: edits.Value) -> edits.Value:
    if isinstance(value, str) and value.strip().startswith("[") and not MARK.match(value.strip()):
        items = load(value.strip()).value
        if isinstance(items, list):
            return [str(item) for item in items if item is not None]
    if key in _LISTS and isinstance(value, str):
        return [tag.strip().lstrip("#") for tag in value.split(",") if tag.strip()]
    return value


def _edit_fact(context: WriteContext, address: Address, fields: Mapping[str, edits.Value]) -> Written:
    inline = header_values(
        {k: _text(v) for k, v in fields.items() if k in KEYS and k != address.field.casefold()}
    )
    values = [_text(value) for name, value in fields.items() if name not in inline]
    names = [name for name in fields if name.casefold() not in {VALUE, address.field.casefold(), *inline}]
    if names or len(values) > 1:
        keys = ", ".join(f"`--set {key}=…`" for key in KEYS)
        raise InputError(f"{address.id} is one fact; set its value with `--set value=…`, else {keys}")
    file, ids = context.semantic(address.path), [address.id]

    def change(text: str) -> str:
        edited = text
        for value in values:
            edited = edits.correct_fact(edited, file, address.id, value).text
            ids.extend(fact.id for fact in file.facts(edited).facts if fact.line == address.line)
        return edits.with_inline(edited, file, ids[0 if address.field else -1], inline) if inline else edited

    # A statement goes by its words, so that it has another id now.
    edited = _write(context, address, fields, context.check_patch(address.path, change), "corrected")
    return edited._replace(id=ids[0 if address.field else -1])


def _write(
    context: WriteContext,
    address: Address,
    fields: Mapping[str, edits.Value],
    change: Callable[[str], str],
    action: str,
) -> Written:
    changes = [Edit(address.path, text_change(change), overwrites=True)]
    summary = ", ".join(f"{key} = {_text(value)}" for key, value in fields.items())
    outcome = commit(
        context, changes, "edit", verb="edit", name=address.id, fields=summary, path=address.path
    )
    action = action if outcome.changed else "confirmed"
    notice = outcome.notice or ("" if outcome.changed else "it says so already")
    return Written(address.id, address.path, outcome.commit, action, notice)


def _text(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


# forget and revive: a note moves to the archive and back; a fact's line is kept there word for word. A turn stays in its log, and so do the
# lines that say what was forgotten: a decision names them, and whoever reads the files leaves them out. Nothing is deleted.

_ARCHIVE = "archive/"


def forget(context: WriteContext, id_: str) -> Written:
    """Takes a note or a fact out of what is recalled and searched; `forget --undo` brings it back as it was."""
    address = context.find(id_)
    if address.path.startswith(_ARCHIVE):
        raise InputError(f"{id_} is in the archive already; `memoryclaw forget --undo {id_}` brings it back")
    if is_log(address):
        provenance = ProvenanceFinder(context).of_turn(address)
        forgotten = decisions_of(context.root).forgotten
        fresh = [mark for mark in provenance.marks if mark not in forgotten]
        if not fresh:
            raise InputError(
                f"{address.id} is forgotten already; `memoryclaw forget --undo {address.id}` brings it back"
            )
        changes = _on_lines(context, FORGOTTEN, fresh)
        outcome = commit(context, changes, "forget-lines", verb="forget", name=address.id, back=False)
        stays = f"{' and '.join(provenance.stays)} rests on it and stays" if provenance.stays else ""
        back = f"`memoryclaw forget --undo {address.id}` brings it back"
        notice = "; ".join(filter(None, (back, stays, outcome.notice)))
        return Written(address.id, address.path, outcome.commit, "forgotten", notice)
    if address.kind == "fact":
        return _forget_fact(context, address)
    must_be_a_note(address, "forgotten")
    paths = _files(context, address)
    target = _ARCHIVE + address.path
    if len(paths) == 1:
        target = files.free_path(context.root, target)
        provenance = ProvenanceFinder(context).of_note(address)
        moves: list[Move | Edit] = [Move(address.path, target)]
        moves += _on_lines(context, FORGOTTEN, provenance.marks, target)
        written = _move(context, address, moves, target, "forget")
        stays = f"{' and '.join(provenance.stays)} stays: a fact rests on it" if provenance.stays else ""
        return written._replace(notice="; ".join(filter(None, (written.notice, stays))))
    return _move(context, address, [Move(path, _ARCHIVE + path) for path in paths], target, "forget")


def revive(context: WriteContext, id_: str) -> Written:
    """Brings back what was forgotten: a note to its old path, a fact to its old line."""
    address = context.lookup.resolve(id_)
    if address is None or not address.path.startswith(_ARCHIVE):
        address = context.lookup.resolve(_ARCHIVE + id_) or address
    if address is None:
        raise NotFoundError(
            f"nothing in the archive has the id {id_}; `memoryclaw browse` shows what is there"
        )
    if is_log(address) and not address.path.startswith(_ARCHIVE):
        forgotten = decisions_of(context.root).forgotten
        marks = [mark for mark in ProvenanceFinder(context).of_turn(address).marks if mark in forgotten]
        if not marks:
            raise InputError(f"{address.id} is not forgotten: it is in {address.path}")
        changes = _on_lines(context, REVIVED, marks)
        outcome = commit(context, changes, "forget-lines", verb="revive", name=address.id, back=True)
        return Written(address.id, address.path, outcome.commit, "revived", outcome.notice)
    if not address.path.startswith(_ARCHIVE):
        raise InputError(f"{id_} is not forgotten: it is in {address.path}")
    removal = FactRemoval.read(context.text(address.path))
    if removal is not None:
        changes = [
            Edit(removal.origin, text_change(lambda text: put_back(text, removal))),
            Edit(address.path, lambda _: None),
            *_lines_back(context, address.path),
        ]
        outcome = commit(context, changes, "revive", verb="revive", name=removal.fact, path=removal.origin)
        return Written(removal.fact, removal.origin, outcome.commit, "revived", outcome.notice)
    target = address.path.removeprefix(_ARCHIVE)
    note = split(readable(context.text(address.path)))
    last = read_properties(note.meta, note.lines).lifecycle.expires
    moves: list[Move | Edit] = [Move(path, path.removeprefix(_ARCHIVE)) for path in _files(context, address)]
    moves += _lines_back(context, address.path)
    written = _move(context, address, moves, target, "revive")
    if last and last < context.today:
        day = f"its last day was {last}, so no recall shows it until `memoryclaw edit {written.id} --set expires=…`"
        return written._replace(notice="; ".join(filter(None, (day, written.notice))))
    return written


def _on_lines(context: WriteContext, decision: str, marks: Sequence[str], path: str = "") -> list[Edit]:
    """The decision that these lines are left out, or are no longer; `path` is what they bear out."""
    decided = Decision(timestamp(context.now), decision, "lines", path=path, lines=tuple(marks))
    return [record_edit([decided])] if marks else []


def _lines_back(context: WriteContext, path: str) -> list[Edit]:
    """The decision that the lines which were forgotten with this archived note are not left out any more."""
    decisions = decisions_of(context.root)
    marks = [mark for d in decisions.all if d.decision == FORGOTTEN and d.path == path for mark in d.lines]
    standing = [mark for mark in dict.fromkeys(marks) if mark in decisions.forgotten]
    return _on_lines(context, REVIVED, standing, path)


def _files(context: WriteContext, address: Address) -> list[str]:
    """The files of a note: one, or for a skill all that is in its folder."""
    folder, _, name = address.path.rpartition("/")
    return files.list_files(context.root, folder) if name == "SKILL.md" else [address.path]


def _move(
    context: WriteContext, address: Address, moves: list[Move | Edit], target: str, verb: str
) -> Written:
    is_path = address.id == address.path.removesuffix(".md")
    id_ = target.removesuffix(".md") if is_path else address.id
    outcome = commit(context, moves, verb, verb=verb, name=address.id, path=target, id=id_)
    action = "forgotten" if verb == "forget" else "revived"
    return Written(id_, target, outcome.commit, action, outcome.notice)


def _forget_fact(context: WriteContext, address: Address) -> Written:
    file = context.semantic(address.path)
    before = context.text(address.path)
    removal = removal_of(before, edits.remove_fact(before, file, address.id), address.id, address.path)
    name = f"archive/facts/{episode_name(context.now, slug(f'{address.entity} {address.field}'))}"
    name = files.free_path(context.root, name)
    id_ = f"forgotten-{name.rpartition('/')[2].removesuffix('.md')}"
    quote = "".join(f"    {line}\n" for line in removal.removed.splitlines()).rstrip("\n")
    values = removal._asdict() | {"above": removal.above, "line": str(removal.line)}
    note = context.templates.render(
        "notes/archived-fact.md.j2", id=id_, timestamp=timestamp(context.now), quote=quote, **values
    )
    provenance = ProvenanceFinder(context).of_fact(address)
    changes = [
        Edit(address.path, text_change(lambda text: edits.remove_fact(text, file, address.id))),
        new_file(name, note),
        *_on_lines(context, FORGOTTEN, provenance.marks, name),
    ]
    outcome = commit(context, changes, "forget", verb="forget", name=address.id, path=name, id=id_)
    notice = "; ".join(filter(None, (f"`memoryclaw forget --undo {id_}` brings it back", outcome.notice)))
    return Written(id_, name, outcome.commit, "forgotten", notice)


# Lines taken out of a file, described so that they can be put back byte for byte where they were.

_CONTEXT = 3


class FactRemoval(NamedTuple):
    """One fact's removal: at `line` of `origin`, below `above`, the text `left` stands where `removed` stood."""

    fact: str
    origin: str
    line: int
    above: str
    removed: str
    left: str

    @classmethod
    def read(cls, note: str) -> FactRemoval | None:
        """The removal that an archive note describes, or None for any other note."""
        meta = split(readable(note)).meta
        values = [meta.get(name) for name in cls._fields]
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) != len(values) or not texts[2].isdigit():
            return None
        return cls(texts[0], texts[1], int(texts[2]), *texts[3:])


def removal_of(before: str, after: str, fact: str, origin: str) -> FactRemoval:
    """What was taken out between two texts."""
    old = lines_of(before)
    changes = hunks(old, lines_of(after))
    start, end = changes[0].start, changes[-1].end
    remaining = "".join(lines_of(after)[start : len(lines_of(after)) - (len(old) - end)])
    above, removed = "".join(old[max(0, start - _CONTEXT) : start]), "".join(old[start:end])
    return FactRemoval(fact, origin, start + 1, above, removed, remaining)


def put_back(text: str, removal: FactRemoval) -> str:
    """The text with the removed lines where they were, found by the lines above them; InputError when those are gone."""
    lines, remaining, above = lines_of(text), lines_of(removal.left), lines_of(removal.above)
    for depth in range(len(above), -1, -1):
        near = above[len(above) - depth :]
        places = [
            number
            for number in range(depth, len(lines) - len(remaining) + 1)
            if lines[number : number + len(remaining)] == remaining and lines[number - depth : number] == near
        ]
        if places and (depth or not above):
            number = min(places, key=lambda place: abs(place - removal.line + 1))
            return "".join(lines[:number]) + removal.removed + "".join(lines[number + len(remaining) :])
    raise InputError(
        f"the lines around {removal.fact} in {removal.origin} are gone; copy it from the archive by hand"
    )
