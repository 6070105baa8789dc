"""What a tool may be asked, checked before any verb hears of it. The rule: what is not known is refused by name, never passed over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from memoryclaw.errors import InputError

A = TypeVar("A", bound="ToolArguments")
MOST_BYTES = 4096  # of a question


class ToolArguments(BaseModel):
    """The arguments of one tool."""

    # Built at once: calls come in threads, and what is built on first use is built by one thread only.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=False)


def asked(model: type[A], arguments: Mapping[str, Any]) -> A:
    """Arguments as a client gave them, checked.

    Raises:
        InputError: one is unknown, missing or of another kind.
    """
    try:
        return model.model_validate_json(json.dumps(arguments), strict=True)
    except ValidationError as error:
        raise _refused(model, error) from None


def question(text: str) -> str:
    """A question that is no longer than is read."""
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise InputError(
            f"this question is longer than {MOST_BYTES} bytes; ask with the words that matter, not the whole conversation"
        )
    return text


def schema(model: type[ToolArguments]) -> dict[str, Any]:
    """The JSON schema of the arguments, without the titles that only repeat their names."""
    found = model.model_json_schema()
    found.pop("description", None)  # the tool has one
    return _untitled(found)


def _untitled(found: dict[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in found.items() if key != "title"}
    for name, inner in own.get("properties", {}).items():
        own["properties"][name] = _untitled(inner)
    return own


def _refused(model: type[ToolArguments], error: ValidationError) -> InputError:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    unknown = [repr(str(one["loc"][-1]))[:80] for one in found if one["type"] == "extra_forbidden"]
    if unknown:
        return InputError(
            f"there is no argument {', '.join(unknown)}; known are {', '.join(model.model_fields)}"
        )
    place = ".".join(map(str, found[0]["loc"]))[:80]
    return InputError(f"argument {place!r}: {found[0]['msg'].lower()}")
