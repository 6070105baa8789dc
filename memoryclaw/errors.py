"""Failures a person can act on: each says in one sentence what is wrong and what to do."""

from __future__ import annotations

import errno

# The machine's fault, not ours: a full disk (perhaps behind standard output), a read-only one, missing rights, too many files.
_REFUSALS = frozenset((
    errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE,
))  # fmt: skip


class MemoryClawError(Exception):
    """A known failure; doors print its sentence, without a traceback, and exit with 1."""


class VaultError(MemoryClawError):
    """The vault's folder is missing, unreadable or unsafe to work in."""


class ConfigError(MemoryClawError):
    """`memoryclaw.yaml` or an environment variable holds something that cannot be used."""


class NotFoundError(MemoryClawError):
    """No note, fact, section or turn has this id."""


class ConflictError(MemoryClawError):
    """The file is not what it was when we read it, or holds the user's unsaved work; nothing was written."""


class LockedError(MemoryClawError):
    """Another process holds the lock that this needs."""


class HistoryError(MemoryClawError):
    """Git cannot take the commit now; nothing was written."""


class GitKilledError(HistoryError):
    """A git command was killed by a signal, and may have left its locks behind."""


class BudgetError(MemoryClawError):
    """A run would lose more of a file than it may; nothing was written."""


class InputError(MemoryClawError):
    """What was asked for cannot be done as it was said."""


class IndexBusyError(MemoryClawError):
    """Another process is writing the index."""


class IndexDamagedError(MemoryClawError):
    """The index cannot be trusted; it is derived, so it is thrown away and built again."""


class VectorsError(MemoryClawError):
    """The vectors cannot be used as they are; they are derived, so they are made again."""


def refused_by_system(error: Exception) -> str:
    """One sentence when it was the system that refused to go on; empty when it was not, and so may be a bug."""
    if isinstance(error, OSError) and error.errno in _REFUSALS:
        return f"the system refused to go on: {error.strerror}"
    return ""
