"""Differences on a terminal, word by word: in colour where there is colour, else with `[-old-]{+new+}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoryclaw.core.consolidation.worddiff import COME, GONE, SAME, Line, marked, word_diff
from memoryclaw.core.fence import visible
from memoryclaw.doors.cli.printing import in_colour, say, styled

if TYPE_CHECKING:
    from memoryclaw.jobs.review.showing import Difference

_SIGNS = {SAME: " ", GONE: "-", COME: "+"}
_COLOURS = {SAME: None, GONE: "red", COME: "green"}


def show_difference(found: Difference) -> None:
    """Prints what changes in one file."""
    title = f": {styled(found.title)}" if found.title else ""
    say(f"  {styled(found.path, underline=True)}{title}")
    for number, hunk in enumerate(word_diff(found.before, found.after)):
        if number:
            say("    …")
        for line in hunk:
            say(f"  {_sign(line)} {_told(line)}".rstrip())


def _sign(line: Line) -> str:
    kinds = {piece.kind for piece in line.pieces}
    return _SIGNS[kinds.pop()] if len(kinds) == 1 else "~"


def _told(line: Line) -> str:
    if in_colour():
        return "".join(
            click.style(_clean(piece.text), fg=_COLOURS[piece.kind], strikethrough=piece.kind == GONE or None)
            for piece in line.pieces
        )
    if len(line.pieces) == 1:
        return _clean(line.pieces[0].text)
    return _clean(marked(line.pieces))


def _clean(text: str) -> str:
    # Unlike `one_line` this keeps the indentation: it is Markdown.
    return visible(text).replace("\n", " ").replace("\t", "    ")
