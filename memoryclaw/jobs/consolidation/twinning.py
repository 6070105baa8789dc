"""Finds the episode that a new one repeats, and says what becomes of the two: merged where one holds the other, else proposed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memoryclaw.core.consolidation.changes import Action, AddSource, MoveFile, PlannedChange
from memoryclaw.core.consolidation.episodes import EpisodeNote
from memoryclaw.core.consolidation.likeness import twin
from memoryclaw.core.consolidation.ranges import parse_ranges
from memoryclaw.core.frontmatter import split
from memoryclaw.jobs.pen import Pen

# Words of an episode → (id, path) of those that may be its twin, best first.
Likely = Callable[[str], Sequence[tuple[str, str]]]


class Repeated(NamedTuple):
    """What an episode repeats. With `replaces` it is not written: its range is added to the one that tells it already."""

    id: str = ""
    title: str = ""
    actions: tuple[Action, ...] = ()
    replaces: bool = False
    change: PlannedChange | None = None


class Twins:
    """Looks for near duplicates among the episodes of the vault, and those planned in this run."""

    def __init__(self, pen: Pen, likely: Likely) -> None:
        self._pen = pen
        self._likely = likely
        self._planned: dict[
            tuple[str, str], list[tuple[str, str, str]]
        ] = {}  # title and day → (id, path, body)

    def of(self, note: EpisodeNote, text: str, range_: str) -> Repeated:
        """What the note repeats, if anything."""
        title, body = str(note.values["summary"]), split(text).body
        day = str(note.values["timestamp"])[:10]
        here = self._planned.setdefault((title, day), [])
        others = [*here, *self._others(note, title, range_, day)]
        here.append((note.id, note.path, body))
        found = twin(body, [(id_, other) for id_, _path, other in others])
        if found is None:
            return Repeated()
        path = next(path for id_, path, _ in others if id_ == found.id)
        if found.kind == "contained":
            return Repeated(found.id, f"Told already: {title}", (AddSource(path, (range_,)),), replaces=True)
        if any(id_ == found.id for id_, _path, _ in here):
            return Repeated()  # two of one run that are alike but for a line stay as they are
        return Repeated(change=self._merge(note, found.id, path, certain=found.kind == "contains"))

    def _others(self, note: EpisodeNote, title: str, range_: str, day: str) -> list[tuple[str, str, str]]:
        """Episodes of the same day: what is said in the same words on another day has happened again."""
        found = []
        for id_, path in self._likely(title):
            text = self._pen.text(path)
            parts = split(text)
            if id_ != note.id and range_ not in text and str(parts.meta.get("timestamp", ""))[:10] == day:
                found.append((id_, path, parts.body))
        return found

    def _merge(self, note: EpisodeNote, id_: str, path: str, *, certain: bool) -> PlannedChange:
        """The older twin goes to the archive. A note that a person wrote goes nowhere without being asked for."""
        ranges = tuple(str(range_) for range_ in parse_ranges(self._pen.text(path)))
        name = path.rpartition("/")[2]
        reason = "" if certain and ranges else f"{id_} and {note.id} say nearly the same"
        return PlannedChange(
            kind="merge",
            title=f"{id_} is told by {note.id} as well",
            actions=(AddSource(note.path, ranges), MoveFile(path, f"archive/episodes/{name}"))
            if ranges
            else (MoveFile(path, f"archive/episodes/{name}"),),
            source=" ".join(ranges),
            reason=reason,
            id=note.id,
        )
