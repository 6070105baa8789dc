"""Entities: what facts are known of. One of them: its facts and their past, what happened, and its neighbours."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from memoryclaw.app import App
from memoryclaw.errors import ConflictError, InputError, MemoryClawError, NotFoundError
from memoryclaw.interfaces.ui.answers import Answer, Moved, PageRequest, Shown, address, page
from memoryclaw.late import NamedTuple
from memoryclaw.model import Fact, grouped
from memoryclaw.recall.browsing import EntityShown, Neighbour

LISTED = 400
PEOPLE = ("people", "contacts")  # the files of persons
_MENTIONED = 5000  # names that are looked for in a text
_DRAWN = 16  # neighbours in the picture; the list has all
_LONGEST = 17  # characters of a name in the picture
_WIDE, _HIGH = 620, 420
_TIME = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_")
_ACROSS, _DOWN = 120, 150


@page("GET /entities", "entities")
def entities(app: App, _asked: PageRequest, q: str = "", kind: str = "") -> Answer:
    """All of them, by kind; or those with these words in their name, or of one kind."""
    everything = app.entities()
    listed = app.entities(q, kind=kind) if q or kind else everything
    groups = grouped((entry.kind, entry) for entry in listed[:LISTED])
    values = {
        "title": "Entities",
        "given": {"q": q, "kind": kind},
        "groups": sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])),
        "kinds": sorted({entry.kind for entry in everything}),
        "total": len(everything),
        "found": len(listed),
        "LISTED": LISTED,
    }
    return Shown("entities.html", values)


def _told_in(source: str, titles: Mapping[str, str]) -> str:
    """A source as people say it: the title of its note where that is known, else the name of an episode without its time."""
    id_ = source.partition("#")[0]
    name = id_.rpartition("/")[2]
    return titles.get(id_) or (_TIME.sub("", name).replace("-", " ") if _TIME.match(name) else name)


def mentions(app: App, without: str = "") -> Callable[[str], list[tuple[str, str]]]:
    """Takes a text apart where it names an entity, or a person by a first name that only one has: (entity or "", text).

    A name in small letters alone is a word like any other, and so is none.
    """
    named = [entry for entry in app.entities() if entry.name != entry.name.lower()]
    first_names = grouped((entry.name.split()[0], entry.name) for entry in named if entry.kind in PEOPLE)
    names = {first: whole[0] for first, whole in first_names.items() if len(whole) == 1}
    names |= {entry.name: entry.name for entry in named}
    pattern = _any_of(tuple(sorted(names, key=len, reverse=True)[:_MENTIONED]))
    links = {text: name for text, name in names.items() if name != without}

    def parts(text: str) -> list[tuple[str, str]]:
        pieces = enumerate(pattern.split(text))
        return [(links.get(part, "") if at % 2 else "", part) for at, part in pieces if part]

    return parts


# The pages of a vault have the same names, and to compile them takes longer than all else of some.
@lru_cache(maxsize=8)
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, names)) or '(?!)'})(?!\w)")


class Field(NamedTuple):
    """One field of an entity: what holds now, and what held before."""

    name: str
    now: Sequence[tuple[str, Fact]]
    past: Sequence[tuple[str, Fact]]  # newest first


@page("GET /entity/{name}", "entities")
def entity(
    app: App, asked: PageRequest, origin: str = "", *, trouble: str = "", typed: str = "", status: int = 200
) -> Answer:
    """One of them, and the origin of a fact."""
    known_entity = app.entity(asked.name)
    titles = {note.id: note.title for note in known_entity.episodes}
    values: dict[str, Any] = {
        "title": known_entity.name,
        "one": known_entity,
        "fields": _fields(known_entity),
        "months": _months(known_entity),
        "dots": _dots(known_entity.neighbours[:_DRAWN]),
        "size": (_WIDE, _HIGH),
        "told_in": lambda source: _told_in(source, titles),
        "mentioned": mentions(app, known_entity.name),
        "waits": app.review.about(known_entity.name),
        "origin": None,
        "trouble": trouble,
        "typed": typed,
        "paths": sorted({path for path, _ in known_entity.facts}),
    }
    if origin:
        try:
            values["origin"] = app.blame(origin)
        except MemoryClawError as error:
            values["trouble"] = trouble or str(error)
    return Shown("entity.html", values, status)


def _fields(entity: EntityShown) -> list[Field]:
    """Facts by field, in the order of their file; a value that ceased to hold stands below the one that holds."""
    names: dict[str, tuple[list[tuple[str, Fact]], list[tuple[str, Fact]]]] = {}
    for path, fact in entity.facts:
        if not fact.is_statement:
            current, past = names.setdefault(fact.field, ([], []))
            (current if fact.current else past).append((path, fact))
    for _, past in names.values():
        past.sort(key=lambda pair: (pair[1].until, pair[1].since), reverse=True)
    return sorted((Field(name, *facts) for name, facts in names.items()), key=lambda field: not field.now)


def _months(shown: EntityShown) -> list[dict[str, Any]]:
    """What was said of it by month, the latest first; of one month what stands comes before what was replaced by what was said later."""
    months = grouped((fact.said[:7], (path, fact)) for path, fact in shown.facts if fact.is_statement)
    return [
        {
            "name": f"{date.fromisoformat(f'{month}-01'):%B %Y}" if month else "No day is known",
            "number": len(pairs),
            "statements": sorted(pairs, key=lambda pair: (pair[1].current, pair[1].said), reverse=True),
        }
        for month, pairs in sorted(months.items(), reverse=True)
    ]


def _dots(neighbours: Sequence[Neighbour]) -> list[dict[str, Any]]:
    """Where each neighbour stands: those of one kind side by side, on a ring around the middle."""
    ordered = sorted(neighbours, key=lambda beside: (beside.kind, beside.name))
    dots = []
    for number, neighbour in enumerate(ordered):
        angle = 2 * math.pi * (number + 0.5) / len(ordered) - math.pi / 2
        across, down = math.cos(angle), math.sin(angle)
        x, y = _WIDE / 2 + _ACROSS * across, _HIGH / 2 + _DOWN * down
        side = 0 if abs(across) < 0.2 else math.copysign(1, across)
        name = neighbour.name
        dots.append({
            "neighbour": neighbour,
            "name": name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…",
            "x": round(x, 1),
            "y": round(y, 1),
            "text_x": round(x + 12 * side, 1),
            "text_y": round(y + (4 if side else 20 * math.copysign(1, down) + 4), 1),
            "anchor": {0: "middle", 1: "start", -1: "end"}[int(side)],
        })  # fmt: skip
    return dots


@page("POST /entity/{name}/correct", "entities")
def correct(app: App, asked: PageRequest, id_: str, was: str, value: str) -> Answer:
    """Puts the value of a fact right that was shown."""
    try:
        _as_shown(app, asked.name, id_, was)
        if not value.strip():
            raise InputError("write the right value, or forget the fact")
        written = app.edit(id_, {"value": value})
    except NotFoundError:
        raise
    except MemoryClawError as error:
        status = 409 if isinstance(error, ConflictError) else 400
        return entity(app, asked, trouble=str(error), typed=value, status=status)
    sentence = f"Corrected: {was} is {value} now. {written.notice}" if written.commit else written.notice
    return Moved(address("entity", asked.name), said=sentence.strip(), undo=written.commit)


@page("POST /entity/{name}/forget", "entities")
def forget(app: App, asked: PageRequest, id_: str, was: str) -> Answer:
    """Takes a fact out of every answer, if it says what was shown."""
    try:
        _as_shown(app, asked.name, id_, was)
        written = app.forget(id_)
    except ConflictError as error:
        return entity(app, asked, trouble=str(error), status=409)
    try:
        app.entity(asked.name)
    except NotFoundError:
        return Moved(address("entities"), said=f"Forgotten: {was}", undo=written.commit)
    return Moved(address("entity", asked.name), said=f"Forgotten: {was}", undo=written.commit)


def _as_shown(app: App, name: str, id_: str, was: str) -> None:
    """Refuses where the fact says something else than what was shown."""
    value = next((fact.value for _, fact in app.entity(name).facts if fact.id == id_), None)
    if value != was:
        present = f"it says {value!r} now" if value is not None else "it is gone"
        raise ConflictError(f"this fact has changed since it was shown, {present}; nothing was changed")
