"""Asks the daemon of a vault, if one runs. The token is sent only to the process that watches this very vault.

No answer is no failure: the caller then does the work itself, with the same result. It imports next to nothing, because
whoever asks here wants an answer sooner than the program could work it out.
"""

from __future__ import annotations

import _socket  # the module around it costs a tenth of the whole question
import contextlib
import json
import os
import re
import signal
import stat
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from memoryclaw import late
from memoryclaw.errors import LockedError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.vault.state_folder import make_private_folder, state_folder, watcher, write_private
from memoryclaw.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

# The only addresses a token is sent to, and their families.
_LOOPBACK = {"127.0.0.1": _socket.AF_INET, "::1": _socket.AF_INET6}
_MOST_BYTES = 64 * 1024 * 1024
_HEAD = 64 * 1024
_FILE = 4096
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class _Address(NamedTuple):
    host: str
    port: int
    token: str


class _NoAnswer(Exception):  # noqa: N818 - it is the ordinary case, and nobody outside hears of it
    """There is no daemon, or none that can be trusted, or it did not answer in time."""


def ask(
    state: str, method: str, path: str, body: Any = None, timeout: float = 2.0, *, audience: str = "agent"
) -> Any | None:
    """What the daemon answers, or None: there is none, it has another version or clock, it refuses, or takes longer than `timeout` seconds.

    Args:
        audience: for whom it is asked; there are tokens of the owner and of the agent.
    """
    try:
        address = _address(state, TOKENS.get(audience, ""))
        with _Connection(address, time.monotonic() + timeout) as line:
            return line.ask(method, path, body)
    except (_NoAnswer, OSError, ValueError, RecursionError):
        return None


def ask_daemon(
    root: str, method: str, path: str, body: Any = None, timeout: float = 2.0, *, audience: str = "agent"
) -> dict[str, Any] | None:
    """The JSON object that the daemon of a vault answers, or None where there is none or it does not."""
    answer = ask(state_folder(root), method, path, body, timeout, audience=audience)
    return answer if isinstance(answer, dict) else None


def query_of(asked: Mapping[str, object]) -> str:
    """`?q=oat%20milk&limit=3`: what a GET asks for, without what is empty."""
    pairs = (f"{key}={_escape(str(value))}" for key, value in asked.items() if value not in (None, ""))
    return f"?{'&'.join(pairs)}"


def _escape(text: str) -> str:
    data = text.encode("utf-8", "replace")
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in data)


def root_of(vault: str | None) -> str:
    """The vault's folder, as every verb finds it."""
    chosen = vault or os.environ.get("MEMORYCLAW_VAULT")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    from memoryclaw import config  # noqa: PLC0415 - it costs more than to ask a daemon

    return os.fspath(config.find_root(None, os.environ, config.here()))


def _address(state: str, token_file: str) -> _Address:
    if not token_file:
        raise _NoAnswer
    entry = json.loads(_private(os.path.join(state, ADDRESS)))
    if not isinstance(entry, dict) or entry.get("host") not in _LOOPBACK:
        raise _NoAnswer
    if entry.get("version") != __version__:
        raise _NoAnswer
    if entry.get("clock", "") != os.environ.get("MEMORYCLAW_NOW", ""):
        raise _NoAnswer  # it would answer as of another time
    pid, port = entry.get("pid"), entry.get("port")
    if type(pid) is not int or pid <= 0 or type(port) is not int or not 0 < port < 1 << 16:
        raise _NoAnswer
    # Whoever holds the lock of the watch lives, and watches this vault: the files may have been copied with another.
    if watcher(state)[0] != pid:
        raise _NoAnswer
    token = _private(os.path.join(state, token_file)).decode("ascii").strip()
    if not token or not all(char.isalnum() or char in "-_" for char in token):
        raise _NoAnswer
    return _Address(entry["host"], port, token)


