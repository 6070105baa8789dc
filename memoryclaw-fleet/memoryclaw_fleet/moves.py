"""The vaults at home on one node: each is taken over, is written, and leaves or is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memoryclaw.app import App
from memoryclaw.errors import LockedError, NotAcknowledgedError, VaultError
from memoryclaw.vault.state_folder import is_initialised
from memoryclaw_fleet.homes import Here, Home, moved_error
from memoryclaw_fleet.store import FleetVault, checked_name


class Homes:
    """The vaults at home on a node.

    Locks are taken in this order: the turn of a vault, its push, then the guards, under which nothing waits.

    Args:
        folder: holds one folder for each vault that was ever at home here.
        may_write: whether this process may still write any.
    """

    def __init__(self, folder: Path, here: Here, may_write: Callable[[], bool]) -> None:
        self._folder, self._here, self._may_write = folder, here, may_write
        self.by_name: dict[str, Home] = {}
        self.lost: list[Home] = []  # what others took, to be put back
        self.changes = 0  # vaults that came or went
        self._last = threading.local()  # the home that a thread had open last
        self._turns: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def is_home(self, vault: str) -> bool:
        """Whether writes of a vault go here, by what this process last knew; asks nobody."""
        home = self.by_name.get(vault)
        return home is not None and not home.is_leaving and self._may_write()

    # ── Writing

    @contextmanager
    def opened(self, vault: str, audience: str) -> Iterator[App]:
        """A vault at home here, for one thread until the end of the block.

        Raises:
            MovedError: it is not at home here, or is just leaving.
        """
        home = self.by_name.get(vault)
        if home is None or not self.is_home(vault):
            raise moved_error(vault)
        with home.working() as app:
            self._last.home = home
            yield app.seen_by(audience)

    def acknowledge(self, vault: str) -> None:
        """Makes what was written in a vault count: commits, pushes to its remote, and makes sure that it is still at home here.

        All that wait for one vault share one push. It is called by the thread that had the vault open.

        Raises:
            NotAcknowledgedError: it does not count, or nobody knows; the sentence says what to do.
        """
        # The home of the write, not of now: the vault may have gone and come back meanwhile, without what was written.
        current: Home | None = self.by_name.get(vault)
        home: Home | None = getattr(self._last, "home", None)
        if home is None or home.name != vault:
            home = current
        if home is not None and home.has_left:  # and was sent before
            if current is None:
                return
            home = current
        if home is None or current is not home:
            raise NotAcknowledgedError(
                f"another node has taken the vault {vault!r} over; what was written here just now does not count, ask again there"
            )
        home.acknowledge()

    def check_room(self, vault: str, size: int = 0, *, notes: int = 1) -> None:
        """Refuses a write of so many notes and bytes where the vault would exceed its quota.

        Raises:
            InputError: how much there may be, and how much there is.
        """
        if home := self.by_name.get(vault):
            home.check_room(size, notes)

    # ── Coming and going

    def adopt(self, vault: str) -> bool:
        """Makes this node the home of a vault that has none, or whose node is gone; False while another node holds it.

        Raises:
            HistoryError: its remote cannot be reached, or refuses; it is tried again.
            NotFoundError: there is no such vault.
            VaultError: it has no remote, and its files are not here.
        """
        fleet, node = self._here.fleet, self._here.node
        with self._turn(vault):
            if vault in self.by_name:
                return self.is_home(vault)
            row = fleet.vault(checked_name(vault))
            root = self._folder / vault
            has_files = row.synced is not None or row.node not in ("", node)
            if has_files and not row.remote and not is_initialised(root):
                where = f"not in {root}" if row.node == node else f"on the node {row.node} alone"
                raise VaultError(
                    f"the vault {vault!r} has no remote, and its files are {where}; bring them back there, or drop it"
                )
            fence = fleet.claim(vault, node)
            if fence is None:
                return False
            home = Home(row, fence, root, self._here, self.lose)
            self._here.vaults.close(root)
            home.bring()
            with home.writable() as app:
                home.must_be_ours()
                home.show(app)
            fleet.arrived(vault, fence)
            self.by_name[vault] = home
            self.changes += 1
        self._here.tell(f"{vault} is at home on {node} (fence {fence})")
        return True

    def leave(self, vault: str) -> None:
        """Stops the writes of a vault, acknowledges, and hands it to the node that it was promised to, or to any.

        Raises:
            LockedError: what goes on in it does not end.
            MovedError: it is not at home here.
        """
        fleet = self._here.fleet
        with self._turn(vault):
            home = self.by_name.get(vault)
            if home is None:
                raise moved_error(vault)
            if not home.wait_until_idle():
                raise LockedError(f"the vault {vault!r} is at work and cannot leave now; try again")
            try:
                with home.push.lock:
                    home.send()
                successor = fleet.vault(vault).wanted
            except BaseException:
                home.is_leaving = False
                raise
            home.has_left = True
            self.by_name.pop(vault, None)
            self.changes += 1
            self._here.vaults.close(home.root)
            fleet.hand_over(vault, home.fence, successor)
        self._here.tell(f"{vault} left {self._here.node}" + (f" for {successor}" if successor else ""))

    def let_go(self, known: FleetVault) -> None:
        """Hands a vault over that was to be at home here and could not be brought."""
        with self._turn(known.name):
            if known.name not in self.by_name:
                self._here.fleet.hand_over(known.name, known.fence, known.wanted)

    def lose(self, home: Home) -> None:
        """Another node has a vault: what it has not seen is put aside when nothing goes on here any more."""
        with self._guard:
            if self.by_name.get(home.name) is not home:
                return
            del self.by_name[home.name]
            self.changes += 1
            self.lost.append(home)
        self._here.tell(f"{home.name} was taken from {self._here.node}, which writes it no more")

    def put_back(self, home: Home) -> None:
        """Puts aside what was written in a lost vault and never sent."""
        with self._turn(home.name):
            if home.known.remote and home.name not in self.by_name:  # else it came back, and that was done
                home.put_back()
                self._here.vaults.close(home.root)
            self.lost.remove(home)

    def compare(self, before: Mapping[str, Home], rows: Mapping[str, FleetVault]) -> None:
        """Loses what was at home here before the rows of this node's vaults were read, and is not in them."""
        for name, home in before.items():
            if name in rows and rows[name].fence == home.fence:
                home.known = rows[name]
            elif not home.is_leaving:
                self.lose(home)

    def behind(self) -> list[float]:
        """For how many seconds each vault has been used since its last push."""
        return [time.monotonic() - home.since for home in list(self.by_name.values()) if home.is_dirty]

    def _turn(self, vault: str) -> threading.Lock:
        return self._turns.setdefault(vault, threading.Lock())
