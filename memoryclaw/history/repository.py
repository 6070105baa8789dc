"""The git repository of a vault, by plumbing alone: no index of the user's, no hook and no filter.

A commit holds the files it was given and nothing else, and a branch moves only from the commit it was built on.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache

from memoryclaw.errors import ConflictError, GitKilledError, HistoryError, InputError
from memoryclaw.history.git import (
    GitCommand,
    GitState,
    clear_our_locks,
    common_dir,
    config_files,
    configured_author,
    damage,
    drop,
    folder_in,
    git_state,
    index_stamp,
    is_unborn,
    last_commit,
    may_have_refs,
)
from memoryclaw.late import NamedTuple
from memoryclaw.model import FileChange, Stamp
from memoryclaw.vault.layout import Places, places, timestamp, utc

# Git's objects as values: trees are parsed, changed and named here, without an index.

TREE, _TREE = "40000", b"40000"
Rows = dict[bytes, tuple[bytes, bytes, bytes]]  # of a tree object, by name: mode, name and id


class TreeEntry(NamedTuple):
    """What a tree or an index says of one name: mode and object id."""

    mode: str
    oid: str


class Tree:
    """The folders of one commit that a change goes through, as far as they were read."""

    def __init__(self, folders: Mapping[str, Rows], hash_name: str) -> None:
        self._folders = {name: dict(rows) for name, rows in folders.items()}
        self._changed: set[str] = {""}
        self.hash_name = hash_name

    def entry(self, path: str) -> TreeEntry | None:
        """The entry of a file, or None where the commit has none."""
        folder, _, name = path.rpartition("/")
        row = self._folders.get(folder, {}).get(name.encode("utf-8", "surrogateescape"))
        entry = row and _entry_of(row)
        return entry if entry and entry.mode not in {TREE, _MODULE} else None

    def put(self, path: str, entry: TreeEntry | None) -> bool:
        """Sets or removes a file's entry; False when a file or a submodule is in the way."""
        folder, _, name = path.rpartition("/")
        for ancestor in ancestors(folder):
            above, _, part = ancestor.rpartition("/")
            standing = self._folders.get(above, {}).get(part.encode("utf-8", "surrogateescape"))
            if standing is not None and standing[0] != _TREE:
                return False
            self._folders.setdefault(ancestor, {})
        rows = self._folders.setdefault(folder, {})
        self._changed.update(("", *ancestors(folder)))
        key = name.encode("utf-8", "surrogateescape")
        if entry is None:
            rows.pop(key, None)
        else:
            rows[key] = _row_of(key, entry)
        return True

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """Yields (id, raw tree) of each folder that was changed since, innermost first, the root last."""
        changed, self._changed = self._changed, {""}
        for folder in sorted(changed, key=lambda name: (-name.count("/") - bool(name), name)):
            rows = self._folders[folder]
            raw = _raw(rows)
            oid = object_id("tree", raw, self.hash_name)
            if folder:
                parent, _, name = folder.rpartition("/")
                hanging, key = self._folders.setdefault(parent, {}), name.encode("utf-8", "surrogateescape")
                if rows:
                    hanging[key] = _row_of(key, TreeEntry(TREE, oid))
                else:
                    hanging.pop(key, None)
            if rows or not folder:
                yield oid, raw


def object_id(kind: str, raw: bytes, hash_name: str) -> str:
    """The id that git gives to an object."""
    return hashlib.new(hash_name, f"{kind} {len(raw)}\0".encode() + raw, usedforsecurity=False).hexdigest()


def ancestors(folder: str) -> list[str]:
    """`a/b` → `a`, `a/b`: the folders on the way, outermost first, without the root."""
    names = folder.split("/") if folder else []
    return ["/".join(names[: i + 1]) for i in range(len(names))]


def folders_of(paths: Iterable[str]) -> list[str]:
    """Every folder on the way to these files, the root (empty name) first."""
    return ["", *sorted({name for path in paths for name in ancestors(path.rpartition("/")[0])})]


def parse_tree(raw: bytes, oid_length: int) -> dict[bytes, TreeEntry]:
    """The entries of a raw tree object."""
    return {name: _entry_of(row) for name, row in _rows(raw, oid_length).items()}


def raw_tree(entries: Mapping[bytes, TreeEntry]) -> bytes:
    """A tree object of these entries, in git's order."""
    return _raw({name: _row_of(name, entry) for name, entry in entries.items()})


@lru_cache(maxsize=16)  # a commit looks its files up in its folders, and then changes copies of these
def _rows(raw: bytes, oid_length: int) -> Mapping[bytes, tuple[bytes, bytes, bytes]]:
    """The same as they are written: every folder that a change goes through is read, and a month may hold thousands of episodes."""
    rows = re.findall(rb"([0-7]+) ([^\0]+)\0(.{%d})" % oid_length, raw, re.DOTALL)
    if sum(map(len, map(b"".join, rows))) + 2 * len(rows) != len(raw):
        raise ValueError("this is no tree")
    return {row[1]: row for row in rows}


def _raw(rows: Rows) -> bytes:
    ordered = sorted(rows.values(), key=lambda row: row[1] + b"/" if row[0] == _TREE else row[1])
    return b"".join([b"%b %b\0%b" % row for row in ordered])


def _entry_of(row: tuple[bytes, bytes, bytes]) -> TreeEntry:
    return TreeEntry(row[0].decode(), row[2].hex())


def _row_of(name: bytes, entry: TreeEntry) -> tuple[bytes, bytes, bytes]:
    return entry.mode.encode(), name, bytes.fromhex(entry.oid)


