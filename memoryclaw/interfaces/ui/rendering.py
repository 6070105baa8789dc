"""Values into HTML: the templates, Markdown behind two walls, differences in words, dates as people write them."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import nh3
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup, escape

from memoryclaw.interfaces import plural, shapes
from memoryclaw.interfaces.ui.answers import address
from memoryclaw.review.word_diff import word_diff
from memoryclaw.text.snippets import without_block_ids

_HERE = Path(__file__).parent
MOST_RENDERED = 512 << 10  # characters of a note above which it is shown as it stands in its file


# Static files: read once, under an address that changes with them, so that a browser may keep them for good.

_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


@cache
def static() -> Mapping[str, tuple[str, bytes]]:
    """Kind and bytes of each file that every page may ask for, by name."""
    entries = sorted((_HERE / "static").iterdir())
    return {path.name: (_KINDS[path.suffix], path.read_bytes()) for path in entries if path.suffix in _KINDS}


@cache
def static_version() -> str:
    """Eight hex digits that change when a static file does."""
    return hashlib.sha256(b"\0".join(data for _, data in static().values())).hexdigest()[:8]


# Marks that nobody sees, or that turn the direction of the text around them, are shown by their number, wherever a value is printed.


_RANGES = (
    (0x00, 0x08), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200B),
    (0x200E, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip
_HIDDEN = {code: f"‹U+{code:04X}›" for first, last in _RANGES for code in range(first, last + 1)}
_HIDDEN |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def visible(value: Any) -> Any:
    """The text with every hidden mark as its number; anything else as it is."""
    return value.translate(_HIDDEN) if isinstance(value, str) and not isinstance(value, Markup) else value


def exact(text: str) -> Markup:
    """The text unchanged, for a field that is sent back; the first line end of a textarea is not part of its text."""
    return Markup("\n") + escape(text.encode("utf-8", "replace").decode())


# Dates.


def local(moment: str) -> datetime | date | None:
    """An ISO date, or a moment in the time of this machine; None for what is neither."""
    try:
        if len(moment) <= 10:
            return date.fromisoformat(moment)
        parsed = datetime.fromisoformat(moment)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone()
    except ValueError:
        return None


def day(moment: str) -> str:
    """`20 April 2026`; what is no date as it is."""
    when = local(moment)
    return f"{when.day} {when:%B %Y}" if when else moment


def weekday(moment: str) -> str:
    """`Monday 20 April 2026`."""
    when = local(moment)
    return f"{when:%A} {when.day} {when:%B %Y}" if when else moment


def clock(moment: str) -> str:
    """`08:00`; empty for a date without a time."""
    when = local(moment)
    return f"{when:%H:%M}" if isinstance(when, datetime) else ""


def moment(text: str) -> str:
    """`20 April 2026, 08:00`."""
    return ", ".join(filter(None, (day(text), clock(text))))


def sentence(text: str) -> str:
    """The text with a capital first, unless it begins with a name such as `consolidation.mode`."""
    return text if "." in text.partition(" ")[0] else text[:1].upper() + text[1:]


def coded(text: str) -> Markup:
    """The text with what stands between backticks as code."""
    pieces = [escape(visible(part)) for part in text.split("`")]
    if len(pieces) % 2 == 0:
        return escape(visible(text))
    pieces[1::2] = [Markup("<code>{}</code>").format(part) for part in pieces[1::2]]
    return Markup("").join(pieces)


_EPISODE = re.compile(r"(\d{4}-\d\d-\d\d)_\d\d-\d\d-\d\d_([^#,/]+?)(?:\.md)?(?:#\^l(\d+))?")
_LOG = re.compile(r"logs/(\d{4}-\d\d-\d\d)/([^#/]+)\.jsonl#(\d+)(?:-(\d+))?(?:@[0-9a-f]+)?")


def sourced(source: str) -> str:
    """Where something was said, as people would say it: `nantes kiosk, 20 April 2026, line 3` for the name of an episode."""
    pieces, names = [], (word.strip().removeprefix("[[").removesuffix("]]") for word in source.split(","))
    for name in filter(None, names):
        if hit := _EPISODE.fullmatch(name.removeprefix("episodes/")):
            pieces.append(f"{hit[2].replace('-', ' ')}, {day(hit[1])}{f', line {hit[3]}' if hit[3] else ''}")
        elif hit := _LOG.fullmatch(name):
            lines = f"lines {hit[3]} to {hit[4]}" if hit[4] and hit[4] != hit[3] else f"line {hit[3]}"
            pieces.append(f"{hit[2]}, {day(hit[1])}, {lines}")
        else:
            pieces.append(name)
    return "; ".join(pieces)


def superseded(subject: str) -> tuple[str, str, str] | None:
    """What a change is of, the old value and the new one, where its sentence says `deadline is NEW (was OLD)`."""
    head, was, old = subject.rpartition(" (was ")
    about, is_, new = head.rpartition(" is ")
    return (about, old[:-1], new) if was and is_ and old.endswith(")") else None


# Differences.


def difference(before: str, after: str, around: int = 1) -> list[list[dict[str, Any]]]:
    """What turns one text into another: hunks of lines with pieces."""
    hunks: list[list[dict[str, Any]]] = shapes.plain(word_diff(before, after, around))
    return hunks


def row(line: Mapping[str, Any]) -> tuple[str, str]:
    """The class of a line of a difference, and the sign before it."""
    kinds = {piece["kind"] for piece in line["pieces"]}
    if kinds == {"come"}:
        return "come", "+"
    if kinds == {"gone"}:
        return "gone", "−"
    return ("same", " ") if kinds <= {"same"} else ("change", "~")


# Markdown. The first wall is a parser that knows no HTML; the second lets through a short list of elements and addresses.

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_SCHEMES = {"http", "https", "mailto"}


def markdown(text: str, path: str = "") -> Markup:
    """Markdown as safe HTML; `path` is the note's own, from which its links lead on.

    No picture is loaded: its address is shown. A link to elsewhere shows its host. HTML is text.
    """
    if len(text) > MOST_RENDERED:
        return Markup("<pre>{}</pre>").format(visible(text))
    return Markup(  # noqa: S704 - this is the second wall
        nh3.clean(
            _parser().render(visible(without_block_ids(text)), {"path": path}),
            tags=_TAGS,
            attributes={"a": {"href", "title"}, "ol": {"start"}},
            attribute_filter=_attribute,
            url_schemes=_SCHEMES,
            link_rel="noreferrer noopener nofollow",
        )
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    if tag == "a" and name == "href":
        is_ours = value.startswith("/ui/") and not value.startswith("//")
        return value if is_ours or urlsplit(value).scheme in _SCHEMES else None
    return value


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}, renderer_cls=_Renderer)
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    parser.core.ruler.before("inline", "callout", _callout)
    return parser


_CALLOUT = re.compile(r"\[!([\w-]{1,40})\][+-]?[ \t]*([^\n]*)(\n?)")


def _callout(state: StateCore) -> None:
    """`> [!warning] Title` is a quotation with a bold title."""
    for block, _, line in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if block.type == "blockquote_open" and (hit := _CALLOUT.match(line.content)):
            title = hit[2].strip() or hit[1].capitalize()
            line.content = f"**{title}**{'  ' if hit[3] else ''}{hit[3]}{line.content[hit.end() :]}"


class _Renderer(RendererHTML):
    """Headings begin below the page's own; links lead to pages of ours or show where they go."""

    def heading_open(self, tokens: Sequence[Token], at: int, _options: Any, env: Any) -> str:
        # One below the last at most: people who read by headings count them.
        env["level"] = min(int(tokens[at].tag[1:]) + 1, env.get("level", 1) + 1, 6)
        return f"<h{env['level']}>"

    def heading_close(self, _tokens: Sequence[Token], _at: int, _options: Any, env: Any) -> str:
        return f"</h{env['level']}>\n"

    def image(self, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
        alt, source = tokens[at].content, str(tokens[at].attrGet("src") or "")
        return str(Markup("<code>picture: {}</code>").format(" ".join(filter(None, (alt, unquote(source))))))

    def link_open(self, tokens: Sequence[Token], at: int, _options: Any, env: Any) -> str:
        href = str(tokens[at].attrGet("href") or "")
        return str(Markup('<a href="{}">').format(_led(href, env.get("path", ""))))

    def link_close(self, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
        depth, opened = 1, at
        while depth and opened:
            opened -= 1
            depth += {"link_close": 1, "link_open": -1}.get(tokens[opened].type, 0)
        host = urlsplit(str(tokens[opened].attrGet("href") or "")).hostname or ""
        inside = "".join(token.content for token in tokens[opened:at])
        closing = Markup("</a> <span>({})</span>").format(host) if host and host not in inside else "</a>"
        return str(closing)


def _led(href: str, path: str) -> str:
    """Where a link of a note leads: to its address elsewhere, or to the note of this vault that it names."""
    if urlsplit(href).scheme in _SCHEMES:
        return href
    target = unquote(href.partition("#")[0])
    if not target or href.startswith("//") or urlsplit(href).scheme:
        return ""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if path else target
    return "" if place.startswith("..") else address("note", place.lstrip("/").removesuffix(".md"))


def _wikilink(state: StateInline, silent: bool) -> bool:
    """`[[note]]`, `[[note#heading|words]]`."""
    if not state.src.startswith("[[", state.pos):
        return False
    end = state.src.find("]]", state.pos + 2, min(state.posMax, state.pos + 400))
    inside = state.src[state.pos + 2 : end] if end > 0 else ""
    if not inside.strip() or "\n" in inside or "[" in inside:
        return False
    if not silent:
        target, bar, words = inside.partition("|")
        name = target.partition("#")[0].strip() or target.strip()
        state.push("link_open", "a", 1).attrs = {"href": quote(f"/{name}.md")}
        state.push("text", "", 0).content = (words if bar else target).strip()
        state.push("link_close", "a", -1)
    state.pos = end + 2
    return True


# The templates. A value is escaped wherever it is printed; only `markdown` and the macros give HTML.


@cache
def environment() -> Environment:
    """The templates of the page."""
    templates = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals |= {each.__name__: each for each in (address, difference, plural, row)}
    templates.globals["asset"] = lambda name: f"/ui/static/{static_version()}/{name}"
    templates.tests["quoted"] = lambda line: line.startswith("- ")
    filters = clock, coded, day, exact, markdown, moment, sentence, sourced, weekday
    templates.filters |= {each.__name__: each for each in filters}
    return templates
