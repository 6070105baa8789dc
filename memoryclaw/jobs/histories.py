"""history: what was done to a vault, a note or a fact, newest first, in the words of its commits. Reads only."""

from __future__ import annotations

from typing import NamedTuple

from memoryclaw.adapters import gitlog
from memoryclaw.adapters.gitlog import Edition, Logged
from memoryclaw.adapters.history import History
from memoryclaw.core.errors import NotFoundError
from memoryclaw.core.facts import split_address
from memoryclaw.core.factsheet import SemanticFile, same
from memoryclaw.core.model import Fact
from memoryclaw.core.places import Place, place_of
from memoryclaw.core.ports import Address
from memoryclaw.core.textfile import decode
from memoryclaw.jobs.pen import Pen

__all__ = ["Events", "Logged", "Subject", "fact_named", "history"]

_ARCHIVE = "archive/"
SEMANTIC = Place("semantic")
_EVERY = 1_000_000


class Events(NamedTuple):
    """Commits, newest first; `notice` says why there are none."""

    commits: tuple[Logged, ...] = ()
    notice: str = ""


class Subject(NamedTuple):
    """What a history is of: files, and for a fact its entity and field."""

    paths: tuple[str, ...]
    entity: str = ""
    field: str = ""


def history(pen: Pen, id_: str = "", *, limit: int = 20) -> Events:
    """The newest commits, of the vault or of what has this id; of a fact only those that changed its line.

    Raises:
        NotFoundError: nothing in the vault or its past has this id.
    """
    git = History(pen.root)
    state = git.state()
    if not state.git_dir or not git.head():
        return Events(notice=state.sentence)
    if not id_:
        return Events(tuple(gitlog.log(git, limit=limit)))
    subject = _subject(pen, id_)
    rows = gitlog.log(git, subject.paths, limit=_EVERY if subject.entity else limit)
    if not rows and fact_named(pen, id_) is None and pen.lookup.resolve(id_) is None:
        raise NotFoundError(f"nothing in the vault or its past has the id {id_}")
    if subject.entity:
        file = pen.semantic(subject.paths[0])
        touched = {one.commit for one in gitlog.editions(git, file.path) if _touches(file, subject, one)}
        rows = [row for row in rows if row.commit in touched][:limit]
    return Events(tuple(rows), "" if rows else f"no commit holds {id_} yet")


def fact_named(pen: Pen, name: str) -> Address | None:
    """The fact with this id, or the current one with this entity and field: `Boathouse Aarhus.deadline`."""
    found = pen.lookup.resolve(name)
    if found is not None:
        return found if found.kind == "fact" else None
    told = None if "#" in name else split_address(name)
    if told is None:
        return None
    entity = pen.lookup.entity_name(told[0])
    for path in pen.lookup.entity_files(entity):
        for fact in pen.semantic(path).facts(pen.text(path)).facts if place_of(path) == SEMANTIC else ():
            if fact.current and same(fact.entity, entity) and same(fact.field, told[1]):
                return pen.lookup.resolve(fact.id)
    return None


def _subject(pen: Pen, id_: str) -> Subject:
    """The files behind an id, also behind one that is gone: in the archive, or under its old path."""
    found = fact_named(pen, id_) or pen.lookup.resolve(id_)
    if found is not None and found.kind == "fact":
        return Subject((found.path,), found.entity, found.field)
    if found is not None:
        return Subject((found.path, _elsewhere(found.path)))
    note, hash_, address = id_.partition("#")
    told = split_address(address.partition("~")[0]) if hash_ else None
    path = note if note.endswith(".md") else f"{note}.md"
    return Subject((path,), *told) if told else Subject((path, _elsewhere(path)))


def _elsewhere(path: str) -> str:
    return path.removeprefix(_ARCHIVE) if path.startswith(_ARCHIVE) else _ARCHIVE + path


def _touches(file: SemanticFile, subject: Subject, edition: Edition) -> bool:
    before, after = (_said(file, subject, data) for data in (edition.before, edition.after))
    return before != after


def _said(file: SemanticFile, subject: Subject, data: bytes | None) -> list[Fact]:
    """What a version of a file says of one field of one entity, wherever it stands."""
    facts = file.facts(decode(data or b"").text).facts
    return [
        fact._replace(line=0, id="")
        for fact in facts
        if same(fact.entity, subject.entity) and same(fact.field, subject.field)
    ]
