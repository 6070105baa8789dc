"""Branches of ours beside the user's. The rule: one appears whole or not at all, and goes only while it is as it was seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memoryclaw.adapters.history import History, Recorded


class Branch(NamedTuple):
    """A branch: its full name, its last commit, and whether a working tree has it checked out."""

    ref: str
    tip: str
    checked_out: bool


def branches(history: History, prefix: str) -> list[Branch]:
    """The branches whose full name begins with this folder of names, in order."""
    asked = history.git.run("for-each-ref", "--format=%(refname) %(objectname) %(worktreepath)", prefix)
    lines = [line.split(" ", 2) for line in asked.decode("utf-8", "replace").splitlines()]
    return [Branch(ref, tip, bool(place)) for ref, tip, place in lines]


def unmerged(history: History, tip: str) -> Iterator[Recorded]:
    """The commits behind a branch's last one that the current branch does not have, oldest first; merges are left out."""
    head = history.head()
    less = [f"^{head}"] if head else []
    listed = history.git.run("rev-list", "--reverse", "--topo-order", "--no-merges", tip, *less)
    return map(history.read, listed.decode().split())


def text_in(history: History, commit: str, path: str) -> str:
    """The text of a file in a commit; empty when it has none."""
    found = history.objects([f"{commit}:{path}"])[0]
    return found[2].decode("utf-8", "replace") if found and found[1] == "blob" else ""


def create(history: History, ref: str, commit: str, why: str) -> None:
    """Makes a branch; HistoryError when there is one of this name."""
    history.git.run("update-ref", "-m", f"memoryclaw: {why}", ref, commit, "0" * len(commit))


def delete(history: History, branch: Branch) -> None:
    """Removes a branch if nothing was added to it meanwhile; its commits stay until git tidies up."""
    history.git.run("update-ref", "-d", branch.ref, branch.tip)
