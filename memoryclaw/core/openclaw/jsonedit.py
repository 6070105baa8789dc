"""Sets, adds and takes away single values of a JSON5 text. The rule: every other character stays, and taking away undoes adding."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from memoryclaw.core.errors import ConfigError
from memoryclaw.core.openclaw.json5 import COMMENT, Member, Node, parse, written

_UNIT = re.compile(r"[\n\r]([ \t]+)\S")
_SAME_LINE = re.compile(r"(?:[ \t]*(?://[^\n\r\u2028\u2029]*|/\*[^\n\r]*?\*/))*")
_BLANK = re.compile(r"[\s\ufeff]*")

Path = Sequence[str]


class Added(NamedTuple):
    """Where something was added: how many keys of the path were there before, and what an empty place held."""

    there: int
    tail: str | None = None  # the blanks before the end of a container that had nothing in it; None: it had


def found(text: str, path: Path) -> Node | None:
    """The value at a path; None when there is none."""
    node = parse(text)
    for key in path:
        member = node.member(key)
        if member is None:
            return None
        node = member.node
    return node


def put(text: str, path: Path, value: Any) -> tuple[str, Added]:
    """The text with a value at a path that holds none yet; objects on the way are made."""
    node, there = _nearest(text, path)
    for key in reversed(path[there + 1 :]):
        value = {key: value}
    fresh, tail = _inserted(text, node, written(path[there]) + ": ", value, depth=there)
    return fresh, Added(there, tail)


def replaced(text: str, node: Node, raw: str) -> str:
    """The text with other characters in the place of a value."""
    return text[: node.start] + raw + text[node.end :]


def append(text: str, path: Path, value: Any) -> tuple[str, Added]:
    """The text with one more item at the end of the array at a path; made where there is none."""
    node = found(text, path)
    if node is None:
        return put(text, path, [value])
    if node.kind != "array":
        raise ConfigError(f"{'.'.join(path)} is no list")
    fresh, tail = _inserted(text, node, "", value, depth=len(path))
    return fresh, Added(len(path), tail)


def take(text: str, path: Path, added: Added) -> str:
    """The text without the value at a path, nor the objects around it that were made for it and are empty now."""
    chain = _chain(text, path)
    if chain is None:
        return text
    depth = len(path) - 1
    while depth > added.there and len(chain[depth].members) == 1:
        depth -= 1
    member = chain[depth].member(path[depth])
    return _without(text, chain[depth], member, added if depth == added.there else None) if member else text


def drop(text: str, path: Path, value: Any, added: Added) -> str:
    """The text without an item of the array at a path; an array that was made for it goes too once it is empty."""
    node = found(text, path)
    items = [m for m in node.members if m.node.value == value and m.node.kind == "scalar"] if node else []
    if node is None or node.kind != "array" or not items:
        return text
    if len(node.members) == 1 and added.there < len(path):
        return take(text, path, added)
    return _without(text, node, items[-1], added if added.there == len(path) else None)


def _nearest(text: str, path: Path) -> tuple[Node, int]:
    """The innermost object on the way, and how many keys led there."""
    node = parse(text)
    for there, key in enumerate(path):
        if node.kind != "object":
            raise ConfigError(f"{'.'.join(path[:there]) or 'the whole text'} is no object")
        member = node.member(key)
        if member is None or there == len(path) - 1:
            return node, there
        node = member.node
    return node, len(path)


def _chain(text: str, path: Path) -> list[Node] | None:
    """The objects from the outermost to the one that holds the last key."""
    chain = [parse(text)]
    for key in path:
        member = chain[-1].member(key)
        if member is None:
            return None
        chain.append(member.node)
    return chain[:-1]


def _inserted(text: str, node: Node, key: str, value: Any, *, depth: int) -> tuple[str, str | None]:
    if node.members:
        return _after_last(text, node, key, value), None
    at = _end_of_comments(text, node.start + 1)
    close = node.end - 1
    tail = text[at:close]
    if depth and not re.search(r"[\n\r]", text.strip()):
        return text[:at] + key + written(value) + text[close:], tail
    outer = _indent_of_line(text, node.start)
    indent, newline = outer + _unit(text), _newline(text)
    shown = key + _shown(value, indent, _unit(text), newline)
    return f"{text[:at]}{newline}{indent}{shown}{newline}{outer}{text[close:]}", tail


def _after_last(text: str, node: Node, key: str, value: Any) -> str:
    last = node.members[-1]
    after = last.node.end if last.comma < 0 else last.comma + 1
    line = text[_line_start(text, last.start) : last.start]
    own_line = not line.strip() and _line_start(text, last.start) > node.start
    if own_line:
        hit = _SAME_LINE.match(text, after)
        at = hit.end() if hit else after
        separator = _newline(text) + line
        shown = key + _shown(value, line, _unit(text), _newline(text))
    else:
        at, separator, shown = after, " ", key + written(value)
    if last.comma < 0:
        return f"{text[:after]},{text[after:at]}{separator}{shown}{text[at:]}"
    return f"{text[:at]}{separator}{shown},{text[at:]}"


def _without(text: str, node: Node, member: Member, added: Added | None) -> str:
    place = node.members.index(member)
    before = node.members[place - 1] if place else None
    inside = node.start + 1 if before is None else max(before.comma + 1, before.node.end)
    start, end = _end_of_comments(text, inside, member.start), member.node.end
    rest = text[end : member.comma] + text[member.comma + 1 :] if member.comma >= 0 else text[end:]
    head = text[:start]
    if member.comma < 0 and before is not None and before.comma >= 0:
        head = head[: before.comma] + head[before.comma + 1 :]
    if len(node.members) == 1 and added is not None and added.tail is not None:
        hit = _BLANK.match(rest)
        rest = added.tail + rest[hit.end() if hit else 0 :]
    return head + rest


def _end_of_comments(text: str, at: int, stop: int | None = None) -> int:
    """Where the last comment from here on ends; `at` when there is none before the next token."""
    end = at
    while True:
        blank = _BLANK.match(text, at)
        hit = COMMENT.match(text, blank.end() if blank else at)
        if hit is None or (stop is not None and hit.end() > stop):
            return end
        at = end = hit.end()


def _shown(value: Any, indent: str, unit: str, newline: str) -> str:
    text = written(value)
    if not isinstance(value, dict | list) or not value:
        return text
    pretty = json.dumps(value, ensure_ascii=text.isascii(), indent=unit)
    return pretty.replace("\n", newline + indent)


def _unit(text: str) -> str:
    hit = _UNIT.search(text)
    return hit[1] if hit else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _indent_of_line(text: str, at: int) -> str:
    start = _line_start(text, at)
    return text[start : start + len(text[start:at]) - len(text[start:at].lstrip(" \t"))]
