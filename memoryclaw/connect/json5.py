"""Reads JSON5 into values that know their place in the text, and edits single values so that every other character stays."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from memoryclaw.errors import ConfigError, InputError
from memoryclaw.late import NamedTuple

COMMENT = re.compile(r"//[^\n\r\u2028\u2029]*|/\*.*?\*/", re.DOTALL)
_BLANK = re.compile(r"[\s\ufeff]+")
_STRING = re.compile(r"\"(?:[^\"\\\n\r]|\\(?:\r\n|.))*+\"|'(?:[^'\\\n\r]|\\(?:\r\n|.))*+'", re.DOTALL)
_WORD = re.compile(r"[^\s\ufeff,:{}\[\]\"'/]+")
_ESCAPE = re.compile(r"\\(\r\n|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_PLAIN = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_CONTINUED = frozenset({"\n", "\r", "\r\n", "\u2028", "\u2029"})
_NUMBER = re.compile(r"([+-]?)(?:(0[xX][0-9a-fA-F]+)|(\d+)|(Infinity|NaN|\d*+(?:\.\d*+)?(?:[eE][+-]?\d+)?))")
_NAMES: dict[str, Any] = {"true": True, "false": False, "null": None}
_DEEPEST = 100


class JsonNode(NamedTuple):
    """A value from `start` to `end`; `members` of an object or an array."""

    kind: str  # object | array | scalar
    start: int
    end: int
    value: Any = None
    members: tuple[Member, ...] = ()

    def member(self, key: str) -> Member | None:
        """The member of an object with this key; of several the last, which is the one that counts."""
        members = [each for each in self.members if each.key == key] if self.kind == "object" else []
        return members[-1] if members else None


class Member(NamedTuple):
    """A member of an object, or an item of an array (without a key): where it starts, its value, the comma behind it."""

    key: str
    start: int
    node: JsonNode
    comma: int = -1  # -1: none


@lru_cache(maxsize=4)  # one edit asks several times, and a host's file may hold megabytes
def parse(text: str) -> JsonNode:
    """The value of a JSON5 text. Raises ConfigError: it is none; the sentence names the line."""
    reader = _Json5Parser(text)
    node = reader.value(reader.skip(0), 0)
    end = reader.skip(node.end)
    if end < len(text):
        raise reader.error(end, "there is more text after the end of the value")
    return node


def parse_strict(text: str) -> JsonNode:
    """The object of a text that is JSON alone: such a host reads no comments, and of a key that stands twice it follows one only."""
    try:
        json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is not valid JSON ({error}); fix the file first") from None
    return parse_object(text)


def parse_object(text: str) -> JsonNode:
    """The object of a JSON5 text. Raises InputError: it is none; the sentence goes on behind the name of the file."""
    try:
        node = parse(text)
    except (ConfigError, RecursionError) as error:
        raise InputError(f"it is not valid JSON ({error}); fix the file first") from None
    if node.kind != "object":
        raise InputError("it contains something other than an object; fix the file first")
    return node


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise InputError("it holds one key twice in the same place; fix the file first")
    return mapping


def plain(node: JsonNode) -> Any:
    """A node as Python's own values."""
    if node.kind == "object":
        return {member.key: plain(member.node) for member in node.members}
    if node.kind == "array":
        return [plain(member.node) for member in node.members]
    return node.value


