"""Builds an index in a process of its own, cold, and prints what that took as JSON: CPU and wall seconds, peak memory, bytes.

Run as `python benchmarks/child.py ours|fts5|whoosh VAULT [INDEX]`.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path


def main() -> int:
    """Builds one index."""
    what, vault, *index = sys.argv[1:]
    cpu, wall = time.process_time(), time.perf_counter()
    _BUILDERS[what](Path(vault), *map(Path, index))
    took = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    print(json.dumps({**took, "peak": peak_memory()}))
    return 0


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


def _whoosh(vault: Path, index: Path) -> None:
    from plainwhoosh import PlainWhoosh  # noqa: PLC0415

    PlainWhoosh.build(index, vault)


_BUILDERS = {"ours": _ours, "fts5": _fts5, "whoosh": _whoosh}

if __name__ == "__main__":
    sys.exit(main())
