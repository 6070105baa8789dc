"""`app.review`: what waits for a person, and what the person decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoryclaw import rooms
from memoryclaw.app.context import AppPart
from memoryclaw.app.verbs import Digest, Id, Number, Reason, allowed, verb
from memoryclaw.errors import InputError
from memoryclaw.model import OWNER
from memoryclaw.text.language import key_of


class Review(AppPart):
    """What waits for a yes or a no."""

    @verb("GET /v1/review", "Review", "review list")
    def list(self, names: Sequence[str] = ()) -> Sequence[rooms.queue.ReviewItem]:
        """Everything that waits, or what has these ids or came from these runs; then no skills."""
        queue = rooms.queue
        return self._context.look(
            lambda context: queue.chosen(context, names) if names else queue.waiting_items(context)
        )

    def about(self, entity: str) -> Sequence[rooms.queue.ReviewItem]:
        """What waits and claims something of this entity."""
        key = key_of(entity)
        items = self._context.look(rooms.queue.claims)
        return [item for item in items if item.entity and key_of(item.entity) == key]

    @verb("GET /v1/review/{id}", "Review", "review show ID")
    def get(self, id_: Id) -> rooms.queue.ReviewItem:
        """The one thing that waits under this id."""
        return self._context.look(lambda context: rooms.queue.find_item(context, id_))

    def diff(self, item: rooms.queue.ReviewItem) -> Sequence[rooms.file_history.FileDiff]:
        """The files that would change if this were approved now, before and after."""
        return self._context.look(lambda context: rooms.details.differences(context, item))

    @allowed(OWNER)
    def details(
        self, item: rooms.queue.ReviewItem, among: Sequence[rooms.queue.ReviewItem] | None = None
    ) -> rooms.details.Details:
        """What waits, taken apart: what it would replace, what was held before, its rivals `among` all that waits, and the turns it rests on."""
        return self._context.look(lambda context: rooms.details.details(context, item, among))

    def as_shown(self, id_: str, digest: str) -> rooms.queue.ReviewItem:
        """What waits under this id; a ConflictError when it, or what it would replace, is not what had this digest."""
        return self._context.look(lambda context: rooms.decide.item_as_shown(context, id_, digest))

    @verb("POST /v1/review/{id}/approve", "Review", "review approve ID", audience=(OWNER,))
    def approve(
        self,
        items: Id | Sequence[rooms.queue.ReviewItem],
        *,
        digest: Digest = "",
        value: Number = 0,
        reason: Reason = "",
    ) -> Sequence[rooms.decide.ReviewDecision]:
        """Does what waits, as it was shown; one commit each.

        Args:
            digest: of the one item, as somebody was shown it; what has changed since is refused.
        """
        return self._decide(items, "approved", digest, value, reason)

    @verb("POST /v1/review/{id}/reject", "Review", "review reject ID", audience=(OWNER,))
    def reject(
        self, items: Id | Sequence[rooms.queue.ReviewItem], *, digest: Digest = "", reason: Reason = ""
    ) -> Sequence[rooms.decide.ReviewDecision]:
        """Drops what waits and remembers it, so that it is not proposed again; of a conflict, all values may stand. One commit each.

        `digest` and `reason` as for `approve`.
        """
        return self._decide(items, "rejected", digest, 0, reason)

    def _decide(
        self,
        items: Id | Sequence[rooms.queue.ReviewItem],
        decision: str,
        digest: str,
        value: int,
        reason: str,
    ) -> Sequence[rooms.decide.ReviewDecision]:
        if isinstance(items, str):  # an id, or a run with all that came from it
            items = [item for item in self.list([items]) if not item.is_skill]
        if digest and len(items) != 1:
            raise InputError("a digest belongs to one pending change; decide each of several by itself")

        def work(context: rooms.context.WriteContext, why: str) -> Sequence[rooms.decide.ReviewDecision]:
            chosen = [rooms.decide.item_as_shown(context, items[0].id, digest)] if digest else items
            return rooms.decide.decide(context, chosen, decision, value=value, reason=" ".join(why.split()))

        decisions = self._context.permit(work, reason)
        if any(item.widened for item in items):
            self._context.read_again()
        return decisions

    @allowed(OWNER)
    def ticked(self) -> rooms.decide.TickedFacts:
        """What people ticked in `semantic/_pending.md` and `review/*.md`; decides nothing."""
        return self._context.write(rooms.decide.ticked_facts)

    @allowed(OWNER)
    def apply(self, boxes: rooms.decide.TickedFacts) -> Sequence[rooms.decide.ReviewDecision]:
        """Decides what was ticked, as it was shown."""
        return self._context.permit(lambda context: rooms.decide.apply(context, boxes))

    @allowed(OWNER)
    def text(self, item: rooms.queue.ReviewItem) -> str:
        """The text that `edit` gives out to be reworded."""
        return rooms.decide.editable(item)

    @verb("PUT /v1/review/{id}", "Review", "review edit ID", audience=(OWNER,))
    def edit(
        self, id_: Id, rewrite: Callable[[str], str], *, as_is: bool = False, digest: Digest = ""
    ) -> rooms.context.Written:
        """Rewords what waits, as a person rewrites it; the result is checked and stored, and still waits.

        Secrets that come in are taken out first, unless a person means them (`as_is`). `digest` as for `approve`.
        """
        item = self.as_shown(id_, digest)
        was = rooms.decide.editable(item)

        def store(context: rooms.context.WriteContext, text: str) -> rooms.context.Written:
            return rooms.decide.store(context, item, text)

        return self._context.write(store, rewrite(was), as_is=as_is, standing=was)
