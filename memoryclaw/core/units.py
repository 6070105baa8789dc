"""A note → its units: the pieces that are indexed, ranked and quoted. A unit's text begins on the unit's first line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from memoryclaw.core.facts import without_facts
from memoryclaw.core.language import words_of
from memoryclaw.core.model import Fact, Note, Section, Turn, Unit
from memoryclaw.core.properties import read_properties

WHOLE_WORDS = 220  # a note up to this long is one unit
SECTION_WORDS = 600  # a longer section is cut into parts
SECTION_CHARS = 6000
CUT_CHARS = 4000  # where a text without paragraphs is cut
MAX_TEXT = 1024 * 1024  # beyond this, only the distinct words of a text are kept
_WORDS = re.compile(rf"\s*+(?:\S++\s++){{{SECTION_WORDS}}}")
_ROLE_TRUST = {
    "user": "trusted",
    "human": "trusted",
    "tool": "untrusted",
    "toolResult": "untrusted",
    "": "untrusted",
}


def units_of(
    note: Note, *, properties: str | None = None, told: frozenset[int] | None = None, rest: str = ""
) -> tuple[Unit, ...]:
    """The retrieval units of a note, in the order of the file.

    Args:
        note: the note; its `units` are not looked at.
        properties: header values to search besides names; read from `note.meta` when not given.
        told: lines that facts tell already; those of `note.facts` when not given.
        rest: text beyond the first `MAX_TEXT`, of which only the distinct words are kept.
    """
    if note.turns:
        return tuple(unit for turn in note.turns for unit in _turn_units(turn, note))
    if told is None:
        told = frozenset(fact.line for fact in note.facts)
    if properties is None:
        meta = without_facts(note.meta) if note.kind == "semantic" else note.meta
        properties = read_properties(meta, {}).other
    far = [("~rest", 0, rest)] if rest else []
    if len(properties) > SECTION_CHARS:  # every unit holds the properties: what is large is held once
        far, properties = [("~header", 1, properties), *far], ""
    facts = [_fact_unit(fact, note, _above(fact, note)) for fact in note.facts]
    cutter = _Cutter(note, properties)
    prose = cutter.units(list(_untold(note.sections, told)) if told else note.sections)
    if not prose and (properties or note.aliases or not facts):
        prose = [cutter.unit("", 1, 1, "", ())]
    prose += [cutter.rest(*one) for one in far]
    return (*prose, *facts)


class _Cutter:
    """Cuts the prose of one note into units that share its title, tags and properties."""

    def __init__(self, note: Note, properties: str) -> None:
        self._note = note
        summary = note.meta.get("summary")
        about = summary if isinstance(summary, str) and summary != note.title else ""
        self._title = " · ".join(filter(None, (note.title, *note.aliases, about.strip())))
        self._tags = " ".join(note.tags)
        self._properties = ", ".join(filter(None, (*note.people, *note.entities, note.project, properties)))
        self._kind = note.kind if note.kind in ("episode", "skill") else "note"
        self._seen: dict[str, int] = {}

    def units(self, sections: tuple[Section, ...] | list[Section]) -> list[Unit]:
        """One unit for a short note, else one a section, long sections in parts."""
        if not sections:
            return []
        if sum(len(section.text) for section in sections) <= SECTION_CHARS:
            text = _joined(sections)
            if len(text.split()) <= WHOLE_WORDS:
                return [self.unit("", sections[0].line, sections[-1].end_line, text, ())]
        following = (*sections[1:], None)
        return [
            unit
            for section, after in zip(sections, following, strict=True)
            if section.text.strip() or not _is_above(section, after)
            for unit in self._section(section)
        ]

    def _section(self, section: Section) -> Iterator[Unit]:
        line = section.line
        for part in parts(_with_heading(section)):
            end = line + part.count("\n")
            yield self.unit(section.heading, line, max(line, end - part.endswith("\n")), part, section.trail)
            line = end

    def unit(self, heading: str, line: int, end_line: int, text: str, trail: tuple[str, ...]) -> Unit:
        """A unit of the note; the second of one heading gets `~2`, the next `~3`."""
        note = self._note
        number = self._seen[heading] = self._seen.get(heading, 0) + 1
        below = heading if number == 1 else f"{heading}~{number}"
        if trail:
            trail = tuple([part for part in trail if part != note.title])
        return Unit(
            id=f"{note.id}#{below}" if below else note.id,
            kind=self._kind,
            line=line,
            end_line=end_line,
            title=" › ".join((self._title, *trail)) if trail else self._title,
            tags=self._tags,
            properties=self._properties,
            text=text,
            when=note.when,
            until=note.until,
            trust=note.trust,
            pinned=note.pinned,
            state=note.state,
        )

    def rest(self, heading: str, line: int, text: str) -> Unit:
        """The unit that keeps a huge note findable by the words of its far end, or of a huge header."""
        line = line or max((section.end_line for section in self._note.sections), default=1)
        return self.unit(heading, line, line + text.count("\n"), " ".join(_distinct(text)), ())


def parts(text: str) -> Iterator[str]:
    """A text in parts of at most `SECTION_WORDS` words, cut at paragraphs, else at lines, else at spaces."""
    start = 0
    while True:
        words = _WORDS.match(text, start, start + SECTION_CHARS)
        limit = min(words.end() if words else len(text), start + SECTION_CHARS)
        if limit >= len(text):
            yield text[start:]
            return
        end = _border(text, start, limit)
        yield text[start:end]
        start = end


def _border(text: str, start: int, limit: int) -> int:
    for mark in ("\n\n", "\n"):
        at = text.rfind(mark, start + 1, limit)
        if at > start:
            return at + len(mark)
    limit = min(limit, start + CUT_CHARS)
    at = text.rfind(" ", start + 1, limit)
    return at + 1 if at > start else limit


def _joined(sections: Iterable[Section]) -> str:
    """The text of consecutive sections; lines between them that were left out become blank."""
    parts_: list[str] = []
    line = 0
    for section in sections:
        text = _with_heading(section)
        if parts_ and section.line > line:
            parts_.append("\n" * (section.line - line))
        parts_.append(text)
        line = section.line + text.count("\n")
    return "".join(parts_)


def _with_heading(section: Section) -> str:
    return f"{section.heading}\n{section.text}" if section.heading else section.text


def _is_above(section: Section, after: Section | None) -> bool:
    return (
        after is not None
        and len(after.trail) > len(section.trail)
        and after.trail[: len(section.trail)] == section.trail
    )


def _untold(sections: Iterable[Section], told: frozenset[int]) -> Iterator[Section]:
    """The sections without the lines that facts tell; those left empty by it are dropped."""
    for section in sections:
        first = section.line + bool(section.heading)
        lines = section.text.split("\n")
        kept = ["" if first + i in told else line for i, line in enumerate(lines)]
        if kept == lines:
            yield section
        elif any(line.strip() for line in kept):
            yield Section(
                heading=section.heading,
                trail=section.trail,
                line=section.line,
                end_line=section.end_line,
                text="\n".join(kept),
            )


def _above(fact: Fact, note: Note) -> str:
    """The file's title and the headings above a fact, which no prose unit repeats."""
    at = bisect_right(note.sections, fact.line, key=lambda section: section.line) - 1
    trail = note.sections[at].trail if at >= 0 else ()
    return ", ".join(dict.fromkeys((note.title, *(part for part in trail if part != fact.entity))))


