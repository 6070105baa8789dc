"""Replaces secrets in a text by `[REDACTED:kind:fingerprint]`; the key of the fingerprints is passed in.

A secret is replaced whole or not at all, and a mark is never redacted again.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from memoryclaw.text import words as lists
from memoryclaw.text.encoding import json_value
from memoryclaw.text.secret_names import SecretSpan as _Span
from memoryclaw.text.secret_names import is_sample, lower, named_secrets, value_of
from memoryclaw.text.secret_places import placed_secrets, secret_members
from memoryclaw.text.wrapping import join_lines, unwrap

# Secrets known by their form.


class SecretRule(NamedTuple):
    """One form: the kind it is reported as, words of which a match holds at least one, and the pattern (group 1, or all of it)."""

    kind: str
    near: tuple[str, ...]
    pattern: str


def _rules(forms: str) -> Iterator[SecretRule]:
    for line in lists.lines(f"secret_forms.{forms}"):
        kind, near, pattern = line.split(" | ", 2)
        yield SecretRule(kind, tuple(near.split()), pattern)


# Behind a prefix that says what it is stand large and small letters and digits.
_SAYS_SO = lists.words("secret_forms.says_so")
_PREFIXED = SecretRule(
    "token",
    tuple(word + sign for word in _SAYS_SO for sign in "_-"),
    rf"(?:[A-Za-z][A-Za-z0-9]{{1,15}}[_-]){{0,3}}(?:{'|'.join(_SAYS_SO)})[_-](?:[a-z][a-z0-9]{{0,7}}[_-])?"
    r"(?=[A-Z0-9]{0,60}[a-z])(?=[a-z0-9]{0,60}[A-Z])(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,}",
)
_FORMS = ("clouds", "workshops", "messengers_and_money", "models", "signed", "hashes")
SHAPES = tuple(_rules("shapes"))
TOKENS = (*(rule for forms in _FORMS for rule in _rules(forms)), _PREFIXED)
# Characters without a space that every token has; most sentences have no such word and need no patterns. A token that is known by a
# single sign has more of them.
SHORTEST, LONG = 15, 40


MARK = re.compile(r"\[REDACTED:([a-z0-9-]{1,40}):([0-9a-f]{8})\]")
_DEEPEST = 64
# No letter or digit before a token, but for those of an escape: `\nghp_…`, `%20ghp_…`.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_TOKENS_BY_NEAR = tuple((near, rule) for rule in TOKENS for near in rule.near)
_SHAPES_BY_NEAR = tuple((near, rule) for rule in SHAPES for near in rule.near)
# Keys and timestamps of a record, which are no secrets.
_PLAIN = re.compile(
    r"[a-z_]{0,24}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?", re.ASCII
)
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")


class Redacted(NamedTuple):
    """A value without its secrets, and the kinds of those removed."""

    value: Any
    kinds: tuple[str, ...]


class Redactor:
    """Removes secrets from texts and from JSON values.

    Args:
        key: of the fingerprints, so that a reader of a log cannot test passwords against them.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def digest(self, *parts: str) -> str:
        """A keyed digest of some texts: no guess can be tested without the key."""
        return keyed_digest(self._key, *parts)

    def text(self, text: str) -> Redacted:
        """The text without its secrets."""
        if _PLAIN.fullmatch(text):
            return Redacted(text, ())
        pieces: list[str] = []
        kinds: list[str] = []
        if "[REDACTED:" not in text:
            return Redacted(self._between(text, kinds), tuple(kinds))
        end = 0
        for mark in MARK.finditer(text):
            pieces += [self._between(text[end : mark.start()], kinds), mark[0]]
            end = mark.end()
        return Redacted("".join([*pieces, self._between(text[end:], kinds)]), tuple(kinds))

    def value(self, value: Any) -> Redacted:
        """Removes the secrets of a JSON value, from its strings and keys; a value whose key names a secret is one."""
        kinds: list[str] = []
        return Redacted(self._walk(value, "", kinds, 0), tuple(kinds))

    def mark(self, kind: str, secret: str) -> str:
        """The mark that replaces a secret; the same secret always gets the same mark."""
        print_ = hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:8]
        return f"[REDACTED:{kind}:{print_}]"

    def _between(self, text: str, kinds: list[str]) -> str:
        """Redacts a part of a text that holds no mark."""
        pieces: list[str] = []
        end = 0
        for span in _merge(_spans(text)):
            pieces += [text[end : span.start], self.mark(span.kind, text[span.start : span.end])]
            kinds.append(span.kind)
            end = span.end
        return "".join([*pieces, text[end:]])

    def _walk(self, value: Any, name: str, kinds: list[str], depth: int) -> Any:
        if isinstance(value, str):
            return self._string(value, name, kinds)
        if depth > _DEEPEST:
            return "…"
        if isinstance(value, dict):
            secret = secret_members(value)
            return {
                key if _PLAIN.fullmatch(key) else self._string(key, "", kinds): self._seal(
                    inner, kinds, depth + 1
                )
                if key in secret
                else self._walk(inner, _name_of(value, key), kinds, depth + 1)
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [
                self._walk(inner, _flag(value, index) or name, kinds, depth + 1)
                for index, inner in enumerate(value)
            ]
        if isinstance(value, int) and not isinstance(value, bool) and name and value_of(name, str(value)):
            return self._string(str(value), name, kinds)
        return value

    def _seal(self, value: Any, kinds: list[str], depth: int) -> Any:
        """Removes every text of a value whose place makes it a secret."""
        if isinstance(value, dict):
            return {key: self._seal(inner, kinds, depth + 1) for key, inner in value.items()}
        if not isinstance(value, str) or not value or MARK.search(value):
            return self._walk(value, "", kinds, depth)
        kinds.append("secret")
        return self.mark("secret", value)

    def _string(self, text: str, name: str, kinds: list[str]) -> str:
        redacted = self.text(text)
        kinds += redacted.kinds
        if name and not redacted.kinds and text and (kind := value_of(name, text)):
            kinds.append(kind)
            return self.mark(kind, text)
        return str(redacted.value)


def _name_of(holder: dict[str, Any], key: str) -> str:
    """The name of a value: its key, or the `name` beside it, as in `{"name": "DB_PASSWORD", "value": …}`."""
    beside = holder.get("name", holder.get("key")) if key.lower() == "value" else None
    return beside if isinstance(beside, str) else key


def _flag(items: list[Any], at: int) -> str:
    """The name that a list item gives the next one: `["--password", "…"]`."""
    before = items[at - 1] if at else None
    return before.lstrip("-") if isinstance(before, str) and _FLAG.fullmatch(before) else ""


def _spans(text: str) -> Iterator[_Span]:
    """The secrets of a text as it is written, as it is meant, and those that a line break divides."""
    yield from _secrets(text)
    meant = unwrap(text)
    if meant.edits:
        for span in _secrets(meant.text):
            yield _Span(*meant.span(span.start, span.end), span.kind)
    lines = join_lines(meant.text)
    if lines.edits:
        for span in _secrets(lines.text):
            yield _Span(*meant.span(*lines.span(span.start, span.end)), span.kind)


def _secrets(text: str) -> Iterator[_Span]:
    low = lower(text)
    words = [word for word in text.split() if len(word) >= SHORTEST]
    long = " ".join(words)
    low_long, is_long = lower(long), any(len(word) >= LONG for word in words)
    near = (
        [rule for near, rule in _TOKENS_BY_NEAR if near in low_long and (is_long or len(near) > 1)]
        if long
        else []
    )
    rules = [rule for rule in dict.fromkeys(near) if lazy_pattern(rule).search(long)]
    for rule in (*rules, *dict.fromkeys([rule for near, rule in _SHAPES_BY_NEAR if near in low])):
        for hit in lazy_pattern(rule).finditer(text):
            group = next((n for n in range(1, hit.re.groups + 1) if hit[n]), 0)
            if not group or not is_sample(hit[group]):
                yield _Span(*hit.span(group), rule.kind)
    yield from named_secrets(text, low)
    yield from placed_secrets(text, low)


def _merge(spans: Iterable[_Span]) -> list[_Span]:
    """Sorts spans and joins overlapping ones; the first rule gives the kind."""
    merged: list[_Span] = []
    for span in sorted(
        ((s.start, s.end, n, s.kind) for n, s in enumerate(spans)), key=lambda place: (place[0], place[2])
    ):
        start, end, _, kind = span
        if merged and start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(end, merged[-1].end))
        else:
            merged.append(_Span(start, end, kind))
    return merged


