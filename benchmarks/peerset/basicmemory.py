"""Asks basic-memory's text search, one question a line: its own Python runs `basicmemory.py INSTALL DOCUMENTS STATE`."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from importlib import metadata


def main() -> None:
    """Indexes the documents, then answers until the questions end."""
    install, documents, state = sys.argv[1:]
    os.environ |= {
        "HOME": state,
        "BASIC_MEMORY_HOME": documents,
        "BASIC_MEMORY_CONFIG_DIR": os.path.join(state, ".basic-memory"),
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
    }
    reindex = [os.path.join(install, "bin", "basic-memory"), "reindex", "--search"]
    subprocess.run(reindex, check=True, capture_output=True)
    asyncio.run(answer())


async def answer() -> None:
    """Answers in one process, as its own server does."""
    from basic_memory.cli.commands.routing import force_routing  # noqa: PLC0415
    from basic_memory.mcp.tools import search_notes  # noqa: PLC0415

    search = getattr(search_notes, "fn", search_notes)
    say({"version": metadata.version("basic-memory")})
    for line in sys.stdin:
        asked = json.loads(line)
        started = time.perf_counter()
        with force_routing(local=True, cloud=False):
            results = await search(
                query=asked["question"],
                search_type="text",
                page_size=asked["limit"],
                output_format="json",
            )
        ms = (time.perf_counter() - started) * 1e3
        hits = results["results"] if isinstance(results, dict) else []
        say({"ms": ms, "files": [hit["file_path"].rpartition("/")[2] for hit in hits]})


def say(message: dict[str, object]) -> None:
    """One line for who asked."""
    sys.__stdout__.write(json.dumps(message) + "\n")  # type: ignore[union-attr]
    sys.__stdout__.flush()  # type: ignore[union-attr]


if __name__ == "__main__":
    main()
