"""Refuses every connection beyond this machine: in the test process, and in the Python processes that tests start."""

from __future__ import annotations

import sys

_LOOPBACK = ("127.", "::1", "localhost")


def _refuse(event: str, args: tuple[object, ...]) -> None:
    if event not in {"socket.connect", "socket.sendto"}:
        return
    address = args[1]
    if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
        raise PermissionError(f"tests must not reach {address[0]}: only this machine is allowed")


sys.addaudithook(_refuse)
