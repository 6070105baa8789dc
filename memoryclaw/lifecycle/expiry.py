"""What no longer counts goes out of the way: an expired note to the archive, the line of an expired fact to its History."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC
from typing import NamedTuple

from memoryclaw.consolidation.actions import Action, EndFact, MoveFile, Stands
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.lifecycle.conflict_decisions import KIND, side_in_words, standing_conflicts
from memoryclaw.lifecycle.keeping import UpkeepContext, resting
from memoryclaw.model import SESSION, TRUSTS, Fact, Lifecycle
from memoryclaw.ports import Lookup
from memoryclaw.recall.browsing import links
from memoryclaw.recall.strength import HALF_LIVES
from memoryclaw.text.prompts import one_line
from memoryclaw.vault import files
from memoryclaw.vault.conflict_rules import Conflict
from memoryclaw.vault.layout import SEMANTIC, place_of
from memoryclaw.vault.validity import ends
from memoryclaw.writing.context import fact_in_words

_SESSIONS = (SESSION, f"{SESSION}:%")


def expiries(context: UpkeepContext) -> Iterator[PlannedChange]:
    """The notes and facts whose last day is over, or whose session has been idle for a day."""
    for (path, id_, title), _, why in _over(context, _NOTES):
        target = files.free_path(context.writing.root, f"archive/{path}")
        reason = f"{why}; `memoryclaw forget --undo {id_}` brings it back"
        if move := resting(context, MoveFile(path, target)):
            yield PlannedChange("archive", f"Expired: {title}", (move,), (reason,))
    for (path, entity, field, value), end, why in _over(context, _FACTS):
        if action := resting(context, EndFact(path, entity, field, value, end)):
            sentence = fact_in_words(entity, field, value)
            yield PlannedChange("expired", f"Expired: {sentence}", (action,), (why,))


# What is looked at, with its day and its lifecycle.
_NOTES = """select path, id, title, at, memory_type, scope, expires, verify_by, verified from files
    where (expires != '' or scope = ? or scope like ?) and state = 'current' and kind in ('episode', 'note', 'semantic') order by path"""
_FACTS = """select path, entity, field, value, max(since, said), memory_type, scope, expires, verify_by, verified
    from facts where (expires != '' or scope = ? or scope like ?) and current = 1 and state = 'current' and path glob 'semantic/*' order by path, seq"""


def _over(context: UpkeepContext, sql: str) -> Iterator[tuple[list[str], str, str]]:
    """What is over, as its row tells it, with the last day on which it counted, and why."""
    rows = [(row[:-6], str(row[-6]), Lifecycle(*row[-5:])) for row in context.catalog.rows(sql, _SESSIONS)]
    active = context.catalog.last_active(str(lifecycle.scope) for _, _, lifecycle in rows)
    for row, day, lifecycle in rows:
        end = ends(lifecycle, max(active.get(lifecycle.scope, ""), day[:10]))
        if end and end < context.writing.today:
            of_day = f"its last day was {end}" if lifecycle.expires == end else ""
            yield [*map(str, row)], end, of_day or "its session has been idle for a day"


# Episodes that nothing has used for long: proposed for the archive, all in one batch, each with why. `forget --undo` brings them back.

ARCHIVE = "archive"
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
    days = context.ledger.record().days
    today = context.writing.now.astimezone(UTC).date().isoformat()
    before = days[: bisect_left(days, today)]
    if len(before) <= OLD or (proposed_before := _proposed_paths(context)) is None:
        return
    rated = context.ledger.record().uses
    liked = (id_ for id_, uses in rated.items() if any(use.cited or use.rating > 2 for use in uses))
    used = {id_.partition("#")[0] for id_ in (*liked, *context.ledger.fetched_ids())}
    chosen: list[tuple[str, str]] = []
    for id_, path, title, day in context.catalog.rows(_CANDIDATES, (before[-OLD], today)):
        if id_ in used or path in proposed_before or links(id_, context.catalog, context.vault).back:
            continue
        badly = ", and rated badly" if any(rated_id.partition("#")[0] == id_ for rated_id in rated) else ""
        age = len(before) - bisect_left(before, str(day)[:10])
        when = f"of {str(day)[:10]}, {age} active days ago"
        chosen.append((path, f"{one_line(title)}: {when}; never cited or opened{badly}"))
        if len(chosen) == MOST:
            break
    if chosen:
        moves = tuple(MoveFile(path, f"archive/{path}") for path, _ in chosen)
        number = f"{len(chosen)} episodes" if len(chosen) > 1 else "an episode"
        yield PlannedChange(
            ARCHIVE,
            f"Archive {number} that nothing has used for long",
            tuple(move for move in moves if not files.exists(context.writing.root, move.to)),
            tuple(reason for _, reason in chosen),
            reason=f"older than {OLD} days on which the vault was used, and nothing leads to them; `memoryclaw forget --undo` brings any of them back",
        )


def _proposed_paths(context: UpkeepContext) -> set[str] | None:
    """The files that a person was asked about before; None while a batch waits."""
    root, paths = context.writing.root, set[str]()
    for folder in ("review", "archive/review"):
        for path in files.list_files(root, folder, ".md"):
            if path.rpartition("/")[2].startswith(f"{ARCHIVE}-"):
                if folder == "review":
                    return None
                lines = context.writing.text(path).splitlines()
                paths.update(line.removeprefix(_MOVED) for line in lines if line.startswith(_MOVED))
    return paths


# Conflicts that a rule decides, because the schema says so of their field: trust, then explicitness, then date. Any other waits for a person.

_TALK = frozenset({"episode", "turn", "log"})  # kinds of sources from which facts are inferred


class _Standing(NamedTuple):
    """How much one value has for it, the strongest of its lines."""

    trust: int
    explicit: bool
    since: str

    def beats(self, other: _Standing) -> str:
        """The rule by which it holds rather than another, as a sentence; empty where no rule says so."""
        if self.trust != other.trust:
            return "what is trusted more holds" if self.trust > other.trust else ""
        if self.explicit != other.explicit:
            return "what a person wrote holds rather than what was inferred from talk" * self.explicit
        dated = bool(self.since and other.since)
        return "the later one holds" if dated and self.since > other.since else ""


def superseding(context: UpkeepContext) -> Iterator[PlannedChange]:
    """The conflicts that are decided now. A property of a note is a person's line, and is never changed by a rule."""
    writing = context.writing
    for conflict in standing_conflicts(writing):
        if not conflict.supersede:
            continue
        strength = [max(_strength(writing.lookup, fact) for _, fact in side) for side in conflict.sides]
        for number, (side, own_strength) in enumerate(zip(conflict.sides, strength, strict=True)):
            rules = [own_strength.beats(rival) for n, rival in enumerate(strength) if n != number]
            value = side[0][1].value
            if all(rules) and all(place_of(path) == SEMANTIC for path, _ in conflict.against(value)):
                yield from _decision(context, conflict, value, list(dict.fromkeys(rules)))


