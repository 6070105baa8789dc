"""What a daemon leaves for its clients in the state folder: a token and an address. The rule: nobody but its owner reads them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from pathlib import Path
from typing import Any

from memoryclaw.adapters.statefolder import made, put
from memoryclaw.core.errors import VaultError

TOKEN, ADDRESS = "token", "serve.json"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43,200}")
_BYTES = 32


class DaemonFiles:
    """The files of one daemon, written when it begins and again whenever they are gone.

    Args:
        state: the state folder of the vault; it is closed to everybody else.

    Raises:
        VaultError: the folder is not ours, or cannot be made.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._address: bytes = b""
        self._closed()
        self.token = self._kept_token() or _minted()
        self._put_token()

    def announce(self, address: dict[str, Any]) -> None:
        """Tells clients where the daemon listens."""
        self._address = json.dumps(address).encode() + b"\n"
        self._put(ADDRESS, self._address)

    def keep(self) -> None:
        """Writes again what somebody has taken away; the token stays the one that clients know."""
        if not self._state.parent.is_dir():
            return
        if self._kept_token() != self.token:
            self._closed()
            self._put_token()
        if self._address and not self._is_ours():
            self._put(ADDRESS, self._address)

    def withdraw(self) -> None:
        """Takes the address away, unless another daemon has put its own there."""
        if self._is_ours():
            with contextlib.suppress(OSError):
                os.unlink(self._state / ADDRESS)
        self._address = b""

    def _closed(self) -> None:
        try:
            made(self._state)
            found = os.stat(self._state)
            if found.st_uid != os.geteuid():
                raise VaultError(
                    f"{self._state} belongs to another user, who could read the token; make it your own, or delete it"
                )
            if stat.S_IMODE(found.st_mode) != 0o700:
                os.chmod(self._state, 0o700)
        except OSError as error:
            raise VaultError(
                f"{self._state} cannot be made private ({error.strerror}), so no token can be kept there"
            ) from error

    def _kept_token(self) -> str:
        """The token on the disk, if it is one, is ours, and nobody else could have read it."""
        try:
            handle = os.open(self._state / TOKEN, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return ""
        with open(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
                return ""
            if stat.S_IMODE(found.st_mode) & 0o177:
                return ""
            text = file.read(300).decode("ascii", "replace").strip()
        return text if _TOKEN.fullmatch(text) else ""

    def _put_token(self) -> None:
        if self._kept_token() == self.token:
            return
        self._put(TOKEN, f"{self.token}\n".encode())

    def _put(self, name: str, data: bytes) -> None:
        try:
            put(self._state, name, data)
        except OSError as error:
            raise VaultError(f"{self._state / name} cannot be written ({error.strerror})") from error

    def _is_ours(self) -> bool:
        try:
            return (self._state / ADDRESS).read_bytes() == self._address
        except OSError:
            return False


def _minted() -> str:
    import secrets  # noqa: PLC0415 - only where there is no token yet

    return secrets.token_urlsafe(_BYTES)
