"""The gate of secrets with this user's key, for whoever writes or answers. A key is made with the first secret, not before."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from memoryclaw import config
from memoryclaw.errors import ConflictError, NotFoundError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.text.prompts import one_line
from memoryclaw.text.redaction import RedactionGate
from memoryclaw.vault import files


def secret_gate(*, as_is: bool = False) -> RedactionGate:
    """A gate for one verb."""
    return RedactionGate(lambda: secret_key(os.fspath(config.own_folder(os.environ))).key, as_is=as_is)


def without_secrets(sentence: str, *given: Any) -> str:
    """The sentence as an answer to a request: one line, without a secret in it or the beginning of one that was given.

    Args:
        given: what came in with the request: texts, bytes of JSON, values.
    """
    return secret_gate().sentence(one_line(sentence), *given)


# The key of the redaction fingerprints: made once, kept private to the user. No key is ever replaced.

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
        notice = (
            f"{folder}/{NAME} cannot be used ({error}), so the fingerprints of this run will match no others"
        )
        return SecretKey(os.urandom(_SIZE), notice)


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