def _private(path: str) -> bytes:
    """A small file that nobody but its owner, who is the one who asks, could have written or read."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o077:
            raise _NoAnswer
        return os.read(handle, _FILE)
    finally:
        os.close(handle)


class _Connection:
    """One connection for one question; every step of it ends in time."""

    def __init__(self, address: _Address, end: float) -> None:
        self._address, self._end = address, end
        self._socket = _socket.socket(_LOOPBACK[address.host], _socket.SOCK_STREAM)

    def __enter__(self) -> Self:
        self._in_time()
        self._socket.connect((self._address.host, self._address.port))
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, method: str, path: str, body: Any) -> Any:
        """The JSON of an answer that says 200."""
        data = b"" if body is None else json.dumps(body).encode()
        self._in_time()
        host = f"[{self._address.host}]" if ":" in self._address.host else self._address.host
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}:{self._address.port}", "Connection: close"]
        lines += [f"Authorization: Bearer {self._address.token}", "Accept: application/json"]
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"] if data else []
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode("ascii") + data)
        return json.loads(self._answer())

    def _answer(self) -> bytes:
        head = b""
        while b"\r\n\r\n" not in head:
            if len(head) > _HEAD:
                raise _NoAnswer
            head += self._heard()
        head, _, body = head.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        named = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in named}
        length = headers.get("content-length", "")
        if first.split(" ")[1:2] != ["200"] or not length.isdecimal() or int(length) > _MOST_BYTES:
            raise _NoAnswer
        answer = bytearray(body)
        while len(answer) < int(length):
            answer += self._heard()
        return bytes(answer[: int(length)])

    def _heard(self) -> bytes:
        self._in_time()
        if chunk := self._socket.recv(1 << 16):
            return chunk
        raise _NoAnswer

    def _in_time(self) -> None:
        remaining = self._end - time.monotonic()
        if remaining <= 0:
            raise _NoAnswer
        self._socket.settimeout(remaining)


# A daemon's token and address in the state folder, readable by their owner only.

TOKENS = {"agent": "token", "owner": "owner-token"}  # audience → file
ADDRESS = "serve.json"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43,200}")
_BYTES = 32


class DaemonFiles:
    """The files of one daemon, written when it begins and again whenever they are gone. Raises VaultError: the folder is not ours, or cannot be made.

    Args:
        state: the state folder of the vault; it is closed to everybody else.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._address: bytes = b""
        self._make_private()
        self.tokens = {
            audience: self._stored_token(name) or late.secrets.token_urlsafe(_BYTES)
            for audience, name in TOKENS.items()
        }
        self._put_tokens()

    def announce(self, address: dict[str, Any]) -> None:
        """Tells clients where the daemon listens."""
        self._address = json.dumps(address).encode() + b"\n"
        self._put(ADDRESS, self._address)

    def keep(self) -> None:
        """Writes again what somebody has taken away; the tokens stay those that clients know."""
        if not self._state.parent.is_dir():
            return
        if any(self._stored_token(TOKENS[audience]) != token for audience, token in self.tokens.items()):
            self._make_private()
            self._put_tokens()
        if self._address and not self._is_ours():
            self._put(ADDRESS, self._address)

    def withdraw(self) -> None:
        """Takes the address away, unless another daemon has put its own there."""
        if self._is_ours():
            with contextlib.suppress(OSError):
                os.unlink(self._state / ADDRESS)
        self._address = b""

    def _make_private(self) -> None:
        try:
            make_private_folder(self._state)
            info = os.stat(self._state)
            if info.st_uid != os.geteuid():
                sentence = f"{self._state} belongs to another user, who could read the token"
                raise VaultError(f"{sentence}; make it your own, or delete it")
            if stat.S_IMODE(info.st_mode) != 0o700:
                os.chmod(self._state, 0o700)
        except OSError as error:
            sentence = f"{self._state} cannot be made private ({error.strerror})"
            raise VaultError(f"{sentence}, so no token can be kept there") from error

    def _stored_token(self, name: str) -> str:
        """The token on the disk, if it is one, is ours, and nobody else could have read it."""
        try:
            text = _private(os.fspath(self._state / name)).decode("ascii", "replace").strip()
        except (OSError, _NoAnswer):
            return ""
        return text if _TOKEN.fullmatch(text) else ""

    def _put_tokens(self) -> None:
        for audience, token in self.tokens.items():
            if self._stored_token(TOKENS[audience]) != token:
                self._put(TOKENS[audience], f"{token}\n".encode())

    def _put(self, name: str, data: bytes) -> None:
        try:
            write_private(self._state, name, data)
        except OSError as error:
            raise VaultError(f"{self._state / name} cannot be written ({error.strerror})") from error

    def _is_ours(self) -> bool:
        try:
            return (self._state / ADDRESS).read_bytes() == self._address
        except OSError:
            return False


# Stops the daemon of a vault from outside: only a process that both watches this vault and wrote its address.

_PATIENCE = 15.0  # seconds: a consolidation that has begun to write ends first
_PAUSE = 0.02


def stop(state: Path) -> int:
    """Asks the daemon to stop and waits until it is gone; its process id, or 0 when none runs. Raises LockedError: it was asked, and still runs."""
    pid = watcher(state)[0]
    try:
        address = json.loads((state / ADDRESS).read_bytes())
    except (OSError, ValueError, RecursionError):
        return 0
    if not pid or not isinstance(address, dict) or address.get("pid") != pid:
        return 0
    with contextlib.suppress(ProcessLookupError):  # it ended by itself meanwhile
        os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + _PATIENCE
    while watcher(state)[0] == pid:
        if time.monotonic() >= end:
            raise LockedError(f"process {pid} was asked to stop and has not yet; look again in a moment")
        time.sleep(_PAUSE)
    return pid
