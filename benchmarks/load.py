"""Agents at one daemon: clients that recall, search, remember and capture over HTTP, beside a bare Starlette that echoes.

Of 20 requests 12 are recalls, 3 searches, 4 are remembered (a commit each) and 1 is a captured turn. All clients live in this one
process and ask nothing else of the machine than a connection each; `/healthz` is asked beside them. Afterwards every turn that was
acknowledged is looked for in the logs, and every commit in the history: it must hold its own note and nothing else. The vault is
synthetic, in a temporary folder that is gone afterwards.

With `--steady` the vault keeps its size, so that what still grows is a leak: instead of storing a text, the owner gives a property of
a note another value (a commit, too), and a search takes the place of a captured turn.

With `--processes N` it is a team of agents instead: one `memoryclaw mcp` on standard input and output, and then N of them at once on
the same vault, each storing a memory as soon as the last is stored; every commit that was acknowledged is looked for afterwards.

    python benchmarks/load.py [--notes 1000] [--clients 16] [--seconds 30 | --minutes 10] [--pace 0] [--steady] [--json]
    python benchmarks/load.py --processes 8 [--notes 1000] [--seconds 60] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from clock import WITH_BYTECODE, percentile
from generate import Synthetic, write

COMMAND = Path(sys.executable).with_name("memoryclaw")
ECHO = Path(__file__).with_name("echo.py")
MIX = (("recall", 12), ("search", 3), ("remember", 4), ("capture", 1))
WARM = 3.0  # seconds before anything counts
PROBES = 20  # looks at /healthz a second
LOOKS = 10  # at the memory
GOALS = (("recall", 0.95, 100.0), ("remember", 0.95, 250.0), ("healthz", 0.99, 20.0))  # ms
TEAM_GOALS = (("p50", 2), ("p95", 4))  # times what one process takes
MOST = 250  # requests a second that are the goal
_COMMIT = re.compile(r"\b([0-9a-f]{40})\b")
_TICK = os.sysconf("SC_CLK_TCK")


class Server(NamedTuple):
    """Where a server listens, how it knows us, and its process."""

    port: int
    token: str
    pid: int


@dataclass
class Seen:
    """What the clients of one phase saw: milliseconds by kind, failures, what was acknowledged; and what the server took."""

    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    commits: dict[str, str] = field(default_factory=dict)  # commit → path
    memory: list[int] = field(default_factory=list)  # bytes of memory
    seconds: float = 0.0
    cpu: float = 0.0  # seconds of the server, its children included
    own: float = 0.0  # seconds of the clients

    @property
    def count(self) -> int:
        """How many requests were answered, probes left out."""
        return sum(len(taken) for kind, taken in self.taken.items() if kind != "healthz")

    def figures(self) -> dict[str, Any]:
        """All of it in few numbers."""
        shares = {
            kind: {f"p{share * 100:.0f}": percentile(taken, share) for share in (0.5, 0.95, 0.99)}
            for kind, taken in self.taken.items()
        }
        rate, each = self.count / self.seconds, self.cpu / max(self.count, 1) * 1e3
        return {
            "requests": self.count, "rate": rate, "cpu_ms": each, "cores": self.cpu / self.seconds, "client_cores": self.own / self.seconds,
            "ms": shares, "counts": {kind: len(taken) for kind, taken in self.taken.items()},
            "memory": self.memory, "failures": len(self.failures),
        }  # fmt: skip


@dataclass
class Team:
    """What a team saw: milliseconds of each store, what was answered, and what failed."""

    taken: list[float] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    cpu: float = 0.0  # seconds of the servers, their children included


class Connection:
    """One connection that is kept, with as little around it as HTTP allows: what a client takes, the server cannot have."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._head = (
            f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )

    async def open(self) -> None:
        """Connects."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._server.port)

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """Status and body of an answer."""
        data = b"" if body is None else json.dumps(body).encode()
        self._writer.write(f"{method} {path} HTTP/1.1\r\n{self._head}{len(data)}\r\n\r\n".encode() + data)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        size = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        return int(head[9:12]), await self._reader.readexactly(size)

    def close(self) -> None:
        """Hangs up."""
        self._writer.close()


class Agent:
    """One client: a connection, and a seeded choice of what to ask next."""

    def __init__(
        self, server: Server, number: int, label: str, questions: list[str], seen: Seen, *, note: str
    ) -> None:
        self._line, self._questions, self._seen, self._note = Connection(server), questions, seen, note
        self._session = f"load-{label}-{number}"
        self._mark, self._marks = f"mark{label}{number:02d}n", 0
        self._choice = random.Random(self._session)
        self._words = Synthetic(number).sentences

    async def run(self, seconds: float, pace: float) -> None:
        """Works until the time is over."""
        begun = time.monotonic()
        pause = 1 / pace if pace else 0.0
        at = begun + self._choice.random() * pause
        kinds, weights = zip(*MIX, strict=True)
        await self._line.open()
        while at < begun + seconds:
            if pause:
                await asyncio.sleep(max(0.0, at - time.monotonic()))
            await getattr(self, self._choice.choices(kinds, weights)[0])()
            at = at + pause if pause else time.monotonic()
        self._line.close()

    async def recall(self) -> None:
        """Asks for a context."""
        body = {"query": self._choice.choice(self._questions), "session": self._session}
        await self._timed("recall", "POST", "/v1/recall", body)

    async def search(self) -> None:
        """Asks for matches."""
        question = quote(self._choice.choice(self._questions))
        await self._timed("search", "GET", f"/v1/search?q={question}&limit=10")

    async def remember(self) -> None:
        """Stores a text that nobody else stores: a note and a commit; of a vault that keeps its size, a value."""
        if self._note:
            answer = await self._timed(
                "remember", "PATCH", f"/v1/notes/{quote(self._note)}", {"set": {"mark": self._next()}}
            )
            if answer:
                self._seen.commits[answer["commit"]] = answer["path"]
            return
        body = {"text": f"{self._words(20)} {self._next()}", "session": self._session}
        answer = await self._timed("remember", "POST", "/v1/remember", body)
        if answer and "commit" in answer:
            self._seen.commits[answer["commit"]] = answer["path"]

    async def capture(self) -> None:
        """Sends a turn that nobody else says; in a vault that keeps its size, it searches."""
        if self._note:
            await self.search()
            return
        mark = self._next()
        turn = {"role": "user", "content": f"{self._words(20)} {mark}"}
        answer = await self._timed(
            "capture", "POST", "/v1/capture", {"turns": [turn], "session": self._session}
        )
        if answer and all(turn.get("ok") for turn in answer.get("acknowledged", [])):
            self._seen.turns.append(mark)

    def _next(self) -> str:
        self._marks += 1
        return f"{self._mark}{self._marks:06d}"

    async def _timed(self, kind: str, method: str, path: str, body: Any = None) -> dict[str, Any] | None:
        start = time.perf_counter()
        try:
            status, data = await self._line.ask(method, path, body)
        except (OSError, EOFError) as error:
            self._seen.failures.append(f"{method} {path}: {error!r}")
            await self._line.open()
            return None
        self._seen.taken[kind].append((time.perf_counter() - start) * 1e3)
        if status != 200:
            self._seen.failures.append(f"{method} {path}: {status} {data[:160]!r}")
            return None
        return dict(json.loads(data)) if kind in ("remember", "capture") else None


async def _probe(server: Server, seen: Seen, seconds: float) -> None:
    """Looks at /healthz and at the memory of the server."""
    line, begun = Connection(server), time.monotonic()
    await line.open()
    looks = 0
    while (now := time.monotonic() - begun) < seconds:
        if now >= looks * seconds / LOOKS:
            seen.memory.append(memory(server.pid))
            looks += 1
        start = time.perf_counter()
        await line.ask("GET", "/healthz")
        seen.taken["healthz"].append((time.perf_counter() - start) * 1e3)
        await asyncio.sleep(1 / PROBES)
    seen.memory.append(memory(server.pid))
    line.close()


def phase(
    server: Server, given: argparse.Namespace, questions: list[str], label: str, seconds: float
) -> Seen:
    """All clients at once for a while."""
    seen = Seen()
    notes = sorted(given.steady)
    agents = [
        Agent(server, number, label, questions, seen, note=notes[number % len(notes)] if notes else "")
        for number in range(given.clients)
    ]

    async def work() -> None:
        asked = [agent.run(seconds, given.pace) for agent in agents]
        await asyncio.gather(*asked, _probe(server, seen, seconds))

    cpu, own, begun = spent(server.pid), time.process_time(), time.monotonic()
    asyncio.run(work())
    seen.seconds = time.monotonic() - begun
    seen.cpu, seen.own = spent(server.pid) - cpu, time.process_time() - own
    return seen


@contextmanager
def started(command: list[Any], server: Callable[[subprocess.Popen[bytes]], Server]) -> Iterator[Server]:
    """A server of its own; ended at the end of the block."""
    env = {k: v for k, v in WITH_BYTECODE.items() if k not in {"MEMORYCLAW_NOW", "MEMORYCLAW_VAULT"}}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=env)
    try:
        yield server(process)
    finally:
        process.terminate()
        process.wait(30)


def echoing() -> Any:
    """The echo, ready."""

    def listening(process: subprocess.Popen[bytes]) -> Server:
        assert process.stdout
        return Server(int(process.stdout.readline()), "", process.pid)

    return started([sys.executable, ECHO], listening)


def serving(vault: Path, token: str = "token") -> Any:
    """A daemon on the vault, ready, asked with this token of its own."""

    def listening(process: subprocess.Popen[bytes]) -> Server:
        assert process.stdout
        port = json.loads(process.stdout.readline())["port"]
        server = Server(port, (vault / f".memoryclaw/{token}").read_text().strip(), process.pid)
        while asyncio.run(_status(server, "/readyz")) != 200:
            time.sleep(0.2)
        return server

    return started([COMMAND, "serve", "--port", "0", "--json", "--vault", vault], listening)


async def _status(server: Server, path: str) -> int:
    line = Connection(server)
    await line.open()
    status, _ = await line.ask("GET", path)
    line.close()
    return status


def vault_of(folder: Path, count: int) -> list[str]:
    """A vault with a history, and the questions to ask it."""
    folder.mkdir()
    questions = write(folder, count)
    # How many requests a second one daemon takes is a setting; here it must not be what is measured.
    (folder / "memoryclaw.yaml").write_text("serve:\n  rate: 100000\n")
    subprocess.run([COMMAND, "init", folder], check=True, capture_output=True)
    who = ("-c", "user.name=Nora", "-c", "user.email=nora@example.org")
    for args in (("add", "-A"), ("commit", "-q", "-m", "notes")):
        subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True)
    return questions


# A team of agents: a `memoryclaw mcp` each, on one vault.


def team(vault: Path, count: int, seconds: float) -> Team:
    """So many agents at once, each with a server of its own, storing one memory after another."""
    env = {**WITH_BYTECODE, "MEMORYCLAW_VAULT": os.fspath(vault)}
    servers = [
        subprocess.Popen([COMMAND, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        for _ in range(count)
    ]
    result = Team()
    try:
        for server in servers:
            _call(server, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}})  # fmt: skip
            _send(server, {"method": "notifications/initialized"})
            _store(server, f"warm {server.pid}")
        end, begun = time.monotonic() + seconds, sum(spent(server.pid) for server in servers)

        def work(number: int) -> None:
            words, marks = Synthetic(1000 * count + number).sentences, 0
            while time.monotonic() < end:
                marks += 1
                start = time.perf_counter()
                failed, text = _store(servers[number], f"{words(20)} team{count}n{number}m{marks}")
                result.taken.append((time.perf_counter() - start) * 1e3)
                (result.failures if failed else result.stored).append(text)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        result.cpu = sum(spent(server.pid) for server in servers) - begun
    finally:
        for server in servers:
            server.communicate()
    return result


def _store(server: subprocess.Popen[bytes], text: str) -> tuple[bool, str]:
    answer = _call(server, "tools/call", {"name": "memory_store", "arguments": {"text": text}})["result"]
    return bool(answer.get("isError")), str(answer["content"][0]["text"])


def _call(server: subprocess.Popen[bytes], method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    _send(server, {"id": 1, "method": method, "params": params})
    assert server.stdout
    return next(answer for answer in map(json.loads, server.stdout) if "id" in answer)


def _send(server: subprocess.Popen[bytes], message: Mapping[str, Any]) -> None:
    assert server.stdin
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()


def ask_team(given: argparse.Namespace, seconds: float) -> int:
    """One agent, then the team, and what the goals say of them."""
    with tempfile.TemporaryDirectory(prefix="load") as folder:
        vault = Path(folder, "vault")
        vault_of(vault, given.notes)
        alone, together = (team(vault, count, seconds) for count in (1, given.processes))
        stored = [*alone.stored, *together.stored]
        log = subprocess.run(["git", "log", "--format=%H"], cwd=vault, check=True, capture_output=True, text=True).stdout  # fmt: skip
    commits = Counter(log.split())
    lost = sum(commits[_COMMIT.search(text)[1]] != 1 for text in stored)  # type: ignore[index]
    rows = [
        {"processes": count, "stores": len(row.taken), "rate": len(row.taken) / seconds, "failures": len(row.failures),
         "cpu_ms": row.cpu / max(len(row.taken), 1) * 1e3, "p50": percentile(row.taken, 0.5), "p95": percentile(row.taken, 0.95)}
        for count, row in ((1, alone), (given.processes, together))
    ]  # fmt: skip
    if given.json:
        print(json.dumps({"team": rows, "lost": lost}))
        return 0
    print(
        f"{'processes':>9}{'stores':>8}{'a second':>10}{'p50 ms':>8}{'p95 ms':>8}{'CPU ms':>8}{'failed':>8}"
    )
    for row in rows:
        print(
            f"{row['processes']:>9}{row['stores']:>8,}{row['rate']:>10.1f}{row['p50']:>8.1f}{row['p95']:>8.1f}{row['cpu_ms']:>8.1f}{row['failures']:>8}"
        )
    for failure in together.failures[:5]:
        print(f"  {failure[:160]}")
    print(f"commits {len(stored):,}, lost {lost}")
    for name, most in TEAM_GOALS:
        ratio = rows[1][name] / rows[0][name]
        print(
            f"goal: {name} {ratio:.1f} of {most} x that of one process: {'met' if ratio <= most else 'missed'}"
        )
    return 0


# What the system says of a process.


def _family(pid: int) -> list[int]:
    """A process and those of its children that stay; a git that it runs is gone before it counts."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    return [pid, *(child for child in children if b"git" not in _file(child, "cmdline").split(b"\0")[:2])]


