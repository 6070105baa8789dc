"""What goes back over the wire: JSON in UTF-8, never kept by a cache, never guessed at by a browser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.responses import Response

from memoryclaw import errors
from memoryclaw.writing.secret_gate import harmless

_ALWAYS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def answer(shape: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """One answer."""
    try:
        data = json.dumps(shape, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character in a file: JSON can say it, UTF-8 cannot
        data = json.dumps(shape).encode()
    return Response(data, status, {**_ALWAYS, **(headers or {})}, "application/json")


def refused(refusal: Refusal) -> Response:
    """One answer that is a failure."""
    return answer(refusal.shape, refusal.status, refusal.headers)


# ── Every way a request can fail: a status, a code that stays the same, and one sentence; the only place
# that knows which is which.

_KNOWN: tuple[tuple[type[errors.MemoryClawError], int, str], ...] = (
    (errors.NotFoundError, 404, "not_found"),
    (errors.ConflictError, 409, "conflict"),
    (errors.HistoryError, 409, "history"),
    (errors.BudgetError, 409, "budget"),
    (errors.LockedError, 423, "locked"),
    (errors.VaultError, 503, "vault"),
    (errors.IndexBusyError, 503, "busy"),
    (errors.IndexDamagedError, 503, "damaged"),
    (errors.ConfigError, 400, "config"),
    (errors.InputError, 400, "input"),
    (errors.MemoryClawError, 409, "failed"),
)
CODES = {
    400: "what was sent cannot be used: `input`, `config`",
    401: "no token, or another daemon's: `unauthorized`",
    403: "a Host or an Origin that is not this daemon: `forbidden`",
    404: "no such thing, or no such address: `not_found`",
    405: "this address knows another method: `method_not_allowed`",
    408: "the body did not come in time: `timeout`",
    409: "the vault is not in a state for this: `conflict`, `history`, `budget`, `failed`",
    413: "more than this address takes: `too_large`",
    415: "a body that is not `application/json`: `media_type`",
    423: "another process writes: `locked`",
    429: "too many requests; `Retry-After` says when: `too_many`",
    500: "a bug; the sentence names a file with the details: `bug`",
    503: "the vault or the index cannot be used now, or too much is waiting: `vault`, `busy`, `damaged`, `system`",
}


class Refusal(NamedTuple):
    """One answer that is a failure."""

    status: int
    code: str
    message: str
    headers: Mapping[str, str] = {}

    @property
    def shape(self) -> dict[str, dict[str, str]]:
        """The body of the answer."""
        return {"error": {"code": self.code, "message": harmless(self.message)}}


class RefusedError(Exception):
    """A request that ends here."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def refusal_of(error: Exception) -> Refusal | None:
    """What a client is told of a failure; None when nobody foresaw it."""
    if isinstance(error, RefusedError):
        return error.refusal
    for kind, status, code in _KNOWN:
        if isinstance(error, kind):
            return Refusal(status, code, str(error))
    if refused := errors.refused_by_system(error):
        return Refusal(503, "system", refused)
    return None
