"""What a running session is at: its working memory."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict

from memoryclaw.app import App
from memoryclaw.doors import workingshapes
from memoryclaw.doors.http.asked import Asked
from memoryclaw.doors.http.lanes import LOG
from memoryclaw.doors.http.table import Row, Shape


class Change(Asked):
    """What changes; the verb knows its own keys, and refuses others by name."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Clear(Asked):
    """Which task must be at an end; any, when it is empty."""

    task: str = ""


def show(app: App, name: str, _asked: Asked) -> Shape:
    """The working memory of a session."""
    return workingshapes.working(app.working(name))


def change(app: App, name: str, asked: Change) -> Shape:
    """Changes it."""
    changes: dict[str, Any] = asked.model_extra or {}
    return workingshapes.working(app.set_working(name, changes))


def clear(app: App, name: str, asked: Clear) -> Shape:
    """Ends it; what it held goes to the log first."""
    return workingshapes.cleared(app.clear_working(name, task=asked.task))


ROWS = (
    Row("GET", "/v1/working/{session}", show, "The working memory of a session.", like="working show"),
    Row(
        "PATCH",
        "/v1/working/{session}",
        change,
        "Changes goal, plan, facts, observations, skill or task.",
        Change,
        LOG,
        like="working set",
    ),
    Row(
        "DELETE",
        "/v1/working/{session}",
        clear,
        "Ends it; what it held goes to the log first.",
        Clear,
        LOG,
        like="working clear",
    ),
)