def _file(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def memory(pid: int) -> int:
    """Bytes that a process and its children hold now."""
    rows = [_file(process, "status").partition(b"VmRSS:")[2].split() for process in _family(pid)]
    return sum(int(words[0]) for words in rows if words) * 1024


def spent(pid: int) -> float:
    """Seconds of processor time of a process and of all its children."""
    rows = [_file(process, "stat").rpartition(b") ")[2].split() for process in _family(pid)]
    return sum(int(word) for words in rows for word in words[11:15]) / _TICK


# What was acknowledged must be there.


def lost_turns(vault: Path, marks: list[str]) -> int:
    """Turns that were acknowledged and are not in the logs exactly once."""
    said: Counter[str] = Counter()
    for path in vault.glob("logs/*/*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            said[json.loads(line)["content"].rpartition(" ")[2]] += 1
    return sum(said[mark] != 1 for mark in marks)


def lost_commits(vault: Path, commits: Mapping[str, str]) -> int:
    """Notes that were acknowledged and are not, alone, in the commit that was named."""
    git = ["git", "log", "-z", "--format=%x01%H", "--name-only", "--no-renames"]
    log = subprocess.run(git, cwd=vault, check=True, capture_output=True, text=True).stdout
    paths_of = {}
    for entry in log.split("\x01")[1:]:
        commit, *paths = [part.strip("\n") for part in entry.split("\0") if part.strip("\n")]
        paths_of[commit] = paths
    return sum(paths_of.get(commit) != [path] for commit, path in commits.items())


def report(name: str, figures: dict[str, Any], echo: dict[str, Any]) -> None:
    """Prints what one phase measured, with the echo's share."""
    print(
        f"\n{name}: {figures['requests']:,} requests, {figures['rate']:.0f} a second ({figures['rate'] / echo['rate']:.2f} of the echo's), "
        f"{figures['failures']} failed; {figures['cpu_ms']:.2f} ms of processor time each ({figures['cpu_ms'] / echo['cpu_ms']:.1f} x the echo's), "
        f"{figures['cores']:.2f} cores, clients {figures['client_cores']:.2f}"
    )
    print(f"{'ms':9}{'count':>8}{'p50':>8}{'p95':>8}{'p99':>8}")
    for kind in (*dict(MIX), "healthz"):
        if shares := figures["ms"].get(kind):
            row = "".join(f"{shares[share]:8.1f}" for share in ("p50", "p95", "p99"))
            print(f"{kind:9}{figures['counts'][kind]:8,}{row}")
    if len(figures["memory"]) > 1:
        print("memory   " + " ".join(f"{size / 2**20:.0f}" for size in figures["memory"]) + " MiB")


def main() -> int:
    """Asks the echo, the daemon and the echo again, and prints them."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--notes", type=int, default=1000)
    options.add_argument("--clients", type=int, default=16)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--minutes", type=float, default=0, help="the same in minutes")
    options.add_argument(
        "--pace", type=float, default=0, help="requests a second of each client; 0: as fast as answers come"
    )
    options.add_argument("--steady", action="store_true", help="the vault keeps its size")
    options.add_argument(
        "--processes", type=int, default=0, help="a team of so many agents, each with a server of its own"
    )
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    seconds = given.minutes * 60 or given.seconds
    if given.processes:
        return ask_team(given, seconds)
    with tempfile.TemporaryDirectory(prefix="load") as folder:
        vault = Path(folder, "vault")
        print(f"writing {given.notes:,} notes …", file=sys.stderr)
        questions = vault_of(vault, given.notes)
        token = "owner-token" if given.steady else "token"
        given.steady = [
            f.relative_to(vault).with_suffix("").as_posix() for f in sorted(vault.glob("episodes/**/*.md"))
        ] * given.steady
        with echoing() as server, serving(vault, token) as daemon:
            print("warming up …", file=sys.stderr)
            for target in (server, daemon):
                phase(target, given, questions, "warm", min(WARM, seconds))
            echoes = [phase(server, given, questions, "echo", min(5.0, seconds))]
            ours = phase(daemon, given, questions, "ours", seconds)
            echoes.append(phase(server, given, questions, "echo", min(5.0, seconds)))
        lost = lost_turns(vault, ours.turns), lost_commits(vault, ours.commits)
    echo = max((measured.figures() for measured in echoes), key=lambda measured: measured["rate"])
    figures = ours.figures()
    if given.json:
        print(json.dumps({"echo": echo, "serve": figures, "lost": lost}))
        return 0
    report("echo", echo, echo)
    report("serve", figures, echo)
    for failure in ours.failures[:5]:
        print(f"  {failure}")
    print(
        f"\nturns kept {len(ours.turns):,}, lost or twice {lost[0]}; commits {len(ours.commits):,}, lost or torn {lost[1]}"
    )
    goals = [
        (f"{kind} p{share * 100:.0f}", figures["ms"][kind][f"p{share * 100:.0f}"], most)
        for kind, share, most in GOALS
    ]
    for name, got, most in goals:
        print(f"goal: {name} {got:.1f} of {most:.0f} ms: {'met' if got <= most else 'missed'}")
    print(
        f"goal: {figures['rate']:.0f} of {MOST} requests a second: {'met' if figures['rate'] >= MOST else 'missed'}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
