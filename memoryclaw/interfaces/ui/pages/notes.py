"""Notes and conversations: searched or browsed; one note with its links, history and use; its text, edited, shown as a difference, and saved as one commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryclaw.app import App
from memoryclaw.errors import ConflictError, InputError, MemoryClawError, NotFoundError
from memoryclaw.interfaces.ui.answers import Answer, Moved, PageRequest, Shown, address, page
from memoryclaw.interfaces.ui.pages.recall import marks, place_of
from memoryclaw.model import NOTE_KINDS, NOTE_STATES, Match
from memoryclaw.recall.browsing import Links, NoteEntry, ShownUnit
from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import split

PAGE, FOUND, MOST = 50, 20, 1000  # notes of a list, matches of a search at first, and at most
_TURNS = 300  # of a conversation on a page
_CHANGES = 8  # of a note's history
_SEARCHED = {"semantic": "fact", "log": "turn"}  # what a search calls the units of these notes


@page("GET /notes", "notes")
def notes(
    app: App, _asked: PageRequest, q: str = "", kind: str = "", state: str = "current", limit: int = 0
) -> Answer:
    """A search, or so many of a kind and state."""
    trouble, status, fields = "", 200, {"q": q, "kind": kind, "state": state, "limit": limit}
    step = FOUND if q.strip() else PAGE
    limit = min(max(limit or step, 1), MOST)
    values: dict[str, Any] = {
        "title": "Notes", "given": fields, "kinds": NOTE_KINDS, "states": NOTE_STATES,
        "lines": [], "answer": None, "more": 0,
    }  # fmt: skip
    try:
        if q.strip():
            answer = app.search(q, kind=_SEARCHED.get(kind, kind), limit=limit + 1)
            lines = [_match_row(match) for match in answer.matches]
            values |= {"answer": answer, "state": {"degraded": answer.degraded, "behind": answer.behind}}
        else:
            lines = [_listed(entry) for entry in app.browse(kind=kind, state=state, limit=limit + 1)]
        values |= {"lines": lines[:limit], "more": min(limit + step, MOST) if len(lines) > limit else 0}
    except InputError as error:
        trouble, status = str(error), 400
    return Shown("notes.html", {**values, "trouble": trouble}, status)


def _listed(entry: NoteEntry) -> dict[str, Any]:
    """A note in the list."""
    to = _log_page(entry.path) if entry.kind == "log" else address("note", entry.id)
    about = {"to": to, "title": entry.title or entry.id, "day": entry.at, "place": entry.path}
    return {**entry._asdict(), **about, "pieces": (), "trust": "trusted"}


def _match_row(match: Match) -> dict[str, Any]:
    """A match in the list."""
    unit, (to, title) = match.unit, place_of(match)
    about = {"to": to, "title": title, "day": unit.when, "place": f"{match.path}:{unit.line}"}
    pieces = marks(match.snippet, match.highlights)
    own = {"kind": unit.kind, "tags": unit.tags.split(), "trust": unit.trust}
    return {**about, **own, "pieces": pieces, "hot": False}


def _log_page(path: str) -> str:
    """The page of the conversation that is in a log."""
    return address("log", path.rpartition("/")[2].rpartition(".")[0])


# One note.


@page("GET /note/{id}", "notes")
def note(app: App, asked: PageRequest, saved: str = "", over: str = "") -> Answer:
    """The note, or the way to what an id of a fact, a turn or a log names.

    If it was just `saved`, over that version, what the tab kept of the text is forgotten.
    """
    try:
        unit = app.show(asked.name)
    except NotFoundError as error:
        return _gone(app, asked.name, str(error))
    place = unit.address
    if place.kind == "turn":
        session = place.id.removeprefix("log:").rpartition("/")[0]
        return Moved(f"{address('log', session)}#t{place.line}")
    if place.kind == "log" or place.path.startswith("logs/"):
        return Moved(_log_page(place.path))
    if place.kind in ("fact", "entity") and place.entity:
        return Moved(address("entity", place.entity))
    if place.id != place.note:
        return Moved(address("note", place.note))
    return Shown("note.html", {**_page_of(app, unit), "saved": saved, "over": over})


def _gone(app: App, id_: str, why: str) -> Answer:
    """What happened to a note that is not there any more."""
    try:
        events = app.history(id_, limit=_CHANGES)
    except (NotFoundError, InputError):
        entities = app.entities(id_.rpartition("/")[2])
        if len(entities) == 1:
            return Moved(address("entity", entities[0].name))
        events = None
    values = {"title": "Gone" if events else "There is no such note", "id": id_, "why": why, "events": events}
    return Shown("gone.html", values, 404)


def _page_of(app: App, shown: ShownUnit) -> dict[str, Any]:
    place, text = shown.address, readable(shown.text)
    halves = split(text) if place.path.endswith(".md") else None
    links = app.links(place.id)
    ids = {path: id_ for path, (id_, _) in app.catalog.notes(end.source for end in links.back).items()}
    names = app.titles({*(end.to.partition("#")[0] for end in links.out), *ids.values(), place.id})
    uses = app.uses(place.id)
    try:
        events, changes = app.history(place.id, limit=_CHANGES), ""
    except MemoryClawError as error:
        events, changes = None, str(error)
    meta = dict(halves.meta) if halves else {}
    return {
        "title": (names.get(place.id, "") or str(meta.get("title") or place.path.rpartition("/")[2])),
        "at": place,
        "digest": shown.digest,
        "meta": [
            (str(key), ", ".join(map(str, value)) if isinstance(value, list) else str(value))
            for key, value in meta.items()
            if value not in (None, "", [])
        ],
        "body": halves.body if halves else "",
        "code": "" if halves else text,
        "day": str(meta.get("timestamp", ""))[:10],
        "pinned": str(meta.get("pin", "")).casefold() == "true",
        "trust": app.trust_of([place.path]).get(place.path, "trusted"),
        "links": _links(links, names, ids),
        "hot": app.inspect(place.id).strength.is_hot,
        "uses": uses,
        "last_use": str(uses[-1].get("ts", "")) if uses else "",
        "last_session": str(uses[-1].get("session", "")) if uses else "",
        "events": events,
        "no_history": changes,
        "can_edit": place.path.endswith(".md"),
    }


def _links(
    links: Links, names: Mapping[str, str], ids: Mapping[str, str]
) -> dict[str, list[tuple[str, str]]]:
    """Where links lead, and what leads here, once each: (address, name)."""
    out, back = dict[str, str](), dict[str, str]()
    for end in links.out:
        note, _, entity = end.to.partition("#")
        to = address("entity", entity) if entity and end.to.startswith("semantic/") else address("note", note)
        out.setdefault(to if end.to else "", end.label or entity or names.get(note) or end.target)
    for end in links.back:
        note = ids.get(end.source, end.source.removesuffix(".md"))
        back.setdefault(address("note", note), names.get(note) or note)
    missing = sorted({end.target for end in links.out if not end.to})
    out.pop("", None)
    return {"out": list(out.items()), "back": list(back.items()), "missing": [("", name) for name in missing]}


def _as_shown(app: App, id_: str, digest: str) -> ShownUnit:
    unit = app.show(id_)
    if unit.digest != digest:
        sentence = f"{unit.address.path} has changed since it was shown"
        raise ConflictError(f"{sentence}; nothing was done, please look again")
    return unit


@page("POST /note/{id}/pin", "notes", pinned=True)
@page("POST /note/{id}/unpin", "notes", pinned=False)
def pin(app: App, asked: PageRequest, digest: str, *, pinned: bool) -> Answer:
    """Pins a note, or takes the pin out."""
    id_ = _as_shown(app, asked.name, digest).address.id
    written = app.edit(id_, {"pin": str(pinned).lower()})
    sentence = "Pinned: it comes first, and a recall prefers it." if pinned else "No longer pinned."
    return Moved(address("note", id_), said=f"{sentence} {written.notice}".strip(), undo=written.commit)


@page("POST /note/{id}/forget", "notes")
def forget(app: App, asked: PageRequest, digest: str) -> Answer:
    """Moves a note to the archive."""
    written = app.forget(_as_shown(app, asked.name, digest).address.id)
    sentence = f"Forgotten: it is in the archive, and in no answer. {written.notice}".strip()
    return Moved(address("notes"), said=sentence, undo=written.commit)


# Its text.


@page("GET /note/{id}/edit", "notes")
def edit(app: App, asked: PageRequest) -> Answer:
    """The text of a note."""
    unit = app.show(asked.name)
    place = unit.address
    if place.id != place.note:
        return Moved(address("note", place.note, "edit"))
    if not place.path.endswith(".md"):
        raise InputError(f"{place.path} is not Markdown; open the file itself")
    return again(app, asked._replace(name=place.note), unit.text, unit.digest)


@page("POST /note/{id}/edit", "notes")
def again(
    app: App, asked: PageRequest, text: str, digest: str, *, trouble: str = "", status: int = 200
) -> Answer:
    """Back from the preview, with what was typed, and the digest of the file that it was written for."""
    id_ = asked.name
    unit = app.show(id_)
    conflict = unit.digest != digest
    values = {
        "title": "Edit",
        "id": id_,
        "path": unit.address.path,
        "text": readable(text),
        "now": readable(unit.text),
        "digest": unit.digest if trouble and conflict else digest,
        "conflict": conflict and bool(trouble),
        "trouble": trouble,
        "name": app.titles([id_]).get(id_, id_) or id_,
    }
    return Shown("edit.html", values, status)


@page("POST /note/{id}/preview", "notes", dry_run=True)
@page("POST /note/{id}/save", "notes", dry_run=False)
def write(app: App, asked: PageRequest, text: str, digest: str, *, dry_run: bool) -> Answer:
    """One commit; before it, what the text changes, and what reading it finds wrong."""
    text = readable(text)
    try:
        rewrite = app.rewrite(asked.name, text, digest=digest, dry_run=dry_run)
    except (ConflictError, InputError) as error:
        status = 409 if isinstance(error, ConflictError) else 400
        return again(app, asked, text, digest, trouble=str(error), status=status)
    if rewrite.written is not None:
        written = rewrite.written
        sentence = "Saved." if written.commit else "Nothing was changed."
        notice = "; ".join(dict.fromkeys(filter(None, (written.notice, rewrite.notice))))
        to = address("note", rewrite.path.removesuffix(".md"), saved=asked.name, over=digest[:12])
        return Moved(to, said=f"{sentence} {notice}".strip(), undo=written.commit)
    values = {"title": "Preview", "id": asked.name, "found": rewrite, "text": text, "digest": digest}
    return Shown("preview.html", values)


# A conversation.


@page("GET /log/{session}", "notes")
def conversation(app: App, asked: PageRequest, after: int = 0) -> Answer:
    """Every turn after so many, with what became of it."""
    first = max(after, 0)
    talk = app.conversation(asked.name)
    episodes = {outcome.id for turn in talk.turns for outcome in turn.made if outcome.kind == "episode"}
    paths = [turn.path for turn in talk.turns[first : first + _TURNS]]
    values = {
        "title": asked.name,
        "found": talk,
        "turns": talk.turns[first : first + _TURNS],
        "anchors": ["t" if path == talk.paths[0] else f"d{talk.paths.index(path)}-t" for path in paths],
        "first": first,
        "next": first + _TURNS if len(talk.turns) > first + _TURNS else 0,
        "back": max(first - _TURNS, 0),
        "unread": sum(not turn.run for turn in talk.turns),
        "names": app.titles(episodes),
        "MOST": _TURNS,
    }
    return Shown("conversation.html", values)
