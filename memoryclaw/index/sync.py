"""Brings the index in line with the files: compare stamps, read what differs, apply. The files always win."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memoryclaw import late
from memoryclaw.errors import IndexBusyError, IndexDamagedError, VaultError
from memoryclaw.index.index import Index
from memoryclaw.late import NamedTuple
from memoryclaw.model import Problem
from memoryclaw.ports import Progress
from memoryclaw.vault.folder import Scan, Vault, is_wanted
from memoryclaw.vault.layout import ALIASES_FILE, DECISIONS_FILE, SCHEMA_FILE
from memoryclaw.vault.permissions import carry
from memoryclaw.vault.state_folder import WAIT, echo

if TYPE_CHECKING:  # most processes do not stay
    from memoryclaw.vault.listener import Listener

SETTINGS_FILES = frozenset({ALIASES_FILE, SCHEMA_FILE, DECISIONS_FILE})
Renamed = Callable[[str, str], None]


_TOLD = 50  # paths that a sync tells of


class Synced(NamedTuple):
    """What a sync did. Files that could not be read keep what the index knew of them."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unread: int = 0
    total: int = 0
    racy: tuple[str, ...] = ()  # read so soon after their last change that they must be looked at once more
    paths: tuple[str, ...] = ()  # the files that were added, changed or removed, the first of them


class StaleFiles(NamedTuple):
    """What a sync looks at: files whose stamps differ from those in the index, and files that are gone."""

    changed: list[str]
    removed: list[str]

    @property
    def number(self) -> int:
        """How many files a sync looks at."""
        return len(self.changed) + len(self.removed)


def compare(files: dict[str, bytes], known: dict[str, bytes]) -> StaleFiles:
    """The paths whose stamps differ, and those that are gone from disk."""
    if files == known:
        return StaleFiles([], [])
    # In their order, so that what was said around a day stands together in the index, whatever order the disk has.
    changed = sorted(path for path, stamp in files.items() if known.get(path) != stamp)
    return StaleFiles(changed, [path for path in known if path not in files])


