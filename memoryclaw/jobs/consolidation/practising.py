"""What was practised often enough to be a skill: the actions of new logs beside those that earlier runs saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memoryclaw.adapters import files
from memoryclaw.adapters.vault import Vault
from memoryclaw.core.consolidation.actions import Call, acted, calls_in
from memoryclaw.core.consolidation.changes import Acted, NewFile, PlannedChange
from memoryclaw.core.consolidation.mining import plan_skills
from memoryclaw.core.consolidation.ranges import LogRange, parse_ranges
from memoryclaw.core.consolidation.skilldrafts import SkillDraft
from memoryclaw.core.errors import NotFoundError
from memoryclaw.jobs.consolidation.selecting import Past, Unread, lines_of
from memoryclaw.jobs.pen import Pen
from memoryclaw.jobs.skills import known_skills

Practised = tuple[tuple[Acted, ...], tuple[PlannedChange, ...]]


def practised(
    pen: Pen, vault: Vault, logs: Sequence[Unread], ranges: Iterable[str], done: Past, *, threshold: int
) -> Practised:
    """What the new stretches of the logs show to be done, and the drafts of skills that come of it."""
    lines = {log.path: log.lines for log in logs}
    cited = [range_ for text in ranges for range_ in parse_ranges(text)]
    new = [one for range_ in cited for one in acted(_calls(pen, lines, range_), range_)]
    if not new:
        return (), ()
    known = [one for record in done.records for one in record.acted]
    drafts = plan_skills(
        new,
        known,
        threshold,
        done.decisions,
        existing=known_skills(vault),
        calls_of=lambda text: _calls_of(pen, lines, text),
        render=pen.templates.render,
    )
    return tuple(new), tuple(map(_change, drafts))


def _calls(pen: Pen, lines: Mapping[str, Sequence[bytes]], range_: LogRange) -> list[Call]:
    """The calls without secrets: not every log was captured."""
    found = calls_in(lines[range_.path], range_.first, range_.last)
    return [
        call._replace(args=pen.gate.value(dict(call.args)), said=pen.gate.text(call.said)) for call in found
    ]


def _calls_of(pen: Pen, lines: dict[str, list[bytes]], text: str) -> list[Call]:
    found = []
    for range_ in parse_ranges(text):
        if range_.path not in lines:
            lines[range_.path] = _read(pen, range_.path)
        found += _calls(pen, lines, range_)
    return found


def _read(pen: Pen, path: str) -> list[bytes]:
    try:
        return lines_of(files.read_file(pen.root, path).data)
    except NotFoundError:
        return []


def _change(draft: SkillDraft) -> PlannedChange:
    return PlannedChange(
        kind="skill",
        title=f"Skill draft: {draft.title or draft.name}",
        actions=(NewFile(draft.path, draft.text),),
        evidence=draft.evidence,
        source=" ".join(draft.ranges[:3]),
        confidence="medium",
        id=draft.name,
    )
