"""Episodes that nothing has used for long: proposed for the archive, all in one batch, each with why. `forget --undo` brings them back."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC

from memoryclaw.consolidation.actions import MoveFile
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.lifecycle.keeping import UpkeepContext
from memoryclaw.recall.browsing import links
from memoryclaw.recall.strength import HALF_LIVES
from memoryclaw.text.prompts import one_line
from memoryclaw.vault import files

KIND = "archive"
OLD = 3 * HALF_LIVES["episode"]  # active days after which an episode that nothing has used is proposed
MOST = 100  # in one batch, the oldest first
_MOVED = "- file: "  # as a proposal writes what it moves
_CANDIDATES = """select id, path, title, at from files where kind = 'episode' and state = 'current' and pinned = 0
    and at != '' and substr(at, 1, 10) < ? and coalesce(partial, 0) != 1 and fid in (select fid from cited)
    and fid not in (select fid from unit where (kind = 'todo' and field = 'open') or (days != '' and days >= ?))
    order by at, path"""


def unused_episodes(context: UpkeepContext) -> Iterator[PlannedChange]:
    """Proposes for the archive the episodes of consolidation that are old and were never used, and that nothing else leads to.

    What a person has kept once, or brought back, is not asked about again, and nothing while an earlier batch waits.
    """
    days = context.ledger.active_days()
    today = context.writing.now.astimezone(UTC).date().isoformat()
    before = days[: bisect_left(days, today)]
    if len(before) <= OLD or (proposed_before := _proposed_paths(context)) is None:
        return
    rated = context.ledger.record().uses
    used = {
        id_.partition("#")[0]
        for id_, uses in rated.items()
        if any(use.cited or use.rating > 2 for use in uses)
    }
    used |= {id_.partition("#")[0] for id_ in context.ledger.fetched_ids()}
    chosen: list[tuple[str, str]] = []
    for id_, path, title, day in context.catalog.rows(_CANDIDATES, (before[-OLD], today)):
        if id_ in used or path in proposed_before or links(id_, context.catalog, context.vault).back:
            continue
        badly = ", and rated badly" if any(one.partition("#")[0] == id_ for one in rated) else ""
        age = len(before) - bisect_left(before, str(day)[:10])
        chosen.append(
            (
                path,
                f"{one_line(title)}: of {str(day)[:10]}, {age} active days ago; never cited or opened{badly}",
            )
        )
        if len(chosen) == MOST:
            break
    if chosen:
        moves = tuple(MoveFile(path, f"archive/{path}") for path, _ in chosen)
        number = (
            f"{len(chosen)} episodes that nothing has" if len(chosen) > 1 else "an episode that nothing has"
        )
        yield PlannedChange(
            KIND,
            f"Archive {number} used for long",
            tuple(move for move in moves if not files.exists(context.writing.root, move.to)),
            tuple(reason for _, reason in chosen),
            reason=f"older than {OLD} days on which the vault was used, and nothing leads to them; `memoryclaw forget --undo` brings any of them back",
        )


def _proposed_paths(context: UpkeepContext) -> set[str] | None:
    """The files that a person was asked about before; None while a batch waits."""
    root, paths = context.writing.root, set[str]()
    for folder in ("review", "archive/review"):
        for path in files.list_files(root, folder):
            if path.rpartition("/")[2].startswith(f"{KIND}-") and path.endswith(".md"):
                if folder == "review":
                    return None
                lines = context.writing.text(path).splitlines()
                paths.update(line.removeprefix(_MOVED) for line in lines if line.startswith(_MOVED))
    return paths
