"""Two machines, one vault: the branch of the other copy is fetched, merged by our own rules, and the result is pushed there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from memoryclaw.config import is_vault_id
from memoryclaw.errors import ConflictError, HistoryError, InputError
from memoryclaw.history.remote import FOLDER, Remote, remote_of
from memoryclaw.history.repository import History, Version
from memoryclaw.model import FileChange
from memoryclaw.ports import Progress
from memoryclaw.review import merging
from memoryclaw.text.encoding import decode, in_form_of, same_text
from memoryclaw.vault.export_gate import exportable_bytes
from memoryclaw.vault.files import folder_lock
from memoryclaw.vault.layout import CONFIG_FILE, length_trouble, name_notices, timestamp
from memoryclaw.vault.permissions import doubt, doubts
from memoryclaw.vault.standings import doubts_of
from memoryclaw.vault.state_folder import make_private_folder
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.identity import id_in
from memoryclaw.writing.init import PRIVATE, leave_out
from memoryclaw.writing.writer import Writer, recover, writing

_TRIES = 8
_AT_ONCE = 200  # objects that are read with one command
_SHOWN = 20  # files that a commit message names
_WHEN = re.compile(rb"^committer .* (\d{1,12}) [+-]\d{4}$", re.MULTILINE)
_HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_NOT_OURS = frozenset({".git", "git~1", ".memoryclaw", "..", ".", ""})


class Exchanged(NamedTuple):
    """What came of it: the other copy, how many commits came and went, the merge (empty: none was needed), and what to know."""

    remote: str
    received: int = 0
    sent: int = 0
    merge: str = ""
    files: tuple[str, ...] = ()  # that changed here
    told: tuple[str, ...] = ()
    notice: str = ""


def exchange(
    context: WriteContext,
    *,
    include_noexport: bool = False,
    progress: Progress | None = None,
    may: Callable[[str], None] = lambda _: None,
    own: bool = False,
    renamed: Callable[[str], None] = lambda _: None,
) -> Exchanged:
    """Brings a vault and its other copy to the same commits.

    Args:
        include_noexport: also push what is marked not to leave this machine.
        may: told what was fetched, before it is merged; may raise.
        own: the other copy is of the same installation, so nothing of it is in doubt.
        renamed: told another id of the vault before it has that.

    Raises:
        ConflictError: a file cannot be merged, or holds work that is not committed; nothing was changed.
        HistoryError: git cannot be used now, there is no other copy, or it cannot be reached.
        InputError: what would be pushed is not to leave this machine; it was not.
    """
    recover(context.root)
    history = History(context.root)
    state = history.state()
    if not state.writable:
        raise HistoryError(f"nothing was changed: {state.sentence}")
    remote = Remote(history, remote_of(history))
    exchanged = Exchanged(remote.name)
    step = progress or (lambda _done, _all: None)
    with exchanging(context.root):
        for attempt in range(_TRIES):
            step(0, 3)
            theirs = remote.fetch()
            step(1, 3)
            may(theirs)
            if theirs:
                exchanged = _take(context, theirs, exchanged, own=own, renamed=renamed)
            step(2, 3)
            head = history.head()
            if not head or head == theirs:
                step(3, 3)
                return exchanged
            waiting = _count(history, head, theirs)
            if not include_noexport and (withheld := _local_paths(history, head, theirs)):
                names = ", ".join(withheld[:3]) + f" and {len(withheld) - 3} more" * (len(withheld) > 3)
                merged = f"what came from {exchanged.remote} is merged, but " * bool(exchanged.received)
                raise InputError(
                    f"{merged}nothing was pushed: {names} holds text marked not to leave this machine (NOEXPORT, or `export: false`), "
                    "and git pushes whole files; `git push` by hand pushes it all the same"
                )
            if remote.push(head):
                first = f"git pushes whole files, private ones too: anybody who can read {remote.name} can read them"
                step(3, 3)
                return exchanged._replace(sent=waiting, notice="" if theirs else first)
            remote.wait(attempt)
    raise HistoryError(
        f"{remote.name} was pushed to again and again by others; what came from there is merged, try again"
    )


@contextmanager
def exchanging(root: str) -> Iterator[None]:
    """Keeps others from bringing the copies of a vault together until the block ends."""
    make_private_folder(f"{root}/{FOLDER}")
    with folder_lock(root, FOLDER):
        yield


def _take(
    context: WriteContext, theirs: str, done: Exchanged, *, own: bool, renamed: Callable[[str], None]
) -> Exchanged:
    """Merges what is there into what is here."""
    with writing(context.root) as writer, folder_lock(context.root, "logs"):
        history = writer.history
        head = history.head()
        if head == theirs or (head and history.holds(theirs)):
            return done
        received = done.received + _count(history, theirs, head)
        bases = _bases(history, head, theirs)
        forward = not head or bases == [head]
        merge = BranchMerge(context, writer, done.remote, own=own, renamed=renamed)
        # Two repositories that have no commit in common are merged only where both are vaults.
        if not bases and head and CONFIG_FILE not in history.entries(theirs):
            raise ConflictError(
                f"{done.remote} has no commit in common with this vault and is not a vault itself; nothing was changed: "
                "give the vault a remote of its own"
            )
        unsent = history.ask_ignored([f"{folder}/x" for folder in PRIVATE])()
        commit, changed, remarks = merge.carry_out(head, theirs, bases, forward=forward)
        leave_out(context.root, [folder for folder in PRIVATE if f"{folder}/x" in unsent])
    return done._replace(
        received=received,
        merge=commit if commit != theirs else done.merge,
        files=tuple(sorted({*done.files, *changed})),
        told=tuple(dict.fromkeys((*done.told, *remarks))),
    )


@dataclass
class BranchMerge:
    """One merge under the writer's lock."""

    context: WriteContext
    writer: Writer
    remote: str
    own: bool = field(kw_only=True)
    renamed: Callable[[str], None] = field(default=lambda _: None, kw_only=True)
    blobs: dict[str, bytes] = field(
        default_factory=dict, init=False
    )  # those that were read, and those of merges

    @property
    def _history(self) -> History:
        return self.writer.history

    def carry_out(
        self, head: str, theirs: str, bases: Sequence[str], *, forward: bool
    ) -> tuple[str, list[str], tuple[str, ...]]:
        """The commit that the branch is at then, the files that changed here, and what to know."""
        ours, kind = self._tip(head, "on this machine"), "sha256" if len(head) == 64 else "sha1"
        listing = ours.files
        if forward:
            merged = merging.MergedTree(self._history.entries(theirs), {}, ())
        else:
            base: merging.Listing = {}
            first = next(iter(bases), "")
            if first:  # where both came of several commits, these are merged first
                tip = self._tip(first)
                for other in bases[1:]:
                    below = self._history.entries(next(iter(_bases(self._history, first, other)), ""))
                    tip = tip._replace(files=self._merged(below, tip, self._tip(other), kind).files)
                base = tip.files
            merged = self._merged(base, ours, self._tip(theirs, "on the other machine"), kind)
        if head and not self.own:
            bound = merging.still_bound(listing, merged, self._blob, kind)
            self.blobs |= bound.made
            forward, merged = forward and bound.files == merged.files, bound
        changed = sorted(
            path for path in {*listing, *merged.files} if listing.get(path) != merged.files.get(path)
        )
        for path in changed:
            _must_be_safe(path, self.remote)
        entries = ((path, tree.get(path)) for path in changed for tree in (listing, merged.files))
        if name := next((path for path, entry in entries if entry and not entry.mode.startswith("100")), ""):
            raise ConflictError(
                f"{name} is a link or a submodule in one of the two copies; nothing was changed: merge it with `git merge` first"
            )
        self._load([e.oid for path in changed if (e := merged.files.get(path))])
        commit = self._land(head, theirs, changed, merged, forward=forward)
        come = [path for path in changed if path in merged.files and path not in listing]
        return commit, changed, (*merged.told, *name_notices(come, merged.files))

    def _land(
        self, head: str, theirs: str, changed: Sequence[str], merged: merging.MergedTree, *, forward: bool
    ) -> str:
        history = self._history
        base = history.base(changed)
        if base.commit != head:
            raise ConflictError("another commit was made in the vault at the same moment; try again")
        contents = self.writer.read_all(changed)
        versions: dict[str, Version] = {}
        after: dict[str, bytes | None] = {}
        for path in changed:
            entry, side = merged.files.get(path), base.sides[path]
            data = self._blob(entry.oid) if entry else None
            versions[path] = Version(data, mode=entry.mode if entry else "")
            on_disk = contents[path]
            after[path] = in_form_of(data, on_disk) if data is not None and on_disk is not None else data
            if same_text(on_disk, side.head_data) and side.staged == side.head:
                continue
            after[path] = self._beside(path, on_disk, side.staged == side.head, data)
        old, new = (
            id_in(decode(data or b"").text) for data in (contents.get(CONFIG_FILE), after.get(CONFIG_FILE))
        )
        if is_vault_id(new) and new != old:
            self.renamed(new)
        came = [FileChange(path, contents[path], after[path]) for path in changed]
        raised = {} if self.own else doubts_of(came, doubts(self.context.root))
        if raised:  # before any of it is there
            doubt(self.context.root, timestamp(self.context.now), raised)
        message = self.context.message(
            "sync",
            run=self.context.run("sync"),
            remote=self.remote,
            here=head[:12],
            there=theirs[:12],
            changed=changed[:_SHOWN],
            more=max(0, len(changed) - _SHOWN),
            told=merged.told,
        )
        return self.writer.merge(
            versions, after, base, theirs, message, verb="sync", now=self.context.now, forward=forward
        )

    def _beside(self, path: str, work: bytes | None, unstaged: bool, data: bytes | None) -> bytes | None:
        """What becomes of a file that is not as the last commit has it; ConflictError where that would take something away."""
        if same_text(work, data):
            return work
        if unstaged and work is not None and merging.is_record(path):
            return merging.unite(data or b"", work)
        raise ConflictError(
            f"{path} has uncommitted changes of yours, and the other copy changed it too; nothing was changed: "
            "commit them, or put them aside with `git stash`, then try again"
        )

    def _merged(
        self, base: merging.Listing, ours: merging.Tip, theirs: merging.Tip, kind: str
    ) -> merging.MergedTree:
        self._load(merging.disputed_objects(base, ours, theirs))
        merged = merging.merge_trees(base, ours, theirs, self._blob, kind)
        self.blobs |= merged.made
        return merged

    def _tip(self, commit: str, name: str = "") -> merging.Tip:
        blob = self._history.objects([commit])[0] if commit else None
        hit = _WHEN.search(blob[2]) if blob else None
        when = datetime.fromtimestamp(int(hit[1]) if hit else 0, UTC)
        return merging.Tip(commit, when, self._history.entries(commit), name)

    def _load(self, oids: Sequence[str]) -> None:
        missing = [oid for oid in dict.fromkeys(oids) if oid not in self.blobs]
        for oid, data in _blobs(self._history, missing):
            if data is None:
                raise HistoryError(
                    f"git does not have {oid[:12]}, which a commit names; `memoryclaw check` says more"
                )
            self.blobs[oid] = data

    def _blob(self, oid: str) -> bytes:
        if oid not in self.blobs:
            self._load([oid])
        return self.blobs[oid]


