"""Makes sure that an answer is as fresh as the files, or says how far behind it is. The rule: a doubt is never a deletion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from memoryclaw.adapters.cookies import WAIT, echo
from memoryclaw.adapters.index import Index
from memoryclaw.core.errors import IndexBusyError, IndexDamagedError, VaultError
from memoryclaw.jobs.sync import Sync

_T = TypeVar("_T")


class Freshness(NamedTuple):
    """How an answer relates to the files: how many of them the index does not know as they are, and why, in one sentence."""

    behind: int = 0
    degraded: str = ""


def fresh(sync: Sync, index: Index, state: Path, *, wait: float = WAIT) -> Freshness:
    """Brings the index in line with the files, or relies on a live watcher that has done so.

    Args:
        sync: brings the index in line.
        index: what the answer will come from.
        state: the state folder, where a live watcher takes cookies.
        wait: seconds that the watcher is given.

    Raises:
        VaultError: there is nothing to answer from.
    """
    if _is_kept(index, state, wait):
        return Freshness()
    return healed(index, lambda: _synced(sync, index))


def healed(index: Index, work: Callable[[], _T]) -> _T:
    """Does something with the index; if that finds it damaged, does it once more with a new one (which is empty at first)."""
    try:
        with index.database.telling():
            return work()
    except IndexDamagedError:
        index.discard()
    with index.database.telling():
        return work()


def _is_kept(index: Index, state: Path, wait: float) -> bool:
    """True when a watcher keeps this very index, and has just said so."""
    if not index.database.path.exists():
        return False
    with index.database.guarded():
        was_new = index.database.rebuilt
    return not was_new and echo(state, wait) and index.database.is_current()


def _synced(sync: Sync, index: Index) -> Freshness:
    try:
        behind, scan = sync.behind()
    except VaultError as error:
        if not index.database.path.exists() or not index.stamps():
            raise
        return Freshness(0, str(error))
    try:
        sync.apply(behind, scan)
    except (IndexBusyError, VaultError) as error:
        lag = sync.lag(behind, scan)
        return Freshness(lag, f"{error} ({_files(lag)} behind)") if lag else Freshness()
    return Freshness()


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
