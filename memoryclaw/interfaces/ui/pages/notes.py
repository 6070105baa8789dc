"""Notes and conversations: searched or browsed; one note with its links, history and use; its text, edited, shown as a difference, and saved as one commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from memoryclaw.app import App
from memoryclaw.errors import ConflictError, InputError, MemoryClawError, NotFoundError
from memoryclaw.interfaces.ui.answers import Answer, Fields, Moved, Page, PageRequest, Shown, address
from memoryclaw.interfaces.ui.pages.recall import marks, place_of
from memoryclaw.model import NOTE_KINDS, NOTE_STATES, Match
from memoryclaw.recall.browsing import Links, ShownUnit
from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import split

PAGE, MOST = 50, 1000
_TURNS = 300  # of a conversation on a page
_CHANGES = 8  # of a note's history
_SEARCHED = {"semantic": "fact", "log": "turn"}  # what a search calls the units of these notes
_KIND_NAMES = {
    "episode": "episodes",
    "semantic": "facts",
    "skill": "skills",
    "note": "notes",
    "log": "conversations",
}


class NotesQuery(Fields):
    """Words, a kind, a state, and how many."""

    q: str = ""
    kind: str = ""
    state: str = "current"
    limit: int = PAGE


class NoteLine(NamedTuple):
    """One note or match in the list."""

    to: str
    title: str
    kind: str
    day: str
    tags: Sequence[str]
    place: str
    pieces: Sequence[tuple[bool, str]] = ()
    trust: str = "trusted"
    hot: bool = False


def notes(app: App, asked: PageRequest) -> Answer:
    """A search, or all of them."""
    query, trouble, status = asked.fields(NotesQuery), "", 200
    limit = min(max(query.limit, 1), MOST)
    values: dict[str, Any] = {
        "title": "Notes", "given": query, "kinds": [(kind, _KIND_NAMES[kind]) for kind in NOTE_KINDS], "states": NOTE_STATES,
        "lines": [], "answer": None, "more": 0,
    }  # fmt: skip
    try:
        if query.q.strip():
            answer = app.search(query.q, kind=_SEARCHED.get(query.kind, query.kind), limit=limit + 1)
            lines = [_found(match) for match in answer.matches]
            values |= {"answer": answer, "state": {"degraded": answer.degraded, "behind": answer.behind}}
        else:
            listed = app.browse(kind=query.kind, state=query.state, limit=limit + 1)
            lines = [
                NoteLine(
                    _to(entry.id, entry.kind, entry.path),
                    entry.title or entry.id,
                    entry.kind,
                    entry.at,
                    entry.tags,
                    entry.path,
                    hot=entry.hot,
                )
                for entry in listed
            ]
        values |= {"lines": lines[:limit], "more": min(limit + PAGE, MOST) if len(lines) > limit else 0}
    except InputError as error:
        trouble, status = str(error), 400
    return Shown("notes.html", {**values, "trouble": trouble}, status)


def _to(id_: str, kind: str, path: str) -> str:
    return (
        address("log", path.rpartition("/")[2].rpartition(".")[0]) if kind == "log" else address("note", id_)
    )


def _found(match: Match) -> NoteLine:
    unit = match.unit
    pieces = marks(match.snippet, match.highlights)
    return NoteLine(
        *place_of(match),
        unit.kind,
        unit.when,
        unit.tags.split(),
        f"{match.path}:{unit.line}",
        pieces,
        unit.trust,
    )


# One note.


class NoteQuery(Fields):
    """Whether it was just saved, and over which version; what the tab kept of the text is then forgotten."""

    saved: str = ""
    over: str = ""


def note(app: App, asked: PageRequest) -> Answer:
    """The note, or the way to what an id of a fact, a turn or a log names."""
    query = asked.fields(NoteQuery)
    try:
        shown = app.show(asked.name)
    except NotFoundError as error:
        return _gone(app, asked.name, str(error))
    at = shown.address
    if at.kind == "turn":
        session = at.id.removeprefix("log:").rpartition("/")[0]
        return Moved(f"{address('log', session)}#t{at.line}")
    if at.kind == "log" or at.path.startswith("logs/"):
        return Moved(address("log", at.path.rpartition("/")[2].rpartition(".")[0]))
    if at.kind in ("fact", "entity") and at.entity:
        return Moved(address("entity", at.entity))
    if at.id != at.note:
        return Moved(address("note", at.note))
    return Shown("note.html", _told(app, shown, query))


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


def _told(app: App, shown: ShownUnit, given: NoteQuery) -> dict[str, Any]:
    at, fresh = shown.address, app.freshness
    text = readable(shown.text)
    halves = split(text) if at.path.endswith(".md") else None
    links = app.links(at.id)
    ids = {path: id_ for path, (id_, _) in app.catalog.notes(end.source for end in links.back).items()}
    names = app.titles({*(end.to.partition("#")[0] for end in links.out), *ids.values(), at.id})
    uses = app.uses(at.id)
    try:
        events, changes = app.history(at.id, limit=_CHANGES), ""
    except MemoryClawError as error:
        events, changes = None, str(error)
    meta = dict(halves.meta) if halves else {}
    return {
        "title": (names.get(at.id, "") or str(meta.get("title") or at.path.rpartition("/")[2])),
        "at": at,
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
        "trust": app.trust_of([at.path]).get(at.path, "trusted"),
        "links": _links(links, names, ids),
        "hot": app.inspect(at.id).strength.is_hot,
        "uses": uses,
        "last_use": str(uses[-1].get("ts", "")) if uses else "",
        "last_session": str(uses[-1].get("session", "")) if uses else "",
        "events": events,
        "no_history": changes,
        "saved": given.saved,
        "over": given.over,
        "can_edit": at.path.endswith(".md"),
        "state": {"degraded": fresh.degraded, "behind": fresh.behind},
    }


def _links(
    found: Links, names: Mapping[str, str], ids: Mapping[str, str]
) -> dict[str, list[tuple[str, str]]]:
    """Where links lead, and what leads here, once each: (address, name)."""
    out, back = dict[str, str](), dict[str, str]()
    for end in found.out:
        note, _, entity = end.to.partition("#")
        to = address("entity", entity) if entity and end.to.startswith("semantic/") else address("note", note)
        out.setdefault(to if end.to else "", end.label or entity or names.get(note) or end.target)
    for end in found.back:
        note = ids.get(end.source, end.source.removesuffix(".md"))
        back.setdefault(address("note", note), names.get(note) or note)
    missing = sorted({end.target for end in found.out if not end.to})
    out.pop("", None)
    return {"out": list(out.items()), "back": list(back.items()), "missing": [("", name) for name in missing]}


class NoteForm(Fields):
    """The digest of the note as it was shown."""

    digest: str


def _as_shown(app: App, asked: PageRequest) -> ShownUnit:
    shown = app.show(asked.name)
    if shown.digest != asked.fields(NoteForm).digest:
        raise ConflictError(
            f"{shown.address.path} has changed since it was shown; nothing was done, please look again"
        )
    return shown


def pin(app: App, asked: PageRequest, *, pinned: bool) -> Answer:
    """Pins a note, or takes the pin out."""
    id_ = _as_shown(app, asked).address.id
    written = app.edit(id_, {"pin": str(pinned).lower()})
    sentence = "Pinned: it comes first, and a recall prefers it." if pinned else "No longer pinned."
    return Moved(address("note", id_), said=f"{sentence} {written.notice}".strip(), undo=written.commit)


def forget(app: App, asked: PageRequest) -> Answer:
    """Moves a note to the archive."""
    shown = _as_shown(app, asked)
    written = app.forget(shown.address.id)
    sentence = f"Forgotten: it is in the archive, and in no answer. {written.notice}".strip()
    return Moved(address("notes"), said=sentence, undo=written.commit)


# Its text.


def edit(app: App, asked: PageRequest) -> Answer:
    """The text of a note."""
    shown = app.show(asked.name)
    at = shown.address
    if at.id != at.note:
        return Moved(address("note", at.note, "edit"))
    if not at.path.endswith(".md"):
        raise InputError(f"{at.path} is not Markdown; open the file itself")
    return _editor(app, at.note, readable(shown.text), shown.digest)


class Text(Fields):
    """A text, and the digest of the file that it was written for."""

    text: str
    digest: str


def again(app: App, asked: PageRequest) -> Answer:
    """Back from the preview, with what was typed."""
    form = asked.fields(Text)
    return _editor(app, asked.name, readable(form.text), form.digest)


def _editor(app: App, id_: str, text: str, digest: str, *, trouble: str = "", status: int = 200) -> Shown:
    shown = app.show(id_)
    now = readable(shown.text)
    conflict = shown.digest != digest
    values = {
        "title": "Edit",
        "id": id_,
        "path": shown.address.path,
        "text": text,
        "now": now,
        "digest": shown.digest if trouble and conflict else digest,
        "conflict": conflict and bool(trouble),
        "trouble": trouble,
        "name": app.titles([id_]).get(id_, id_) or id_,
    }
    return Shown("edit.html", values, status)


def write(app: App, asked: PageRequest, *, dry_run: bool) -> Answer:
    """One commit; before it, what the text changes, and what reading it finds wrong."""
    form = asked.fields(Text)
    text = readable(form.text)
    try:
        rewrite = app.rewrite(asked.name, text, digest=form.digest, dry_run=dry_run)
    except ConflictError as error:
        return _editor(app, asked.name, text, form.digest, trouble=str(error), status=409)
    except InputError as error:
        return _editor(app, asked.name, text, form.digest, trouble=str(error), status=400)
    if rewrite.written is not None:
        written = rewrite.written
        sentence = "Saved." if written.commit else "Nothing was changed."
        notice = "; ".join(dict.fromkeys(filter(None, (written.notice, rewrite.notice))))
        to = address("note", rewrite.path.removesuffix(".md"), saved=asked.name, over=form.digest[:12])
        return Moved(to, said=f"{sentence} {notice}".strip(), undo=written.commit)
    values = {"title": "Preview", "id": asked.name, "found": rewrite, "text": text, "digest": form.digest}
    return Shown("preview.html", values)


# A conversation.


class ConversationQuery(Fields):
    """Where the page begins."""

    after: int = 0


def conversation(app: App, asked: PageRequest) -> Answer:
    """Every turn, with what became of it."""
    first = max(asked.fields(ConversationQuery).after, 0)
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


PAGES = (
    Page("GET", "/notes", notes, "notes"),
    Page("GET", "/note/{id}/edit", edit, "notes"),
    Page("POST", "/note/{id}/edit", again, "notes"),
    Page("POST", "/note/{id}/preview", partial(write, dry_run=True), "notes"),
    Page("POST", "/note/{id}/save", partial(write, dry_run=False), "notes"),
    Page("POST", "/note/{id}/pin", partial(pin, pinned=True), "notes"),
    Page("POST", "/note/{id}/unpin", partial(pin, pinned=False), "notes"),
    Page("POST", "/note/{id}/forget", forget, "notes"),
    Page("GET", "/note/{id}", note, "notes"),
    Page("GET", "/log/{session}", conversation, "notes"),
)
