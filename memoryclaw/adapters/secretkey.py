"""The key of the redaction fingerprints: made once, kept private to the user. The rule: no key is ever replaced."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

from memoryclaw.adapters import files
from memoryclaw.core.errors import ConflictError, NotFoundError, VaultError

NAME = "redaction.key"
_SIZE = 32


class SecretKey(NamedTuple):
    """The key, and one sentence where it could not be kept."""

    key: bytes
    notice: str = ""


def secret_key(folder: str) -> SecretKey:
    """The key kept in a folder; made there when there is none. Where it cannot be kept, one that lasts for this run."""
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        return SecretKey(_kept(folder))
    except (OSError, VaultError) as error:
        told = (
            f"{folder}/{NAME} cannot be used ({error}), so the fingerprints of this run will match no others"
        )
        return SecretKey(os.urandom(_SIZE), told)


def _kept(folder: str) -> bytes:
    try:
        return _read(folder)
    except NotFoundError:
        with suppress(ConflictError):  # another process may make it in this moment
            files.write_file(folder, NAME, os.urandom(_SIZE), None)
        return _read(folder)


def _read(folder: str) -> bytes:
    key = files.read_file(folder, NAME, limit=4096).data
    if len(key) < _SIZE:
        raise VaultError(f"{NAME} holds {len(key)} bytes and must hold {_SIZE}; remove it to get a new one")
    return key
