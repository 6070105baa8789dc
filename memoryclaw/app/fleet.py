"""One node of a fleet: the vaults at home here, each written by this process alone, and reads of all others from PostgreSQL.

A write counts when it is in the vault's remote and this node was still its home afterwards; whoever takes the vault over begins with that.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from memoryclaw import config as settings
from memoryclaw.app import App, init_vault
from memoryclaw.app.daemon import SettingsStamp, stamp
from memoryclaw.consolidation.selecting import UNSENT
from memoryclaw.errors import (
    ConflictError,
    HistoryError,
    IndexBusyError,
    IndexUnreachableError,
    InputError,
    LockedError,
    MemoryClawError,
    MovedError,
    NotAcknowledgedError,
    NotFoundError,
    VaultError,
)
from memoryclaw.fleet.store import DROPPED, LEASE, Fleet, FleetVault, HomeState, checked_name
from memoryclaw.history.remote import without_secrets
from memoryclaw.history.repository import History, branches
from memoryclaw.index.index import fingerprint
from memoryclaw.index.postgres_index import STEPS
from memoryclaw.index.postgres_index import drop as drop_index
from memoryclaw.index.sync import Freshness
from memoryclaw.model import AGENT, OWNER
from memoryclaw.review.machines import exchange, first_copy, not_committed, put_back, send, take_over
from memoryclaw.vault import files
from memoryclaw.vault.layout import CONFIG_FILE, DECISIONS_FILE, SALIENCE_FILE, SCHEMA_FILE, on_disk
from memoryclaw.vault.state_folder import is_initialised
from memoryclaw.writing.init import new_copy, point

T = TypeVar("T")
_FIND = 5.0  # seconds between looks at vaults whose node is gone, at most
_LOOK = 1.0  # seconds between looks at what is to move
_SEND = 60.0  # seconds that one push may take while somebody waits for it
_PATIENCE = 30.0  # seconds that a vault which leaves waits for the work that goes on in it, and a push for the vault's lock
_LATER = 60.0  # seconds until what nobody waits for is sent: uses in the ledger
_AGAIN = 5.0  # seconds until what failed is tried again
_FILL_AGAIN = 30.0  # seconds until vectors are tried again that could not be made
_AT_ONCE = 4  # vaults that are taken over at the same time
_OPEN = 64  # vaults that are kept open
_NEW = ".{}.new"  # a copy of a vault that is not whole yet
_SHADOWS = ".shadows"
_LEDGER = "ledger"
_NODE = ".node"  # holds the name of the node whose folder it is, and which process of it was the last
_GLANCE = 0.1  # seconds between looks at what a node is to do
_LOOKS = 3  # at a vault that is written while it is checked
# What a recall reads besides the index, and the ledger; found by watching which files it opens.
_SMALL = (CONFIG_FILE, SCHEMA_FILE, DECISIONS_FILE, SALIENCE_FILE)


class _Home:
    """A vault at home here."""

    def __init__(self, known: FleetVault, fence: int, root: Path) -> None:
        self.known, self.fence, self.root = known, fence, root
        self.guard = threading.Condition()
        self.running = 0  # blocks of `opened`
        self.is_leaving = False
        self.has_left = False  # with all that was written
        self.pushing = threading.Lock()
        self.asked = self.through = 0  # calls of `acknowledge`: those that came, and those that were answered
        self.failure = ""  # of the last push
        self.is_dirty, self.since = False, 0.0  # used since the last push, and since when
        self.shown: dict[str, tuple[int, int, int]] = {}  # the files that were published, as they were
        self.notes = self.bytes = 0
        self.lacks_vectors, self.fill_after = False, 0.0  # since the index changed, and when they are made

    def wait_until_idle(self, seconds: float = _PATIENCE) -> bool:
        """Lets no more work begin and waits for what goes on; False when that takes too long."""
        with self.guard:
            self.is_leaving = True
            if not self.guard.wait_for(lambda: self.running == 0, seconds):
                self.is_leaving = False
                return False
        return True


class _Idle(NamedTuple):
    """A vault that is open and lent to nobody."""

    root: Path
    app: FleetApp
    settings: SettingsStamp


class FleetApp(App):
    """A vault of a fleet: what its node does with it besides the verbs."""

    def track(self) -> None:
        """Commits what logs and ledger gained."""
        self._track()

    def head(self) -> str:
        """The last commit; empty where there is none."""
        return History(os.fspath(self.root)).head()

    @property
    def wants_vectors(self) -> bool:
        """Whether the settings ask for vectors."""
        return self._context.wants_vectors

    def refresh(self) -> Freshness:
        """Brings the index of what the caller sees in line with the files, as every verb that reads does first."""
        self._context.read(lambda: None)
        return self._context.freshness

    def merge(self, may: Callable[[str], None]) -> None:
        """Merges what others pushed, and pushes the result; `may` is told what was fetched, and may raise."""
        exchange(self._writing(), include_noexport=True, may=may)

    def copy(self) -> None:
        """Fetches what the fleet's own remote has."""
        exchange(self._writing(), include_noexport=True, own=True)

    def take_over(self, node: str, fence: int, may: Callable[[str], None]) -> str:
        """Brings the vault to what its remote has and says there that a node writes it now; the branch with what could not be sent."""
        return take_over(self._writing(), node, fence, may=may)

    def put_back(self, branch: str) -> str:
        """Keeps what the remote does not have on a branch, and brings the vault to what it has; returns the branch, if there is one."""
        return put_back(self._writing(), branch)

    def stale(self) -> str:
        """How the index differs from one that is built anew from the files, in a few words; empty where it does not. Mends nothing."""
        with tempfile.TemporaryDirectory(prefix="memoryclaw-check-") as folder:
            fresh = self._context.rebuilt(Path(folder))
            try:
                paths = sorted({*fresh.stamps(), *self.index.stamps()})
                there, here = self.index.digests(paths), fresh.digests(paths)
                differ = [path for path in paths if there.get(path) != here.get(path)]
                if differ:
                    more = f" and {len(differ) - 3} more" if len(differ) > 3 else ""
                    return f"{', '.join(differ[:3])}{more}"
                return (
                    "" if fingerprint(fresh) == fingerprint(self.index) else "rows of it are lost or changed"
                )
            finally:
                fresh.database.close()


