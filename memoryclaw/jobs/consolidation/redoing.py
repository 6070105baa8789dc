"""redo: old logs read again with the tools of today, on a branch. The rule: what a person edited stays as the person left it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from memoryclaw.adapters.gitlog import log
from memoryclaw.adapters.history import History
from memoryclaw.core.consolidation.changes import ChangeSet, MoveFile, NewFile, PlannedChange, Replace
from memoryclaw.core.consolidation.performing import outcome_of
from memoryclaw.core.consolidation.ranges import parse_ranges
from memoryclaw.core.errors import HistoryError, InputError
from memoryclaw.jobs.consolidation.applying import apply
from memoryclaw.jobs.consolidation.consolidate import (
    Consolidated,
    Desk,
    one_at_a_time,
    planned,
    what_is_done,
)
from memoryclaw.jobs.consolidation.selecting import Past, select

_SAME = "the tools of today make the same of these logs"


def redo(desk: Desk, since: str) -> Consolidated:
    """Consolidates the logs of a day and later once more, as commits on a branch that waits for a yes.

    Raises:
        InputError: `since` is no day.
        HistoryError: there is no repository to hold a branch.
    """
    day = _day(since)
    with one_at_a_time(desk.pen.root):
        history = History(desk.pen.root)
        if not history.git_dir:
            raise HistoryError(f"redo needs a branch to work on, and {history.state().sentence}")
        done = what_is_done(desk)
        logs = select(desk.vault, done, since=day)
        # Its own earlier episodes are no twins: they are what is told anew.
        changes = planned(desk, done, logs, verb="redo", twins=False)
        if not changes.ranges:
            return Consolidated(changes, waits=f"there are no logs since {day}")
        changes = _replaced(desk, done, history, changes)
        if not _differs(desk, changes):
            return Consolidated(ChangeSet(""), waits=_SAME)
        # A person looks at all of it before it counts, so nothing is too much.
        applied = apply(desk.pen, changes, mode="branch", loss_budget=1.0, progress=desk.progress)
        return Consolidated(changes, applied, mode="branch")


def _day(since: str) -> str:
    try:
        return date.fromisoformat(since).isoformat()
    except ValueError:
        raise InputError(f"{since!r} is not a day; write it like 2026-03-01") from None


def _replaced(desk: Desk, done: Past, history: History, changes: ChangeSet) -> ChangeSet:
    """The change set with today's text over each note that a run wrote, and the notes that none tells any more put away."""
    own = _own(desk, done, history, changes)
    paths = set(own.values())
    told = {
        action.path for change in changes.changes for action in change.actions if isinstance(action, NewFile)
    }
    after = [
        change._replace(
            actions=tuple(
                Replace(action.path, action.text)
                if isinstance(action, NewFile) and action.path in paths
                else action
                for action in change.actions
            )
        )
        for change in changes.changes
    ]
    away = [_away(id_, path) for id_, path in own.items() if path not in told]
    return changes._replace(changes=(*after, *away))


def _own(desk: Desk, done: Past, history: History, changes: ChangeSet) -> dict[str, str]:
    """The episodes (id → path) that runs wrote of these logs and that nobody has edited since."""
    logs = {range_.path for text in changes.ranges for range_ in parse_ranges(text)}
    return {
        id_: address.path
        for id_, source in _told(done)
        if any(range_.path in logs for range_ in parse_ranges(source))
        and (address := desk.catalog.resolve(id_))
        and address.path.startswith("episodes/")
        and _is_untouched(history, address.path)
    }


def _told(done: Past) -> Iterator[tuple[str, str]]:
    for record in done.records:
        yield from record.episodes.items()


def _is_untouched(history: History, path: str) -> bool:
    last = log(history, [path], limit=1)
    return bool(last) and last[0].run.partition("-")[0] in ("consolidate", "redo", "approve")


def _away(id_: str, path: str) -> PlannedChange:
    name = path.rpartition("/")[2]
    return PlannedChange(
        kind="merge",
        title=f"{id_} is told by other episodes now",
        actions=(MoveFile(path, f"archive/episodes/{name}"),),
        id=id_,
    )


def _differs(desk: Desk, changes: ChangeSet) -> bool:
    collections = desk.pen.schema().collections
    outcome = outcome_of(changes.changes, collections, lambda path: desk.pen.text(path) or None)
    return any(before != after for before, after in outcome.values())
