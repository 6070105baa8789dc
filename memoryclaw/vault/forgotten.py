"""Lines that a person took out of every answer: they stay in their files, and who reads the files leaves them out. Pure.

A line is known by a mark: the path of its file, its number and a digest of its bytes (`logs/2026-03-08/s1.jsonl#4-4@<digest>`), and where
only some of its words are meant, the place of these in its text (`…:17-41`). A mark holds no word of the line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from memoryclaw import late
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import grouped
from memoryclaw.text.encoding import json_object, lines_of, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.language import words_of
from memoryclaw.text.memory_lines import without_ids
from memoryclaw.vault.logs import LogRange, range_of, whole_lines
from memoryclaw.vault.permissions import NOBODYS, Permissions, line_digest

FORGOTTEN, REVIVED = "forgotten", "revived"
_MARK = late.pattern(
    r"([^\x00-\x1f#@]{1,1024})#(\d{1,9})-(\d{1,9})@([0-9a-f]{16})(?::(?P<start>\d{1,9})-(?P<end>\d{1,9}))?"
)
_LEFT = "…"  # where words were left out of a line
_SENTENCE = late.pattern(r"(?<=[.!?…])[ \t]+")
NO_TITLE = "Conversation"


class ForgottenMark(NamedTuple):
    """One line, or several that are one turn; with `end`, only these characters of its text."""

    place: LogRange
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        return f"{self.place}:{self.start}-{self.end}" if self.end else str(self.place)


def marks_in(texts: Iterable[str]) -> list[ForgottenMark]:
    """The marks that these texts spell; what is none is passed over."""
    marks = []
    for hit in filter(None, (_MARK.fullmatch(text) for text in texts)):
        place = LogRange(hit[1], int(hit[2]), int(hit[3]), hit[4])
        marks.append(ForgottenMark(place, int(hit["start"] or 0), int(hit["end"] or 0)))
    return marks


def standing_marks(decisions: str, permitted: Permissions | None = NOBODYS) -> frozenset[str]:
    """The marks that the text of `decisions.jsonl` says are forgotten, and not brought back since.

    Anybody has a line forgotten; only this person brings one back, unless it is not asked what was `permitted`.
    """
    times_of: dict[str, dict[str, str]] = {}  # mark → the paths of what was forgotten with it, and when
    written = decisions.splitlines()
    counted = [True] * len(written)
    if permitted is not None and f'"{REVIVED}"' in decisions:
        counted = permitted.permits([line_digest(line) for line in written])
    for place, line in enumerate(written):
        if f'"{FORGOTTEN}"' not in line and f'"{REVIVED}"' not in line:
            continue
        value = json_object(line)
        if not isinstance(lines := value.get("lines"), list):
            continue
        path = str(value.get("path", ""))
        at = str(value.get("at", ""))
        for mark in (mark for mark in lines if isinstance(mark, str)):
            times = times_of.setdefault(mark, {})
            if value.get("decision") == FORGOTTEN:
                times[path] = max(at, times.get(path, ""))
            elif value.get("decision") == REVIVED and counted[place]:
                revived = [known for known, since in times.items() if path in ("", known) and since <= at]
                for known in revived:
                    del times[known]
    return frozenset(mark for mark, times in times_of.items() if times)


class ForgottenLines(NamedTuple):
    """All marks of a vault, by the name of their file: a file that was moved keeps them."""

    by_name: Mapping[str, Sequence[ForgottenMark]]

    @classmethod
    def of(cls, marks: Iterable[str]) -> ForgottenLines:
        """Those that these texts spell."""
        return cls(grouped((mark.place.path.rpartition("/")[2], mark) for mark in marks_in(sorted(marks))))

    def marks_of(self, path: str) -> Sequence[ForgottenMark]:
        """The marks of files that are called like this one."""
        return self.by_name.get(path.rpartition("/")[2], ())

    def within(self, path: str, data: bytes) -> dict[int, list[ForgottenMark]]:
        """The marks that fit a file as it is now, by the number of the first line of each."""
        marks = self.marks_of(path)
        marks_at: dict[int, list[ForgottenMark]] = {}
        lines = whole_lines(data) if marks else []
        # Lines after the first → digest → the first place that has it.
        everywhere: dict[int, dict[str, int]] = {}
        for mark in marks:
            place = mark.place
            first, span = place.first, place.last - place.first
            is_there = first and place.last <= len(lines)
            is_there = is_there and range_of(path, lines, first, place.last).digest == place.digest
            if not is_there:  # it may have moved
                if span not in everywhere:
                    starts = range(len(lines) - span, 0, -1)
                    everywhere[span] = {range_of(path, lines, n, n + span).digest: n for n in starts}
                first = everywhere[span].get(place.digest, 0)
            if first:
                moved = mark._replace(place=place._replace(first=first, last=first + span))
                marks_at.setdefault(first, []).append(moved)
        return marks_at


NOTHING_FORGOTTEN = ForgottenLines({})


def omitted_lines(marks: Mapping[int, Sequence[ForgottenMark]]) -> set[int]:
    """The numbers of the lines that are left out whole."""
    return {
        number
        for line_marks in marks.values()
        for mark in line_marks
        if not mark.end
        for number in range(mark.place.first, mark.place.last + 1)
    }


def without_words(text: str, marks: Iterable[ForgottenMark]) -> str:
    """A text without the words that its marks mean."""
    for mark in sorted(marks, key=lambda mark: -mark.start):
        text = f"{text[: mark.start]}{_LEFT}{text[mark.end :]}"
    return text


def place_of_words(text: str, words: str) -> list[tuple[int, int]]:
    """Where these words stand in a text, one after the other, whatever the marks and spaces between them."""
    sought = words_of(words)
    if not sought:
        return []
    gap = r"[\W_]{1,8}"
    pattern = r"(?<!\w)" + gap.join(map(re.escape, sought)) + r"(?!\w)"
    return [hit.span() for hit in re.finditer(pattern, text, re.IGNORECASE)]


# An episode without some of its lines: their words go from its title, its summary and its lists too, where nothing that stays says them.


class EpisodeText(NamedTuple):
    """An episode without some lines, and what was replaced in its header and its title, as (old, new)."""

    text: str
    replaced: tuple[tuple[str, str], ...] = ()
    lost: frozenset[str] = frozenset()  # words that no line says any more


def without_lines(
    text: str,
    gone: Collection[int],
    *,
    blank: bool = True,
    words: Mapping[int, Sequence[ForgottenMark]] = MappingProxyType({}),
) -> EpisodeText:
    """An episode without some of its lines.

    Args:
        gone: the numbers of these lines.
        blank: leaves an empty line for each.
        words: marks by line; of those with an end, the words go from a line that stays.
    """
    from memoryclaw.vault.edits import set_property  # noqa: PLC0415 - few notes need it, and many are read

    lines = lines_of(text)
    first = split(readable(text)).body_line - 1
    title = next((n for n in range(first, len(lines)) if lines[n].startswith("# ")), -1)
    cut = {n: line for n, line in enumerate(lines, 1) if n in words and n not in gone}
    for number, line in cut.items():
        lines[number - 1] = without_words(line, (mark for mark in words[number] if mark.end))
    stays = [line for n, line in enumerate(lines[first:], first) if n + 1 not in gone and n != title]
    left_out = (*(lines[n - 1] for n in gone if n <= len(lines)), *cut.values())
    lost = _words(left_out) - _words(stays)
    replaced: list[tuple[str, str]] = []
    old_title = lines[title][2:].strip() if title >= 0 else ""
    fresh = ", ".join(words for words in old_title.split(", ") if not lost & set(words_of(words)))
    if fresh != old_title:
        replaced.append((old_title, fresh or NO_TITLE))
        lines[title] = f"# {fresh or NO_TITLE}{_end(lines[title])}"
    remaining = ((_end(line) if blank else "") if n in gone else line for n, line in enumerate(lines, 1))
    result = "".join(remaining)
    for key, old, new in _header(text, lost):
        try:
            result = set_property(result, key, new)
        except InputError:  # a header that cannot be patched stays as it is
            continue
        olds = [old] if isinstance(old, str) else [item for item in old if item not in new]
        replaced += [(before, new if isinstance(new, str) else "") for before in olds]
    return EpisodeText(result, tuple(replaced), frozenset(lost))


def _header(text: str, lost: set[str]) -> Iterable[tuple[str, str | list[str], str | list[str]]]:
    """The values of the header that hold such words: key, old, new."""
    meta = split(readable(text)).meta
    for key in ("tags", "participants", "entities", "people", "aliases"):
        value = meta.get(key)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            remaining = [item for item in value if not lost & set(words_of(item))]
            if remaining != value:
                yield key, value, remaining
    for key in ("summary", "project"):
        value = meta.get(key)
        if isinstance(value, str) and lost & set(words_of(value)):
            remaining = [words for words in _SENTENCE.split(value) if not lost & set(words_of(words))]
            yield key, value, " ".join(remaining)


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in words_of(without_ids(line))}


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
