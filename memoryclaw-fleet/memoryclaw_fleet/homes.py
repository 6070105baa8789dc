"""A vault at home on a node: the work that goes on in it, the push that makes writes count, and what other nodes see of it."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from memoryclaw.app import init_vault
from memoryclaw.errors import (
    HistoryError,
    IndexUnreachableError,
    InputError,
    LockedError,
    MemoryClawError,
    MovedError,
    NotAcknowledgedError,
    NotFoundError,
    VaultError,
)
from memoryclaw.history.repository import History
from memoryclaw.model import AGENT, OWNER
from memoryclaw.review.machines import exchange
from memoryclaw.vault import files
from memoryclaw.vault.layout import CONFIG_FILE, DECISIONS_FILE, SALIENCE_FILE, SCHEMA_FILE, on_disk
from memoryclaw.vault.state_folder import is_initialised
from memoryclaw_fleet.handover import point, put_back, send, take_over
from memoryclaw_fleet.open_vaults import FleetApp, OpenVaults, clone, open_app
from memoryclaw_fleet.store import Fleet, FleetVault

PATIENCE = 30.0  # seconds that a vault which leaves waits for the work that goes on in it, and a push for the vault's lock
_SEND = 60.0  # seconds that one push may take while somebody waits for it
# What a recall reads besides the index, and the ledger; found by watching which files it opens.
_SMALL = (CONFIG_FILE, SCHEMA_FILE, DECISIONS_FILE, SALIENCE_FILE)


class Here(NamedTuple):
    """The process of a node, as its vaults know it."""

    node: str
    process: str
    fleet: Fleet
    vaults: OpenVaults
    tell: Callable[[str], None]


class SharedPush:
    """One push at a time, which all that wait for it share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._count = threading.Lock()
        self._asked = self._through = 0  # those that came, and those that were answered
        self._failure = ""

    def failure(self, push: Callable[[], str]) -> str:
        """Pushes, unless a push that began later than this was asked for did; says why it failed, and nothing where it did not."""
        with self._count:
            self._asked += 1
            number = self._asked
        with self.lock:
            if self._through < number:
                with self._count:
                    upto = self._asked
                self._failure = "it failed"
                try:
                    self._failure = push()
                finally:
                    self._through = upto
            return self._failure


