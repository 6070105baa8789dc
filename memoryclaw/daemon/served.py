"""What a running daemon answers in the place of the own work. The rule: no answer is no failure, the own work gives the same.

It imports next to nothing: that is why it is faster.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from memoryclaw.daemon.client import ask
from memoryclaw.vault.layout import STATE_DIR

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def served(
    root: str, method: str, path: str, body: Any = None, timeout: float = 2.0
) -> dict[str, Any] | None:
    """The JSON object that the daemon of a vault answers, or None where there is none or it does not.

    Args:
        root: the vault's folder.
        method: GET, POST …
        path: such as `/v1/recall`, with what it asks for.
        body: a JSON value to send.
        timeout: seconds for all of it.
    """
    found = ask(state_of(root), method, path, body, timeout)
    return found if isinstance(found, dict) else None


def query_of(asked: Mapping[str, object]) -> str:
    """`?q=oat%20milk&limit=3`: what a GET asks for, without what is empty."""
    pairs = (f"{key}={_escaped(str(value))}" for key, value in asked.items() if value not in (None, ""))
    return f"?{'&'.join(pairs)}"


def _escaped(text: str) -> str:
    return "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in text.encode("utf-8", "replace")
    )


def root_of(vault: str | None) -> str:
    """The vault's folder, as every verb finds it."""
    chosen = vault or os.environ.get("MEMORYCLAW_VAULT")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    from memoryclaw import config  # noqa: PLC0415 - it costs more than to ask a daemon

    return os.fspath(config.find_root(None, os.environ, config.here()))


def state_of(root: str) -> str:
    """The vault's state folder, as `config.state_folder` finds it."""
    inside = os.path.join(root, STATE_DIR)
    if not os.path.islink(inside) and os.access(inside if os.path.isdir(inside) else root, os.W_OK):
        return inside
    from pathlib import Path  # noqa: PLC0415

    from memoryclaw import config  # noqa: PLC0415

    return os.fspath(config.state_folder(Path(root)))
