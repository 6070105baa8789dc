"""English questions that a name answers, and turns that hold one. Pure."""

from __future__ import annotations

import re

_ASKS_NAME = re.compile(
    r"""^\s*who\b|\bwhere\b|\b(?:which|what)\ (?:country|countries|city|cities|states?|places?|towns?)\b
    |\b(?:names?|named|called|title|books?|movies?|film|songs?|bands?|artists?|games?|series|restaurant)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# A capital inside a sentence; after a comma somebody is mostly spoken to.
_NAME = re.compile(r"(?<=[a-z] )[A-Z][a-z]+")


def asks_name(question: str) -> bool:
    """True when a question wants to know a name: of a person, a place, a book."""
    return bool(_ASKS_NAME.search(question))


def holds_name(text: str) -> bool:
    """True when a text holds a name inside a sentence."""
    return bool(_NAME.search(text))
