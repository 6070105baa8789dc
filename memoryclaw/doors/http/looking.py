"""Looking around: notes, links and facts."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from memoryclaw.app import App
from memoryclaw.core.bounds import MOST_LISTED
from memoryclaw.core.errors import InputError
from memoryclaw.doors import shapes
from memoryclaw.doors.http.asked import Asked
from memoryclaw.doors.http.table import Row, Shape


class Browse(Asked):
    """Which notes are listed."""

    kind: str = ""
    state: str = "current"
    limit: int = Field(default=50, ge=1, le=MOST_LISTED)


class Facts(Asked):
    """Which facts are listed."""

    entity: str = ""
    as_of: str = ""
    history: bool = False


def browse(app: App, _name: str, asked: Browse) -> Shape:
    """A list of notes."""
    listed = app.browse(kind=asked.kind, state=asked.state, limit=asked.limit)
    return shapes.browse(listed, app.freshness)


def show(app: App, name: str, _asked: Asked) -> Shape:
    """One thing as it stands in its file."""
    return shapes.show(app.show(name), app.freshness)


def links(app: App, name: str, _asked: Asked) -> Shape:
    """The links of a note."""
    return shapes.links(name, app.links(name), app.freshness)


def facts(app: App, _name: str, asked: Facts) -> Shape:
    """A list of facts."""
    found = app.facts(asked.entity, as_of=_day(asked.as_of), history=asked.history)
    return shapes.facts(found, app.freshness)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InputError(f"{text!r} is not a date; write it as 2025-07-01") from None


ROWS = (
    Row("GET", "/v1/notes", browse, "Notes, pinned ones first, then the newest.", Browse, like="browse"),
    Row("GET", "/v1/notes/{id}", show, "A note, section, fact or turn as it stands.", like="show ID"),
    Row("GET", "/v1/links/{id}", links, "The links of a note, out and back.", like="links ID"),
    Row("GET", "/v1/facts", facts, "What is held true, now or on a day.", Facts, like="facts [ENTITY]"),
)
