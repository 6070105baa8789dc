"""What `schedule` answers, as plain JSON values; docs/json.md describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryclaw.jobs.scheduling import Scheduled, Standing


def scheduled(done: Scheduled) -> dict[str, Any]:
    """What was done about a timer."""
    files = [{"where": where, "text": text} for where, text in done.files]
    return {**done._asdict(), "files": files, "notices": list(done.notices)}


def standing(now: Standing) -> dict[str, Any]:
    """How a timer stands."""
    return {**now._asdict(), "notices": list(now.notices)}
