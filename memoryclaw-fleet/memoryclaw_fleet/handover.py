"""A vault goes from one node to another, over its remote: a new copy, taking over, and what the one before has not sent.

Who takes a vault over says so in a commit, so that nothing that the one before has not sent can be pushed any more; that is kept on
a branch of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from memoryclaw.errors import HistoryError
from memoryclaw.history.remote import FOLDER, HEADS, Remote, remote_of
from memoryclaw.history.repository import History, create_branch
from memoryclaw.review.machines import BranchMerge, exchange, exchanging
from memoryclaw.vault.files import folder_lock, writer_lock
from memoryclaw.vault.state_folder import make_private_folder
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.init import make_folders, make_repository
from memoryclaw.writing.writer import writing

_TRIES = 8


class _HomeRemote(Remote):
    """The copy of a vault that nodes hand over."""

    def branches(self) -> dict[str, str]:
        """The last commit of each branch there, by its name without `refs/heads/`.

        Raises:
            HistoryError: it cannot be reached; git's own words.
        """
        self._ready()
        code, out, err = self._run("ls-remote", self.at.fetch, (), "upload-pack", ["--heads"])
        if code:
            raise self._failure("ls-remote", code, err)
        lines = (line.split("\t", 1) for line in out.splitlines() if "\t" in line)
        return {ref.removeprefix(HEADS): commit for commit, ref in lines}

    def is_sent(self, commit: str) -> bool:
        """Whether git's note says that the branch there is at this commit."""
        commit_there = self._history.git.asks("rev-parse", "--verify", "--quiet", self.at.tracking or "-")[1]
        return commit_there.decode().strip() == commit


def new_copy(root: str, remote: str) -> None:
    """An empty repository in a new folder, whose remote is at this address.

    Raises:
        HistoryError: git cannot make it.
        VaultError: the folder cannot be made.
    """
    make_folders(root)
    with writer_lock(root):
        is_new, notice = make_repository(root)
    if not is_new:
        raise HistoryError(notice)
    point(root, remote)


def point(root: str, remote: str) -> None:
    """Says where the remote of a vault is."""
    history = History(root)
    address = history.git.asks("config", "--get", "remote.origin.url")[1].decode("utf-8", "replace").strip()
    if address != remote:
        history.git.run(
            *(("remote", "set-url", "origin") if address else ("remote", "add", "origin")), "--", remote
        )


_TAKEN = "Taken over by "  # how the message of such a commit begins: templates/commits/home.j2


def send(root: str, *, seconds: float = 900) -> bool:
    """Pushes the last commit as a fast-forward, if that was not done; False when another came first.

    Raises:
        HistoryError: it is refused, or the remote cannot be reached within so many seconds.
    """
    history = History(root)
    head, remote = history.head(), _HomeRemote(history, remote_of(history), seconds=seconds)
    with exchanging(root):
        return not head or remote.is_sent(head) or remote.push(head)


def first_copy(root: str) -> None:
    """Has a new copy follow the branch that its remote has: `main`, or the only one there is.

    Raises:
        HistoryError: it cannot be reached, or has several branches and no `main`.
    """
    history = History(root)
    remote = remote_of(history)
    make_private_folder(f"{root}/{FOLDER}")
    branches = sorted(
        name for name in _HomeRemote(history, remote).branches() if not name.startswith("memoryclaw/")
    )
    if not branches or remote.branch in branches:
        return
    if len(branches) > 1:
        raise HistoryError(
            f"the remote has the branches {', '.join(branches)} and none of them is {remote.branch}"
        )
    history.git.run("symbolic-ref", "HEAD", f"refs/heads/{branches[0]}")


def take_over(
    context: WriteContext, node: str, fence: int, *, may: Callable[[str], None] = lambda _: None
) -> str:
    """Brings a vault to what its remote has, and says there that a node writes it from now on.

    What is not there is sent; or kept on a branch, where yet another node had taken the vault over.

    Args:
        may: asked before anything is sent; may raise.

    Returns:
        The branch; empty where there was nothing to keep.
    """
    history, branch = History(context.root), ""
    remote = remote_of(history)
    with exchanging(context.root):
        theirs = _HomeRemote(history, remote).fetch()
    if theirs and is_taken_over(context.root, theirs):
        branch = set_aside(context, theirs, f"memoryclaw/unsent-{fence}-{node}")
    exchanged = exchange(context, include_noexport=True, may=may, own=True)
    for _ in range(_TRIES):
        commit_takeover(context, node, fence)
        if send(context.root):
            return branch
        exchanged = exchange(context, include_noexport=True, may=may)
    raise HistoryError(f"{exchanged.remote} was pushed to again and again by others; try again")


def put_back(context: WriteContext, name: str) -> str:
    """Keeps what the remote does not have on a branch of this name, and brings the vault to what it has; returns the branch."""
    history = History(context.root)
    with exchanging(context.root):
        theirs = _HomeRemote(history, remote_of(history)).fetch()
    return set_aside(context, theirs, name) if theirs else ""


def is_taken_over(root: str, theirs: str) -> bool:
    """Whether another node took the vault over in what the remote has and we do not."""
    history = History(root)
    head = history.head()
    less = [f"^{head}"] if head else []
    subjects = history.git.run("log", "--format=%s", f"--grep=^{_TAKEN}", theirs, *less)
    return bool(head) and bool(subjects.strip())


def commit_takeover(context: WriteContext, node: str, fence: int) -> None:
    """Says in a commit that a node writes the vault from now on, unless the last one that says so names it already."""
    with writing(context.root) as writer:
        history = writer.history
        last = history.git.run("log", "-1", "--format=%B", f"--grep=^{_TAKEN}").decode("utf-8", "replace")
        if {f"Node: {node}", f"Fence: {fence}"} <= set(last.splitlines()):
            return
        message = context.templates.commit_message("home", node=node, fence=fence, run=context.run("home"))
        history.move(history.marker(message, context.now), "take over")


def set_aside(context: WriteContext, theirs: str, name: str) -> str:
    """Keeps what the remote does not have on a branch of this name, and brings the vault to what the remote has.

    Returns:
        The branch; empty where there was nothing to keep.
    """
    branch = ""
    with writing(context.root) as writer, folder_lock(context.root, "logs"):
        history = writer.history
        paths = not_committed(history)
        if paths:
            run = context.run("unsent")
            writer.record(
                paths,
                lambda: context.templates.commit_message("unsent", count=len(paths), run=run),
                verb="unsent",
                now=context.now,
                gone=True,
            )
        head = history.head()
        if head and not history.git.asks("merge-base", "--is-ancestor", head, theirs)[0]:
            branch = next(free for n in range(1, 1000) if (free := _free(history, name, n, head)))
            with suppress(HistoryError):  # it is there, with this commit
                create_branch(history, f"refs/heads/{branch}", head, "not sent")
        if head != theirs:
            merging = BranchMerge(context, writer, "the remote", own=True)
            merging.carry_out(head, theirs, [], forward=True)
    return branch


def not_committed(history: History) -> list[str]:
    """The files that are not as the last commit has them; what git ignores is left out."""
    names = history.git.names("ls-files", "-z", "--modified", "--others", "--deleted", "--exclude-standard")
    return sorted({history.places.name_of(name) for name in names})


def _free(history: History, name: str, n: int, head: str) -> str:
    """A name that no other commit has."""
    name = name if n == 1 else f"{name}-{n}"
    commit = history.git.asks("rev-parse", "--verify", "--quiet", f"refs/heads/{name}")[1].decode().strip()
    return name if commit in ("", head) else ""
