"""Modules of the fleet, each imported at its first use, as `memoryclaw.rooms` does: `--help` needs no server."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryclaw_fleet import commands, jobs, node, postgres, postgres_index, server, settings, store
else:

    def __getattr__(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = globals()[name] = import_module(f"{__package__}.{name}")
        return module
