"""What the verbs of a running session answer, as plain JSON values; docs/json.md describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoryclaw.core.working import tokens
from memoryclaw.core.workingchanges import stored
from memoryclaw.doors.shapes import problem

if TYPE_CHECKING:
    from memoryclaw.core.working import WorkingMemory
    from memoryclaw.jobs.feedback import Feedback as Rated
    from memoryclaw.jobs.working import Cleared

Shape = dict[str, Any]


def working(memory: WorkingMemory) -> Shape:
    """What a session is at, and what that costs in a prompt."""
    return {
        **stored(memory),
        "tokens": tokens(memory),
        "problems": [problem(one) for one in memory.problems],
    }


def cleared(done: Cleared) -> Shape:
    """What became of a working memory that was to be cleared."""
    return done._asdict()


def feedback(done: Rated) -> Shape:
    """A rating as it was kept."""
    return done._asdict()
