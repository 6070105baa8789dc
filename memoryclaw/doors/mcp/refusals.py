"""Every way a tool can fail: a code that stays the same, and one sentence."""

from __future__ import annotations

from memoryclaw.core import errors
from memoryclaw.jobs.gates import harmless

_CODES: tuple[tuple[type[errors.MemoryClawError], str], ...] = (
    (errors.NotFoundError, "not_found"),
    (errors.ConflictError, "conflict"),
    (errors.HistoryError, "history"),
    (errors.BudgetError, "budget"),
    (errors.LockedError, "locked"),
    (errors.VaultError, "vault"),
    (errors.IndexBusyError, "busy"),
    (errors.IndexDamagedError, "damaged"),
    (errors.ConfigError, "config"),
    (errors.InputError, "input"),
    (errors.MemoryClawError, "failed"),
)
CODES = (*(code for _, code in _CODES), "system", "bug")


def refusal(error: Exception, *given: object) -> str:
    """What a client is told: `not_found: nothing in this vault …`; empty when nobody foresaw it. `given`: what it sent."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return f"{code}: {harmless(str(error), *given)}"
    if isinstance(error, OSError) and error.strerror:
        return f"system: the system refused to go on: {error.strerror}"
    return ""


def bug(error: Exception, place: str) -> str:
    """What a client is told of what nobody foresaw."""
    return f"bug: a bug in MemoryClaw stopped this ({type(error).__name__}); please report it with {place}"
