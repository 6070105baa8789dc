"""Applies a change set: one commit for each change, the run record last. The rule: applied again, it changes nothing more.

What cannot be done because work of the user's stands there becomes a proposal; what was done before is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from memoryclaw.consolidation.branching import PREFIX, BranchWriter
from memoryclaw.consolidation.changes import ChangeSet, ConfirmFact, NewFile, PlannedChange, SetFact
from memoryclaw.consolidation.patches import CommitMessages, moves, must_keep, outcome_of, rewrites, waits
from memoryclaw.consolidation.proposals import proposal
from memoryclaw.consolidation.run_record import paths_of, record_path, render_record
from memoryclaw.errors import HistoryError, InputError, MemoryClawError
from memoryclaw.history import git_log
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode
from memoryclaw.text.naming import safe_path, timestamp
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.remember import fact_in_words
from memoryclaw.writing.writer import Edit, Move, Outcome, PendingCommit, Writer, patched, writing

VERB = "consolidate"
_TOGETHER = 32  # changes that land at once: a commit each, all of them or none when killed


class AppliedChange(NamedTuple):
    """One change of a run that is in the files; `commit` is empty where nothing can be committed."""

    kind: str  # episode | fact | pending | skill | merge | proposal | record
    title: str
    commit: str
    id: str = ""


class Applied(NamedTuple):
    """What a run did: its commits in order, the files in which proposals wait, its record, and what else to know."""

    commits: tuple[AppliedChange, ...] = ()
    proposed: tuple[str, ...] = ()
    record: str = ""
    notices: tuple[str, ...] = ()


def apply(
    context: WriteContext,
    changes: ChangeSet,
    *,
    mode: str,
    loss_budget: float,
    progress: Progress | None = None,
) -> Applied:
    """Does what was planned, and writes down that it is done.

    Args:
        context: the vault and the moment.
        changes: the plan; without ranges nothing was read, and nothing is written.
        mode: `direct` on the current branch, `branch` on a branch of its own, `propose` as files under `review/`.
        loss_budget: the share of a file's lines that a run may lose at most.
        progress: told (done, total) again and again.

    Raises:
        BudgetError: the run would lose too much; nothing was written.
        HistoryError: git is in no state to take a commit; nothing was written.
        LockedError: another writer is at work.
    """
    if not changes.ranges:
        return Applied()
    record = record_path(changes.run)
    with writing(context.root) as writer:
        pages = _pages(writer, changes.run, mode)
        if pages is None or pages.read_all([record])[record] is not None:
            return Applied(record=record)
        _must_be_clear(writer, changes)
        _must_keep(context, pages, changes, mode, loss_budget)
        work = _RunState(context, pages, CommitMessages(context.templates, changes.run), mode)
        total = len(changes.changes) + 1
        at = 0
        while at < len(changes.changes):
            if progress:
                progress(at, total)
            at += work.some(changes.changes[at : at + _TOGETHER])
        work.record(changes)
        if isinstance(pages, BranchWriter):
            pages.publish(VERB)
        if progress:
            progress(total, total)
    return Applied(tuple(work.done), tuple(work.proposed), record, tuple(dict.fromkeys(work.notices)))


class FileTarget(Protocol):
    """Where changes are made: the vault's files with the current branch, or a branch of its own."""

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes | None]:
        """The bytes of files, None where there is none."""

    def write_all(
        self, items: Sequence[PendingCommit], *, verb: str, now: datetime
    ) -> tuple[list[Outcome], MemoryClawError | None]:
        """Makes the items in order, a commit each; what became of each, and why the next one was left out."""


class _PlannedCommit(NamedTuple):
    """A change on its way: what it is called once it is done, how it is done, and the file of its proposal."""

    done: AppliedChange
    item: PendingCommit
    proposal: str = ""


