"""Agents at one daemon: clients that recall, search, capture and edit over HTTP, for a minute, beside `/healthz` as the floor.

First at the pace of agents, then as fast as answers come. Afterwards every turn that was acknowledged is looked for in the
logs. The vault is synthetic, in a temporary folder that is gone afterwards.

    python benchmarks/load.py [--notes 10000] [--seconds 60] [--clients 8] [--pace 2] [--rows paced,closed] [--json]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from clock import percentile
from generate import write

COMMAND = Path(sys.executable).with_name("memoryclaw")
MIX = (("recall", 8), ("search", 6), ("capture", 4), ("edit", 2))
WARM = 40  # recalls before anything counts
GOAL = 25.0  # ms: 95 of 100 recalls
ROWS = ("healthz", "recall", "· fresh", "· answer", "search", "capture", "edit")
NOT_ASKED = ("healthz", "· fresh", "· answer")


class Daemon(NamedTuple):
    """Where it listens, how it knows us, and its process."""

    port: int
    token: str
    pid: int


class Work(NamedTuple):
    """What one client does."""

    daemon: Daemon
    number: int
    seconds: float
    pace: float  # operations a second; 0: as fast as answers come
    questions: list[str]
    notes: list[str]
    label: str


class Done(NamedTuple):
    """What one client saw: milliseconds by kind, failures, and the marks of the turns that were acknowledged."""

    taken: dict[str, list[float]]
    failures: list[str]
    marks: list[str]


class Client:
    """One agent: a connection that is kept, and a seeded choice of what to ask next."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._line = http.client.HTTPConnection("127.0.0.1", work.daemon.port, timeout=30)
        self._choice = random.Random(f"{work.label}{work.number}")
        self.done = Done(defaultdict(list), [], [])

    def run(self) -> Done:
        """Works until the time is over."""
        work, begun = self._work, time.monotonic()
        pause = 1 / work.pace if work.pace else 0.0
        at = begun + self._choice.random() * pause
        kinds, weights = zip(*MIX, strict=True)
        while at < begun + work.seconds:
            time.sleep(max(0.0, at - time.monotonic()))
            kind = self._choice.choices(kinds, weights)[0]
            if kind == "recall":  # beside its floor, at the same moment
                self._timed("healthz", "GET", "/healthz")
            getattr(self, kind)()
            at = at + pause if pause else time.monotonic()
        self._line.close()
        return Done(dict(self.done.taken), self.done.failures, self.done.marks)

    def recall(self) -> None:
        """Asks for a context; what the daemon says that its steps took is kept too."""
        found = self._timed(
            "recall", "POST", "/v1/recall", {"query": self._question(), "session": self._session}
        )
        for step, taken in (found or {}).get("timings_ms", {}).items():
            self.done.taken[f"· {step}"].append(taken)

    def search(self) -> None:
        """Asks for matches."""
        self._timed("search", "GET", f"/v1/search?q={quote(self._question())}&limit=10")

    def capture(self) -> None:
        """Sends two turns that nobody else says."""
        mark = f"mark{self._work.label}{self._work.number:02d}n{len(self.done.marks):06d}"
        said = [
            {"role": "user", "content": f"{self._question()} {mark}a"},
            {"role": "assistant", "content": f"Noted, {mark}b."},
        ]
        found = self._timed("capture", "POST", "/v1/capture", {"turns": said, "session": self._session})
        kept = (found or {}).get("acknowledged", [])
        if len(kept) == len(said) and all(one.get("ok") for one in kept):
            self.done.marks.extend((f"{mark}a", f"{mark}b"))
        else:
            self.done.failures.append(f"capture acknowledged {kept}")

    def edit(self) -> None:
        """Sets a field of a note that no other client edits: one commit."""
        note = self._choice.choice(self._work.notes)
        fields = {"set": {"reviewed": f"{len(self.done.taken['edit'])} {self._choice.random():.6f}"}}
        self._timed("edit", "PATCH", f"/v1/notes/{quote(note, safe='')}", fields)

    @property
    def _session(self) -> str:
        return f"load-{self._work.label}-{self._work.number}"

    def _question(self) -> str:
        return self._choice.choice(self._work.questions)

    def _timed(self, kind: str, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self._work.daemon.token}", "Content-Type": "application/json"}
        start = time.perf_counter()
        try:
            self._line.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self._line.getresponse()
            data = answer.read()
        except OSError as error:
            self._line.close()
            self.done.failures.append(f"{method} {path}: {error!r}")
            return None
        self.done.taken[kind].append((time.perf_counter() - start) * 1e3)
        if answer.status != 200:
            self.done.failures.append(f"{method} {path}: {answer.status} {data[:160]!r}")
            return None
        return json.loads(data)


def client(work: Work) -> Done:
    return Client(work).run()


@contextmanager
def serving(vault: Path) -> Iterator[Daemon]:
    """A daemon of its own, ready; ended at the end of the block."""
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in {"MEMORYCLAW_NOW", "MEMORYCLAW_VAULT", "PYTHONDONTWRITEBYTECODE"}
    }
    process = subprocess.Popen(
        [COMMAND, "serve", "--port", "0", "--json", "--vault", vault], stdout=subprocess.PIPE, env=env
    )
    try:
        assert process.stdout
        told = json.loads(process.stdout.readline())
        token = (vault / ".memoryclaw/token").read_text().strip()
        daemon = Daemon(told["port"], token, process.pid)
        while not _ready(daemon.port):
            time.sleep(0.2)
        yield daemon
    finally:
        process.terminate()
        process.wait(30)


