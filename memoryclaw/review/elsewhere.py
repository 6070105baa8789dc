"""Decisions that came with a clone or from another machine: what they would permit waits as one thing, with where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoryclaw.errors import ConflictError, HistoryError
from memoryclaw.history.repository import History, editions
from memoryclaw.text.encoding import decode
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.layout import DECISIONS_FILE, timestamp
from memoryclaw.vault.permissions import line_digest, permission, permissions, permit
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import Decision, decisions_of, record_edit
from memoryclaw.writing.writer import Outcome, commit

KIND = "permissions"
_NAMED = 3  # decisions and commits that one sentence names
_SHOWN = 200  # characters of a decision


def each_in_words(proposals: Sequence[Decision]) -> list[str]:
    """What each of these decisions would permit: `approved skill skills/mail/SKILL.md 1a2b3c4d5e6f`."""
    named = ((d.decision, d.kind, d.path or d.fingerprint, d.digest[:12], *d.lines) for d in proposals)
    return [one_line(" ".join(filter(None, words)))[:_SHOWN] for words in named]


def in_words(proposals: Sequence[Decision]) -> str:
    """What these decisions would permit, the first of them."""
    return in_a_few_words(each_in_words(proposals))


def in_a_few_words(words: Sequence[str]) -> str:
    """The first of several things, and how many more there are."""
    remainder = f"; and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return f"{'; '.join(words[:_NAMED])}{remainder}"


def why(context: WriteContext, proposals: Sequence[Decision]) -> str:
    """Where these decisions came from, and what a yes to them does."""
    trouble = permissions(context.root).trouble
    origin = _origins(History(context.root), proposals)
    reasons = [
        trouble,
        f"decided elsewhere{f' ({origin})' * bool(origin)}, so none of it counts on this machine",
    ]
    return "; ".join([*filter(None, reasons), "approve it, or run `memoryclaw adopt`, to make it yours"])


def _origins(history: History, proposals: Iterable[Decision]) -> str:
    """The commits that brought these decisions, newest first, and the remote branches that have them."""
    missing = {line_digest(d.line()) for d in proposals}
    try:
        if not history.git_dir or not history.head():
            return ""
        commits = list[str]()
        for edition in editions(history, DECISIONS_FILE):
            texts = (decode(data or b"").text.splitlines() for data in (edition.before, edition.after))
            before, after = (set(map(line_digest, lines)) for lines in texts)
            if missing & (after - before):
                missing -= after - before
                commits.append(edition.commit)
            if not missing:
                break
        origins = [commit_in_words(history, commit) for commit in commits[:_NAMED]]
    except HistoryError:  # a damaged history names nothing
        return ""
    return ", ".join([*origins, *([f"{len(commits) - _NAMED} more"] if len(commits) > _NAMED else [])])


def commit_in_words(history: History, commit: str) -> str:
    """A commit, who made it and when, and a remote branch that has it."""
    row, remote = history.read(commit), remote_with(history, commit)
    return f"commit {commit[:12]} by {row.author} on {row.when[:10]}{f', in {remote}' * bool(remote)}"


def remote_with(history: History, commit: str) -> str:
    """A branch of another copy that has a commit; empty where none has."""
    names = ("for-each-ref", "--count=1", "--contains", commit, "--format=%(refname:short)", "refs/remotes")
    return history.git.asks(*names)[1].decode("utf-8", "replace").strip()


def adopt(context: WriteContext, proposals: Sequence[Decision]) -> Outcome:
    """Takes these decisions as this person's own: one commit with a line for each.

    Raises:
        ConflictError: they are not what waits any more.
        VaultError: the user's own folder cannot keep it.
    """
    _must_wait(context, proposals)
    moment, author = timestamp(context.now), History(context.root).author()[0]
    decisions = [d._replace(at=moment, by=author) for d in proposals]
    edit, summary = record_edit(decisions), in_words(proposals)
    return commit(context, [edit], "permissions", verb="adopt", run=KIND, summary=summary)


def decline(context: WriteContext, proposals: Sequence[Decision]) -> None:
    """Remembers on this machine that these decisions are not wanted here; elsewhere they stay as they are.

    Raises:
        ConflictError: they are not what waits any more.
        VaultError: the user's own folder cannot keep it.
    """
    _must_wait(context, proposals)
    unwanted = [line_digest(d.line()) for d in proposals]
    refused = [d.digest for d in proposals if d.digest]
    permit(context.root, permission(timestamp(context.now), declined=unwanted, refused=refused))


def _must_wait(context: WriteContext, proposals: Sequence[Decision]) -> None:
    if decisions_of(context.root).proposals != tuple(proposals):
        raise ConflictError(f"{KIND} has changed since it was shown; look at it again")
