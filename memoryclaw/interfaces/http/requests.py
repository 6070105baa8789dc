"""What a request may ask for: checked before any verb hears of it. The rule: what is not known is refused by name, never passed over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from memoryclaw.app import App
from memoryclaw.errors import InputError
from memoryclaw.interfaces.http.workers import READ

A = TypeVar("A", bound="RequestModel")
MOST_BYTES = 4096  # of a question


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


def question(text: str) -> str:
    """A question that is no longer than is read."""
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise InputError(
            f"this question is longer than {MOST_BYTES} bytes; send the words that matter, not the whole conversation"
        )
    return text


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


# ── The route table's row: one address, its verb, what it takes, and where it is answered.

Shape = dict[str, Any]
QUERIED = ("GET", "DELETE")  # these take their keys from the query string, the others from a JSON body
BODY = 1 << 20  # bytes that an address takes


class VerbRoute(NamedTuple):
    """One address."""

    method: str
    path: str  # with at most one `{name:path}`
    verb: Callable[[App, str, Any], Shape]  # the vault, what the path names, and the keys
    about: str
    asks: type[RequestModel] = NoArguments
    lane: str = READ
    most: int = BODY
    like: str = ""  # the command that answers the same