def _strength(lookup: Lookup, fact: Fact) -> _Standing:
    source = lookup.resolve(fact.source) if fact.source else None
    inferred = source is not None and source.kind in _TALK
    return _Standing(-TRUSTS.index(fact.trust), not inferred, fact.since[:10])


def _decision(
    context: UpkeepContext, conflict: Conflict, value: str, rules: list[str]
) -> Iterator[PlannedChange]:
    ended = conflict.against(value)
    others = " or ".join(dict.fromkeys(fact.value for _, fact in ended))
    reason = f"{conflict.field} may be superseded by rule (semantic/_schema.yaml): {', and '.join(rules)}"
    path, holds = next(side[0] for side in conflict.sides if side[0][1].value == value)
    actions: list[Action] = [Stands(path, holds.entity, holds.field, value)]
    actions += [
        EndFact(path, fact.entity, fact.field, fact.value, context.writing.today) for path, fact in ended
    ]
    bound = [bound_by for action in actions if (bound_by := resting(context, action))]
    if len(bound) == len(actions):
        yield PlannedChange(
            KIND,
            f"{fact_in_words(conflict.entity, conflict.field, value)} (was {others})",
            tuple(bound),
            (reason, *(side_in_words(side, conflict.entity) for side in conflict.sides)),
        )
