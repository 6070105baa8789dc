"""Applies a change set: each planned change becomes edits, the edits one commit; the run record ends the run.

What cannot be done becomes a proposal: uncommitted work of the user is in the way, or the file no longer says what the change was
planned on. Applied again, a change set changes nothing more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from memoryclaw.consolidation.actions import ConfirmFact, TickTodo
from memoryclaw.consolidation.changes import (
    ChangeSet,
    PlannedChange,
    fingerprint_of,
    moves,
    outcome_of,
    parts_of,
    proposal,
    record_path,
    render_record,
    rewrites,
)
from memoryclaw.consolidation.selecting import BRANCHES
from memoryclaw.errors import BudgetError, HistoryError, InputError, MemoryClawError
from memoryclaw.history import journal, repository
from memoryclaw.history.repository import History, Version
from memoryclaw.late import NamedTuple
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode
from memoryclaw.text.memory_lines import without_fields
from memoryclaw.vault.layout import is_safe_path, timestamp
from memoryclaw.writing.context import Templates, WriteContext
from memoryclaw.writing.writer import (
    REFUSED,
    Edit,
    Move,
    Outcome,
    PendingCommit,
    Writer,
    patch_bytes,
    paths_of,
    plans_for,
    writing,
)

VERB = "consolidate"
_BATCH = 32  # changes that land at once: a commit each, all of them or none when killed


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
    """Does what was planned, and records that it is done.

    Args:
        changes: the plan; one without ranges has read no logs, and leaves no record.
        mode: `direct` on the current branch, `branch` on a branch of its own, `propose` as files under `review/`.
        loss_budget: the share of a file's lines that a run may lose at most.
        progress: called with (done, total) again and again.

    Raises:
        BudgetError: the run would lose too much; nothing was written.
        HistoryError: git is in no state to take a commit; nothing was written.
        LockedError: another writer is at work.
    """
    if not (changes.ranges or changes.changes):
        return Applied()
    record = record_path(changes.run) if changes.ranges else ""
    with writing(context.root) as writer:
        target = _target(writer, changes.run, mode)
        if target is None:
            return Applied(record=record)  # it waits already
        if record and target.read_all([record])[record] is not None:
            return Applied(record=record)
        # Finds a merge conflict in a file of the run before the first file is written.
        paths = {path for change in changes.changes for action in change.actions for path in action.paths}
        for path in [] if writer.untracked else sorted(writer.history.conflicts() & paths):
            raise HistoryError(
                f"nothing was written: {path} has a merge conflict in the vault's git repository; resolve it first"
            )
        run = _Run(context, target, changes, mode)
        must_keep(run.outcome(), loss_budget)
        count, total = 0, len(changes.changes) + bool(record)
        while count < len(changes.changes):
            if progress:
                progress(count, total)
            count += run.batch(changes.changes[count : count + _BATCH])
        if record:
            run.record()
        if isinstance(target, BranchWriter):
            target.publish(VERB)
        if progress:
            progress(total, total)
    notices = dict.fromkeys([*run.notices, *run.refused])
    return Applied(tuple(run.commits), tuple(run.proposed), record, tuple(notices))


def _target(writer: Writer, run: str, mode: str) -> Writer | BranchWriter | None:
    """Where a run writes; None where its branch is there."""
    if mode != "branch":
        return writer
    if writer.untracked:
        raise HistoryError(f"nothing was written: consolidation.mode is `branch`, and {writer.untracked}")
    if repository.branches(writer.history, BRANCHES + run):
        return None
    return BranchWriter(writer.history, run)


class _Step(NamedTuple):
    """A commit to make, how it is reported once it is made, and the file of the proposal that it writes."""

    commit: PendingCommit
    report: AppliedChange
    proposal: str = ""


class _Run:
    """A run on its way, and what it did so far."""

    def __init__(
        self, context: WriteContext, target: Writer | BranchWriter, changes: ChangeSet, mode: str
    ) -> None:
        self._context = context
        self._target = target
        self._changes = changes
        self._mode = mode
        self._messages = CommitMessages(context.templates, changes.run, by_logs=bool(changes.ranges))
        self._collections = context.schema().collections
        self.commits: list[AppliedChange] = []
        self.proposed: list[str] = []
        self.notices: list[str] = []
        self.refused: list[str] = []  # what could not be done, and why

    def outcome(self) -> dict[str, tuple[str, str]]:
        """The text before and after of each file that the run would write; proposals do not count."""
        todo = [change for change in self._changes.changes if not waits(change, self._mode)]
        paths = dict.fromkeys(path for change in todo for action in change.actions for path in action.paths)
        contents = self._target.read_all(path for path in paths if is_safe_path(path))
        texts = {path: decode(content).text for path, content in contents.items() if content is not None}
        return outcome_of(todo, self._collections, texts.get, as_planned=True)

    def batch(self, changes: Sequence[PlannedChange]) -> int:
        """Makes changes in order, and proposes the first that is refused; returns how many that were."""
        count, refused = self._commit([self._step(change) for change in changes])
        if not refused:
            return count
        change = changes[count]
        pieces = parts_of(change)
        if not pieces:
            self._propose(change, refused)
        while pieces:  # an episode is kept even where one of its facts cannot be written
            made, refused = self._commit([self._step(piece) for piece in pieces])
            pieces = pieces[made:]
            if refused and isinstance(pieces[0].actions[0], ConfirmFact | TickTodo):
                self.refused.append(f"{pieces[0].title} was not written down: {refused}")
            elif refused:
                self._propose(pieces[0], refused)
            pieces = pieces[1:]
        return count + 1

    def record(self) -> None:
        """Writes the record, which ends the run."""
        changes = self._changes
        noticed = changes._replace(notices=(*changes.notices, *self.refused))
        text = render_record(noticed, self.proposed, timestamp(self._context.now), self._mode)
        title = f"Consolidated {changes.turns} turn{'s' if changes.turns != 1 else ''}"
        self._must_commit(
            _Step(
                PendingCommit(
                    [new_file(record_path(changes.run), text)],
                    lambda: self._messages.record(changes, self._mode),
                ),
                AppliedChange("record", title, "", changes.run),
            )
        )

    def _step(self, change: PlannedChange) -> _Step:
        """A change as edits of files and their commit."""
        if waits(change, self._mode):
            return self._proposal(change)
        patches = rewrites(change, self._collections, as_planned=True)
        edits = [Edit(path, patch_bytes(patch)) for path, patch in patches.items()]
        # A file that is no longer there was moved by an earlier try, or a person took it away.
        away = [Move(move.path, move.to, if_there=True) for move in moves(change)]
        return _Step(
            PendingCommit([*edits, *away], lambda: self._messages.change(change)),
            AppliedChange(change.kind, change.title, "", change.id),
        )

    def _proposal(self, change: PlannedChange) -> _Step:
        if not change.reason:
            reason = (
                self._changes.held or "consolidation.mode is `propose`, so everything waits for your decision"
            )
            change = change._replace(reason=reason)
        # What time asks for is the same whichever run finds it, so that a night after a killed one leaves the same bytes.
        path, text = proposal(change, self._changes.run if self._changes.ranges else "")
        return _Step(
            PendingCommit([new_file(path, text)], lambda: self._messages.proposal(change)),
            AppliedChange("proposal", change.title, "", path.rpartition("/")[2].removesuffix(".md")),
            path,
        )

    def _propose(self, change: PlannedChange, error: MemoryClawError) -> None:
        self.refused.append(f"{change.title} waits: {error}")
        self._must_commit(self._proposal(change._replace(reason=str(error))))

    def _must_commit(self, step: _Step) -> None:
        _, refused = self._commit([step])
        if refused:
            raise refused

    def _commit(self, steps: Sequence[_Step]) -> tuple[int, MemoryClawError | None]:
        """How many were made, and why the next one was not."""
        commits = [step.commit for step in steps]
        outcomes, refused = self._target.write_all(commits, verb=VERB, now=self._context.now)
        for step, outcome in zip(steps, outcomes, strict=False):
            self.notices += [outcome.notice] if outcome.notice else []
            self.proposed += [step.proposal] if step.proposal else []
            self.commits += [step.report._replace(commit=outcome.commit)] if outcome.changed else []
        return len(outcomes), refused


def new_file(path: str, text: str) -> Edit:
    """A file that is written if there is none: what stands there is from an earlier try, perhaps edited since."""
    return Edit(path, patch_bytes(lambda standing: text if standing is None else standing))


# A run on a branch of its own


class BranchWriter:
    """Writes like a `Writer`, but only commits, one on the other, that nothing shows until `publish`."""

    def __init__(self, history: History, run: str) -> None:
        self._history = history
        self._ref = BRANCHES + run
        self._tip = history.head()

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes | None]:
        """The bytes of files as the branch has them, None where it has none."""
        versions = self._history.tip(self._ref, self._tip, list(paths)).sides
        return {path: side.head_data for path, side in versions.items()}

    def write_all(
        self, items: Sequence[PendingCommit], *, verb: str, now: datetime
    ) -> tuple[list[Outcome], MemoryClawError | None]:
        """Makes the items in order as commits on top of the branch, like the method of the same name of `Writer`."""
        del verb
        paths: list[str] = []
        refused: MemoryClawError | None = None
        for number, commit in enumerate(items):
            try:
                paths += paths_of(commit.changes)
            except InputError as error:  # a path outside the vault
                items, refused = items[:number], error
                break
        base = self._history.tip(self._ref, self._tip, paths)
        outcomes: list[Outcome] = []
        objects: list[tuple[str, bytes]] = []
        for commit in items:
            contents = {path: side.head_data for path, side in base.sides.items()}
            try:
                plans = plans_for(commit.changes, contents, base.sides)
            except REFUSED as error:
                refused = error
                break
            versions = {plan.path: Version(plan.after) for plan in plans}
            outcomes.append(Outcome(changed=False))
            if versions:
                draft = self._history.draft(base, versions, commit.message(), now)
                base, self._tip = draft.base, draft.made.commit
                objects += draft.objects
                outcomes[-1] = Outcome(changed=True, commit=self._tip)
        if objects:
            self._history.store(objects, base.tree.hash_name)
        return outcomes, refused

    def publish(self, verb: str) -> None:
        """Lets the branch appear."""
        with journal.note_branch(self._history, self._ref, self._tip, verb):
            repository.create_branch(self._history, self._ref, self._tip, verb)


# The commit messages. Words of a log stay on lines of their own and never look like a trailer.

_PROPOSALS = frozenset({"pending", "skill"})  # kinds that are proposals already
_QUOTES, _RANGES = 12, 20
_NAMES = {
    "episode": ("episode", "episodes"),
    "fact": ("fact", "facts"),
    "statement": ("statement", "statements"),
    "ended": ("superseded value", "superseded values"),
    "doubted": ("fact to be verified", "facts to be verified"),
    "waiting": ("waiting fact", "waiting facts"),
    "skill": ("skill draft", "skill drafts"),
    "merge": ("merge", "merges"),
    "archive": ("archived note", "archived notes"),
    "expired": ("expired fact", "expired facts"),
    "proposal": ("proposal", "proposals"),
}


class CommitMessages(NamedTuple):
    """Renders the commit messages of one run."""

    templates: Templates
    run: str
    by_logs: bool = True  # else what is there already gave the changes, and undo must know each of them again

    def change(self, change: PlannedChange) -> str:
        """The message of a change: its title, what was said, where it comes from."""
        template, last = ("consolidate-change", {"confidence": change.confidence})
        if not self.by_logs:
            template, last = "upkeep", {"known_by": fingerprint_of(change)}
        fields = {"title": change.title, "evidence": change.evidence[:_QUOTES], "run": self.run}
        return self.templates.commit_message(template, **fields, source=change.source, **last)

    def proposal(self, change: PlannedChange) -> str:
        """The message of the commit of a proposal."""
        return self.templates.commit_message(
            "consolidate-proposal",
            title=change.title,
            reason=change.reason.rstrip("."),
            id=proposal(change, self.run)[0].rpartition("/")[2].removesuffix(".md"),
            run=self.run,
            source=change.source,
            confidence=change.confidence,
        )

    def record(self, changes: ChangeSet, mode: str) -> str:
        """The message of the last commit of a run."""
        omitted = len(changes.ranges) - _RANGES
        source = [*changes.ranges[:_RANGES], *([f"and {omitted} more"] if omitted > 0 else [])]
        return self.templates.commit_message(
            "consolidate-record",
            turns=changes.turns,
            made=summary_of(changes, mode),
            path=record_path(self.run),
            held=changes.held,
            run=self.run,
            source=" ".join(source),
        )


def waits(change: PlannedChange, mode: str) -> bool:
    """True when a change is proposed and not done."""
    return bool(change.reason) or (mode == "propose" and change.kind not in _PROPOSALS)


def summary_of(changes: ChangeSet, mode: str) -> str:
    """`2 episodes, 3 facts`: what a change set comes to."""
    counts: Counter[str] = Counter()
    for change in changes.changes:
        if waits(change, mode):
            counts["proposal"] += 1
            continue
        counts[change.kind] += change.kind not in {"fact", "pending"}
        counts.update(action.counted_as for action in change.actions)
    counted = [f"{counts[kind]} {name[counts[kind] != 1]}" for kind, name in _NAMES.items() if counts[kind]]
    return ", ".join(counted) or "nothing to keep"


# The loss budget: how many lines of a file would stand nowhere after a run


class Loss(NamedTuple):
    """How many lines of a file would be lost, and how many it has; blank lines do not count."""

    path: str
    lost: int
    lines: int


def lost_lines(before: str, after: str, elsewhere: Iterable[str] = ()) -> int:
    """How many lines stand neither in the file as it will be nor elsewhere.

    A line whose words all stand in the lines that came is not lost: its value moved to History, or it got one more source.

    Args:
        before: the text now.
        after: the text as it will be.
        elsewhere: lines that other files get.
    """
    old, new = _lines(before), _lines(after)
    gone, come = old - new, new - old
    if not gone:
        return 0
    moved, words = {line.strip() for line in elsewhere}, {word for line in come for word in _words(line)}
    return sum(
        count for line, count in gone.items() if line not in moved and not words.issuperset(_words(line))
    )


def losses(files: Mapping[str, tuple[str, str]]) -> list[Loss]:
    """What each file (path → text before and after) would lose, the worst first; files that lose nothing are left out."""
    come = {line for before, after in files.values() for line in _lines(after) - _lines(before)}
    losing = [
        Loss(path, gone, _lines(before).total())
        for path, (before, after) in files.items()
        if (gone := lost_lines(before, after, come))
    ]
    return sorted(losing, key=lambda loss: (-loss.lost / loss.lines, loss.path))


def must_keep(files: Mapping[str, tuple[str, str]], budget: float) -> None:
    """Raises BudgetError when a file would lose a larger share of its lines than the budget."""
    for loss in losses(files)[:1]:
        if loss.lost > budget * loss.lines:
            raise BudgetError(
                f"nothing was written: {loss.path} would lose {loss.lost} of its {loss.lines} lines "
                f"({loss.lost / loss.lines:.0%}), more than the {budget:.0%} that consolidation.lossBudget allows"
            )


def must_be_its_own(steps: Iterable[tuple[str, str, str]], changes: Iterable[tuple[str, str]]) -> None:
    """Raises BudgetError when taking changes back would lose more lines than the changes brought.

    Args:
        steps: what is about to be done, in order, as a path and the text after and before the step.
        changes: each change that is taken back, as the text before and after it.
    """
    files: dict[str, tuple[str, str]] = {}
    for path, after, before in steps:
        files[path] = (files.get(path, (before,))[0], after)
    gone = sum(loss.lost for loss in losses(files))
    came = sum((_lines(after) - _lines(before)).total() for before, after in changes)
    if gone > came:
        raise BudgetError(
            f"nothing was written: the undo would remove {gone} lines, more than the {came} that it takes back"
        )


def _lines(text: str) -> Counter[str]:
    return Counter(stripped for line in text.splitlines() if (stripped := line.strip()))


def _words(line: str) -> list[str]:
    """The words of a line; brackets, pipes and other marks around them do not count, nor how often it served."""
    tokens = without_fields(line, "count", "last").split()
    return [word for token in tokens if (word := token.strip("|-*+[](),:"))]
