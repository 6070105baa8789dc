"""How things are timed: medians of several runs, each beside its reference, so that a busy machine slows both."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Clock = Callable[[Callable[[], object]], float]

_CHILD = Path(__file__).with_name("child.py")
# A program that is installed finds its modules compiled; a variable of the developer's shell must not take that away.
WITH_BYTECODE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cpu_of(command: Sequence[str], env: Mapping[str, str] = WITH_BYTECODE) -> float:
    """CPU seconds of one process, its children included."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=env)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return used.ru_utime + used.ru_stime


def child_command(what: str, *paths: Path) -> list[str]:
    """How `child.py` is run."""
    return [sys.executable, os.fspath(_CHILD), what, *map(os.fspath, paths)]


def child(what: str, *paths: Path, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What `child.py` measured of one job in a vault."""
    command = child_command(what, *paths)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout))


def wall(work: Callable[[], object]) -> float:
    """Seconds that something took."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds that something took in this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def in_turn(runs: int, *works: Callable[[], float]) -> list[float]:
    """The median of each measurement, taken A B A B."""
    rounds = [[work() for work in works] for _ in range(runs)]
    return [statistics.median(taken) for taken in zip(*rounds, strict=True)]


def per_question(
    questions: Sequence[str], runs: int, clock: Clock, *searches: Callable[[str], object]
) -> list[list[float]]:
    """For each search, the median seconds of every question; all searches answer one question before the next is asked."""
    taken: list[list[float]] = [[] for _ in searches]
    for question in questions:
        medians = in_turn(runs, *(_asked(search, question, clock) for search in searches))
        for times, seconds in zip(taken, medians, strict=True):
            times.append(seconds)
    return taken


def _asked(search: Callable[[str], object], question: str, clock: Clock) -> Callable[[], float]:
    return lambda: clock(lambda: search(question))


def percentile(seconds: Sequence[float], share: float) -> float:
    """The value that a share of all stays below."""
    ordered = sorted(seconds)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
