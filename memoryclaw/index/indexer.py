"""Reads changed files and puts them into the index, a bounded batch at a time; an unchanged digest costs no parsing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from memoryclaw.errors import VaultError
from memoryclaw.index.index import Index, IndexedNote, Writing, is_racy, stored_stamp
from memoryclaw.model import AGENT, OWNER, Problem, Stamp
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.language import key_of
from memoryclaw.vault.folder import Vault, doubts_in
from memoryclaw.vault.forgotten import ForgottenLines, standing_marks
from memoryclaw.vault.generated import own_words
from memoryclaw.vault.layout import ALIASES_FILE, DECISIONS_FILE, SCHEMA_FILE
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.permissions import permissions
from memoryclaw.vault.vocabulary import read_aliases, read_schema, vocabulary_problems

TRANSACTION = 8192  # files per transaction: few commits, yet an interrupted build keeps most of its work
BATCH = 128  # files parsed at a time: this bounds the memory
_SAME, _UNREAD = "same", "unread"  # of a file of which the index stays as it is


class _InLineError(Exception):
    """Another process has taken in meanwhile all that changed: a transaction rolled back leaves everybody what they know of the index."""


class Indexer:
    """One pass over changed files.

    Args:
        raw: true names of files whose names are not UTF-8.
    """

    def __init__(self, vault: Vault, index: Index, raw: dict[str, bytes]) -> None:
        self._vault = vault
        self._index = index
        self._raw = raw
        self._settings = ReadingSettings(labels=vault.labels, zone=vault.zone, journals=vault.journals)
        self.added = 0
        self.changed = 0
        self.unread: list[Problem] = []
        self.racy: list[str] = []
        self.paths: list[str] = []  # that were added or changed
        self.new_digests: dict[bytes, str] = {}
        self._stamps: Mapping[str, bytes] = {}  # of the present batch, as the index has them

    def run(self, changed: Sequence[str], removed: Sequence[str], progress: Progress | None) -> None:
        """Applies all of it; every transaction leaves an index that is right for the files it covered."""
        for start in range(0, max(len(changed), 1), TRANSACTION):
            idle = not removed
            with suppress(_InLineError), self._index.writing() as writing:
                # Asked inside the transaction: another process may have read another schema meanwhile.
                self._settings = settings_of(self._index, self._settings)
                if start == 0:
                    writing.remove([path for path in removed if self._is_gone(path)])
                for start_of_batch in range(start, min(start + TRANSACTION, len(changed)), BATCH):
                    paths = changed[start_of_batch : start_of_batch + BATCH]
                    digests, self._stamps = self._index.digests(paths), self._index.stamps_near(paths, ())
                    filed = {path: self._filed(path, digests, writing) for path in paths}
                    writing.put([note for note in filed.values() if isinstance(note, IndexedNote)])
                    writing.remove([path for path, note in filed.items() if note == "gone"])
                    idle = idle and all(note in (_SAME, _UNREAD) for note in filed.values())
                    if progress:
                        progress(min(start_of_batch + BATCH, len(changed)), len(changed))
                if idle:
                    raise _InLineError

    def _is_gone(self, path: str) -> bool:
        try:
            return self._vault.stamp(path) is None
        except VaultError:
            return False  # who knows; what the index has is kept

    def _filed(self, path: str, known: dict[str, bytes], work: Writing) -> IndexedNote | str:
        stored = self._stamps.get(path, b"")
        try:
            if stored and stored == self._vault.stamp(path):
                return _SAME
            content = self._vault.look(path, self._raw.get(path))
        except VaultError as error:
            self.unread.append(Problem(path, 1, str(error), "check its permissions"))
            return _UNREAD
        if content is None:
            return "gone"
        data, stamp = content
        if data is None:
            work.hide(path, stamp, b"hidden", racy=is_racy(stamp))
            return "hidden"
        digest = hashlib.sha256(data).digest()
        racy = is_racy(stamp)
        if racy:
            self.racy.append(path)
        if known.get(path) == digest and doubts_in(stored) == stamp.doubts:
            if stored == stored_stamp(stamp, racy):
                return _SAME
            work.touch(path, stamp, racy=racy)
            return "touched"
        self.added += path not in known
        self.changed += path in known
        self.new_digests[digest] = path
        self.paths.append(path)
        words = own_words(path, data)
        if words is None:  # a page that repeats what stands elsewhere
            work.hide(path, stamp, digest, racy=racy)
            return "hidden"
        partial = int(self._vault.audience == OWNER and self._vault.is_partial(path, words, AGENT))
        settings = self._settings._replace(doubts=self._vault.doubts(path))
        return IndexedNote(read_note(path, words, settings), stamp, digest, racy, partial)


def settings_of(index: Index, settings: ReadingSettings) -> ReadingSettings:
    """These settings, with the collections and the forgotten lines that an index knows."""
    collections, forgotten = index.collections(), ForgottenLines.of(index.forgotten())
    known = settings.collections if collections is None else collections
    return settings._replace(forgotten=forgotten, collections=known)


# Takes into the index what the reading of other files depends on: the vault's own vocabulary (aliases.yaml, _schema.yaml) and the
# lines that people took out of every answer (decisions.jsonl). Unreadable is not the same as empty.


def take_vocabulary(vault: Vault, index: Index, present: Collection[str]) -> list[Problem]:
    """Brings synonyms, collection headings and forgotten lines up to date; returns what could not be read, which stays as it was."""
    read: dict[str, tuple[bytes, Stamp] | None] = {}
    unread: list[Problem] = []
    for path in (ALIASES_FILE, SCHEMA_FILE, DECISIONS_FILE):
        # What was forgotten is so for everybody, whoever may see the file that says it.
        seen = Vault(vault.root) if path == DECISIONS_FILE else vault
        try:
            read[path] = seen.read(path) if path in present else None
        except VaultError as error:
            unread.append(Problem(path, 1, str(error), "check its permissions"))
    permitted = permissions(os.fspath(vault.root))
    with index.writing() as writing:
        for path, content in read.items():
            writing.remove([path])
            text = readable(decode(content[0]).text) if content else ""
            if content:
                problems = () if path == DECISIONS_FILE else vocabulary_problems(path, text)
                digest, stamp = hashlib.sha256(content[0]).digest(), content[1]
                writing.settings_file(path, stamp, digest, racy=is_racy(stamp), problems=problems)
            if path == ALIASES_FILE:
                aliases = read_aliases(text).items()
                writing.aliases((key_of(word), synonym) for word, synonyms in aliases for synonym in synonyms)
            elif path == DECISIONS_FILE:
                writing.forgotten(standing_marks(text, permitted))
            else:
                schema = read_schema(text)
                writing.collections(sorted(schema.collections))
                declared = schema.fields.items()
                writing.spans({field: rules.verify for field, rules in declared if rules.verify})
    return unread
