"""A daemon that is killed at work, and eight writers at once: what was acknowledged is there, and every file is whole."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest
from daemons import Daemon, start
from gitvault import git
from indexed import until
from scenes import Vaults, files_of, is_sound, nothing_is_left, settle, whole_lines

from memoryclaw.app import App
from memoryclaw.errors import MemoryClawError
from memoryclaw.interfaces.cli.exit_codes import run

PATIENT = 30.0  # seconds that eight writers wait for each other on a slow machine


class Load:
    """Clients of a daemon that write until it is gone, and what was acknowledged to them."""

    def __init__(self, daemon: Daemon, mark: str) -> None:
        self.ids: list[str] = []
        self.turns: list[str] = []
        self.others = 0
        self._daemon, self._mark, self._stop = daemon, mark, False
        works = (self._remember, self._remember, self._capture, self._edit)
        self._threads = [threading.Thread(target=self._client, args=(work,)) for work in works]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Waits for the clients to see that nobody answers."""
        self._stop = True
        for thread in self._threads:
            thread.join(60)

    def _client(self, work) -> None:
        number = 0
        while not self._stop:
            number += 1
            try:
                work(f"{self._mark} {threading.get_ident()} {number}")
            except (OSError, ValueError, AssertionError):  # no answer, or half of one, is no acknowledgement
                time.sleep(0.01)
            except Exception as error:  # http.client has many words for a connection that breaks
                if "http.client" not in type(error).__module__:
                    raise

    def _remember(self, text: str) -> None:
        self.ids.append(self._daemon.post("/v1/remember", text=f"Word {text}", tags=["load"])["id"])

    def _capture(self, text: str) -> None:
        done = self._daemon.post("/v1/capture", turns=[{"session": "load", "role": "user", "content": text}])
        assert done["acknowledged"][0]["ok"]
        self.turns.append(text)

    def _edit(self, text: str) -> None:
        reply = self._daemon.ask("PATCH", "/v1/notes/n1", {"set": {"tags": ["a", text.rpartition(" ")[2]]}})
        self.others += reply.status == 200


def everything_is_there(root: Path, ids: list[str], turns: list[str]) -> None:
    """Each acknowledged note is a file that HEAD has as it is, and each acknowledged turn is a line of a log."""
    settle(root)
    committed = set(git(root, "ls-tree", "-r", "--name-only", "HEAD").splitlines())
    lost = [
        id_
        for id_ in ids
        if f"episodes/{id_}.md" not in committed or not (root / f"episodes/{id_}.md").exists()
    ]
    assert not lost, f"acknowledged and lost: {lost}"
    assert git(root, "diff", "--name-only", "HEAD", "--", "episodes") == "", "HEAD is not what the files are"
    said = {json.loads(line)["content"] for path in root.glob("logs/*/load.jsonl") for line in path.read_text().splitlines() if line.endswith("}")}  # fmt: skip
    assert not set(turns) - said, f"captured and lost: {set(turns) - said}"
    for path, data in files_of(root).items():
        assert b"\0" not in data, f"{path} is torn"
        if path.startswith("episodes/"):
            assert data.startswith(b"---\n"), f"{path} is torn"
            assert data.endswith(b"\n"), f"{path} is torn"
    whole_lines(root, "logs")
    is_sound(root)
    nothing_is_left(root, "logs", "working", ".memoryclaw/.plan.tmp")


@pytest.mark.parametrize("seed", range(3))
def test_a_daemon_that_is_killed_under_load_loses_nothing_that_it_acknowledged(
    campaign, vaults: Vaults, seed
):
    dice = random.Random(seed)
    root = vaults.copy(vaults.base)
    ids, turns, others = list[str](), list[str](), 0
    with campaign("a daemon is killed under load") as trials:
        for number in range(8):
            with trials.trial(f"seed {seed}, kill {number}"):
                daemon = start(root)
                load = Load(daemon, f"{seed}.{number}")
                if number % 2:  # else it may not even have begun
                    until(lambda load=load: load.ids)
                time.sleep(dice.uniform(0.05, 0.6))
                assert daemon.end(signal.SIGKILL) == -signal.SIGKILL
                load.end()
                for stream in (daemon.process.stdout, daemon.process.stderr):
                    assert stream
                    stream.close()
                ids, turns, others = ids + load.ids, turns + load.turns, others + load.others
                everything_is_there(root, ids, turns)
        assert len(ids) >= trials.count // 2, "the daemon had next to nothing to do"
        assert turns
        assert others
    shutil.rmtree(root)


def writer(root: Path, kind: str, number: int, port: Daemon, mark: str) -> tuple[int, int]:
    """A process that writes as one kind of program does; its id, and the end of a pipe that it tells acknowledged ids to."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    try:
        for turn in range(4):
            text = f"Writer {number} says {turn} in {mark}"
            done = {"app": by_app, "cli": by_cli, "http": by_http}[kind](root, text, port)
            if done:
                os.write(writing, f"{done}\n".encode())
    finally:
        os._exit(0)


def by_app(root: Path, text: str, _daemon: Daemon) -> str:
    try:
        with App(root) as app:
            return app.remember(text, note=True).id
    except MemoryClawError:
        return ""


def by_cli(root: Path, text: str, _daemon: Daemon) -> str:
    """In the process itself: what the command does after it has started."""
    out = root.parent / f"out-{os.getpid()}"
    with out.open("w") as file:
        os.dup2(file.fileno(), 1)
        import sys  # noqa: PLC0415

        sys.stdout = os.fdopen(1, "w", closefd=False)
        code = run(["remember", text, "--note", "--vault", os.fspath(root), "--json"])
        sys.stdout.flush()
    done = out.read_text()
    out.unlink()
    return json.loads(done)["id"] if code == 0 else ""


def by_http(_root: Path, text: str, daemon: Daemon) -> str:
    reply = daemon.ask("POST", "/v1/remember", {"text": text, "tags": ["load"]})
    return str(reply.json["id"]) if reply.status == 200 else ""


@pytest.mark.parametrize("seed", range(3))
def test_of_eight_writers_at_once_no_acknowledged_write_is_lost(campaign, vaults: Vaults, monkeypatch, seed):
    monkeypatch.setattr("memoryclaw.vault.files.WAIT", PATIENT)
    dice = random.Random(seed)
    root = vaults.copy(vaults.base)
    ids = list[str]()
    with campaign("eight writers at once, one of them killed") as trials:
        daemon = start(root)
        try:
            for number in range(4):
                with trials.trial(f"seed {seed}, round {number}"):
                    kinds = ["app", "app", "app", "cli", "cli", "cli", "http", "http"]
                    writers = [
                        writer(root, kind, place, daemon, f"round {number}")
                        for place, kind in enumerate(kinds)
                    ]
                    if number % 2:
                        time.sleep(dice.uniform(0.05, 0.8))
                        os.kill(dice.choice(writers[:6])[0], signal.SIGKILL)
                    acknowledged = []
                    for pid, reading in writers:
                        with os.fdopen(reading) as said:
                            acknowledged += said.read().split()
                        os.waitpid(pid, 0)
                    assert len(acknowledged) >= 16, f"only {len(acknowledged)} of 32 writes were taken"
                    ids += acknowledged
                    assert len(set(ids)) == len(ids), "two writers were given one id"
                    everything_is_there(root, ids, [])
        finally:
            daemon.end()
    shutil.rmtree(root)
