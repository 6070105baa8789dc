"""What only Unix has: every module takes it from here, and where it is not there, one sentence says so."""

from __future__ import annotations

from contextlib import suppress

from memoryclaw.errors import SystemUnfitError

with suppress(ImportError):
    import fcntl

__all__ = ["fcntl", "is_locked", "must_be_unix"]


def is_locked(handle: int, *, shared: bool = False) -> bool:
    """True when the lock of an open file, or one to share, is ours now: nobody else is in the way."""
    try:
        fcntl.flock(handle, fcntl.LOCK_NB | (fcntl.LOCK_SH if shared else fcntl.LOCK_EX))
    except BlockingIOError:
        return False
    return True


def must_be_unix() -> None:
    """Raises SystemUnfitError on a system without the locks of Unix, such as Windows."""
    if "fcntl" not in globals():
        raise SystemUnfitError(
            "MemoryClaw runs on Linux and macOS; on Windows, install it in the Windows Subsystem for Linux (`wsl --install`)"
        )
