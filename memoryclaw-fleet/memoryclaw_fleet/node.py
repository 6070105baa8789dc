"""One node of a fleet: the vaults at home here, each written by this process alone, and reads of all others from PostgreSQL.

A write counts when it is in the vault's remote and this node was still its home afterwards; whoever takes the vault over begins with that.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from memoryclaw.errors import IndexBusyError, LockedError, MemoryClawError, VaultError
from memoryclaw_fleet.background import AT_ONCE, Background
from memoryclaw_fleet.homes import PATIENCE, Here, Home
from memoryclaw_fleet.moves import Homes
from memoryclaw_fleet.open_vaults import OpenVaults
from memoryclaw_fleet.postgres_index import STEPS
from memoryclaw_fleet.shadows import Shadows
from memoryclaw_fleet.store import DROPPED, LEASE, Fleet, checked_name

_FIND = 5.0  # seconds between looks at vaults whose node is gone, at most
_LOOK = 1.0  # seconds between looks at what is to move
_LATER = 60.0  # seconds until what nobody waits for is sent: uses in the ledger
_FILL_AGAIN = 30.0  # seconds until vectors are tried again that could not be made
_GLANCE = 0.1  # seconds between looks whether a lease has ended
_NODE = ".node"  # holds the name of the node whose folder it is, and which process of it was the last


class FleetNode:
    """One process that serves the vaults of a folder.

    Args:
        folder: holds one folder for each vault that was ever at home here; no other process uses it.
        address: where other nodes and clients reach it, such as `http://10.0.0.7:7411`.
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
        self._tell, self._lease, self._adopts = tell, lease, adopt
        self._process, self._vaults = secrets.token_hex(8), OpenVaults()
        self.background = Background(tell)
        here = Here(self.name, self._process, fleet, self._vaults, tell)
        self.homes = Homes(folder, here, self._may_write)
        self.shadows = Shadows(folder / ".shadows", fleet, replica or fleet, self._vaults)
        self.is_draining = False
        self.is_replaced = False  # another process has the name
        self._until = 0.0  # of the lease, by the monotonic clock
        self._filling = threading.Lock()
        self._lock = -1

    def _may_write(self) -> bool:
        return time.monotonic() < self._until and not self.background.over.is_set()

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
        looks = (
            (self._beat, min(self._lease / 3, _FIND)),
            (self._tend, min(_LOOK, self._lease / 3)),
            (self.fleet.sweep, self._lease),
        )
        self.background.start(self.name, looks)

    def _take_name(self) -> float:
        """Waits while the lease of another process of this name may end; returns when this one's began.

        The last process in this folder has ended, so its lease is not waited for.
        """
        _, previous = last_in(self.folder)
        end, is_told = time.monotonic() + self._lease + _FIND, False
        while True:
            began = time.monotonic()
            if self.fleet.beat(self.name, self._process, self.address, self._lease, previous=previous):
                (self.folder / _NODE).write_text(f"{self.name}\n{self._process}\n")
                return began
            if began > end:
                raise _named_twice(self.name)
            if not is_told:
                is_told = True
                self._tell(f"another process has been the node {self.name}; waiting for its lease to end")
            time.sleep(_GLANCE)

    def stop(self, seconds: float = PATIENCE) -> None:
        """Drains: no new writes, waits for running ones, acknowledges them, and lets others take the vaults at once.

        What is not sent within so many seconds is put aside when this node comes back.
        """
        background, end = self.background, time.monotonic() + seconds
        background.begin_no_more()
        with ThreadPoolExecutor(AT_ONCE, "leave") as threads:
            for home in list(self.homes.by_name.values()):
                threads.submit(background.attempt, home.name, partial(home.leave_until, end))
        background.end()
        self.homes.by_name.clear()
        background.attempt(self.name, lambda: self.fleet.rest(self.name, self._process))
        self._until = 0.0
        self._vaults.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def drain(self) -> None:
        """Begins nothing new; what goes on goes on, and `ready` says that this node is going."""
        self.is_draining = True

    def ready(self) -> dict[str, str]:
        """What a request would have to wait for, by what it needs; empty where it need not. It does not tell where PostgreSQL is."""
        is_ending = self.is_draining or self.background.over.is_set()
        waits = {"node": "it is ending" if is_ending else "", "postgresql": ""}
        try:
            with self.fleet.server.connection() as connection:
                connection.execute("select 1")
        except IndexBusyError:
            waits["postgresql"] = "all connections are in use"
        except MemoryClawError:
            waits["postgresql"] = "it cannot be reached"
        holds_lease = time.monotonic() < self._until
        waits["lease"] = "" if holds_lease else "this node has not said for too long that it is there"
        return waits

    def measures(self) -> dict[str, float]:
        """What there is to be watched of this node, in seconds and counts; asks nobody."""
        behind = self.homes.behind()
        in_use, waiting = self.fleet.server.lent()
        return {
            "vaults_home": len(self.homes.by_name), "vaults_behind": len(behind), "behind_seconds": max(behind, default=0.0),
            "lease_seconds": max(self._until - time.monotonic(), 0.0), "connections_in_use": in_use, "connections_waited_for": waiting,
        }  # fmt: skip

    # ── What goes on by itself

    def _beat(self) -> None:
        """Renews the lease, and takes over vaults that are without a home."""
        homes, soon = self.homes, self.background.soon
        began, before = time.monotonic(), dict(homes.by_name)
        if not self.fleet.beat(self.name, self._process, self.address, self._lease):
            self._until, self.is_replaced = 0.0, True
            for home in before.values():
                homes.lose(home)
            raise _named_twice(self.name)
        self._until = began + self._lease
        rows = {row.name: row for row in self.fleet.vaults(self.name)}
        homes.compare(before, rows)
        for name in [name for name in rows.keys() - before.keys() if rows[name].wanted in ("", self.name)]:
            soon(name, homes.adopt)
        if self._adopts:
            up = self.fleet.nodes_up()
            orphans = self.fleet.orphans()
            secrets.SystemRandom().shuffle(orphans)  # nodes that wake together take turns
            for orphan in orphans:
                if orphan.wanted in ("", self.name) or orphan.wanted not in up:
                    soon(orphan.name, homes.adopt)

    def _tend(self) -> None:
        """Moves what is to move, puts back what was lost, makes vectors, and sends what nobody waits for."""
        homes, soon = self.homes, self.background.soon
        for row in self.fleet.moving(self.name):
            if row.wanted == self.name:
                soon(row.name, homes.adopt)
            elif row.name in homes.by_name:
                soon(row.name, homes.leave)
            elif row.node == self.name and (row.remote or row.wanted == DROPPED):
                soon(row.name, lambda _, row=row: homes.let_go(row))  # type: ignore[misc]
        for home in list(homes.lost):
            if home.is_idle:
                soon(home.name, lambda _, home=home: homes.put_back(home))  # type: ignore[misc]
        late = time.monotonic() - _LATER
        for name, home in list(homes.by_name.items()):
            if home.lacks_vectors and home.fill_after < time.monotonic() and not self._filling.locked():
                soon(name, lambda _, home=home: self._fill(home))  # type: ignore[misc]
            if home.is_dirty and home.since < late:
                soon(name, homes.acknowledge)

    def _fill(self, home: Home) -> None:
        """Makes the vectors that a vault lacks, of one vault at a time; ends early where the vault is wanted for something else."""

        def stopping() -> bool:
            is_wanted = home.is_leaving or home.known.wanted not in ("", self.name)
            return self.background.over.is_set() or is_wanted or self.homes.by_name.get(home.name) is not home

        def fill() -> None:
            with home.writable() as app:
                home.lacks_vectors = app.fill_vectors(stopping=stopping, thorough=False).missing > 0

        if stopping() or not self._filling.acquire(blocking=False):
            return
        home.lacks_vectors, home.fill_after = False, 0.0
        try:
            if not self.background.attempt(f"{home.name}, vectors", fill):
                home.lacks_vectors, home.fill_after = True, time.monotonic() + _FILL_AGAIN
        finally:
            self._filling.release()


def last_in(folder: Path) -> tuple[str, str]:
    """The node whose folder it is and its last process; both are empty where there was none."""
    try:
        name, _, process = (folder / _NODE).read_text().strip().partition("\n")
    except OSError:
        return "", ""
    return name, process


def _named_twice(name: str) -> LockedError:
    return LockedError(f"another process is the node {name}; give each node a name of its own with --node")
