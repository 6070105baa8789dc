"""What stands behind a key of a fact line → its value, its inline fields and its source. Pure text work."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from memoryclaw.core.properties import plain_name
from memoryclaw.core.yamltext import Path, load, strings

_INLINE = re.compile(
    r"\[(since|until|source)::[ \t]*+((?:\[\[[^\[\]]*\]\]|[^\[\]])*+)\]|\((since|until|source)::[ \t]*+([^()]*)\)"
)
_BLOCK_ID = re.compile(r"(?<!\S)\^[A-Za-z0-9-]+$")
_EMPHASIS = re.compile(r"^(\*\*|__|\*|`)(.+)\1$")


class Said(NamedTuple):
    """A value without its inline fields, and what they say."""

    text: str
    since: str = ""
    until: str = ""
    source: str = ""


def said(text: str) -> Said:
    """The value of a fact line: inline fields, block id, quotes and list brackets taken off."""
    fields: dict[str, str] = {}
    if "::" in text:
        for hit in _INLINE.finditer(text):
            fields.setdefault(hit[1] or hit[3], plain_name(hit[2] if hit[1] else hit[4]))
        if fields:
            text = " ".join(_INLINE.sub(" ", text).split())
    if "^" in text:
        text = _BLOCK_ID.sub("", text)
    return Said(
        _bare(text.strip()), fields.get("since", ""), fields.get("until", ""), fields.get("source", "")
    )


def values_of(text: str) -> list[tuple[Path, Said]]:
    """The values behind a key: one, or several where an inline map `{deadline: …, lead: …}` stands."""
    if text.startswith("{"):
        whole = said(text)
        value = load(whole.text).value if whole.text.endswith("}") else None
        if isinstance(value, dict):
            return [(path, whole._replace(text=leaf)) for path, leaf in leaves(value)]
    return [((), said(text))]


def leaves(value: Any) -> list[tuple[Path, str]]:
    """The scalars of nested maps with their keys; a list is one value, its items joined."""
    if not isinstance(value, dict):
        return [((), ", ".join(strings(value)))]
    return [((key, *path), leaf) for key, inner in value.items() for path, leaf in leaves(inner)]


def clean_name(text: str) -> str:
    """A key or heading as a name: without emphasis, quotes and link brackets."""
    text = plain_name(text)
    for _ in range(3):
        if (marked := _EMPHASIS.match(text)) is None:
            break
        text = marked[2].strip()
    return _unquoted(text)


def _bare(text: str) -> str:
    if (
        text.startswith("[")
        and text.endswith("]")
        and text[1:2] != "["
        and "](" not in text
        and "::" not in text
    ):
        value = load(text).value
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return ", ".join(value)
    return _unquoted(text)


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text
