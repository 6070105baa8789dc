"""What only Unix has: every module takes it from here, and where it is not there, one sentence says so."""

from __future__ import annotations

from contextlib import suppress

from memoryclaw.errors import SystemUnfitError

with suppress(ImportError):
    import fcntl

__all__ = ["fcntl", "must_be_unix"]


def must_be_unix() -> None:
    """Raises SystemUnfitError on a system without the locks of Unix, such as Windows."""
    if "fcntl" not in globals():
        raise SystemUnfitError(
            "MemoryClaw runs on Linux and macOS; on Windows, install it in the Windows Subsystem for Linux (`wsl --install`)"
        )
