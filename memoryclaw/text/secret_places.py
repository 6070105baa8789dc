"""Finds secrets by the place they stand in: members of a JSON Web Key, values of a Kubernetes Secret, links that sign in, logins before a host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memoryclaw.text.secret_names import HEX, UUID, SecretSpan, is_placeholder, is_random, is_sample, mixes
from memoryclaw.text.words import words

# Members of a JSON Web Key that its owner alone may know.
_JWK = frozenset(("d", "p", "q", "dp", "dq", "qi", "k"))
_QUOTE = r"\\{0,3}[\"']"
_JWK_MEMBER = re.compile(
    rf"{_QUOTE}(?:d|[dq]?p|d?q|qi|k){_QUOTE}\s{{0,5}}:\s{{0,5}}{_QUOTE}([\w-]{{20,4000}})"
)
_SECRET_KIND = re.compile(r"\bkind\\{0,3}[\"']?\s{0,5}:\s{0,5}\\{0,3}[\"']?Secret\b(?![\w-])")
_YAML_DATA = re.compile(
    r"^([ \t]{0,40})(?:data|stringData):[ \t]*$((?:\n(?:\1[ \t]+[^\n]*|[ \t]*(?=\n)))+)", re.MULTILINE
)
_YAML_VALUE = re.compile(
    r"^[ \t]+[\w.\"'-]{1,260}:[ \t]+[\"']?(?![|>][+-]?[ \t]*$)([^\s\"'#][^\n\"']*)|^[ \t]+([^\s:#]+)$",
    re.MULTILINE,
)
_JSON_DATA = re.compile(r"\b(?:data|stringData)\\{0,3}[\"']?\s{0,5}:\s{0,5}\{([^{}]{1,200000})\}")
_JSON_VALUE = re.compile(r":\s{0,5}\\{0,3}[\"']?([^\s\"'\\,]{1,100000})")

_LOGIN = re.compile(
    r"(?:(?<![\w/:@.%+-])|(?<=//))([A-Za-z][\w.+-]{0,60}):([^\s/:@\"'<>`,;()|]{4,200})@(?=(?:[A-Za-z][\w-]{0,60}\.){1,6}[A-Za-z]{2,24}(?:[:/\s\"'`),;>.]|$)|localhost\b|\d{1,3}(?:\.\d{1,3}){3}\b)"
)
_NO_LOGIN = frozenset(words("secret_names.before_addresses"))
_GIT_LOGIN = frozenset(words("secret_names.git_logins"))

_LINK = re.compile(r"https?://[^\s/?#\"'<>`]{1,260}([/?#][^\s\"'<>`]{6,4000})")
_PIECE = re.compile(r"[^/?&#=;()\[\]]+")
_WORD = re.compile(r"[a-z]+")
_OPENS = frozenset(words("secret_names.links_that_open"))
_SIGNS_IN = frozenset(words("secret_names.links_that_sign_in"))
_TICKETS = frozenset(words("secret_names.tickets"))
_FILE = re.compile(r".*\.[A-Za-z]{1,5}")


def placed_secrets(text: str, low: str) -> Iterator[SecretSpan]:
    """The secrets that their place tells.

    Args:
        text: the text.
        low: the same in lower case.
    """
    if "kty" in low:
        for hit in _JWK_MEMBER.finditer(text):
            yield SecretSpan(*hit.span(1), "private-key")
    if "secret" in low and "data" in low and _SECRET_KIND.search(text):
        yield from _kubernetes(text)
    if "@" in text:
        for hit in _LOGIN.finditer(text):
            if _is_login(hit[1].lower(), hit[2]):
                yield SecretSpan(*hit.span(2), "url-password")
    if "http" in low:
        for hit in _LINK.finditer(text):
            for start, end in _tickets(hit[1]):
                yield SecretSpan(hit.start(1) + start, hit.start(1) + end, "link-token")


def secret_members(holder: dict[str, Any]) -> frozenset[str]:
    """The keys of a JSON object whose values are secrets, whatever they are called."""
    if "kty" in holder:
        return _JWK
    return frozenset(("data", "stringData")) if holder.get("kind") == "Secret" else frozenset()


def _kubernetes(text: str) -> Iterator[SecretSpan]:
    for block in _YAML_DATA.finditer(text):
        for hit in _YAML_VALUE.finditer(text, block.start(2), block.end(2)):
            yield from _value(hit, 1 if hit[1] else 2)
    for block in _JSON_DATA.finditer(text):
        for hit in _JSON_VALUE.finditer(text, block.start(1), block.end(1)):
            yield from _value(hit, 1)


def _value(hit: re.Match[str], group: int) -> Iterator[SecretSpan]:
    if not is_placeholder(hit[group].strip()):
        yield SecretSpan(hit.start(group), hit.start(group) + len(hit[group].rstrip()), "secret")


def _is_login(user: str, value: str) -> bool:
    if user in _NO_LOGIN or is_sample(value):
        return False
    return len(value) >= 6 and (user in _GIT_LOGIN or (mixes(value) and not value.isdigit()))


def _tickets(rest: str) -> Iterator[tuple[int, int]]:
    """The parts of a link's path and query that let whoever holds the link in."""
    low = rest.lower()
    signs = {word for word in _WORD.findall(low) if word in _OPENS or word in _SIGNS_IN}
    if not signs:
        return
    opens, query, name, last = False, False, "", ""
    for hit in _PIECE.finditer(rest):
        sign, piece = rest[hit.start() - 1], hit[0]
        names = set(_WORD.findall(piece.lower()))
        query |= sign in "?&#"
        if sign == "=":
            if _is_ticket(piece, name, opens or bool(names & _OPENS)):
                yield hit.start(), hit.end()
        elif query:
            name = piece.lower()
            opens |= bool(names & _OPENS)
        elif (opens or last) and not _FILE.fullmatch(piece) and _is_opaque(piece, opens):
            yield hit.start(), hit.end()
        opens |= bool(names & _OPENS) and not is_random(piece, 16)
        last = piece if names & _SIGNS_IN else ""


def _is_ticket(value: str, name: str, opens: bool) -> bool:
    if set(_WORD.findall(name)) & _TICKETS:
        return is_random(value, 6) or (value.isdigit() and 4 <= len(value) <= 10)
    return opens and _is_opaque(value, opens)


def _is_opaque(value: str, opens: bool) -> bool:
    return is_random(value, 12) and (opens or not (UUID.fullmatch(value) or HEX.fullmatch(value)))
