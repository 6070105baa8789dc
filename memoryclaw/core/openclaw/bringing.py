"""What OpenClaw's notes become: facts that wait, and notes that are proposed. The same words always get the same place."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from memoryclaw.core.consolidation.changes import AddPending, NewFile, PlannedChange
from memoryclaw.core.naming import slug, timestamp
from memoryclaw.core.openclaw.curated import Heard, Passage, Remarks, read_curated, without_remarks
from memoryclaw.core.textfile import readable

CURATED = ("MEMORY.md", "USER.md")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[-_T](\d\d)-?(\d\d))?")
_SUMMARY = 120
_WHY = "it stood in OpenClaw's {name}, line {line}"

Render = Callable[..., str]


class _Body(NamedTuple):
    """What is kept of a file, and where it stood."""

    title: str
    words: str
    remarks: Remarks
    name: str
    when: str = ""
    where: str = ""


class Offered(NamedTuple):
    """One thing that may be proposed, and the file that it comes from."""

    change: PlannedChange
    source: str


def offered(name: str, text: str, render: Render) -> list[Offered]:
    """Everything that a file of OpenClaw offers.

    Args:
        name: its path below the workspace.
        text: what it holds.
        render: makes a note of values.
    """
    if name not in CURATED:
        return [_note(name, text, render)] if text.strip() else []
    facts, passages = read_curated(text)
    return [
        *(_fact(name, fact) for fact in facts),
        *(_passage(name, passage, render) for passage in passages),
    ]


def is_wanted(name: str) -> bool:
    """True for the files that hold memories: not the review file of the dreams, nor what dreaming leaves behind."""
    return name in CURATED or (
        name.startswith("memory/") and name.endswith(".md") and not name.startswith("memory/dreaming/")
    )


def _fact(name: str, fact: Heard) -> Offered:
    why = _WHY.format(name=name, line=fact.line)
    action = AddPending(fact.entity, fact.field, fact.value, "medium", "", why)
    return Offered(PlannedChange("pending", f"{fact.entity}: {fact.field} is {fact.value}", (action,)), name)


def _passage(name: str, passage: Passage, render: Render) -> Offered:
    words = passage.text.strip("\n")
    known_by = hashlib.sha256(f"{passage.heading}\0{words}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    path = f"semantic/openclaw/{slug(passage.heading or name.removesuffix('.md'))}-{known_by}.md"
    body = _Body(passage.heading or name, words, passage.remarks, name, where=f", line {passage.line}")
    return Offered(_change(path, body, render), name)


def _note(name: str, text: str, render: Render) -> Offered:
    bare, remarks = without_remarks(readable(text))
    stem = name.rpartition("/")[2].removesuffix(".md")
    day = _moment(stem)
    about = slug(
        _DAY.sub("", name.removeprefix("memory/").removesuffix(".md")).strip("-_/") or "openclaw-day"
    )
    if day is None:
        return Offered(
            _change(f"semantic/openclaw/{about}.md", _Body(stem, bare, remarks, name), render), name
        )
    path = f"episodes/{day:%Y-%m-%d_%H-%M-%S}_{about}.md"
    return Offered(_change(path, _Body("", bare, remarks, name, timestamp(day)), render), name)


def _change(path: str, body: _Body, render: Render) -> PlannedChange:
    summary = _summary(body.words, body.title or body.name)
    text = render(
        "notes/openclaw.md.j2",
        id=path.rpartition("/")[2].removesuffix(".md"),
        timestamp=body.when,
        tags=["openclaw", *body.remarks.tags],
        summary=summary,
        triggers=list(body.remarks.triggers),
        importance=body.remarks.importance,
        source=f"openclaw:{body.name}",
        title="" if body.words.lstrip().startswith("# ") else body.title,
        body=body.words.strip("\n"),
    )
    kind = "episode" if path.startswith("episodes/") else "note"
    reason = f"it stood in OpenClaw's {body.name}{body.where}"
    return PlannedChange(kind, summary, (NewFile(path, text),), reason=reason)


def _moment(stem: str) -> datetime | None:
    hit = _DAY.match(stem)
    try:
        return datetime(*(int(part or 0) for part in hit.groups()), tzinfo=UTC) if hit else None  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def _summary(words: str, otherwise: str) -> str:
    lines: Sequence[str] = [line for line in words.splitlines() if line.strip() and not line.startswith("#")]
    first = " ".join(lines[0].lstrip("->*+ \t").split()) if lines else ""
    first = first or otherwise
    return first if len(first) <= _SUMMARY else first[:_SUMMARY].rpartition(" ")[0] + " …"