class Sync:
    """One vault and its index.

    Args:
        renamed: told the old and the new path of a file that was moved as it was.
    """

    def __init__(
        self, vault: Vault, index: Index, *, renamed: Renamed | None = None, progress: Progress | None = None
    ) -> None:
        self._vault = vault
        self._index = index
        self._renamed = renamed
        self._progress = progress
        self._odd_before: list[Problem] | None = None  # what the walk before the present one found odd

    def behind(self) -> tuple[StaleFiles, Scan]:
        """What a sync would have to do now, found without reading a single note."""
        scan = self._vault.scan()
        with self._index.database.reading():
            stamps, self._odd_before = self._index.stamps(), self._index.scan_problems()
        return compare(scan.files, stamps), scan

    def lag(self, behind: StaleFiles, scan: Scan) -> int:
        """How many of these files the index does not know as they are; only those with a doubtful stamp are read."""
        doubted = self._index.doubtful()
        paths = [path for path in behind.changed if path in doubted]
        return behind.number - sum(self._digest(path, scan.raw.get(path)) == doubted[path] for path in paths)

    def _digest(self, path: str, raw: bytes | None = None) -> bytes:
        """The digest of a file as it is; empty where it cannot be read."""
        with suppress(VaultError):
            content = self._vault.read(path, raw)
            return late.hashlib.sha256(content[0]).digest() if content else b""
        return b""

    def run(self) -> Synced:
        """Walks the vault and applies every difference.

        Raises:
            VaultError: the walk did not see everything; nothing was changed.
            IndexBusyError: another process is writing the index.
        """
        return self.apply(*self.behind())

    def apply(self, behind: StaleFiles, scan: Scan) -> Synced:
        """Applies the differences that `behind` found."""
        unread: list[Problem] = []
        if SETTINGS_FILES.intersection([*behind.changed, *behind.removed]):
            from memoryclaw.index.indexer import take_vocabulary  # noqa: PLC0415 - as below

            unread = take_vocabulary(self._vault, self._index, scan.files)
            stale = compare(scan.files, self._index.stamps())
            behind = StaleFiles(
                *(
                    [path for path in paths if path not in SETTINGS_FILES]
                    for paths in (stale.changed, stale.removed)
                )
            )
        if behind.number:
            synced = self._files(behind, scan, unread)
        else:
            self._odd([*scan.problems, *unread])
            synced = Synced(total=len(scan.files), unread=len(unread))
        self._index.database.rebuilt = False
        return synced

    def paths(self, paths: Collection[str], folders: Collection[str] = ()) -> Synced:
        """Applies the differences of a few files and of all below a few folders; what a watcher calls on a hint."""
        self._index.database.has_waited()  # who wrote has heard of the same files
        near = self._near(paths, folders)
        if near is None:
            return self.run()
        return self._files(*near, None) if near[0].number else Synced()

    def _near(self, paths: Collection[str], folders: Collection[str]) -> tuple[StaleFiles, Scan] | None:
        """What differs in one corner of the vault, or None when only a whole walk can tell."""
        odd_folder = not all(folder.isprintable() for folder in folders)
        if odd_folder or any(map(self._vault.is_odd, paths)):
            return None
        inside = tuple(f"{folder}/" for folder in folders)
        if any(p.path in paths or p.path.startswith(inside) for p in self._index.scan_problems()):
            return None
        files = self._vault.stamps(paths)
        for folder in folders:
            below = self._vault.scan(folder)
            if below.problems:
                return None
            files |= below.files
        stamps = self._index.stamps_near(paths, folders)
        if any(path not in files and path not in stamps and is_wanted(path) for path in paths):
            return None  # a note that neither was nor is there: the hint may have meant another folder
        behind = compare(files, stamps)
        if SETTINGS_FILES.intersection([*behind.changed, *behind.removed]):
            return None
        return behind, Scan(files, [], [], {})

    def _files(self, behind: StaleFiles, scan: Scan, unread: list[Problem] | None) -> Synced:
        from memoryclaw.index.indexer import Indexer  # noqa: PLC0415 - where a watcher keeps the index fresh, a search reads no note

        gone = self._index.digests(behind.removed)
        # A file that was moved as it was is in doubt where it is now, before anything of it is read.
        root = os.fspath(self._vault.root)
        in_doubt = {digest: path for path, digest in gone.items() if self._vault.doubts(path).pieces}
        for path in behind.changed if in_doubt else ():
            digest = self._digest(path)
            if digest and (old := in_doubt.get(digest)):  # of what cannot be read there is none
                with suppress(VaultError):
                    carry(root, old, path)
        indexer = Indexer(self._vault, self._index, scan.raw)
        indexer.run(behind.changed, behind.removed, self._progress)
        for path, digest in gone.items():
            if self._renamed and digest in indexer.new_digests:
                self._renamed(path, indexer.new_digests[digest])
        if unread is not None:
            indexer.unread += unread
            self._odd([*scan.problems, *indexer.unread])
        counts = indexer.added, indexer.changed, len(behind.removed), len(indexer.unread), len(scan.files)
        paths = [*indexer.paths, *behind.removed]
        return Synced(*counts, tuple(indexer.racy), tuple(paths[:_TOLD]))

    def _odd(self, problems: list[Problem]) -> None:
        earlier = self._index.scan_problems() if self._odd_before is None else self._odd_before
        self._odd_before = None
        if sorted(problems) != earlier:
            with self._index.writing() as writing:
                writing.scan_problems(problems)


_DOUBTFUL = b"?"


