"""Asks the daemon of a vault, if one runs. The rule: the token goes to nobody but the process of ours that watches this very vault.

It imports next to nothing: whoever asks here wants an answer sooner than the program could work it out by itself.
"""

from __future__ import annotations

import _socket  # the module around it costs a tenth of the whole question
import json
import os
import stat
import time
from typing import Any, NamedTuple, Self

from memoryclaw.adapters.cookies import watcher
from memoryclaw.core.version import __version__

_LOOPBACK = {
    "127.0.0.1": _socket.AF_INET,
    "::1": _socket.AF_INET6,
}  # the only addresses a token is sent to, and their families
_MOST_BYTES = 64 * 1024 * 1024
_HEAD = 64 * 1024
_FILE = 4096


class _Address(NamedTuple):
    host: str
    port: int
    token: str


class _NoAnswer(Exception):  # noqa: N818 - it is the ordinary case, and nobody outside hears of it
    """There is no daemon, or none that can be trusted, or it did not answer in time."""


def ask(state: str, method: str, path: str, body: Any = None, timeout: float = 2.0) -> Any | None:
    """What the daemon answers, or None: there is none, it is another version, it refuses, or takes longer than `timeout` seconds.

    Args:
        state: the state folder of the vault.
        method: GET, POST …
        path: such as `/v1/recall`, with what it asks for.
        body: a JSON value to send.
        timeout: seconds for all of it.
    """
    try:
        # A clock that was set for this process is not set for the daemon.
        if os.environ.get("MEMORYCLAW_NOW"):
            raise _NoAnswer
        address = _address(state)
        with _Line(address, time.monotonic() + timeout) as line:
            return line.ask(method, path, body)
    except (_NoAnswer, OSError, ValueError, RecursionError):
        return None


def _address(state: str) -> _Address:
    told = json.loads(_private(os.path.join(state, "serve.json")))
    if not isinstance(told, dict) or told.get("version") != __version__ or told.get("host") not in _LOOPBACK:
        raise _NoAnswer
    pid, port = told.get("pid"), told.get("port")
    if type(pid) is not int or pid <= 0 or type(port) is not int or not 0 < port < 1 << 16:
        raise _NoAnswer
    # Whoever holds the lock of the watch lives, and watches this vault: the files may have been copied with another.
    if watcher(state)[0] != pid:
        raise _NoAnswer
    token = _private(os.path.join(state, "token")).decode("ascii").strip()
    if not token or not all(char.isalnum() or char in "-_" for char in token):
        raise _NoAnswer
    return _Address(told["host"], port, token)


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


class _Line:
    """One connection for one question; every step of it ends in time."""

    def __init__(self, address: _Address, end: float) -> None:
        self._address, self._end = address, end
        self._socket = _socket.socket(_LOOPBACK[address.host], _socket.SOCK_STREAM)
        self._rest = b""

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
        self._socket.sendall(self._request(method, path, data) + data)
        return json.loads(self._answer())

    def _request(self, method: str, path: str, data: bytes) -> bytes:
        host = f"[{self._address.host}]" if ":" in self._address.host else self._address.host
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}:{self._address.port}", "Connection: close"]
        lines += [f"Authorization: Bearer {self._address.token}", "Accept: application/json"]
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"] if data else []
        return "\r\n".join([*lines, "", ""]).encode("ascii")

    def _answer(self) -> bytes:
        head = self._until_blank_line()
        first, *lines = head.decode("latin-1").split("\r\n")
        named = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in named}
        length = headers.get("content-length", "")
        if first.split(" ")[1:2] != ["200"] or not length.isdecimal() or int(length) > _MOST_BYTES:
            raise _NoAnswer
        return self._bytes(int(length))

    def _until_blank_line(self) -> bytes:
        while b"\r\n\r\n" not in self._rest:
            if len(self._rest) > _HEAD:
                raise _NoAnswer
            self._rest += self._heard()
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        return head

    def _bytes(self, count: int) -> bytes:
        parts, size = [self._rest], len(self._rest)
        while size < count:
            parts.append(self._heard())
            size += len(parts[-1])
        return b"".join(parts)[:count]

    def _heard(self) -> bytes:
        self._in_time()
        part = self._socket.recv(1 << 16)
        if not part:
            raise _NoAnswer
        return part

    def _in_time(self) -> None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise _NoAnswer
        self._socket.settimeout(left)
