"""The one way a machine edit reaches the vault: files by digest check and rename, then a commit of that change alone.

The rule: the file gets the change on top of what the user left in it; the commit gets the same change on top of HEAD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from memoryclaw.adapters import files, journal
from memoryclaw.adapters.gitindex import joined
from memoryclaw.adapters.history import Base, Draft, History, Made
from memoryclaw.adapters.journal import Pending, Step
from memoryclaw.adapters.locks import writer_lock
from memoryclaw.core.errors import (
    ConflictError,
    HistoryError,
    InputError,
    MemoryClawError,
    NotFoundError,
    VaultError,
)
from memoryclaw.jobs.patching import (
    NO_SIDE,
    Bytes,
    Change,
    Edit,
    Move,
    Plan,
    patched,
    paths_of,
    plans_for,
    text_change,
)
from memoryclaw.jobs.recovery import carry_out, publish, recover, refuse_while_locked

__all__ = [
    "REFUSED",
    "Bytes",
    "Edit",
    "Item",
    "Move",
    "Outcome",
    "Writer",
    "patched",
    "text_change",
    "write",
    "writing",
]

_ATTEMPTS = 3
REFUSED = (
    ConflictError,
    InputError,
    NotFoundError,
    VaultError,
)  # why one change cannot be made where others can


class Item(NamedTuple):
    """One commit to be: its changes, all or none, and its message, asked for when it is known what changed."""

    changes: Sequence[Change]
    message: Callable[[], str]


class Outcome(NamedTuple):
    """What became of a change. `commit` is empty when nothing was committed, and `notice` then says why."""

    changed: bool
    commit: str = ""
    notice: str = ""


class _Batch(NamedTuple):
    """Several items worked out one on top of the other: what each comes to, and what all of them come to together."""

    outcomes: list[Outcome]
    refused: MemoryClawError | None  # why the next item was left out
    before: dict[str, bytes | None]  # the files that change
    after: dict[str, bytes | None]
    drafts: list[Draft]


def write(
    root: str, changes: Sequence[Change], message: Callable[[], str], *, verb: str, now: datetime
) -> Outcome:
    """Makes the changes, all or none, and one commit of them.

    Raises:
        ConflictError: a file holds uncommitted work of the user on the same lines, or changed meanwhile.
        HistoryError: git is in no state to take a commit.
        LockedError: another writer is at work.
    """
    with writing(root) as writer:
        return writer.write(changes, message, verb=verb, now=now)


@contextmanager
def writing(root: str) -> Iterator[Writer]:
    """A writer for several changes, each with a commit of its own, under one hold of the lock.

    Raises:
        HistoryError: git is in no state to take a commit; nothing was written.
        LockedError: another writer is at work.
    """
    with writer_lock(root):
        told = recover(root)
        history = History(root)
        yield Writer(root, history, told, _refuse_unless_writable(history))


class Writer:
    """Makes changes one after another; `writing` gives one out while it holds the lock."""

    def __init__(self, root: str, history: History, told: str, untracked: str) -> None:
        self.root = root
        self.history = history
        self.untracked = untracked  # why nothing can be committed; empty where it can
        self._told = told

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes | None]:
        """The bytes of files as they are now, None where there is none."""
        return {path: self._bytes(path) for path in paths}

    def write(
        self, changes: Sequence[Change], message: Callable[[], str], *, verb: str, now: datetime
    ) -> Outcome:
        """Makes the changes, all or none, and one commit of them; raises what `write` does."""
        outcomes, refused = self.write_all([Item(changes, message)], verb=verb, now=now)
        if refused:
            raise refused
        return outcomes[0]

    def write_all(
        self, items: Sequence[Item], *, verb: str, now: datetime
    ) -> tuple[list[Outcome], MemoryClawError | None]:
        """Makes the items in order, a commit each, landing together: killed meanwhile, all of them are made or none.

        Returns:
            What became of each, and why the first one that cannot be made was left out, and with it all that follow.
        """
        told, self._told = self._told, ""
        for attempt in range(_ATTEMPTS):
            _refuse_unless_writable(self.history)
            batch = self._worked_out(items, now)
            try:
                if any(outcome.changed for outcome in batch.outcomes):
                    self._land(batch, verb)
            except ConflictError:
                # The user may have committed in between; the files are back as they were, so it can be tried again.
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                break
        return _told(batch.outcomes, told, self.untracked), batch.refused

    def _worked_out(self, items: Sequence[Item], now: datetime) -> _Batch:
        work, items, refused = self._read(items)
        base = None if self.untracked else self.history.base(list(work))
        ignored = self._ignored(work, base)
        batch, before = _Batch([], refused, {}, {}, []), dict(work)
        for item in items:
            sides = base.sides if base else {}
            try:
                plans = plans_for(item.changes, work, {p: s for p, s in sides.items() if p not in ignored})
            except REFUSED as error:
                return batch._replace(refused=error)
            versions = {plan.path: plan.version for plan in plans if plan.version is not None}
            commit = ""
            if base and versions:
                draft = self.history.draft(base, versions, item.message(), now)
                batch.drafts.append(draft)
                base, commit = draft.base, draft.made.commit
            batch.outcomes.append(Outcome(bool(plans), commit, "" if not base else _uncommitted(plans)))
            for plan in plans:
                work[plan.path] = batch.after[plan.path] = plan.after
                batch.before[plan.path] = before[plan.path]
        return batch

    def _read(
        self, items: Sequence[Item]
    ) -> tuple[dict[str, bytes | None], Sequence[Item], MemoryClawError | None]:
        """The bytes of all files that are asked for, and the items up to the first that asks for what cannot be."""
        work: dict[str, bytes | None] = {}
        for number, item in enumerate(items):
            try:
                work.update(self.read_all(path for path in paths_of(item.changes) if path not in work))
            except REFUSED as error:
                return work, items[:number], error
        return work, items, None

    def _bytes(self, path: str) -> bytes | None:
        try:
            return files.read_file(self.root, path).data
        except NotFoundError:
            return None

    def _ignored(self, work: dict[str, bytes | None], base: Base | None) -> set[str]:
        fresh = [p for p, data in work.items() if base and data is None and base.sides[p] == NO_SIDE]
        return self.history.ignored(fresh) if fresh else set()

    def _land(self, batch: _Batch, verb: str) -> None:
        root, before, after = self.root, batch.before, batch.after
        # A file that one item changed and a later one changed back is as it was.
        changed = [path for path in after if before[path] != after[path]]
        steps = tuple(_step(n, path, before[path], after[path]) for n, path in enumerate(changed))
        made, pending = _all_of(batch.drafts), Pending(verb, steps)
        if made:
            objects = [found for draft in batch.drafts for found in draft.objects]
            self.history.store(objects, batch.drafts[0].base.tree.hash_name)
            pending = Pending(verb, steps, made.commit, made.parent, made.ref, made.follow)
        journal.save(root, pending)
        try:
            for step in steps:
                if (data := after[step.path]) is not None:
                    files.prepare(root, step.path, step.temp, data)
            carry_out(root, steps)
            if made:
                publish(root, pending, made)
        except (OSError, MemoryClawError):
            # What the branch has is made: the next writer finds it in the journal and ends it.
            if not made or self.history.head() != made.commit:
                _put_back(root, steps, before)
                journal.clear(root)
            raise
        journal.clear(root)


def _refuse_unless_writable(history: History) -> str:
    state = refuse_while_locked(history)
    if state.name != "none" and not state.writable:
        raise HistoryError(f"nothing was written: {state.sentence}")
    return state.sentence if state.name == "none" else ""


def _all_of(drafts: Sequence[Draft]) -> Made | None:
    """A chain of commits as one: from the first one's parent to the last."""
    if not drafts:
        return None
    first, last = drafts[0].made, drafts[-1].made
    follow = joined([follow for draft in drafts for follow in draft.made.follow])
    return last._replace(parent=first.parent, follow=follow)


