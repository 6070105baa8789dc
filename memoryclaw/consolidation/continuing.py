"""A session that goes on after its episode was written gets another one, which links the one before it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memoryclaw.capture.log_records import file_stem
from memoryclaw.consolidation.changes import RunRecord, Segment
from memoryclaw.text.frontmatter import split
from memoryclaw.vault import files
from memoryclaw.vault.audience import Label, label_of_note
from memoryclaw.vault.layout import safe_path
from memoryclaw.vault.logs import LogRange, parse_ranges
from memoryclaw.writing.context import WriteContext


class _Told(NamedTuple):
    """A stretch of a session that an episode tells; of two that end on one line that of this run is the last."""

    path: str
    last: int
    planned: bool
    id: str
    label: Label


class ToldSessions:
    """The episodes of earlier runs, and of this one, by the session that they tell."""

    def __init__(self, context: WriteContext, records: Iterable[RunRecord]) -> None:
        self._context = context
        self._sources = [(id_, source) for record in records for id_, source in record.episodes.items()]
        self._planned: list[tuple[LogRange, str, Label]] = []

    def plan(self, segment: Segment, id_: str) -> None:
        """Takes note of an episode that will be written."""
        self._planned.append((segment.range, id_, segment.label))

    def before(self, segment: Segment) -> str:
        """The id of the last episode of the session before a segment, for the same audience; empty without one."""
        name = f"/{segment.range.path.rpartition('/')[2]}"
        if not segment.turns or name != f"/{file_stem(segment.turns[0].session)}.jsonl":
            return ""
        earlier = [
            _Told(range_.path, range_.last, planned=True, id=id_, label=label)
            for range_, id_, label in self._planned
            if range_.path.endswith(name)
        ]
        for id_, source in self._sources:
            if f"{name}#" in source and (label := self._label(id_)) is not None:
                earlier += [
                    _Told(range_.path, range_.last, planned=False, id=id_, label=label)
                    for range_ in parse_ranges(source)
                    if range_.path.endswith(name)
                ]
        start = segment.range.path, segment.range.first
        before = [
            episode
            for episode in earlier
            if (episode.path, episode.last) < start and episode.label == segment.label
        ]
        return max(before).id if before else ""

    def _label(self, id_: str) -> Label | None:
        path = f"episodes/{id_}.md"
        if path != safe_path(path) or not files.exists(self._context.root, path):
            return None
        return label_of_note(split(self._context.text(path)))
