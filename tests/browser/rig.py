"""A real daemon on a copy of the sample vault, and a real browser that came in with a ticket."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conftest import COMMAND
from daemons import Daemon

SAMPLE = Path(__file__).parents[2] / "vault"
PAGES = (
    "review", "review/p-34cc12c3", "review/p-34cc12c3/edit", "review/pack-the-site-bag", "review/gone",
    "recall", "recall?q=When+is+the+boathouse+deadline%3F&budget=300",
    "timeline", "timeline?kind=all", "timeline?kind=runs", "entities", "entity/Boathouse%20Aarhus", "notes", "notes?q=penicillin",
    "note/semantic%2Fprojects", "note/semantic%2Fprojects/edit", "log/morning",
    "skills", "skills/pack-the-site-bag", "health", "help", "nowhere",
)  # fmt: skip
TURNS = (
    ("user", "Nora", "Good morning Pip. Mette called from the quay."),
    ("assistant", "Pip", "What did she say?"),
    ("user", "Nora", "The deadline of Nantes Kiosk is 30 June 2026."),
    ("assistant", "Pip", "Noted. Thank you!"),
)


def pages() -> list[str]:
    """Every page that there is, in states of its own."""
    from memoryclaw.interfaces.ui.pages import PAGES as ROWS  # noqa: PLC0415

    known = {row.path.split("/")[1].partition("{")[0] for row in ROWS}
    return [page for page in PAGES if page.split("/")[0].partition("?")[0] in {*known, "nowhere"}]


def copied(root: Path) -> Path:
    """The sample vault with its notes in git, a night behind it, and three questions of another night."""
    shutil.copytree(SAMPLE, root)
    run = ["--vault", os.fspath(root)]
    for words in (["init", os.fspath(root), "--commit"], ["consolidate", "--llm", "none", *run]):
        subprocess.run([COMMAND, *words], check=True, capture_output=True)
    lines = [
        json.dumps({"ts": f"2026-04-20T07:0{at}:00Z", "session": "morning", "turn": at + 1, "role": role, "name": name, "content": text})
        for at, (role, name, text) in enumerate(TURNS)
    ]  # fmt: skip
    subprocess.run(
        [COMMAND, "capture", "--session", "morning", *run],
        input="\n".join(lines).encode(),
        check=True,
        capture_output=True,
    )
    subprocess.run(
        [COMMAND, "consolidate", "--llm", "none", "--mode", "propose", *run], check=True, capture_output=True
    )
    return root


def way_in(daemon: Daemon) -> str:
    """A fresh address for a browser."""
    return str(daemon.post("/v1/ui/ticket")["url"])


@contextmanager
def browser() -> Iterator[Any]:
    """Debian's Chromium; nothing is downloaded."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        try:
            yield browser
        finally:
            browser.close()


def chromium() -> str:
    """Where the browser is; empty without one."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""


def git(root: Path, *args: str) -> str:
    """What git says of a vault."""
    return subprocess.run(["git", *args], cwd=root, check=True, capture_output=True, text=True).stdout


def head(root: Path) -> str:
    """The newest commit."""
    return git(root, "rev-parse", "HEAD").strip()
