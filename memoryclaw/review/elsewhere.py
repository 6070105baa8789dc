"""Decisions that came with a clone or from another machine: what they would permit waits as one thing, with where it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memoryclaw.errors import ConflictError, HistoryError
from memoryclaw.history.repository import History, editions, logged
from memoryclaw.text.encoding import decode
from memoryclaw.vault.layout import DECISIONS_FILE, timestamp
from memoryclaw.vault.permissions import line_digest, permission, permissions, permit
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.decisions import APPROVED, Decision, decisions_of, recorded
from memoryclaw.writing.writer import Outcome, write

KIND = "permissions"
_ORIGINS = 3  # commits that are named


def in_words(proposals: Sequence[Decision]) -> str:
    """What these decisions would permit: `the skills/mail/SKILL.md of 2026-11-20 approved; 3 forgotten lines brought back`."""
    skills = dict.fromkeys(d.path for d in proposals if d.kind == "skill" and d.path)
    lifted = Counter(d.kind for d in proposals if d.decision == APPROVED and d.kind != "skill")
    back = sum(len(d.lines) for d in proposals)
    parts = [f"{', '.join(skills)} approved"] if skills else []
    parts += [f"{count} of kind {kind} no longer refused" for kind, count in sorted(lifted.items())]
    parts += [f"forgotten lines brought back: {back}"] if back else []
    return "; ".join(parts)


def why(context: WriteContext, proposals: Sequence[Decision]) -> str:
    """Where these decisions came from, and what a yes to them does."""
    trouble = permissions(context.root).trouble
    origin = _origins(History(context.root), proposals)
    parts = [
        trouble,
        f"decided elsewhere{f' ({origin})' * bool(origin)}, so nothing of it counts on this machine",
    ]
    return "; ".join([*filter(None, parts), "a yes, or `memoryclaw adopt`, makes it yours"])


def _origins(history: History, proposals: Iterable[Decision]) -> str:
    """The commits that brought these decisions, newest first, and the remote branches that have them."""
    wanted = {line_digest(d.line()) for d in proposals}
    try:
        if not history.git_dir or not history.head():
            return ""
        commits = list[str]()
        for edition in editions(history, DECISIONS_FILE):
            before, after = (_digests(data) for data in (edition.before, edition.after))
            if wanted & (after - before):
                wanted -= after - before
                commits.append(edition.commit)
            if not wanted:
                break
        named = [_named(history, commit) for commit in commits[:_ORIGINS]]
    except HistoryError:  # a damaged history names nothing
        return ""
    return ", ".join([*named, *([f"{len(commits) - _ORIGINS} more"] if len(commits) > _ORIGINS else [])])


def _named(history: History, commit: str) -> str:
    row = logged(history, commit)
    remotes = ("for-each-ref", "--count=1", "--contains", commit, "--format=%(refname:short)", "refs/remotes")
    at = history.git.asks(*remotes)[1].decode("utf-8", "replace").strip()
    return f"commit {commit[:12]} by {row.author} on {row.when[:10]}{f', in {at}' * bool(at)}"


def _digests(data: bytes | None) -> set[str]:
    return {line_digest(line) for line in decode(data or b"").text.splitlines()}


def adopt(context: WriteContext, proposals: Sequence[Decision]) -> Outcome:
    """Takes these decisions as this person's own: one commit with a line for each.

    Raises:
        ConflictError: they are not what waits any more.
        VaultError: the user's own folder cannot keep it.
    """
    _must_wait(context, proposals)
    at, author = timestamp(context.now), History(context.root).author()[0]
    own = [d._replace(at=at, by=author) for d in proposals]
    run = context.run(KIND)

    def message() -> str:
        return context.templates.commit_message("permissions", run=run, what=in_words(proposals))

    return write(context.root, [recorded(own)], message, verb="adopt", now=context.now)


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
