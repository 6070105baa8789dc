"""Answers of review, history and blame as plain JSON values, the same at every door; docs/review.md describes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memoryclaw.core.consolidation.worddiff import word_diff
from memoryclaw.doors import shapes

if TYPE_CHECKING:
    from memoryclaw.jobs.blame import Blame
    from memoryclaw.jobs.histories import Events, Logged
    from memoryclaw.jobs.review.deciding import Ruled
    from memoryclaw.jobs.review.showing import Difference
    from memoryclaw.jobs.review.ticking import Ticked
    from memoryclaw.jobs.review.waiting import Waits

Shape = dict[str, Any]
_TOLD = ("id", "kind", "what", "why", "run", "path", "confidence", "source", "box")


def waiting(items: Iterable[Waits]) -> Shape:
    """What waits for a person."""
    return {"waiting": [waits(item) for item in items]}


def waits(item: Waits) -> Shape:
    """One thing that waits."""
    evidence = list(item.change.evidence) if item.change else []
    return {**{name: getattr(item, name) for name in _TOLD}, "evidence": evidence}


def differences(items: Iterable[tuple[Waits, list[Difference]]]) -> Shape:
    """What would change if these were approved, each line in pieces that are the same, gone or come."""
    return {"differences": [{**waits(item), "files": [_file(one) for one in found]} for item, found in items]}


def _file(found: Difference) -> Shape:
    hunks = [
        [{"line": line.number, "pieces": [piece._asdict() for piece in line.pieces]} for line in hunk]
        for hunk in word_diff(found.before, found.after)
    ]
    return {"path": found.path, "title": found.title, "hunks": hunks}


def ruled(done: Iterable[Ruled]) -> Shape:
    """What became of what waited."""
    return {"decided": [one._asdict() for one in done]}


def ticked(boxes: Ticked) -> Shape:
    """What people ticked, nothing of it decided."""
    return {
        "approve": [waits(item) for item in boxes.approved],
        "reject": [waits(item) for item in boxes.rejected],
        "unclear": [one._asdict() for one in boxes.unclear],
    }


def history(events: Events) -> Shape:
    """Commits, newest first."""
    return {"commits": [commit(one) for one in events.commits], "notice": events.notice}


def commit(one: Logged) -> Shape:
    """One commit in people's words."""
    told = {name: getattr(one, name) for name in ("commit", "when", "author", "subject", "kind", "run")}
    return {**told, "source": one.trailers.get("Source", ""), "files": list(one.files)}


def blame(found: Blame) -> Shape:
    """Where a fact comes from."""
    approved = found.approved
    return {
        **shapes.fact(found.path, found.fact),
        "commit": commit(found.commit) if found.commit else None,
        "approved": {"by": approved.by, "at": approved.at} if approved else None,
        "sources": [cited._asdict() for cited in found.sources],
        "notice": found.notice,
    }
