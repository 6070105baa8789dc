"""Every page, and the rail that leads to them; a page that is not here is not linked."""

from __future__ import annotations

from typing import NamedTuple

from memoryclaw.interfaces.ui.answers import Page
from memoryclaw.interfaces.ui.pages import (
    entities,
    frame,
    health,
    notes,
    recall,
    review,
    skills,
    timeline,
)

PAGES: tuple[Page, ...] = (
    *frame.PAGES,
    *review.PAGES,
    *timeline.PAGES,
    *recall.PAGES,
    *entities.PAGES,
    *notes.PAGES,
    *skills.PAGES,
    *health.PAGES,
)


class Entry(NamedTuple):
    """One entry of the rail: its mark, its name, its address below `/ui`, and the key after `g`."""

    mark: str
    name: str
    path: str
    key: str


_RAIL = (
    Entry("review", "Review", "/review", "r"),
    Entry("recall", "Recall", "/recall", "q"),
    Entry("timeline", "Timeline", "/timeline", "t"),
    Entry("entities", "Entities", "/entities", "e"),
    Entry("notes", "Notes", "/notes", "n"),
    Entry("skills", "Skills", "/skills", "s"),
    Entry("health", "Health", "/health", "h"),
)
RAIL = tuple(entry for entry in _RAIL if any(page.path == entry.path for page in PAGES))
