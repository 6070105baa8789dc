"""The served description of every address, made from the route table, so that it cannot say anything else."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from memoryclaw import __version__
from memoryclaw.interfaces.http.messages import CODES, QUERIED, VerbRoute
from memoryclaw.interfaces.http.routes import SUBJECTS
from memoryclaw.interfaces.requests import NoArguments
from memoryclaw.interfaces.schemas import REF, Schemas

_JSON = "application/json"
_ERROR = {"$ref": f"{REF}Error"}


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    schemas = Schemas()
    for subject, rows in SUBJECTS.items():
        for row in rows:
            paths.setdefault(row.path, {})[row.method.lower()] = _operation(subject, row, schemas)
    for path, (about, shape) in _OPEN.items():
        name, responses = path.strip("/").replace(".json", ""), {"200": _answer(about, shape)}
        operation = {"operationId": name, "summary": about, "security": [], "responses": responses}
        paths[path] = {"get": operation}
    # A shape whose keys stand among those of others is named by none.
    named = json.dumps([paths, schemas.components])
    components = {name: schema for name, schema in schemas.components.items() if f'{REF}{name}"' in named}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "MemoryClaw",
            "version": __version__,
            "description": "The memory of one vault. Every answer is what the command line prints with --json; docs/reference/json.md describes them.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _ERROR_SCHEMA, **components},
        },
    }


def _operation(subject: str, row: VerbRoute, schemas: Schemas) -> dict[str, Any]:
    named = re.findall(r"\{(\w+)\}", row.path)
    codes = " ".join(f"{code}: {about}." for code, about in CODES.items())
    answered = _answer(f"As `memoryclaw {row.like} --json`.", schemas.any_of(row.shapes))
    operation: dict[str, Any] = {
        "operationId": row.name,
        "tags": [subject],
        "summary": row.about,
        "parameters": [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in named],
        "responses": {"200": answered, "default": _answer(codes, _ERROR)},
    }
    schema = row.asks.model_json_schema()
    needed = schema.get("required", [])
    if row.method in QUERIED:
        for name, about in schema.get("properties", {}).items():
            key = {"name": name, "in": "query", "required": name in needed, "schema": about}
            operation["parameters"].append(key)
    elif row.asks is not NoArguments:
        operation["requestBody"] = {"required": bool(needed), "content": {_JSON: {"schema": schema}}}
    return operation


def _answer(about: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": about, "content": {_JSON: {"schema": schema}}}


_TEXT = {"type": "string"}
_FAILURE = {"code": _TEXT, "message": _TEXT}
_ERROR_SCHEMA = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "object", "required": [*_FAILURE], "properties": _FAILURE}},
}
_OPEN: dict[str, tuple[str, dict[str, Any]]] = {
    "/healthz": ("That the daemon runs.", {"type": "object"}),
    "/readyz": (
        "Whether the vault has been read; 503 until then.",
        {"type": "object", "properties": {"ready": {"type": "boolean"}, "reason": _TEXT}},
    ),
    "/openapi.json": ("This document.", {"type": "object"}),
}
