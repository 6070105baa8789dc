"""Reads changed files and puts them into the index, a bounded batch at a time; an unchanged digest costs no parsing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memoryclaw.adapters.index import Index, Writing
from memoryclaw.adapters.rows import Filed, is_racy
from memoryclaw.adapters.vault import Vault
from memoryclaw.core.errors import VaultError
from memoryclaw.core.model import Problem
from memoryclaw.core.notes import ReadingSettings, read_note
from memoryclaw.core.ports import Progress

TRANSACTION = 4096  # files per transaction: few commits, yet an interrupted build keeps most of its work
BATCH = 128  # files parsed at a time: this bounds the memory


class Filing:
    """One pass over changed files.

    Args:
        raw: true names of files whose names are not UTF-8.
    """

    def __init__(self, vault: Vault, index: Index, raw: dict[str, bytes]) -> None:
        self._vault = vault
        self._index = index
        self._raw = raw
        self._settings = ReadingSettings()
        self.added = 0
        self.changed = 0
        self.unread: list[Problem] = []
        self.racy: list[str] = []
        self.new_digests: dict[bytes, str] = {}

    def run(self, changed: Sequence[str], removed: Sequence[str], progress: Progress | None) -> None:
        """Applies all of it; every transaction leaves an index that is right for the files it covered."""
        for start in range(0, max(len(changed), 1), TRANSACTION):
            with self._index.writing() as work:
                # Asked inside the transaction: another process may have read another schema meanwhile.
                collections = self._index.collections()
                self._settings = ReadingSettings() if collections is None else ReadingSettings(collections)
                if start == 0:
                    work.remove([path for path in removed if self._is_gone(path)])
                for at in range(start, min(start + TRANSACTION, len(changed)), BATCH):
                    self._batch(changed[at : at + BATCH], work)
                    if progress:
                        progress(min(at + BATCH, len(changed)), len(changed))

    def _batch(self, paths: Sequence[str], work: Writing) -> None:
        known = self._index.digests(paths)
        read = [(path, self._filed(path, known, work)) for path in paths]
        work.put([filed for _, filed in read if isinstance(filed, Filed)])
        work.remove([path for path, filed in read if filed == "gone"])

    def _is_gone(self, path: str) -> bool:
        try:
            return self._vault.stamp(path) is None
        except VaultError:
            return False  # who knows; what the index has is kept

    def _filed(self, path: str, known: dict[str, bytes], work: Writing) -> Filed | str:
        try:
            found = self._vault.read(path, self._raw.get(path))
        except VaultError as error:
            self.unread.append(Problem(path, 1, str(error), "give yourself the right to read it"))
            return "unread"
        if found is None:
            return "gone"
        data, stamp = found
        digest = hashlib.sha256(data).digest()
        racy = is_racy(stamp)
        if racy:
            self.racy.append(path)
        if known.get(path) == digest:
            work.touch(path, stamp, racy=racy)
            return "same"
        self.added += path not in known
        self.changed += path in known
        self.new_digests[digest] = path
        return Filed(read_note(path, data, self._settings), stamp, digest, racy)
