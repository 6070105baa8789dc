"""The vault's own git repository, by plumbing alone: no index of the user's, no hook, no filter and no parent repository.

The rule: a commit holds the files it was given and nothing else, and a branch moves only from the commit it was built on.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memoryclaw.adapters import gitlocks
from memoryclaw.adapters.gitcommand import GitCommand
from memoryclaw.adapters.gitobjects import Entry, Tree, folders_of, object_id, pack
from memoryclaw.adapters.gitsides import Side, entries_of, missing, side_of, trees_of
from memoryclaw.adapters.gitstate import (
    GitState,
    common_dir,
    configured_author,
    git_state,
    index_stamp,
    is_unborn,
)
from memoryclaw.core.errors import ConflictError, GitKilledError, HistoryError, InputError
from memoryclaw.core.model import Stamp
from memoryclaw.core.naming import utc

_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}
_FILE = "100644"
_MODULE = "160000"
_DEFAULT_AUTHOR = ("MemoryClaw", "memoryclaw@localhost")
_COMMIT_ID = re.compile(r"[0-9a-f]{4,64}|HEAD(?:[~^][0-9]{0,4}){0,8}")
_TRAILER = re.compile(r"^([A-Z][A-Za-z-]*): (.+)$", re.MULTILINE)


class Version(NamedTuple):
    """What a commit is to hold of one file (None: no file), and what the user's own staged version becomes, if any."""

    head: bytes | None
    staged: bytes | None = None


class Base(NamedTuple):
    """The commit that a change is built on (empty on an unborn branch), and what it holds of some files."""

    ref: str
    commit: str
    tree: Tree
    sides: Mapping[str, Side]
    stamp: Stamp | None  # of the user's index, taken before it was read


class Follow(NamedTuple):
    """How one entry of the user's index is to change: only if it still is `was`."""

    path: str
    was: Entry | None
    now: Entry | None


class Made(NamedTuple):
    """A commit that exists but that no branch shows yet."""

    commit: str
    parent: str
    ref: str
    follow: tuple[Follow, ...]
    stamp: Stamp | None = None  # of the index when `was` of the entries was read


class Draft(NamedTuple):
    """A commit that is worked out but not stored: its objects, and the base that it is for the next one."""

    made: Made
    objects: tuple[tuple[str, bytes], ...]
    base: Base


class Recorded(NamedTuple):
    """A commit as it is read back: its parent, its message and the trailers of the message."""

    commit: str
    parents: tuple[str, ...]
    message: str
    trailers: Mapping[str, str]


class FileChange(NamedTuple):
    """One file of a commit, before and after."""

    path: str
    before: bytes | None
    after: bytes | None


