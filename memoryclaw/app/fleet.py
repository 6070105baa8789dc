"""One node of a fleet: the vaults at home here, each written by this process alone, and reads of all others from PostgreSQL.

A write counts when it is in the vault's remote and this node was still its home afterwards; whoever takes the vault over begins with that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from memoryclaw.app import App
from memoryclaw.fleet.store import LEASE, Fleet


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
    ) -> None:
        self.folder, self.name, self.address, self.fleet = folder, name, address, fleet
        self._tell, self._lease, self._adopts = tell, lease, adopt

    def start(self) -> None:
        """Takes the folder and the name, then the vaults that were at home here; from now on it renews its lease."""
        raise NotImplementedError

    def stop(self) -> None:
        """Drains: no new writes, waits for running ones, acknowledges them, and lets others take the vaults at once."""
        raise NotImplementedError

    def is_home(self, vault: str) -> bool:
        """Whether writes of a vault go here, by what this process last knew; asks nobody."""
        raise NotImplementedError

    @contextmanager
    def opened(self, vault: str, audience: str) -> Iterator[App]:
        """A vault at home here, for one thread until the end of the block.

        Raises:
            MovedError: it is not at home here, or is just leaving.
        """
        raise NotImplementedError(vault, audience)
        yield

    @contextmanager
    def shadowed(self, vault: str, audience: str) -> Iterator[App]:
        """Any vault, to be read from PostgreSQL alone; its answers say how far behind they may be.

        Raises:
            NotFoundError: there is no such vault, or nothing of it was published yet.
        """
        raise NotImplementedError(vault, audience)
        yield

    def acknowledge(self, vault: str) -> None:
        """Makes what was written in a vault count: commits, pushes to its remote, and makes sure that it is still at home here.

        All that wait for one vault share one push.

        Raises:
            NotAcknowledgedError: it does not count, or nobody knows; the sentence says what to do.
        """
        raise NotImplementedError

    def adopt(self, vault: str) -> bool:
        """Makes this node the home of a vault that has none, or whose node is gone; False while another node holds it."""
        raise NotImplementedError

    def create(self, vault: str) -> None:
        """Makes a vault that was added at home here: cloned from its remote, or new where the remote is empty or there is none."""
        raise NotImplementedError

    def leave(self, vault: str) -> None:
        """Stops the writes of a vault, acknowledges, and hands it to the node that it was promised to, or to any."""
        raise NotImplementedError

    def check_room(self, vault: str, size: int = 0) -> None:
        """Refuses a write of so many bytes where the vault would exceed its quota.

        Raises:
            InputError: how much there may be, and how much there is.
        """
        raise NotImplementedError


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
    raise NotImplementedError


def add(fleet: Fleet, vault: str, remote: str = "", *, node: str = "", seconds: float = 60) -> ListedVault:
    """Makes a vault known and waits until a node, or the one named, is its home: cloned from its remote and indexed, or new."""
    raise NotImplementedError


def move(fleet: Fleet, vault: str, node: str, *, seconds: float = 60) -> ListedVault:
    """Has a vault move to another node while it answers; waits until that node is its home."""
    raise NotImplementedError


def drop(fleet: Fleet, vault: str) -> None:
    """Forgets a vault, its tokens and its index; its files and its remote stay."""
    raise NotImplementedError


def check(fleet: Fleet, vault: str = "", *, folder: Path | None = None) -> list[Difference]:
    """Compares files, index, remote and lease of one vault, or of all; files only where `folder`, a node's, holds them."""
    raise NotImplementedError
