"""Questions: `recall` and `search`."""

from __future__ import annotations

from pydantic import Field

from memoryclaw.app import App
from memoryclaw.core.bounds import LEAST_BUDGET, MOST_BUDGET
from memoryclaw.doors import shapes
from memoryclaw.doors.http.asked import Asked, question
from memoryclaw.doors.http.table import Row, Shape


class Recall(Asked):
    """A question that wants a context."""

    query: str
    goal: str = ""
    session: str = ""
    budget: int | None = Field(default=None, ge=LEAST_BUDGET, le=MOST_BUDGET)
    trace: bool = False


class Search(Asked):
    """A question that wants matches."""

    q: str
    kind: str = ""
    limit: int = Field(default=10, ge=1, le=1000)


def recall(app: App, _name: str, asked: Recall) -> Shape:
    """A context to paste into a prompt."""
    answer = app.recall(
        question(asked.query), goal=question(asked.goal), session=asked.session, budget=asked.budget
    )
    return shapes.recall(answer, trace=asked.trace)


def search(app: App, _name: str, asked: Search) -> Shape:
    """Ranked matches."""
    return shapes.search(app.search(question(asked.q), kind=asked.kind, limit=asked.limit))


ROWS = (
    Row(
        "POST", "/v1/recall", recall, "A context for a prompt, within a budget.", Recall, like="recall QUERY"
    ),
    Row("GET", "/v1/search", search, "Ranked matches, best first; leaves no trace.", Search, like="search Q"),
)
