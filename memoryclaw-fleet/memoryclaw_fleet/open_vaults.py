"""The vaults of a fleet that are open on a node: with an index on PostgreSQL, permissions beside the tokens, and all that is written in git."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from memoryclaw import config as settings
from memoryclaw.app import App, track
from memoryclaw.index.index import fingerprint
from memoryclaw.index.sync import Freshness
from memoryclaw.review.machines import exchange
from memoryclaw.writing.context import WriteContext
from memoryclaw_fleet.handover import first_copy, new_copy
from memoryclaw_fleet.settings import SERVER
from memoryclaw_fleet.store import Fleet

_OPEN = 64  # vaults that are kept open


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


class FleetApp(App):
    """A vault of a fleet: what its node does with it besides the verbs."""

    def track(self) -> None:
        """Commits what logs and ledger gained."""
        track(os.fspath(self.root), self.config, self.clock)

    @property
    def wants_vectors(self) -> bool:
        """Whether the settings ask for vectors."""
        return self._context.wants_vectors

    def refresh(self) -> Freshness:
        """Brings the index of what the caller sees in line with the files, as every verb that reads does first."""
        self._context.read(lambda: None)
        return self._context.freshness

    def writing(self) -> WriteContext:
        """What writes in it."""
        return self._context.write_context()

    def copy(self) -> None:
        """Fetches what the fleet's own remote has."""
        exchange(self._context.write_context(), include_noexport=True, own=True)

    def stale(self) -> str:
        """How the index differs from one that is built anew from the files, in a few words; empty where it does not. Mends nothing."""
        with tempfile.TemporaryDirectory(prefix="memoryclaw-check-") as folder:
            fresh = self._context.build_in(Path(folder))
            try:
                paths = sorted({*fresh.stamps(), *self.index.stamps()})
                indexed, anew = self.index.digests(paths), fresh.digests(paths)
                differ = [path for path in paths if indexed.get(path) != anew.get(path)]
                if differ:
                    others = f" and {len(differ) - 3} more" if len(differ) > 3 else ""
                    return f"{', '.join(differ[:3])}{others}"
                same = fingerprint(fresh) == fingerprint(self.index)
                return "" if same else "rows of it are lost or changed"
            finally:
                fresh.database.close()


def clone(remote: str, folder: Path) -> None:
    """A new copy of what a remote has, in a folder that is not there yet."""
    new_copy(os.fspath(folder), remote)
    first_copy(os.fspath(folder))
    with FleetApp(folder) as app:
        app.copy()


def open_app(
    fleet: Fleet,
    root: Path,
    vault: str,
    *,
    kept: Callable[[], Freshness] | None = None,
    may: Callable[[Any], None] | None = None,
) -> FleetApp:
    """A vault with its index on PostgreSQL, and with all that is written in git.

    Args:
        kept: says how fresh the index is, of a vault that another node keeps.
        may: asked with the open transaction before the index is written; may raise.
    """
    prepared, most = fleet.server.how
    overrides: dict[str, Any] = {
        "engine": "postgres",
        "extra": {
            SERVER: fleet.server.url,
            "index.vault": vault,
            "index.prepared": prepared,
            "index.connections": most,
        },
        "track_logs": True,
        "track_ledger": True,
        "vault_id": "",  # of what tenants write: it must not lead to what the operator allows another vault
    }
    return FleetApp(root, overrides=overrides, kept=kept, may=may, permissions=_PermissionsOf(fleet, vault))


class _Idle(NamedTuple):
    """A vault that is open and lent to nobody."""

    root: Path
    app: FleetApp
    settings: settings.SettingsStamp


class OpenVaults:
    """Open vaults by their folders; one whose settings have changed is opened again."""

    def __init__(self) -> None:
        self._idle: list[_Idle] = []  # the one that was lent last stands last
        self._guard = threading.Lock()

    @contextmanager
    def lent(self, root: Path, open_app: Callable[[], FleetApp]) -> Iterator[FleetApp]:
        """An open vault, for the caller alone until the end of the block."""
        stamp = settings.stamp(root)  # before they are read
        with self._guard:
            position = next((n for n, idle in enumerate(self._idle) if idle.root == root), None)
            lent = self._idle.pop(position) if position is not None else None
        if lent is not None and lent.settings != stamp:
            lent.app.close()
            lent = None
        app = lent.app if lent is not None else open_app()
        try:
            yield app
        finally:
            with self._guard:
                self._idle.append(_Idle(root, app, stamp))
                surplus = self._idle[:-_OPEN] if len(self._idle) > _OPEN else []
                del self._idle[: len(surplus)]
            for idle in surplus:
                idle.app.close()

    def close(self, root: Path | None = None) -> None:
        """Closes what nobody has of one folder, or of all."""
        with self._guard:
            closed = [idle for idle in self._idle if root in (None, idle.root)]
            self._idle = [idle for idle in self._idle if idle not in closed]
        for idle in closed:
            idle.app.close()
