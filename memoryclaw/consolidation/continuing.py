"""A session that goes on after its episode was written gets another one, which links the one before it."""

from __future__ import annotations

from collections.abc import Iterable

from memoryclaw.capture.log_records import file_stem
from memoryclaw.consolidation.changes import RunRecord, Segment
from memoryclaw.text.frontmatter import split
from memoryclaw.vault import files
from memoryclaw.vault.audience import Label, label_of_note
from memoryclaw.vault.layout import safe_path
from memoryclaw.vault.logs import LogRange, parse_ranges
from memoryclaw.writing.context import WriteContext


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
        # Of two that end on one line, that of this run is the last.
        earlier = [(range_, 1, id_) for range_, id_, label in self._planned if label == segment.label]
        for id_, source in self._sources:
            if f"{name}#" in source and self._label(id_) == segment.label:
                earlier += [(range_, 0, id_) for range_ in parse_ranges(source)]
        start = segment.range.path, segment.range.first
        ends = ((range_.path, range_.last, planned, id_) for range_, planned, id_ in earlier)
        before = [end for end in ends if end[0].endswith(name) and end[:2] < start]
        return max(before)[-1] if before else ""

    def _label(self, id_: str) -> Label | None:
        path = f"episodes/{id_}.md"
        if path != safe_path(path) or not files.exists(self._context.root, path):
            return None
        return label_of_note(split(self._context.text(path)))
