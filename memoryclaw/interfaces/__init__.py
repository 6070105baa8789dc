"""CLI, HTTP, MCP and the page: each parses a request, calls the app and prints. None of them decides anything.

What one uses of another is named by the package of that one, and imported when it is used.
"""

from __future__ import annotations


def plural(count: int, noun: str, nouns: str = "") -> str:
    """`1 note`, `1,200 notes`."""
    return f"{count:,} {noun if count == 1 else nouns or f'{noun}s'}"
