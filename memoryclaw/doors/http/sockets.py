"""Where the daemon listens, and by which names. The rule: nobody beyond this machine reaches it unless a person said so."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from memoryclaw import __version__
from memoryclaw.core.errors import InputError
from memoryclaw.core.naming import timestamp

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what means every address, and ours among them


def listening(host: str, port: int, *, allow_remote: bool) -> socket.socket:
    """A socket that listens.

    Raises:
        InputError: the address is beyond this machine and nobody allowed that, or it cannot be had.
    """
    if not (is_loopback(host) or allow_remote):
        raise InputError(
            f"{host} can be reached from other machines; say --allow-remote if that is what you want"
        )
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{host}:{port} cannot be listened on ({why}); choose another with --port, 0 for any that is free"
        ) from None
    # Connections take it over. Without it the second part of each answer waits 40 ms for the client to confirm the first.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def is_loopback(host: str) -> bool:
    """True when nobody beyond this machine can reach this address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def hosts(names: Iterable[str], port: int) -> list[str]:
    """What a request may name as its host: this machine's own names, and those that were chosen."""
    return [f"{name.lower()}:{port}" for name in dict.fromkeys((*_LOOPBACK, *map(_written, names)))]


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def address(listener: socket.socket) -> dict[str, Any]:
    """What clients on this machine are told of a daemon."""
    host, port = listener.getsockname()[:2]
    host = _EVERYWHERE.get(host, host)
    return {
        "pid": os.getpid(),
        "host": host,
        "port": port,
        "url": f"http://{_written(host)}:{port}",
        "started": timestamp(datetime.now(UTC)),
        "version": __version__,
    }
