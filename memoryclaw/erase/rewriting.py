"""Rewrites the whole history of a vault that was never pushed: every commit anew, in order, with what is erased taken out of each version.

A commit that holds nothing of it, and rests on none that does, keeps its id. The branches move at once, after all is stored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from memoryclaw.errors import HistoryError
from memoryclaw.history import repository
from memoryclaw.history.git import common_dir, hash_name
from memoryclaw.ports import Progress
from memoryclaw.text.needles import Needles
from memoryclaw.vault import files
from memoryclaw.vault.layout import DECISIONS_FILE, free_name

_AT_ONCE = 500  # objects that are read, or stored, with one command
_COMMIT = re.compile(rb"(?<![0-9a-f])[0-9a-f]{40}(?:[0-9a-f]{24})?(?![0-9a-f])")
_SHORT = re.compile(r"(?<![0-9a-f])[0-9a-f]{7,64}(?![0-9a-f])")
_OURS = ("refs/heads/", "refs/tags/")
_NO_FILES = frozenset({"160000", "120000"})
_SIGNED = frozenset({b"gpgsig", b"gpgsig-sha256", b"mergetag"})
# What git keeps of old commits beside its reflogs.
_LEFT = ("ORIG_HEAD", "FETCH_HEAD", "AUTO_MERGE", "COMMIT_EDITMSG")

Change = Callable[[str, bytes], bytes | None]  # of a file, as it is or once was; None: no such file
# Path → a version that changes → what becomes of it; empty: no file.
Versions = Mapping[str, Mapping[str, str]]


def changed_versions(history: repository.History, paths: Iterable[str], change: Change) -> Versions:
    """What becomes of every version of these files in any commit; the new ones are stored, and no commit holds them yet.

    These are ids alone, so they can be kept where the words that go must not be.
    """
    names = {history.places.on_disk(path): path for path in paths}
    folders = {f"{folder}/" for path in names for folder in repository.ancestors(path.rpartition("/")[0])}
    visited, store = set[tuple[str, str]](), list[tuple[str, bytes]]()
    versions: dict[str, dict[str, str]] = {}
    commits = history.git.run("rev-list", "--all").decode().split()
    kind = hash_name(history.git_dir)
    with _reader(history) as read:

        def walk(tree: str, folder: str) -> None:
            for name, entry in repository.parse_tree(read(tree), len(tree) // 2).items():
                path = f"{folder}{name.decode('utf-8', 'surrogateescape')}"
                if (entry.oid, path) in visited:
                    continue
                visited.add((entry.oid, path))
                if entry.mode == repository.TREE and f"{path}/" in folders:
                    walk(entry.oid, f"{path}/")
                elif path in names and entry.mode != repository.TREE and entry.mode not in _NO_FILES:
                    data = read(entry.oid)
                    after = change(names[path], data)
                    if after != data:
                        new = "" if after is None else repository.object_id("blob", after, kind)
                        versions.setdefault(path, {})[entry.oid] = new
                        store.extend([] if after is None else [("blob", after)])

        for commit in commits:
            walk(read(commit).split(b"\n", 1)[0].removeprefix(b"tree ").decode(), "")
    history.store(store, kind)
    return versions


def _present(history: repository.History, ids: Iterable[str]) -> list[str]:
    """Those of the objects that are in the repository, whether or not anything holds them."""
    request = "".join(f"{oid}\n" for oid in sorted(ids)).encode()
    lines = history.git.run("cat-file", "--batch-check", stdin=request).decode().splitlines()
    return [line.partition(" ")[0] for line in lines if not line.endswith(" missing")]


def must_be_rewritable(history: repository.History) -> None:
    """Raises HistoryError unless the repository is the only one that has its commits, and is at rest."""
    state = history.state()
    if state.name in ("none", "unborn"):
        return
    if not state.writable:
        raise HistoryError(f"nothing was erased: {state.sentence}")
    git, common = history.git, common_dir(history.git_dir)
    refs = git.run("for-each-ref", "--format=%(refname)").decode("utf-8", "replace").split()
    elsewhere = [ref for ref in refs if not ref.startswith(_OURS)]
    has_remote = bool(git.run("remote").strip()) or any(ref.startswith("refs/remotes/") for ref in refs)
    trees = os.path.join(common, "worktrees")
    reasons = (
        (state.top, f"it is kept in the repository of {state.top}, which holds more than the vault"),
        (has_remote, "it has a remote, so copies of it may be elsewhere"),
        (os.path.exists(os.path.join(common, "shallow")), "it is a shallow copy of another repository"),
        (os.path.isdir(trees) and os.listdir(trees), "other working trees of it are open"),
        (
            os.path.exists(os.path.join(common, "objects", "info", "alternates")),
            "it shares its objects with another repository",
        ),
        ("refs/stash" in elsewhere, "work is stashed in it; apply or drop that first"),
        (elsewhere, f"it holds {''.join(elsewhere[:1])}, which is neither a branch nor a tag"),
    )
    if reason := next((reason for holds, reason in reasons if holds), ""):
        raise HistoryError(
            f"nothing was erased: the history of this vault is not rewritten, because {reason}"
        )


@dataclass
class Rewriting:
    """One rewriting.

    Args:
        versions: what becomes of versions of files, from `changed_versions`.
        replaced: texts → what stands for them, in files and messages.
        needles: what must not be left anywhere.
    """

    history: repository.History
    versions: Versions
    renames: Mapping[str, str]
    replaced: Mapping[str, str]
    needles: Needles

    def __post_init__(self) -> None:
        self._commits: dict[str, str] = {}
        self._blobs: dict[tuple[str, str], str | None] = {}
        self._trees: dict[tuple[str, str], str] = {}
        self._store: list[tuple[str, bytes]] = []
        self._kind = hash_name(self.history.git_dir)
        self._stored = frozenset[str]()  # the new versions that are there
        self._read: Callable[[str], bytes]  # of one object, while a run is under way

    def run(
        self, bundle: str, before: str, kept: Callable[[str, str], None], progress: Progress | None
    ) -> str:
        """Makes a backup, rewrites, and lets git drop what is left over; returns where the backup is.

        Args:
            bundle: the backup that an earlier try began; empty for none.
            before: the last commit before an earlier try moved the branches; empty when none came so far.
            kept: is given both as soon as they are certain, and before they are used.
        """
        git = self.history.git
        bundle = bundle or free_name(f"{self.history.root}-before-purge.bundle", os.path.lexists)
        kept(bundle, before)
        if not os.path.exists(bundle):
            mask = os.umask(0o077)
            try:
                self.history.git.run("bundle", "create", "--quiet", bundle, "--all")
            finally:
                os.umask(mask)
        refs = git.run("for-each-ref", "--format=%(refname) %(objectname)").decode("utf-8", "surrogateescape")
        order = git.run("rev-list", "--topo-order", "--reverse", "--all").decode().split()
        self._stored = frozenset(_present(self.history, {new for _, new in self._changes() if new}))
        with _reader(self.history) as self._read:
            for number, commit in enumerate(order, 1):
                self._commits[commit] = self._commit(commit)
                if len(self._store) > _AT_ONCE:
                    self._flush()
                if progress:
                    progress(number, len(order))
            moved = [
                (ref, old, self._tag(old)) for ref, _, old in (r.partition(" ") for r in refs.splitlines())
            ]
        self._flush()
        head = self.history.head()
        if self._commits.get(head, head) != head:
            before = head
            kept(bundle, before)
        self._move([move for move in moved if move[1] != move[2]])
        if before and _present(self.history, [before]):
            self._follow(before, self._commits.get(before, head))
        for name in _LEFT:
            path = os.path.join(common_dir(self.history.git_dir), name)
            if os.path.exists(path):
                os.unlink(path)
        git.run("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        git.run("gc", "--prune=now", "--quiet")
        return bundle

    def leftovers(self) -> Iterator[str]:
        """The versions that were to change and are in the repository still, but for those that another file holds."""
        stays = {oid for (oid, _), new in self._blobs.items() if oid == new}
        for oid in _present(self.history, {old for old, _ in self._changes()} - stays):
            yield f"blob {oid}"

    def _changes(self) -> Iterator[tuple[str, str]]:
        return (change for versions in self.versions.values() for change in versions.items())

    def _move(self, moved: Sequence[tuple[str, str, str]]) -> None:
        if moved:
            lines = "".join(f"update {ref} {new} {old}\n" for ref, old, new in moved)
            self.history.git.run(
                "update-ref", "--no-deref", "--stdin", stdin=f"start\n{lines}prepare\ncommit\n".encode()
            )

    def _follow(self, before: str, after: str) -> None:
        """Brings files and the user's index to what the last commit holds now, where they were as it was before."""
        root, git = self.history.root, self.history.git
        for path in git.names("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after):
            old, new = (
                version[2] if version else None
                for version in self.history.objects([f"{before}:{path}", f"{after}:{path}"])
            )
            name, was = self.history.places.name_of(path), None if old is None else files.digest_of(old)
            current = files.digest_at(root, name)
            if new is not None and current == was:
                files.write_file(root, name, new, was)
            elif current is not None:
                files.sweep(root, name)  # of a try that was cut short
            git.run("reset", "-q", "--", path, env=repository.LITERAL)

    def _commit(self, commit: str) -> str:
        raw = self._read(commit)
        head, _, message = raw.partition(b"\n\n")
        lines: list[bytes] = []
        skipping = False
        for line in head.split(b"\n"):
            key, _, value = line.partition(b" ")
            skipping = key in _SIGNED or (skipping and line.startswith(b" "))
            if skipping:  # a signature is of the commit as it was
                continue
            if key == b"tree":
                lines.append(b"tree " + self._tree(value.decode(), "").encode())
            elif key == b"parent":
                lines.append(b"parent " + self._commits.get(value.decode(), value.decode()).encode())
            else:
                lines.append(line)
        text = message.decode("utf-8", "surrogateescape")
        rewritten = self._text(text).encode("utf-8", "surrogateescape")
        links = (
            [line for line in rows if line.startswith((b"tree ", b"parent "))]
            for rows in (head.split(b"\n"), lines)
        )
        # A commit that differs by its signature alone stays: that holds then still.
        if rewritten == message and next(links) == next(links):
            return commit
        return self._put("commit", b"\n".join(lines) + b"\n\n" + rewritten)

    def _tag(self, oid: str) -> str:
        tag = self.history.objects([oid])[0]
        if tag is None or tag[1] != "tag":
            return self._commits.get(oid, oid)
        head, _, message = tag[2].partition(b"\n\n")
        old = head.split(b"\n")[0].removeprefix(b"object ").decode()
        tag_text = message.decode("utf-8", "surrogateescape").partition("-----BEGIN ")[0]
        new, text = self._tag(old), self._text(tag_text)
        if new == old and text == tag_text:
            return oid
        head = head.replace(old.encode(), new.encode(), 1)
        return self._put("tag", head + b"\n\n" + text.encode("utf-8", "surrogateescape"))

    def _text(self, text: str) -> str:
        """A message without what is erased; a commit that it cites is cited as it is called now."""
        return _SHORT.sub(self._cited, self._clean(text))

    def _clean(self, text: str) -> str:
        """A text in which ids are those of now, without what is erased."""
        for old, new in self.replaced.items():
            text = text.replace(old, new)
        return self.needles.without(text) if self.needles.matches(text) else text

    def _cited(self, hit: re.Match[str]) -> str:
        old = (
            next((commit for commit in self._commits if commit.startswith(hit[0])), "")
            if len(hit[0]) >= 10
            else ""
        )
        return self._commits[old][: len(hit[0])] if old else hit[0]

    def _tree(self, oid: str, folder: str) -> str:
        earlier = self._trees.get((oid, folder))
        if earlier is not None:
            return earlier
        entries = repository.parse_tree(self._read(oid), len(oid) // 2)
        fresh: dict[bytes, repository.TreeEntry] = {}
        for name, entry in entries.items():
            path = f"{folder}{name.decode('utf-8', 'surrogateescape')}"
            if entry.mode == repository.TREE:
                inner = self._tree(entry.oid, f"{path}/")
                if inner:
                    fresh[name] = repository.TreeEntry(repository.TREE, inner)
            elif entry.mode in _NO_FILES:
                fresh[name] = entry
            else:
                blob = self._blob(entry.oid, path)
                if blob is not None:
                    called = self._free(self._name(path, name), name, fresh, entries)
                    fresh[called] = repository.TreeEntry(entry.mode, blob)
        if fresh == entries:
            self._trees[oid, folder] = oid
            return oid
        new = self._put("tree", repository.raw_tree(fresh)) if fresh or not folder else ""
        self._trees[oid, folder] = new
        return new

    @staticmethod
    def _free(called: str, name: bytes, *folders: Mapping[bytes, repository.TreeEntry]) -> bytes:
        """A name that no other file has: two that were named by what is erased would both be called `forgotten.md`."""

        def taken(new: str) -> bool:
            raw = os.fsencode(new)
            return raw != name and any(raw in folder for folder in folders)

        return os.fsencode(free_name(called, taken))

    def _name(self, path: str, name: bytes) -> str:
        named = self.history.places.name_of(path)
        new = self.renames.get(named, named).rpartition("/")[2]
        text = new if new != path.rpartition("/")[2] else name.decode("utf-8", "surrogateescape")
        for old, replacement in self.replaced.items():
            text = text.replace(old, replacement)
        stem, dot, suffix = text.rpartition(".")
        if self.needles.matches(text):
            text = f"{self.needles.without(stem)}{dot}{suffix}"
        return text

    def _blob(self, oid: str, path: str) -> str | None:
        if (oid, path) in self._blobs:
            return self._blobs[oid, path]
        data, name = self._read(oid), self.history.places.name_of(path)
        new = self.versions.get(path, {}).get(oid, oid)
        # A version that git has dropped meanwhile cannot be made again; the backup has it as it was.
        after = data if new == oid else self._read(new) if new in self._stored else None
        if after is not None:
            after = self._clean(after.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            if name == DECISIONS_FILE:
                after = _COMMIT.sub(
                    lambda hit: self._commits.get(hit[0].decode(), hit[0].decode()).encode(), after
                )
        blob = None if after is None else oid if after == data else self._put("blob", after)
        self._blobs[oid, path] = blob
        return blob

    def _put(self, kind: str, raw: bytes) -> str:
        self._store.append((kind, raw))
        return repository.object_id(kind, raw, self._kind)

    def _flush(self) -> None:
        if self._store:
            self.history.store(self._store, self._kind)
            self._store = []


@contextmanager
def _reader(history: repository.History) -> Iterator[Callable[[str], bytes]]:
    """Reads objects through one process of git; HistoryError for one that is not there."""
    process = history.git.start_reader("cat-file", "--batch")

    def read(oid: str) -> bytes:
        ask, answer = process.stdin, process.stdout
        if ask is None or answer is None:
            raise HistoryError("git could not be started; is it installed?")
        ask.write(f"{oid}\n".encode())
        ask.flush()
        words = answer.readline().split()
        if len(words) != 3:
            raise HistoryError(
                f"the object {oid[:12]} of the vault's git repository is not there; `git fsck` says more"
            )
        data = answer.read(int(words[2]))
        answer.read(1)
        return data

    try:
        yield read
    finally:
        process.communicate()


def objects_holding(
    history: repository.History, needles: Needles, progress: Progress | None = None
) -> Iterator[str]:
    """Every object of the repository, reachable or not, that holds one of these texts, as `<type> <id>`."""
    out = history.git.run(
        "cat-file", "--batch-check=%(objectname) %(objecttype)", "--batch-all-objects"
    ).decode()
    listed = [line.split() for line in out.splitlines()]
    with _reader(history) as read:
        for number, (oid, kind) in enumerate(listed, 1):
            raw = read(oid)
            if kind == "tree":
                names = [
                    name.decode("utf-8", "replace") for name in repository.parse_tree(raw, len(oid) // 2)
                ]
                text = "\n".join(names)
            else:
                text = raw.decode("utf-8", "replace")
            if needles.matches(text):
                yield f"{kind} {oid}"
            if progress:
                progress(number, len(listed))
