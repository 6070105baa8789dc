"""Turns on their way into memory: capture, consolidate and redo."""

from __future__ import annotations

from typing import Any, Literal

from memoryclaw.app import App
from memoryclaw.doors import runshapes, shapes
from memoryclaw.doors.http.asked import Asked
from memoryclaw.doors.http.lanes import LOG, LONG
from memoryclaw.doors.http.table import Row, Shape

CAPTURE_BODY = 8 << 20


class Capture(Asked):
    """Turns and tool events."""

    turns: list[dict[str, Any]]
    session: str = ""


class Consolidate(Asked):
    """How logs are consolidated."""

    dry_run: bool = False
    due: bool = False
    llm: Literal["auto", "none"] = "auto"
    mode: Literal["", "direct", "branch", "propose"] = ""


class Redo(Asked):
    """Which logs are consolidated again."""

    since: str
    llm: Literal["auto", "none"] = "auto"


def capture(app: App, _name: str, asked: Capture) -> Shape:
    """Keeps turns; each is on the disk when it is acknowledged."""
    done = app.capture(asked.turns, session=asked.session)
    return {"acknowledged": [shapes.acknowledged(one) for one in done], "notice": app.capture_notice}


def consolidate(app: App, _name: str, asked: Consolidate) -> Shape:
    """Turns what the logs hold into memory."""
    done = app.consolidate(dry_run=asked.dry_run, due=asked.due, llm=asked.llm, mode=asked.mode)
    return runshapes.consolidated(done)


def redo(app: App, _name: str, asked: Redo) -> Shape:
    """Consolidates old logs again, on a branch."""
    return runshapes.consolidated(app.redo(asked.since, llm=asked.llm))


ROWS = (
    Row(
        "POST",
        "/v1/capture",
        capture,
        "Keeps turns and tool events in the logs; a turn that comes twice is kept once.",
        Capture,
        LOG,
        CAPTURE_BODY,
        like="capture",
    ),
    Row(
        "POST",
        "/v1/consolidate",
        consolidate,
        "Turns new log lines into episodes, facts and drafts.",
        Consolidate,
        LONG,
        like="consolidate",
    ),
    Row(
        "POST",
        "/v1/redo",
        redo,
        "Consolidates old logs again, on a branch.",
        Redo,
        LONG,
        like="redo --since DATE",
    ),
)
