"""The one way a machine edit reaches the vault: files by digest check and rename, then a commit of that change alone.

The file gets the change on top of what the user left in it; the commit gets the same change on top of HEAD.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from typing import Any, Generic, TypeVar

from memoryclaw import errors
from memoryclaw.history import git, journal, repository
from memoryclaw.history.git import GitState
from memoryclaw.history.journal import JournalEntry, JournalStep, clear_stale, index_ready, join_updates
from memoryclaw.history.repository import CommitBase, Draft, GitFileState, History, NewCommit, Version
from memoryclaw.late import NamedTuple
from memoryclaw.text.encoding import decode, encode, same_text
from memoryclaw.text.merging import same_patch
from memoryclaw.unix import is_locked
from memoryclaw.vault import files
from memoryclaw.vault.files import WAIT, locked_error, writer_lock
from memoryclaw.vault.layout import STATE_DIR, must_take_writes, safe_path
from memoryclaw.vault.permissions import permit
from memoryclaw.vault.state_folder import make_private_folder
from memoryclaw.writing.context import WriteContext

# Finishes or drops the change that a killed writer left under way. Never torn, never twice, never over new work.

_PAUSE = 0.05


def recover(root: str, history: History | None = None) -> str:
    """Ends what a killed writer began; returns one sentence when something needed saying, else an empty string.

    Args:
        history: that of the vault, where it is at hand.

    Raises:
        HistoryError: a lock of another's git is in the way; the change stays in the journal for the next time.
        VaultError: nothing may be written in this vault.
    """
    must_take_writes(root)
    with writer_lock(root):
        pending = journal.load(root)
        _clear_locks(history or History(root), pending)
        if pending is None:
            journal.clear(root)
            return ""
        for step in pending.steps:
            if step.temp:
                files.hand_back(root, step.path, step.temp, step.before, step.after)
        started = any(_is_done(root, step) and step.before != step.after for step in pending.steps)
        can_finish = all(_is_done(root, step) or _ready(root, step) for step in pending.steps)
        notice = ""
        if _is_made(root, pending):
            _catch_up(root, pending)
        elif started and can_finish:
            notice = _finish(root, pending)
        elif started:
            notice = f"a change of {_names(pending)} was cut short and the files have changed since; see them with `git diff`"
        for step in pending.steps:
            if step.temp:
                files.discard(root, step.path, step.temp)
        journal.clear(root)
        return notice


def carry_out(root: str, steps: tuple[JournalStep, ...]) -> None:
    """Takes the steps that are not done yet; their temp files must be there."""
    placed = []
    for step in steps:
        if _is_done(root, step):
            continue
        if step.after is not None:
            files.place(root, step.path, step.temp, step.before, settled=False)
            placed.append(step.path)
        elif step.before is not None:
            files.remove_file(root, step.path, step.before, step.temp)
    files.settle(root, placed)


def publish(history: History, pending: JournalEntry, made: NewCommit) -> None:
    """Moves the branch to the commit and the user's index with it: what the index is to be is on the disk before."""
    with index_ready(history, made.follow, made.stamp) as put:
        journal.touch(history.root)
        history.move(made, pending.verb)
        put()


def _clear_locks(history: History, pending: JournalEntry | None) -> None:
    """Removes the locks that git or we held when we were killed."""
    if history.git_dir:
        clear_stale(history)
        if pending and pending.commit:
            history.clear_locks(pending.ref, pending.commit, journal.touched_at(history.root))


def refuse_while_locked(history: History) -> GitState:
    """The state of the repository, after a while of waiting for another's git; HistoryError when its lock stays."""
    end = time.monotonic() + WAIT
    while (state := history.state()).name == "locked":
        while os.path.exists(state.lock):
            if time.monotonic() >= end:
                raise errors.GitBusyError(
                    f"nothing was written: {git.lock_sentence(state.lock, history.root)}"
                )
            time.sleep(_PAUSE)
    return state


def _finish(root: str, pending: JournalEntry) -> str:
    carry_out(root, pending.steps)
    if not pending.commit:
        return ""
    history = History(root)
    remark = f"the change of {_names(pending)} is in the files but not committed; see it with `git diff`"
    if not history.git_dir:
        return remark
    refuse_while_locked(history)
    if _can_publish(history, pending):
        with suppress(errors.ConflictError):
            publish(history, pending, NewCommit(pending.commit, pending.parent, pending.ref, pending.follow))
            return ""
    if not _is_made(root, pending):
        return remark
    _catch_up(root, pending)  # the git of the killed writer outlived it, and has moved the branch just now
    return ""


