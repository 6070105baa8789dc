"""Ends the daemon of a vault from outside. The rule: only the process that both watches this vault and wrote its address is told to stop."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from pathlib import Path

from memoryclaw.adapters.cookies import watcher
from memoryclaw.adapters.daemonfiles import ADDRESS
from memoryclaw.core.errors import LockedError

_PATIENCE = 15.0  # seconds: a consolidation that has begun to write ends first
_PAUSE = 0.02


def stop(state: Path) -> int:
    """Asks the daemon to stop and waits until it is gone; its process id, or 0 when none runs.

    Args:
        state: the state folder of the vault.

    Raises:
        LockedError: it was asked, and still runs.
    """
    pid = watcher(state)[0]
    if not pid or pid != _told(state):
        return 0
    with contextlib.suppress(ProcessLookupError):  # it ended by itself meanwhile
        os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + _PATIENCE
    while watcher(state)[0] == pid:
        if time.monotonic() >= end:
            raise LockedError(f"process {pid} was asked to stop and has not yet; look again in a moment")
        time.sleep(_PAUSE)
    return pid


def _told(state: Path) -> int:
    try:
        found = json.loads((state / ADDRESS).read_bytes())
    except (OSError, ValueError, RecursionError):
        return 0
    pid = found.get("pid") if isinstance(found, dict) else 0
    return pid if type(pid) is int else 0
