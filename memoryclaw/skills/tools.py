"""Tools as the runner of skills sees them, and the MCP servers of the settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from memoryclaw.config import OWN_FILE
from memoryclaw.errors import ConfigError
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING

LONGEST_RESULT = 1_000_000  # characters of one answer that are taken


class Tool(NamedTuple):
    """One tool: its host, its name there, and the JSON schema of its arguments if known."""

    host: str  # `mcp:NAME` or `openclaw`
    name: str
    schema: Mapping[str, Any] | None = None


class Result(NamedTuple):
    """The result of a call: `value` for later steps, `text` for people and the log."""

    ok: bool
    text: str
    value: Any = None


# The MCP servers of the setting `mcp.servers`, which no vault may choose.

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}(?:_[A-Za-z0-9-]+)*")
_KEYS = frozenset({"command", "args", "env", "cwd", "url", "headers"})
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class ToolServer(NamedTuple):
    """One MCP server: a command or a URL."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = NOTHING
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = NOTHING


def read_servers(value: Mapping[str, Any], environ: Mapping[str, str]) -> tuple[ToolServer, ...]:
    """Reads the configured servers; `${NAME}` in env and headers is taken from the environment. Raises ConfigError: one is invalid."""
    return tuple(_server(name, about, environ) for name, about in value.items())


def is_private(url: str) -> bool:
    """True if nobody on the way can read what is sent to this URL."""
    try:
        address = urlsplit(url)
        return address.scheme == "https" or (address.scheme == "http" and address.hostname in LOOPBACK)
    except ValueError:
        return False


def _server(name: str, about: Any, environ: Mapping[str, str]) -> ToolServer:
    if not _NAME.fullmatch(name):
        raise _wrong(name, "is not a name for a server; use letters, digits, single - and _")
    if not isinstance(about, dict):
        raise _wrong(name, "must hold `command:` or `url:`")
    if unknown := sorted(about.keys() - _KEYS):
        raise _wrong(name, f"has no key {unknown[0]!r}; it may hold {', '.join(sorted(_KEYS))}")
    if not isinstance(about.get("command") or "", str):
        raise _wrong(name, "must name one program under command; its arguments stand under args")
    command, url = str(about.get("command") or ""), str(about.get("url") or "")
    if bool(command) == bool(url):
        raise _wrong(name, "must hold either `command:` or `url:`")
    if url and not is_private(url):
        raise _wrong(name, "must have an address that begins with https://, or with http:// on this machine")
    args = about.get("args") or []
    return ToolServer(
        name,
        command,
        tuple(map(str, args if isinstance(args, list) else [args])),
        _map(name, "env", about, environ),
        str(about.get("cwd") or ""),
        url,
        _map(name, "headers", about, environ),
    )


def _map(name: str, key: str, about: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, str]:
    value = about.get(key) or {}
    if not isinstance(value, dict):
        raise _wrong(name, f"must have a map of names and values under {key}")

    def from_environment(hit: re.Match[str]) -> str:
        if hit[1] not in environ:
            raise _wrong(name, f"needs ${hit[1]} in the environment")
        return environ[hit[1]]

    return {inner: _VARIABLE.sub(from_environment, str(text or "")) for inner, text in value.items()}


def _wrong(name: str, what: str) -> ConfigError:
    return ConfigError(f"{OWN_FILE}: mcp.servers: {name[:60]!r} {what}")
