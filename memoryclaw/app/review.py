"""`app.review`: what waits for a person, and what the person decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoryclaw.app.context import VaultContext

if TYPE_CHECKING:
    from memoryclaw.review.decide import ReviewDecision, TickedFacts
    from memoryclaw.review.diffs import Difference
    from memoryclaw.review.queue import ReviewItem
    from memoryclaw.writing.context import Written


class Review:
    """What waits for a yes or a no."""

    def __init__(self, context: VaultContext) -> None:
        self._context = context

    def list(self, names: Sequence[str] = ()) -> Sequence[ReviewItem]:
        """Everything that waits, or what has these ids or came from these runs; then no skills."""
        from memoryclaw.review.queue import chosen, waiting  # noqa: PLC0415

        return self._context.write(lambda context: chosen(context, names) if names else waiting(context))

    def get(self, id_: str) -> ReviewItem:
        """The one thing that waits under this id."""
        from memoryclaw.review.queue import one_of  # noqa: PLC0415

        return self._context.write(lambda context: one_of(context, id_))

    def diff(self, item: ReviewItem) -> Sequence[Difference]:
        """The files that would change if this were approved now, before and after."""
        from memoryclaw.review.diffs import differences  # noqa: PLC0415

        return self._context.write(lambda context: differences(context, item))

    def approve(self, items: Sequence[ReviewItem]) -> Sequence[ReviewDecision]:
        """Does what waits, as it was shown; one commit each."""
        return self._decide(items, "approved")

    def reject(self, items: Sequence[ReviewItem]) -> Sequence[ReviewDecision]:
        """Drops what waits and remembers it, so that it is not proposed again; one commit each."""
        return self._decide(items, "rejected")

    def _decide(self, items: Sequence[ReviewItem], decision: str) -> Sequence[ReviewDecision]:
        from memoryclaw.review.decide import decide  # noqa: PLC0415

        return self._context.write(lambda context: decide(context, items, decision))

    def ticked(self) -> TickedFacts:
        """What people ticked in `semantic/_pending.md` and `review/*.md`; decides nothing."""
        from memoryclaw.review.decide import ticked  # noqa: PLC0415

        return self._context.write(ticked)

    def apply(self, boxes: TickedFacts) -> Sequence[ReviewDecision]:
        """Decides what was ticked, as it was shown."""
        from memoryclaw.review.decide import apply  # noqa: PLC0415

        return self._context.write(lambda context: apply(context, boxes))

    def edit(self, id_: str, rewrite: Callable[[str], str], *, as_is: bool = False) -> Written:
        """Rewords what waits, as a person rewrites it; the result is checked and stored, and still waits.

        Secrets that come in are taken out first, unless a person means them (`as_is`).
        """
        from memoryclaw.review.decide import editable, store  # noqa: PLC0415

        item = self.get(id_)
        was = editable(item)
        return self._context.write(
            lambda context, text: store(context, item, text), rewrite(was), as_is=as_is, standing=was
        )