class FleetNode:
    """One process that serves the vaults of a folder.

    Args:
        folder: holds one folder for each vault that was ever at home here; no other process uses it.
        name: of the node.
        address: where other nodes and clients reach it, such as `http://10.0.0.7:7411`.
        fleet: what all nodes share.
        tell: told what happens, one sentence each.
        lease: seconds for which the node keeps its vaults when it says nothing.
        adopt: whether it takes over vaults whose node is gone, by itself.
        replica: a copy of the fleet's database that takes no writes; the vaults of other nodes are read from it.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        address: str,
        fleet: Fleet,
        *,
        tell: Callable[[str], None],
        lease: float = LEASE,
        adopt: bool = True,
        replica: Fleet | None = None,
    ) -> None:
        self.folder, self.name, self.address, self.fleet = folder, checked_name(name), address, fleet
        self._reads = replica or fleet
        self._tell, self._lease, self._adopts = tell, lease, adopt
        self._holder = secrets.token_hex(8)
        self._homes: dict[str, _Home] = {}
        self._last = threading.local()  # the home that a thread had open last
        self._lost: list[_Home] = []  # what others took, to be put back
        self.is_draining = False
        self.is_replaced = False  # another process has the name
        self.changes = 0  # vaults that came or went
        self._until = 0.0  # of the lease, by the monotonic clock
        self._idle: list[_Idle] = []  # the one that was lent last stands last
        self._turns: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._filling = threading.Lock()
        self._over = threading.Event()  # nothing new is begun
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []
        self._pool: ThreadPoolExecutor | None = None
        self._at_work: set[str] = set()
        self._not_before: dict[str, float] = {}  # when what failed is tried again
        self._told: dict[str, str] = {}
        self._shadows: dict[
            str, tuple[int, datetime, frozenset[str]]
        ] = {}  # the number of the index, when what they hold was published, and its files
        self._lock = -1

    # ── Coming and going

    def start(self) -> None:
        """Takes the folder and the name, then the vaults that were at home here; from now on it renews its lease.

        Raises:
            LockedError: another process uses the folder, or has the name.
        """
        try:
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
            self._lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise VaultError(
                f"the folder {self.folder} cannot be used ({error.strerror}); choose another with --vaults"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise LockedError(
                f"another node works in {self.folder}; give each node a folder of its own"
            ) from None
        self.fleet.server.migrate("index", STEPS)
        self.fleet.migrate()
        self._until = self._take_name() + self._lease
        self._pool = ThreadPoolExecutor(_AT_ONCE, "fleet")
        for work, pause in (
            (self._beat, min(self._lease / 3, _FIND)),
            (self._tend, min(_LOOK, self._lease / 3)),
            (self.fleet.sweep, self._lease),
        ):
            thread = threading.Thread(
                target=self._again_and_again, args=(work, pause), name="fleet", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def _take_name(self) -> float:
        """Waits while the lease of another process of this name may end; returns when this one's began.

        The last process in this folder has ended, so its lease is not waited for.
        """
        _, previous = _last_in(self.folder)
        end, is_told = time.monotonic() + self._lease + _FIND, False
        while True:
            began = time.monotonic()
            if self.fleet.beat(self.name, self._holder, self.address, self._lease, previous=previous):
                (self.folder / _NODE).write_text(f"{self.name}\n{self._holder}\n")
                return began
            if began > end:
                raise _named_twice(self.name)
            if not is_told:
                is_told = True
                self._tell(f"another process has been the node {self.name}; waiting for its lease to end")
            time.sleep(_GLANCE)

    def stop(self, seconds: float = _PATIENCE) -> None:
        """Drains: no new writes, waits for running ones, acknowledges them, and lets others take the vaults at once.

        What is not sent within so many seconds is put aside when this node comes back.
        """
        self._over.set()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        end = time.monotonic() + seconds

        def leave(home: _Home) -> None:
            if not home.wait_until_idle(max(end - time.monotonic(), 0.0)):
                return
            if not home.pushing.acquire(timeout=max(end - time.monotonic(), 0.0)):
                return
            try:
                with self._telling(home.known.name):
                    if home.is_dirty and (left := end - time.monotonic()) > 0:
                        self._send(home, left)
                    home.has_left = not home.is_dirty
            finally:
                home.pushing.release()

        with ThreadPoolExecutor(_AT_ONCE, "leave") as threads:
            list(threads.map(leave, list(self._homes.values())))
        self._ended.set()
        for thread in self._threads:
            thread.join()
        self._homes.clear()
        with self._telling(self.name):
            self.fleet.rest(self.name, self._holder)
        self._until = 0.0
        for idle in self._idle:
            idle.app.close()
        self._idle.clear()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def is_home(self, vault: str) -> bool:
        """Whether writes of a vault go here, by what this process last knew; asks nobody."""
        home = self._homes.get(vault)
        return (
            home is not None
            and not home.is_leaving
            and time.monotonic() < self._until
            and not self._over.is_set()
        )

    def drain(self) -> None:
        """Begins nothing new; what goes on goes on, and `ready` says that this node is going."""
        self.is_draining = True

    def ready(self) -> dict[str, str]:
        """What a request would have to wait for, by what it needs; empty where it need not. It does not tell where PostgreSQL is."""
        found = {"node": "it is ending" if self.is_draining or self._over.is_set() else "", "postgresql": ""}
        try:
            with self.fleet.server.connection() as connection:
                connection.execute("select 1")
        except IndexBusyError:
            found["postgresql"] = "all connections are in use"
        except MemoryClawError:
            found["postgresql"] = "it cannot be reached"
        left = self._until - time.monotonic()
        found["lease"] = "" if left > 0 else "this node has not said for too long that it is there"
        return found

    def measures(self) -> dict[str, float]:
        """What there is to be watched of this node, in seconds and counts; asks nobody."""
        now, homes = time.monotonic(), list(self._homes.values())
        behind = [now - home.since for home in homes if home.is_dirty]
        in_use, waiting = self.fleet.server.lent()
        return {
            "vaults_home": len(homes), "vaults_behind": len(behind), "behind_seconds": max(behind, default=0.0),
            "lease_seconds": max(self._until - now, 0.0), "connections_in_use": in_use, "connections_waited_for": waiting,
        }  # fmt: skip

    def homes(self) -> list[str]:
        """The vaults at home here, by name."""
        return sorted(self._homes)

    # ── A vault at home here

    @contextmanager
    def opened(self, vault: str, audience: str) -> Iterator[App]:
        """A vault at home here, for one thread until the end of the block.

        Raises:
            MovedError: it is not at home here, or is just leaving.
        """
        home = self._homes.get(vault)
        if home is None or not self.is_home(vault):
            raise _moved(vault)
        with home.guard:
            if home.is_leaving:
                raise _moved(vault)
            home.running += 1
        try:
            self._last.home = home
            with self._writable(home) as app:
                yield app.seen_by(audience)
        finally:
            with home.guard:
                home.running -= 1
                if not home.is_dirty:
                    home.is_dirty, home.since = True, time.monotonic()
                home.guard.notify_all()

    def acknowledge(self, vault: str) -> None:
        """Makes what was written in a vault count: commits, pushes to its remote, and makes sure that it is still at home here.

        All that wait for one vault share one push. It is called by the thread that had the vault open.

        Raises:
            NotAcknowledgedError: it does not count, or nobody knows; the sentence says what to do.
        """
        # The home of the write, not of now: the vault may have gone and come back meanwhile, without what was written.
        now, home = self._homes.get(vault), self._home_of_write(vault)
        if home is not None and home.has_left:  # and was sent before
            if now is None:
                return
            home = now
        if home is None or now is not home:
            raise NotAcknowledgedError(
                f"another node has taken the vault {vault!r} over; what was written here just now does not count, ask again there"
            )
        with home.guard:
            home.asked += 1
            mine = home.asked
        with home.pushing:
            if home.through < mine:
                with home.guard:
                    upto = home.asked
                home.failure = "it failed"
                try:
                    self._send(home)
                    home.failure = ""
                except MemoryClawError as error:
                    home.failure = _outside(error)
                    if home.failure != str(error):
                        self._tell(f"{vault}: {error}")
                finally:
                    home.through = upto
            failure = home.failure
        if failure:
            raise NotAcknowledgedError(
                f"what was written is on the disk of {self.name} and does not count yet ({failure}); ask again"
            )

    def _home_of_write(self, vault: str) -> _Home | None:
        last: _Home | None = getattr(self._last, "home", None)
        return last if last is not None and last.known.name == vault else self._homes.get(vault)

    def check_room(self, vault: str, size: int = 0, *, notes: int = 1) -> None:
        """Refuses a write of so many notes and bytes where the vault would exceed its quota.

        Raises:
            InputError: how much there may be, and how much there is.
        """
        home = self._homes.get(vault)
        if home is None:
            return
        known = home.known
        for what, there, more, most in (
            ("notes", home.notes, notes, known.most_notes),
            ("bytes", home.bytes, size, known.most_bytes),
        ):
            if more and most is not None and there + more > most:
                raise InputError(
                    f"the vault {vault!r} may hold {most} {what} and holds {there}; "
                    f"forget some, or `memoryclaw fleet limit {vault} --{what} N` allows more"
                )

    def _send(self, home: _Home, seconds: float = _SEND) -> None:
        """Commits and pushes; raises where that does not count."""
        root = os.fspath(home.root)
        home.is_dirty = False
        try:
            with self._writable(home) as app:
                _patiently(app.track)
                if home.known.remote and not send(root, seconds=seconds):
                    # Somebody else pushed: a person's own copy is merged, but not what another node did.
                    app.merge(lambda _: self._must_hold(home))
                self._must_hold(home)
                self._show(home, app)
        except BaseException:
            home.is_dirty = True
            raise

    def _must_hold(self, home: _Home) -> None:
        if not self.fleet.holds(home.known.name, self.name, self._holder, home.fence):
            self._lose(home)
            raise NotAcknowledgedError("another node has taken the vault over")

    def _show(self, home: _Home, app: FleetApp) -> None:
        """Brings the index and the published files to what was written; what fails is tried again with the next write."""
        name = home.known.name
        try:
            freshness = app.refresh()
            for audience in {AGENT, *self.fleet.audiences(name)} - {OWNER}:
                app.seen_by(audience).refresh()
            self._measure(home, app)
            state = self.fleet.home_of(name)
            if state.number is not None and not freshness.degraded:
                self._publish(home, state.number)
                home.lacks_vectors = home.lacks_vectors or app.wants_vectors
                self.fleet.mark(name, home.fence, app.head())
        except MemoryClawError as error:
            home.is_dirty = True
            self._tell(f"{name}: other nodes do not see what was written last yet ({error})")

    def _measure(self, home: _Home, app: FleetApp) -> None:
        found = app.vault.scan().files
        home.notes = sum(path.endswith(".md") for path in found)
        home.bytes = sum(int.from_bytes(one[:8], "little", signed=True) for one in found.values())

    def _publish(self, home: _Home, number: int) -> None:
        root = os.fspath(home.root)
        now: dict[str, tuple[int, int, int]] = {}
        for path in (*_SMALL, *files.list_files(root, _LEDGER)):
            with suppress(OSError):
                info = os.lstat(on_disk(root, path))
                now[path] = info.st_size, info.st_mtime_ns, info.st_ino
        if now == home.shown:
            return
        fresh = {}
        for path in [path for path, seen in now.items() if home.shown.get(path) != seen]:
            try:
                fresh[path] = files.read_file(root, path).data
            except (NotFoundError, VaultError):
                now.pop(path)
        self.fleet.publish(number, fresh, kept=now.keys() - fresh.keys(), may=self._may(home))
        home.shown = now

    # ── Taking over and giving away

    def adopt(self, vault: str) -> bool:
        """Makes this node the home of a vault that has none, or whose node is gone; False while another node holds it.

        Raises:
            HistoryError: its remote cannot be reached, or refuses; it is tried again.
            NotFoundError: there is no such vault.
            VaultError: it has no remote, and its files are not here.
        """
        with self._turn(vault):
            if vault in self._homes:
                return self.is_home(vault)
            known = self.fleet.vault(checked_name(vault))
            root = self.folder / vault
            has_files = known.synced is not None or known.node not in ("", self.name)
            if has_files and not known.remote and not is_initialised(root):
                where = f"not in {root}" if known.node == self.name else f"on the node {known.node} alone"
                raise VaultError(
                    f"the vault {vault!r} has no remote, and its files are {where}; bring them back there, or drop it"
                )
            fence = self.fleet.claim(vault, self.name)
            if fence is None:
                return False
            home = _Home(known, fence, root)
            self._close(root)
            self._bring(home)
            with self._writable(home) as app:
                self._must_hold(home)
                self._show(home, app)
            self.fleet.arrived(vault, fence)
            self._homes[vault] = home
            self.changes += 1
        self._tell(f"{vault} is at home on {self.name} (fence {fence})")
        return True

    def create(self, vault: str) -> None:
        """Makes a vault that was added at home here: cloned from its remote, or new where the remote is empty or there is none.

        Raises:
            MovedError: it is at home on another node.
        """
        if not self.adopt(vault):
            raise _moved(vault)

    def leave(self, vault: str) -> None:
        """Stops the writes of a vault, acknowledges, and hands it to the node that it was promised to, or to any.

        Raises:
            LockedError: what goes on in it does not end.
            MovedError: it is not at home here.
        """
        with self._turn(vault):
            home = self._homes.get(vault)
            if home is None:
                raise _moved(vault)
            if not home.wait_until_idle():
                raise LockedError(f"the vault {vault!r} is at work and cannot leave now; try again")
            try:
                with home.pushing:
                    self._send(home)
                wanted = self.fleet.vault(vault).wanted
            except BaseException:
                home.is_leaving = False
                raise
            home.has_left = True
            self._homes.pop(vault, None)
            self.changes += 1
            self._close(home.root)
            self.fleet.hand_over(vault, home.fence, wanted)
        self._tell(f"{vault} left {self.name}" + (f" for {wanted}" if wanted else ""))

    def _let_go(self, known: FleetVault, vault: str) -> None:
        """Hands a vault over that was to be at home here and could not be brought."""
        with self._turn(vault):
            if vault not in self._homes:
                self.fleet.hand_over(vault, known.fence, known.wanted)

    def _bring(self, home: _Home) -> None:
        """Brings the files of a vault here, as its remote has them, and says there whose it is now."""
        known, root = home.known, home.root
        if not is_initialised(root):
            self._copy(known.remote, root)
        if not known.remote:
            return
        point(os.fspath(root), known.remote)
        with self._writable(home) as app:
            _patiently(app.track)
            branch = app.take_over(self.name, home.fence, lambda _: self._must_hold(home))
        if branch:
            self._tell(_kept(known.name, branch, root))

    def _copy(self, remote: str, root: Path) -> None:
        new = self.folder / _NEW.format(root.name)
        shutil.rmtree(new, ignore_errors=True)
        if remote:
            _cloned(remote, new)
        if not is_initialised(new):
            init_vault(new)
        new.rename(root)

    def _lose(self, home: _Home) -> None:
        """Another node has a vault: what it has not seen is put aside when nothing goes on here any more."""
        with self._guard:
            if self._homes.get(home.known.name) is not home:
                return
            del self._homes[home.known.name]
            self.changes += 1
            self._lost.append(home)
        self._tell(f"{home.known.name} was taken from {self.name}, which writes it no more")

    def _put_back(self, home: _Home, vault: str) -> None:
        branch = ""
        with self._turn(vault):
            if home.known.remote and vault not in self._homes:  # else it came back, and that was done
                with self._writable(home) as app:
                    branch = app.put_back(f"memoryclaw/unsent-{home.fence}-{self.name}")
                self._close(home.root)
            self._lost.remove(home)
        if branch:
            self._tell(_kept(vault, branch, home.root))

    # ── What goes on by itself

    def _again_and_again(self, work: Callable[[], None], pause: float) -> None:
        while not self._ended.wait(pause):
            with self._telling(self.name):
                work()

    def _beat(self) -> None:
        began, homes = time.monotonic(), dict(self._homes)
        if not self.fleet.beat(self.name, self._holder, self.address, self._lease):
            self._until, self.is_replaced = 0.0, True
            for home in homes.values():
                self._lose(home)
            raise _named_twice(self.name)
        self._until = began + self._lease
        own = {known.name: known for known in self.fleet.vaults(self.name)}
        for name, home in homes.items():
            if name in own and own[name].fence == home.fence:
                home.known = own[name]
            elif not home.is_leaving:
                self._lose(home)
        for name in [name for name in own.keys() - homes.keys() if own[name].wanted in ("", self.name)]:
            self._soon(name, self.adopt)
        if self._adopts:
            up = {node.name for node in self.fleet.nodes() if node.is_up}
            found = self.fleet.orphans()
            secrets.SystemRandom().shuffle(found)  # nodes that wake together take turns
            for known in found:
                if known.wanted in ("", self.name) or known.wanted not in up:
                    self._soon(known.name, self.adopt)

    def _tend(self) -> None:
        for known in self.fleet.moving(self.name):
            if known.wanted == self.name:
                self._soon(known.name, self.adopt)
            elif known.name in self._homes:
                self._soon(known.name, self.leave)
            elif known.node == self.name and (known.remote or known.wanted == DROPPED):
                self._soon(known.name, partial(self._let_go, known))
        for home in list(self._lost):
            if home.running == 0:
                self._soon(home.known.name, partial(self._put_back, home))
        late = time.monotonic() - _LATER
        for name, home in list(self._homes.items()):
            if home.lacks_vectors and home.fill_after < time.monotonic() and not self._filling.locked():
                self._soon(name, partial(self._fill, home))
            if home.is_dirty and home.since < late:
                self._soon(name, self.acknowledge)

    def _fill(self, home: _Home, _: str) -> None:
        """Makes the vectors that a vault lacks, of one vault at a time; ends early where the vault is wanted for something else."""

        def stopping() -> bool:
            is_wanted = home.is_leaving or home.known.wanted not in ("", self.name)
            return self._over.is_set() or is_wanted or self._homes.get(home.known.name) is not home

        if stopping() or not self._filling.acquire(blocking=False):
            return
        home.lacks_vectors, home.fill_after = False, 0.0
        about = f"{home.known.name}, vectors"
        try:
            with self._telling(about), self._writable(home) as app:
                home.lacks_vectors = app.fill_vectors(stopping=stopping, thorough=False).missing > 0
                self._told.pop(about, None)
                return
            home.lacks_vectors, home.fill_after = True, time.monotonic() + _FILL_AGAIN
        finally:
            self._filling.release()

    def _soon(self, vault: str, work: Callable[[str], object]) -> None:
        """Does something with a vault in a thread of the pool, unless something is done with it; what fails is tried again later."""

        def do() -> None:
            try:
                with self._telling(vault):
                    work(vault)
                    self._told.pop(vault, None)
                    return
                self._not_before[vault] = time.monotonic() + _AGAIN
            finally:
                self._at_work.discard(vault)

        is_early = self._not_before.get(vault, 0.0) > time.monotonic()
        if self._pool is None or self._over.is_set() or is_early or vault in self._at_work:
            return
        self._at_work.add(vault)
        self._pool.submit(do)

    @contextmanager
    def _telling(self, about: str) -> Iterator[None]:
        """Tells of a failure, once while it stays the same, and goes on."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - a node whose thread ended at a bug would never say again that it is there
            is_ours = isinstance(error, MemoryClawError | OSError)
            told = str(error) if is_ours else f"a bug ({type(error).__name__}); it is tried again"
            if self._told.get(about) != told:
                self._told[about] = told
                self._tell(f"{about}: {told}")

    # ── Vaults of other nodes

    @contextmanager
    def shadowed(self, vault: str, audience: str) -> Iterator[App]:
        """Any vault, to be read from PostgreSQL alone; its answers say how far behind they may be.

        Raises:
            NotFoundError: there is no such vault.
            VaultError: nothing of it was indexed yet, or not for this audience.
        """
        root = self.folder / _SHADOWS / checked_name(vault)
        with self._turn(f"{_SHADOWS}/{vault}"):
            self._refresh(vault, root)

        def kept() -> Freshness:
            return self._lag(vault)

        with self._lent(root, lambda: _app_of(self._reads, root, vault, kept=kept)) as app:
            yield app.seen_by(audience)

    def _refresh(self, vault: str, root: Path) -> None:
        """Brings the published files here, if there are others than last time."""
        state = self._reads.home_of(vault)
        if state.number is None or state.synced is None:
            raise VaultError(f"the vault {vault!r} was not indexed by its home yet; ask again later")
        known = self._shadows.get(vault)
        if known is not None and known[:2] == (state.number, state.synced):
            return
        if known is None or known[0] != state.number:  # of an earlier process, or of a vault that was dropped
            self._close(root)
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir(0o700, parents=True)
        place, found = os.fspath(root), self._reads.published(state.number)
        for path, data in sorted(found.items(), key=lambda one: one[0] != CONFIG_FILE):
            if (before := files.digest_at(place, path)) != files.digest_of(data):
                files.write_file(place, path, data, before)
            if path == CONFIG_FILE:
                settings.load(root)  # says where the folders are
        for path in known[2] - found.keys() if known else ():
            if before := files.digest_at(place, path):
                files.remove_file(place, path, before)
        self._shadows[vault] = state.number, state.synced, frozenset(found)

    def _lag(self, vault: str) -> Freshness:
        state = self.fleet.home_of(vault)
        if self._reads is not self.fleet and self._reads.home_of(vault).synced != state.synced:
            return Freshness(0, "the replica that this node reads has not heard of the last write yet")
        if state.is_up:
            return Freshness()
        if not state.node:
            return Freshness(
                0, "the vault has no home now; what its last one wrote at the end may be missing"
            )
        return Freshness(
            0,
            f"home node {state.node} has said nothing{_since(state)}; what it wrote at the end may be missing",
        )

    # ── Open vaults

    def _writable(self, home: _Home) -> AbstractContextManager[FleetApp]:
        """A vault that is written: its index too, but only while it is at home here."""
        return self._lent(
            home.root, lambda: _app_of(self.fleet, home.root, home.known.name, may=self._may(home))
        )

    def _may(self, home: _Home) -> Callable[[Any], None]:
        """Refuses a transaction what only the home of a vault may write."""
        name = home.known.name
        return lambda connection: self.fleet.must_be_home(
            connection, name, self.name, self._holder, home.fence
        )

    @contextmanager
    def _lent(self, root: Path, open_app: Callable[[], FleetApp]) -> Iterator[FleetApp]:
        """An open vault, for the caller alone until the end of the block."""
        seen = stamp(root)  # before they are read
        with self._guard:
            at = next((n for n, one in enumerate(self._idle) if one.root == root), None)
            found = self._idle.pop(at) if at is not None else None
        if found is not None and found.settings != seen:
            found.app.close()
            found = None
        app = found.app if found is not None else open_app()
        try:
            yield app
        finally:
            with self._guard:
                self._idle.append(_Idle(root, app, seen))
                surplus = self._idle[:-_OPEN] if len(self._idle) > _OPEN else []
                del self._idle[: len(surplus)]
            for one in surplus:
                one.app.close()

    def _close(self, root: Path) -> None:
        with self._guard:
            closed = [one for one in self._idle if one.root == root]
            self._idle = [one for one in self._idle if one.root != root]
        for one in closed:
            one.app.close()

    def _turn(self, name: str) -> threading.Lock:
        with self._guard:
            return self._turns.setdefault(name, threading.Lock())


