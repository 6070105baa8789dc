"""Finds the episode that a new one repeats, and says what becomes of the two: merged where one holds the other, else proposed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memoryclaw.core.consolidation.changes import Action, AddSource, MoveFile, PlannedChange
from memoryclaw.core.consolidation.episodes import EpisodeNote
from memoryclaw.core.consolidation.likeness import twin
from memoryclaw.core.consolidation.ranges import parse_ranges
from memoryclaw.core.frontmatter import split
from memoryclaw.core.language import words_of
from memoryclaw.jobs.pen import Pen

# An ISO day → (id, path) of the episodes of that day.
OnDay = Callable[[str], Sequence[tuple[str, str]]]
_SHARED = 0.6  # of the words of the shorter one; below that two texts are not compared further


class _Told(NamedTuple):
    """An episode that tells of the same day."""

    id: str
    path: str
    body: str
    words: frozenset[str]
    ranges: frozenset[str]
    planned: bool = False


class Repeated(NamedTuple):
    """What an episode repeats. With `replaces` it is not written: its range is added to the one that tells it already."""

    id: str = ""
    title: str = ""
    actions: tuple[Action, ...] = ()
    replaces: bool = False
    change: PlannedChange | None = None


class Twins:
    """Looks for near duplicates among the episodes of the vault, and those planned in this run."""

    def __init__(self, pen: Pen, on_day: OnDay) -> None:
        self._pen = pen
        self._on_day = on_day
        self._told: dict[str, list[_Told]] = {}  # by day

    def of(self, note: EpisodeNote, text: str, range_: str) -> Repeated:
        """What the note repeats, if anything. The same words on another day are no repetition: it happened again."""
        told = self._of_day(str(note.values["timestamp"])[:10])
        own = _told(note.id, note.path, text, planned=True)
        others = [other for other in told if other.id != own.id and _may_be_alike(own, other)]
        told.append(own)
        found = twin(own.body, [(other.id, other.body) for other in others if range_ not in other.ranges])
        if found is None:
            return Repeated()
        other = next(other for other in others if other.id == found.id)
        if found.kind == "contained":
            title = f"Told already: {note.values['summary']}"
            return Repeated(found.id, title, (AddSource(other.path, (range_,)),), replaces=True)
        if other.planned:
            return Repeated()  # two of one run that are alike but for a line stay as they are
        return Repeated(change=self._merge(note, found.id, other.path, certain=found.kind == "contains"))

    def _of_day(self, day: str) -> list[_Told]:
        if day not in self._told:
            self._told[day] = [_told(id_, path, self._pen.text(path)) for id_, path in self._on_day(day)]
        return self._told[day]

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


def _told(id_: str, path: str, text: str, *, planned: bool = False) -> _Told:
    body = split(text).body
    ranges = frozenset(str(range_) for range_ in parse_ranges(text))
    return _Told(id_, path, body, frozenset(words_of(body)), ranges, planned)


def _may_be_alike(one: _Told, other: _Told) -> bool:
    return len(one.words & other.words) >= _SHARED * min(len(one.words), len(other.words))
