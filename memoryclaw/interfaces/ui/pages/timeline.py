"""Timeline: what happened in the world, day by day; or what was done to the vault, each consolidation as one block; one change, and undo."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from memoryclaw import rooms
from memoryclaw.app import App
from memoryclaw.interfaces.ui.answers import Answer, PageRequest, Shown, page
from memoryclaw.interfaces.ui.pages.entities import mentions
from memoryclaw.interfaces.ui.rendering import day, local, superseded
from memoryclaw.late import NamedTuple
from memoryclaw.model import grouped
from memoryclaw.vault.layout import timestamp

_PAGE, _LOOKED = 50, 200  # changes on a page, and those that are looked through for one kind
_MOST = 1000  # events on a page
_LOG_DAY = re.compile(r"logs/(\d{4}-\d\d-\d\d)/")
_VISIT = timedelta(minutes=30)  # a look within them is the same look
_SEEN = "mc-looked"
_RUN = ("consolidate", "redo")
KINDS = {
    "all": "all",
    "runs": "consolidations",
    "decisions": "decisions",
    "hand": "by hand",
    "undone": "undone",
}
_OF = {
    "runs": _RUN,
    "decisions": ("approve", "reject", "edit", "remember", "forget", "skill"),
    "hand": ("by hand",),
    "undone": ("undo",),
}
_SAID_BESIDE = ("Approve", "Reject", "Edit", "Remember", "Forget", "Revive")
_STANDS = ("init", "adopt", "by hand", "sync", "track")  # what undo does not offer to take back


class Block(NamedTuple):
    """One change, or the changes of one consolidation with its sentence first."""

    head: rooms.file_history.Logged
    rows: tuple[rooms.file_history.Logged, ...] = ()
    new: bool = False  # since the last look


def _sentence(
    commit: rooms.file_history.Logged, heads: dict[str, str]
) -> tuple[str, tuple[str, str, str] | None]:
    """The sentence of a change beside what made it, and the value that gave way to another, where it says so."""
    subject = commit.subject
    if commit.kind == "undo":
        undone_subject = heads.get(commit.trailers.get("Source", ""), subject.partition(": ")[2])
        return undone_subject or subject, None
    verb, colon, predicate = subject.partition(": ")
    if colon and verb in _SAID_BESIDE:
        subject = predicate
    return subject, superseded(subject)


@page("GET /timeline", "timeline")
def show(app: App, asked: PageRequest, before: str = "", kind: str = "", limit: int = _PAGE) -> Answer:
    """What was done of a kind, with the line below which everything was there at the last look; without a kind, what happened."""
    if kind not in KINDS:
        return _world(app, min(max(limit, 1), _MOST))
    kinds = _OF.get(kind)
    commits = app.history(limit=_LOOKED if kinds else _PAGE, before=before)
    rows = [commit for commit in commits.commits if kinds is None or commit.kind in kinds]
    # When the page was last looked at, and what the browser keeps of it: the line, and this look.
    now = app.clock()
    line, _, last = asked.cookies.get(_SEEN, "").partition("|")
    last_look = local(last) if last else None
    if not isinstance(last_look, datetime) or now.astimezone(UTC) - last_look.astimezone(UTC) > _VISIT:
        line = last
    undone: set[str] = set()
    for commit in commits.commits:  # newest first: what is taken back itself takes nothing back
        if commit.kind == "undo" and commit.commit not in undone:
            undone.add(commit.trailers.get("Source", ""))
    heads = {commit.run: commit.subject for commit in reversed(commits.commits) if commit.kind == _RUN[0]}
    days = grouped((_day_of(block.head.when), block) for block in _blocks(rows, line))
    values = {
        "title": "Timeline",
        "sentences": {commit.commit: _sentence(commit, heads) for commit in rows},
        "days": list(days.items()),
        "kinds": KINDS,
        "kind": kind,
        "next": commits.next,
        "newest": commits.commits[0].commit if commits.commits and not before else "",
        "paged": bool(before),
        "notice": commits.notice,
        "since": line,
        "stands": _STANDS,
        "undone": undone,
        "read_on": _read_on,
    }
    return Shown("timeline.html", values, cookies={_SEEN: f"{line}|{timestamp(now)}"})


def _day_of(moment: str) -> str:
    when = local(moment)
    return when.strftime("%Y-%m-%d") if when else moment


def _world(app: App, limit: int) -> Shown:
    """The newest first."""
    timeline = app.timeline(limit=limit)
    days = grouped((_day_of(event.at), event) for event in reversed(timeline.events))
    values = {
        "title": "Timeline",
        "days": list(days.items()),
        "more": min(limit + _PAGE, _MOST) if timeline.earlier and limit < _MOST else 0,
        "mentioned": mentions(app),
        "kinds": KINDS,
        "kind": "",
        "newest": "",
    }
    return Shown("world.html", values)


def _read_on(commit: rooms.file_history.Logged) -> str:
    """The days of the conversations that a consolidation read; else its own."""
    read = sorted(_LOG_DAY.findall(commit.trailers.get("Source", ""))) or [commit.when]
    first, last = day(read[0]), day(read[-1])
    return first if first == last else f"{first} to {last}"


def _blocks(rows: Iterable[rooms.file_history.Logged], since: str) -> list[Block]:
    """The changes, those of one consolidation together, whose last commit tells it in a sentence."""
    blocks: list[Block] = []
    for commit in rows:
        last = blocks[-1] if blocks else None
        if commit.kind in _RUN and last is not None and last.head.run == commit.run:
            blocks[-1] = last._replace(rows=(*last.rows, commit))
        else:
            blocks.append(Block(commit, (), bool(since) and commit.when > since))
    return blocks


@page("GET /change/{commit}", "timeline")
def change(app: App, asked: PageRequest) -> Answer:
    """One change: why, from where, and its words."""
    shown_commit = app.commit(asked.name)
    commit, lines = shown_commit.commit, shown_commit.commit.body.splitlines()
    trailers = tuple(f"{key}: " for key in commit.trailers)
    values: dict[str, Any] = {
        "title": commit.subject,
        "found": shown_commit,
        "told": [line[2:] for line in lines if line.startswith("- ")],
        "why": [line for line in lines if line.strip() and not line.startswith(("- ", *trailers))],
        "can_undo": commit.kind not in _STANDS,
        "source": commit.trailers.get("Source", ""),
        "confidence": commit.trailers.get("Confidence", ""),
    }
    return Shown("change.html", values)
