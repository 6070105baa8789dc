"""Asks mind-mem's BM25F, one question a line: its own Python runs `mindmem.py INSTALL DOCUMENTS STATE`.

It reads blocks, many of them in a file, so each document becomes a block of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from importlib import metadata
from pathlib import Path

_FOLDERS = ("decisions", "tasks", "entities", "intelligence", "memory")


def main() -> None:
    """Writes the blocks, then answers until the questions end."""
    _, documents, state = sys.argv[1:]
    os.environ["HOME"] = state
    workspace = Path(state) / "workspace"
    for name in _FOLDERS:
        (workspace / name).mkdir(parents=True)
    blocks = [block(path) for path in sorted(Path(documents).glob("*.md"))]
    (workspace / "decisions" / "DECISIONS.md").write_text("# Decisions\n\n" + "\n".join(blocks))
    from mind_mem._recall_core import recall  # noqa: PLC0415

    say({"version": metadata.version("mind-mem")})
    for line in sys.stdin:
        asked = json.loads(line)
        started = time.perf_counter()
        with contextlib.redirect_stdout(sys.stderr):
            hits = recall(os.fspath(workspace), asked["question"], limit=asked["limit"])
        ms = (time.perf_counter() - started) * 1e3
        ids = [str(hit.get("_id", hit.get("id", ""))) for hit in hits]
        say({"ms": ms, "files": [f"{id_.rpartition('-')[2]}.md" for id_ in ids]})


def block(path: Path) -> str:
    """A document as a block; its first line is its title."""
    title, _, text = path.read_text(encoding="utf-8").removeprefix("# ").partition("\n")
    day = title.rpartition(", ")[2]
    return f"[D-20260101-{path.stem}]\nDate: {day}\nStatus: active\nStatement: {title}: {' '.join(text.split())}\nTags: talk\n"


def say(message: dict[str, object]) -> None:
    """One line for who asked."""
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
