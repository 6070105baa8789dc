"""Which commands may read conversations: a person agrees to each once, by its exact words, for all vaults."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memoryclaw.errors import NotFoundError, VaultError
from memoryclaw.text.encoding import json_object
from memoryclaw.vault import files
from memoryclaw.vault.layout import timestamp

NAME = "agreed.jsonl"  # in the user's own folder: a vault can agree to nothing


def is_agreed(folder: Path, words: Sequence[str]) -> bool:
    """True if a person has agreed to exactly this command."""
    lines = list[str]()
    with suppress(NotFoundError, VaultError, OSError):  # what cannot be read agrees to nothing
        lines = files.read_file(os.fspath(folder), NAME).data.decode("utf-8", "replace").splitlines()
    return any(json_object(line).get("digest") == digest_of(words) for line in lines)


def agree(folder: Path, words: Sequence[str], now: datetime) -> None:
    """Records that a person agrees to this command."""
    os.makedirs(folder, 0o700, exist_ok=True)
    line = {"at": timestamp(now), "command": list(words), "digest": digest_of(words)}
    with files.open_for_append(os.fspath(folder), NAME) as handle:
        os.write(handle, (json.dumps(line) + "\n").encode())


def digest_of(words: Sequence[str]) -> str:
    """The digest of a command: another one for every other word or order of words."""
    return hashlib.sha256(json.dumps(list(words)).encode()).hexdigest()
