"""Nodes as processes, and the commands of a fleet, for tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import COMMAND, Claw, Ran


class Node:
    """`memoryclaw serve --vaults` as a process."""

    def __init__(self, folder: Path, name: str, url: str, log: Path, *more: str) -> None:
        self.name, self.log = name, log
        command = [
            COMMAND,
            "serve",
            "--vaults",
            folder,
            "--node",
            name,
            "--index",
            url,
            "--port",
            "0",
            "--json",
            "--log",
            "json",
            "--lease",
            "3",
            *more,
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log.open("a"), text=True)
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, log.read_text()
        self.url = json.loads(line)["url"]

    def ask(self, method: str, path: str, token: str = "", **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.request(method, self.url + path, headers=headers, timeout=60, trust_env=False, **more)

    def end(self, number: signal.Signals = signal.SIGKILL) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(60)


class Town:
    """A database, nodes, and commands that know where the database is."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        self.nodes: list[Node] = []
        self.claw = Claw(MEMORYCLAW_INDEX_URL=url)

    def node(self, name: str, *more: str) -> Node:
        self.nodes.append(Node(self.folder / name, name, self.url, self.folder / f"{name}.log", *more))
        return self.nodes[-1]

    def run(self, *args: str) -> Ran:
        ran = self.claw(*args)
        assert ran.code == 0, ran.err
        return ran

    def vault(self, name: str, node: str = "") -> str:
        """A vault with a remote, and the token of its owner."""
        remote = self.folder / f"{name}.git"
        subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", remote], check=True)
        self.run("fleet", "add", name, "--remote", os.fspath(remote), *(["--node", node] if node else []))
        return self.token(name)

    def token(self, name: str, audience: str = "owner") -> str:
        return str(self.run("tokens", "make", name, audience, "--json").json["token"])


@pytest.fixture
def town(tmp_path: Path, migrated_url: str) -> Iterator[Town]:
    made = Town(tmp_path, migrated_url)
    yield made
    for node in made.nodes:
        node.end()