def _is_made(root: str, pending: JournalEntry) -> bool:
    """True when the branch has the commit of a change, so that only the user's index may not know it yet."""
    history = History(root)
    if not pending.commit or not history.git_dir or history.objects([pending.commit]) == [None]:
        return False
    return history.holds(pending.commit)


def _catch_up(root: str, pending: JournalEntry) -> None:
    """Brings the user's index to a change where the last commit still is as the change made it."""
    history = History(root)
    refuse_while_locked(history)
    states = history.tip("", history.head(), [entry.path for entry in pending.follow]).sides
    entries = [entry for entry in pending.follow if states[entry.path].head == entry.now]
    with index_ready(history, entries, None) as put:
        put()


def _can_publish(history: History, pending: JournalEntry) -> bool:
    state = history.state()
    return state.writable and state.ref == pending.ref and history.head() == pending.parent


def _is_done(root: str, step: JournalStep) -> bool:
    return files.digest_at(root, step.path) == step.after


def _ready(root: str, step: JournalStep) -> bool:
    if files.digest_at(root, step.path) != step.before:
        return False
    if step.after is None:
        return True
    beside = f"{step.path.rpartition('/')[0]}/{step.temp}".lstrip("/")
    return files.digest_at(root, beside) == step.after


def _names(pending: JournalEntry) -> str:
    return " and ".join(step.path for step in pending.steps)


# What becomes of one file: its change worked out on the working file, on HEAD and on what the user staged.

NO_SIDE = GitFileState(None, None, None, None)

Bytes = Callable[[bytes | None], bytes | None]


class Edit(NamedTuple):
    """A change of one file: its bytes (None: no such file) → its new bytes (None: remove it).

    What a person wrote where this writes, and did not commit, is a conflict; unless the change `consumes` it: a ticked box
    goes with the line that it answers. A file that git does not hold may get new lines, but keeps those that it has; a change
    that `overwrites` is refused there whatever it does, and one that must be `undoable` wherever git could hold the file.
    `stored` is what the commit gets of a new file, where git holds it with other line ends or in another encoding.
    `permits` is what this person permits with it: their own folder has it before the change is made.
    """

    path: str
    change: Bytes
    consumes: bool = False
    overwrites: bool = False
    undoable: bool = False
    stored: bytes | None = None
    permits: str = ""


class Move(NamedTuple):
    """A file goes to another path as it is; `if_there` passes over one that is gone."""

    path: str
    to: str
    if_there: bool = False


class Adopt(NamedTuple):
    """A file of the user's goes into git as it is. One that git holds, ignores or has staged is left alone."""

    path: str


Change = Edit | Move | Adopt


class FilePlan(NamedTuple):
    """One file's change, worked out: the bytes on disk before and after, and what the commit gets (None: it is left out)."""

    path: str
    before: bytes | None
    after: bytes | None
    version: Version | None


def text_change(change: Callable[[str], str]) -> Bytes:
    """A change of text as a change of bytes: encoding, byte order mark and line ends stay; a missing file is empty text."""
    return patch_bytes(lambda text: change(text or ""))


def patch_bytes(change: Callable[[str | None], str | None]) -> Bytes:
    """The same for a change that knows whether there is a file (None: there is none) and may leave it so."""

    def of_bytes(data: bytes | None) -> bytes | None:
        text = decode(data or b"")
        after = change(None if data is None else text.text)
        if after is None:
            return None
        try:
            return encode(text._replace(text=after))
        except UnicodeEncodeError as error:
            raise errors.InputError(
                f"this file is {text.encoding} and cannot hold {error.object[error.start]!r}; save it as UTF-8"
            ) from None

    return of_bytes


def new_file(path: str, text: str) -> Edit:
    """A file that must not be there yet; NameTakenError when another came to its name meanwhile."""

    def change(data: bytes | None) -> bytes:
        new = text.encode("utf-8", "replace")
        if data is not None and data != new:
            raise errors.NameTakenError(f"{path} was created meanwhile; try again")
        return new

    return Edit(path, change)


def paths_of(changes: Sequence[Change]) -> list[str]:
    """The files that changes touch; InputError for one outside the vault."""
    return [safe_path(path) for change in changes for path in _paths(change)]


def _paths(change: Change) -> tuple[str, ...]:
    return (change.path, change.to) if isinstance(change, Move) else (change.path,)


