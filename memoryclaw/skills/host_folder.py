"""The folder that hosts read skills from: copies, one folder a skill. The rule: a skill is swapped whole, and no link is followed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress

from memoryclaw.errors import NotFoundError, VaultError
from memoryclaw.vault import files
from memoryclaw.vault.locks import writer_lock
from memoryclaw.vault.state_folder import made

FOLDER = "host-skills"


class HostFolder:
    """The copies for hosts in one state folder.

    Args:
        state: the folder of what can be rebuilt.
    """

    def __init__(self, state: str) -> None:
        self._state = state
        self.path = os.path.join(state, FOLDER)

    def make(self) -> None:
        """Makes the folder, private to the user; what is no folder goes."""
        made(self._state)
        if os.path.lexists(self.path) and not _is_folder(self.path):
            os.unlink(self.path)
        with suppress(FileExistsError):
            os.mkdir(self.path, 0o700)

    def names(self) -> list[str]:
        """What lies in the folder, of whatever kind."""
        if not _is_folder(self.path):
            return []
        return sorted(os.listdir(self.path))

    def digests(self, name: str) -> dict[str, str] | None:
        """The digest of each file of a copy by its name inside it; None where something lies there that no copy holds."""
        top = os.path.join(self.path, name)
        if not _is_folder(self.path) or not _is_folder(top):
            return None
        found: dict[str, str] = {}
        for place, folders, names in os.walk(top):
            inside = os.path.relpath(place, top)
            if any(not _is_folder(os.path.join(place, folder)) for folder in folders):
                return None
            for file in names:
                at = os.path.normpath(f"{inside}/{file}")
                data = self.read(name, at)
                if data is None:
                    return None
                found[at] = files.digest_of(data)
        return found

    def read(self, name: str, inside: str) -> bytes | None:
        """The bytes of one file of a copy, or None where there is no regular file."""
        try:
            return files.read_file(self._state, f"{FOLDER}/{name}/{inside}").data
        except (NotFoundError, VaultError):
            return None

    def put(self, name: str, content: Mapping[str, bytes]) -> None:
        """Puts a copy in the place of what was there; a reader finds the old one or the new one, never a half."""
        beside = self._beside()
        try:
            for inside, data in content.items():
                _write(os.path.join(beside, "new", inside), data)
            with writer_lock(self.path):
                self._out(name, beside)
                os.rename(os.path.join(beside, "new"), os.path.join(self.path, name))
        finally:
            shutil.rmtree(beside)

    def keep(self, names: Collection[str]) -> None:
        """Removes everything but these."""
        gone = [name for name in self.names() if name not in names]
        if not gone:
            return
        beside = self._beside()
        try:
            with writer_lock(self.path):
                for name in gone:
                    self._out(name, beside)
        finally:
            shutil.rmtree(beside)

    def _beside(self) -> str:
        """A folder of our own on the same disk, with a place for what goes."""
        beside = tempfile.mkdtemp(prefix=f"{FOLDER}-", dir=self._state)
        os.mkdir(os.path.join(beside, "old"))
        return beside

    def _out(self, name: str, beside: str) -> None:
        """A rename takes it away at once, whatever it is, and looks into nothing."""
        with suppress(FileNotFoundError):
            os.rename(os.path.join(self.path, name), os.path.join(beside, "old", name))


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
