"""Every read is fresh: what differs on disk is indexed first, or the answer says how far behind it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from memoryclaw.adapters.index import Index
from memoryclaw.core.errors import IndexBusyError, IndexDamagedError
from memoryclaw.jobs.sync import Sync

T = TypeVar("T")


class Freshness(NamedTuple):
    """How far an answer may be behind the files, and why; zero and empty when it is not."""

    behind: int = 0
    degraded: str = ""


def fresh(sync: Sync, index: Index) -> Freshness:
    """Scans, and indexes what differs."""
    behind, scan = healed(index, sync.behind)
    if not behind.count:
        return Freshness()
    try:
        healed(index, lambda: sync.apply(behind, scan), again=sync.run)
    except IndexBusyError as error:
        return Freshness(behind.count, str(error))
    return Freshness()


def healed(index: Index, verb: Callable[[], T], *, again: Callable[[], object] | None = None) -> T:
    """Does something with the index; a damaged index is thrown away, built again by `again`, and asked once more."""
    try:
        return verb()
    except IndexDamagedError:
        index.discard()
        if again is not None:
            again()
        return verb()
