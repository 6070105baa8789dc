"""Takes the vault's own vocabulary (aliases.yaml, _schema.yaml) into the index. The rule: unreadable is not the same as empty."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import NamedTuple

from memoryclaw.adapters.index import Index, Writing
from memoryclaw.adapters.rows import is_racy
from memoryclaw.adapters.vault import Vault
from memoryclaw.core.entities import key_of
from memoryclaw.core.errors import VaultError
from memoryclaw.core.model import Problem, Stamp
from memoryclaw.core.places import ALIASES_FILE, SCHEMA_FILE
from memoryclaw.core.textfile import decode
from memoryclaw.core.vocabulary import read_aliases, read_schema, vocabulary_problems


class _Read(NamedTuple):
    """One of the two files; no stamp when it is not there."""

    text: str = ""
    digest: bytes = b""
    stamp: Stamp | None = None


def take_vocabulary(vault: Vault, index: Index, present: Collection[str]) -> list[Problem]:
    """Brings synonyms and collection headings up to date; returns what could not be read, which stays as it was."""
    read: dict[str, _Read] = {}
    unread: list[Problem] = []
    for path in (ALIASES_FILE, SCHEMA_FILE):
        try:
            read[path] = _read(vault, path) if path in present else _Read()
        except VaultError as error:
            unread.append(Problem(path, 1, str(error), "give yourself the right to read it"))
    with index.writing() as work:
        for path, found in read.items():
            _file(path, found, work)
    return unread


def _read(vault: Vault, path: str) -> _Read:
    found = vault.read(path)
    if found is None:
        return _Read()
    data, stamp = found
    return _Read(decode(data).text, hashlib.sha256(data).digest(), stamp)


def _file(path: str, found: _Read, work: Writing) -> None:
    work.remove([path])
    if found.stamp is not None:
        problems = vocabulary_problems(path, found.text)
        work.settings_file(path, found.stamp, found.digest, racy=is_racy(found.stamp), problems=problems)
    if path == ALIASES_FILE:
        aliases = read_aliases(found.text)
        work.aliases((key_of(word), synonym) for word, synonyms in aliases.items() for synonym in synonyms)
    else:
        work.collections(sorted(read_schema(found.text).collections))