class History:
    """The git history of one vault; open one per job, it holds nothing open between commands."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._git_dir = ""
        self._author: tuple[str, str] | None = None
        self._command: GitCommand | None = None

    def state(self) -> GitState:
        """The state of the repository now, with one sentence for people."""
        return git_state(self.root)

    @property
    def git_dir(self) -> str:
        """The folder where this working tree's index is."""
        self._git_dir = self._git_dir or self.state().git_dir
        return self._git_dir

    @property
    def git(self) -> GitCommand:
        """The command layer of this repository."""
        if self._command is None:
            git_dir = self.git_dir
            if not git_dir:
                raise HistoryError("the vault has no git repository of its own")
            self._command = GitCommand(self.root, git_dir)
        return self._command

    def base(self, paths: Sequence[str]) -> Base:
        """HEAD and the user's index as they are now, as far as these files go."""
        stamp = index_stamp(self.git_dir)
        # Both are asked at the same time: to start a git takes longer than to hear it.
        listed = self.git.start("ls-files", "--stage", "-z", "--", *paths, env=_LITERAL)
        folders = folders_of(paths)
        names = ["HEAD", *(f"HEAD:{name}" for name in folders), *(f"HEAD:{path}" for path in paths)]
        blobs = dict(zip(names, self.objects(names), strict=True))
        index, head = entries_of(listed()), blobs["HEAD"]
        known_here = {found[0] for found in blobs.values() if found}
        staged = sorted({entry.oid for entry in index.values()} - known_here)
        blobs.update(zip(staged, self.objects(staged), strict=True))
        blobs.update({found[0]: found for found in blobs.values() if found})
        commit = head[0] if head else self._no_commit()
        tree = Tree(trees_of(commit, "HEAD", folders, blobs), _hash_name(commit, index))
        sides = {path: side_of(path, tree, index, blobs, "HEAD") for path in paths}
        return Base(self._ref(), commit, tree, sides, stamp)

    def tip(self, ref: str, commit: str, paths: Sequence[str]) -> Base:
        """What a commit holds of these files, as the base of the next one on `ref`; the user's index has no part in it."""
        folders = folders_of(paths)
        names = [f"{commit}:{name}" for name in (*folders, *paths)] if commit else []
        blobs = dict(zip(names, self.objects(names), strict=True))
        tree = Tree(trees_of(commit, commit, folders, blobs), _hash_name(commit, {}))
        sides = {path: side_of(path, tree, {}, blobs, commit) for path in paths}
        # What is staged is taken to be what is committed: nothing of the user's is in the way.
        even = {path: Side(s.head, s.head, s.head_data, s.head_data) for path, s in sides.items()}
        return Base(ref, commit, tree, even, None)

    def commit(self, base: Base, files: Mapping[str, Version], message: str, now: datetime) -> Made:
        """Makes a commit object on `base` in which these files (and no others) differ; nothing points to it yet."""
        draft = self.draft(base, files, message, now)
        self.store(draft.objects, base.tree.hash_name)
        return draft.made

    def draft(self, base: Base, files: Mapping[str, Version], message: str, now: datetime) -> Draft:
        """Works out the same commit with all that is new in it, for `store`.

        No index is read or written, so the cost does not grow with the vault.
        """
        kind = base.tree.hash_name
        blobs = [data for version in files.values() for data in version if data is not None]
        sides, follow = dict(base.sides), []
        for path, version in files.items():
            side = base.sides[path]
            entry = _entry(version.head, side.head, kind)
            if not base.tree.put(path, entry):
                raise HistoryError(
                    f"{path} lies in a submodule, or under a file, of the vault's git repository"
                )
            staged, data = side.staged, side.staged_data
            if side.staged == side.head:
                staged, data = entry, version.head
                follow.append(Follow(path, side.head, entry))
            elif version.staged is not None:
                staged, data = _entry(version.staged, side.staged, kind), version.staged
                follow.append(Follow(path, side.staged, staged))
            sides[path] = Side(entry, staged, version.head, data)
        trees = [("tree", raw) for _, raw in base.tree.objects()]
        commit = self._commit_object(object_id(*trees[-1], kind), base.commit, message, now)
        objects = (*(("blob", data) for data in blobs), *trees, ("commit", commit))
        made = Made(object_id("commit", commit, kind), base.commit, base.ref, tuple(follow), base.stamp)
        return Draft(made, objects, base._replace(commit=made.commit, sides=sides))

    def store(self, objects: Sequence[tuple[str, bytes]], hash_name: str) -> None:
        """Hands (kind, raw bytes) objects to git as they are, through no filter."""
        self.git.run("unpack-objects", "-q", stdin=pack(objects, hash_name))

    def move(self, made: Made, verb: str) -> None:
        """Points the branch to the commit if it is still where the commit was built; else ConflictError."""
        old, began = made.parent or "0" * len(made.commit), time.time()
        try:
            self.git.run("update-ref", "-m", f"memoryclaw: {verb}", made.ref, made.commit, old)
        except HistoryError as error:
            if isinstance(error, GitKilledError):
                self.clear_locks(made.ref, made.commit, began)
            now = self.head()
            if now == made.parent:
                raise
            if now != made.commit:
                raise ConflictError(
                    "another commit was made in the vault at the same moment; try again"
                ) from None

    def clear_locks(self, ref: str, commit: str, since: float) -> None:
        """Removes the locks that a killed `move` of this branch to this commit left; `since` is when it began."""
        gitlocks.clear_ours(self.git_dir, common_dir(self.git_dir), ref, commit, since)

    def head(self) -> str:
        """The commit of HEAD, or an empty string on an unborn branch."""
        found, out = self.git.asks("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return out.decode().strip() if found else self._no_commit()

    def _no_commit(self) -> str:
        """Empty on an unborn branch; HistoryError where there was a commit that is not found: no second first one is made."""
        if is_unborn(self.git_dir):
            return ""
        state = self.state()
        raise HistoryError(state.sentence if state.name == "damaged" else missing("the last commit"))

    def holds(self, commit: str) -> bool:
        """True when HEAD is this commit or has it among its ancestors."""
        return self.git.asks("merge-base", "--is-ancestor", commit, "HEAD")[0]

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Those of the paths that the vault's ignore rules leave out."""
        listing = "\0".join(paths).encode("utf-8", "surrogateescape")
        # Without --no-index a file that is tracked already is never called ignored, as it should be.
        _, out = self.git.asks("check-ignore", "-z", "--stdin", stdin=listing)
        return set(out.decode("utf-8", "surrogateescape").split("\0")) - {""}

    def index_entries(self, paths: Sequence[str], env: dict[str, str] | None = None) -> dict[str, Entry]:
        """The entries that the user's index has for these files; HistoryError for one with a merge conflict."""
        return entries_of(
            self.git.run("ls-files", "--stage", "-z", "--", *paths, env={**_LITERAL, **(env or {})})
        )

    def conflicts(self) -> set[str]:
        """The files with a merge conflict that is not resolved."""
        out = self.git.run("ls-files", "--unmerged", "-z").decode("utf-8", "surrogateescape")
        return {line.partition("\t")[2] for line in out.split("\0")[:-1]}

    def find(self, name: str) -> Recorded:
        """The commit with this id (its beginning, or `HEAD~1` and the like), or the newest one of this run; InputError when there is none."""
        if _COMMIT_ID.fullmatch(name):
            found, out = self.git.asks("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
            if found:
                return self.read(out.decode().strip())
        for recorded in self.of_run(name) if self.head() else ():
            return recorded
        raise InputError(
            f"no commit and no run of this vault is called {name!r}; `memoryclaw history` lists them"
        )

    def of_run(self, run: str) -> Iterator[Recorded]:
        """The commits of the branch that carry this run in their trailers, newest first."""
        wanted = f"--grep=^Run: {re.escape(run)}$"
        commits = self.git.run("rev-list", "--extended-regexp", wanted, "HEAD").decode().split()
        # A line in the middle of a message is no trailer, whatever it says.
        return (found for found in map(self.read, commits) if found.trailers.get("Run") == run)

    def read(self, commit: str) -> Recorded:
        """A commit's parents, message and trailers."""
        return _recorded(commit, self.objects([commit])[0])

    def changes(self, commit: str) -> list[FileChange]:
        """The files that a commit changed against its parent, with their bytes before and after; of a merge, none.

        Raises:
            HistoryError: what came before the commit, or a version of a file, is not in this repository.
        """
        found, before = self.objects([commit, f"{commit}^"])
        recorded = _recorded(commit, found).parents
        if recorded and (before is None or before[0] != recorded[0]):
            # Git takes the last commit of a shallow clone for the first of all, as if it had added every file.
            raise HistoryError(
                f"what came before {commit[:12]} is not in this copy of the vault's repository; "
                "`git fetch --unshallow` brings it where a copy has it"
            )
        against = recorded if len(recorded) == 1 else ()
        out = self.git.run(
            "diff-tree", "-r", "-z", "--root", "--no-renames", "--no-commit-id", *against, commit
        )
        parts = out.decode("utf-8", "surrogateescape").split("\0")[:-1]
        raw = [(parts[i + 1], parts[i].lstrip(":").split(" ")) for i in range(0, len(parts), 2)]
        sides = [(path, _version(was, a), _version(now, b)) for path, (was, now, a, b, _) in raw]
        oids = sorted({oid for _, *both in sides for oid in both if oid})
        data = {oid: one[2] for oid, one in zip(oids, self.objects(oids), strict=True) if one}
        for path, *both in sides:
            if any(oid and oid not in data for oid in both):
                raise HistoryError(
                    f"a version of {path} that {commit[:12]} names is not in this copy of the vault's repository; "
                    "`memoryclaw doctor` looks closer"
                )
        return [FileChange(path, data.get(before), data.get(after)) for path, before, after in sides]

    def author(self) -> tuple[str, str]:
        """Name and address for commits: the user's as configured, else MemoryClaw's own."""
        if self._author is None:
            name, email = configured_author(self.git_dir)
            self._author = (name, email) if name and email else _DEFAULT_AUTHOR
        return self._author

    def _commit_object(self, tree: str, parent: str, message: str, now: datetime) -> bytes:
        name, email = (re.sub(r"[<>\x00-\x1f]", "", part).strip() for part in self.author())
        who = f"{name} <{email}> {int(utc(now).timestamp())} +0000"
        parents = f"parent {parent}\n" if parent else ""
        text = f"tree {tree}\n{parents}author {who}\ncommitter {who}\n\n{message.rstrip()}\n"
        return text.replace("\0", "").encode("utf-8", "replace")

    def _ref(self) -> str:
        return self.state().ref or self.git.run("symbolic-ref", "HEAD").decode().strip()

    def objects(self, names: Sequence[str]) -> list[tuple[str, str, bytes] | None]:
        """(id, type, bytes) of each object by name, None where there is no such object; in one process."""
        if not names:
            return []
        out = self.git.run(
            "cat-file", "--batch", stdin="".join(f"{n}\n" for n in names).encode("utf-8", "surrogateescape")
        )
        found: list[tuple[str, str, bytes] | None] = []
        at = 0
        for _ in names:
            end = out.index(b"\n", at)
            words = out[at:end].decode("utf-8", "surrogateescape").split(" ")
            at = end + 1
            if len(words) == 3 and words[2].isdigit():
                size = int(words[2])
                found.append((words[0], words[1], out[at : at + size]))
                at += size + 1
            else:
                found.append(None)
        return found


def _recorded(commit: str, found: tuple[str, str, bytes] | None) -> Recorded:
    if found is None or found[1] != "commit":
        raise InputError(f"there is no commit {commit[:12]} in the vault's history")
    header, _, message = found[2].decode("utf-8", "replace").partition("\n\n")
    parents = tuple(line[7:] for line in header.splitlines() if line.startswith("parent "))
    last = message.rstrip().rpartition("\n\n")[2]
    return Recorded(commit, parents, message, dict(_TRAILER.findall(last)))


def _version(mode: str, oid: str) -> str:
    """The blob of one side of a change; empty where there is no file, or a submodule, which is no file of this repository."""
    return oid if oid.strip("0") and mode != _MODULE else ""


def _entry(data: bytes | None, was: Entry | None, hash_name: str) -> Entry | None:
    return None if data is None else Entry(was.mode if was else _FILE, object_id("blob", data, hash_name))


def _hash_name(commit: str, index: Mapping[str, Entry]) -> str:
    sample = commit or next((entry.oid for entry in index.values()), "")
    return "sha256" if len(sample) == 64 else "sha1"
