"""What a night costs: consolidating a day, the same day in a small and in a large vault, and a year of logs at once.

    python benchmarks/night.py [--turns 2000] [--notes 10000] [--days 365] [--rows day,vault,year] [--json]

Everything goes through the installed command, a fresh process each time, without a model. With the defaults it takes
some ten minutes, most of it the year. Goals are for reading, nothing fails on them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import generate
from clock import WITH_BYTECODE
from rows import Row, measured, tell
from talk import FIRST_DAY, Talk, write

PROGRAM = os.fspath(Path(sys.executable).with_name("memoryclaw"))
SECONDS, MILLISECONDS = ("s", 1.0, 2), ("ms", 1e3, 1)
RATE = ("/s", 1.0, 0)
SMALL = 100
WHO = ("-c", "user.name=Nora", "-c", "user.email=nora@example.org")


class Took(NamedTuple):
    """What one process took, in seconds, and the most memory it held, in bytes."""

    wall: float
    cpu: float
    peak: float


class Night:
    """Vaults with logs that nobody has read yet.

    Args:
        folder: an empty folder to work in.
        turns: of a day.
        notes: of a large vault.
        days: of a year.
        runs: how often a day is measured.
    """

    def __init__(self, folder: Path, turns: int, notes: int, days: int, runs: int) -> None:
        self._folder = folder
        self._turns = turns
        self._notes = notes
        self._days = days
        self._runs = runs

    def day(self) -> Iterator[Row]:
        """One day of many turns, planned and applied, each time in a new vault."""
        tell(f"a day of {self._turns:,} turns, {self._runs} times")
        planned, applied, commits = [], [], []
        for run in range(self._runs):
            vault = self._vault(f"day{run}", SMALL)
            write(vault / "logs", Talk(run).day(0, self._turns))
            memoryclaw(vault, 0, "sync")
            planned.append(memoryclaw(vault, 0, "consolidate", "--llm", "none", "--dry-run"))
            before = count_commits(vault)
            applied.append(memoryclaw(vault, 0, "consolidate", "--llm", "none"))
            commits.append(count_commits(vault) - before)
        for kind in ("wall", "cpu"):
            plan, both = (
                statistics.median(getattr(took, kind) for took in side) for side in (planned, applied)
            )
            yield Row(
                name=f"plan and apply {self._turns:,} turns, {kind}", ours=both, unit=SECONDS, reference=plan,
                of="plan alone", most=10 if kind == "wall" else None,
            )  # fmt: skip
        ours = statistics.median(
            (a.wall - p.wall) / n for a, p, n in zip(applied, planned, commits, strict=True)
        )
        tell("bare git commits")
        bare = bare_commits(vault, 40)
        yield Row(
            name="one commit", ours=ours, unit=MILLISECONDS, reference=bare, of="git commit --only", times=2
        )
        yield Row(name="peak memory", ours=max(took.peak for took in applied), unit=("MB", 1e-6, 0))

    def vault(self) -> Iterator[Row]:
        """The same new log in a small and in a large vault, whose indexes are warm."""
        sizes = (self._notes, SMALL)
        vaults = [self._vault(f"notes{size}", size) for size in sizes]
        for vault in vaults:
            memoryclaw(vault, 0, "sync")
        tell(f"the same {self._turns // 10} turns in vaults of {self._notes:,} and {SMALL} notes")
        taken: list[list[Took]] = [[] for _ in vaults]
        talk = Talk()
        for day in range(self._runs + 1):
            said = talk.day(day, self._turns // 10)
            for vault, times in zip(vaults, taken, strict=True):
                write(vault / "logs", said)
                memoryclaw(vault, day, "sync")
                times.append(memoryclaw(vault, day, "consolidate", "--llm", "none"))
        for kind in ("wall", "cpu"):
            # The first night also reads what is there: aliases, schema, names.
            ours, reference = (statistics.median(getattr(took, kind) for took in side[1:]) for side in taken)
            yield Row(
                name=f"{self._turns // 10} turns, {self._notes:,} notes, {kind}", ours=ours, unit=SECONDS,
                reference=reference, of=f"{SMALL} notes", times=1.5,
            )  # fmt: skip

    def year(self) -> Iterator[Row]:
        """A year of logs of another program, imported and consolidated at once."""
        source, vault = self._folder / "source", self._vault("year", SMALL)
        talk, each = Talk(), max(self._turns // 20, 1)
        turns = sum(write(source, talk.day(day, each)) for day in range(self._days))
        tell(f"importing {turns:,} turns of {self._days} days")
        took = memoryclaw(vault, self._days, "import", "logs", os.fspath(source))
        yield Row(name="import, turns", ours=turns / took.wall, unit=RATE)
        tell("consolidating them")
        memoryclaw(vault, self._days, "sync")
        before = count_commits(vault)
        took = memoryclaw(vault, self._days, "consolidate", "--llm", "none")
        made = count_commits(vault) - before
        yield Row(name=f"consolidate {turns:,} turns", ours=took.wall, unit=SECONDS)
        yield Row(name=f"commits, of {made:,}", ours=made / took.wall, unit=RATE)
        yield Row(name="peak memory of a year", ours=took.peak, unit=("MB", 1e-6, 0))

    def _vault(self, name: str, notes: int) -> Path:
        """A vault whose notes are committed."""
        vault = self._folder / name
        tell(f"writing a vault of {notes:,} notes")
        memoryclaw(vault, 0, "init")
        generate.write(vault, notes)
        git(vault, "add", "--all")
        git(vault, "commit", "-qm", "My notes so far")
        return vault


def memoryclaw(vault: Path, day: int, *words: str) -> Took:
    """What one run of the command took, in the night after a day."""
    night = f"{FIRST_DAY + timedelta(days=day + 1)}T03:00:00Z"
    env = {**WITH_BYTECODE, "MEMORYCLAW_NOW": night, "MEMORYCLAW_VAULT": os.fspath(vault)}
    start = time.perf_counter()
    process = subprocess.Popen(
        [PROGRAM, *words, "--json"], env=env, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    assert process.stdout
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"memoryclaw {' '.join(words)} ended with {process.returncode}: {printed[:500]!r}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Took(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss * scale)


def git(vault: Path, *words: str) -> str:
    """What git prints in a vault."""
    return subprocess.run(["git", *WHO, *words], cwd=vault, capture_output=True, text=True, check=True).stdout


def count_commits(vault: Path) -> int:
    """How many commits lead to the vault's present state."""
    return int(git(vault, "rev-list", "--count", "HEAD"))


def bare_commits(vault: Path, count: int) -> float:
    """Median seconds of `git commit --only` of one episode of a vault."""
    episode = min((vault / "episodes").glob("*.md"))
    taken = []
    for number in range(count):
        episode.write_text(f"{number}\n", encoding="utf-8")
        start = time.perf_counter()
        git(
            vault,
            "commit",
            "-q",
            "--only",
            "-m",
            f"one more {number}",
            "--",
            os.fspath(episode.relative_to(vault)),
        )
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> int:
    """Measures, and prints the table."""
    groups = ("day", "vault", "year")
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--turns", type=int, default=2000, help="of a day (default 2000)")
    options.add_argument("--notes", type=int, default=10_000, help="of a large vault (default 10000)")
    options.add_argument("--days", type=int, default=365, help="of a year, of a twentieth of the turns each")
    options.add_argument("--runs", type=int, default=3, help="how often a day is measured (default 3)")
    rows = measured(
        options,
        groups,
        "night",
        lambda folder, given: Night(folder, given.turns, given.notes, given.days, given.runs),
    )
    print(rows)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
