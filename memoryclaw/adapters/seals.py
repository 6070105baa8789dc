"""A seal over files that another library wrote: what the disk says of each, so that any change to them is noticed unread.

Change time and inode are part of it, so a folder that came from elsewhere never fits a seal and is never opened.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

Seal = Sequence[Sequence[str | int]]  # name, size, mtime_ns, ctime_ns, inode


def sealed(folder: Path, *, but: str) -> Seal:
    """The seal over the regular files of a folder as they are now, made readable by their owner alone.

    Args:
        folder: where they are.
        but: the name of a file that is not part of it.
    """
    with os.scandir(folder) as entries:
        names = sorted(e.name for e in entries if e.name != but and e.is_file(follow_symlinks=False))
    for name in names:
        os.chmod(folder / name, 0o600)
    return [_line(folder, name) for name in names]


def is_whole(folder: Path, seal: Seal) -> bool:
    """True when every file under the seal is what it was."""
    try:
        return all(_line(folder, str(line[0])) == list(line) for line in seal)
    except OSError:
        return False


def _line(folder: Path, name: str) -> list[str | int]:
    found = os.lstat(folder / name)
    return [name, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
