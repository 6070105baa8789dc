"""Changes, each a commit: remember, edit, forget, revive, undo; and what a memory was worth."""

from __future__ import annotations

from pydantic import Field

from memoryclaw.app import App
from memoryclaw.doors import shapes, workingshapes
from memoryclaw.doors.http.asked import Asked
from memoryclaw.doors.http.lanes import WRITE
from memoryclaw.doors.http.table import Row, Shape

Value = str | bool | int | float


class Remember(Asked):
    """What is to be kept."""

    text: str
    entity: str = ""
    field: str = ""
    tags: list[str] = Field(default_factory=list)
    source: str = ""


class Edit(Asked):
    """Fields and their new values."""

    set: dict[str, Value | list[Value]] = Field(min_length=1)


class Revive(Asked):
    """What comes back."""

    id: str


class Undo(Asked):
    """A commit or a run, and whether also what makes the folder a vault goes."""

    what: str
    yes: bool = False


class Feedback(Asked):
    """What a memory was worth."""

    id: str
    rating: int = Field(ge=1, le=5)
    session: str = ""
    note: str = ""


def remember(app: App, _name: str, asked: Remember) -> Shape:
    """Keeps a text as an episode, or as the value of a field."""
    done = app.remember(
        asked.text, entity=asked.entity, field=asked.field, tags=asked.tags, source=asked.source
    )
    return shapes.written(done)


def edit(app: App, name: str, asked: Edit) -> Shape:
    """Sets fields of a note, or the value of a fact."""
    fields = {
        field: [_text(one) for one in value] if isinstance(value, list) else _text(value)
        for field, value in asked.set.items()
    }
    return shapes.written(app.edit(name, fields))


def forget(app: App, name: str, _asked: Asked) -> Shape:
    """Moves a note or a fact to the archive."""
    return shapes.written(app.forget(name))


def revive(app: App, _name: str, asked: Revive) -> Shape:
    """Brings back what was forgotten."""
    return shapes.written(app.revive(asked.id))


def undo(app: App, _name: str, asked: Undo) -> Shape:
    """Takes back a commit or a run."""
    return shapes.written(app.undo(asked.what, yes=asked.yes))


def feedback(app: App, _name: str, asked: Feedback) -> Shape:
    """Keeps a rating."""
    return workingshapes.feedback(
        app.feedback(asked.id, asked.rating, session=asked.session, note=asked.note)
    )


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


ROWS = (
    Row(
        "POST",
        "/v1/remember",
        remember,
        "Keeps a text as an episode, or as a fact.",
        Remember,
        WRITE,
        like="remember TEXT",
    ),
    Row(
        "PATCH",
        "/v1/notes/{id}",
        edit,
        "Sets fields of a note, or the value of a fact.",
        Edit,
        WRITE,
        like="edit ID --set F=V",
    ),
    Row(
        "DELETE",
        "/v1/notes/{id}",
        forget,
        "Moves a note or a fact to the archive.",
        lane=WRITE,
        like="forget ID",
    ),
    Row("POST", "/v1/revive", revive, "Brings back what was forgotten.", Revive, WRITE, like="revive ID"),
    Row("POST", "/v1/undo", undo, "Takes back one commit, or a run.", Undo, WRITE, like="undo WHAT"),
    Row(
        "POST",
        "/v1/feedback",
        feedback,
        "Rates a memory, 1 to 5.",
        Feedback,
        WRITE,
        like="feedback ID RATING",
    ),
)
