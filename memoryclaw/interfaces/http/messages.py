"""What goes over the wire: requests, checked, and answers in JSON, with every way a request can fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.responses import Response

from memoryclaw import errors
from memoryclaw.app import App
from memoryclaw.app.verbs import Route
from memoryclaw.errors import InputError
from memoryclaw.interfaces.shapes import AnswerShape, JsonObject
from memoryclaw.writing.secret_gate import without_secrets

_ALWAYS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def encoded(shape: Mapping[str, Any]) -> bytes:
    """The JSON of an answer."""
    try:
        return json.dumps(shape, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character in a file: JSON can say it, UTF-8 cannot
        return json.dumps(shape).encode()


def answer(
    shape: Mapping[str, Any] | bytes, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """One answer, of a shape or of its JSON."""
    data = shape if isinstance(shape, bytes) else encoded(shape)
    return Response(data, status, {**_ALWAYS, **(headers or {})}, "application/json")


def refused(refusal: Refusal) -> Response:
    """One answer that is a failure."""
    return answer(refusal.shape, refusal.status, refusal.headers)


# Every way a request can fail: a status, a code that stays the same, and one sentence.

_KNOWN: tuple[tuple[type[errors.MemoryClawError], int, str], ...] = (
    (errors.NotFoundError, 404, "not_found"),
    (errors.ForbiddenError, 403, "forbidden"),
    (errors.ConflictError, 409, "conflict"),
    (errors.NotAcknowledgedError, 503, "not_acknowledged"),
    (errors.MovedError, 503, "moved"),
    (errors.IndexUnreachableError, 503, "unreachable"),
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
    307: "another node is the home of the vault; `Location` says where to ask: `moved`",
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
    503: "the vault or the index cannot be used now, or too much is waiting: `vault`, `busy`, `damaged`, `system`; of many vaults also `not_acknowledged`, `moved`, `unreachable`",
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
        return {"error": {"code": self.code, "message": without_secrets(self.message)}}


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


# Requests: every key is checked before a verb sees it, and an unknown one is refused by name.

A = TypeVar("A", bound="RequestModel")


class RequestModel(BaseModel):
    """The keys of one request."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoArguments(RequestModel):
    """A request that takes no keys."""


def from_body(model: type[A], body: bytes) -> A:
    """The body of a request, checked; no body means no keys."""
    try:
        return model.model_validate_json(body or b"{}", strict=True)
    except ValidationError as error:
        raise _refused(model, error, "key") from None


def from_query(model: type[A], query: Sequence[tuple[str, str]]) -> A:
    """The query string of a request, checked."""
    given = dict(query)
    if len(given) < len(query):
        raise InputError("a parameter is given twice; give each once")
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise _refused(model, error, "parameter") from None


def _refused(model: type[RequestModel], error: ValidationError, word: str) -> InputError:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    unknown = [repr(str(one["loc"][-1])) for one in found if one["type"] == "extra_forbidden"]
    if unknown:
        known = ", ".join(field.alias or name for name, field in model.model_fields.items())
        return InputError(
            f"there is no {word} {', '.join(unknown)} here; {f'known are {known}' if known else 'none is known'}"
        )
    first = found[0]
    if first["type"] == "json_invalid":
        return InputError("the body is not JSON; send one object")
    place = ".".join(map(str, first["loc"]))
    return InputError(f"{word} {place!r}: {first['msg'].lower()}" if place else f"the body: {first['msg']}")


# A row of the route table: an address, what it takes, what it answers, and which pool of workers does so.

QUERIED = ("GET", "DELETE")  # these take their keys from the query string, the others from a JSON body
BODY = 1 << 20  # bytes that an address takes


class VerbRoute(NamedTuple):
    """One address."""

    route: Route
    name: str  # of the operation
    about: str
    verb: Callable[[App, str, RequestModel], JsonObject]  # the vault, what the path names, and the keys
    asks: type[RequestModel]
    most: int
    shapes: tuple[AnswerShape, ...]  # of its answers

    @property
    def method(self) -> str:
        """The method, in capitals."""
        return self.route.method

    @property
    def path(self) -> str:
        """With at most one `{name}`."""
        return self.route.path

    @property
    def pool(self) -> str:
        """Which workers answer."""
        return self.route.pool

    @property
    def like(self) -> str:
        """The command that answers the same."""
        return self.route.like
