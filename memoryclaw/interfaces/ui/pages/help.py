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
        "what is true now: one line in a file of `semantic/`; earlier values are in its History",
    ),
    ("statement", "what somebody said, word for word, if it fits no field"),
    ("entity", "a person, a project or a thing that facts are about"),
    ("turn", "one thing that you or your agent said; turns are kept in `logs/`"),
    ("consolidation", "reads new turns, and makes episodes, facts and questions of them"),
    ("recall", "the memories that your agent is given for a question, within a budget of tokens"),
    ("receipt", "the record of one recall; trying a question on the Recall page leaves none"),
    (
        "undo",
        "reverts one change or a whole consolidation, and keeps what you changed since; it is a commit too",
    ),
    ("digest", "identifies one version of a text: what you approve is exactly what you were shown"),
)


def show(_app: App, _asked: PageRequest) -> Answer:
    """The page."""
    return Shown("help.html", {"title": "Help", "keys": _KEYS, "words": _WORDS})


PAGES = (Page("GET", "/help", show, "help"),)
