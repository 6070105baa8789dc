"""A conversation: every turn, with what became of it."""

from __future__ import annotations

from memoryclaw.app import App
from memoryclaw.interfaces.ui.answers import Answer, Asked, Fields, Page, Shown

MOST = 300  # turns on a page


class Query(Fields):
    """Where the page begins."""

    after: int = 0


def show(app: App, asked: Asked) -> Answer:
    """The turns."""
    first = max(asked.fields(Query).after, 0)
    found = app.conversation(asked.name)
    made = {one.id for turn in found.turns for one in turn.made if one.kind == "episode"}
    values = {
        "title": asked.name,
        "found": found,
        "turns": found.turns[first : first + MOST],
        "anchors": _anchors([turn.path for turn in found.turns[first : first + MOST]], found.paths),
        "first": first,
        "next": first + MOST if len(found.turns) > first + MOST else 0,
        "back": max(first - MOST, 0),
        "unread": sum(not turn.run for turn in found.turns),
        "names": app.titles(made),
        "MOST": MOST,
    }
    return Shown("conversation.html", values)


def _anchors(paths: list[str], logs: tuple[str, ...]) -> list[str]:
    """The beginning of each turn's anchor: its line follows; those of a second log of the session are told apart."""
    return ["t" if path == logs[0] else f"d{logs.index(path)}-t" for path in paths]


PAGES = (Page("GET", "/log/{session}", show, "notes"),)
