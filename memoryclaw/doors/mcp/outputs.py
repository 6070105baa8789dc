"""The JSON schemas of what tools answer: the keys that a client may rely on. More keys may come; docs/json.md tells what they mean."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
_TYPES = {"s": "string", "i": "integer", "n": "number", "b": "boolean", "a": "array", "o": "object"}


def _keys(names: str, kind: str) -> Schema:
    inner: Schema = {"items": {"type": "object"}} if kind == "a" else {}
    return {name: {"type": _TYPES[kind], **inner} for name in names.split()}


def _object(properties: Schema, optional: str = "") -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional.split()],
    }


_FRESH = {**_keys("degraded", "s"), **_keys("behind", "i")}
_TEXTS = {"type": "array", "items": {"type": "string"}}

SEARCH = _object(
    {
        **_keys("query", "s"),
        **_keys("confidence", "n"),
        **_FRESH,
        **_keys("matches left_out", "a"),
        **_keys("did_you_mean", "o"),
        "notices": _TEXTS,
        **_keys("timings_ms", "o"),
    }
)
GET = _object({**_keys("id note kind path state text", "s"), **_keys("line end_line", "i"), **_FRESH})
WRITTEN = _object(_keys("id path commit action notice", "s"))
FEEDBACK = _object({**_keys("id session note ts", "s"), **_keys("rating", "i")})
BROWSE = _object({**_keys("notes", "a"), **_FRESH})
FACTS = _object({**_keys("facts", "a"), **_FRESH})
REVIEW = _object(_keys("waiting differences", "a"), optional="waiting differences")
WORKING = _object(
    {
        **_keys("session updated task goal active_skill id notice", "s"),
        "plan": _TEXTS,
        "recent_observations": _TEXTS,
        **_keys("facts", "o"),
        **_keys("tokens", "i"),
        **_keys("problems", "a"),
        **_keys("cleared", "b"),
    },
    optional="updated task goal active_skill id notice plan recent_observations facts tokens problems cleared",
)
