"""Reads the properties of a note from its header: names, tags, times, trust. Invalid values become Problems."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from memoryclaw import late
from memoryclaw.model import PERMANENT, PROJECT, TRUSTS, Lifecycle, Problem
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.frontmatter import is_filled_in
from memoryclaw.text.yaml_text import strings
from memoryclaw.vault import validity

_YES = frozenset({"true", "yes", "on", "1"})
# Keys whose values are properties of their own, or say how to treat a note rather than what it is about.
_NOT_SEARCHED = frozenset({
    "id", "schema", "title", "summary", "tags", "tag", "aliases", "alias", "timestamp", "date", "created", "updated",
    "modified", "start", "end", "until", "importance", "confidence", "pin", "trust", "audience", "cssclass",
    "cssclasses", "publish", "permalink", "processed", "message_count", "participants", "people", "person", "entities",
    "entity", "project", "source", "half_life", "merged_from"
})  # fmt: skip
# Keys of a plain note that say how it is shown, found or trusted, or when and by whom it was made: all others are fields.
NOT_TOLD = (_NOT_SEARCHED - {"start", "end", "until", "source"}) | {
    # of programs: Obsidian and its plugins, Logseq, Hugo, Jekyll, Docusaurus, hosts of agents
    "mobile", "cover", "banner", "icon", "image", "thumbnail", "layout", "template", "draft", "slug", "toc", "head", "search",
    "collapsed", "metadata", "lastmod", "publishdate", "showtoc", "unlisted"
}  # fmt: skip
_OF_PROGRAMS = late.pattern(
    r"[ug]?uid|.+[-_ ]u?id|.+-plugin|(?:sidebar|hide|banner|cover|pagination)_\w+|(?:publish|kanban|excalidraw)-\w+"
)
_NUMBER_OR_DATE = late.pattern(
    r"[\d\s.,:+/%TZ-]*|true|false|yes|no|on|off|(?:logs/|log:|https?://).*", re.IGNORECASE | re.DOTALL
)
_LINK = late.pattern(r"!?\[\[([^\[\]|#]*)(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]")


class Properties(NamedTuple):
    """The properties of a note."""

    id: str = ""
    title: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    project: str = ""
    when: str = ""
    until: str = ""
    trust: str = "trusted"
    pinned: bool = False
    merged_from: tuple[str, ...] = ()  # the ids of notes that it took in
    lifecycle: Lifecycle = PERMANENT
    other: str = ""  # every other value worth searching
    problems: tuple[Problem, ...] = ()


def read_properties(meta: Mapping[str, Any], lines: Mapping[tuple[str, ...], int]) -> Properties:
    """Reads the properties of a header; the case of keys does not matter."""
    if not meta:
        return Properties()
    low = {key.lower(): value for key, value in meta.items()}
    problems: list[Problem] = []
    project = plain_name(text_of(low.get("project")))
    other = [
        plain_name(text)
        for key, value in low.items()
        if key not in _NOT_SEARCHED
        for text in strings(value)
        if not _NUMBER_OR_DATE.fullmatch(text)
    ]
    return Properties(
        id=_id(low["id"], lines, problems) if "id" in low else "",
        title=text_of(low.get("title")),
        summary=text_of(low.get("summary")),
        tags=tags_of(low),
        aliases=names_of(low, ("aliases", "alias")),
        people=names_of(low, ("participants", "people", "person")),
        entities=names_of(low, ("entities", "entity")),
        project=project,
        when=_when(low, ("timestamp", "date", "created", "start"), lines, problems),
        until=_when(low, ("end", "until"), lines, problems) if "end" in low or "until" in low else "",
        trust=_trust(low["trust"], lines, problems) if "trust" in low else "trusted",
        pinned="pin" in low and text_of(low["pin"]).lower() in _YES,
        merged_from=names_of(low, ("merged_from",)) if "merged_from" in low else (),
        lifecycle=_lifecycle(low, project, lines, problems),
        other=", ".join(other),
        problems=tuple(problems),
    )


def is_told(key: str, value: Any) -> bool:
    """True where a key of a plain note's header tells something of what the note is about, and not of the note or to a program."""
    low = key.lower()
    return (
        low not in NOT_TOLD
        and not _OF_PROGRAMS.fullmatch(low)
        and not (isinstance(value, str) and is_filled_in(value))
    )


def text_of(value: Any) -> str:
    """A header value on one line; lists and maps are joined."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else ", ".join(strings(value))
    return " ".join(text.split()) if "\n" in text or "  " in text else text.strip()


def plain_name(text: str) -> str:
    """A name without the brackets of a wikilink."""
    if "[[" in text:
        text = _LINK.sub(r"\1", text)
    return text.strip()


def names_of(low: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[str, ...]:
    """The distinct names under some keys, from lists or text with commas."""
    given = [value for key in keys if (value := low.get(key)) is not None]
    texts = (
        text for value in given for text in (value.split(",") if isinstance(value, str) else strings(value))
    )
    return tuple(dict.fromkeys(filter(None, map(plain_name, texts)))) if given else ()


def tags_of(low: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags of a header: a list, or text with commas or spaces, with or without `#`."""
    given = [value for key in ("tags", "tag") if (value := low.get(key)) is not None]
    lists = (v.replace(",", " ").split() if isinstance(v, str) else strings(v) for v in given)
    tags = (text.strip().lstrip("#").strip("/") for texts in lists for text in texts)
    return tuple(dict.fromkeys(filter(None, tags))) if given else ()


_Lines = Mapping[tuple[str, ...], int]


def _line(lines: _Lines, key: str) -> int:
    """The line of a key; only problems need it."""
    return next((line for path, line in lines.items() if len(path) == 1 and path[0].lower() == key), 1)


def _id(value: Any, lines: _Lines, problems: list[Problem]) -> str:
    text = text_of(value)
    if not text:
        return ""
    if not isinstance(value, str) or "#" in text or text.startswith("log:") or text != value.strip():
        message = f"the id {text[:60]!r} cannot be used; the note goes by its path"
        problems.append(Problem("", _line(lines, "id"), message, "an id is one word or path without #"))
        return ""
    return text


def _when(low: Mapping[str, Any], keys: tuple[str, ...], lines: _Lines, problems: list[Problem]) -> str:
    for key in keys:
        text = text_of(low.get(key))
        if text:
            if when := parse_timestamp(text):
                return when
            hint = "write it as 2025-04-08 or 2025-04-08T14:32:10Z"
            problems.append(Problem("", _line(lines, key), f"{key}: {text[:60]!r} is not a date", hint))
    return ""


def _trust(value: Any, lines: _Lines, problems: list[Problem]) -> str:
    text = text_of(value).lower()
    if not text:
        return "trusted"
    if text in TRUSTS:
        return text
    message = f"trust: {text[:60]!r} is not known; the note is treated as unknown"
    hint = "use trusted, unknown, untrusted or quarantined"
    problems.append(Problem("", _line(lines, "trust"), message, hint))
    return "unknown"


def _lifecycle(low: Mapping[str, Any], project: str, lines: _Lines, problems: list[Problem]) -> Lifecycle:
    texts = {key: text_of(low[key]) for key in validity.KEYS if key in low}
    if project:
        texts.setdefault("scope", f"{PROJECT}{project}")
    if not texts:
        return PERMANENT
    for key, text in texts.items():
        problems += validity.problems({key: text}, _line(lines, key) if key in low else 1)
    return validity.read(texts)