class _RunState:
    """One run under way: what it did so far."""

    def __init__(self, context: WriteContext, pages: FileTarget, teller: CommitMessages, mode: str) -> None:
        self._write_context = context
        self._pages = pages
        self._teller = teller
        self._mode = mode
        self._collections = context.schema().collections
        self.done: list[AppliedChange] = []
        self.proposed: list[str] = []
        self.notices: list[str] = []

    def some(self, changes: Sequence[PlannedChange]) -> int:
        """Does changes in order, or proposes them; returns how many, as one that met trouble ends the batch."""
        made, refused = self._write([self._told(change) for change in changes])
        if not refused:
            return made
        self._in_parts(changes[made], str(refused))
        return made + 1

    def record(self, changes: ChangeSet) -> None:
        """Writes the record, which ends the run."""
        path, context = record_path(changes.run), self._write_context
        text = render_record(changes, self.proposed, timestamp(context.now), self._mode)
        done = AppliedChange(
            "record", f"Consolidated {changes.turns} turn{'s' if changes.turns != 1 else ''}", "", changes.run
        )
        self._one(
            _PlannedCommit(
                done, PendingCommit([_new(path, text)], lambda: self._teller.record(changes, self._mode))
            )
        )

    def _told(self, change: PlannedChange) -> _PlannedCommit:
        if waits(change, self._mode):
            return self._proposed(change)
        edits = [Edit(found.path, patched(found.patch)) for found in rewrites(change, self._collections)]
        # A file that is no longer there was moved by an earlier try, or a person took it away.
        away = [Move(m.path, m.to, if_there=True) for m in moves(change)]
        done = AppliedChange(change.kind, change.title, "", change.id)
        return _PlannedCommit(done, PendingCommit([*edits, *away], lambda: self._teller.change(change)))

    def _proposed(self, change: PlannedChange) -> _PlannedCommit:
        if not change.reason:
            change = change._replace(reason="consolidation.mode is `propose`, so everything waits for a yes")
        path, text = proposal(change, self._teller.run)
        done = AppliedChange("proposal", change.title, "", path.rpartition("/")[2].removesuffix(".md"))
        return _PlannedCommit(
            done, PendingCommit([_new(path, text)], lambda: self._teller.proposal(change)), path
        )

    def _in_parts(self, change: PlannedChange, why: str) -> None:
        """An episode is kept even where one of its facts cannot be written; what cannot be done is proposed."""
        parts = _parts(change) if change.kind == "episode" else []
        if not parts:
            self._one(self._proposed(change._replace(reason=why)))
        for part in parts:
            made, refused = self._write([self._told(part)])
            if refused and isinstance(part.actions[0], ConfirmFact):
                self.notices.append(f"{part.title} was not written down: {refused}")
            elif not made:
                self._one(self._proposed(part._replace(reason=str(refused))))

    def _one(self, told: _PlannedCommit) -> None:
        _, refused = self._write([told])
        if refused:
            raise refused

    def _write(self, told: Sequence[_PlannedCommit]) -> tuple[int, MemoryClawError | None]:
        """How many were done, and why the next one was not."""
        outcomes, refused = self._pages.write_all(
            [t.item for t in told], verb=VERB, now=self._write_context.now
        )
        for one, outcome in zip(told, outcomes, strict=False):
            self.notices += [outcome.notice] if outcome.notice else []
            self.proposed += [one.proposal] if one.proposal else []
            self.done += [one.done._replace(commit=outcome.commit)] if outcome.changed else []
        return len(outcomes), refused


def _parts(change: PlannedChange) -> list[PlannedChange]:
    """An episode, then each of its facts alone; nothing when there is nothing to take apart."""
    new = tuple(action for action in change.actions if isinstance(action, NewFile))
    rest = [action for action in change.actions if not isinstance(action, NewFile)]
    parts = [change._replace(actions=new)] if new and rest else []
    for action in rest if new else []:
        title = change.title
        if isinstance(action, SetFact):
            title = fact_in_words(action.entity, action.field, action.value)
        elif isinstance(action, ConfirmFact):
            title = f"One more source of {action.fact}"
        parts.append(change._replace(kind="fact", title=title, actions=(action,), id=""))
    return parts


def _pages(writer: Writer, run: str, mode: str) -> FileTarget | None:
    """What a run writes on; None when it waits as a branch already."""
    if mode != "branch":
        return writer
    if writer.untracked:
        raise HistoryError(f"nothing was written: consolidation.mode is `branch`, and {writer.untracked}")
    waiting = git_log.branches(writer.history, PREFIX + run)
    return None if waiting else BranchWriter(writer.history, run)


def _must_be_clear(writer: Writer, changes: ChangeSet) -> None:
    """Finds a merge conflict in a file of the run before the first file is written."""
    paths = {path for change in changes.changes for action in change.actions for path in paths_of(action)}
    for path in [] if writer.untracked else sorted(writer.history.conflicts() & paths):
        raise HistoryError(
            f"nothing was written: {path} has a merge conflict in the vault's git repository; resolve it first"
        )


def _must_keep(
    context: WriteContext, pages: FileTarget, changes: ChangeSet, mode: str, budget: float
) -> None:
    todo = [change for change in changes.changes if not waits(change, mode)]
    paths = dict.fromkeys(path for change in todo for action in change.actions for path in paths_of(action))
    found = pages.read_all(path for path in paths if _is_safe(path))
    texts = {path: decode(data).text for path, data in found.items() if data is not None}
    must_keep(outcome_of(todo, context.schema().collections, texts.get), budget)


def _is_safe(path: str) -> bool:
    try:
        safe_path(path)
    except InputError:
        return False
    return True


def _new(path: str, text: str) -> Edit:
    """A file that is written if there is none: what stands there is from an earlier try, perhaps edited since."""
    return Edit(path, patched(lambda now: text if now is None else now))
