"""Speed and size beside their references, measured in the same run and printed as one table.

    python benchmarks/scale.py [--notes 10000] [--rows cold,search] [--json]

Every figure is a median of runs that alternate with runs of its reference. Goals are for reading, nothing fails on them.
10,000 notes take about three minutes, 100,000 about half an hour (most of it Whoosh's); Ctrl-C ends it and leaves nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import generate
import watched
from clock import child, cpu, cpu_of, in_turn, per_question, percentile, wall
from plainwhoosh import PlainWhoosh
from references import RawFts5, walked
from rows import Row, measured, tell

from memoryclaw.app import App, open_vault
from memoryclaw.recall.search import Searcher, search

SECONDS, MILLISECONDS, MEGABYTES = ("s", 1.0, 2), ("ms", 1e3, 2), ("MB", 1e-6, 1)
WHOLE = ("ms", 1e3, 0)
LIMIT = 10


class Bench:
    """One vault, and what is built over it as rows need it.

    Args:
        folder: an empty folder to work in.
        runs: how often the quick things are measured.
    """

    def __init__(self, folder: Path, notes: int, runs: int) -> None:
        self._folder = folder
        self._runs = runs
        self.vault = folder / "vault"
        tell(f"writing {notes:,} notes")
        self.questions = generate.write(self.vault, notes)
        self._state = self.vault / ".memoryclaw"

    def cold(self) -> Iterator[Row]:
        """A first index, and what it leaves on disk."""
        for path in self._folder.glob("raw.sqlite*"):
            path.unlink()
        ours, raw = [], []
        for turn in range(3):
            tell(f"cold index {turn + 1} of 3")
            shutil.rmtree(self._state, ignore_errors=True)
            index = self._folder / f"raw{turn}.sqlite"
            ours.append(child("ours", self.vault))
            raw.append(child("fts5", self.vault, index))
            index.rename(self._folder / "raw.sqlite")
        for key, times in (("cpu", 2.5), ("wall", None)):
            measured, reference = (sorted(run[key] for run in side)[1] for side in (ours, raw))
            yield Row(
                name=f"cold index, {key}",
                ours=measured,
                unit=SECONDS,
                reference=reference,
                of="raw FTS5",
                times=times,
            )
        peaks = [max(run["peak"] for run in side) for side in (ours, raw)]
        yield Row(
            name="peak memory while indexing",
            ours=peaks[0],
            unit=MEGABYTES,
            reference=peaks[1],
            of="raw FTS5",
            most=80,
        )
        size, text = bytes_under(self._state), bytes_under(self.vault, ".md")
        yield Row(name="index on disk", ours=size, unit=MEGABYTES, reference=text, of="the notes", times=2.5)

    def rescan(self) -> Iterator[Row]:
        """A sync that finds nothing changed."""
        app = self._app
        for name, clock, most in (("wall", wall, 150), ("cpu", cpu, None)):
            tell(f"rescan, {name}")
            ours, bare = in_turn(
                2 * self._runs + 1, lambda c=clock: c(app.sync), lambda c=clock: c(lambda: walked(self.vault))
            )
            yield Row(
                name=f"rescan, {name}",
                ours=ours,
                unit=MILLISECONDS,
                reference=bare,
                of="bare walk",
                most=most,
                times=2,
            )

    def save(self) -> Iterator[Row]:
        """From a save to the moment that a reader finds it."""
        with watched.Watcher(self.vault) as watcher:
            tell("200 saves under a watcher")
            for kind, times in watcher.saves(self._app, 200).items():
                floor = sorted(watched.direct(self._raw, self.vault, 20))
                for share in (0.5, 0.95):
                    yield Row(
                        name=f"save to found, {kind}, p{share * 100:.0f}", ours=percentile(times, share), unit=MILLISECONDS,
                        reference=percentile(floor, share), of="raw FTS5, called", most=50 if share > 0.9 else None,
                    )  # fmt: skip

    def search(self) -> Iterator[Row]:
        """A question in process, with its explanation; on a busy machine the CPU says more than the clock."""
        for name, clock in (("search", wall), ("search, cpu", cpu)):
            tell(f"{name} in process")
            asks = self._ask, self._raw.search, lambda q: self._raw.search(q, any_word=True)
            ours, strict, loose = per_question(self.questions, self._runs, clock, *asks)
            for share in (0.5, 0.95):
                taken, reference, other = (percentile(side, share) for side in (ours, strict, loose))
                full = f"{name}, p{share * 100:.0f}"
                most, times = (5, 3) if share > 0.9 else (None, None)
                yield Row(
                    name=full,
                    ours=taken,
                    unit=MILLISECONDS,
                    reference=reference,
                    of="FTS5 + snippet()",
                    most=most,
                    times=times,
                )
                yield Row(name=full, ours=taken, unit=MILLISECONDS, reference=other, of="FTS5, words by OR")

    def cli(self) -> Iterator[Row]:
        """The command as a process, with and without a live watcher."""
        self._app.sync()
        command = [watched.PROGRAM, "search", "--vault", os.fspath(self.vault)]
        python = [sys.executable, "-c", "import sqlite3"]
        questions = iter(self.questions * 9)
        ask, start = (lambda: cpu_of([*command, next(questions)])), (lambda: cpu_of(python))
        with watched.Watcher(self.vault) as watcher:
            tell("the command, with a live watcher")
            ask()  # leaves its modules compiled
            ours, bare = in_turn(4 * self._runs, ask, start)
            yield Row(
                name="search command, CPU, watched",
                ours=ours,
                unit=WHOLE,
                reference=bare,
                of="import sqlite3",
                times=6,
            )
            served = [wall(lambda q=q: self._app.search(q)) for q in self.questions]
            for share in (0.5, 0.95):
                yield Row(
                    name=f"App.search, watched, p{share * 100:.0f}",
                    ours=percentile(served, share),
                    unit=MILLISECONDS,
                )
            watcher.stop()
        tell("the command, without a watcher")
        ours, bare, walk = in_turn(4 * self._runs, ask, start, lambda: cpu(lambda: walked(self.vault)))
        yield Row(
            name="search command, CPU, unwatched",
            ours=ours,
            unit=WHOLE,
            reference=bare,
            of="import sqlite3",
            times=6,
            plus=1.5 * walk,
        )
        grep = shutil.which("rg") or shutil.which("grep")
        if grep:
            tell("the command beside " + Path(grep).name)
            flags = ["-i", "-l", "-F", "-r"] if grep.endswith("grep") else ["-i", "-l", "-F"]
            floor = lambda: cpu_of([grep, *flags, "--", next(questions), os.fspath(self.vault)])  # noqa: E731 - one of two alike
            ours, bare = in_turn(4 * self._runs, ask, floor)
            yield Row(
                name="search command, CPU, unwatched",
                ours=ours,
                unit=WHOLE,
                reference=bare,
                of=Path(grep).name,
            )

    def whoosh(self) -> Iterator[Row]:
        """Whoosh under us, and Whoosh as a person would write it."""
        vault, plain = self._folder / "second", self._folder / "plain"
        tell("Whoosh: both indexes")
        shutil.copytree(self.vault, vault, ignore=shutil.ignore_patterns(".memoryclaw"))
        (vault / "memoryclaw.yaml").write_text("index:\n  engine: whoosh\n", encoding="utf-8")
        ours, bare = child("ours", vault), child("whoosh", vault, plain)
        yield Row(
            name="whoosh engine, cold, cpu",
            ours=ours["cpu"],
            unit=SECONDS,
            reference=bare["cpu"],
            of="plain Whoosh",
        )
        size = bytes_under(vault / ".memoryclaw")
        yield Row(
            name="whoosh engine, on disk",
            ours=size,
            unit=MEGABYTES,
            reference=bytes_under(plain),
            of="plain Whoosh",
        )
        tell("Whoosh: search")
        app, own = open_vault(vault, clock=today), PlainWhoosh.open(plain)
        ours, bare, fts = per_question(
            self.questions, 1, wall, lambda q: asked(app, q), own.search, self._ask
        )
        for share in (0.5, 0.95):
            taken, reference, other = (percentile(side, share) for side in (ours, bare, fts))
            name = f"whoosh engine, search p{share * 100:.0f}"
            yield Row(name=name, ours=taken, unit=MILLISECONDS, reference=reference, of="plain Whoosh")
            yield Row(name=name, ours=taken, unit=MILLISECONDS, reference=other, of="our fts5 engine")
        app.close()

    @cached_property
    def _app(self) -> App:
        app = open_vault(self.vault, clock=today)
        app.sync()
        return app

    @cached_property
    def _raw(self) -> RawFts5:
        path = self._folder / "raw.sqlite"
        built = path.exists()
        raw = RawFts5(path)
        if not built:
            raw.build(self.vault)
        return raw

    def _ask(self, question: str) -> object:
        return asked(self._app, question)


def asked(app: App, question: str) -> object:
    """The explained answer from the index as it stands, as every door gives it once the index is fresh."""
    return search(Searcher(app.index, app.catalog, app.clock().date()), question, kind="", limit=LIMIT)


def today() -> datetime:
    """A fixed day, so that every run ranks alike."""
    return datetime(2026, 1, 1, tzinfo=UTC)


def bytes_under(folder: Path, suffix: str = "") -> int:
    """The bytes of all files below a folder whose names end so."""
    return sum(path.stat().st_size for path in folder.rglob(f"*{suffix}") if path.is_file())


def main() -> int:
    """Measures, and prints the table."""
    groups = ("cold", "rescan", "save", "search", "cli", "whoosh")
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--notes", type=int, default=10_000)
    options.add_argument(
        "--runs", type=int, default=5, help="how often quick things are measured (default 5)"
    )
    rows = measured(options, groups, "bench", lambda folder, given: Bench(folder, given.notes, given.runs))
    print(rows)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
