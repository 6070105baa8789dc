"""What is asked for in numbers has a least and a most; what is asked for in JSON says each key once. The same at every door."""

from __future__ import annotations

import json
from typing import Any

from memoryclaw.errors import InputError

MOST_LISTED = 100_000  # matches, notes, changes
LEAST_BUDGET, MOST_BUDGET = 80, 100_000  # tokens; below the least the framing leaves no room for a memory


def within(number: int, least: int, most: int, what: str) -> int:
    """The number.

    Raises:
        InputError: it lies outside.
    """
    if not least <= number <= most:
        raise InputError(f"{what} must be from {least:,} to {most:,}")
    return number


def within_budget(tokens: int) -> int:
    """The tokens of a context; InputError when there are too few or too many."""
    return within(tokens, LEAST_BUDGET, MOST_BUDGET, "the budget of a context, in tokens,")


def read_json(text: str, otherwise: str) -> Any:
    """The value of a JSON text.

    Args:
        text: what should be JSON.
        otherwise: one sentence for when it is not.

    Raises:
        InputError: it is none, or an object in it has a key twice: whoever reads it would lose one of the values.
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
