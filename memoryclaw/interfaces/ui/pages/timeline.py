"""Timeline: what happened in the world, day by day; or what was done to the vault, each consolidation as one block; one change, and undo."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from memoryclaw import rooms
from memoryclaw.app import App
from memoryclaw.interfaces.ui.answers import Answer, Fields, Page, PageRequest, Shown
from memoryclaw.interfaces.ui.pages.entities import mentions
from memoryclaw.interfaces.ui.rendering import day, local, superseded
from memoryclaw.vault.layout import timestamp

_PAGE, _LOOKED = 50, 200  # changes on a page, and those that are looked through for one kind
_MOST = 1000  # events on a page
_HAPPENED = {"began": "Fact", "superseded": "Changed", "ended": "Ended", "said": "Said", "episode": "Episode"}
_LOG_DAY = re.compile(r"logs/(\d{4}-\d\d-\d\d)/")
_VISIT = timedelta(minutes=30)  # a look within them is the same look
_SEEN = "mc-looked"
_RUN = ("consolidate", "redo")
_WHO = {
    **dict.fromkeys(_RUN, "Consolidated"), "approve": "Approved", "reject": "Rejected", "edit": "Edited", "remember": "Remembered", "claim": "Agent",
    "forget": "Forgotten", "revive": "Brought back", "undo": "Undone", "skill": "Skill", "purge": "Erased", "init": "Created", "adopt": "Created",
    "import": "Imported", "restore": "Restored", "sync": "Synced", "track": "Logs",
}  # fmt: skip
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


def _told(one: rooms.file_history.Logged, heads: dict[str, str]) -> tuple[str, tuple[str, str, str] | None]:
    """The sentence of a change beside what made it, and the value that gave way to another, where it says so."""
    subject = one.subject
    if one.kind == "undo":
        what = heads.get(one.trailers.get("Source", ""), subject.partition(": ")[2])
        return what or subject, None
    verb, colon, rest = subject.partition(": ")
    if colon and verb in _SAID_BESIDE:
        subject = rest
    return subject, superseded(subject)


class TimelineQuery(Fields):
    """Which changes are on the page, and where it begins; without a kind it tells the world, the newest so many."""

    before: str = ""
    kind: str = ""
    limit: int = _PAGE


def show(app: App, asked: PageRequest) -> Answer:
    """What happened; or what was done, with the line below which everything was there at the last look."""
    query = asked.fields(TimelineQuery)
    if query.kind not in KINDS:
        return _world(app, min(max(query.limit, 1), _MOST))
    wanted = _OF.get(query.kind)
    found = app.history(limit=_LOOKED if wanted else _PAGE, before=query.before)
    rows = [one for one in found.commits if wanted is None or one.kind in wanted]
    since, kept = _looked(asked, app.clock())
    undone: set[str] = set()
    for one in found.commits:  # newest first: what is taken back itself takes nothing back
        if one.kind == "undo" and one.commit not in undone:
            undone.add(one.trailers.get("Source", ""))
    heads = {one.run: one.subject for one in reversed(found.commits) if one.kind == _RUN[0]}
    blocks = _blocks(rows, since)
    days: dict[str, list[Block]] = {}
    for block in blocks:
        at = local(block.head.when)
        days.setdefault(at.strftime("%Y-%m-%d") if at else "", []).append(block)
    values = {
        "title": "Timeline",
        "sentences": {one.commit: _told(one, heads) for one in rows},
        "days": list(days.items()),
        "kinds": KINDS,
        "kind": query.kind,
        "next": found.next,
        "newest": found.commits[0].commit if found.commits and not query.before else "",
        "paged": bool(query.before),
        "notice": found.notice,
        "since": since,
        "who": _WHO,
        "stands": _STANDS,
        "undone": undone,
        "read_on": _read_on,
    }
    return Shown("timeline.html", values, cookies={_SEEN: kept} if kept else {})


def _world(app: App, limit: int) -> Shown:
    """The newest first."""
    told = app.timeline(limit=limit)
    days: dict[str, list[rooms.timeline.TimelineEvent]] = {}
    for event in reversed(told.events):
        at = local(event.at)
        days.setdefault(at.strftime("%Y-%m-%d") if at else event.at, []).append(event)
    values = {
        "title": "Timeline",
        "days": list(days.items()),
        "more": min(limit + _PAGE, _MOST) if told.earlier and limit < _MOST else 0,
        "happened": _HAPPENED,
        "mentioned": mentions(app),
        "kinds": KINDS,
        "kind": "",
        "newest": "",
    }
    return Shown("world.html", values)


def _read_on(one: rooms.file_history.Logged) -> str:
    """The days of the conversations that a consolidation read; else its own."""
    read = sorted(_LOG_DAY.findall(one.trailers.get("Source", ""))) or [one.when]
    first, last = day(read[0]), day(read[-1])
    return first if first == last else f"{first} to {last}"


def _looked(asked: PageRequest, now: datetime) -> tuple[str, str]:
    """When the page was last looked at, and what the browser keeps of it: the line, and this look."""
    line, _, last = asked.cookies.get(_SEEN, "").partition("|")
    seen = local(last) if last else None
    this = timestamp(now)
    if not isinstance(seen, datetime) or now.astimezone(UTC) - seen.astimezone(UTC) > _VISIT:
        line = last
    return line, f"{line}|{this}"


def _blocks(rows: Iterable[rooms.file_history.Logged], since: str) -> list[Block]:
    """The changes, those of one consolidation together, whose last commit tells it in a sentence."""
    found: list[Block] = []
    for one in rows:
        last = found[-1] if found else None
        if one.kind in _RUN and last is not None and last.head.run == one.run:
            found[-1] = last._replace(rows=(*last.rows, one))
        else:
            found.append(Block(one, (), bool(since) and one.when > since))
    return found


def change(app: App, asked: PageRequest) -> Answer:
    """One change: why, from where, and its words."""
    found = app.commit(asked.name)
    lines = found.commit.body.splitlines()
    values: dict[str, Any] = {
        "title": found.commit.subject,
        "found": found,
        "said": [line[2:] for line in lines if line.startswith("- ")],
        "why": [
            line
            for line in lines
            if line.strip() and not line.startswith("- ") and not _is_trailer(line, found.commit)
        ],
        "who": _WHO,
        "can_undo": found.commit.kind not in _STANDS,
        "source": found.commit.trailers.get("Source", ""),
        "confidence": found.commit.trailers.get("Confidence", ""),
    }
    values["told"] = values.pop("said")
    return Shown("change.html", values)


def _is_trailer(line: str, one: rooms.file_history.Logged) -> bool:
    key, colon, _ = line.partition(": ")
    return bool(colon) and key in one.trailers


PAGES = (Page("GET", "/timeline", show, "timeline"), Page("GET", "/change/{commit}", change, "timeline"))
