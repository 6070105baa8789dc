"""What was said → a line of a note. The rule: quoted words stay words; none becomes a link, tag, comment, code fence or block id."""

from __future__ import annotations

import re

from memoryclaw.core.consolidation.changes import Quote
from memoryclaw.core.fence import one_line

_LINKS = re.compile(r"!?\[\[+|!\[|\]\]+")
_TAG = re.compile(r"(?<!\S)#+(?=[^\s\d#])")
_COMMENT = re.compile(r"%%+|<!--+|(?<!-)--+>")
_BLOCK_ID = re.compile(r"(?:(?<=\s)|^)\^(?=[A-Za-z0-9-]+\s*$)")
_LEADING = re.compile(r"(?:[#>+*=~-]+|\d{1,9}[.)]|\[[ xX]?\])(?=\s|$)\s*")
_NAME = re.compile(r"[\[\]|^#`*<>:%\\]+")
_LONGEST_NAME = 60
_HIDDEN = re.compile(r"\[?\bREDACTED\b(?::[^\]\s]*)?\]?")


def harmless(text: str) -> str:
    """The text on one line, as part of a note's prose."""
    flat = one_line(text)
    start = 0
    while hit := _LEADING.match(flat, start):
        start = hit.end()
    flat = flat[start:]
    flat = _LINKS.sub(lambda hit: hit[0].lstrip("!")[:1], flat)
    flat = _COMMENT.sub(lambda hit: " " if hit[0][0] == "%" else hit[0].replace("--", "- "), flat)
    flat = _TAG.sub("", flat)
    if "``" in flat or "~~~" in flat or flat.count("`") % 2:
        flat = flat.replace("`", "'").replace("~~~", "~")
    return " ".join(_BLOCK_ID.sub("", flat).split())


def shown(text: str) -> str:
    """The text with a full stop where something was taken out for being secret: no name, title or tag is made of that."""
    return _HIDDEN.sub(" . ", text) if "REDACTED" in text else text


def speaker(name: str) -> str:
    """A name as it stands before what its bearer said."""
    return " ".join(_NAME.sub(" ", one_line(name)).split())[:_LONGEST_NAME].strip() or "somebody"


def bullet(quote: Quote) -> str:
    """A quote as one point of an episode, with the block id that facts cite."""
    return f"- {speaker(quote.who)}: {harmless(quote.text)} ^l{quote.line}"
