"""HTTP on loopback: JSON in, JSON out, the same answers as the command line's `--json`; docs/reference/http.md describes it.

This module imports nothing heavy; all but `missing` needs the packages that it names, and is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryclaw.interfaces.http.server import listening, serve

__all__ = ["listening", "missing", "serve"]
_NEEDS = ("starlette", "uvicorn")


def missing() -> list[str]:
    """The packages that serving needs and that are not installed."""
    return [name for name in _NEEDS if find_spec(name) is None]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.server"), name)