def _blobs(history: History, oids: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
    """The bytes of these objects; None of what is no file, or not there."""
    for start in range(0, len(oids), _AT_ONCE):
        batch = oids[start : start + _AT_ONCE]
        for oid, blob in zip(batch, history.objects(batch), strict=True):
            yield oid, blob[2] if blob and blob[1] == "blob" else None


def _bases(history: History, first: str, other: str) -> list[str]:
    if not first or not other:
        return []
    return sorted(history.git.asks("merge-base", "--all", first, other)[1].decode().split())


def _count(history: History, new: str, old: str) -> int:
    less = [f"^{old}"] if old else []
    return int(history.git.run("rev-list", "--count", new, *less))


def _must_be_safe(path: str, remote: str) -> None:
    """Refuses a name that leads out of the vault, into git's own folder or into ours, and one that is too long."""
    if too_long := length_trouble(path):
        raise ConflictError(f"{path[:60]!r}… in {remote} {too_long}; nothing was changed")
    for name in path.split("/"):
        if _HIDDEN.sub("", name).rstrip(" .").lower() in _NOT_OURS or "\\" in name:
            raise ConflictError(
                f"{path!r} in {remote} is not a path that may be in a vault; nothing was changed"
            )


# What is marked not to leave this machine is not pushed by itself: neither the last version of a file nor an earlier one.


def _local_paths(history: History, head: str, theirs: str) -> list[str]:
    less = [f"^{theirs}"] if theirs else []
    out = history.git.run("rev-list", "--objects", head, *less).decode("utf-8", "surrogateescape")
    named = {oid: path for oid, _, path in (line.partition(" ") for line in out.splitlines()) if path}
    # Folders are listed too; a file of notes or turns is told by its name.
    suffixes = (".md", ".jsonl", ".txt", ".yaml", ".yml", ".json", ".js")
    texts = _blobs(history, [oid for oid, path in named.items() if path.endswith(suffixes)])
    return sorted({
        named[oid] for oid, data in texts if data is not None and exportable_bytes(named[oid], data, ()) != data
    })  # fmt: skip
