"""A conversation: every turn, with what became of it."""

from __future__ import annotations

from memoryclaw.app import App
from memoryclaw.interfaces.ui.answers import Answer, Fields, Page, PageRequest, Shown

MOST = 300  # turns on a page


class ConversationQuery(Fields):
    """Where the page begins."""

    after: int = 0


def show(app: App, asked: PageRequest) -> Answer:
    """The turns."""
    first = max(asked.fields(ConversationQuery).after, 0)
    talk = app.conversation(asked.name)
    episodes = {outcome.id for turn in talk.turns for outcome in turn.made if outcome.kind == "episode"}
    paths = [turn.path for turn in talk.turns[first : first + MOST]]
    values = {
        "title": asked.name,
        "found": talk,
        "turns": talk.turns[first : first + MOST],
        "anchors": ["t" if path == talk.paths[0] else f"d{talk.paths.index(path)}-t" for path in paths],
        "first": first,
        "next": first + MOST if len(talk.turns) > first + MOST else 0,
        "back": max(first - MOST, 0),
        "unread": sum(not turn.run for turn in talk.turns),
        "names": app.titles(episodes),
        "MOST": MOST,
    }
    return Shown("conversation.html", values)


PAGES = (Page("GET", "/log/{session}", show, "notes"),)
