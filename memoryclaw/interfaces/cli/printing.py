"""Answers for people: aligned text, in colour on a terminal. Text from the vault is made harmless before a terminal sees it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import click

from memoryclaw import rooms
from memoryclaw.interfaces import plural as plural  # noqa: PLC0414 - for whoever prints
from memoryclaw.text.prompts import one_line, visible

if TYPE_CHECKING:
    from rich.progress import Progress


GAP = "  "


def in_colour() -> bool:
    """True when standard output is a terminal that wants colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(text: str = "") -> None:
    """Prints one line."""
    click.echo(text, color=in_colour())


def remark(*sentences: str) -> None:
    """Prints sentences beside the answer, on standard error; those that are empty are passed over."""
    for sentence in filter(None, sentences):
        click.echo(rooms.secret_gate.without_secrets(sentence), err=True)


def print_freshness(fresh: rooms.sync.Freshness) -> None:
    """Says on standard error what an answer may lack."""
    if fresh.degraded:
        remark(f"Degraded: {fresh.degraded}")


def styled(text: str, **style: Any) -> str:
    """A text from the vault on one line, harmless, in a style."""
    return click.style(one_line(text), **style) if style else one_line(text)


def padded(text: str, columns: int, **style: Any) -> str:
    """A styled text, filled with spaces up to a width."""
    return styled(text, **style) + " " * (columns - width(one_line(text)))


def marked(text: str, places: Sequence[tuple[int, int]], **style: Any) -> str:
    """A text of one line with the words at these places highlighted, and the rest in a style."""
    parts, at = [], 0
    for start, end in places:
        parts += [_visible(text[at:start], style), _visible(text[start:end], {"fg": "yellow", "bold": True})]
        at = end
    return "".join([*parts, _visible(text[at:], style)])


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # only for text that needs it

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def as_json(value: object) -> None:
    """Prints a value as JSON, indented."""
    click.echo(json_text(value, indent=2))


def json_text(value: object, *, indent: int | None = None) -> str:
    """A value as JSON: exact when read back, and without a character that a terminal would obey."""
    import json

    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.isascii():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _visible(text: str, style: Mapping[str, Any]) -> str:
    # Unlike `one_line` this keeps the spaces at the edges: it is a part of a line.
    clean = visible(text).replace("\n", " ").replace("\t", " ")
    return click.style(clean, **style) if style and clean else clean


# The progress bar: on standard error, only on a terminal, and only when the work takes over a second.

PATIENCE = 1.0


class Bar:
    """Told (done, total) again and again; draws itself once its patience is over."""

    def __init__(self, work: str = "reading notes") -> None:
        self._work = work
        self._since = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()
        self._bar = None

    def __call__(self, done: int, total: int) -> None:
        """Shows how much of the work is done."""
        if self._bar is None:
            if time.monotonic() - self._since < PATIENCE or not sys.stderr.isatty():
                return
            from rich.console import Console  # rich costs more than a search
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn(self._work), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task(self._work, total=total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=done, total=total)
        if done >= total:
            self.__exit__()
