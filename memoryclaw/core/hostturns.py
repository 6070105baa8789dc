"""One message as a host sends it → what was said in it: our own lines, and those of OpenClaw, OpenAI, Anthropic, Gemini.

The rule: a shape that nobody knows is kept as text; only what says nothing at all is refused, in one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoryclaw.core.dates import parse_timestamp
from memoryclaw.core.errors import InputError
from memoryclaw.core.fence import one_line
from memoryclaw.core.turnshapes import CALLS, RESULTS, call_of, kind_of, said, tidy

NAME_LENGTH = 200
_TURN = re.compile(r"[A-Za-z0-9][\w.:-]{0,63}", re.ASCII)
_ROLES = {
    "human": "user", "ai": "assistant", "agent": "assistant", "bot": "assistant", "model": "assistant",
    "function": "tool", "toolresult": "tool", "tool_result": "tool", "developer": "system",
}  # fmt: skip
# A tool that looks into a memory brings back what is remembered already.
_RECALLING = re.compile(r"(?:.*(?:__|\.))?memory_(?:search|get|browse|recall)")
RECALLED = "[recalled memory]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn or tool event, in our words; nothing is redacted yet."""

    session: str = ""
    turn: str = ""
    host_id: str = ""
    ts: str = ""  # as our logs write it; empty where the host gave none
    role: str = ""
    name: str = ""
    content: str = ""
    calls: tuple[tuple[str, Any], ...] = ()  # tools that this message calls, with their arguments
    tool: str = ""
    args: Any = None
    result: Any = None
    ok: bool | None = None