class _PermissionsOf(NamedTuple):
    """The permissions of one vault, beside its tokens: a node that takes the vault over has them."""

    fleet: Fleet
    vault: str

    def read(self) -> str:
        return self.fleet.permissions(self.vault)

    def append(self, line: str) -> None:
        self.fleet.permit(self.vault, line)

    def edition(self) -> object:
        return None  # nobody but the home of a vault, which is here, adds lines


def _app_of(
    fleet: Fleet,
    root: Path,
    vault: str,
    *,
    kept: Callable[[], Freshness] | None = None,
    may: Callable[[Any], None] | None = None,
) -> FleetApp:
    """A vault with its index on PostgreSQL, and with all that is written in git."""
    prepared, most = fleet.server.how
    overrides: dict[str, Any] = {
        "engine": "postgres",
        "index_url": fleet.server.url,
        "index_vault": vault,
        "prepared": prepared,
        "connections": most,
        "track_logs": True,
        "track_ledger": True,
        "vault_id": "",  # of what tenants write: it must not lead to what the operator allows another vault
    }
    permissions = _PermissionsOf(fleet, vault)
    return FleetApp(root, overrides=overrides, kept=kept, may=may, permissions=permissions)


def _cloned(remote: str, new: Path) -> None:
    """A new copy of what a remote has, in a folder that is not there yet."""
    new_copy(os.fspath(new), remote)
    first_copy(os.fspath(new))
    with FleetApp(new) as app:
        app.copy()


