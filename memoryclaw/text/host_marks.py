"""What hosts put around and into a person's words, taken off. `data/host_marks.json` lists it; a new host is new rows.

A mark that is not closed takes nothing of what follows, and what was taken off is told, so that it can be read back. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from memoryclaw.late import NamedTuple
from memoryclaw.text.words import table

_SPACE = re.compile(r"\s*")


class HostText(NamedTuple):
    """A text without what its host put there.

    `own` is what the person typed, `marks` what was taken off, in order. `tool` names the host's part that speaks where no word is
    the person's; it is empty where that says nothing worth keeping.
    """

    own: str
    marks: tuple[str, ...] = ()
    tool: str = ""


class HostMark:
    """One row of the table: how a host marks what a person did not type."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.host, self.what = str(row["host"]), str(row["what"])
        self.tool = str(row.get("tool", ""))
        self.place = str(row.get("at", ""))  # start: of what is the person's; turn: all of it is the host's
        self.keeps = bool(row.get("keep"))  # only the tags are the host's, and what stands in them was typed
        self.example, self.own = str(row["example"]), str(row["own"])
        self.beside = str(row.get("beside", ""))
        self._tags = tuple(row.get("tags", ()))
        self._begin, self._end = str(row.get("begin", "")), str(row.get("end", ""))
        self._pattern = str(row.get("pattern", ""))
        self.needles = (
            tuple(f"<{tag}" for tag in self._tags) if self._tags else (str(row.get("needle") or self._begin),)
        )

    def match(self, text: str) -> re.Match[str] | None:
        """The mark at the beginning of a text."""
        return self._whole.match(text)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the mark stands in a text. An end that is missing once is missing for all that follows."""
        if self._pattern or self.keeps:
            yield from (hit.span() for hit in self._whole.finditer(text))
            return
        place, unclosed = 0, set[str]()
        for hit in self._opening.finditer(text):
            tag = hit["tag"] if self._tags else ""
            if hit.start() < place:
                continue
            end = rf"</{re.escape(tag)}>" if tag else self._end
            close = None if tag in unclosed else re.compile(end, re.MULTILINE).search(text, hit.end())
            if close is not None:
                place = close.end()
                yield hit.start(), place
                continue
            unclosed.add(tag)
            if text[hit.start() - 1 : hit.start()] in ("", "\n"):
                yield hit.span()

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(rf"</?(?:{self._names})>" if self.keeps else self._pattern, re.MULTILINE)

    @cached_property
    def _opening(self) -> re.Pattern[str]:
        # What stands in the quotes of code was typed.
        return re.compile(
            rf"(?<!`)<(?P<tag>{self._names})(?:\s[^<>\n]{{0,400}})?>" if self._tags else self._begin,
            re.MULTILINE,
        )

    @property
    def _names(self) -> str:
        return "|".join(map(re.escape, self._tags))


class HostRecord(NamedTuple):
    """How a host marks a whole record that no person and no model said."""

    host: str
    what: str
    key: str
    values: tuple[str, ...]  # empty: any that is true
    tool: str

    def marks(self, record: Mapping[str, Any]) -> bool:
        """True where the record has this mark."""
        value: Any = record
        for key in self.key.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return (isinstance(value, str) and value in self.values) if self.values else value is True


@cache
def host_marks() -> tuple[HostMark, ...]:
    """The marks of all hosts, in the order in which they are looked for."""
    return tuple(map(HostMark, table("host_marks")["marks"]))


@cache
def _needles(*, tags: bool) -> tuple[tuple[str, HostMark], ...]:
    """What stands in every text with a mark, beside each; without tags, of those that are none."""
    pairs = ((needle, mark) for mark in host_marks() for needle in mark.needles)
    return tuple(pair for pair in pairs if tags or not pair[0].startswith("<"))


@cache
def host_records() -> tuple[HostRecord, ...]:
    """The marks of whole records."""
    return tuple(
        HostRecord(row["host"], row["what"], row["key"], tuple(row.get("values", ())), row.get("tool", ""))
        for row in table("host_marks")["records"]
    )


def without_marks(text: str) -> HostText:
    """What a person typed of a text, and what their host put there."""
    # Most turns have no mark, and most marks are tags.
    pairs = _needles(tags="<" in text)
    rows = dict.fromkeys(mark for needle, mark in pairs if needle in text and mark.beside in text)
    marks, tools, pieces, place = list[str](), list[str](), list[str](), 0
    spans = ((start, -end, mark) for mark in rows if not mark.place for start, end in mark.spans(text))
    for start, end, mark in sorted(spans, key=lambda span: span[:2]):
        if start < place:
            continue
        pieces.append(text[place:start])
        marks.append(text[start:-end])
        tools += [] if mark.keeps else [mark.tool]
        behind = None if mark.keeps else _SPACE.match(text, -end)
        place = behind.end() if behind else -end
    own = "".join([*pieces, text[place:]])
    for mark in rows:
        if mark.place and (hit := mark.match(own.lstrip())):
            own = own.lstrip()
            end = len(own) if mark.place == "turn" else hit.end()
            marks.append(own[:end])
            tools.append(mark.tool)
            own = own[end:]
    return (
        HostText(own.strip(), tuple(marks), "" if own.strip() else next(filter(None, tools), ""))
        if marks
        else HostText(text)
    )
