"""JSON5 text → values with the places where they stand. The rule: every character is accounted for, so that edits can keep it."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from memoryclaw.core.errors import ConfigError

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


class Node(NamedTuple):
    """A value from `start` to `end`; `members` of an object or an array."""

    kind: str  # object | array | scalar
    start: int
    end: int
    value: Any = None
    members: tuple[Member, ...] = ()

    def member(self, key: str) -> Member | None:
        """The member of an object with this key; of several the last, which is the one that counts."""
        found = [each for each in self.members if each.key == key] if self.kind == "object" else []
        return found[-1] if found else None


class Member(NamedTuple):
    """A member of an object, or an item of an array (without a key): where it starts, its value, the comma behind it."""

    key: str
    start: int
    node: Node
    comma: int = -1  # -1: none


def parse(text: str) -> Node:
    """The value of a JSON5 text.

    Raises:
        ConfigError: it is none; the sentence names the line.
    """
    reader = _Reader(text)
    node = reader.value(reader.skipped(0), 0)
    end = reader.skipped(node.end)
    if end < len(text):
        raise reader.error(end, "there is more text after the end of the value")
    return node


def plain(node: Node) -> Any:
    """A node as Python's own values."""
    if node.kind == "object":
        return {member.key: plain(member.node) for member in node.members}
    if node.kind == "array":
        return [plain(member.node) for member in node.members]
    return node.value


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def error(self, at: int, message: str) -> ConfigError:
        return ConfigError(f"line {self._text.count(chr(10), 0, at) + 1}: {message}")

    def skipped(self, at: int) -> int:
        while hit := _BLANK.match(self._text, at) or COMMENT.match(self._text, at):
            at = hit.end()
        return at

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.error(at, "this is nested too deeply")
        first = self._text[at : at + 1]
        if first in {"{", "["} and first:
            return self._container(at, depth)
        if hit := _STRING.match(self._text, at):
            return Node("scalar", at, hit.end(), _unquoted(hit[0]))
        hit = _WORD.match(self._text, at)
        if hit is None:
            raise self.error(at, "a value is missing here")
        if hit[0] in _NAMES:
            return Node("scalar", at, hit.end(), _NAMES[hit[0]])
        return Node("scalar", at, hit.end(), self._number(hit[0], at))

    def _container(self, start: int, depth: int) -> Node:
        kind, close = ("object", "}") if self._text[start] == "{" else ("array", "]")
        members: list[Member] = []
        at = self.skipped(start + 1)
        while self._text[at : at + 1] != close:
            if members and members[-1].comma < 0:
                raise self.error(at, "a comma is missing here")
            member = self._member(at, kind, depth)
            at = self.skipped(member.node.end)
            if self._text[at : at + 1] == ",":
                member = member._replace(comma=at)
                at = self.skipped(at + 1)
            members.append(member)
        return Node(kind, start, at + 1, None, tuple(members))

    def _member(self, at: int, kind: str, depth: int) -> Member:
        if kind == "array":
            return Member("", at, self.value(at, depth + 1))
        hit = _STRING.match(self._text, at)
        word = None if hit else _WORD.match(self._text, at)
        if not (hit or word):
            raise self.error(at, "a key is missing here")
        key = _unquoted(hit[0]) if hit else _unescaped(word[0]) if word else ""
        colon = self.skipped((hit or word).end())  # type: ignore[union-attr] # one of the two is there
        if self._text[colon : colon + 1] != ":":
            raise self.error(colon, f"a colon is missing after {key!r}")
        return Member(key, at, self.value(self.skipped(colon + 1), depth + 1))

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
        raise self.error(at, f"{word[:40]!r} is no value")


def _unquoted(quoted: str) -> str:
    return _unescaped(quoted[1:-1])


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    joined = _ESCAPE.sub(lambda hit: _meant(hit[1]), text)
    # Two escapes may spell the halves of one character.
    return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _meant(escaped: str) -> str:
    if escaped in _CONTINUED:
        return ""
    if len(escaped) > 1:
        return chr(int(escaped[1:], 16))
    return _PLAIN.get(escaped, escaped)


def written(value: Any) -> str:
    """A value as JSON on one line, readable where it may be."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if any("\ud800" <= c <= "\udfff" for c in text) else text
