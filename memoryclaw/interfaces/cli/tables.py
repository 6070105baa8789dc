"""Tables for people: whole in a pipe, fitted to a terminal. An id is never cut."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from memoryclaw.interfaces.cli.printing import GAP, marked, padded, say, styled, width
from memoryclaw.late import NamedTuple
from memoryclaw.text.prompts import one_line

# What stands on a second line of a row where a terminal is too narrow: most of it must stay whole to be copied.
_PLACES = frozenset({"id", "where", "path", "file", "files", "from", "to", "link", "leads to", "neighbour", "tags", "address", "receipt", "why"})  # fmt: skip
_ANSWERS = frozenset({"value", "to do"})  # what a person asked for: continued below itself, the rest is cut
_SHORT = 16  # columns that no cell is cut below
_WORDS = 0.45, 60  # of a line, and columns at most: what is left for words


class _Layout(NamedTuple):
    """Where the cells of a row stand: on its line, each so wide, and below it."""

    heads: Sequence[str]
    line: Sequence[int]
    below: Sequence[int]
    widths: Sequence[int]
    columns: int

    def show(self, row: Sequence[str], **style: Any) -> None:
        """Prints a row."""
        cells = []
        for at in self.line:
            is_answer, text, columns = self.heads[at] in _ANSWERS, row[at], self.widths[at]
            cells.append(_folded(text, columns) if is_answer else [cut(text, columns)])
        styles = [style or ({"fg": "cyan"} if head in _PLACES else {}) for head in self.heads]
        for parts in zip_longest(*cells, fillvalue=""):
            cells_of_line = (
                padded(text, self.widths[at], **styles[at]) if text else " " * self.widths[at]
                for at, text in zip(self.line, parts, strict=True)
            )
            say(GAP.join(cells_of_line).rstrip())
        room, texts = self.columns - len(GAP), list[str]()
        for at in self.below:
            texts += _folded(row[at], room) if self.heads[at] == "why" else [row[at]]
        for places in packed(texts, room):
            say(GAP + GAP.join(styled(place, **style or {"fg": "cyan"}) for place in places))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], nothing: str = "") -> None:
    """Prints rows under their heads, or a sentence where there are none; a head with `?` only where a row has something below it."""
    if not rows:
        if nothing:
            say(nothing)
        return
    shown = [at for at, head in enumerate(heads) if not head.endswith("?") or any(row[at] for row in rows)]
    heads = [heads[at].removesuffix("?") for at in shown]
    clean = [[one_line(row[at]) for at in shown] for row in rows]
    # Moves places below until words have room, then cuts the longest words until the line fits.
    widths = [max(map(width, cells)) for cells in zip(heads, *clean, strict=True)]
    columns, line, below = terminal_width(), list(range(len(heads))), list[int]()
    while len(line) > 1 and (places := [at for at in line if heads[at] in _PLACES]):
        words = sum(widths[at] for at in line if at not in places and widths[at] > _SHORT)
        if _length(line, widths) - max(0, words - min(columns * _WORDS[0], _WORDS[1])) <= columns:
            break
        line.remove(places[-1])
        below.insert(0, places[-1])
    while _length(line, widths) > columns:
        words_at = [at for at in line if heads[at] not in _PLACES]
        longest = max(words_at or line[:1], key=widths.__getitem__)
        if widths[longest] <= _SHORT:
            break
        widths[longest] -= 1
    layout = _Layout(heads, line, below, widths, columns)
    layout.show(heads, bold=True)
    for row in clean:
        layout.show(row)


def pairs(rows: Iterable[tuple[str, str]]) -> None:
    """Prints names with what they are, which goes on below itself."""
    rows = [(name, one_line(text)) for name, text in rows if text]
    indent = max((width(name) for name, _ in rows), default=0) + len(GAP)
    for name, text in rows:
        flow(text, indent=indent, lead=padded(name, indent, bold=True))


def flow(
    text: str, places: Sequence[tuple[int, int]] = (), *, indent: int = 0, lead: str = "", **style: Any
) -> None:
    """Prints a text of one line behind an indentation, with words highlighted, on as many lines as the terminal needs."""
    text, start = one_line(text), 0
    for line in _folded(text, max(terminal_width() - indent, _SHORT)):
        start = text.index(line, start)
        inside = [(a - start, b - start) for a, b in places if a < start + len(line) and b > start]
        highlights = [(max(a, 0), min(b, len(line))) for a, b in inside]
        say(f"{lead or ' ' * indent}{marked(line, highlights, **style)}")
        lead, start = "", start + len(line)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines whose columns begin at the same place."""
    widths = [max(map(width, cells)) for cells in zip(*rows, strict=True)]
    padded_rows = ((cell + " " * (widths[at] - width(cell)) for at, cell in enumerate(row)) for row in rows)
    return [GAP.join(cells).rstrip() for cells in padded_rows]


def terminal_width() -> int:
    """The columns of the terminal; without one, more than any line has."""
    if not sys.stdout.isatty():
        return sys.maxsize
    from shutil import get_terminal_size  # a pipe needs none of it

    return get_terminal_size().columns


def _length(line: Sequence[int], widths: Sequence[int]) -> int:
    return sum(widths[at] for at in line) + len(GAP) * (len(line) - 1)


def packed(cells: Iterable[str], columns: int) -> Iterable[list[str]]:
    """Cells on as few lines as they need."""
    line: list[str] = []
    for cell in filter(None, cells):
        if line and sum(map(width, line)) + len(GAP) * len(line) + width(cell) > columns:
            yield line
            line = []
        line.append(cell)
    if line:
        yield line


def beginning(text: str, most: int) -> str:
    """A cell of words: whole on a terminal, where the table gives it what room there is; elsewhere its beginning."""
    return text if len(text) <= most or sys.stdout.isatty() else f"{text[: most - 1].rstrip()}…"


def cut(text: str, columns: int) -> str:
    """The beginning of a text, with `…` where it does not fit."""
    return text if width(text) <= columns else f"{_head(text, columns - 1).rstrip()}…"


def _folded(text: str, columns: int) -> list[str]:
    """A text on lines of so many columns, broken between words where there are any."""
    lines = []
    while width(text) > columns:
        head = _head(text, columns)
        if " " in head and text[len(head)] != " ":
            head = head[: head.rindex(" ")]
        lines.append(head)
        text = text[len(head) :].lstrip()
    return [*lines, text]


def _head(text: str, columns: int) -> str:
    """As much of the beginning of a text as fits."""
    while width(text) > columns:
        text = text[: min(columns, len(text) - 1)]
    return text
