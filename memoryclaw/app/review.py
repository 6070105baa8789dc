"""`app.review`: what waits for a person, and what the person decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoryclaw.app.context import VaultContext
from memoryclaw.app.verbs import Digest, Id, Number, Reason, allowed, verb
from memoryclaw.errors import InputError
from memoryclaw.model import OWNER

if TYPE_CHECKING:
    from memoryclaw.review.decide import ReviewDecision, TickedFacts
    from memoryclaw.review.details import Details
    from memoryclaw.review.file_history import FileDiff
    from memoryclaw.review.queue import ReviewItem
    from memoryclaw.writing.context import WriteContext, Written


class Review:
    """What waits for a yes or a no."""

    def __init__(self, context: VaultContext) -> None:
        self._context = context

    @verb("GET /v1/review", "Review", "review list")
    def list(self, names: Sequence[str] = ()) -> Sequence[ReviewItem]:
        """Everything that waits, or what has these ids or came from these runs; then no skills."""
        from memoryclaw.review.queue import chosen, waiting_items

        return self._context.look(lambda context: chosen(context, names) if names else waiting_items(context))

    @verb("GET /v1/review/{id}", "Review", "review show ID")
    def get(self, id_: Id) -> ReviewItem:
        """The one thing that waits under this id."""
        from memoryclaw.review.queue import find_item

        return self._context.look(lambda context: find_item(context, id_))

    def diff(self, item: ReviewItem) -> Sequence[FileDiff]:
        """The files that would change if this were approved now, before and after."""
        from memoryclaw.review.details import differences

        return self._context.look(lambda context: differences(context, item))

    @allowed(OWNER)
    def details(self, item: ReviewItem, among: Sequence[ReviewItem] | None = None) -> Details:
        """What waits, taken apart: what it would replace, what was held before, its rivals `among` all that waits, and the turns it rests on."""
        from memoryclaw.review.details import details

        return self._context.look(lambda context: details(context, item, among))

    def as_shown(self, id_: str, digest: str) -> ReviewItem:
        """What waits under this id; a ConflictError when it, or what it would replace, is not what had this digest."""
        from memoryclaw.review.decide import item_as_shown

        return self._context.look(lambda context: item_as_shown(context, id_, digest))

    @verb("POST /v1/review/{id}/approve", "Review", "review approve ID", audience=(OWNER,))
    def approve(
        self, items: Sequence[ReviewItem], *, digest: Digest = "", value: Number = 0, reason: Reason = ""
    ) -> Sequence[ReviewDecision]:
        """Does what waits, as it was shown; one commit each.

        Args:
            digest: of the one item, as somebody was shown it; what has changed since is refused.
        """
        return self._decide(items, "approved", digest, value, reason)

    @verb("POST /v1/review/{id}/reject", "Review", "review reject ID", audience=(OWNER,))
    def reject(
        self, items: Sequence[ReviewItem], *, digest: Digest = "", reason: Reason = ""
    ) -> Sequence[ReviewDecision]:
        """Drops what waits and remembers it, so that it is not proposed again; of a conflict, all values may stand. One commit each.

        `digest` and `reason` as for `approve`.
        """
        return self._decide(items, "rejected", digest, 0, reason)

    def _decide(
        self, items: Sequence[ReviewItem], decision: str, digest: str, value: int, reason: str
    ) -> Sequence[ReviewDecision]:
        from memoryclaw.review.decide import decide, item_as_shown

        if digest and len(items) != 1:
            raise InputError("a digest belongs to one pending change; decide each of several by itself")

        def work(context: WriteContext, why: str) -> Sequence[ReviewDecision]:
            chosen = [item_as_shown(context, items[0].id, digest)] if digest else items
            return decide(context, chosen, decision, value=value, reason=" ".join(why.split()))

        done = self._context.permit(work, reason)
        if any(item.widened for item in items):
            self._context.read_again()
        return done

    @allowed(OWNER)
    def ticked(self) -> TickedFacts:
        """What people ticked in `semantic/_pending.md` and `review/*.md`; decides nothing."""
        from memoryclaw.review.decide import ticked_facts

        return self._context.write(ticked_facts)

    @allowed(OWNER)
    def apply(self, boxes: TickedFacts) -> Sequence[ReviewDecision]:
        """Decides what was ticked, as it was shown."""
        from memoryclaw.review.decide import apply

        return self._context.permit(lambda context: apply(context, boxes))

    @allowed(OWNER)
    def text(self, item: ReviewItem) -> str:
        """The text that `edit` gives out to be reworded."""
        from memoryclaw.review.decide import editable

        return editable(item)

    @verb("PUT /v1/review/{id}", "Review", "review edit ID", audience=(OWNER,))
    def edit(
        self, id_: Id, rewrite: Callable[[str], str], *, as_is: bool = False, digest: Digest = ""
    ) -> Written:
        """Rewords what waits, as a person rewrites it; the result is checked and stored, and still waits.

        Secrets that come in are taken out first, unless a person means them (`as_is`). `digest` as for `approve`.
        """
        from memoryclaw.review.decide import editable, store

        item = self.as_shown(id_, digest)
        was = editable(item)
        return self._context.write(
            lambda context, text: store(context, item, text), rewrite(was), as_is=as_is, standing=was
        )
