"""Review: what waits, one thing at a time, and what a person decides of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memoryclaw import rooms
from memoryclaw.app import App
from memoryclaw.errors import ConflictError, MemoryClawError, NotFoundError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.ui.answers import Answer, Moved, PageRequest, Shown, address, page
from memoryclaw.interfaces.ui.rendering import sourced

LISTED, FILES = 200, 20  # things in the list, and files of one thing, that are shown
_RECENT = timedelta(hours=36)
_TIME = re.compile(r"-(\d{8}T\d{6})-")


@page("GET /review", "review")
@page("GET /review/{id}", "review")
def show(app: App, asked: PageRequest, *, trouble: str = "", status: int = 200) -> Answer:
    """The list, and the first thing in it or the one that is named."""
    name = asked.name
    items = _ordered(app.review.list(), app.clock())
    item = next((candidate for _, group in items for candidate in group if candidate.id == name), None)
    if name and item is None and not trouble:
        status = 404
        trouble = f"{name} no longer waits: it was decided, undone or reworded. The timeline shows what happened to it."
    flat = [candidate for _, group in items for candidate in group]
    if item is None and flat and not name:
        item = flat[0]
    index = flat.index(item) if item in flat else -1
    values: dict[str, Any] = {
        "title": "Review",
        "groups": items,
        "total": len(flat),
        "item": item,
        "named": bool(name),
        "trouble": trouble,
        "before": flat[index - 1] if index > 0 else None,
        "after": flat[index + 1] if 0 <= index < len(flat) - 1 else None,
        "told": _details(app, item, flat) if item is not None else {},
        "LISTED": LISTED,
    }
    return Shown("review.html", values, status)


def _ordered(
    items: Sequence[rooms.queue.ReviewItem], now: datetime
) -> list[tuple[str, list[rooms.queue.ReviewItem]]]:
    """What waits in groups: what came last first; skills, which are decided in another way, at the end."""
    skills = [item for item in items if item.is_skill]
    last = max((item.run for item in items if _TIME.search(item.run)), key=_moment, default="")
    fresh = bool(last) and now - _moment(last) < _RECENT
    new = sorted((item for item in items if fresh and item.run == last), key=lambda item: item.kind != "fact")
    old = [item for item in items if item not in new and item not in skills]
    groups = [("New", new), ("Waiting longer" if new else "Waiting", old), ("Skills", skills)]
    return [(head, group) for head, group in groups if group]


def _moment(run: str) -> datetime:
    hit = _TIME.search(run)
    return datetime.strptime(hit[1] if hit else "00010101T000000", "%Y%m%dT%H%M%S").replace(tzinfo=UTC)


def _details(
    app: App, item: rooms.queue.ReviewItem, among: Sequence[rooms.queue.ReviewItem]
) -> dict[str, Any]:
    """One thing that waits, taken apart."""
    details = app.review.details(item, among)
    try:
        diffs = list(app.review.diff(item)) if item.can_be_shown else []
        problem = ""
    except MemoryClawError as error:
        diffs, problem = [], str(error)
    files = shapes.differences([shapes.ItemShown(item, diffs[:FILES])])["differences"][0]["files"]
    return {
        "details": details,
        "files": files,
        "more": max(len(diffs) - FILES, 0),
        "problem": problem,
        "digest": app.skills.show(item.id).listed.version if item.is_skill else item.digest,
        "rows": _rows(item, details) if item.field and item.conflict is None else [],
    }


def _rows(item: rooms.queue.ReviewItem, details: Any) -> list[tuple[str, str, str]]:
    """What a fact is now, and what it would be."""
    current = details.holds[0][1] if details.holds and not details.many else None
    return [
        (item.field, current.value if current else "", item.value),
        ("since", current.since if current else "", item.since),
        ("said in", sourced(current.source) if current else "", sourced(item.source)),
    ]


@page("POST /review/{id}/approve", "review", verb="approve")
@page("POST /review/{id}/reject", "review", verb="reject")
def decide(
    app: App, asked: PageRequest, digest: str, next_: str = "", value: int = 0, *, verb: str
) -> Answer:
    """Yes or no to what was shown, or which value of a conflict holds; then what comes next."""
    try:
        item = app.review.get(asked.name)
        if verb == "approve":
            [decision] = app.review.approve([item], digest=digest, value=value)
        else:
            [decision] = app.review.reject([item], digest=digest)
    except NotFoundError:
        return Moved(address("review", *filter(None, [next_])), said=f"{asked.name} no longer waits.")
    except ConflictError as error:
        trouble = f"It changed while you were looking, and nothing was decided: {error}."
        return show(app, asked, trouble=trouble, status=409)
    sentence = f"{'Approved' if verb == 'approve' else 'Rejected'}: {decision.what}"
    if decision.notice:
        sentence = f"{sentence}. {decision.notice}"
    undo = item.run if item.branch is not None and verb == "approve" else decision.commit
    # The next thing that waits, or the first where that has gone.
    waits = next_ in [item.id for item in app.review.list()]
    onward = address("review", next_) if waits else address("review")
    return Moved(onward, said=sentence, undo=undo, about=item.id)


@page("GET /review/{id}/edit", "review")
def edit(
    app: App, asked: PageRequest, *, typed: str | None = None, trouble: str = "", status: int = 200
) -> Answer:
    """What waits, as text."""
    item = app.review.get(asked.name)
    text = app.review.text(item)
    values = {
        "title": "Reword",
        "item": item,
        "text": text if typed is None else typed,
        "now": text,
        "digest": item.digest,
        "trouble": trouble,
    }
    return Shown("reword.html", values, status)


@page("POST /review/{id}/edit", "review")
def store(app: App, asked: PageRequest, digest: str, text: str) -> Answer:
    """Keeps the new text if what was seen is still so; it still waits."""
    text = text.replace("\r\n", "\n")
    try:
        written = app.review.edit(asked.name, lambda _: text, digest=digest)
    except ConflictError as error:
        trouble = f"It changed while you were writing, and nothing was saved: {error}. Your text is below, and so is the current one"
        return edit(app, asked, typed=text, trouble=trouble, status=409)
    except NotFoundError as error:
        raise ConflictError(str(error)) from None
    except MemoryClawError as error:
        return edit(app, asked, typed=text, trouble=str(error), status=400)
    sentence = f"Reworded; it still waits. {written.notice}".strip()
    waits = {item.id for item in app.review.list()}
    to = written.id if written.id in waits else asked.name
    onward = address("review", *([to] if to in waits else []))
    return Moved(onward, said=sentence, undo=written.commit, about=asked.name)
