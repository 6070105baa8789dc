"""Reads headings, links, tags and block ids from a note's body by Obsidian's rules; code and `%%comments%%` are skipped."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import unquote

from memoryclaw.late import NamedTuple
from memoryclaw.model import Link, Section
from memoryclaw.text.memory_lines import BLOCK_ID

_HEADING = re.compile(r"\n {0,3}(#{1,6})[ \t]+([^\n]*)")
_UNDERLINE = re.compile(r"\n {0,3}(=+|-+)[ \t]*(?=\n|\Z)")
_NOT_PARAGRAPH = re.compile(r" {0,3}(?:[>#|]|[*+-](?:\s|\Z|[*-])|\d+[.)]\s|=+\s*\Z)|\s*\Z|(?: {4}|\t)")
_WIKILINK = re.compile(r"\[\[([^\[\]\n|#^\\]*+)(?:#?(\^?[^\[\]\n|\\]*+))(?:\\?\|([^\[\]\n]*+))?\]\]")
_MARKDOWN_LINK = re.compile(
    r"\[([^\[\]\n]*)\]\(<?([^()<>\s]+?\.md)(?:#([^()<>\s]*))?>?(?:[ \t]+\"[^\"\n]*\")?\)"
)
# What Hugo makes a link of: `{{< relref "plum#steps" >}}`, most of the time as the address of a Markdown link.
_LINKS = ("](", "[[", "{{", "((")
_RELREF = re.compile(
    r"\{\{[<%][ \t]++(?:rel)?ref[ \t]++\"?+([^\"\s#<>{}%]*+)(?:#([^\"\s<>{}%]*+))?+[^<>{}%\n]*+[>%]\}\}"
)
# What Logseq calls a block, on a line below it, and what refers to it from anywhere.
_UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_BLOCK_LINE = re.compile(rf"^[ \t]*id::[ \t]+({_UUID})[ \t]*$", re.MULTILINE)
_BLOCK_REFERENCE = re.compile(rf"\(\(({_UUID})\)\)")
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:|//")
# The punctuation of Chinese and Japanese ends a tag, as a comma does.
_TAG = re.compile(
    r"#(?<!\S#)([^\s\u2000-\u206F\u2E00-\u2E7F\u3001-\u3004\u3008-\u301F\u30FB\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF3D\uFF5B-\uFF65"
    r"'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]+)"
)
_ANCHOR = re.compile(r"\{#[^{}\n]*+\}$")  # of a heading, as Hugo and Pandoc write it
# An opening or closing code fence (also in lists and quotes), a run of backticks, or a comment mark.
_QUIET = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$|`+|%%", re.MULTILINE
)


class Heading(NamedTuple):
    """A heading, with the offsets of its line and of its section's text."""

    level: int
    text: str
    start: int
    below: int


class Body(NamedTuple):
    """The parts of a body. `text` is the body with its comments blanked out."""

    text: str
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    blocks: tuple[tuple[str, int], ...]  # block ids and their lines
    quiet: str  # the text with code blanked out as well; facts are read from it


def outline(body: str) -> Body:
    """Reads a body without its links, tags and block ids."""
    text = quiet = body
    if "`" in body or "%%" in body or "~~~" in body:
        without_comments, without_both = _Blanks(body), _Blanks(body)
        for start, end, is_comment in _quiet_spans(body):
            without_both.blank(start, end)
            if is_comment:
                without_comments.blank(start, end)
        text, quiet = without_comments.result(), without_both.result()
    headings = _headings(quiet) if "#" in quiet or "\n=" in quiet or "\n-" in quiet else ()
    return Body(text, headings, (), (), (), quiet)


def read_body(body: str, first_line: int) -> Body:
    """Reads a body whose first line is line `first_line` of its file."""
    read = outline(body)
    quiet = read.quiet
    links = tuple(_links(quiet, first_line)) if any(mark in quiet for mark in _LINKS) else ()
    tags = inline_tags(quiet) if "#" in quiet else ()
    blocks = _blocks(quiet, first_line) if "^" in quiet or "id::" in quiet else ()
    return Body(read.text, read.headings, links, tags, blocks, quiet)


def sections_of(body: Body, first_line: int) -> tuple[Section, ...]:
    """Splits a body into sections; text before the first heading is one unless it is blank."""
    text, headings = body.text, body.headings
    end = headings[0].start if headings else len(text)
    sections = []
    if text[:end].strip():
        start = len(text) - len(text.lstrip("\n"))
        line = first_line + start
        sections.append(_section("", (), line, text[start:end], line))
    trail: list[Heading] = []
    line, offset = first_line, 0
    for heading, following in zip(headings, (*headings[1:], None), strict=False):
        while trail and trail[-1].level >= heading.level:
            trail.pop()
        trail.append(heading)
        line += text.count("\n", offset, heading.start)
        offset = heading.start
        below = text[heading.below : following.start if following else len(text)]
        sections.append(_section(heading.text, tuple([h.text for h in trail]), line, below, line + 1))
    return tuple(sections)


def _section(heading: str, trail: tuple[str, ...], line: int, text: str, text_line: int) -> Section:
    end_line = text_line + text.count("\n") - (not text or text.endswith("\n"))
    return Section(heading=heading, trail=trail, line=line, end_line=max(line, end_line), text=text)


