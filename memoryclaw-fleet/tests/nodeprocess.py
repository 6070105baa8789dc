"""A node as a process of its own, which a test asks over its standard input, stops, wakes and kills; run as a script it is that process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from memoryclaw.errors import MemoryClawError
from memoryclaw_fleet.node import FleetNode
from memoryclaw_fleet.postgres import server_of
from memoryclaw_fleet.store import Fleet


class NodeProcess:
    """One node; `ask` waits for its answer, `say` does not."""

    def __init__(self, folder: Path, name: str, url: str, lease: float, *, adopt: bool = False) -> None:
        asked = {"folder": str(folder), "name": name, "url": url, "lease": lease, "adopt": adopt}
        self.process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(asked)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        assert self.hear() == "ready"

    def say(self, verb: str, *args: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([verb, *args]) + "\n")

    def hear(self) -> Any:
        """The next answer; None when the process ended without one."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def ask(self, verb: str, *args: str) -> Any:
        self.say(verb, *args)
        return self.hear()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> None:
        """However it is, it is gone afterwards."""
        self.process.kill()
        self.process.communicate()


def _answer(node: FleetNode, remarks: list[str], verb: str, *args: str) -> Any:
    if verb == "remember":
        vault, text = args
        with node.homes.opened(vault, "owner") as app:
            app.remember(text)
        return "ok"
    if verb == "write":
        _answer(node, remarks, "remember", *args)
        node.homes.acknowledge(args[0])
        return "ok"
    if verb == "is_home":
        return node.homes.is_home(*args)
    if verb == "remarks":
        return remarks
    getattr(node.homes, verb)(*args)
    return "ok"


def _tell(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _main() -> None:
    asked = json.loads(sys.argv[1])
    remarks: list[str] = []
    node = FleetNode(
        Path(asked["folder"]), asked["name"], f"http://{asked['name']}", Fleet(server_of(asked["url"], most=8)),
        tell=remarks.append, lease=asked["lease"], adopt=asked["adopt"],
    )  # fmt: skip
    node.start()
    _tell("ready")
    for line in sys.stdin:
        try:
            answer = _answer(node, remarks, *json.loads(line))
        except MemoryClawError as error:
            answer = f"{type(error).__name__}: {error}"
        _tell(answer)
    os._exit(0)


if __name__ == "__main__":
    _main()
