"""Shadows: vaults at home on other nodes, read from PostgreSQL, each in a folder with nothing but its published files."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memoryclaw import config as settings
from memoryclaw.app import App
from memoryclaw.errors import VaultError
from memoryclaw.index.sync import Freshness
from memoryclaw.vault import files
from memoryclaw.vault.layout import CONFIG_FILE
from memoryclaw_fleet.open_vaults import OpenVaults, open_app
from memoryclaw_fleet.store import Fleet, checked_name


class _Published(NamedTuple):
    """What a shadow holds."""

    number: int  # of the index
    synced: datetime
    paths: frozenset[str]


class Shadows:
    """The shadows of a node.

    Args:
        folder: holds one folder for each vault that was ever read here.
        reads: the same, or a copy that takes no writes: the vaults are read from it.
    """

    def __init__(self, folder: Path, fleet: Fleet, reads: Fleet, vaults: OpenVaults) -> None:
        self._folder, self._fleet, self._reads, self._vaults = folder, fleet, reads, vaults
        self._turns: dict[str, threading.Lock] = {}
        self._published: dict[str, _Published] = {}

    @contextmanager
    def opened(self, vault: str, audience: str) -> Iterator[App]:
        """Any vault, to be read from PostgreSQL alone; its answers say how far behind they may be.

        Raises:
            NotFoundError: there is no such vault.
            VaultError: nothing of it was indexed yet, or not for this audience.
        """
        root = self._folder / checked_name(vault)
        with self._turns.setdefault(vault, threading.Lock()):
            self._refresh(vault, root)
        with self._vaults.lent(
            root, lambda: open_app(self._reads, root, vault, kept=lambda: self._lag(vault))
        ) as app:
            yield app.seen_by(audience)

    def _refresh(self, vault: str, root: Path) -> None:
        """Brings the published files here, if there are others than last time."""
        state = self._reads.home_of(vault)
        if state.number is None or state.synced is None:
            raise VaultError(f"the vault {vault!r} was not indexed by its home yet; ask again later")
        before = self._published.get(vault)
        if before is not None and before[:2] == (state.number, state.synced):
            return
        if (
            before is None or before.number != state.number
        ):  # of an earlier process, or a vault that was dropped
            self._vaults.close(root)
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir(0o700, parents=True)
        place, published = os.fspath(root), self._reads.published(state.number)
        for path, data in sorted(published.items(), key=lambda entry: entry[0] != CONFIG_FILE):
            if (digest := files.digest_at(place, path)) != files.digest_of(data):
                files.write_file(place, path, data, digest)
            if path == CONFIG_FILE:
                settings.load(root)  # says where the folders are
        for path in before.paths - published.keys() if before else ():
            if digest := files.digest_at(place, path):
                files.remove_file(place, path, digest)
        self._published[vault] = _Published(state.number, state.synced, frozenset(published))

    def _lag(self, vault: str) -> Freshness:
        state = self._fleet.home_of(vault)
        if self._reads is not self._fleet and self._reads.home_of(vault).synced != state.synced:
            return Freshness(0, "the replica that this node reads has not heard of the last write yet")
        if state.is_up:
            return Freshness()
        if not state.node:
            return Freshness(
                0, "the vault has no home now; what its last one wrote at the end may be missing"
            )
        return Freshness(0, f"home node {state.silence}; what it wrote at the end may be missing")
