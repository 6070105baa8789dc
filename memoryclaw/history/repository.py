"""The vault's own git repository, by plumbing alone: no index of the user's, no hook, no filter and no parent repository.

A commit holds the files it was given and nothing else, and a branch moves only from the commit it was built on.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import subprocess
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoryclaw.errors import ConflictError, GitKilledError, HistoryError, InputError
from memoryclaw.history import git_locks
from memoryclaw.model import Stamp
from memoryclaw.text.naming import utc

if TYPE_CHECKING:
    from git.cmd import Git

# ── Git as a process, through GitPython's command layer. Nothing that a repository configures is
# ever run.

_SAFE = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.attributesFile", os.devnull),
    ("core.pager", "cat"),
    ("commit.gpgSign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("i18n.commitEncoding", "UTF-8"),
)
_LOCK = re.compile(r"Unable to create '((?:(?!Unable to create ').)+?\.lock)': File exists")
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}


class GitCommand:
    """Runs git plumbing on one repository and one working tree, both named outright, so that no parent is searched."""

    def __init__(self, root: str, git_dir: str) -> None:
        self._root = root
        # GitPython hands the whole environment on, so what a caller's git left in it is unset by `env`.
        inherited = [name for name in os.environ if name.startswith("GIT_")]
        scrub = ["env", *(part for name in inherited for part in ("-u", name))] if inherited else []
        settings = [part for key, value in _SAFE for part in ("-c", f"{key}={value}")]
        self._fixed = [f"--git-dir={git_dir}", f"--work-tree={root}", *settings]
        self._scrub = scrub
        self._git: Git | None = None

    def run(self, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
        """The output of one command; HistoryError with git's own words when it fails.

        Args:
            args: the subcommand and its arguments.
            stdin: what the command reads.
            env: further variables.
        """
        status, out, err = self._execute(args, stdin, env or {})
        if status:
            raise self._failed(args[0], status, err)
        return out

    def start(self, *args: str, env: dict[str, str] | None = None) -> Callable[[], bytes]:
        """Starts a command that reads nothing; what is returned waits for its output, as `run` gives it."""
        process = self._started(args, env or {})

        def output() -> bytes:
            status, out, err = _ended(process, b"")
            if status:
                raise self._failed(args[0], status, err)
            return out

        return output

    def asks(self, *args: str, stdin: bytes = b"") -> tuple[bool, bytes]:
        """Whether a command that answers by its exit code said yes, and what it printed."""
        status, out, err = self._execute(args, stdin, {})
        if status not in {0, 1}:
            raise self._failed(args[0], status, err)
        return status == 0, out

    def report(self, *args: str, seconds: float) -> tuple[bool, list[str]] | None:
        """Whether a command that looks at the whole repository was content, and its lines; None when it takes longer than that."""
        process = self._started(args, {})
        try:
            out, err = process.communicate(b"", seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        lines = (out + err).decode("utf-8", "replace").splitlines()
        return process.returncode == 0, [line for line in lines if line.strip()]

    def _failed(self, verb: str, status: int, err: str) -> HistoryError:
        if status < 0:
            return GitKilledError(f"git {verb} was killed by signal {-status}; try again")
        if lock := _LOCK.search(err):
            return HistoryError(git_locks.describe(lock[1], self._root))
        words = err.splitlines()
        return HistoryError(f"git {verb} failed: {words[-1] if words else f'exit code {status}'}")

    def _execute(self, args: tuple[str, ...], stdin: bytes, env: dict[str, str]) -> tuple[int, bytes, str]:
        return _ended(self._started(args, env), stdin)

    def _started(self, args: tuple[str, ...], env: dict[str, str]) -> subprocess.Popen[bytes]:
        if any("\0" in arg for arg in args):
            raise InputError("git knows no name with a NUL character in it")
        variables = {**_ENVIRONMENT, **env}
        # `env` unsets first and sets last, so ours survive the scrubbing.
        prefix = (
            [*self._scrub, *(f"{key}={value}" for key, value in variables.items())] if self._scrub else []
        )
        started = self._command_layer().execute(
            [*prefix, "git", *self._fixed, *args], istream=subprocess.PIPE, as_process=True, env=variables
        )
        # GitPython's own handle kills its process when it is let go; the process itself is what we wait for.
        process, started.proc = started.proc, None
        if process is None:
            raise HistoryError("git could not be started; is it installed?")
        return process

    def _command_layer(self) -> Git:
        if self._git is None:
            asked = os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
            from git.cmd import Git  # noqa: PLC0415 - costs 0.1 s, and only writers need it

            if asked == "quiet":
                del os.environ["GIT_PYTHON_REFRESH"]
            self._git = Git(self._root)
        return self._git


def _ended(process: subprocess.Popen[bytes], stdin: bytes) -> tuple[int, bytes, str]:
    out, err = process.communicate(stdin)
    return process.returncode, out, err.decode("utf-8", "replace").strip()


# ── Git's objects as values: trees are parsed, changed and named here, without an index, and packed for git
# to store.

TREE = "40000"

_KINDS = {"commit": 1, "tree": 2, "blob": 3}


class Entry(NamedTuple):
    """What a tree or an index says of one name: mode and object id."""

    mode: str
    oid: str


class Tree:
    """The folders of one commit that a change goes through, as far as they were read."""

    def __init__(self, folders: Mapping[str, dict[bytes, Entry]], hash_name: str) -> None:
        self._folders = {name: dict(entries) for name, entries in folders.items()}
        self._changed: set[str] = {""}
        self.hash_name = hash_name

    def entry(self, path: str) -> Entry | None:
        """The entry of a file, or None where the commit has none."""
        folder, _, name = path.rpartition("/")
        found = self._folders.get(folder, {}).get(name.encode("utf-8", "surrogateescape"))
        return found if found is not None and found.mode not in {TREE, _MODULE} else None

    def put(self, path: str, entry: Entry | None) -> bool:
        """Sets or removes a file's entry; False when a file or a submodule is in the way."""
        folder, _, name = path.rpartition("/")
        if not self._reachable(folder):
            return False
        entries = self._folders.setdefault(folder, {})
        self._changed.update(("", *ancestors(folder)))
        key = name.encode("utf-8", "surrogateescape")
        if entry is None:
            entries.pop(key, None)
        else:
            entries[key] = entry
        return True

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """Yields (id, raw tree) of each folder that was changed since, innermost first, the root last."""
        changed, self._changed = self._changed, {""}
        for folder in sorted(changed, key=lambda name: (-name.count("/") - bool(name), name)):
            entries = self._folders[folder]
            raw = b"".join(_raw(name, entry) for name, entry in sorted(entries.items(), key=_git_order))
            oid = object_id("tree", raw, self.hash_name)
            if folder:
                self._hang(folder, oid, empty=not entries)
            if entries or not folder:
                yield oid, raw

    def _hang(self, folder: str, oid: str, *, empty: bool) -> None:
        parent, _, name = folder.rpartition("/")
        key = name.encode("utf-8", "surrogateescape")
        if empty:
            self._folders.setdefault(parent, {}).pop(key, None)
        else:
            self._folders.setdefault(parent, {})[key] = Entry(TREE, oid)

    def _reachable(self, folder: str) -> bool:
        for ancestor in ancestors(folder):
            parent, _, name = ancestor.rpartition("/")
            found = self._folders.get(parent, {}).get(name.encode("utf-8", "surrogateescape"))
            if found is not None and found.mode != TREE:
                return False
            self._folders.setdefault(ancestor, {})
        return True


