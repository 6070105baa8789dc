"""Refuses connections beyond this machine, and to the models that a person may run here: in the test process, and in the Python processes that tests start."""

from __future__ import annotations

import sys

_LOOPBACK = ("127.", "::1", "localhost")
# Where models are asked that no settings name. One that listens there would answer, and tests would depend on it; servers of tests
# take free ports, and these are none.
_MODELS = frozenset({11434, 8080})


def _refuse(event: str, args: tuple[object, ...]) -> None:
    if event not in {"socket.connect", "socket.sendto"}:
        return
    address = args[1]
    if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
        raise PermissionError(f"tests must not reach {address[0]}: only this machine is allowed")
    if isinstance(address, tuple) and address[1] in _MODELS:
        raise ConnectionRefusedError(f"tests must not reach the models of the person: port {address[1]}")


sys.addaudithook(_refuse)
