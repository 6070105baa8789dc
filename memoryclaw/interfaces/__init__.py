"""CLI, HTTP, MCP and the page: each parses a request, calls the app and prints. None of them decides anything.

What one uses of another is named by the package of that one, and imported when it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def plural(count: int, noun: str, nouns: str = "") -> str:
    """`1 note`, `1,200 notes`."""
    return f"{count:,} {noun if count == 1 else nouns or f'{noun}s'}"


def late(package: str, module: str, names: list[str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package that takes these names from a module of its own at their first use."""

    def named(name: str) -> Any:
        if name not in names:
            raise AttributeError(name)
        return getattr(import_module(f"{package}.{module}"), name)

    return named
