"""What a model answers, made into nouns. The rule: an answer is data of one form; whatever else is in it is not even read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memoryclaw.consolidation.grounding import ModelAnswer, ModelClaim
from memoryclaw.models.llm import ModelError, Schema

_STRICT = ConfigDict(strict=True, extra="ignore", json_schema_serialization_defaults_required=True)
_LONGEST = 200_000  # characters of an answer that are looked at
_MOST_OBJECTS, _MOST_CLAIMS = 20, 50  # JSON objects in its prose that are tried; claims of one
_DECODER = json.JSONDecoder()


def _asked(text: int) -> dict[str, Any]:
    """What a text is asked to be at most; what is longer is cut later, and costs no answer."""
    return {"maxLength": text}


class _Claim(BaseModel):
    model_config = _STRICT

    line: int = Field(ge=1, le=999_999_999)
    quote: str = Field(max_length=2000, json_schema_extra=_asked(240))
    entity: str = Field(max_length=200, json_schema_extra=_asked(60))
    field: str = Field(max_length=200, json_schema_extra=_asked(40))
    value: str = Field(max_length=500, json_schema_extra=_asked(120))
    durable: bool = True
    confidence: Literal["low", "medium", "high"] = "medium"


class _AnswerModel(BaseModel):
    model_config = _STRICT

    title: str = Field(max_length=1000, json_schema_extra=_asked(80))
    summary: str = Field(max_length=5000, json_schema_extra=_asked(400))
    tags: list[Annotated[str, Field(json_schema_extra=_asked(30))]] = Field(
        default=[], max_length=50, json_schema_extra={"maxItems": 7}
    )
    entities: list[Annotated[str, Field(json_schema_extra=_asked(60))]] = Field(
        default=[], max_length=100, json_schema_extra={"maxItems": 10}
    )


class _Report(_AnswerModel):
    claims: list[_Claim] = Field(default=[], json_schema_extra={"maxItems": 8})


@cache
def schema() -> Schema:
    """The JSON schema that a model is held to."""
    return dict(_plain(_Report.model_json_schema(mode="serialization")))


def read(text: str) -> ModelAnswer:
    """The answer in a model's text, from which prose and fences around it are taken off; MindError when there is none."""
    for found in _objects(text[:_LONGEST]):
        try:
            told = _AnswerModel.model_validate(found)
        except ValidationError:
            continue
        claims, unread = _claims(found.get("claims", []))
        return ModelAnswer(
            told.title, told.summary, tuple(told.tags), tuple(told.entities), tuple(claims), unread
        )
    raise ModelError("its answer was not JSON of the asked form")


def _claims(found: Any) -> tuple[list[ModelClaim], int]:
    """The claims that have the asked form, and how many have not: one bad claim must not cost the others."""
    if not isinstance(found, list):
        return [], 1
    claims, unread = [], 0
    for each in found[:_MOST_CLAIMS]:
        try:
            claims.append(ModelClaim(**_Claim.model_validate(each).model_dump()))
        except ValidationError:
            unread += 1
    return claims, unread + len(found[_MOST_CLAIMS:])


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object of a text that is in no other; a model that thinks aloud answers last, so the last comes first."""
    found: list[Any] = []
    at = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            break
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            found.append(value)
        at = text.find("{", at)
    yield from reversed(found)


def _plain(value: Any) -> Any:
    """The schema without what only a person reads; small servers make a grammar of it, token by token."""
    if isinstance(value, dict):
        kept = {
            k: v for k, v in value.items() if k not in {"title", "default", "maximum"} or isinstance(v, dict)
        }
        return {k: _plain(v) for k, v in kept.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value
