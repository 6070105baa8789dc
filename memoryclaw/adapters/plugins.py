"""Where the plugins that ship with MemoryClaw are: in the installed package, else in the checkout."""

from __future__ import annotations

import os
from pathlib import Path

from memoryclaw.core.errors import MemoryClawError

_PACKAGE = Path(__file__).resolve().parent.parent


def plugin_folder(host: str) -> str:
    """The folder of the plugin for a host."""
    shipped = _PACKAGE / "_shipped" / "plugins" / host
    found = shipped if shipped.is_dir() else _PACKAGE.parent / "plugins" / host
    if not found.is_dir():
        raise MemoryClawError(f"the plugin for {host} is missing from {found}; install MemoryClaw again")
    return os.fspath(found)
