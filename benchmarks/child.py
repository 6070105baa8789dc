"""Does one job in a process of its own and prints what that took as JSON: CPU seconds with those of its children, wall seconds, peak memory.

Run as `python benchmarks/child.py ours|fts5|turns|whoosh|consolidate VAULT [INDEX]`. With `ask`, each line of standard input is a
question in JSON, and answered by a line with the CPU seconds of `search` and `recall`.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path


def main() -> int:
    """Does one job."""
    what, vault, *index = sys.argv[1:]
    cpu, wall = cpu_seconds(), time.perf_counter()
    _JOBS[what](Path(vault), *map(Path, index))
    took = {"cpu": cpu_seconds() - cpu, "wall": time.perf_counter() - wall}
    print(json.dumps({**took, "peak": peak_memory()}))
    return 0


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_memory() -> int:
    """Bytes of memory this process held at most."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    # What getrusage tells on Linux includes the process that started this one.
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


# The imports stand inside: what a program must load before it can index is part of what indexing costs.
def _ours(vault: Path) -> None:
    from memoryclaw.app import open_vault  # noqa: PLC0415

    app = open_vault(vault)
    app.sync()
    app.close()


def _fts5(vault: Path, index: Path) -> None:
    from references import RawFts5  # noqa: PLC0415

    raw = RawFts5(index)
    raw.build(vault)
    raw.close()


def _turns(vault: Path, index: Path) -> None:
    from references import raw_turns  # noqa: PLC0415

    raw_turns(vault, index)


def _consolidate(vault: Path) -> None:
    from memoryclaw.app import open_vault  # noqa: PLC0415

    with open_vault(vault) as app:
        app.consolidate(llm="none")


def _ask(vault: Path) -> None:
    from memoryclaw.app import open_vault  # noqa: PLC0415

    with open_vault(vault) as app:
        for line in sys.stdin:
            question, took = json.loads(line), {}
            for verb, more in (("search", {}), ("recall", {"noted": False})):
                start = time.process_time()
                getattr(app, verb)(question, **more)
                took[verb] = time.process_time() - start
            print(json.dumps(took), flush=True)


def _whoosh(vault: Path, index: Path) -> None:
    from plainwhoosh import PlainWhoosh  # noqa: PLC0415

    PlainWhoosh.build(index, vault)


_JOBS: dict[str, Callable[..., None]] = {
    "ours": _ours,
    "fts5": _fts5,
    "turns": _turns,
    "whoosh": _whoosh,
    "consolidate": _consolidate,
    "ask": _ask,
}

if __name__ == "__main__":
    sys.exit(main())