def object_id(kind: str, raw: bytes, hash_name: str) -> str:
    """The id that git gives to an object."""
    return hashlib.new(hash_name, f"{kind} {len(raw)}\0".encode() + raw, usedforsecurity=False).hexdigest()


def pack(objects: Sequence[tuple[str, bytes]], hash_name: str) -> bytes:
    """A pack of (kind, raw bytes) objects, as `git unpack-objects` reads it."""
    body = b"PACK" + struct.pack(">II", 2, len(objects))
    body += b"".join(_packed_size(_KINDS[kind], len(raw)) + zlib.compress(raw, 1) for kind, raw in objects)
    return body + hashlib.new(hash_name, body, usedforsecurity=False).digest()


def ancestors(folder: str) -> list[str]:
    """`a/b` → `a`, `a/b`: the folders on the way, outermost first, without the root."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[: i + 1]) for i in range(len(parts))]


def folders_of(paths: Iterable[str]) -> list[str]:
    """Every folder on the way to these files, the root (empty name) first."""
    return ["", *sorted({name for path in paths for name in ancestors(path.rpartition("/")[0])})]


def parse_tree(raw: bytes, oid_length: int) -> dict[bytes, Entry]:
    """The entries of a raw tree object."""
    entries, at = {}, 0
    while at < len(raw):
        space, end = raw.index(b" ", at), raw.index(b"\0", at)
        oid = raw[end + 1 : end + 1 + oid_length]
        entries[raw[space + 1 : end]] = Entry(raw[at:space].decode(), oid.hex())
        at = end + 1 + oid_length
    return entries


def _git_order(item: tuple[bytes, Entry]) -> bytes:
    name, entry = item
    return name + b"/" if entry.mode == TREE else name


def _raw(name: bytes, entry: Entry) -> bytes:
    return entry.mode.encode() + b" " + name + b"\0" + bytes.fromhex(entry.oid)


def _packed_size(kind: int, size: int) -> bytes:
    """Type and size in a pack's own variable length: four bits of the size first, then seven a byte."""
    head, size = kind << 4 | size & 15, size >> 4
    out = bytearray()
    while size:
        out.append(head | 128)
        head, size = size & 127, size >> 7
    out.append(head)
    return bytes(out)


