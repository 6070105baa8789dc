"""One real OpenClaw gateway in a folder of its own, with a scripted model, and a vault installed by our own command."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from conftest import Claw
from servers.chatmodel import ChatModel

VENV = Path(sys.prefix)
TOKEN = "for-this-test-alone"
_READY, _SOON = 240, 60


def program() -> list[str]:
    """How OpenClaw is run; `make test-openclaw` says where Node and OpenClaw are."""
    tools = Path(os.environ.get("OPENCLAW_TOOLS") or VENV / "openclaw")
    files = [tools / "node/bin/node", tools / "node_modules/openclaw/openclaw.mjs"]
    assert all(path.is_file() for path in files), "OpenClaw is not here; `make test-openclaw` installs it"
    return [os.fspath(path) for path in files]


def wait(for_what: Callable[[], Any], seconds: float = _SOON) -> Any:
    """Waits until something is so, and returns it."""
    end = time.monotonic() + seconds
    while not (value := for_what()):
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.1)
    return value


def config(port: int, model: str, workspace: Path) -> str:
    """OpenClaw's configuration as a person keeps it: with comments, and a last comma."""
    values = {
        "gateway": {
            "mode": "local", "port": port, "bind": "loopback", "auth": {"mode": "token", "token": TOKEN},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        },
        "models": {"mode": "replace", "providers": {"scripted": {
            "baseUrl": model, "apiKey": "x", "api": "openai-completions",
            "models": [{
                "id": "scripted", "name": "Scripted", "reasoning": False, "input": ["text"], "contextWindow": 128000, "maxTokens": 4096,
                "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            }],
        }}},
        "agents": {"defaults": {"workspace": os.fspath(workspace), "skipBootstrap": True, "model": {"primary": "scripted/scripted"}}},
        "update": {"checkOnStart": False},
        "plugins": {"allow": [], "slots": {"memory": "memory-core"}},
    }  # fmt: skip
    text = json.dumps(values, indent=2)
    return f"// kept by hand\n{text[:-2]}, // the last comma is mine\n}}\n"


class Line:
    """A connection to the gateway in its own protocol, held by a small program in Node."""

    def __init__(self, node: str, port: int, env: dict[str, str]) -> None:
        script = Path(__file__).with_name("gatewayline.mjs")
        self._program = subprocess.Popen(
            [node, script, str(port), TOKEN],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, question: dict[str, Any]) -> Any:
        """One answer to one question."""
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.write(json.dumps(question) + "\n")
        self._program.stdin.flush()
        return json.loads(self._program.stdout.readline())

    def close(self) -> None:
        """Hangs up."""
        self._program.communicate(timeout=10)


class Host:
    """The gateway; `turn` says something to its agent, `call` asks it over its own protocol."""

    def __init__(self, root: Path) -> None:
        self.root, self.vault = root, root / "vault"
        self.config = root / "openclaw.json"
        self.model = ChatModel()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        for name in ("home", "ws"):
            (root / name).mkdir()
        kept = {key: os.environ[key] for key in ("LANG", "TZ") if key in os.environ}
        self.env = {
            **kept, "HOME": os.fspath(root / "home"), "OPENCLAW_STATE_DIR": os.fspath(root / "home/state"),
            "OPENCLAW_CONFIG_PATH": os.fspath(self.config), "OPENCLAW_SKIP_CHANNELS": "1",
            "PATH": f"{VENV / 'bin'}:{Path(program()[0]).parent}:{os.environ['PATH']}",
        }  # fmt: skip
        self.claw = Claw(self.vault, anew=True, **self.env, MEMORYCLAW_NOW="")
        self.before = config(self.port, self.model.url, root / "ws")
        self.config.write_text(self.before)
        self._gateway: subprocess.Popen[bytes] | None = None
        self._spoken: Line | None = None

    def __enter__(self) -> Self:
        self.model.__enter__()
        return self

    def start(self) -> None:
        """Starts the gateway and waits until it is ready."""
        log = (self.root / "gateway.log").open("ab")
        command = [*program(), "gateway", "run", "--port", str(self.port), "--bind", "loopback"]
        self._gateway = subprocess.Popen(
            command, env=self.env, stdout=log, stderr=log, cwd=self.root, start_new_session=True
        )
        wait(self._is_ready, _READY)

    def stop(self) -> None:
        """Stops the gateway as a service manager would, with all that it started."""
        if self._spoken:
            self._spoken.close()
        self._spoken = None
        if self._gateway is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._gateway.pid, signal.SIGTERM)
        try:
            self._gateway.wait(40)
        except subprocess.TimeoutExpired:
            os.killpg(self._gateway.pid, signal.SIGKILL)
            self._gateway.wait(10)
        self._gateway = None

    def __exit__(self, *_: object) -> None:
        self.stop()
        if daemon := self.daemon():
            os.kill(daemon["pid"], signal.SIGTERM)
            wait(lambda: not _lives(daemon["pid"]))
        self.model.__exit__()

    def daemon(self) -> dict[str, Any]:
        """What the daemon says of itself; empty while there is none."""
        try:
            address: dict[str, Any] = json.loads((self.vault / ".memoryclaw/serve.json").read_text())
        except (OSError, ValueError):
            return {}
        return address if _lives(address["pid"]) else {}

    def turn(self, text: str, user: str = "nora") -> str:
        """What the agent answers; one user is one session."""
        body = {"model": "openclaw/main", "user": user, "messages": [{"role": "user", "content": text}]}
        return str(self.http("/v1/chat/completions", body)["choices"][0]["message"]["content"])

    def tool(self, name: str, **args: Any) -> Any:
        """A tool, called without a model."""
        return self.http("/tools/invoke", {"tool": name, "args": args})

    def http(self, path: str, body: Any = None, seconds: float = 120) -> Any:
        """What the gateway answers over HTTP."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            headers={"authorization": f"Bearer {TOKEN}", "content-type": "application/json"},
            data=None if body is None else json.dumps(body).encode(),
        )
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return json.loads(answer.read())

    def run(self, *words: str) -> Any:
        """What a command of OpenClaw's prints as JSON."""
        done = subprocess.run(
            [*program(), *words],
            env=self.env,
            capture_output=True,
            text=True,
            cwd=self.root,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(
            done.stdout[min(i for i in (done.stdout.find("{"), done.stdout.find("[")) if i >= 0) :]
        )

    def call(self, method: str, **params: Any) -> Any:
        """What the gateway answers over its own protocol."""
        answer = self._line().ask({"method": method, "params": params})
        assert answer["ok"], answer
        return answer["payload"]

    def say(self, text: str, session: str = "agent:main:nora") -> str:
        """What is answered to a message as a channel would bring it, slash commands included."""
        message = self._line().ask({"say": text, "session": session})["message"]
        return "\n".join(part.get("text", "") for part in message["content"])

    def _line(self) -> Line:
        if self._spoken is None:
            self._spoken = Line(program()[0], self.port, self.env)
        return self._spoken

    def _is_ready(self) -> bool:
        assert self._gateway
        assert self._gateway.poll() is None, (self.root / "gateway.log").read_text()[-3000:]
        try:
            return bool(self.http("/readyz", seconds=5).get("ready"))
        except (OSError, ValueError, urllib.error.URLError):
            return False


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