# What git holds of the files of a change: in the last commit and in the user's index. What is missing is damage, never
# empty.

_FILE_MODES = frozenset({"100644", "100755"})
GitObject = tuple[str, str, bytes]  # id, type and bytes
Found = Mapping[str, GitObject | None]  # by name; None where there is none


class GitFileState(NamedTuple):
    """What git holds of one file: its entry in HEAD and in the user's index, and the bytes of both."""

    head: TreeEntry | None
    staged: TreeEntry | None
    head_data: bytes | None
    staged_data: bytes | None


def missing_object(what: str) -> str:
    """One sentence about an object that a commit names and that is not there."""
    return damage(f"{what} is not there; `memoryclaw check` says more")


def trees_of(commit: str, name: str, folders: Sequence[str], trees_read: Found) -> dict[str, Rows]:
    """The folders of a commit, outermost first; HistoryError for one that it names and that git does not have."""
    trees: dict[str, Rows] = {}
    for folder in folders if commit else ():
        tree = trees_read[f"{name}:{folder}"]
        above, _, last = folder.rpartition("/")
        row = trees.get(above, {}).get(last.encode("utf-8", "surrogateescape"))
        if tree is None and (not folder or (row and row[0] == _TREE)):
            raise HistoryError(missing_object(f"the folder {folder or 'at the top'} of the last commit"))
        if tree and tree[1] == "tree":
            trees[folder] = dict(_rows(tree[2], len(tree[0]) // 2))
    return trees or {"": {}}


def entries_of(lines: Iterable[str]) -> dict[str, TreeEntry]:
    """The entries that `ls-files` lists; HistoryError for one with a merge conflict."""
    entries = {}
    for line in lines:
        facts, _, path = line.partition("\t")
        mode, oid, stage = facts.split(" ")
        if stage != "0":
            raise HistoryError(f"{path} has a merge conflict in the vault's git repository; resolve it first")
        entries[path] = TreeEntry(mode, oid)
    return entries


def side_of(path: str, tree: Tree, index: Mapping[str, TreeEntry], blobs: Found, commit: str) -> GitFileState:
    """What git holds of one file of a commit; HistoryError where its bytes are not there."""
    head, staged = tree.entry(path), index.get(path)
    if head is not None and head.mode not in _FILE_MODES:
        raise HistoryError(f"{path} is not a regular file in the vault's git repository")
    was = blobs.get(f"{commit}:{path}") if head else None
    if head and not was:
        raise HistoryError(missing_object(f"{path} of the last commit"))
    waits = blobs.get(staged.oid) if staged else None
    return GitFileState(head, staged, was[2] if was else None, waits[2] if waits else None)


LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}  # a name is a name, whatever marks it holds
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = "100644"
_MODULE = "160000"
_NAMED = 1000
_TRIES = 100  # to write an object into a folder that may vanish
_MANY = 2000  # loose objects; some 400 commits leave as many
_TORN = 86400  # seconds
_DEFAULT_AUTHOR = ("MemoryClaw", "memoryclaw@localhost")
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_IN_DOUBT = "include **"  # of ignore rules and of settings alike
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COMMIT_ID = re.compile(r"[0-9a-f]{4,64}|HEAD(?:[~^][0-9]{0,4}){0,8}")
_WHO = re.compile(r"(?P<name>.*?) ?<[^<>]*> (?P<seconds>-?\d{1,12}) [+-]\d{4}")
_ENCODING = re.compile(rb"^encoding (\w[\w.:-]*)$", re.MULTILINE)
_TRAILER = re.compile(r"^([A-Z][A-Za-z-]*): (.+)$", re.MULTILINE)


class Version(NamedTuple):
    """What a commit is to hold of one file (None: no file), and what the user's own staged version becomes, if any."""

    head: bytes | None
    staged: bytes | None = None
    mode: str = ""  # of the file; empty: as it was


class CommitBase(NamedTuple):
    """The commit that a change is built on (empty on an unborn branch), and what it holds of some files."""

    ref: str
    commit: str
    tree: Tree
    sides: Mapping[str, GitFileState]
    stamp: Stamp | None  # of the user's index, taken before it was read


class StagedUpdate(NamedTuple):
    """How one entry of the user's index is to change: only if it still is `was`."""

    path: str
    was: TreeEntry | None
    now: TreeEntry | None


class NewCommit(NamedTuple):
    """A commit that exists but that no branch shows yet."""

    commit: str
    parent: str
    ref: str
    follow: tuple[StagedUpdate, ...]
    stamp: Stamp | None = None  # of the index when `was` of the entries was read


class Draft(NamedTuple):
    """A commit that is worked out but not stored: its objects, and the base that it is for the next one."""

    made: NewCommit
    objects: tuple[tuple[str, bytes], ...]
    base: CommitBase


class Logged(NamedTuple):
    """One commit as it is read back; its files are those of a row of the history."""

    commit: str
    parents: tuple[str, ...]
    author: str
    when: str  # ISO, UTC
    message: str
    trailers: Mapping[str, str]
    files: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The first line of its message."""
        return self.message.strip().partition("\n")[0]

    @property
    def body(self) -> str:
        """What follows the first line."""
        return self.message.strip().partition("\n")[2].strip()

    @property
    def run(self) -> str:
        """The run of ours that made it; empty for a commit of a person."""
        return self.trailers.get("Run", "")

    @property
    def kind(self) -> str:
        """What made it: the verb of its run, or `by hand`."""
        return self.run.partition("-")[0] or "by hand"


class BranchMove(NamedTuple):
    """A move of the branch from one commit to another, and what git says of why."""

    old: str  # empty for the first commit
    new: str
    why: str


class _Below(Places):
    """Where the files of a vault are in a repository that holds more than the vault."""

    def __init__(self, prefix: str, inside: Places) -> None:
        super().__init__(inside.moved)
        self.prefix, self._inside = prefix, inside

    def on_disk(self, name: str) -> str:
        return f"{self.prefix}{self._inside.on_disk(name)}"

    def name_of(self, path: str) -> str:
        return self._inside.name_of(path.removeprefix(self.prefix))


# Git's own files as bytes: an object, the index, rules of what is ignored. Where they do not tell plainly, it takes git.
# To start a git takes longer than all that a small change has to know from it. Pure: whoever calls reads the files.

_FIXED = 40  # bytes of an index entry before the object's id: times, place, mode, owner, size
_MODE = 24
_VERSIONS = (2, 3)  # of the index; a later one shortens names by those before them
_EXTENDED, _STAGE, _LENGTH = 0x4000, 0x3000, 0x0FFF
_MOST = 20_000  # index entries that are walked here; of more, git is the faster
_OTHERWISE = ("excludesfile", "ignorecase", "include", "sparse")


def loose_object(stored: bytes) -> tuple[str, bytes] | None:
    """Kind and raw bytes of an object that has a file of its own; None for what is none, or is damaged."""
    try:
        head, _, raw = zlib.decompress(stored).partition(b"\0")
    except zlib.error:
        return None
    kind, _, size = head.decode("ascii", "replace").partition(" ")
    return (kind, raw) if size == str(len(raw)) else None


def index_entries(
    index: bytes, names: Collection[bytes], id_length: int
) -> dict[bytes, tuple[str, str]] | None:
    """Mode and object id of those of these names that an index holds; None where it takes git to tell.

    Args:
        id_length: bytes of an object's id.
    """
    version, count = int.from_bytes(index[4:8], "big"), int.from_bytes(index[8:12], "big")
    if index[:4] != b"DIRC" or version not in _VERSIONS or count > _MOST:
        return None
    entries: dict[bytes, tuple[str, str]] = {}
    lengths, position, flags_at = {len(name) for name in names}, 12, _FIXED + id_length
    try:
        for _ in range(count):
            flags = index[position + flags_at] << 8 | index[position + flags_at + 1]
            begin = position + flags_at + (4 if flags & _EXTENDED else 2)
            length = flags & _LENGTH
            if length == _LENGTH:
                length = index.index(b"\0", begin) - begin
            if length in lengths and (name := index[begin : begin + length]) in names:
                if flags & _STAGE:
                    return None
                mode = int.from_bytes(index[position + _MODE : position + _MODE + 4], "big")
                entries[name] = f"{mode:06o}", index[position + _FIXED : position + flags_at].hex()
            position += (begin - position + length + 8) & ~7
    except (IndexError, ValueError):
        return None
    end = len(index) - id_length
    while position < end:  # a name in small letters is of an index that says less than all by itself
        if not index[position : position + 1].isupper():
            return None
        position += 8 + int.from_bytes(index[position + 4 : position + 8], "big")
    return entries if position == end else None


def may_ignore(rules: str, path: str) -> bool:
    """Whether rules can be about a path, named from where they hold; False only where surely none is."""
    names = path.split("/")
    for line in rules.removeprefix("\ufeff").split("\n"):
        rule = line.rstrip("\r").rstrip(" ")
        if not rule or rule.startswith("#"):
            continue
        if any(mark in rule for mark in ("\\", "[", "?", "**")):
            return True
        parts = rule.removeprefix("!").rstrip("/").split("/")
        if len(parts) == 1:
            is_about = any(fnmatchcase(name, parts[0]) for name in names)
        else:
            anchored = parts[1:] if not parts[0] else parts
            is_about = len(anchored) <= len(names) and all(map(fnmatchcase, names, anchored))
        if is_about:
            return True
    return False


class History:
    """The git history of one vault; open one per job, it holds nothing open between commands."""

    def __init__(self, root: str, *, shared: bool = False) -> None:
        self.root = root
        self._shared = shared  # the larger repository is looked at as if it were the vault's
        self._places: Places | None = None
        self._repository: GitState | None = None
        self._author: tuple[str, str] | None = None
        self._command: GitCommand | None = None

    def state(self) -> GitState:
        """The state of the repository now, with one sentence for people."""
        state = git_state(self.root, shared=self._shared)
        if state.git_dir:
            self._repository = state
        return state

    @property
    def places(self) -> Places:
        """Where git has the files of the vault: it knows them by where they are, everybody else by their names."""
        if self._places is None:
            # Most vaults have a repository of their own, which takes one look.
            own = os.path.lexists(os.path.join(self.root, ".git"))
            top = "" if own else self._where().top
            inside = places(self.root)
            self._places = _Below(f"{folder_in(top, self.root)}/", inside) if top else inside
        return self._places

    @property
    def limits(self) -> tuple[str, ...]:
        """What keeps a command to the vault, behind all else, where the repository holds more."""
        return ("--", self.places.prefix) if isinstance(self.places, _Below) else ()

    def names_of(self, paths: Iterable[str]) -> list[str]:
        """The names of those of these files of git's that are the vault's."""
        prefix = self.places.prefix if isinstance(self.places, _Below) else ""
        return [self.places.name_of(path) for path in paths if path.startswith(prefix)]

    @property
    def git_dir(self) -> str:
        """The folder where this working tree's index is."""
        return self._where().git_dir

    @property
    def hash_name(self) -> str:
        """How the repository names its objects."""
        return self._where().hash_name

    def _where(self) -> GitState:
        """Where the repository is, looked for until it is there once; of its state, what it was then."""
        return self._repository or self.state()

    @property
    def git(self) -> GitCommand:
        """The command layer of this repository."""
        if self._command is None:
            git_dir = self.git_dir
            if not git_dir:
                raise HistoryError("the vault has no git repository of its own")
            self._command = GitCommand(self._where().top or self.root, git_dir)
        return self._command

    def base(self, paths: Sequence[str]) -> CommitBase:
        """HEAD and the user's index as they are now, as far as these files go."""
        stamp, place_of = index_stamp(self.git_dir), {path: self.places.on_disk(path) for path in paths}
        state = self.state()
        index = self._entries_in_index(place_of.values())
        # Both are asked at the same time: to start a git takes longer than to hear it.
        # A command takes no more names than that; without any it lists all.
        named = place_of.values() if len(place_of) <= _NAMED else ()
        listed = (
            self.git.start("ls-files", "--stage", "-z", "--", *named, env=LITERAL) if index is None else None
        )
        folders = folders_of(place_of.values())
        names = ["HEAD", *(f"HEAD:{name}" for name in (*folders, *place_of.values()))]
        blobs = dict(zip(names, self.objects(names, state), strict=True))
        if index is None:
            lines = listed().decode("utf-8", "surrogateescape").split("\0")[:-1] if listed else ()
            paths_on_disk = set(place_of.values())
            index = {path: entry for path, entry in entries_of(lines).items() if path in paths_on_disk}
        head = blobs["HEAD"]
        known_here = {blob[0] for blob in blobs.values() if blob}
        staged = sorted({entry.oid for entry in index.values()} - known_here)
        blobs.update(zip(staged, self.objects(staged), strict=True))
        blobs.update({blob[0]: blob for blob in blobs.values() if blob})
        commit = head[0] if head else self._no_commit()
        tree = Tree(trees_of(commit, "HEAD", folders, blobs), self.hash_name)
        states = {path: side_of(place_of[path], tree, index, blobs, "HEAD") for path in paths}
        return CommitBase(state.ref or self._ref(), commit, tree, states, stamp)

    def tip(self, ref: str, commit: str, paths: Sequence[str]) -> CommitBase:
        """What a commit holds of these files, as the base of the next one on `ref`; the user's index has no part in it."""
        place_of = {path: self.places.on_disk(path) for path in paths}
        folders = folders_of(place_of.values())
        names = [f"{commit}:{name}" for name in (*folders, *place_of.values())] if commit else []
        blobs = dict(zip(names, self.objects(names), strict=True))
        tree, even = Tree(trees_of(commit, commit, folders, blobs), self.hash_name), {}
        for path, place in place_of.items():
            side = side_of(place, tree, {}, blobs, commit)
            # What is staged is taken to be what is committed: nothing of the user's is in the way.
            even[path] = GitFileState(side.head, side.head, side.head_data, side.head_data)
        return CommitBase(ref, commit, tree, even, None)

    def draft(
        self, base: CommitBase, files: Mapping[str, Version], message: str, now: datetime, *, merged: str = ""
    ) -> Draft:
        """Works out a commit on `base` in which these files (and no others) differ, with all that is new in it, for `store`.

        `merged` is its second parent, if it has one.
        No index is read or written, so the cost does not grow with the vault.
        """
        kind = base.tree.hash_name
        blobs = [data for version in files.values() for data in version[:2] if data is not None]
        states, follow = dict(base.sides), []
        for path, version in files.items():
            side = base.sides[path]
            entry = _entry(version.head, side.head, kind)
            if entry is not None and version.mode:
                entry = entry._replace(mode=version.mode)
            if not base.tree.put(self.places.on_disk(path), entry):
                raise HistoryError(
                    f"{path} lies in a submodule, or under a file, of the vault's git repository"
                )
            staged, data = side.staged, side.staged_data
            if side.staged == side.head:
                staged, data = entry, version.head
                follow.append(StagedUpdate(path, side.head, entry))
            elif version.staged is not None:
                staged, data = _entry(version.staged, side.staged, kind), version.staged
                follow.append(StagedUpdate(path, side.staged, staged))
            states[path] = GitFileState(entry, staged, version.head, data)
        trees = [("tree", raw) for _, raw in base.tree.objects()]
        commit = self._commit_object(object_id(*trees[-1], kind), (base.commit, merged), message, now)
        objects = (*(("blob", data) for data in blobs), *trees, ("commit", commit))
        commit_made = NewCommit(
            object_id("commit", commit, kind), base.commit, base.ref, tuple(follow), base.stamp
        )
        return Draft(commit_made, objects, base._replace(commit=commit_made.commit, sides=states))

    def marker(self, message: str, now: datetime) -> NewCommit:
        """Makes a commit in which nothing differs, for `move`: it only says something."""
        head = self.head()
        tree = self.git.run("rev-parse", "--verify", f"{head}^{{tree}}").decode().strip()
        raw, kind = self._commit_object(tree, (head,), message, now), self.hash_name
        self.store([("commit", raw)], kind)
        return NewCommit(object_id("commit", raw, kind), head, self._ref(), (), None)

    def store(self, objects: Sequence[tuple[str, bytes]], hash_name: str) -> None:
        """Puts (kind, raw bytes) objects where git keeps its own, as they are, through no filter.

        A git process that does so takes longer than all else of a commit.
        """
        store = os.path.join(self._where().common, "objects")
        try:
            mode = stat.S_IMODE(os.stat(store).st_mode)
            for kind, raw in objects:
                data = zlib.compress(f"{kind} {len(raw)}\0".encode() + raw, 1)
                _put_object(store, object_id(kind, raw, hash_name), data, mode)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise HistoryError(damage(f"{store} cannot be written ({error.strerror})")) from None

    def pack(self) -> int:
        """Puts the loose objects that something names into one file of git's where there are many; returns how many went.

        Nothing else goes: what nothing names stays as it is, for `undo`, for the journal and for commits under way. Writers need
        not wait. A repository that is a further working tree or a part of another, or whose `gc.auto` is 0, is left to who keeps it.
        """
        folder = os.path.join(self.root, ".git")
        is_own = os.path.isdir(folder) and not os.path.islink(folder) and common_dir(folder) == folder
        if not is_own or self.state().name != "ok":
            return 0
        store = os.path.join(folder, "objects")
        before = _loose(store)
        if before <= _MANY:
            return 0
        _, most = self.git.asks("config", "--local", "--get", "--type=int", "gc.auto")
        if (least := int(most or _MANY)) <= 0 or before <= least:
            return 0
        for file in os.scandir(os.path.join(store, "pack")):  # left by a git that was killed while it packed
            torn = file.name.startswith(("tmp_", ".tmp-")) and time.time() - file.stat().st_mtime > _TORN
            if torn and file.is_file(follow_symlinks=False):
                os.unlink(file.path)
        self.git.run("repack", "-d", "-l", "-q")
        return before - _loose(store)

    def move(self, made: NewCommit, verb: str) -> None:
        """Points the branch to the commit if it is still where the commit was built; else ConflictError."""
        old, began = made.parent or "0" * len(made.commit), time.time()
        try:
            self.git.run("update-ref", "-m", f"memoryclaw: {verb}", made.ref, made.commit, old)
        except HistoryError as error:
            if isinstance(error, GitKilledError):
                self.clear_locks(made.ref, made.commit, began)
            head = self.head()
            if head == made.parent:
                raise
            if head != made.commit:
                raise ConflictError(
                    "another commit was made in the vault at the same moment; try again"
                ) from None

    def clear_locks(self, ref: str, commit: str, since: float) -> None:
        """Removes the locks that a killed `move` of this branch to this commit left; `since` is when it began."""
        clear_our_locks(self.root, self.git_dir, ref, commit, since)

    def head(self) -> str:
        """The commit of HEAD, or an empty string on an unborn branch."""
        exists, out = self.git.asks("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return out.decode().strip() if exists else self._no_commit()

    def _no_commit(self) -> str:
        """Empty on an unborn branch; HistoryError where there was a commit that is not found: no second first one is made."""
        if is_unborn(self.git_dir):
            return ""
        state = self.state()
        raise HistoryError(state.sentence if state.name == "damaged" else missing_object("the last commit"))

    def holds(self, commit: str) -> bool:
        """True when HEAD is this commit or has it among its ancestors; a branch without a commit holds none."""
        head = self.head()
        return bool(head) and (
            head == commit or self.git.asks("merge-base", "--is-ancestor", commit, head)[0]
        )

    def ask_ignored(self, paths: Iterable[str]) -> Callable[[], set[str]]:
        """Begins to ask which of the paths the vault's ignore rules leave out; what is returned waits for the answer."""
        doubtful = [place for path in paths if self._may_be_ignored(place := self.places.on_disk(path))]
        if not doubtful:
            return set
        # This command takes no literal names; with `./` before it no name is an order (`:!a.md`).
        listing = "\0".join(f"./{place}" for place in doubtful).encode("utf-8", "surrogateescape")
        # Without --no-index a file that is tracked already is never called ignored, as it should be.
        listed = self.git.start("check-ignore", "-z", "--stdin", stdin=listing, fine=(0, 1))

        def ignored() -> set[str]:
            paths = listed().decode("utf-8", "surrogateescape").split("\0")
            return {self.places.name_of(path.removeprefix("./")) for path in paths if path}

        return ignored

    def _may_be_ignored(self, place: str) -> bool:
        """False where no ignore file that git would look at has a rule that could be about this path."""
        top, common = self._where().top or self.root, self._where().common
        settings = "".join(map(_rules, config_files(self.git_dir))).lower()
        if any(word in settings for word in _OTHERWISE):
            return True
        shared = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        everywhere = os.path.join(common, "info", "exclude"), os.path.join(shared, "git", "ignore")
        return any(may_ignore(_rules(file), place) for file in everywhere) or any(
            may_ignore(_rules(os.path.join(top, folder, ".gitignore")), place[len(folder) :].lstrip("/"))
            for folder in folders_of([place])
        )

    def _entries_in_index(self, places: Collection[str]) -> dict[str, TreeEntry] | None:
        """The entries that the user's index has for these files; None where it takes git to tell."""
        names = {place.encode("utf-8", "surrogateescape") for place in places}
        try:
            with open(os.path.join(self.git_dir, "index"), "rb") as file:
                entries = index_entries(file.read(), names, 32 if self.hash_name == "sha256" else 20)
        except OSError:
            return None
        if entries is None:
            return None
        return {name.decode("utf-8", "surrogateescape"): TreeEntry(*entry) for name, entry in entries.items()}

    def ignored_notes(self) -> list[str]:
        """The Markdown files of the vault that git neither holds nor would take, as its ignore rules say."""
        listing = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z")
        # Of a larger repository only the folder of the vault is walked; its name is no pattern.
        env = LITERAL if self.limits else None
        paths = self.git.names(*listing, *(self.limits or ("--", "*.md")), env=env)
        return self.names_of(path for path in paths if path.endswith(".md"))

    def index_entries(self, paths: Sequence[str], env: dict[str, str] | None = None) -> dict[str, TreeEntry]:
        """The entries that the user's index has for these files; HistoryError for one with a merge conflict."""
        locations = list(map(self.places.on_disk, paths)) or self.limits[1:]
        names = self.git.names("ls-files", "--stage", "-z", "--", *locations, env={**LITERAL, **(env or {})})
        entries = entries_of(names)
        return {self.places.name_of(path): entry for path, entry in entries.items()}

    def conflicts(self) -> set[str]:
        """The files with a merge conflict that is not resolved."""
        lines = self.git.names("ls-files", "--unmerged", "-z")
        return set(self.names_of(line.partition("\t")[2] for line in lines))

    def staged_paths(self, index_file: str = "") -> list[str]:
        """The files that a commit made now would add or change; `index_file`: an index other than the user's."""
        head, listing = self.head(), tuple[str, ...](("ls-files", "-z"))
        if head:
            listing = ("diff-index", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", head)
        return self.names_of(self.git.names(*listing, env=_index_env(index_file)))

    def staged_data(self, paths: Sequence[str], index_file: str = "") -> dict[str, bytes]:
        """The bytes of these files as they are staged, without those that are not."""
        entries = self.index_entries(paths, _index_env(index_file)) if paths else {}
        blobs = self.objects([entry.oid for entry in entries.values()])
        return {
            path: blob[2] for path, blob in zip(entries, blobs, strict=True) if blob and blob[1] == "blob"
        }

    def find(self, name: str) -> Logged:
        """The commit with this id (its beginning, or `HEAD~1` and the like), or the newest one of this run; InputError when there is none."""
        if _COMMIT_ID.fullmatch(name):
            exists, out = self.git.asks("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
            if exists:
                return self.read(out.decode().strip())
        for recorded in self.of_run(name) if self.head() else ():
            return recorded
        raise InputError(
            f"no commit and no run of this vault is called {name!r}; `memoryclaw history` lists them"
        )

    def of_run(self, run: str) -> Iterator[Logged]:
        """The commits of the branch that carry this run in their trailers, newest first."""
        pattern = f"--grep=^Run: {re.escape(run)}$"
        commits = self.git.run("rev-list", "--extended-regexp", pattern, "HEAD").decode().split()
        # A line in the middle of a message is no trailer, whatever it says.
        return (commit for commit in map(self.read, commits) if commit.trailers.get("Run") == run)

    def entries(self, commit: str) -> dict[str, TreeEntry]:
        """What a commit has at each path; nothing without a commit."""
        listing = ("ls-tree", "-r", "-z", "--full-tree", commit, *self.limits[1:])
        rows = (line.partition("\t") for line in (self.git.names(*listing) if commit else ()))
        files = ((self.places.name_of(path), row.split(" ")) for row, _, path in rows)
        return {path: TreeEntry(mode, oid) for path, (mode, _, oid) in files}

    def listing(self, commit: str) -> dict[str, str]:
        """The files of a commit with the ids of their blobs; links and submodules are left out."""
        return {path: entry.oid for path, entry in self.entries(commit).items() if entry.mode in _FILE_MODES}

    def read(self, commit: str) -> Logged:
        """A commit, without its files."""
        return _logged(commit, self.objects([commit])[0])

    def moves(self, since: int = 0) -> list[BranchMove]:
        """How the branch that is checked out came from commit to commit on this machine, as far as git remembers; the oldest first.

        Args:
            since: bytes of git's record that are passed over.
        """
        try:
            with open(os.path.join(self.git_dir, "logs", "HEAD"), "rb") as file:
                file.seek(since)
                lines = file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return []
        moves = []
        for line in lines:
            commits, _, why = line.partition("\t")
            old, _, rest = commits.partition(" ")
            moves.append(BranchMove(old if old.strip("0") else "", rest.partition(" ")[0], why))
        return moves

    def changes(self, commit: str) -> list[FileChange]:
        """The files that a commit changed against its parent, with their bytes before and after; of a merge, none."""
        commit_object, before = self.objects([commit, f"{commit}^"])
        recorded = _logged(commit, commit_object).parents
        if recorded and (before is None or before[0] != recorded[0]):
            # Git takes the last commit of a shallow clone for the first of all, as if it had added every file.
            raise HistoryError(
                f"what came before {commit[:12]} is not in this copy of the vault's repository; "
                "`git fetch --unshallow` brings it where a copy has it"
            )
        against = recorded if len(recorded) == 1 else ()
        return self.between(*against, commit)

    def between(self, *commits: str) -> list[FileChange]:
        """The files that differ between two commits, with their bytes in each; those of a first commit, where there is one."""
        commit = commits[-1]
        fields = self.git.names(
            "diff-tree", "-r", "-z", "--root", "--no-renames", "--no-commit-id", *commits, *self.limits
        )
        raw = [(fields[i + 1], fields[i].lstrip(":").split(" ")) for i in range(0, len(fields), 2)]
        versions = [(path, _version(was, a), _version(now, b)) for path, (was, now, a, b, _) in raw]
        oids = sorted({oid for _, *oids_of_file in versions for oid in oids_of_file if oid})
        data = {oid: blob[2] for oid, blob in zip(oids, self.objects(oids), strict=True) if blob}
        for path, *oids_of_file in versions:
            if any(oid and oid not in data for oid in oids_of_file):
                raise HistoryError(
                    f"a version of {path} that {commit[:12]} names is not in this copy of the vault's repository; "
                    "`memoryclaw check` says more"
                )
        return [
            FileChange(self.places.name_of(path), data.get(before), data.get(after))
            for path, before, after in versions
        ]

    def author(self) -> tuple[str, str]:
        """Name and address for commits: the user's as configured, else MemoryClaw's own."""
        if self._author is None:
            name, email = configured_author(self.git_dir)
            self._author = (name, email) if name and email else _DEFAULT_AUTHOR
        return self._author

    def _commit_object(self, tree: str, parents: Iterable[str], message: str, now: datetime) -> bytes:
        name, email = (re.sub(r"[<>\x00-\x1f]", "", name_or_email).strip() for name_or_email in self.author())
        who = f"{name} <{email}> {int(utc(now).timestamp())} +0000"
        above = "".join(f"parent {parent}\n" for parent in parents if parent)
        text = f"tree {tree}\n{above}author {who}\ncommitter {who}\n\n{message.rstrip()}\n"
        return text.replace("\0", "").encode("utf-8", "replace")

    def _ref(self) -> str:
        return self.state().ref or self.git.run("symbolic-ref", "HEAD").decode().strip()

    def objects(self, names: Sequence[str], state: GitState | None = None) -> list[GitObject | None]:
        """(id, type, bytes) of each object by name, None where there is no such object; in one process at most.

        Args:
            state: of the repository, where it was looked at just now.
        """
        if not names:
            return []
        with suppress(_PackedError, ValueError):  # of what is damaged, git tells what
            loose = _LooseObjects(state or self.state())
            return [loose.named(name) for name in names]
        request = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
        out = self.git.run("cat-file", "--batch", stdin=request)
        objects: list[GitObject | None] = []
        position = 0
        for _ in names:
            end = out.index(b"\n", position)
            words = out[position:end].decode("utf-8", "surrogateescape").split(" ")
            position = end + 1
            if len(words) == 3 and words[2].isdigit():
                size = int(words[2])
                objects.append((words[0], words[1], out[position : position + size]))
                position += size + 1
            else:
                objects.append(None)
        return objects


class _PackedError(Exception):
    """It takes git to tell an object: it has no file of its own, or another name than we read."""


class _LooseObjects:
    """The objects of one repository that have a file of their own, as new ones do: each is read once."""

    def __init__(self, state: GitState) -> None:
        self._head = last_commit(state)
        self._store = os.path.join(state.common, "objects")
        self._objects: dict[str, GitObject] = {}

    def named(self, name: str) -> tuple[str, str, bytes] | None:
        """Id, kind and bytes of what a name stands for (an id, `HEAD`, or one of them with `:path`), None where there is nothing."""
        commit, is_path, path = name.partition(":")
        if commit == "HEAD":
            commit = self._head
        if not is_path:
            return self._read(commit)
        _, kind, raw = self._read(commit)
        if kind != "commit":
            raise _PackedError
        tree = self._read(raw[5 : raw.index(b"\n")].decode("ascii", "replace"))
        for part in path.split("/") if path else ():
            rows = _rows(tree[2], len(tree[0]) // 2) if tree[1] == "tree" else {}
            row = rows.get(part.encode("utf-8", "surrogateescape"))
            if row is None:
                return None
            tree = self._read(row[2].hex())
        return tree

    def _read(self, oid: str) -> tuple[str, str, bytes]:
        if oid not in self._objects:
            if not _OBJECT_ID.fullmatch(oid):
                raise _PackedError
            try:
                with open(os.path.join(self._store, oid[:2], oid[2:]), "rb") as file:
                    kind_and_bytes = loose_object(file.read())
            except OSError:
                raise _PackedError from None
            if kind_and_bytes is None:
                raise _PackedError
            self._objects[oid] = (oid, *kind_and_bytes)
        return self._objects[oid]


def _rules(path: str) -> str:
    """The text of an ignore file or of settings; of what git may read otherwise, such as a link, words that make git be asked."""
    try:
        handle = os.open(path, _READ)
        with open(handle, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        return "" if isinstance(error, FileNotFoundError | NotADirectoryError) else _IN_DOUBT


def _index_env(index_file: str) -> dict[str, str]:
    return {"GIT_INDEX_FILE": index_file} if index_file else {}


def _loose(store: str) -> int:
    """How many objects have a file of their own."""
    folders = (os.path.join(store, f"{number:02x}") for number in range(256))
    return sum(len(os.listdir(folder)) for folder in folders if os.path.isdir(folder))


def _put_object(store: str, oid: str, data: bytes, mode: int) -> None:
    """Writes one object; half a one never has its name, and git sweeps the temp file of a killed writer away."""
    folder, name = os.path.join(store, oid[:2]), oid[2:]
    temp = os.path.join(folder, f"tmp_obj_{name}")
    for attempt in range(_TRIES):
        try:
            if attempt:
                drop(temp)
                with suppress(FileExistsError):
                    os.mkdir(folder)
                    os.chmod(folder, mode)  # of a repository that several people share
            with open(os.open(temp, _NEW, 0o444), "wb") as file:
                file.write(data)
            os.rename(temp, os.path.join(folder, name))
            return
        except (FileExistsError, FileNotFoundError):
            # A killed writer left it, or it is the first of its folder, which a `git gc` in the background removes while it is empty.
            if attempt == _TRIES - 1:
                raise


def _logged(commit: str, blob: GitObject | None) -> Logged:
    if blob is None or blob[1] != "commit":
        raise InputError(f"there is no commit {commit[:12]} in the vault's history")
    encoding, text = _ENCODING.search(blob[2].partition(b"\n\n")[0]), blob[2].decode("utf-8", "replace")
    with suppress(LookupError):
        text = blob[2].decode(encoding[1].decode(), "replace") if encoding else text
    header, _, message = text.partition("\n\n")
    lines = header.splitlines()
    parents = tuple(line[7:] for line in lines if line.startswith("parent "))
    who = next((_WHO.match(line[7:]) for line in lines if line.startswith("author ")), None)
    when = timestamp(datetime.fromtimestamp(int(who["seconds"]), UTC)) if who else ""
    last = message.rstrip().rpartition("\n\n")[2]
    return Logged(commit, parents, who["name"] if who else "", when, message, dict(_TRAILER.findall(last)))


def _version(mode: str, oid: str) -> str:
    """The blob of one side of a change; empty where there is no file, or a submodule, which is no file of this repository."""
    return oid if oid.strip("0") and mode != _MODULE else ""


def _entry(data: bytes | None, was: TreeEntry | None, hash_name: str) -> TreeEntry | None:
    return None if data is None else TreeEntry(was.mode if was else _FILE, object_id("blob", data, hash_name))


# The commits of a vault in rows: who, when, in whose words, which files

_AT_ONCE = 200  # versions of a file that are read with one command


class FileVersions(NamedTuple):
    """A file before and after one commit."""

    commit: str
    before: bytes | None
    after: bytes | None


def commit_log(
    history: History, paths: Sequence[str] = (), *, limit: int, tip: str = "HEAD", skip: int = 0
) -> list[Logged]:
    """The commits of the branch, newest first.

    Args:
        history: the repository; its HEAD must be a commit.
        paths: only commits that touched one of these files.
    """
    counts = [f"--max-count={limit}", f"--skip={skip}"]
    files_asked = [*map(history.places.on_disk, paths)] or history.limits[1:]
    commits = history.git.run("rev-list", *counts, tip, "--", *files_asked, env=LITERAL).decode().split()
    rows, files = map(_logged, commits, history.objects(commits)), _files(history, commits)
    return [row._replace(files=files.get(row.commit, ())) for row in rows]


def editions(history: History, path: str) -> Iterator[FileVersions]:
    """What each commit of the branch made of a file, newest first."""
    path = history.places.on_disk(path)
    out = history.git.run("rev-list", "HEAD", "--", path, env=LITERAL)
    commits = out.decode().split()
    for start in range(0, len(commits), _AT_ONCE):
        group = commits[start : start + _AT_ONCE]
        objects = history.objects([f"{commit}{parent}:{path}" for commit in group for parent in ("^", "")])
        blobs = [blob[2] if blob and blob[1] == "blob" else None for blob in objects]
        for number, commit in enumerate(group):
            yield FileVersions(commit, blobs[2 * number], blobs[2 * number + 1])


def log_row(history: History, commit: str) -> Logged:
    """The row of one commit."""
    return history.read(commit)._replace(files=_files(history, [commit]).get(commit, ()))


def _files(history: History, commits: Sequence[str]) -> dict[str, tuple[str, ...]]:
    if not commits:
        return {}
    args = ["diff-tree", "--stdin", "-r", "-z", "--root", "--name-only", "--no-renames"]
    out = history.git.run(*args, stdin="".join(f"{commit}\n" for commit in commits).encode())
    commit_ids, paths_by_commit, paths = set(commits), dict[str, list[str]](), list[str]()
    for field in out.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        if field in commit_ids:
            paths = paths_by_commit.setdefault(field, [])
        else:
            paths.append(field)
    return {commit: tuple(history.names_of(paths)) for commit, paths in paths_by_commit.items()}


# Branches of ours beside the user's. One appears whole or not at all, and goes only while it is as it was seen.


class Branch(NamedTuple):
    """A branch: its full name, its last commit, and whether a working tree has it checked out."""

    ref: str
    tip: str
    checked_out: bool


def branches(history: History, prefix: str) -> list[Branch]:
    """The branches whose full name begins with this folder of names, in order."""
    if not may_have_refs(history.git_dir, prefix):
        return []
    args = history.git.run("for-each-ref", "--format=%(refname) %(objectname) %(worktreepath)", prefix)
    lines = [line.split(" ", 2) for line in args.decode("utf-8", "replace").splitlines()]
    return [Branch(ref, tip, bool(place)) for ref, tip, place in lines]


def unmerged_commits(history: History, tip: str) -> Iterator[Logged]:
    """The commits behind a branch's last one that the current branch does not have, oldest first; merges are left out."""
    head = history.head()
    less = [f"^{head}"] if head else []
    listed = history.git.run("rev-list", "--reverse", "--topo-order", "--no-merges", tip, *less)
    return map(history.read, listed.decode().split())


def text_in(history: History, commit: str, path: str) -> str:
    """The text of a file in a commit; empty when it has none."""
    blob = history.objects([f"{commit}:{history.places.on_disk(path)}"])[0]
    return blob[2].decode("utf-8", "replace") if blob and blob[1] == "blob" else ""


def create_branch(history: History, ref: str, commit: str, why: str) -> None:
    """Makes a branch; HistoryError when there is one of this name."""
    history.git.run("update-ref", "-m", f"memoryclaw: {why}", ref, commit, "0" * len(commit))


def delete_branch(history: History, branch: Branch) -> None:
    """Removes a branch if nothing was added to it meanwhile; its commits stay until git tidies up."""
    history.git.run("update-ref", "-d", branch.ref, branch.tip)
