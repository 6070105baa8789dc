"""undo: takes back one change of ours, or all of a run, and keeps what came after it. The undo is itself a commit, and sticks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial, reduce

from memoryclaw.consolidation.actions import AddStatement, SetFact
from memoryclaw.consolidation.apply import must_be_its_own
from memoryclaw.consolidation.changes import FOLDER, about, record_path
from memoryclaw.errors import ConflictError, InputError
from memoryclaw.history.repository import History, Logged
from memoryclaw.late import NamedTuple
from memoryclaw.lifecycle.keeping import UPKEEP
from memoryclaw.model import FileChange, grouped
from memoryclaw.review import file_changes
from memoryclaw.skills.listing import fingerprint_of
from memoryclaw.skills.skill_file import read_skill
from memoryclaw.text.encoding import decode, encode, in_form_of, readable, same_text
from memoryclaw.text.frontmatter import split
from memoryclaw.text.merging import merge, same_patch
from memoryclaw.vault import files
from memoryclaw.vault.layout import CONFIG_FILE, DECISIONS_FILE, on_disk, place_of, timestamp
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.writing.context import WriteContext, Written
from memoryclaw.writing.decisions import UNDONE, Decision, Decisions, record_edit
from memoryclaw.writing.init import ADOPTS
from memoryclaw.writing.pending import PENDING_FILE
from memoryclaw.writing.writer import Edit, write

_KEPT_FOLDER = "runs/"  # a run record says what was read, also after the run is taken back
_LEARNED = frozenset({"consolidate", "redo"})  # runs whose facts must not come back by themselves
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)")
_SKILL_FOLDERS = frozenset({"skills", "skills/_drafts"})
_Revert = Callable[[bytes | None], tuple[bytes | None, tuple[str, ...]]]  # what the file becomes; what stays


class _Target(NamedTuple):
    """What is to be taken back: commits, newest first, and whether a whole run was named."""

    commits: list[Logged]
    run: str

    @property
    def is_one(self) -> bool:
        return len(self.commits) == 1

    @property
    def subject(self) -> str:
        newest = self.commits[0].subject
        return newest if self.is_one else f"{self.run} ({len(self.commits)} commits)"

    @property
    def undone_already(self) -> str:
        if not self.is_one:
            return f"run {self.run} is undone already"
        return f"{self.commits[0].commit[:12]} ({self.subject}) is undone already"


class _Plan(NamedTuple):
    """The edits that take it back, what they take, and the facts and files that stay as they are."""

    edits: list[Edit]
    taken: list[FileChange]  # each as if it were made now: from the file without it to the file with it
    left: list[str]
    kept: list[str]  # episodes to which facts that stay point

    def leave(self, names: Iterable[str]) -> None:
        self.left.extend(name for name in dict.fromkeys(names) if name not in self.left)


def undo(context: WriteContext, name: str, *, yes: bool = False) -> Written:
    """Reverts the commit with this id (or its beginning), or every commit of this run; one commit.

    Of one commit all is taken back, or nothing. Of a run, what was changed since stays as it is and is named. Facts are
    taken back line by line, whatever came around them since. What makes the folder a vault goes only with `yes`.

    Raises:
        BudgetError: more would go than the commits brought; nothing was written.
        ConflictError: later edits touch the same lines; nothing was written.
        InputError: there is no such commit, it is not ours, or it is undone already.
    """
    history = History(context.root)
    state = history.state()
    if state.name in {"none", "damaged"}:
        raise InputError(f"nothing can be undone: {state.sentence}")
    target = _target(history, name)
    if target.run.startswith(f"{ADOPTS}-"):
        raise InputError(
            f"{target.subject!r} only put your own notes into git and changed none of them; there is nothing to take back"
        )
    if len(target.commits[0].parents) > 1:
        raise InputError(
            "a merge of two machines is not undone as a whole; undo the commits that it brought, which `memoryclaw history` lists"
        )
    undoing = _Undoing(context, history, target)
    plan = undoing.plan()
    ends_it = any(change.path == CONFIG_FILE and change.before is None for change in plan.taken)
    if not yes and (ends_it or target.run.startswith("init-")):
        raise InputError(
            f"{target.subject!r} made this folder a vault; to undo it anyway, give --yes (over HTTP and in Python: yes)"
        )
    decisions = list(dict.fromkeys(undoing.decisions(plan)))
    if not plan.edits and not decisions:
        raise InputError(target.undone_already)
    run = context.run("undo")
    if target.is_one:
        commit = target.commits[0].commit[:12]
        message = context.message("undo", run=run, subject=target.subject, commit=commit)
    else:
        subjects = [commit.subject for commit in target.commits]
        message = context.message(
            "undo-run", run=run, of=target.run, taken=subjects, left=plan.left, kept=plan.kept
        )
    edits = [*plan.edits, *([record_edit(decisions)] if decisions else [])]
    outcome = write(context.root, edits, message, verb="undo", now=context.now)
    if not outcome.changed:
        raise InputError(target.undone_already)
    for folder in dict.fromkeys(edit.path.rpartition("/")[0] for edit in plan.edits):
        if folder.startswith("skills/") and folder not in _SKILL_FOLDERS:  # of a skill that is empty now
            with suppress(OSError):  # it holds other files, or is gone
                os.rmdir(on_disk(context.root, folder))
    notices = [f"took back: {target.subject}", _left_notice(plan), outcome.notice]
    notice = "; ".join(filter(None, notices))
    path = plan.edits[0].path if len(plan.edits) == 1 else ""
    return Written(run, path, outcome.commit, "undone", notice)


def _target(history: History, name: str) -> _Target:
    commits = list(history.of_run(name)) if history.head() else []
    if commits:
        return _Target(commits, name)
    commit = history.find(name)
    short, run = commit.commit[:12], commit.trailers.get("Run")
    if run is None:
        raise InputError(f"{short} was not made by MemoryClaw; take it back with `git revert {short}`")
    if not history.holds(commit.commit):
        raise InputError(f"{short} is not part of the branch that the vault is on")
    if [change.path for change in history.changes(commit.commit)] == [record_path(run)]:
        # The record alone takes nothing back: it stands for its run.
        return _Target(list(history.of_run(run)), run)
    return _Target([commit], run)


class _Undoing(NamedTuple):
    """What is to be taken back, and in which vault."""

    context: WriteContext
    history: History
    target: _Target

    def plan(self) -> _Plan:
        """What is reverted in each file, newest change first; facts first, since what they rest on stays with them."""
        context, target = self.context, self.target
        # The changes of each file that is taken back, newest first.
        stays = () if target.is_one else _KEPT_FOLDER
        chains = grouped(
            (change.path, change)
            for commit in target.commits
            for change in self.history.changes(commit.commit)
            if change.path != DECISIONS_FILE and not change.path.startswith(stays)
        )
        plan, anything = _Plan([], [], [], []), False
        if not chains:
            return plan  # it only decided
        states = self.history.base(list(chains)).sides
        works = [data for path in chains if (data := files.data_at(context.root, path)) is not None]
        afters = dict[str, bytes | None]()
        for path in sorted(chains, key=lambda path: not path.startswith("semantic/")):
            content = files.data_at(context.root, path)
            if not target.is_one and self._is_cited(path, content, chains[path], afters):
                plan.kept.append(path)
                continue
            reverts = [(change, partial(self._revert, change, works)) for change in chains[path]]
            now = content, states[path].head_data
            revertible, afters[path] = self._revertible(path, reverts, now, plan)
            anything = anything or afters[path] != content
            olds = (c.before for c in chains[path] if content is None and same_text(c.before, afters[path]))
            all_reverted = partial(reduce, lambda data, revert: revert(data)[0], revertible)
            plan.edits.append(Edit(path, all_reverted, stored=next(olds, None)))
        decided = Decisions.read(context.text(DECISIONS_FILE)).all
        of_run = [d.decision for d in decided if d.kind == "run" and d.run == target.run]
        if not anything and (plan.left or plan.kept) and of_run[-1:] != [UNDONE]:
            raise ConflictError(
                f"later edits of {(plan.left or plan.kept)[0]} touch the same lines; nothing was written"
            )
        if not anything:
            raise InputError("; ".join(filter(None, [target.undone_already, _left_notice(plan)])))
        changes = [file_changes.texts_of(change) for chain in chains.values() for change in chain]
        must_be_its_own([(change.path, *file_changes.texts_of(change)) for change in plan.taken], changes)
        return plan

    def _is_cited(
        self,
        path: str,
        work: bytes | None,
        chain: Sequence[FileChange],
        afters: Mapping[str, bytes | None],
    ) -> bool:
        """True for an episode that would go although remaining facts cite it."""
        if work is None or chain[-1].before is not None or place_of(path) != ("episode", "current"):
            return False
        id_ = split(readable(decode(work).text)).meta.get("id")
        names = {path.rpartition("/")[2].removesuffix(".md"), id_}
        texts = (
            decode(afters[file] or b"").text if file in afters else self.context.text(file)
            for file in files.list_files(self.context.root, "semantic")
        )
        return any(hit[1].strip() in names for text in texts for hit in _LINK.finditer(text))

    def _revertible(
        self,
        path: str,
        reverts: Sequence[tuple[FileChange, _Revert]],
        now: tuple[bytes | None, bytes | None],
        plan: _Plan,
    ) -> tuple[list[_Revert], bytes | None]:
        """Those that can be taken back, in the file and in the last commit alike, and the bytes that the file then has."""
        (content, head), revertible, strict = now, list[_Revert](), self.target.is_one
        for change, revert in reverts:
            try:
                after, staying = revert(content)
                if staying and strict:
                    raise ConflictError(
                        f"later edits of {staying[0]} in {path} touch the same lines; nothing was written"
                    )
                head_after = revert(head)[0] if head is not None else None
                if head is not None and not (same_text(content, head) and same_text(after, head_after)):
                    sides = (content, after, head, head_after)
                    texts = [decode(data).text for data in sides if data is not None]
                    # The person's uncommitted work and the last commit are to get the same patch.
                    if len(texts) < len(sides) or not same_patch(*texts):
                        raise ConflictError(
                            f"{path} has uncommitted changes of yours where this would write; commit them, then try again"
                        )
            except ConflictError:
                if strict:
                    raise
                named = [f"{fact.name} in {change.path}" for fact in self._added(change)]
                plan.leave(named or [change.path])
                continue
            plan.leave(f"{name} in {path}" for name in staying)
            plan.taken.extend([FileChange(path, after, content)] if after != content else [])
            content, head = after, head_after
            revertible.append(revert)
        return revertible, content

    def _added(self, change: FileChange) -> list[SetFact | AddStatement]:
        """The facts and statements that a change of a semantic file added; none of another file."""
        file = self.context.facts_file(change.path)
        return file_changes.added_facts(*file_changes.texts_of(change), file) if file else []

    def _revert(
        self, change: FileChange, works: Sequence[bytes], now: bytes | None
    ) -> tuple[bytes | None, tuple[str, ...]]:
        """Takes a change back; `works` are the files that are there, of which one may be what a removed file became."""
        if now == change.before:
            return now, ()
        if now == change.after and now is None:
            return next((work for work in works if same_text(work, change.before)), change.before), ()
        if now == change.after:
            return change.before, ()
        if same_text(now, change.before):
            return now, ()
        if now is not None and same_text(now, change.after):
            return None if change.before is None else in_form_of(change.before, now), ()
        merged = self._merge(change, now)
        if merged is not None:
            return merged, ()
        taken_back = self._by_lines(change, now)
        if now is None or taken_back is None:
            change_since = "is gone" if now is None else "was changed"
            raise ConflictError(
                f"{change.path} {change_since} since, and later edits touch the same lines; nothing was written"
            )
        text = taken_back.text
        return None if text is None else encode(decode(now)._replace(text=text)), taken_back.left

    def _merge(self, change: FileChange, now: bytes | None) -> bytes | None:
        """The file without the change, by a merge of lines; None where that would be a guess."""
        if now is None or change.before is None or change.after is None:
            return None
        current, base, target = (decode(in_form_of(data, now)) for data in (now, change.after, change.before))
        merged = merge(base.text, current.text, target.text)
        if merged is None:
            return None
        file = self.context.facts_file(change.path)
        same = file_changes.only_its_facts(file, (base.text, target.text), (current.text, merged))
        return encode(current._replace(text=merged)) if same else None

    def _by_lines(self, change: FileChange, now: bytes | None) -> file_changes.TakenBack | None:
        """The file without the facts, or the questions, that the change wrote; None where that cannot be told."""
        if now is None or change.after is None:
            return None
        before = None if change.before is None else decode(change.before).text
        after, current = decode(change.after).text, decode(now).text
        if change.path == PENDING_FILE:
            return file_changes.take_back_questions(before, after, current)
        file = self.context.facts_file(change.path)
        return file_changes.take_back_facts(before, after, current, file) if file else None

    def decisions(self, plan: _Plan) -> Iterator[Decision]:
        """What is remembered: earlier decisions as they were, and of a consolidation what must not come back."""
        target, now = self.target, self.context.text(DECISIONS_FILE)
        moment, by = timestamp(self.context.now), self.history.author()[0]
        for commit in target.commits:
            for change in self.history.changes(commit.commit):
                if change.path == DECISIONS_FILE:
                    yield from file_changes.restoring_decisions(
                        *file_changes.texts_of(change), now, at=moment, by=by
                    )
        suggestions: list[tuple[str, str]] = []
        if target.run.startswith(f"{UPKEEP}-"):
            suggestions += [(UPKEEP, commit.trailers.get("Change", "")) for commit in target.commits]
            suggestions += [
                (UPKEEP, about(file_changes.texts_of(change)[1], change.path).fingerprint)
                for change in plan.taken
                if change.before is None and change.path.startswith(FOLDER) and change.path.endswith(".md")
            ]
        if target.run.partition("-")[0] in _LEARNED:
            trailers = (commit.message.rstrip().rpartition("\n\n")[2] for commit in target.commits)
            ranges = tuple(sorted({str(range_) for text in trailers for range_ in parse_ranges(text)}))
            kind, commit_id = ("commit", target.commits[0].commit) if target.is_one else ("run", "")
            yield Decision(moment, UNDONE, kind, ranges=ranges, run=target.run, commit=commit_id, by=by)
            for change in plan.taken:
                suggestions += [("fact", fact.fingerprint) for fact in self._added(change)]
                is_draft = place_of(change.path) == ("skill", "draft") and change.before is None
                if is_draft and change.after is not None:
                    suggestions.append(("skill", fingerprint_of(read_skill(change.path, change.after))))
        for kind, known_by in suggestions:
            if known_by:
                yield Decision(moment, UNDONE, kind, known_by, by=by)


def _left_notice(plan: _Plan) -> str:
    reasons = {
        "left unchanged, because later edits touch the same lines": plan.left,
        "kept, because remaining facts cite it": plan.kept,
    }
    return "; ".join(f"{reason}: {', '.join(names)}" for reason, names in reasons.items() if names)
