"""consolidate: raw logs become episodes, facts and proposals, one run at a time; each line is read once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from memoryclaw.capture.log_files import open_stems
from memoryclaw.consolidation.actions import DONE, OFF, OPEN, MoveFile, NewFile, Replace, imprint
from memoryclaw.consolidation.apply import Applied, apply
from memoryclaw.consolidation.changes import RUNS, ChangeSet, PlannedChange, outcome_of, read_plan, write_plan
from memoryclaw.consolidation.planning import Enrich, NearDuplicates, Planner, plan
from memoryclaw.consolidation.reconcile import ClaimDecider, Salience
from memoryclaw.consolidation.selecting import (
    PastRuns,
    ToldSessions,
    Unread,
    open_branches,
    past,
    practice,
    select,
)
from memoryclaw.daemon.timetable import Due, due
from memoryclaw.errors import HistoryError, LockedError, VaultError
from memoryclaw.history import journal
from memoryclaw.history.repository import History, commit_log
from memoryclaw.index.catalog import Catalog
from memoryclaw.late import NamedTuple
from memoryclaw.ports import Progress
from memoryclaw.text.dates import given_day, instant
from memoryclaw.text.encoding import readable
from memoryclaw.vault import files
from memoryclaw.vault.audience import may_see
from memoryclaw.vault.files import writer_lock
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import SALIENCE_FILE, STATE_DIR, run_id, utc
from memoryclaw.vault.logs import LogRange, parse_ranges, range_of
from memoryclaw.vault.state_folder import make_private_folder
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.writer import recover

if TYPE_CHECKING:
    from memoryclaw.config import Config

Rehearse = Callable[[Mapping[str, str]], tuple[str, str]]
_PLAN, _PLAN_TEMP = f"{STATE_DIR}/plan.json", ".plan.tmp"
_OPEN = (f"- [{OPEN}] ",)
# What is read again may have closed a to-do, which then was open.
_OPEN_ONCE = tuple(f"- [{box}] " for box in (OPEN, DONE, OFF))


class Consolidated(NamedTuple):
    """What a run planned, and did unless `applied` is None; `waits` says why nothing was done at all."""

    changes: ChangeSet
    applied: Applied | None = None
    waits: str = ""
    mode: str = ""  # direct | branch | propose
    notices: tuple[str, ...] = ()  # what became of answers that no segment could take
    upkeep: Consolidated | None = None  # what time asked for besides


def view_for(run: Consolidated, audience: str) -> Consolidated:
    """What an audience may hear of a run: the changes whose words are for it, and how many there are of the others."""
    visible = tuple(change for change in run.changes.changes if may_see(audience, change.audience))
    hidden = len(run.changes.changes) - len(visible)
    applied = run.applied and run.applied._replace(
        commits=tuple(
            commit
            for commit in run.applied.commits
            if any((commit.kind, commit.title) == (change.kind, change.title) for change in visible)
        )
    )
    notice = f"{hidden} more {'changes are' if hidden > 1 else 'change is'} for others"
    return run._replace(
        changes=run.changes._replace(changes=visible, decided=(), dropped=(), held=""),
        applied=applied,
        upkeep=None,
        notices=(*run.notices, *([notice] if hidden else [])),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationContext:
    """What consolidation works with; `enrich` may make more of an episode than the rules did."""

    writing: WriteContext
    vault: Vault
    catalog: Catalog
    enrich: Enrich | None
    rules: Config  # the settings that a run follows
    after: int  # hours that a due run leaves new lines to an agent's host
    leaves: Callable[[str, int], bool]  # may a line of a file be given to a model
    progress: Progress | None
    answered: Collection[str] = ()  # the segments that a host hands answers in for
    rehearse: Rehearse | None  # says why files with these texts should wait, and what else there is to say


def preview(context: ConsolidationContext, *, only_if_due: bool = False) -> Consolidated:
    """The change set that a run would apply now; nothing is written."""
    return _planned(context, only_if_due=only_if_due, remember=False)


def _planned(context: ConsolidationContext, *, only_if_due: bool, remember: bool) -> Consolidated:
    past = past_runs(context)
    unfinished = _unfinished_plan(context, past)
    if remember and not unfinished:
        _drop_plan(context.writing.root)
    waiting = [] if unfinished else select(context.vault, past, remember=remember)
    logs, left_open = _over(context, waiting)
    if only_if_due and not unfinished and not (verdict := _verdict(context, past, logs)).due:
        return Consolidated(ChangeSet(""), waits=verdict.reason)
    rules, writing = context.rules, context.writing
    changes = unfinished or hold_back(change_set(context, past, logs), rules.mode, writing, context.rehearse)
    return Consolidated(
        changes, mode=_mode(context, changes), notices=(*left_open, *_unused_answers(context, past, changes))
    )


def consolidate(context: ConsolidationContext, *, only_if_due: bool = False) -> Consolidated:
    """Reads what the logs hold and no run has read, and applies what it makes of it.

    Args:
        only_if_due: do nothing, and say why, while it is too early or another run is at work.

    Raises:
        LockedError: another run is at work.
        HistoryError: git can take no commit now; nothing was written.
    """
    try:
        with one_at_a_time(context.writing.root):
            root = context.writing.root
            # A run record that a killed writer left, and did not commit, would end a run too early.
            notice = recover(root) if files.exists(root, journal.PATH) else ""
            planned = _planned(context, only_if_due=only_if_due, remember=True)
            if planned.waits:
                return planned
            return _apply(context, planned.changes, notice)._replace(notices=planned.notices)
    except LockedError:
        if not only_if_due:
            raise
        return Consolidated(ChangeSet(""), waits="another consolidation is running in this vault")


def _unused_answers(context: ConsolidationContext, past: PastRuns, changes: ChangeSet) -> tuple[str, ...]:
    """A sentence for each answer that the run could not use, and why."""
    if not context.answered:
        return ()
    from memoryclaw.consolidation.host_answers import first_sentences, omission  # noqa: PLC0415 - loads a data library

    ranges = past.ranges()
    sentences = []
    for segment in sorted(set(context.answered) - set(changes.ranges)):
        range_ = next((r for r in parse_ranges(segment) if str(r) == segment), None)
        if range_ is None:
            reason = "that is no segment; copy it as `--ask` printed it"
        elif any(r.first <= range_.first and range_.last <= r.last for r in ranges.get(range_.path, ())):
            reason = "it was consolidated already"
        else:
            reason = "these lines have changed since they were asked, or are none of these logs"
        sentences.append(omission(context.writing.gate.text(segment), reason))
    return first_sentences(sentences)


def _over(context: ConsolidationContext, logs: Sequence[Unread]) -> tuple[list[Unread], tuple[str, ...]]:
    """The logs of sessions that are over, and a sentence about the others: their hosts tell the end, or a pause does."""
    stems = set(open_stems(context.writing.root))
    since = context.writing.now - timedelta(minutes=context.rules.gap)

    def is_open(log: Unread) -> bool:
        name = log.path.rpartition("/")[2]
        return name.rpartition(".")[0] in stems and any(
            (moment := _moment([turn.ts])) and moment > since for turn in log.turns[-1:]
        )

    under_way = [log for log in logs if is_open(log)] if stems else []
    if not under_way:
        return list(logs), ()
    plural = "s" * (len(under_way) != 1)
    sentence = f"{len(under_way)} session{plural} still under way: left to the next run"
    return [log for log in logs if log not in under_way], (sentence,)


def one_at_a_time(root: str) -> AbstractContextManager[object]:
    """Keeps other runs out while this one plans; people and captures go on writing."""
    folder = files.make_folder(root, RUNS)
    if os.path.islink(folder) or not os.path.isdir(folder):
        raise VaultError(f"{folder} is a link or a file; only a real folder is used")
    return writer_lock(folder)


def past_runs(context: ConsolidationContext) -> PastRuns:
    """What runs, decisions and open branches say is done."""
    return past(context.vault, [branch.record for branch in open_branches(History(context.writing.root))])


def _unfinished_plan(context: ConsolidationContext, past: PastRuns) -> ChangeSet | None:
    """What a killed run had planned, while its logs are as they were and nothing has read them since."""
    stored = files.data_at(context.writing.root, _PLAN)
    changes = read_plan(stored.decode("utf-8", "replace")) if stored else None
    if changes is None or any(record.run == changes.run for record in past.records):
        return None
    waiting = select(context.vault, past)
    still = {r for log in waiting for r in parse_ranges(" ".join(changes.ranges)) if _covers(log, r)}
    return changes if len(still) == len(changes.ranges) else None


def _covers(log: Unread, range_: LogRange) -> bool:
    if log.path != range_.path or range_.last > len(log.lines):
        return False
    return range_of(log.path, log.lines, range_.first, range_.last) == range_


def change_set(
    context: ConsolidationContext,
    past: PastRuns,
    logs: Sequence[Unread],
    *,
    verb: str = "consolidate",
    merge: bool = True,
) -> ChangeSet:
    """The change set that these logs ask for; `merge`: a near duplicate of an episode in the vault is merged with it."""
    if not logs:
        return ChangeSet("")
    rules, writing = context.rules, context.writing
    salience = Salience.of_vault(readable(writing.text(SALIENCE_FILE)), rules.language)
    planner = Planner(
        context=writing,
        decider=ClaimDecider(
            context.catalog, writing.schema(), past.decisions, today=writing.today, salience=salience
        ),
        duplicates=NearDuplicates(writing, context.catalog.episodes_on if merge else lambda _day: ()),
        sessions=ToldSessions(writing, past.records),
        with_todos=partial(context.catalog.episodes_with, _OPEN if merge else _OPEN_ONCE),
        enrich=context.enrich,
        leaves=context.leaves,
        gap=rules.gap,
        language=rules.language,
        salience=salience,
        wishes=[wish for record in past.records for wish in record.wishes],
        progress=context.progress,
    )
    # A model may take an hour, and what others write of the index meanwhile could not be folded into it.
    with nullcontext() if context.enrich else context.catalog.reading():
        changes = plan(planner, logs)
    acted, drafts = practice(
        writing, context.vault, logs, changes.ranges, past, threshold=rules.skill_threshold
    )
    digest = hashlib.sha256("\n".join(changes.ranges).encode("utf-8", "surrogateescape")).hexdigest()
    return changes._replace(
        run=run_id(verb, writing.now, digest[:6]), changes=(*changes.changes, *drafts), acted=acted
    )


def _apply(context: ConsolidationContext, changes: ChangeSet, notice: str) -> Consolidated:
    if not changes.ranges:
        return Consolidated(changes, waits=notice)
    # Remembers a plan durably before its first change is made.
    root = context.writing.root
    make_private_folder(os.path.join(root, STATE_DIR))
    # Always by the same name, so that the next run clears away what a killed one left.
    files.prepare(root, _PLAN, _PLAN_TEMP, write_plan(changes).encode())
    files.place(root, _PLAN, _PLAN_TEMP, files.digest_at(root, _PLAN))
    rules = context.rules
    mode = _mode(context, changes)
    applied = apply(
        context.writing, changes, mode=mode, loss_budget=rules.loss_budget, progress=context.progress
    )
    _drop_plan(context.writing.root)
    notices = (*filter(None, [notice]), *applied.notices)
    return Consolidated(changes, applied._replace(notices=notices), mode=mode)


def hold_back(changes: ChangeSet, mode: str, writing: WriteContext, rehearse: Rehearse | None) -> ChangeSet:
    """The change set, which is to wait for a person where a rehearsal of what would be done at once says why."""
    if rehearse is None or mode != "direct" or not changes.changes:
        return changes
    collections = writing.schema().collections
    todo = [change for change in changes.changes if not change.reason]
    outcome = outcome_of(todo, collections, lambda path: writing.text(path) or None)
    reason, notice = rehearse({path: after for path, (before, after) in outcome.items() if before != after})
    return changes._replace(held=reason, notices=(*changes.notices, *([notice] if notice else [])))


def _mode(context: ConsolidationContext, changes: ChangeSet) -> str:
    """The mode of a run; what is held waits on its branch, or below review/ where no branch can be made."""
    if not changes.held:
        return context.rules.mode
    return "branch" if History(context.writing.root).state().writable else "propose"


def _drop_plan(root: str) -> None:
    for name in (_PLAN.rpartition("/")[2], _PLAN_TEMP):
        files.discard(root, _PLAN, name)


def unread_logs(context: ConsolidationContext) -> list[Unread]:
    """The logs with turns that no run has read; writes nothing."""
    return _over(context, select(context.vault, past_runs(context)))[0]


def next_run(context: ConsolidationContext) -> Due:
    """Whether a run is due now, and why or why not."""
    past = past_runs(context)
    if _unfinished_plan(context, past):
        return Due(True, "the last run was cut short")
    return _verdict(context, past, _over(context, select(context.vault, past))[0])


def _verdict(context: ConsolidationContext, past: PastRuns, logs: Sequence[Unread]) -> Due:
    turns = sorted((turn.ts for log in logs for turn in log.turns if turn.ts), key=instant)
    if logs and not turns:
        return Due(True, "turns wait, and their logs have no clock")
    runs = sorted(record.at for record in past.records if record.at)
    return due(
        context.writing.now,
        last_run=_moment(runs[-1:]),
        newest_turn=_moment(turns[-1:]),
        oldest_waiting=_moment(turns[:1]),
        interval_minutes=context.rules.interval,
        idle_minutes=context.rules.idle,
        after_hours=context.after,
    )


def _moment(times: Sequence[str]) -> datetime | None:
    try:
        return utc(datetime.fromisoformat(times[0])) if times else None
    except ValueError:
        return None


# redo: old logs read again by the current version, on a branch; what a person edited stays

_SAME = "these logs give the same result today"


def redo(context: ConsolidationContext, since: str) -> Consolidated:
    """Consolidates the logs of a day and later once more, as commits on a branch that waits for a yes.

    Raises:
        InputError: `since` is no day.
        HistoryError: there is no repository to hold a branch.
    """
    day = given_day(since)
    with one_at_a_time(context.writing.root):
        history = History(context.writing.root)
        if not history.git_dir:
            raise HistoryError(f"redo needs a branch to work on, and {history.state().sentence}")
        past = past_runs(context)
        logs = select(context.vault, past, since=day)
        # Its own earlier episodes are not near duplicates: they are what is written anew.
        changes = change_set(context, past, logs, verb="redo", merge=False)
        if not changes.ranges:
            return Consolidated(changes, waits=f"there are no logs since {day}")
        changes = _replace_notes(context, past, history, changes)
        collections = context.writing.schema().collections
        outcome = outcome_of(changes.changes, collections, lambda path: context.writing.text(path) or None)
        if not any(before != after for before, after in outcome.values()):
            return Consolidated(ChangeSet(""), waits=_SAME)
        # A person looks at all of it before it counts, so nothing is too much.
        applied = apply(context.writing, changes, mode="branch", loss_budget=1.0, progress=context.progress)
        return Consolidated(changes, applied, mode="branch")


def _replace_notes(
    context: ConsolidationContext, past: PastRuns, history: History, changes: ChangeSet
) -> ChangeSet:
    """The change set with today's text over each note that a run wrote, and the notes that no log line gives any more archived."""
    notes = _own_episodes(context, past, history, changes)
    imprints = dict(notes.values())
    written = {
        action.path for change in changes.changes for action in change.actions if isinstance(action, NewFile)
    }
    after = [
        change._replace(
            actions=tuple(
                Replace(action.path, action.text, basis=imprints[action.path])
                if isinstance(action, NewFile) and action.path in imprints
                else action
                for action in change.actions
            )
        )
        for change in changes.changes
    ]
    away = [_archive_note(id_, *note) for id_, note in notes.items() if note[0] not in written]
    return changes._replace(changes=(*after, *away))


