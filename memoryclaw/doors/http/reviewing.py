"""What waits for a person, what a person decides of it, and where things come from."""

from __future__ import annotations

from pydantic import Field

from memoryclaw.app import App
from memoryclaw.core.bounds import MOST_LISTED
from memoryclaw.doors import reviewshapes
from memoryclaw.doors.http.asked import Asked
from memoryclaw.doors.http.lanes import WRITE
from memoryclaw.doors.http.table import Row, Shape


class History(Asked):
    """Whose history, and how much of it."""

    id: str = ""
    limit: int = Field(default=20, ge=1, le=MOST_LISTED)


def review(app: App, _name: str, _asked: Asked) -> Shape:
    """What waits."""
    return reviewshapes.waiting(app.review())


def review_one(app: App, name: str, _asked: Asked) -> Shape:
    """One thing that waits, and what it would change."""
    item = app.review_one(name)
    return reviewshapes.differences([(item, app.review_diff(item) if item.can_be_shown else [])])


def approve(app: App, name: str, _asked: Asked) -> Shape:
    """Says yes."""
    return _decided(app, name, "approved")


def reject(app: App, name: str, _asked: Asked) -> Shape:
    """Says no."""
    return _decided(app, name, "rejected")


def history(app: App, _name: str, asked: History) -> Shape:
    """What was done, newest first."""
    return reviewshapes.history(app.history(asked.id, limit=asked.limit))


def blame(app: App, name: str, _asked: Asked) -> Shape:
    """Where a fact comes from."""
    return reviewshapes.blame(app.blame(name))


def _decided(app: App, name: str, decision: str) -> Shape:
    items = [item for item in app.review([name]) if not item.is_skill]
    return reviewshapes.ruled(app.decide(items, decision))


ROWS = (
    Row("GET", "/v1/review", review, "What waits for a yes or a no.", like="review list"),
    Row(
        "GET",
        "/v1/review/{id}",
        review_one,
        "What would change if this were approved.",
        like="review show ID",
    ),
    Row(
        "POST",
        "/v1/review/{id}/approve",
        approve,
        "Says yes to one thing, or to a run.",
        lane=WRITE,
        like="review approve ID",
    ),
    Row(
        "POST",
        "/v1/review/{id}/reject",
        reject,
        "Says no; it is not proposed again.",
        lane=WRITE,
        like="review reject ID",
    ),
    Row(
        "GET",
        "/v1/history",
        history,
        "What was done to the vault, a note or a fact.",
        History,
        like="history [ID]",
    ),
    Row("GET", "/v1/blame/{id}", blame, "Where a fact comes from.", like="blame FACT"),
)
