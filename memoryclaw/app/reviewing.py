"""The verbs of a person over what consolidation did: review, history, blame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoryclaw.app.wiring import Wiring
from memoryclaw.text.bounds import MOST_LISTED, within

if TYPE_CHECKING:
    from memoryclaw.review.decide import ReviewDecision, TickedFacts
    from memoryclaw.review.diffs import Difference
    from memoryclaw.review.file_history import Blame, Events
    from memoryclaw.review.queue import ReviewItem
    from memoryclaw.writing.context import Written


class Reviewing(Wiring):
    """What waits for a person, what a person decides of it, and where things come from."""

    def review(self, names: Sequence[str] = ()) -> list[ReviewItem]:
        """What waits for a yes or a no: everything, or what has these ids or came from these runs; no skills then."""
        from memoryclaw.review.queue import chosen, waiting  # noqa: PLC0415

        return self._written(lambda context: chosen(context, names) if names else waiting(context))

    def review_one(self, id_: str) -> ReviewItem:
        """The one thing that waits under this id."""
        from memoryclaw.review.queue import one_of  # noqa: PLC0415

        return self._written(lambda context: one_of(context, id_))

    def review_diff(self, item: ReviewItem) -> list[Difference]:
        """The files that would change if this were approved now, before and after."""
        from memoryclaw.review.diffs import differences  # noqa: PLC0415

        return self._written(lambda context: differences(context, item))

    def decide(self, items: Sequence[ReviewItem], decision: str) -> list[ReviewDecision]:
        """Approves or rejects what waits, as it was shown; one commit each, remembered. `approved` or `rejected`."""
        from memoryclaw.review.decide import decide  # noqa: PLC0415

        return self._written(lambda context: decide(context, items, decision))

    def review_ticked(self) -> TickedFacts:
        """What people ticked in `semantic/_pending.md` and `review/*.md`; nothing is decided."""
        from memoryclaw.review.decide import ticked  # noqa: PLC0415

        return self._written(ticked)

    def review_apply(self, boxes: TickedFacts) -> list[ReviewDecision]:
        """Decides what was shown to be ticked."""
        from memoryclaw.review.decide import apply  # noqa: PLC0415

        return self._written(lambda context: apply(context, boxes))

    def review_edit(self, id_: str, rewrite: Callable[[str], str], *, as_is: bool = False) -> Written:
        """Puts what waits in other words, as a person rewrites it; checked, stored, not approved.

        Secrets that come in are taken out first, unless a person means them (`as_is`).
        """
        from memoryclaw.review.decide import editable, store  # noqa: PLC0415

        item = self.review_one(id_)
        was = editable(item)
        return self._written(
            lambda context, text: store(context, item, text), rewrite(was), as_is=as_is, standing=was
        )

    def history(self, id_: str = "", *, limit: int = 20) -> Events:
        """What was done to the vault, a note or a fact, newest first."""
        from memoryclaw.review.file_history import history  # noqa: PLC0415

        within(limit, 0, MOST_LISTED, "a limit")
        return self._written(lambda context: history(context, id_, limit=limit))

    def blame(self, fact: str) -> Blame:
        """A fact back to its commit, its episode, its log line, and who approved it."""
        from memoryclaw.review.file_history import blame  # noqa: PLC0415

        return self._written(lambda context: blame(context, fact))
