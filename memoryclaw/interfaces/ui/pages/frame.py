"""What every page shares: where `/ui/` leads, what changed meanwhile, undo, help, and the end of a session."""

from __future__ import annotations

import os
from urllib.parse import unquote

from memoryclaw.app import App
from memoryclaw.errors import InputError, MemoryClawError
from memoryclaw.interfaces.ui.answers import Answer, Moved, PageRequest, Reply, Shown, address, page
from memoryclaw.vault import files

_WATCHED = 20  # things of one page that are compared


@page("GET /start")
def start(app: App, asked: PageRequest) -> Answer:
    """Review if something waits, else the timeline."""
    return Moved(address("review" if asked.pulse.now(app)["waiting"] else "timeline"))


@page("GET /changes")
def changes(app: App, asked: PageRequest, after: int = 0, watch: str = "") -> Answer:
    """What happened since an event: how much waits now, and how many things are not as the page shows them, each with its digest."""
    happened = asked.daemon.events.after(after)
    watched = watch.split()[:_WATCHED] if happened.events or happened.missed else []
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


@page("POST /undo")
def undo(app: App, _asked: PageRequest, what: str, about: str = "") -> Answer:
    """Takes back what the last page said was done: a commit or a run, and the id of what was decided by it."""
    if not what:
        raise InputError("there is nothing to undo")
    written = app.undo(what)
    to = address("review", about) if about else address("timeline", kind="all")
    sentence = written.notice[:1].upper() + written.notice[1:] if written.notice else "Undone"
    return Moved(to, said=sentence, undo=written.commit, about=about)


@page("POST /sign-out")
def sign_out(_app: App, asked: PageRequest) -> Answer:
    """Ends every session, this one too."""
    asked.sessions.end_all()
    return Moved(address(""))


@page("GET /help", "help")
def show_help(_app: App, _asked: PageRequest) -> Answer:
    """The keys, and what the words mean."""
    return Shown("help.html", {"title": "Help"})