def _own_episodes(
    context: ConsolidationContext, past: PastRuns, history: History, changes: ChangeSet
) -> dict[str, tuple[str, str]]:
    """The episodes (id → path and imprint) that runs wrote of these logs and that nobody has edited since."""
    logs = {range_.path for text in changes.ranges for range_ in parse_ranges(text)}
    return {
        id_: (address.path, text)
        for id_, source in _episodes(past)
        if any(range_.path in logs for range_ in parse_ranges(source))
        and (address := context.catalog.resolve(id_))
        and address.path.startswith("episodes/")
        and (
            text := imprint(context.writing.text(address.path))
        )  # read first: what is edited meanwhile is no longer this
        and _is_untouched(history, address.path)
    }


def _episodes(past: PastRuns) -> Iterator[tuple[str, str]]:
    for record in past.records:
        yield from record.episodes.items()


def _is_untouched(history: History, path: str) -> bool:
    last = commit_log(history, [path], limit=1)
    return bool(last) and last[0].run.partition("-")[0] in ("consolidate", "redo", "approve")


def _archive_note(id_: str, path: str, text: str) -> PlannedChange:
    name = path.rpartition("/")[2]
    return PlannedChange(
        kind="merge",
        title=f"{id_} is covered by other episodes now",
        actions=(MoveFile(path, f"archive/episodes/{name}", basis=text),),
        id=id_,
    )
