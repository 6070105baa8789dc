"""The arguments of each tool, checked before a verb sees them: an unknown one is refused by name. Lengths are capped here only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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


_ID, _NAME, _NOTE, _TEXT = 1024, 200, 500, 65_536  # characters
_DAY = r"^(\d{4}-\d{2}-\d{2})?$"

Id = Annotated[
    str, Field(min_length=1, max_length=_ID, description="An id as memory_search or memory_browse gave it.")
]
Name = Annotated[str, Field(max_length=_NAME)]
Long = Annotated[str, Field(max_length=MOST_BYTES)]


class SearchArguments(ToolArguments):
    """A question that wants matches."""

    query: str = Field(
        min_length=1,
        max_length=MOST_BYTES,
        description='Plain words, or a query: "a phrase", AND, OR, -word, proj*, tag:x, kind:fact, since:2025-06.',
    )
    kind: Literal["", "episode", "fact", "skill", "note", "todo", "turn"] = Field(
        "", description="Only one kind; empty: all."
    )
    limit: int = Field(10, ge=1, le=100, description="At most so many matches.")


class GetArguments(ToolArguments):
    """One thing, whole or a part of its lines."""

    id: Id
    line: int = Field(1, ge=1, description="The first line wanted, counted within the thing.")
    lines: int = Field(400, ge=1, le=2000, description="At most so many lines.")


class StoreArguments(ToolArguments):
    """A text to keep."""

    text: str = Field(
        min_length=1,
        max_length=_TEXT,
        description="What to keep; with entity and field, the value of the fact; with entity alone, what was said.",
    )
    entity: Name = Field("", description="The person, project or thing that it is about.")
    field: Name = Field("", description="Which of its fields, such as deadline; goes with entity.")
    tags: list[Annotated[str, Field(max_length=100)]] = Field(
        [], max_length=20, description="Tags, where the text is kept as an episode."
    )
    session: Name = Field("", description="The session in which it came up.")


class FeedbackArguments(ToolArguments):
    """A rating."""

    id: Id
    rating: int = Field(ge=1, le=5, description="From 1 (useless) to 5 (just right).")
    session: Name = Field("", description="The session that used it.")
    note: str = Field("", max_length=_NOTE, description="Why.")


MemoryType = Literal["", "decision", "preference", "lesson", "procedure", "event", "to-do"]


class BrowseArguments(ToolArguments):
    """A list of notes."""

    kind: Literal["", "episode", "semantic", "skill", "note", "log"] = Field(
        "", description="Only one kind; empty: all."
    )
    state: Literal["current", "archived", "pending", "draft"] = Field(
        "current", description="In which state."
    )
    type: MemoryType = Field("", description="Only notes of this type, or with something of it; empty: all.")
    limit: int = Field(20, ge=1, le=200, description="At most so many notes.")


class FactsArguments(ToolArguments):
    """What is or was held true."""

    entity: Name = Field("", description="Of whom or what, by name or synonym; empty: of all.")
    as_of: str = Field("", pattern=_DAY, description="What was held true on that day, as 2025-07-01.")
    history: bool = Field(False, description="Superseded values too.")
    type: MemoryType = Field("", description="Only facts of this type; empty: all.")
    limit: int = Field(100, ge=1, le=1000, description="At most so many facts.")


class ReviewArguments(ToolArguments):
    """What waits for a person."""

    id: str = Field(
        "",
        max_length=_ID,
        description="Of one thing that waits, to see what it would change; empty: the list.",
    )


class WorkingArguments(ToolArguments):
    """What a session is at."""

    session: str = Field(min_length=1, max_length=_NAME, description="Whose working memory.")
    action: Literal["show", "set", "clear"] = Field(
        "show", description="clear writes it to the log first; with a task, only if it is of that task."
    )
    task: Name = Field("", description="The task at hand; another task begins a new working memory.")
    goal: Long = Field("", description="What is to be reached; helps every recall of this session.")
    plan: list[Long] = Field([], max_length=32, description="The steps; replaces those before.")
    facts: dict[str, Long | None] = Field(
        {}, max_length=64, description="Names and values to keep at hand; null takes one away."
    )
    recent_observations: list[Long] = Field([], max_length=32, description="What was just seen; appended.")
    active_skill: Name = Field("", description="The skill that is being followed.")
