"""A run that waits as a branch of its own, approved commit by commit on the current branch, or rejected."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import NamedTuple

from memoryclaw.consolidation.actions import Action
from memoryclaw.consolidation.apply import CommitMessages, new_file
from memoryclaw.consolidation.changes import PlannedChange, read_record
from memoryclaw.consolidation.proposals import proposal
from memoryclaw.consolidation.selecting import BRANCHES, OpenBranch, read_branch
from memoryclaw.errors import ConflictError, HistoryError, NotFoundError
from memoryclaw.history import journal, repository
from memoryclaw.history.repository import Branch, History, Logged
from memoryclaw.model import FileChange
from memoryclaw.review.file_changes import actions_of, replay
from memoryclaw.text.encoding import decode, encode, in_form_of, same_text
from memoryclaw.vault.layout import DECISIONS_FILE, timestamp
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import APPROVED, REJECTED, Decision, Decisions, decisions_of, fingerprint
from memoryclaw.writing.pending import PENDING_FILE, read_pending, remove_pending
from memoryclaw.writing.writer import Edit, Writer, patch_bytes, writing

_REPLAYED = "Approved"  # the trailer that names the commit of the branch


class Approved(NamedTuple):
    """What became of a branch: the commits on the current branch, the proposals for what met later edits, and remarks."""

    commits: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def approve(context: WriteContext, run: str) -> Approved:
    """Makes every commit of a run's branch again on the current branch, then removes the branch.

    Raises:
        ConflictError: the branch is checked out, or holds commits that are not the run's.
        NotFoundError: no branch of this run is open.
    """
    with writing(context.root) as writer:
        branch, waiting = _find(writer, run)
        for recorded in waiting.commits:
            if recorded.trailers.get("Run") != waiting.run:
                name = branch.ref.removeprefix("refs/heads/")
                raise ConflictError(
                    f"{name} holds a commit that is not the run's ({recorded.commit[:12]}); take it in with `git merge {name}`"
                )
        made = writer.history.of_run(run) if writer.history.head() else ()
        replayed_already = {commit.trailers.get(_REPLAYED) for commit in made}
        remaining = [recorded for recorded in waiting.commits if recorded.commit not in replayed_already]
        replay = _Replay(context, writer, run)
        for recorded in remaining:
            replay.replay_commit(recorded, last=recorded is remaining[-1])
        _drop(writer.history, branch)
    return Approved(tuple(replay.commits), tuple(replay.proposed), tuple(dict.fromkeys(replay.notices)))


def reject(context: WriteContext, run: str) -> str:
    """Writes down that a run is not wanted, so that its log lines count as done, then removes its branch; returns the commit.

    Raises:
        ConflictError: the branch is checked out.
        NotFoundError: no branch of this run is open.
    """
    with writing(context.root) as writer:
        branch, waiting = _find(writer, run)
        ranges = tuple(map(str, read_record(waiting.record).ranges))
        decide = _decision_edit(
            writer, Decision(timestamp(context.now), REJECTED, "run", run=run, ranges=ranges)
        )
        message = context.message("consolidate-rejected", run=run)
        outcome = writer.write([decide], message, verb="reject", now=context.now)
        _drop(writer.history, branch)
    return outcome.commit


def _drop(history: History, branch: Branch) -> None:
    with journal.note_branch(history, branch.ref, branch.tip, "review"):
        repository.delete_branch(history, branch)


class _Replay:
    """The commits of one branch, made again one after another."""

    def __init__(self, context: WriteContext, writer: Writer, run: str) -> None:
        self._context = context
        self._writer = writer
        self._run = run
        self.commits: list[str] = []
        self.proposed: list[str] = []
        self.notices: list[str] = []

    def replay_commit(self, recorded: Logged, *, last: bool) -> None:
        """One commit; what of it meets later edits becomes a proposal. The last one brings the decision with it."""
        changes = [self._without_refused(c) for c in self._writer.history.changes(recorded.commit)]
        edits = [Edit(change.path, partial(self._again, change)) for change in changes]
        if last:
            decision = Decision(timestamp(self._context.now), APPROVED, "run", run=self._run)
            edits.append(_decision_edit(self._writer, decision))
        message = f"{recorded.message.rstrip()}\n{_REPLAYED}: {recorded.commit}\n"
        try:
            self._write(edits, message)
        except ConflictError as error:
            self._propose(recorded, changes, str(error))

    def _without_refused(self, change: FileChange) -> FileChange:
        """The change, asking for nothing that a person said no to while the branch waited."""
        if change.path != PENDING_FILE or change.after is None:
            return change
        file, decisions = decode(change.after), decisions_of(self._context.root)
        refused = [
            fact.id
            for fact in read_pending(file.text)
            if decisions.is_rejected(fingerprint("fact", fact.entity, fact.field, fact.value))
        ]
        return change._replace(after=encode(file._replace(text=reduce(remove_pending, refused, file.text))))

    def _propose(self, recorded: Logged, changes: Sequence[FileChange], why: str) -> None:
        actions: list[Action] = []
        for c in changes:
            actions += actions_of(c.path, _text(c.before), _text(c.after), self._context.facts_file(c.path))
        title = recorded.subject
        if not actions:
            self.notices.append(f"{title} was left out: {why}")
            return
        source, confidence = (recorded.trailers.get(key, "") for key in ("Source", "Confidence"))
        change = PlannedChange("fact", title, tuple(actions), (), source, confidence, why)
        path, text = proposal(change, self._run)
        message = CommitMessages(self._context.templates, self._run).proposal(change)
        self._write([new_file(path, text)], f"{message.rstrip()}\n{_REPLAYED}: {recorded.commit}\n")
        self.proposed.append(path)

    def _write(self, edits: Sequence[Edit], message: str) -> None:
        outcome = self._writer.write(edits, lambda: message, verb="approve", now=self._context.now)
        self.commits += filter(None, [outcome.commit])
        self.notices += filter(None, [outcome.notice])

    def _again(self, change: FileChange, now: bytes | None) -> bytes | None:
        if now in (change.before, change.after):
            return change.after
        if same_text(now, change.after):
            return now
        if now is None or change.after is None:
            raise ConflictError(f"{change.path} {'is gone' if now is None else 'was changed'} since")
        if change.before is None:
            return now  # a file of that name came meanwhile, and stays
        current, base, target = (decode(in_form_of(data, now)) for data in (now, change.before, change.after))
        file = self._context.facts_file(change.path)
        text = replay(base.text, target.text, current.text, file)
        if text is None:
            raise ConflictError(f"{change.path} was changed on the same lines since")
        return encode(current._replace(text=text))


def _find(writer: Writer, run: str) -> tuple[Branch, OpenBranch]:
    if writer.untracked:
        raise HistoryError(f"no branch waits: {writer.untracked}")
    for branch in repository.branches(writer.history, BRANCHES + run):
        if branch.ref == BRANCHES + run:
            if branch.checked_out:
                raise ConflictError(
                    f"the branch memoryclaw/{run} is checked out; switch to your own branch first"
                )
            return branch, read_branch(writer.history, branch)
    raise NotFoundError(f"no run {run!r} waits as a branch; `memoryclaw review` lists what waits")


def _decision_edit(writer: Writer, decision: Decision) -> Edit:
    """The line of a decision, once; who took it is the commit's author."""
    decision = decision._replace(by=writer.history.author()[0])

    def change(text: str | None) -> str:
        text = text or ""
        if any(d.run == decision.run and d.decision == decision.decision for d in Decisions.read(text).all):
            return text
        return text + ("\n" if text and not text.endswith("\n") else "") + decision.line()

    return Edit(DECISIONS_FILE, patch_bytes(change))


def _text(data: bytes | None) -> str | None:
    return None if data is None else decode(data).text
