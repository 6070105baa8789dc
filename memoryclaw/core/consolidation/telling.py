"""A fact in words: `Anna: city is Bern`, but `Anna: lives in Bern`."""

from __future__ import annotations

_VERBS = frozenset({"lives in", "works at", "works as", "likes", "dislikes", "prefers"})


def fact_in_words(entity: str, field: str, value: str) -> str:
    """A fact as a person would say it; a field that reads as a verb needs no other."""
    verb = " ".join(field.lower().replace("_", " ").split()) in _VERBS
    return f"{entity}: {field} {value}" if verb else f"{entity}: {field} is {value}"
