"""Arguments held against the JSON schema of a tool. The rule: a schema comes from a stranger, so nothing that it refers to is fetched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip


def suited(args: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments; a text that stands where the schema wants a number, a list or the like is read as one if it is one."""
    about = schema.get("properties")
    properties = about if isinstance(about, dict) else {}
    return {key: _suited(value, properties.get(key)) for key, value in args.items()}


def trouble(args: Mapping[str, Any], schema: Mapping[str, Any], unknown: frozenset[str]) -> str:
    """What is wrong with the arguments in one sentence, or nothing; those in `unknown` are not looked at."""
    from jsonschema.exceptions import SchemaError, best_match  # type: ignore[import-untyped] # noqa: PLC0415 - of the `mcp` extra
    from jsonschema.validators import validator_for  # type: ignore[import-untyped] # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    required = schema.get("required")
    if unknown and isinstance(required, list):
        schema = {**schema, "required": [name for name in required if name not in unknown]}
    known = {key: value for key, value in args.items() if key not in unknown}
    kind = validator_for(schema)
    try:
        kind.check_schema(schema)
        # With a registry of our own a `$ref` leads nowhere but into the schema itself.
        error = best_match(kind(schema, registry=Registry()).iter_errors(known))
    except (SchemaError, Unresolvable, RecursionError):
        return "the schema of its arguments cannot be read"
    if error is None:
        return ""
    where = ".".join(map(str, error.absolute_path))
    return f"{where}: {error.message}" if where else str(error.message)


def _suited(value: Any, about: Any) -> Any:
    kind = about.get("type") if isinstance(about, dict) else None
    wanted = _TYPES.get(kind) if isinstance(kind, str) else None
    if not isinstance(value, str) or wanted is None:
        return value
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    fits = isinstance(read, wanted) and (kind == "boolean" or not isinstance(read, bool))
    return read if fits else value
