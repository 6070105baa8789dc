"""Brings the index in line with the files: compare stamps, read what differs, apply. The files always win."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

from memoryclaw.adapters.index import Index
from memoryclaw.adapters.vault import Scan, Vault, is_wanted
from memoryclaw.core.errors import VaultError
from memoryclaw.core.model import Problem
from memoryclaw.core.places import ALIASES_FILE, SCHEMA_FILE
from memoryclaw.core.ports import Progress

SETTINGS_FILES = frozenset({ALIASES_FILE, SCHEMA_FILE})
Renamed = Callable[[str, str], None]


class Synced(NamedTuple):
    """What a sync did. Files that could not be read keep what the index knew of them."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unread: int = 0
    total: int = 0
    racy: tuple[str, ...] = ()  # read so soon after their last change that they must be looked at once more


@dataclass(frozen=True, slots=True)
class Behind:
    """What a sync looks at: files whose stamps differ from those in the index, and files that are gone."""

    changed: list[str]
    removed: list[str]

    @property
    def count(self) -> int:
        """How many files a sync looks at."""
        return len(self.changed) + len(self.removed)


def compare(files: dict[str, bytes], known: dict[str, bytes]) -> Behind:
    """The paths whose stamps differ, and those that are gone from disk."""
    if files == known:
        return Behind([], [])
    changed = [path for path, stamp in files.items() if known.get(path) != stamp]
    return Behind(changed, [path for path in known if path not in files])


class Sync:
    """One vault and its index.

    Args:
        renamed: told the old and the new path of a file that was moved as it was.
        progress: told (done, total) after each batch of files.
    """

    def __init__(
        self, vault: Vault, index: Index, *, renamed: Renamed | None = None, progress: Progress | None = None
    ) -> None:
        self._vault = vault
        self._index = index
        self._renamed = renamed
        self._progress = progress

    def behind(self) -> tuple[Behind, Scan]:
        """What a sync would have to do now, found without reading a single note."""
        scan = self._vault.scan()
        return compare(scan.files, self._index.stamps()), scan

    def lag(self, behind: Behind, scan: Scan) -> int:
        """How many of these files the index does not know as they are; only those with a doubtful stamp are read."""
        doubted = self._index.doubted()
        return behind.count - sum(
            self._holds(path, doubted[path], scan) for path in behind.changed if path in doubted
        )

    def _holds(self, path: str, digest: bytes, scan: Scan) -> bool:
        try:
            found = self._vault.read(path, scan.raw.get(path))
        except VaultError:
            return False
        return found is not None and hashlib.sha256(found[0]).digest() == digest

    def run(self) -> Synced:
        """Walks the vault and applies every difference.

        Raises:
            VaultError: the walk did not see everything; nothing was changed.
            IndexBusyError: another process is writing the index.
        """
        return self.apply(*self.behind())

    def apply(self, behind: Behind, scan: Scan) -> Synced:
        """Applies the differences that `behind` found."""
        unread: list[Problem] = []
        if SETTINGS_FILES.intersection([*behind.changed, *behind.removed]):
            unread = self._settings(scan)
            behind = _but_settings(compare(scan.files, self._index.stamps()))
        if behind.count:
            done = self._files(behind, scan, unread)
        else:
            self._odd([*scan.problems, *unread])
            done = Synced(total=len(scan.files), unread=len(unread))
        self._index.database.rebuilt = False
        return done

    def paths(self, paths: Collection[str], folders: Collection[str] = ()) -> Synced:
        """Applies the differences of a few files and of all below a few folders; what a watcher calls on a hint."""
        near = self._near(paths, folders)
        if near is None:
            return self.run()
        return self._files(*near, None) if near[0].count else Synced()

    def _near(self, paths: Collection[str], folders: Collection[str]) -> tuple[Behind, Scan] | None:
        """What differs in one corner of the vault, or None when only a whole walk can tell."""
        odd_folder = not all(folder.isprintable() for folder in folders)
        if odd_folder or any(map(self._vault.is_odd, paths)) or self._is_known_odd(paths, folders):
            return None
        files = {path: stamp for path in paths if (stamp := self._vault.stamp(path)) is not None}
        for folder in folders:
            below = self._vault.scan(folder)
            if below.problems:
                return None
            files |= below.files
        known = self._index.stamps_near(paths, folders)
        if any(path not in files and path not in known and is_wanted(path) for path in paths):
            return None  # a note that neither was nor is there: the hint may have meant another folder
        behind = compare(files, known)
        if SETTINGS_FILES.intersection([*behind.changed, *behind.removed]):
            return None
        return behind, Scan(files, [], [], {})

    def _is_known_odd(self, paths: Collection[str], folders: Collection[str]) -> bool:
        inside = tuple(f"{folder}/" for folder in folders)
        return any(p.path in paths or p.path.startswith(inside) for p in self._index.scan_problems())

    def _files(self, behind: Behind, scan: Scan, unread: list[Problem] | None) -> Synced:
        from memoryclaw.jobs.filing import Filing  # noqa: PLC0415 - reading notes imports a YAML parser; most syncs read none

        gone = self._index.digests(behind.removed)
        filing = Filing(self._vault, self._index, scan.raw)
        filing.run(behind.changed, behind.removed, self._progress)
        for path, digest in gone.items():
            if self._renamed and digest in filing.new_digests:
                self._renamed(path, filing.new_digests[digest])
        if unread is not None:
            filing.unread += unread
            self._odd([*scan.problems, *filing.unread])
        counts = filing.added, filing.changed, len(behind.removed), len(filing.unread), len(scan.files)
        return Synced(*counts, tuple(filing.racy))

    def _odd(self, problems: list[Problem]) -> None:
        if sorted(problems) != self._index.scan_problems():
            with self._index.writing() as work:
                work.scan_problems(problems)

    def _settings(self, scan: Scan) -> list[Problem]:
        """Reads the vault's own vocabulary; a file that cannot be read leaves what was known of it."""
        from memoryclaw.jobs.vocabulary import take_vocabulary  # noqa: PLC0415 - as above

        return take_vocabulary(self._vault, self._index, scan.files)


def _but_settings(behind: Behind) -> Behind:
    return Behind(
        *([p for p in paths if p not in SETTINGS_FILES] for paths in (behind.changed, behind.removed))
    )
