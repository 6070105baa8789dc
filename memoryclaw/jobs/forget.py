"""forget and revive: a note moves to the archive and back; a fact's line is kept there word for word. Nothing is deleted."""

from __future__ import annotations

from memoryclaw.adapters import files
from memoryclaw.core.errors import InputError, NotFoundError
from memoryclaw.core.factedits import remove_fact
from memoryclaw.core.naming import episode_name, free_name, slug, timestamp
from memoryclaw.core.ports import Address
from memoryclaw.core.removals import Removal, put_back, removal_of
from memoryclaw.jobs.pen import Pen, Written, must_be_a_note
from memoryclaw.jobs.writer import Edit, Move, text_change, write

_ARCHIVE = "archive/"


def forget(pen: Pen, id_: str) -> Written:
    """Takes a note or a fact out of what is recalled and searched; `revive` brings it back as it was."""
    address = pen.find(id_)
    if address.path.startswith(_ARCHIVE):
        raise InputError(f"{id_} is in the archive already; `memoryclaw revive {id_}` brings it back")
    if address.kind == "fact":
        return _forget_fact(pen, address)
    must_be_a_note(address, "forgotten")
    return _forget_note(pen, address)


def revive(pen: Pen, id_: str) -> Written:
    """Brings back what was forgotten: a note to its old path, a fact to its old line."""
    address = pen.lookup.resolve(id_)
    if address is None or not address.path.startswith(_ARCHIVE):
        address = pen.lookup.resolve(_ARCHIVE + id_) or address
    if address is None:
        raise NotFoundError(
            f"nothing in the archive has the id {id_}; `memoryclaw browse` shows what is there"
        )
    if not address.path.startswith(_ARCHIVE):
        raise InputError(f"{id_} is not forgotten: it is in {address.path}")
    removal = Removal.read(pen.text(address.path))
    if removal is not None:
        return _revive_fact(pen, address, removal)
    target = address.path.removeprefix(_ARCHIVE)
    return _move(
        pen,
        address,
        [Move(path, path.removeprefix(_ARCHIVE)) for path in _files(pen, address)],
        target,
        "revive",
    )


def _forget_note(pen: Pen, address: Address) -> Written:
    paths = _files(pen, address)
    target = _ARCHIVE + address.path
    if len(paths) == 1:
        target = free_name(target, lambda path: files.exists(pen.root, path))
        return _move(pen, address, [Move(address.path, target)], target, "forget")
    return _move(pen, address, [Move(path, _ARCHIVE + path) for path in paths], target, "forget")


def _files(pen: Pen, address: Address) -> list[str]:
    """The files of a note: one, or for a skill all that is in its folder."""
    folder, _, name = address.path.rpartition("/")
    return files.list_files(pen.root, folder) if name == "SKILL.md" else [address.path]


def _move(pen: Pen, address: Address, moves: list[Move], target: str, verb: str) -> Written:
    run, id_ = pen.run(verb), address.id if address.id != _path_id(address) else target.removesuffix(".md")

    def message() -> str:
        return pen.templates.commit_message(verb, run=run, name=address.id, path=target, id=id_)

    outcome = write(pen.root, moves, message, verb=verb, now=pen.now)
    return Written(
        id_, target, outcome.commit, "forgotten" if verb == "forget" else "revived", outcome.notice
    )


def _path_id(address: Address) -> str:
    return address.path.removesuffix(".md")


def _forget_fact(pen: Pen, address: Address) -> Written:
    run, file = pen.run("forget"), pen.semantic(address.path)
    before = pen.text(address.path)
    removal = removal_of(before, remove_fact(before, file, address.id), address.id, address.path)
    name = f"archive/facts/{episode_name(pen.now, slug(f'{address.entity} {address.field}'))}"
    name = free_name(name, lambda path: files.exists(pen.root, path))
    id_ = f"forgotten-{name.rpartition('/')[2].removesuffix('.md')}"
    quote = "".join(f"    {line}\n" for line in removal.removed.splitlines()).rstrip("\n")
    values = removal._asdict() | {"above": removal.above, "line": str(removal.line)}
    note = pen.templates.render(
        "notes/archived-fact.md.j2", id=id_, timestamp=timestamp(pen.now), quote=quote, **values
    )

    def message() -> str:
        return pen.templates.commit_message("forget", run=run, name=address.id, path=name, id=id_)

    edits = [
        Edit(address.path, text_change(lambda text: remove_fact(text, file, address.id))),
        Edit(name, text_change(lambda _: note)),
    ]
    outcome = write(pen.root, edits, message, verb="forget", now=pen.now)
    notice = "; ".join(filter(None, (f"`memoryclaw revive {id_}` brings it back", outcome.notice)))
    return Written(id_, name, outcome.commit, "forgotten", notice)


def _revive_fact(pen: Pen, address: Address, removal: Removal) -> Written:
    run = pen.run("revive")

    def message() -> str:
        return pen.templates.commit_message("revive", run=run, name=removal.fact, path=removal.origin)

    edits = [
        Edit(removal.origin, text_change(lambda text: put_back(text, removal))),
        Edit(address.path, lambda _: None),
    ]
    outcome = write(pen.root, edits, message, verb="revive", now=pen.now)
    return Written(removal.fact, removal.origin, outcome.commit, "revived", outcome.notice)
