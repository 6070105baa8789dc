"""What an approval would change, as texts before and after. Nothing is written, and the user's files are as they are now."""

from __future__ import annotations

from collections.abc import Iterator

from memoryclaw.consolidation.changes import RUNS, outcome_of
from memoryclaw.errors import InputError
from memoryclaw.history.repository import History
from memoryclaw.review.decide import fact_target
from memoryclaw.review.file_history import Difference
from memoryclaw.review.queue import ReviewItem
from memoryclaw.text.encoding import decode
from memoryclaw.vault import files
from memoryclaw.writing.context import WriteContext


def differences(context: WriteContext, item: ReviewItem) -> list[Difference]:
    """The files that would change if this were approved now.

    Raises:
        InputError: it cannot be done as it stands.
    """
    return [found for found in _differences(context, item) if found.before != found.after]


def _differences(context: WriteContext, item: ReviewItem) -> Iterator[Difference]:
    if item.fact is not None:
        place = fact_target(context, item.fact)
        before = context.text(place.file.path)
        yield Difference(place.file.path, before, place.written(before).text)
    elif item.change is not None:
        found = outcome_of([item.change], context.schema().collections, lambda path: _text(context, path))
        for path, (before, after) in found.items():
            yield Difference(path, before, after)
    elif item.branch is not None:
        history = History(context.root)
        for recorded in item.branch.commits:
            subject = recorded.message.partition("\n")[0]
            for change in history.changes(recorded.commit):
                if change.path.startswith(f"{RUNS}/"):
                    continue  # the record of the run is for machines
                before, after = (decode(data or b"").text for data in (change.before, change.after))
                yield Difference(change.path, before, after, subject)
    elif item.conflict is not None:
        return  # what would change depends on the value that is chosen
    elif item.is_skill:
        yield Difference(item.path, "", item.text)
    else:
        raise InputError(f"{item.id} {item.why}")


def _text(context: WriteContext, path: str) -> str | None:
    return context.text(path) if files.exists(context.root, path) else None
