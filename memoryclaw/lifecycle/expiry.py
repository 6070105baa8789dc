"""What no longer counts goes out of the way: an expired note to the archive, the line of an expired fact to its History."""

from __future__ import annotations

from collections.abc import Iterator

from memoryclaw.consolidation.actions import EndFact, MoveFile
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.lifecycle.keeping import UpkeepContext, resting
from memoryclaw.model import SESSION, Lifecycle
from memoryclaw.vault import files
from memoryclaw.vault.layout import free_name
from memoryclaw.vault.validity import ends
from memoryclaw.writing.context import fact_in_words

_SESSIONS = (SESSION, f"{SESSION}:%")


def expiries(context: UpkeepContext) -> Iterator[PlannedChange]:
    """The notes and facts whose last day is over, or whose session has been idle for a day."""
    yield from _notes(context)
    yield from _facts(context)


def _notes(context: UpkeepContext) -> Iterator[PlannedChange]:
    sql = """select path, id, title, at, memory_type, scope, expires, verify_by, verified from files
        where (expires != '' or scope = ? or scope like ?) and state = 'current' and kind in ('episode', 'note', 'semantic') order by path"""
    rows = context.catalog.rows(sql, _SESSIONS)
    active = context.catalog.last_active(str(row[5]) for row in rows)
    for path, id_, title, day, *tags in rows:
        lifecycle = Lifecycle(*tags)
        if end := _over(context, lifecycle, max(active.get(lifecycle.scope, ""), str(day)[:10])):
            target = free_name(f"archive/{path}", lambda to: files.exists(context.writing.root, to))
            reason = f"{_why(lifecycle, end)}; `memoryclaw forget --undo {id_}` brings it back"
            if move := resting(context, MoveFile(str(path), target)):
                yield PlannedChange("archive", f"Expired: {title}", (move,), (reason,))


def _facts(context: UpkeepContext) -> Iterator[PlannedChange]:
    sql = """select path, entity, field, value, max(since, said), memory_type, scope, expires, verify_by, verified
        from facts where (expires != '' or scope = ? or scope like ?) and current = 1 and state = 'current' and path glob 'semantic/*' order by path, seq"""
    rows = context.catalog.rows(sql, _SESSIONS)
    active = context.catalog.last_active(str(row[6]) for row in rows)
    for path, entity, field, value, day, *tags in rows:
        lifecycle = Lifecycle(*tags)
        if end := _over(context, lifecycle, max(active.get(lifecycle.scope, ""), str(day)[:10])):
            sentence = fact_in_words(str(entity), str(field), str(value))
            if action := resting(context, EndFact(str(path), str(entity), str(field), str(value), end)):
                yield PlannedChange("expired", f"Expired: {sentence}", (action,), (_why(lifecycle, end),))


def _over(context: UpkeepContext, lifecycle: Lifecycle, active: str) -> str:
    """The last day on which something counted, where that is over; else an empty string."""
    end = ends(lifecycle, active)
    return end if end and end < context.writing.today else ""


def _why(lifecycle: Lifecycle, end: str) -> str:
    return f"its last day was {end}" if lifecycle.expires == end else "its session has been idle for a day"
