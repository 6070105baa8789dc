"""One record of a host → the messages in it: a transcript's line of Claude Code, OpenClaw or Codex, or a message as it is. Pure.

Every way into the logs passes through here, so that the same session gives the same lines whichever way it comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryclaw.capture.host_turns import HOST, RESULTS, kind_of
from memoryclaw.text.host_marks import HostRecord, host_records

_MESSAGE = (
    "role",
    "content",
    "tool",
    "toolName",
    "parts",
    "text",
)  # what makes a record a message, whatever its `type`
_OUTER = ("session", "sessionId", "session_id", "timestamp", "ts", "tz", "cwd", "gitBranch", "id")


# Records that say what the host calls the session, and where.
_TOPICS = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}


def topic_in(record: Any) -> str:
    """What a record of the host says that the session is called; empty where it says no such thing."""
    key = _TOPICS.get(str(record.get("type"))) if isinstance(record, Mapping) else None
    topic = record.get(key) if key and not isinstance(record.get("message"), Mapping) else ""
    return topic if isinstance(topic, str) else ""


def messages_in(record: Any) -> list[Any] | str:
    """The messages that a record holds, each for one turn; or why nothing of it may be kept."""
    if not isinstance(record, Mapping):
        return [record]
    payload = record.get("payload")
    if record.get("type") == "response_item" and isinstance(payload, Mapping):
        return _of_codex(record, payload)
    message = record.get("message")
    inner = {**record, **message} if isinstance(message, Mapping) else record
    if mark := next((mark for mark in host_records() if _is_marked(mark, record, inner)), None):
        if not mark.tool:
            return mark.what
        return (
            [{**record, "role": "tool", "tool": f"{HOST}{mark.tool}"}]
            if inner.get("role") == "user"
            else [record]
        )
    return _split(record, message) if isinstance(message, Mapping) else [record]


def _is_marked(mark: HostRecord, record: Mapping[str, Any], inner: Mapping[str, Any]) -> bool:
    if mark.key == "type":
        return mark.marks(record) and not isinstance(record.get("message"), Mapping) and "role" not in record
    return mark.marks(inner)


def _split(record: Mapping[str, Any], message: Mapping[str, Any]) -> list[Any]:
    """What was said as one turn, and each result of a tool as one of its own: a turn has room for one tool."""
    content = message.get("content")
    results = [part for part in content if kind_of(part) in RESULTS] if isinstance(content, list) else []
    if not isinstance(content, list) or len(content) == 1 or not results:
        return [record]
    spoken = [part for part in content if kind_of(part) not in RESULTS]
    id_ = record.get("uuid") or record.get("id")
    return [
        {
            **record,
            **({"uuid": f"{id_}:{place}"} if id_ and place else {}),
            "message": {**message, "content": part},
        }
        for place, part in enumerate([*([result] for result in results), *([spoken] if spoken else [])])
    ]


def _of_codex(record: Mapping[str, Any], payload: Mapping[str, Any]) -> list[Any] | str:
    about = {key: record[key] for key in _OUTER if record.get(key) is not None}
    match payload.get("type"):
        case "message":
            return [{**about, **payload}]
        case "function_call" | "custom_tool_call" | "local_shell_call":
            call = {
                **payload,
                "type": "function_call",
                "arguments": payload.get("arguments", payload.get("input", payload.get("action"))),
            }
            return [{**about, "role": "assistant", "content": [call]}]
        case "function_call_output" | "custom_tool_call_output":
            return [{**about, "role": "user", "content": [{**payload, "type": "function_call_output"}]}]
    return "a record of the host that is not a message"
