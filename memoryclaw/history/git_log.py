"""The commits of a vault, read back in rows: who, when, in whose words, which files. Plumbing alone, nothing is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from memoryclaw.history.repository import History, Recorded
from memoryclaw.text.naming import timestamp

_TRAILER = re.compile(r"^([A-Z][A-Za-z-]*): (.+)$", re.MULTILINE)
_WHO = re.compile(r"(?P<name>.*?) ?<[^<>]*> (?P<seconds>-?\d{1,12}) [+-]\d{4}")
_AT_ONCE = 200  # versions of a file that are read with one command


class Logged(NamedTuple):
    """One commit as a row of the history."""

    commit: str
    author: str
    when: str  # ISO, UTC
    subject: str
    body: str
    trailers: Mapping[str, str]
    files: tuple[str, ...] = ()

    @property
    def run(self) -> str:
        """The run of ours that made it; empty for a commit of a person."""
        return self.trailers.get("Run", "")

    @property
    def kind(self) -> str:
        """What made it: the verb of its run, or `by hand`."""
        return self.run.partition("-")[0] or "by hand"


class FileVersions(NamedTuple):
    """A file before and after one commit."""

    commit: str
    before: bytes | None
    after: bytes | None


def log(history: History, paths: Sequence[str] = (), *, limit: int) -> list[Logged]:
    """The commits of the branch, newest first.

    Args:
        history: the repository; its HEAD must be a commit.
        paths: only commits that touched one of these files.
        limit: how many at most.
    """
    args = ["rev-list", "--header", f"--max-count={limit}", "HEAD", "--", *paths]
    out = history.git.run(*args, env={"GIT_LITERAL_PATHSPECS": "1"})
    rows = [_row(text) for text in out.decode("utf-8", "replace").split("\0") if text.strip()]
    files = _files(history, [row.commit for row in rows])
    return [row._replace(files=files.get(row.commit, ())) for row in rows]


def editions(history: History, path: str) -> Iterator[FileVersions]:
    """What each commit of the branch made of a file, newest first."""
    out = history.git.run("rev-list", "HEAD", "--", path, env={"GIT_LITERAL_PATHSPECS": "1"})
    commits = out.decode().split()
    for at in range(0, len(commits), _AT_ONCE):
        some = commits[at : at + _AT_ONCE]
        found = history.objects([f"{commit}{parent}:{path}" for commit in some for parent in ("^", "")])
        blobs = [one[2] if one and one[1] == "blob" else None for one in found]
        for number, commit in enumerate(some):
            yield FileVersions(commit, blobs[2 * number], blobs[2 * number + 1])


def logged(history: History, commit: str) -> Logged:
    """The row of one commit."""
    out = history.git.run("rev-list", "--header", "--max-count=1", commit)
    row = _row(out.decode("utf-8", "replace").rstrip("\0"))
    return row._replace(files=_files(history, [row.commit]).get(row.commit, ()))


def _row(text: str) -> Logged:
    header, _, indented = text.partition("\n\n")
    commit, *lines = header.splitlines()
    who = next((_WHO.match(line[7:]) for line in lines if line.startswith("author ")), None)
    message = "\n".join(line.removeprefix("    ") for line in indented.split("\n")).strip()
    subject, _, body = message.partition("\n")
    last = message.rpartition("\n\n")[2]
    return Logged(
        commit=commit,
        author=who["name"] if who else "",
        when=timestamp(datetime.fromtimestamp(int(who["seconds"]), UTC)) if who else "",
        subject=subject,
        body=body.strip(),
        trailers=dict(_TRAILER.findall(last)),
    )


def _files(history: History, commits: Sequence[str]) -> dict[str, tuple[str, ...]]:
    if not commits:
        return {}
    args = ["diff-tree", "--stdin", "-r", "-z", "--root", "--name-only", "--no-renames"]
    out = history.git.run(*args, stdin="".join(f"{commit}\n" for commit in commits).encode())
    known, found, names = set(commits), dict[str, list[str]](), list[str]()
    for part in out.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        if part in known:
            names = found.setdefault(part, [])
        else:
            names.append(part)
    return {commit: tuple(files) for commit, files in found.items()}


# ── Branches of ours beside the user's. One appears whole or not at all, and goes only while it
# is as it was seen.


class Branch(NamedTuple):
    """A branch: its full name, its last commit, and whether a working tree has it checked out."""

    ref: str
    tip: str
    checked_out: bool


def branches(history: History, prefix: str) -> list[Branch]:
    """The branches whose full name begins with this folder of names, in order."""
    args = history.git.run("for-each-ref", "--format=%(refname) %(objectname) %(worktreepath)", prefix)
    lines = [line.split(" ", 2) for line in args.decode("utf-8", "replace").splitlines()]
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
