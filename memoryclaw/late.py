"""What most searches never need: libraries, each imported at its first use (`late.yaml.parse(...)`), and patterns, each compiled at its own."""

from __future__ import annotations

import importlib
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import ctypes
    import hashlib
    import importlib.metadata as packages
    import secrets
    import socket
    import tempfile
    import tomllib
    import zoneinfo

    import anyio
    import anyio.from_thread as anyio_thread
    import git.cmd as git_process
    import httpx
    import httpx2
    import jinja2
    import jinja2.sandbox as jinja2_sandbox
    import jsonschema.exceptions as schema_errors  # type: ignore[import-untyped]
    import mcp
    import ollama
    import referencing
    import referencing.exceptions as referencing_errors
    import watchdog.observers.inotify_c as inotify
    import yaml
    from jsonschema import validators
    from mcp.client import streamable_http
else:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = globals()[name] = importlib.import_module(_INSIDE.get(name, name))
        return module


__all__ = [
    "anyio", "anyio_thread", "ctypes", "git_process", "hashlib", "httpx", "httpx2", "inotify", "jinja2", "jinja2_sandbox", "mcp", "ollama", "packages",
    "referencing", "referencing_errors", "schema_errors", "secrets", "socket", "streamable_http", "tempfile", "tomllib", "validators", "yaml", "zoneinfo",
]  # fmt: skip
_INSIDE = {
    "anyio_thread": "anyio.from_thread",
    "git_process": "git.cmd",
    "inotify": "watchdog.observers.inotify_c",
    "jinja2_sandbox": "jinja2.sandbox",
    "packages": "importlib.metadata",
    "referencing_errors": "referencing.exceptions",
    "schema_errors": "jsonschema.exceptions",
    "streamable_http": "mcp.client.streamable_http",
    "validators": "jsonschema.validators",
}


class LatePattern:
    """A regular expression that is compiled when it is first run."""

    def __init__(self, text: str, flags: int) -> None:
        self._source = text, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        way = getattr(self.compiled, name)
        setattr(self, name, way)  # from now on it is an attribute like any other
        return way


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern for the top of a module."""
    return cast("re.Pattern[str]", LatePattern(text, flags))