class Following(Sync):
    """Brings the index of what one audience sees in line with the index of everything, which tells it what changed.

    Args:
        whole: the index of everything.
    """

    def __init__(self, vault: Vault, index: Index, whole: Index, *, progress: Progress | None = None) -> None:
        super().__init__(vault, index, progress=progress)
        self._whole = whole

    def behind(self) -> tuple[StaleFiles, Scan]:
        """What differs between the two indexes."""
        # A doubtful stamp equals no other: the same file may be in doubt in both, with another text in each.
        files = {path: stamp or _DOUBTFUL for path, stamp in self._whole.stamps().items()}
        return compare(files, self._index.stamps()), Scan(files, [], [], {})

    def run(self) -> Synced:
        """Applies every difference, if there was any change since the last time."""
        edition = self._whole.edition()
        if self._index.followed_edition() == edition:
            return Synced()
        synced = super().run()
        with self._index.writing() as writing:
            writing.follow(edition)
        return synced


# Makes sure that an answer is as fresh as the files, or says how far behind it is. A doubt is never a deletion.

_T = TypeVar("_T")
_PAUSES = (0.02, 0.05, 0.1)  # seconds between tries while another process writes the index


class Freshness(NamedTuple):
    """How an answer relates to the files: how many of them the index does not know as they are, and why, in one sentence."""

    behind: int = 0
    degraded: str = ""


def fresh(
    sync: Sync,
    index: Index,
    state: Path,
    *,
    wait: float = WAIT,
    since: float | None = None,
    listener: Listener | None = None,
) -> Freshness:
    """Brings the index in line with the files, or relies on who heard what changed: a live watcher, or a listener.

    Args:
        state: the state folder, where a live watcher takes cookies.
        since: the moment, by the monotonic clock, whose files the answer must know; now when it is not given.
        listener: heard the walks of this `sync`, and knows what changed since the last.

    Raises:
        VaultError: there is nothing to answer from.
    """
    if _is_kept(index, lambda: echo(state, wait, since)):
        return Freshness()
    if listener and _is_kept(index, lambda: listener.hears() and _is_followed(sync, index, listener)):
        return Freshness()
    if listener:
        listener.begin()
    freshness = _patiently(lambda: healed(index, lambda: _synced(sync, index)))
    if listener and not freshness.degraded:
        listener.saw_all(index.doubtful())
    return freshness


def _patiently(work: Callable[[], _T]) -> _T:
    """Does something again a moment later while another process writes an index that holds nothing to answer from yet."""
    for pause in _PAUSES:
        with suppress(IndexBusyError):
            return work()
        time.sleep(pause)
    return work()


def healed(index: Index, work: Callable[[], _T]) -> _T:
    """Does something with the index; if that finds it damaged, does it once more with a new one (which is empty at first)."""
    try:
        with index.database.telling():
            return work()
    except IndexDamagedError:
        index.discard()
    with index.database.telling():
        return work()


def brought_up(following: Following, view: Index) -> Freshness:
    """Brings the index of one audience in line; while another process writes it, it answers as it is."""
    try:
        following.run()
    except IndexBusyError as error:
        if not view.followed_edition():
            raise  # nothing was ever read for it: an empty answer would be a wrong one
        lag = following.behind()[0].number
        return Freshness(lag, f"{error} ({_files(lag)} behind)")
    return Freshness()


def _is_kept(index: Index, is_in_line: Callable[[], bool]) -> bool:
    """True when this very index is in line, as whoever heard what changed says."""
    if not index.database.exists():
        return False
    with index.database.guarded():
        was_new = index.database.rebuilt
    return not was_new and is_in_line() and index.database.is_current()


def _is_followed(sync: Sync, index: Index, listener: Listener) -> bool:
    """True when the files that a listener heard of are in the index as they are."""
    try:
        with index.database.telling():
            synced = sync.paths(listener.pending) if listener.pending else Synced()
    except (IndexBusyError, IndexDamagedError, VaultError):  # a look at everything says what is wrong
        return False
    listener.pending = set(synced.racy)
    return True


def _synced(sync: Sync, index: Index) -> Freshness:
    try:
        behind, scan = sync.behind()
    except VaultError as error:
        if not index.database.exists() or not index.stamps():
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
