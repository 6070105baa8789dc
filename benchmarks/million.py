"""Recall in very large vaults: milliseconds of a question in process, beside plain FTS5, and what is lost by looking up rare words alone.

Builds a vault of each size by the product's own sync (of a million units: about ten minutes and two gigabytes), or takes the one that
stands in --keep. Every question is asked by `App.recall`, by `App.search` and of a plain FTS5 index of the same units with the same
words by OR, in turn. The files are not looked at: in a vault that is served, the watcher answers for them.

    python benchmarks/million.py [--units 10000,100000,1000000] [--keep DIR] [--questions 200] [--json]
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clock import cpu, percentile
from manyunits import Many
from rows import tell

from memoryclaw.app import App, open_vault
from memoryclaw.index.sync import Freshness
from memoryclaw.recall import evidence
from memoryclaw.text.language import words_of

GOALS = {10_000: 10, 100_000: 20, 1_000_000: 120}  # milliseconds, p95
_PLAIN = "create virtual table plain using fts5(body)"


def kept(vault: Path) -> App:
    """An app whose index is known to be fresh, as a live watcher would say."""
    app = open_vault(vault, clock=today)
    app._context.refresh = Freshness  # noqa: SLF001 (nothing else says so without a daemon)
    return app


def measured(folder: Path, units: int, count: int) -> dict[str, Any]:
    """All figures of one size."""
    vault, asked = folder / f"vault{units}", folder / f"questions{units}.json"
    if not asked.exists():
        tell(f"writing {units:,} units")
        many = Many()
        many.write(vault, units)
        asked.write_text(json.dumps(many.questions()), encoding="utf-8")
    tell("sync")
    with open_vault(vault, clock=today) as app:
        synced = cpu(app.sync)
    questions = json.loads(asked.read_text(encoding="utf-8"))[:count]
    with kept(vault) as app, closing(plain(folder / f"plain{units}.sqlite", app)) as database:
        tell(f"{len(questions)} questions")
        asks: dict[str, Callable[[str], object]] = {
            "recall": app.recall, "search": app.search, "plain FTS5, OR": lambda text: loose(database, app, text),
        }  # fmt: skip
        times = timed(asks, questions)
        return {
            "units": app.index.size()[0], "sync_cpu_s": round(synced, 1), "ms": times, "lost": lost(app, questions),
            "goal_ms": GOALS.get(units), "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        }  # fmt: skip


def today() -> datetime:
    """A fixed day, so that every run ranks alike."""
    return datetime(2026, 1, 1, tzinfo=UTC)


def plain(path: Path, app: App) -> sqlite3.Connection:
    """An FTS5 table of the same texts in one column, as it comes: no analysis, no neighbours."""
    built = path.exists()
    database = sqlite3.connect(path)
    if not built:
        tell("plain FTS5")
        database.execute(_PLAIN)
        last = app.catalog.rows("select max(rowid) from unit")[0][0]
        for start in range(1, last + 1, 10_000):
            units = app.catalog.units(range(start, start + 10_000))
            database.executemany(
                "insert into plain(rowid, body) values(?,?)", ((n, unit.text) for n, unit in units.items())
            )
        database.commit()
    return database


def loose(database: sqlite3.Connection, app: App, text: str) -> list[Any]:
    """The ten best of plain FTS5 for the telling words of a question, by OR."""
    words = [word for word in words_of(text) if not app.index.language.is_stop(word)]
    match = " OR ".join(f'"{word}"' for word in words)
    sql = "select rowid, snippet(plain, 0, '[', ']', '…', 12) from plain where plain match ? order by rank limit 10"
    return database.execute(sql, (match,)).fetchall()


def timed(asks: dict[str, Callable[[str], object]], questions: list[str]) -> dict[str, dict[str, float]]:
    """The median and the 95th percentile over the questions, by the clock and in processor time, of the faster of two runs each."""
    for ask_one in asks.values():
        ask_one(questions[0])
    taken: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in asks}
    for question in questions:
        for name, ask_one in asks.items():
            runs = [both(lambda a=ask_one, q=question: a(q)) for _ in range(2)]
            for times, clocked in zip(taken[name], zip(*runs, strict=True), strict=True):
                times.append(min(clocked) * 1e3)
    return {
        name: {
            f"{kind} p{share * 100:.0f}": round(percentile(times, share), 2)
            for kind, times in zip(("wall", "cpu"), both, strict=True)
            for share in (0.5, 0.95)
        }
        for name, both in taken.items()
    }


def both(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds that something took, by the clock and of the processor."""
    start, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - used


def lost(app: App, questions: list[str]) -> dict[str, float]:
    """What is lost by looking up only the rarer words: the share of the first ten that is the same as with all words looked up."""
    shipped, same = evidence.LOOKED_UP, []
    for text in questions:
        matches = []
        for limit in (shipped, 1 << 40):
            evidence.LOOKED_UP = limit
            matches.append({match.unit.id for match in app.search(text, limit=10).matches})
        same.append(len(matches[0] & matches[1]) / max(len(matches[1]), 1))
    evidence.LOOKED_UP = shipped
    return {"overlap@10": round(sum(same) / max(len(same), 1), 4)}


def table(results: list[dict[str, Any]]) -> str:
    """The figures for people."""
    lines = [
        f"{'units':>9}  {'':16}{'wall p50':>10}{'wall p95':>10}{'cpu p50':>10}{'cpu p95':>10}   of plain, cpu p95"
    ]
    for result in results:
        base = result["ms"]["plain FTS5, OR"]["cpu p95"]
        for name, times in result["ms"].items():
            figures = "".join(f"{value:10.1f}" for value in _ordered(times))
            lines.append(f"{result['units']:>9,}  {name:16}{figures}   {times['cpu p95'] / base:.2f}")
        met = (
            ""
            if result["goal_ms"] is None
            else f"; goal p95 <= {result['goal_ms']} ms: "
            + ("met" if result["ms"]["recall"]["wall p95"] <= result["goal_ms"] else "MISSED")
        )
        shares = ", ".join(f"{name} {value:.3f}" for name, value in result["lost"].items())
        lines.append(f"{'':11}{shares}; peak {result['peak_mb']} MB{met}")
    return "\n".join(lines)


def _ordered(times: dict[str, float]) -> list[float]:
    return [times[name] for name in ("wall p50", "wall p95", "cpu p50", "cpu p95")]


def main() -> int:
    """Measures each size, and prints the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--units", default="10000,100000", help="sizes, apart by commas")
    options.add_argument("--questions", type=int, default=200)
    options.add_argument("--keep", type=Path, help="a folder for the vaults, which are built once")
    options.add_argument("--json", action="store_true", help="print JSON")
    given = options.parse_args()
    sizes = [int(size) for size in re.split(r"[,\s]+", given.units)]
    with tempfile.TemporaryDirectory(prefix="memoryclaw-million-") as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        results = [measured(folder, size, given.questions) for size in sizes]
    print(json.dumps(results, indent=1) if given.json else table(results))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
