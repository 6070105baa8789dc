"""Brings the index in line with the files: compare stamps, read what differs, apply. The files always win."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

from memoryclaw.adapters.index import Index
from memoryclaw.adapters.vault import Scan, Vault
from memoryclaw.core.entities import key_of
from memoryclaw.core.model import Stamp
from memoryclaw.core.places import ALIASES_FILE, SCHEMA_FILE

Progress = Callable[[int, int], None]
SETTINGS_FILES = frozenset({ALIASES_FILE, SCHEMA_FILE})
Renamed = Callable[[str, str], None]


class Synced(NamedTuple):
    """What a sync did. Files that could not be read keep what the index knew of them."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unread: int = 0
    total: int = 0


class Behind(NamedTuple):
    """What differs between disk and index."""

    changed: list[str]
    removed: list[str]

    @property
    def count(self) -> int:
        """How many files differ."""
        return len(self.changed) + len(self.removed)


def compare(files: dict[str, Stamp], known: dict[str, Stamp]) -> Behind:
    """The paths whose stamps differ, and those that are gone from disk."""
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

    def run(self) -> Synced:
        """Walks the vault and applies every difference.

        Raises:
            VaultError: the walk did not see everything; nothing was changed.
            IndexBusyError: another process is writing the index.
        """
        return self.apply(*self.behind())

    def apply(self, behind: Behind, scan: Scan) -> Synced:
        """Applies the differences that `behind` found."""
        if SETTINGS_FILES.intersection(behind.changed) or SETTINGS_FILES.intersection(behind.removed):
            self._settings(scan)
            behind = compare(scan.files, self._index.stamps())
        if behind.count:
            return self._files(behind, scan)
        if sorted(scan.problems) != self._index.scan_problems():
            with self._index.writing() as work:
                work.scan_problems(scan.problems)
        return Synced(total=len(scan.files))

    def paths(self, paths: Iterable[str]) -> Synced:
        """Applies the differences of a few files; what a watcher calls on a hint."""
        stamps = {path: self._vault.stamp(path) for path in paths}
        if SETTINGS_FILES & stamps.keys():
            return self.run()
        files = {path: stamp for path, stamp in stamps.items() if stamp is not None}
        behind = Behind(list(files), [path for path, stamp in stamps.items() if stamp is None])
        return self._files(behind, Scan(files, [], [], {}), whole=False)

    def _files(self, behind: Behind, scan: Scan, *, whole: bool = True) -> Synced:
        from memoryclaw.jobs.filing import Filing  # noqa: PLC0415 - reading notes imports a YAML parser; most syncs read none

        gone = self._index.digests(behind.removed)
        filing = Filing(self._vault, self._index, scan.raw)
        filing.run(behind.changed, behind.removed, self._progress)
        for path, digest in gone.items():
            if self._renamed and digest in filing.new_digests:
                self._renamed(path, filing.new_digests[digest])
        if whole:
            with self._index.writing() as work:
                work.scan_problems([*scan.problems, *filing.unread])
        return Synced(filing.added, filing.changed, len(behind.removed), len(filing.unread), len(scan.files))

    def _settings(self, scan: Scan) -> None:
        from memoryclaw.core.vocabulary import read_aliases, read_schema  # noqa: PLC0415 - as above

        read = {path: self._vault.read(path) for path in SETTINGS_FILES if path in scan.files}
        texts = {path: found[0].decode("utf-8", "replace") for path, found in read.items() if found}
        aliases = read_aliases(texts.get(ALIASES_FILE, ""))
        collections = sorted(read_schema(texts.get(SCHEMA_FILE, "")).collections)
        with self._index.writing() as work:
            work.remove(list(SETTINGS_FILES))
            for path, found in read.items():
                if found:
                    work.settings_file(path, found[1], hashlib.sha256(found[0]).digest())
            work.aliases((key_of(word), synonym) for word, synonyms in aliases.items() for synonym in synonyms)
            work.collections(collections)