class _Json5Parser:
    def __init__(self, text: str) -> None:
        self._text = text

    def error(self, at: int, message: str) -> ConfigError:
        return ConfigError(f"line {self._text.count(chr(10), 0, at) + 1}: {message}")

    def skip(self, place: int) -> int:
        while hit := _BLANK.match(self._text, place) or COMMENT.match(self._text, place):
            place = hit.end()
        return place

    def value(self, at: int, depth: int) -> JsonNode:
        if depth > _DEEPEST:
            raise self.error(at, "this is nested too deeply")
        if (first := self._text[at : at + 1]) in {"{", "["}:
            kind, close = ("object", "}") if first == "{" else ("array", "]")
            members: list[Member] = []
            position = self.skip(at + 1)
            while self._text[position : position + 1] != close:
                if members and members[-1].comma < 0:
                    raise self.error(position, "a comma is missing here")
                member = self._member(position, kind, depth)
                position = self.skip(member.node.end)
                if self._text[position : position + 1] == ",":
                    member = member._replace(comma=position)
                    position = self.skip(position + 1)
                members.append(member)
            return JsonNode(kind, at, position + 1, None, tuple(members))
        if hit := _STRING.match(self._text, at):
            return JsonNode("scalar", at, hit.end(), _unescape(hit[0][1:-1]))
        hit = _WORD.match(self._text, at)
        if hit is None:
            raise self.error(at, "a value is missing here")
        if hit[0] in _NAMES:
            return JsonNode("scalar", at, hit.end(), _NAMES[hit[0]])
        return JsonNode("scalar", at, hit.end(), self._number(hit[0], at))

    def _member(self, at: int, kind: str, depth: int) -> Member:
        if kind == "array":
            return Member("", at, self.value(at, depth + 1))
        hit = _STRING.match(self._text, at)
        word = None if hit else _WORD.match(self._text, at)
        if not (hit or word):
            raise self.error(at, "a key is missing here")
        key = _unescape(hit[0][1:-1] if hit else word[0] if word else "")
        colon = self.skip((hit or word).end())  # type: ignore[union-attr] # one of the two is there
        if self._text[colon : colon + 1] != ":":
            raise self.error(colon, f"a colon is missing after {key!r}")
        return Member(key, at, self.value(self.skip(colon + 1), depth + 1))

    def _number(self, word: str, at: int) -> int | float:
        hit = _NUMBER.fullmatch(word)
        sign = -1 if hit and hit[1] == "-" else 1
        try:
            if hit and (hit[2] or hit[3]):
                return sign * int(hit[2] or hit[3], 16 if hit[2] else 10)
            if hit and hit[4]:
                return sign * float(hit[4])
        except ValueError:  # a dot alone, or more digits than Python reads
            pass
        raise self.error(at, f"{word[:40]!r} is not a value")


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text

    def meaning(hit: re.Match[str]) -> str:
        if len(escaped := hit[1]) > 1 and escaped != "\r\n":
            return chr(int(escaped[1:], 16))
        return "" if escaped in _CONTINUED else _PLAIN.get(escaped, escaped)

    joined = _ESCAPE.sub(meaning, text)
    # Two escapes may spell the halves of one character.
    return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def to_json(value: Any) -> str:
    """A value as JSON on one line, readable where it may be."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if any("\ud800" <= c <= "\udfff" for c in text) else text


# Edits: taking a value away undoes adding it.

_UNIT = re.compile(r"[\n\r]([ \t]+)\S")
_SAME_LINE = re.compile(r"(?:[ \t]*(?://[^\n\r\u2028\u2029]*|/\*[^\n\r]*?\*/))*")
_MAYBE_BLANK = re.compile(r"[\s\ufeff]*")

Path = Sequence[str]


class Added(NamedTuple):
    """Where something was added: how many keys of the path were there before, and what an empty place held."""

    there: int
    tail: str | None = None  # the blanks before the end of a container that had nothing in it; None: it had


def _way(text: str, path: Path) -> list[JsonNode]:
    """The nodes from the outermost along a path, as far as there are any."""
    way = [parse(text)]
    for key in path:
        member = way[-1].member(key)
        if member is None:
            break
        way.append(member.node)
    return way


def value_at(text: str, path: Path) -> JsonNode | None:
    """The value at a path; None when there is none."""
    way = _way(text, path)
    return way[-1] if len(way) > len(path) else None


def put(text: str, path: Path, value: Any) -> tuple[str, Added]:
    """The text with a value at a path that holds none yet; objects on the way are made."""
    way = _way(text, path)
    depth = min(len(way), len(path)) - 1
    node = way[depth]  # the innermost object on the way
    if node.kind != "object":
        raise ConfigError(f"{'.'.join(path[:depth]) or 'the whole text'} is not an object")
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    fresh, tail = _insert(text, node, to_json(path[depth]) + ": ", value, depth=depth)
    return fresh, Added(depth, tail)


def replace_value(text: str, node: JsonNode, raw: str) -> str:
    """The text with a value replaced by other characters."""
    return text[: node.start] + raw + text[node.end :]


def inserted_value(text: str, node: JsonNode, value: Any) -> str:
    """A value as `put` would write it where another stands now."""
    line = text[_line_start(text, node.start) : node.start]
    indent = _indent_of_line(text, node.start)
    is_alone = "{" not in line and "," not in line and re.search(r"[\n\r]", text) is not None
    return _pretty(value, indent, _unit(text), _newline(text)) if is_alone else to_json(value)


def append(text: str, path: Path, value: Any) -> tuple[str, Added]:
    """The text with one more item at the end of the array at a path; made where there is none."""
    node = value_at(text, path)
    if node is None:
        return put(text, path, [value])
    if node.kind != "array":
        raise ConfigError(f"{'.'.join(path)} is not a list")
    fresh, tail = _insert(text, node, "", value, depth=len(path))
    return fresh, Added(len(path), tail)


def take(text: str, path: Path, added: Added) -> str:
    """The text without the value at a path, nor the objects around it that were made for it and are empty now."""
    way = _way(text, path)
    if len(way) <= len(path):
        return text
    depth = len(path) - 1
    while depth > added.there and len(way[depth].members) == 1:
        depth -= 1
    member = way[depth].member(path[depth])
    return remove(text, way[depth], member, added if depth == added.there else None) if member else text


def drop(text: str, path: Path, value: Any, added: Added) -> str:
    """The text without an item of the array at a path; an array that was made for it goes too once it is empty."""
    node = value_at(text, path)
    items = [m for m in node.members if m.node.value == value and m.node.kind == "scalar"] if node else []
    if node is None or node.kind != "array" or not items:
        return text
    if len(node.members) == 1 and added.there < len(path):
        return take(text, path, added)
    return remove(text, node, items[-1], added if added.there == len(path) else None)


def _insert(text: str, node: JsonNode, key: str, value: Any, *, depth: int) -> tuple[str, str | None]:
    unit, newline = _unit(text), _newline(text)
    if node.members:
        last = node.members[-1]
        after = last.node.end if last.comma < 0 else last.comma + 1
        start = _line_start(text, last.start)
        line = text[start : last.start]
        position, separator, rendered = after, " ", key + to_json(value)
        if not line.strip() and start > node.start:  # it has a line of its own
            hit = _SAME_LINE.match(text, after)
            position = hit.end() if hit else after
            separator, rendered = newline + line, key + _pretty(value, line, unit, newline)
        if last.comma < 0:
            return f"{text[:after]},{text[after:position]}{separator}{rendered}{text[position:]}", None
        return f"{text[:position]}{separator}{rendered},{text[position:]}", None
    position = _end_of_comments(text, node.start + 1)
    close = node.end - 1
    tail = text[position:close]
    if depth and not re.search(r"[\n\r]", text.strip()):
        return text[:position] + key + to_json(value) + text[close:], tail
    outer = _indent_of_line(text, node.start)
    indent = outer + unit
    rendered = key + _pretty(value, indent, unit, newline)
    return f"{text[:position]}{newline}{indent}{rendered}{newline}{outer}{text[close:]}", tail


def remove(text: str, node: JsonNode, member: Member, added: Added | None = None) -> str:
    """The text without one member of an object or array."""
    place = node.members.index(member)
    before = node.members[place - 1] if place else None
    inside = node.start + 1 if before is None else max(before.comma + 1, before.node.end)
    start, end = _end_of_comments(text, inside, member.start), member.node.end
    tail = text[end : member.comma] + text[member.comma + 1 :] if member.comma >= 0 else text[end:]
    head = text[:start]
    if before is None and start == member.start:  # `[a, b]` becomes `[b]`
        tail = tail.lstrip(" \t")
    if member.comma < 0 and before is not None and before.comma >= 0:
        head = head[: before.comma] + head[before.comma + 1 :]
    if len(node.members) == 1 and added is not None and added.tail is not None:
        hit = _MAYBE_BLANK.match(tail)
        tail = added.tail + tail[hit.end() if hit else 0 :]
    return head + tail


def _end_of_comments(text: str, place: int, stop: int | None = None) -> int:
    """Where the last comment from here on ends; `at` when there is none before the next token."""
    end = place
    while True:
        blank = _MAYBE_BLANK.match(text, place)
        hit = COMMENT.match(text, blank.end() if blank else place)
        if hit is None or (stop is not None and hit.end() > stop):
            return end
        place = end = hit.end()


def _pretty(value: Any, indent: str, unit: str, newline: str) -> str:
    text = to_json(value)
    if not isinstance(value, dict | list) or not value:
        return text
    return json.dumps(value, ensure_ascii=text.isascii(), indent=unit).replace("\n", newline + indent)


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
