"""approve and reject: a person's decision and what comes of it, in one commit; it is remembered by fingerprint, not by content."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial, reduce

from memoryclaw.consolidation.actions import NewFile
from memoryclaw.consolidation.apply import CommitMessages, new_file
from memoryclaw.consolidation.changes import (
    APPROVE,
    BOTH,
    PlannedChange,
    moves,
    proposal,
    read_proposal,
    read_record,
    rewrites,
)
from memoryclaw.consolidation.selecting import BRANCHES, OpenBranch, read_branch
from memoryclaw.errors import ConflictError, HistoryError, InputError, NotFoundError
from memoryclaw.history import journal, repository
from memoryclaw.history.repository import Branch, History, Logged
from memoryclaw.late import NamedTuple
from memoryclaw.lifecycle.conflict_decisions import (
    KIND,
    conflict_print,
    pair_print,
    rivals,
    says,
    side_in_words,
)
from memoryclaw.model import Fact, FileChange, Problem, grouped
from memoryclaw.review import elsewhere, widened
from memoryclaw.review.file_changes import actions_of, replay
from memoryclaw.review.queue import (
    CurrentFacts,
    DueCheck,
    ReviewItem,
    confirm,
    correct,
    end,
    find_item,
    is_unwanted,
    stands,
    stay,
    waiting_items,
)
from memoryclaw.review.setting_questions import SettingQuestion, with_answer
from memoryclaw.text.encoding import decode, encode, in_form_of, lines_of, readable, same_text
from memoryclaw.vault import edits, files
from memoryclaw.vault.conflict_rules import Conflict
from memoryclaw.vault.layout import DECISIONS_FILE, timestamp
from memoryclaw.vault.state_folder import state_folder, watcher
from memoryclaw.writing.context import WriteContext, Written, fact_in_words
from memoryclaw.writing.decisions import (
    APPROVED,
    REJECTED,
    Decision,
    Decisions,
    decisions_of,
    fingerprint,
    record_edit,
)
from memoryclaw.writing.edit import forget
from memoryclaw.writing.pending import PENDING_FILE, PendingFact, read_pending, remove_pending
from memoryclaw.writing.remember import fact_file
from memoryclaw.writing.writer import (
    Bytes,
    Edit,
    Move,
    Outcome,
    Writer,
    commit,
    patch_bytes,
    text_change,
    write,
    writing,
)

FAILED = "failed"
_REFUSED = (ConflictError, InputError, NotFoundError)
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?=_)")


class ReviewDecision(NamedTuple):
    """What became of one thing that waited."""

    id: str
    kind: str
    what: str
    action: str  # approved | rejected | failed
    commit: str = ""
    notice: str = ""


class _FactTarget(NamedTuple):
    """A fact on its way into its file."""

    file: edits.SemanticFile
    fact: PendingFact
    many: bool
    since: str

    def write(self, text: str) -> edits.FactEdit:
        """The text with the fact and all its sources."""
        fact = self.fact
        about = {
            "entity": fact.entity,
            "source": fact.source.partition(",")[0].strip(),
            "audience": fact.audience,
            "scope": fact.scope,
        }
        if fact.field:
            edited = edits.set_fact(
                text, self.file, field=fact.field, value=fact.value, since=self.since, many=self.many, **about
            )
        else:
            edited = edits.add_statement(text, self.file, words=fact.value, said=self.since, **about)
        return edited._replace(
            text=edits.add_sources(edited.text, self.file, (fact.entity, fact.field, fact.value), fact.source)
        )


def decide(
    context: WriteContext,
    items: Sequence[ReviewItem],
    decision: str,
    *,
    alone: bool = True,
    value: int = 0,
    reason: str = "",
) -> list[ReviewDecision]:
    """Approves or rejects each of these, one commit each; where one of several cannot be done, the others still are.

    Args:
        alone: False where more is decided than these, so that even a single refusal is told and not raised.
        value: the number of the value that holds, of a conflict or a setting.
        reason: why, in a person's words; it goes into the commit.
    """
    if value and (len(items) != 1 or not items[0].choices or decision != APPROVED):
        raise InputError("a value is chosen to approve one conflict or setting; nothing was decided")
    ruled = []
    for item in items:
        try:
            title, outcome = _Deciding(context, item, decision, value, reason).carry_out()
        except _REFUSED as error:
            if alone and len(items) == 1:
                raise
            ruled.append(ReviewDecision(item.id, item.kind, item.what, FAILED, notice=str(error)))
        else:
            ruled.append(ReviewDecision(item.id, item.kind, title, decision, outcome.commit, outcome.notice))
    return ruled


def item_as_shown(context: WriteContext, id_: str, digest: str) -> ReviewItem:
    """What waits under this id, if it still is what somebody was shown."""
    item = find_item(context, id_)
    if digest and item.digest != digest:
        raise ConflictError(f"{item.id} has changed since it was shown; look at it again")
    return item


def fact_target(context: WriteContext, fact: PendingFact) -> _FactTarget:
    """Where a waiting fact goes once it is approved, and the day from which it holds."""
    path = fact_file(context, context.lookup.entity_name(fact.entity), fact.field)
    day = _DAY.match(fact.source)
    since = fact.since or (day[0] if day else context.today)
    fact = fact._replace(entity=context.lookup.entity_name(fact.entity))
    standing = CurrentFacts(context).facts(fact.entity, fact.field)
    if any(since < earlier.since for earlier in standing):
        since = context.today  # what holds is newer than the question: a person's yes counts from today
    return _FactTarget(context.semantic(path), fact, context.schema().holds_many(fact.field), since)


# A run that waits as a branch of its own, approved commit by commit on the current branch, or rejected.

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
        actions = [a for c in changes for a in actions_of(c, self._context.facts_file(c.path))]
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


class _Deciding(NamedTuple):
    """One decision on one thing that waits."""

    context: WriteContext
    item: ReviewItem
    decision: str
    value: int
    reason: str

    @property
    def approves(self) -> bool:
        """True for a yes."""
        return self.decision == APPROVED

    def carry_out(self) -> tuple[str, Outcome]:
        """What was decided, in words, and what came of it."""
        context, item = self.context, self.item
        if item.is_skill:
            raise InputError(
                f"{item.id} is a skill; `memoryclaw skills approve {item.id}` or `skills reject` decides it"
            )
        if item.branch is not None:
            return item.what, self._branch()
        if item.is_of_others:
            return item.what, self._foreign()
        if item.question is not None:
            return self._setting(item.question)
        if item.check is not None:
            return item.what, self._check(item.check)
        if item.conflict is not None:
            item_as_shown(context, item.id, item.digest)
            return self._settle(item.conflict) if self.approves else self._both_stand(item.conflict)
        if context.text(item.path) != item.text and (
            item.fact is None or removal(context, item.fact) is None
        ):
            raise ConflictError(f"{item.id} has changed since it was shown; look at it again")
        if item.fact is not None:
            return item.what, self._fact(item.fact)
        if self.approves:
            return item.what, self._approve_proposal()
        move = Move(item.path, files.free_path(context.root, f"archive/{item.path}"))
        return item.what, self.write([move, record_edit(self._decisions())], item.what)

    def _check(self, check: DueCheck) -> Outcome:
        """A yes to what was to be verified: it holds still; a no: it no longer does."""
        context, item = self.context, self.item
        if not stands(context, check):
            raise ConflictError(f"{item.id} has changed since it was shown; look at it again")
        silent = self._replace(reason="")
        if is_unwanted(check):
            if not self.approves:
                return silent.write(stay(context, check), f"not forgotten: {item.what}")
            written = forget(context, check.id)
            return Outcome(changed=True, commit=written.commit, notice=written.notice)
        changes = confirm(context, check) if self.approves else end(context, check)
        return silent.write(changes, f"{'holds still' if self.approves else 'no longer so'}: {item.what}")

    def _setting(self, question: SettingQuestion) -> tuple[str, Outcome]:
        """An answer writes the setting, the first one where none is chosen; leaving it as is is not asked again."""
        context, item, value = self.context, self.item, self.value or 1
        item_as_shown(context, item.id, item.digest)
        if self.approves:
            edit = Edit(item.path, text_change(with_answer(question, value)))
            title = f"{question.subject}: {question.answers[value - 1].words}"
        else:
            edit = record_edit([self._decided(item.kind, mark) for mark in question.marks])
            title = f"{question.subject}: left as is"
        outcome = self.write([edit], title)
        # A server read its settings when it started.
        is_served = self.approves and watcher(state_folder(context.root))[0]
        notice = "the running server follows it once it is restarted" if is_served else ""
        return title, outcome._replace(notice="; ".join(filter(None, (outcome.notice, notice))))

    def _both_stand(self, conflict: Conflict) -> tuple[str, Outcome]:
        """A person says that all of the values may stand: they are marked, and listed, no more."""
        pairs = dict.fromkeys(pair_print(first, second) for first, second in rivals(conflict))
        decisions = [self._decided(KIND, pair)._replace(reason=self.reason) for pair in pairs]
        title = f"{self.item.what}; both are kept"
        return self.item.what, self.write([record_edit(decisions)], title, evidence=_sides(conflict))

    def _settle(self, conflict: Conflict) -> tuple[str, Outcome]:
        """A person says which of the values holds."""
        if not 1 <= self.value <= len(conflict.sides):
            choices = "; ".join(_sides(conflict))
            raise InputError(
                f"say which value of {conflict.entity} {conflict.field} holds, with --value: {choices}"
            )
        chosen = conflict.values[self.value - 1]
        decided = self._decided(KIND, conflict_print(conflict))._replace(reason=self.reason)
        title = fact_in_words(conflict.entity, conflict.field, chosen)
        olds = [" or ".join(value for value in conflict.values if value != chosen)]
        changes = [*settling(self.context, conflict, chosen), record_edit([decided])]
        return title, self.write(changes, title, olds, _sides(conflict))

    def _fact(self, fact: PendingFact) -> Outcome:
        """The question goes from its file, and how it was answered is remembered; a yes puts the fact into its own."""
        take_away, olds = removal(self.context, fact), list[str]()
        if take_away is None:
            raise NotFoundError(f"{fact.id} no longer waits; `memoryclaw review` lists what does")
        answer = self._decided("fact", fingerprint("fact", fact.entity, fact.field, fact.value))
        changes = [
            Edit(PENDING_FILE, text_change(take_away), consumes=True),
            record_edit([answer._replace(run=self.item.run, reason=self.reason)]),
        ]
        if not self.approves:
            return self.write(changes, fact_in_words(fact.entity, fact.field, fact.value))
        place = fact_target(self.context, fact)

        def change(text: str) -> str:
            addition = place.write(text)
            olds.append(addition.old if addition.action == "superseded" else "")
            return addition.text

        title = fact_in_words(place.fact.entity, fact.field, fact.value)
        return self.write([Edit(place.file.path, text_change(change)), *changes], title, olds)

    def _approve_proposal(self) -> Outcome:
        context, item, change = self.context, self.item, self.item.change
        if change is None:
            raise InputError(f"{item.id} {item.why}")
        changes: list[Edit | Move] = [
            Edit(path, patch_bytes(patch))
            for path, patch in rewrites(change, context.schema().collections).items()
        ]
        changes += [Move(m.path, m.to) for m in moves(change) if files.exists(context.root, m.path)]
        new = [action.path for action in change.actions if isinstance(action, NewFile)]
        existing = [path for path in new if files.exists(context.root, path)]
        changes += [Edit(item.path, lambda _: None, consumes=True), record_edit(self._decisions())]
        outcome = self.write(changes, change.title)
        notices = [f"{path} was there already and stays as it is" for path in existing]
        return outcome._replace(notice="; ".join(filter(None, [*notices, outcome.notice])))

    def _decisions(self) -> list[Decision]:
        """The decision of a proposal, and one for each fact in it: what was said no to is not asked again."""
        item = self.item
        own = item.about.fingerprint if item.about else ""
        kinds = {own: item.kind} if item.about else {}
        for action in item.change.actions if item.change else ():
            if action.fingerprint:
                kinds.setdefault(action.fingerprint, "fact")
        return [
            self._decided(kind, mark)._replace(
                run=item.run, reason=self.reason, ranges=tuple(item.source.split()) if mark == own else ()
            )
            for mark, kind in kinds.items()
        ]

    def _decided(self, kind: str, known_by: str) -> Decision:
        history = History(self.context.root)
        by = history.author()[0] if history.git_dir else ""
        return Decision(timestamp(self.context.now), self.decision, kind, known_by, by=by)

    def write(
        self,
        changes: Sequence[Edit | Move],
        title: str,
        olds: Sequence[str] = (),
        evidence: Sequence[str] = (),
    ) -> Outcome:
        """One commit; which value it takes the place of is told by `olds` once the edits are made."""
        context, item, verb = self.context, self.item, "approve" if self.approves else "reject"
        run = context.run(verb)

        def message() -> str:
            return context.templates.commit_message(
                verb,
                title=title,
                old=next(iter(olds), ""),
                id=item.id,
                why=item.why,
                of=item.run,
                evidence=item.change.evidence if item.change else evidence,
                reason=self.reason,
                run=run,
                source=item.source,
                confidence=item.confidence,
            )

        return write(context.root, changes, message, verb=verb, now=context.now)

    def _branch(self) -> Outcome:
        context, run = self.context, self.item.id
        if not self.approves:
            return Outcome(changed=True, commit=reject(context, run))
        approved = approve(context, run)
        again = [f"{path} waits for review now: later edits were in its way" for path in approved.proposed]
        commit = approved.commits[-1] if approved.commits else ""
        return Outcome(changed=True, commit=commit, notice="; ".join([*again, *approved.notices]))

    def _foreign(self) -> Outcome:
        context, item, notice = self.context, self.item, ""
        if item.widened:
            widened.decide(context, item.widened, wanted=self.approves)
            notice = "on this machine it stays as narrow as it was; elsewhere nothing changes"
        elif self.approves:
            return elsewhere.adopt(context, item.foreign)
        else:
            elsewhere.decline(context, item.foreign)
            notice = "it has no effect on this machine, and stays where it was decided"
        return Outcome(changed=True, notice="" if self.approves else notice)


def _sides(conflict: Conflict) -> list[str]:
    return [
        f"{number}: {side_in_words(side, conflict.entity)}" for number, side in enumerate(conflict.sides, 1)
    ]


# The lines of one waiting fact in `semantic/_pending.md`, in the file and in the last commit, where they may read
# differently.


def removal(context: WriteContext, fact: PendingFact) -> Callable[[str], str] | None:
    """How the lines of this fact go from a text; None when it no longer waits.

    A person may have edited the line before ticking it: the last commit then has the same question in other words.
    """
    waiting = read_pending(context.text(PENDING_FILE))
    return replacement(context, fact) if any(pending.id == fact.id for pending in waiting) else None


def replacement(
    context: WriteContext, fact: PendingFact, lines: tuple[str, ...] = ()
) -> Callable[[str], str]:
    """How the lines of this fact give way to others, or to nothing."""
    at_work = {pending.id for pending in read_pending(context.text(PENDING_FILE))}

    def replace(text: str) -> str:
        waiting = read_pending(text)
        exact = [pending for pending in waiting if pending.id == fact.id]
        edited = [
            pending
            for pending in waiting
            if pending.id not in at_work
            and edits.same(pending.entity, fact.entity)
            and edits.same(pending.field, fact.field)
        ]
        for entry in (exact or edited)[:1]:
            splice = edits.Splice(entry.line - 1, entry.end_line, lines)
            return edits.apply_splices(text, [splice]) if lines else remove_pending(text, entry.id)
        return text

    return replace


# edit: a person puts what waits in other words before deciding it. What is stored can be read, and nothing is approved.


def editable(item: ReviewItem) -> str:
    """The text that a person edits: the lines of a fact, or a proposal as it is."""
    if item.fact is not None:
        return "".join(lines_of(readable(item.text))[item.fact.line - 1 : item.fact.end_line])
    if item.check is not None:
        if item.check.fact is None:
            raise InputError(f"{item.check.id} is a note; edit {item.path} itself")
        return f"{item.check.fact.value}\n"
    troubles = {
        f"is a skill; edit {item.path} itself": item.is_skill,
        f"is a conflict; approve one of its values, or edit {item.path}": item.conflict,
        "was decided elsewhere; approve it or reject it": item.is_of_others,
        f"is a question; approve it or reject it, or edit {item.path}": item.question,
        "waits as a branch; approve it, then edit what it wrote, or edit the branch with git": item.branch,
    }
    if trouble := next((sentence for sentence, applies in troubles.items() if applies), ""):
        raise InputError(f"{item.id} {trouble}")
    return readable(item.text)


def store(context: WriteContext, item: ReviewItem, text: str) -> Written:
    """Replaces what waits by the edited text; one commit, and it goes on waiting. A value that was to be verified is changed."""
    text = readable(text)
    if text.strip() == editable(item).strip():
        return Written(item.id, item.path, "", "unchanged", "nothing was changed")
    if item.check is not None:
        if not stands(context, item.check):
            raise ConflictError(f"{item.path} has changed while you edited it; nothing was stored")
        value = " ".join(text.split())
        outcome = _edit(context, item, correct(context, item.check, value), f"{item.what} → {value}")
        return Written(item.check.id, item.path, outcome.commit, "corrected", outcome.notice)
    if item.fact is not None:
        facts, lines = read_pending(text), tuple(text.strip("\n").split("\n"))
        if len(facts) != 1 or (facts[0].line, facts[0].end_line) != (1, len(lines)):
            raise InputError(
                f"this is not one waiting fact; keep its line as `- [ ] Entity.field: value`, as in {PENDING_FILE}"
            )
        return _store(context, item, text_change(replacement(context, item.fact, lines)), facts[0].id)
    if context.text(item.path) != item.text:
        raise ConflictError(f"{item.path} has changed while you edited it; nothing was stored")
    problem = read_proposal(text)
    if isinstance(problem, Problem):
        raise InputError(f"line {problem.line}: {problem.message}; nothing was stored")
    fresh = text.replace("\n", edits.line_end(item.text))
    return _store(context, item, text_change(lambda _: fresh), item.id)


def _edit(context: WriteContext, item: ReviewItem, changes: Sequence[Edit | Move], fields: str) -> Outcome:
    about = {"name": item.id, "fields": fields, "path": item.path}
    return commit(context, changes, "edit", verb="review", run="edit", **about)


def _store(context: WriteContext, item: ReviewItem, change: Bytes, id_: str) -> Written:
    outcome = _edit(context, item, [Edit(item.path, change, consumes=True)], item.what)
    return Written(id_, item.path, outcome.commit, "edited", outcome.notice)


# Boxes that a person ticked in Obsidian → what is to be decided. Nothing is decided here, and never a skill.


class TickedFacts(NamedTuple):
    """What the boxes say: what is to be approved, what rejected, and what cannot be told."""

    approved: tuple[ReviewItem, ...] = ()
    rejected: tuple[ReviewItem, ...] = ()
    unclear: tuple[ReviewDecision, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True when no box is ticked."""
        return not (self.approved or self.rejected or self.unclear)


