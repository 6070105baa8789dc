"""A vault with its index, as tests of the index keep it, and the fingerprint of one built from nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from memoryclaw.index.index import Index, fingerprint, open_index
from memoryclaw.index.stemming import language
from memoryclaw.index.sync import Renamed, Sync
from memoryclaw.index.watching import Watching, WatchReport
from memoryclaw.model import Stamp
from memoryclaw.ports import IndexClause
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import STATE_DIR
from memoryclaw.vault.state_folder import echo, watcher

LONG = 60.0  # seconds that a test waits for what a quick machine does in a moment, before it gives up


class Kept(NamedTuple):
    """A vault, its index, and what keeps them in line."""

    vault: Vault
    index: Index
    sync: Sync
    state: Path

    def paths_with(self, word: str) -> list[str]:
        """The paths of the notes that hold a word."""
        hits = self.index.engine.find(IndexClause("token", self.index.language.tokens(word)[0]), 1000)
        rows = [hit.rowid for hit in hits]
        with self.index.database.guarded() as connection:
            return sorted(
                connection.execute("select path from units where rowid = ?", (r,)).fetchone()[0] for r in rows
            )

    def mark(self) -> str:
        """The fingerprint of the index as it is."""
        return fingerprint(self.index)

    def close(self) -> None:
        """Closes the index."""
        self.index.database.close()


def kept(root: Path, state: Path | None = None) -> Kept:
    """The vault at a path, with its index or one in another place."""
    vault, state = Vault(root), state or root / STATE_DIR
    index = open_index(state, engine="fts5", language=language("en"))
    return Kept(vault, index, Sync(vault, index), state)


def forget_stamps(own: Kept) -> None:
    """Leaves the index as a sync does that read every file within the same tick of the clock as its last change."""
    files = own.index.stamps()
    with own.index.writing() as work:
        for path in files:
            work.touch(path, Stamp(0, 0, 0, 0), racy=True)


def rebuilt(root: Path) -> str:
    """The fingerprint of an index of this vault that is built from nothing."""
    folder = Path(tempfile.mkdtemp(prefix="rebuilt-"))
    fresh = kept(root, folder)
    try:
        fresh.sync.run()
        return fresh.mark()
    finally:
        fresh.close()
        shutil.rmtree(folder)


class Watched(NamedTuple):
    """A running watch with all that it said."""

    watching: Watching
    reports: list[WatchReport]
    thread: threading.Thread

    def says(self, kind: str) -> WatchReport:
        """The first report of a kind; waits for it."""
        return until(lambda: next((r for r in list(self.reports) if r.kind == kind), None))


@contextlib.contextmanager
def watched(
    root: Path,
    *,
    reconcile: float = 300.0,
    poll: float = 0.1,
    renamed: Renamed | None = None,
    hear: Callable[[WatchReport], object] = lambda _: None,
) -> Iterator[Watched]:
    """A watch in a thread of its own, with a connection of its own; `hear` is called in that thread with every report."""
    own = kept(root)
    reports: list[WatchReport] = []
    sync = Sync(own.vault, own.index, renamed=renamed)

    def tell(report: WatchReport) -> None:
        reports.append(report)
        hear(report)

    watching = Watching(sync, own.vault, own.index, own.state, tell=tell, reconcile=reconcile, poll=poll)
    thread = threading.Thread(target=watching.run, daemon=True)
    thread.start()
    try:
        until(lambda: any(report.kind == "started" for report in list(reports)))
        yield Watched(watching, reports, thread)
    finally:
        watching.stop()
        thread.join(LONG)
        own.close()


def echoed(state: Path) -> None:
    """Returns when the watcher has said that everything up to now is in the index."""
    until(lambda: echo(state, 0.5))


def environment() -> dict[str, str]:
    """The environment of a process that builds on this module."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")]),
    }


def is_live(root: Path) -> bool:
    """True while a watcher takes cookies."""
    return watcher(root / STATE_DIR)[1] == "live"


def until(asked, seconds: float = LONG):
    """The first truth that a question gets; fails when none comes, which no machine is too slow for."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = asked()
        if answer:
            return answer
        time.sleep(0.003)
    raise AssertionError("it did not happen in time")
