"""The client of a running daemon: whom it trusts, and that everything else is no answer at all."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memoryclaw import __version__
from memoryclaw.daemon.client import ask
from memoryclaw.vault.state_folder import WatchLock

TOKEN = "t" * 43
ANSWER = {"context": "the oak ø", "tokens": 3}


class Handler(BaseHTTPRequestHandler):
    """Answers as the path says; keeps what it was asked."""

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        self.server.asked.append(
            (self.path, dict(self.headers), json.loads(self.rfile.read(length) or "null"))
        )  # type: ignore[attr-defined]
        data = json.dumps(ANSWER).encode()
        if self.path == "/silent":
            self.server.silent.wait(20)  # type: ignore[attr-defined]
            return
        status = {"/redirect": 302, "/refused": 429, "/gone": 404}.get(self.path, 200)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/v1/recall")
        size = {"/short": len(data) + 5, "/endless": 1 << 40}.get(self.path, len(data))
        if self.path != "/unsized":
            self.send_header("Content-Length", str(size))
        self.end_headers()
        self.wfile.write(b"{" if self.path == "/torn" else data)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *args: object) -> None:
        pass


class Daemon:
    """The files of a daemon that is this process, and its server."""

    def __init__(self, state: Path, server: ThreadingHTTPServer) -> None:
        self.state, self.server = state, server
        self.address: dict[str, Any] = {
            "pid": os.getpid(), "host": "127.0.0.1", "port": server.server_port, "version": __version__,
        }  # fmt: skip
        self.write()

    def write(self, **more: Any) -> None:
        for name, text in (("serve.json", json.dumps({**self.address, **more})), ("token", f"{TOKEN}\n")):
            path = self.state / name
            path.unlink(missing_ok=True)
            path.touch(0o600)
            path.write_text(text)

    def ask(self, path: str = "/v1/recall", timeout: float = 20.0) -> Any:
        return ask(os.fspath(self.state), "POST", path, {"query": "oak ø"}, timeout)


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.silent = threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.silent.set()  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def daemon(tmp_path: Path, server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    monkeypatch.delenv("MEMORYCLAW_NOW")
    server.asked = []  # type: ignore[attr-defined]
    state = tmp_path / ".memoryclaw"
    state.mkdir(0o700)
    lock = WatchLock(state)
    yield Daemon(state, server)
    lock.close()


def asked(daemon: Daemon) -> list[Any]:
    return daemon.server.asked  # type: ignore[attr-defined,no-any-return]


def test_the_daemon_is_asked_with_its_token_and_answers(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert daemon.ask() == ANSWER
    [(path, headers, body)] = asked(daemon)
    assert (path, body) == ("/v1/recall", {"query": "oak ø"})
    assert headers["Authorization"] == f"Bearer {TOKEN}"
    assert headers["Host"] == f"127.0.0.1:{daemon.server.server_port}"
    assert headers["Content-Type"] == "application/json"
    assert ask(os.fspath(daemon.state), "GET", "/v1/status") == ANSWER


@pytest.mark.parametrize(
    "path", ["/redirect", "/refused", "/gone", "/short", "/endless", "/unsized", "/torn"]
)
def test_whatever_is_no_whole_answer_is_none_and_nothing_is_followed(daemon: Daemon, path: str) -> None:
    assert daemon.ask(path) is None
    assert len(asked(daemon)) == 1


def test_a_daemon_that_says_nothing_is_not_waited_for(daemon: Daemon) -> None:
    assert daemon.ask("/silent", 0.05) is None


@pytest.mark.parametrize(
    "address",
    [
        {"version": "0.0.0"},
        {"host": "192.168.1.5"},
        {"host": "localhost"},
        {"pid": 1},
        {"pid": True},
        {"pid": "12"},
        {"port": 0},
        {"port": 1 << 16},
        {"port": "80"},
        {"host": None},
    ],
)
def test_the_token_goes_nowhere_else(daemon: Daemon, address: dict[str, Any]) -> None:
    daemon.write(**address)
    assert daemon.ask() is None
    assert asked(daemon) == []


@pytest.mark.parametrize("name", ["serve.json", "token"])
def test_files_that_others_could_have_written_or_read_are_not_trusted(daemon: Daemon, name: str) -> None:
    path = daemon.state / name
    path.chmod(0o644)
    assert daemon.ask() is None
    path.chmod(0o600)
    path.rename(daemon.state / "real")
    path.symlink_to(daemon.state / "real")
    assert daemon.ask() is None
    path.unlink()
    path.mkdir()
    assert daemon.ask() is None
    assert asked(daemon) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 5000, "\xff"])
def test_an_address_that_cannot_be_read_is_none(daemon: Daemon, text: str) -> None:
    (daemon.state / "serve.json").write_text(text)
    assert daemon.ask() is None


def test_a_token_that_would_break_the_line_is_not_sent(daemon: Daemon) -> None:
    (daemon.state / "token").write_text("x\r\nX-Evil: 1")
    assert daemon.ask() is None
    assert asked(daemon) == []


def test_a_copy_of_the_vault_is_not_answered_by_the_daemon_of_the_first(
    daemon: Daemon, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    daemon.state = copy
    daemon.write()
    assert daemon.ask() is None
    assert asked(daemon) == []


@pytest.mark.parametrize(
    ("own", "daemons", "answer"),
    [
        ("", "", ANSWER),
        ("2026-04-20T08:00:00Z", "2026-04-20T08:00:00Z", ANSWER),
        ("2026-04-20T08:00:00Z", "", None),
        ("", "2026-04-20T08:00:00Z", None),
        ("2026-04-20T08:00:00Z", "2026-04-21T08:00:00Z", None),
    ],
)
def test_only_a_daemon_with_the_same_clock_is_asked(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, own: str, daemons: str, answer: Any
) -> None:
    monkeypatch.setenv("MEMORYCLAW_NOW", own)
    daemon.write(clock=daemons)
    assert daemon.ask() == answer


def test_nobody_listening_is_none(daemon: Daemon, tmp_path: Path) -> None:
    daemon.write(port=1)
    assert daemon.ask() is None
    assert ask(os.fspath(tmp_path / "nowhere"), "GET", "/v1/status") is None