def ticked_facts(context: WriteContext) -> TickedFacts:
    """What people ticked in `semantic/_pending.md` and `review/*.md`."""
    approved, rejected, unclear = list[ReviewItem](), list[ReviewItem](), list[ReviewDecision]()
    for item in waiting_items(context):
        if not item.box or item.is_skill:
            continue
        if item.box == BOTH:
            trouble = f"both boxes of {item.path} are ticked; leave one"
        else:
            is_unread = item.box == APPROVE and item.change is None and item.fact is None
            trouble = item.why if is_unread else ""
        if trouble:
            unclear.append(ReviewDecision(item.id, item.kind, item.what, FAILED, notice=trouble))
        else:
            (approved if item.box == APPROVE else rejected).append(item)
    return TickedFacts(tuple(approved), tuple(rejected), tuple(unclear))


def apply(context: WriteContext, boxes: TickedFacts) -> list[ReviewDecision]:
    """Does what was shown to be ticked, one commit each; each is done whatever becomes of the others."""
    approved = decide(context, boxes.approved, APPROVED, alone=False)
    return [*boxes.unclear, *approved, *decide(context, boxes.rejected, REJECTED, alone=False)]


# What a person decides of a conflict, as edits; nothing is written here.


def settling(context: WriteContext, conflict: Conflict, value: str) -> list[Edit]:
    """The edits after which one value alone stands: others move to History, and a property of a note says what holds."""
    changes = []
    for path, facts in grouped(conflict.against(value)).items():
        change = partial(_settled, context.semantic(path), facts, value, context.today)
        try:
            change(context.text(path))
        except (InputError, NotFoundError) as error:
            places = ", ".join(f"line {fact.line}" for fact in facts)
            raise InputError(
                f"{path} cannot be changed safely: {error}; write {value!r} there yourself ({places}), nothing was written"
            ) from None
        changes.append(Edit(path, text_change(change)))
    return changes


def _settled(file: edits.SemanticFile, facts: Sequence[Fact], value: str, today: str, text: str) -> str:
    # From the last line to the first: an id counts those of the same field above it.
    for fact in sorted(facts, key=lambda stated: stated.line, reverse=True):
        standing = [f for f in file.facts(text).facts if f.current and says(f, fact)]
        if standing and file.is_note:
            text = edits.correct_fact(text, file, standing[-1].id, value).text
        elif standing:
            text = edits.end_fact(text, file, standing[-1].id, today)
    return text
