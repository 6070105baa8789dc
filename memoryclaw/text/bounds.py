"""Limits of the numbers in a request, and JSON that names each key once; the same in every interface."""

from __future__ import annotations

import json
from typing import Any

from memoryclaw.errors import InputError

MOST_LISTED = 100_000  # matches, notes, changes
LEAST_BUDGET, MOST_BUDGET = 80, 100_000  # tokens; below the least the framing leaves no room for a memory


def within(number: int, least: int, most: int, what: str) -> int:
    """Returns the number if it lies within the limits.

    Raises:
        InputError: it does not.
    """
    if not least <= number <= most:
        raise InputError(f"{what} must be from {least:,} to {most:,}")
    return number


def within_budget(tokens: int) -> int:
    """Returns a context budget in tokens; InputError when it is too small or too large."""
    return within(tokens, LEAST_BUDGET, MOST_BUDGET, "the budget of a context, in tokens,")


def read_json(text: str, otherwise: str) -> Any:
    """Parses a JSON text.

    Args:
        text: the text.
        otherwise: the error message for text that is not JSON.

    Raises:
        InputError: it is not JSON, or an object in it has a key twice, so that one of the values would be lost.
    """
    try:
        return json.loads(text, parse_constant=str, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise InputError(otherwise) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"the key {twice[:80]!r} is given twice; give each once")
    return found