class Calls:
    """Tool calls that are waiting for their results: the host names the tool in one message and answers it in another."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[str, Any]] = {}

    def note(self, id_: str, name: str, args: Any) -> None:
        """Remembers a call."""
        if id_:
            self._waiting[_plain_id(id_)] = (name, args)

    def of(self, id_: Any) -> tuple[str, Any]:
        """The name and arguments of the call with this id."""
        return self._waiting.pop(_plain_id(id_), ("", None)) if isinstance(id_, str) else ("", None)


def session_of(value: Any) -> str:
    """The session that a message names, or nothing."""
    if not isinstance(value, Mapping):
        return ""
    message = value.get("message")
    inner = {**value, **message} if isinstance(message, Mapping) else value
    return one_line(str(_first(inner, "session", "sessionId", "session_id", "sessionKey") or ""))[
        :NAME_LENGTH
    ]


def read_turn(value: Any, calls: Calls) -> Said:
    """What one message says.

    Raises:
        InputError: it is no message, or its time or turn cannot be used.
    """
    if not isinstance(value, Mapping):
        raise InputError(
            'this is not a JSON object; give one object a line, such as {"role": "user", "content": "…"}'
        )
    outer, message = value, value.get("message")
    inner: Mapping[str, Any] = {**value, **message} if isinstance(message, Mapping) else value
    content = _first(inner, "content", "parts", "text") if not isinstance(message, str) else message
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    called = [call_of(dict(part)) for part in _calls_in(parts, inner)]
    for id_, tool, args in called:
        calls.note(id_, tool, args)
    about: dict[str, Any] = {
        "session": session_of(value),
        "turn": _turn(inner.get("turn")),
        "host_id": one_line(str(_first(outer, "host_id", "id", "messageId", "message_id", "uuid", "idempotencyKey") or _first(inner, "id", "idempotencyKey") or ""))[:NAME_LENGTH],
        "ts": _time(_first(inner, "ts", "timestamp", "time", "created_at", "createdAt")),
        "name": one_line(_name(inner))[:NAME_LENGTH],
    }  # fmt: skip
    role = _role(inner, message)
    if _is_tool(inner, role, parts):
        return Said(**about, **_tool(inner, content, parts, calls))
    text = said(content)
    if not (text or called or isinstance(message, str) or {"content", "parts", "text"} & inner.keys()):
        raise InputError('this line says nothing; give it "content", or "tool" with "args" and "result"')
    return Said(
        **about,
        role=role or "user",
        content=text,
        calls=tuple((tool, tidy(args)) for _, tool, args in called),
    )


def _is_tool(inner: Mapping[str, Any], role: str, parts: list[Mapping[str, Any]]) -> bool:
    if role == "tool" or (isinstance(_first(inner, "tool", "toolName"), str) and role != "assistant"):
        return True
    return bool(parts) and role in {"user", ""} and all(kind_of(part) in RESULTS for part in parts)


def _tool(
    inner: Mapping[str, Any], content: Any, parts: list[Mapping[str, Any]], calls: Calls
) -> dict[str, Any]:
    whole: Mapping[str, Any] = parts[0] if len(parts) == 1 and kind_of(parts[0]) in RESULTS else inner
    response = whole.get("functionResponse")
    whole = response if isinstance(response, Mapping) else whole
    name, args = calls.of(_first(whole, "toolCallId", "tool_call_id", "tool_use_id", "call_id"))
    tool = one_line(
        str(_first(inner, "tool", "toolName", "tool_name") or name or whole.get("name") or "tool")
    )[:NAME_LENGTH]
    given = _first(inner, "args", "arguments", "input", "params")
    result = _first(whole, "result", "response", "output")
    if result is None:
        result = said(content) if content is not None else None
    if _RECALLING.fullmatch(tool) and result is not None:
        result = RECALLED
    return {
        "role": "tool",
        "tool": tool,
        "args": tidy(given if given is not None else args),
        "result": said(result) if isinstance(result, list) else tidy(result),
        "ok": _worked(inner, whole),
    }


def _worked(inner: Mapping[str, Any], whole: Mapping[str, Any]) -> bool | None:
    if isinstance(inner.get("ok"), bool):
        return bool(inner["ok"])
    failed = _first(whole, "isError", "is_error")
    failed = _first(inner, "isError", "is_error", "error") if failed is None else failed
    return None if failed is None else not failed


def _calls_in(parts: list[Mapping[str, Any]], inner: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = inner.get("tool_calls")
    extra = [part for part in listed if isinstance(part, Mapping)] if isinstance(listed, list) else []
    return [part for part in (*parts, *extra) if kind_of(part) in CALLS or "function" in part]


def _role(inner: Mapping[str, Any], message: Any) -> str:
    role = _first(inner, "role", "sender", "author")
    if not isinstance(role, str) and (isinstance(message, Mapping) or inner.get("type") in {"human", "ai"}):
        role = inner.get("type")
    low = one_line(role).lower()[:NAME_LENGTH] if isinstance(role, str) else ""
    return _ROLES.get(low, low)


def _name(inner: Mapping[str, Any]) -> str:
    name = _first(inner, "name", "senderName", "speaker")
    return (
        name
        if isinstance(name, str) and not isinstance(_first(inner, "tool_call_id", "toolCallId"), str)
        else ""
    )


def _turn(turn: Any) -> str:
    if turn is None:
        return ""
    text = str(turn) if isinstance(turn, int) and not isinstance(turn, bool) else turn
    if not isinstance(text, str) or not _TURN.fullmatch(text):
        raise InputError(
            "this turn cannot be an id; give a number, or up to 64 of the characters A-Z a-z 0-9 . _ : -"
        )
    return text


def _time(ts: Any) -> str:
    if ts is None or ts == "":
        return ""
    found = parse_timestamp(str(ts)) if isinstance(ts, str | int | float) and not isinstance(ts, bool) else ""
    if not found:
        raise InputError(
            f"{one_line(str(ts))[:40]!r} is not a time; give ISO 8601, such as 2026-03-01T12:00:00Z, or seconds since 1970"
        )
    return found if len(found) > 10 else f"{found}T00:00:00Z"


def _plain_id(id_: str) -> str:
    """Hosts rewrite the ids of calls between request and history: `call_1` → `call1`."""
    return "".join(filter(str.isalnum, id_))


def _first(place: Mapping[str, Any], *keys: str) -> Any:
    return next((place[key] for key in keys if place.get(key) is not None), None)