def plans_for(
    changes: Sequence[Change], work: Mapping[str, bytes | None], sides: Mapping[str, GitFileState]
) -> list[FilePlan]:
    """What becomes of each file; those that do not change are left out.

    Args:
        work: the bytes of the working files.
        sides: what git holds of them; those that it ignores have none.
    """
    plans: list[FilePlan] = []
    for change in changes:
        if isinstance(change, Move):
            plans += _plan_move(change, work, sides)
        elif isinstance(change, Adopt):
            data = work[change.path]
            if data is not None and sides.get(change.path) == NO_SIDE:
                plans.append(FilePlan(change.path, data, data, Version(data)))
        else:
            plans += _plan_edit(change, work[change.path], sides.get(change.path))
    edits = (change for change in changes if isinstance(change, Edit) and not change.consumes)
    bound = {edit.path: edit.overwrites for edit in edits}
    edited = [plan for plan in plans if plan.path in bound]
    # What would take the only copy of a line is refused: neither git nor a file that is written holds it afterwards.
    for plan in edited:
        if plan.version is not None or plan.before is None or plan.after is None:
            continue
        lines_saved = {line for planned in plans if planned.after for line in _lines(planned.after)}
        # Without any repository only what overwrites is refused: all else keeps the old text in History or archives it.
        if bound[plan.path] or (
            any(plan.path in sides for plan in edited) and not lines_saved.issuperset(_lines(plan.before))
        ):
            raise _not_in_git(plan.path, "what this overwrites could not be brought back")
    return plans


def _not_in_git(path: str, lost: str) -> errors.ConflictError:
    return errors.ConflictError(
        f"{path} is not in git, so {lost}; nothing was written: "
        "commit the file first (`memoryclaw init --commit`, or `git add -f` and `git commit`), or edit it by hand"
    )


def _lines(data: bytes) -> set[str]:
    return {stripped for line in decode(data).text.splitlines() if (stripped := line.strip())}


def _plan_edit(edit: Edit, work: bytes | None, side: GitFileState | None) -> list[FilePlan]:
    after = edit.change(work)
    if after == work:
        return []
    new = work is None and side == NO_SIDE
    if side is None or (side.head is None and not new):
        return [FilePlan(edit.path, work, after, None)]
    head = edit.stored if new and edit.stored else _same_change(edit, work, after, side.head_data)
    staged = None
    if side.staged and side.staged != side.head:
        staged = _same_change(edit, work, after, side.staged_data)
    return [FilePlan(edit.path, work, after, Version(head, staged))]


def _same_change(edit: Edit, work: bytes | None, after: bytes | None, other: bytes | None) -> bytes | None:
    """The change made to another version of the file, if it is the same change there."""
    if other == work or (after is None and same_text(other, work)):
        return after
    if edit.consumes:
        return edit.change(other) if other is not None else None
    theirs = (
        f"{edit.path} has uncommitted changes of yours where this would write; commit them, then try again"
    )
    if work is None or after is None or other is None:
        raise errors.ConflictError(theirs)
    try:
        result = edit.change(other)
    except (errors.InputError, errors.NotFoundError, errors.OvertakenError):
        raise errors.ConflictError(theirs) from None
    if result is None or not same_patch(*(decode(data).text for data in (work, after, other, result))):
        raise errors.ConflictError(theirs)
    return result


def _plan_move(
    move: Move, work: Mapping[str, bytes | None], sides: Mapping[str, GitFileState]
) -> list[FilePlan]:
    data, side, target = work[move.path], sides.get(move.path), sides.get(move.to)
    if data is None and move.if_there:
        return []
    if data is None:
        raise errors.NotFoundError(f"there is no file {move.path} in the vault")
    if work[move.to] is not None or (target and target != NO_SIDE):
        raise errors.ConflictError(f"{move.to} exists already; move it away first")
    if side and side.staged != side.head:
        raise errors.ConflictError(f"{move.path} has staged changes of yours; commit them, then try again")
    gone = Version(None) if side and side.head else None
    come = Version(side.head_data) if gone and side and target else None
    return [FilePlan(move.to, None, data, come), FilePlan(move.path, data, None, gone)]


_ATTEMPTS = 3
# Why one change cannot be made where others can.
REFUSED = (errors.ConflictError, errors.InputError, errors.NotFoundError, errors.VaultError)


class PendingCommit(NamedTuple):
    """One commit to be: its changes, all or none, and its message, asked for when it is known what changed.

    They may be worked out more than once; `begin` is called before each time.
    """

    changes: Sequence[Change]
    message: Callable[[], str]
    begin: Callable[[], None] = lambda: None


class Outcome(NamedTuple):
    """What became of a change. `commit` is empty when nothing was committed, and `notice` then says why."""

    changed: bool
    commit: str = ""
    notice: str = ""


class _Batch(NamedTuple):
    """Several items worked out one on top of the other: what each comes to, and what all of them come to together."""

    outcomes: list[Outcome]
    refused: errors.MemoryClawError | None  # why the next item was left out
    before: dict[str, bytes | None]  # the files that change
    after: dict[str, bytes | None]
    drafts: list[Draft]


