"""Splits a note into header and body. It never fails: a header that cannot be read stays text and gets a Problem."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, Problem

if TYPE_CHECKING:
    from memoryclaw.text.yaml_header import GuardedHandler
    from memoryclaw.text.yaml_text import Path

_KEY_LINE = late.pattern(r"---[ \t]*\n(?:[ \t]*+(?:#.*+)?\n)*+[^\s:#-][^:\n]*:(?:\s|\Z)")


class Split(NamedTuple):
    """A note in two parts. `raw` is the header as written, all there is when it is `broken`; one that is never closed is in `body`."""

    meta: Mapping[str, Any]
    raw: str
    body: str
    body_line: int  # the line of the file on which the body begins
    lines: Mapping[Path, int] = NOTHING  # type: ignore[assignment]
    shadowed: tuple[tuple[Path, Any], ...] = ()
    broken: bool = False
    problems: tuple[Problem, ...] = ()


@functools.lru_cache(maxsize=2)  # who may see a file is asked before it is read
def split(text: str) -> Split:
    """Splits a readable text into header and body; its problems have no path yet."""
    text = text.removeprefix("\ufeff")
    if text.startswith(("+++", "{")):
        return _other_head(text)
    if not text.startswith("---"):
        return Split(NOTHING, "", text, 1)
    handler = _handler()
    if not handler.detect(text):
        return Split(NOTHING, "", text, 1)
    try:
        raw, body = handler.split(text)
    except ValueError:
        problems = _unclosed(text)
        return Split(NOTHING, "", text, 1, broken=bool(problems), problems=problems)
    body_line = text.count("\n", 0, len(text) - len(body)) + 1
    loaded = handler.load(raw)
    meta, problems = loaded.value, loaded.problems
    if isinstance(meta, dict):
        return Split(meta, raw, body, body_line, loaded.lines, loaded.shadowed, problems=problems)
    if meta is not None:
        problems = (
            *problems,
            Problem("", 2, "this header is not a list of keys", "write lines like `tags: [a, b]`"),
        )
    return Split(NOTHING, raw, body, body_line, broken=bool(problems), problems=problems)


def _other_head(text: str) -> Split:
    from memoryclaw.text.other_heads import other_head  # noqa: PLC0415 - few notes have one

    head = other_head(text)
    if head is None:
        return Split(NOTHING, "", text, 1)
    body_line = text.count("\n", 0, len(text) - len(head.body)) + 1
    return Split(
        head.meta,
        head.raw,
        head.body,
        body_line,
        head.lines,
        broken=bool(head.problems),
        problems=head.problems,
    )


def is_filled_in(text: str) -> bool:
    """True for a text with a placeholder of Obsidian's templates (`{{date}}`) or of Templater (`<% … %>`)."""
    return ("{{" in text and "}}" in text) or ("<%" in text and "%>" in text)


def header_length(text: str) -> int:
    """The length of a closed header, however long; 0 without one."""
    text = text.removeprefix("\ufeff")
    if not _KEY_LINE.match(text[:4096]):
        return 0
    try:
        return len(text) - len(_handler().split(text)[1])
    except ValueError:
        return 0


def _unclosed(text: str) -> tuple[Problem, ...]:
    """Reports a header that is never closed; a lone `---` above prose is a thematic break."""
    if not _KEY_LINE.match(text[:4096]):
        return ()
    return (
        Problem(
            "",
            1,
            "the header that begins here is never closed",
            "add a line `---` below its last key; until then only the owner sees this note",
        ),
    )


@functools.cache
def _handler() -> GuardedHandler:
    from memoryclaw.text.yaml_header import GuardedHandler  # noqa: PLC0415 - 40 ms that a question never pays

    return GuardedHandler()
