"""Git's objects as values: trees are parsed, changed and named here, without an index, and packed for git to store.

The rule: an entry that was not to be changed keeps its name, mode and id.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

TREE = "40000"
_MODULE = "160000"
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