def write(
    root: str,
    changes: Sequence[Change],
    message: Callable[[], str],
    *,
    verb: str,
    now: datetime,
    begin: Callable[[], None] = lambda: None,
) -> Outcome:
    """Makes the changes, all or none, and one commit of them.

    What threads and processes write while another writes lands together afterwards, each still a commit of its own.

    Raises:
        ConflictError: a file holds uncommitted work of the user on the same lines, or changed meanwhile.
        HistoryError: git is in no state to take a commit.
        LockedError: another writer is at work.
    """
    request = _Request(PendingCommit(changes, message, begin), verb, now)
    if not _queue(root).ask(request, WAIT):
        raise locked_error(root)
    if isinstance(request.done, Outcome):
        return request.done
    raise request.done or locked_error(root)


def commit(
    context: WriteContext,
    changes: Sequence[Change],
    template: str,
    *,
    verb: str,
    run: str = "",
    **values: object,
) -> Outcome:
    """Makes the changes, all or none, and one commit, whose message is made of a template.

    Args:
        run: what its run is called by, where that is not the verb.
    """
    message = context.message(template, run=context.run(run or verb), **values)
    return write(context.root, changes, message, verb=verb, now=context.now)


@dataclass(slots=True, eq=False)
class _Request:
    """A write of one thread, or of another process that waits, and what became of it."""

    item: PendingCommit
    verb: str
    now: datetime
    done: Outcome | BaseException | None = None
    was_taken: bool = False  # by a process that was killed before it said what came of it


# Writers of a vault that wait in other processes: each leaves its changes as a ticket, which whoever has the lock makes with its
# own.
# A ticket is a file that its process holds a lock on for as long as it waits: one of a process that was killed counts for nothing.
# Its name says how far it is, and a rename is all that changes that, so a ticket is taken or withdrawn, and never both. What is
# taken may be left unmade, and then its own process makes it. Nothing rests on a ticket: who waits looks for the lock as well.

FOLDER = f"{STATE_DIR}/queue"
_NEW, _WAITING, _TAKEN, _ANSWERED = ".new", ".waiting", ".taken", ".answered"
_MOST = 64  # tickets that are taken at once
_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


