"""Help: the keys, and what the words mean."""

from __future__ import annotations

from memoryclaw.app import App
from memoryclaw.interfaces.ui.answers import Answer, Page, PageRequest, Shown

_KEYS = (
    ("Anywhere", (("/", "to the search field"), ("u", "undo what was done last"), ("?", "the keys of this page"), ("Esc", "leave a field, close"))),
    ("Lists", (("j", "next"), ("k", "previous"), ("Enter, o", "open"))),
    ("Review", (("a", "approve"), ("x", "reject"), ("e", "edit"), ("c", "compare with the rival"))),
    ("Forms", (("Ctrl+Enter", "save, ask"),)),
)  # fmt: skip
_WORDS = (
    ("note", "a Markdown file of your vault; episodes, facts and skills are notes too"),
    ("episode", "what happened: one file, dated, written from a conversation or by you"),
    (
        "fact",
        "what is held true now: one line in a file of `semantic/`; what it was before stands in its History",
    ),
    ("statement", "what somebody said, word for word, where no field could be told"),
    ("entity", "a person, a project or a thing that facts are about"),
    ("turn", "one thing that you or your agent said; turns are kept in `logs/`"),
    ("consolidation", "the reading of new turns, which makes episodes, facts and questions of them"),
    ("recall", "the memories that your agent is given for a question, within a budget of tokens"),
    ("receipt", "the record of one recall; trying a question on the Recall page leaves none"),
    (
        "undo",
        "takes one change or a whole consolidation back, and keeps what you changed since; it is a commit as well",
    ),
    ("digest", "tells one version of a text from another: what you approve is exactly what you were shown"),
)


def show(_app: App, _asked: PageRequest) -> Answer:
    """The page."""
    return Shown("help.html", {"title": "Help", "keys": _KEYS, "words": _WORDS})


PAGES = (Page("GET", "/help", show, "help"),)
