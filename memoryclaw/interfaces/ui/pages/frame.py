"""What every page shares: where `/ui/` leads, what changed meanwhile, undo, and the end of a session."""

from __future__ import annotations

import os
from urllib.parse import unquote

from memoryclaw.app import App
from memoryclaw.errors import InputError, MemoryClawError
from memoryclaw.interfaces.ui.answers import Answer, Fields, Moved, Page, PageRequest, Reply, address
from memoryclaw.vault import files

_WATCHED = 20  # things of one page that are compared


def start(app: App, asked: PageRequest) -> Answer:
    """Review if something waits, else the timeline."""
    return Moved(address("review" if asked.pulse.now(app)["waiting"] else "timeline"))


class ChangesQuery(Fields):
    """The number of the last event that a page has seen, and what it shows, each with its digest."""

    after: int = 0
    watch: str = ""


def changes(app: App, asked: PageRequest) -> Answer:
    """What happened since: how much waits now, and how many of the things on the page are not what it shows."""
    query = asked.fields(ChangesQuery)
    happened = asked.daemon.events.after(query.after)
    watched = query.watch.split()[:_WATCHED] if happened.events or happened.missed else []
    return Reply({**asked.pulse.now(app), "changed": sum(not _is_as_shown(app, token) for token in watched)})


def _is_as_shown(app: App, token: str) -> bool:
    """Whether `file:PATH@DIGEST`, `review:ID@DIGEST` or `head:@COMMIT` still is so."""
    what, _, digest = token.rpartition("@")
    kind, _, name = what.partition(":")
    name = unquote(name)
    try:
        if kind == "file":
            digest_now = files.digest_of(files.read_file(os.fspath(app.root), name).data)[:16]
        elif kind == "review":
            digest_now = app.review.get(name).digest
        else:
            digest_now = next((commit.commit for commit in app.history(limit=1).commits), "")
    except (MemoryClawError, OSError):
        digest_now = ""
    return digest_now == digest


class UndoForm(Fields):
    """A commit or a run; and the id of what was decided by it."""

    what: str
    about: str = ""


def undo(app: App, asked: PageRequest) -> Answer:
    """Takes back what the last page said was done."""
    form = asked.fields(UndoForm)
    if not form.what:
        raise InputError("there is nothing to undo")
    written = app.undo(form.what)
    to = address("review", form.about) if form.about else address("timeline", kind="all")
    return Moved(
        to,
        said=written.notice[:1].upper() + written.notice[1:] if written.notice else "Undone",
        undo=written.commit,
        about=form.about,
    )


def sign_out(_app: App, asked: PageRequest) -> Answer:
    """Ends every session, this one too."""
    asked.sessions.end_all()
    return Moved(address(""))


PAGES = (
    Page("GET", "/start", start),
    Page("GET", "/changes", changes),
    Page("POST", "/undo", undo),
    Page("POST", "/sign-out", sign_out),
)
