"""OpenClaw's configuration on the disk, and what we wrote down of our changes to it. The rule: the file is replaced whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memoryclaw.adapters import files
from memoryclaw.core.errors import ConfigError, MemoryClawError
from memoryclaw.core.openclaw.installing import Step, as_record, from_record
from memoryclaw.core.openclaw.json5 import parse, plain

_FOLDER = "openclaw"


class Record(NamedTuple):
    """What an install left behind to be undone: for which vault, the steps, and the copy of the file as it was."""

    vault: str = ""
    steps: tuple[Step, ...] = ()
    backup: str = ""


def config_path(given: str, environ: Mapping[str, str]) -> str:
    """The file as given, as OpenClaw's own variables say, else where OpenClaw keeps it."""
    home = environ.get("HOME") or os.path.expanduser("~")
    state = environ.get("OPENCLAW_STATE_DIR") or os.path.join(home, ".openclaw")
    chosen = given or environ.get("OPENCLAW_CONFIG_PATH") or os.path.join(state, "openclaw.json")
    return os.path.abspath(os.path.expanduser(chosen))


class HostConfig:
    """One configuration file.

    Args:
        path: of the file; a link is followed, so that a folder of dotfiles keeps its links.
        records: the folder of our own records, which is the user's and no vault's.
    """

    def __init__(self, path: str, records: str) -> None:
        self.path = path
        self._folder, self._name = os.path.split(os.path.realpath(path))
        self._records = records
        self._record = (
            f"{_FOLDER}/{hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:16]}.json"
        )

    def read(self) -> str:
        """The text; bytes that are no UTF-8 survive being written again.

        Raises:
            ConfigError: there is none.
        """
        if not os.path.lexists(os.path.join(self._folder, self._name)):
            raise ConfigError(
                f"there is no OpenClaw configuration at {self.path}; install OpenClaw and run `openclaw setup` first, "
                "or name the file with --config"
            )
        return files.read_file(self._folder, self._name).data.decode("utf-8", "surrogateescape")

    def values(self, text: str) -> dict[str, Any]:
        """What the text says.

        Raises:
            ConfigError: it is no JSON5.
        """
        try:
            found = plain(parse(text))
        except ConfigError as error:
            raise ConfigError(f"{self.path}: {error}") from None
        return found if isinstance(found, dict) else {}

    def write(self, before: str, after: str) -> None:
        """Puts one text in the place of another, if it is still there."""
        files.write_file(self._folder, self._name, _bytes(after), files.digest_of(_bytes(before)))

    def back_up(self, text: str, now: datetime) -> str:
        """Keeps a copy beside the file, as private as the file; returns its path."""
        name = f"{self._name}.before-memoryclaw-{now:%Y%m%dT%H%M%SZ}"
        if not files.exists(self._folder, name):
            files.write_file(self._folder, name, _bytes(text), None)
        return os.path.join(self._folder, name)

    def discard_backup(self, path: str, text: str) -> bool:
        """Removes a copy that says what the file says again; whether it is gone."""
        folder, name = os.path.split(path)
        digest = files.digest_of(_bytes(text))
        if folder != self._folder or not name or files.digest_at(folder, name) != digest:
            return False
        files.remove_file(folder, name, digest)
        return True

    def record(self) -> Record | None:
        """What was written down of an install; None where nothing is, or nothing that can be read."""
        try:
            kept = json.loads(files.read_file(self._records, self._record).data)
            return Record(str(kept["vault"]), tuple(map(from_record, kept["steps"])), str(kept["backup"]))
        except (MemoryClawError, OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, vault: str, steps: Sequence[Step], backup: str) -> None:
        """Writes down what an install did."""
        os.makedirs(self._records, 0o700, exist_ok=True)
        kept = {
            "config": self.path,
            "vault": vault,
            "backup": backup,
            "steps": [as_record(step) for step in steps],
        }
        data = json.dumps(kept, indent=1).encode()
        files.write_file(self._records, self._record, data, files.digest_at(self._records, self._record))

    def drop_record(self) -> None:
        """Forgets an install that is undone."""
        if digest := files.digest_at(self._records, self._record):
            files.remove_file(self._records, self._record, digest)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
