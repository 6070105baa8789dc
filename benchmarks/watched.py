"""A real `memoryclaw watch` process over a vault, and saves made under it."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from references import RawFts5, walk

from memoryclaw.app import App
from memoryclaw.ports import IndexClause

PROGRAM = shutil.which("memoryclaw", path=os.path.dirname(sys.executable)) or "memoryclaw"
_PAUSE = 0.03  # seconds between saves, so that each is found alone
_LONGEST = 10.0


class Watcher:
    """A live watcher; use it as a context.

    Args:
        vault: the vault to watch, indexed already.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._log = vault.with_name("watch.log")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        command = [PROGRAM, "watch", "--json", "--vault", os.fspath(self._vault)]
        with self._log.open("wb") as log:  # a pipe that nobody empties would stop it
            self._process = subprocess.Popen(command, stdout=log)
        while b'"started"' not in self._log.read_bytes():
            if self._process.poll() is not None:
                raise SystemExit("the watcher did not start")
            time.sleep(0.01)
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the process and waits for it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def saves(self, app: App, count: int) -> dict[str, list[float]]:
        """Seconds from each save to the moment that a reader of the index finds it; the reader never syncs."""
        seconds: dict[str, list[float]] = {"in place": [], "temp and rename": []}
        for number, path in enumerate(_some(self._vault, count)):
            kind, token = list(seconds)[number % 2], f"fresh{number}q"
            (_in_place if number % 2 == 0 else _renamed)(path, token)
            seconds[kind].append(_wait(app, token))
            time.sleep(_PAUSE)
        return seconds


def direct(raw: RawFts5, vault: Path, count: int) -> Iterator[float]:
    """Seconds that a raw FTS5 table takes for a save it is told of by a call."""
    for number, path in enumerate(_some(vault, count)):
        _in_place(path, f"floor{number}q")
        start = time.perf_counter()
        raw.save(os.fspath(path), f"floor{number}q")
        yield time.perf_counter() - start


def _some(vault: Path, count: int) -> list[Path]:
    paths = sorted(path for path, _ in walk(vault))
    return [Path(path) for path in random.Random(7).sample(paths, min(count, len(paths)))]


def _in_place(path: Path, token: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\nlate addition {token}\n")


def _renamed(path: Path, token: str) -> None:
    fresh = path.with_name(f".{path.name}.tmp")
    fresh.write_text(f"{path.read_text(encoding='utf-8')}\nlate addition {token}\n", encoding="utf-8")
    fresh.replace(path)


def _wait(app: App, token: str) -> float:
    start = time.perf_counter()
    while not app.index.engine.find(IndexClause("token", token), 1):
        if time.perf_counter() - start > _LONGEST:
            break
        time.sleep(0.0005)
    return time.perf_counter() - start
