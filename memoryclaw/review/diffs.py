"""What an approval would change, as texts before and after. Nothing is written, and the user's files are as they are now."""

from __future__ import annotations

from collections.abc import Iterator

from memoryclaw.consolidation.changes import RUNS, outcome_of
from memoryclaw.consolidation.selecting import OpenBranch
from memoryclaw.errors import InputError
from memoryclaw.history.repository import History
from memoryclaw.review.checks import confirm_text
from memoryclaw.review.decide import fact_target
from memoryclaw.review.file_history import FileDiff
from memoryclaw.review.queue import ReviewItem
from memoryclaw.review.setting_questions import with_answer
from memoryclaw.text.encoding import decode
from memoryclaw.vault import files
from memoryclaw.writing.context import WriteContext


def differences(context: WriteContext, item: ReviewItem) -> list[FileDiff]:
    """The files that would change if this were approved now.

    Raises:
        InputError: it cannot be done as it stands.
    """
    return [found for found in _differences(context, item) if found.before != found.after]


def _differences(context: WriteContext, item: ReviewItem) -> Iterator[FileDiff]:
    """Of a conflict nothing: what would change depends on the value that is chosen."""
    if item.fact is not None:
        place = fact_target(context, item.fact)
        before = context.text(place.file.path)
        yield FileDiff(place.file.path, before, place.write(before).text)
    elif item.change is not None:
        outcomes = outcome_of([item.change], context.schema().collections, lambda path: _text(context, path))
        for path, (before, after) in outcomes.items():
            yield FileDiff(path, before, after)
    elif item.branch is not None:
        yield from _of_branch(History(context.root), item.branch)
    elif item.check is not None:
        text = context.text(item.path)
        yield FileDiff(item.path, text, confirm_text(context, item.check, text))
    elif item.question is not None:
        text = context.text(item.path)
        yield FileDiff(item.path, text, with_answer(item.question, 1)(text))
    elif item.foreign:
        text = context.text(item.path)
        yield FileDiff(item.path, text, text + item.text)
    elif item.widened or item.is_skill:
        yield FileDiff(item.path or item.id, "", item.text)
    elif item.conflict is None:
        raise InputError(f"{item.id} {item.why}")


def _of_branch(history: History, branch: OpenBranch) -> Iterator[FileDiff]:
    for recorded in branch.commits:
        subject = recorded.message.partition("\n")[0]
        for change in history.changes(recorded.commit):
            if change.path.startswith(f"{RUNS}/"):
                continue  # the record of the run is for machines
            before, after = (decode(data or b"").text for data in (change.before, change.after))
            yield FileDiff(change.path, before, after, subject)


def _text(context: WriteContext, path: str) -> str | None:
    return context.text(path) if files.exists(context.root, path) else None
