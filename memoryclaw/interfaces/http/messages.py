"""What goes over the wire: answers in JSON, and the rows of the route table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from starlette.responses import Response

from memoryclaw.app import App
from memoryclaw.app.verbs import Route
from memoryclaw.interfaces.requests import Refusal, RequestModel
from memoryclaw.interfaces.shapes import AnswerShape, JsonObject

_ALWAYS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def encoded(shape: Mapping[str, Any]) -> bytes:
    """The JSON of an answer."""
    try:
        return json.dumps(shape, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character in a file: JSON can say it, UTF-8 cannot
        return json.dumps(shape).encode()


def answer(shape: Mapping[str, Any] | bytes, status: int = 200, headers: Mapping[str, str] = {}) -> Response:
    """One answer, of a shape or of its JSON."""
    data = shape if isinstance(shape, bytes) else encoded(shape)
    return Response(data, status, {**_ALWAYS, **headers}, "application/json")


def refused(refusal: Refusal) -> Response:
    """One answer that is a failure."""
    return answer(refusal.shape, refusal.status, refusal.headers)


# What each status of a failure means.

CODES = {
    307: "another node is the home of the vault; `Location` says where to ask: `moved`",
    400: "what was sent cannot be used: `input`, `config`",
    401: "no token, or another daemon's: `unauthorized`",
    403: "a Host or an Origin that is not this daemon: `forbidden`",
    404: "no such thing, or no such address: `not_found`",
    405: "this address accepts another method: `method_not_allowed`",
    408: "the body did not come in time: `timeout`",
    409: "the vault is not in a state for this: `conflict`, `history`, `budget`, `failed`",
    413: "more than this address takes: `too_large`",
    415: "a body that is not `application/json`: `media_type`",
    423: "another process writes: `locked`",
    429: "too many requests; `Retry-After` says when: `too_many`",
    500: "a bug; the sentence names a file with the details: `bug`",
    503: "the vault or the index cannot be used now, or too much is waiting: `vault`, `busy`, `damaged`, `system`; of many vaults also `not_acknowledged`, `moved`, `unreachable`",
}


# A row of the route table: an address, what it takes, what it answers, and which pool of workers does so.

QUERIED = ("GET", "DELETE")  # these take their keys from the query string, the others from a JSON body


class VerbRoute(NamedTuple):
    """One address, which answers as the command `like` does."""

    method: str  # in capitals
    path: str  # with at most one `{name}`
    pool: str  # of workers, which answers
    like: str
    route: Route
    name: str  # of the operation
    about: str
    verb: Callable[[App, str, RequestModel], JsonObject]  # the vault, what the path names, and the keys
    asks: type[RequestModel]
    shapes: tuple[AnswerShape, ...]  # of its answers
