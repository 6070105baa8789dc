"""What git holds of the files of a change: in the last commit and in the user's index. The rule: what is missing is damage, never empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoryclaw.adapters.gitobjects import TREE, Entry, Tree, parse_tree
from memoryclaw.adapters.gitstate import damage
from memoryclaw.core.errors import HistoryError

_FILE_MODES = frozenset({"100644", "100755"})
Found = Mapping[
    str, tuple[str, str, bytes] | None
]  # by name: id, type and bytes of an object, None where there is none


class Side(NamedTuple):
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
) -> Side:
    """What git holds of one file of a commit; HistoryError where its bytes are not there."""
    head, staged = tree.entry(path), index.get(path)
    if head is not None and head.mode not in _FILE_MODES:
        raise HistoryError(f"{path} is not a regular file in the vault's git repository")
    was = blobs.get(f"{commit}:{path}") if head else None
    if head and not was:
        raise HistoryError(missing(f"{path} of the last commit"))
    waits = blobs.get(staged.oid) if staged else None
    return Side(head, staged, was[2] if was else None, waits[2] if waits else None)
