"""Labels and trust that came wider from elsewhere: what waits of them as one thing, and what a clone or a `git pull` by hand brought."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.errors import ConflictError, HistoryError, NotFoundError, VaultError
from memoryclaw.history.git import hash_name
from memoryclaw.history.repository import BranchMove, History, object_id
from memoryclaw.late import NamedTuple
from memoryclaw.model import AGENT, TRUSTS, FileChange
from memoryclaw.review.elsewhere import commit_in_words, in_a_few_words, remote_with
from memoryclaw.text.prompts import one_line
from memoryclaw.vault import files
from memoryclaw.vault.audience import NOTE, Doubt, piece_of
from memoryclaw.vault.layout import timestamp
from memoryclaw.vault.permissions import doubt, doubts, settle
from memoryclaw.vault.standings import doubts_of, standing_of
from memoryclaw.writing.context import WriteContext

KIND = "labels"
_NAMED = 3  # commits that one sentence names
_SHOWN = 200  # characters of a note
_MOST = 200  # moves that are looked through
_OURS = ("commit:", "commit (initial)", "commit (amend)", "memoryclaw: ", "branch: ", "Branch: ")
_PICKED = ("(pick)", "(continue)", "(reword)", "(edit)", "(squash)", "(fixup)", "(finish)")


class Widened(NamedTuple):
    """A file of which something came wider than it held here, and is as it came."""

    path: str
    pieces: tuple[tuple[str, Doubt], ...]

    @property
    def line(self) -> str:
        """It in a few words: `notes/house.md: audience public instead of owner`."""
        notes = [_difference(difference) for piece, difference in self.pieces if piece == NOTE]
        lines = [_difference(difference) for piece, difference in self.pieces if piece != NOTE]
        if lines:
            notes.append(f"{len(lines)} line{'s' * (len(lines) != 1)} with {'; '.join(dict.fromkeys(lines))}")
        return one_line(f"{self.path}: {'; '.join(filter(None, notes))}")[:_SHOWN]


def _difference(doubt: Doubt) -> str:
    came, holds = doubt.came, doubt.holds
    audiences = came.audience or AGENT, holds.audience or AGENT
    sentences = [f"audience {audiences[0]} instead of {audiences[1]}"] if audiences[0] != audiences[1] else []
    trusts = came.trust or TRUSTS[0], holds.trust or TRUSTS[0]
    sentences += [f"trust {trusts[0]} instead of {trusts[1]}"] if trusts[0] != trusts[1] else []
    sentences += ["export allowed"] if came.export and not holds.export else []
    return ", ".join(sentences)


def widened(context: WriteContext) -> list[Widened]:
    """What is in doubt and waits for this person."""
    standing, waiting = doubts(context.root), list[Widened]()
    for path in context.lookup.paths() if standing else ():
        if not (of_file := standing.get(piece_of(path))):
            continue
        try:
            file = standing_of(path, files.read_file(context.root, path).data)
        except (NotFoundError, VaultError):  # the index is behind, or the verb itself says what is wrong
            continue
        stands = {(NOTE, file.note), *((line.piece, line.standing) for line in file.lines)}
        doubted = sorted(of_file.pieces.items())
        if pieces := [pair for pair in doubted if not pair[1].declined and (pair[0], pair[1].came) in stands]:
            waiting.append(Widened(path, tuple(pieces)))
    return waiting


def in_words(waiting: Sequence[Widened]) -> str:
    """What came wider, the first of it."""
    return in_a_few_words([widened.line for widened in waiting])


def why(context: WriteContext, waiting: Sequence[Widened]) -> str:
    """Where it came from, and what a yes does."""
    history, commits = History(context.root), list[str]()
    try:
        for widening in waiting if history.git_dir and history.head() else ():
            place = history.places.on_disk(widening.path)
            commit = history.git.run("log", "-1", "--format=%H", "--", place).decode().strip()
            commits += [commit] if commit and commit not in commits else []
        origin = ", ".join(commit_in_words(history, commit) for commit in commits[:_NAMED])
    except HistoryError:  # a damaged history names nothing
        origin = ""
    sentence = f", {len(commits) - _NAMED} more" if len(commits) > _NAMED else ""
    return (
        f"labelled elsewhere{f' ({origin}{sentence})' * bool(origin)}, so what was narrower holds on this machine; "
        "approve it, or run `memoryclaw adopt`, to make it yours"
    )


def decide(context: WriteContext, waiting: Sequence[Widened], *, wanted: bool) -> None:
    """Has what came wider count from now on, or never on this machine.

    Raises:
        ConflictError: it is not what waits any more.
        VaultError: the user's own folder cannot keep it.
    """
    if widened(context) != list(waiting):
        raise ConflictError(f"{KIND} has changed since it was shown; look at it again")
    pieces = [(piece_of(label.path), piece) for label in waiting for piece, _ in label.pieces]
    settle(context.root, timestamp(context.now), pieces, unwanted=not wanted)


# What git itself brought.


def look_through(context: WriteContext, last: str) -> str:
    """Has what a clone, or a pull by hand, brought wider since a move of the branch be in doubt; returns the last move.

    Args:
        last: the move that was the last one before; empty where nothing was looked through.
    """
    history = History(context.root)
    moves = history.moves() if history.git_dir else []
    if not last and doubts(context.root):  # of other copies of the vault; a folder that was moved is one
        doubt(context.root, timestamp(context.now), {})
    marks = [f"{move.old} {move.new}" for move in moves]
    since = len(marks) - marks[::-1].index(last) if last in marks else 0
    for move in [move for move in moves[since:] if not move.why.startswith(_OURS)][-_MOST:]:
        came = _changes(history, move) if _came(history, move) else []
        if came and (raised := doubts_of(came, doubts(context.root))):
            doubt(context.root, timestamp(context.now), raised)
    return marks[-1] if marks else last


def is_own_work(root: str, since: int) -> bool:
    """True where all moves of the branch behind so many bytes of git's record of them brought nothing that others have."""
    return all(move.why.startswith(_OURS) for move in History(root).moves(since))


def _changes(history: History, move: BranchMove) -> list[FileChange]:
    try:
        nothing = object_id("tree", b"", hash_name(history.git_dir))
        return history.between(move.old or nothing, move.new)
    except HistoryError:  # what is not there any more cannot be looked at
        return []


def _came(history: History, move: BranchMove) -> bool:
    """True where a move of the branch brought what others have."""
    is_pull = move.why.startswith(("clone:", "pull", "initial pull"))
    if is_pull and not any(word in move.why for word in _PICKED):
        return True
    parents = history.git.asks("rev-parse", f"{move.new}^@")[1].decode().split()
    return any(remote_with(history, commit) for commit in (move.new, *parents[1:]))
