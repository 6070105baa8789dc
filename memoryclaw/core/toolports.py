"""Tools as the runner of skills sees them, whoever offers them. Pure declarations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

LONGEST_RESULT = 1_000_000  # characters of one answer that are taken


class Tool(NamedTuple):
    """One tool: who offers it, what it is called there, and the JSON schema of its arguments, where it is known."""

    host: str  # `mcp:NAME` or `openclaw`
    name: str
    schema: Mapping[str, Any] | None = None


class Result(NamedTuple):
    """What a call came to: `value` is what later steps may name, `text` is for people and the log."""

    ok: bool
    text: str
    value: Any = None


class Tools(Protocol):
    """Finds and calls tools."""

    def find(self, name: str) -> Tool:
        """The tool that a step names; InputError where there is none, or where several could be meant."""
        ...

    def check(self, tool: Tool, args: Mapping[str, Any], unknown: frozenset[str]) -> str:
        """What is wrong with these arguments, or nothing; those in `unknown` are not there yet."""
        ...

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Result:
        """Calls it once; whatever goes wrong is a Result that is not ok."""
        ...
