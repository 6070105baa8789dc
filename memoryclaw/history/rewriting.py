"""Rewrites the whole history of a vault that was never pushed: every commit anew, in order, with what is erased taken out of each version.

A commit that holds nothing of it, and rests on none that does, keeps its id. The branches move at once, after all is stored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Self

from memoryclaw.errors import HistoryError
from memoryclaw.history.git import common_dir
from memoryclaw.history.repository import LITERAL, TREE, Entry, History, object_id, parse_tree, raw_tree
from memoryclaw.ports import Progress
from memoryclaw.text.needles import Needles
from memoryclaw.vault.layout import DECISIONS_FILE, free_name

_AT_ONCE = 500  # objects that are read, or stored, with one command
_COMMIT = re.compile(rb"(?<![0-9a-f])[0-9a-f]{40}(?:[0-9a-f]{24})?(?![0-9a-f])")
_SHORT = re.compile(r"(?<![0-9a-f])[0-9a-f]{7,64}(?![0-9a-f])")
_OURS = ("refs/heads/", "refs/tags/")
_MODULE = "160000"
_SIGNED = frozenset({b"gpgsig", b"gpgsig-sha256", b"mergetag"})
_LEFT = (
    "ORIG_HEAD",
    "FETCH_HEAD",
    "AUTO_MERGE",
    "COMMIT_EDITMSG",
)  # what git keeps of old commits beside its reflogs

Transform = Callable[[bytes], bytes | None]


def must_be_rewritable(history: History) -> None:
    """Raises HistoryError unless the repository is the only one that has its commits, and is at rest."""
    state = history.state()
    if state.name in ("none", "unborn"):
        return
    if not state.writable:
        raise HistoryError(f"nothing was erased: {state.sentence}")
    git, common = history.git, common_dir(history.git_dir)
    refs = git.run("for-each-ref", "--format=%(refname)").decode("utf-8", "replace").split()
    elsewhere = [ref for ref in refs if not ref.startswith(_OURS)]
    why = ""
    if git.run("remote").strip() or any(ref.startswith("refs/remotes/") for ref in refs):
        why = "it has a remote, so copies of it may be elsewhere"
    elif os.path.exists(os.path.join(common, "shallow")):
        why = "it is a shallow copy of another repository"
    elif os.path.isdir(os.path.join(common, "worktrees")) and os.listdir(os.path.join(common, "worktrees")):
        why = "other working trees of it are open"
    elif os.path.exists(os.path.join(common, "objects", "info", "alternates")):
        why = "it shares its objects with another repository"
    elif "refs/stash" in elsewhere:
        why = "work is stashed in it; apply or drop that first"
    elif elsewhere:
        why = f"it holds {elsewhere[0]}, which is neither a branch nor a tag"
    if why:
        raise HistoryError(f"nothing was erased: the history of this vault is not rewritten, because {why}")


class Rewriting:
    """One rewriting.

    Args:
        history: the repository.
        transforms: path → what becomes of every version of the file.
        renames: path → the path under which it goes on.
        replaced: texts → what stands for them, in files and messages.
        needles: what must not be left anywhere.
    """

    def __init__(
        self,
        history: History,
        transforms: Mapping[str, Transform],
        renames: Mapping[str, str],
        replaced: Mapping[str, str],
        needles: Needles,
    ) -> None:
        self._history = history
        self._transforms = transforms
        self._renames = renames
        self._replaced = replaced
        self._needles = needles
        self._commits: dict[str, str] = {}
        self._blobs: dict[tuple[str, str], str | None] = {}
        self._trees: dict[tuple[str, str], str] = {}
        self._store: list[tuple[str, bytes]] = []
        self._kind = "sha1"
        self._read: Callable[[str], bytes]  # of one object, while a run is under way

    def run(self, bundle: str, kept: Callable[[str], None], progress: Progress | None) -> str:
        """Makes a backup, rewrites, and lets git drop what is left over; returns where the backup is.

        Args:
            bundle: the backup that an earlier try made; empty for none.
            kept: told where the backup is, before anything is rewritten.
            progress: told (done, total) after each commit.
        """
        git = self._history.git
        if not bundle:
            bundle = self._backup()
            kept(bundle)
        refs = self._refs()
        order = git.run("rev-list", "--topo-order", "--reverse", "--all").decode().split()
        self._kind = "sha256" if order and len(order[0]) == 64 else "sha1"
        with _Reader(self._history) as reader:
            self._read = reader.read
            for number, commit in enumerate(order, 1):
                self._commits[commit] = self._commit(commit)
                if len(self._store) > _AT_ONCE:
                    self._flush()
                if progress:
                    progress(number, len(order))
            moved = [(ref, old, self._tag(old)) for ref, old in refs]
        self._flush()
        before = self._history.head()
        self._move([one for one in moved if one[1] != one[2]])
        self._follow(before)
        for name in _LEFT:
            path = os.path.join(common_dir(self._history.git_dir), name)
            if os.path.exists(path):
                os.unlink(path)
        git.run("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        git.run("gc", "--prune=now", "--quiet")
        return bundle

    def _backup(self) -> str:
        number, path = 1, f"{self._history.root}-before-purge.bundle"
        while os.path.lexists(path):
            number += 1
            path = f"{self._history.root}-before-purge-{number}.bundle"
        mask = os.umask(0o077)
        try:
            self._history.git.run("bundle", "create", "--quiet", path, "--all")
        finally:
            os.umask(mask)
        return path

    def _refs(self) -> list[tuple[str, str]]:
        out = self._history.git.run("for-each-ref", "--format=%(refname) %(objectname)").decode(
            "utf-8", "surrogateescape"
        )
        return [(ref, oid) for ref, _, oid in (line.partition(" ") for line in out.splitlines())]

    def _move(self, moved: Sequence[tuple[str, str, str]]) -> None:
        if moved:
            lines = "".join(f"update {ref} {new} {old}\n" for ref, old, new in moved)
            self._history.git.run(
                "update-ref", "--no-deref", "--stdin", stdin=f"start\n{lines}prepare\ncommit\n".encode()
            )

    def _follow(self, before: str) -> None:
        """Brings files and the user's index to what the last commit holds now, where they were as it was before."""
        after = self._commits.get(before, before)
        if before == after:
            return
        git = self._history.git
        out = git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after).decode(
            "utf-8", "surrogateescape"
        )
        for path in out.split("\0")[:-1]:
            old, new = (
                one[2] if one else None
                for one in self._history.objects([f"{before}:{path}", f"{after}:{path}"])
            )
            place = os.path.join(self._history.root, path)
            try:
                with open(place, "rb") as file:
                    now: bytes | None = file.read()
            except FileNotFoundError:
                now = None
            if now == old and new is not None:
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(new)
            git.run("reset", "-q", "--", path, env=LITERAL)

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
        said = self._text(message.decode("utf-8", "surrogateescape"))
        fresh = b"\n".join(lines) + b"\n\n" + said.encode("utf-8", "surrogateescape")
        if said.encode("utf-8", "surrogateescape") == message and self._same(head, lines):
            return commit
        return self._put("commit", fresh)

    @staticmethod
    def _same(head: bytes, lines: Sequence[bytes]) -> bool:
        """True when a commit differs by its signature alone, which holds then still."""
        kept = [line for line in head.split(b"\n") if line.startswith((b"tree ", b"parent "))]
        return kept == [line for line in lines if line.startswith((b"tree ", b"parent "))]

    def _tag(self, oid: str) -> str:
        found = self._history.objects([oid])[0]
        if found is None or found[1] != "tag":
            return self._commits.get(oid, oid)
        head, _, message = found[2].partition(b"\n\n")
        old = head.split(b"\n")[0].removeprefix(b"object ").decode()
        said = message.decode("utf-8", "surrogateescape").partition("-----BEGIN ")[0]
        new, text = self._tag(old), self._text(said)
        if new == old and text == said:
            return oid
        return self._put(
            "tag",
            head.replace(old.encode(), new.encode(), 1) + b"\n\n" + text.encode("utf-8", "surrogateescape"),
        )

    def _text(self, text: str) -> str:
        """A message without what is erased; a commit that it cites is cited as it is called now."""
        for old, new in self._replaced.items():
            text = text.replace(old, new)
        text = self._needles.without(text) if self._needles.found(text) else text
        return _SHORT.sub(self._cited, text)

    def _cited(self, hit: re.Match[str]) -> str:
        old = next((one for one in self._commits if one.startswith(hit[0])), "") if len(hit[0]) >= 10 else ""
        return self._commits[old][: len(hit[0])] if old else hit[0]

    def _tree(self, oid: str, folder: str) -> str:
        known = self._trees.get((oid, folder))
        if known is not None:
            return known
        entries = parse_tree(self._read(oid), len(oid) // 2)
        fresh: dict[bytes, Entry] = {}
        for name, entry in entries.items():
            path = f"{folder}{name.decode('utf-8', 'surrogateescape')}"
            if entry.mode == TREE:
                inner = self._tree(entry.oid, f"{path}/")
                if inner:
                    fresh[name] = Entry(TREE, inner)
            elif entry.mode in (_MODULE, "120000"):
                fresh[name] = entry
            else:
                made = self._blob(entry.oid, path)
                if made is not None:
                    fresh[self._free(self._name(path, name), name, fresh, entries)] = Entry(entry.mode, made)
        if fresh == entries:
            self._trees[oid, folder] = oid
            return oid
        new = self._put("tree", raw_tree(fresh)) if fresh or not folder else ""
        self._trees[oid, folder] = new
        return new

    @staticmethod
    def _free(called: str, name: bytes, *folders: Mapping[bytes, Entry]) -> bytes:
        """A name that no other file has: two that were named by what is erased would both be called `forgotten.md`."""

        def taken(new: str) -> bool:
            raw = os.fsencode(new)
            return raw != name and any(raw in folder for folder in folders)

        return os.fsencode(free_name(called, taken))

    def _name(self, path: str, name: bytes) -> str:
        known = self._history.places.named(path)
        new = self._renames.get(known, known).rpartition("/")[2]
        text = new if new != path.rpartition("/")[2] else name.decode("utf-8", "surrogateescape")
        for old, other in self._replaced.items():
            text = text.replace(old, other)
        stem, dot, suffix = text.rpartition(".")
        if self._needles.found(text):
            text = f"{self._needles.without(stem)}{dot}{suffix}"
        return text

    def _blob(self, oid: str, path: str) -> str | None:
        if (oid, path) in self._blobs:
            return self._blobs[oid, path]
        data, name = self._read(oid), self._history.places.named(path)
        after: bytes | None = data
        if (transform := self._transforms.get(name)) is not None:
            after = transform(data)
        if after is not None:
            for old, new in self._replaced.items():
                after = after.replace(os.fsencode(old), os.fsencode(new))
            text = after.decode("utf-8", "surrogateescape")
            if self._needles.found(text):
                after = self._needles.without(text).encode("utf-8", "surrogateescape")
            if name == DECISIONS_FILE:
                after = _COMMIT.sub(
                    lambda hit: self._commits.get(hit[0].decode(), hit[0].decode()).encode(), after
                )
        made = None if after is None else oid if after == data else self._put("blob", after)
        self._blobs[oid, path] = made
        return made

    def _put(self, kind: str, raw: bytes) -> str:
        self._store.append((kind, raw))
        return object_id(kind, raw, self._kind)

    def _flush(self) -> None:
        if self._store:
            self._history.store(self._store, self._kind)
            self._store = []


class _Reader:
    """Reads objects through one process of git."""

    def __init__(self, history: History) -> None:
        self._process = history.git.reading("cat-file", "--batch")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def read(self, oid: str) -> bytes:
        """The bytes of an object; HistoryError when it is not there."""
        ask, answer = self._process.stdin, self._process.stdout
        if ask is None or answer is None:
            raise HistoryError("git could not be started; is it installed?")
        ask.write(f"{oid}\n".encode())
        ask.flush()
        words = answer.readline().split()
        if len(words) != 3:
            raise HistoryError(
                f"the object {oid[:12]} of the vault's git repository is not there; `git fsck` looks closer"
            )
        data = answer.read(int(words[2]))
        answer.read(1)
        return data


def found_in_objects(history: History, needles: Needles, progress: Progress | None = None) -> Iterator[str]:
    """Every object of the repository, reachable or not, that holds one of these texts, as `<type> <id>`."""
    out = history.git.run(
        "cat-file", "--batch-check=%(objectname) %(objecttype)", "--batch-all-objects"
    ).decode()
    listed = [line.split() for line in out.splitlines()]
    with _Reader(history) as reader:
        for number, (oid, kind) in enumerate(listed, 1):
            raw = reader.read(oid)
            if kind == "tree":
                names = [name.decode("utf-8", "replace") for name in parse_tree(raw, len(oid) // 2)]
                text = "\n".join(names)
            else:
                text = raw.decode("utf-8", "replace")
            if needles.found(text):
                yield f"{kind} {oid}"
            if progress:
                progress(number, len(listed))