def links_in(text: str) -> list[tuple[int, Link]]:
    """Finds the links of a text with their offsets; their lines are not set."""
    links = []
    for hit in _WIKILINK.finditer(text):
        start = hit.start()
        target, anchor, label = hit.groups("")
        embed = text[start - 1 : start] == "!"
        links.append((start, Link(target.strip(), anchor.strip(), label.strip(), 0, embed)))
    if "{{" in text:
        links += [(hit.start(), Link(hit[1], hit[2] or "", "", 0)) for hit in _RELREF.finditer(text)]
        links.sort(key=lambda pair: pair[0])
    if "((" in text:
        links += [(hit.start(), Link(hit[1], "", "", 0)) for hit in _BLOCK_REFERENCE.finditer(text)]
        links.sort(key=lambda pair: pair[0])
    if "](" in text:
        links += [
            (hit.start(), Link(_unquote(hit[2]), _unquote(hit[3] or ""), hit[1], 0))
            for hit in _MARKDOWN_LINK.finditer(text)
            if not _SCHEME.match(hit[2])
        ]
        links.sort(key=lambda pair: pair[0])
    return links


def _unquote(address: str) -> str:
    if "%" not in address:
        return address
    return unquote(address)


def inline_tags(text: str) -> tuple[str, ...]:
    """The distinct #tags of a text without code, as written; digits alone are not a tag."""
    tags = [tag.strip("/") for tag in _TAG.findall(text)]
    return tuple(dict.fromkeys(tag for tag in tags if tag and not tag.replace("/", "").isdigit()))


def _links(text: str, first_line: int) -> Iterator[Link]:
    line, offset = first_line, 0
    for start, link in links_in(text):
        line += text.count("\n", offset, start)
        offset = start
        if link.target or link.anchor:
            yield link._replace(line=line)


def _blocks(text: str, first_line: int) -> tuple[tuple[str, int], ...]:
    blocks, line, offset = [], first_line, 0
    for hit in sorted((*BLOCK_ID.finditer(text), *_BLOCK_LINE.finditer(text)), key=lambda hit: hit.start()):
        line += text.count("\n", offset, hit.start(1))
        offset = hit.start(1)
        blocks.append((hit[1], line))
    return tuple(blocks)


def _headings(text: str) -> tuple[Heading, ...]:
    headings = [
        Heading(len(hit[1]), _title(hit[2]), hit.start(), hit.end()) for hit in _HEADING.finditer("\n" + text)
    ]
    if underlines := list(_UNDERLINE.finditer(text)):
        headings += _underlined(text, underlines)
        headings.sort(key=lambda heading: heading.start)
    return tuple(heading for heading in headings if heading.text)


def _title(text: str) -> str:
    text = text.strip()
    if text.endswith("}"):
        text = _ANCHOR.sub("", text).rstrip()
    if not text.endswith("#"):
        return text
    without = text.rstrip("#")
    return without.rstrip() if not without or without[-1] in " \t" else text


def _underlined(text: str, underlines: list[re.Match[str]]) -> Iterator[Heading]:
    # Seven `=` between conflict markers are a border, not an underline.
    conflict = "<<<<<<< " in text
    for hit in underlines:
        start = text.rfind("\n", 0, hit.start()) + 1
        line = text[start : hit.start()]
        if not _NOT_PARAGRAPH.match(line) and not (conflict and hit[1] == "======="):
            yield Heading(1 if hit[1][0] == "=" else 2, line.strip(), start, hit.start() + 1)


class _Blanks:
    """Blanks out spans of a text, keeping its line ends."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[str] = []
        self._at = 0

    def blank(self, start: int, end: int) -> None:
        inside = self._text[start:end]
        lines = (
            "\n".join([" " * len(line) for line in inside.split("\n")])
            if "\n" in inside
            else " " * len(inside)
        )
        self._parts += (self._text[self._at : start], lines)
        self._at = end

    def result(self) -> str:
        return "".join(self._parts) + self._text[self._at :] if self._parts else self._text


def without_code(text: str) -> str:
    """The text with its code blanked out, at the same length; comments stay."""
    if "`" not in text and "~~~" not in text:
        return text
    blanks = _Blanks(text)
    for start, end, is_comment in _quiet_spans(text):
        if not is_comment:
            blanks.blank(start, end)
    return blanks.result()


def _quiet_spans(body: str) -> Iterator[tuple[int, int, bool]]:
    """Where code and comments begin and end, and which of them are comments."""
    marks = list(_QUIET.finditer(body))
    same: dict[str, list[int]] = defaultdict(list)
    for number, mark in enumerate(marks):
        same[mark[0].strip() if mark[1] is None else mark[1]].append(number)
    number = 0
    while number < len(marks):
        mark = marks[number]
        if mark[1] is not None:
            last, end = _fence_end(marks, number, len(body))
        else:
            last, end = _mate(marks, number, same[mark[0]], body)
        if last > number:
            yield mark.start(), end, mark[0] == "%%"
        number = last + 1 if last > number else number + 1


def _fence_end(marks: list[re.Match[str]], opening: int, length: int) -> tuple[int, int]:
    """Finds the fence that closes this one, or the end of the text."""
    fence = marks[opening][1]
    for number in range(opening + 1, len(marks)):
        candidate = marks[number]
        if candidate[1] is not None and candidate[1].startswith(fence) and not candidate[2].strip():
            return number, candidate.end()
    return len(marks), length


def _mate(marks: list[re.Match[str]], opening: int, same: list[int], body: str) -> tuple[int, int]:
    """Finds the mark that closes this one; returns the opening itself when it is plain text."""
    place = bisect_right(same, opening)
    if place == len(same):
        return opening, 0
    closing = marks[same[place]]
    if marks[opening][0] != "%%" and body.find("\n\n", marks[opening].end(), closing.start()) >= 0:
        return opening, 0
    return same[place], closing.end()
