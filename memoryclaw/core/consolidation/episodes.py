"""A segment and what was made of it → the episode note: its id, its path, the values of its template.

The rule: id, path, times, source and trust come from the log alone, whatever mind wrote the words; and words stay words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from memoryclaw.core.consolidation.changes import LEVELS, Extraction, Quote, Segment
from memoryclaw.core.consolidation.phrases import cut_short
from memoryclaw.core.consolidation.quoting import bullet, harmless, speaker
from memoryclaw.core.dates import parse_timestamp
from memoryclaw.core.model import Turn
from memoryclaw.core.naming import episode_name, free_name, timestamp

FOLDER = "episodes"
_TITLE, _SUMMARY, _NAME = 80, 400, 60
_MOST = 12  # tags, names
# What a quoted turn is worth. A tool's results are never quoted; which tool was called is the assistant's word.
_TRUST = {"user": "trusted", "human": "trusted", "assistant": "unknown", "tool": "unknown"}
_ORDER = ("trusted", "unknown", "untrusted")


class EpisodeNote(NamedTuple):
    """An episode as it will be written."""

    id: str
    path: str
    values: dict[str, object]  # of templates/notes/episode.md.j2
    trust: str


def episode(segment: Segment, extraction: Extraction, taken: Callable[[str], bool]) -> EpisodeNote:
    """The note of a segment.

    Args:
        segment: the turns.
        extraction: what was made of them.
        taken: whether the episode of another segment has this path.
    """
    times = _times(segment)
    title = cut_short(harmless(extraction.title), _TITLE) or "Note"
    path = free_name(f"{FOLDER}/{episode_name(times[0], title)}", taken)
    id_ = path.rpartition("/")[2].removesuffix(".md")
    points = [point for point in extraction.points if point.text.strip()]
    trust = _trust(segment.turns, points)
    values: dict[str, object] = {
        "id": id_,
        "timestamp": timestamp(times[0]),
        "start": timestamp(times[0]),
        "end": timestamp(times[-1]),
        "title": title,
        "tags": _tags(extraction.tags),
        "summary": cut_short(harmless(extraction.summary), _SUMMARY) or title,
        "participants": _names(extraction.participants),
        "entities": _names(extraction.entities),
        "project": _name(extraction.project),
        "confidence": extraction.confidence if extraction.confidence in LEVELS else "low",
        "source": str(segment.range),
        "trust": trust,
        "body": "\n".join(map(bullet, points)),
    }
    return EpisodeNote(id_, path, values, trust)


def _times(segment: Segment) -> list[datetime]:
    """The times of the turns in order; without any, the day of the log's folder, else 1970."""
    found = sorted({turn.ts for turn in segment.turns if turn.ts})
    texts = found or [parse_timestamp(segment.range.path.split("/")[1][:10]) or "1970-01-01"]
    moments = [datetime.fromisoformat(text) for text in texts]
    return [when if when.tzinfo else when.replace(tzinfo=UTC) for when in moments]


def _trust(turns: Iterable[Turn], points: Iterable[Quote]) -> str:
    roles = {turn.line: turn.role for turn in turns}
    worth = {_TRUST.get(roles.get(point.line, ""), "untrusted") for point in points}
    return max(worth or {"untrusted"}, key=_ORDER.index)


def _tags(tags: Iterable[str]) -> list[str]:
    cleaned = ("-".join(harmless(tag).lstrip("#").split())[:_NAME] for tag in tags)
    return list(dict.fromkeys(filter(None, cleaned)))[:_MOST]


def _names(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_name, names))))[:_MOST]


def _name(name: str) -> str:
    return speaker(name) if name.strip() else ""