@cache
def lazy_pattern(rule: SecretRule) -> re.Pattern[str]:
    """Compiles a pattern at its first use: compiling them all takes longer than to capture a turn."""
    return (
        re.compile(rule.pattern, re.IGNORECASE)
        if rule in SHAPES
        else re.compile(f"{_EDGE}(?:{rule.pattern})")
    )


def keyed_digest(key: bytes, *parts: str) -> str:
    """The digest of some texts under a key: 32 hex digits."""
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hmac.new(key, b"forgotten\0" + text, hashlib.sha256).hexdigest()[:32]


# The gate: input is written without its secrets, and no message repeats them. What a file holds already keeps every byte.

_LEAST = 8  # characters of the beginning of a secret that tell it
_BREAKS = re.compile(r"[\s\"'\\]+")


class RedactionGate:
    """Redacts the input of one call, or the messages of one interface, and remembers what it removed.

    Args:
        key: returns the key of the fingerprints; called at the first secret.
        as_is: True to keep a text as a person typed it at the command line.
    """

    def __init__(self, key: Callable[[], bytes], *, as_is: bool = False) -> None:
        self._key = key
        self._known: bytes | None = None
        self._as_is = as_is
        self._taken: dict[str, str] = {}  # secret → its kind

    def value(self, said: Any, *, standing: str = "") -> Any:
        """Removes the secrets of a JSON value.

        Args:
            standing: text that is in the vault already; secrets in it stay.
        """
        if self._as_is:
            return said
        taking = _Redaction(self._kept, standing)
        clean = taking.value(said).value
        self._taken |= taking.taken
        return clean

    def text(self, said: str) -> str:
        """A text without its secrets."""
        return str(self.value(said))

    def message(self, text: str) -> str:
        """Removes the secrets of a commit message, without a notice."""
        return text if self._as_is else str(_Redaction(self._kept).text(text).value)

    def digest(self, *parts: str) -> str:
        """A keyed digest of some texts: the same for the same texts and key, and no guess can be tested without the key."""
        return keyed_digest(self._kept(), *parts)

    @property
    def notice(self) -> str:
        """The notice on the secrets that were removed; empty without any."""
        if not self._taken:
            return ""
        kinds = Counter(self._taken.values())
        kinds_in_words = ", ".join(kind if n == 1 else f"{n} x {kind}" for kind, n in sorted(kinds.items()))
        subject = "a secret was" if len(self._taken) == 1 else f"{len(self._taken)} secrets were"
        return f"{subject} taken out before anything was written ({kinds_in_words}); --as-is on the command line keeps a text as typed"

    def sentence(self, template: str, *given: Any) -> str:
        """Removes from a message its secrets and those of the input, even the beginning of one.

        Args:
            given: the input: texts, bytes of JSON, values.
        """
        taking = _Redaction(self._kept)
        for text in given:
            taking.value(_read(text))
        secrets = list(taking.taken.items())
        marks = {piece: taking.mark(kind, text) for text, kind in secrets for piece in _parts(text, template)}
        if marks:
            longest = sorted(map(re.escape, marks), key=len, reverse=True)
            template = re.sub(
                "|".join(longest), lambda hit: marks[hit[0].lower()], template, flags=re.IGNORECASE
            )
        return str(taking.text(template).value)

    def _kept(self) -> bytes:
        if self._known is None:
            self._known = self._key()
        return self._known


class _Redaction(Redactor):
    """Removes secrets except those that stand in the vault already, and remembers which."""

    def __init__(self, key: Callable[[], bytes], standing: str = "") -> None:
        super().__init__(b"")
        self._ask = key
        self._standing = standing
        self.taken: dict[str, str] = {}

    def mark(self, kind: str, secret: str) -> str:
        """What stands in place of a secret."""
        if secret in self._standing:
            return secret
        self._key = self._ask()
        self.taken[secret] = kind
        return super().mark(kind, secret)


def _read(data: Any) -> Any:
    """Parses JSON, in which a key may name a secret; all else stays text."""
    if isinstance(data, bytes):
        data = data.decode("utf-8", "replace")
    if isinstance(data, str) and data.lstrip()[:1] in ("{", "["):
        return json_value(data, data)
    return data


def _parts(secret: str, message: str) -> list[str]:
    """The parts of a secret that a message repeats, in lower case: its words, or the beginnings of words that were cut."""
    secret, message = secret.lower(), message.lower()
    matches = [secret] if secret in message else []
    for word in _BREAKS.split(secret):
        size = next((n for n in range(len(word), _LEAST - 1, -1) if word[:n] in message), 0)
        matches += [word[:size]] if size else []
    return matches