def _put_back(root: str, steps: Sequence[Step], before: dict[str, bytes | None]) -> None:
    """Undoes the steps that were taken, so that a refused change leaves every file as it was."""
    for step in steps:
        if step.temp:
            files.discard(root, step.path, step.temp)
        if files.digest_at(root, step.path) != step.after or step.after == step.before:
            continue
        if (data := before[step.path]) is None:
            files.remove_file(root, step.path, step.after or "")
        else:
            files.write_file(root, step.path, data, step.after)


def _step(number: int, path: str, before: bytes | None, after: bytes | None) -> Step:
    was, now = (None if data is None else files.digest_of(data) for data in (before, after))
    return Step(path, was, now, f".{now[:12]}-{number}.tmp" if now else "")


def _uncommitted(plans: Sequence[Plan]) -> str:
    names = [plan.path for plan in plans if plan.version is None]
    return f"{' and '.join(names)} is not tracked by git, so this cannot be undone" if names else ""


def _told(outcomes: list[Outcome], first: str, untracked: str) -> list[Outcome]:
    """The outcomes with what is to be said of all of them: at the first, and for each change why it cannot be undone."""
    said = []
    for number, outcome in enumerate(outcomes):
        parts = ["" if number else first, untracked if outcome.changed else "", outcome.notice]
        said.append(outcome._replace(notice="; ".join(filter(None, parts))))
    return said
