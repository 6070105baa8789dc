"""A context read back: which items stand in it, under which line, with which label."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree as ET

from memoryclaw.text.prompts import CLOSING, OPENING, one_line

_DATED = re.compile(r" \(\d{4}-\d\d-\d\d\)$")


class Said(NamedTuple):
    """One line of a context."""

    trust: str
    above: str  # the id that it stands under, or of the item itself
    text: str


def said(context: str) -> list[Said]:
    """The items of a context, which is one well-formed block with nothing outside of it, an item a line."""
    assert context.startswith(OPENING)
    assert context.endswith(CLOSING)
    root = ET.fromstring(context)
    assert [group.tag for group in root] == ["memory"] * len(root)
    assert "".join([root.text or "", *(group.tail or "" for group in root)]).strip() == ""
    quotes: list[Said] = []
    for group in root:
        quotes += _working(group) if group.get("kind") == "working" else _outline(group)
    return quotes


def _working(group: ET.Element) -> list[Said]:
    assert {(item.tag, len(item)) for item in group} <= {("m", 0)}
    return [Said(group.get("trust", ""), item.get("id", ""), item.text or "") for item in group]


def _outline(group: ET.Element) -> list[Said]:
    assert len(group) == 0
    said, above, bare = [], "", False
    begin, *lines, end = (group.text or "").split("\n")
    assert begin == end == ""
    for line in lines:
        assert line[1:] == one_line(line[1:]) != "" or line == " "
        if line.startswith(" "):
            said.append(Said(group.get("trust", ""), above, line[1:]))
        else:
            assert not bare
            above = _DATED.sub("", line)
        bare = not line.startswith(" ")
    assert not bare
    return said


def cites(quotes: list[Said], ids: Iterable[str]) -> bool:
    """True when each id is that of one item, and each item has one: the id above it and what its own line begins with."""
    left = list(quotes)
    for id_ in sorted(map(one_line, ids), key=len, reverse=True):
        item = next((item for item in left if _is(item, id_)), None)
        if item is None:
            return False
        left.remove(item)
    return not left


def holds(context: str, id_: str) -> bool:
    """True when the item of this id stands in a context."""
    return any(_is(item, one_line(id_)) for item in said(context))


def _is(item: Said, id_: str) -> bool:
    own = id_.removeprefix(item.above)
    return id_.startswith(item.above) and (
        not own or item.text.startswith((f"{own} ", f"{own}:")) or item.text == own
    )
