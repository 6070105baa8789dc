"""Errors that a person can act on: each message says in one sentence what is wrong and what to do."""

from __future__ import annotations

import errno

# Errors of the machine: a full disk (perhaps behind standard output), a read-only one, missing rights, too many files.
_REFUSALS = frozenset((
    errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE,
))  # fmt: skip


class MemoryClawError(Exception):
    """A known failure; the CLI prints its message without a traceback and exits with 1."""


class SystemUnfitError(MemoryClawError):
    """The operating system lacks what MemoryClaw stands on."""


class VaultError(MemoryClawError):
    """The vault's folder is missing, unreadable or unsafe to work in."""


class UnidentifiedError(VaultError):
    """The vault has no id, under which it could be kept what a person permits."""


class ConfigError(MemoryClawError):
    """`memoryclaw.yaml` or an environment variable holds something that cannot be used."""


class NotFoundError(MemoryClawError):
    """No note, fact, section or turn has this id."""


class ForbiddenError(MemoryClawError):
    """The audience of the caller may not do this."""


class ConflictError(MemoryClawError):
    """The file changed since it was read, or holds uncommitted work of the user; nothing was written."""


class OvertakenError(ConflictError):
    """The file no longer says what a change was planned on; the change waits for a person."""


class NameTakenError(ConflictError):
    """Another file came to the name of a new one; under another name it can be written."""


class LockedError(MemoryClawError):
    """Another process holds the lock."""


class HistoryError(MemoryClawError):
    """Git cannot take the commit now; nothing was written."""


class GitBusyError(HistoryError):
    """A git command of the user's, or what is left of one, holds a lock that a commit needs."""


class GitKilledError(HistoryError):
    """A git command was killed by a signal, and may have left its locks behind."""


class BudgetError(MemoryClawError):
    """A run would lose more of a file than it may; nothing was written."""


class InputError(MemoryClawError):
    """A request is invalid."""


class ClockError(InputError):
    """The clock shows a time that nothing can be dated with."""


class IndexBusyError(MemoryClawError):
    """Another process is writing the index."""


class IndexBehindError(IndexBusyError):
    """The index is not what the files are, and no plan and no bundle may rest on it; nothing was done."""


class IndexDamagedError(MemoryClawError):
    """The index is damaged; it is derived, so it is deleted and rebuilt."""


class IndexUnreachableError(MemoryClawError):
    """The server that holds the index cannot be reached."""


class NotAcknowledgedError(MemoryClawError):
    """A write is on this node's disk alone, so it does not count yet; the caller asks again."""


class MovedError(MemoryClawError):
    """The vault is not at home on this node, or is just leaving it; its new home answers."""


class VectorsError(MemoryClawError):
    """The vectors cannot be used; they are derived, so they are rebuilt."""


class UnconnectedError(MemoryClawError):
    """A host's connection was tried and does not work."""


def refused_by_system(error: Exception) -> str:
    """A message if the system caused the error; empty if it may be a bug."""
    if isinstance(error, OSError) and error.errno in _REFUSALS:
        return f"the system refused to go on: {error.strerror}"
    return ""
