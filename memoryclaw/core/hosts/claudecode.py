"""What Claude Code writes down of a session → lines for `capture`. The rule: what a person or a model said, and nothing the host put in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from memoryclaw.core.dates import parse_timestamp
from memoryclaw.core.hosts.words import spoken

_KINDS = ("user", "assistant")  # a tuple: whatever stands there is compared
# Caveats, summaries of a compaction, a subagent's own talk, and sentences of the host in the model's place.
_NOT_SAID = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain", "isApiErrorMessage")


def turns_of(line: str, session: str) -> list[dict[str, Any]]:
    """The turns that one line of a transcript holds: none, one, or as many as it has results of tools.

    Args:
        line: one line of the JSONL file.
        session: the session that the hook was called for.
    """
    record = _object(line)
    message = record.get("message")
    if record.get("type") not in _KINDS or not isinstance(message, Mapping):
        return []
    if any(record.get(flag) for flag in _NOT_SAID) or message.get("model") == "<synthetic>":
        return []
    known = str(record.get("uuid") or hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    about = {"session": session, "role": record["type"], **_time(record.get("timestamp"))}
    parts = [part for part in _parts(message.get("content")) if part]
    return [
        {**about, "uuid": known if place == 0 else f"{known}:{place}", "content": content}
        for place, content in enumerate(parts)
    ]


def _parts(content: Any) -> list[Any]:
    """What was said as one turn, and each result of a tool as one of its own: a turn has room for one tool."""
    if isinstance(content, str):
        return [spoken(content)]
    if not isinstance(content, list):
        return []
    results = [part for part in content if isinstance(part, Mapping) and part.get("type") == "tool_result"]
    others = [_cleaned(part) for part in content if part not in results]
    return [*([result] for result in results), [part for part in others if part]]


def _cleaned(part: Any) -> Any:
    if isinstance(part, str):
        return spoken(part)
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        text = spoken(part["text"])
        return {**part, "text": text} if text else None
    return part


def _time(stamp: Any) -> dict[str, str]:
    """The line's time where it has one; a line without gets the moment of its capture."""
    return {"timestamp": stamp} if isinstance(stamp, str) and parse_timestamp(stamp) else {}


def _object(line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}