class Ticket:
    """The place in the queue of one change; OSError or VaultError where none can be left."""

    def __init__(self, root: str, request: Any) -> None:
        folder = os.path.join(root, FOLDER)
        make_private_folder(folder)
        # The clock is that of the whole machine, so names stand in the order of those who came.
        self._path = f"{folder}/{time.monotonic_ns():020d}-{os.getpid()}-{threading.get_ident()}"
        self._handle = os.open(self._path + _NEW, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            is_locked(self._handle)
            _write(self._handle, request)
            os.rename(self._path + _NEW, self._path + _WAITING)
        except BaseException:
            self.close()
            raise

    def is_answered(self) -> bool:
        """True when who took it is done with it."""
        return os.path.exists(self._path + _ANSWERED)

    def answer(self) -> Any:
        """What came of it; None where nobody can tell."""
        lines = _read(self._handle)
        return lines[1] if len(lines) == 2 else None

    def withdraw(self) -> bool:
        """Takes it back; False when another has taken it."""
        with suppress(OSError):
            os.unlink(self._path + _WAITING)
            return True
        return False

    def close(self) -> None:
        """Leaves the queue."""
        for state in (_NEW, _WAITING, _TAKEN, _ANSWERED):
            with suppress(OSError):
                os.unlink(self._path + state)
        os.close(self._handle)


class TakenTicket:
    """Another's ticket that we make, and must answer before we let the lock go."""

    def __init__(self, path: str, handle: int, request: Any) -> None:
        self.request = request
        self._path, self._handle = path, handle

    def answer(self, outcome: Any) -> None:
        """Says what came of it."""
        with suppress(OSError):  # its process is gone
            _write(self._handle, outcome)
            os.rename(self._path + _TAKEN, self._path + _ANSWERED)
        os.close(self._handle)


def take(root: str) -> Iterator[TakenTicket]:
    """Takes the tickets that wait, in the order in which they came, and sweeps those of processes that are gone."""
    folder = os.path.join(root, FOLDER)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names[:_MOST]:
        path, handle = f"{folder}/{name.rpartition('.')[0]}", -1
        try:
            handle = os.open(f"{folder}/{name}", _FLAGS)
            if is_locked(handle, shared=True):  # no process holds it
                os.unlink(f"{folder}/{name}")
            elif name.endswith(_WAITING) and (lines := _read(handle)):
                os.rename(path + _WAITING, path + _TAKEN)
                ticket, handle = TakenTicket(path, handle, lines[0]), -1
                yield ticket
        except OSError:
            continue  # withdrawn meanwhile
        finally:
            if handle >= 0:
                os.close(handle)


def _write(handle: int, value: Any) -> None:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"
    os.lseek(handle, 0, os.SEEK_END)
    while data:
        data = data[os.write(handle, data) :]


def _read(handle: int) -> list[Any]:
    """The whole lines: what is asked, and what came of it."""
    data = os.pread(handle, os.fstat(handle).st_size, 0)
    try:
        return [json.loads(line.decode("utf-8", "surrogateescape")) for line in data.split(b"\n")[:-1]]
    except ValueError:
        return []


# Work that several threads ask for at the same moment, done once for all of them.

T = TypeVar("T")
Take = Callable[[], list[T]]


class SingleFlight(Generic[T]):
    """One kind of work: who asks while it is being done waits, and is then served with all others who wait.

    Args:
        work: does it for those that `take` hands out; whoever asks later is not among them. What it raises after `take` it must
            have told each of them itself; what it raises before concerns the caller alone.
    """

    def __init__(self, work: Callable[[Take[T]], None]) -> None:
        self._work = work
        self._turn = threading.Condition()
        self._waiting: list[T] = []
        self._taken: list[T] = []
        self._at_work = False

    def ask(self, ticket: T, wait: float) -> bool:
        """Returns when the work is done for this one; False when nobody began it within `wait` seconds."""
        with self._turn:
            self._waiting.append(ticket)
            if not self._turn.wait_for(lambda: not (self._at_work and ticket in self._waiting), wait):
                self._waiting.remove(ticket)
                return False
            self._turn.wait_for(lambda: ticket not in self._taken)
            if ticket not in self._waiting:
                return True
            self._at_work = True
        try:
            self._work(self._take)
        finally:
            with self._turn:
                if ticket in self._waiting:
                    self._waiting.remove(ticket)
                self._taken, self._at_work = [], False
                self._turn.notify_all()
        return True

    def _take(self) -> list[T]:
        with self._turn:
            self._taken, self._waiting = self._waiting, []
            return [*self._taken]


@cache
def _queue(root: str) -> SingleFlight[_Request]:
    """The writes of a vault that wait in this process."""
    return SingleFlight(lambda take: _serve(root, take))


def _serve(root: str, take: Take[_Request]) -> None:
    """Makes what waits in this process, here or by way of the process that has the lock, and here what waits in others."""
    place = _PlaceInQueue(root, take)

    def serve() -> None:
        with writer_lock(root, WAIT, place.is_served) as ours:
            if ours:
                _write_for_all(root, place.remaining())

    with closing(place):
        try:
            serve()
        except errors.LockedError as error:
            if place.is_being_served(error):
                serve()


def _write_for_all(root: str, requests: Sequence[_Request]) -> None:
    """Makes these requests, and those of other processes that wait; the lock is held."""
    if not requests:
        return
    touched = {path for request in requests for change in request.item.changes for path in _paths(change)}
    guests = [(ticket, _guest(root, ticket.request, touched)) for ticket in take(root)]
    try:
        with writing(root) as writer:
            _write_together(writer, [*requests, *(guest for _, guest in guests if guest)])
            for request in requests if not writer.untracked else ():
                done = request.done
                if request.was_taken and isinstance(done, Outcome) and not done.changed:
                    for made in repository.commit_log(
                        writer.history, paths_of(request.item.changes), limit=1
                    ):
                        request.done = done._replace(changed=True, commit=made.commit)
    except BaseException as error:  # noqa: BLE001 - each of them raises it
        for request in requests:
            request.done = error
    finally:
        for ticket, guest in guests:
            outcome = guest.done if guest else _OVERTAKEN
            ticket.answer(outcome if isinstance(outcome, Outcome | str) else _REFUSED)


# What becomes of a ticket that was not made: its process tries again with what the file is now, or waits for the lock.
_OVERTAKEN, _REFUSED = "overtaken", "refused"


class _PlaceInQueue:
    """Where requests of this process wait for another process: each has a ticket, if it can be told before it is made."""

    def __init__(self, root: str, take: Take[_Request]) -> None:
        self._root, self._take = root, take
        self._requests: list[_Request] = []
        self._tickets: dict[_Request, Ticket | None] = {}

    def is_served(self) -> bool:
        """True when nothing is left to wait for."""
        self._requests = self._requests or self._take()
        for request in self._requests:
            if not self._is_done(request) and request not in self._tickets:
                self._tickets[request] = _ticket(self._root, request)
        return all(request.done for request in self._requests)

    def remaining(self) -> list[_Request]:
        """What is to be made here, now that the lock is ours: a ticket that nobody has answered by now never will be."""
        if not self._requests:
            return self._take()
        requests = [request for request in self._requests if not self._is_done(request)]
        for request in requests:
            ticket = self._tickets.get(request)
            request.was_taken = ticket is not None and not ticket.withdraw()
        return requests

    def is_being_served(self, error: errors.LockedError) -> bool:
        """True when another makes some of it by now; to all else the error is told.

        Raises:
            LockedError: nothing was begun for any of them.
        """
        if not self._requests:
            raise error
        for request in self._requests:
            ticket = self._tickets.get(request)
            if not self._is_done(request) and (ticket is None or ticket.withdraw()):
                request.done = error
        return not all(request.done for request in self._requests)

    def close(self) -> None:
        """Leaves the queue."""
        for ticket in filter(None, self._tickets.values()):
            ticket.close()
        self._tickets.clear()

    def _is_done(self, request: _Request) -> bool:
        ticket = self._tickets.get(request)
        if request.done is None and ticket and ticket.is_answered():
            answer = ticket.answer()
            if isinstance(answer, list):
                request.done = Outcome(*answer)
            ticket.close()
            self._tickets[request] = None
            if answer == _OVERTAKEN:
                del self._tickets[request]
        return request.done is not None


def _ticket(root: str, request: _Request) -> Ticket | None:
    """A ticket for a request whose changes can be told beforehand: bytes of files for bytes of files."""
    changes = [change for change in request.item.changes if isinstance(change, Edit) and not change.permits]
    if len(changes) != len(request.item.changes):
        return None
    try:
        data = {path: files.data_at(root, path) for path in paths_of(changes)}
        request.item.begin()
        edits = [
            [
                edit.path,
                _digest(data[edit.path]),
                *map(_text, (edit.change(data[edit.path]), edit.stored)),
                *(edit.consumes, edit.overwrites, edit.undoable),
            ]
            for edit in changes
        ]
        return Ticket(root, [request.verb, request.now.isoformat(), request.item.message(), edits])
    except Exception:  # noqa: BLE001 - it is told where the change is made
        return None


def _guest(root: str, record: Any, touched: set[str]) -> _Request | None:
    """The request of another process; None where a file is not as it was when that process looked, or another of the group changes it."""
    try:
        verb, now, message, rows = record
        edits = [
            Edit(path, partial(_exactly, before, _data(after)), consumes, overwrites, undoable, _data(stored))
            for path, before, after, stored, consumes, overwrites, undoable in rows
        ]
        paths = paths_of(edits)
        if touched.intersection(paths) or any(files.digest_at(root, row[0]) != row[1] for row in rows):
            return None
        touched.update(paths)
        return _Request(PendingCommit(edits, lambda: message), verb, datetime.fromisoformat(now))
    except (TypeError, ValueError, errors.MemoryClawError):
        return None


def _exactly(before: str | None, after: bytes | None, data: bytes | None) -> bytes | None:
    if _digest(data) != before:
        raise errors.OvertakenError("the file was changed meanwhile")
    return after


def _digest(data: bytes | None) -> str | None:
    return None if data is None else files.digest_of(data)


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _data(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


def _write_together(writer: Writer, requests: Sequence[_Request]) -> None:
    """Makes all that can be made; what cannot, and whatever goes wrong with it, concerns none of the others."""
    verbs = " and ".join(dict.fromkeys(request.verb for request in requests))
    try:
        outcomes, refused = writer.write_all(
            [request.item for request in requests], verb=verbs, now=max(request.now for request in requests)
        )
    except errors.GitBusyError:
        raise
    except Exception as error:  # noqa: BLE001 - of which of them, a try without the others tells
        if len(requests) == 1:
            requests[0].done = error
        else:
            for request in requests:
                _write_together(writer, [request])
        return
    for request, outcome in zip(requests, outcomes, strict=False):
        request.done = outcome
    if refused:
        requests[len(outcomes)].done = refused
        if remaining := requests[len(outcomes) + 1 :]:
            _write_together(writer, remaining)


@contextmanager
def writing(root: str) -> Iterator[Writer]:
    """A writer for several changes, each with a commit of its own, under one hold of the lock.

    Raises:
        HistoryError: git is in no state to take a commit; nothing was written.
        LockedError: another writer is at work.
    """
    with writer_lock(root):
        history = History(root)
        notice = recover(root, history)
        yield Writer(root, history, notice, _refuse_unless_writable(history))


class Writer:
    """Makes changes one after another; `writing` gives one out while it holds the lock."""

    def __init__(self, root: str, history: History, notice: str, untracked: str) -> None:
        self.root = root
        self.history = history
        self.untracked = untracked  # why nothing can be committed; empty where it can
        self._notice = notice

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes | None]:
        """The bytes of files as they are now, None where there is none."""
        return {path: files.data_at(self.root, path) for path in paths}

    def write(
        self, changes: Sequence[Change], message: Callable[[], str], *, verb: str, now: datetime
    ) -> Outcome:
        """Makes the changes, all or none, and one commit of them; raises what `write` does."""
        outcomes, refused = self.write_all([PendingCommit(changes, message)], verb=verb, now=now)
        if refused:
            raise refused
        return outcomes[0]

    def record(
        self,
        paths: Sequence[str],
        message: Callable[[], str],
        *,
        verb: str,
        now: datetime,
        gone: bool = False,
    ) -> str:
        """Commits files as they are and changes none; returns the commit, empty where git holds them so already.

        Files that are not there are left out, or with `gone` removed in the commit.
        """
        base, contents = self.history.base(paths), self.read_all(paths)
        versions = {
            path: Version(data)
            for path, data in contents.items()
            if (gone or data is not None) and data != base.sides[path].head_data
        }
        if not versions:
            return ""
        draft = self.history.draft(base, versions, message(), now)
        self._land(_Batch([], None, {}, {}, [draft]), verb)
        return draft.made.commit

    def merge(
        self,
        versions: Mapping[str, Version],
        after: Mapping[str, bytes | None],
        base: CommitBase,
        merged: str,
        message: Callable[[], str],
        *,
        verb: str,
        now: datetime,
        forward: bool = False,
    ) -> str:
        """Brings files to what comes of a merge, and makes one commit with two parents; returns that.

        Args:
            versions: what the commit holds of each file that differs from `base`.
            forward: the result is that other commit itself, and none is made.
        """
        draft = self.history.draft(base, versions, message(), now, merged=merged)
        if forward:
            draft = draft._replace(made=draft.made._replace(commit=merged), objects=())
        self._land(_Batch([], None, self.read_all(after), dict(after), [draft]), verb)
        for path, version in versions.items():
            if version.head is not None and version.mode:
                files.set_executable(self.root, path, on=version.mode == "100755")
        return draft.made.commit

    def write_all(
        self, items: Sequence[PendingCommit], *, verb: str, now: datetime
    ) -> tuple[list[Outcome], errors.MemoryClawError | None]:
        """Makes the items in order, a commit each, landing together: killed meanwhile, all of them are made or none.

        Returns:
            What became of each, and why the first one that cannot be made was left out, and with it all that follow.
        """
        for attempt in range(_ATTEMPTS):
            _refuse_unless_writable(self.history)
            batch = self._work_out(items, now)
            try:
                if any(outcome.changed for outcome in batch.outcomes):
                    made = items[: len(batch.outcomes)] if not attempt else ()
                    # What the changes only take away needs no folder.
                    for change in (change for item in made for change in item.changes):
                        if isinstance(change, Edit) and change.permits:
                            permit(self.root, change.permits)
                    self._land(batch, verb)
            except errors.ConflictError:
                # The user may have committed in between; the files are back as they were, so it can be tried again.
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                break
        noted = []
        for outcome in batch.outcomes:
            remarks = (self._notice, self.untracked if outcome.changed else "", outcome.notice)
            noted.append(outcome._replace(notice="; ".join(filter(None, remarks))))
            self._notice = ""  # it is said once
        return noted, batch.refused

    def _work_out(self, items: Sequence[PendingCommit], now: datetime) -> _Batch:
        contents, items, refused = self._read(items)
        # To start a git takes longer than to hear it, so what is new is asked for before that is certain.
        new = [] if self.untracked else [path for path, data in contents.items() if data is None]
        ask_ignored = self.history.ask_ignored(new) if new else set
        base = None if self.untracked else self.history.base(list(contents))
        ignored = {path for path in ask_ignored() if base and base.sides[path] == NO_SIDE}
        batch, before = _Batch([], refused, {}, {}, []), dict(contents)
        for item in items:
            states = base.sides if base else {}
            item.begin()
            try:
                plans = plans_for(
                    item.changes, contents, {p: s for p, s in states.items() if p not in ignored}
                )
                self._must_be_undoable(item.changes, plans)
            except REFUSED as error:
                return batch._replace(refused=error)
            versions = {plan.path: plan.version for plan in plans if plan.version is not None}
            commit = ""
            if base and versions:
                draft = self.history.draft(base, versions, item.message(), now)
                batch.drafts.append(draft)
                base, commit = draft.base, draft.made.commit
            batch.outcomes.append(Outcome(bool(plans), commit, "" if not base else _uncommitted(plans)))
            for plan in plans:
                contents[plan.path] = batch.after[plan.path] = plan.after
                batch.before[plan.path] = before[plan.path]
        return batch

    def _must_be_undoable(self, changes: Sequence[Change], plans: Sequence[FilePlan]) -> None:
        """Refuses to add to a file of which git knows nothing yet; one that the user has it ignore is written."""
        bound = {change.path for change in changes if isinstance(change, Edit) and change.undoable}
        uncommitted = [
            p.path for p in plans if p.path in bound and p.before is not None and p.version is None
        ]
        if uncommitted and not self.untracked:
            ignored = self.history.ask_ignored(uncommitted)()
            for path in uncommitted:
                if path not in ignored:
                    raise _not_in_git(path, "this could not be undone")

    def _read(
        self, items: Sequence[PendingCommit]
    ) -> tuple[dict[str, bytes | None], Sequence[PendingCommit], errors.MemoryClawError | None]:
        """The bytes of all files that are asked for, and the items up to the first that asks for what cannot be."""
        contents: dict[str, bytes | None] = {}
        for number, item in enumerate(items):
            try:
                contents.update(
                    self.read_all(path for path in paths_of(item.changes) if path not in contents)
                )
            except REFUSED as error:
                return contents, items[:number], error
        return contents, items, None

    def _land(self, batch: _Batch, verb: str) -> None:
        root, before, after = self.root, batch.before, batch.after
        # A file that one item changed and a later one changed back is as it was.
        changed = [path for path in after if before[path] != after[path]]
        steps = tuple(_step(n, path, before[path], after[path]) for n, path in enumerate(changed))
        commit_made, pending = None, JournalEntry(verb, steps)
        if batch.drafts:  # a chain of commits is as one: from the first one's parent to the last
            updates = [update for draft in batch.drafts for update in draft.made.follow]
            commit_made = batch.drafts[-1].made._replace(
                parent=batch.drafts[0].made.parent, follow=join_updates(updates)
            )
            objects = [stored for draft in batch.drafts for stored in draft.objects]
            self.history.store(objects, batch.drafts[0].base.tree.hash_name)
            pending = JournalEntry(
                verb, steps, commit_made.commit, commit_made.parent, commit_made.ref, commit_made.follow
            )
        journal.save(root, pending)
        try:
            for step in steps:
                if (data := after[step.path]) is not None:
                    files.prepare(root, step.path, step.temp, data)
            carry_out(root, steps)
            if commit_made:
                publish(self.history, pending, commit_made)
        except (OSError, errors.MemoryClawError) as error:
            # What the branch has is made, and what cannot be put back is left whole: the next writer finds it in the journal
            # and ends it.
            with suppress(OSError, errors.MemoryClawError):
                if not commit_made or self.history.head() != commit_made.commit:
                    _put_back(root, steps, before)
                    journal.clear(root)
            raise error from None
        journal.clear(root)


def _refuse_unless_writable(history: History) -> str:
    state = refuse_while_locked(history)
    if state.name != "none" and not state.writable:
        raise errors.HistoryError(f"nothing was written: {state.sentence}")
    return state.sentence if state.name == "none" else ""


def _put_back(root: str, steps: Sequence[JournalStep], before: dict[str, bytes | None]) -> None:
    """Undoes the steps that were taken, so that a refused change leaves every file as it was.

    What was there is on the disk once more before anything goes: where there is no room for it, nothing changes.
    """
    saved_steps = [s for s in steps if s.after != s.before and files.digest_at(root, s.path) == s.after]
    for step in saved_steps:
        if (data := before[step.path]) is not None:
            files.prepare(root, step.path, step.temp, data)
    for step in saved_steps:
        if step.before is not None:
            files.place(root, step.path, step.temp, step.after)
    for step in steps:
        if step in saved_steps and step.before is None:
            files.remove_file(root, step.path, step.after or "")
        files.discard(root, step.path, step.temp)


def _step(number: int, path: str, before: bytes | None, after: bytes | None) -> JournalStep:
    was, new = _digest(before), _digest(after)
    return JournalStep(path, was, new, f".{(new or was or '')[:12]}-{number}.tmp")


def _uncommitted(plans: Sequence[FilePlan]) -> str:
    names = [plan.path for plan in plans if plan.version is None]
    them = "it" if len(names) == 1 else "them"
    sentence = f"changes to {' and '.join(names)} cannot be undone, because git does not track {them}"
    return sentence if names else ""
