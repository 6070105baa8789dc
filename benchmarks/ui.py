"""How long the pages of `memoryclaw ui` take, and how large they are, through a real daemon with its watcher.

    python benchmarks/ui.py [--notes 10000] [--runs 40] [--json]

The reference of each page is the daemon's answer to `GET /healthz`, asked in turn with it. Goals are for reading, nothing fails on them.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import generate
from clock import percentile
from rows import Row, table, tell

COMMAND = Path(sys.executable).with_name("memoryclaw")
MILLISECONDS, KILOBYTES, SECONDS = ("ms", 1e3, 0), ("KB", 1e-3, 0), ("s", 1.0, 2)
WAITING, CHANGES = 100, 50
FIELDS = ("lead", "deadline", "phase", "budget", "city")


class Bench:
    """One vault, its daemon, and a browser's way into the page.

    Args:
        folder: an empty folder to work in.
        notes: how many notes are written.
        runs: how often each page is asked for.
    """

    def __init__(self, folder: Path, notes: int, runs: int) -> None:
        self.vault, self._runs = folder / "vault", runs
        # A daemon of a clock that stands is not found by `memoryclaw ui`.
        self._env = {
            **os.environ,
            "HOME": os.fspath(folder / "home"),
            "MEMORYCLAW_VAULT": os.fspath(self.vault),
        }
        self._env.pop("MEMORYCLAW_NOW", None)
        (folder / "home").mkdir()
        self._entities = [f"Project {number}" for number in range(notes // 25)]
        tell(
            f"writing {notes:,} notes, {len(self._entities):,} entities, {WAITING} questions and {CHANGES} commits"
        )
        self.questions = generate.write(self.vault, notes)
        self._facts()
        (self.vault / "memoryclaw.yaml").write_text("serve: {port: 0, rate: 10000}\n")
        self._git("init", "-q")
        self._git("add", "-A")
        self._git("commit", "-qm", "all")
        for number in range(CHANGES):
            (self.vault / "semantic" / "projects.md").open("a").write(f"\n- later{number}: {number}\n")
            self._git("commit", "-qam", f"change {number}")

    def _facts(self) -> None:
        chance, lines = random.Random(7), ["# Projects\n"]
        for entity in self._entities:
            lines.append(f"\n# {entity}\n")
            lines += [
                f"- {field}: {chance.randrange(10_000)} [since:: 2025-03-0{1 + at}]\n"
                for at, field in enumerate(FIELDS)
            ]
            lines.append("\n## History\n")
            lines += [
                f"- {field}: {chance.randrange(10_000)} [since:: 2025-01-01] [until:: 2025-03-01]\n"
                for field in FIELDS
            ]
        (self.vault / "semantic").mkdir(exist_ok=True)
        (self.vault / "semantic" / "projects.md").write_text("".join(lines[1:]).lstrip())
        waiting = [
            f"- [ ] Project {number}.deadline: 2026-0{1 + number % 9}-11 [confidence:: low] [source:: nowhere]\n  - why: said with a doubt\n"
            for number in range(WAITING)
        ]
        (self.vault / "semantic" / "_pending.md").write_text("# Waiting\n\n" + "".join(waiting))

    def _git(self, *args: str) -> None:
        who = ("-c", "user.name=b", "-c", "user.email=b@b", "-c", "gc.auto=0")
        subprocess.run(["git", *who, *args], cwd=self.vault, check=True, stdout=subprocess.DEVNULL)

    def rows(self) -> Iterator[Row]:
        """Everything that is measured."""
        self._run("sync")
        tell("starting the page without a daemon, and with one")
        start = time.perf_counter()
        opened = self._run("ui", "--no-open")
        self._enter(opened)
        size = len(self._get("/ui/review"))
        yield Row(
            name="`memoryclaw ui` to a page, no daemon",
            ours=time.perf_counter() - start,
            unit=SECONDS,
            most=2.5,
        )
        try:
            start = time.perf_counter()
            opened = self._run("ui", "--no-open")
            self._enter(opened)
            page = self._get("/ui/review").decode()
            yield Row(
                name="`memoryclaw ui` to a page, with a daemon",
                ours=time.perf_counter() - start,
                unit=SECONDS,
                most=0.6,
            )
            assets = sum(len(self._get(path)) for path in set(re.findall(r'/ui/static/[^"]+', page)))
            yield Row(name="a first visit, everything", ours=float(size + assets), unit=KILOBYTES, most=80)
            yield from self._pages()
        finally:
            self._run("serve", "--stop")

    def _pages(self) -> Iterator[Row]:
        chance = random.Random(7)
        browsed = re.findall(r'href="(/ui/note/[^"]+)"', self._get("/ui/notes?limit=400").decode())
        waiting = re.findall(r'href="(/ui/review/p-[^"]+)"', self._get("/ui/review").decode())
        asked = {
            "Note": (25, lambda: chance.choice(browsed)),
            f"Review, {len(waiting)} wait": (60, lambda: chance.choice(waiting)),
            "Notes, search": (50, lambda: f"/ui/notes?q={quote(chance.choice(self.questions))}"),
            "Recall": (70, lambda: f"/ui/recall?q={quote(chance.choice(self.questions))}"),
            f"Timeline, {CHANGES} changes": (80, lambda: "/ui/timeline"),
            "Entity": (80, lambda: f"/ui/entity/{quote(chance.choice(self._entities))}"),
            "Health": (200, lambda: "/ui/health"),
        }
        for name, (goal, path) in asked.items():
            tell(name)
            ours, reference, size = [], [], 0
            for _ in range(self._runs):
                at = path()
                start = time.perf_counter()
                size = max(size, len(self._get(at)))
                ours.append(time.perf_counter() - start)
                start = time.perf_counter()
                self._get("/healthz", host=f"127.0.0.1:{self._port}")
                reference.append(time.perf_counter() - start)
            yield Row(
                name=f"{name}, p50",
                ours=percentile(ours, 0.5),
                unit=MILLISECONDS,
                reference=percentile(reference, 0.5),
                of="healthz",
            )
            yield Row(
                name=f"{name}, p95",
                ours=percentile(ours, 0.95),
                unit=MILLISECONDS,
                reference=percentile(reference, 0.95),
                of="healthz",
                most=goal,
            )
            yield Row(name=f"{name}, the largest", ours=float(size), unit=KILOBYTES)

    def _run(self, *words: str) -> str:
        done = subprocess.run([COMMAND, *words], env=self._env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{words}: {done.stderr}")
        return done.stdout.strip()

    def _enter(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.netloc, parts.port or 80
        self._cookie = ""
        self._get(f"{parts.path}?{parts.query}")

    def _get(self, path: str, host: str = "") -> bytes:
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            line.request("GET", path, headers={"Host": host or self._host, "Cookie": self._cookie})
            answer = line.getresponse()
            data = answer.read()
            if answer.status != 200:
                raise SystemExit(f"{path}: {answer.status}: {data[:300]!r}")
            if kept := answer.getheader("Set-Cookie", "").partition(";")[0]:
                self._cookie = kept if "/enter" in path else self._cookie
            return data
        finally:
            line.close()


def main() -> int:
    """Prints the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--notes", type=int, default=10_000)
    options.add_argument("--runs", type=int, default=40)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = list(Bench(Path(folder), given.notes, given.runs).rows())
    if given.json:
        print(
            json.dumps(
                [{"name": row.name, "ours": row.ours, "goal": row.goal, "met": row.met} for row in rows],
                indent=1,
            )
        )
    else:
        print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
