"""Audiences: who may see a folder, a note, a line or a turn, and what is left of a file for one of them. Pure.

A label names who may see what it stands on; `owner` and what is no name let nobody else in. What has no label is for the owner
and the agent. Where a folder, a note and a line have labels, all of them must let an audience in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from memoryclaw.errors import InputError
from memoryclaw.model import AGENT, EVERYBODY, OWNER
from memoryclaw.text.frontmatter import Split
from memoryclaw.text.yaml_text import strings

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PARTS = re.compile(r"[\s,|]+")
# On a line: `[audience:: family]`, or the mark that people write into a conversation; `[private]` is what capture leaves of a
# part that it did not keep.
_MARK = re.compile(r"[\[(]audience::(?:([^\[\]()\n]*+)[\])])?|(\[(?!(?-i:private))PRIVATE\])", re.IGNORECASE)
NO_EXPORT = re.compile(r"\[NOEXPORT\]", re.IGNORECASE)
# On a line of its own it is a property of the whole note, as in Obsidian.
_OF_NOTE = re.compile(r"^[ \t]*audience::([^\n]*)$", re.IGNORECASE | re.MULTILINE)
# In the text of a skill that is JSON or JavaScript.
_KEY = re.compile(r"""["']?\baudience["']?\s*:\s*(?:\[([^\[\]]*+)\]|["']([^"'\n]*)["'])?""", re.IGNORECASE)
_MAY_LABEL = re.compile(rb"audience|\[private\]|\0", re.IGNORECASE)  # NUL: UTF-16, where words look otherwise


def named(audience: str) -> str:
    """The audience of a caller, as labels name it.

    Raises:
        InputError: no label could name it.
    """
    name = audience.strip().lower()
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{audience[:60]!r} is no audience; it is owner, agent, public, or the name of a group"
        )
    return name


def label_of(value: Any) -> str:
    """A label as it is compared: names in order, joined by a space; `owner` when it lets nobody else in."""
    texts = [value] if isinstance(value, str) else strings(value)
    names = {part.strip("\"'#").lower() for text in texts for part in _PARTS.split(text)}
    if EVERYBODY in names:
        return EVERYBODY
    return " ".join(sorted(name for name in names if name != OWNER and _NAME.fullmatch(name))) or OWNER


def labels_in(text: str) -> str:
    """The label of a piece of text: what all marks in it let in together; empty without one."""
    if "::" not in text and "[" not in text:
        return ""
    return narrowed(*(OWNER if hit[2] else label_of(hit[1] or "") for hit in _MARK.finditer(text)))


def unlabelled(text: str) -> str:
    """A piece of text as it was said, without its marks."""
    return NO_EXPORT.sub("", _MARK.sub("", text)).strip() if "[" in text or "::" in text else text


def narrowed(*labels: str) -> str:
    """Several labels as one, which lets in whom all of them do; empty when none is given."""
    given = [label for label in labels if label]
    closed = [set(label.split()) - {OWNER} for label in given if label != EVERYBODY]
    if closed:
        return " ".join(sorted(set.intersection(*closed))) or OWNER
    return EVERYBODY if given else ""


def may_see(audience: str, *labels: str) -> bool:
    """True when an audience may see what has these labels, one on top of the other."""
    if audience == OWNER:
        return True
    label = narrowed(*labels) or AGENT
    return label == EVERYBODY or audience in label.split()


def of_folders(path: str, folders: Mapping[str, Any]) -> str:
    """The label of the folders that a path lies in, as the settings give them; case does not matter."""
    low = f"{path.lower()}/"
    inside = (value for folder, value in folders.items() if low.startswith(f"{folder.strip('/').lower()}/"))
    return narrowed(*map(label_of, inside))


def may_be_labelled(data: bytes) -> bool:
    """False when the bytes of a file cannot hold a label."""
    return _MAY_LABEL.search(data) is not None


def of_code(text: str) -> str:
    """The label of a skill in JSON or JavaScript; a value that cannot be read lets nobody in."""
    return narrowed(*(label_of(hit[1] or hit[2] or "") for hit in _KEY.finditer(text)))


def of_note(parts: Split) -> str:
    """The label of a whole note: of its header, of a mark in that, and of `audience::` on a line of its own in the body.

    One in a header that cannot be read lets nobody in.
    """
    said = [value for key, value in parts.meta.items() if key.lower() == "audience"]
    said += [value for path, value in parts.shadowed if path and str(path[-1]).lower() == "audience"]
    broken = OWNER if parts.broken and "audience" in parts.raw.lower() else ""
    in_body = (label_of(hit[1]) for hit in _OF_NOTE.finditer(parts.body))
    return narrowed(broken, *map(label_of, said), labels_in(parts.raw), *in_body)


# The lines that a label on one of them covers, and those that a line needs to be understood.

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_OF_LIST = 7  # the rank of a list item: below every heading


class _Open(NamedTuple):
    """A section or a list item that goes on."""

    rank: int  # the level of a heading, or `_OF_LIST`
    indent: int
    line: int


class Outline:
    """How the lines of a Markdown body hang together, read once and in time proportional to them."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.above: list[int] = []  # the heading, list item or head of a table above each line; -1 for none
        self._begins: list[int] = []  # where the section, item, row or paragraph of each line begins
        self._ends: dict[int, int] = {}
        self._open: list[_Open] = []
        self.levels = levels = _levels(lines)  # of headings; 0 for every other line
        paragraph, rows = -1, 0
        self._underlines = {n + 1 for n, level in enumerate(levels) if level and not _HEADING.match(lines[n])}
        for number, line in enumerate(lines):
            indent, is_item = _indent(line), _ITEM.match(line) is not None
            if levels[number]:
                self._close(number, levels[number], -1)
            elif line.strip() and (is_item or paragraph < 0):
                self._close(number, _OF_LIST, indent)
            above = self._open[-1] if self._open else None
            rows = rows + 1 if _is_row(line) and not levels[number] else 0
            begin = number
            if levels[number] or (is_item and line.strip()):
                self._open.append(_Open(levels[number] or _OF_LIST, indent, number))
                paragraph = number if is_item and not levels[number] else -1
            elif rows or not line.strip():
                paragraph = -1
            else:
                inside = above.line if above and above.rank == _OF_LIST else number
                begin = paragraph = paragraph if paragraph >= 0 else inside
            head = -1 if above is None else above.line
            # The second row of a table hangs below the first, all others below these two.
            self.above.append(head if rows < 2 else number - 1 if rows == 2 else number - rows + 2)
            self._begins.append(begin)
            self._ends[begin] = number + 1
        self._close(len(lines), 0, -1)

    def covered(self, number: int) -> tuple[int, int]:
        """The lines, from and to, that a label on this one covers."""
        begin = self._begins[number]
        return begin, self._ends[begin]

    def is_underline(self, number: int) -> bool:
        """True for the line below a heading that makes it one."""
        return number in self._underlines

    def _close(self, number: int, rank: int, indent: int) -> None:
        """Ends what a line ends: the list items that are indented as far, and the sections of its level."""
        while self._open and self._open[-1].rank >= rank and self._open[-1].indent >= indent:
            self._ends[self._open.pop().line] = number


def covered(lines: Sequence[str], outline: Outline) -> list[str]:
    """The label of each line of a Markdown body, empty where it has none.

    A label on a heading covers its section; in a list, the item with all that is nested below it; in a table, its row; elsewhere
    its paragraph.
    """
    marked: dict[tuple[int, int], str] = {}
    for number, line in enumerate(lines):
        if label := labels_in(line):
            where = outline.covered(number)
            marked[where] = narrowed(marked.get(where, ""), label)
    found = ["" for _ in lines]
    for (begin, end), label in marked.items():
        found[begin:end] = [narrowed(one, label) for one in found[begin:end]]
    return found


def emptied(lines: Sequence[str], outline: Outline, hidden: Collection[int]) -> set[int]:
    """The headings below which nothing is left when these lines are hidden: the name of a section tells of what was in it."""
    found: set[int] = set()
    left, lost = set[int](), set[int]()  # the lines above one that is seen, and above one that is hidden
    for number in range(len(lines) - 1, -1, -1):
        if not lines[number].strip() or (number and outline.is_underline(number)):
            continue
        if outline.levels[number] and number in lost and number not in left:
            under = number + 1
            found |= {number, under} if under < len(lines) and outline.is_underline(under) else {number}
        (lost if number in hidden or number in found else left).add(outline.above[number])
    return found


def _levels(lines: Sequence[str]) -> list[int]:
    """The level of each line that is a heading, else 0; what looks like one in code is none."""
    found, fence = [0 for _ in lines], ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif fence:
            continue
        elif heading := _HEADING.match(line):
            found[number] = len(heading[1])
        elif (
            (under := _UNDERLINE.match(line))
            and number
            and lines[number - 1].strip()
            and not _ITEM.match(lines[number - 1])
        ):
            found[number - 1] = found[number - 1] or (1 if under[1][0] == "=" else 2)
    return found


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")
