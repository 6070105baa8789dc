"""Prints the size of the package and how far one question and one log line travel in it.

`python scripts/architecture.py` counts modules, lines and functions from the source, then runs a search (the second of its kind, so
that imports and caches do not count) and a captured line up to its commit on a copy of the sample vault, and counts the files of
the package that each of them enters.
"""

from __future__ import annotations

import ast
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "memoryclaw"
SMALL = 60
LINE = {
    "ts": "2026-04-19T16:02:00Z", "session": "sunday", "turn": 1, "role": "user", "speaker": "Nora",
    "content": "The deadline of Boathouse Aarhus is now 18 December 2026.",
}  # fmt: skip
NEXT = {
    "session": "monday",
    "ts": "2026-04-20T07:00:00Z",
    "content": "The deadline of Boathouse Aarhus is now 4 January 2027.",
}


def source() -> dict[str, Any]:
    """Counts of the source: modules without `__init__`, lines, functions, private functions that are used once, names of classes."""
    lines, uses, private, classes = (
        [],
        collections.Counter[str](),
        list[tuple[str, str]](),
        collections.Counter[str](),
    )
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        if path.name != "__init__.py":
            lines.append(text.count("\n"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                uses[f"{path}:{node.id}"] += 1
            elif isinstance(node, ast.Attribute):
                uses[f"{path}:{node.attr}"] += 1
            elif (
                isinstance(node, ast.FunctionDef)
                and node.name.startswith("_")
                and not node.name.startswith("__")
            ):
                private.append((f"{path}:{node.name}", node.name))
            elif isinstance(node, ast.ClassDef):
                classes[node.name] += 1
    once = sum(uses[key] <= 1 for key, _ in private)
    return {
        "modules": len(lines),
        "lines": sum(lines),
        "median lines of a module": int(statistics.median(lines)),
        f"modules under {SMALL} lines": sum(count < SMALL for count in lines),
        "private functions": len(private),
        "of them used once": f"{once / len(private):.0%}",
        "class names that stand more than once": sum(count > 1 for count in classes.values()),
    }


def entered(work: Callable[[], object]) -> set[str]:
    """The files of the package that a call enters."""
    files: set[str] = set()

    def look(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    here = f"{PACKAGE}{os.sep}"
    return {file.removeprefix(here) for file in files if file.startswith(here)}


def journeys() -> dict[str, set[str]]:
    """The files that a search, a recall and a log line enter."""
    os.environ["MEMORYCLAW_NOW"] = "2026-04-20T08:00:00Z"
    sys.path.insert(0, str(ROOT))
    from memoryclaw import open_vault  # noqa: PLC0415 - the clock is set first

    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        git = ["git", "-C", str(vault), "-c", "user.name=a", "-c", "user.email=a@localhost"]
        subprocess.run(["cp", "-r", str(ROOT / "vault"), str(vault)], check=True)
        subprocess.run([*git[:3], "init", "-q", "-b", "main"], check=True)
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", "Notes"], check=True)
        with open_vault(str(vault)) as app:
            question = "When is the boathouse deadline?"
            app.search(question)
            app.recall(question)
            modules = {
                "a second search": entered(lambda: app.search(question)),
                "a second recall": entered(lambda: app.recall(question)),
            }

            app.capture([json.dumps(LINE)])
            app.consolidate(llm="none")
            app.capture([json.dumps({**LINE, **NEXT})])
            return {**modules, "a log line to its commit": entered(lambda: app.consolidate(llm="none"))}


def main() -> None:
    """Prints the figures; with `--files`, the files of each journey as well."""
    for name, value in source().items():
        print(f"{name:<40} {value}")
    for name, files in journeys().items():
        print(f"{'files entered by ' + name:<40} {len(files)}")
        if "--files" in sys.argv:
            print(*(f"    {file}" for file in sorted(files)), sep="\n")


if __name__ == "__main__":
    main()
