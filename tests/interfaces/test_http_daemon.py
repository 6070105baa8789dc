"""The life of a daemon: one a vault, private files, and an end that loses nothing."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import STUDIO, Claw, put
from daemons import Daemon, asked, is_gone, serving, start
from indexed import LONG, until

from memoryclaw.app import App, open_vault, system_clock
from memoryclaw.daemon.daemon import Daemon as Watched
from memoryclaw.errors import InputError
from memoryclaw.interfaces.http.server import address, listening

SEARCH = "/v1/search?q=boathouse+deadline"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with serving(put(tmp_path_factory.mktemp("daemon") / "vault", STUDIO), anew=True) as running:
        yield running


def test_its_files_are_private_and_say_where_it_is(daemon: Daemon) -> None:
    address = json.loads((daemon.state / "serve.json").read_text())
    assert address.items() <= daemon.address.items()
    assert set(address) == {"pid", "host", "port", "url", "started", "clock", "version"}
    assert address["url"] == f"http://127.0.0.1:{daemon.port}"
    assert address["pid"] == daemon.process.pid
    assert (mode(daemon.state), mode(daemon.state / "token"), mode(daemon.state / "serve.json")) == (
        0o700,
        0o600,
        0o600,
    )
    assert len(daemon.token) >= 43
    command = Path(f"/proc/{daemon.process.pid}/cmdline").read_bytes()
    assert daemon.token.encode() not in command


def test_it_says_when_it_is_ready(daemon: Daemon) -> None:
    until(lambda: daemon.ask("GET", "/readyz", headers={"Authorization": None}).status == 200)
    assert daemon.get("/readyz") == {"ready": True, "reason": ""}
    assert daemon.get("/healthz")["pid"] == daemon.process.pid
    assert daemon.get("/v1/status")["daemon"] == daemon.process.pid


def test_what_was_saved_by_hand_is_in_the_next_answer(daemon: Daemon) -> None:
    for number in range(5):
        word = f"zanzibar{number}"
        (daemon.vault / "notes" / f"{word}.md").write_text(f"# Trip\n\nThe {word} ferry leaves at nine.\n")
        # Where the watch writes the index for longer than a reader waits, an answer says that it may be behind.
        answer = until(lambda word=word: not (now := daemon.get(f"/v1/search?q={word}"))["degraded"] and now)
        assert [match["note"] for match in answer["matches"]] == [f"notes/{word}"]


def test_a_second_daemon_names_the_first(daemon: Daemon) -> None:
    done = Claw(daemon.vault)("serve", "--port", "0")
    assert (done.code, done.out) == (1, "")
    assert f"by process {daemon.process.pid}" in done.err
    assert done.err.count("\n") == 1
    assert daemon.get("/healthz")["ok"] is True


def test_a_port_that_is_taken_is_said_with_a_hint(daemon: Daemon, tmp_path: Path) -> None:
    vault = put(tmp_path, {"memoryclaw.yaml": f"serve:\n  port: {daemon.port}\n"})
    done = Claw(vault)("serve")
    assert done.code == 1
    assert f"127.0.0.1:{daemon.port} is not free to listen on" in done.err
    assert "--port" in done.err


def test_it_does_not_listen_beyond_this_machine_unasked(tmp_path: Path) -> None:
    done = Claw(put(tmp_path, STUDIO))("serve", "--port", "0", "--host", "0.0.0.0")
    assert done.code == 1
    assert "--allow-remote" in done.err
    assert done.err.count("\n") == 1
    for host in ("::", "192.0.2.7", "memory.example.org", "127.0.0.1.evil.test", ""):
        with pytest.raises(InputError, match="--allow-remote"):
            listening(host, 0, allow_remote=False)
    with (
        listening("0.0.0.0", 0, allow_remote=True) as remote,
        listening("127.0.0.9", 0, allow_remote=False) as own,
    ):
        assert address(remote)["host"] == "127.0.0.1"
        assert address(own)["host"] == "127.0.0.9"


def test_deleting_the_state_folder_changes_no_answer(daemon: Daemon, tmp_path: Path) -> None:
    before, token = daemon.get(SEARCH), daemon.token
    daemon.state.rename(tmp_path / "gone")
    answer = asked(daemon.port, "GET", SEARCH, None, {"Authorization": f"Bearer {token}"}).json
    assert answer["matches"] == before["matches"]
    until(lambda: (daemon.state / "token").exists() and (daemon.state / "serve.json").exists())
    assert (daemon.token, mode(daemon.state), mode(daemon.state / "token")) == (token, 0o700, 0o600)
    assert json.loads((daemon.state / "serve.json").read_text())["pid"] == daemon.process.pid
    assert daemon.get(SEARCH)["matches"] == before["matches"]


def test_new_settings_count_from_the_next_request_on(daemon: Daemon) -> None:
    settings = daemon.vault / "memoryclaw.yaml"
    for budget in (200, 1000):
        settings.write_text(f"retrieval:\n  budget: {budget}\n")
        assert daemon.post("/v1/recall", query="boathouse")["budget"] == budget
    settings.write_text("retrieval:\n  budget: many\n")
    refused = daemon.ask("POST", "/v1/recall", {"query": "boathouse"})
    assert (refused.status, refused.code) == (400, "config")
    until(lambda: daemon.ask("GET", "/readyz").status == 503)
    assert "many" not in daemon.ask("GET", "/readyz", headers={"Authorization": None}).json["reason"]
    settings.unlink()
    until(lambda: daemon.ask("GET", "/readyz").status == 200)
    assert daemon.post("/v1/recall", query="boathouse")["budget"] == 600


def test_new_settings_of_the_user_count_too(tmp_path: Path) -> None:
    served = start(put(tmp_path / "vault", STUDIO), XDG_CONFIG_HOME=str(tmp_path / "config"))
    try:
        for budget in (200, 1000):
            put(tmp_path, {"config/memoryclaw/config.yaml": f"retrieval:\n  budget: {budget}\n"})
            assert served.post("/v1/recall", query="boathouse")["budget"] == budget
    finally:
        served.end()


def test_settings_that_break_again_are_told_again(tmp_path: Path) -> None:
    vault, lines = put(tmp_path / "vault", STUDIO), list[str]()
    running = Watched(vault, partial(open_vault, vault), lines.append, system_clock)
    assert running.start({}, lambda: None)
    for _ in range(2):
        until(lambda: not running.reason)
        (vault / "memoryclaw.yaml").write_text("retrieval:\n  budget: many\n")
        until(lambda: running.reason)
        (vault / "memoryclaw.yaml").unlink()
    running.stop()
    assert [sentence.count("many") for sentence in lines] == [1, 1]


def test_settings_that_are_saved_while_the_watch_begins_are_seen(tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", STUDIO)

    opened: list[App] = []

    def open_edited() -> App:
        opened.append(open_vault(vault))
        if len(opened) == 1:
            (vault / "memoryclaw.yaml").write_text("retrieval:\n  budget: 200\n")
        return opened[-1]

    running = Watched(vault, open_edited, print, system_clock)
    assert running.start({}, lambda: None)
    until(lambda: len(opened) > 1)
    running.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_of_the_machine_cannot_read_the_token() -> None:
    folder = Path(tempfile.mkdtemp(prefix="daemon"))
    try:
        vault = put(folder / "vault", STUDIO)
        state = vault / ".memoryclaw"
        state.mkdir()
        for place in (folder, vault, vault / "notes", state):
            place.chmod(0o755)
        (vault / "notes/moon.md").chmod(0o644)
        (state / "token").write_text("known-to-everybody-0123456789-0123456789-0123456789\n")
        (state / "token").chmod(0o644)
        with serving(vault) as running:
            assert not running.token.startswith("known")
            assert running.get(SEARCH)["matches"]
            for path in (state / "token", state / "serve.json", state / "index.sqlite"):
                assert path.exists()
                done = subprocess.run(
                    ["cat", path], user=65534, group=65534, capture_output=True, check=False
                )
                assert done.returncode != 0
                assert b"Permission denied" in done.stderr
            plain = subprocess.run(
                ["cat", vault / "notes/moon.md"], user=65534, group=65534, capture_output=True, check=False
            )
            assert b"pancakes" in plain.stdout
            assert running.end(signal.SIGINT) == 130
    finally:
        shutil.rmtree(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_state_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    vault = put(tmp_path, STUDIO)
    state = vault / ".memoryclaw"
    state.mkdir()
    os.chown(state, 65534, 65534)
    done = Claw(vault)("serve", "--port", "0")
    assert done.code == 1
    assert "belongs to another user" in done.err
    assert not (state / "token").exists()


def test_two_at_once_then_one_killed_then_one_ended_in_the_middle(tmp_path: Path) -> None:
    vault = put(tmp_path, STUDIO)
    first = _faster_of_two(vault)
    token = first.token
    assert first.end(signal.SIGKILL) == -signal.SIGKILL
    assert is_gone(first.address["pid"])
    assert (vault / ".memoryclaw" / "serve.json").exists()
    with serving(vault) as second:
        assert second.token == token
        assert json.loads((second.state / "serve.json").read_text())["pid"] == second.process.pid
        assert second.get(SEARCH)["matches"]
        for stream in (first.process.stdout, first.process.stderr):
            assert stream is not None
            stream.close()
        with socket.create_connection(("127.0.0.1", second.port), timeout=LONG) as line:
            answer = _ended_in_the_middle(second, line)
        assert answer["acknowledged"][0]["ok"] is True
        assert second.process.wait(LONG) == 0
        assert "One last thing" in next(vault.glob("logs/*/s.jsonl")).read_text()
        assert not (second.state / "serve.json").exists()
        assert second.process.stderr.read() == b""  # no question, no token, nothing


def _faster_of_two(vault: Path) -> Daemon:
    """Two daemons are started at once: one answers, the other says so and leaves what the one has written."""
    pipe = subprocess.PIPE
    both = [Claw(vault).start("serve", "--port", "0", "--json", stdout=pipe, stderr=pipe) for _ in range(2)]
    until(lambda: any(process.poll() is not None for process in both))
    slow, fast = sorted(both, key=lambda process: process.poll() is None)
    out, err = slow.communicate()
    assert (slow.returncode, out) == (1, b"")
    assert f"process {fast.pid}".encode() in err
    return Daemon(fast, json.loads(fast.stdout.readline()), vault)


def _ended_in_the_middle(daemon: Daemon, line: socket.socket) -> Any:
    """The answer to a request whose second half comes when the daemon was told to end."""
    body = json.dumps({"turns": [{"session": "s", "role": "user", "content": "One last thing."}]}).encode()
    head = f"POST /v1/capture HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nAuthorization: Bearer {daemon.token}\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    line.sendall((head + kind).encode() + body[:9])
    daemon.get("/healthz")  # by now the first half is there
    daemon.process.send_signal(signal.SIGTERM)
    until(lambda: _is_closed(daemon.port))
    line.sendall(body[9:])
    answer = http.client.HTTPResponse(line)
    answer.begin()
    assert answer.status == 200
    return json.loads(answer.read())


def _is_closed(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=LONG).close()
    except OSError:
        return True
    return False
