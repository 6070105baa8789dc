"""Boxes that a person ticked in Obsidian → what is to be decided. The rule: nothing is decided here, and never a skill."""

from __future__ import annotations

from typing import NamedTuple

from memoryclaw.core.consolidation.decisions import APPROVED, REJECTED
from memoryclaw.core.consolidation.proposals import APPROVE, BOTH
from memoryclaw.jobs.pen import Pen
from memoryclaw.jobs.review.deciding import FAILED, Ruled, decide
from memoryclaw.jobs.review.waiting import Waits, waiting


class Ticked(NamedTuple):
    """What the boxes say: what is to be approved, what rejected, and what cannot be told."""

    approved: tuple[Waits, ...] = ()
    rejected: tuple[Waits, ...] = ()
    unclear: tuple[Ruled, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True when no box is ticked."""
        return not (self.approved or self.rejected or self.unclear)


def ticked(pen: Pen) -> Ticked:
    """What people ticked in `semantic/_pending.md` and `review/*.md`."""
    marked = [item for item in waiting(pen) if item.box and not item.is_skill]
    unclear = [
        Ruled(item.id, item.kind, item.what, FAILED, notice=why) for item in marked if (why := _unclear(item))
    ]
    clear = [item for item in marked if not _unclear(item)]
    return Ticked(
        approved=tuple(item for item in clear if item.box == APPROVE),
        rejected=tuple(item for item in clear if item.box != APPROVE),
        unclear=tuple(unclear),
    )


def apply(pen: Pen, boxes: Ticked) -> list[Ruled]:
    """Does what was shown to be ticked, one commit each; each is done whatever becomes of the others."""
    ruled = list(boxes.unclear)
    for items, decision in ((boxes.approved, APPROVED), (boxes.rejected, REJECTED)):
        for item in items:
            ruled += decide(pen, (item,), decision, alone=False)
    return ruled


def _unclear(item: Waits) -> str:
    if item.box == BOTH:
        return f"both boxes of {item.path} are ticked; leave one"
    if item.box == APPROVE and item.change is None and item.fact is None:
        return item.why
    return ""