# ── What git holds of the files of a change: in the last commit and in the user's index. What is
# missing is damage, never empty.

_FILE_MODES = frozenset({"100644", "100755"})
Found = Mapping[
    str, tuple[str, str, bytes] | None
]  # by name: id, type and bytes of an object, None where there is none


class GitFileState(NamedTuple):
    """What git holds of one file: its entry in HEAD and in the user's index, and the bytes of both."""

    head: Entry | None
    staged: Entry | None
    head_data: bytes | None
    staged_data: bytes | None


def missing(what: str) -> str:
    """One sentence about an object that a commit names and that is not there."""
    return damage(f"{what} is not there; `memoryclaw doctor` looks closer")


def trees_of(commit: str, name: str, folders: Sequence[str], found: Found) -> dict[str, dict[bytes, Entry]]:
    """The folders of a commit, outermost first; HistoryError for one that it names and that git does not have."""
    known: dict[str, dict[bytes, Entry]] = {}
    for folder in folders if commit else ():
        tree = found[f"{name}:{folder}"]
        above, _, last = folder.rpartition("/")
        entry = known.get(above, {}).get(last.encode("utf-8", "surrogateescape"))
        if tree is None and (not folder or (entry and entry.mode == TREE)):
            raise HistoryError(missing(f"the folder {folder or 'at the top'} of the last commit"))
        if tree and tree[1] == "tree":
            known[folder] = parse_tree(tree[2], len(tree[0]) // 2)
    return known or {"": {}}


def entries_of(out: bytes) -> dict[str, Entry]:
    """The entries that `ls-files` lists; HistoryError for one with a merge conflict."""
    entries = {}
    for line in out.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        mode, oid, stage = facts.split(" ")
        if stage != "0":
            raise HistoryError(f"{path} has a merge conflict in the vault's git repository; resolve it first")
        entries[path] = Entry(mode, oid)
    return entries


def side_of(
    path: str,
    tree: Tree,
    index: Mapping[str, Entry],
    blobs: Found,
    commit: str,
) -> GitFileState:
    """What git holds of one file of a commit; HistoryError where its bytes are not there."""
    head, staged = tree.entry(path), index.get(path)
    if head is not None and head.mode not in _FILE_MODES:
        raise HistoryError(f"{path} is not a regular file in the vault's git repository")
    was = blobs.get(f"{commit}:{path}") if head else None
    if head and not was:
        raise HistoryError(missing(f"{path} of the last commit"))
    waits = blobs.get(staged.oid) if staged else None
    return GitFileState(head, staged, was[2] if was else None, waits[2] if waits else None)


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
    was: Entry | None
    now: Entry | None


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

    def base(self, paths: Sequence[str]) -> CommitBase:
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
        return CommitBase(self._ref(), commit, tree, sides, stamp)

    def tip(self, ref: str, commit: str, paths: Sequence[str]) -> CommitBase:
        """What a commit holds of these files, as the base of the next one on `ref`; the user's index has no part in it."""
        folders = folders_of(paths)
        names = [f"{commit}:{name}" for name in (*folders, *paths)] if commit else []
        blobs = dict(zip(names, self.objects(names), strict=True))
        tree = Tree(trees_of(commit, commit, folders, blobs), _hash_name(commit, {}))
        sides = {path: side_of(path, tree, {}, blobs, commit) for path in paths}
        # What is staged is taken to be what is committed: nothing of the user's is in the way.
        even = {path: GitFileState(s.head, s.head, s.head_data, s.head_data) for path, s in sides.items()}
        return CommitBase(ref, commit, tree, even, None)

    def commit(
        self, base: CommitBase, files: Mapping[str, Version], message: str, now: datetime
    ) -> NewCommit:
        """Makes a commit object on `base` in which these files (and no others) differ; nothing points to it yet."""
        draft = self.draft(base, files, message, now)
        self.store(draft.objects, base.tree.hash_name)
        return draft.made

    def draft(self, base: CommitBase, files: Mapping[str, Version], message: str, now: datetime) -> Draft:
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
                follow.append(StagedUpdate(path, side.head, entry))
            elif version.staged is not None:
                staged, data = _entry(version.staged, side.staged, kind), version.staged
                follow.append(StagedUpdate(path, side.staged, staged))
            sides[path] = GitFileState(entry, staged, version.head, data)
        trees = [("tree", raw) for _, raw in base.tree.objects()]
        commit = self._commit_object(object_id(*trees[-1], kind), base.commit, message, now)
        objects = (*(("blob", data) for data in blobs), *trees, ("commit", commit))
        made = NewCommit(object_id("commit", commit, kind), base.commit, base.ref, tuple(follow), base.stamp)
        return Draft(made, objects, base._replace(commit=made.commit, sides=sides))

    def store(self, objects: Sequence[tuple[str, bytes]], hash_name: str) -> None:
        """Hands (kind, raw bytes) objects to git as they are, through no filter."""
        self.git.run("unpack-objects", "-q", stdin=pack(objects, hash_name))

    def move(self, made: NewCommit, verb: str) -> None:
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
        git_locks.clear_ours(self.git_dir, common_dir(self.git_dir), ref, commit, since)

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


# ── What state a vault's own repository is in, read from its files. No process is started and no
# parent is searched.

_BARE = re.compile(r"^[^\S\n]*bare[^\S\n]*=[^\S\n]*(?:true|yes|on|1)\b", re.IGNORECASE | re.MULTILINE)
_USER = re.compile(r"^[ \t]*\[user\](.*?)(?=^[ \t]*\[|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_WHO = re.compile(r"^[ \t]*(name|email)[ \t]*=[ \t]*([^\n#;]*)", re.IGNORECASE | re.MULTILINE)
_MERGES = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_REBASES = ("rebase-merge", "rebase-apply")
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFTABLE = "refs/heads/.invalid"


class GitState(NamedTuple):
    """The state of the vault's repository: `name` is none, ok, unborn, detached, merging, rebasing, bare, locked or damaged."""

    name: str
    sentence: str
    git_dir: str = ""
    ref: str = ""  # the branch that commits go to; empty where it takes git to tell
    lock: str = ""  # the file that is in the way, of a repository that is locked

    @property
    def writable(self) -> bool:
        """True when a commit can be made now."""
        return self.name in {"ok", "unborn"}


def git_state(root: str) -> GitState:
    """The state of the repository whose `.git` is in this folder."""
    git_dir = _git_dir(root)
    if not git_dir:
        if all(os.path.exists(os.path.join(root, part)) for part in ("HEAD", "objects", "refs")):
            return GitState(
                "bare", "the vault folder is itself a bare git repository; use a working copy of it"
            )
        if os.path.isdir(os.path.join(root, ".git", "objects")):
            return GitState(
                "damaged", damage(".git/HEAD is gone; bring it back from another copy of the vault")
            )
        return GitState("none", "the vault has no git repository of its own, so changes cannot be undone")
    common = common_dir(git_dir)
    if _BARE.search(_text(os.path.join(common, "config"))) and git_dir == common:
        return GitState("bare", "the vault's git repository is bare; set core.bare to false", git_dir)
    return _busy(git_dir) or _astray(git_dir) or _branch(root, git_dir, common)


def other_locks(root: str, state: GitState) -> list[str]:
    """A sentence about each lock of git's that keeps no commit away, but something else."""
    found = git_locks.others(common_dir(state.git_dir)) if state.git_dir else ()
    return [git_locks.describe(path, root) for path in found if path != state.lock]


def index_stamp(git_dir: str) -> Stamp | None:
    """The stamp of this working tree's index, or None before there is one."""
    try:
        info = os.stat(os.path.join(git_dir, "index"))
    except FileNotFoundError:
        return None
    return Stamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def configured_author(git_dir: str) -> tuple[str, str]:
    """The user's name and address from the repository's settings, else from their own; empty where none are set."""
    home = os.path.expanduser("~")
    shared = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    places = (
        os.path.join(shared, "git", "config"),
        os.path.join(home, ".gitconfig"),
        os.path.join(common_dir(git_dir), "config"),
    )
    known: dict[str, str] = {}
    for place in places:
        for section in _USER.findall(_text(place)):
            known.update((key.lower(), value.strip().strip('"')) for key, value in _WHO.findall(section))
    return known.get("name", ""), known.get("email", "")


def common_dir(git_dir: str) -> str:
    """The folder of the repository itself, which the folder of a further working tree points to."""
    shared = _text(os.path.join(git_dir, "commondir")).strip()
    return os.path.normpath(os.path.join(git_dir, shared)) if shared else git_dir


def _busy(git_dir: str) -> GitState | None:
    if any(os.path.exists(os.path.join(git_dir, name)) for name in _REBASES):
        return GitState(
            "rebasing", "a git rebase is under way in the vault; finish or abort it first", git_dir
        )
    if any(os.path.exists(os.path.join(git_dir, name)) for name in _MERGES):
        return GitState("merging", "a git merge is under way in the vault; commit or abort it first", git_dir)
    return None


def _astray(git_dir: str) -> GitState | None:
    head = _text(os.path.join(git_dir, "HEAD")).strip()
    if head.startswith("ref:"):
        return None
    if not _is_id(head):
        what = ".git/HEAD names no branch; write `ref: refs/heads/` and the name of your branch into it"
        return GitState("damaged", damage(what), git_dir)
    return GitState(
        "detached", "the vault's git HEAD is on no branch; run `git switch` to a branch first", git_dir
    )


def _branch(root: str, git_dir: str, common: str) -> GitState:
    ref = _text(os.path.join(git_dir, "HEAD")).strip().removeprefix("ref:").strip()
    if lock := git_locks.blocking(git_dir, common, ref):
        return GitState("locked", git_locks.describe(lock, root), git_dir, ref, lock)
    if ref == _REFTABLE:
        return GitState("ok", "the vault's git repository is ready", git_dir)
    value = _value(common, ref)
    if value is None and not _last_known(common, ref):
        sentence = "the vault's git repository has no commit yet; the next change makes the first"
        return GitState("unborn", sentence, git_dir, ref)
    if value is None or not (_is_id(value) or value.startswith("ref:")):
        return GitState("damaged", _lost(root, common, ref), git_dir, ref)
    return GitState("ok", "the vault's git repository is ready", git_dir, ref)


def is_unborn(git_dir: str) -> bool:
    """True when there may be no commit yet; False when there was one, and what names it cannot be used."""
    head, common = _text(os.path.join(git_dir, "HEAD")).strip(), common_dir(git_dir)
    ref = head.removeprefix("ref:").strip()
    if ref == head:
        return False
    return ref == _REFTABLE or (_value(common, ref) is None and not _last_known(common, ref))


def damage(what: str) -> str:
    """One sentence about a repository that cannot be read or written as it is."""
    return f"the vault's git repository is damaged: {what}"


def _value(common: str, ref: str) -> str | None:
    """What a branch holds, None where there is no such branch."""
    path = os.path.join(common, ref)
    if os.path.isfile(path):
        return _text(path).strip()
    packed = _text(os.path.join(common, "packed-refs")).splitlines()
    return next((line.partition(" ")[0] for line in packed if line.endswith(f" {ref}")), None)


def _last_known(common: str, ref: str) -> str:
    """The last commit that git's own log of a branch names; git removes the log with its branch."""
    lines = _text(os.path.join(common, "logs", ref)).splitlines()
    return next(
        (words[1] for line in reversed(lines) if _is_id((words := [*line.split(" "), "", ""])[1])), ""
    )


def _lost(root: str, common: str, ref: str) -> str:
    path, known = os.path.join(common, ref), _last_known(common, ref)
    name = os.path.relpath(path, root) if path.startswith(f"{root}{os.sep}") else path
    way = "bring it back from another copy of the vault"
    if known:
        way = f"git's log of it names {known} as the last: check that with `git fsck {known[:12]}`, then write it into the file"
    return damage(f"{name} names no commit; {way}")


def _is_id(text: str) -> bool:
    return bool(_ID.fullmatch(text) and text.strip("0"))


def _git_dir(root: str) -> str:
    path = os.path.join(root, ".git")
    if os.path.isdir(path):
        return path if os.path.exists(os.path.join(path, "HEAD")) else ""
    pointer = _text(path)
    if not pointer.startswith("gitdir:"):
        return ""
    target = os.path.normpath(os.path.join(root, pointer[7:].strip()))
    return target if os.path.exists(os.path.join(target, "HEAD")) else ""


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
