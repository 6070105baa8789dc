"""Which sessions a host has under way: a mark in the state folder, from the first turns that its hook brings to the end that it tells."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress

from memoryclaw.capture.log_records import file_stem
from memoryclaw.vault.layout import STATE_DIR
from memoryclaw.vault.state_folder import make_private_folder, touch

FOLDER = f"{STATE_DIR}/open"
_DAY = 86_400  # seconds


def begin(root: str, session: str) -> None:
    """Marks a session as under way, if that can be done; without the mark it is read as one that is over.

    Marks that are a day old go: their hosts told no end, or tell it with the next turns.
    """
    folder = os.path.join(root, FOLDER)
    make_private_folder(folder)
    with suppress(OSError):
        for mark in os.scandir(folder):
            if mark.stat().st_mtime < time.time() - _DAY:
                os.unlink(mark.path)
        touch(os.path.join(folder, file_stem(session)))


def end(root: str, session: str) -> None:
    """Takes the mark away."""
    with suppress(OSError):
        os.unlink(os.path.join(root, FOLDER, file_stem(session)))


def open_stems(root: str) -> Sequence[str]:
    """What the log files of the sessions under way are called, without their suffix."""
    try:
        return sorted(os.listdir(os.path.join(root, FOLDER)))
    except OSError:
        return []
