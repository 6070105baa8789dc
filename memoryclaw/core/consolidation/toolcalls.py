"""The text of a tool's turn → which tool was called, and with what, in one short phrase. The rule: results stay in the log."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_NAME = re.compile(r"\s*([A-Za-z_][\w.:/-]{0,79})(?=\s|$)")
# A call that an assistant's message ends with: the tool and its arguments on a line of their own.
_CALL_LINE = re.compile(r"[A-Za-z_][\w.:/-]{0,79} \{.*\}\s*")
_LOOKS = frozenset(
    [
        "search",
        "lookup",
        "look",
        "read",
        "get",
        "list",
        "find",
        "fetch",
        "query",
        "grep",
        "ls",
        "cat",
        "view",
        "show",
        "recall",
        "status",
        "check",
        "describe",
        "inspect",
        "browse",
        "glob",
        "stat",
        "head",
        "tail",
        "session",
        "sessions",
        "memory",
        "web",
        "forecast",
        "history",
    ]
)
_ACTS = frozenset(["create", "update", "add", "send", "write", "edit", "set", "book", "delete", "remove", "post", "put", "move", "run", "exec", "install", "make", "save", "store"])  # fmt: skip
_MAIN = ("title", "subject", "name", "summary", "text", "message", "body", "content", "command", "path", "file_path", "url", "query", "to")  # fmt: skip
_LENGTH = 80
_PARTS = re.compile(r"[A-Za-z][a-z]*")


class Call(NamedTuple):
    """One call of a tool."""

    tool: str
    about: str  # the argument that says most, on one line
    failed: bool

    @property
    def looks_up(self) -> bool:
        """True when the tool by its name only reads."""
        parts = {part.lower() for part in _PARTS.findall(self.tool)}
        return bool(parts & _LOOKS) and not parts & _ACTS

    @property
    def phrase(self) -> str:
        """The call in a few words."""
        said = f"{self.tool}: {self.about}" if self.about else self.tool
        return f"{said} (failed)" if self.failed else said


def read_call(text: str) -> Call | None:
    """The call that the text of a tool's turn begins with."""
    hit = _NAME.match(text)
    if hit is None:
        return None
    about = _about(_args(text[hit.end() :].lstrip()))
    return Call(hit[1], _short(about), text.rstrip().endswith("(failed)"))


def is_call_line(line: str) -> bool:
    """True for a line of an assistant's message that is a call, not words."""
    return _CALL_LINE.fullmatch(line) is not None


def _args(text: str) -> Any:
    if not text.startswith("{"):
        return None
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _about(args: Any) -> str:
    if not isinstance(args, dict):
        return ""
    plain = {key: value for key, value in args.items() if isinstance(value, str) and value.strip()}
    return next((plain[key] for key in _MAIN if key in plain), next(iter(plain.values()), ""))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    if len(flat) <= _LENGTH:
        return flat
    return (flat[:_LENGTH].rpartition(" ")[0] or flat[:_LENGTH]) + " …"
