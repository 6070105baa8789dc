"""Secrets in a text → `[REDACTED:kind:fingerprint]`. Pure: the key of the fingerprints comes from outside.

The rule: a secret is taken whole or not touched, and what was redacted once is never redacted again.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from memoryclaw.core.secretnames import NEAR, named_secrets, value_of
from memoryclaw.core.secretrules import SHAPES, SHORTEST, TOKENS, SecretRule

MARK = re.compile(r"\[REDACTED:([a-z0-9-]{1,40}):([0-9a-f]{8})\]")
_DEEPEST = 64
# No letter or digit before a token, but for those of an escape: `\nghp_…`, `%20ghp_…`.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_BY_NEAR = tuple((near, rule) for rule in (*TOKENS, *SHAPES) for near in rule.near)
_SHAPES_BY_NEAR = tuple((near, rule) for rule in SHAPES for near in rule.near)
# Such as the keys of a record, and its time: no secret by itself.
_PLAIN = re.compile(
    r"[a-z_]{0,24}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?", re.ASCII
)
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")


class Redacted(NamedTuple):
    """A value without its secrets, and the kinds that were taken out."""

    value: Any
    kinds: tuple[str, ...]


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


class Redactor:
    """Takes secrets out of texts and of the values that JSON can hold.

    Args:
        key: keys the fingerprints, so that who reads a log cannot try passwords against them.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def text(self, text: str) -> Redacted:
        """The text without its secrets."""
        if _PLAIN.fullmatch(text):
            return Redacted(text, ())
        parts: list[str] = []
        kinds: list[str] = []
        if "[REDACTED:" not in text:
            return Redacted(self._between(text, kinds), tuple(kinds))
        at = 0
        for mark in MARK.finditer(text):
            parts += [self._between(text[at : mark.start()], kinds), mark[0]]
            at = mark.end()
        return Redacted("".join([*parts, self._between(text[at:], kinds)]), tuple(kinds))

    def value(self, value: Any) -> Redacted:
        """A JSON value without the secrets in its strings and keys; what a key names as a secret is one."""
        kinds: list[str] = []
        return Redacted(self._walk(value, "", kinds, 0), tuple(kinds))

    def mark(self, kind: str, secret: str) -> str:
        """What stands in place of a secret; the same secret always gets the same mark."""
        print_ = hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:8]
        return f"[REDACTED:{kind}:{print_}]"

    def _between(self, text: str, kinds: list[str]) -> str:
        """A stretch of text that holds no mark yet."""
        parts: list[str] = []
        at = 0
        for span in _merged(_found(text)):
            parts += [text[at : span.start], self.mark(span.kind, text[span.start : span.end])]
            kinds.append(span.kind)
            at = span.end
        return "".join([*parts, text[at:]])

    def _walk(self, value: Any, name: str, kinds: list[str], depth: int) -> Any:
        if isinstance(value, str):
            return self._string(value, name, kinds)
        if depth > _DEEPEST:
            return "…"
        if isinstance(value, dict):
            return {
                key if _PLAIN.fullmatch(key) else self._string(key, "", kinds): self._walk(
                    inner, _called(value, key), kinds, depth + 1
                )
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [
                self._walk(inner, _flag(value, at) or name, kinds, depth + 1)
                for at, inner in enumerate(value)
            ]
        if isinstance(value, int) and not isinstance(value, bool) and name and value_of(name, str(value)):
            return self._string(str(value), name, kinds)
        return value

    def _string(self, text: str, name: str, kinds: list[str]) -> str:
        done = self.text(text)
        kinds += done.kinds
        if name and not done.kinds and text and (kind := value_of(name, text)):
            kinds.append(kind)
            return self.mark(kind, text)
        return str(done.value)


def _called(holder: dict[str, Any], key: str) -> str:
    """The name of a value: its key, or what stands beside it, as in `{"name": "DB_PASSWORD", "value": …}`."""
    beside = holder.get("name", holder.get("key")) if key.lower() == "value" else None
    return beside if isinstance(beside, str) else key


def _flag(items: list[Any], at: int) -> str:
    """The name that a list gives its next item: `["--password", "…"]`."""
    before = items[at - 1] if at else None
    return before.lstrip("-") if isinstance(before, str) and _FLAG.fullmatch(before) else ""


def _found(text: str) -> Iterator[_Span]:
    low = text.lower()
    known = _BY_NEAR if max(map(len, text.split()), default=0) >= SHORTEST else _SHAPES_BY_NEAR
    for rule in dict.fromkeys([rule for near, rule in known if near in low]):
        for hit in compiled(rule).finditer(text):
            group = next((n for n in range(1, hit.re.groups + 1) if hit[n]), 0)
            yield _Span(*hit.span(group), rule.kind)
    if [near for near in NEAR if near in low]:
        for named in named_secrets(text):
            yield _Span(named.start, named.end, named.kind)


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    """The spans in order, those that overlap made one; the rule that came first names it."""
    merged: list[_Span] = []
    for span in sorted(
        ((s.start, s.end, n, s.kind) for n, s in enumerate(spans)), key=lambda one: (one[0], one[2])
    ):
        start, end, _, kind = span
        if merged and start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(end, merged[-1].end))
        else:
            merged.append(_Span(start, end, kind))
    return merged


@cache
def compiled(rule: SecretRule) -> re.Pattern[str]:
    """A pattern, made when its first candidate comes: to make them all takes longer than to capture a turn."""
    return (
        re.compile(rule.pattern, re.IGNORECASE)
        if rule in SHAPES
        else re.compile(f"{_EDGE}(?:{rule.pattern})")
    )
