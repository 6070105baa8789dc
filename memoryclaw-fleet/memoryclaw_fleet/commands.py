"""What `memoryclaw fleet` does from anywhere: it reads and writes the fleet's tables, and the nodes do the rest."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memoryclaw.consolidation.selecting import UNSENT
from memoryclaw.errors import ConflictError, MemoryClawError, NotFoundError
from memoryclaw.history.remote import without_secrets
from memoryclaw.history.repository import History, branches
from memoryclaw.index.sync import Freshness
from memoryclaw.vault.state_folder import is_initialised
from memoryclaw_fleet.handover import not_committed
from memoryclaw_fleet.node import last_in
from memoryclaw_fleet.open_vaults import clone, open_app
from memoryclaw_fleet.postgres_index import drop as drop_index
from memoryclaw_fleet.store import DROPPED, Fleet, FleetVault, checked_name

_NO_REMOTE = "no remote: a lost node loses it"
_GLANCE = 0.1  # seconds between looks at what a node is to do
_LOOKS = 3  # at a vault that is written while it is checked


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


def list_vaults(fleet: Fleet, node: str = "") -> list[ListedVault]:
    """All vaults by name, or those of one node."""
    up = fleet.nodes_up()
    return [_listed(row, up) for row in fleet.vaults(node or None)]


def _listed(row: FleetVault, up: set[str]) -> ListedVault:
    return ListedVault(
        name=row.name, node=row.node, is_up=row.node in up, fence=row.fence,
        remote=without_secrets(row.remote), head=row.head,
        synced=f"{row.synced:%Y-%m-%dT%H:%M:%SZ}" if row.synced else "",
        most_notes=row.most_notes, most_bytes=row.most_bytes, most_requests=row.most_requests,
        notice="" if row.remote else _NO_REMOTE,
    )  # fmt: skip


def add(fleet: Fleet, vault: str, remote: str = "", *, node: str = "", seconds: float = 60) -> ListedVault:
    """Makes a vault known and waits until a node, or the one named, is its home: cloned from its remote and indexed, or new.

    Args:
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
        seconds: to wait; 0 for not at all.

    Raises:
        ConflictError: the node is not there, or the vault has no remote to go through, or it takes longer; it goes on, then.
        NotFoundError: there is no such vault or node.
    """
    row = fleet.vault(vault)
    _must_be_up(fleet, node)
    if row.node != node:
        if not row.remote and row.node:
            raise ConflictError(
                f"the vault {vault!r} has no remote, so it cannot move; it was added without `--remote`"
            )
        fleet.want(vault, node)
    return _awaited(fleet, vault, node, seconds)


def drop(fleet: Fleet, vault: str, *, seconds: float = 60) -> None:
    """Forgets a vault, its tokens and its index; its files and its remote stay.

    Args:
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


def _awaited(fleet: Fleet, vault: str, node: str, seconds: float) -> ListedVault:
    """The vault when a node, or this one, has it."""
    end = time.monotonic() + seconds
    while True:
        row = fleet.vault(vault)
        listed = _listed(row, fleet.nodes_up())
        if seconds <= 0 or (listed.is_up and row.synced and not row.wanted and node in ("", row.node)):
            return listed
        if time.monotonic() > end:
            place = f"on {row.node}" if row.node else "without a home"
            raise ConflictError(
                f"the vault {vault!r} is {place} after {seconds:g} seconds; it goes on, `memoryclaw fleet check {vault}` tells what is in the way"
            )
        time.sleep(_GLANCE)


def _must_be_up(fleet: Fleet, node: str) -> None:
    is_up = {row.name: row.is_up for row in fleet.nodes()}
    if node not in is_up:
        raise NotFoundError(f"there is no node {node!r}; there are {', '.join(is_up) or 'none'}")
    if not is_up[node]:
        raise ConflictError(f"the node {node!r} has said nothing for too long; start it, or choose another")


class Finding(NamedTuple):
    """What `fleet check` found of one vault; `is_wrong` is False for what a person may want to know only."""

    vault: str
    what: str  # one sentence
    is_wrong: bool = True


def check(fleet: Fleet, vault: str = "", *, folder: Path | None = None) -> list[Finding]:
    """Compares files, index, remote and lease of one vault, or of all.

    Args:
        folder: that of a node: the vaults at home there are compared with their files, the others with their remotes.

    Raises:
        NotFoundError: there is no such vault.
    """
    findings = [Finding("", sentence, is_wrong=False)] if (sentence := fleet.rights()) else []
    node = last_in(folder)[0] if folder else ""
    for row in [fleet.vault(vault)] if vault else fleet.vaults():
        for _ in range(_LOOKS):
            root = folder / row.name if folder and node and row.node == node else None
            of_vault = [*_findings(fleet, row, root)]
            before, row = row, fleet.vault(row.name)  # noqa: PLW2901 - it may have been written meanwhile
            if row.head == before.head and row.node == before.node:
                break
        findings += of_vault
    return findings


def _findings(fleet: Fleet, row: FleetVault, root: Path | None) -> Iterator[Finding]:  # noqa: C901 - a list of checks
    """What is wrong with one vault, or to be known of it; `root` holds its files where it is at home in this folder."""
    state, head = fleet.home_of(row.name), ""
    if not state.node:
        yield Finding(row.name, "it has no home; a node that is up takes it")
    elif not state.is_up:
        yield Finding(row.name, f"its home {state.silence}")
    if not row.remote:
        yield Finding(row.name, _NO_REMOTE, is_wrong=False)
    if state.number is None:
        yield Finding(row.name, "it was never indexed")
    with tempfile.TemporaryDirectory(prefix="memoryclaw-check-") as temporary:
        source, which = root if root is not None and is_initialised(root) else None, "files at home"
        if row.remote:
            copy = Path(temporary) / row.name
            try:
                clone(row.remote, copy)
            except MemoryClawError as error:
                yield Finding(row.name, f"its remote cannot be read ({error})")
                return
            head = History(os.fspath(copy)).head()
            if head != row.head:
                remote_head, at_index = head[:12] or "nothing", row.head[:12] or "nothing"
                yield Finding(row.name, f"its remote is at {remote_head}, its index at {at_index}")
            if source is None:
                source, which = copy, "remote"
        if source is not None and source is root:
            yield from _at_home(row.name, source, head)
        if source is not None and state.number is not None:
            with open_app(fleet, source, row.name, kept=Freshness) as app:
                if differs := app.stale():
                    yield Finding(row.name, f"its index differs from its {which}: {differs}")


def _at_home(vault: str, root: Path, remote_head: str) -> Iterator[Finding]:
    history = History(os.fspath(root))
    head = history.head()
    if remote_head and head != remote_head:
        yield Finding(vault, f"its files are at {head[:12]}, its remote at {remote_head[:12]}")
    if paths := not_committed(history):
        waiting = f"files at home that are not committed yet: {', '.join(paths[:3])}"
        yield Finding(vault, waiting, is_wrong=False)
    for branch in branches(history, UNSENT):
        name = branch.ref.removeprefix("refs/heads/")
        unsent = f"on the branch {name} is what was not sent when it was taken over"
        yield Finding(vault, unsent, is_wrong=False)