def _fact_unit(fact: Fact, note: Note, above: str) -> Unit:
    return Unit(
        id=fact.id,
        kind="fact",
        line=fact.line,
        end_line=fact.line,
        title=fact.entity if fact.field == "value" else f"{fact.entity} {fact.field}",
        tags=" ".join(note.tags),
        properties=above,
        text=fact.value,
        when=fact.since,
        until=fact.until,
        entity=fact.entity,
        field=fact.field,
        value=fact.value,
        trust=note.trust,
        pinned=note.pinned,
        state=note.state if fact.current else "superseded",
    )


def _turn_units(turn: Turn, note: Note) -> Iterator[Unit]:
    texts = [(turn.id, turn.text)]
    if len(turn.text) > MAX_TEXT:
        texts = [
            (turn.id, turn.text[:MAX_TEXT]),
            (f"{turn.id}#~rest", " ".join(_distinct(turn.text[MAX_TEXT:]))),
        ]
    for id_, text in texts:
        yield Unit(
            id=id_,
            kind="turn",
            line=turn.line,
            end_line=turn.end_line,
            text=text,
            when=turn.ts,
            entity=turn.name or turn.role,
            trust=_ROLE_TRUST.get(turn.role, "unknown"),
            state=note.state,
        )


def _distinct(text: str) -> list[str]:
    """The distinct words of a long text, in order of appearance, found a piece at a time."""
    found: dict[str, None] = {}
    start = 0
    while start < len(text):
        end = start + MAX_TEXT
        end = len(text) if end >= len(text) else (text.rfind(" ", start, end) + 1 or end)
        found.update(dict.fromkeys(words_of(text[start:end])))
        start = end
    return list(found)
