"""OpenClaw's MEMORY.md and USER.md → facts and passages, with what their comments say. Pure text; nothing is decided here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryclaw.core.language import fold
from memoryclaw.core.naming import slug
from memoryclaw.core.textfile import readable

USER = "user"
_COMMENT = re.compile(
    # Nothing ends a comment that reaches the end: it is none, and to find that out once is enough.
    r"(?:(?<![ \t])[ \t]++)?<!--\s*+(?:(trigger|triggers|importance|project)\s*+:\s*+)?(.*?)(?:-->|(?P<open>\Z))",
    re.DOTALL | re.IGNORECASE,
)
_HEADING = re.compile(r"(#{1,6})[ \t]++(.+)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ITEM = re.compile(r"[-*+][ \t]+")
_FACT = re.compile(
    r"[-*+][ \t]+(?:\*\*|__)?([^\s:*_][^:*\n]{0,39}?)(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]+(\S[^\n]{0,200})"
)
_SELF = frozenset(
    {
        "user",
        "about me",
        "me",
        "profile",
        "identity",
        "about your human",
        "human",
        "memory",
        "long-term memory",
    }
)
_COLLECTIONS = frozenset({"contacts", "people", "projects", "preferences"})
_WORDS = 5  # of a key that is one


class Remarks(NamedTuple):
    """What the comments of a passage say."""

    triggers: tuple[str, ...] = ()
    importance: str = ""
    projects: tuple[str, ...] = ()

    @property
    def tags(self) -> tuple[str, ...]:
        """The same as tags: triggers as words, projects below `project/`."""
        projects = (
            f"project/{'/'.join(slug(part) for part in name.split('/') if part)}" for name in self.projects
        )
        return tuple(dict.fromkeys([*(slug(each) for each in self.triggers), *projects]))


class Heard(NamedTuple):
    """A line that reads as a fact."""

    entity: str
    field: str
    value: str
    line: int


class Passage(NamedTuple):
    """Text that belongs together below one heading."""

    heading: str
    text: str
    line: int
    remarks: Remarks = Remarks()


class _Block(NamedTuple):
    heading: str
    level: int
    text: str
    line: int


def read_curated(text: str) -> tuple[list[Heard], list[Passage]]:
    """The facts of a text, and its passages: each line with remarks is one, and what is left below each heading."""
    facts: list[Heard] = []
    passages: list[Passage] = []
    rest: dict[str, list[_Block]] = {}
    for block in _blocks(readable(text)):
        bare, said = without_remarks(block.text)
        heard = _fact(block._replace(text=bare))
        if not bare.strip():
            continue
        if said != Remarks():
            passages.append(Passage(block.heading, bare, block.line, said))
        elif heard:
            facts.append(heard)
        else:
            rest.setdefault(block.heading, []).append(block._replace(text=bare))
    for heading, blocks in rest.items():
        passages.append(Passage(heading, "\n".join(each.text for each in blocks), blocks[0].line))
    return facts, sorted(passages, key=lambda passage: passage.line)


def without_remarks(text: str) -> tuple[str, Remarks]:
    """A text without its comments, and what they say; comments that say nothing to us go too."""
    triggers: list[str] = []
    projects: list[str] = []
    importance = ""
    for hit in _COMMENT.finditer(text):
        if hit["open"] is not None:
            break
        word, said = (hit[1] or "").lower(), " ".join(hit[2].split())
        if word.startswith("trigger"):
            triggers += [each.strip() for each in said.split(",") if each.strip()]
        elif word == "project" and said:
            projects.append(said)
        elif word == "importance" and re.fullmatch(r"\d{1,2}(?:\.\d+)?", said):
            importance = said
    bare = _COMMENT.sub(lambda hit: "" if hit["open"] is None else hit[0], text)
    return bare, Remarks(tuple(dict.fromkeys(triggers)), importance, tuple(dict.fromkeys(projects)))


def _blocks(text: str) -> Iterator[_Block]:
    """Headings taken off: list items with what is indented below them, paragraphs, fenced code."""
    heading, level, fence = "", 0, ""
    lines: list[str] = []
    first = 1
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        inside = bool(fence)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        title = None if inside or mark else _HEADING.fullmatch(line.rstrip())
        starts = not inside and not mark and (title or not line.strip() or _ITEM.match(line))
        if starts and lines:
            yield _Block(heading, level, "\n".join(lines), first)
            lines = []
        if title:
            said = title[2].rstrip("#").rstrip(" \t") or title[2][0]
            heading, level = without_remarks(said)[0].strip(), len(title[1])
        elif line.strip() or inside:
            first = number if not lines else first
            lines.append(line)
    if lines:
        yield _Block(heading, level, "\n".join(lines), first)


def _fact(block: _Block) -> Heard | None:
    hit = _FACT.fullmatch(block.text.rstrip())
    if hit is None or len(hit[1].split()) > _WORDS:
        return None
    key, value, name = hit[1].strip(), hit[2].strip(), fold(block.heading).strip()
    if name in _COLLECTIONS and name != "preferences":
        return Heard(key, "value", value, block.line)
    if name in _COLLECTIONS or block.level <= 1 or name in _SELF:
        return Heard(USER, key, value, block.line)
    return Heard(block.heading, key, value, block.line)
