"""Many vaults on PostgreSQL beside one vault in SQLite, on one machine and in one run.

    python memoryclaw-fleet/benchmark.py load   [--vaults 10000] [--notes 100]     load vaults, and the upsert of one note
    python memoryclaw-fleet/benchmark.py recall [--vaults 1000] [--notes 1000]     recall beside fts5 on one such vault, and a round trip
    python memoryclaw-fleet/benchmark.py jobs   [--jobs 2000]                      consolidation jobs through two workers, one of them killed

PostgreSQL is Debian's, started for the run with its own defaults but for `shared_buffers`, and durable. Figures are for reading, nothing
fails on them; each line says what it is beside. `--json` prints them as one object.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, os.fspath(Path(__file__).resolve().parent / "tests"))
sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1] / "benchmarks"))
import generate
from postgres import Server
from progress import Progress

from memoryclaw.app import App
from memoryclaw_fleet.jobs import Jobs
from memoryclaw_fleet.postgres import Postgres
from memoryclaw_fleet.postgres_index import STEPS
from memoryclaw_fleet.settings import SERVER
from memoryclaw_fleet.store import Fleet

SETTINGS = ("shared_buffers=1GB", "max_wal_size=4GB", "max_connections=100")
NOW = "2026-04-20T08:00:00Z"
DATABASE = "fleet"
TOLD = "The deadline of Bluebarn is 2027-01-20."
_POOL = 50  # folders of notes; the vaults of a large load share them, each under a name of its own


@contextmanager
def server(folder: Path) -> Iterator[Server]:
    """A durable server for one run."""
    made = Server(folder, SETTINGS)
    made.init()
    made.start()
    made.execute("postgres", "create role claw login createdb")
    made.execute("postgres", f"create database {DATABASE} owner claw")
    try:
        yield made
    finally:
        made.stop("fast")


def vault_of(url: str, root: Path, name: str) -> App:
    """A vault with its index on the server."""
    return App(
        root,
        overrides={"engine": "postgres", "extra": {SERVER: url, "index.vault": name, "index.connections": 2}},
    )


def loaded(url: str, names: list[str], folders: list[str]) -> list[float]:
    """Indexes vaults, and returns how long each took."""
    times = []
    for name, folder in zip(names, folders, strict=True):
        began = time.perf_counter()
        with vault_of(url, Path(folder), name) as app:
            app.sync()
        times.append(time.perf_counter() - began)
    return times


def load(folder: Path, url: str, vaults: int, notes: int) -> tuple[float, list[Path]]:
    """Loads vaults with two processes; returns the seconds, and the folders."""
    folders = []
    for n in range(min(vaults, _POOL)):
        folders.append(folder / f"vault-{n}")
        generate.write(folders[-1], notes, seed=n)
    made = Postgres(url)
    made.migrate("index", STEPS)
    made.close()
    progress, done = Progress(), 0
    began = time.perf_counter()
    with ProcessPoolExecutor(2) as processes:
        # Each process has folders of its own: what is beside the notes in one is for one process at a time.
        batches = []
        for start in range(0, vaults, 20):
            numbers = range(start, min(start + 20, vaults))
            half = [place for at, place in enumerate(folders) if at % 2 == start // 20 % 2] or folders
            batches.append(
                processes.submit(
                    loaded, url, [f"v{n}" for n in numbers], [os.fspath(half[n % len(half)]) for n in numbers]
                )
            )
        for batch in batches:
            done += len(batch.result())
            progress.report("loaded", done, vaults)
    return time.perf_counter() - began, folders


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def spread(times: list[float]) -> dict[str, float]:
    """The median and the 95th percentile."""
    ordered = sorted(times)
    return {
        "p50_ms": round(statistics.median(ordered), 2),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)], 2),
    }


def bench_load(folder: Path, vaults: int, notes: int) -> dict[str, Any]:
    """Loading, and then the upsert of one note."""
    with server(folder / "pg") as made:
        url = made.url(DATABASE, "claw")
        seconds, folders = load(folder, url, vaults, notes)
        made.execute(DATABASE, "analyze")
        root, times = folders[0], []
        with vault_of(url, root, "v0") as app:
            app.sync()
            note = next(root.rglob("*.md"))
            for n in range(50):
                note.write_text(note.read_text(encoding="utf-8") + f"\nmore {n}\n", encoding="utf-8")
                times.append(timed(app.sync))
        size = made_size(url)
    return {
        "vaults": vaults, "notes": vaults * notes, "seconds": round(seconds, 1), "notes_per_second": round(vaults * notes / seconds),
        "minutes_for_1_000_000_notes": round(seconds / (vaults * notes) * 1e6 / 60, 1), "database_MB": round(size / 1e6), "upsert": spread(times),
    }  # fmt: skip


def made_size(url: str) -> int:
    """How large the database is."""
    made = Postgres(url)
    with made.connection() as connection:
        row = connection.execute("select pg_database_size(current_database())").fetchone()
    made.close()
    return int(row[0]) if row else 0


def bench_recall(folder: Path, vaults: int, notes: int) -> dict[str, Any]:
    """Recall in one of many vaults, beside fts5 on the same files, asked in turn."""
    with server(folder / "pg") as made:
        url = made.url(DATABASE, "claw")
        load(folder, url, vaults, notes)
        made.execute(DATABASE, "vacuum analyze")
        root = folder / "vault-0"
        other = shutil.copytree(root, folder / "fts5", ignore=shutil.ignore_patterns(".memoryclaw"))
        questions = generate.write(folder / "questions", notes, seed=0)
        ours, theirs, trips = [], [], []
        with vault_of(url, root, "v0") as pg, App(other) as fts5:
            for question in questions[:10]:
                assert [match.unit.id for match in pg.recall(question).matches] == [
                    match.unit.id for match in fts5.recall(question).matches
                ]
            plain = Postgres(url)
            for question in questions:
                theirs.append(timed(lambda question=question: fts5.recall(question)))
                ours.append(timed(lambda question=question: pg.recall(question)))
                with plain.connection() as connection:
                    trips.append(
                        timed(lambda connection=connection: connection.execute("select 1").fetchone())
                    )
            plain.close()
    figures = {"postgres": spread(ours), "fts5": spread(theirs), "round_trip": spread(trips)}
    ratios = {
        key: round((figures["postgres"][key] - figures["round_trip"][key]) / figures["fts5"][key], 2)
        for key in ("p50_ms", "p95_ms")
    }
    return {"vaults": vaults, "notes_each": notes, **figures, "times_fts5_less_a_round_trip": ratios}


def bench_jobs(folder: Path, count: int) -> dict[str, Any]:
    """Consolidation jobs of small vaults through two workers, one of which is killed."""
    from towns import Node, Town  # noqa: PLC0415 - they bring pytest

    with server(folder / "pg") as made:
        url = made.url(DATABASE, "claw")
        queue = Jobs(Postgres(url, most=8))
        queue.server.migrate("index", STEPS)
        queue.migrate()
        town = Town(folder, url)
        node = Node(folder / "one", "one", url, folder / "one.log", "--connections", "20")
        try:
            # One vault with a turn that tells a fact; the others begin as copies of its remote.
            token = town.vault("v0")
            turn = {"session": "s", "turn": 1, "ts": "2026-04-18T10:00:00Z", "role": "user", "content": TOLD}
            node.ask("POST", "/v1/capture", token, json={"turns": [turn]}).raise_for_status()
            fleet, names = Fleet(queue.server), [f"v{n}" for n in range(count)]
            for name in names[1:]:
                shutil.copytree(folder / "v0.git", folder / f"{name}.git")
                fleet.add(name, os.fspath(folder / f"{name}.git"))
            progress = Progress()
            while (there := sum(vault.synced is not None for vault in fleet.vaults("one"))) < count:
                progress.report("at home", there, count)
                time.sleep(1)
            queue.ask(names)
            command = [
                Path(sys.executable).with_name("memoryclaw"),
                "work",
                "--index",
                url,
                "--concurrency",
                "8",
                "--json",
            ]
            began = time.perf_counter()
            workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(2)]
            while len(queue.queued()) > count * 0.8:
                time.sleep(0.2)
            workers[0].kill()
            while any(job.state != "dead" for job in queue.queued()):
                time.sleep(1)
                if time.perf_counter() - began > 3600:
                    break
            seconds, left = time.perf_counter() - began, queue.queued()
            workers[1].terminate()
            workers[1].wait(60)
            runs = [len(list((folder / "one" / name / "runs").glob("*.json"))) for name in names]
        finally:
            node.end()
    return {
        "jobs": count, "seconds": round(seconds, 1), "jobs_per_second": round(count / seconds, 1), "left": len(left),
        "dead": sum(job.state == "dead" for job in left), "lost": sum(n == 0 for n in runs), "twice": sum(n > 1 for n in runs),
    }  # fmt: skip


def main() -> None:
    """Runs one of the three and prints its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["load", "recall", "jobs"])
    parser.add_argument("--vaults", type=int)
    parser.add_argument("--notes", type=int)
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    os.environ["MEMORYCLAW_NOW"] = NOW
    random.seed(7)
    with tempfile.TemporaryDirectory(prefix="fleet-") as place:
        folder = Path(place)
        (folder / "pg").mkdir()
        folder.chmod(0o755)
        if asked.what == "jobs":
            figures = bench_jobs(folder, asked.jobs)
        else:
            vaults, notes = (10_000, 100) if asked.what == "load" else (1000, 1000)
            bench = bench_load if asked.what == "load" else bench_recall
            figures = bench(folder, asked.vaults or vaults, asked.notes or notes)
    if asked.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(
                f"{name.replace('_', ' '):32} {value if not isinstance(value, dict) else '  '.join(f'{k} {v}' for k, v in value.items())}"
            )


if __name__ == "__main__":
    main()