def _ready(port: int) -> bool:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("GET", "/readyz")
    status = line.getresponse().status
    line.close()
    return status == 200


def vault_of(folder: Path, count: int) -> tuple[list[str], list[str]]:
    """A vault with a history, the questions to ask it, and the ids of its notes."""
    vault = folder / "vault"
    vault.mkdir()
    questions = write(vault, count)
    # How many requests a second one daemon takes is a setting; here it must not be what is measured.
    (vault / "memoryclaw.yaml").write_text("serve:\n  rate: 100000\n")
    subprocess.run([COMMAND, "init", vault], check=True, capture_output=True)
    who = ("-c", "user.name=Nora", "-c", "user.email=nora@example.org")
    for args in (("add", "-A"), ("commit", "-q", "-m", "notes")):
        subprocess.run(["git", *who, *args], cwd=vault, check=True, capture_output=True)
    paths = [path for kind in ("episodes", "facts") for path in sorted(vault.glob(f"{kind}/*/*.md"))]
    return questions, [os.fspath(path.relative_to(vault)).removesuffix(".md") for path in paths]


def memory(pid: int) -> int:
    """Bytes that the process holds now."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) * 1024


def phase(
    daemon: Daemon, given: argparse.Namespace, asked: tuple[list[str], list[str]], label: str, pace: float
) -> dict[str, Any]:
    """One minute of all clients; what they saw, and what the daemon held at its start, middle and end."""
    questions, notes = asked
    works = [
        Work(daemon, number, given.seconds, pace, questions, notes[number :: given.clients], label)
        for number in range(given.clients)
    ]
    held = [memory(daemon.pid)]
    with ProcessPoolExecutor(given.clients, get_context("spawn")) as pool:
        running = [pool.submit(client, work) for work in works]
        time.sleep(given.seconds / 2)
        held.append(memory(daemon.pid))
        done = [future.result() for future in running]
    held.append(memory(daemon.pid))
    taken: dict[str, list[float]] = defaultdict(list)
    for one in done:
        for kind, found in one.taken.items():
            taken[kind] += found
    return {
        "label": label, "taken": dict(taken), "held": held,
        "failures": [failure for one in done for failure in one.failures], "marks": [mark for one in done for mark in one.marks],
    }  # fmt: skip


def lost(vault: Path, marks: list[str]) -> list[str]:
    """Turns that were acknowledged and are not in the logs exactly once."""
    said: Counter[str] = Counter()
    for path in vault.glob("logs/*/*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            said[json.loads(line)["content"].rstrip(".").rpartition(" ")[2]] += 1
    return [mark for mark in marks if said[mark] != 1]


def told(found: dict[str, Any], seconds: float) -> None:
    count = sum(len(taken) for kind, taken in found["taken"].items() if kind not in NOT_ASKED)
    print(
        f"\n{found['label']}: {count:,} operations in {seconds:.0f} s ({count / seconds:.0f} a second), {len(found['failures'])} errors"
    )
    print(f"{'ms':9}{'count':>7}{'p50':>8}{'p95':>8}{'p99':>8}{'worst':>8}")
    for kind in ROWS:
        taken = found["taken"].get(kind, [])
        if taken:
            figures = (*(percentile(taken, share) for share in (0.5, 0.95, 0.99)), max(taken))
            print(f"{kind:9}{len(taken):7,}" + "".join(f"{figure:8.1f}" for figure in figures))
    print(
        "memory    "
        + " -> ".join(f"{held / 2**20:.1f} MiB" for held in found["held"])
        + "  (start, middle, end)"
    )
    for failure in found["failures"][:5]:
        print(f"  {failure}")


def main() -> int:
    """Runs both rows and prints them."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--notes", type=int, default=10_000)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--clients", type=int, default=8)
    options.add_argument("--pace", type=float, default=2, help="operations a second of each client")
    options.add_argument("--rows", default="paced,closed", help="which of the two")
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="load") as folder:
        print(f"writing {given.notes:,} notes …", file=sys.stderr)
        asked = vault_of(Path(folder), given.notes)
        vault = Path(folder, "vault")
        with serving(vault) as daemon:
            print("warming up …", file=sys.stderr)
            warm = Client(Work(daemon, 99, 0, 0, *asked, "warm"))
            for _ in range(WARM):
                warm.recall()
            paces = [(row, given.pace if row == "paced" else 0.0) for row in given.rows.split(",")]
            found = [phase(daemon, given, asked, row, pace) for row, pace in paces]
        missing = lost(vault, [mark for one in found for mark in one["marks"]])
    if given.json:
        print(json.dumps({"phases": found, "lost": missing}))
        return 0
    for one in found:
        told(one, given.seconds)
    print(f"\nturns kept {sum(len(one['marks']) for one in found):,}, lost or twice {len(missing)}")
    if found[0]["label"] == "paced":
        p95 = percentile(found[0]["taken"]["recall"], 0.95)
        print(f"goal: recall p95 {p95:.1f} of {GOAL:.0f} ms: {'met' if p95 <= GOAL else 'missed'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