class Home:
    """A vault at home here.

    Args:
        lose: called when another node has taken it over.
    """

    def __init__(
        self, known: FleetVault, fence: int, root: Path, here: Here, lose: Callable[[Home], None]
    ) -> None:
        self.known, self.fence, self.root = known, fence, root
        self._here, self._lose = here, lose
        self.push = SharedPush()
        self.is_leaving = False
        self.has_left = False  # with all that was written
        self.is_dirty, self.since = False, 0.0  # used since the last push, and since when
        self.lacks_vectors, self.fill_after = False, 0.0  # since the index changed, and when they are made
        self._idle = threading.Condition()
        self._running = 0  # blocks of `working`
        self._published: dict[str, tuple[int, int, int]] = {}  # the files, as they were
        self._room = {"notes": 0, "bytes": 0}  # that are taken

    @property
    def name(self) -> str:
        """The name of the vault."""
        return self.known.name

    # ── Work

    @contextmanager
    def working(self) -> Iterator[FleetApp]:
        """The vault for one thread until the end of the block; MovedError where it is just leaving."""
        with self._idle:
            if self.is_leaving:
                raise moved_error(self.name)
            self._running += 1
        try:
            with self.writable() as app:
                yield app
        finally:
            with self._idle:
                self._running -= 1
                if not self.is_dirty:
                    self.is_dirty, self.since = True, time.monotonic()
                self._idle.notify_all()

    @property
    def is_idle(self) -> bool:
        """Whether no work goes on in it."""
        return self._running == 0

    def wait_until_idle(self, seconds: float = PATIENCE) -> bool:
        """Lets no more work begin and waits for what goes on; False when that takes too long."""
        with self._idle:
            self.is_leaving = True
            self.is_leaving = self._idle.wait_for(lambda: self.is_idle, seconds)
            return self.is_leaving

    def writable(self) -> AbstractContextManager[FleetApp]:
        """The open vault, whose index is written only while it is at home here."""
        return self._here.vaults.lent(
            self.root, lambda: open_app(self._here.fleet, self.root, self.name, may=self._may)
        )

    def _may(self, connection: Any) -> None:
        """Refuses a transaction what only the home of a vault may write."""
        here = self._here
        here.fleet.must_be_home(connection, self.name, here.node, here.process, self.fence)

    def must_be_ours(self) -> None:
        """Raises NotAcknowledgedError where another node has taken the vault over."""
        here = self._here
        if not here.fleet.holds(self.name, here.node, here.process, self.fence):
            self._lose(self)
            raise NotAcknowledgedError("another node has taken the vault over")

    def check_room(self, size: int, notes: int) -> None:
        """Refuses so many notes and bytes where the vault would exceed its quota."""
        for unit, added, most in (
            ("notes", notes, self.known.most_notes),
            ("bytes", size, self.known.most_bytes),
        ):
            if added and most is not None and self._room[unit] + added > most:
                raise InputError(
                    f"the vault {self.name!r} may hold {most} {unit} and holds {self._room[unit]}; "
                    f"forget some, or `memoryclaw fleet limit {self.name} --{unit} N` allows more"
                )

    # ── Sending

    def acknowledge(self) -> None:
        """Has what was written count; NotAcknowledgedError where it does not, or nobody knows."""

        def push() -> str:
            try:
                self.send()
            except MemoryClawError as error:
                if (failure := _outside(error)) != str(error):
                    self._here.tell(f"{self.name}: {error}")
                return failure
            return ""

        if failure := self.push.failure(push):
            raise NotAcknowledgedError(
                f"what was written is on the disk of {self._here.node} and does not count yet ({failure}); ask again"
            )

    def send(self, seconds: float = _SEND) -> None:
        """Commits and pushes; raises where that does not count."""
        self.is_dirty = False
        try:
            with self.writable() as app:
                _patiently(app.track)
                if self.known.remote and not send(os.fspath(self.root), seconds=seconds):
                    # Somebody else pushed: a person's own copy is merged, but not what another node did.
                    exchange(app.writing(), include_noexport=True, may=lambda _: self.must_be_ours())
                self.must_be_ours()
                self.show(app)
        except BaseException:
            self.is_dirty = True
            raise

    def show(self, app: FleetApp) -> None:
        """Brings the index and the published files to what was written; what fails is tried again with the next write."""
        fleet = self._here.fleet
        try:
            freshness = app.refresh()
            for audience in {AGENT, *fleet.audiences(self.name)} - {OWNER}:
                app.seen_by(audience).refresh()
            stamps = app.vault.scan().files
            self._room = {
                "notes": sum(path.endswith(".md") for path in stamps),
                "bytes": sum(int.from_bytes(stamp[:8], "little", signed=True) for stamp in stamps.values()),
            }
            state = fleet.home_of(self.name)
            if state.number is not None and not freshness.degraded:
                self._publish(state.number)
                self.lacks_vectors = self.lacks_vectors or app.wants_vectors
                fleet.mark(self.name, self.fence, History(os.fspath(self.root)).head())
        except MemoryClawError as error:
            self.is_dirty = True
            self._here.tell(f"{self.name}: other nodes do not see what was written last yet ({error})")

    def _publish(self, number: int) -> None:
        root = os.fspath(self.root)
        stamps: dict[str, tuple[int, int, int]] = {}
        for path in (*_SMALL, *files.list_files(root, "ledger")):
            with suppress(OSError):
                info = os.lstat(on_disk(root, path))
                stamps[path] = info.st_size, info.st_mtime_ns, info.st_ino
        if stamps == self._published:
            return
        fresh = {}
        for path in [path for path, stamp in stamps.items() if self._published.get(path) != stamp]:
            try:
                fresh[path] = files.read_file(root, path).data
            except (NotFoundError, VaultError):
                stamps.pop(path)
        self._here.fleet.publish(number, fresh, kept=stamps.keys() - fresh.keys(), may=self._may)
        self._published = stamps

    # ── Coming and going

    def bring(self) -> None:
        """Brings the files of the vault here, as its remote has them, and says there whose it is now."""
        remote = self.known.remote
        if not is_initialised(self.root):
            copy = self.root.with_name(f".{self.root.name}.new")  # not whole yet
            shutil.rmtree(copy, ignore_errors=True)
            if remote:
                clone(remote, copy)
            if not is_initialised(copy):
                init_vault(copy)
            copy.rename(self.root)
        if not remote:
            return
        point(os.fspath(self.root), remote)
        with self.writable() as app:
            _patiently(app.track)
            branch = take_over(app.writing(), self._here.node, self.fence, may=lambda _: self.must_be_ours())
        self._tell_unsent(branch)

    def put_back(self) -> None:
        """Puts what the remote does not have of a lost vault on a branch, and brings the vault to what it has."""
        with self.writable() as app:
            branch = put_back(app.writing(), f"memoryclaw/unsent-{self.fence}-{self._here.node}")
        self._tell_unsent(branch)

    def _tell_unsent(self, branch: str) -> None:
        if branch:
            self._here.tell(
                f"{self.name}: what this node had written and not sent is on the branch {branch}; `git -C {self.root} log {branch}` shows it"
            )

    def leave_until(self, end: float) -> None:
        """Sends what is not sent, once no work goes on, if that is done by this time of the monotonic clock."""

        def seconds() -> float:
            return max(end - time.monotonic(), 0.0)

        if not self.wait_until_idle(seconds()) or not self.push.lock.acquire(timeout=seconds()):
            return
        try:
            if self.is_dirty and seconds():
                self.send(seconds())
            self.has_left = not self.is_dirty
        finally:
            self.push.lock.release()


def moved_error(vault: str) -> MovedError:
    """That a vault is not, or soon will not be, at home here."""
    return MovedError(f"the vault {vault!r} is not at home on this node, or is just leaving it; ask again")


def _patiently(work: Callable[[], object]) -> None:
    """Does what needs the lock of a vault, though others write it one after another."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            work()
            return
        except LockedError:
            if time.monotonic() > end:
                raise


def _outside(error: MemoryClawError) -> str:
    """What a client is told: not where PostgreSQL or the remote is."""
    if isinstance(error, IndexUnreachableError):
        return "PostgreSQL cannot be reached"
    return "its remote does not take it" if isinstance(error, HistoryError) else str(error)