def _since(state: HomeState) -> str:
    return f" since {state.until:%Y-%m-%d %H:%M:%S}Z" if state.until else ""


def _patiently(work: Callable[[], T]) -> T:
    """Does what needs the lock of a vault, though others write it one after another."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return work()
        except LockedError:
            if time.monotonic() > end:
                raise


def _outside(error: MemoryClawError) -> str:
    """What a client is told: not where PostgreSQL or the remote is."""
    if isinstance(error, IndexUnreachableError):
        return "PostgreSQL cannot be reached"
    return "its remote does not take it" if isinstance(error, HistoryError) else str(error)


def _moved(vault: str) -> MovedError:
    return MovedError(f"the vault {vault!r} is not at home on this node, or is just leaving it; ask again")


def _last_in(folder: Path) -> tuple[str, str]:
    """The node whose folder it is and its last process; both are empty where there was none."""
    try:
        name, _, holder = (folder / _NODE).read_text().strip().partition("\n")
    except OSError:
        return "", ""
    return name, holder


def _named_twice(name: str) -> LockedError:
    return LockedError(f"another process is the node {name}; give each node a name of its own with --node")


def _kept(vault: str, branch: str, root: Path) -> str:
    return f"{vault}: what this node had written and not sent is on the branch {branch}; `git -C {root} log {branch}` shows it"


# What `memoryclaw fleet` does from anywhere: it needs the fleet's tables, and the nodes do the rest.


class ListedVault(NamedTuple):
    """One row of `fleet list`."""

    name: str
    node: str
    is_up: bool  # its home says that it is there
    fence: int
    remote: str  # without a password
    head: str  # the commit that its index was brought to
    synced: str  # when, in ISO format; empty: never
    most_notes: int | None
    most_bytes: int | None
    most_requests: int | None
    notice: str = ""  # such as "no remote: a lost node loses it"


class Difference(NamedTuple):
    """What `fleet check` found of one vault; `is_wrong` is False for what a person may want to know only."""

    vault: str
    what: str  # one sentence
    is_wrong: bool = True


def list_vaults(fleet: Fleet, node: str = "") -> list[ListedVault]:
    """All vaults by name, or those of one node."""
    up = {one.name for one in fleet.nodes() if one.is_up}
    return [_listed(known, up) for known in fleet.vaults(node or None)]


def _listed(known: FleetVault, up: set[str]) -> ListedVault:
    return ListedVault(
        name=known.name, node=known.node, is_up=known.node in up, fence=known.fence,
        remote=without_secrets(known.remote), head=known.head,
        synced=f"{known.synced:%Y-%m-%dT%H:%M:%SZ}" if known.synced else "",
        most_notes=known.most_notes, most_bytes=known.most_bytes, most_requests=known.most_requests,
        notice="" if known.remote else _NO_REMOTE,
    )  # fmt: skip


_NO_REMOTE = "no remote: a lost node loses it"


def add(fleet: Fleet, vault: str, remote: str = "", *, node: str = "", seconds: float = 60) -> ListedVault:
    """Makes a vault known and waits until a node, or the one named, is its home: cloned from its remote and indexed, or new.

    Args:
        fleet: what all nodes share.
        vault: its name.
        remote: the address of its git remote; without one, a lost node loses it.
        node: which is to be its home; any when it is empty.
        seconds: to wait; 0 for not at all.

    Raises:
        ConflictError: there is a vault of this name, or no node took it in time; one does so later.
        NotFoundError: there is no such node.
    """
    if node:
        _must_be_up(fleet, node)
    fleet.add(checked_name(vault), remote, wanted=node)
    return _awaited(fleet, vault, node, seconds)


def move(fleet: Fleet, vault: str, node: str, *, seconds: float = 60) -> ListedVault:
    """Has a vault move to another node while it answers; waits until that node is its home.

    Args:
        fleet: what all nodes share.
        vault: its name.
        node: its new home.
        seconds: to wait; 0 for not at all.

    Raises:
        ConflictError: the node is not there, or the vault has no remote to go through, or it takes longer; it goes on, then.
        NotFoundError: there is no such vault or node.
    """
    known = fleet.vault(vault)
    _must_be_up(fleet, node)
    if known.node != node:
        if not known.remote and known.node:
            raise ConflictError(
                f"the vault {vault!r} has no remote, so it cannot move; it was added without `--remote`"
            )
        fleet.want(vault, node)
    return _awaited(fleet, vault, node, seconds)


def drop(fleet: Fleet, vault: str, *, seconds: float = 60) -> None:
    """Forgets a vault, its tokens and its index; its files and its remote stay.

    Args:
        fleet: what all nodes share.
        vault: its name.
        seconds: to wait until its home has sent what it holds and lets go.

    Raises:
        ConflictError: its home does not let go; nothing was dropped.
        NotFoundError: there is no such vault.
    """
    end = time.monotonic() + seconds
    if fleet.claim(vault, DROPPED) is None:  # its home is there, and must let go first
        fleet.want(vault, DROPPED)
        while fleet.vault(vault).node != DROPPED:
            if time.monotonic() > end:
                fleet.want(vault, "")
                raise ConflictError(
                    f"the home of the vault {vault!r} did not let go of it, and its log says why, such as a remote that "
                    "does not take the last writes; nothing was dropped, try again"
                )
            time.sleep(_GLANCE)
    number = fleet.home_of(vault).number
    if number is not None:
        fleet.publish(number, {})
    drop_index(fleet.server, vault)
    fleet.drop(vault)


def check(fleet: Fleet, vault: str = "", *, folder: Path | None = None) -> list[Difference]:
    """Compares files, index, remote and lease of one vault, or of all.

    Args:
        fleet: what all nodes share.
        vault: its name; empty for all.
        folder: that of a node: the vaults at home there are compared with their files, the others with their remotes.

    Raises:
        NotFoundError: there is no such vault.
    """
    found = [Difference("", sentence, is_wrong=False)] if (sentence := fleet.rights()) else []
    here = _last_in(folder)[0] if folder else ""
    for known in [fleet.vault(vault)] if vault else fleet.vaults():
        root = folder / known.name if folder and here and known.node == here else None
        for _ in range(_LOOKS):
            sentences = _differences(fleet, known, root)
            again = fleet.vault(known.name)
            if again.head == known.head and again.node == known.node:
                break
            known = again  # noqa: PLW2901 - it was written meanwhile
        found += [Difference(known.name, *one) for one in sentences]
    return found


def _differences(fleet: Fleet, known: FleetVault, root: Path | None) -> list[tuple[str, bool]]:
    """What is wrong with one vault, or to be known of it."""
    state = fleet.home_of(known.name)
    found = _lease(known, state)
    with tempfile.TemporaryDirectory(prefix="memoryclaw-check-") as temporary:
        source, which = root if root is not None and is_initialised(root) else None, "files at home"
        there = ""
        if known.remote:
            copy = Path(temporary) / known.name
            try:
                _cloned(known.remote, copy)
            except MemoryClawError as error:
                return [*found, (f"its remote cannot be read ({error})", True)]
            there = History(os.fspath(copy)).head()
            if there != known.head:
                at, at_index = there[:12] or "nothing", known.head[:12] or "nothing"
                found.append((f"its remote is at {at}, its index at {at_index}", True))
            if source is None:
                source, which = copy, "remote"
        if source is root and root is not None:
            found += _at_home(root, there)
        if source is not None and state.number is not None:
            with _app_of(fleet, source, known.name, kept=Freshness) as app:
                if differs := app.stale():
                    found.append((f"its index differs from its {which}: {differs}", True))
    return found


def _lease(known: FleetVault, state: HomeState) -> list[tuple[str, bool]]:
    found = []
    if not state.node:
        found.append(("it has no home; a node that is up takes it", True))
    elif not state.is_up:
        found.append((f"its home {state.node} has said nothing{_since(state)}", True))
    if not known.remote:
        found.append((_NO_REMOTE, False))
    if state.number is None:
        found.append(("it was never indexed", True))
    return found


def _at_home(root: Path, there: str) -> list[tuple[str, bool]]:
    history, found = History(os.fspath(root)), []
    here = history.head()
    if there and here != there:
        found.append((f"its files are at {here[:12]}, its remote at {there[:12]}", True))
    if waiting := not_committed(history):
        found.append((f"files at home that are not committed yet: {', '.join(waiting[:3])}", False))
    for branch in branches(history, UNSENT):
        name = branch.ref.removeprefix("refs/heads/")
        found.append((f"on the branch {name} is what was not sent when it was taken over", False))
    return found


def _awaited(fleet: Fleet, vault: str, node: str, seconds: float) -> ListedVault:
    """The vault when a node, or this one, has it."""
    end = time.monotonic() + seconds
    while True:
        row = fleet.vault(vault)
        listed = _listed(row, {one.name for one in fleet.nodes() if one.is_up})
        if seconds <= 0 or (listed.is_up and row.synced and not row.wanted and node in ("", row.node)):
            return listed
        if time.monotonic() > end:
            at = f"on {row.node}" if row.node else "without a home"
            raise ConflictError(
                f"the vault {vault!r} is {at} after {seconds:g} seconds; it goes on, `memoryclaw fleet check {vault}` tells what is in the way"
            )
        time.sleep(_GLANCE)


def _must_be_up(fleet: Fleet, node: str) -> None:
    found = {one.name: one.is_up for one in fleet.nodes()}
    if node not in found:
        raise NotFoundError(f"there is no node {node!r}; there are {', '.join(found) or 'none'}")
    if not found[node]:
        raise ConflictError(f"the node {node!r} has said nothing for too long; start it, or choose another")
