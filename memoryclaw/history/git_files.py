"""Git's own files as bytes: an object, the index, rules of what is ignored. Where they do not tell plainly, it takes git.

To start a git takes longer than all that a small change has to know from it. Pure: whoever calls reads the files.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from bisect import bisect_left
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

_FIXED = 40  # bytes of an index entry before the object's id: times, place, mode, owner, size
_MODE = 24
_VERSIONS = (2, 3)  # of the index; a later one shortens names by those before them
_EXTENDED, _STAGE, _LENGTH = 0x4000, 0x30, 0x0FFF
_CACHES = {b"TREE", b"UNTR", b"FSMN", b"EOIE", b"IEOT"}  # what an index holds only to be faster
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
    rows, entries = _rows(index, id_length), dict[bytes, tuple[str, str]]()
    if rows is None:
        return None
    for name in names:
        entry = rows.entry(name)
        if entry and entry[_FIXED + id_length] & _STAGE:
            return None
        if entry:
            mode = int.from_bytes(entry[_MODE : _MODE + 4], "big")
            entries[name] = f"{mode:06o}", entry[_FIXED : _FIXED + id_length].hex()
    return entries


def index_with(
    index: bytes, changes: Mapping[bytes, tuple[str, str] | None], id_length: int, written: int
) -> bytes | None:
    """An index in which these names have another mode and object id, or no entry; None where it takes git to make it.

    What git keeps in it only to be faster is left out, which it makes again.

    Args:
        written: when the index was, in ns. A file as new as that may be another than its entry says, which git notes there.
    """
    rows, time = _rows(index, id_length), struct.pack(">II", written // 10**9 & 0xFFFFFFFF, written % 10**9)
    if rows is None or not rows.caches <= _CACHES:
        return None
    if any(index[start + 8 : start + 16] >= time for start in rows.starts[:-1]):
        return None
    pieces, reach, count = list[bytes](), 12, len(rows.names)
    for name, entry in sorted(changes.items()):
        place, old = bisect_left(rows.names, name), rows.entry(name)
        start = rows.starts[place]
        if old and old[_FIXED + id_length] & _STAGE:
            return None
        beside = rows.names if entry and not old else ()
        if any(other.startswith(name + b"/") or name.startswith(other + b"/") for other in beside):
            return None  # a folder is where a file was, or the other way round
        pieces.append(index[reach:start])
        if entry:
            stored = struct.pack(">24xI12x", int(entry[0], 8)) + bytes.fromhex(entry[1])
            stored += min(len(name), _LENGTH).to_bytes(2, "big") + name
            pieces.append(stored.ljust(len(stored) + 8 & ~7, b"\0"))
        reach, count = start + len(old), count + bool(entry) - bool(old)
    data = b"".join((index[:8], count.to_bytes(4, "big"), *pieces, index[reach : rows.starts[-1]]))
    return data + hashlib.new({20: "sha1", 32: "sha256"}[id_length], data, usedforsecurity=False).digest()


class _Rows(NamedTuple):
    """The entries of an index, in the order of their names."""

    data: bytes
    names: list[bytes]
    starts: list[int]  # and where the last one ends
    caches: set[bytes]  # what stands behind them

    def entry(self, name: bytes) -> bytes:
        """What is stored of a name, first of what was merged and is in conflict; empty where that is nothing."""
        place = bisect_left(self.names, name)
        has_it = self.names[place : place + 1] == [name]
        return self.data[self.starts[place] : self.starts[place + 1]] if has_it else b""


def _rows(index: bytes, id_length: int) -> _Rows | None:
    version, count = int.from_bytes(index[4:8], "big"), int.from_bytes(index[8:12], "big")
    if index[:4] != b"DIRC" or version not in _VERSIONS or count > _MOST:
        return None
    names, starts, caches, position, flags_at = list[bytes](), [12], set[bytes](), 12, _FIXED + id_length
    try:
        for _ in range(count):
            flags = index[position + flags_at] << 8 | index[position + flags_at + 1]
            begin = position + flags_at + (4 if flags & _EXTENDED else 2)
            length = flags & _LENGTH
            if length == _LENGTH:
                length = index.index(b"\0", begin) - begin
            names.append(index[begin : begin + length])
            position += (begin - position + length + 8) & ~7
            starts.append(position)
    except (IndexError, ValueError):
        return None
    end = len(index) - id_length
    while position < end:  # a name in small letters is of an index that says less than all by itself
        if not index[position : position + 1].isupper():
            return None
        caches.add(index[position : position + 4])
        position += 8 + int.from_bytes(index[position + 4 : position + 8], "big")
    return _Rows(index, names, starts, caches) if position == end else None


def takes_git_to_ignore(settings: str) -> bool:
    """True when a repository's settings say something of what it ignores, beside the files that say so anyway."""
    return any(word in settings.lower() for word in _OTHERWISE)


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
