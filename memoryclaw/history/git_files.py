"""Git's own files as bytes: an object, the index, rules of what is ignored. Where they do not tell plainly, it takes git.

To start a git takes longer than all that a small change has to know from it. Pure: whoever calls reads the files.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection
from fnmatch import fnmatchcase

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
