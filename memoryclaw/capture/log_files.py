"""The logs on disk: whole lines, appended, durable before the caller is told.

Only a purge rewrites lines, and then as many bytes stay as there were: whoever appends finds the end where it was.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress

from memoryclaw.capture.log_records import ARTIFACTS, file_stem
from memoryclaw.errors import ConflictError
from memoryclaw.vault import files
from memoryclaw.vault.files import folder_lock
from memoryclaw.vault.layout import DECISIONS_FILE, STATE_DIR, on_disk
from memoryclaw.vault.state_folder import make_private_folder, touch

FOLDER = "logs"
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class Logs:
    """The logs of one vault."""

    def __init__(self, root: str) -> None:
        self._root = root

    def locked(self) -> AbstractContextManager[None]:
        """Keeps other captures of this vault out, and only those: writers of notes and git go on."""
        return folder_lock(self._root, FOLDER)

    def of_session(self, stem: str) -> list[str]:
        """The vault paths of a session's files, one a day, oldest first."""
        days = sorted(name for name in os.listdir(on_disk(self._root, FOLDER)) if _DAY.fullmatch(name))
        paths = (f"{FOLDER}/{day}/{stem}.jsonl" for day in days)
        return [path for path in paths if os.path.isfile(on_disk(self._root, path))]

    def decisions(self) -> str:
        """What people decided, as text: among it, what was erased and must not come again."""
        return (files.data_at(self._root, DECISIONS_FILE) or b"").decode("utf-8", "replace")

    def size(self, path: str) -> int:
        """How many bytes a log has; 0 when there is none."""
        try:
            return os.lstat(on_disk(self._root, path)).st_size
        except FileNotFoundError:
            return 0

    def lines(self, path: str, offset: int) -> list[bytes]:
        """The lines of a log from an offset on; the last may be torn."""
        log = files.data_at(self._root, path)
        return [] if log is None else log[offset:].split(b"\n")

    def append(self, path: str, lines: Sequence[bytes]) -> int:
        """Appends whole lines, one write each, and waits until they are on the disk; returns how long the log is now.

        A line that a killed writer left torn is ended first, so that it spoils no line but itself.
        """
        return files.append(self._root, path, lines)

    def keep(self, digest: str, data: bytes) -> None:
        """Keeps a payload whole, under its digest."""
        path = f"{ARTIFACTS}/{digest}"
        if not files.exists(self._root, path):
            with suppress(ConflictError):
                files.write_file(self._root, path, data, None)


# Which sessions a host has under way: a mark in the state folder, from the first turns that its hook brings to the end that it tells.

OPEN_FOLDER = f"{STATE_DIR}/open"
_OPEN_FOR = 86_400  # seconds


def begin_session(root: str, session: str) -> None:
    """Marks a session as under way, if that can be done; without the mark it is read as one that is over.

    Marks that are a day old go: their hosts told no end, or tell it with the next turns.
    """
    folder = os.path.join(root, OPEN_FOLDER)
    make_private_folder(folder)
    with suppress(OSError):
        for mark in os.scandir(folder):
            if mark.stat().st_mtime < time.time() - _OPEN_FOR:
                os.unlink(mark.path)
        touch(os.path.join(folder, file_stem(session)))


def end_session(root: str, session: str) -> None:
    """Takes the mark away."""
    with suppress(OSError):
        os.unlink(os.path.join(root, OPEN_FOLDER, file_stem(session)))


def open_stems(root: str) -> Sequence[str]:
    """What the log files of the sessions under way are called, without their suffix."""
    try:
        return sorted(os.listdir(os.path.join(root, OPEN_FOLDER)))
    except OSError:
        return []
