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


# Help.

_KEYS = (
    ("Anywhere", (("/", "to the search field"), ("u", "undo the last change"), ("?", "the keys of this page"), ("Esc", "leave a field, close"))),
    ("Lists", (("j", "next"), ("k", "previous"), ("Enter, o", "open"))),
    ("Review", (("a", "approve"), ("x", "reject"), ("e", "edit"), ("c", "compare with the rival"))),
    ("Forms", (("Ctrl+Enter", "save, ask"),)),
)  # fmt: skip
_WORDS = (
    ("note", "a Markdown file of your vault; episodes, facts and skills are notes too"),
    ("episode", "what happened: one file, dated, written from a conversation or by you"),
    ("fact", "what is true now: one line in a file of `semantic/`; earlier values are in its History"),
    ("statement", "what somebody said, word for word, if it fits no field"),
    ("entity", "a person, a project or a thing that facts are about"),
    ("turn", "one thing that you or your agent said; turns are kept in `logs/`"),
    ("consolidation", "turns what was said into episodes, facts and questions"),
    ("recall", "the memories that your agent is given for a question, within a budget of tokens"),
    ("receipt", "the record of one recall; trying a question on the Recall page leaves none"),
    (
        "undo",
        "reverts one change or a whole consolidation, and keeps what you changed since; it is a commit too",
    ),
    ("digest", "identifies one version of a text: what you approve is exactly what you were shown"),
)


@page("GET /help", "help")
def show_help(_app: App, _asked: PageRequest) -> Answer:
    """The keys, and what the words mean."""
    return Shown("help.html", {"title": "Help", "keys": _KEYS, "words": _WORDS})
