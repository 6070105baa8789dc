"""`memoryclaw mcp` seen from outside: its process, its pipes, and the vault that is not there yet."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from conftest import Claw, git, put

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Wire:
    """One server, spoken to line by line."""

    def __init__(self, vault: Path) -> None:
        pipe = subprocess.PIPE
        self.process = Claw(vault).start("mcp", stdin=pipe, stdout=pipe, stderr=pipe)
        self._next = 0

    def send(self, line: bytes) -> None:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to one request; what is no answer to it is passed over, if it is JSON."""
        self._next += 1
        self.send(
            json.dumps({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}).encode()
        )
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self._next:
                return message

    def search(self, query: str = "moon") -> str:
        return self._call("memory_search", query=query)

    def store(self, text: str) -> str:
        return self._call("memory_store", text=text)

    def greet(self) -> None:
        self.ask("initialize", **HELLO)
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def _call(self, tool: str, **arguments: str) -> str:
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        return str(answer["result"]["content"][0]["text"])


def test_a_server_outlives_nonsense_and_a_missing_vault_and_ends_with_its_client(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    wire = Wire(vault)
    assert wire.ask("initialize", **HELLO)["result"]["serverInfo"]["name"] == "memoryclaw"
    wire.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    assert wire.search().startswith(f"vault: there is no vault at {vault}")
    put(vault, {"notes/moon.md": "# Moon pancakes\n", "memoryclaw.yaml": "index: [oops\n"})
    assert wire.search().startswith("config: ")
    (vault / "memoryclaw.yaml").unlink()
    for nonsense in (
        b"this is no JSON",
        b"[]",
        b'{"jsonrpc": "2.0", "id": "x", "method": "no/such"}',
        b"\xff\xfe",
    ):
        wire.send(nonsense)
    assert "Moon pancakes" in wire.search()
    rest, errors = wire.process.communicate(
        timeout=60
    )  # closes its standard input, as the end of a client does
    assert wire.process.returncode == 0
    assert all(json.loads(line) for line in rest.splitlines())
    assert b"Traceback" not in errors


def test_what_becomes_of_its_vault_between_two_calls_counts(tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", {"notes/moon.md": "# Moon pancakes\n"})
    wire = Wire(vault)
    wire.greet()
    assert "Moon pancakes" in wire.search()
    put(vault, {"memoryclaw.yaml": "index:\n  exclude: [notes/]\n"})
    assert "Moon pancakes" not in wire.search()
    (vault / "memoryclaw.yaml").unlink()
    shutil.rmtree(vault / ".memoryclaw", ignore_errors=True)
    assert "Moon pancakes" in wire.search()
    away = vault.rename(tmp_path / "away")
    assert wire.search().startswith("vault: there is no vault at ")
    assert not vault.exists()
    put(vault, {"notes/moon.md": "# Moon dust\n"})
    assert "Moon dust" in wire.search()
    shutil.rmtree(vault)
    away.rename(vault)
    assert "Moon pancakes" in wire.search()
    wire.process.communicate(timeout=60)


def test_a_team_loses_nothing_that_was_acknowledged_when_one_of_it_is_killed(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    assert Claw()("init", vault).code == 0
    wires, stored = [Wire(vault) for _ in range(4)], dict[str, str]()

    def work(number: int) -> None:
        wires[number].greet()
        with suppress(OSError, ValueError):  # the pipe of the one that is killed
            for place in range(5):
                text = f"heron{number}x{place} stands by the weir"
                stored[text] = wires[number].store(text)
                if (number, place) == (0, 1):
                    threading.Timer(0.01, wires[0].process.kill).start()

    team = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in team:
        thread.start()
    for thread in team:
        thread.join()
    wires[0].process.communicate()
    commits = git(vault, "log", "--format=%H").split()
    assert [answer for answer in stored.values() if " in commit " not in answer] == []
    named = [re.search("in commit ([0-9a-f]+)", answer) for answer in stored.values()]
    assert [commits.count(hit[1]) for hit in named if hit] == [1] * len(stored)
    assert len(stored) >= 3 * 5 + 2
    for text in stored:
        assert all(text in wire.search(text.split()[0]) for wire in wires[1:])
    wires[1].store("what a killed writer began, the next one ends")
    for wire in wires[1:]:
        wire.process.communicate(timeout=60)
    assert git(vault, "status", "--porcelain", "--untracked-files=no") == ""


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    script = "import sys, importlib.util as u; f = u.find_spec; u.find_spec = lambda n, *a: None if n == 'mcp' else f(n, *a)\n"
    script += "from memoryclaw.interfaces.cli.exit_codes import run; sys.exit(run(['mcp']))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert done.stderr == "memoryclaw: this needs the MCP SDK: pip install 'memoryclaw[mcp]'\n"
