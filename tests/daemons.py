"""Real daemons for tests: started as a process of their own on a free port, asked over a socket, ended at the end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from conftest import Claw


class Reply(NamedTuple):
    """One answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Its body, read as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a failure."""
        return str(self.json["error"]["code"])


class Daemon(NamedTuple):
    """One running daemon."""

    process: subprocess.Popen[bytes]
    address: dict[str, Any]
    vault: Path

    @property
    def state(self) -> Path:
        """Its state folder."""
        return self.vault / ".memoryclaw"

    @property
    def token(self) -> str:
        """What its owner's clients show."""
        return (self.state / "owner-token").read_text().strip()

    @property
    def agents_token(self) -> str:
        """What the plugin and other hosts show."""
        return (self.state / "token").read_text().strip()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address["port"])

    def ask(
        self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str | None] | None = None
    ) -> Reply:
        """Asks as a good client does; a header of None is left out."""
        said: dict[str, str | None] = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            said["Content-Type"] = "application/json"
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        kept = {key: value for key, value in {**said, **(headers or {})}.items() if value is not None}
        return asked(self.port, method, path, data, kept)

    def get(self, path: str) -> Any:
        """The answer to a question that must succeed."""
        reply = self.ask("GET", path)
        assert reply.status == 200, reply
        return reply.json

    def post(self, path: str, **body: Any) -> Any:
        """The answer to a request that must succeed."""
        reply = self.ask("POST", path, body)
        assert reply.status == 200, reply
        return reply.json

    def end(self, number: int = signal.SIGTERM) -> int:
        """Ends it; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(60)


def asked(port: int, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
    """One request to a port of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, dict(headers))
        response = connection.getresponse()
        return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        connection.close()


def start(vault: Path, *args: str, anew: bool = False, **env: str) -> Daemon:
    """Starts a daemon and waits until it answers."""
    process = Claw(vault, anew=anew, **env).start(
        "serve", "--port", "0", "--json", *args, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        _, err = process.communicate(timeout=60)
        raise AssertionError(err.decode())
    return Daemon(process, json.loads(line), vault)


@contextmanager
def serving(vault: Path, *args: str, anew: bool = False, **env: str) -> Iterator[Daemon]:
    """A daemon for the length of a block."""
    daemon = start(vault, *args, anew=anew, **env)
    try:
        yield daemon
    finally:
        daemon.end()
        for stream in (daemon.process.stdout, daemon.process.stderr):
            assert stream is not None
            stream.close()


def is_gone(pid: int) -> bool:
    """True when no process has this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
